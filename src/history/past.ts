/**
 * What did this passport's holder need to enter this destination on a past day?
 *
 * A list says what applied on its day, not since when it was law. A change in tables is somewhere between two of them, and the law may be
 * older or newer; for a day between two tables that differ, both answers are returned. Only a list that an authority published has an exact
 * day. Nothing here was checked pair by pair: a past answer is `imported` or `published`, never verified.
 */

import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY, REQUIREMENTS, type Requirement, splitCodes } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import type { Source } from "../dataset/facts.ts"
import { orderBySimilarity, readAscii, writeAscii } from "../dataset/file-form.ts"
import { listIndices, type Malformed, readSource, UNKNOWN_INDEX } from "../dataset/open.ts"
import { type DatasetError, type FactsError, failure, type Result, success } from "../errors.ts"
import { MALFORMED_DAY, MALFORMED_DESTINATION, MALFORMED_PASSPORT } from "../requirement/lookup.ts"
import { anyText, count, date, isCodes, isListOf, isNullOr, isRowOf } from "../rules/table.ts"

/**
 * When a value was first there, both dates `YYYY-MM-DD`: the last day on which another one was, and the first on which this one was. The day
 * is exact where one follows the other. `after` is null where the first list had the value already.
 */
export interface FirstSeen {
  /** The last day on which another value was seen (`YYYY-MM-DD`); null where the first list had this one. */
  readonly after: string | null
  /** The first day on which this value was seen (`YYYY-MM-DD`). */
  readonly by: string
}

/** The requirement on a past day, with its evidence. One frozen answer is shared by all questions with the same answer. */
export interface PastFound {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** What was required. */
  readonly value: PastValue
  /**
   * For the one word for e-visa and eTA: which of them it was called after tables distinguished them, if nothing changed until then;
   * otherwise null.
   */
  readonly laterCalled: Requirement | null
  /** `imported` from tables whose pairs were not checked one by one, or `published` by the authority itself. */
  readonly status: "imported" | "published"
  /** Between which days the value began. */
  readonly firstSeen: FirstSeen
  /** The last day on which the value was seen (`YYYY-MM-DD`). */
  readonly lastSeen: string
  /** For a day between two tables that differ: what the later one says. The day had one of the two. */
  readonly or: {
    /** What the later table requires. */
    readonly value: PastValue
    /** Between which days it began. */
    readonly firstSeen: FirstSeen
  } | null
  /** Whose table or page says so. */
  readonly source: Source
}

/** Nothing is known about the pair on this day. */
interface PastNoRecord {
  /** `no_record`: nothing is known. */
  readonly kind: "no_record"
  /** Why nothing is known. */
  readonly reason: "no_rule" | "unknown_passport" | "unknown_destination" | "before_history" | "after_history"
  /** The same as a sentence. */
  readonly message: string
  /** The first day with any record of the destination (`YYYY-MM-DD`). */
  readonly firstOn: string
}

/** Every possible answer of a lookup of the past; branch on `kind`. */
export type PastAnswer = PastFound | PastNoRecord | Malformed

/** A period with one value of a pair. */
export interface PastPeriod extends Omit<PastFound, "kind" | "or"> {}

/** A value of a pair, and the place of the list from which on it applies; undefined if the list no longer has the pair. */
interface PastStep {
  readonly list: number
  readonly value: PastValue | undefined
}

/** Dated lists of one source, opened. Its tables are shared and never written to. */
interface HistorySeries {
  /** `seen`: a change is somewhere between two lists; `published`: the list itself was published on its day. */
  readonly kind: "seen" | "published"
  readonly source: Source
  /** The days of the lists (`YYYY-MM-DD`), the oldest first. */
  readonly dates: readonly string[]
  /** The same as numbers. */
  readonly days: readonly EpochDay[]
  /** The last day that the last list covers. */
  readonly untilDay: EpochDay
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly passportIndices: Uint8Array
  readonly destinationIndices: Uint8Array
  /** By destination × passports + passport: the number of its past; 0 is none. */
  readonly pastOf: Uint16Array
  /** The steps of each past, the oldest first. */
  readonly pasts: readonly (readonly PastStep[])[]
}

