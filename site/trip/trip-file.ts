/**
 * How is a trip written to a file, and read from one?
 *
 * The file is the JSON that `landfall itinerary` and `POST /api/v1/visa/decision` read: names in snake_case, dates as `YYYY-MM-DD`. Fields that
 * the page has no form for stay in the trip and come out again. Whether the values make sense is judged where the trip is.
 */
import type { Trip, TripPassport, TripStop } from "./trip.ts"

/** A trip that was read, or what is wrong with the file, as a message of the page. */
export type ReadTrip = { readonly ok: true; readonly trip: Trip } | { readonly ok: false; readonly mistake: string }

const PASSPORT_FIELDS = ["passport", "passport_expiry", "passport_issued"]
const READ_FIELDS = new Set([...PASSPORT_FIELDS, "passports", "stops", "transit"])

type Held = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Held {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** Reads the text of a file. */
export function readTripFile(text: string): ReadTrip {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { ok: false, mistake: "trip.file_no_json" }
  }
  if (!isObject(given) || !Array.isArray(given.stops)) return { ok: false, mistake: "trip.file_no_trip" }
  const passports = Array.isArray(given.passports) ? given.passports : given.passport === undefined ? [] : [given]
  const transit = Array.isArray(given.transit) ? given.transit : []
  return {
    ok: true,
    trip: {
      passports: passports.map(readPassport),
      stops: given.stops.map(readStop),
      transit: transit.map(textOf),
      more: Object.fromEntries(Object.entries(given).filter(([name]) => !READ_FIELDS.has(name))),
    },
  }
}

function readPassport(value: unknown): TripPassport {
  if (!isObject(value)) return { passport: textOf(value), expiry: "", issued: "" }
  return {
    passport: textOf(value.passport),
    expiry: textOf(value.passport_expiry),
    issued: textOf(value.passport_issued),
  }
}

function readStop(value: unknown): TripStop {
  const { destination, from, to } = isObject(value) ? value : {}
  return { destination: textOf(destination), from: textOf(from), to: textOf(to) }
}

/** Writes a trip as the text of a file. */
export function writeTripFile({ passports, stops, transit, more }: Trip): string {
  const [first, ...others] = passports.map(writePassport)
  const held = others.length === 0 ? first : { passports: [first, ...others] }
  return `${JSON.stringify({ ...held, stops, ...(transit.length === 0 ? {} : { transit }), ...more }, null, 2)}\n`
}

function writePassport({ passport, expiry, issued }: TripPassport): Held {
  return {
    passport,
    ...(expiry === "" ? {} : { passport_expiry: expiry }),
    ...(issued === "" ? {} : { passport_issued: issued }),
  }
}
