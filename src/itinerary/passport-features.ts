/**
 * Which features of a passport were said that rules for some passports ask for?
 *
 * Rules that lift a visa often do so for biometric passports alone, or for those that name an identity number (Regulation (EU) 2018/1806, the
 * footnotes of Annex II): holders of others need a visa by Annex I. What was not said is not guessed: it stays a condition to check.
 */
import type { ConditionTerms } from "../dataset/conditions.ts"
import type { RuleCondition } from "../dataset/rule-terms.ts"
import type { ReadPassport } from "./request-fields.ts"

type Feature = Extract<ConditionTerms, { readonly kind: "passport_kind" }>["features"][number]

/** Features that a passport is said to have, and those that it is said not to have. */
export interface PassportFeatures {
  readonly has: readonly Feature[]
  readonly lacks: readonly Feature[]
}

/** Those of a passport of which nothing was said. */
export const NOTHING_SAID: PassportFeatures = Object.freeze({ has: Object.freeze([]), lacks: Object.freeze([]) })

/** Reads what was said of a passport. Every biometric passport is machine-readable (ICAO Doc 9303). */
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

/** Says whether a passport is said to have all that a condition asks of passports. */
export function isKindMet(condition: RuleCondition, { has }: PassportFeatures): boolean {
  return condition.kind === "passport_kind" && condition.features.every(each => has.includes(each))
}

/** Lists the features that conditions ask for and a passport is said not to have. */
export function listLacking(conditions: readonly RuleCondition[], { lacks }: PassportFeatures): readonly Feature[] {
  if (lacks.length === 0) return lacks
  return conditions
    .flatMap(each => (each.kind === "passport_kind" ? each.features : []))
    .filter(each => lacks.includes(each))
}