/** A series, with what is answered where it has no value, and the answers made so far. */
interface OpenSeries extends HistorySeries {
  /** By past, for each step twice: the answer, and the one for days on which the next step may already apply; made on first use. */
  readonly answers: readonly PastAnswer[][]
  readonly noRule: PastNoRecord
  readonly before: PastNoRecord
  readonly after: PastNoRecord
}

/** An open history. Its tables are shared and never written to. */
export interface History {
  /** The series, published lists first. */
  readonly series: readonly HistorySeries[]
  /** The first day with any record (`YYYY-MM-DD`). */
  readonly firstOn: string
  /** The last day that it covers (`YYYY-MM-DD`); a dataset answers for later days. */
  readonly untilOn: string
}

interface OpenHistory extends History {
  readonly series: readonly OpenSeries[]
  readonly unknownPassport: PastNoRecord
  readonly unknownDestination: PastNoRecord
}

function noRecord(reason: PastNoRecord["reason"], firstOn: string, message: string): PastNoRecord {
  return Object.freeze({ kind: "no_record", reason, message, firstOn })
}

/**
 * Opens the bytes of a history. Fails with `MalformedDataset` for any other bytes. Some two milliseconds, 0.8 MB.
 *
 * @example
 * ```ts
 * const opened = openHistory(new Uint8Array(3))
 * !opened.ok && opened.error.tag // => "MalformedDataset"
 * ```
 */
export function openHistory(bytes: Uint8Array): Result<History, DatasetError> {
  try {
    if (bytes instanceof Uint8Array) return openHistoryText(readAscii(bytes, 0, bytes.length))
  } catch {
    // A proxy that throws.
  }
  return openHistoryText("")
}

/** Opens the text that such bytes are. */
export function openHistoryText(text: string): Result<History, DatasetError> {
  const series = readSeries(text)
  if (series === null) {
    return failure({
      tag: "MalformedDataset",
      message: "The bytes are not a history: `landfall dataset build` and `npm run embed` write one.",
    })
  }
  const firstOn = formatCivilDate(Math.min(...series.map(({ days }) => days[0] as EpochDay)))
  const untilOn = formatCivilDate(Math.max(...series.map(({ untilDay }) => untilDay)))
  const history: OpenHistory = Object.freeze({
    series,
    firstOn,
    untilOn,
    unknownPassport: noRecord("unknown_passport", firstOn, "No past of a passport with this code is recorded."),
    unknownDestination: noRecord(
      "unknown_destination",
      firstOn,
      "No past of a destination with this code is recorded.",
    ),
  })
  return success(history)
}

/**
 * Looks up what was needed to enter a destination with a passport on a past day, given as `YYYY-MM-DD` or as an {@link EpochDay}.
 *
 * Cannot fail: the answer's `kind` is `found`, `no_record` or `malformed`. Some fifty nanoseconds; the same frozen answer every time.
 *
 * @example
 * ```ts
 * const answer = lookupPast(embeddedHistory(), "FRA", "CHN", "2023-06-01")
 * answer.kind === "found" && answer.value.requirement // => "visa_required"
 * answer.kind === "found" && answer.lastSeen // => "2023-11-06"
 * const before = lookupPast(embeddedHistory(), "FRA", "CHN", "2019-06-01")
 * before.kind !== "found" && before.message // => "Nothing is recorded before 2020-11-19."
 * ```
 */
export function lookupPast(history: History, passport: string, destination: string, on: string | EpochDay): PastAnswer {
  const { series: all, unknownPassport, unknownDestination } = history as OpenHistory
  const [passportKey, destinationKey] = [codeKey(passport), codeKey(destination)]
  const day = typeof on !== "number" ? parseCivilDate(on) : on === (on | 0) ? on : null
  if (passportKey === MALFORMED_KEY) return MALFORMED_PASSPORT
  if (destinationKey === MALFORMED_KEY) return MALFORMED_DESTINATION
  if (day === null) return MALFORMED_DAY
  let isKnown = false
  // Published lists come first. Such a list may not name every passport: then the tables answer.
  for (const series of all) {
    const column = series.destinationIndices[destinationKey] as number
    if (column >= UNKNOWN_INDEX) continue
    isKnown = true
    const row = series.passportIndices[passportKey] as number
    if (row < UNKNOWN_INDEX) return answerOn(series, pastAt(series, row, column), day)
  }
  return isKnown ? unknownPassport : unknownDestination
}

