/**
 * Where do two to four passports differ?
 *
 * For each destination, what each passport's holder needs there; and for each set of the passports, how many destinations exactly they
 * open. A destination is open where no visa from a consulate is needed, as in the engine's comparison; home is open.
 */
import { type Found, lookupRequirement, type PairsDataset, unlocks } from "landfall"

/** A set of the compared passports: the first is 1, the second 2, the third 4, the fourth 8. */
type PassportSet = number

/** One destination, with an answer for each passport in their order; null where there is no record. */
interface ComparedDestination {
  readonly destination: string
  readonly answers: readonly (Found | null)[]
  readonly opens: PassportSet
}

export function compareAt(dataset: PairsDataset, passports: readonly string[]): readonly ComparedDestination[] {
  return dataset.destinations.map(destination => {
    const answers = passports.map(passport => {
      const answer = lookupRequirement(dataset, passport, destination)
      return answer.kind === "found" ? answer : null
    })
    const opens = answers.reduce(
      (set, answer, at) => (answer !== null && unlocks(answer.requirement) ? set | (1 << at) : set),
      0,
    )
    return { destination, answers, opens }
  })
}

/** Says whether a destination asks the same of all passports. */
export const isSame = ({ answers: [first, ...others] }: ComparedDestination): boolean =>
  others.every(answer => answer?.requirement === first?.requirement)

/** Lists the passports of a set, in their order. */
export const listSet = (set: PassportSet, passports: readonly string[]): readonly string[] =>
  passports.filter((_, at) => (set & (1 << at)) !== 0)

/** Destinations by the set of passports that opens them, every set in a list: those of one passport first, the empty set last. */
export function listSets(
  rows: readonly ComparedDestination[],
  count: number,
): readonly (readonly [set: PassportSet, destinations: readonly string[]])[] {
  const sizeOf = (set: number) => set.toString(2).replaceAll("0", "").length
  const sets = Array.from({ length: (1 << count) - 1 }, (_, at) => at + 1)
  sets.sort((one, other) => sizeOf(one) - sizeOf(other) || one - other)
  return [...sets, 0].map(set => [set, rows.flatMap(({ destination, opens }) => (opens === set ? [destination] : []))])
}
