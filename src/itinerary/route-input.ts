/**
 * Where does a journey go, and when?
 *
 * Reads the stops and the transit countries of a question, and names every mistake with its path. Stops stand in order; one may begin on
 * the day on which the one before it ends, and not earlier. A code that is spelled right and not in the dataset is no mistake.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import type { Dataset } from "../dataset/open.ts"
import type { InputIssue } from "../errors.ts"
import { fieldsOf, isPlainObject, readObject, refuseOtherFields } from "../requirement/question.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { NO_DATE, readKey, readLength, refuse } from "./input-values.ts"
import type { ZonePlace } from "./rulebook.ts"
import type { ReadPassport } from "./traveller-input.ts"

/** The most stops, and the most transit countries. */
export const MAX_STOPS = 12
/** The longest purpose, in UTF-16 units. */
const MAX_PURPOSE_LENGTH = 100

/** One stay of an itinerary as it is asked about. */
export interface Stop {
  /** ISO 3166-1 alpha-3. */
  readonly destination: string
  /** First day, `YYYY-MM-DD`; counts. */
  readonly from: string
  /** Last day, `YYYY-MM-DD`; counts. */
  readonly to: string
  /** The passport to be used here, one of those given; the best one where it is left out. */
  readonly passport?: string | null | undefined
}

/** Where a journey goes. */
export interface Route {
  /** 1 to 12 stays in order; first and last day both count. */
  readonly stops: readonly Stop[]
  /** At most 12 countries where the traveller only changes. */
  readonly transit?: readonly string[] | null | undefined
  /** Echoed and not modelled; at most 100 characters. */
  readonly purpose?: string | null | undefined
}

/**
 * A stop that was read, or a stay before the first one. What is not readonly is filled while the itinerary is judged.
 *
 * Both have one layout, because V8 reads lists of one layout much faster.
 */
export interface ReadStop {
  readonly destination: string
  readonly key: number
  readonly slot: number
  readonly from: string
  readonly to: string
  readonly firstDay: EpochDay
  readonly lastDay: EpochDay
  /** The passport that has to be used, or null. */
  readonly wantedPassport: string | null
  /** Its place in the list that was given. */
  readonly place: number
  /** Its place among all stays, those before the itinerary first. */
  order: number
  /** The first stay in its country, and the next one. */
  firstHere: ReadStop | null
  nextHere: ReadStop | null
  /** What its country is in a zone, the first stay in that zone, and the next one. */
  zonePlace: ZonePlace | null
  firstInZone: ReadStop | null
  nextInZone: ReadStop | null
  /** The day of leaving the destination, or its zone where the traveller goes on inside it. */
  departureDay: EpochDay
  /** Days in the destination up to here, over all stops. */
  daysAccumulated: number
  /** The passport that is used, and what it gives here. */
  passport: ReadPassport | null
  terms: EntryTerms | null
  /** Whether its days count against what is allowed to visitors. */
  counting: DayCounting
}

/** What is read of a stay. */
export type StayRead = Pick<
  ReadStop,
  "destination" | "key" | "slot" | "from" | "to" | "firstDay" | "lastDay" | "wantedPassport" | "place" | "counting"
>

/** Makes a stay that was read ready to be judged. */
export function toStop(read: StayRead): ReadStop {
  return {
    destination: read.destination,
    key: read.key,
    slot: read.slot,
    from: read.from,
    to: read.to,
    firstDay: read.firstDay,
    lastDay: read.lastDay,
    wantedPassport: read.wantedPassport,
    place: read.place,
    order: 0,
    firstHere: null,
    nextHere: null,
    zonePlace: null,
    firstInZone: null,
    nextInZone: null,
    departureDay: read.lastDay,
    daysAccumulated: 0,
    passport: null,
    terms: null,
    counting: read.counting,
  }
}

/**
 * Whether days count against what is allowed to visitors: `none` at home and under freedom of movement; `certain` for a fixed number of
 * days without a visa; `possible` where it depends on the visa; `permit` where the traveller is there under a permit of the country.
 */
export type DayCounting = "none" | "certain" | "possible" | "permit"

/** A transit country that was read. */
export interface ReadTransit {
  readonly country: string
  readonly key: number
  readonly slot: number
}

/** A route that was read; placeholders where something was refused. */
export interface ReadRoute {
  readonly stops: readonly ReadStop[]
  readonly transit: readonly ReadTransit[]
  readonly purpose: string | null
}

/** The fields of a route, and of one of its stops. */
export const ROUTE_FIELDS = ["stops", "transit", "purpose"] as const
const STOP_FIELDS = /* @__PURE__ */ fieldsOf("destination", "from", "to", "passport")

/** Reads where a journey goes. */
export function readRoute(
  dataset: Dataset,
  { stops, transit, purpose }: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): ReadRoute {
  if (purpose != null && (typeof purpose !== "string" || purpose === "" || purpose.length > MAX_PURPOSE_LENGTH)) {
    refuse(issues, "purpose", purpose, `not a text of 1 to ${MAX_PURPOSE_LENGTH} characters`)
  }
  return {
    stops: readStops(dataset, stops, issues),
    transit: readTransit(dataset, transit, issues),
    purpose: (purpose ?? null) as string | null,
  }
}

function readStops(dataset: Dataset, value: unknown, issues: InputIssue[]): ReadStop[] {
  const length = readLength(value, 1, MAX_STOPS, "stops", issues)
  const stops: ReadStop[] = []
  let previousDay: EpochDay | null = null
  for (let place = 0; place < length; place++) {
    const stop = (value as readonly unknown[])[place]
    if (!isPlainObject(stop)) {
      readObject(stop, `stops[${place}]`, issues)
      continue
    }
    for (const name in stop) {
      // Compared one by one, which is much faster than asking a table, for every field of every stop.
      if (name === "destination" || name === "from" || name === "to" || name === "passport") continue
      refuseOtherFields(stop, STOP_FIELDS, `stops[${place}].`, issues)
      break
    }
    const { destination, from, to, passport } = stop
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
    stops.push(
      toStop({
        destination: destination as string,
        key,
        slot: dataset.destinationSlots[key] as number,
        from: from as string,
        to: to as string,
        firstDay: firstDay ?? 0,
        lastDay: lastDay ?? 0,
        wantedPassport: (passport ?? null) as string | null,
        place,
        counting: "none",
      }),
    )
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
