/** How much of what is answered does a dataset change? It runs in every runtime. */
import { type Dataset, diffDatasets } from "../../../src/engine.ts"
import type { Inspected } from "../../platform/feed/follow.ts"
import { openWholeDataset } from "./dataset-file.ts"

/** The share of pairs, from 0 to 1, whose requirement or days differ, or that appear or go. */
export function measureChangedShare(older: Dataset, newer: Dataset): number {
  const changed = diffDatasets(older, newer, { fields: ["record", "requirement", "days"] }).length
  return Math.min(1, changed / Math.max(1, older.pairs.length, newer.pairs.length))
}

/** Opens the bytes of a dataset that a feed offers, beside the one in use, or says why that cannot be done. */
export function inspectDataset(inUse: Dataset | null, bytes: Uint8Array): Inspected | string {
  const opened = openWholeDataset(bytes)
  if (!opened.ok) return opened.message
  const { version, asOf } = opened.value
  return { version, asOf, changedShare: inUse === null ? 0 : measureChangedShare(inUse, opened.value) }
}
