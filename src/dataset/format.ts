/**
 * How is a dataset laid out, as bytes in a file and as text in a bundle?
 *
 * A file is `LNDF`, a CRC-32 of everything behind it, a format version, two lengths, a JSON header in ASCII and one byte a
 * pair, destination by destination. The embedded form holds the same header and the same pairs, one printable character a
 * pair; {@link encodeDataset} and {@link encodeEmbedded} both start from the same {@link DatasetParts}. Passports and
 * destinations stand in the order of similarity, because neighbours that are alike compress to almost nothing. This file
 * refuses to know what an answer means.
 */
import { type DatasetError, failure, type Result, success } from "../errors.ts"

/** The layout described here. A file of another version is refused, with both versions named. */
export const FORMAT_VERSION = 1

/** The most distinct answers: one byte names an answer, and 0 means that there is no record. */
export const MAX_ANSWERS = 255

const MAGIC = 0x46_44_4e_4c // "LNDF", least significant byte first
const HEADER_BYTES = 20

/** One row of the table of distinct answers: requirement rank, days, source index, verified on, basis, bloc or followed destination, uncertain. */
export type AnswerRow = readonly [
  requirement: number,
  days: number | null,
  source: number | null,
  verifiedOn: string | null,
  basis: string | null,
  subject: string | null,
  uncertain: 0 | 1,
]

/** A pair whose answer depends on the day: its place among the pairs, then (first day, answer) in order of days. */
export type TimelineRow = readonly [pair: number, ...steps: number[]]

/** Where a rule was read: source index, the page where it is another than the source's own, verified on. */
export type ProvenanceRow = readonly [source: number | null, sourceUrl: string | null, verifiedOn: string | null]

/** A stay zone; a window of 0 days is a single permission. Members are codes run together, by the days of membership. */
export type ZoneRow = readonly [
  id: string,
  name: string,
  instrument: string | null,
  allowanceDays: number,
  windowDays: number,
  members: readonly (readonly [codes: string, fromDay: number | null, untilDay: number | null])[],
  ...ProvenanceRow,
]

/** A rule of passport validity, and the destinations it holds for. */
export type ValidityRow = readonly [
  isFromArrival: 0 | 1,
  months: number,
  days: number,
  issuedWithinYears: number | null,
  isMediumConfidence: 0 | 1,
  destinations: string,
  ...ProvenanceRow,
]

/** A transit rule, the passports that it names (null for all) and the countries it holds for. */
export type TransitRow = readonly [
  isLandside: 0 | 1,
  needsVisa: 0 | 1,
  hours: number | null,
  condition: string | null,
  isPartial: 0 | 1,
  isMediumConfidence: 0 | 1,
  passports: string | null,
  destinations: string,
  ...ProvenanceRow,
]

/** Everything but the pairs. */
export interface DatasetHeader {
  readonly version: string
  readonly asOfDay: number
  readonly sinceDay: number
  /** Codes run together, in the order of the pairs' columns and rows. */
  readonly passports: string
  readonly destinations: string
  /** M49 sub-regions, and for each destination its place among them. */
  readonly regions: readonly string[]
  readonly regionOf: readonly (number | null)[]
  readonly gdpUsdMillions: readonly (number | null)[]
  readonly sources: readonly (readonly [id: string, name: string, url: string | null, imported: 0 | 1])[]
  /** Distinct answers; byte 0 of a pair means that it has no record, byte n the answer n - 1. */
  readonly answers: readonly AnswerRow[]
  readonly timelines: readonly TimelineRow[]
  /** Absent from the first files of this version, which knew no such rules. */
  readonly zones?: readonly ZoneRow[]
  readonly validity?: readonly ValidityRow[]
  readonly transit?: readonly TransitRow[]
}

/** A compiled dataset, not yet laid out. */
export interface DatasetParts {
  readonly header: DatasetHeader
  /** One byte a pair, destination by destination. */
  readonly pairs: Uint8Array
}

/** A compiled dataset as a JavaScript value for a bundle. */
export interface EmbeddedDataset {
  readonly format: number
  readonly header: DatasetHeader
  readonly pairs: string
}

/**
 * Computes the CRC-32 (ISO-HDLC, as in zip and PNG) of bytes from `start` to the end.
 *
 * Any change of up to 32 neighbouring bits changes it, so that no single flipped byte passes.
 *
 * @example
 * ```ts
 * crc32(Uint8Array.of(49, 50, 51, 52, 53, 54, 55, 56, 57), 0) // => 3421780262
 * ```
 */
export function crc32(bytes: Uint8Array, start: number): number {
  crcOfByte ??= Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1
    return crc
  })
  let crc = -1
  for (let i = start; i < bytes.length; i++) {
    crc = (crc >>> 8) ^ (crcOfByte[(crc ^ (bytes[i] as number)) & 0xff] as number)
  }
  return ~crc >>> 0
}

let crcOfByte: Int32Array | undefined

