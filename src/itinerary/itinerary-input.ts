/**
 * Is this an itinerary that can be judged?
 *
 * Reads what a caller of any type hands in, each value once, and names every mistake with its path. Stops stand in order; one may begin on
 * the day on which the one before it ends, and not earlier. Everything is bounded: stops, transit countries, passports, dates
 * (1900 to 2199). A code that is spelled right and not in the dataset is no mistake.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { type Dataset, MALFORMED_SLOT } from "../dataset/open.ts"
import { describe, type InputIssue } from "../errors.ts"
import { MAX_PASSPORTS, readObject } from "../requirement/question.ts"

/** The most stops, and the most transit countries. */
export const MAX_STOPS = 12
/** The longest purpose, in UTF-16 units. */
const MAX_PURPOSE_LENGTH = 100

/** A passport and its dates (`YYYY-MM-DD`), null where they are not given. */
export interface HeldPassport {
  readonly passport: string
  /** Last day of validity. */
  readonly passportExpiry: string | null
  /** Day of issue. */
  readonly passportIssued: string | null
}

/** A passport as it may be given: dates are optional. */
export interface GivenPassport {
  readonly passport: string
  readonly passportExpiry?: string | null | undefined
  readonly passportIssued?: string | null | undefined
}

/** A question about one traveller: either one passport with its dates, or `passports`. */
export interface ItineraryRequest extends Partial<GivenPassport> {
  /** 1 to 10 distinct passports of the same traveller, with their dates or as bare codes. */
  readonly passports?: readonly (GivenPassport | string)[] | undefined
  /** 1 to 12 stays in order; first and last day both count. */
  readonly stops: readonly { readonly destination: string; readonly from: string; readonly to: string }[]
  /** At most 12 countries where the traveller only changes. */
  readonly transit?: readonly string[] | null | undefined
  /** Echoed and not modelled. */
  readonly residence?: string | null | undefined
  /** Echoed and not modelled; at most 100 characters. */
  readonly purpose?: string | null | undefined
}

/** A passport that was read. */
export interface ReadPassport {
  readonly held: HeldPassport
  /** Index in the dataset, or one of its slots for codes that have none. */
  readonly slot: number
  readonly expiryDay: EpochDay | null
  readonly issuedDay: EpochDay | null
  /** What stands before its fields in a path. */
  readonly path: string
  /** The last stop that it was chosen for, or -1. */
  lastStep: number
}

/** A stop that was read. The last three fields are filled while the itinerary is judged. */
export interface ReadStop {
  readonly destination: string
  readonly key: number
  readonly slot: number
  readonly from: string
  readonly to: string
  readonly firstDay: EpochDay
  readonly lastDay: EpochDay
  /** The day of leaving the destination, or its zone where the traveller goes on inside it. */
  departureDay: EpochDay
  /** Days in the destination up to here, over all stops. */
  daysAccumulated: number
  isVisitorStay: boolean
}

/** A transit country that was read. */
export interface ReadTransit {
  readonly country: string
  readonly key: number
  readonly slot: number
}

/** An itinerary that was read; placeholders where something was refused. */
export interface ReadItinerary {
  readonly passports: readonly ReadPassport[]
  readonly stops: readonly ReadStop[]
  readonly transit: readonly ReadTransit[]
  readonly residence: string | null
  readonly purpose: string | null
}

/** Reads an itinerary and reports what it refuses. */
export function readItinerary(dataset: Dataset, request: unknown, issues: InputIssue[]): ReadItinerary {
  const known = issues.length
  const given = readObject(request, "", issues)
  if (issues.length > known) return { passports: [], stops: [], transit: [], residence: null, purpose: null }
  const { residence, purpose } = given
  if (residence != null) readKey(residence, "residence", issues)
  if (purpose != null && (typeof purpose !== "string" || purpose === "" || purpose.length > MAX_PURPOSE_LENGTH)) {
    refuse(issues, "purpose", purpose, `no text of 1 to ${MAX_PURPOSE_LENGTH} characters`)
  }
  return {
    passports: readPassports(dataset, given, issues),
    stops: readStops(dataset, given.stops, issues),
    transit: readTransit(dataset, given.transit, issues),
    residence: (residence ?? null) as string | null,
    purpose: (purpose ?? null) as string | null,
  }
}

function refuse(issues: InputIssue[], path: string, value: unknown, what: string): void {
  issues.push({ path, message: `${describe(value)} is ${what}.` })
}

// The key of a code, a placeholder when it is refused.
function readKey(code: unknown, path: string, issues: InputIssue[]): number {
  const key = codeKey(code)
  if (key === MALFORMED_KEY) refuse(issues, path, code, "no ISO 3166-1 alpha-3 code: three capital letters")
  return key
}

const NO_DATE = "no calendar date YYYY-MM-DD from 1900 to 2199"

function readOptionalDay(value: unknown, path: string, issues: InputIssue[]): EpochDay | null {
  if (value == null) return null
  const day = parseCivilDate(value)
  if (day === null) refuse(issues, path, value, NO_DATE)
  return day
}

