/**
 * Which trips, or which stays, do flights make?
 *
 * A trip begins where the first flight leaves, and ends with the flight back to that country. Between two flights the traveller is in the country of the airport, from the day of
 * arrival to the day of departure, both by the clocks of the place. A change of planes within a day is a transit; a flight back to where the last one came from is none. Whoever flies from another country than the last one
 * has crossed a border on a day that nobody knows: the trip ends there.
 */
import type { Report } from "./read-lines.ts"

/** One end of a flight: an airport with its country, the local day, and the instant if it is known. */
export interface FlightEnd {
  readonly airport: string
  readonly country: string
  readonly day: string
  readonly atMs: number | null
}

export interface Flight {
  readonly from: FlightEnd
  readonly to: FlightEnd
  /** Its place in the file, such as `line 12`. */
  readonly place: string
}

/** A stay in a country, first and last day both counted; no last day where the file does not say it. */
export interface MadeStay {
  readonly destination: string
  readonly from: string
  readonly to: string | null
}

/** A stay whose last day is known. */
export interface WholeStay extends MadeStay {
  readonly to: string
}

/** A journey from a country. */
export interface MadeTrip {
  readonly origin: string
  readonly stops: readonly MadeStay[]
  readonly transit: readonly string[]
}

/** A request has no more stops. */
const MOST_STOPS = 12
const DAY_MS = 86_400_000

const name = ({ from, to }: Flight): string => `${from.airport} to ${to.airport}, ${from.day}`

function isWithinDay(arrival: FlightEnd, departure: FlightEnd): boolean {
  if (arrival.atMs !== null && departure.atMs !== null) return departure.atMs - arrival.atMs < DAY_MS
  return arrival.day === departure.day
}

/** Makes trips of flights, in the order of their days. */
export function makeTrips(given: readonly Flight[], report: Report): readonly MadeTrip[] {
  const flights = sortFlights(given)
  const trips: MadeTrip[] = []
  let origin: string | null = null
  let stops: MadeStay[] = []
  let transit: string[] = []
  const end = () => {
    if (origin !== null && stops.length > MOST_STOPS) {
      report.leftOut.add(
        `the trip from ${origin} on ${stops[0]?.from}: it has ${stops.length} stops, at most ${MOST_STOPS} are judged together`,
      )
    } else if (origin !== null && stops.length > 0)
      trips.push({ origin, stops, transit: [...new Set(transit)].slice(0, MOST_STOPS) })
    origin = null
    stops = []
    transit = []
  }
  for (const [at, flight] of flights.entries()) {
    const { from, to } = flight
    origin ??= from.country
    const next = flights[at + 1]
    if (to.country === origin) {
      if (
        next !== undefined &&
        next.from.country === origin &&
        isWithinDay(to, next.from) &&
        next.to.country !== origin
      ) {
        report.assumed.add(`the trip ends in ${origin} on ${to.day}, and the next one begins there on ${next.from.day}`)
      }
      end()
      continue
    }
    if (next === undefined) {
      stops.push({ destination: to.country, from: to.day, to: null })
      report.assumed.add(`no flight leaves ${to.country} after ${to.day}: the stay has no known end`)
      end()
      continue
    }
    if (next.from.country !== to.country) {
      stops.push({ destination: to.country, from: to.day, to: null })
      report.leftOut.add(
        `how the traveller came from ${to.country} to ${next.from.country} between ${to.day} and ${next.from.day}: the trip ends there`,
      )
      end()
      continue
    }
    if (next.from.day < to.day) {
      report.leftOut.add(`the flight ${name(next)} (${next.place}): it leaves before ${name(flight)} has arrived`)
      continue
    }
    if (isWithinDay(to, next.from) && next.to.country !== to.country && next.to.country !== from.country) {
      if (to.day !== next.from.day || to.atMs === null) {
        report.assumed.add(`the change of planes at ${to.airport} on ${to.day} is a transit, not a stop`)
      }
      transit.push(to.country)
      continue
    }
    const last = stops.at(-1)
    const stay = { destination: to.country, from: to.day, to: next.from.day }
    // A flight inside a country ends no stay there.
    const isInside = from.country === to.country && last?.destination === to.country && last.to === from.day
    if (isInside) stops[stops.length - 1] = { ...last, to: stay.to }
    else stops.push(stay)
  }
  end()
  return trips
}

// By the instants of leaving where all are known: behind the date line a later flight may leave on an earlier day.
function sortFlights(flights: readonly Flight[]): readonly Flight[] {
  const haveInstants = flights.every(({ from }) => from.atMs !== null)
  const whenOf = ({ from }: Flight): number => (haveInstants ? Number(from.atMs) : Date.parse(from.day))
  return flights.toSorted((a, b) => whenOf(a) - whenOf(b))
}

/** The stays of all trips and of the time between them at home, for a counter of days. */
export function listStays(trips: readonly MadeTrip[], report: Report): readonly WholeStay[] {
  return trips.flatMap(({ stops }) =>
    stops.flatMap(({ destination, from, to }) => {
      if (to !== null) return [{ destination, from, to }]
      report.leftOut.add(`the stay in ${destination} from ${from}: its last day is not known`)
      return []
    }),
  )
}
