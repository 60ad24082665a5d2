/**
 * May this traveller make this journey, as far as is known?
 *
 * A decision goes through the stops in order. For each it finds the requirement (on the day of arrival), the length of the stay, the days
 * that add up, the zone's allowance, and whether the passport is valid for long enough; then it judges each transit country. Every blocker
 * and every unknown is listed with its reason; nothing is filled with a default. A visa that can be obtained is a condition and blocks
 * nothing. Rules with two readings name the chosen one where they are judged: judge-stay.ts and judge-passport.ts.
 */
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { describeDocument } from "../requirement/held-documents.ts"
import { UNKNOWN_PASSPORT } from "../requirement/lookup.ts"
import { answerInput, readDataset } from "../requirement/question.ts"
import type { Decision, HeldUse } from "./answer-fields.ts"
import { listChangesAhead } from "./changes-ahead.ts"
import { judgeBestWay } from "./choose-entries.ts"
import { findAge } from "./decision-age.ts"
import { type DecisionState, noteGap, startDecision, tellBlockers } from "./decision-state.ts"
import { noteEarlierOverstays } from "./earlier-overstay.ts"
import { findAuthorisation } from "./held-entries.ts"
import { joinStops, splitStays } from "./joined-stops.ts"
import { judgeLastUse, servesExpired } from "./judge-passport.ts"
import { judgeStop } from "./judge-stop.ts"
import { hasOpenEnd, openEnd } from "./open-end.ts"
import { conclude } from "./outcome.ts"
import { findPair } from "./pair-findings.ts"
import { countTransit, layOutStops } from "./presence.ts"
import { NO_PARAMS } from "./reasons.ts"
import { type ItineraryRequest, type ReadItinerary, readItinerary } from "./request-fields.ts"
import { opensAnyGateway } from "./rule-conditions.ts"
import type { Step } from "./step-fields.ts"
import { judgeTransits } from "./transit.ts"
import { WORK_OF_DECISION, type Work } from "./work.ts"
import { ROLLING_SINCE_DAY } from "./zones.ts"

/**
 * Decides whether anything known blocks an itinerary of up to 12 stops and 12 transit countries.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path, for example `stops[2].to`. The answer's `kind` is `no_record` if none
 * of the passports is in the dataset. The first and last day of a stop both count. Sources: Regulation (EU) 2016/399, Art. 6(1), for
 * Schengen's days and passports; every other rule names its own. A few microseconds.
 *
 * @example
 * ```ts
 * const trip = { passport: "USA", passportExpiry: "2027-02-01", stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }] }
 * const judged = decide(embeddedDataset(), trip)
 * const decision = judged.ok && judged.value.kind === "decided" ? judged.value : null
 * decision?.outcome // => "blocked"
 * decision?.blockers.map(blocker => blocker.code) // => ["passport_validity_short"]
 * const zoneStay = decision?.steps[0].zoneStay
 * zoneStay?.status === "known" && zoneStay.value // => 20
 * const refused = decide(embeddedDataset(), { ...trip, stops: [] })
 * !refused.ok && refused.error.issues[0].path // => "stops"
 * const unknown = decide(embeddedDataset(), { ...trip, passport: "ZZZ" })
 * unknown.ok && unknown.value.kind // => "no_record"
 * ```
 */
export function decide(dataset: Dataset, request: ItineraryRequest): Result<Decision | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const itinerary = readItinerary(request, issues)
    return () => judge(known, itinerary)
  })
}

/** Judges an itinerary that was read. */
export function judge(
  dataset: Dataset,
  itinerary: ReadItinerary,
  work: Work = { left: WORK_OF_DECISION },
): Decision | NoRecord {
  const joined = joinStops(itinerary)
  if (joined === null) return judgeStays(dataset, itinerary, work)
  const decision = judgeStays(dataset, joined.read, work)
  return decision.kind === "decided" ? splitStays(decision, itinerary, joined.firstOf) : decision
}

function judgeStays(dataset: Dataset, itinerary: ReadItinerary, work: Work): Decision | NoRecord {
  const state = startDecision(dataset, itinerary, work)
  const { passports, documents, stops } = state
  const { residence, purpose } = itinerary
  if (passports.every(({ isRecorded }) => !isRecorded)) return UNKNOWN_PASSPORT
  const countries = layOutStops(state)
  const steps = passports.length + documents.length === 1 ? judgeStops(state) : judgeBestWay(state)
  if (hasOpenEnd(itinerary)) {
    const last = stops.length - 1
    const { movesFreely, isHome } = stops[last]!.terms!
    steps[last] = openEnd(steps[last]!)
    if (!movesFreely && !isHome) noteGap(state, "to", last, "end_not_given", NO_PARAMS)
  }
  for (let index = 0; index < stops.length; index++) {
    const { passport, terms } = stops[index]!
    passport!.isUsed = true
    if (!terms!.isHome && !servesExpired(state, stops[index]!, passport!)) passport!.lastStep = index
  }
  const transit = judgeTransits(state)
  for (const passport of passports) judgeLastUse(state, passport)
  if (state.earlierStays.length > 0) {
    noteOldStays(state)
    noteEarlierOverstays(state)
  }
  const held = documents.length === 0 ? NOTHING : describeHeld(state)
  if (purpose !== null && !state.isPurposeJudged) noteGap(state, "purpose", null, "not_modelled", NO_PARAMS)
  const blockers = tellBlockers(state)
  const { outcome, toDo, conditions } = conclude(state, blockers)
  return {
    kind: "decided",
    outcome,
    verdict: blockers.length === 0 ? "no_blocker_found" : "blocked",
    ageDays: findAge(state),
    toDo,
    passports: passports.map(passport => passport.held),
    steps,
    transit,
    blockers,
    conditions,
    unknowns: state.unknowns,
    held,
    changes: listChangesAhead(state),
    residence,
    purpose,
    pairsCharged: countries + countTransit(state),
    datasetVersion: dataset.version,
  }
}

function judgeStops(state: DecisionState): Step[] {
  const passport = state.passports[0]!
  const steps: Step[] = []
  for (let index = 0; index < state.stops.length; index++) {
    steps.push(judgeStop(state, index, passport, findPair(state, passport, state.stops[index]!).terms))
  }
  return steps
}

// Days of a stay under a permit do not count, whatever the rule was.
function noteOldStays(state: DecisionState): void {
  const { rules, earlierStays } = state
  for (const { place, column, firstDay, counting } of earlierStays) {
    let code: "todays_rule" | "stay_counted_nowhere" = "todays_rule"
    if (column >= UNKNOWN_INDEX) code = "stay_counted_nowhere"
    else if (firstDay >= ROLLING_SINCE_DAY || counting === "permit") continue
    else if (rules.zonePlaces[column]?.zone.rule.kind !== "rolling") continue
    noteGap(state, `earlierStays[${place}]`, null, code, NO_PARAMS, "destination")
  }
}

// Lists the stops at which each document is used, and the documents that no rule of the journey mentions.
function describeHeld(state: DecisionState): HeldUse[] {
  const uses: HeldUse[] = []
  for (const document of state.documents) {
    const steps: number[] = []
    for (let index = 0; index < state.stops.length; index++) {
      const stop = state.stops[index]!
      if (stop.terms!.held?.document === document || findAuthorisation(state, stop) === document) steps.push(index)
    }
    if (!document.isNamed && !opensAnyGateway(state, document))
      noteGap(state, document.place === null ? "residence" : `held[${document.place}]`, null, "not_modelled", NO_PARAMS)
    if (document.place === null) continue
    uses.push({ document: describeDocument(document.read), steps })
  }
  return uses
}
