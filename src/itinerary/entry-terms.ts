/**
 * What does an answer mean for a traveller who uses it: how long, in which status, and with which documents?
 *
 * Terms of entries without documents are made once for each dataset and shared. Those with a held document are made for
 * one decision (held-entries.ts).
 */
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Found, NoRecord } from "../dataset/open.ts"
import type { PastGap } from "../dataset/past-rule.ts"
import { easeRank, needsVisa, type Requirement } from "../dataset/requirement.ts"
import type { Waiver } from "../dataset/rule-terms.ts"
import { EFFORT_OF_REQUIREMENT, type Entry, effortOfStay } from "../requirement/entry.ts"
import type { DayCounting } from "./day-count.ts"
import { type Finding, isHarmless, type Known, known, type Unknown, unknown } from "./findings.ts"
import { NO_PARAMS } from "./reasons.ts"
import { BLOCKER_COST, countsCertainly, GAP_COST, type PossibleEase, type Way } from "./ways.ts"

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

/** The meaning of an answer for a stop. */
export interface EntryTerms {
  readonly requirement: RequirementFinding
  /** A number of days, or `unlimited` at home. */
  readonly maxStay: Finding<number | "unlimited">
  readonly maxDays: number | null
  readonly isHome: boolean
  /** True at home and under freedom of movement: rules for visitors do not bind. */
  readonly movesFreely: boolean
  /**
   * Whether its days count in a zone. They certainly count for a fixed number of days without a visa, which is what the
   * rules of zones are about.
   */
  readonly counting: DayCounting
  readonly isUncertain: boolean
  /** True if the days of an e-visa or a visa on arrival come from an imported table alone, and so are not a maximum. */
  readonly isTableStay: boolean
  /** The smaller, the better the passport: first by requirement, then by the length of the stay. */
  readonly effort: number
  /** The least cost of such an entry, wherever and whenever it is made. */
  readonly leastCost: number
  /** Whether the stay has no number of days, so that it costs a gap unless a stay rule of the destination has one. */
  readonly isStayOpen: boolean
  /** The document used for the entry, and its limits; null without one. */
  readonly held: Way | null
  /** Documents that would make the entry easier, if their unknown terms are met. */
  readonly possible: readonly PossibleEase[]
}

function leastCostOf(requirement: RequirementFinding, effort: number, isUncertain: boolean): number {
  const cost = isUncertain ? effort + GAP_COST : effort
  if (requirement.status === "unknown") return cost + GAP_COST
  return requirement.value === "no_admission" ? cost + BLOCKER_COST : cost
}

function isOpenStay(requirement: RequirementFinding, maxStay: EntryTerms["maxStay"]): boolean {
  return (
    maxStay.status === "unknown" &&
    !isHarmless(maxStay.code) &&
    requirement.status === "known" &&
    requirement.answer.follows === null
  )
}

const UNLIMITED = known("pair", "unlimited" as const)

/** Makes terms with all fields in one order: V8 reads objects of one layout much faster than those of several. */
function makeTerms(terms: Omit<EntryTerms, "leastCost" | "isStayOpen">, possible = terms.possible): EntryTerms {
  const { requirement, maxStay } = terms
  return {
    requirement,
    maxStay,
    maxDays: terms.maxDays,
    isHome: terms.isHome,
    movesFreely: terms.movesFreely,
    counting: terms.counting,
    isUncertain: terms.isUncertain,
    isTableStay: terms.isTableStay,
    effort: terms.effort,
    leastCost: leastCostOf(requirement, terms.effort, terms.isUncertain),
    isStayOpen: isOpenStay(requirement, maxStay),
    held: terms.held,
    possible,
  }
}

/** The changes of an entry by a held document. */
export type DocumentChanges = Pick<EntryTerms, "requirement" | "maxStay" | "maxDays" | "counting" | "effort" | "held">

/** Makes the terms of an entry on a document; field by field, because spreading takes longer than everything else. */
export function changeTerms(base: EntryTerms, changes: DocumentChanges): EntryTerms {
  const { requirement, maxStay, effort } = changes
  return {
    requirement,
    maxStay,
    maxDays: changes.maxDays,
    isHome: base.isHome,
    movesFreely: base.movesFreely,
    counting: changes.counting,
    isUncertain: false,
    isTableStay: false,
    effort,
    leastCost: leastCostOf(requirement, effort, false),
    isStayOpen: isOpenStay(requirement, maxStay),
    held: changes.held,
    possible: base.possible,
  }
}

/**
 * Makes the terms of an entry with another requirement than the answer's, because of the traveller or of the border.
 * A stay without a visa keeps its days; a visa sets its own.
 */
export function askInstead(terms: EntryTerms, asked: Requirement): EntryTerms {
  const { requirement } = terms
  if (requirement.status === "unknown") return terms
  const keepsDays = !needsVisa(asked) && !needsVisa(requirement.value)
  const maxDays = keepsDays ? terms.maxDays : null
  return changeTerms(terms, {
    requirement: { ...requirement, value: asked },
    maxStay: keepsDays ? terms.maxStay : unknown("pair", explainStay(asked, false), NO_PARAMS),
    maxDays,
    counting: countsCertainly(asked, maxDays) ? "certain" : "possible",
    effort: easeRank(asked) * EFFORT_OF_REQUIREMENT + effortOfStay(maxDays),
    held: null,
  })
}

/** Adds the documents that would make this entry easier to its terms. */
export function addPossible(terms: EntryTerms, possible: readonly PossibleEase[]): EntryTerms {
  if (possible.length === 0) return terms
  const easing = possible.filter(({ effort }) => effort < terms.effort)
  return easing.length === 0 ? terms : makeTerms(terms, easing)
}

/** Makes the terms of an entry without a document. */
export function termsOfEntry({ answer, isHome, movesFreely, effort }: Entry): EntryTerms {
  if (answer.kind !== "found") return explainAbsence(answer as NoRecord)
  const { requirement, days, uncertain, source } = answer
  const needsPermit = requirement === "e_visa" || requirement === "visa_on_arrival"
  return makeTerms({
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
    isTableStay: days !== null && needsPermit && source?.imported === true,
    effort,
    held: null,
    possible: NOTHING,
  })
}

/** Makes the terms of a stop without an answer. */
export function explainAbsence({ reason, message }: NoRecord | PastGap): EntryTerms {
  return leaveOpen(unknown("pair", reason, { message }))
}

/** Makes the terms of a stop whose requirement is unknown. */
export function leaveOpen(gap: Unknown): EntryTerms {
  return makeTerms({ ...NO_TERMS, requirement: gap, maxStay: gap })
}

const NO_TERMS = {
  maxDays: null,
  isHome: false,
  movesFreely: false,
  counting: "possible",
  isUncertain: false,
  isTableStay: false,
  effort: 6 * EFFORT_OF_REQUIREMENT,
  held: null,
  possible: NOTHING,
} as const

/** Explains why a stay has no number of days. */
export function explainStay(
  requirement: Requirement,
  movesFreely: boolean,
): "stay_moves_freely" | "stay_not_recorded" | "stay_refused" | "stay_set_by_permit" {
  if (movesFreely) return "stay_moves_freely"
  if (requirement === "visa_free") return "stay_not_recorded"
  return requirement === "no_admission" ? "stay_refused" : "stay_set_by_permit"
}

/** Says whether the required document is the held one, a document of the destination itself. */
export function isInHand({ held, requirement }: EntryTerms): boolean {
  return held !== null && requirement.status === "known" && requirement.because?.[0]?.waiver === null
}
