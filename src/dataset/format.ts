/**
 * What is a compiled dataset made of, before it is laid out as bytes or as text?
 *
 * A header, one byte a pair, and the terms: what a rule depends on, which nobody who only looks pairs up has to load. A byte names
 * no answer but a slot, and each destination says in its palette which of its slots mean another answer than usual: so two
 * destinations that ask the same, but were read in two places on two days, still look alike, and what is alike compresses to almost
 * nothing. The same parts are laid out by file-form.ts and embedded-form.ts. This file refuses to know what an answer means.
 */
import type { TermsSection } from "./terms-section.ts"

/** The layout described here. Files of a version that this code cannot read are refused, with both versions named. */
export const FORMAT_VERSION = 2

/** The first version: bytes are answers, and there are no sections behind the pairs. Still opened. */
export const OLDEST_FORMAT_VERSION = 1

/** The most slots: one byte names a slot, and 0 means that there is no record. */
export const MAX_SLOTS = 255

/** The most distinct answers. */
export const MAX_ANSWERS = 4095

/** The most different lengths of a stay: comparing stays packs the place of one into nine bits. */
export const MAX_STAYS = 500

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

/**
 * Pairs whose answer depends on the day, and (first day, answer) in order of days. The pairs are one place among the pairs, or a list of
 * places in order, each as its distance from the one before.
 */
export type TimelineRow = readonly [pairs: number | readonly number[], ...steps: number[]]

/** A destination's place, then slots and the answers that they mean there, in turn. */
export type PaletteRow = readonly [destination: number, ...slotsAndAnswers: number[]]

/** A source: id, name, address, and whether it is a table that was imported whole. */
export type SourceRow = readonly [id: string, name: string, url: string | null, imported: 0 | 1]

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

/** What of a header every answer needs. */
export interface PairsHeader {
  readonly version: string
  readonly asOfDay: number
  readonly sinceDay: number
  /** Codes run together, in the order of the pairs' columns and rows. */
  readonly passports: string
  readonly destinations: string
  /** Those that answers name stand first. */
  readonly sources: readonly SourceRow[]
  /** Distinct answers; number n is the nth of them, number 0 that there is no record. */
  readonly answers: readonly AnswerRow[]
  /** By slot, from the first on, the number of its usual answer. Absent: the slot's own number, as in the first version. */
  readonly slots?: readonly number[] | undefined
  readonly palettes?: readonly PaletteRow[] | undefined
  readonly timelines: readonly TimelineRow[]
}

/** What of a header the rules for destinations, scores and regions need. */
export interface DestinationsHeader {
  /** M49 sub-regions, and for each destination its place among them. */
  readonly regions: readonly string[]
  readonly regionOf: readonly (number | null)[]
  readonly gdpUsdMillions: readonly (number | null)[]
  /** Absent from the first files, which knew no such rules. */
  readonly zones?: readonly ZoneRow[] | undefined
  readonly validity?: readonly ValidityRow[] | undefined
  readonly transit?: readonly TransitRow[] | undefined
}

/** Everything but the pairs and the terms. */
export interface DatasetHeader extends PairsHeader, DestinationsHeader {}

/** A compiled dataset, not yet laid out. */
export interface DatasetParts {
  readonly header: DatasetHeader
  /** One byte a pair, the number of a slot, destination by destination. */
  readonly pairs: Uint8Array
  /** Absent from files of the first version. */
  readonly terms?: TermsSection | undefined
  /** The version of the file that they were read from; today's when absent. */
  readonly formatVersion?: number | undefined
}

/** Gives, for the destination at a place, the number of the answer that each slot means there; the first is that of no record. */
export function readPalette({ slots, palettes = [], answers }: PairsHeader): (destination: number) => Uint16Array {
  const usual = new Uint16Array(MAX_SLOTS + 1)
  const count = slots?.length ?? answers.length
  for (let slot = 1; slot <= count; slot++) usual[slot] = slots?.[slot - 1] ?? slot
  const rows = new Map(palettes.map(row => [row[0], row]))
  return destination => {
    const row = rows.get(destination)
    if (row === undefined) return usual
    const palette = usual.slice()
    for (let at = 1; at < row.length; at += 2) palette[row[at] as number] = row[at + 1] as number
    return palette
  }
}

/** Lists the places of the pairs that a timeline is for. */
export function listTimelinePairs(pairs: TimelineRow[0]): readonly number[] {
  if (typeof pairs === "number") return [pairs]
  let place = 0
  return pairs.map(distance => (place += distance))
}

/**
 * Copies stored pairs from the place `at` on into a table, one to the column of each row, as the answers that their slots mean; rows are
 * given by where they begin.
 */
export type CopyColumn = (
  at: number,
  table: Uint16Array,
  rows: readonly number[],
  column: number,
  palette: Uint16Array,
) => void

// A function for each column and no loop over all, because V8 compiles a function that is called often much sooner.

/** Columns from bytes. */
export const byteColumns =
  (pairs: Uint8Array): CopyColumn =>
  (at, table, rows, column, palette) => {
    for (let r = 0; r < rows.length; r++) {
      table[(rows[r] as number) + column] = palette[pairs[at + r] as number] as number
    }
  }
