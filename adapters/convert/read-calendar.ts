/**
 * Which flights, or else which stays, are in a calendar (iCalendar, RFC 5545)?
 *
 * Each event is read by itself with ical.js, so that a calendar of any length needs the memory of one. A flight is an event whose text names two airports, with the times of leaving and
 * arriving. An event that repeats is not a flight of a day, and is left out, as is a cancelled one. Of several versions of an event the last one counts, also if it cancels the
 * event. A time in a zone that nothing defines is not read. If there is no flight, events whose place names one country for sure are stays.
 */
import ICAL from "ical.js"
import type { Flight, FlightEnd, WholeStay } from "./make-trips.ts"
import type { Places } from "./places.ts"
import { Notes, type Report, readLines, refuse } from "./read-lines.ts"
import { dayIn, isZone } from "./time-zones.ts"

// Otherwise the library reads the clock to choose the first year in which it knows the changes of a zone.
Object.assign(ICAL.Timezone, { _minimumExpansionYear: 2_000 })

const MOST_EVENT_LINES = 2_000
const MOST_ZONES = 200
const MOST_FLIGHTS = 10_000

/** What a calendar says. */
interface CalendarRead {
  readonly flights: readonly Flight[]
  readonly stays: readonly WholeStay[]
}

/** A stay, by the place that an event names. */
type NamedStay = WholeStay & { readonly named: string }

interface Held<Value> {
  readonly value: Value
  readonly sequence: number
}

/** Lists the countries that a place may be in: one if it is sure, none if it names no country. */
type ReadPlace = (text: string) => readonly string[]

/** Reads a calendar. */
export async function readCalendar(
  input: AsyncIterable<Uint8Array>,
  { places, readPlace }: { readonly places: Places; readonly readPlace: ReadPlace },
  report: Report,
): Promise<CalendarRead> {
  const flights = new Map<string, Held<Flight>>()
  const stays = new Map<string, Held<NamedStay>>()
  const cancelled = new Map<string, number>()
  const ofStays = new Notes()
  let others = 0
  let unplaced = 0
  const zones = new Map<string, string>()
  let line = 1
  const keep = <Value>(held: Map<string, Held<Value>>, uid: string, value: Value, sequence: number) => {
    const known = held.get(uid)
    if (known !== undefined)
      report.assumed.add(`the event ${uid.slice(0, 60)} is given more than once: its last version counts`)
    if (known === undefined || known.sequence <= sequence) held.set(uid, { value, sequence })
    limit(held)
  }
  const limit = ({ size }: ReadonlyMap<string, unknown>) => {
    if (size > MOST_FLIGHTS)
      throw refuse(line, `more than ${MOST_FLIGHTS.toLocaleString("en")} flights or stays, which no traveller has.`)
  }
  for await (const block of readBlocks(input)) {
    line = block.line
    if (block.name === "VTIMEZONE") {
      const [, id] = /^TZID[^:]*:(.+)$/m.exec(block.text) ?? []
      if (id !== undefined && zones.size < MOST_ZONES) zones.set(id.trim(), block.text)
      continue
    }
    report.entries++
    const event = parseEvent(block, zones)
    if (event === null) continue
    const { uid, sequence } = event
    if (event.why === "it is cancelled" && event.hasUid) {
      cancelled.set(uid, Math.max(sequence, cancelled.get(uid) ?? 0))
      limit(cancelled)
    }
    const flight = readFlight(event, places, report)
    if (flight === "left out") continue
    if (flight !== null) keep(flights, uid, flight, sequence)
    else {
      others++
      const stay = readStay(event, readPlace)
      if (stay === null) unplaced++
      else if (typeof stay === "string") ofStays.add(stay)
      else if (stays.size < MOST_FLIGHTS) keep(stays, uid, stay, sequence)
    }
  }
  for (const [uid, sequence] of cancelled) {
    for (const held of [flights, stays]) if ((held.get(uid)?.sequence ?? sequence + 1) <= sequence) held.delete(uid)
  }
  if (flights.size > 0 && others > 0) {
    report.leftOut.add(
      `${others} ${others === 1 ? "event that is no flight" : "events that are no flights"}: the flights say more`,
    )
  }
  if (flights.size === 0) {
    if (unplaced > 0) {
      const events = unplaced === 1 ? "event" : "events"
      report.leftOut.add(`${unplaced} ${events} without a place in a known country, or without two days in order`)
    }
    for (const note of ofStays.list()) report.leftOut.add(note)
    for (const { value } of stays.values())
      report.assumed.add(`the place ${JSON.stringify(value.named)} is in ${value.destination}`)
  }
  const listOf = <Value>(held: Map<string, Held<Value>>) => Array.from(held.values(), ({ value }) => value)
  const used = flights.size > 0 ? [] : listOf(stays)
  return { flights: listOf(flights), stays: used.map(({ named: _, ...stay }) => stay) }
}

interface Block {
  readonly name: string
  readonly text: string
  readonly line: number
  /** Whether the calendar cancels what it lists. */
  readonly isCancelled: boolean
}

