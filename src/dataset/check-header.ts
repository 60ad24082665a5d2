/**
 * Is a dataset's header sound, so that no answer is read past the end of a table or has an unexpected shape?
 *
 * The checksum protects against damage; this protects against a file that was written incorrectly or with bad intent. A header that passes
 * can be opened, and everything read from it has the declared types. Rows are described by the allowed values of each place.
 */
import { isEpochDay } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY, splitCodes } from "../codes.ts"
import { findTermsMistake } from "./check-terms-section.ts"
import {
  type AnswerRow,
  type DatasetHeader,
  type DatasetParts,
  listTimelinePairs,
  MAX_ANSWERS,
  MAX_SLOTS,
  resolveAnswers,
  type TimelineRow,
} from "./format.ts"
import { REQUIREMENTS } from "./requirement.ts"
import { count, isAmount, isCodes, isDate, isFlag, isText, list, orNull, row, type Test } from "./row-tests.ts"
import { answerIndexOn } from "./timeline.ts"
import type { ZoneRow } from "./travel-rules.ts"

const isBasis: Test = value => value === "home" || value === "freedom_of_movement" || value === "follows"

/** The most passports and the most destinations that a byte can distinguish, less two reserved numbers. */
const MAX_CODES = 253

// Pairs' places, then days and answers in turn, the days in order.
function isTimeline(value: unknown, pairCount: number, isAnswer: Test): value is TimelineRow {
  if (!Array.isArray(value) || value.length < 3 || value.length % 2 === 0) return false
  return (
    arePlaces(value[0], pairCount) &&
    value.findIndex((step, at) => at > 0 && !(at % 2 === 0 ? isAnswer(step) : isEpochDay(step))) < 0 &&
    value.every((step, at) => at < 3 || at % 2 === 0 || step > value[at - 2])
  )
}

// One place, or distances from one to the next, which never lead back.
function arePlaces(value: unknown, pairCount: number): boolean {
  const isPlace = count(0, pairCount - 1)
  if (!Array.isArray(value)) return isPlace(value)
  if (value.length === 0 || value.length > pairCount || !list(isPlace)(value)) return false
  return (
    value.every((distance, at) => at === 0 || distance > 0) &&
    isPlace(value.reduce((sum, distance) => sum + distance, 0))
  )
}

// A destination's place, then groups of an origin and its slots.
function isPalette(value: unknown, destinationCount: number, isOrigin: Test, isSlot: Test): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > MAX_SLOTS + 1) return false
  const isGroup: Test = group =>
    Array.isArray(group) &&
    group.length >= 2 &&
    group.length <= MAX_SLOTS + 1 &&
    group.findIndex((place, at) => !(at === 0 ? isOrigin(place) : isSlot(place))) < 0
  return count(0, destinationCount - 1)(value[0]) && list(isGroup)(value.slice(1))
}

// Days only if a stay is granted at the border, a subject only for the two bases with one, and uncertainty only for treaties.
function isPossible([rank, days, , , basis, subject, uncertain]: AnswerRow): boolean {
  const isNamed = basis !== null && basis !== "home"
  return (days === null || rank < 4) && (subject !== null) === isNamed && (isNamed || uncertain === 0)
}

const isSpan = count(0, 36_500)
const member = row(isCodes, orNull(isEpochDay), orNull(isEpochDay))

// A window that is not longer than the allowance could never be broken.
const canBeBroken = ([, , , allowanceDays, windowDays]: ZoneRow) => windowDays === 0 || windowDays > allowanceDays

/** Finds the first mistake in the parts of a dataset; null if there is none. Cannot fail on parsed JSON. */
export function findPartsMistake({ header, pairs, terms }: DatasetParts): string | null {
  return findHeaderMistake(header, pairs) ?? (terms === undefined ? null : findTermsMistake(terms, header))
}

