/** On which pairs of a map do two sources contradict each other, with nothing to decide between them? */
import { describePair } from "landfall"
import type { MapAddress } from "./address.ts"
import { wholeViewOn } from "./whole-dataset.ts"

/** Lists the other side of each such pair: destinations of the passports, or passports at the destination. */
export function listDisputed({ passports, destination, on }: MapAddress): ReadonlySet<string> {
  const dataset = wholeViewOn(on)
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
