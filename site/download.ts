/**
 * How does the reader get a file that is made in the page: a text, a picture, a calendar (RFC 5545) or a table?
 *
 * A calendar has events of whole days; its lines are at most 75 bytes long and folded after that. A table is CSV (RFC 4180); a cell that a
 * spreadsheet would take for a formula begins with an apostrophe.
 */
import { dateOf, dayOf } from "./answers.ts"

/** Saves a text or a picture as a file for the reader. */
export function download(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  // The browser has read it by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href))
}

/** Gives the reader rows as a table (CSV). The mark at its beginning tells spreadsheets the encoding. */
export const downloadTable = (name: string, rows: readonly (readonly string[])[]): void =>
  download(`${name}.csv`, "text/csv", `\uFEFF${writeTable(rows)}`)

export interface DayEvent {
  /** Distinguishes it from the other events of the trip. */
  readonly id: string
  readonly from: string
  /** The last day, included. */
  readonly to: string
  readonly title: string
  readonly note: string
}

const MOST_BYTES = 75

/** Writes events as a calendar; `nowAt` is when it is written, as an ISO text. */
export function writeCalendar(events: readonly DayEvent[], nowAt: string): string {
  const stamp = `${nowAt.replace(/[-:]/g, "").slice(0, 15)}Z`
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Landfall//Trip//EN",
    ...events.flatMap(({ id, from, to, title, note }) => [
      "BEGIN:VEVENT",
      `UID:${id}@landfall.invalid`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${from.replaceAll("-", "")}`,
      `DTEND;VALUE=DATE:${dateOf(dayOf(to) + 1).replaceAll("-", "")}`,
      `SUMMARY:${escapeText(title)}`,
      ...(note === "" ? [] : [`DESCRIPTION:${escapeText(note)}`]),
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ]
  return `${lines.map(foldLine).join("\r\n")}\r\n`
}

// Sentences of the page carry marks that set values of another direction apart; a calendar shows them as boxes.
const ISOLATES = /[\u2066-\u2069]/gu

function escapeText(text: string): string {
  return text
    .replace(ISOLATES, "")
    .replace(/[\\;,]/g, found => `\\${found}`)
    .replace(/\r?\n/g, "\\n")
}

function foldLine(line: string): string {
  const encoder = new TextEncoder()
  let folded = ""
  let bytes = 0
  for (const letter of line) {
    const size = encoder.encode(letter).length
    if (bytes + size > MOST_BYTES) {
      folded += "\r\n "
      bytes = 1
    }
    folded += letter
    bytes += size
  }
  return folded
}

export function writeTable(rows: readonly (readonly string[])[]): string {
  return `${rows.map(row => row.map(writeCell).join(",")).join("\r\n")}\r\n`
}

function writeCell(text: string): string {
  const plain = text.replace(ISOLATES, "")
  const safe = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
