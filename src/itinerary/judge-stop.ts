/**
 * What are the findings at one stop for a traveller who enters it in a certain way?
 *
 * The requirement, the length of the stay, the zone and the passport are judged in order. Blockers, conditions and gaps are added to the
 * state's lists. The stops before must already be judged, each with its own way of entering, because their days count.
 */

import { type DecisionState, noteUnknown } from "./decision-state.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { knownDays } from "./findings.ts"
import { judgeEntry } from "./judge-entry.ts"
import { judgePassport } from "./judge-passport.ts"
import { judgeStay } from "./judge-stay.ts"
import { isPast, notePast } from "./past-terms.ts"
import type { Step } from "./step-fields.ts"
import type { PassportState } from "./traveller-state.ts"

/** Judges one stop, entered with a passport under its terms. */
export function judgeStop(state: DecisionState, index: number, passport: PassportState, terms: EntryTerms): Step {
  const stop = state.stops[index]!
  stop.passport = passport
  stop.terms = terms
  stop.counting = terms.counting

  judgeEntry(state, index)
  const { maxStay, countedStay, zoneStay } = judgeStay(state, index)
  const passportValidity = judgePassport(state, index, passport, terms)
  if (passportValidity.status === "unknown") noteUnknown(state, "passportValidity", index, passportValidity)
  if (isPast(state.dataset, stop) && !terms.isHome)
    notePast(state, index, { requirement: terms.requirement, countedStay })
  return {
    index,
    destination: stop.destination,
    from: stop.from,
    to: stop.to,
    days: stop.lastDay - stop.firstDay + 1,
    passport: passport.held.passport,
    passportKind: passport.held.passportKind,
    requirement: terms.requirement,
    maxStay,
    daysAccumulated: knownDays(stop.daysAccumulated),
    countedStay,
    passportValidity,
    zoneStay,
  }
}
