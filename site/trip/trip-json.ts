/**
 * How is a trip written as JSON, and read from it?
 *
 * It is the JSON that `landfall itinerary` and `POST /api/v1/visa/decision` read, by the table of its fields. A file may come from anywhere, so
 * every value is checked: one that the page does not know or could not show is named by its path, and the whole file is refused instead of
 * being judged without it. Dates may be missing, because a trip that is planned may be unfinished.
 */
import { DECISION_REQUEST, type FieldKind, type HeldDocument, isCode, type ObjectKind, parseCivilDate } from "landfall"
import {
  areaOf,
  MOST,
  NO_PASSPORT,
  NO_STAY,
  NO_STOP,
  NO_TRANSIT,
  NO_TRAVELLER,
  NO_TRIP,
  nameArea,
  PERMITS,
  readKind,
  type Traveller,
  type Trip,
  type TripPassport,
  WAYS,
} from "./trip.ts"

/** A mistake in a file: a message of the page, with the path of the field if it is about one. */
export interface TripMistake {
  readonly message: "trip.file_no_json" | "trip.file_no_trip" | "trip.file_field"
  readonly field: string
}

/** A trip that was read, or its mistake. */
export type ReadTrip =
  | { readonly ok: true; readonly trip: Trip }
  | { readonly ok: false; readonly mistake: TripMistake }

type Fields = Readonly<Record<string, unknown>>

/** A value that cannot be read, by its path. */
class FieldRefused extends Error {}

function refuse(path: string): never {
  throw new FieldRefused(path.replace(/^\./, "").slice(0, 80))
}

/** Reads a value of a kind, with the names of the engine; refuses what is not one. */
function read(is: FieldKind, value: unknown, path: string): unknown {
  if (is.kind === "list") {
    if (!Array.isArray(value) || value.length > is.most) refuse(path)
    return value.map((entry, at) => read(is.of, entry, `${path}[${at}]`))
  }
  if (is.kind === "object") return readFields(is, typeof value === "string" ? bareOf(is, value, path) : value, path)
  return isOfKind(is, value) ? value : refuse(path)
}

function bareOf({ bare, fields }: ObjectKind, value: string, path: string): Fields {
  return { [typeof bare === "string" ? fields[bare]!.wire : refuse(path)]: value }
}

function readFields({ fields }: ObjectKind, value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(path)
  const rows = Object.entries(fields)
  for (const name of Object.keys(value)) if (!rows.some(([, { wire }]) => wire === name)) refuse(`${path}.${name}`)
  const given = value as Fields
  return Object.fromEntries(
    rows.flatMap(([name, { wire, is, need }]) => {
      const held = given[wire] ?? undefined
      const isMissing = held === undefined && (need !== "required" || is.kind === "day")
      return isMissing ? [] : [[name, read(is, held, `${path}.${wire}`)]]
    }),
  )
}

function isOfKind(is: Exclude<FieldKind, ObjectKind | { readonly kind: "list" }>, value: unknown): boolean {
  switch (is.kind) {
    case "code":
      return isCode(value)
    case "day":
      return typeof value === "string" && parseCivilDate(value) !== null
    case "flag":
      return typeof value === "boolean"
    case "word":
      return is.words.includes(value as string)
    case "text":
      return typeof value === "string" && value.trim() !== "" && value.length <= is.most
    case "count": {
      const isCount = Number.isInteger(value) && (value as number) >= is.least && (value as number) <= is.most
      return isCount || (is.word !== undefined && value === is.word)
    }
  }
}

/** Returns the fields that were read, with empty texts for missing ones; refuses fields that the page does not show. */
function fill<Blank extends object>(
  { fields }: Pick<ObjectKind, "fields">,
  blank: Blank,
  given: Fields,
  path: string,
): Blank {
  for (const name in given) if (!(name in blank)) refuse(`${path}.${fields[name]?.wire}`)
  return { ...blank, ...given }
}

function fillAll<Blank extends object>({ wire, is }: ListRow, blank: Blank, entries: unknown): readonly Blank[] {
  return ((entries ?? []) as readonly Fields[]).map((each, at) => fill(is.of, blank, each, `${wire}[${at}]`))
}

interface ListRow {
  readonly wire: string
  readonly is: { readonly of: Pick<ObjectKind, "fields"> }
}

