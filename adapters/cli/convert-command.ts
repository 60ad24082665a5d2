/** `landfall convert FILE`: trips or stays out of calendars, bookings, lists of passengers, histories of places and logs of flights, with a report of what was assumed and left out. */
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs"
import { DECISION_REQUEST } from "../../src/engine.ts"
import { type CountryFinder, loadPlaceWords } from "../../src/full.ts"
import { BRITISH_CLASSES, embeddedDataset, parseCivilDate } from "../../src/index.ts"
import { readEnglishNames } from "../answers/english-names.ts"
import { toWire } from "../answers/wire-names.ts"
import { writeRow } from "../batch/lines/line-answer.ts"
import { DATE_FORMS, readDay as readCellDay } from "../batch/lines/request-row.ts"
import { type Flight, listStays, type MadeStay, type MadeTrip, makeTrips } from "../convert/make-trips.ts"
import { makePlaces } from "../convert/places.ts"
import { readCalendar } from "../convert/read-calendar.ts"
import { readBooking, readFlightLog } from "../convert/read-flights.ts"
import { Report } from "../convert/read-lines.ts"
import { type Passenger, readPassengerTable, readZones } from "../convert/read-passengers.ts"
import { readTimeline } from "../convert/read-timeline.ts"
import { isZone } from "../convert/time-zones.ts"
import { replaceFile } from "../files/replace-file.ts"
import { decode, decodeMarked } from "../files/text-encoding.ts"
import { argument, choice, makeCommand, or, output, text, whole } from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { openCountryReader, openFinder, remember } from "./find-code.ts"
import {
  count,
  encodingOf,
  nameCount,
  nameFile,
  onFile,
  PIPE,
  readCountry,
  readDay,
  readJsonFile,
  refuseSameFile,
} from "./inputs.ts"
import { unbroken } from "./print.ts"
import { countSeconds, startBar } from "./progress-bar.ts"

const FORMATS = ["ics", "booking", "passengers", "timeline", "flights"] as const
type Format = (typeof FORMATS)[number]
const OF_TRIPS: readonly Format[] = ["ics", "booking", "flights"]
/** The flags that say something about some formats only. */
const READ_BY: Readonly<Record<string, readonly Format[]>> = {
  passport: OF_TRIPS,
  passportExpiry: OF_TRIPS,
  trip: ["passengers"],
  year: ["booking"],
  zone: ["ics"],
  dates: ["passengers", "flights"],
}
/** The fields of a request that a journey has; the others are the traveller's. */
const { travellers, ...fields } = DECISION_REQUEST.fields
const JOURNEY: readonly string[] = Object.keys(fields).filter(name => !Object.hasOwn(travellers.is.of.fields, name))