const pastAt = ({ pastOf, passports }: HistorySeries, row: number, column: number): number =>
  pastOf[column * passports.length + row] as number

type Steps = readonly PastStep[]

function answerOn(series: OpenSeries, past: number, day: EpochDay): PastAnswer {
  const { pasts, days, answers, noRule } = series
  if (past === 0) return noRule
  if (day < (days[0] as number)) return series.before
  if (day > series.untilDay) return series.after
  const steps = pasts[past] as Steps
  let at = -1
  while (at + 1 < steps.length && (days[steps[at + 1]!.list] as number) <= day) at++
  if (at < 0) return noRule
  // Between two tables that were seen and differ the day of the change is unknown. A published list applies until the next.
  const next = series.kind === "seen" ? steps[at + 1] : undefined
  const isOpen = next !== undefined && day > (days[next.list - 1] as number)
  const made = answers[past] as PastAnswer[]
  made[at * 2 + Number(isOpen)] ??= makeAnswer(series, steps, at, isOpen)
  return made[at * 2 + Number(isOpen)] as PastAnswer
}

function makeAnswer(series: OpenSeries, steps: Steps, at: number, isOpen: boolean): PastAnswer {
  const answer = findAnswer(series, steps, at)
  if (answer === null) return series.noRule
  return Object.freeze({ kind: "found", ...answer, or: isOpen ? findNext(series, steps, at) : null })
}

// What the next table says, if it cannot mean the same.
function findNext(series: HistorySeries, steps: Steps, at: number): PastFound["or"] {
  const [value, later] = [steps[at]?.value, steps[at + 1]?.value]
  if (value === undefined || later === undefined || canBeSame(value.word, later.word)) return null
  return Object.freeze({ value: later, firstSeen: findFirstSeen(series, steps, at + 1) })
}

function findAnswer(series: HistorySeries, steps: Steps, at: number): PastPeriod | null {
  const [value, next] = [steps[at]?.value, steps[at + 1]]
  if (value === undefined) return null
  const isPublished = series.kind === "published"
  const lastSeen =
    next === undefined
      ? formatCivilDate(series.untilDay)
      : isPublished
        ? dayBefore(series.dates[next.list] as string)
        : (series.dates[next.list - 1] as string)
  const later = next?.value
  return {
    value,
    laterCalled: later !== undefined && canBeSame(value.word, later.word) ? later.requirement : null,
    status: isPublished ? "published" : "imported",
    firstSeen: findFirstSeen(series, steps, at),
    lastSeen,
    source: series.source,
  }
}

// A word that only got narrower, as "e-visa" did on 2025-01-12, was there before under the wider one.
function findFirstSeen(series: HistorySeries, steps: Steps, at: number): FirstSeen {
  const { value, list } = steps[at] as PastStep
  const before = steps[at - 1]?.value
  if (value !== undefined && before !== undefined && canBeSame(value.word, before.word)) {
    return findFirstSeen(series, steps, at - 1)
  }
  const by = series.dates[list] as string
  const last = series.dates[list - 1] ?? null
  return Object.freeze({ after: last === null ? null : series.kind === "published" ? dayBefore(by) : last, by })
}

const dayBefore = (on: string): string => formatCivilDate((parseCivilDate(on) as EpochDay) - 1)

/**
 * Lists the requirements of a pair, period by period, the oldest first; empty if nothing is recorded. Cannot fail.
 *
 * @example
 * ```ts
 * listPast(embeddedHistory(), "FRA", "CHN").map(({ firstSeen }) => firstSeen.by) // => ["2020-11-19", "2023-12-03", "2024-12-04"]
 * ```
 */
export function listPast(history: History, passport: string, destination: string): readonly PastPeriod[] {
  for (const series of history.series) {
    const row = series.passportIndices[codeKey(passport)] as number
    const column = series.destinationIndices[codeKey(destination)] as number
    if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX) continue
    const past = pastAt(series, row, column)
    if (past === 0) continue
    const steps = series.pasts[past] as Steps
    const periods: PastPeriod[] = []
    for (let at = 0; at < steps.length; at++) {
      const period = findAnswer(series, steps, at)
      const last = periods.at(-1)
      if (period === null) continue
      // One word that was later split into two is not a change.
      if (last !== undefined && canBeSame(last.value.word, period.value.word)) {
        periods[periods.length - 1] = Object.freeze({ ...last, lastSeen: period.lastSeen })
      } else periods.push(Object.freeze(period))
    }
    return periods
  }
  return []
}

