/**
 * Which data comes with the engine?
 *
 * The embedded dataset is opened at first use, synchronously, from text in the bundle: no file, no network. It is built from
 * `data/` by the same code that builds a dataset file.
 */
// biome-ignore-all assist/source/organizeImports: the pairs come last, because gzip packs the texts of rules better beside the code and the
// header, and the pairs fill its window.
import { type LookupOptions, lookupRequirement } from "./requirement/lookup.ts"
import { embeddedHeader } from "./dataset/embedded.generated.ts"
import { type EmbeddedRemarks, makeListReader } from "./dataset/embedded-lists.ts"
import { embeddedPlaces } from "./dataset/embedded-places.generated.ts"
import { embeddedRemarks } from "./dataset/embedded-remarks.generated.ts"
import { embeddedRetrievedDays, embeddedRulesPart } from "./dataset/embedded-rules.generated.ts"
import { completeDataset, type Dataset } from "./dataset/open.ts"
import type { LookupAnswer } from "./dataset/pair-table.ts"
import type { Zone } from "./dataset/travel-rules.ts"
import type { ListRows, SourceRow, TermsSection } from "./rules/provisions.ts"
import { embeddedTable, openTable } from "./dataset/embedded-pairs.ts"

// Lookups read the whole dataset once that is open, because V8 reads objects of one layout faster.
let rules: Dataset | null = null
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
  opened ??= complete(embeddedRemarks)
  return opened
}

// Lists are read at the first use of each: reading them is half the work of opening, and lookups, groups and scores use none.
function complete(remarks: EmbeddedRemarks | null): Dataset {
  const read = makeListReader(embeddedRulesPart, remarks, embeddedTable)
  const lists = {}
  for (const name of Object.keys({ ...embeddedRulesPart, ...remarks?.lists })) {
    let list: ListRows | undefined
    Object.defineProperty(lists, name, { enumerable: true, get: () => (list ??= read(name)) })
  }
  return completeDataset(
    openTable(),
    {
      sources: read("sources").rows as readonly SourceRow[],
      header: embeddedPlaces,
      terms: { sources: [], retrievedDays: embeddedRetrievedDays, lists } as TermsSection,
    },
    embeddedHeader.destinations,
  )
}

/**
 * Opens the embedded dataset without the parts that are only for people, the same object at every call. `decide` and every other function
 * give the same results with it as with {@link embeddedDataset}, with a third fewer bytes in a page. Exceptions: they return the address of
 * a source, or null, instead of the page that was read, and no notes, no texts of official logs, and no reason why an answer stands against
 * a second source.
 *
 * Cannot fail.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }]
 * const decision = decide(embeddedRules(), { passport: "FRA", stops })
 * decision.ok && decision.value.kind === "decided" && decision.value.blockers.length // => 0
 * ```
 */
export function embeddedRules(): Dataset {
  rules ??= complete(null)
  return rules
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
