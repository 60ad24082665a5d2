/**
 * Which data comes with the engine?
 *
 * The embedded dataset is opened at first use, synchronously, from text in the bundle: no file, no network. It is built from
 * `data/` by the same code that builds a dataset file.
 */
// biome-ignore-all assist/source/organizeImports: the pairs come last, because gzip packs the texts of rules better beside the code and the
// header, and the pairs fill its window.
import { type LookupOptions, lookupRequirement } from "./requirement/lookup.ts"
import { embeddedRemarks } from "./dataset/embedded-remarks.generated.ts"
import type { Dataset, Zone, LookupAnswer } from "./dataset/open.ts"
import { openEmbedded } from "./embedded-rules.ts"
import { openTable } from "./dataset/embedded-pairs.ts"

// Lookups read the whole dataset once that is open, because V8 reads objects of one layout faster.
let opened: Dataset | null = null

/**
 * Opens the dataset that is part of this package; the same object at every call.
 *
 * Cannot fail: the build embeds only a dataset that opens. Some six milliseconds at the first call in a fresh process, which has compiled nothing yet. The lists of `terms` are read at the
 * first use of one of them.
 *
 * @example
 * ```ts
 * embeddedDataset().passports.length // => 199
 * embeddedDataset().destinations.length // => 250
 * ```
 */
export function embeddedDataset(): Dataset {
  opened ??= openEmbedded(embeddedRemarks)
  return opened
}

/**
 * Looks up what is needed to enter a destination with a passport, in the embedded dataset.
 *
 * Cannot fail: the answer's `kind` is `found`, `no_record` or `malformed`. Codes are ISO 3166-1 alpha-3 in capital letters and never converted. The answer is for the dataset's own day,
 * unless `on` names another.
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
  return lookupRequirement(opened ?? openTable(), passport, destination, options)
}

/**
 * Finds a zone of a dataset, the embedded one by default, by its id or its name in any case; undefined if there is none. Cannot fail.
 *
 * The calculators of stays refuse a destination that the dataset of their zone does not have.
 *
 * @example
 * ```ts
 * zone("schengen")?.rule // => { "kind": "rolling", "allowanceDays": 90, "windowDays": 180 }
 * zone("Schengen area") === zone("SCHENGEN") // => true
 * zone("mars") // => undefined
 * ```
 */
export function zone(name: string, dataset: Dataset = embeddedDataset()): Zone | undefined {
  // Values that are no text or no dataset throw when they are read.
  try {
    const wanted = name.trim().toLowerCase()
    return dataset.zones.find(each => each.id === wanted || each.name.toLowerCase() === wanted)
  } catch {
    return undefined
  }
}
