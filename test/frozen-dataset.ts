/** The dataset as it was on 2026-11-21, so that a pair that is corrected in `data/` changes no test of the engine. */
import { readFileSync } from "node:fs"
import { type Dataset, openDataset } from "../src/index.ts"

/** Opens it anew. */
export function frozenDataset(): Dataset {
  const opened = openDataset(readFileSync(new URL("fixtures/dataset-2026-11-21.landfall", import.meta.url)))
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
