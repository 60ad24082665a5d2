/**
 * How does a verdict look: which outcome of the engine, and which of its kinds?
 *
 * Each look belongs to the outcomes named beside it. Looks that are counted apart are never counted as free: what is asked depends on a
 * condition, on a transit, on a rule that has ended, or is not known.
 */
import type { Outcome, Requirement } from "landfall"
import type { PageKey } from "../build/page-messages.ts"
import type { Words } from "../language/words.ts"

/** The looks, in the order of a legend. */
export const LOOKS = [
  "home",
  "clear",
  "border",
  "online",
  "consulate",
  "stopped",
  "condition",
  "transit",
  "ended",
  "unknown",
] as const
/** One of {@link LOOKS}. */
export type Look = (typeof LOOKS)[number]

/** Whether a look is counted apart. */
export const isApart = (look: Look): boolean => LOOKS.indexOf(look) >= LOOKS.indexOf("condition")

/** The outcomes of the engine that a look stands for. */
export const OUTCOMES_OF: Readonly<Record<Look, readonly Outcome[]>> = {
  home: ["clear", "obtain"],
  clear: ["clear"],
  border: ["clear"],
  online: ["obtain"],
  consulate: ["obtain"],
  stopped: ["blocked"],
  condition: ["obtain", "unknown"],
  transit: ["obtain"],
  ended: ["obtain", "unknown"],
  unknown: ["unknown"],
}

/** Outcomes from the best to the worst, as the engine orders them. */
const OUTCOMES: readonly Outcome[] = ["clear", "unknown", "obtain", "blocked"]
/** Looks from the easiest to the hardest, within one outcome. */
const HARDEST: readonly Look[] = [
  "home",
  "clear",
  "border",
  "condition",
  "online",
  "ended",
  "unknown",
  "transit",
  "consulate",
  "stopped",
]

/** What orders verdicts from the best to the worst. */
export const rankOf = ({ outcome, look }: { readonly outcome: Outcome; readonly look: Look }): number =>
  OUTCOMES.indexOf(outcome) * HARDEST.length + HARDEST.indexOf(look)

/** A class of colours: a look, a requirement where figures of a ranking or of the past are drawn, or no answer. */
export type Category = Look | Requirement | "no_passport" | "plain"

const NAMES = {
  home: "category.home",
  clear: "look.clear",
  border: "requirement.visa_on_arrival",
  online: "look.online",
  consulate: "requirement.visa_required",
  stopped: "outcome.blocked",
  condition: "look.condition",
  transit: "look.transit",
  ended: "look.ended",
  unknown: "outcome.unknown",
  no_passport: "category.no_passport",
  plain: "category.plain",
} as const satisfies Readonly<Record<Look | "no_passport" | "plain", PageKey>>

/** Names a category, as the legend does. */
export const nameCategory = (words: Words, category: Look | "no_passport" | "plain"): string =>
  words.say(NAMES[category])
