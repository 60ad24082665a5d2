/**
 * How is the package's own dataset split, so that an app loads only what it uses?
 *
 * For the build only: `embedded-pairs.ts` and `embedded.ts` open the parts.
 */
import { writeNumbers } from "./byte-text.ts"
import { type RuleColumns, writeColumns } from "./embedded-columns.ts"
import type { EmbeddedDataset, EmbeddedPairs, EmbeddedPlaces } from "./embedded-form.ts"
import { makeListWriter, mapLists } from "./embedded-lists.ts"
import { type EmbeddedRemarks, takeRemarks } from "./embedded-remarks.ts"
import { writeSlots } from "./embedded-slots.ts"
import { splitCodes } from "./pair-table.ts"
import { readRow, ZONE_ROW } from "./travel-rule-rows.ts"

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
  readonly rules: RuleColumns
  readonly remarks: EmbeddedRemarks
} {
  const { regions, regionOf, gdpUsdMillions, zones, validity, transit, sources, ...asked } = header
  const places = [
    ...(header.answers ?? []).map(([, , source]) => source),
    ...(header.origins ?? []).map(([source]) => source),
  ]
  const named = 1 + Math.max(-1, ...places.map(source => source ?? -1))
  const asking = writeSlots({ ...asked, sources: sources.slice(0, named) }, pairs)
  const rest = {
    sources: sources.slice(named),
    header: { zones, validity, transit },
    ...(terms === undefined ? {} : { terms }),
  }
  const { rules, remarks } = takeRemarks(mapLists(rest, makeListWriter(asking)))
  return {
    pairs: asking,
    places: {
      header: { regions, regionOf },
      gdpUsdMillions: writeNumbers(gdpUsdMillions),
      zones: (zones ?? []).map(row =>
        readRow(ZONE_ROW, row)
          .members.map(({ code }) => code)
          .join(""),
      ),
    },
    rules: writeColumns(rules, splitCodes(asked.destinations).sort()),
    remarks,
  }
}
