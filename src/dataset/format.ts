/**
 * What is a compiled dataset made of, before it is laid out as bytes or as text?
 *
 * A header, one byte a pair, and the terms: what a rule depends on, which lookups do not load. A byte is the number of an answer among those of its
 * destination, the most frequent first. Two destinations with the same rules for the same passports therefore look alike, whatever they grant, and
 * equal rows compress to almost nothing. file-form.ts and embedded-lists.ts lay out these parts. This file does not know what an answer means.
 */
import type { EpochDay } from "../civil-date.ts"
import type { SourceRow, TermsSection } from "../rules/provisions.ts"

/** The layout described here. Files of a version that this code cannot read are refused, with both versions named. */
export const FORMAT_VERSION = 4

/** The most answers of a destination: one byte names one, and 0 means that there is no record. */
export const MAX_NUMBERS = 255

/** The most distinct answers. */
export const MAX_ANSWERS = 4095

/** What an answer says: requirement rank, days, basis. That of a passport's own country is stored nowhere. */
export type ContentRow = readonly [requirement: number, days: number | null, basis: string | null]

/** Where an answer was read: source index, verified on; the bloc or followed destination that it names; whether it is uncertain. */
export type OriginRow = readonly [
  source: number | null,
  verifiedOn: string | null,
  subject: string | null,
  uncertain: 0 | 1,
]

/**
 * Pairs whose answer depends on the day, and (first day, number of an answer) in order of days. The pairs are one
 * place among the pairs, or a list of places in order, each as its distance from the one before.
 */
export type TimelineRow = readonly [pairs: number | readonly number[], ...steps: number[]]

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
  readonly contents: readonly ContentRow[]
  readonly origins: readonly OriginRow[]
  /** By destination: its answers from number 1 on, each as the place of its contents and the place of its origin. */
  readonly answers: readonly (readonly number[])[]
  readonly timelines: readonly TimelineRow[]
}

/** The parts of a header for groups, scores and regions. */
export interface PlacesHeader {
  /** M49 sub-regions, and for each destination its place among them. */
  readonly regions: readonly string[]
  readonly regionOf: readonly (number | null)[]
  readonly gdpUsdMillions: readonly (number | null)[]
}

/** Everything but the pairs and the terms. */
export interface DatasetHeader extends PairsHeader, PlacesHeader {}

/** A compiled dataset, not yet laid out. */
export interface DatasetParts {
  readonly header: DatasetHeader
  /** One byte a pair, the number of an answer, destination by destination; that of a passport's own country is not read. */
  readonly pairs: Uint8Array
  /** Absent where only pairs are stored. */
  readonly terms?: TermsSection | undefined
  /** Further sections, by their names of four letters. */
  readonly sections?: ReadonlyMap<string, Uint8Array> | undefined
  /** The version of the file that they were read from; today's when absent. */
  readonly formatVersion?: number | undefined
}

/** Lists the places of the pairs that a timeline is for. */
export function listTimelinePairs(pairs: TimelineRow[0]): readonly number[] {
  if (typeof pairs === "number") return [pairs]
  let place = 0
  return pairs.map(distance => (place += distance))
}

/** Finds a timeline's answer for a day: that of the last step not after it. */
export function answerIndexOn(steps: readonly number[], day: EpochDay): number {
  let found = steps[1] as number
  for (let at = 2; at < steps.length && (steps[at] as number) <= day; at += 2) found = steps[at + 1] as number
  return found
}
