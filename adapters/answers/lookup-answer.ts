/**
 * What does the lookup say about one pair?
 *
 * Twelve fields with names of their own, from the same record as everything else. Requirement names are translated here and nowhere else. A
 * fee is shown where its source states it in US dollars, and processing days where they are working days; nothing is converted.
 */
import {
  amount,
  anyText,
  count,
  type Fields,
  flag,
  type Given,
  type Kind,
  listOf,
  may,
  must,
  openRecord,
  orNull,
  word,
} from "../../src/answers.ts"
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
import { countPairs, found, noRecord, type Outcome, type PairQuestion } from "./visa-answers.ts"

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

// The records of the lookup. Their types, those of the client too, and their schemas are made from these tables.

type Made<F extends Fields> = Given<F, never>
const told = <Value>(is: Kind<Value>, about: string): Kind<Value> => ({ ...is, about })
const requirementName = word(Object.values(REQUIREMENT_NAMES))
const whole = count(0, 1_000_000)
const texts = listOf(anyText, "text")
const maybeText = orNull(anyText)
const maybeWhole = orNull(whole)
const maybeAmount = orNull(amount)

const SOURCE = {
  /** Who publishes it. */
  name: must(anyText),
  /** Its address; null where none is known. */
  url: must(maybeText),
}
/** A page that an answer rests on. */
export interface LookupSource extends Made<typeof SOURCE> {}
export const source: Kind<LookupSource> = openRecord(SOURCE)
const sources = listOf(source, "source")

const TRUST = {
  /** 0 to 1. */
  score: must(amount),
  /** When it was last read at its source (ISO 8601); null if never. */
  last_verified_at: must(maybeText),
}
/** How well an answer is supported. */
interface LookupTrust extends Made<typeof TRUST> {}

/** The fields of an answer in the present version. */
export const LOOKUP_FIELDS = {
  /** The issuer's code. */
  passport: must(anyText),
  /** The code of the territory entered. */
  destination: must(anyText),
  /** What is needed; the field to branch on. */
  requirement: must(told(requirementName, "The field to branch on.")),
  /** The longest stay; null when it is not a fixed number. */
  stay_days: must(told(maybeWhole, "The longest stay; null when it is not a fixed number.")),
  /** The official fee in US dollars, if its source states it in US dollars; never converted. */
  fee_usd: must(
    told(maybeAmount, "The official fee in US dollars, if its source states it in US dollars; never converted."),
  ),
  /** Working days. */
  processing_days: must(told(maybeWhole, "Working days.")),
  /** Where to apply online; null where no address is known. */
  evisa_url: must(maybeText),
  /** What else holds, as sentences in the language asked for. */
  notes: must(anyText),
  /** What to bring or hand in, in the language asked for. */
  documents_required: must(texts),
  /** ISO 8601. */
  updated_at: must(anyText),
  /** What the answer rests on. */
  sources: must(sources),
  /** How well the answer is supported. */
  trust: must<LookupTrust>(openRecord(TRUST)),
}
/** An answer, in the fields of the present version. */
export interface LookupResult extends Made<typeof LOOKUP_FIELDS> {}

const COUNTRY = {
  code: must(anyText),
  name: must(anyText),
  /** The number of its pairs with a record. */
  pairs: must(told(whole, "The number of its pairs with a record.")),
}
/** A country as a passport's issuer or as a destination. */
export interface CountryRecord extends Made<typeof COUNTRY> {}
export const countries: Kind<readonly CountryRecord[]> = listOf(openRecord(COUNTRY), "country")

const ZONE = {
  id: must(anyText),
  name: must(anyText),
  rule: must(
    openRecord({
      kind: must(word(["rolling", "single_permission"])),
      allowance_days: must(whole),
      window_days: must(maybeWhole),
    }),
  ),
  members: must(listOf(openRecord({ code: must(anyText), from: must(maybeText), until: must(maybeText) }), "member")),
  instrument: must(maybeText),
  source_url: must(maybeText),
  verified_on: must(maybeText),
}
/** A zone whose members share one allowance of days. */
export interface ZoneRecord extends Made<typeof ZONE> {}
export const zones: Kind<readonly ZoneRecord[]> = listOf(openRecord(ZONE), "zone")

