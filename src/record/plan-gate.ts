/**
 * Which fields of a full record does a plan show?
 *
 * Free and hobby show the core fields, and a stub where a further field has a value; starter shows everything but the two
 * fields of pro, and of the missions those to apply to; pro, business and pay-per-call show everything. A field that is not
 * in the record is in no plan's view of it: a stub never promises what is not there.
 */
import type { Locale } from "./localise.ts"
import {
  type FullRecord,
  type GatedRecord,
  PRO_FIELDS,
  type RecordSource,
  STARTER_FIELDS,
  type UpgradeStub,
} from "./record-fields.ts"

/** The plans, and `x402`, the call that is paid for by itself and equals pro. */
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

/**
 * Shows a record as a plan shows it.
 *
 * Cannot fail; a plan that is none of {@link PLANS} is treated as free. The record itself comes back, not a copy, where
 * the plan shows everything.
 *
 * @example
 * ```typescript
 * gateRecord(record, { plan: "free", locale, upgradeUrl: "/pricing" }).safety // => {"upgrade": "Available on the starter plan or above", "upgrade_url": "/pricing"}
 * gateRecord(record, { plan: "pro", locale, upgradeUrl: "/pricing" }).safety.level // => 1
 * ```
 */
export function gateRecord(record: FullRecord, options: GateOptions): GatedRecord {
  const { plan } = options
  if (plan === "pro" || plan === "business" || plan === "x402") return record
  return plan === "starter" ? gateForStarter(record) : gateForFree(record, options)
}

function gateForStarter(record: FullRecord): GatedRecord {
  const { remote_work_visa: _visa, reciprocity_history: _history, embassy, sources, ...shown } = record
  const apply = embassy?.visa_application_embassy
  const hidden = new Set<string>(PRO_FIELDS)
  if (apply === undefined) hidden.add("embassy")
  return {
    ...shown,
    ...(apply === undefined ? {} : { embassy: { visa_application_embassy: apply } }),
    ...keepSources(sources, hidden),
  }
}

function gateForFree(record: FullRecord, { locale, upgradeUrl }: GateOptions): GatedRecord {
  const { sources, ...fields } = record
  const gated: Record<string, unknown> = fields
  const hidden = new Set<string>([...STARTER_FIELDS, ...PRO_FIELDS])
  const stub = (key: "upgrade.starter" | "upgrade.pro"): UpgradeStub => ({
    upgrade: locale.say({ key }),
    upgrade_url: upgradeUrl,
  })
  for (const field of STARTER_FIELDS) if (gated[field] !== undefined) gated[field] = stub("upgrade.starter")
  for (const field of PRO_FIELDS) if (gated[field] !== undefined) gated[field] = stub("upgrade.pro")
  return { ...(gated as unknown as GatedRecord), ...keepSources(sources, hidden) }
}

// A source is listed for the fields that can be seen.
function keepSources(sources: readonly RecordSource[] | undefined, hidden: ReadonlySet<string>) {
  if (sources === undefined) return {}
  const kept = sources
    .map(source => ({ ...source, fields: source.fields.filter(field => !hidden.has(field)) }))
    .filter(source => source.fields.length > 0)
  return kept.length === 0 ? {} : { sources: kept }
}
