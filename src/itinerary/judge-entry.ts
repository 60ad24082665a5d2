/**
 * What does an entry need, and what is unknown about it?
 *
 * The requirement, the conditions of its rules, the border and the doubts about the answer. For a traveller with only one ordinary passport
 * in the request, they are the same in every decision, so they are kept with the pair and repeated, which takes a quarter of the time of
 * finding them again.
 */
import { NOTHING } from "../dataset/copy-frozen.ts"
import { entersByRight, findReadmission, judgeBorder } from "./border-rules.ts"
import {
  block,
  type DecisionState,
  type ListLengths,
  measureLists,
  noteCondition,
  noteGap,
  noteUnknown,
  type StopState,
} from "./decision-state.ts"
import { type EntryTerms, isInHand } from "./entry-terms.ts"
import { explainUnused, findAuthorisation, findRemark, nameDocument } from "./held-entries.ts"
import { listDoubts } from "./pair-doubts.ts"
import { findPair } from "./pair-findings.ts"
import type { PairFindings, SaidOfEntry } from "./pair-table.ts"
import { NO_PARAMS } from "./reasons.ts"
import { judgeConditions } from "./rule-conditions.ts"
import type { PossibleEase } from "./ways.ts"

/** Judges the entry at a stop; its passport and terms must be set. */
export function judgeEntry(state: DecisionState, index: number): void {
  const stop = state.stops[index]!
  const pair = findPair(state, stop.passport!, stop)
  if (!isOfPair(state, stop, pair)) {
    judgeAnew(state, index, pair)
    return
  }
  const { entered } = pair
  if (entered === null) {
    const before = measureLists(state)
    judgeAnew(state, index, pair)
    keep(state, pair, before)
    return
  }
  const { conditions, gaps } = entered
  for (let at = 0; at < conditions.length; at++) state.conditions.push({ said: conditions[at]!, step: index })
  noteEach(state, index, gaps)
}

function noteEach(state: DecisionState, step: number, gaps: SaidOfEntry["gaps"]): void {
  for (let at = 0; at < gaps.length; at++) noteUnknown(state, "requirement", step, gaps[at]!)
}

// Says whether only the pair decides: the request has nothing else about the traveller or the stop, and no stay elsewhere bars the traveller,
// who would then need a visa. Nothing else about borders concerns somebody with one passport and no document.
function isOfPair({ isPlain }: DecisionState, { by }: StopState, { entry, borders, terms }: PairFindings): boolean {
  if (!isPlain || by !== null || entry === null) return false
  const { requirement } = terms
  return borders.bars.length === 0 || (requirement.status === "known" && requirement.value !== "visa_required")
}

// A blocker names the traveller, and some doubts apply on some days only; then nothing is kept.
function keep({ blockers, conditions, unknowns }: DecisionState, pair: PairFindings, before: ListLengths): void {
  if (blockers.length > before.blockers || pair.doubtful === "from_some_day") return
  const isSilent = conditions.length === before.conditions && unknowns.length === before.unknowns
  pair.entered = isSilent
    ? NOTHING_SAID
    : {
        conditions: conditions.slice(before.conditions).map(({ said }) => {
          Object.freeze(said.params)
          return said
        }),
        gaps: unknowns.slice(before.unknowns),
      }
}

const NOTHING_SAID: SaidOfEntry = { conditions: NOTHING, gaps: NOTHING }

// Says whether the required document or authorisation is held and its days are enough, so that no easier entry is needed. Other stays there
// may use up the days.
function isEnough(state: DecisionState, stop: StopState, terms: EntryTerms): boolean {
  const { firstDay, lastDay, firstHere, firstInZone } = stop
  const { maxStay } = terms
  const isFirst = firstHere === stop && (firstInZone === null || firstInZone === stop)
  const hasDays = maxStay.status === "known" && (maxStay.value === "unlimited" || lastDay - firstDay < maxStay.value)
  // Days that a visa sets are not known here, and leave nothing open.
  if (isInHand(terms)) return isFirst && (hasDays || maxStay.status === "unknown")
  return isFirst && hasDays && findAuthorisation(state, stop) !== null
}

function noteEase(state: DecisionState, step: number, ease: PossibleEase): void {
  const { document, waiver, toCheck } = ease
  const { requirement, days } = waiver
  const remark = findRemark(state, state.stops[step]!, ease)
  const { destination } = state.stops[step]!
  const params = { ...nameDocument(document), destination, requirement, days, checks: toCheck, remark }
  // The entry is judged without it, so it leaves nothing open.
  noteCondition(state, step, "check_held_document", params, "nothing")
}

function judgeAnew(state: DecisionState, index: number, pair: PairFindings): void {
  const stop = state.stops[index]!
  const terms = stop.terms!
  const passport = stop.passport!
  const { requirement } = terms
  if (requirement.status === "unknown") noteUnknown(state, "requirement", index, requirement)
  else if (requirement.value === "no_admission") {
    const { destination } = stop
    block(state, index, "no_admission", { destination, passport: passport.held.passport })
  } else if (
    requirement.value !== "visa_free" &&
    !isInHand(terms) &&
    findAuthorisation(state, stop) === null &&
    !entersByRight(state, stop, pair.borders, requirement.answer.requirement)
  ) {
    const code = requirement.value
    const again = code === "visa_required" ? findReadmission(state, stop, pair.borders) : null
    // An authorisation is for travellers who need no visa, so a held visa is not reported as unused.
    const unused = state.documents.length === 0 || code === "eta" ? null : explainUnused(state, index)
    const { destination } = stop
    if (again !== null) {
      const { visa, remark } = again
      const params = { ...nameDocument(visa), destination, requirement: code, days: null, checks: [], remark }
      noteCondition(state, index, "check_held_document", params)
    } else if (unused !== null) noteCondition(state, index, code, { destination, ...unused })
    else noteCondition(state, index, code, { destination })
  }
  // Checked first, because the list is almost always empty, and walking a frozen list is slow.
  if (terms.possible.length > 0 && !isEnough(state, stop, terms)) {
    for (const ease of terms.possible) noteEase(state, index, ease)
  }
  const { held } = terms
  if (held !== null && held.toCheck !== null) {
    const { destination } = stop
    noteCondition(state, index, "check_exemption", { ...nameDocument(held.document), destination, ...held.toCheck })
  }
  judgeConditions(state, index)
  judgeBorder(state, index, pair.borders)
  if (terms.isUncertain) noteGap(state, "requirement", index, "treaty_left", NO_PARAMS)
  if (terms.held === null) noteEach(state, index, listDoubts(state, passport, stop))
}