export function readTripFile(text: string): ReadTrip {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { ok: false, mistake: { message: "trip.file_no_json", field: "" } }
  }
  if (typeof given !== "object" || given === null || !("stops" in given) || !Array.isArray(given.stops)) {
    return { ok: false, mistake: { message: "trip.file_no_trip", field: "" } }
  }
  try {
    return { ok: true, trip: readTrip(given) }
  } catch (cause) {
    if (!(cause instanceof FieldRefused)) throw cause
    return { ok: false, mistake: { message: "trip.file_field", field: cause.message } }
  }
}

function readTrip(given: object): Trip {
  const { passports, held, earlierStays, residence, travellers, ...rest } = readFields(DECISION_REQUEST, given, "")
  const { passport, passportExpiry, passportIssued, passportKind, ...route } = rest
  const dates = { passportExpiry, passportIssued, passportKind }
  const one = { passport, ...dates, passports, held, earlierStays, residence }
  const isOfOne = Object.values(one).some(value => value !== undefined)
  if (travellers !== undefined && isOfOne) refuse("travellers")
  const [first = NO_TRAVELLER, ...others] =
    travellers === undefined ? [fillTraveller(one, "")] : fillTravellers(travellers as readonly Fields[])
  const stops = fillAll(DECISION_REQUEST.fields.stops, NO_STOP, route.stops)
  const named = others.length === 0 ? -1 : stops.findIndex(({ passport }) => passport !== "")
  if (named >= 0) refuse(`stops[${named}].passport`)
  const transit = fillAll(DECISION_REQUEST.fields.transit, NO_TRANSIT, route.transit)
  return { ...fill(DECISION_REQUEST, NO_TRIP, route, ""), ...first, others, stops, transit }
}

const fillTravellers = (travellers: readonly Fields[]): readonly Traveller[] =>
  travellers.map((each, at) => fillTraveller(each, `travellers[${at}].`))

/** Returns a traveller that was read; his only passport may be given without a list. */
function fillTraveller(given: Fields, path: string): Traveller {
  const { passport, passportExpiry, passportIssued, passportKind, ...rest } = given
  const own = { passport, passportExpiry, passportIssued, passportKind }
  const one = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const hasOne = Object.keys(one).length > 0
  if (hasOne && (rest.passports !== undefined || passport === undefined)) refuse(`${path}passport`)
  const { fields } = DECISION_REQUEST
  return {
    held: (rest.held ?? []) as Traveller["held"],
    residence: (rest.residence ?? "") as string,
    passports: fillAll(fields.passports, NO_PASSPORT, hasOne ? [one] : rest.passports),
    earlierStays: fillAll(fields.earlierStays, NO_STAY, rest.earlierStays),
  }
}

const HELD = DECISION_REQUEST.fields.held.is

/** Reads only held documents, as in an address; none if any of them is refused. */
function readHeldDocuments(value: unknown): readonly HeldDocument[] {
  try {
    return read(HELD, value, "") as readonly HeldDocument[]
  } catch {
    return []
  }
}

const TRAVELLERS = DECISION_REQUEST.fields.travellers.is

/** Reads only travellers, as in an address; none if any of them is refused. */
function readTravellers(value: unknown): readonly Traveller[] {
  try {
    return fillTravellers(read(TRAVELLERS, value, "") as readonly Fields[])
  } catch {
    return []
  }
}

/** Writes travellers by the names of the file. */
const describeTravellers = (travellers: readonly Traveller[]): unknown =>
  write(TRAVELLERS, travellers.map(withOnePassport))

/** Writes held documents by the names of the file. */
function describeHeldDocuments(held: readonly HeldDocument[]): unknown {
  return write(HELD, held)
}

// Without what is empty, which was not given.
function write(is: FieldKind, value: unknown): unknown {
  if (is.kind === "list") return (value as readonly unknown[]).map(entry => write(is.of, entry))
  if (is.kind !== "object" || typeof value === "string") return value
  const rows = Object.entries(is.fields).flatMap(([name, row]) => {
    const held = (value as Fields)[name] ?? ""
    return held === "" || (name !== "stops" && Array.isArray(held) && held.length === 0)
      ? []
      : [[row.wire, write(row.is, held)]]
  })
  const [[, only] = []] = rows
  return is.name === "TransitCountry" && rows.length === 1 ? only : Object.fromEntries(rows)
}