export const convert = makeCommand("convert", {
  examples: {
    "landfall convert trip.ics --passport FRA -o trip.ndjson": "A calendar as trips for `landfall batch`",
    "landfall convert Timeline.json -o stays.json": "A history of places as stays for `landfall stays`",
  },
  takes: {
    file: argument(
      "iCalendar; segments of a booking as text; machine-readable zones of passports, or a table of passengers; Google's Timeline; a table of flights",
    ),
    output: or(output("The file for what is made; the standard output when absent"), PIPE),
    from: choice(FORMATS, "The format of the file; by its name and its first lines when absent"),
    as: choice(
      ["trips", "stays"],
      "Trips, one a line, or one list of stays; stays of a timeline and of a log of flights when absent, else trips",
    ),
    passport: text("CODE", "The traveller's passport, which such files do not name: its code, or a country's name"),
    passportExpiry: text("DATE", "The last day of that passport, YYYY-MM-DD", readDay),
    trip: text("FILE", "The journey of the passengers of a list: JSON with stops, as for `landfall itinerary`"),
    year: whole("YEAR", "The year of the first segment of a booking whose days have none"),
    zone: text("AIRPORT=ZONE", "The time zone of an airport, such as LAX=America/Los_Angeles; separated by commas"),
    dates: choice(DATE_FORMS, "The order of day, month and year in a table's dates that are not YYYY-MM-DD"),
    encoding: encodingOf("a file that is text"),
  },
  async run(given, at) {
    const { file, output, passportExpiry: expiry, dates, encoding } = given
    const format = given.from ?? guessFormat(file, encoding)
    const as = given.as ?? (format === "timeline" || format === "flights" ? "stays" : "trips")
    if (format === "timeline" && as === "trips")
      throw wrong("--as trips: a history of places makes stays; it does not say which journeys they were.")
    if (format === "passengers" && as === "stays")
      throw wrong("--as stays: a list of passengers makes travellers, not stays.")
    const target = output === PIPE ? null : /\.(ndjson|jsonl|json|csv)$/i.exec(output)?.[1]?.toLowerCase()
    if (target === undefined || (target === "csv" && as === "stays")) {
      const expected = as === "stays" ? "stays are JSON: .json" : "one of .ndjson, .jsonl, .json, .csv"
      throw wrong(`${output}: ${expected} is expected as its ending.`)
    }
    if (output !== PIPE && file !== PIPE) refuseSameFile(file, output)
    for (const [flag, formats] of Object.entries(READ_BY)) {
      const isGiven = given[flag as keyof typeof given] !== undefined
      const isRead = formats.includes(format) && (as === "trips" || formats !== OF_TRIPS)
      const name = flag === "passportExpiry" ? "passport-expiry" : flag
      if (isGiven && !isRead) throw wrong(`--${name}: it changes nothing in ${as} made of ${format}.`)
    }
    const dataset = embeddedDataset()
    const passport = given.passport === undefined ? null : await readCountry(dataset, given.passport, "passport")
    const journey =
      given.trip === undefined ? null : (readJsonFile(given.trip, at) as Readonly<Record<string, unknown>> | null)
    if (given.trip !== undefined && !Array.isArray(journey?.stops))
      throw wrong(`--trip: an object with stops is expected, as for landfall itinerary.`)
    const isOfTrip = ([name]: readonly [string, unknown]) => JOURNEY.includes(name)
    const trip = journey === null ? null : Object.fromEntries(Object.entries(journey).filter(isOfTrip))
    const notOfTrip = Object.keys(journey ?? {}).filter(name => !JOURNEY.includes(name))

    const [finder, readName, words] = await Promise.all([
      openFinder(dataset),
      openCountryReader(dataset),
      loadPlaceWords(),
    ])
    const zones = new Map<string, string>()
    for (const pair of (given.zone ?? "").split(",").filter(text => text !== "")) {
      const [airport = "", zone = ""] = pair.split("=").map(text => text.trim())
      if (!/^[A-Z]{3}$/.test(airport) || !isZone(zone))
        throw wrong(
          `--zone: an airport and its time zone are expected, such as LAX=America/Los_Angeles, not ${JSON.stringify(pair)}.`,
        )
      zones.set(airport, zone)
    }
    const places = makePlaces(words, code => readEnglishNames().get(code)?.alpha2, zones)
    const readTableDay = (text: string) => {
      const day = readCellDay(text, dates)
      return day === null || parseCivilDate(day) === null ? null : day
    }
    const readPassport = (text: string) => {
      const read = BRITISH_CLASSES.some(code => code === text)
        ? { ok: true as const, code: text }
        : readName(text, "passport")
      return read.ok ? read : { message: read.refusal.message.replace(/\.$/, "") }
    }
    const report = new Report()
    const readPlace = makePlaceReader(finder)

    let done = 0
    const total = file === PIPE ? null : onFile(file, () => statSync(file).size)
    const bar = startBar({ total, done: () => done }, output === PIPE, countSeconds(), "entries")
    const open = async function* (signal: AbortSignal): AsyncGenerator<Uint8Array> {
      for await (const chunk of file === PIPE ? at.input : createReadStream(file)) {
        signal.throwIfAborted()
        yield chunk
        done += chunk.length
        bar.update({ lines: report.entries })
      }
    }
    const read = async (signal: AbortSignal): Promise<Made> => {
      const input = decode(open(signal), encoding)
      const ofFlights = (flights: readonly Flight[]): Made => {
        const trips = makeTrips(flights, report)
        if (as === "stays") return { stays: listStays(trips, report) }
        return { trips: trips.map(({ origin, stops, transit }) => ({ origin, stops, transit })) }
      }
      switch (format) {
        case "ics": {
          const { flights, stays } = await readCalendar(input, { places, readPlace }, report)
          if (flights.length > 0 || stays.length === 0) return ofFlights(flights)
          return as === "stays" ? { stays } : { trips: joinStays(stays, report.leftOut.add.bind(report.leftOut)) }
        }
        case "booking":
          return ofFlights(await readBooking(input, { places, year: given.year }, report))
        case "flights":
          return ofFlights(await readFlightLog(input, { places, readDay: readTableDay }, report))
        case "timeline":
          return { stays: await readTimeline(input, places, report) }
        case "passengers": {
          const isTable = /\.(csv|tsv)$/i.test(file)
          const passengers: Passenger[] = []
          const list = isTable
            ? readPassengerTable(input, { readPassport, readDay: readTableDay }, report)
            : readZones(input, readPassport, report)
          for await (const passenger of list) passengers.push(passenger)
          return { passengers }
        }
      }
    }
    const reading = read(at.signal).finally(bar.stop)
    at.onEnd(() => {
      bar.stop()
      if (at.signal.aborted)
        at.console.error(`Ended by a signal after ${count(report.entries)} entries. Nothing was written.`)
    })
    const made = await reading.catch(cause => {
      throw failed(`${nameFile(file)}: ${(cause as Error).message}`)
    })

    const traveller = {
      ...(passport === null ? {} : { passport }),
      ...(expiry === undefined ? {} : { passportExpiry: expiry }),
    }
    const { text, what, isEmpty } = write(made, {
      traveller,
      trip,
      target: target ?? (as === "stays" ? "json" : "ndjson"),
    })
    if (made.trips !== undefined && made.trips.length > 0 && passport === null) {
      report.leftOut.add(
        "the passport: the file names none. Add --passport, such as --passport FRA; without one the trips cannot be judged",
      )
    }
    if (made.passengers !== undefined && trip === null)
      report.leftOut.add(
        "the journey: a list of passengers names none. Add --trip FILE with its stops; without one they cannot be judged",
      )
    if (notOfTrip.length > 0)
      report.leftOut.add(
        `${notOfTrip.join(", ").slice(0, 200)} of the trip's file: each passenger has fields of their own`,
      )
    const [assumed, leftOut] = [report.assumed.list(), report.leftOut.list()]
    const record = {
      made: what,
      entries: report.entries,
      assumed,
      left_out: leftOut,
      origins: made.trips?.map(({ origin }) => origin) ?? [],
    }
    const inWords = [
      `${what} from ${nameCount(report.entries, "entry", "entries")}${record.origins.length === 0 ? "" : `; from ${[...new Set(record.origins)].filter(code => code !== "").join(", ") || "an unknown country"}`}.`,
      ...listSaid("Assumed:", assumed),
      ...listSaid("Left out:", leftOut),
    ].join("\n")
    if (isEmpty) throw failed(`${nameFile(file)}: nothing could be made of it.\n${inWords}`)
    if (output !== PIPE) {
      onFile(output, () => replaceFile(output, text))
      return { json: record, text: [unbroken(inWords)] }
    }
    at.console.log(text.trimEnd())
    at.console.error(given.json ? JSON.stringify(record, null, 2) : inWords)
    return undefined
  },
})