// The length of a list, or -1 when it is refused.
function readLength(value: unknown, least: number, most: number, path: string, issues: InputIssue[]): number {
  if (!Array.isArray(value)) {
    refuse(issues, path, value, "no array")
    return -1
  }
  // As a number: a proxy's length may be anything, and another one each time that it is compared.
  const length = Number(value.length)
  if (length >= least && length <= most) return length
  issues.push({ path, message: `${least} to ${most} entries are expected, not ${length}.` })
  return -1
}

function readPassports(
  dataset: Dataset,
  { passports, passport, passportExpiry, passportIssued }: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): ReadPassport[] {
  if (passports == null) return [readPassport(dataset, { passport, passportExpiry, passportIssued }, "", issues)]
  if (passport != null || passportExpiry != null || passportIssued != null) {
    const message = "Give either one passport with its dates, or the list of passports, each with its own."
    issues.push({ path: "passports", message })
  }
  const length = readLength(passports, 1, MAX_PASSPORTS, "passports", issues)
  const read: ReadPassport[] = []
  for (let place = 0; place < length; place++) {
    const path = `passports[${place}]`
    const value = (passports as readonly unknown[])[place]
    const known = issues.length
    const given = typeof value === "string" ? { passport: value } : readObject(value, path, issues)
    if (issues.length > known) continue
    const one = readPassport(dataset, given, `${path}.`, issues)
    if (one.slot !== MALFORMED_SLOT && read.some(other => other.held.passport === one.held.passport)) {
      refuse(issues, `${path}.passport`, one.held.passport, "given twice")
    }
    read.push(one)
  }
  return read
}

function readPassport(
  dataset: Dataset,
  { passport, passportExpiry, passportIssued }: Readonly<Record<string, unknown>>,
  path: string,
  issues: InputIssue[],
): ReadPassport {
  const key = readKey(passport, `${path}passport`, issues)
  const expiryDay = readOptionalDay(passportExpiry, `${path}passportExpiry`, issues)
  const issuedDay = readOptionalDay(passportIssued, `${path}passportIssued`, issues)
  if (expiryDay !== null && issuedDay !== null && issuedDay > expiryDay) {
    refuse(issues, `${path}passportIssued`, passportIssued, "after the day of expiry")
  }
  return {
    held: { passport, passportExpiry: passportExpiry ?? null, passportIssued: passportIssued ?? null } as HeldPassport,
    slot: dataset.passportSlots[key] as number,
    expiryDay,
    issuedDay,
    path,
    lastStep: -1,
  }
}

function readStops(dataset: Dataset, value: unknown, issues: InputIssue[]): ReadStop[] {
  const length = readLength(value, 1, MAX_STOPS, "stops", issues)
  const stops: ReadStop[] = []
  let previousDay: EpochDay | null = null
  for (let place = 0; place < length; place++) {
    const stop = (value as readonly unknown[])[place]
    if (typeof stop !== "object" || stop === null || Array.isArray(stop)) {
      refuse(issues, `stops[${place}]`, stop, "no object")
      continue
    }
    const { destination, from, to } = stop as Readonly<Record<string, unknown>>
    const key = codeKey(destination)
    if (key === MALFORMED_KEY) readKey(destination, `stops[${place}].destination`, issues)
    const firstDay = parseCivilDate(from)
    const lastDay = parseCivilDate(to)
    if (firstDay === null) refuse(issues, `stops[${place}].from`, from, NO_DATE)
    else if (previousDay !== null && firstDay < previousDay) {
      const what = "before the end of an earlier stop: stops stand in order, and may touch but not overlap"
      refuse(issues, `stops[${place}].from`, from, what)
    }
    if (lastDay === null) refuse(issues, `stops[${place}].to`, to, NO_DATE)
    else {
      if (firstDay !== null && lastDay < firstDay) {
        refuse(issues, `stops[${place}].to`, to, `before the first day of the stop, ${from}`)
      }
      if (previousDay === null || lastDay > previousDay) previousDay = lastDay
    }
    stops.push({
      destination: destination as string,
      key,
      slot: dataset.destinationSlots[key] as number,
      from: from as string,
      to: to as string,
      firstDay: firstDay ?? 0,
      lastDay: lastDay ?? 0,
      departureDay: lastDay ?? 0,
      daysAccumulated: 0,
      isVisitorStay: false,
    })
  }
  return stops
}

function readTransit(dataset: Dataset, value: unknown, issues: InputIssue[]): ReadTransit[] {
  const length = value == null ? 0 : readLength(value, 0, MAX_STOPS, "transit", issues)
  const transit: ReadTransit[] = []
  for (let place = 0; place < length; place++) {
    const country = (value as readonly unknown[])[place]
    const key = codeKey(country)
    if (key === MALFORMED_KEY) readKey(country, `transit[${place}]`, issues)
    transit.push({ country: country as string, key, slot: dataset.destinationSlots[key] as number })
  }
  return transit
}
