/**
 * What holds at one stop for who enters it in a certain way?
 *
 * The requirement, the length of the stay, the zone and the passport are judged one after the other; what blocks, what has to be
 * obtained and what is not known goes into the state's lists. The stops before have to be judged already, each with its own way of
 * entering: days count there as they were spent.
 */
import type { Requirement } from "../requirement/requirement.ts"
import type { Condition, Step } from "./decision.ts"
import { block, type DecisionState, noteGap, noteUnknown } from "./decision-state.ts"
import { type EntryTerms, isInHand, type PossibleEase } from "./entry-terms.ts"
import { TREATY_LEFT } from "./findings.ts"
import { describeChecks, explainUnused, nameDocument } from "./held-entries.ts"
import { judgePassport } from "./judge-passport.ts"
import { judgeStay } from "./judge-stay.ts"
import type { PassportState } from "./traveller-state.ts"

const CONDITIONS: Readonly<Record<Exclude<Condition["code"], `check_${string}`>, string>> = {
  eta: "A travel authorisation is needed before travel.",
  visa_on_arrival: "A visa is issued on arrival.",
  e_visa: "An electronic visa is needed before travel.",
  visa_required: "A visa is needed before travel.",
}

const EASED: Readonly<Record<Requirement, string>> = {
  visa_free: "visa-free",
  eta: "possible with a travel authorisation",
  visa_on_arrival: "possible with a visa on arrival",
  e_visa: "possible with an electronic visa",
  visa_required: "possible with a visa",
  no_admission: "refused",
}

function noteEase(state: DecisionState, step: number, ease: PossibleEase): void {
  const { document, waiver } = ease
  const days = waiver.days === null ? "" : ` for ${waiver.days} days`
  const checks = describeChecks(state, state.stops[step]!, ease)
  const message = `With ${nameDocument(document)} the entry would be ${EASED[waiver.requirement]}${days}, if ${checks}.`
  state.conditions.push({ code: "check_held_document", step, message, granularity: "pair" })
}

/** Judges one stop, entered with a passport under its terms. */
export function judgeStop(state: DecisionState, index: number, passport: PassportState, terms: EntryTerms): Step {
  const stop = state.stops[index]!
  stop.passport = passport
  stop.terms = terms
  stop.counting = terms.counting

  const { requirement } = terms
  if (requirement.status === "unknown") noteUnknown(state, "requirement", index, requirement)
  else if (requirement.value === "no_admission") {
    block(state, index, "no_admission", `${stop.destination} admits no holders of ${passport.held.passport} passports.`)
  } else if (requirement.value !== "visa_free" && !isInHand(terms)) {
    const code = requirement.value
    // An authorisation is asked of those who need no visa, so that none that is held is left unused.
    const unused = state.documents.length === 0 || code === "eta" ? null : explainUnused(state, index)
    const message = unused === null ? CONDITIONS[code] : `${CONDITIONS[code].slice(0, -1)}: ${unused}.`
    state.conditions.push({ code, step: index, message, granularity: "pair" })
  }
  // Asked first, because almost always it is the empty list, and walking a frozen one is slow.
  if (terms.possible.length > 0 && !state.isComparing) for (const ease of terms.possible) noteEase(state, index, ease)
  if (terms.isUncertain) noteGap(state, "requirement", index, TREATY_LEFT)
  const { maxStay, countedStay, zoneStay } = judgeStay(state, index)
  const passportValidity = judgePassport(state, index, passport, terms)
  if (passportValidity.status === "unknown") noteUnknown(state, "passportValidity", index, passportValidity)
  return {
    index,
    destination: stop.destination,
    from: stop.from,
    to: stop.to,
    days: stop.lastDay - stop.firstDay + 1,
    passport: passport.held.passport,
    requirement,
    maxStay,
    daysAccumulated: { granularity: "pair", status: "known", value: stop.daysAccumulated },
    countedStay,
    passportValidity,
    zoneStay,
  }
}
