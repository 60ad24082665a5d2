/**
 * Which features does a passport have on which rules depend?
 *
 * Rules that lift a visa often apply only to biometric passports, or to those with an identity number (Regulation (EU) 2018/1806, the footnotes
 * of Annex II); holders of others need a visa by Annex I. Features that are not given are not guessed: they stay conditions to check, unless an
 * issuer has issued biometric passports alone for longer than any of its passports is valid.
 */
import { addCivilMonths, type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { ConditionTerms } from "../rules/conditions.ts"
import type { Provision, RuleCondition } from "../rules/provisions.ts"

type Feature = Extract<ConditionTerms, { readonly kind: "passport_kind" }>["features"][number]

/** The features that a passport is known to have, and those that it is known to lack. */
export interface PassportFeatures {
  readonly has: readonly Feature[]
  readonly lacks: readonly Feature[]
}

/** The features of a passport about which nothing was said. */
const NOTHING_SAID: PassportFeatures = Object.freeze({ has: Object.freeze([]), lacks: Object.freeze([]) })

/** Reads the features of a passport. Every biometric passport is machine-readable (ICAO Doc 9303). */
export function readFeatures(biometric: boolean | null, number: boolean | null): PassportFeatures {
  if (biometric === null && number === null) return NOTHING_SAID
  const select = (isSo: boolean): Feature[] => [
    ...(biometric === isSo ? (["biometric"] as const) : []),
    ...(number === isSo ? (["identity_number"] as const) : []),
  ]
  const has = select(true)
  return { has: biometric === true ? [...has, "machine_readable"] : has, lacks: select(false) }
}

/** The features of a passport that is known to be biometric. */
export const BIOMETRIC: PassportFeatures = /* @__PURE__ */ readFeatures(true, null)

/** Says whether a passport that is valid on a day is biometric, because its issuer issued no others since the earliest day of its issue; null if that is not given. */
export function isAlwaysBiometric(
  lifetime: Provision<"lifetimes"> | undefined,
  earliestIssue: EpochDay | null,
  day: EpochDay,
): boolean {
  const sinceDay = parseCivilDate(lifetime?.biometricSince ?? null)
  return sinceDay !== null && (earliestIssue ?? addCivilMonths(day, -lifetime!.months)) >= sinceDay
}

/** Lists the features that conditions require and that a passport is known to lack. */
export function listLacking(conditions: readonly RuleCondition[], { lacks }: PassportFeatures): readonly Feature[] {
  if (lacks.length === 0) return lacks
  return conditions
    .flatMap(each => (each.kind === "passport_kind" ? each.features : []))
    .filter(each => lacks.includes(each))
}
