/**
 * How is a dataset laid out as a JavaScript value for a bundle?
 *
 * The same header and the same pairs as in a file, one printable character a pair. For the package's own bundle the value is
 * split in four, so that an app that only looks up pairs loads neither terms nor regions nor rules for destinations, and one that decides
 * without showing pages and remarks does not load those.
 */
import { type DatasetError, failure, type Result, success } from "../errors.ts"
import { readByteText, writeByteText } from "./byte-text.ts"
import { refuseVersion } from "./file-form.ts"
import { type DatasetHeader, type DatasetParts, FORMAT_VERSION, type PairsHeader, type PlacesHeader } from "./format.ts"
import type { TermsSection } from "./terms-section.ts"

/** A compiled dataset as a JavaScript value for a bundle. */
export interface EmbeddedDataset {
  readonly format: number
  readonly header: DatasetHeader
  readonly pairs: string
  readonly terms?: TermsSection | undefined
}

/** The part of an embedded dataset that a lookup needs, as `embedded-slots.ts` writes it. */
export interface EmbeddedPairs {
  readonly header: Omit<PairsHeader, "palettes">
  readonly columns: EmbeddedColumns
}

/** The columns of pairs, each for a destination. */
export interface EmbeddedColumns {
  /** By pair, one character: the place of its slot among those of the destination. */
  readonly pairs: string
  /** The slots of each destination. */
  readonly slots: string
  /** By slot of a destination: its origin. */
  readonly origins: string
}

/** Further data for groups and scores. */
export interface EmbeddedPlaces {
  readonly header: Omit<PlacesHeader, "gdpUsdMillions">
  /** As `writeNumbers` writes them. */
  readonly gdpUsdMillions: string
  /** The members of each zone, run together. */
  readonly zones: readonly string[]
}

/** Rows of a list. */
export type Rows = readonly (readonly unknown[])[]

/** Further data for decisions: the sources behind those that answers name, zones, the lists of terms, and provisions by their kind. */
export interface EmbeddedLists {
  /** By kind of provision: its fields. */
  readonly fields: Readonly<Record<string, string>>
  readonly lists: Readonly<Record<string, Rows>>
}

/** The most pairs: as many as the most passports and destinations have. */
const MAX_PAIRS = 253 * 253

/**
 * Lays a dataset out as a value for a bundle, one printable character a pair.
 *
 * @example
 * ```ts
 * encodeEmbedded(parts).pairs.length // => 12
 * ```
 */
export function encodeEmbedded({ header, pairs, terms }: DatasetParts): EmbeddedDataset {
  return { format: FORMAT_VERSION, header, pairs: writeByteText(pairs), ...(terms === undefined ? {} : { terms }) }
}

/**
 * Reads the embedded form back into parts, or says why this code cannot open it.
 *
 * @example
 * ```ts
 * const decoded = decodeEmbedded(encodeEmbedded(parts))
 * decoded.ok && decoded.value.header.version // => "test.1"
 * ```
 */
export function decodeEmbedded(embedded: EmbeddedDataset): Result<DatasetParts, DatasetError> {
  try {
    const { format, header, pairs: text, terms } = embedded
    if (typeof format === "number" && format !== FORMAT_VERSION) return refuseVersion(format)
    // The length is checked before the text is read: no table of pairs is longer.
    if (typeof text === "string" && text.length <= MAX_PAIRS && Number.isInteger(format)) {
      const pairs = readByteText(text)
      if (writeByteText(pairs) === text) return success({ header, pairs, ...(terms === undefined ? {} : { terms }) })
    }
  } catch {
    // Not an object, not a text, or properties that throw.
  }
  const message = "The value is not an embedded dataset: it was not written by `encodeEmbedded`."
  return failure({ tag: "MalformedDataset", message })
}
