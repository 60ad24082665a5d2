/**
 * What is a compiled dataset made of, before it is laid out as bytes or as text?
 *
 * A header, one byte a pair, and the terms: what a rule depends on, which lookups do not load. A byte is the number of a slot, not of an answer. A slot has the requirement, days and
 * basis, and each destination's palette says which of its slots have another origin than usual. Two destinations with the same requirements but different origins therefore look alike, and
 * equal rows compress to almost nothing. file-form.ts and embedded-form.ts lay out these parts. This file does not know what an answer means.
 */
import type { SourceRow } from "./source-rows.ts"
import type { TermsSection } from "./terms-section.ts"
import type { ZoneRow } from "./travel-rules.ts"

/** The layout described here. Files of a version that this code cannot read are refused, with both versions named. */
export const FORMAT_VERSION = 3

/** The most slots: one byte names a slot, and 0 means that there is no record. */
export const MAX_SLOTS = 255

/** The most distinct answers. */
export const MAX_ANSWERS = 4095

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
 * Pairs whose answer depends on the day, and (first day, slot) in order of days. The pairs are one
 * place among the pairs, or a list of places in order, each as its distance from the one before.
 */
export type TimelineRow = readonly [pairs: number | readonly number[], ...steps: number[]]

/** The requirement of a slot (rank), its days and basis, and its usual origin. */
export type SlotRow = readonly [requirement: number, days: number | null, basis: string | null, origin: number]

/** Where an answer was read: source index, verified on; the bloc or followed destination that it names; whether it is uncertain. */
export type OriginRow = readonly [
  source: number | null,
  verifiedOn: string | null,
  subject: string | null,
  uncertain: 0 | 1,
]

/** A destination's place, and its slots that have another origin there than usual, each origin with its slots. */
export type PaletteRow = readonly [destination: number, ...groups: (readonly [origin: number, ...slots: number[]])[]]

/** The parts of a header that every answer needs. */
export interface PairsHeader {
  readonly version: string
  readonly asOfDay: number
  readonly sinceDay: number
  /** Codes run together, in the order of the pairs' columns and rows. */
  readonly passports: string
  readonly destinations: string
  /** The sources that answers name come first. */
  readonly sources: readonly SourceRow[]
  /** The meaning of each byte of a pair, from 1 on, with its differences between destinations. */
  readonly slots: readonly SlotRow[]
  readonly origins: readonly OriginRow[]
  readonly palettes: readonly PaletteRow[]
  readonly timelines: readonly TimelineRow[]
}

/** The parts of a header for groups, scores and regions. */
export interface PlacesHeader {
  /** M49 sub-regions, and for each destination its place among them. */
  readonly regions: readonly string[]
  readonly regionOf: readonly (number | null)[]
  readonly gdpUsdMillions: readonly (number | null)[]
}

/** The further parts of a header for rules of destinations. */
export interface DestinationsHeader extends PlacesHeader {
  readonly zones?: readonly ZoneRow[] | undefined
}

/** Everything but the pairs and the terms. */
export interface DatasetHeader extends PairsHeader, DestinationsHeader {}

/** A compiled dataset, not yet laid out. */
export interface DatasetParts {
  readonly header: DatasetHeader
  /** One byte a pair, the number of a slot, destination by destination. */
  readonly pairs: Uint8Array
  /** Absent where only pairs are stored. */
  readonly terms?: TermsSection | undefined
  /** Further sections, by their names of four letters. */
  readonly sections?: ReadonlyMap<string, Uint8Array> | undefined
  /** The version of the file that they were read from; today's when absent. */
  readonly formatVersion?: number | undefined
}

/** The distinct answers of a header, and which of them each slot of a destination means. */
export interface ResolvedAnswers {
  /** Number n is the nth of them; number 0 is no record. */
  readonly rows: readonly AnswerRow[]
  /** By slot: the number of its answer at a destination, which is given by its index; slot 0 is no record. */
  readonly paletteOf: (destination: number) => readonly number[]
}

/** Puts slots and origins together to answers. The header is sound, or else the answers are checked afterwards. */
export function resolveAnswers({ slots, origins, palettes }: PairsHeader): ResolvedAnswers {
  const rows: AnswerRow[] = []
  const numbers = new Map<number, number>()
  // Slots that differ in their usual origin alone mean the same.
  const meanings = slots.map(([requirement, days, basis]) => `${requirement},${days},${basis}`)
  const firsts = meanings.map(meaning => meanings.indexOf(meaning))
  const numberOf = (slot: number, origin: number): number => {
    const key = (firsts[slot - 1] as number) * origins.length + origin
    const known = numbers.get(key)
    if (known !== undefined) return known
    const [requirement, days, basis] = slots[slot - 1] as SlotRow
    const [source, verifiedOn, subject, uncertain] = origins[origin] as OriginRow
    const number = rows.push([requirement, days, source, verifiedOn, basis, subject, uncertain])
    numbers.set(key, number)
    return number
  }
  const usual = [0, ...slots.map(([, , , origin], at) => numberOf(at + 1, origin))]
  const others = new Map<number, readonly number[]>()
  for (const [destination, ...groups] of palettes) {
    const palette = usual.slice()
    for (const [origin, ...list] of groups) for (const slot of list) palette[slot] = numberOf(slot, origin)
    others.set(destination, palette)
  }
  return { rows, paletteOf: destination => others.get(destination) ?? usual }
}

/** Lists the places of the pairs that a timeline is for. */
export function listTimelinePairs(pairs: TimelineRow[0]): readonly number[] {
  if (typeof pairs === "number") return [pairs]
  let place = 0
  return pairs.map(distance => (place += distance))
}

/**
 * Copies stored pairs into a table, as the answers that their slots mean: each pair at the sum of where its row begins and of its column.
 * The palette of a destination is given by its index.
 */
export type CopyPairs = (
  table: Uint16Array,
  rows: readonly number[],
  columns: readonly number[],
  paletteOf: ResolvedAnswers["paletteOf"],
) => void

/** Pairs from bytes. */
export const copyBytes =
  (pairs: Uint8Array): CopyPairs =>
  (table, rows, columns, paletteOf) => {
    // A function for each column and no loop over all, because V8 compiles a function that is called often much sooner.
    columns.forEach((column, destination) => {
      const palette = paletteOf(destination)
      const at = destination * rows.length
      for (let r = 0; r < rows.length; r++) {
        table[(rows[r] as number) + column] = palette[pairs[at + r] as number] as number
      }
    })
  }