// The components of a calendar that matter here, one at a time.
async function* readBlocks(input: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let isCalendar = false
  let open: { readonly name: string; readonly line: number; readonly lines: string[] } | null = null
  let last = 0
  let isCancelled = false
  for await (const { text, line } of readLines(input)) {
    last = line
    const name = /^BEGIN:(\w+)\s*$/i.exec(text)?.[1]?.toUpperCase()
    if (!isCalendar) {
      if (text.replace("\uFEFF", "").trim() === "") continue
      if (!/^\uFEFF?BEGIN:VCALENDAR\s*$/i.test(text)) throw refuse(line, `BEGIN:VCALENDAR is expected.`)
      isCalendar = true
    } else if (open === null) {
      if (name === "VEVENT" || name === "VTIMEZONE") open = { name, line, lines: [text] }
      isCancelled ||= /^METHOD:CANCEL\s*$/i.test(text)
    } else {
      if (name === open.name)
        throw refuse(line, `END:${open.name} is expected; the ${open.name} of line ${open.line} is not closed.`)
      open.lines.push(text)
      if (open.lines.length > MOST_EVENT_LINES)
        throw refuse(open.line, `a ${open.name} of more than ${MOST_EVENT_LINES} lines.`)
      if (text.trim().toUpperCase() === `END:${open.name}`) {
        yield { name: open.name, text: open.lines.join("\r\n"), line: open.line, isCancelled }
        open = null
      }
    }
  }
  if (!isCalendar) throw refuse(1, "BEGIN:VCALENDAR is expected; the file is empty.")
  if (open !== null) throw refuse(last, `the file ends inside the ${open.name} of line ${open.line}.`)
}

/** A time: a day without a clock, a local time, or an instant. */
interface When {
  readonly day: string
  readonly atMs: number | null
  readonly hasClock: boolean
  /** Why nobody knows the time zone of a local time, which is not that of the place either. */
  readonly lost?: string
}

interface CalendarEvent {
  readonly uid: string
  readonly hasUid: boolean
  /** Why it does not count, if it does not. */
  readonly why: "it repeats" | "it is cancelled" | null
  readonly sequence: number
  readonly start: When | null
  readonly end: When | null
  readonly summary: string
  readonly location: string
  readonly description: string
  readonly place: string
}

function parseEvent(block: Block, zones: ReadonlyMap<string, string>): CalendarEvent | null {
  try {
    return readEvent(block, zones)
  } catch (cause) {
    throw refuse(block.line, `the event cannot be read: ${(cause as Error).message}.`)
  }
}