function findHeaderMistake(header: DatasetHeader, pairs: Uint8Array): string | null {
  if (typeof header !== "object" || header === null) return "its header is not an object"
  for (const name of ["passports", "destinations"] as const) {
    if (!isText(header[name])) return `it has no ${name}`
    const codes = splitCodes(header[name])
    if (codes.length === 0 || codes.length > MAX_CODES) return `it has ${codes.length} ${name}`
    if (codes.some(code => codeKey(code) === MALFORMED_KEY))
      return `a code among the ${name} is not three capital letters`
    if (new Set(codes).size !== codes.length) return `a code is listed twice among the ${name}`
  }
  if (!(pairs instanceof Uint8Array)) return "its pairs are not bytes"
  const columns = header.destinations.length / 3
  const expected = (header.passports.length / 3) * columns
  if (pairs.length !== expected) return `${pairs.length} pairs where ${expected} are announced`

  if (!isText(header.version)) return "it has no version"
  if (!isEpochDay(header.asOfDay) || !isEpochDay(header.sinceDay)) return "its dates are not calendar dates"
  if (header.asOfDay < header.sinceDay) return "its own day is before its first"
  if (!list(isText)(header.regions)) return "its regions have another shape"
  const regions = list(orNull(count(0, header.regions.length - 1)))
  const isOneEach = (values: unknown, test: Test) => test(values) && (values as unknown[]).length === columns
  if (!isOneEach(header.regionOf, regions) || !isOneEach(header.gdpUsdMillions, list(orNull(isAmount)))) {
    return "its facts are not one a destination"
  }

  if (!list(row(isText, isText, orNull(isText), count(0, 2)))(header.sources)) return "its sources have another shape"
  const isSource = orNull(count(0, header.sources.length - 1))
  const mistake = findAnswersMistake(header, columns, isSource)
  if (mistake !== null) return mistake
  const slotCount = header.slots.length
  for (let at = 0; at < pairs.length; at++) {
    if ((pairs[at] as number) > slotCount) return "a pair points past the table of answers"
  }
  const isSlotOrNone = count(0, slotCount)
  if (!list(value => isTimeline(value, pairs.length, isSlotOrNone))(header.timelines)) {
    return "its dated answers have another shape"
  }
  const dated = new Set<number>()
  for (const [places, ...steps] of header.timelines) {
    const slot = answerIndexOn(steps, header.asOfDay)
    for (const pair of listTimelinePairs(places)) {
      if (dated.has(pair)) return "a pair has two lists of dated answers"
      dated.add(pair)
      if (pairs[pair] !== slot) return "a pair and its dated answers disagree on its own day"
    }
  }

  const provenance = [isSource, orNull(isText), orNull(isDate)] as const
  const isZone = row(isText, isText, orNull(isText), count(1, 3_650), isSpan, list(member), ...provenance)
  const { zones = [] } = header
  return list(value => isZone(value) && canBeBroken(value as ZoneRow))(zones) ? null : "its zones have another shape"
}

// Checks slots and origins, which must give valid answers.
function findAnswersMistake(header: DatasetHeader, columns: number, isSource: Test): string | null {
  const isRank = count(0, REQUIREMENTS.length - 1)
  const isStay = orNull(count(1, 36_500))
  const isDateOrNull = orNull(isDate)
  const answer = row(isRank, isStay, isSource, isDateOrNull, orNull(isBasis), orNull(isText), isFlag)
  const { slots, origins, palettes } = header
  if (!list(row(isSource, isDateOrNull, orNull(isText), isFlag))(origins)) return "its origins have another shape"
  const isOrigin = count(0, origins.length - 1)
  if (!list(row(isRank, isStay, orNull(isBasis), isOrigin))(slots)) return "its slots have another shape"
  if (slots.length > MAX_SLOTS) return `it has ${slots.length} slots, more than a byte can name`
  const isSlot = count(1, slots.length)
  if (!list(value => isPalette(value, columns, isOrigin, isSlot))(palettes)) return "its palettes have another shape"
  if (new Set(palettes.map(([destination]) => destination)).size !== palettes.length) {
    return "a destination has two palettes"
  }
  const { rows } = resolveAnswers(header)
  if (!list(value => answer(value) && isPossible(value as AnswerRow))(rows)) return "its answers have another shape"
  return rows.length > MAX_ANSWERS ? `it has ${rows.length} answers, at most ${MAX_ANSWERS} are told apart` : null
}