// ---- Reading

// How is the text of a history read? Every number is the place of something that is there, so that any text either opens or is refused.

/** A series as it is stored, with pairs in the order of similarity: most of a destination have the same past, which compresses well. */
interface SeriesParts {
  readonly source: readonly [id: string, name: string, url: string | null]
  readonly kind: HistorySeries["kind"]
  readonly dates: readonly string[]
  readonly untilOn: string
  /** Codes, run together. */
  readonly passports: string
  readonly destinations: string
  readonly values: readonly (readonly [word: PastWord, days: number | null])[]
  /** By past: for each of its steps the place of the list, and the number of the value; 0 if the list no longer has the pair. */
  readonly pasts: readonly (readonly number[])[]
  /** By destination × passports + passport: the number of its past; 0 is none. */
  readonly pastOf: readonly number[]
}

/** The most passports, and the most destinations, of a series. */
const MOST_CODES = 253

const isSource = /* @__PURE__ */ isRowOf(anyText.fits, anyText.fits, isNullOr(anyText.fits))
const isValue = /* @__PURE__ */ isRowOf(isPastWord, isNullOr(count(0, 36_500).fits))

/** Reads the series of a history; null for anything but the text of one. */
function readSeries(text: string): readonly OpenSeries[] | null {
  try {
    const all = JSON.parse(text) as readonly SeriesParts[]
    return Array.isArray(all) && all.length > 0 && all.every(isSeries) ? all.map(openSeries) : null
  } catch {
    return null
  }
}

function isSeries({
  source,
  kind,
  dates,
  untilOn,
  passports,
  destinations,
  values,
  pasts,
  pastOf,
}: SeriesParts): boolean {
  const areCodes = (codes: string) =>
    (codes === "" || isCodes(codes)) &&
    codes.length <= 3 * MOST_CODES &&
    new Set(splitCodes(codes)).size * 3 === codes.length
  const areInOrder = (days: readonly (string | number)[]) => days.every((day, at) => at === 0 || day > days[at - 1]!)
  const isPast = (steps: readonly number[]) =>
    isListOf(count(0, Math.max(dates.length - 1, values.length)).fits)(steps) &&
    steps.length % 2 === 0 &&
    areInOrder(steps.filter((_, at) => at % 2 === 0)) &&
    steps.every((number, at) => (at % 2 === 0 ? number < dates.length : number <= values.length))
  return (
    isSource(source) &&
    (kind === "seen" || kind === "published") &&
    isListOf(date.fits)([...dates, untilOn]) &&
    dates.length > 0 &&
    areInOrder(dates) &&
    untilOn >= dates.at(-1)! &&
    areCodes(passports) &&
    areCodes(destinations) &&
    isListOf(isValue)(values) &&
    pasts.length < 2 ** 16 &&
    isListOf(isPast as never)(pasts) &&
    isListOf(count(0, pasts.length - 1).fits)(pastOf) &&
    pastOf.length * 9 === passports.length * destinations.length
  )
}

function openSeries(parts: SeriesParts): OpenSeries {
  const { dates, untilOn } = parts
  const firstOn = dates[0] as string
  const [passports, destinations] = [splitCodes(parts.passports), splitCodes(parts.destinations)]
  const values = parts.values.map(([word, days]) => pastValue(word, days))
  return {
    kind: parts.kind,
    source: readSource([...parts.source, 1]),
    dates: Object.freeze(dates),
    days: Object.freeze(dates.map(on => parseCivilDate(on) as EpochDay)),
    untilDay: parseCivilDate(untilOn) as EpochDay,
    passports,
    destinations,
    passportIndices: listIndices(passports),
    destinationIndices: listIndices(destinations),
    pastOf: Uint16Array.from(parts.pastOf),
    pasts: parts.pasts.map(steps =>
      steps.flatMap((list, at) => (at % 2 === 0 ? [{ list, value: values[(steps[at + 1] as number) - 1] }] : [])),
    ),
    answers: parts.pasts.map(() => []),
    noRule: noRecord(
      "no_rule",
      firstOn,
      "No past of this pair is recorded. That means unknown, not that no visa was needed.",
    ),
    before: noRecord("before_history", firstOn, `Nothing is recorded before ${firstOn}.`),
    after: noRecord("after_history", firstOn, `The history ends on ${untilOn}; the dataset answers for later days.`),
  }
}

