/**
 * Which stay rule applies to a passport at a destination on a day?
 *
 * The most specific rule applies: one that names the passport beats one that names a bloc, which beats a rule for
 * everybody. If a territory follows another destination and has no rule of its own, that destination's rule applies
 * with its policy. This file only finds rules; it counts nothing.
 */
import { type EpochDay, isEpochDay } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { type Dataset, type Found, UNKNOWN_INDEX } from "../dataset/open.ts"
import { needsVisa, type Requirement } from "../dataset/requirement.ts"
import { type ProvisionIndex, readProvisions, type StayRule } from "../rules/provisions.ts"
import type { Scoped } from "../rules/scoped-lists.ts"
import { lookupAtOn } from "./lookup.ts"

/**
 * Finds how days add up for a passport at a destination on a day; null if nothing is recorded, and for a country's own citizens.
 *
 * `requirement` is the one that the traveller uses, if it differs from the answer of a lookup, such as with a held document. Cannot fail.
 * Returns a shared frozen record; about a hundred nanoseconds.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2026-11-21") ?? 0
 * findStayRule(embeddedDataset(), "BRA", "RUS", day)?.kind // => "calendar_year"
 * findStayRule(embeddedDataset(), "RUS", "RUS", day) // => null
 * ```
 */
export function findStayRule(
  dataset: Dataset,
  passport: string,
  destination: string,
  day: EpochDay,
  requirement?: Requirement,
): StayRule | null {
  return find(dataset, passport, destination, day, requirement, addsUp)
}

// Only agreements name a zone.
const addsUp = (rule: StayRule) => rule.zone === null

/**
 * Finds the agreement under which a passport's holder may stay at a destination beyond a zone's allowance; null if none is recorded.
 *
 * Cannot fail. `beside_zone` without days exempts from the zone's rule. `may_exceed_zone` may allow more than visitors have, at most its
 * days if they are known.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2026-11-21") ?? 0
 * findZoneAgreement(embeddedDataset(), "JPN", "DEU", "schengen", day)?.kind // => "may_exceed_zone"
 * findZoneAgreement(embeddedDataset(), "USA", "JPN", "schengen", day) // => null
 * ```
 */
export function findZoneAgreement(
  dataset: Dataset,
  passport: string,
  destination: string,
  zone: string,
  day: EpochDay,
): StayRule | null {
  return find(dataset, passport, destination, day, undefined, rule => rule.zone === zone)
}

function find(
  dataset: Dataset,
  passport: string,
  destination: string,
  day: EpochDay,
  requirement: Requirement | undefined,
  isMeant: (rule: StayRule) => boolean,
): StayRule | null {
  // A value that is not a dataset throws when it is read. Catching this costs nothing for datasets.
  try {
    const row = dataset.passportIndices[codeKey(passport)] as number
    const column = dataset.destinationIndices[codeKey(destination)] as number
    if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX || !isEpochDay(day)) return null
    const answer = lookupAtOn(dataset, row, column, day)
    return answer.kind === "found"
      ? findOf(readProvisions(dataset), passport, destination, answer, day, requirement, isMeant)
      : null
  } catch {
    return null
  }
}

/** Lists the stay rules for a found answer on any day; the first one that fits is used. */
export function listStayRulesOf(
  provisions: ProvisionIndex,
  passport: string,
  destination: string,
  { home, follows }: Found,
): Scoped<StayRule>[] {
  if (home) return []
  const own = provisions.at("stayRules", destination, passport)
  const all = follows === null ? own : [...own, ...provisions.at("stayRules", follows, passport)]
  return all.filter(({ value }) => addsUp(value))
}

/**
 * Picks the rule of such a list for a day and a requirement. A traveller who enters on a visa of the destination (`isInHand`) counts as one
 * who needs it, whatever his passport needs.
 */
export function pickStayRule(
  rules: readonly Scoped<StayRule>[],
  day: EpochDay,
  requirement: Requirement,
  isInHand = false,
): StayRule | null {
  const asked = isInHand && !needsVisa(requirement) ? "visa_required" : requirement
  for (const { value, fromDay, untilDay } of rules) {
    if (day < fromDay || day >= untilDay) continue
    if (value.requirements === null || value.requirements.includes(asked)) return value
  }
  return null
}

function findOf(
  provisions: ProvisionIndex,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
  requirement: Requirement | undefined,
  isMeant: (rule: StayRule) => boolean,
): StayRule | null {
  if (answer.home) return null
  const asked = requirement ?? answer.requirement
  const own = findIn(provisions, destination, passport, day, asked, isMeant)
  return own ?? (answer.follows === null ? null : findIn(provisions, answer.follows, passport, day, asked, isMeant))
}

function findIn(
  provisions: ProvisionIndex,
  destination: string,
  passport: string,
  day: EpochDay,
  requirement: Requirement,
  isMeant: (rule: StayRule) => boolean,
): StayRule | null {
  const rules = provisions.at("stayRules", destination, passport).filter(({ value }) => isMeant(value))
  return pickStayRule(rules, day, requirement)
}

/**
 * Says whether the days of an answer come from an imported table alone: those of an e-visa or a visa on arrival, which such tables copy
 * from the visa and not from the law, so they are not a maximum stay. Cannot fail: false for a value that is not an answer.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "VNM")
 * answer.kind === "found" && isTableStay(answer) // => false
 * ```
 */
export function isTableStay(answer: TableStay): boolean {
  try {
    return comesFromTable(answer)
  } catch {
    return false
  }
}

type TableStay = Pick<Found, "requirement" | "days" | "source">

/** Says the same of one of our own answers. */
export const comesFromTable = ({ requirement, days, source }: TableStay): boolean =>
  (requirement === "e_visa" || requirement === "visa_on_arrival") && days !== null && source?.imported === true