/** Names of countries that are also those of another one's states. */
const STATES: ReadonlyMap<string, string> = new Map([["georgia", "USA"]])

// The country is the last part of an address, and the part before it has to be there.
function makePlaceReader({ find }: CountryFinder): (location: string) => readonly string[] {
  const listMeant = (name: string): readonly string[] => {
    const match = name === "" ? null : find(name)
    if (match?.kind === "ambiguous") return match.candidates.map(({ code }) => code)
    if (match?.kind !== "found") return []
    return [match.code, STATES.get(name.toLowerCase()) ?? []].flat()
  }
  return remember((location: string) => {
    const [last = "", before = ""] = location.split(",").reverse()
    const [country, city] = [listMeant(last.trim()), listMeant(before.trim())]
    const common = country.filter(code => city.includes(code))
    if (country.length === 0 || city.length === 0) return country
    return common.length > 0 ? common : [...new Set([...country, ...city])]
  })
}

const listSaid = (title: string, notes: readonly string[]) =>
  notes.length === 0 ? [] : ["", title, ...notes.map(note => `  - ${note}`)]

/** What was made of a file: one of three kinds. */
interface Made {
  readonly trips?: readonly MadeTrip[]
  readonly stays?: readonly MadeStay[]
  readonly passengers?: readonly Passenger[]
}

