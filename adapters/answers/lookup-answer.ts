/**
 * What does the lookup say about one pair?
 *
 * Twelve fields with names of their own, from the same record as everything else. Requirement names are translated here and nowhere else. A
 * fee is shown where its source states it in US dollars, and processing days where they are working days; nothing is converted.
 */
import {
  type Dataset,
  describePair,
  type EpochDay,
  formatCivilDate,
  type PairDescription,
  type Requirement,
} from "../../src/engine.ts"
import {
  assembleFullRecord,
  type Case,
  type FullRecord,
  findCase,
  findPortal,
  type LocalisedFacts,
  listDocuments,
  listTermSentences,
  sayDispute,
  scoreTrust,
  selectFact,
} from "../../src/full.ts"
import { found, noRecord, type Outcome, type PairQuestion } from "./visa-answers.ts"

/** What a journey is for; tourism when nothing is said. */
export const PURPOSES = ["tourism", "business", "transit", "study"] as const
/** One of {@link PURPOSES}. */
export type Purpose = (typeof PURPOSES)[number]

export interface LookupQuestion extends PairQuestion {
  readonly purpose: Purpose
  /** The intended stay in days; null where nothing is said. */
  readonly stayDays: number | null
}

export const REQUIREMENT_NAMES = {
  visa_free: "visa_free",
  visa_on_arrival: "visa_on_arrival",
  e_visa: "e_visa",
  eta: "e_ta",
  visa_required: "visa_required",
  no_admission: "not_admitted",
} as const satisfies Readonly<Record<Requirement, string>>

/** A page that an answer rests on. */
export interface LookupSource {
  /** Who publishes it. */
  readonly name: string
  /** Its address; null where none is known. */
  readonly url: string | null
}

/** An answer, in the fields of the present version. */
export interface LookupResult {
  /** The issuer's code. */
  readonly passport: string
  /** The code of the territory entered. */
  readonly destination: string
  /** What is needed; the field to branch on. */
  readonly requirement: (typeof REQUIREMENT_NAMES)[Requirement]
  /** The longest stay; null when it is not a fixed number. */
  readonly stay_days: number | null
  /** The official fee in US dollars, if its source states it in US dollars; never converted. */
  readonly fee_usd: number | null
  /** Working days. */
  readonly processing_days: number | null
  /** Where to apply online; null where no address is known. */
  readonly evisa_url: string | null
  /** What else holds, as sentences in the language asked for. */
  readonly notes: string
  /** What to bring or hand in, in the language asked for. */
  readonly documents_required: readonly string[]
  /** ISO 8601. */
  readonly updated_at: string
  /** What the answer rests on. */
  readonly sources: readonly LookupSource[]
  /** How well the answer is supported. */
  readonly trust: {
    /** 0 to 1. */
    readonly score: number
    /** When it was last read at its source (ISO 8601); null if never. */
    readonly last_verified_at: string | null
  }
}

/** What the fields of an answer rest on, under the names that the record has for them. */
const LOOKED_UP: ReadonlySet<string> = new Set([
  "requirement",
  "visa_free_days",
  "visa_fee",
  "processing_days",
  "documents_required",
  "conditions",
])

const atMidnight = (day: string): string => `${day}T00:00:00Z`

/** Whether the given stay is longer than the longest known one. Days of an e-visa or a visa on arrival that rest on the imported table alone are not a maximum. */
const exceedsStay = ({ answer, movesFreely }: Case, { stayBasis }: PairDescription, stayDays: number | null): boolean =>
  stayDays !== null && answer.days !== null && stayDays > answer.days && stayBasis === null && !movesFreely

function readFeeUsd({ answer, facts, passport }: Case): number | null {
  const { requirement } = answer
  if (requirement === "visa_free" || requirement === "no_admission") return null
  const fee = selectFact(facts, "fee", { requirement, passport })?.value
  const money = fee?.singleEntry ?? fee?.multipleEntry
  return money?.currency === "USD" ? money.amount : null
}

