/** On which pairs of a map do two sources contradict each other, with nothing to decide between them? */
import { type Dataset, describePair } from "landfall"
import type { MapAddress } from "./address.ts"

/** Lists the other side of each such pair: destinations of the passports, or passports at the destination. */
export function listDisputed(dataset: Dataset, { passports, destination }: MapAddress): ReadonlySet<string> {
  const isOpen = (passport: string, entered: string) => {
    const pair = describePair(dataset, passport, entered)
    return pair.kind === "found" && pair.corroboration?.isOpen === true
  }
  return new Set(
    destination === null
      ? dataset.destinations.filter(entered => passports.some(passport => isOpen(passport, entered)))
      : dataset.passports.filter(passport => isOpen(passport, destination)),
  )
}
