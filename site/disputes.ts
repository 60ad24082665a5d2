/** On which pairs of a map do two sources contradict each other, with nothing to decide between them? */
import { describePair } from "landfall"
import type { MapAddress } from "./address.ts"
import { wholeViewOn } from "./whole-dataset.ts"

/** How many pairs are looked at in one task, so that no task blocks the page. */
const PAIRS_AT_ONCE = 40

/** Searches for the other side of each such pair, destinations of the passports or passports at the destination, and pauses between tasks. */
export function* searchDisputed({ passports, destination, on }: MapAddress): Generator<void, ReadonlySet<string>> {
  const dataset = wholeViewOn(on)
  const pairs: readonly (readonly [other: string, passport: string, entered: string])[] =
    destination === null
      ? dataset.destinations.flatMap(entered => passports.map(passport => [entered, passport, entered] as const))
      : dataset.passports.map(passport => [passport, passport, destination])
  const disputed = new Set<string>()
  for (const [at, [other, passport, entered]] of pairs.entries()) {
    if (at % PAIRS_AT_ONCE === 0) yield
    const pair = describePair(dataset, passport, entered)
    if (pair.kind === "found" && pair.corroboration?.isOpen === true) disputed.add(other)
  }
  return disputed
}
