/**
 * May this traveller make this journey, as far as is known?
 *
 * The request is laid out once; each stop is entered in the way that is best for the whole; then each transit country is judged. Every blocker and
 * every unknown is an issue with its reason; nothing is filled with a default. A visa that can be obtained is a condition and blocks nothing.
 * Which function judges which rule of law is in docs/architecture.md, "Which function judges a rule of law"; numbers and lists of countries are
 * rows in `data/`.
 * Nothing that judges writes anything that another part reads: findings are returned.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { isRequirement } from "../codes.ts"
import { NOTHING } from "../collections.ts"
import { type Dataset, type Found, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { UNKNOWN_PASSPORT } from "../requirement/lookup.ts"
import { answerInput, readDataset } from "../requirement/question.ts"
import type { Money } from "../rules/table.ts"
import type {
  Blocker,
  ChangeAhead,
  Condition,
  Decision,
  Due,
  Gap,
  HeldUse,
  Outcome,
  Step,
  ToDo,
} from "./answer-fields.ts"
import {
  type Chosen,
  choose,
  costOf,
  isSame,
  listOffers,
  listUnused,
  type Offer,
  type Offers,
  offerAlone,
  WORK_OF_DECISION,
  type Work,
} from "./choose.ts"
import { findOverstay } from "./days.ts"
import { type Held, isInHand, nameDocument, refuseOtherClasses, type Way } from "./documents.ts"
import { authorise, type Entry, servesExpired } from "./entry.ts"
import { countCountries, isExpired, isPast, type Journey, type Passport, read, type Stay } from "./journey.ts"
import { pairOf } from "./law.ts"
import {
  block,
  type Finding,
  type Issue,
  isOf,
  knownDays,
  miss,
  missPlain,
  NO_PARAMS,
  sayIssue,
  type Unknown,
  unknown,
  type Weight,
} from "./reasons.ts"
import { provisionsOf, ROLLING_SINCE_DAY } from "./recorded.ts"
import {
  describeDocument,
  type ItineraryRequest,
  type ReadItinerary,
  type ReadStop,
  readItinerary,
} from "./request-fields.ts"
import { type Entrant, judgeTransits, NO_TRANSITS, type PlacedIssue, type Transits } from "./transit.ts"

// ---- Deciding

/**
 * Decides whether anything known blocks an itinerary of up to 12 stops and 12 transit countries.
 *
 * Fails with `InputRefused`, which lists up to 50 mistakes, each with its path, for example `stops[2].to`. The answer's `kind` is `no_record` if none
 * of the passports is in the dataset. The first and last day of a stop both count. Sources: Regulation (EU) 2016/399, Art. 6(1), for
 * Schengen's days and passports; every other rule names its own. A few microseconds.
 *
 * @example
 * ```ts
 * const trip = { passport: "USA", passportExpiry: "2029-02-01", stops: [{ destination: "FRA", from: "2028-12-01", to: "2028-12-20" }] }
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
    refuseOtherClasses(known, itinerary.held, issues)
    return () => judge(known, itinerary)
  })
}

// ---- Judging

/** Judges an itinerary that was read. Stops that are one stay are judged as one. Whether it says what changes nothing, costs further decisions. */
export function judge(
  dataset: Dataset,
  itinerary: ReadItinerary,
  work: Work = { left: WORK_OF_DECISION },
  saysUnused = true,
): Decision | NoRecord {
  const joined = joinStops(itinerary)
  const journey = read(provisionsOf(dataset), joined?.read ?? itinerary)
  if (journey.passports.every(({ isRecorded }) => !isRecorded)) return UNKNOWN_PASSPORT
  const judged = judgeJourney(journey, work)
  const decision = saysUnused ? addUnused(journey, judged, work) : judged
  return joined === null ? decision : splitStays(decision, itinerary, joined.firstOf)
}

