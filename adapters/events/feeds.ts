/**
 * How are changes written for feed readers and calendars?
 *
 * Atom (RFC 4287) and iCalendar (RFC 5545). The same entries give the same bytes, so that an ETag lasts: an entry's id is a `tag:` URI
 * of its event, and no date is that of the writing.
 */
import { formatCivilDate, parseCivilDate } from "../../src/engine.ts"
import { nameInEnglish } from "../answers/english-names.ts"
import type { REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { ChangeData, EventTerms } from "./installed-changes.ts"

export interface FeedHead {
  readonly title: string
  /** A suffix of the feed's id: `""` for all changes. */
  readonly scope: string
  /** Where the feed is; null where that is not known. */
  readonly url: string | null
  /** When there is no entry: since when the feed says so (ISO 8601). */
  readonly startedAt: string
}

const TAG = "tag:github.com,2026:landfall-visa/landfall"
const AUTHOR = "Landfall"
const NOTE = "Not legal advice: ask the authorities of the destination before you travel."

// Characters that XML 1.0 does not allow, escaped or not.
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeXml = (text: string) => text.replace(NO_CHARACTER, "").replace(/[&<>"]/g, sign => ENTITIES[sign] as string)

const findNewest = (entries: readonly FeedEntry[], { startedAt }: FeedHead): string =>
  entries.reduce((newest, { at }) => (at > newest ? at : newest), entries.length === 0 ? startedAt : "")

/** Writes an Atom feed, the newest entry first. */
export function writeAtom(head: FeedHead, entries: readonly FeedEntry[]): string {
  const element = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`
  const write = ({ id, at, title, text, tags }: FeedEntry) =>
    [
      "  <entry>",
      `    ${element("id", `${TAG}/${id}`)}`,
      `    ${element("title", title)}`,
      `    ${element("updated", at)}`,
      ...tags.map(tag => `    <category term="${escapeXml(tag)}"/>`),
      `    <content type="text">${escapeXml(text)}</content>`,
      "  </entry>",
    ].join("\n")
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `  ${element("id", `${TAG}/changes${head.scope}`)}`,
    `  ${element("title", head.title)}`,
    `  ${element("subtitle", NOTE)}`,
    `  ${element("updated", findNewest(entries, head))}`,
    `  <author>${element("name", AUTHOR)}</author>`,
    ...(head.url === null ? [] : [`  <link rel="self" type="application/atom+xml" href="${escapeXml(head.url)}"/>`]),
    ...entries.map(write),
    "</feed>",
    "",
  ].join("\n")
}

const escapeText = (text: string) =>
  text
    .replace(/[\\;,]/g, sign => `\\${sign}`)
    .replace(/\r\n|\r|\n/g, "\\n")
    .replace(/\p{Cc}/gu, "")

/** Breaks a line before 75 octets, and never inside a character. */
function fold(line: string): string {
  let [folded, octets] = ["", 0]
  for (const letter of line) {
    const code = letter.codePointAt(0) as number
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (octets + size > 75) [folded, octets] = [`${folded}\r\n `, 1]
    folded += letter
    octets += size
  }
  return folded
}

const writeDay = (day: string) => day.replaceAll("-", "")
const dayAfter = (day: string) => formatCivilDate((parseCivilDate(day) as number) + 1)

// A calendar has to have a component, also where nothing is announced.
const NO_EVENT = [
  "BEGIN:VTIMEZONE",
  "TZID:Etc/UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "END:STANDARD",
  "END:VTIMEZONE",
]

/** Writes a calendar of changes, each a whole day on which it takes effect. */
export function writeCalendar(head: FeedHead, entries: readonly FeedEntry[]): string {
  const write = ({ id, at, title, text, effectiveOn }: FeedEntry) => [
    "BEGIN:VEVENT",
    `UID:${id}@landfall`,
    `DTSTAMP:${at.replace(/\.\d+/, "").replace(/[-:]/g, "")}`,
    `DTSTART;VALUE=DATE:${writeDay(effectiveOn)}`,
    // The end of a whole day is the day after.
    `DTEND;VALUE=DATE:${writeDay(dayAfter(effectiveOn))}`,
    `SUMMARY:${escapeText(title)}`,
    `DESCRIPTION:${escapeText(text)}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ]
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Landfall//Changes of visa rules//EN",
    `X-WR-CALNAME:${escapeText(head.title)}`,
    ...(entries.length === 0 ? NO_EVENT : entries.flatMap(write)),
    "END:VCALENDAR",
    "",
  ]
  return lines.map(fold).join("\r\n")
}

// How is an event shown in a feed?
// With a title and a text in English, made from the event's own data, so that a publisher's feed and a service's feed have the same entry
// for the same change.

/** The parts of an event that a feed needs. */
export type ToldEvent = Pick<
  EventRow,
  "id" | "type" | "passport" | "destination" | "severity" | "effective_from" | "created_at" | "body"
>

/** One change in words. */
export interface FeedEntry {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
  /** `YYYY-MM-DD`. */
  readonly effectiveOn: string
}

type ToldData = Omit<ChangeData, "fields"> & Partial<Pick<ChangeData, "fields">>

type WireRequirement = (typeof REQUIREMENT_NAMES)[keyof typeof REQUIREMENT_NAMES]

const WORDS: Readonly<Record<WireRequirement, string>> = {
  visa_free: "no visa",
  visa_on_arrival: "a visa on arrival",
  e_visa: "an e-visa",
  e_ta: "an electronic travel authorisation",
  visa_required: "a visa beforehand",
  not_admitted: "no admission",
}

function sayTerms(terms: EventTerms | null): string {
  if (terms === null) return "no record"
  const words = WORDS[terms.requirement as WireRequirement] ?? terms.requirement
  return terms.stay_days === null ? words : `${words}, ${terms.stay_days} days`
}

function sayChange(type: string, { previous, current, fields = [] }: ToldData, effectiveOn: string): string {
  if (type === "visa.source_updated") return "the source was updated"
  const [before, after] = [sayTerms(previous), sayTerms(current)]
  if (type === "visa.policy_announced") return `${after} from ${effectiveOn} (until then ${before})`
  return before === after ? `${after}; changed: ${fields.join(", ")}` : `${after} (before: ${before})`
}

export function tellEvent(event: ToldEvent): FeedEntry {
  const { id, type, passport, destination, severity, effective_from: effectiveOn, created_at, body } = event
  const data = JSON.parse(body) as ToldData
  const title = `${nameInEnglish(destination)} for passports of ${nameInEnglish(passport)}: ${sayChange(type, data, effectiveOn)}`
  const sources = data.sources.map(({ name, url }) => (url === null ? name : `${name} (${url})`))
  const text = [
    `${title}.`,
    `In effect from ${effectiveOn}.`,
    sources.length === 0 ? "No source is recorded." : `Sources: ${sources.join("; ")}.`,
  ].join(" ")
  const at = new Date(created_at).toISOString()
  return { id, at, title, text, tags: [passport, destination, type.replace("visa.", ""), severity], effectiveOn }
}
