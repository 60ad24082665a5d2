/**
 * Which rules of public law at a border are about the traveller or the route, not about a pair?
 *
 * Borders without checks, duties of a country's own citizens, and bars from an easier entry. Each rule has a kind from a closed list and the parameters of its kind, so that a decision can
 * judge it. This file defines the kinds and checks their parameters; it knows no country and judges no traveller.
 */
import { checkKind, SHAPE_OF, type Shape, type ShapeMistake } from "./condition-shapes.ts"
import type { BORDERS } from "./conditions.ts"

/** A rule of a border, by its kind. */
export type BorderRuleTerms =
  /** There are no checks between the rule's destinations and these: going from one to the other is neither leaving nor entering. */
  | { readonly kind: "open_border"; readonly neighbours: readonly string[] }
  /** Citizens of this country enter on its own passport, not on the passports that the rule is about; at these borders, or at all. */
  | {
      readonly kind: "own_passport"
      readonly citizensOf: string
      readonly borders?: readonly (typeof BORDERS)[number][] | undefined
    }
  /**
   * A traveller who was present in these countries on or after that day, or is a national of these, needs a visa instead of the requirement
   * of the rule's passports.
   */
  | {
      readonly kind: "bar"
      readonly present?: readonly string[] | undefined
      readonly since?: string | undefined
      readonly nationals?: readonly string[] | undefined
    }
  /**
   * A traveller who was admitted on a visa and returns directly from these countries after at most this many days may enter on it again,
   * although it has expired or has no entry left, if the remark applies; not nationals of some countries.
   */
  | {
      readonly kind: "readmission"
      readonly neighbours: readonly string[]
      readonly days: number
      readonly remark: string
      readonly nationals?: readonly string[] | undefined
    }

/** A kind of border rule. */
export type BorderRuleKind = BorderRuleTerms["kind"]

const { borders, code, codes, count, date, text } = SHAPE_OF
const SHAPES: { readonly [Kind in BorderRuleKind]: Shape } = {
  open_border: { needs: { neighbours: codes } },
  own_passport: { needs: { citizensOf: code }, may: { borders } },
  bar: { needs: {}, may: { present: codes, since: date, nationals: codes } },
  readmission: { needs: { neighbours: codes, days: count(1, 365), remark: text }, may: { nationals: codes } },
}

/** Finds the first mistake in the terms of a border rule; null if there is none. */
export function findBorderRuleMistake(value: unknown): ShapeMistake | null {
  const mistake = checkKind(value, SHAPES)
  if (mistake !== null) return mistake
  const { kind, present, since, nationals } = value as Extract<BorderRuleTerms, { kind: "bar" }>
  if (kind === "bar" && (present ?? nationals) === undefined) return { field: "present", message: "It is missing." }
  return (present === undefined) === (since === undefined)
    ? null
    : { field: "since", message: "Presence is given with the day." }
}
