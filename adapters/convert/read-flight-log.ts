/**
 * Which flights are in a log, as sites for travellers export it (a table with a day and two airports a row)?
 *
 * Airports are IATA codes, alone or in brackets as in `Paris / Charles de Gaulle (CDG/LFPG)`. Days are those of leaving. The day of arrival is that of a column for it; otherwise
 * it is assumed to be the day of leaving, and told. A flight that was cancelled or diverted is left out.
 */
import type { Flight } from "./make-trips.ts"
import type { Places } from "./places.ts"
import { OTHER_ORDER, type Report, readNamedRows, refuse } from "./read-lines.ts"

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
      from: { airport: from, country: places.countryOf(from) as string, day, atMs: null },
      to: { airport: to, country: places.countryOf(to) as string, day: arrival ?? day, atMs: null },
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
