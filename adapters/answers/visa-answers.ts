/**
 * What does the visa service answer, before any transport is involved: statistics, checks, records, scores, comparisons, groups?
 *
 * A body with the field names of the wire, or the sentence that says why there is none. HTTP makes a status of it, the command line
 * an exit code, and neither reads what the other has written.
 */

import {
  comparePassports,
  type Dataset,
  dateEvidence,
  type EvidenceLevel,
  type GroupDestination,
  type InputError,
  intersectGroup,
  lookupRequirement,
  type NoRecord,
  parseCivilDate,
  type Requirement,
  type Result,
  scorePassport,
} from "../../src/engine.ts"
import {
  assembleFullRecord,
  buildCheckRecord,
  type CheckOptions,
  gateRecord,
  LANGUAGES,
  type Language,
  type LocalisedFacts,
  type Plan,
  renderCheckMarkdown,
  renderMarkdown,
} from "../../src/full.ts"
import { DEFAULT_LANGUAGE, listLanguages } from "./answer-languages.ts"
import { type OnWire, toWire } from "./wire-names.ts"

/** A body, or why there is none: nothing is recorded, or the question is not one that can be answered. */
export type Outcome<Body> =
  | { readonly kind: "found"; readonly body: Body }
  | { readonly kind: "no_record"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }

export const found = <Body>(body: Body): Outcome<Body> => ({ kind: "found", body })

export const noRecord = (message: string): Outcome<never> => ({ kind: "no_record", message })

const refused = (message: string): Outcome<never> => ({ kind: "refused", message })

/** A body with its record at the top and again in `data`: the specification lists it flat, and published clients read `data`. */
export const bothWays = <Record extends object, Meta>(record: Record, meta: Meta) => ({ ...record, data: record, meta })

/** The text of such a body, as `JSON.stringify` writes it, which would write the record twice. */
export function writeBothWays<Record extends object>({
  data,
  meta,
}: Record & { readonly data: Record; readonly meta: object }): string {
  const record = JSON.stringify(data)
  return `${record.slice(0, -1)},"data":${record},"meta":${JSON.stringify(meta)}}`
}

// What is in `meta`, beside every record of the visa service? The version of the interface and of the data, and the coverage.

/** The version of the visa service's interface. */
export const API_VERSION = "1.1.0"

/** How many pairs a dataset has a record for, how many of them come from an imported table, and how many each passport and destination has. */
interface PairCounts {
  readonly recorded: number
  readonly imported: number
  readonly byPassport: readonly number[]
  readonly byDestination: readonly number[]
}

const counts = new WeakMap<Dataset, PairCounts>()

/** Counts the pairs of a dataset; once for each dataset. */
export function countPairs(dataset: Dataset): PairCounts {
  const known = counts.get(dataset)
  if (known !== undefined) return known
  const { answers, destinations, pairs, passports } = dataset
  const isRecorded = answers.map(answer => answer.kind === "found")
  const isImported = answers.map(answer => answer.kind === "found" && answer.source?.imported === true)
  const [byPassport, byDestination] = [passports.map(() => 0), destinations.map(() => 0)]
  let imported = 0
  pairs.forEach((answer, at) => {
    if (!isRecorded[answer]) return
    if (isImported[answer]) imported++
    byPassport[Math.floor(at / destinations.length)]!++
    byDestination[at % destinations.length]!++
  })
  const counted = { recorded: byPassport.reduce((sum, count) => sum + count, 0), imported, byPassport, byDestination }
  counts.set(dataset, counted)
  return counted
}

/** The `meta` beside a record. */
export function describeMeta(dataset: Dataset, lang: Language = DEFAULT_LANGUAGE) {
  return {
    lang,
    api_version: API_VERSION,
    dataset_version: dataset.version,
    coverage: `${countPairs(dataset).recorded} pairs`,
    languages: LANGUAGES.length,
  }
}

/** The `meta` beside a record: if its facts belong to another dataset than its pairs, it says to which. */
export function describeRecordMeta({ dataset, facts, locale }: LocalisedFacts, lang: Language = locale.language) {
  const meta = describeMeta(dataset, lang)
  return facts.version === dataset.version ? meta : { ...meta, facts_version: facts.version, facts_as_of: facts.asOf }
}

// How old is what each source says? The days on which it was read, copied or checked by a compiler, and how many answers rest on it.

/** What is known about the age of a source. */
interface SourceAge {
  readonly id: string
  /** How its answers are known. */
  readonly evidence: EvidenceLevel
  readonly pairs: number
  /** The first and the last day (`YYYY-MM-DD`) of a look at it; null where no day is known. */
  readonly oldestOn: string | null
  readonly newestOn: string | null
  /** Days since the oldest look, on the dataset's day; null where no day is known. */
  readonly ageDays: number | null
}

/**
 * Lists the sources of a dataset's answers, those of most pairs first.
 *
 * It counts a source's own days: that a second source said the same later makes an answer younger, and not its source. Cannot fail. Some milliseconds.
 */
