/**
 * How is a trip written as JSON, and read from it?
 *
 * It is the JSON that `landfall itinerary` and `POST /api/v1/visa/decision` read, by the table of its fields. A file may come from anywhere, so
 * every value is checked: one that the page does not know or could not show is named by its path, and the whole file is refused instead of
 * being judged without it. Dates may be missing, because a trip that is planned may be unfinished.
 */
import { DECISION_REQUEST, type FieldKind, type HeldDocument, isCode, type ObjectKind, parseCivilDate } from "landfall"
import { MOST, NO_TRAVELLER, type Traveller, type Trip } from "./trip.ts"

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

/** Fields that the page does not ask for, in any object or in one. */
const NOT_SHOWN = ["passportBiometric", "passportIdentityNumber", "TransitCountry.by"]

const listShown = ({ fields, name: object }: Pick<ObjectKind, "fields" | "name">) =>
  Object.entries(fields).filter(([name]) => !NOT_SHOWN.includes(name) && !NOT_SHOWN.includes(`${object}.${name}`))

function readFields(of: ObjectKind, value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(path)
  const rows = listShown(of)
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
  const { travellers, stops, transit = [], purpose = "", ...one } = readFields(DECISION_REQUEST, given, "")
  if (travellers !== undefined && Object.keys(one).length > 0) refuse("travellers")
  const [first = NO_TRAVELLER, ...others] =
    travellers === undefined ? [fillTraveller(one, "")] : fillTravellers(travellers)
  const filled = fillDays(stops)
  const named = others.length === 0 ? -1 : filled.findIndex(({ passport }) => passport !== undefined)
  if (named >= 0) refuse(`stops[${named}].passport`)
  return { ...first, others, stops: filled, transit, purpose } as unknown as Trip
}

/** Returns stays that were read, with empty texts for days that are not given. */
const fillDays = (stays: unknown): readonly Fields[] =>
  (stays as readonly Fields[]).map(stay => ({ from: "", to: "", ...stay }))

const fillTravellers = (travellers: unknown): readonly Traveller[] =>
  (travellers as readonly Fields[]).map((each, at) => fillTraveller(each, `travellers[${at}].`))

/** Returns a traveller that was read; his only passport may be given without a list. */
function fillTraveller(given: Fields, path: string): Traveller {
  const { passports = [], held = [], earlierStays = [], residence = "", ...one } = given
  const hasOne = Object.keys(one).length > 0
  if (hasOne && (given.passports !== undefined || one.passport === undefined)) refuse(`${path}passport`)
  const own = { passports: hasOne ? [one] : passports, held, earlierStays: fillDays(earlierStays), residence }
  return own as unknown as Traveller
}

const HELD = DECISION_REQUEST.fields.held.is
const TRAVELLERS = DECISION_REQUEST.fields.travellers.is

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

/*
 * How is a trip written in the page's address? In rows such as `FRA~2027-01-10~2027-02-28`, and as the JSON of the file where there are many fields. Parts that are
 * not understood are left out or, of an earlier stay, left empty.
 */

const { passports, stops, transit, earlierStays } = DECISION_REQUEST.fields

/** Lists whose rows have the fields as columns, in the order of the table. Whether a change is airside is a flag, which has a word for each side. */
const LISTS = { passports: passports.is, stops: stops.is, transit: transit.is, earlier: earlierStays.is }
const AREAS: readonly unknown[] = ["landside", "airside"]

const readRow = (of: Parameters<typeof listShown>[0], cells: readonly string[]): Fields =>
  Object.fromEntries(
    listShown(of).flatMap(([name, { is }], at) => {
      const value = is.kind === "flag" && AREAS.includes(cells[at]) ? cells[at] === AREAS[1] : cells[at]
      return isOfKind(is as Parameters<typeof isOfKind>[0], value) ? [[name, value]] : []
    }),
  )

export function readTripAddress(given: URLSearchParams): Trip {
  const readList = (name: keyof typeof LISTS): readonly Fields[] =>
    (given.get(name) ?? "")
      .split(",")
      .map(row => row.split("~"))
      .filter(cells => (name === "earlier" ? cells.some(cell => cell !== "") : isCode(cells[0])))
      .slice(0, LISTS[name].most)
      .map(cells => readRow(LISTS[name].of, cells))
  const unlessRefused = <Of>(read: () => readonly Of[]): readonly Of[] => {
    try {
      return read()
    } catch {
      return []
    }
  }
  const readJson = (name: string, is: FieldKind) => read(is, JSON.parse(given.get(name) ?? "[]"), "")
  const isFirst = (name: string) => (each: Fields, at: number, all: readonly Fields[]) =>
    all.findIndex(other => other[name] === each[name]) === at
  const passports = readList("passports").filter(isFirst("passport"))
  const others = unlessRefused(() => fillTravellers(readJson("with", TRAVELLERS))).slice(0, MOST.travellers - 1)
  const residence = given.get("residence")
  const stops = fillDays(readList("stops")).map(({ passport, ...stop }: Fields) =>
    others.length === 0 && passports.some(held => held.passport === passport) ? { ...stop, passport } : stop,
  )
  return {
    passports,
    stops,
    transit: readList("transit").filter(isFirst("country")),
    held: unlessRefused(() => readJson("held", HELD) as readonly HeldDocument[]),
    // A stay whose place or days are not understood stays in the table, where it is marked.
    earlierStays: fillDays(readList("earlier")).map(stay => ({ destination: "", ...stay })),
    residence: isCode(residence) ? residence : "",
    others,
    purpose: (given.get("purpose") ?? "").slice(0, MOST.purposeLetters).trim(),
  } as unknown as Trip
}

export function writeTripAddress(trip: Trip): readonly (readonly [name: string, value: string | null])[] {
  const writeRows = (name: keyof typeof LISTS, entries: readonly object[]) => {
    const nameCell = (value: unknown) => (typeof value === "boolean" ? AREAS[Number(value)] : (value ?? ""))
    const columns = listShown(LISTS[name].of).map(([column]) => column)
    const write = (entry: Fields) => columns.map(column => nameCell(entry[column])).join("~")
    return [name, entries.map(entry => write(entry as Fields).replace(/(?<!~)~+$/, "")).join(",")] as const
  }
  const writeJson = (is: FieldKind, value: readonly unknown[]) =>
    value.length === 0 ? null : encodeURIComponent(JSON.stringify(write(is, value)))
  return [
    writeRows("passports", trip.passports),
    writeRows("stops", trip.stops),
    writeRows("transit", trip.transit),
    ["held", writeJson(HELD, trip.held)],
    writeRows("earlier", trip.earlierStays),
    ["residence", trip.residence],
    ["with", writeJson(TRAVELLERS, trip.others.map(withOnePassport))],
    ["purpose", encodeURIComponent(trip.purpose)],
  ]
}
