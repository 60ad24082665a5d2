/**
 * What may a client that parses a full record rely on? Written from the specification of the record and of its plans, not from
 * the code: which fields each plan shows whole, which as a stub, and what stands in each field.
 *
 * `findFaults` gives a sentence for everything in a record that such a client could not read, none for a good one.
 */

type Check = (value: unknown) => string | null

const REQUIREMENTS = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text: Check = value => (typeof value === "string" && value.trim() !== "" ? null : "no text")
const flag: Check = value => (typeof value === "boolean" ? null : "no boolean")
const number: Check = value => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? null : "no number")
const date: Check = value => (typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? null : "no date")
const instant: Check = value =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(value) ? null : "no instant"
const code: Check = value => (typeof value === "string" && /^[A-Z]{3}$/.test(value) ? null : "no code")
const oneOf =
  (...values: readonly unknown[]): Check =>
  value =>
    values.includes(value) ? null : `${JSON.stringify(value)} is not one of ${values.join(", ")}`
const orNull =
  (check: Check): Check =>
  value =>
    value === null ? null : check(value)
const list =
  (check: Check, least = 1): Check =>
  value => {
    if (!Array.isArray(value) || value.length < least) return "no list, or an empty one"
    return value.map(check).find(fault => fault !== null) ?? null
  }
/** An object that has all of `needed`, may have any of `allowed`, and nothing else. */
const object =
  (needed: Readonly<Record<string, Check>>, allowed: Readonly<Record<string, Check>> = {}): Check =>
  value => {
    if (!isObject(value)) return "no object"
    for (const name of Object.keys(needed)) if (!(name in value)) return `${name} is missing`
    for (const [name, held] of Object.entries(value)) {
      const check = needed[name] ?? allowed[name]
      if (check === undefined) return `${name} is unknown`
      const fault = check(held)
      if (fault !== null) return `${name}: ${fault}`
    }
    return null
  }

const money = object({ amount: number, currency: code })
const texts = list(text)

const mission = object(
  { name: text, kind: text, country: text, as_of: date },
  { address: text, city: text, phone: text, emergency_phone: text, email: text, website: text },
)

const opinion = { source_url: text, updated_at: date }

const secondSource = { source: text, source_url: orNull(text), checked_on: date }

/** Shown whole on every plan; the second half only where it is known. */
const CORE: Readonly<Record<string, Check>> = {
  passport: code,
  destination: code,
  requirement: oneOf(...REQUIREMENTS),
  visa_free_days: orNull(number),
  visa_required: flag,
  source_url: orNull(text),
  last_verified_at: orNull(instant),
  verified: flag,
  description: text,
  documents_required: list(text, 0),
  tips: list(text, 0),
}
const CORE_WHERE_KNOWN: Readonly<Record<string, Check>> = {
  home: oneOf(true),
  requirement_status: oneOf("uncertain"),
  conditions: list(object({ kind: text, text, source_url: orNull(text) })),
  changed_since: object({ on: date, source_url: orNull(text) }),
  stay_basis: oneOf("table"),
  ends_on: date,
  after_expiry: oneOf(true),
  ended_on: date,
  corroborated: object(secondSource),
  disputed: object(
    { ...secondSource, requirement: oneOf(...REQUIREMENTS), visa_free_days: orNull(number) },
    { because: text, open: oneOf(true) },
  ),
  evidence: object({ level: oneOf("read", "cited", "table") }, { on: date }),
  age_days: number,
  stale: oneOf("ended", "changed_since", "unchecked"),
  process: texts,
  visa_types: list(object({ nom: text, cout: text, description: text }, { duree: text })),
  extension: object({ possible: flag }, { cout: text, duree: text, lieu: text }),
  country_info: object({}, { currency: code, language: text, timezone: text, capital: text }),
  sources: list(
    object(
      { name: text, url: orNull(text), as_of: orNull(date), verified_on: orNull(date), fields: texts },
      { licence: text, recorded_in: text, cited_on: date },
    ),
  ),
}

