/**
 * What do the lines of a pasted table or text say: stays, or people?
 *
 * Cells are separated by tabs, semicolons, bars or commas, in any order. A line is read whole or not at all: one with a word that is not
 * understood is given back as it was, so that the reader can correct it. Days are written as `2026-03-01`, `1.3.2026`, `1/3/2026` or with
 * the name of the month, in English or the reader's language. Where days and months could be exchanged, the other lines say which comes
 * first, and otherwise the reader's own habit; lines of both orders are not understood.
 */
import { foldName, parseCivilDate, type Stay } from "landfall"
import { cleanName, MOST, NOBODY, type Person } from "../ask/question.ts"
import { ANY_OF_SCHENGEN, type Holding, isSameHolding, SCHENGEN } from "../holdings.ts"

/** How a reader writes. */
export interface Reading {
  /** The code of a country or a people; null for any other text. */
  readonly country: (text: string) => string | null
  /** The tag of his language, which names the months. */
  readonly language: string
  /** Whether he writes the day before the month. */
  readonly isDayFirst: boolean
  /** The kinds of documents by their words in his language. */
  readonly kinds: readonly (readonly [word: string, kind: Holding["kind"]])[]
}

/** What was understood, and the lines that were not. */
export interface PastedRows<Row> {
  readonly rows: readonly Row[]
  readonly left: readonly string[]
}

const DATES =
  /\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}年\d{1,2}月\d{1,2}日|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)(?!\d)|\d{1,2}[.º]?[ -](?:de )?\p{L}{3,12}[.,]?[ -](?:de )?\d{4}|\p{L}{3,12}\.? \d{1,2},? \d{4}/gu
/** Words around the two days of a stay, and what separates them. */
const JOINTS = new Set([
  "to",
  "until",
  "till",
  "from",
  "bis",
  "von",
  "vom",
  "au",
  "du",
  "al",
  "dal",
  "a",
  "hasta",
  "до",
  "с",
])

function withoutJoints(cell: string): string {
  const words = cell.split(/[\s:–—]+|-(?= |$)/).filter(word => word !== "")
  const isJoint = (word = "") => JOINTS.has(word.toLowerCase())
  while (isJoint(words[0])) words.shift()
  while (isJoint(words.at(-1))) words.pop()
  return words.join(" ")
}

function readMonths(language: string): ReadonlyMap<string, number> {
  const months = new Map<string, number>()
  for (const tag of ["en", language]) {
    for (const style of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(tag, {
        month: style,
        day: "numeric",
        timeZone: "UTC",
        calendar: "gregory",
      })
      for (let month = 0; month < 12; month++) {
        const parts = format.formatToParts(Date.UTC(2024, month, 1))
        const name = foldName(parts.find(({ type }) => type === "month")?.value ?? "")
        if (name.length > 2) months.set(name, month + 1)
      }
    }
  }
  return months
}

const SLASHED = /^(\d{1,2})([-/.])(\d{1,2})[-/.](\d\d(?:\d\d)?)$/

/** Whether the day is first in the lines: what any of them shows, or else the habit; null where they contradict each other. */
function findOrder(text: string, isDayFirst: boolean): boolean | null {
  const pairs = [...text.matchAll(DATES)].flatMap(([written]) => {
    const [, first, joint, second] = SLASHED.exec(written) ?? []
    return joint === undefined || joint === "." ? [] : [[Number(first), Number(second)] as const]
  })
  const isDay = pairs.some(([first]) => first > 12)
  const isMonth = pairs.some(([, second]) => second > 12)
  return isDay && isMonth ? null : isDay || (isDayFirst && !isMonth)
}

