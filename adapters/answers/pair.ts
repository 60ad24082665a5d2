/**
 * What does the visa service say about one pair, and about many of one passport: the quick check, and full records as a plan shows them?
 *
 * The charge of many records is known before any is assembled: one request for each pair that has a record, or one for the call, as the operator's table of plans has it.
 */
import { type Dataset, lookupRequirement } from "../../src/engine.ts"
import {
  assembleFullRecord,
  buildCheckRecord,
  type CheckOptions,
  type GatedRecord,
  gateRecord,
  type LocalisedFacts,
  type Plan,
  PRO_FIELDS,
  renderCheckMarkdown,
  renderMarkdown,
  STARTER_FIELDS,
} from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
import { bothWays, describeRecordMeta, found, noRecord, type Outcome } from "./answer-outcome.ts"

/** A question about one pair. The caller checks that its codes are spelled as codes. */
export interface PairQuestion {
  readonly passport: string
  readonly destination: string
}

/** The reader of a record: fields that the plan does not show point to the page that sells better plans. */
export interface Reader {
  readonly plan: Plan
  readonly upgradeUrl: string
}

const NO_RECORD = noRecord(
  "No record for this passport and destination. That means unknown, not that no visa is needed.",
)

/** The quick check: is a visa needed, and how long may one stay? */
export function describeCheck(localised: LocalisedFacts, pair: PairQuestion, options: CheckOptions) {
  const record = buildCheckRecord(localised, pair.passport, pair.destination, options)
  return record === null ? NO_RECORD : found(bothWays(record, describeRecordMeta(localised, DEFAULT_LANGUAGE)))
}

/** The quick check for people; null where nothing is recorded. */
export function renderCheck(localised: LocalisedFacts, pair: PairQuestion, options: CheckOptions) {
  const record = buildCheckRecord(localised, pair.passport, pair.destination, options)
  return record === null ? null : renderCheckMarkdown(record, localised.locale)
}

/** The full record of a pair, reduced to a plan's fields; null if nothing is recorded. */
export function gateFullRecord(localised: LocalisedFacts, pair: PairQuestion, { plan, upgradeUrl }: Reader) {
  const record = assembleFullRecord(localised, pair.passport, pair.destination)
  return record === null ? null : gateRecord(record, { plan, locale: localised.locale, upgradeUrl })
}

/** Everything that is known of a pair, as a plan shows it. */
export function describeRecord(localised: LocalisedFacts, pair: PairQuestion, reader: Reader) {
  const data = gateFullRecord(localised, pair, reader)
  return data === null ? NO_RECORD : found({ data, meta: describeRecordMeta(localised) })
}

/** The same for people; null where nothing is recorded. */
export function renderRecord(localised: LocalisedFacts, pair: PairQuestion, reader: Reader) {
  const data = gateFullRecord(localised, pair, reader)
  return data === null ? null : renderMarkdown(data, localised.locale)
}

/** Why there is no record, for renderers. */
export const NO_PAIR_MESSAGE = NO_RECORD.kind === "no_record" ? NO_RECORD.message : ""

interface BulkQuestion {
  readonly passport: string
  /** Codes; every destination when absent. */
  readonly destinations?: readonly string[] | undefined
  readonly fields?: "all" | "core" | undefined
}

/** The charge of a call: a request for each pair, or one. */
type BulkUnit = "pair" | "call"

export interface WeighedBulk extends BulkQuestion {
  readonly destinations: readonly string[]
  readonly recorded: readonly string[]
  /** How many requests it costs. */
  readonly charge: number
}

const EXTENDED: ReadonlySet<string> = new Set([...STARTER_FIELDS, ...PRO_FIELDS])

/** Only the core fields, with their sources. */
function keepCore(record: GatedRecord): object {
  const core = Object.fromEntries(Object.entries(record).filter(([name]) => !EXTENDED.has(name)))
  if (record.sources === undefined) return core
  const sources = record.sources
    .map(source => ({ ...source, fields: source.fields.filter(name => !EXTENDED.has(name)) }))
    .filter(source => source.fields.length > 0)
  return { ...core, sources }
}

/** Finds out what the records of one passport cost. */
export function weighBulk(
  dataset: Dataset,
  question: BulkQuestion,
  units: { readonly withDestinations: BulkUnit; readonly withoutDestinations: BulkUnit },
): WeighedBulk {
  const { passport } = question
  const destinations = question.destinations === undefined ? dataset.destinations : [...new Set(question.destinations)]
  const recorded = destinations.filter(code => lookupRequirement(dataset, passport, code).kind === "found")
  const unit = question.destinations === undefined ? units.withoutDestinations : units.withDestinations
  return { ...question, destinations, recorded, charge: unit === "pair" ? recorded.length : 1 }
}

/**
 * The records that a plan shows, and the destinations that have none, as JSON text: a record at a time, because the text of all may have
 * megabytes.
 */
export function writeBulk(
  localised: LocalisedFacts,
  { passport, fields, destinations, recorded, charge }: WeighedBulk,
  reader: Reader,
): Outcome<Generator<string, void>> {
  if (!localised.dataset.passports.includes(passport)) return noRecord("No passport with this code is recorded.")
  const write = function* () {
    let count = 0
    yield '{"data":['
    for (const destination of recorded) {
      const record = gateFullRecord(localised, { passport, destination }, reader)
      if (record === null) continue
      const text = JSON.stringify(fields === "core" ? keepCore(record) : record)
      yield count === 0 ? text : `,${text}`
      count++
    }
    const known = new Set(recorded)
    const missing = destinations.filter(code => !known.has(code))
    const meta = { count, missing, pairs_charged: charge, ...describeRecordMeta(localised) }
    yield `],"meta":${JSON.stringify(meta)}}`
  }
  return found(write())
}
