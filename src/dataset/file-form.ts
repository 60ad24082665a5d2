/**
 * How is a dataset laid out as the bytes of a file?
 *
 * `LNDF`, a CRC-32 of everything behind it, a format version, the number of sections, two lengths, a JSON header in ASCII, one
 * byte a pair, destination by destination, and then the sections: four letters, a length and JSON in ASCII each. A section that
 * this code does not know is skipped, so that a file may say more than an older release understands.
 */
import type { EpochDay } from "../civil-date.ts"
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import type { TermsSection } from "../rules/provisions.ts"
import {
  answerIndexOn,
  type ContentRow,
  type DatasetHeader,
  type DatasetParts,
  FORMAT_VERSION,
  MAX_NUMBERS,
  type OriginRow,
  type PairsHeader,
  type TimelineRow,
} from "./open.ts"

const MAGIC = 0x46_44_4e_4c // "LNDF", least significant byte first
const HEADER_BYTES = 20
const SECTION_HEADER_BYTES = 8
const MAX_SECTIONS = 64
/** Name of the section of the terms. */
const TERMS = "TERM"

/**
 * Computes the CRC-32 (ISO-HDLC, as in zip and PNG) of bytes from `start` to the end. Any change of up to 32 neighbouring bits changes it, so
 * that no single flipped byte passes.
 */
function crc32(bytes: Uint8Array, start: number): number {
  table ??= makeTable()
  let crc = -1
  for (let i = start; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}

// The checksum of each byte; made when first needed.
let table: Int32Array | undefined

const makeTable = (): Int32Array =>
  Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1
    return crc
  })

/** Writes a value as JSON in the bytes of ASCII. */
export function writeAscii(value: unknown): Uint8Array {
  const text = toAscii(value)
  const bytes = new Uint8Array(text.length)
  putAscii(bytes, 0, text)
  return bytes
}

// ASCII only, so that a runtime without TextEncoder can write and read it.
function toAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/**
 * Lays a dataset out as the bytes of a file: the same parts give the same bytes.
 *
 * @example
 * ```ts
 * const opened = openDataset(encodeDataset(parts))
 * opened.ok && opened.value.version // => "test.1"
 * ```
 */
export function encodeDataset({ header, pairs, terms, sections: others = new Map() }: DatasetParts): Uint8Array {
  const text = toAscii(header)
  const own: readonly (readonly [string, Uint8Array])[] = terms === undefined ? [] : [[TERMS, writeAscii(terms)]]
  const sections = [...own, ...others]
  const sectionBytes = sections.reduce((sum, [, content]) => sum + SECTION_HEADER_BYTES + content.length, 0)
  const bytes = new Uint8Array(HEADER_BYTES + text.length + pairs.length + sectionBytes)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint16(8, FORMAT_VERSION, true)
  view.setUint16(10, sections.length, true)
  view.setUint32(12, text.length, true)
  view.setUint32(16, pairs.length, true)
  putAscii(bytes, HEADER_BYTES, text)
  bytes.set(pairs, HEADER_BYTES + text.length)
  let at = HEADER_BYTES + text.length + pairs.length
  for (const [name, content] of sections) {
    putAscii(bytes, at, name)
    view.setUint32(at + 4, content.length, true)
    bytes.set(content, at + SECTION_HEADER_BYTES)
    at += SECTION_HEADER_BYTES + content.length
  }
  view.setUint32(4, crc32(bytes, 8), true)
  return bytes
}

function putAscii(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
}

/** Reads bytes of ASCII. */
export function readAscii(bytes: Uint8Array, from: number, length: number): string {
  let text = ""
  for (let at = from; at < from + length; at += 4096) {
    const piece = bytes.subarray(at, Math.min(at + 4096, from + length))
    // Applied, not spread, which asks an iterator for each byte and takes ten times as long.
    text += String.fromCharCode.apply(null, piece as unknown as number[])
  }
  return text
}

function refuse(tag: DatasetError["tag"], message: string) {
  return failure({ tag, message })
}

