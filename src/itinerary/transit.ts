/**
 * What does a country ask of travellers who only change there?
 *
 * A transit rule is recorded for the country: who needs a visa for the international area of its airports, or who may enter for
 * some hours without one. It never decides whether one passport may transit. So `permitted` is always unknown; where a document that the
 * traveller holds waives the visa that a rule demands, that is said.
 */
import type { TransitRule } from "../dataset/travel-rules.ts"
import { judgeNamed } from "../requirement/held-documents.ts"
import type { Draft } from "./decision.ts"
import {
  type Finding,
  known,
  NO_TRANSIT_RULE,
  TRANSIT_NOT_DECIDED,
  TRANSIT_WAIVED,
  type Unknown,
  unknown,
} from "./findings.ts"

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
export const WAIVED = unknown("pair", TRANSIT_WAIVED)

/**
 * Lists the held documents, by their places, that waive a visa that a country demands of one of the traveller's passports; and marks those
 * that a rule names. They have to be valid from the first day of the journey to the last, because nobody says when the traveller changes.
 */
export function listWaiving({ documents, passports, stops }: Draft, slot: number): readonly number[] {
  let waiving: number[] | null = null
  for (const document of documents) {
    const demands = document.reach!.transit[slot]
    if (!demands) continue
    for (let at = 0; at < demands.length; at++) {
      const { passports: named, terms } = demands[at]!
      if (named !== null && !passports.some(passport => named[passport.slot] === 1)) continue
      document.isNamed = true
      if (document.place === null || waiving?.includes(document.place)) continue
      const stay = { entryDay: stops[0]!.firstDay, exitDay: stops[stops.length - 1]!.lastDay }
      if (!terms.some(each => judgeNamed(each, document, stay).status === "met")) continue
      waiving ??= []
      waiving.push(document.place)
    }
  }
  return waiving ?? NOT_WAIVED
}