// Adds which documents, and whether the residence and the purpose, change nothing: what is found without them is the same.
function addUnused(journey: Journey, decision: Decision, work: Work): Decision {
  const { read, documents } = journey
  if (documents.length === 0 && read.purpose === null) return decision
  const isUsed = ({ place }: Held) =>
    place !== null &&
    (decision.held[place]!.steps.length > 0 || decision.transit.some(({ because }) => because.includes(place)))
  const found = omitGiven(decision)
  const judgeOther = (other: Journey) => omitGiven(judgeJourney(other, work))
  const unused = listUnused(journey, found, isUsed, judgeOther).map(fieldOf)
  const isSaid = read.purpose !== null
  if (isSaid && isSame(found, judgeOther({ ...journey, read: { ...read, purpose: null } }))) unused.push("purpose")
  if (unused.length === 0) return decision
  const gaps = unused.map(field => sayGap(missPlain(field, "not_modelled"), null))
  return { ...decision, unknowns: [...decision.unknowns, ...gaps] }
}

/** Returns what was found, without what repeats the question. */
export function omitGiven({ passports, held, residence, purpose, ...found }: Decision): object {
  return found
}

const fieldOf = ({ place }: Held) => (place === null ? "residence" : `held[${place}]`)

/** What was found about a journey. */
interface Findings {
  readonly journey: Journey
  readonly chosen: Chosen
  readonly transit: Transits
  /** Those that are about the whole journey, and not found by judging one entry. */
  readonly issues: readonly PlacedIssue[]
  readonly outcome: Outcome
  /** That of each stop. */
  readonly outcomes: readonly Outcome[]
}

// Judges a journey. One that rests on disputed answers is judged by each of them: what all come to holds whichever is right.
function judgeJourney(journey: Journey, work: Work): Decision {
  const offers = listOffers(journey)
  const found = chooseWithTransits(journey, offers, work)
  const disputed = listDisputed(journey, offers)
  if (disputed.length === 0) return tell(found)
  const others = listChoices(disputed).map(otherwise => {
    const other = { ...journey, otherwise }
    return chooseWithTransits(other, listOffers(other, offers), work)
  })
  const outcomes = found.outcomes.map((own, at) => (others.every(each => each.outcomes[at] === own) ? own : "unknown"))
  const decision = tell({ ...found, outcomes })
  const isSettled = others.every(({ outcome }) => outcome === found.outcome)
  const isOpened = outcomes.map((outcome, at) => outcome !== found.outcomes[at])
  if (isSettled && !isOpened.includes(true)) return decision
  const isDispute = ({ code }: Gap) => code === "disputed"
  const decides = (gap: Gap) => isDispute(gap) && (!isSettled || isOpened[gap.step!] === true)
  // A dispute about a passport that is not used is named if no other decides.
  const named = decision.unknowns.some(decides)
    ? NOTHING
    : others.flatMap(other => tell(other).unknowns.filter(decides))
  const unknowns = [...decision.unknowns, ...named.slice(0, 1)].map(
    (gap): Gap => (decides(gap) ? { ...gap, weight: "unknown" } : gap),
  )
  if (isSettled) return { ...decision, unknowns }
  // What blocks by one answer alone does not block.
  return { ...decision, outcome: "unknown", verdict: "no_blocker_found", blockers: NOTHING, unknowns }
}

// The stops are entered in the way that is best for them. Where a transit asks for something, or ways were left out, one passport for all may be better.
function chooseWithTransits(journey: Journey, offers: Offers, work: Work): Findings {
  let best = findAll(journey, choose(journey, work, offers), offers)
  const isBest = best.outcomes.includes("blocked") || costOfTransits(best) === 0
  if (journey.passports.length === 1 || (isBest && !best.chosen.isCut)) return best
  for (const passport of journey.passports) {
    const own = offerAlone(offers, passport)
    const alone = own && findAll(journey, choose(journey, work, own), offers)
    if (alone !== null && costOfAll(alone) < costOfAll(best)) best = alone
  }
  return best
}

const costOfTransits = ({ transit }: Findings) => transit.issues.reduce((sum, { issue }) => sum + costOf(issue), 0)
const costOfAll = (found: Findings) => found.chosen.cost + costOfTransits(found)

/** The most disputed pairs of one journey of which every combination of answers is judged. */
const MAX_COMBINED = 3

// Lists which pairs to judge by their other answer: every combination, or each pair by itself and all of them if there are many.
function listChoices(disputed: readonly string[]): readonly ReadonlySet<string>[] {
  if (disputed.length > MAX_COMBINED) return [...disputed.map(pair => new Set([pair])), new Set(disputed)]
  let choices: ReadonlySet<string>[] = []
  for (const pair of disputed) choices = [...choices, new Set([pair]), ...choices.map(each => new Set([...each, pair]))]
  return choices
}

