/**
 * What did this passport's holder need to enter this destination on a past day?
 *
 * A list says what applied on its day, not since when it was law. A change in tables is somewhere between two of them, and the law may be
 * older or newer; for a day between two tables that differ, both answers are returned. Only a list that an authority published has an exact
 * day. Nothing here was checked pair by pair: a past answer is `imported` or `published`, never verified.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import type { Source } from "../dataset/facts.ts"
import { type Malformed, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import { MALFORMED_DAY, MALFORMED_DESTINATION, MALFORMED_PASSPORT } from "../requirement/lookup.ts"
import { canBeSame, type HistorySeries, type PastValue, readSeries } from "./read-history.ts"

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

/** A series, with what is answered where it has no value, and the answers made so far. */
interface OpenSeries extends HistorySeries {
  /** By step, twice: the answer, and the one for days on which the next step may already apply; made on first use. */
  readonly answers: (PastAnswer | undefined)[]
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
  const series = readBytes(bytes)
  if (series === null) {
    return failure({
      tag: "MalformedDataset",
      message: "The bytes are not a history: `landfall dataset build` and `npm run embed` write one.",
    })
  }
  const firstOn = formatCivilDate(Math.min(...series.map(({ days }) => days[0] as EpochDay)))
  const untilOn = formatCivilDate(Math.max(...series.map(({ untilDay }) => untilDay)))
  const history: OpenHistory = Object.freeze({
    series: series.map(openSeries),
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

function readBytes(bytes: unknown): readonly HistorySeries[] | null {
  try {
    return bytes instanceof Uint8Array ? readSeries(bytes) : null
  } catch {
    // A proxy that throws.
    return null
  }
}

function openSeries(series: HistorySeries): OpenSeries {
  const [firstOn, untilOn] = [series.dates[0] as string, formatCivilDate(series.untilDay)]
  return {
    ...series,
    answers: [],
    noRule: noRecord(
      "no_rule",
      firstOn,
      "No past of this pair is recorded. That means unknown, not that no visa was needed.",
    ),
    before: noRecord("before_history", firstOn, `Nothing is recorded before ${firstOn}.`),
    after: noRecord("after_history", firstOn, `The history ends on ${untilOn}; the dataset answers for later days.`),
  }
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

function answerOn(series: OpenSeries, past: number, day: EpochDay): PastAnswer {
  const { starts, stepDates, days, answers, noRule } = series
  if (past === 0) return noRule
  if (day < (days[0] as number)) return series.before
  if (day > series.untilDay) return series.after
  const [first, end] = [starts[past] as number, starts[past + 1] as number]
  let step = first - 1
  while (step + 1 < end && (days[stepDates[step + 1] as number] as number) <= day) step++
  if (step < first) return noRule
  // Between two tables that were seen and differ the day of the change is unknown. A published list applies until the next.
  const isOpen = series.kind === "seen" && step + 1 < end && day > (days[(stepDates[step + 1] as number) - 1] as number)
  const place = step * 2 + (isOpen ? 1 : 0)
  const known = answers[place]
  if (known !== undefined) return known
  const answer = findAnswer(series, past, step)
  const made: PastAnswer =
    answer === null
      ? noRule
      : Object.freeze({ kind: "found" as const, ...answer, or: isOpen ? findNext(series, past, step) : null })
  answers[place] = made
  return made
}

// What the next table says, if it cannot mean the same.
function findNext(series: HistorySeries, past: number, step: number): PastFound["or"] {
  const [value, later] = [series.stepValues[step], series.stepValues[step + 1]]
  if (value === undefined || later === undefined || canBeSame(value.word, later.word)) return null
  return Object.freeze({ value: later, firstSeen: findFirstSeen(series, past, step + 1) })
}

function findAnswer(series: HistorySeries, past: number, step: number): PastPeriod | null {
  const value = series.stepValues[step]
  if (value === undefined) return null
  const next = step + 1 < (series.starts[past + 1] as number) ? (series.stepDates[step + 1] as number) : null
  const isPublished = series.kind === "published"
  const lastSeen =
    next === null
      ? formatCivilDate(series.untilDay)
      : isPublished
        ? dayBefore(series.dates[next] as string)
        : (series.dates[next - 1] as string)
  const later = next === null ? undefined : series.stepValues[step + 1]
  return {
    value,
    laterCalled: later !== undefined && canBeSame(value.word, later.word) ? later.requirement : null,
    status: isPublished ? "published" : "imported",
    firstSeen: findFirstSeen(series, past, step),
    lastSeen,
    source: series.source,
  }
}

// A word that only got narrower, as "e-visa" did on 2025-01-12, was there before under the wider one.
function findFirstSeen(series: HistorySeries, past: number, step: number): FirstSeen {
  const value = series.stepValues[step]
  const isFirst = step === series.starts[past]
  const before = isFirst ? undefined : series.stepValues[step - 1]
  if (value !== undefined && before !== undefined && canBeSame(value.word, before.word)) {
    return findFirstSeen(series, past, step - 1)
  }
  const place = series.stepDates[step] as number
  const by = series.dates[place] as string
  const last = series.dates[place - 1] ?? null
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
    const periods: PastPeriod[] = []
    for (let step = series.starts[past] as number; step < (series.starts[past + 1] as number); step++) {
      const period = findAnswer(series, past, step)
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
