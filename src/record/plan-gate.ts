/**
 * Which fields of a full record does a plan show?
 *
 * The rows of field-rows.ts define this, and a field without a row is not shown. Free and hobby show the core fields, and a stub in place
 * of a further field if published clients can distinguish its value from a stub. Starter shows everything except the fields of pro, and a
 * part of some, as their rows say. Pro, business and pay-per-call show everything. A field that is not in the record is in no plan's view
 * of it: a stub never promises a field that does not exist.
 */
import { type FieldRow, findRow, type PlanTier } from "./field-rows.ts"
import type { Locale } from "./localise.ts"
import {
  FIELDS_WITHOUT_STUB,
  type FullRecord,
  type GatedRecord,
  type RecordSource,
  type UpgradeStub,
} from "./record-fields.ts"

/** The plans, and `x402`, a call that is paid for by itself and shows what pro shows. */
export const PLANS = ["free", "hobby", "starter", "pro", "business", "x402"] as const

/** One of {@link PLANS}. */
export type Plan = (typeof PLANS)[number]

/** How to gate a record. */
export interface GateOptions {
  readonly plan: Plan
  /** The language of the stubs; that of the record. */
  readonly locale: Locale
  readonly upgradeUrl: string
}

const TIER_OF: { readonly [Name in Plan]: PlanTier } = {
  free: "core",
  hobby: "core",
  starter: "starter",
  pro: "pro",
  business: "pro",
  x402: "pro",
}

/**
 * Whether a plan shows every field of a record, so that there is nothing to gate.
 *
 * @example
 * ```ts
 * showsEverything("pro") // => true
 * showsEverything("free") // => false
 * ```
 */
export const showsEverything = (plan: Plan): boolean =>
  typeof plan === "string" && Object.hasOwn(TIER_OF, plan) && TIER_OF[plan] === "pro"

/** What a tier shows of a field: its value or a part of it, a stub with the plan that shows it, or nothing. */
type Shown =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "offer"; readonly from: "starter" | "pro" }
  | { readonly kind: "nothing" }

const NOTHING: Shown = { kind: "nothing" }

const WITHOUT_STUB: ReadonlySet<string> = new Set(FIELDS_WITHOUT_STUB)

/**
 * Shows a record as a plan shows it.
 *
 * Cannot fail; a plan that is not one of {@link PLANS} is treated as free. Values are shared with the record, which is not changed; where a plan
 * shows all of it, it is the record itself.
 *
 * @example
 * ```ts
 * gateRecord(record, { plan: "free", locale, upgradeUrl: "/pricing" }).safety // => {"upgrade": "Available on the starter plan or above", "upgrade_url": "/pricing"}
 * const { safety } = gateRecord(record, { plan: "pro", locale, upgradeUrl: "/pricing" })
 * safety !== undefined && "level" in safety && safety.level // => 1
 * ```
 */
export function gateRecord(record: FullRecord, { plan, locale, upgradeUrl }: GateOptions): GatedRecord {
  const tier = Object.hasOwn(TIER_OF, plan) ? TIER_OF[plan] : "core"
  const fields = Object.entries(record)
  if (tier === "pro" && fields.every(([name, value]) => value !== undefined && findRow(name) !== undefined)) {
    return record as unknown as GatedRecord
  }
  const shown = fields.map(([name, value]) => {
    const row = findRow(name)
    const shown = row === undefined || value === undefined ? NOTHING : showField(row, value, tier)
    return { name, ...(shown.kind === "offer" && WITHOUT_STUB.has(name) ? NOTHING : shown) }
  })
  const visible = new Set(shown.filter(({ kind }) => kind === "value").map(({ name }) => name))
  const gated = shown.flatMap((field): [string, unknown][] => {
    if (field.kind === "nothing") return []
    if (field.kind === "offer") return [[field.name, writeStub(field.from, locale, upgradeUrl)]]
    if (field.name !== "sources" || tier === "pro") return [[field.name, field.value]]
    const sources = keepSources(field.value as readonly RecordSource[], visible)
    return sources.length === 0 ? [] : [["sources", sources]]
  })
  return Object.fromEntries(gated) as unknown as GatedRecord
}

function showField({ plan, starterPart }: FieldRow<unknown>, value: unknown, tier: PlanTier): Shown {
  if (plan === "core" || tier === "pro") return { kind: "value", value }
  const onStarter = plan === "pro" ? undefined : starterPart === undefined ? value : starterPart(value)
  if (tier === "core") return { kind: "offer", from: onStarter === undefined ? "pro" : "starter" }
  return onStarter === undefined ? NOTHING : { kind: "value", value: onStarter }
}

function writeStub(from: "starter" | "pro", locale: Locale, upgradeUrl: string): UpgradeStub {
  return { upgrade: locale.say({ key: `upgrade.${from}` }), upgrade_url: upgradeUrl }
}

// A source is listed for the fields that can be seen.
function keepSources(sources: readonly RecordSource[], visible: ReadonlySet<string>): readonly RecordSource[] {
  return sources
    .map(source => ({ ...source, fields: source.fields.filter(field => visible.has(field)) }))
    .filter(source => source.fields.length > 0)
}