/** Whole from `starter` on. */
const STARTER: Readonly<Record<string, Check>> = {
  transit_visa: object(
    {},
    { source_url: text, required_for: list(code, 0), hubs: texts, complete: flag, max_hours: number },
  ),
  passport_validity_months: number,
  visa_fee: object(
    {},
    {
      single_entry: money,
      multiple_entry: money,
      biometrics: money,
      children: list(object({ amount: number, currency: code, below_years: number })),
    },
  ),
  processing_days: object({ unit: oneOf("days", "working_days") }, { standard: number, express: number, rush: number }),
  photo_specs: object(
    {},
    { width_mm: number, height_mm: number, background: text, glasses_allowed: flag, head_covering_allowed: flag },
  ),
  vaccinations_required: texts,
  insurance_required: object({ required: flag }, { none_found: flag, min_coverage: number, currency: code }),
  dual_nationality_warnings: texts,
  stamp_warnings: texts,
  minor_rules: object({
    solo_travel_min_age: orNull(number),
    single_parent_letter_required: orNull(flag),
    notarized_consent_required: orNull(flag),
    notes: list(text, 0),
  }),
  customs: object({}, { declare_cash: money, cigarettes: number, spirits_litres: number }),
  overstay_penalty: object({ details: text }, { fine_per_day: money, ban_days: number, criminal: flag }),
  entry_by_mode: object({}, { air: text, land: text, sea: text }),
  extension_rules: object({ possible: flag }, { max_days: number, fee: money, where: text }),
  safety: object(
    { advisory: text, source: text },
    { level: oneOf(1, 2, 3, 4), ...opinion, others: list(object({ advisory: text, source: text }, opinion)) },
  ),
  best_apply_period: text,
  health_requirements: object({
    covid_test: orNull(flag),
    vaccination_proof: orNull(flag),
    health_declaration: orNull(flag),
    quarantine_days: orNull(number),
    ebola_screening: orNull(flag),
    notes: list(text, 0),
  }),
}

/** Whole from `pro` on; of the missions `starter` shows those to apply to. */
const PRO: Readonly<Record<string, Check>> = {
  remote_work_visa: object({ available: flag }, { duration_months: number, fee: money, requirements: texts }),
  reciprocity_history: list(
    object(
      { date, from: oneOf(...REQUIREMENTS), to: oneOf(...REQUIREMENTS) },
      { seen_after: date, note: text, sources: list(object({ name: text, url: orNull(text) })) },
    ),
  ),
  embassy: object({}, { your_embassy_at_destination: mission, visa_application_embassy: mission }),
  embassies: object({}, { at_destination: list(mission), to_apply: list(mission) }),
}
const ON_STARTER: Readonly<Record<string, Check>> = {
  embassy: object({ visa_application_embassy: mission }),
  embassies: object({ to_apply: list(mission) }),
}

const stub = object({ upgrade: text, upgrade_url: text })

/** Clients type these as a list, a number or a text and as nothing else, so that no stub may stand there. */
const NEVER_STUBS = [
  "reciprocity_history",
  "vaccinations_required",
  "dual_nationality_warnings",
  "best_apply_period",
  "passport_validity_months",
]

/** What a plan shows of a field, or null for a field that it shows nothing of. */
function checkFor(plan: string, name: string): Check | null {
  const isWhole = ["pro", "business", "x402"].includes(plan)
  const always = CORE[name] ?? CORE_WHERE_KNOWN[name]
  if (always !== undefined) return always
  const offer = NEVER_STUBS.includes(name) ? null : stub
  const starter = STARTER[name]
  if (starter !== undefined) return isWhole || plan === "starter" ? starter : offer
  const pro = PRO[name]
  if (pro === undefined) return null
  if (isWhole) return pro
  return plan === "starter" ? (ON_STARTER[name] ?? null) : offer
}

/** Names everything in a record, as a plan shows it, that a published client could not read or that the plan may not show. */
export function findFaults(record: unknown, plan: string): readonly string[] {
  if (!isObject(record)) return ["no object"]
  const missing = Object.keys(CORE).filter(name => !(name in record))
  const wrong = Object.entries(record).flatMap(([name, value]) => {
    const check = checkFor(plan, name)
    if (check === null) return [`${name} is not shown on ${plan}`]
    const fault = check(value)
    return fault === null ? [] : [`${name}: ${fault}`]
  })
  return [...missing.map(name => `${name} is missing`), ...wrong]
}

/** The fields that each tier adds, by the specification. */
export const TIERS = {
  core: [...Object.keys(CORE), ...Object.keys(CORE_WHERE_KNOWN)],
  starter: [...Object.keys(STARTER), ...Object.keys(ON_STARTER)],
  pro: Object.keys(PRO).filter(name => !(name in ON_STARTER)),
}
