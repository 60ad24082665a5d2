/** Which pairs does a bench ask about, and how, so that no case slows another? */
import { type Dataset, lookupAt } from "landfall"
import type { Case } from "./measure.ts"

/** How many pairs a case looks up in turn: a power of two. */
export const PAIRS = 4096

/** Draws pairs that have a record, because peers have no others: their places among the passports and destinations. */
export function drawPairs(dataset: Dataset, random: () => number, count = PAIRS): (readonly [p: number, d: number])[] {
  const drawn: (readonly [number, number])[] = []
  while (drawn.length < count) {
    const p = Math.floor(random() * dataset.passports.length)
    const d = Math.floor(random() * dataset.destinations.length)
    if (lookupAt(dataset, p, d).kind === "found") drawn.push([p, d])
  }
  return drawn
}

/** A case that looks up {@link PAIRS} pairs in turn; `measure` makes a number of what is found. */
export function pairCase<Found>(
  name: string,
  pairs: readonly (readonly [passport: string, destination: string])[],
  find: (passport: string, destination: string) => Found,
  { measure, show }: { readonly measure: string; readonly show: (passport: string, destination: string) => unknown },
): Case {
  // New strings for each case, as a request has them: an object's key lookup changes a string's representation.
  const [passports, destinations] = [0, 1].map(part => pairs.map(pair => `code=${pair[part]}`.slice(5)))
  return {
    name,
    // A new function for each case, so that no case is slowed by the optimisations for another.
    run: new Function(
      "find",
      "ps",
      "ds",
      `return count => { let sum = 0; for (let i = 0; i < count; i++) { const at = i & ${PAIRS - 1}; const found = find(ps[at], ds[at]); sum += ${measure} } return sum }`,
    )(find, passports, destinations),
    validate: () => JSON.stringify(pairs.slice(0, 512).map(([p, d]) => show(p, d))),
  }
}
