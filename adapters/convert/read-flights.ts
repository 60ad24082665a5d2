/**
 * Which flights are in the segments of a booking, as reservation systems print them and agents paste them?
 *
 * A line is a segment if it has a flight, a day, two airports and two times: `1 AF 276 Y 01MAR 1 CDGNRT HK1 1105 0840+1`. Times are those of the airports. The day of arrival is that of
 * leaving unless the line says another: `+1`, Galileo's `#`, or a second date. A line without a year needs one from the caller.
 */
import { parseCivilDate } from "../../src/index.ts"
import type { Flight, FlightEnd } from "./make-trips.ts"
import type { Places } from "./places.ts"
import { type Line, OTHER_ORDER, type Report, readLines, readNamedRows, refuse } from "./read-lines.ts"

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const MOST_SEGMENTS = 10_000

const DATE = /\b(\d{1,2})(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(\d{4}|\d{2})?\b/g
const FLIGHT = /(?:^|\s)(?:[A-Z][A-Z0-9]|[0-9][A-Z])\s{0,3}\d{1,4}\s?[A-Z]?(?=\s|$)/
const AIRPORTS = /(?:^|[\s*])([A-Z]{3})[-/ ]?([A-Z]{3})(?=[\s*]|$)/g
const TIMES = /(?:^|\s)(#|\*)?\s?(\d{1,2}:?\d{2})([AP])?M?(?=[\s+#*-]|$)/g
const CANCELLED = /\b(?:UN|UC|NO|HX|XX|XK)\d{1,2}\b/
const WAITING = /\b(?:HL|LL|US|UU|KL|TL|WL|NN|SA)\d{1,2}\b/

/** Reads the segments of a booking; `year` is that of the first one where lines have none. */
export async function readBooking(
  input: AsyncIterable<Uint8Array>,
  { places, year }: { readonly places: Places; readonly year: number | undefined },
  report: Report,
): Promise<readonly Flight[]> {
  const flights: Flight[] = []
  let last: string | null = null
  for await (const line of readLines(input)) {
    if (line.text.trim() === "") continue
    report.entries++
    const segment = readSegment(line, places)
    if (segment === null) {
      report.leftOut.add(
        `line ${line.line}: it is no flight segment (${JSON.stringify(line.text.trim().slice(0, 50))})`,
      )
      continue
    }
    if (CANCELLED.test(segment.rest)) {
      report.leftOut.add(`line ${line.line}: the segment ${segment.from}-${segment.to} is cancelled or not confirmed`)
      continue
    }
    if (WAITING.test(segment.rest))
      report.assumed.add(
        `line ${line.line}: the segment ${segment.from}-${segment.to} is waitlisted or requested; it is taken as flown`,
      )
    const day = datedDay(segment.leaves, { line, year, last }, report)
    last = day
    const arrival =
      segment.arrives === null
        ? addDays(day, segment.daysLater)
        : datedDay(segment.arrives, { line, year, last: day }, report)
    flights.push({
      from: endAt(segment.from, day, places),
      to: endAt(segment.to, arrival, places),
      place: `line ${line.line}`,
    })
    if (flights.length > MOST_SEGMENTS)
      throw refuse(line.line, `a booking of more than ${MOST_SEGMENTS.toLocaleString("en")} segments.`)
  }
  return flights
}

const endAt = (airport: string, day: string, places: Places): FlightEnd => ({
  ...{ airport, day, atMs: null },
  country: places.countryOf(airport) as string,
})

interface Dated {
  readonly day: number
  readonly month: number
  readonly year: number | null
}

interface Segment {
  readonly from: string
  readonly to: string
  readonly leaves: Dated
  readonly arrives: Dated | null
  readonly daysLater: number
  readonly rest: string
}

function readSegment({ text }: Line, places: Places): Segment | null {
  const line = text.toUpperCase()
  const dates = [...line.matchAll(DATE)]
  const [first, second] = dates
  if (first === undefined || !FLIGHT.test(line.slice(0, first.index))) return null
  const behind = line.slice(first.index + first[0].length)
  const pair = [...behind.matchAll(AIRPORTS)].find(
    ([, from = "", to = ""]) => places.countryOf(from) !== undefined && places.countryOf(to) !== undefined,
  )
  if (pair === undefined) return null
  const [, from = "", to = ""] = pair
  const rest = behind.slice(pair.index + pair[0].length)
  const times = [...rest.matchAll(TIMES)]
  const arrival = times[1]
  if (arrival === undefined) return null
  const later = rest.slice(arrival.index + arrival[0].length)
  const [, sign = "+", number] = /^\s?([+-])(\d)\b/.exec(later) ?? []
  const daysLater =
    number === undefined ? ({ "#": 1, "*": 2 }[arrival[1] ?? ""] ?? 0) : Number(number) * (sign === "-" ? -1 : 1)
  // A second date behind the times is the day of arrival.
  const hasArrivalDay =
    second !== undefined && second.index > first.index + first[0].length + pair.index + pair[0].length
  return {
    from,
    to,
    leaves: toDated(first),
    arrives: hasArrivalDay && number === undefined ? toDated(second) : null,
    daysLater,
    rest,
  }
}

const toDated = ([, day = "", month = "", year]: RegExpMatchArray): Dated => ({
  day: Number(day),
  month: MONTHS.indexOf(month) + 1,
  year: year === undefined ? null : year.length === 2 ? 2_000 + Number(year) : Number(year),
})

const write = (year: number, month: number, day: number) =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

// Without a year: the first one on or after the day before, or the caller's.
function datedDay(
  { day, month, year: own }: Dated,
  { line, year, last }: { readonly line: Line; readonly year: number | undefined; readonly last: string | null },
  report: Report,
): string {
  let chosen = own ?? (last === null ? year : Number(last.slice(0, 4)))
  if (chosen === undefined)
    throw refuse(line.line, `its day has no year. Give that of the first segment, such as --year 2027.`)
  if (own === null && last !== null && write(chosen, month, day) < addDays(last, -1)) {
    chosen++
    report.assumed.add(`line ${line.line}: ${MONTHS[month - 1]} behind ${last.slice(0, 7)} is in ${chosen}`)
  }
  const text = write(chosen, month, day)
  if (parseCivilDate(text) === null) throw refuse(line.line, `${text} is not a day of the calendar.`)
  return text
}

// Which flights are in a log, as sites for travellers export it (a table with a day and two airports a row)? Airports are IATA codes, alone
// or in brackets as in `Paris / Charles de Gaulle (CDG/LFPG)`. Days are those of leaving. The day of arrival is that of a column for it;
// otherwise it is assumed to be the day of leaving, and told. A flight that was cancelled or diverted is left out.

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  day: ["date", "flightdate", "departuredate", "day", "gatedeparturescheduled"],
  from: ["from", "origin", "departure", "departureairport", "fromairport", "fromiata"],
  to: ["to", "destination", "arrival", "arrivalairport", "toairport", "toiata"],
  arrivalDay: ["arrivaldate", "gatearrivalscheduled"],
  cancelled: ["cancelled", "canceled"],
  diverted: ["divertedto", "diverted"],
}
const MOST_FLIGHTS = 50_000
const NO = /^(?:false|no|n|0|-)?$/i
/** The day of a cell, without the time behind it. */
const dayOf = (cell: string): string => cell.split(/[T\s]/, 1)[0] ?? ""

/** Reads a log; `readDay` reads days. */
export async function readFlightLog(
  input: AsyncIterable<Uint8Array>,
  { places, readDay }: { readonly places: Places; readonly readDay: (text: string) => string | null },
  report: Report,
): Promise<readonly Flight[]> {
  const flights: Flight[] = []
  const rows = readNamedRows(
    input,
    COLUMNS,
    {
      isEnough: has => has("day") && has("from") && has("to"),
      expected: "columns Date, From and To are expected",
    },
    report,
  )
  for await (const { line, cell } of rows) {
    report.entries++
    const [from, to] = [findAirport(cell("from"), places), findAirport(cell("to"), places)]
    const day = readDay(dayOf(cell("day")))
    if (from === null || to === null || day === null) {
      const [what, given] =
        day === null ? ["day", cell("day")] : from === null ? ["airport", cell("from")] : ["airport", cell("to")]
      report.leftOut.add(
        `line ${line}: ${JSON.stringify(given.slice(0, 60))} is not ${what === "day" ? `a day such as 2026-12-01${OTHER_ORDER}` : "an airport with an IATA code"}`,
      )
      continue
    }
    const why = NO.test(cell("cancelled")) ? (NO.test(cell("diverted")) ? null : "diverted") : "cancelled"
    if (why !== null) {
      report.leftOut.add(`line ${line}: the flight from ${from} to ${to} on ${day} was ${why}`)
      continue
    }
    const arrival = cell("arrivalDay") === "" ? null : readDay(dayOf(cell("arrivalDay")))
    if (arrival === null)
      report.assumed.add("flights arrive on the day on which they leave, because the log has no day of arrival")
    flights.push({
      from: endAt(from, day, places),
      to: endAt(to, arrival ?? day, places),
      place: `line ${line}`,
    })
    if (flights.length > MOST_FLIGHTS) throw refuse(line, `more than ${MOST_FLIGHTS.toLocaleString("en")} flights.`)
  }
  return flights
}

function findAirport(text: string, places: Places): string | null {
  const code = /^[A-Z]{3}$/i.test(text) ? text.toUpperCase() : (/\(([A-Z]{3})(?:\/[A-Z]{4})?\)/.exec(text)?.[1] ?? "")
  return places.countryOf(code) === undefined ? null : code
}
