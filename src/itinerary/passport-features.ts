/**
 * Which passport features are known that rules depend on?
 *
 * Rules that lift a visa often apply only to biometric passports, or to those with an identity number (Regulation (EU)
 * 2018/1806, the footnotes of Annex II); holders of others need a visa by Annex I. Features that are not given are not
 * guessed: they stay conditions to check.
 */
import type { ConditionTerms } from "../rules/conditions.ts"
import type { RuleCondition } from "../rules/provisions.ts"
import type { ReadPassport } from "./request-fields.ts"

type Feature = Extract<ConditionTerms, { readonly kind: "passport_kind" }>["features"][number]

/** The features that a passport is known to have, and those that it is known to lack. */
export interface PassportFeatures {
  readonly has: readonly Feature[]
  readonly lacks: readonly Feature[]
}

/** The features of a passport about which nothing was said. */
const NOTHING_SAID: PassportFeatures = Object.freeze({ has: Object.freeze([]), lacks: Object.freeze([]) })

/** Reads the features of a passport. Every biometric passport is machine-readable (ICAO Doc 9303). */
export function readFeatures({
  passportBiometric: biometric,
  passportIdentityNumber: number,
}: Pick<ReadPassport, "passportBiometric" | "passportIdentityNumber">): PassportFeatures {
  if (biometric === null && number === null) return NOTHING_SAID
  const select = (isSo: boolean): Feature[] => [
    ...(biometric === isSo ? (["biometric"] as const) : []),
    ...(number === isSo ? (["identity_number"] as const) : []),
  ]
  const has = select(true)
  return { has: biometric === true ? [...has, "machine_readable"] : has, lacks: select(false) }
}

/** Says whether a passport is known to have everything that a condition requires of passports. */
export function isKindMet(condition: RuleCondition, { has }: PassportFeatures): boolean {
  return condition.kind === "passport_kind" && condition.features.every(each => has.includes(each))
}

/** Lists the features that conditions require and that a passport is known to lack. */
export function listLacking(conditions: readonly RuleCondition[], { lacks }: PassportFeatures): readonly Feature[] {
  if (lacks.length === 0) return lacks
  return conditions
    .flatMap(each => (each.kind === "passport_kind" ? each.features : []))
    .filter(each => lacks.includes(each))
}