// ---- Words

// Which words did tables of the past use, and which of today's requirements do they mean?
//
// Some words do not name a requirement of today: a ban of the pandemic, an entry card that existed for weeks, and one word for e-visa and eTA. They are kept unchanged. A word becomes a
// requirement only if it can mean no other.

/**
 * The words of the past: the six requirements, `covid_ban` (no admission in the pandemic), `e_visa_or_eta` (tables before 2025-01-12 write
 * "e-visa" for both) and `hayya_permit` (the entry card of Qatar, end of 2022). New words are added at the end: their places are stored.
 */
export const PAST_WORDS = /* @__PURE__ */ Object.freeze([
  ...REQUIREMENTS,
  "covid_ban",
  "e_visa_or_eta",
  "hayya_permit",
] as const)

/** The word of a past table: one of {@link PAST_WORDS}. */
export type PastWord = (typeof PAST_WORDS)[number]

/** The requirement on a past day. One frozen value is shared by all equal answers. */
export interface PastValue {
  /** The requirement; null where the word of the table does not say which. */
  readonly requirement: Requirement | null
  /** The word in the table. */
  readonly word: PastWord
  /** Visa-free stay in days; null where no number is given. */
  readonly days: number | null
  /** Why nobody was admitted, if that is known. */
  readonly reason: "covid_ban" | null
}

/** Says whether a value is one of {@link PAST_WORDS}. */
function isPastWord(value: unknown): value is PastWord {
  return (PAST_WORDS as readonly unknown[]).includes(value)
}

/** Makes the value of a word. */
function pastValue(word: PastWord, days: number | null): PastValue {
  const isBan = word === "covid_ban"
  const requirement = isBan ? "no_admission" : word === "e_visa_or_eta" || word === "hayya_permit" ? null : word
  return Object.freeze({ requirement, word, days, reason: isBan ? "covid_ban" : null })
}

/** Says whether two words of different vocabularies can mean the same: then no change was seen between them. */
function canBeSame(a: PastWord, b: PastWord): boolean {
  const isPart = (word: PastWord) => word === "e_visa" || word === "eta"
  return (a === "e_visa_or_eta" && isPart(b)) || (b === "e_visa_or_eta" && isPart(a))
}

// ---- Laying out

// How do dated lists of requirements become a small file that answers for a pair on a past day?
//
// Most pairs of a destination have the same past. A past (the values, each with the list from which on it applies) is stored once, and a
// pair is the number of its past. Passports and destinations are in the order of similarity, and gzip does the rest. There is one series
// for each source: the tables that were seen, and lists that an authority published.

/** The publication of a series: a {@link Source} without the mark of an imported table. */
interface HistorySourceFacts {
  readonly id: string
  readonly name: string
  readonly url: string | null
}

/** A value that begins on a day. */
interface HistoryChangeFacts {
  readonly destination: string
  /** One of the days of the series. */
  readonly on: string
  /** Null from the day on which the list no longer has these passports. */
  readonly word: PastWord | null
  readonly days: number | null
  readonly passports: readonly string[]
}

/** Dated lists of one source. */
export interface HistorySeriesFacts {
  readonly source: HistorySourceFacts
  /** `seen`: a change is somewhere between two lists; `published`: the list itself was published on its day. */
  readonly kind: "seen" | "published"
  /** The days of the lists, the oldest first, without copies of the list before. */
  readonly days: readonly string[]
  /** The last day that the last list covers. */
  readonly untilOn: string
  readonly changes: readonly HistoryChangeFacts[]
}

const refuse = (record: string, field: string, message: string): Result<never, FactsError> =>
  failure({
    tag: "FactsRefused",
    message: `${record} ${field}: ${message}`,
    issues: [{ tag: "ImpossibleRule", record, field, message }],
  })

/**
 * Lays dated lists out, published ones first. The same facts give the same bytes.
 *
 * Fails with `FactsRefused` for days that are not in order, a change on no day of its series, and more pasts than two bytes can number.
 *
 * @example
 * ```ts
 * const laid = layOutHistory([])
 * laid.ok // => true
 * ```
 */
