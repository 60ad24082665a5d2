/**
 * Which rules come with the engine?
 *
 * The embedded dataset without the parts that are only for people: a module of its own, so that a page can load the rest later.
 */
// biome-ignore-all assist/source/organizeImports: gzip packs texts better beside their like, so the code that reads lists comes first, then the
// rules, the sources of the header, and the places. The pairs come last: they fill its window.
import { type EmbeddedRemarks, makeListReader } from "./dataset/embedded-lists.ts"
import { completeDataset, type Dataset } from "./dataset/open.ts"
import type { ListRows, SourceRow, TermsSection } from "./rules/provisions.ts"
import { embeddedRetrievedDays, embeddedRulesPart } from "./dataset/embedded-rules.generated.ts"
import { embeddedHeader } from "./dataset/embedded.generated.ts"
import { embeddedPlaces } from "./dataset/embedded-places.generated.ts"
import { embeddedTable, openTable } from "./dataset/embedded-pairs.ts"

let rules: Dataset | null = null

/**
 * Opens the embedded dataset with its remarks, or without. Lists are read at the first use of each: reading them is half the work of opening, and
 * lookups, groups and scores use none.
 */
export function openEmbedded(remarks: EmbeddedRemarks | null): Dataset {
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
 * give the same results with it as with `embeddedDataset`, with a third fewer bytes in a page. Exceptions: they return the address of
 * a source, or null, instead of the page that was read, the id of a source of other rules as its name, and no notes, no texts of official
 * logs, and no reason why an answer stands against a second source.
 *
 * Cannot fail.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "JPN", from: "2028-12-01", to: "2028-12-20" }]
 * const decision = decide(embeddedRules(), { passport: "FRA", stops })
 * decision.ok && decision.value.kind === "decided" && decision.value.blockers.length // => 0
 * ```
 */
export function embeddedRules(): Dataset {
  rules ??= openEmbedded(null)
  return rules
}
