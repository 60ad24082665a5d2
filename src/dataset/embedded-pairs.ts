/**
 * Which pairs come with the engine?
 *
 * The table of pairs of the embedded dataset, and further data for groups and scores. They are in a separate file, so that an app with
 * several bundles can load the rest of the dataset later.
 */

import { embeddedHeader } from "./embedded.generated.ts"
import { type EmbeddedPairs, FIRST, readHeader } from "./embedded-lists.ts"
import { embeddedPlaces } from "./embedded-places.generated.ts"
import { embeddedColumns } from "./embedded-table.generated.ts"
import { assemblePairs, completePairs, type PairsDataset, type PairTable } from "./open.ts"

/** The pairs as they are stored. */
export const embeddedTable: EmbeddedPairs = { header: embeddedHeader, columns: embeddedColumns }

let table: PairTable | null = null
let pairs: PairsDataset | null = null

/** Opens the table that a lookup needs; the same object at every call. */
export function openTable(): PairTable {
  table ??= assemblePairs(readHeader(embeddedTable), embeddedColumns.pairs, FIRST)
  return table
}

/**
 * Opens the pairs of the embedded dataset, the same object at every call: enough for groups, scores, rankings, comparisons and lists of entrants, and
 * a quarter of the bytes of {@link embeddedDataset}. It has no conditions, waivers and stay rules, so that `decide` and `lookupHeld` do not take it.
 *
 * Cannot fail.
 *
 * @example
 * ```ts
 * const ranking = rankPassports(embeddedPairs())
 * ranking.ok && ranking.value.passports.length // => 199
 * ```
 */
export function embeddedPairs(): PairsDataset {
  pairs ??= completePairs(openTable(), embeddedPlaces, embeddedTable.header.destinations, embeddedPlaces.zones)
  return pairs
}