/** A single passport is written without a list. */
const withOnePassport = <Of extends Traveller>({ passports, ...traveller }: Of) =>
  passports.length === 1 ? { ...traveller, ...passports[0] } : { ...traveller, passports }

export function writeTripFile({ others, ...trip }: Trip): string {
  const { stops, transit, purpose } = trip
  const request =
    others.length === 0
      ? withOnePassport(trip)
      : { stops, transit, purpose, travellers: [trip, ...others].map(withOnePassport) }
  return `${JSON.stringify(write(DECISION_REQUEST, request), null, 2)}\n`
}

/* How is a trip written in the page's address? In rows such as `FRA~2027-01-10~2027-02-28`; parts that are not understood are left out or, of an earlier stay, left empty. */

export function readTripAddress(given: URLSearchParams): Trip {
  const split = (name: string) => (given.get(name) ?? "").split(",").map(row => row.split("~"))
  const rows = (name: string, most: number) =>
    split(name)
      .filter(([code]) => isCode(code))
      .slice(0, most)
  const passports = rows("passports", MOST.passports).map(
    ([passport = "", expiry, issued, kind]): TripPassport => ({
      passport,
      passportExpiry: readDate(expiry),
      passportIssued: readDate(issued),
      passportKind: readKind(kind ?? null),
    }),
  )
  const residence = given.get("residence")
  const others = readOthers(given.get("with"))
  return {
    passports: passports.filter(({ passport }, at) => passports.findIndex(other => other.passport === passport) === at),
    stops: rows("stops", MOST.stops).map(([destination = "", from, to, passport, by]) => ({
      destination,
      from: readDate(from),
      to: readDate(to),
      by: WAYS.find(way => way === by) ?? "",
      passport: others.length === 0 && passports.some(held => held.passport === passport) ? (passport as string) : "",
    })),
    transit: rows("transit", MOST.transit)
      .map(([country = "", area]) => ({ country, airside: areaOf(area) }))
      .filter(({ country }, at, all) => all.findIndex(other => other.country === country) === at),
    held: readHeld(given.get("held")),
    // A stay whose place or days are not understood stays in the table, where it is marked.
    earlierStays: split("earlier")
      .filter(row => row.some(part => part !== ""))
      .slice(0, MOST.earlierStays)
      .map(([destination, from, to, permit]) => ({
        destination: isCode(destination) ? destination : "",
        from: readDate(from),
        to: readDate(to),
        permit: PERMITS.find(known => known === permit) ?? "",
      })),
    residence: isCode(residence) ? residence : "",
    others,
    purpose: (given.get("purpose") ?? "").slice(0, MOST.purposeLetters).trim(),
  }
}

function readDate(text: string | undefined): string {
  return text !== undefined && parseCivilDate(text) !== null ? text : ""
}

function readHeld(text: string | null): Trip["held"] {
  try {
    return text === null ? [] : readHeldDocuments(JSON.parse(text))
  } catch {
    return []
  }
}

function readOthers(text: string | null): Trip["others"] {
  try {
    return text === null ? [] : readTravellers(JSON.parse(text)).slice(0, MOST.travellers - 1)
  } catch {
    return []
  }
}

export function writeTripAddress(trip: Trip): readonly (readonly [name: string, value: string | null])[] {
  const row = (...values: readonly string[]) => values.join("~").replace(/(?<!~)~+$/, "")
  const held = trip.held.length === 0 ? null : encodeURIComponent(JSON.stringify(describeHeldDocuments(trip.held)))
  return [
    [
      "passports",
      trip.passports
        .map(held => row(held.passport, held.passportExpiry, held.passportIssued, held.passportKind))
        .join(","),
    ],
    ["stops", trip.stops.map(stop => row(stop.destination, stop.from, stop.to, stop.passport, stop.by)).join(",")],
    ["transit", trip.transit.map(({ country, airside }) => row(country, nameArea(airside))).join(",")],
    ["held", held],
    ["earlier", trip.earlierStays.map(stay => row(stay.destination, stay.from, stay.to, stay.permit)).join(",")],
    ["residence", trip.residence],
    ["with", trip.others.length === 0 ? null : encodeURIComponent(JSON.stringify(describeTravellers(trip.others)))],
    ["purpose", encodeURIComponent(trip.purpose)],
  ]
}
