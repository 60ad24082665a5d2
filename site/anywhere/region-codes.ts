import type { Dataset } from "landfall"

/** The codes of M49 by the names that the dataset has for its sub-regions. */
export const REGION_CODES = {
  "Australia and New Zealand": "053",
  "Central Asia": "143",
  "Eastern Asia": "030",
  "Eastern Europe": "151",
  "Latin America and the Caribbean": "419",
  Melanesia: "054",
  Micronesia: "057",
  "Northern Africa": "015",
  "Northern America": "021",
  "Northern Europe": "154",
  Polynesia: "061",
  "South-eastern Asia": "035",
  "Southern Asia": "034",
  "Southern Europe": "039",
  "Sub-Saharan Africa": "202",
  "Western Asia": "145",
  "Western Europe": "155",
} as const

/** The code of a sub-region. */
export type RegionCode = (typeof REGION_CODES)[keyof typeof REGION_CODES]

/** The code of a place's sub-region. */
export function regionOf(dataset: Dataset, code: string): string | undefined {
  const region = dataset.regionOf[dataset.destinations.indexOf(code)]
  const codes: Readonly<Record<string, string>> = REGION_CODES
  return region == null ? undefined : codes[dataset.regions[region] ?? ""]
}
