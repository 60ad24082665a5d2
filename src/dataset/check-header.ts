/**
 * Is a dataset's header sound, so that no answer can be read past a table or have a shape that nobody expects?
 *
 * The checksum guards against damage; this guards against a file that was written wrong, or by somebody who means harm: whatever
 * passes opens, and whatever is read from it has the types that it announces. Rows are described by what each place may hold.
 */
import { isEpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { REQUIREMENTS } from "../requirement/requirement.ts"
import { type AnswerRow, type DatasetHeader, MAX_ANSWERS, type TimelineRow, type ZoneRow } from "./format.ts"
import { answerIndexOn } from "./timeline.ts"
import { splitCodes } from "./travel-rules.ts"

type Test = (value: unknown) => boolean

const isText: Test = value => typeof value === "string"
const isDate: Test = value => parseCivilDate(value) !== null
// Millions of US dollars, or hours: more than the world has of either, and so no infinity, which would make every score NaN.
const isAmount: Test = value => typeof value === "number" && value >= 0 && value <= 1e12
const isCodes: Test = value => typeof value === "string" && /^([A-Z]{3})+$/.test(value)
const isBasis: Test = value => value === "home" || value === "freedom_of_movement" || value === "follows"
const count =
  (least: number, most: number): Test =>
  value =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
const isFlag = count(0, 1)
const isSpan = count(0, 36_500)
const isAllowance = count(1, 3_650)
const orNull =
  (test: Test): Test =>
  value =>
    value === null || test(value)
// Not `every`, which passes over the holes of a list.
const list =
  (test: Test): Test =>
  value =>
    Array.isArray(value) && value.findIndex(item => !test(item)) < 0
const row =
  (...places: readonly Test[]): Test =>
  value =>
    Array.isArray(value) && value.length === places.length && places.every((test, at) => test(value[at]))

/** The most passports and the most destinations that a byte can tell apart, two slots aside. */
const MAX_CODES = 253

// A pair's place, then days and answers in turn, the days in order.
function isTimeline(value: unknown, pairCount: number, isAnswer: Test): value is TimelineRow {
  if (!Array.isArray(value) || value.length < 3 || value.length % 2 === 0) return false
  return (
    count(0, pairCount - 1)(value[0]) &&
    value.findIndex((step, at) => at > 0 && !(at % 2 === 0 ? isAnswer(step) : isEpochDay(step))) < 0 &&
    value.every((step, at) => at < 3 || at % 2 === 0 || step > value[at - 2])
  )
}

// Days where a stay is granted at the border, a subject with the two bases that name one, and doubt about nothing else.
function isPossible([rank, days, , , basis, subject, uncertain]: AnswerRow): boolean {
  const isNamed = basis !== null && basis !== "home"
  return (days === null || rank < 4) && (subject !== null) === isNamed && (isNamed || uncertain === 0)
}

function isWindow([, , , allowanceDays, windowDays]: ZoneRow): boolean {
  return windowDays === 0 || windowDays > allowanceDays
}

/** Finds the first thing that is wrong with a header and its pairs; null where nothing is. Cannot fail on parsed JSON. */
export function findHeaderMistake(header: DatasetHeader, pairs: Uint8Array): string | null {
  if (typeof header !== "object" || header === null) return "its header is no object"
  for (const name of ["passports", "destinations"] as const) {
    if (!isText(header[name])) return `it has no ${name}`
    const codes = splitCodes(header[name])
    if (codes.length === 0 || codes.length > MAX_CODES) return `it has ${codes.length} ${name}`
    if (codes.some(code => codeKey(code) === MALFORMED_KEY))
      return `a code among the ${name} is not three capital letters`
    if (new Set(codes).size !== codes.length) return `a code stands twice among the ${name}`
  }
  if (!(pairs instanceof Uint8Array)) return "its pairs are no bytes"
  const columns = header.destinations.length / 3
  const expected = (header.passports.length / 3) * columns
  if (pairs.length !== expected) return `${pairs.length} pairs where ${expected} are announced`

  if (!isText(header.version)) return "it has no version"
  if (!isEpochDay(header.asOfDay) || !isEpochDay(header.sinceDay)) return "its dates are no calendar dates"
  if (header.asOfDay < header.sinceDay) return "its own day is before its first"
  if (!list(isText)(header.regions)) return "its regions have another shape"
  const regions = list(orNull(count(0, header.regions.length - 1)))
  const isOneEach = (values: unknown, test: Test) => test(values) && (values as unknown[]).length === columns
  if (!isOneEach(header.regionOf, regions) || !isOneEach(header.gdpUsdMillions, list(orNull(isAmount)))) {
    return "its facts are not one a destination"
  }

  if (!list(row(isText, isText, orNull(isText), isFlag))(header.sources)) return "its sources have another shape"
  const isSource = orNull(count(0, header.sources.length - 1))
  const isRank = count(0, REQUIREMENTS.length - 1)
  const answerShape = row(
    isRank,
    orNull(count(1, 36_500)),
    isSource,
    orNull(isDate),
    orNull(isBasis),
    orNull(isText),
    isFlag,
  )
  const answer: Test = value => answerShape(value) && isPossible(value as AnswerRow)
  if (!list(answer)(header.answers)) return "its answers have another shape"
  const limit = header.answers.length
  if (limit > MAX_ANSWERS) return `it has ${limit} answers, more than a byte can name`
  for (let at = 0; at < pairs.length; at++) {
    if ((pairs[at] as number) > limit) return "a pair points past the table of answers"
  }
  const isAnswer = count(0, limit)
  if (!list(value => isTimeline(value, pairs.length, isAnswer))(header.timelines)) {
    return "its dated answers have another shape"
  }
  const dated = new Set(header.timelines.map(([pair]) => pair))
  if (dated.size !== header.timelines.length) return "a pair has two lists of dated answers"
  for (const [pair, ...steps] of header.timelines) {
    if (pairs[pair] !== answerIndexOn(steps, header.asOfDay))
      return "a pair and its dated answers disagree on its own day"
  }

  const { zones = [], validity = [], transit = [] } = header
  const provenance = [isSource, orNull(isText), orNull(isDate)] as const
  const member = row(isCodes, orNull(isEpochDay), orNull(isEpochDay))
  const zoneShape = row(isText, isText, orNull(isText), isAllowance, isSpan, list(member), ...provenance)
  // A window that is not longer than the allowance could never be broken.
  const zone: Test = value => zoneShape(value) && isWindow(value as ZoneRow)
  const lasting = row(isFlag, isSpan, isSpan, orNull(isSpan), isFlag, isCodes, ...provenance)
  const passing = row(
    isFlag,
    isFlag,
    orNull(isAmount),
    orNull(isText),
    isFlag,
    isFlag,
    orNull(isCodes),
    isCodes,
    ...provenance,
  )
  const areSound = list(zone)(zones) && list(lasting)(validity) && list(passing)(transit)
  return areSound ? null : "its rules for destinations have another shape"
}
