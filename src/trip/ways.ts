/**
 * On what terms can a traveller enter: what is asked, how long the stay is, and in which status?
 *
 * An entry without a document is made from the answer; a held document, or a requirement that is asked instead, changes it.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Found, NoRecord } from "../dataset/open.ts"
import type { PastGap } from "../dataset/past-rule.ts"
import { easeRank, needsVisa, REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { type Finding, type Known, known, type Unknown, unknown } from "../itinerary/findings.ts"
import { NO_PARAMS } from "../itinerary/reasons.ts"
import type { DayCounting } from "../itinerary/stay-counting.ts"
import { EFFORT_OF_REQUIREMENT, effortOfStay, type Entry as PairEntry } from "../requirement/entry.ts"
import { comesFromTable } from "../requirement/stay-rules.ts"
import type { Waiver } from "../rules/provisions.ts"
import { countsCertainly, type Holding } from "./documents.ts"

/** A held document that changes the requirement. */
export interface Because {
  /** Its index among the held documents; null for the given residence. */
  readonly document: number | null
  /** The waiver that names it; null for a document of the destination itself. */
  readonly waiver: Waiver | null
}

/** The requirement of an entry, with the whole answer and its evidence; `because` if a held document changes it. */
export type RequirementFinding =
  | (Known<Requirement> & { readonly answer: Found; readonly because?: readonly Because[] })
  | Unknown

/** A way of entering: what it asks, how long it lasts, and in which status. */
export interface Way {
  readonly requirement: RequirementFinding
  /** A number of days, or `unlimited` at home. */
  readonly maxStay: Finding<number | "unlimited">
  readonly maxDays: number | null
  readonly isHome: boolean
  /** True at home and under freedom of movement: rules for visitors do not bind. */
  readonly movesFreely: boolean
  /** Whether its days count in a zone. They certainly do for a fixed number of days without a visa, which rules of zones are about. */
  readonly counting: DayCounting
  readonly isUncertain: boolean
  /** True if the days of an e-visa or a visa on arrival come from an imported table alone, and so are not a maximum. */
  readonly isTableStay: boolean
  /** The smaller, the better the passport: first by requirement, then by the length of the stay. */
  readonly effort: number
  /** The document used for the entry, and its limits; null without one. */
  readonly held: Holding | null
}

const UNLIMITED = /* @__PURE__ */ known("pair", "unlimited" as const)

/** Makes the way of entering without a document. */
export function enterWithout({ answer, isHome, movesFreely, effort }: PairEntry): Way {
  if (answer.kind !== "found") return enterUnknown(sayAbsence(answer as NoRecord))
  const { requirement, days, uncertain } = answer
  return {
    requirement: known("pair", requirement, { answer }),
    maxStay: isHome
      ? UNLIMITED
      : days === null
        ? // Where a treaty's right is in doubt, so is the stay.
          unknown("pair", movesFreely && uncertain ? "treaty_left" : explainStay(requirement, movesFreely), NO_PARAMS)
        : known("pair", days),
    maxDays: isHome ? null : days,
    isHome,
    movesFreely,
    counting: movesFreely ? "none" : countsCertainly(requirement, days) ? "certain" : "possible",
    isUncertain: uncertain,
    isTableStay: comesFromTable(answer),
    effort,
    held: null,
  }
}

/** Says why there is no answer. */
export const sayAbsence = ({ reason, message }: NoRecord | PastGap) => unknown("pair", reason, { message })

/** Makes the way of entering where the requirement is unknown. */
export function enterUnknown(gap: Unknown): Way {
  return {
    requirement: gap,
    maxStay: gap,
    maxDays: null,
    isHome: false,
    movesFreely: false,
    counting: "possible",
    isUncertain: false,
    isTableStay: false,
    effort: 6 * EFFORT_OF_REQUIREMENT,
    held: null,
  }
}

// Explains why a stay has no number of days.
function explainStay(
  requirement: Requirement,
  movesFreely: boolean,
): "stay_moves_freely" | "stay_not_recorded" | "stay_refused" | "stay_set_by_permit" {
  if (movesFreely) return "stay_moves_freely"
  if (requirement === "visa_free") return "stay_not_recorded"
  return requirement === "no_admission" ? "stay_refused" : "stay_set_by_permit"
}

// By requirement: the finding for a stay without a number of days.
const NOT_NAMED = /* @__PURE__ */ new Map(
  REQUIREMENTS.map(each => [each, unknown("pair", explainStay(each, false), NO_PARAMS)]),
)
const SET_BY_DOCUMENT = /* @__PURE__ */ unknown("pair", "stay_set_by_document", NO_PARAMS)

/** Makes the way of entering with another requirement than the answer's. A stay without a visa keeps its days; a visa sets its own. */
export function enterInstead(way: Way, asked: Requirement): Way {
  const { requirement } = way
  if (requirement.status === "unknown") return way
  const keepsDays = !needsVisa(asked) && !needsVisa(requirement.value)
  const maxDays = keepsDays ? way.maxDays : null
  return {
    requirement: { ...requirement, value: asked },
    maxStay: keepsDays ? way.maxStay : NOT_NAMED.get(asked)!,
    maxDays,
    isHome: way.isHome,
    movesFreely: way.movesFreely,
    counting: countsCertainly(asked, maxDays) ? "certain" : "possible",
    isUncertain: false,
    isTableStay: false,
    effort: easeRank(asked) * EFFORT_OF_REQUIREMENT + effortOfStay(maxDays),
    held: null,
  }
}

/** Makes the way of entering on a document. */
export function enterOn(firstDay: EpochDay, base: Way, answer: Found, held: Holding): Way {
  const { document, waiver, requirement: value, days, boundDays, untilDay } = held
  const least = Math.min(
    days ?? Number.POSITIVE_INFINITY,
    boundDays ?? Number.POSITIVE_INFINITY,
    untilDay === null ? Number.POSITIVE_INFINITY : untilDay - firstDay + 1,
  )
  const because = [{ document: document.place, waiver }]
  return {
    requirement: { granularity: "pair", status: "known", value, answer, because },
    maxStay:
      least !== Number.POSITIVE_INFINITY
        ? { granularity: "pair", status: "known", value: least }
        : waiver === null
          ? SET_BY_DOCUMENT
          : NOT_NAMED.get(value)!,
    maxDays: days,
    isHome: base.isHome,
    movesFreely: base.movesFreely,
    counting: held.counting,
    isUncertain: false,
    isTableStay: false,
    effort: held.effort,
    held,
  }
}

/** Says whether the required document is the held one, a document of the destination itself. */
export function isInHand({ held }: Way): boolean {
  return held !== null && held.waiver === null
}
