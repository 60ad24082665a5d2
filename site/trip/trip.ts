/**
 * What is a trip while it is planned, and how does it stand in the page's address?
 *
 * A trip is what the engine decides on, half-finished things allowed: a stop without dates is a stop. Fields that the page has no form for
 * are carried along untouched, so that a file that came in goes out whole.
 */
import { isCode, parseCivilDate } from "landfall"

/** A passport of the traveller; dates are empty where they are not given. */
export interface TripPassport {
  readonly passport: string
  readonly expiry: string
  readonly issued: string
}

/** One stay; dates are empty where they are not given. */
export interface TripStop {
  readonly destination: string
  readonly from: string
  readonly to: string
}

/** A trip that is planned. */
export interface Trip {
  readonly passports: readonly TripPassport[]
  readonly stops: readonly TripStop[]
  readonly transit: readonly string[]
  /** Further fields by their names in a file (`held`, `residence`, `purpose` …), as they came. */
  readonly more: Readonly<Record<string, unknown>>
}

/** A trip before anything is planned. */
export const NO_TRIP: Trip = { passports: [], stops: [], transit: [], more: {} }

/** The most stops, transit countries and passports that the engine judges. */
export const MOST = { stops: 12, transit: 12, passports: 10 } as const

/** Reads a trip from an address. */
export function readTripAddress(given: URLSearchParams): Trip {
  const rows = (name: string, most: number) =>
    (given.get(name) ?? "")
      .split(",")
      .map(row => row.split("~"))
      .filter(([code]) => isCode(code))
      .slice(0, most)
  return {
    passports: rows("passports", MOST.passports).map(([passport = "", expiry, issued]) => ({
      passport,
      expiry: readDate(expiry),
      issued: readDate(issued),
    })),
    stops: rows("stops", MOST.stops).map(([destination = "", from, to]) => ({
      destination,
      from: readDate(from),
      to: readDate(to),
    })),
    transit: rows("transit", MOST.transit).map(([code = ""]) => code),
    more: readMore(given.get("more")),
  }
}

function readDate(text: string | undefined): string {
  return text !== undefined && parseCivilDate(text) !== null ? text : ""
}

function readMore(text: string | null): Trip["more"] {
  try {
    const value: unknown = JSON.parse(text ?? "{}")
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Writes a trip for an address. */
export function writeTripAddress(trip: Trip): readonly (readonly [name: string, value: string | null])[] {
  const row = (...values: readonly string[]) => values.join("~").replace(/~+$/, "")
  const more = Object.keys(trip.more).length === 0 ? null : encodeURIComponent(JSON.stringify(trip.more))
  return [
    ["passports", trip.passports.map(({ passport, expiry, issued }) => row(passport, expiry, issued)).join(",")],
    ["stops", trip.stops.map(({ destination, from, to }) => row(destination, from, to)).join(",")],
    ["transit", trip.transit.join(",")],
    ["more", more],
  ]
}
