/**
 * What is a spot, is this record one, and which ship with the package?
 *
 * A spot is a place that travellers care about: where it is, what it is called, how it was judged, and where its position comes from. The names here are
 * the service's own; those of files and of the wire are snake_case. Reading reports each field that is missing or invalid, with the given value. Missing
 * values are not invented: no category is null, no rating is 0 of 0 reviews.
 */
import { Option, Result, Schema } from "effect"
import { foldText, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { findOwnFile } from "../files/own-files.ts"
import { readRecordFile } from "../files/record-files.ts"

/** One place. Positions are degrees on WGS 84, north and east positive. */
export interface Spot {
  /** Lower-case words joined by hyphens; the order of a list without a point is by it. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** From -90 to 90. */
  readonly latitude: number
  /** From -180 to 180. */
  readonly longitude: number
  /** One word, or null where none is known. */
  readonly category: string | null
  readonly tags: readonly string[]
  /** ISO 3166-1 alpha-2, or `XK`. */
  readonly countryCode: string
  /** Addresses of pictures. */
  readonly photos: readonly string[]
  /** From 0 to 5; 0 until somebody has rated. */
  readonly avgRating: number
  readonly reviewCount: number
  /** The page with the position; null if it is from general knowledge. */
  readonly source: string | null
  /** When the spot was entered into its set: a calendar date, or an instant in UTC. */
  readonly createdAt: string
  /** The day on which a person last compared it with its source, or null. */
  readonly verifiedOn: string | null
}

/** The most that one spot may hold; a file that has more is refused, not cut. */
const SPOT_LIMITS = {
  idLength: 80,
  titleLength: 120,
  descriptionLength: 2_000,
  categoryLength: 40,
  tags: 20,
  tagLength: 40,
  photos: 20,
  addressLength: 2_048,
} as const

/** Reports an invalid value of a spot: the field with the given value, and the expected one. */
type RefuseSpotField = (field: string, message: string) => void

/** A record as it was found, with any values under any names. */
export type FoundRecord = Readonly<Record<string, unknown>>

/**
 * Reads one record, or reports its mistakes and returns null.
 *
 * A missing id is made from the title; `createdAt` is used if the record does not say when it was made.
 */
export function readSpot(record: FoundRecord, createdAt: string, refuse: RefuseSpotField): Spot | null {
  let isWhole = true
  const reject: RefuseSpotField = (field, message) => {
    isWhole = false
    refuse(field, message)
  }
  const read = { record, reject }
  const title = readText(read, "title", SPOT_LIMITS.titleLength) ?? ""
  const spot: Spot = {
    id: readId(read, title),
    title,
    description: isGiven(record.description)
      ? (readText(read, "description", SPOT_LIMITS.descriptionLength) ?? "")
      : "",
    latitude: readNumber(read, "latitude", -90, 90),
    longitude: readNumber(read, "longitude", -180, 180),
    category: isGiven(record.category) ? readText(read, "category", SPOT_LIMITS.categoryLength) : null,
    tags: readTags(read),
    countryCode: readCountry(read),
    photos: readPhotos(read),
    avgRating: isGiven(record.avg_rating) ? readNumber(read, "avg_rating", 0, 5) : 0,
    reviewCount: isGiven(record.review_count) ? readCount(read, "review_count") : 0,
    source: isGiven(record.source) ? readText(read, "source", SPOT_LIMITS.addressLength) : null,
    createdAt: isGiven(record.created_at) ? readMoment(read, "created_at") : createdAt,
    verifiedOn: isGiven(record.verified_on) ? readDay(read, "verified_on") : null,
  }
  if (spot.avgRating > 0 && spot.reviewCount === 0 && isWhole) {
    reject("avg_rating", `${spot.avgRating} of 0 reviews: a rating needs a review_count.`)
  }
  return isWhole ? spot : null
}

/** A record while it is read. */
interface Reading {
  readonly record: FoundRecord
  readonly reject: RefuseSpotField
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

function readText({ record, reject }: Reading, field: string, most: number): string | null {
  const value = record[field]
  const text = typeof value === "string" ? value.trim() : ""
  if (text === "") reject(field, isGiven(value) ? `a text is expected, not ${show(value)}.` : "is missing.")
  else if (text.length > most) reject(field, `at most ${most} characters are expected, not ${text.length}.`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  else if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)) reject(field, "has a control character.")
  else return text
  return null
}

function readId({ record, reject }: Reading, title: string): string {
  const id = isGiven(record.id) ? record.id : makeId(title)
  if (typeof id === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= SPOT_LIMITS.idLength) return id
  const expected = `lower-case letters and digits, joined by hyphens, at most ${SPOT_LIMITS.idLength} characters`
  reject(
    "id",
    isGiven(record.id)
      ? `${expected}, are expected, not ${show(id)}.`
      : `is missing, and the title gives none: ${expected}.`,
  )
  return ""
}

/**
 * Makes an id from a title: its letters and digits without accents, joined by hyphens, such as `hal-saflieni-hypogeum` of "Ħal Saflieni Hypogeum".
 * Empty where the title has none of a to z and 0 to 9.
 */
function makeId(title: string): string {
  return foldText(title)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, SPOT_LIMITS.idLength)
    .replace(/-$/, "")
}