const terms = orNull(
  openRecord({ requirement: must(requirementName), stay_days: must(maybeWhole), fee_usd: must(maybeAmount) }),
)
const CHANGE = {
  date: must(anyText),
  seen_after: may(
    told(anyText, "The day of the last table with another answer; absent if the date is not that of a table."),
  ),
  from: must(told(orNull(requirementName), "Null if nothing was recorded.")),
  to: must(told(orNull(requirementName), "Null if nothing is recorded any more.")),
  note: may(anyText),
  event_id: may(
    told(
      anyText,
      "The event of an installed dataset; absent, like all following fields except `sources`, for a change in a table or in an authority's list.",
    ),
  ),
  recorded_at: may(anyText),
  correction: may(told(flag, "True if data were corrected: no law changed, and nobody was notified.")),
  severity: may(word(["minor", "major"])),
  fields: may(texts),
  previous: may(terms),
  current: may(terms),
  sources: may(told(sources, "The sources of the change; absent for one in a table.")),
}

/** The fields of a page of a pair's history. */
export const HISTORY_FIELDS = {
  passport: must(anyText),
  destination: must(anyText),
  count: must(told(whole, "Over all pages.")),
  changes: must(listOf(openRecord(CHANGE), "change")),
  next_cursor: must(maybeText),
  source: must(orNull(openRecord({ name: must(anyText), url: must(maybeText), as_of: must(maybeText) }))),
  gaps: may(
    told(
      texts,
      "When a dataset replaced one that could not be opened (ISO 8601): what changed then is not known, and is not among the changes.",
    ),
  ),
}
/** How a pair has changed. */
export interface HistoryRecord extends Made<typeof HISTORY_FIELDS> {}

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

/** The last day on which somebody checked the answer: a confirmation, else when its source was read, else the day of the data. */
function readUpdatedAt({ last_verified_at, sources = [] }: FullRecord, { facts }: LocalisedFacts): string {
  if (last_verified_at !== null) return last_verified_at
  const readOn = sources.find(({ fields }) => fields.includes("requirement"))?.as_of
  return atMidnight(readOn ?? facts.asOf)
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
    updated_at: readUpdatedAt(record, localised),
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

const nameCountries = ({ locale }: LocalisedFacts, codes: readonly string[], pairs: readonly number[]) =>
  codes.map((code, at): CountryRecord => ({ code, name: locale.nameCountry(code), pairs: pairs[at] ?? 0 }))

/** Every passport, in the order of the codes, named in the language of the facts. */
export function describePassports(localised: LocalisedFacts) {
  const { passports } = localised.dataset
  const { byPassport } = countPairs(localised.dataset)
  return { count: passports.length, passports: nameCountries(localised, passports, byPassport) }
}

/** Every destination, in the order of the codes, named in the language of the facts. */
export function describeDestinations(localised: LocalisedFacts) {
  const { destinations } = localised.dataset
  const { byDestination } = countPairs(localised.dataset)
  return { count: destinations.length, destinations: nameCountries(localised, destinations, byDestination) }
}

const writeDay = (day: number | null): string | null => (day === null ? null : formatCivilDate(day))

/** The zones whose members share one allowance of days, with the law that says so. */
export function describeZones({ zones }: Dataset) {
  const described = zones.map(
    ({ id, name, rule, members, instrument, sourceUrl, verifiedOn }): ZoneRecord => ({
      id,
      name,
      rule:
        rule.kind === "rolling"
          ? { kind: "rolling", allowance_days: rule.allowanceDays, window_days: rule.windowDays }
          : { kind: "single_permission", allowance_days: rule.allowanceDays, window_days: null },
      members: members.map(({ code, fromDay, untilDay }) => ({
        code,
        from: writeDay(fromDay),
        until: writeDay(untilDay),
      })),
      instrument,
      source_url: sourceUrl,
      verified_on: verifiedOn,
    }),
  )
  return { count: described.length, zones: described }
}