/** Reads the bytes of a file back into parts, or says why this code cannot open them. */
export function decodeDataset(bytes: Uint8Array): Result<DatasetParts, DatasetError> {
  let view: DataView
  try {
    if (!(bytes instanceof Uint8Array)) {
      return refuse("MalformedDataset", `A dataset is opened from a Uint8Array, not from ${describeKind(bytes)}.`)
    }
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  } catch {
    return refuse(
      "MalformedDataset",
      "The bytes of the dataset cannot be read: their buffer was transferred or is not valid.",
    )
  }
  if (bytes.length >= 4 && view.getUint32(0, true) !== MAGIC) {
    const found = Array.from(bytes.subarray(0, 4), byte => byte.toString(16).padStart(2, "0")).join(" ")
    return refuse(
      "WrongMagic",
      `Not a Landfall dataset: it begins with ${found} where 4c 4e 44 46 ("LNDF") is expected.`,
    )
  }
  if (bytes.length < HEADER_BYTES) {
    return refuse(
      "TruncatedDataset",
      `The dataset is cut off: ${bytes.length} bytes found, at least ${HEADER_BYTES} expected.`,
    )
  }
  const version = view.getUint16(8, true)
  if (version !== FORMAT_VERSION) return refuseVersion(version)
  const headerLength = view.getUint32(12, true)
  const pairsLength = view.getUint32(16, true)
  const places = findSections(view, HEADER_BYTES + headerLength + pairsLength)
  if (bytes.length !== places.end) {
    return refuse(
      "TruncatedDataset",
      `The dataset is ${bytes.length < places.end ? "cut off" : "too long"}: ${bytes.length} bytes found, ${places.end} expected.`,
    )
  }
  const checksum = crc32(bytes, 8)
  if (view.getUint32(4, true) !== checksum) {
    return refuse(
      "WrongChecksum",
      `The dataset is damaged: its checksum is ${hex(checksum)}, ${hex(view.getUint32(4, true))} expected. Fetch or build it again.`,
    )
  }
  const header = parseJson(readAscii(bytes, HEADER_BYTES, headerLength))
  const named = places.sections.map(({ at, length }) => {
    return { name: readAscii(bytes, at - SECTION_HEADER_BYTES, 4), at, length }
  })
  const place = named.find(({ name }) => name === TERMS)
  const terms = place === undefined ? undefined : parseJson(readAscii(bytes, place.at, place.length))
  if (header === undefined || (place !== undefined && terms === undefined)) {
    const what = header === undefined ? "header is" : "terms are"
    return refuse(
      "MalformedDataset",
      `The dataset's ${what} not JSON: it was not written by \`landfall dataset build\`.`,
    )
  }
  const pairs = bytes.subarray(HEADER_BYTES + headerLength, HEADER_BYTES + headerLength + pairsLength)
  // Their contents are checked where they are opened.
  const others = named.filter(({ name }) => name !== TERMS)
  // Of two sections with one name the first counts, as for the terms.
  const contents = others.map(({ name, at, length }) => [name, bytes.subarray(at, at + length)] as const).reverse()
  const sections = contents.length === 0 ? undefined : new Map(contents)
  const parts = { header: header as DatasetHeader, pairs, formatVersion: version, sections }
  return success(place === undefined ? parts : { ...parts, terms: terms as TermsSection })
}

// JSON never gives undefined.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Section {
  readonly at: number
  readonly length: number
}

// Where each section's text begins and ends, as far as there are bytes to say so; `end`: where the file has to end.
function findSections(view: DataView, from: number): { readonly sections: readonly Section[]; readonly end: number } {
  const count = Math.min(view.getUint16(10, true), MAX_SECTIONS)
  const sections: Section[] = []
  let end = from
  for (let section = 0; section < count; section++) {
    end += SECTION_HEADER_BYTES
    if (end > view.byteLength) break
    const length = view.getUint32(end - 4, true)
    sections.push({ at: end, length })
    end += length
  }
  return { sections, end }
}

/** Says that a version cannot be read, and what to do. */
function refuseVersion(version: number) {
  const advice = version > FORMAT_VERSION ? "upgrade landfall" : "build the dataset again with `landfall dataset build`"
  const found = `The dataset has format version ${version}, this code reads version ${FORMAT_VERSION}`
  return refuse("WrongFormatVersion", `${found}: ${advice}.`)
}

function hex(value: number): string {
  return value.toString(16).padStart(8, "0")
}

function describeKind(value: unknown): string {
  return value === null ? "null" : typeof value === "object" ? "another object" : `a value of type ${typeof value}`
}

// ---- Numbering pairs

// How are answers numbered, so that a table of pairs compresses?
//
// The contents of an answer are stored separately from its origin, and each destination numbers its own answers, the most frequent first.
// Contents and origins are in the order of their frequency, passports and destinations in that of their similarity: a greedy walk from the
// first row to the nearest one not yet visited, ties to the earlier. That makes the embedded pairs about 40 % smaller than in the order of
// codes. All of it is deterministic.

/** A distinct answer. */
export interface AnswerParts {
  readonly content: ContentRow
  readonly origin: OriginRow
}

/** Steps of one pair: (first day, answer) in order of days; answer 0 is no record, answer n the nth of the answers. */
export type Steps = readonly number[]

/** A table of pairs, laid out. */
interface PairsLayout extends Pick<PairsHeader, "contents" | "origins" | "answers" | "timelines"> {
  /** Places of passports and destinations in the order in which they are stored. */
  readonly passportOrder: readonly number[]
  readonly destinationOrder: readonly number[]
  readonly pairs: Uint8Array
}

/**
 * Lays out columns of steps, one for each destination, with their answers for one day; `homes`: the place of each destination's own passport,
 * or -1. Null if a destination has more answers than a byte can distinguish.
 */
