/**
 * Is this record a spot?
 *
 * Reads the fields of one record of any file, under the names that files use (snake_case), and reports each field that is missing or
 * invalid, with the given value. Missing values are not invented: no category is null, no rating is 0 of 0 reviews.
 */
import { foldText, parseCivilDate } from "../../src/engine.ts"
import { type RefuseSpotField, SPOT_LIMITS, type Spot } from "./spot.ts"

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