// Judges what is not found by judging one entry.
function findAll(journey: Journey, chosen: Chosen, offers: Offers): Findings {
  const { passports, stops } = journey
  const { entries } = chosen
  const issues: PlacedIssue[] = []
  const last = stops[stops.length - 1]!
  if (last.isOpen) {
    // Whoever moves freely needs a valid passport too.
    const { isHome } = entries[entries.length - 1]!.arrival.way
    if (!isHome) issues.push({ issue: missPlain("to", "end_not_given"), step: stops.length - 1 })
  }
  const transit = journey.transit.length === 0 ? NO_TRANSITS : judgeTransits(journey, chosen)
  issues.push(...transit.issues)
  for (const passport of passports) judgeLastUse(journey, entries, passport, issues)
  if (journey.earlier.length > 0) judgeEarlier(journey, chosen, offers, issues)
  const ofStops = transit === NO_TRANSITS ? issues : issues.filter(each => !transit.issues.includes(each))
  const ranks = weighStops(journey, entries, ofStops)
  let worst = Math.min(...ranks)
  for (const { issue } of transit.issues) worst = Math.min(worst, RANKS[issue.weight])
  return { journey, chosen, transit, issues, outcome: OUTCOMES[worst]!, outcomes: ranks.map(rank => OUTCOMES[rank]!) }
}

// Says what all comes to. What is not judged decides nothing.
function tell({ journey, chosen, transit, issues: judged, outcome, outcomes }: Findings): Decision {
  const { dataset, passports, documents } = journey
  const { entries } = chosen
  const { residence, purpose } = journey.read
  const issues = documents.length === 0 ? judged : [...judged, ...listAssumed(journey, chosen)]
  const { toDo, blockers, conditions, unknowns } = conclude(journey, entries, issues)
  return {
    kind: "decided",
    outcome,
    verdict: blockers.length === 0 ? "no_blocker_found" : "blocked",
    ageDays: findAge(journey, entries),
    toDo,
    passports: passports.map(passport => passport.held),
    steps: entries.map((entry, at) => describeStep(entry, outcomes[at]!)),
    transit: transit.steps,
    blockers,
    conditions,
    unknowns,
    held: documents.length === 0 ? NOTHING : describeHeld(journey, entries),
    changes: listChangesAhead(journey, entries),
    residence,
    purpose,
    pairsCharged: countCountries(journey),
    datasetVersion: dataset.version,
  }
}

// Says whether a way rests on a document whose last day, or whose class or days of stay if it is a visa for visitors, are not given.
function isAssumed({ held }: Way, document: Held): boolean {
  if (held?.document !== document) return false
  const { validUntilDay, durationOfStayDays, type } = document.read
  const asksType = held.isOwn || held.waiver!.held.some(({ types, typesExcept }) => types ?? typesExcept)
  return (
    validUntilDay === null ||
    (document.isForVisitors && ((type === null && asksType) || (held.isOwn && durationOfStayDays === null)))
  )
}

// Lists what is assumed of documents.
function listAssumed({ documents }: Journey, { entries }: Chosen): PlacedIssue[] {
  return documents.flatMap(document => {
    if (!entries.some(({ arrival }) => isAssumed(arrival.way, document))) return []
    return { issue: miss(fieldOf(document), "document_assumed", nameDocument(document)), step: null }
  })
}

function describeStep({ arrival, stay, passportValidity }: Entry, outcome: Outcome): Step {
  const { stop, passport, way } = arrival
  const { maxStay, countedStay, zoneStay } = stay
  const step: Step = {
    index: stop.place,
    destination: stop.destination,
    from: stop.from,
    to: stop.to,
    days: stop.lastDay - stop.firstDay + 1,
    passport: passport.held.passport,
    passportKind: passport.held.passportKind,
    requirement: way.requirement,
    maxStay,
    daysAccumulated: knownDays(stop.daysAccumulated),
    countedStay,
    passportValidity,
    zoneStay,
    outcome,
  }
  return stop.isOpen ? openEnd(step) : step
}