export function layOutPairs(
  columns: readonly (readonly Steps[])[],
  answers: readonly AnswerParts[],
  homes: readonly number[],
  day: EpochDay,
): PairsLayout | null {
  const table = columns.map((column, d) =>
    column.map((steps, p) => (p === homes[d] ? HOME : answerIndexOn(steps, day))),
  )
  const counts = countAll(table)
  const contents = order(
    answers.map(({ content }) => content),
    counts,
  )
  const origins = order(
    answers.map(({ origin }) => origin),
    counts,
  )
  const listed = columns.map((column, d) => {
    const here = countAll([table[d] ?? []])
    // Answers for other days than the table's are in timelines.
    const all = new Set<number>()
    column.forEach((steps, p) => {
      for (let at = 1; at < steps.length && p !== homes[d]; at += 2) all.add(steps[at] as number)
    })
    return [...all].filter(answer => answer > 0).sort((a, b) => (here.get(b) ?? 0) - (here.get(a) ?? 0) || a - b)
  })
  if (listed.some(({ length }) => length > MAX_NUMBERS)) return null
  const looks = table.map(column =>
    column.map(answer => (answer > 0 ? (contents.placeOf[answer - 1] as number) + 1 : answer)),
  )
  const passportOrder = orderBySimilarity((columns[0] ?? []).map((_, p) => looks.map(column => column[p] as number)))
  const destinationOrder = orderBySimilarity(looks)
  const pairs = new Uint8Array(passportOrder.length * destinationOrder.length)
  const timelines: TimelineRow[] = []
  destinationOrder.forEach((d, row) => {
    const numbers = new Map((listed[d] as readonly number[]).map((answer, at) => [answer, at + 1]))
    const dated = new Map<string, { readonly steps: readonly number[]; readonly places: number[] }>()
    const home = passportOrder.indexOf(homes[d] as number)
    passportOrder.forEach((p, at) => {
      const place = row * passportOrder.length + at
      // The byte of citizens is not read: it is their neighbour's, which compresses best.
      const q = at === home ? (passportOrder[at - 1] ?? passportOrder[at + 1]) : p
      pairs[place] = numbers.get(table[d]?.[q ?? p] as number) ?? 0
      const steps = columns[d]?.[p] as Steps
      if (steps.length === 2 || at === home) return
      const numbered = steps.map((step, i) => (i % 2 === 0 ? step : (numbers.get(step) ?? 0)))
      const group = dated.get(numbered.join()) ?? { steps: numbered, places: [] }
      group.places.push(place)
      dated.set(numbered.join(), group)
    })
    for (const { steps, places } of dated.values()) {
      const distances = places.map((place, i) => place - (places[i - 1] ?? 0))
      timelines.push([distances.length === 1 ? (distances[0] as number) : distances, ...steps])
    }
  })
  const partsOf = (answer: number) => [contents.placeOf[answer - 1] as number, origins.placeOf[answer - 1] as number]
  return {
    passportOrder,
    destinationOrder,
    contents: contents.rows,
    origins: origins.rows,
    answers: destinationOrder.map(d => (listed[d] as readonly number[]).flatMap(partsOf)),
    pairs,
    timelines,
  }
}

/** In place of the answer for a passport's own country. */
const HOME = -1

function countAll(columns: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const column of columns) for (const answer of column) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}

// The distinct rows of answers, common ones first, and the place of each answer's; `counts`: how often there is an answer, by its number.
function order<Row>(all: readonly Row[], counts: ReadonlyMap<number, number>) {
  const keys = all.map(row => JSON.stringify(row))
  const total = new Map<string, number>()
  keys.forEach((key, i) => {
    total.set(key, (total.get(key) ?? 0) + (counts.get(i + 1) ?? 0))
  })
  const sorted = [...total].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([key]) => key)
  return { rows: sorted.map(key => JSON.parse(key) as Row), placeOf: keys.map(key => sorted.indexOf(key)) }
}

/** Orders rows so that neighbours are similar; returns the indices of the rows. Quadratic in rows, once at compile time. */
export function orderBySimilarity(all: readonly (readonly number[])[]): number[] {
  // Where all rows have the same, none is nearer than another.
  const [first = []] = all
  const places = [...first.keys()].filter(at => all.some(row => row[at] !== first[at]))
  const rows = all.map(row => places.map(at => row[at] as number))
  const left = rows.map((_, index) => index)
  const sorted: number[] = []
  let current = left.shift()
  while (current !== undefined) {
    sorted.push(current)
    const row = rows[current] as readonly number[]
    let nearest = -1
    let least = Number.POSITIVE_INFINITY
    for (let place = 0; place < left.length && least > 0; place++) {
      const distance = countDifferences(row, rows[left[place] as number] as readonly number[], least)
      if (distance < least) {
        least = distance
        nearest = place
      }
    }
    current = nearest < 0 ? undefined : left.splice(nearest, 1)[0]
  }
  return sorted
}

function countDifferences(a: readonly number[], b: readonly number[], limit: number): number {
  let count = 0
  for (let i = 0; i < a.length && count < limit; i++) if (a[i] !== b[i]) count++
  return count
}