// Throws for an event that is not well formed, and for a time that is none, which the parser reads when it is asked for.
function readEvent({ text, line, isCancelled }: Block, zones: ReadonlyMap<string, string>): CalendarEvent | null {
  const place = `line ${line}`
  const used = [...new Set(Array.from(text.matchAll(/;TZID="?([^:;"]+)"?/g), ([, id = ""]) => id))]
  const before = used.flatMap(id => zones.get(id) ?? []).join("\r\n")
  const whole = `BEGIN:VCALENDAR\r\n${before === "" ? "" : `${before}\r\n`}${text}\r\nEND:VCALENDAR`
  const event = new ICAL.Component(ICAL.parse(whole)).getFirstSubcomponent("vevent")
  const textOf = (name: string) => {
    const value: unknown = event?.getFirstPropertyValue(name)
    return typeof value === "string" ? value : ""
  }
  const uid = textOf("uid")
  if (event === null) return null
  const repeats = event.hasProperty("rrule") || event.hasProperty("rdate")
  const sequence: unknown = event.getFirstPropertyValue("sequence")
  return {
    uid: uid || place,
    hasUid: uid !== "",
    why: repeats
      ? "it repeats"
      : isCancelled || textOf("status").toUpperCase() === "CANCELLED"
        ? "it is cancelled"
        : null,
    sequence: typeof sequence === "number" ? sequence : 0,
    start: readWhen(event, "dtstart"),
    end: readWhen(event, "dtend") ?? readEnd(event),
    summary: textOf("summary"),
    location: textOf("location"),
    description: textOf("description"),
    place,
  }
}

function readWhen(event: ICAL.Component, name: string): When | null {
  const property = event.getFirstProperty(name)
  const time: unknown = property?.getFirstValue()
  if (property === null || !(time instanceof ICAL.Time)) return null
  // The parser counts a thirteenth month on into the next year.
  const given = String(property.toJSON()[3])
  if (time.toString() !== given) throw new Error(`${given} is not a time of the calendar`)
  const day = `${String(time.year).padStart(4, "0")}-${String(time.month).padStart(2, "0")}-${String(time.day).padStart(2, "0")}`
  if (time.isDate) return { day, atMs: null, hasClock: false }
  const named: unknown = property.getParameter("tzid")
  if (time.zone !== ICAL.Timezone.localTimezone) return { day, atMs: time.toUnixTime() * 1_000, hasClock: true }
  if (typeof named !== "string") return { day, atMs: null, hasClock: true }
  if (!isZone(named))
    return { day, atMs: null, hasClock: true, lost: `nothing above it defines the time zone "${named}"` }
  return { day, atMs: toInstant(time, named), hasClock: true }
}

// The end of an event that has a duration instead; of whole days without one, the next day (RFC 5545, 3.6.1).
function readEnd(event: ICAL.Component): When | null {
  const start = readWhen(event, "dtstart")
  const time: unknown = event.getFirstPropertyValue("dtstart")
  const given: unknown = event.getFirstPropertyValue("duration")
  if (start === null || !(time instanceof ICAL.Time)) return null
  if (!(given instanceof ICAL.Duration) && start.hasClock) return null
  const duration = given instanceof ICAL.Duration ? given : new ICAL.Duration({ days: 1 })
  const end = time.clone()
  end.addDuration(duration)
  const day = end.toString().slice(0, 10)
  if (start.atMs !== null) return { ...start, day, atMs: start.atMs + duration.toSeconds() * 1_000 }
  return start.hasClock
    ? { lost: "its end is a duration in a time zone that is not named", ...start, day }
    : { ...start, day }
}

// The instant of a local time in a zone of the runtime: the offset of the zone at about that time.
function toInstant(time: ICAL.Time, zone: string): number {
  const asUtc = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(asUtc)
  const [, sign, hours = "0", minutes = "0"] =
    /GMT([+-])(\d{2}):(\d{2})/.exec(parts.find(({ type }) => type === "timeZoneName")?.value ?? "") ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return asUtc - (sign === "-" ? -offset : offset)
}

const PAIR = /\b([A-Z]{3})\b[^A-Za-z0-9]{0,3}(?:to|-|–|—|→|➔|✈|>|\/)[^A-Za-z0-9]{0,3}\b([A-Z]{3})\b/gu
const IN_BRACKETS = /\(([A-Z]{3})\)/g

/** The two airports that a text names; null where it names none, or more than two. */
function findPair(text: string, places: Places): readonly [string, string] | null {
  for (const [, from = "", to = ""] of text.matchAll(PAIR)) {
    if (places.countryOf(from) !== undefined && places.countryOf(to) !== undefined) return [from, to]
  }
  const named = [...new Set(Array.from(text.matchAll(IN_BRACKETS), ([, code = ""]) => code))].filter(
    code => places.countryOf(code) !== undefined,
  )
  const [from, to, third] = named
  return from === undefined || to === undefined || third !== undefined ? null : [from, to]
}

function readFlight(event: CalendarEvent, places: Places, report: Report): Flight | "left out" | null {
  const { summary, location, description, start, end, place, why } = event
  const pair =
    findPair(summary, places) ??
    (start?.hasClock
      ? (findPair(description.slice(0, 4_000), places) ?? findPair(`${location} ${summary}`, places))
      : null)
  if (pair === null) return null
  const [from, to] = pair
  const named = `the flight "${summary.slice(0, 60)}" (${place})`
  const leave = (reason: string) => {
    report.leftOut.add(`${named}: ${reason}`)
    return "left out" as const
  }
  if (why !== null) return leave(why)
  if (!start?.hasClock || !end?.hasClock) return leave("it has no times of leaving and arriving")
  const lost = start.lost ?? end.lost
  if (lost !== undefined) return leave(lost)
  const leaves = endOf(from, start, places)
  const arrives = endOf(to, end, places)
  if (leaves === null || arrives === null) {
    const airport = leaves === null ? from : to
    return leave(
      `its day at ${airport} depends on the time zone there; name it, such as --zone ${airport}=America/New_York`,
    )
  }
  if (start.atMs === null || end.atMs === null)
    report.assumed.add(`times without a time zone are those of the airport (${named}, for one)`)
  return { from: leaves, to: arrives, place }
}

function endOf(airport: string, { day, atMs }: When, places: Places): FlightEnd | null {
  const country = places.countryOf(airport) as string
  if (atMs === null) return { airport, country, day, atMs }
  const local = places.dayAt(airport, atMs)
  return local === null ? null : { airport, country, day: local, atMs }
}

// A stay; why a place makes none; or null for an event without a place and days.
function readStay(
  { start, end, location, place, why }: CalendarEvent,
  readPlace: ReadPlace,
): NamedStay | string | null {
  const [destination, ...others] = readPlace(location)
  if (destination === undefined || start === null || end === null) return null
  const named = location.slice(0, 60)
  if (why !== null) return `the event at ${JSON.stringify(named)} (${place}): ${why}`
  if (others.length > 0)
    return `the place ${JSON.stringify(named)} (${place}): it may be in ${[destination, ...others].join(", ")}`
  // The end of whole days is the day behind them.
  const to = end.hasClock ? end.day : dayIn("UTC", Date.parse(`${end.day}T12:00:00Z`) - 86_400_000)
  return to < start.day ? null : { destination, from: start.day, to, named }
}
