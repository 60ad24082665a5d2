/**
 * Which rules of public law apply at a border because of who the traveller is, or where he was before?
 *
 * Citizens of some countries must enter on that country's passport (the United States: 8 U.S.C. 1185(b)). Travellers who were present in a
 * country that the law names, or are nationals of one, need a visa instead of an authorisation (8 U.S.C. 1187(a)(12)). Travellers who
 * return to the United States from a short visit to Canada or Mexico may enter on a visa that has expired meanwhile (22 CFR 41.112(d)). An
 * earlier overstay is not a refusal by itself, because an officer decides; it is reported as a risk. Presence is known from earlier stays
 * and from the stops before. What the traveller did not say is not guessed.
 */

import { BORDERS } from "../dataset/conditions.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { type BorderLists, type BorderTerms, isInForce, type ScopedBar, type ScopedTerms } from "./border-lists.ts"
import { block, type DecisionState, noteCondition, type StopState } from "./decision-state.ts"
import { goesAround, stayOf } from "./presence.ts"
import { coversArrival, type DocumentState, type PassportState } from "./traveller-state.ts"

/**
 * Why a traveller is barred from an easier entry: a country in which he was, with the day since which it counts, or one
 * of which he is a national.
 */
export type Bar =
  | { readonly because: "presence"; readonly country: string; readonly since: string; readonly seen: string }
  | { readonly because: "nationality"; readonly country: string }

/** Finds the reason why a traveller cannot use what a passport needs at a stop; null if there is none. */
export function findBar(
  { passports, earlierStays, stops }: DecisionState,
  { firstDay, order }: StopState,
  { bars }: BorderLists,
  asked: Requirement,
): Bar | null {
  for (let at = 0; at < bars.length; at++) {
    const bar = bars[at]!
    if (!isInForce(bar, firstDay, asked)) continue
    const { nationals, since } = bar.terms
    const national = nationals && findNational(passports, nationals)
    if (national !== undefined) return { because: "nationality", country: national.held.passport }
    if (since === undefined) continue
    const before = findPresent(earlierStays, bar, Number.POSITIVE_INFINITY) ?? findPresent(stops, bar, order)
    if (before !== null) return { because: "presence", country: before.destination, since, seen: before.to }
  }
  return null
}

function findNational(passports: DecisionState["passports"], countries: readonly string[]): PassportState | undefined {
  return passports.find(({ nationality }) => nationality !== null && countries.includes(nationality))
}

// Finds the first stay before another one that bars the traveller.
function findPresent(
  stays: readonly StopState[],
  { terms, presentAt, sinceDay }: ScopedBar,
  beforeOrder: number,
): StopState | null {
  for (let at = 0; at < stays.length; at++) {
    const stay = stays[at]!
    if (presentAt[stay.column] !== 1 || stay.lastDay < sinceDay || stay.order >= beforeOrder) continue
    if (stay.column < UNKNOWN_INDEX || terms.present!.includes(stay.destination)) return stay
  }
  return null
}

/**
 * Finds the visa on which a traveller may enter again although it has expired or has no entry left, with the condition;
 * null if there is none.
 */
export function findReadmission(
  state: DecisionState,
  stop: StopState,
  { readmissions }: BorderLists,
): Readmission | null {
  for (let at = 0; at < readmissions.length; at++) {
    const { terms } = readmissions[at]!
    if (!isInForce(readmissions[at]!, stop.firstDay, "visa_required")) continue
    if (terms.nationals !== undefined && findNational(state.passports, terms.nationals) !== undefined) continue
    const visa = findAdmitting(state, stop, terms)
    if (visa !== null) return { visa, remark: terms.remark }
  }
  return null
}

/** A visa that was used, and the condition under which it may be used again. */
interface Readmission {
  readonly visa: DocumentState
  readonly remark: string
}

// Finds the visa of the stay before the visit to neighbours, or, if that stay was itself a return, of the one before
// it. A traveller who leaves on an unnamed day is taken to go to his next place on its first day.
function findAdmitting(state: DecisionState, stop: StopState, rule: BorderTerms<"readmission">): DocumentState | null {
  let leftDay = stop.firstDay
  let before = stayOf(state, stop.order - 1)
  while (before !== null && rule.neighbours.includes(before.destination)) {
    leftDay = before.firstDay
    before = stayOf(state, before.order - 1)
  }
  if (before?.firstHere !== stop.firstHere || stop.firstDay - Math.max(leftDay, before.lastDay) > rule.days) return null
  if (!goesAround(state, before, stop, rule.neighbours)) return null
  const { terms, firstDay } = before
  // The visa of an earlier stay is not given. A visa that was valid then may be the one.
  const used =
    terms === null
      ? state.documents.find(
          each => each.read.issuer === stop.destination && coversArrival(each, firstDay) && isVisa(each),
        )
      : terms.held?.document
  if (used === undefined) return findAdmitting(state, before, rule)
  return terms?.held?.isOwn !== false && isVisa(used) ? used : null
}

const isVisa = ({ read }: DocumentState) => read.kind === "visa"

// A duty that applies at some borders only is known to apply if the traveller says that he arrives there.
function isAsked({ by }: StopState, borders: readonly string[] | undefined): boolean {
  return borders?.includes(by as string) ?? true
}

// Says whether a citizen uses another passport although he must enter on the country's own.
function isDutiful(
  { passports }: DecisionState,
  { firstDay }: StopState,
  duty: ScopedTerms<"own_passport">,
  asked: Requirement | null,
): boolean {
  if (passports.length < 2 || !isInForce(duty, firstDay, asked)) return false
  return passports.some(({ nationality }) => nationality === duty.terms.citizensOf)
}

/**
 * Says whether a traveller may enter as a citizen because the duty to use the own passport does not apply at every border. A citizen has
 * the right to enter Canada (IRPA, s. 19(1)): he gets no visa or authorisation for another passport and needs none.
 */
export function entersByRight(
  state: DecisionState,
  stop: StopState,
  { ownPassports }: BorderLists,
  asked: Requirement,
): boolean {
  return ownPassports.some(duty => isDutiful(state, stop, duty, asked) && !isAsked(stop, duty.terms.borders))
}

/** Adds the findings of border rules at a stop, whose entry is already chosen: duties of citizens, and bars. */
export function judgeBorder(state: DecisionState, index: number, borders: BorderLists): void {
  const { ownPassports } = borders
  const stop = state.stops[index]!
  const { requirement, held } = stop.terms!
  const asked = requirement.status === "known" ? requirement.answer.requirement : null
  const { destination } = stop
  for (let at = 0; at < ownPassports.length; at++) {
    const duty = ownPassports[at]!
    if (!isDutiful(state, stop, duty, asked)) continue
    const { citizensOf, borders: asking } = duty.terms
    if (isAsked(stop, asking)) {
      const { passport } = stop.passport!.held
      block(state, index, "own_passport_needed", { destination, passport, own: citizensOf })
    } else if (stop.by === null) {
      const others = BORDERS.filter(each => !asking!.includes(each))
      noteCondition(state, index, "entry_points", { names: [], borders: others })
    }
  }
  if (asked === null || held !== null) return
  const bar = findBar(state, stop, borders, asked)
  if (bar !== null) noteCondition(state, index, "visa_instead", { destination, asked, ...bar })
}
