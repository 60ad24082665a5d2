/**
 * Which two rules for destinations apply to the same passport on the same day, with the same rank?
 *
 * Neither of them has priority. Each kind of rule has its own check of its contents.
 */
import { type EpochDay, FIRST_DAY } from "../civil-date.ts"
import type { ProvisionFact } from "./provision-kinds.ts"
import { type Blocs, covers, type ExpandedScope, expandScope } from "./scoped-lists.ts"

/** A provision that may apply to some requirements only. */
type Ranked = Pick<
  ProvisionFact<"stayRules">,
  "destinations" | "passports" | "except" | "from" | "until" | "requirements"
>

/** A rule, an earlier one that rivals it, and the first destination, passport and day of both. */
interface Rivals {
  readonly place: number
  readonly rival: number
  readonly destination: string
  readonly passport: string
  readonly fromDay: EpochDay
}

/** Finds the rivals among rules of one kind, in the order of the rules. */
export function findRivals<Rule extends Ranked>(
  blocs: Blocs,
  passports: ReadonlySet<string>,
  rules: readonly Rule[],
  isSameSubject: (rule: Rule, other: Rule) => boolean,
): readonly Rivals[] {
  const scopes = rules.map(rule => expandScope(blocs, rule))
  const findShared = (some: readonly ExpandedScope[], others: readonly ExpandedScope[]) => {
    for (const a of some) {
      for (const b of others) {
        if (a.rank !== b.rank || a.fromDay >= b.untilDay || b.fromDay >= a.untilDay) continue
        const passport = [...passports].find(code => covers(a, code) && covers(b, code))
        if (passport !== undefined) return { passport, fromDay: Math.max(a.fromDay, b.fromDay, FIRST_DAY) }
      }
    }
    return null
  }
  return rules.flatMap((rule, place) =>
    rules.slice(0, place).flatMap((other, rival): readonly Rivals[] => {
      const destination = rule.destinations.find(code => other.destinations.includes(code))
      const sharesRequirement = other.requirements?.some(each => rule.requirements?.includes(each) ?? true) ?? true
      if (destination === undefined || !sharesRequirement || !isSameSubject(other, rule)) return []
      const shared = findShared(scopes[rival] as readonly ExpandedScope[], scopes[place] as readonly ExpandedScope[])
      return shared === null ? [] : [{ place, rival, destination, ...shared }]
    }),
  )
}