function makeReader(
  text: string,
  { language, isDayFirst }: Reading,
): (line: string) => Readonly<Record<"dates" | "texts", readonly string[]>> {
  const months = readMonths(language)
  const order = findOrder(text, isDayFirst)
  const write = (year: number, month: number, day: number): string | null => {
    const on = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
    return parseCivilDate(on) === null ? null : on
  }
  const read = (written: string): string | null => {
    const [, first, joint, second, year = ""] = SLASHED.exec(written) ?? []
    if (joint !== undefined) {
      const isFirst = joint === "." ? true : order
      if (isFirst === null) return null
      const [day, month] = isFirst ? [first, second] : [second, first]
      return write(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(day))
    }
    const numbers = (written.match(/\d+/g) ?? []).map(Number)
    const [one = 0, two = 0, three = 0] = numbers
    if (numbers.length === 3) return write(one, two, three)
    const month = months.get(foldName(/\p{L}{3,12}/u.exec(written)?.[0] ?? ""))
    return month === undefined ? null : write(two, month, one)
  }
  return line => {
    const dates: string[] = []
    const rest = line.replaceAll(DATES, written => {
      const on = read(written)
      if (on === null) return written
      dates.push(on)
      return "\t"
    })
    const texts = rest
      .split(/[\t;|,\n]/)
      .map(withoutJoints)
      // A number alone is that of the row, or of the days.
      .filter(cell => cell !== "" && !/^\d{1,3}$/.test(cell))
    return { dates, texts }
  }
}

function readLines<Row>(text: string, most: number, read: (line: string) => Row | null): PastedRows<Row> {
  const rows: Row[] = []
  const left: string[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue
    const row = rows.length < most ? read(line) : null
    if (row === null) left.push(line)
    else rows.push(row)
  }
  return { rows, left }
}

/** Reads stays: a country, the first day and the last. The Schengen area as a whole is any of its countries, which share their days. */
export function readStays(text: string, most: number, reading: Reading): PastedRows<Stay> {
  const cellsOf = makeReader(text, reading)
  return readLines(text, most, line => {
    const { dates, texts } = cellsOf(line)
    const [from = "", to = "", ...further] = dates
    const [place = "", ...others] = texts
    const destination = /\bschengen\b/i.test(place) ? ANY_OF_SCHENGEN : reading.country(place)
    if (destination === null || to === "" || to < from || further.length > 0 || others.length > 0) return null
    return { destination, from, to }
  })
}

/** Reads people: a passport, or several with `+`, its last day, documents such as "US visa", and before all of them a name. */
export function readPeople(text: string, most: number, reading: Reading): PastedRows<Person> {
  const cellsOf = makeReader(text, reading)
  const readPassports = (cell: string): readonly string[] | null => {
    const codes = cell.split("+").map(part => reading.country(part.trim()))
    return codes.length > MOST.passports || codes.includes(null) ? null : [...new Set(codes as readonly string[])]
  }
  return readLines(text, most, line => {
    const { dates, texts } = cellsOf(line)
    const [expiry = "", ...further] = dates
    let person: Person = { ...NOBODY, expiry }
    if (further.length > 0) return null
    for (const [at, cell] of texts.entries()) {
      const document = readDocument(cell, reading)
      const passports = document === null ? readPassports(cell) : null
      if (document !== null) {
        if (!person.held.some(other => isSameHolding(other, document))) {
          person = { ...person, held: [...person.held, document] }
        }
      } else if (passports !== null && person.passports.length === 0) person = { ...person, passports }
      else if (passports === null && at === 0 && texts.length > 1) person = { ...person, name: cleanName(cell) }
      else return null
    }
    return person.passports.length === 0 ? null : person
  })
}

/** Reads a document: `visa.USA`, or a word for its kind with the country before or after it. */
function readDocument(cell: string, { country, kinds }: Reading): Holding | null {
  const folded = foldName(cell)
  const [word, kind] = kinds.find(([known]) => folded.includes(foldName(known))) ?? []
  if (word === undefined || kind === undefined) return null
  const place = folded.replace(foldName(word), " ").trim()
  if (/\bschengen\b/.test(place)) return { kind, issuer: SCHENGEN }
  const issuer = country(place)
  return issuer === null ? null : { kind, issuer }
}