// Lists the disputed pairs of a journey, those of every passport, because the other answer may make another one the best.
function listDisputed({ provisions, stops }: Journey, offers: Offers): readonly string[] {
  const pairs: string[] = []
  for (let at = 0; at < stops.length; at++) {
    const stop = stops[at]!
    if (provisions.hasDoubts[stop.column] !== 1) continue
    for (const { passport, law } of offers[at]!) {
      if (law.other === null) continue
      const pair = pairOf(passport, stop)
      if (!pairs.includes(pair)) pairs.push(pair)
    }
  }
  return pairs
}

// Judges what concerns the whole journey: whether a passport is valid until its last exit, and which dates are missing.
function judgeLastUse(journey: Journey, entries: readonly Entry[], passport: Passport, issues: PlacedIssue[]): void {
  const { path, expiryDay, held } = passport
  if (!passport.isRecorded) {
    issues.push({ issue: missPlain(`${path}passport`, "no_passport_record"), step: null })
    return
  }
  let isUsed = false
  let stop: Stay | null = null
  for (let at = 0; at < entries.length; at++) {
    const { arrival } = entries[at]!
    if (arrival.passport !== passport) continue
    isUsed = true
    if (!arrival.way.isHome && !servesExpired(journey, arrival.stop, passport)) stop = arrival.stop
  }
  if (isUsed && expiryDay === null) {
    issues.push({ issue: missPlain(`${path}passportExpiry`, "expiry_not_given"), step: null })
  }
  // If the last day is not given, only the arrival is known, and it is judged at its stop.
  if (stop === null || stop.isOpen || !isExpired(passport, stop.lastDay)) return
  const params = { passport: held.passport, expiry: held.passportExpiry!, exit: stop.to }
  issues.push({ issue: block("passport_expires_before_exit", params), step: stop.place })
}

// Judges the stays before the journey. Days of a stay under a permit do not count, whatever the rule was.
function judgeEarlier(journey: Journey, { entries }: Chosen, offers: Offers, issues: PlacedIssue[]): void {
  for (const { place, column, firstDay, isUnderPermit, zonePlace } of journey.earlier) {
    const field = `earlierStays[${place}]`
    if (column >= UNKNOWN_INDEX) {
      issues.push({ issue: missPlain(field, "stay_counted_nowhere", "destination"), step: null })
    } else if (firstDay < ROLLING_SINCE_DAY && !isUnderPermit && zonePlace?.zone.rule.kind === "rolling") {
      issues.push({ issue: missPlain(field, "todays_rule", "destination"), step: null })
    }
  }
  // At the first stop in each country or zone. Which passport was used then is not given: none of them allowed the stay.
  const seen = new Set<Stay>()
  entries.forEach(({ arrival, past }, step) => {
    const { here, inZone } = arrival.stop
    const first = inZone.length > 0 && inZone[0]!.order < journey.earlier.length ? inZone[0]! : here[0]!
    const issue = seen.has(first) ? null : findOverstay(arrival, past)
    seen.add(first)
    const isTooLong = ({ passport, law }: Offer) =>
      passport === arrival.passport || findOverstay({ ...arrival, passport, law, way: law.base }, law.base) !== null
    if (issue !== null && offers[step]!.every(isTooLong)) issues.push({ issue, step })
  })
}

// Lists the stops at which each document is used.
function describeHeld(journey: Journey, entries: readonly Entry[]): HeldUse[] {
  const uses: HeldUse[] = []
  for (const document of journey.documents) {
    const { place, read } = document
    if (place === null) continue
    const steps: number[] = []
    entries.forEach(({ arrival: { stop, way } }, step) => {
      const used = read.kind === "eta" ? authorise(journey, stop, way) : way.held?.document
      if (used === document) steps.push(step)
    })
    uses.push({ document: describeDocument(read), steps })
  }
  return uses
}

// ---- A last stop without a last day

const END_NOT_GIVEN: Unknown = /* @__PURE__ */ unknown("pair", "end_not_given", NO_PARAMS)
const ZONE_END_NOT_GIVEN = /* @__PURE__ */ unknown("destination", "end_not_given", NO_PARAMS)

