/**
 * What may an account of each plan do, and how often?
 *
 * The numbers live in `seeds/plans.json`, which an operator edits; they are read once, at the start, and a mistake in the file stops
 * the start with the name of the field. The names of the five plans are fixed: they are part of the service's interface.
 */

import { Context, Effect, Layer, Option, Schema } from "effect"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { findOwnFile } from "../files/own-files.ts"
import { readRecordFile } from "../files/record-files.ts"
import { PLAN_IDS, type PlanId } from "../settings/feature-options.ts"

const FEATURES = { bulk: Schema.Boolean, group: Schema.Boolean, webhooks: Schema.Boolean, team_keys: Schema.Boolean }

const PlanRecord = Schema.Struct({
  /** Requests to the visa service a calendar month (UTC). */
  requests_per_month: Schema.Natural,
  /** Distinct destinations that may be asked for one passport on one UTC day; null without such a limit. */
  destinations_per_passport_and_day: Schema.NullOr(Schema.Natural),
  lookup: Schema.Struct({
    tier: Schema.Literals(["free", "pro", "enterprise"]),
    per_second: Schema.Natural,
    per_30_days: Schema.Natural,
  }),
  spots_per_month: Schema.Natural,
  /** Language codes, or all of them. */
  languages: Schema.Union([
    Schema.Literal("all"),
    Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^[a-z]{2}$/))),
  ]),
  ...FEATURES,
})

/** The cost of a bulk call: one request for each returned pair, or one for the call. */
const BulkChargeRecord = Schema.Literals(["pair", "call"])

/** The file's own names, in the order in which its keys are written. */
export const PlansRecord = Schema.Struct({
  /** Requests in all of an account whose e-mail address is not confirmed. */
  unconfirmed_requests: Schema.Natural,
  /** Keyless quick checks a minute and client address. */
  keyless_checks_per_minute: Schema.Natural,
  /** Keyless requests for spots a UTC day and client address. */
  keyless_spots_per_day: Schema.Natural,
  /** Distinct pairs that are answered without a key a UTC day and client address. */
  keyless_pairs_per_day: Schema.Natural,
  bulk_charge: Schema.Struct({ with_destinations: BulkChargeRecord, without_destinations: BulkChargeRecord }),
  plans: Schema.Struct({
    free: PlanRecord,
    hobby: PlanRecord,
    starter: PlanRecord,
    pro: PlanRecord,
    business: PlanRecord,
  }),
})

// The names of the file are those of programs, with capital letters instead of underscores.

type CamelName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelName<Rest>>}` : Name
type Camel<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value as CamelName<Name>]: Camel<Value[Name]> }
    : Value

function toCamel<Value>(value: Value): Camel<Value> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as Camel<Value>
  const renamed = Object.entries(value).map(([name, held]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    toCamel(held),
  ])
  return Object.freeze(Object.fromEntries(renamed))
}

/** One plan. */
export interface Plan extends Camel<typeof PlanRecord.Type> {
  readonly id: PlanId
}

/** Features that only some plans have. */
export type Feature = CamelName<keyof typeof FEATURES>

/** The whole file. */
export interface PlanTable extends Omit<Camel<typeof PlansRecord.Type>, "plans"> {
  readonly byId: Readonly<Record<PlanId, Plan>>
}

function toPlanTable({ plans, ...others }: typeof PlansRecord.Type): PlanTable {
  const byId = PLAN_IDS.map((id): [PlanId, Plan] => [id, Object.freeze({ id, ...toCamel(plans[id]) })])
  return { ...toCamel(others), byId: Object.fromEntries(byId) as Record<PlanId, Plan> }
}

/**
 * Reads a file of plans.
 *
 * Fails with `DataError`, which names the file and every field that is wrong.
 */
export const readPlans = (path: string): Effect.Effect<PlanTable, DataError> =>
  Effect.suspend(() => {
    const issues: FileIssue[] = []
    const record = readRecordFile(path, PlansRecord, issue => issues.push(issue))
    return Option.isSome(record) ? Effect.succeed(toPlanTable(record.value)) : Effect.fail(DataError.of(issues))
  })

/**
 * Names the lowest plan that has a feature, or null when an operator gave it to none.
 */
export function lowestPlanWith(feature: Feature, table: PlanTable): PlanId | null {
  return PLAN_IDS.find(id => table.byId[id][feature]) ?? null
}

export class Plans extends Context.Service<Plans, PlanTable>()("landfall/accounts/Plans") {
  /** Reads the given file, by default the one that ships with the package. Fails with `DataError`. */
  static readonly layer = (path: string = findOwnFile("seeds/plans.json")): Layer.Layer<Plans, DataError> =>
    Layer.effect(Plans, readPlans(path))
}