function readProcessingDays({ answer, facts, passport }: Case): number | null {
  const { requirement } = answer
  if (requirement === "visa_free" || requirement === "no_admission") return null
  const application = selectFact(facts, "application", { requirement, passport })?.value
  return application?.workingDays === true ? (application.standardDays ?? null) : null
}

/** The page that was read for the rule is named instead of its source, where it is known. */
function listSources({ sources = [], source_url, corroborated }: FullRecord): readonly LookupSource[] {
  const listed = sources
    .filter(({ fields }) => fields.some(field => LOOKED_UP.has(field)))
    .map(({ name, url, fields }) => ({ name, url: fields.includes("requirement") ? (source_url ?? url) : url }))
  const second = corroborated === undefined ? [] : [{ name: corroborated.source, url: corroborated.source_url }]
  const byPage = new Map([...listed, ...second].map(source => [`${source.url} ${source.name}`, source]))
  return [...byPage.values()]
}

/** The last day on which somebody checked the answer: a confirmation, else when its source was read, else the dataset's own day. */
function readUpdatedAt({ last_verified_at, sources = [] }: FullRecord, { on }: PairDescription): string {
  if (last_verified_at !== null) return last_verified_at
  const readOn = sources.find(({ fields }) => fields.includes("requirement"))?.as_of
  return atMidnight(readOn ?? on)
}

/** Answers a lookup on a day, in the language of the facts. */
export function describeLookup(
  localised: LocalisedFacts,
  { passport, destination, purpose, stayDays }: LookupQuestion,
  onDay: EpochDay,
): Outcome<LookupResult> {
  const recorded = findCase(localised, passport, destination)
  const record = assembleFullRecord(localised, passport, destination)
  const pair = describePair(localised.dataset, passport, destination)
  if (recorded === null || record === null || pair.kind !== "found") {
    return noRecord(
      "Nothing is recorded for this passport and destination. That means unknown, not that no visa is needed.",
    )
  }
  const { locale } = localised
  const isTooLong = exceedsStay(recorded, pair, stayDays)
  const situation: Case = isTooLong
    ? { ...recorded, answer: { ...recorded.answer, requirement: "visa_required", days: null } }
    : recorded
  const isOtherRule = purpose !== "tourism" && !recorded.movesFreely && !recorded.answer.home
  const { requirement, days } = situation.answer
  const dispute = sayDispute(locale, record)
  const sentences = [
    record.description,
    ...(isTooLong
      ? [locale.say({ key: "notes.stay_too_long", values: { days: recorded.answer.days as number } })]
      : []),
    ...(isOtherRule ? [locale.say({ key: "notes.tourism_rule" })] : []),
    ...(record.conditions ?? []).map(({ text }) => text),
    ...listTermSentences(locale, record),
    ...(dispute === null ? [] : [dispute]),
  ]
  const trust = scoreTrust(recorded.answer, onDay, pair)
  return found({
    passport,
    destination,
    requirement: REQUIREMENT_NAMES[requirement],
    stay_days: days,
    fee_usd: readFeeUsd(situation),
    processing_days: readProcessingDays(situation),
    evisa_url: requirement === "visa_required" ? null : findPortal(situation),
    notes: locale.join(sentences),
    documents_required: listDocuments(situation).map(({ slug }) => slug),
    updated_at: readUpdatedAt(record, pair),
    sources: listSources(record),
    trust: {
      score: isOtherRule ? Math.round(trust * 500) / 1_000 : trust,
      last_verified_at: record.last_verified_at,
    },
  })
}

// How was the answer written before?
// An answer is always made in the present version. Each older one is one pure function over the answer of the version that came after it, so
// that the difference is in one place and no other code knows of versions.

/** The supported versions, the present one first. */
export const LOOKUP_VERSIONS = ["2026-10-01", "2026-03-01"] as const

