/**
 * How is a dataset split and stored briefly in the package's own bundle, so that an app loads only what it uses?
 *
 * Its pairs as in a file, with one printable character a pair. The answers of all destinations are two texts: one of their contents, another one of the
 * same length without its dividers of their origins.
 */
import type { MembersCell, TermsSection } from "../rules/provisions.ts"
import { readCharacters, writeByteText } from "./byte-text.ts"
import { type EmbeddedLists, type EmbeddedRemarks, writeLists } from "./embedded-lists.ts"
import type { DatasetParts, PairsHeader, PlacesHeader } from "./format.ts"

/** The part of an embedded dataset that a lookup needs. */
export interface EmbeddedPairs {
  readonly header: Omit<PairsHeader, "answers">
  readonly columns: EmbeddedColumns
}

/** The columns of pairs, each for a destination. */
export interface EmbeddedColumns {
  /** By pair, one character: the number of its answer among those of the destination. */
  readonly pairs: string
  /** The contents of the answers of each destination. */
  readonly contents: string
  /** By answer of a destination: its origin. */
  readonly origins: string
}

/** Further data for groups and scores: the members of each zone, run together. */
export interface EmbeddedPlaces extends PlacesHeader {
  readonly zones: readonly string[]
}

/** Between the answers of two destinations: no byte has this character. */
const DIVIDER = "·"

/** The character of the number 0. */
export const FIRST = 0x22

/** Writes pairs as texts, for the build only. */
export function writePairs({ answers, ...header }: PairsHeader, pairs: Uint8Array): EmbeddedPairs {
  const write = (list: readonly number[], isOrigin: 0 | 1) =>
    writeByteText(Uint8Array.from(list.filter((_, at) => at % 2 === isOrigin)))
  return {
    header,
    columns: {
      contents: answers.map(list => write(list, 0)).join(DIVIDER),
      origins: write(answers.flat(), 1),
      pairs: String.fromCharCode(...pairs.map(number => FIRST + number)),
    },
  }
}

/** Reads the header back of pairs that {@link writePairs} has written. */
export function readHeader({ header, columns: { contents, origins } }: EmbeddedPairs): PairsHeader {
  const byteOf = readCharacters()
  const answers: number[][] = [[]]
  // A loop, because a process that has compiled nothing yet calls functions slowly.
  for (let at = 0, next = 0; at < contents.length; at++) {
    if (contents.charAt(at) === DIVIDER) answers.push([])
    else answers[answers.length - 1]!.push(byteOf[contents.charCodeAt(at)]!, byteOf[origins.charCodeAt(next++)]!)
  }
  return { ...header, answers }
}

const NO_TERMS: TermsSection = { sources: [], retrievedDays: [], lists: {} }

/**
 * Splits a dataset into what a lookup needs, what groups and scores need besides, what decisions need besides, and remarks.
 *
 * @example
 * ```ts
 * Object.keys(splitEmbedded(parts)) // => ["pairs", "places", "retrievedDays", "rules", "remarks"]
 * ```
 */
export function splitEmbedded({ header, pairs, terms = NO_TERMS }: DatasetParts): {
  readonly pairs: EmbeddedPairs
  readonly places: EmbeddedPlaces
  readonly rules: EmbeddedLists
  readonly retrievedDays: readonly (number | null)[]
  readonly remarks: EmbeddedRemarks
} {
  const { regions, regionOf, gdpUsdMillions, ...asked } = header
  const asking = writePairs(asked, pairs)
  const { fields = "", rows = [] } = terms.lists.zones ?? {}
  const members = fields.split(" ").indexOf("members:members")
  return {
    pairs: asking,
    places: {
      regions,
      regionOf,
      gdpUsdMillions,
      zones: rows.map(row => (row[members] as MembersCell).map(([codes]) => codes).join("")),
    },
    retrievedDays: terms.retrievedDays,
    ...writeLists({ ...terms.lists, sources: { fields: "id name url kind", rows: terms.sources } }, asking),
  }
}