/**
 * Makes the findings of a step unknown that depend on its last day, which was not given.
 *
 * It was judged as a stay of its first day only, which every traveller who arrives has: a blocker of that day also blocks every longer stay. No
 * day is invented.
 */
function openEnd(step: Step): Step {
  const { passportValidity: validity, zoneStay } = step
  const isOpen = validity.status === "known" && validity.value === "met" && validity.rule?.anchor === "departure"
  return {
    ...step,
    to: null,
    days: null,
    daysAccumulated: END_NOT_GIVEN,
    countedStay: null,
    passportValidity: isOpen ? { ...ZONE_END_NOT_GIVEN, rule: validity.rule } : validity,
    zoneStay:
      zoneStay?.status === "known"
        ? { ...ZONE_END_NOT_GIVEN, zone: zoneStay.zone, allowanceDays: zoneStay.allowanceDays }
        : zoneStay,
  }
}

// ---- Which stops are one stay?

// Consecutive stops in one destination without a day between them, such as two hotels, are one presence: the traveller enters once, on the
// first day of the first one. They are judged as one stop. The findings are then given for each of them: those about the entry with the
// first stop, those about the end of the stay with the last. Two stops that name different passports are two entries.

/** An itinerary with joined stops. By stay: the index of its first given stop. */
interface JoinedStops {
  readonly read: ReadItinerary
  readonly firstOf: readonly number[]
}

/** Joins the stops that are one stay; null if there are none to join. */
function joinStops(read: ReadItinerary): JoinedStops | null {
  const { stops } = read
  if (!hasJoined(stops)) return null
  const joined: ReadStop[] = []
  const firstOf: number[] = []
  stops.forEach((stop, place) => {
    const before = joined[joined.length - 1]
    if (before !== undefined && isOneStay(before, stop)) {
      const { passport, passportKey } = before.passport === null ? stop : before
      joined[joined.length - 1] = { ...before, to: stop.to, toDay: stop.toDay, passport, passportKey }
    } else {
      joined.push(stop)
      firstOf.push(place)
    }
  })
  return { read: { ...read, stops: joined }, firstOf }
}

function hasJoined(stops: readonly ReadStop[]): boolean {
  for (let at = 1; at < stops.length; at++) if (isOneStay(stops[at - 1]!, stops[at]!)) return true
  return false
}

function isOneStay(before: ReadStop, stop: ReadStop): boolean {
  if (before.destinationKey !== stop.destinationKey || before.toDay === null || stop.fromDay > before.toDay + 1)
    return false
  return before.passport === null || stop.passport === null || before.passport === stop.passport
}

/** Converts a decision on joined stops to one on the given stops. Everything before the first joined stop stays as it is. */
function splitStays(decision: Decision, { stops }: ReadItinerary, firstOf: readonly number[]): Decision {
  // Findings of no stop come last.
  const orderOf = ({ step }: Blocker) => step ?? stops.length
  return {
    ...decision,
    steps: splitSteps(decision.steps, stops, firstOf),
    toDo: decision.toDo.map(each => ({
      ...each,
      step: each.step === null ? null : firstOf[each.step]!,
      steps: listPlaces(each.steps, firstOf, stops.length),
    })),
    blockers: decision.blockers
      .map(blocker => moveBlocker(blocker, firstOf, stops.length))
      .sort((a, b) => orderOf(a) - orderOf(b)),
    conditions: decision.conditions.map(each => moveToFirst(each, firstOf)),
    unknowns: decision.unknowns.map(each => moveToFirst(each, firstOf)),
    held: decision.held.map(use => ({ ...use, steps: listPlaces(use.steps, firstOf, stops.length) })),
    changes: decision.changes.map(each => moveToFirst(each, firstOf)),
  }
}

function lastOf(stay: number, firstOf: readonly number[], count: number): number {
  return (firstOf[stay + 1] ?? count) - 1
}

function listPlaces(stays: readonly number[], firstOf: readonly number[], count: number): number[] {
  const places: number[] = []
  for (const stay of stays) {
    const last = lastOf(stay, firstOf, count)
    for (let place = firstOf[stay]!; place <= last; place++) places.push(place)
  }
  return places
}

