/**
 * Which waivers for holders of other states' documents improve the answer of a pair?
 *
 * Waivers are recorded beside the rules and never change the answer of a lookup. A waiver applies if its requirement is easier than the
 * usual one, or the same with a longer stay. An answer for passports with a feature, such as biometric ones, is compared as a visa: the holder
 * of another passport needs one. No waiver lifts a refusal, and nothing is easier than being at home or moving freely. If a
 * territory follows another destination, that destination's waivers apply with its rules, except those for documents of a zone that does
 * not include the territory: a permit of one Schengen state opens the others, but neither Greenland nor the Faroe Islands (Convention
 * implementing the Schengen Agreement, Art. 21, and Art. 5(1) of Denmark's accession to it). A document of the destination itself is the
 * required document, not one of another state: a waiver is about it only if it names no other issuer.
 */
import { type EpochDay, isEpochDay } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { copyFrozen, getOrInsert, NOTHING } from "../collections.ts"
import { type Dataset, type Found, UNKNOWN_INDEX } from "../dataset/open.ts"
import { easeRank, needsVisa, type Requirement } from "../dataset/requirement.ts"
import type { DocumentTerms } from "../rules/provision-kinds.ts"
import {
  holdsOn,
  type ProvisionIndex,
  type RuleCondition,
  readProvisions,
  type Scoped,
  type StayRule,
  type Waiver,
} from "../rules/provisions.ts"
import { lookupAtOn } from "./lookup.ts"
import { entryTable } from "./pair-entry.ts"

/**
 * Says whether an entry without a visa depends on a feature that a passport is not known to have. A rule for passports with a feature exempts only
 * those, and a document opens the entry to the holders of the others too.
 */
export function dependsOnFeature(
  requirement: Requirement,
  conditions: readonly RuleCondition[],
  has: readonly string[] = NOTHING,
): boolean {
  return canBeLifted(requirement) && conditions.some(each => isFeatureOpen(each, has))
}

/** Says whether a requirement is easier than a visa, so that it may be only for passports with a feature. */
export const canBeLifted = (requirement: Requirement) =>
  requirement !== "visa_required" && requirement !== "no_admission"

/** Says whether a condition asks for a feature that a passport is not known to have. */
export const isFeatureOpen = (condition: RuleCondition, has: readonly string[]) =>
  condition.kind === "passport_kind" && !condition.features.every(each => has.includes(each))

/** Returns the answer with which documents are compared: that of a visa, if the answer depends on a feature of the passport. */
export function compareAnswer(answer: Found, conditions: readonly RuleCondition[]): Found {
  return dependsOnFeature(answer.requirement, conditions)
    ? { ...answer, requirement: "visa_required", days: null }
    : answer
}

/** Lists the waivers that improve an answer on a day: the easiest first, then the longest stay. */
export function listEasing(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
): readonly Waiver[] {
  const inForce = listEasingEver(dataset, passport, destination, answer).filter(holdsOn(day))
  return [...new Set(inForce.map(({ value }) => value))]
}

/** Lists the waivers that improve an answer on any day, each with its days, in the order of {@link listEasing}. */
export function listEasingEver(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
): readonly Scoped<Waiver>[] {
  if (answer.home || answer.basis === "freedom_of_movement") return NOTHING
  const index = readProvisions(dataset)
  const own = index.at("waivers", destination, passport)
  const followed =
    answer.follows === null ? NOTHING : listFollowed(dataset, index, passport, destination, answer.follows)
  return [...own, ...followed].filter(({ value }) => eases(value, answer)).sort((a, b) => compareEase(a.value, b.value))
}

// Lists a country's waivers that apply in a territory that follows it.
function listFollowed(
  dataset: Dataset,
  index: ProvisionIndex,
  passport: string,
  territory: string,
  followed: string,
): readonly Scoped<Waiver>[] {
  const waivers = index.at("waivers", followed, passport)
  const zone = zoneOf(dataset, followed)
  if (zone === 0 || zone === zoneOf(dataset, territory)) return waivers
  return waivers.flatMap(scoped => {
    const value = leaveZoneOut(dataset, index, scoped.value, zone)
    return value === null ? [] : [value === scoped.value ? scoped : { ...scoped, value }]
  })
}

// Returns the number of a destination's zone at any time; 0 for none, and for other codes.
function zoneOf(dataset: Dataset, code: string): number {
  return entryTable(dataset).zones[dataset.destinationIndices[codeKey(code)] as number] ?? 0
}

