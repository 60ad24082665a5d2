/**
 * What are the findings at one stop for a traveller who enters it in a certain way?
 *
 * The requirement, the length of the stay, the zone and the passport are judged in order. Blockers, conditions and gaps are added to the
 * state's lists. The stops before must already be judged, each with its own way of entering, because their days count.
 */

import type { Requirement } from "../requirement/requirement.ts"
import { entersByRight, findReadmission, judgeBorder } from "./border-rules.ts"
import { block, type DecisionState, noteCondition, noteGap, noteUnknown } from "./decision-state.ts"
import { type EntryTerms, isInHand, type PossibleEase } from "./entry-terms.ts"
import type { Unknown } from "./findings.ts"
import { explainUnused, findAuthorisation, findRemark, nameDocument } from "./held-entries.ts"
import { judgePassport } from "./judge-passport.ts"
import { judgeStay } from "./judge-stay.ts"
import { listDoubts } from "./pair-doubts.ts"
import { findPair } from "./pair-findings.ts"
import type { PairFindings } from "./pair-table.ts"
import { isPast, notePast } from "./past-terms.ts"
import { NO_PARAMS, writeReason } from "./reasons.ts"
import { judgeConditions } from "./rule-conditions.ts"
import type { Step } from "./step-fields.ts"
import type { PassportState } from "./traveller-state.ts"

function noteEase(state: DecisionState, step: number, ease: PossibleEase): void {
  const { document, waiver, toCheck } = ease
  const { requirement, days } = waiver
  const remark = findRemark(state, state.stops[step]!, ease)
  const { destination } = state.stops[step]!
  const params = { ...nameDocument(document), destination, requirement, days, checks: toCheck, remark }
  noteCondition(state, step, "check_held_document", params)
}

function noteDoubts(state: DecisionState, step: number, doubts: readonly Unknown[]): void {
  for (let at = 0; at < doubts.length; at++) noteUnknown(state, "requirement", step, doubts[at]!)
}

function sayToObtain(
  pair: PairFindings,
  destination: string,
  code: Exclude<Requirement, "visa_free" | "no_admission">,
) {
  if (pair.toObtain === null) {
    const params = Object.freeze({ destination })
    pair.toObtain = { params, message: writeReason(code, params) }
  }
  return pair.toObtain
}

/** Judges one stop, entered with a passport under its terms. */
export function judgeStop(state: DecisionState, index: number, passport: PassportState, terms: EntryTerms): Step {
  const stop = state.stops[index]!
  stop.passport = passport
  stop.terms = terms
  stop.counting = terms.counting

  const pair = findPair(state, passport, stop)

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
    else if (terms.held !== null) noteCondition(state, index, code, { destination })
    else {
      const { params, message } = sayToObtain(pair, destination, code)
      state.conditions.push({ code, step: index, message, granularity: "pair", params })
    }
  }
  // Checked first, because the list is almost always empty, and walking a frozen list is slow.
  if (terms.possible.length > 0 && !state.isComparing) for (const ease of terms.possible) noteEase(state, index, ease)
  const { held } = terms
  if (held !== null && held.toCheck !== null && !state.isComparing) {
    const { destination } = stop
    noteCondition(state, index, "check_exemption", { ...nameDocument(held.document), destination, ...held.toCheck })
  }
  judgeConditions(state, index)
  judgeBorder(state, index, pair.borders)
  if (terms.isUncertain) noteGap(state, "requirement", index, "treaty_left", NO_PARAMS)
  if (terms.held === null) noteDoubts(state, index, listDoubts(state, passport, stop))
  const { maxStay, countedStay, zoneStay } = judgeStay(state, index)
  const passportValidity = judgePassport(state, index, passport, terms)
  if (passportValidity.status === "unknown") noteUnknown(state, "passportValidity", index, passportValidity)
  if (isPast(state.dataset, stop) && !terms.isHome) notePast(state, index, { requirement, countedStay })
  return {
    index,
    destination: stop.destination,
    from: stop.from,
    to: stop.to,
    days: stop.lastDay - stop.firstDay + 1,
    passport: passport.held.passport,
    passportKind: passport.held.passportKind,
    requirement,
    maxStay,
    daysAccumulated: { granularity: "pair", status: "known", value: stop.daysAccumulated },
    countedStay,
    passportValidity,
    zoneStay,
  }
}
