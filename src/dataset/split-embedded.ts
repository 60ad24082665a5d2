/**
 * How is the package's own dataset split, so that an app loads only what it uses?
 *
 * For the build only: `embedded-pairs.ts` and `embedded.ts` open the parts.
 */

import { splitCodes } from "../codes.ts"
import { writeNumbers } from "./byte-text.ts"
import { type ListColumns, writeColumns } from "./embedded-columns.ts"
import type { EmbeddedDataset, EmbeddedLists, EmbeddedPairs, EmbeddedPlaces } from "./embedded-form.ts"
import { makeListWriter, mapList } from "./embedded-lists.ts"
import { type EmbeddedRemarks, takeRemarks } from "./embedded-remarks.ts"
import { writeSlots } from "./embedded-slots.ts"
import type { TermsSection } from "./terms-section.ts"

/**
 * Splits an embedded dataset into what a lookup needs, what groups and scores need besides, what decisions need besides, and remarks.
 *
 * @example
 * ```ts
 * Object.keys(splitEmbedded(encodeEmbedded(parts))) // => ["pairs", "places", "rules", "remarks"]
 * ```
 */
export function splitEmbedded({ header, pairs, terms }: EmbeddedDataset): {
  readonly pairs: EmbeddedPairs
  readonly places: EmbeddedPlaces
  readonly rules: ListColumns
  readonly remarks: EmbeddedRemarks
} {
  const { regions, regionOf, gdpUsdMillions, zones = [], sources, ...asked } = header
  const named = 1 + Math.max(-1, ...header.origins.map(([source]) => source ?? -1))
  const asking = writeSlots({ ...asked, sources: sources.slice(0, named) }, pairs)
  const { provisions = {}, sources: others = [], ...more } = terms ?? ({} as TermsSection)
  const kinds = Object.entries(provisions)
  const fields = Object.fromEntries(kinds.map(([of, each]) => [of, each.fields]))
  const lists = {
    ...more,
    zones,
    sources: [...sources.slice(named), ...others],
    ...Object.fromEntries(kinds.map(([of, each]) => [of, each.rows])),
  } as unknown as EmbeddedLists["lists"]
  const change = makeListWriter(asking)
  const short = Object.entries(lists).map(([name, rows]) => [name, mapList(name, rows, change, fields[name])] as const)
  const { rules, remarks } = takeRemarks({ fields, lists: Object.fromEntries(short) })
  return {
    pairs: asking,
    places: {
      header: { regions, regionOf },
      gdpUsdMillions: writeNumbers(gdpUsdMillions),
      zones: zones.map(([, , , , , members]) => members.map(([codes]) => codes).join("")),
    },
    rules: writeColumns(rules, splitCodes(asked.destinations).sort()),
    remarks,
  }
}
