/**
 * How is a trip written as JSON, and read from it?
 *
 * It is the JSON that `landfall itinerary` and `POST /api/v1/visa/decision` read: names in snake_case, dates as `YYYY-MM-DD`. A
 * file may come from anywhere, so every value is checked: one that the page does not know or could not show is named by its path,
 * and the whole file is refused instead of being judged without it.
 */
import { type HeldDocument, isCode, parseCivilDate } from "landfall"
import { type EarlierStay, MOST, PERMITS, type Trip, type TripPassport, type TripStop } from "./trip.ts"

/** What is wrong with a file: a message of the page, with the path of the field where it is about one. */
export interface TripMistake {
  readonly message: "trip.file_no_json" | "trip.file_no_trip" | "trip.file_travellers" | "trip.file_field"
  readonly field: string
}

/** A trip that was read, or what is wrong with it. */
export type ReadTrip =
  | { readonly ok: true; readonly trip: Trip }
  | { readonly ok: false; readonly mistake: TripMistake }

type Fields = Readonly<Record<string, unknown>>

const DOCUMENT_NAMES = {
  kind: "kind",
  issuer: "issuer",
  type: "type",
  valid_from: "validFrom",
  valid_until: "validUntil",
  entries: "entries",
  duration_of_stay_days: "durationOfStayDays",
  used: "used",
  permanent: "permanent",
  electronic: "electronic",
} as const satisfies Record<string, keyof HeldDocument>

const isDate = (text: string) => parseCivilDate(text) !== null
const isShort = (most: number) => (text: string) => text.trim() !== "" && text.length <= most
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST.count
const isText = (holds: (text: string) => boolean) => (value: unknown) => typeof value === "string" && holds(value)
const isFlag = (value: unknown) => typeof value === "boolean"

const DOCUMENT_RULES: Readonly<Record<keyof typeof DOCUMENT_NAMES, (value: unknown) => boolean>> = {
  kind: value => value === "visa" || value === "residence_permit",
  issuer: isCode,
  type: isText(isShort(MOST.typeLetters)),
  valid_from: isText(isDate),
  valid_until: isText(isDate),
  entries: value => value === "multiple" || isCount(value),
  duration_of_stay_days: isCount,
  used: isFlag,
  permanent: isFlag,
  electronic: isFlag,
}

/** Reads values, and keeps the path of the first that is refused. */
class TripReader {
  refused: string | null = null

  refuse(path: string): void {
    this.refused ??= path
  }

  /** Reads an object, and refuses fields that it does not have. */
  fields(value: unknown, names: readonly string[], path: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.refuse(path)
      return {}
    }
    for (const name of Object.keys(value)) if (!names.includes(name)) this.refuse(`${path}.${name}`)
    return value as Fields
  }

  /** Reads a text; empty where there is none. */
  text(value: unknown, holds: (text: string) => boolean, path: string): string {
    if (value === undefined || value === null) return ""
    if (typeof value === "string" && holds(value)) return value
    this.refuse(path)
    return ""
  }

  /** Reads a code that has to be there. */
  code(value: unknown, path: string): string {
    if (isCode(value)) return value
    this.refuse(path)
    return ""
  }

  list<Item>(value: unknown, most: number, path: string, read: (item: unknown, path: string) => Item): readonly Item[] {
    if (value === undefined || value === null) return []
    if (!Array.isArray(value) || value.length > most) {
      this.refuse(path)
      return []
    }
    return value.map((item, place) => read(item, `${path}[${place}]`))
  }

  readonly passport = (value: unknown, path: string): TripPassport => {
    const given = typeof value === "string" ? { passport: value } : this.fields(value, PASSPORT_FIELDS, path)
    return this.passportOf(given as Fields, `${path}.`)
  }

  passportOf({ passport, passport_expiry: expiry, passport_issued: issued }: Fields, path: string): TripPassport {
    return {
      passport: this.code(passport, `${path}passport`),
      expiry: this.text(expiry, isDate, `${path}passport_expiry`),
      issued: this.text(issued, isDate, `${path}passport_issued`),
    }
  }

  readonly stop = (value: unknown, path: string): TripStop => {
    const { destination, from, to, passport } = this.fields(value, STOP_FIELDS, path)
    return {
      destination: this.code(destination, `${path}.destination`),
      from: this.text(from, isDate, `${path}.from`),
      to: this.text(to, isDate, `${path}.to`),
      passport: this.text(passport, isCode, `${path}.passport`),
    }
  }

  readonly earlierStay = (value: unknown, path: string): EarlierStay => {
    const { destination, from, to, permit } = this.fields(value, STAY_FIELDS, path)
    const known = PERMITS.find(each => each === (permit ?? ""))
    if (known === undefined) this.refuse(`${path}.permit`)
    return {
      destination: this.code(destination, `${path}.destination`),
      from: this.text(from, isDate, `${path}.from`),
      to: this.text(to, isDate, `${path}.to`),
      permit: known ?? "",
    }
  }

  readonly document = (value: unknown, path: string): HeldDocument => {
    const given = this.fields(value, Object.keys(DOCUMENT_NAMES), path)
    const read: Record<string, unknown> = {}
    for (const name of Object.keys(DOCUMENT_NAMES) as (keyof typeof DOCUMENT_NAMES)[]) {
      const held = given[name] ?? undefined
      const isNeeded = name === "kind" || name === "issuer"
      if (held === undefined && !isNeeded) continue
      if (DOCUMENT_RULES[name](held)) read[DOCUMENT_NAMES[name]] = held
      else this.refuse(`${path}.${name}`)
    }
    return read as unknown as HeldDocument
  }
}

