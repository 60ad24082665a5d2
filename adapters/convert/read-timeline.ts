/**
 * In which countries was somebody, by the history of a telephone?
 *
 * Google's Timeline in its three forms: that of Android (`semanticSegments`), that of iPhones (a list), and the older one of Takeout (`timelineObjects`). Only visits count: they have a place and
 * two times. The day is that of the place. Visits to one country with none elsewhere between them are one stay.
 */
import { isFields } from "../validation/fields.ts"
import type { WholeStay } from "./make-trips.ts"
import type { Located, Places } from "./places.ts"
import { type Entry, type Report, readEntries, refuse } from "./read-lines.ts"
import { dayIn } from "./time-zones.ts"

interface Visit {
  readonly startMs: number
  readonly endMs: number
  readonly latitude: number
  readonly longitude: number
}

/** More stays than any life has. */
const MOST_STAYS = 100_000
/** A visit of a year says that the telephone was left behind, or that nothing was seen. */
const DAY_MS = 86_400_000

function get(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (held, name) => (isFields(held) && Object.hasOwn(held, name) ? held[name] : undefined),
    value,
  )
}

const POINT = /(-?\d{1,3}(?:\.\d+)?)°?\s*,\s*(-?\d{1,3}(?:\.\d+)?)/

// An instant, with the offset of its zone, or in milliseconds as older exports have it.
function readInstant(time: unknown, ms: unknown): number {
  if (typeof time === "string") return /(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? Date.parse(time) : Number.NaN
  return typeof ms === "string" && /^\d{1,15}$/.test(ms) ? Number(ms) : Number.NaN
}

function readVisit({ value }: Entry): Visit | "other" | "unreadable" {
  const older = get(value, "placeVisit")
  const visit = older ?? get(value, "visit")
  if (visit === undefined) return "other"
  const [times, start, end] =
    older === undefined ? [value, "startTime", "endTime"] : [get(older, "duration"), "startTimestamp", "endTimestamp"]
  const startMs = readInstant(get(times, start), get(times, `${start}Ms`))
  const endMs = readInstant(get(times, end), get(times, `${end}Ms`))
  const place = get(visit, "topCandidate", "placeLocation")
  const text = typeof place === "string" ? place : get(place, "latLng")
  const [, north, east] = POINT.exec(typeof text === "string" ? text : "") ?? []
  const [latitude, longitude] =
    older === undefined
      ? [Number(north ?? Number.NaN), Number(east ?? Number.NaN)]
      : [Number(get(older, "location", "latitudeE7")) / 1e7, Number(get(older, "location", "longitudeE7")) / 1e7]
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return isPlace && startMs <= endMs ? { startMs, endMs, latitude, longitude } : "unreadable"
}

/** Reads the stays of a history. Memory grows with the stays, not with the file. */
export async function readTimeline(
  input: AsyncIterable<Uint8Array>,
  places: Places,
  report: Report,
): Promise<readonly WholeStay[]> {
  const stays: { destination: string; from: string; to: string; startMs: number; endMs: number }[] = []
  const located = new Map<string, Located | null>()
  let others = 0
  for await (const entry of readEntries(input)) {
    report.entries++
    if (entry.list === "locations")
      throw refuse(
        entry.place,
        `Records.json has positions without visits. The export of Timeline, or of "Semantic Location History", is expected.`,
      )
    const visit = readVisit(entry)
    if (visit === "other") {
      others++
      continue
    }
    if (visit === "unreadable") {
      report.leftOut.add(`${entry.place}: a visit without a place, or without two times in order with their offsets`)
      continue
    }
    const { startMs, endMs, latitude, longitude } = visit
    const point = `${latitude.toFixed(3)},${longitude.toFixed(3)}`
    let where = located.get(point)
    if (where === undefined) {
      where = places.locate(latitude, longitude)
      if (located.size < MOST_STAYS) located.set(point, where)
    }
    if (where === null) {
      report.leftOut.add(`a visit at ${point}: the place is at sea, or the country there is not known for sure`)
      continue
    }
    const { country, zone, near } = where
    if (near !== null) report.assumed.add(`a place at ${point} is in ${country}; the border with ${near} is near`)
    const [from, to] = [dayIn(zone, startMs), dayIn(zone, endMs)]
    const last = stays.at(-1)
    if (last !== undefined && startMs < last.startMs)
      throw refuse(entry.place, `the visit begins before the one above it; visits in their order are expected.`)
    const hasGap = last !== undefined && startMs - last.endMs > DAY_MS
    if (last?.destination === country) {
      if (hasGap) report.assumed.add(`nothing is recorded between ${last.to} and ${from}: one stay in ${country}`)
      if (to > last.to) last.to = to
      last.endMs = Math.max(last.endMs, endMs)
    } else {
      if (hasGap) report.leftOut.add(`the days between ${last.to} and ${from}: nothing is recorded of them`)
      stays.push({ destination: country, from, to, startMs, endMs })
      if (stays.length > MOST_STAYS) throw refuse(entry.place, `more than ${MOST_STAYS.toLocaleString("en")} stays.`)
    }
  }
  if (others > 0)
    report.leftOut.add(
      `${others === 1 ? "1 entry that is no visit" : `${others.toLocaleString("en")} entries that are no visits`}, such as ways between them`,
    )
  return stays.map(({ destination, from, to }) => ({ destination, from, to }))
}