// By zone, then by waiver: those without the documents that the zone's members issue; null if no document is left.
const outsideZones = new Map<number, WeakMap<Waiver, Waiver | null>>()

// Returns a waiver without the documents that a zone's members issue; the waiver itself if it names none of them. The same object every time.
function leaveZoneOut(dataset: Dataset, index: ProvisionIndex, waiver: Waiver, zone: number): Waiver | null {
  const kept = getOrInsert(outsideZones, zone, () => new WeakMap<Waiver, Waiver | null>())
  return getOrInsert(kept, waiver, () => {
    const held = waiver.held.flatMap(terms => leaveIssuersOut(dataset, index, terms, zone) ?? [])
    if (held.length === 0) return null
    const isSame = held.length === waiver.held.length && held.every((terms, place) => terms === waiver.held[place])
    return isSame ? waiver : copyFrozen<Waiver>({ ...waiver, held })
  })
}

// Does the same for the terms of one document. A selector that includes members of the zone is replaced by the codes of the others.
function leaveIssuersOut(
  dataset: Dataset,
  index: ProvisionIndex,
  terms: DocumentTerms,
  zone: number,
): DocumentTerms | null {
  const isInside = (code: string) => zoneOf(dataset, code) === zone
  if (!terms.issuers.some(selector => index.listMembers(selector).some(isInside))) return terms
  const issuers = terms.issuers.flatMap(selector => {
    const members = index.listMembers(selector)
    return members.some(isInside) ? members.filter(code => !isInside(code)) : [selector]
  })
  return issuers.length === 0 ? null : { ...terms, issuers }
}

type Terms = Pick<Waiver, "requirement" | "days">

function eases(waiver: Terms, answer: Terms): boolean {
  if (answer.requirement === "no_admission") return false
  const gain = easeRank(answer.requirement) - easeRank(waiver.requirement)
  return gain > 0 || (gain === 0 && waiver.days !== null && answer.days !== null && waiver.days > answer.days)
}

// Easiest first, then the longest stay; one of unknown length last.
function compareEase(a: Terms, b: Terms): number {
  return easeRank(a.requirement) - easeRank(b.requirement) || (b.days ?? 0) - (a.days ?? 0)
}

// ---- Stay rules

// Which stay rule applies to a passport at a destination on a day?
//
// The most specific rule applies: one that names the passport beats one that names a bloc, which beats a rule for
// everybody. If a territory follows another destination and has no rule of its own, that destination's rule applies
// with its policy. This file only finds rules; it counts nothing.

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
  return find(dataset, passport, destination, day, null, requirement)
}

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
  return find(dataset, passport, destination, day, zone)
}

function find(
  dataset: Dataset,
  passport: string,
  destination: string,
  day: EpochDay,
  zone: string | null,
  requirement?: Requirement,
): StayRule | null {
  // A value that is not a dataset throws when it is read. Catching this costs nothing for datasets.
  try {
    const row = dataset.passportIndices[codeKey(passport)] as number
    const column = dataset.destinationIndices[codeKey(destination)] as number
    if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX || !isEpochDay(day)) return null
    const answer = lookupAtOn(dataset, row, column, day)
    if (answer.kind !== "found") return null
    const rules = listStayRulesOf(readProvisions(dataset), passport, destination, answer, zone)
    return pickStayRule(rules, day, requirement ?? answer.requirement)
  } catch {
    return null
  }
}

/** Lists the stay rules for a found answer on any day, or the agreements beside the rule of a zone; the first one that fits is used. */
export function listStayRulesOf(
  provisions: ProvisionIndex,
  passport: string,
  destination: string,
  { home, follows }: Found,
  zone: string | null = null,
): Scoped<StayRule>[] {
  if (home) return []
  const own = provisions.at("stayRules", destination, passport)
  const all = follows === null ? own : [...own, ...provisions.at("stayRules", follows, passport)]
  return all.filter(({ value }) => value.zone === zone)
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

/**
 * Says whether the days of an answer come from an imported table alone: those of an e-visa or a visa on arrival, which such tables copy
 * from the visa and not from the law, so they are not a maximum stay.
 */
export const comesFromTable = ({
  requirement,
  days,
  source,
}: Pick<Found, "requirement" | "days" | "source">): boolean =>
  (requirement === "e_visa" || requirement === "visa_on_arrival") && days !== null && source?.imported === true
