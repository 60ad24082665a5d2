/** How much does a dataset have, and how old is it? */
import { type Dataset, lookupAt, parseCivilDate } from "../../src/engine.ts"

/** Counts the pairs of a dataset by what is known about them. */
export function countCoverage(dataset: Dataset) {
  let [found, imported, verified, sourced, uncertain] = [0, 0, 0, 0, 0]
  let oldest: number | null = null
  const heard = new Set<number>()
  for (let p = 0; p < dataset.passports.length; p++) {
    for (let d = 0; d < dataset.destinations.length; d++) {
      const answer = lookupAt(dataset, p, d)
      if (answer.kind !== "found") continue
      heard.add(d)
      found++
      if (answer.uncertain) uncertain++
      if (answer.source !== null) sourced++
      if (answer.source?.imported === true) imported++
      const verifiedDay = parseCivilDate(answer.verifiedOn)
      if (verifiedDay === null) continue
      verified++
      oldest = Math.max(oldest ?? 0, dataset.asOfDay - verifiedDay)
    }
  }
  const silentDestinations = dataset.destinations.filter((_, d) => !heard.has(d))
  return {
    found,
    /** Pairs whose rule comes from a table that was imported whole. */
    imported,
    /** Pairs whose rule a person has confirmed in its source. */
    verified,
    /** Pairs whose rule names any source. */
    sourced,
    uncertain,
    /** Destinations for which no passport has a record. */
    silentDestinations,
    /** Days from the oldest confirmation to the dataset's day, or null when nothing is confirmed. */
    oldestConfirmationDays: oldest,
  }
}
