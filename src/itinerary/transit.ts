/**
 * What does a country ask of travellers who only change there?
 *
 * A transit rule is recorded for the country: who needs a visa for the international area of its airports, or who may enter for
 * some hours without one. It never decides whether one passport may transit: exemptions hang on visas and residence permits that
 * nobody told us. So `permitted` is always unknown.
 */
import type { TransitRule } from "../dataset/travel-rules.ts"
import { type Finding, known, NO_TRANSIT_RULE, TRANSIT_NOT_DECIDED, type Unknown, unknown } from "./findings.ts"

/** A transit rule, without the countries that it holds for. */
export type TransitTerms = Omit<TransitRule, "destinations">

/** What is known of a transit country. */
export interface TransitFindings {
  readonly rule: Finding<readonly TransitTerms[]>
  readonly permitted: Unknown
}

/** Findings for a country that no rule is recorded for. */
export const NOTHING_OF_TRANSIT: TransitFindings = {
  rule: unknown("destination", NO_TRANSIT_RULE),
  permitted: unknown("pair", NO_TRANSIT_RULE),
}

const NOT_DECIDED = unknown("pair", TRANSIT_NOT_DECIDED)

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
  for (const { destinations, ...terms } of rules) {
    for (const code of destinations) termsOf.set(code, [...(termsOf.get(code) ?? []), terms])
  }
  return new Map(
    [...termsOf].map(([code, terms]) => [code, { rule: known("destination", terms), permitted: NOT_DECIDED }]),
  )
}