// Stays of a calendar without flights are one trip, if none overlaps another.
function joinStays(stays: readonly MadeStay[], leaveOut: (note: string) => void): readonly MadeTrip[] {
  const stops: MadeStay[] = []
  for (const stay of [...stays].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = stops.at(-1)
    if (last !== undefined && last.destination === stay.destination && stay.from <= (last.to ?? "")) {
      stops[stops.length - 1] = { ...last, to: (stay.to ?? "") > (last.to ?? "") ? stay.to : last.to }
    } else if (last !== undefined && stay.from < (last.to ?? "")) {
      leaveOut(`the stay in ${stay.destination} from ${stay.from}: it overlaps that in ${last.destination}`)
    } else stops.push(stay)
  }
  return stops.length === 0 ? [] : [{ origin: "", stops, transit: [] }]
}

interface Writing {
  readonly traveller: Readonly<Record<string, unknown>>
  readonly trip: Readonly<Record<string, unknown>> | null
  readonly target: string
}

function write({ trips, stays, passengers }: Made, { traveller, trip, target }: Writing) {
  if (stays !== undefined) {
    const text = `[\n${stays.map(stay => `  ${JSON.stringify(stay)}`).join(",\n")}\n]\n`
    return { text, what: nameCount(stays.length, "stay"), isEmpty: stays.length === 0 }
  }
  const lines: readonly Readonly<Record<string, unknown>>[] =
    passengers?.map(passenger => ({ ...(toWire(passenger) as object), ...(trip ?? {}) })) ??
    (trips ?? []).map(({ origin, stops, transit }) => ({
      id: `${origin === "" ? "" : `${origin} `}${stops[0]?.from}`,
      ...(toWire(traveller) as object),
      stops: stops.map(({ to, ...stop }) => (to === null ? stop : { ...stop, to })),
      ...(transit.length === 0 ? {} : { transit }),
    }))
  const what = passengers === undefined ? nameCount(lines.length, "trip") : nameCount(lines.length, "passenger")
  const text = target === "csv" ? writeTable(lines) : lines.map(line => `${JSON.stringify(line)}\n`).join("")
  return { text, what, isEmpty: lines.length === 0 }
}

// Stops have columns of their own, as a batch reads them.
function writeTable(lines: readonly Readonly<Record<string, unknown>>[]): string {
  const rows = lines.map(({ stops, transit, ...fields }) => {
    const row: Record<string, unknown> = { ...fields }
    ;((stops ?? []) as readonly MadeStay[]).forEach((stop, at) => {
      for (const [name, value] of Object.entries(stop)) row[at === 0 ? name : `${name}_${at + 1}`] = value
    })
    return transit === undefined ? row : { ...row, transit: (transit as readonly unknown[]).join(" ") }
  })
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return [names, ...rows.map(row => names.map(name => row[name]))].map(cells => `${writeRow(cells)}\n`).join("")
}

/** Guesses a format by the ending of a name, and by the first lines where several formats have one ending. */
function guessFormat(file: string, encoding: string | undefined): Format {
  if (file === PIPE) throw wrong(`--from: one of ${FORMATS.join(", ")} is expected for the standard input.`)
  const start = onFile(file, () => {
    const descriptor = openSync(file, "r")
    try {
      const bytes = Buffer.alloc(64 * 1024)
      const length = readSync(descriptor, bytes, 0, bytes.length, 0)
      return new TextDecoder().decode(decodeMarked(bytes.subarray(0, length), encoding))
    } finally {
      closeSync(descriptor)
    }
  })
  if (/^\s*BEGIN:VCALENDAR/i.test(start) || /\.ics$/i.test(file)) return "ics"
  if (/\.json$/i.test(file)) return "timeline"
  if (/\.(csv|tsv)$/i.test(file)) {
    const [names = ""] = start.replace(/^[\s,;]*(?:sep=.[\r\n]+)?/i, "").split(/[\r\n]/, 1)
    return /nationality|citizenship|issu|passport|mrz|machine/i.test(names) ? "passengers" : "flights"
  }
  if (/^P[A-Z<][A-Z<]{3}[A-Z<]{20}/m.test(start)) return "passengers"
  if (/\.txt$/i.test(file)) return "booking"
  const expected = `.ics, .txt, .json, .csv, .tsv is expected, or --from with one of ${FORMATS.join(", ")}`
  throw wrong(`${file}: its name says no format: ${expected}.`)
}
