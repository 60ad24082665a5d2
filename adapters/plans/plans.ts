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

/** Features that only some plans have. */
export type Feature = "bulk" | "group" | "webhooks" | "teamKeys"

/** One plan. A null number of destinations means that there is no such limit. */
export interface Plan {
  readonly id: PlanId
  /** Requests to the visa service a calendar month (UTC). */
  readonly requestsPerMonth: number
  /** Distinct destinations that may be asked for one passport on one UTC day. */
  readonly destinationsPerPassportAndDay: number | null
  readonly lookup: {
    readonly tier: "free" | "pro" | "enterprise"
    readonly perSecond: number
    readonly per30Days: number
  }
  readonly spotsPerMonth: number
  /** Language codes, or all of them. */
  readonly languages: "all" | readonly string[]
  readonly features: Readonly<Record<Feature, boolean>>
}

/** The cost of a bulk call: one request for each returned pair, or one for the call. */
export type BulkCharge = "pair" | "call"

/** The whole file. */
export interface PlanTable {
  readonly byId: Readonly<Record<PlanId, Plan>>
  /** Requests in all of an account whose e-mail address is not confirmed. */
  readonly unconfirmedRequests: number
  /** Keyless quick checks a minute and client address. */
  readonly keylessChecksPerMinute: number
  /** Keyless requests for spots a UTC day and client address. */
  readonly keylessSpotsPerDay: number
  /** Distinct pairs that are answered without a key a UTC day and client address. */
  readonly keylessPairsPerDay: number
  readonly bulkCharge: { readonly withDestinations: BulkCharge; readonly withoutDestinations: BulkCharge }
}

const BulkChargeRecord = Schema.Literals(["pair", "call"])

const PlanRecord = Schema.Struct({
  requests_per_month: Schema.Natural,
  destinations_per_passport_and_day: Schema.NullOr(Schema.Natural),
  lookup: Schema.Struct({
    tier: Schema.Literals(["free", "pro", "enterprise"]),
    per_second: Schema.Natural,
    per_30_days: Schema.Natural,
  }),
  spots_per_month: Schema.Natural,
  languages: Schema.Union([
    Schema.Literal("all"),
    Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^[a-z]{2}$/))),
  ]),
  bulk: Schema.Boolean,
  group: Schema.Boolean,
  webhooks: Schema.Boolean,
  team_keys: Schema.Boolean,
})

/** The file's own names, in the order in which its keys are written. */
export const PlansRecord = Schema.Struct({
  unconfirmed_requests: Schema.Natural,
  keyless_checks_per_minute: Schema.Natural,
  keyless_spots_per_day: Schema.Natural,
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

function toPlan(id: PlanId, record: typeof PlanRecord.Type): Plan {
  return Object.freeze({
    id,
    requestsPerMonth: record.requests_per_month,
    destinationsPerPassportAndDay: record.destinations_per_passport_and_day,
    lookup: {
      tier: record.lookup.tier,
      perSecond: record.lookup.per_second,
      per30Days: record.lookup.per_30_days,
    },
    spotsPerMonth: record.spots_per_month,
    languages: record.languages,
    features: { bulk: record.bulk, group: record.group, webhooks: record.webhooks, teamKeys: record.team_keys },
  })
}

function toPlanTable(record: typeof PlansRecord.Type): PlanTable {
  const { free, hobby, starter, pro, business } = record.plans
  return {
    byId: {
      free: toPlan("free", free),
      hobby: toPlan("hobby", hobby),
      starter: toPlan("starter", starter),
      pro: toPlan("pro", pro),
      business: toPlan("business", business),
    },
    unconfirmedRequests: record.unconfirmed_requests,
    keylessChecksPerMinute: record.keyless_checks_per_minute,
    keylessSpotsPerDay: record.keyless_spots_per_day,
    keylessPairsPerDay: record.keyless_pairs_per_day,
    bulkCharge: {
      withDestinations: record.bulk_charge.with_destinations,
      withoutDestinations: record.bulk_charge.without_destinations,
    },
  }
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
  return PLAN_IDS.find(id => table.byId[id].features[feature]) ?? null
}

export class Plans extends Context.Service<Plans, PlanTable>()("landfall/accounts/Plans") {
  /** Reads the given file, by default the one that ships with the package. Fails with `DataError`. */
  static readonly layer = (path: string = findOwnFile("seeds/plans.json")): Layer.Layer<Plans, DataError> =>
    Layer.effect(Plans, readPlans(path))
}
