/** Which transit rules of a country are recorded, and how are they reported? They are judged in transit.ts. */
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { TransitRule } from "../rules/provisions.ts"
import { type Finding, known, type Unknown, unknown } from "./findings.ts"
import { NO_PARAMS, type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "./reasons.ts"
import type { ReadTransit } from "./request-fields.ts"

/** A transit rule, without its countries. */
export type TransitTerms = Omit<TransitRule, "destinations">

/** A transit rule, prepared for judging. */
export interface JudgedRule {
  readonly terms: TransitTerms
  /** Null for every passport. */
  readonly passports: ReadonlySet<string> | null
  /** Its index among the rules of its country, and among all. */
  readonly at: number
  readonly place: number
}

/** The records of a transit country. */
export interface TransitFindings {
  readonly rule: Finding<readonly TransitTerms[]>
  readonly rules: readonly JudgedRule[]
}

/** Whether a traveller may change in a country, and the deciding rule. */
export interface TransitVerdict {
  readonly permitted: Finding<"yes" | "no">
  /** The index of the deciding rule; null if there is none. */
  readonly decidedBy: number | null
  /** Indices of the held documents that permit it. */
  readonly because: readonly number[]
  /** Further limits of the rule; null for none. */
  readonly limits: Unknown | null
}

/** Where a traveller changes: inside the international area, outside it, or unspecified. */
export const AIRSIDE = 0
export const LANDSIDE = 1
const EITHER = 2
export type Area = typeof AIRSIDE | typeof LANDSIDE | typeof EITHER
export const AREAS = ["airside", "landside", null] as const

/** Reads where a traveller changes. Arriving by land or sea is an entry. */
export function areaOf({ airside, by }: ReadTransit): Area {
  if (airside === false || by === "land" || by === "sea") return LANDSIDE
  return airside === true ? AIRSIDE : EITHER
}

/** Findings for a country without a recorded rule. */
export const NOTHING_OF_TRANSIT: TransitFindings = {
  rule: unknown("destination", "no_transit_rule", NO_PARAMS),
  rules: NOTHING,
}

/** Makes the findings of every country with recorded rules, by code. */
export function findTransit(rules: readonly TransitRule[]): ReadonlyMap<string, TransitFindings> {
  const rulesOf = new Map<string, JudgedRule[]>()
  for (const [place, { destinations, ...rest }] of rules.entries()) {
    const terms = Object.freeze(rest)
    const passports = terms.passports === null ? null : new Set(terms.passports)
    for (const code of destinations) {
      const listed = rulesOf.get(code) ?? []
      listed.push({ terms, passports, at: listed.length, place })
      rulesOf.set(code, listed)
    }
  }
  return new Map(
    [...rulesOf].map(([code, listed]) => [
      code,
      { rule: known("destination", Object.freeze(listed.map(({ terms }) => terms))), rules: listed },
    ]),
  )
}

/** Ranks a verdict: the greater, the better for the traveller. */
export function rankOf({ permitted }: TransitVerdict): number {
  return permitted.status === "unknown" ? 1 : permitted.value === "yes" ? 2 : 0
}

// A transit without limits is better than one within limits.
function gradeOf(verdict: TransitVerdict): number {
  return isFree(verdict) ? 3 : rankOf(verdict)
}

/** Says whether a transit is permitted without limits. */
export function isFree(verdict: TransitVerdict): boolean {
  return rankOf(verdict) === 2 && verdict.limits === null
}

/** The worse of two verdicts, of equal ones the first. */
export function worseOf(one: TransitVerdict | null, other: TransitVerdict): TransitVerdict {
  return one !== null && gradeOf(one) <= gradeOf(other) ? one : other
}

/** The better of two verdicts, of equal ones the first. */
export function betterOf(one: TransitVerdict | null, other: TransitVerdict): TransitVerdict {
  return one !== null && gradeOf(one) >= gradeOf(other) ? one : other
}

/** Makes a verdict without a deciding rule or document. */
export function say(permitted: TransitVerdict["permitted"]): TransitVerdict {
  return { permitted, decidedBy: null, because: NOTHING, limits: null }
}

/** Makes an open verdict. Most are only compared with others, so `tellVerdict` writes the sentence. */
export function sayUnknown<C extends ReasonCode>(code: C, params: ParamsOf<C>): TransitVerdict {
  return say({ granularity: "pair", status: "unknown", reason: "", code, params: params as ReasonParams })
}

/** Writes the sentence of an open verdict. */
export function tellVerdict(verdict: TransitVerdict): TransitVerdict {
  const { permitted } = verdict
  if (permitted.status === "known" || permitted.reason !== "") return verdict
  const { code, params } = permitted
  return { ...verdict, permitted: { ...permitted, reason: writeReason(code, params as never) } }
}

/** The verdict if there is no obstacle. */
export const YES: TransitVerdict = /* @__PURE__ */ say(known("pair", "yes"))

/** The verdict for a traveller who may not enter. */
export const NO: TransitVerdict = /* @__PURE__ */ say(known("pair", "no"))

/**
 * Makes the verdict of a rule that permits a transit. A demand's condition says to whom the demand applies, so it does not limit others.
 */
export function allow(rule: JudgedRule, isConditional = true): TransitVerdict {
  const kept = isConditional ? allowed : waived
  const verdict = kept.get(rule) ?? permitBy(rule, isConditional)
  kept.set(rule, verdict)
  return verdict
}

// By rule, so that their limits are put into words once.
const allowed = new WeakMap<JudgedRule, TransitVerdict>()
const waived = new WeakMap<JudgedRule, TransitVerdict>()

function permitBy({ terms: { hours, condition }, at }: JudgedRule, isConditional: boolean): TransitVerdict {
  const asked = isConditional ? condition : null
  const limits =
    hours === null && asked === null ? null : unknown("pair", "transit_limits", { hours, condition: asked })
  return { permitted: YES.permitted, decidedBy: at, because: NOTHING, limits }
}

/** Says whether a rule names a passport. */
export function names(
  { passports }: JudgedRule,
  { isOrdinary, ruledAs }: { readonly isOrdinary: boolean; readonly ruledAs: string },
): boolean {
  return isOrdinary && (passports === null || passports.has(ruledAs))
}
