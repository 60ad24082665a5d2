/**
 * Which pairs come with the engine?
 *
 * The table of pairs of the embedded dataset, and further data for groups and scores. They are in a separate file, so that an app with
 * several bundles can load the rest of the dataset later.
 */

import { readNumbers } from "./byte-text.ts"
import { embeddedHeader } from "./embedded.generated.ts"
import type { EmbeddedPairs, EmbeddedPlaces } from "./embedded-form.ts"
import { embeddedPlaces } from "./embedded-places.generated.ts"
import { readSlots } from "./embedded-slots.ts"
import { embeddedColumns } from "./embedded-table.generated.ts"
import type { PlacesHeader } from "./format.ts"
import { completePairs, type PairsDataset } from "./open.ts"
import { assemblePairs, type PairTable } from "./pair-table.ts"

/** The pairs as they are stored. */
export const embeddedTable: EmbeddedPairs = { header: embeddedHeader, columns: embeddedColumns }

let table: PairTable | null = null
let pairs: PairsDataset | null = null

/** Opens the table that a lookup needs; the same object at every call. */
export function openTable(): PairTable {
  if (table === null) {
    const { header, copyPairs } = readSlots(embeddedTable)
    table = assemblePairs(header, copyPairs)
  }
  return table
}

/** Reads the data for groups and scores. */
export function readPlaces({ header, gdpUsdMillions }: EmbeddedPlaces): PlacesHeader {
  return { ...header, gdpUsdMillions: readNumbers(gdpUsdMillions) }
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
  pairs ??= completePairs(
    openTable(),
    readPlaces(embeddedPlaces),
    embeddedTable.header.destinations,
    embeddedPlaces.zones,
  )
  return pairs
}