function splitSteps(judged: readonly Step[], stops: readonly ReadStop[], firstOf: readonly number[]): Step[] {
  const steps: Step[] = []
  for (let stay = 0; stay < judged.length; stay++) {
    const step = judged[stay]!
    const end = lastOf(stay, firstOf, stops.length)
    if (end === stay) {
      steps.push(step)
      continue
    }
    for (let index = firstOf[stay]!; index <= end; index++) {
      const { from, fromDay, to, toDay } = stops[index]!
      const days = toDay === null ? null : toDay - fromDay + 1
      const { daysAccumulated } = step
      const isEnd = index === end
      const accumulated = isEnd ? daysAccumulated : takeDays(daysAccumulated, (stops[end]!.toDay ?? 0) - (toDay ?? 0))
      steps.push({ ...step, index, from, to, days, daysAccumulated: accumulated })
    }
  }
  return steps
}

function moveBlocker(blocker: Blocker, firstOf: readonly number[], count: number): Blocker {
  if (blocker.step === null) return blocker
  const step = isOfEnd(blocker) ? lastOf(blocker.step, firstOf, count) : firstOf[blocker.step]!
  return moveTo(blocker, step)
}

function moveToFirst<Found extends { readonly step: number | null }>(found: Found, firstOf: readonly number[]): Found {
  return found.step === null ? found : moveTo(found, firstOf[found.step]!)
}

function moveTo<Found extends { readonly step: number | null }>(found: Found, step: number): Found {
  return step === found.step ? found : { ...found, step }
}

// The days up to a stop are those up to the end of its stay, less the days after it.
function takeDays(days: Finding<number>, after: number): Finding<number> {
  return days.status === "known" ? { ...days, value: days.value - after } : days
}

// Says whether a blocker is about the end of a stay.
function isOfEnd({ code }: Blocker): boolean {
  return code === "stay_exceeded" || code === "zone_stay_exceeded" || code === "passport_expires_before_exit"
}

// ---- The outcome

// The outcome is read off the weights of the issues: whether anything blocks the journey, has to be obtained before departure, or is not known,
// or only a person can check it, and it decides an entry (both come to `unknown`). `clear` means none of these. A past journey, an unknown country
// or a passport without a record is never clear.

/** Outcomes from the worst to the best, and the place of the one that an issue of each weight comes to. */
const OUTCOMES: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]

/** Returns the worst of some outcomes. */
export function findWorst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find(each => outcomes.includes(each)) ?? "clear"
}

const RANKS: Readonly<Record<Weight, number>> = { blocks: 0, obtain: 1, check: 2, unknown: 2, info: 3 }

// Ranks the outcome of each stop by the weights of its issues and of those of the whole journey.
function weighStops(journey: Journey, entries: readonly Entry[], others: readonly PlacedIssue[]): readonly number[] {
  const isBeforeData = journey.stops[0]!.firstDay < journey.dataset.sinceDay
  return entries.map((entry, at) => {
    let worst = isBeforeData ? 2 : 3
    for (const { weight } of entry.issues) worst = Math.min(worst, RANKS[weight])
    for (const { issue, step } of others) if (step === null || step === at) worst = Math.min(worst, RANKS[issue.weight])
    return worst
  })
}

/** The issues of a decision as the answer lists them. */
interface Conclusion {
  /** What has to be obtained or done, in the order of the first stops that it is for. */
  readonly toDo: readonly ToDo[]
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
  readonly unknowns: readonly Gap[]
}