// ASCII only, so that a runtime without TextEncoder can write and read it.
function toAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** Lays a dataset out as the bytes of a file: the same parts give the same bytes. */
export function encodeDataset({ header, pairs }: DatasetParts): Uint8Array {
  const text = toAscii(header)
  const bytes = new Uint8Array(HEADER_BYTES + text.length + pairs.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint16(8, FORMAT_VERSION, true)
  view.setUint32(12, text.length, true)
  view.setUint32(16, pairs.length, true)
  for (let i = 0; i < text.length; i++) bytes[HEADER_BYTES + i] = text.charCodeAt(i)
  bytes.set(pairs, HEADER_BYTES + text.length)
  view.setUint32(4, crc32(bytes, 8), true)
  return bytes
}

function refuse(tag: DatasetError["tag"], message: string) {
  return failure({ tag, message })
}

/** Reads the bytes of a file back into parts, or says why they are no dataset that this code can open. */
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
      "The bytes of the dataset cannot be read: their buffer was handed over, or is none.",
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
  const expected = HEADER_BYTES + headerLength + pairsLength
  if (bytes.length !== expected) {
    return refuse(
      "TruncatedDataset",
      `The dataset is ${bytes.length < expected ? "cut off" : "too long"}: ${bytes.length} bytes found, ${expected} expected.`,
    )
  }
  const checksum = crc32(bytes, 8)
  if (view.getUint32(4, true) !== checksum) {
    return refuse(
      "WrongChecksum",
      `The dataset is damaged: its checksum is ${hex(checksum)}, ${hex(view.getUint32(4, true))} expected. Fetch or build it again.`,
    )
  }
  try {
    let text = ""
    for (let at = HEADER_BYTES; at < HEADER_BYTES + headerLength; at += 4096) {
      const piece = bytes.subarray(at, Math.min(at + 4096, HEADER_BYTES + headerLength))
      // Applied, not spread, which asks an iterator for each byte and takes ten times as long.
      text += String.fromCharCode.apply(null, piece as unknown as number[])
    }
    return success({ header: JSON.parse(text), pairs: bytes.subarray(HEADER_BYTES + headerLength) })
  } catch {
    return refuse(
      "MalformedDataset",
      "The dataset's header is not JSON: it was not written by `landfall dataset build`.",
    )
  }
}

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

// The 93 printable ASCII characters that need no escape in a JavaScript string, then letters from U+0100 on.
const ASCII_PLACES = 93

function characterOf(byte: number): number {
  if (byte >= ASCII_PLACES) return 0x100 + byte - ASCII_PLACES
  const unit = 32 + byte + (byte >= 2 ? 1 : 0)
  return unit >= 92 ? unit + 1 : unit
}

/** Lays a dataset out as a value for a bundle, one printable character a pair. */
export function encodeEmbedded({ header, pairs }: DatasetParts): EmbeddedDataset {
  return { format: FORMAT_VERSION, header, pairs: encodePairs(pairs) }
}

function encodePairs(pairs: Uint8Array): string {
  let text = ""
  for (const byte of pairs) text += String.fromCharCode(characterOf(byte))
  return text
}

/** Reads the embedded form back into parts, or says why it is no dataset that this code can open. */
export function decodeEmbedded(embedded: EmbeddedDataset): Result<DatasetParts, DatasetError> {
  try {
    const { format, header, pairs: text } = embedded
    if (typeof format === "number" && format !== FORMAT_VERSION) return refuseVersion(format)
    const pairs = decodePairs(text)
    if (format === FORMAT_VERSION && encodePairs(pairs) === text) return success({ header, pairs })
  } catch {
    // No object, no text, or properties that throw.
  }
  return refuse("MalformedDataset", "The value is no embedded dataset: it was not written by `encodeEmbedded`.")
}

function decodePairs(text: string): Uint8Array {
  const pairs = new Uint8Array(text.length)
  textColumns(text)(0, pairs, [...pairs.keys()], 0)
  return pairs
}

/** Copies stored pairs from the place `at` on into a table, one to the column of each row; rows are given by where they begin. */
export type CopyColumn = (at: number, table: Uint8Array, rows: readonly number[], column: number) => void

// A function for each column and no loop over all, because V8 compiles a function that is called often much sooner.

/** Columns from bytes. */
export const byteColumns =
  (pairs: Uint8Array): CopyColumn =>
  (at, table, rows, column) => {
    for (let r = 0; r < rows.length; r++) table[(rows[r] as number) + column] = pairs[at + r] as number
  }

/** Columns from the text of the embedded form. A character that no byte has is read as no record. */
export function textColumns(text: string): CopyColumn {
  const byteOf = new Uint8Array(0x200)
  for (let byte = 0; byte < 256; byte++) byteOf[characterOf(byte)] = byte
  return (at, table, rows, column) => {
    for (let r = 0; r < rows.length; r++) {
      table[(rows[r] as number) + column] = byteOf[text.charCodeAt(at + r)] as number
    }
  }
}