function listSourceAges(dataset: Dataset): readonly SourceAge[] {
  const { pairs, answers, asOfDay } = dataset
  const counts = new Uint32Array(answers.length)
  for (const answer of pairs) counts[answer]!++
  const ages = new Map<string, SourceAge>()
  for (const [at, answer] of answers.entries()) {
    const evidence = answer.kind === "found" ? dateEvidence(dataset, answer) : null
    if (answer.kind !== "found" || answer.source === null || evidence === null || counts[at] === 0) continue
    const { id } = answer.source
    const { level, on } = evidence
    const key = `${level} ${id}`
    const known = ages.get(key)
    // Days as text are in the order of time.
    const days = [known?.oldestOn, known?.newestOn, on].filter(day => day != null).sort()
    const oldestOn = days[0] ?? null
    ages.set(key, {
      id,
      evidence: level,
      pairs: (known?.pairs ?? 0) + counts[at]!,
      oldestOn,
      newestOn: days.at(-1) ?? null,
      ageDays: oldestOn === null ? null : Math.max(0, asOfDay - (parseCivilDate(oldestOn) as number)),
    })
  }
  return [...ages.values()].sort((a, b) => b.pairs - a.pairs || (a.id < b.id ? -1 : 1))
}

/** The statistics of a dataset, flat and in `data`. */
export function describeStats(dataset: Dataset) {
  const { recorded, imported } = countPairs(dataset)
  const statistics = {
    coverage: {
      visa_details: recorded,
      passports: dataset.passports.length,
      destinations: dataset.destinations.length,
      passport_index_pairs: imported,
      translations: recorded * LANGUAGES.length,
      languages: LANGUAGES.length,
    },
    sources: toWire(listSourceAges(dataset)),
    supported_languages: listLanguages(),
    api_version: API_VERSION,
  }
  return bothWays(statistics, describeMeta(dataset))
}

// What does the visa service say about one pair, and about many of one passport: the quick check, and full records as a plan shows them?
// The charge of many records is known before any is assembled: one request for each pair that has a record, or one for the call, as the operator's table of plans has it.

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

/** Why there is no record, for renderers. */
export const NO_PAIR_MESSAGE =
  "No record for this passport and destination. That means unknown, not that no visa is needed."

const NO_RECORD = /* @__PURE__ */ noRecord(NO_PAIR_MESSAGE)

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
export function gateFullRecord(
  localised: LocalisedFacts,
  { passport, destination }: PairQuestion,
  reader: Reader,
  fields?: "all" | "core",
) {
  const record = assembleFullRecord(localised, passport, destination)
  return record === null ? null : gateRecord(record, { ...reader, locale: localised.locale, fields })
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
      const record = gateFullRecord(localised, { passport, destination }, reader, fields)
      if (record === null) continue
      const text = JSON.stringify(record)
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

// How much of the world does a passport open, and which destinations does one of two open that the other does not?

/** Describes what the engine found, without what every answer says. */
function describeFound<Value extends { readonly kind: "found" }, Body>(
  result: Result<Value | NoRecord, InputError>,
  describe: (value: Omit<Value, "kind" | "on" | "datasetVersion">) => Body,
): Outcome<Body> {
  if (!result.ok) return refused(result.error.message)
  if (result.value.kind !== "found") return noRecord(result.value.message)
  const { kind: _, on: __, datasetVersion: ___, ...record } = result.value as Value & Partial<Dated>
  return found(describe(record))
}

interface Dated {
  readonly on: string
  readonly datasetVersion: string
}

/** A passport's score, its rank, and the parts of the score. */
export const describeScore = (dataset: Dataset, passport: string) =>
  describeFound(scorePassport(dataset, passport), score => bothWays(toWire(score), describeMeta(dataset)))

/** Two passports side by side, and both together. */
export const describeComparison = (dataset: Dataset, passports: { passport1: string; passport2: string }) =>
  describeFound(comparePassports(dataset, passports), compared => bothWays(toWire(compared), describeMeta(dataset)))

// Where can these travellers go together?

export interface GroupQuestion {
  readonly passports: readonly string[]
  readonly allow?: readonly Requirement[] | undefined
}

type Member = GroupDestination["passports"][number]

const describeMember = ({ passport, requirement, uncertain, days, home }: Member) => ({
  passport,
  requirement,
  ...(uncertain && { requirement_status: "uncertain" }),
  visa_free_days: days,
  ...(home && { home: true }),
})

/** Names its fields itself: `toWire` would take more than half of the time of an answer, which has some hundred of them. */
const describeDestination = (entry: GroupDestination) =>
  ({
    destination: entry.destination,
    worst_requirement: entry.worstRequirement,
    group_visa_free_days: entry.groupVisaFreeDays,
    group_stay: entry.groupStay,
    passports: entry.passports.map(describeMember),
  }) satisfies Record<keyof OnWire<GroupDestination>, unknown>

/** Every destination that all of them can enter, easiest first. */
export const describeGroup = (dataset: Dataset, { passports, allow }: GroupQuestion) =>
  describeFound(intersectGroup(dataset, passports, { allow }), ({ destinations, ...group }) => ({
    data: { ...group, destinations: destinations.map(describeDestination) },
    meta: describeMeta(dataset),
  }))
