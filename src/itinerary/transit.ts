/**
 * What does a country ask of travellers who only change there?
 *
 * A transit rule is recorded for the country: who needs a visa for the international area of its airports, or who may enter for
 * some hours without one. It never decides whether one passport may transit. So `permitted` is always unknown; where a document that the
 * traveller holds waives the visa that a rule demands, that is said.
 */
import type { TransitRule } from "../dataset/travel-rules.ts"
import { type ComparableTerms, judgeNamed, type StayOfHolder } from "../requirement/judge-document.ts"
import { type Finding, known, type Unknown, unknown } from "./findings.ts"
import { NO_PARAMS } from "./reasons.ts"
import type { DocumentState, PassportState } from "./traveller-state.ts"

/** A transit rule, without the countries that it holds for. */
export type TransitTerms = Omit<TransitRule, "destinations">

/** What is known of a transit country. */
export interface TransitFindings {
  readonly rule: Finding<readonly TransitTerms[]>
  readonly permitted: Unknown
}

/** Findings for a country that no rule is recorded for. */
export const NOTHING_OF_TRANSIT: TransitFindings = {
  rule: unknown("destination", "no_transit_rule", NO_PARAMS),
  permitted: unknown("pair", "no_transit_rule", NO_PARAMS),
}

/** Findings for a journey that begins before the dataset's first day. */
export const TRANSIT_OF_PAST: TransitFindings = {
  rule: unknown("destination", "no_rule_of_that_day", NO_PARAMS),
  permitted: unknown("pair", "no_rule_of_that_day", NO_PARAMS),
}

const NOT_DECIDED = unknown("pair", "transit_not_decided", NO_PARAMS)

/**
 * Makes the findings of every country that rules are recorded for, by code.
 *
 * @example
 * ```ts
 * const findings = findTransit(embeddedDataset().transitRules)
 * findings.get("GBR").rule.value[0].demand // => "visa"
 * findings.get("GBR").permitted.status // => "unknown"
 * ```
 */
export function findTransit(rules: readonly TransitRule[]): ReadonlyMap<string, TransitFindings> {
  const termsOf = new Map<string, TransitTerms[]>()
  for (const { destinations, ...rest } of rules) {
    const terms = Object.freeze(rest)
    for (const code of destinations) termsOf.set(code, [...(termsOf.get(code) ?? []), terms])
  }
  return new Map(
    [...termsOf].map(([code, terms]) => [
      code,
      { rule: known("destination", Object.freeze(terms)), permitted: NOT_DECIDED },
    ]),
  )
}

/** Where no held document waives anything. */
export const NOT_WAIVED: readonly number[] = Object.freeze([])

/** What is known of transit where a held document waives the visa that is demanded. */
export const WAIVED = unknown("pair", "transit_waived", NO_PARAMS)

/**
 * Lists the held documents, by their places, that waive a visa that a country demands of one of the traveller's passports; and marks those
 * that a rule names. They have to be valid from the first day of the journey to the last, because nobody says when the traveller changes: what
 * is asked of them has to be met by who changes on the first day, and by who changes on the last.
 */
export function listWaiving(
  documents: readonly DocumentState[],
  passports: readonly PassportState[],
  slot: number,
  journey: StayOfHolder,
): readonly number[] {
  let waiving: number[] | null = null
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at]!
    const reach = document.reach
    let isWaiving = false
    for (let next = 0; next < passports.length; next++) {
      const terms = reach.listTransitTerms(slot, passports[next]!.slot)
      if (terms.length === 0) continue
      document.isNamed = true
      isWaiving ||= isAnyMet(terms, document, journey)
    }
    if (!isWaiving || document.place === null) continue
    if (waiving === null) waiving = [document.place]
    else waiving.push(document.place)
  }
  return waiving ?? NOT_WAIVED
}

function isAnyMet(terms: readonly ComparableTerms[], document: DocumentState, journey: StayOfHolder): boolean {
  const { firstDay, lastDay } = journey
  for (let at = 0; at < terms.length; at++) {
    if (judgeNamed(terms[at]!, document, journey).status !== "met") continue
    if (judgeNamed(terms[at]!, document, { firstDay: lastDay ?? firstDay, lastDay }).status === "met") return true
  }
  return false
}