/** Puts the issues of a journey into words. */
function conclude(journey: Journey, entries: readonly Entry[], others: readonly PlacedIssue[]): Conclusion {
  const { stops } = journey
  const blockers: Blocker[] = []
  const conditions: Condition[] = []
  const unknowns: Gap[] = []
  const listed: Listed[] = []
  const add = (issue: Issue, step: number | null, entrant?: Entrant) => {
    const { weight, code, params, field, granularity } = issue
    if (weight === "blocks") {
      // Empty fields are left out.
      const message = sayIssue(issue)
      blockers.push({ code: code as Blocker["code"], step, message, granularity, ...issue.more, params })
    } else if (field !== null) {
      unknowns.push(sayGap(issue, step))
    } else {
      const message = sayIssue(issue)
      const found = { code, step, message, granularity: "pair", params, weight, ...issue.more }
      conditions.push(found as Condition)
      const isOnArrival = isOf("onArrival", code)
      if (weight !== "obtain" && !isOnArrival) return
      const by = entrant ?? entries[step!]!.arrival
      addToDo(listed, { issue, step, entrant: by }, entries, isOnArrival ? "on_arrival" : "before_departure", message)
    }
  }
  for (let step = 0; step < entries.length; step++) for (const issue of entries[step]!.issues) add(issue, step)
  for (const { issue, step, entrant } of others) add(issue, step, entrant)
  // The blocker of a last exit may belong before blockers of later stops. A transit belongs to no stop and comes last.
  if (blockers.length > 1) blockers.sort((a, b) => (a.step ?? stops.length) - (b.step ?? stops.length))
  return { toDo: nameIssuers(listed, entries), blockers, conditions, unknowns }
}

function sayGap(issue: Issue, step: number | null): Gap {
  const { field, granularity, code, params, weight } = issue
  return { field: field!, step, reason: sayIssue(issue), granularity, code, params, weight: weight as Gap["weight"] }
}

// ---- What has to be done

// Facts of `landfall/full` (names of programmes, pages, fees, processing times) are null here, and `completeToDo` adds them.

/** An entry of the list, to which further stops and transits may be added, and who needs it where first. */
interface Listed {
  readonly toDo: ToDo & { readonly steps: number[]; transits?: number[]; destination: string }
  readonly entrant: Entrant
}

function addToDo(
  listed: Listed[],
  { issue, step, entrant }: PlacedIssue & { readonly entrant: Entrant },
  entries: readonly Entry[],
  due: Due,
  message: string,
): void {
  const { code, more } = issue
  const others = step === null ? NOTHING : entries[step]!.issues
  if (others.some(each => isOf("closing", each.code))) return
  const isKept = due === "before_departure" && (isRequirement(code) || code === "insurance")
  // A document or an insurance that is on the list already serves this stop too. Other things are done again for each arrival.
  let entry = isKept ? listed.find(each => each.toDo.code === code && isSameDocument(each.entrant, entrant)) : undefined
  if (entry === undefined) {
    const leavingDay = entries[0]!.arrival.stop.firstDay
    entry = { toDo: startToDo(issue, step, entrant, due, message, leavingDay), entrant }
    listed.push(entry)
  }
  if (step !== null) entry.toDo.steps.push(step)
  else {
    entry.toDo.transits ??= []
    entry.toDo.transits.push(more!.transit!)
  }
}

function nameIssuers(listed: readonly Listed[], entries: readonly Entry[]): readonly ToDo[] {
  return listed.map(({ toDo }) => {
    if (toDo.steps.length > 1) toDo.destination = findIssuer(entries, toDo.steps)
    return toDo
  })
}

