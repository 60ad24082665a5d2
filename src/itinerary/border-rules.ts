/**
 * Does public law ask anything at a border because of who the traveller is, or where he was before?
 *
 * Citizens of some countries have to enter on its own passport (the United States: 8 U.S.C. 1185(b)). Whoever was present in one of the
 * countries that the law names, or is a national of one, needs a visa where the passport needs an authorisation alone (8 U.S.C. 1187(a)(12)).
 * Whoever comes back to the United States from a short visit to Canada or Mexico may come in on a visa that ended meanwhile (22 CFR 41.112(d)).
 * An earlier stay that was too long is no refusal by itself, because an officer decides: it is a risk that is named. Presence is that of earlier
 * stays and of the stops before; what the traveller did not say is not guessed.
 */

import { parseCivilDate } from "../civil-date.ts"
import type { BorderRuleKind, BorderRuleTerms } from "../dataset/border-rules.ts"
import { BORDERS } from "../dataset/conditions.ts"
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { BorderRule } from "../dataset/recorded-border-rule.ts"
import { EFFORT_OF_REQUIREMENT, effortOfStay } from "../requirement/entry.ts"
import { easeRank, type Requirement } from "../requirement/requirement.ts"
import { block, type DecisionState, noteCondition, type StopState } from "./decision-state.ts"
import { changeTerms, type EntryTerms } from "./entry-terms.ts"
import { unknown } from "./findings.ts"
import { goesAround, stayOf } from "./presence.ts"
import { NO_PARAMS } from "./reasons.ts"
import { coversArrival, type DocumentState, type PassportState } from "./traveller-state.ts"

type TermsOf<Kind extends BorderRuleKind> = Extract<BorderRuleTerms, { readonly kind: Kind }>

/** Lists the terms of a kind that hold at a stop for a passport, where something is asked; almost always none. */
function listBorderTerms<Kind extends BorderRuleKind>(
  { rules }: DecisionState,
  { slot, destination, firstDay }: StopState,
  passport: string,
  asked: Requirement | null,
  kind: Kind,
): readonly TermsOf<Kind>[] {
  if (rules.hasBorderRules[slot] !== 1) return NONE
  const listed: TermsOf<Kind>[] = []
  for (const { value, fromDay, untilDay } of rules.borders.at(destination, passport)) {
    if (value.terms.kind !== kind || firstDay < fromDay || firstDay >= untilDay || !isAbout(value, asked)) continue
    listed.push(value.terms as TermsOf<Kind>)
  }
  return listed
}

const NONE: readonly never[] = Object.freeze([])

function isAbout({ requirements }: BorderRule, asked: Requirement | null): boolean {
  return requirements === null || (asked !== null && requirements.includes(asked))
}

/** Why a traveller is barred from an easier entry: a country that he was in, from which day, or one that he is a national of. */
export type Bar =
  | { readonly because: "presence"; readonly country: string; readonly since: string; readonly seen: string }
  | { readonly because: "nationality"; readonly country: string }

/** Finds what bars a traveller from what a passport needs at a stop; null where nothing does. */
export function findBar(
  state: DecisionState,
  stop: StopState,
  passport: PassportState,
  asked: Requirement,
): Bar | null {
  for (const { present, since, nationals } of listBorderTerms(state, stop, passport.held.passport, asked, "bar")) {
    const national = state.passports.find(({ nationality }) => nationality !== null && nationals?.includes(nationality))
    if (national !== undefined) return { because: "nationality", country: national.held.passport }
    if (present === undefined) continue
    const sinceDay = parseCivilDate(since)!
    const isBarring = (stay: StopState) => stay.lastDay >= sinceDay && present.includes(stay.destination)
    const before =
      state.earlierStays.find(isBarring) ?? state.stops.find(each => each.order < stop.order && isBarring(each))
    if (before !== undefined) {
      return { because: "presence", country: before.destination, since: since!, seen: before.to }
    }
  }
  return null
}

/** Finds the visa on which a traveller may come in again though it ended or has no entry left, and what has to be so; null where none is. */
export function findReadmission(state: DecisionState, index: number): Readmission | null {
  const stop = state.stops[index]!
  for (const rule of listBorderTerms(state, stop, stop.passport!.held.passport, "visa_required", "readmission")) {
    if (state.passports.some(({ nationality }) => nationality !== null && rule.nationals?.includes(nationality)))
      continue
    const visa = findAdmitting(state, stop, rule)
    if (visa !== null) return { visa, remark: rule.remark }
  }
  return null
}

