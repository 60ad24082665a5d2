/** How much of what is answered does a dataset change? It runs in every runtime. */
import { type Dataset, type Found, lookupRequirement } from "../../../src/engine.ts"
import type { Inspected } from "../../platform/feed/follow.ts"

/** The share of an older dataset's pairs, from 0 to 1, whose requirement or days a newer one changes, or that it lacks. */
export function measureChangedShare(older: Dataset, newer: Dataset): number {
  let changed = 0
  for (const passport of older.passports) {
    for (const destination of older.destinations) {
      const before = lookupRequirement(older, passport, destination) as Partial<Found>
      const after = lookupRequirement(newer, passport, destination) as Partial<Found>
      if (before.requirement !== after.requirement || before.days !== after.days) changed++
    }
  }
  return changed / (older.pairs.length || 1)
}

/** What a dataset of a feed is, beside the one in use. */
export const inspectDataset = (inUse: Dataset | null, offered: Dataset): Inspected => ({
  version: offered.version,
  asOf: offered.asOf,
  changedShare: inUse === null ? 0 : measureChangedShare(inUse, offered),
})