function startToDo(
  { code, params }: Issue,
  step: number | null,
  { stop, passport }: Entrant,
  due: Due,
  message: string,
  leavingDay: EpochDay,
): Listed["toDo"] {
  // A visa or an authorisation has none of these.
  const { name, url, hours, amount, currency } = params
  return {
    code: code as ToDo["code"],
    step,
    steps: [],
    destination: stop.destination,
    passport: passport.held.passport,
    due,
    name: readText(name),
    url: readText(url),
    applyBy: typeof hours === "number" ? countHoursBack(stop.firstDay, hours, leavingDay) : null,
    fee: code === "registration" && amount !== null ? ({ amount, currency } as Money) : null,
    message,
  }
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

const HOURS_OF_DAY = 24

// Nobody registers or is vaccinated on the way, so that a later stop leaves no more time than the day before the journey.
function countHoursBack(day: EpochDay, hours: number, leavingDay: EpochDay): string | null {
  const latest = Math.min(day - Math.ceil(hours / HOURS_OF_DAY), leavingDay - 1)
  return isEpochDay(latest) ? formatCivilDate(latest) : null
}

// A document that is obtained before departure also serves later visits, with as many entries. A document that is
// issued on arrival is issued each time. Each transit is a stop of its own, at the end of the journey.
function isSameDocument(a: Entrant, b: Entrant): boolean {
  if (a.passport !== b.passport) return false
  const zone = a.stop.zonePlace?.zone
  if (a.stop.column === b.stop.column || b.stop.here.includes(a.stop)) return true
  return zone?.rule.kind === "rolling" && zone === b.stop.zonePlace?.zone
}

// One visa opens all stops of a zone whose visas are uniform. The state of the longest stay issues it; of equal ones, the state of the first entry
// (Regulation (EC) No 810/2009, Art. 2(3) and Art. 5(1)).
function findIssuer(entries: readonly Entry[], steps: readonly number[]): string {
  const stops = steps.map(step => entries[step]!.arrival.stop)
  const [entered] = stops as [Stay]
  // If no main destination can be determined, it is the state of the first entry.
  if (stops.some(({ isOpen }) => isOpen)) return entered.destination
  let issuer = entered
  let most = 0
  for (const stop of stops) {
    let days = 0
    for (const { key, firstDay, lastDay } of stops) if (key === stop.key) days += lastDay - firstDay + 1
    if (days <= most) continue
    most = days
    issuer = stop
  }
  return issuer.destination
}

// ---- How old it is, and what will change

/**
 * Returns the age in days of the information behind a decision; null if no day of a check is known, or if nothing was looked up.
 *
 * It is as old as the oldest answer behind it. The age of each stop's answer counts from the last check before the
 * first day of the stop, as in `describePair`. If a held document changes the requirement, the age is that of the rule
 * about the document. Citizens, and visas of the destination itself, depend on no answer.
 */
function findAge({ dataset }: Journey, entries: readonly Entry[]): number | null {
  let oldest = -1
  for (const { arrival } of entries) {
    const { stop, way, law } = arrival
    const { requirement, held, isHome } = way
    if (requirement.status === "unknown" || isHome || isInHand(way)) continue
    const waiver = held?.waiver ?? null
    const lookDay = isPast(dataset, stop)
      ? null
      : waiver !== null
        ? parseCivilDate(waiver.verifiedOn ?? waiver.citedOn)
        : law.lookDay
    if (lookDay === undefined) continue
    if (lookDay === null) return null
    oldest = Math.max(oldest, stop.firstDay - lookDay, 0)
  }
  return oldest < 0 ? null : oldest
}

/**
 * Lists the scheduled changes that concern a journey.
 *
 * A dated rule changes the requirement of a passport from a day on, and a destination may join or leave a zone. The
 * list has changes after the dataset's own day and not after the end of a stop: before the stop, because today's answer
 * will then no longer be right, or during it. The requirement of a stop is that of its first day in any case.
 */
function listChangesAhead({ dataset, provisions }: Journey, entries: readonly Entry[]): readonly ChangeAhead[] {
  let changes: ChangeAhead[] | null = null
  for (let step = 0; step < entries.length; step++) {
    const { stop, passport } = entries[step]!.arrival
    const { destination, column, lastDay } = stop
    if (column >= UNKNOWN_INDEX || lastDay <= dataset.asOfDay) continue
    if (provisions.hasChanges[column] === 1 && passport.row < UNKNOWN_INDEX) {
      const steps = dataset.timelines.get(passport.row * dataset.destinations.length + column) ?? []
      for (let at = 2; at < steps.length && steps[at]! <= lastDay; at += 2) {
        if (steps[at]! <= dataset.asOfDay) continue
        changes ??= []
        const on = formatCivilDate(steps[at]!)
        const before = foundAt(dataset, steps[at - 1]!)
        const after = foundAt(dataset, steps[at + 1]!)
        changes.push({ step, on, destination, passport: passport.held.passport, before, after, zone: null })
      }
    }
    const place = provisions.zonePlaces[column]
    if (!place?.isChanging) continue
    for (const { fromDay, untilDay } of place.memberships) {
      for (const day of [fromDay, untilDay]) {
        if (day === null || day <= dataset.asOfDay || day > lastDay) continue
        changes ??= []
        const zone = place.zone.id
        changes.push({ step, on: formatCivilDate(day), destination, passport: null, before: null, after: null, zone })
      }
    }
  }
  return changes ?? NOTHING
}

function foundAt(dataset: Dataset, place: number): Found | null {
  const answer = dataset.answers[place] as Found | NoRecord
  return answer.kind === "found" ? answer : null
}
