/**
 * What is a spot, is this record one, and which ship with the package?
 *
 * A spot is a place that travellers care about: where it is, what it is called, how it was judged, and where its position comes from. Its fields are declared
 * once: files, the database and the wire have the same. Reading reports each field that is missing or invalid, with the given value. Missing values are not
 * invented: no category is null, no rating is 0 of 0 reviews.
 */
import { Option, Result, Schema, SchemaIssue } from "effect"
import { foldText, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { findOwnFile } from "../files/own-files.ts"
import { readRecordFile } from "../files/record-files.ts"

const LONGEST_ID = 80

/** Of another type it is refused with the same words as of a wrong value. */
const sayExpected = (expected: string) => ({ message: `Expected ${expected}` })

/** A text for which something is so. A record that has more than a spot may hold is refused, not cut. */
const textThat = (expected: string, isSo: (text: string) => boolean) =>
  Schema.String.annotate(sayExpected(expected)).check(Schema.makeFilter(isSo, { expected }))

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const text = (most: number, least = 1) =>
  textThat(
    `a text of at most ${most} characters without control characters`,
    value => value.length >= least && value.length <= most && !CONTROL.test(value),
  )
const numberThat = (expected: string, isSo: (value: number) => boolean) =>
  Schema.Number.annotate(sayExpected(expected)).check(Schema.makeFilter(isSo, { expected }))
const number = (least: number, most: number) =>
  numberThat(`a number from ${least} to ${most}`, value => value >= least && value <= most)
const list = <Of extends Schema.Top>(of: Of, most: number) => {
  const expected = `a list of at most ${most} texts`
  return Schema.Array(of)
    .annotate(sayExpected(expected))
    .check(Schema.makeFilter(({ length }) => length <= most, { expected }))
}
const orNull = <Of extends Schema.Top>(of: Of) => Schema.NullOr(of).annotate(sayExpected("a text"))
const LONGEST_ADDRESS = 2_048
const isDay = (value: string) => parseCivilDate(value) !== null

/** One place. Keys in the order of its file; positions are degrees on WGS 84, north and east positive. */
export const SpotRecord = Schema.Struct({
  /** The order of a list without a point is by it. */
  id: textThat(
    `a text of lower-case letters and digits, joined by hyphens, of at most ${LONGEST_ID} characters`,
    value => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) && value.length <= LONGEST_ID,
  ),
  title: text(120),
  description: text(2_000, 0),
  latitude: number(-90, 90),
  longitude: number(-180, 180),
  /** One word, or null where none is known. */
  category: orNull(text(40)),
  tags: list(
    textThat(
      "a text of at most 40 characters without a comma",
      value => value !== "" && value.length <= 40 && !/[,\p{Cc}]/u.test(value),
    ),
    20,
  ),
  country_code: textThat("an ISO 3166-1 alpha-2 code in capital letters, such as JP,", value =>
    /^[A-Z]{2}$/.test(value),
  ),
  /** Addresses of pictures. */
  photos: list(
    textThat(
      "an address that begins with https://",
      value => value.length <= LONGEST_ADDRESS && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
    ),
    20,
  ),
  /** 0 until somebody has rated. */
  avg_rating: number(0, 5),
  review_count: numberThat("a whole number from 0", value => Number.isSafeInteger(value) && value >= 0),
  /** The page with the position; null if it is from general knowledge. */
  source: orNull(text(LONGEST_ADDRESS)),
  /** When the spot was entered into its set. */
  created_at: textThat("a date YYYY-MM-DD or an instant such as 2026-11-21T09:30:00Z", value => {
    const [day = "", time] = value.split("T")
    return isDay(day) && (time === undefined || /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/.test(time))
  }),
  /** The day on which a person last compared it with its source, or null. */
  verified_on: orNull(textThat("a calendar date YYYY-MM-DD", isDay)),
}).check(
  Schema.makeFilter(({ avg_rating, review_count }) =>
    avg_rating > 0 && review_count === 0
      ? { path: ["avg_rating"], issue: `${avg_rating} of 0 reviews: a rating needs a review_count.` }
      : undefined,
  ),
)
/** One place. */
export type Spot = typeof SpotRecord.Type

/** A record as it was found, with any values under any names. */
export type FoundRecord = Readonly<Record<string, unknown>>

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""
const trim = (value: unknown): unknown =>
  typeof value === "string" ? value.trim() : Array.isArray(value) ? value.map(trim) : value === 0 ? 0 : value
const decode = Schema.decodeUnknownResult(SpotRecord, { errors: "all" })
const listIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Reads one record, or reports its mistakes and returns null: the field with the given value, and the expected one.
 *
 * A missing id is made from the title; `createdAt` is used if the record does not say when it was made.
 */
export function readSpot(
  record: FoundRecord,
  createdAt: string,
  refuse: (field: string, message: string) => void,
): Spot | null {
  const given = Object.fromEntries(
    Object.entries(record)
      .map(([name, value]) => [name, trim(value)] as const)
      .filter(([, value]) => isGiven(value)),
  )
  const blank = { description: "", category: null, tags: [], photos: [], avg_rating: 0, review_count: 0, source: null }
  const whole: FoundRecord = {
    id: typeof given.title === "string" ? makeId(given.title) : undefined,
    ...blank,
    created_at: createdAt,
    verified_on: null,
    ...given,
  }
  const read = decode(whole)
  if (Result.isSuccess(read)) return read.success
  for (const { path = [], message } of listIssues(read.failure.issue).issues) {
    const [name = "", at] = path as readonly [string?, number?]
    const value = at === undefined ? whole[name] : (whole[name] as readonly unknown[])[at]
    const expected = /^Expected (.*)$/.exec(message)?.[1]
    const mistake = expected === undefined ? message : `${expected} is expected, not ${show(value)}.`
    const missing = name === "id" ? "is missing, and the title gives none." : "is missing."
    refuse(at === undefined ? name : `${name}[${at}]`, isGiven(value) ? mistake : missing)
  }
  return null
}

/**
 * Makes an id from a title: its letters and digits without accents, joined by hyphens, such as `hal-saflieni-hypogeum` of "Ħal Saflieni Hypogeum".
 * Empty where the title has none of a to z and 0 to 9.
 */
function makeId(title: string): string {
  return foldText(title)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, LONGEST_ID)
    .replace(/-$/, "")
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

// Which spots ship with the package?
// Those of `seeds/spots.json`: real places, with positions from the World Heritage list or, where `source` is null, from general knowledge. The file is read
// when it is first asked for; a mistake in it is named by its place in the list and its field.

/** Reads a file of seeds; fails with every mistake in it. */
export function readSeedSpots(): Result.Result<readonly Spot[], DataError> {
  const path = findOwnFile("seeds/spots.json")
  const issues: FileIssue[] = []
  const records = readRecordFile(path, Schema.Array(SpotRecord), issue => issues.push(issue))
  const spots: readonly Spot[] = Option.getOrElse(records, () => [])
  const ids = spots.map(({ id }) => id)
  ids.forEach((id, at) => {
    if (ids.indexOf(id) === at) return
    issues.push({ file: path, field: `[${at}].id`, message: `"${id}" is given twice.` })
  })
  return issues.length === 0 ? Result.succeed(spots) : Result.fail(DataError.of(issues))
}