/** A visa that was used, and what has to be so for it to serve again. */
interface Readmission {
  readonly visa: DocumentState
  readonly remark: string
}

// The visa of the stay before the visit to neighbours; where that was a return itself, of the one before. Who leaves on a day that is not
// named is where he goes on the first day there.
function findAdmitting(state: DecisionState, stop: StopState, rule: TermsOf<"readmission">): DocumentState | null {
  let leftDay = stop.firstDay
  let before = stayOf(state, stop.order - 1)
  while (before !== null && rule.neighbours.includes(before.destination)) {
    leftDay = before.firstDay
    before = stayOf(state, before.order - 1)
  }
  if (before?.firstHere !== stop.firstHere || stop.firstDay - Math.max(leftDay, before.lastDay) > rule.days) return null
  if (!goesAround(state, before, stop, rule.neighbours)) return null
  const { terms, firstDay } = before
  // Nobody says on what an earlier stay was entered: a visa that was valid then may be it.
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

const SET_BY_PERMIT = unknown("pair", "stay_set_by_permit", NO_PARAMS)
const barred = new WeakMap<EntryTerms, EntryTerms>()

/** Makes the terms of somebody who is barred from an easier entry: a visa is needed, which says how long the stay may be. */
export function barTerms(terms: EntryTerms): EntryTerms {
  const { requirement } = terms
  if (requirement.status === "unknown") return terms
  let changed = barred.get(terms)
  if (changed === undefined) {
    changed = changeTerms(terms, {
      requirement: { ...requirement, value: "visa_required" },
      maxStay: SET_BY_PERMIT,
      maxDays: null,
      counting: "possible",
      effort: easeRank("visa_required") * EFFORT_OF_REQUIREMENT + effortOfStay(null),
      held: null,
    })
    barred.set(terms, changed)
  }
  return changed
}

// The duties of a citizen there to enter on the own passport.
function listOwnTerms(state: DecisionState, stop: StopState, used: PassportState, asked: Requirement | null) {
  const { passports } = state
  if (passports.length < 2) return NONE
  return listBorderTerms(state, stop, used.held.passport, asked, "own_passport").filter(({ citizensOf }) =>
    passports.some(({ nationality }) => nationality === citizensOf),
  )
}

// A duty that holds at some borders alone is known to be asked where the traveller says that he comes there.
function isAsked({ by }: StopState, borders: readonly string[] | undefined): boolean {
  return borders?.includes(by as string) ?? true
}

/**
 * Says whether a traveller may come in as a citizen, who gets no visa or authorisation for another passport and needs none, because the duty to
 * use the own one is not asked at every border: a citizen has the right to enter Canada (IRPA, s. 19(1)).
 */
export function entersByRight(state: DecisionState, stop: StopState, used: PassportState, asked: Requirement): boolean {
  return listOwnTerms(state, stop, used, asked).some(({ borders }) => !isAsked(stop, borders))
}

/** Notes the duties at a stop, which is entered already, of whoever is a citizen there or was barred. */
export function judgeBorder(state: DecisionState, index: number): void {
  const stop = state.stops[index]!
  const { rules } = state
  if (stop.slot >= UNKNOWN_SLOT || rules.hasBorderRules[stop.slot] !== 1) return
  const { requirement, held } = stop.terms!
  const asked = requirement.status === "known" ? requirement.answer.requirement : null
  const used = stop.passport!
  const { destination } = stop
  for (const { citizensOf, borders } of listOwnTerms(state, stop, used, asked)) {
    if (isAsked(stop, borders)) {
      block(state, index, "own_passport_needed", { destination, passport: used.held.passport, own: citizensOf })
    } else if (stop.by === null && !state.isComparing) {
      const others = BORDERS.filter(each => !borders!.includes(each))
      noteCondition(state, index, "entry_points", { names: [], borders: others })
    }
  }
  if (asked === null || held !== null || state.isComparing) return
  const bar = findBar(state, stop, used, asked)
  if (bar !== null) noteCondition(state, index, "visa_instead", { destination, asked, ...bar })
}