function readNumber({ record, reject }: Reading, field: string, least: number, most: number): number {
  const value = record[field]
  if (typeof value === "number" && value >= least && value <= most) return value === 0 ? 0 : value
  reject(field, isGiven(value) ? `a number from ${least} to ${most} is expected, not ${show(value)}.` : "is missing.")
  return 0
}

function readCount({ record, reject }: Reading, field: string): number {
  const value = record[field]
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  reject(field, `a whole number from 0 is expected, not ${show(value)}.`)
  return 0
}

function readCountry({ record, reject }: Reading): string {
  const value = record.country_code
  if (typeof value === "string" && /^[A-Z]{2}$/.test(value)) return value
  const expected = "an ISO 3166-1 alpha-2 code in capital letters, such as JP, is expected"
  reject("country_code", isGiven(value) ? `${expected}, not ${show(value)}.` : "is missing.")
  return ""
}

function readList({ record, reject }: Reading, field: string, most: number): readonly unknown[] {
  const value = record[field] ?? []
  if (Array.isArray(value) && value.length <= most) return value
  reject(
    field,
    `a list of at most ${most} texts is expected, not ${Array.isArray(value) ? value.length : show(value)}.`,
  )
  return []
}

function readTags(reading: Reading): readonly string[] {
  const tags = readList(reading, "tags", SPOT_LIMITS.tags)
  return tags.flatMap((tag, at) => {
    const text = typeof tag === "string" ? tag.trim() : ""
    if (text !== "" && text.length <= SPOT_LIMITS.tagLength && !/[,\p{Cc}]/u.test(text)) return [text]
    const expected = `a text of at most ${SPOT_LIMITS.tagLength} characters without a comma`
    reading.reject(`tags[${at}]`, `${expected} is expected, not ${show(tag)}.`)
    return []
  })
}

function readPhotos(reading: Reading): readonly string[] {
  const photos = readList(reading, "photos", SPOT_LIMITS.photos)
  return photos.flatMap((photo, at) => {
    const isAddress = typeof photo === "string" && photo.length <= SPOT_LIMITS.addressLength
    if (isAddress && /^https?:$/.test(URL.parse(photo)?.protocol ?? "")) return [photo]
    reading.reject(`photos[${at}]`, `an address that begins with https:// is expected, not ${show(photo)}.`)
    return []
  })
}

function readDay({ record, reject }: Reading, field: string): string {
  const value = record[field]
  if (typeof value === "string" && isDay(value)) return value
  reject(field, `a calendar date YYYY-MM-DD is expected, not ${show(value)}.`)
  return ""
}

function readMoment({ record, reject }: Reading, field: string): string {
  const value = record[field]
  const [day = "", time] = typeof value === "string" ? value.split("T") : []
  if (isDay(day) && (time === undefined || /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/.test(time)))
    return value as string
  reject(field, `a date YYYY-MM-DD or an instant such as 2026-11-21T09:30:00Z is expected, not ${show(value)}.`)
  return ""
}

function isDay(text: string): boolean {
  return parseCivilDate(text) !== null
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

// Which spots ship with the package?
// Those of `seeds/spots.json`: real places, with positions from the World Heritage list or, where `source` is null, from general knowledge. The file is read
// when it is first asked for; a mistake in it is named by its place in the list and its field.

const Text = Schema.String
const MaybeText = Schema.NullOr(Schema.String)

/** One spot as the file writes it, keys in this order. */
export const SpotSeedRecord = Schema.Struct({
  id: Text,
  title: Text,
  description: Text,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  category: Text,
  tags: Schema.Array(Text),
  country_code: Text,
  photos: Schema.Array(Text),
  avg_rating: Schema.Finite,
  review_count: Schema.Int,
  source: MaybeText,
  created_at: Text,
  verified_on: MaybeText,
})

/** Reads a file of seeds; fails with every mistake in it. */
export function readSeedSpots(): Result.Result<readonly Spot[], DataError> {
  const path = findOwnFile("seeds/spots.json")
  const issues: FileIssue[] = []
  const records = readRecordFile(path, Schema.Array(SpotSeedRecord), issue => issues.push(issue))
  const spots: Spot[] = []
  const seen = new Set<string>()
  const found: readonly FoundRecord[] = Option.getOrElse(records, () => [])
  found.forEach((record, at) => {
    const refuse = (field: string, message: string) => issues.push({ file: path, field: `[${at}].${field}`, message })
    const spot = readSpot(record, "", refuse)
    if (spot === null) return
    if (seen.has(spot.id)) refuse("id", `"${spot.id}" is given twice.`)
    seen.add(spot.id)
    spots.push(spot)
  })
  return issues.length === 0 ? Result.succeed(spots) : Result.fail(DataError.of(issues))
}