export function layOutHistory(series: readonly HistorySeriesFacts[]): Result<Uint8Array, FactsError> {
  try {
    return layOut(series)
  } catch {
    return refuse("past", "", "the lists have another shape than is expected.")
  }
}

function layOut(series: readonly HistorySeriesFacts[]): Result<Uint8Array, FactsError> {
  const all: SeriesParts[] = []
  for (const one of [...series].sort((a, b) => Number(b.kind === "published") - Number(a.kind === "published"))) {
    const laid = layOutSeries(one)
    if (!laid.ok) return laid
    all.push(laid.value)
  }
  return success(writeAscii(all))
}

function layOutSeries(series: HistorySeriesFacts): Result<SeriesParts, FactsError> {
  const { source, kind, days: dates, untilOn, changes } = series
  const days = dates.map(on => parseCivilDate(on) ?? -1)
  if (days.length === 0 || days.some((day, at) => day < 0 || day <= (days[at - 1] ?? -1))) {
    return refuse(`past/${source.id}`, "days", "the days of the lists are expected in order, one list a day.")
  }
  if ((parseCivilDate(untilOn) ?? -1) < (days.at(-1) as number)) {
    return refuse(`past/${source.id}`, "until", `${untilOn} is before the last list, ${dates.at(-1)}.`)
  }
  const placeOf = new Map(dates.map((on, place) => [on, place]))
  const keys = changes.flatMap(({ word, days: stay }) => (word === null ? [] : [JSON.stringify([word, stay])]))
  const values = [...new Set(keys)].sort()
  const stepsOf = new Map<string, number[]>()
  for (const { destination, on, word, days: stay, passports } of sortChanges(changes)) {
    const place = placeOf.get(on)
    if (place === undefined) return refuse(`past/${destination}`, on, `${source.id} has no list of this day.`)
    const number = word === null ? 0 : values.indexOf(JSON.stringify([word, stay])) + 1
    for (const passport of passports) {
      const steps = getOrInsert(stepsOf, passport + destination, () => [])
      if (steps.at(-2) === place) {
        return refuse(`past/${destination}`, on, `${passport} has two values on this day.`)
      }
      if (number !== (steps.at(-1) ?? 0)) steps.push(place, number)
    }
  }
  const pairs = layOutPairs(stepsOf)
  if (!pairs.ok) return pairs
  const { id, name, url } = source
  return success({
    ...{ source: [id, name, url], kind, dates, untilOn },
    values: values.map(value => JSON.parse(value)),
    ...pairs.value,
  })
}

const sortChanges = (changes: readonly HistoryChangeFacts[]) =>
  [...changes].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0))

type Pairs = Pick<SeriesParts, "passports" | "destinations" | "pasts" | "pastOf">

/** Numbers the pasts of pairs in the order in which pairs have them first. */
function layOutPairs(stepsOf: ReadonlyMap<string, readonly number[]>): Result<Pairs, FactsError> {
  const listCodes = (from: number) => [...new Set([...stepsOf.keys()].map(pair => pair.slice(from, from + 3)))].sort()
  const [passports, destinations] = [listCodes(0), listCodes(3)]
  if (Math.max(passports.length, destinations.length) > MOST_CODES) {
    return refuse("past", "", `more than ${MOST_CODES} passports or destinations.`)
  }
  const pasts: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  const numberOf = (pair: string): number => {
    const steps = stepsOf.get(pair) ?? []
    return getOrInsert(numbers, steps.join(), () => pasts.push(steps) - 1)
  }
  numberOf("")
  const columns = destinations.map(destination => passports.map(passport => numberOf(passport + destination)))
  const rows = orderBySimilarity(passports.map((_, row) => columns.map(column => column[row] as number)))
  const order = orderBySimilarity(columns)
  if (pasts.length >= 2 ** 16) return refuse("past", "", "the lists have too many different pasts.")
  // Numbered anew, so that neighbours have numbers that are near each other.
  const seen = new Map<number, number>([[0, 0]])
  const pastOf = order.flatMap(at =>
    rows.map(row => getOrInsert(seen, (columns[at] as number[])[row] as number, () => seen.size)),
  )
  return success({
    passports: rows.map(row => passports[row]).join(""),
    destinations: order.map(at => destinations[at]).join(""),
    pasts: [...seen.keys()].map(number => pasts[number] as readonly number[]),
    pastOf,
  })
}