/** One of {@link LOOKUP_VERSIONS}. */
export type LookupVersion = (typeof LOOKUP_VERSIONS)[number]

/** The version for requests that name none. */
export const PRESENT_VERSION: LookupVersion = LOOKUP_VERSIONS[0]

/** Says whether a text names a supported version. */
export const isLookupVersion = (text: string): text is LookupVersion =>
  (LOOKUP_VERSIONS as readonly string[]).includes(text)

/** Before 2026-10-01 there was no `trust`, and sources were addresses only. */
function writeAsOfMarch({ trust: _, sources, ...answer }: LookupResult) {
  return { ...answer, sources: sources.flatMap(({ url }) => (url === null ? [] : [url])) }
}

/**
 * Writes an answer as a version has it.
 *
 * @example
 * ```typescript
 * writeLookup(answer, "2026-03-01").sources // => ["https://www.gov.uk/check-uk-visa"]
 * ```
 */
export function writeLookup(answer: LookupResult, version: LookupVersion) {
  return version === "2026-10-01" ? answer : writeAsOfMarch(answer)
}

// Which countries and zones does a dataset have, with their names and number of records?

/** A country as a passport's issuer or as a destination, and how many pairs of it have a record. */
export interface CountryRecord {
  readonly code: string
  readonly name: string
  readonly pairs: number
}

interface Counts {
  readonly byPassport: readonly number[]
  readonly byDestination: readonly number[]
}

const counts = new WeakMap<Dataset, Counts>()

function countPairsOf(dataset: Dataset): Counts {
  const known = counts.get(dataset)
  if (known !== undefined) return known
  const { answers, destinations, pairs, passports } = dataset
  const byPassport = passports.map(() => 0)
  const byDestination = destinations.map(() => 0)
  pairs.forEach((answer, at) => {
    if (answers[answer]?.kind !== "found") return
    const row = Math.floor(at / destinations.length)
    const column = at % destinations.length
    byPassport[row] = (byPassport[row] as number) + 1
    byDestination[column] = (byDestination[column] as number) + 1
  })
  const counted = { byPassport, byDestination }
  counts.set(dataset, counted)
  return counted
}

const listCountries = ({ locale }: LocalisedFacts, codes: readonly string[], pairs: readonly number[]) =>
  codes.map((code, at): CountryRecord => ({ code, name: locale.nameCountry(code), pairs: pairs[at] ?? 0 }))

/** Every passport, in the order of the codes, named in the language of the facts. */
export function describePassports(localised: LocalisedFacts) {
  const { passports } = localised.dataset
  const { byPassport } = countPairsOf(localised.dataset)
  return { count: passports.length, passports: listCountries(localised, passports, byPassport) }
}

/** Every destination, in the order of the codes, named in the language of the facts. */
export function describeDestinations(localised: LocalisedFacts) {
  const { destinations } = localised.dataset
  const { byDestination } = countPairsOf(localised.dataset)
  return { count: destinations.length, destinations: listCountries(localised, destinations, byDestination) }
}

const writeDay = (day: number | null): string | null => (day === null ? null : formatCivilDate(day))

/** The zones whose members share one allowance of days, with the law that says so. */
export function describeZones({ zones }: Dataset) {
  const described = zones.map(({ id, name, rule, members, instrument, sourceUrl, verifiedOn }) => ({
    id,
    name,
    rule:
      rule.kind === "rolling"
        ? { kind: "rolling" as const, allowance_days: rule.allowanceDays, window_days: rule.windowDays }
        : { kind: "single_permission" as const, allowance_days: rule.allowanceDays, window_days: null },
    members: members.map(({ code, fromDay, untilDay }) => ({
      code,
      from: writeDay(fromDay),
      until: writeDay(untilDay),
    })),
    instrument,
    source_url: sourceUrl,
    verified_on: verifiedOn,
  }))
  return { count: described.length, zones: described }
}
