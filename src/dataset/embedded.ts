/**
 * Which data comes with the engine?
 *
 * The embedded dataset is opened at first use, synchronously, from text in the bundle: no file, no network. It is built from
 * `data/` by the same code that builds a dataset file.
 */

import { type LookupOptions, lookupRequirement } from "../requirement/lookup.ts"
import { embeddedTable } from "./embedded.generated.ts"
import { textColumns } from "./embedded-form.ts"
import { embeddedPlaces } from "./embedded-places.generated.ts"
import { embeddedRest } from "./embedded-rest.generated.ts"
import { completeDataset, completePairs, type Dataset, type PairsDataset } from "./open.ts"
import { assemblePairs, type LookupAnswer, type PairTable } from "./pair-table.ts"

// Three of them, so that a bundle loads no more than what it asks for. Lookups read the whole dataset once that is open, because V8 reads objects of
// one layout faster.
let table: PairTable | null = null
let pairs: PairsDataset | null = null
let opened: Dataset | null = null

function openTable(): PairTable {
  table ??= assemblePairs(embeddedTable.header, textColumns(embeddedTable.pairs))
  return table
}

/**
 * Opens the dataset that is part of this package; the same object at every call.
 *
 * Cannot fail: the build refuses to embed what does not open. A few milliseconds at the first call in a fresh process, which
 * has compiled nothing yet.
 *
 * @example
 * ```ts
 * embeddedDataset().passports.length // => 199
 * embeddedDataset().destinations.length // => 250
 * ```
 */
export function embeddedDataset(): Dataset {
  if (opened === null) {
    const header = { ...embeddedPlaces.header, ...embeddedRest.header }
    opened = completeDataset(openTable(), { ...embeddedRest, header }, embeddedTable.header.destinations)
  }
  return opened
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
  pairs ??= completePairs(openTable(), embeddedPlaces.header, embeddedTable.header.destinations, embeddedPlaces.zones)
  return pairs
}

/**
 * Looks up what is needed to enter a destination with a passport, in the embedded dataset.
 *
 * Cannot fail: the answer's `kind` is `found`, `no_record` or `malformed`. Codes are ISO 3166-1 alpha-3 in capital letters and
 * never converted. The dataset's own day is answered for, unless `on` names another.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && answer.requirement // => "visa_free"
 * answer.kind === "found" && answer.days // => 90
 * lookup("FRA", "ZZZ").kind // => "no_record"
 * ```
 */
export function lookup(passport: string, destination: string, options?: LookupOptions): LookupAnswer {
  return lookupRequirement(opened ?? table ?? openTable(), passport, destination, options)
}
