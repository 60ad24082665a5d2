/** How much of what is answered does a dataset change? It runs in every runtime. */
import { type Dataset, diffDatasets } from "../../../src/engine.ts"

/** The share of pairs, from 0 to 1, whose requirement or days differ, or that appear or go. */
export function measureChangedShare(older: Dataset, newer: Dataset): number {
  const changed = diffDatasets(older, newer, { fields: ["record", "requirement", "days"] }).length
  return Math.min(1, changed / Math.max(1, older.pairs.length, newer.pairs.length))
}