const PASSPORT_FIELDS = ["passport", "passport_expiry", "passport_issued"]
const STOP_FIELDS = ["destination", "from", "to", "passport"]
const STAY_FIELDS = ["destination", "from", "to", "permit"]
const TRIP_FIELDS = ["passports", "stops", "transit", "held", "earlier_stays", "residence", "purpose"]

/** Reads the text of a file. */
export function readTripFile(text: string): ReadTrip {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { ok: false, mistake: { message: "trip.file_no_json", field: "" } }
  }
  return readTrip(given)
}

function readTrip(value: unknown): ReadTrip {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  if (isObject && "travellers" in value) return { ok: false, mistake: { message: "trip.file_travellers", field: "" } }
  if (!isObject || !("stops" in value) || !Array.isArray(value.stops)) {
    return { ok: false, mistake: { message: "trip.file_no_trip", field: "" } }
  }
  const reader = new TripReader()
  const given: Fields = reader.fields(value, [...TRIP_FIELDS, ...PASSPORT_FIELDS], "")
  const isOne = given.passports === undefined || given.passports === null
  const hasOne = PASSPORT_FIELDS.some(name => (given[name] ?? null) !== null)
  if (!isOne && hasOne) reader.refuse("passport")
  const trip: Trip = {
    passports: isOne
      ? hasOne
        ? [reader.passportOf(given, "")]
        : []
      : reader.list(given.passports, MOST.passports, "passports", reader.passport),
    stops: reader.list(given.stops, MOST.stops, "stops", reader.stop),
    transit: reader.list(given.transit, MOST.transit, "transit", (code, path) => reader.code(code, path)),
    held: readDocuments(given.held, reader),
    earlierStays: reader.list(given.earlier_stays, MOST.earlierStays, "earlier_stays", reader.earlierStay),
    residence: reader.text(given.residence, isCode, "residence"),
    purpose: reader.text(given.purpose, isShort(MOST.purposeLetters), "purpose"),
  }
  const { refused } = reader
  return refused === null
    ? { ok: true, trip }
    : { ok: false, mistake: { message: "trip.file_field", field: refused.replace(/^\./, "").slice(0, 80) } }
}

function readDocuments(value: unknown, reader: TripReader): readonly HeldDocument[] {
  return reader.list(value, MOST.held, "held", reader.document)
}

/** Reads held documents alone, as in an address; none where any of them is refused. */
export function readHeldDocuments(value: unknown): readonly HeldDocument[] {
  const reader = new TripReader()
  const held = readDocuments(value, reader)
  return reader.refused === null ? held : []
}

/** Writes held documents by the names of the file. */
export function describeHeldDocuments(held: readonly HeldDocument[]): readonly Fields[] {
  return held.map(document =>
    Object.fromEntries(
      Object.entries(DOCUMENT_NAMES).flatMap(([name, field]) =>
        document[field] === undefined ? [] : [[name, document[field]]],
      ),
    ),
  )
}

/** Writes a trip as the text of a file. */
export function writeTripFile({ passports, stops, transit, held, earlierStays, residence, purpose }: Trip): string {
  const [first, ...others] = passports.map(({ passport, expiry, issued }) =>
    keepGiven({ passport, passport_expiry: expiry, passport_issued: issued }),
  )
  const trip = {
    ...(others.length === 0 ? first : { passports: [first, ...others] }),
    stops: stops.map(keepGiven),
    ...(transit.length === 0 ? {} : { transit }),
    ...(held.length === 0 ? {} : { held: describeHeldDocuments(held) }),
    ...(earlierStays.length === 0 ? {} : { earlier_stays: earlierStays.map(keepGiven) }),
    ...keepGiven({ residence, purpose }),
  }
  return `${JSON.stringify(trip, null, 2)}\n`
}

function keepGiven(fields: object): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
}
