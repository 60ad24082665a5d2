/**
 * What does a dataset say of a passport at a destination that every decision can use as it is?
 *
 * The terms of entry, what an entry costs at least, the waivers that ease it and the rules of how its days add up are the same for every
 * journey. They are found when a decision first needs them and kept by pair, for the days between which neither the entry nor the rules
 * change: a rule that is replaced by one with the same answer may depend on something else.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import { type Dataset, type Found, type NoRecord, UNKNOWN_SLOT } from "../dataset/open.ts"
import type { StayRule } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import { findLastLook } from "../requirement/age.ts"
import { describeFound, listPairConditions } from "../requirement/describe-pair.ts"
import { type Entry, entryAt, entryOn } from "../requirement/entry.ts"
import { lookupRequirement } from "../requirement/lookup.ts"
import type { Requirement } from "../requirement/requirement.ts"
import { listStayRulesOf } from "../requirement/stay-rules.ts"
import { listEasingEver } from "../requirement/waivers.ts"
import { barTerms, findBar } from "./border-rules.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { type EntryTerms, explainAbsence, GAP_COST } from "./entry-terms.ts"
import { findKindEntry } from "./kind-entries.ts"
import type { Doubtful, EasingWaiver, Exemption, PairFindings } from "./pair-table.ts"
import { listLacking } from "./passport-features.ts"
import { isPast, readPastTerms } from "./past-terms.ts"
import type { ParamsOf } from "./reasons.ts"
import type { Rules, ZonePlace } from "./rules.ts"
import { ALL_DATES, type DatesGiven, NO_EXPIRY_DATE, NO_ISSUE_DATE, type PassportState } from "./traveller-state.ts"

/** Gives what was found out of a passport at a stop, on the day of arrival; as a bar changes it. */
export function findPair(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  // Asked again and again while a stop is judged, and the same for as long as the decision is made.
  if (stop.pairOf === passport) return stop.pair!
  const found = findAnew(state, passport, stop)
  stop.pairOf = passport
  stop.pair = found
  return found
}

function findAnew(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const pair = excludeLacking(state, passport, stop, findUnbarred(state, passport, stop))
  return pair.entry !== null && state.rules.hasBorderRules[stop.slot] === 1
    ? applyBar(state, passport, stop, pair)
    : pair
}

const barred = new WeakMap<PairFindings, PairFindings>()

function applyBar(state: DecisionState, passport: PassportState, stop: StopState, pair: PairFindings): PairFindings {
  const { requirement } = pair.terms
  if (requirement.status === "unknown" || findBar(state, stop, passport, requirement.value) === null) return pair
  return bar(state, passport, stop, pair)
}

function bar(state: DecisionState, passport: PassportState, stop: StopState, pair: PairFindings): PairFindings {
  let changed = barred.get(pair)
  if (changed === undefined) {
    const terms = barTerms(pair.terms)
    changed = describePair(state.rules, passport, stop, terms, pair.entry, pair.isDated)
    barred.set(pair, changed)
  }
  return changed
}

// A rule for passports with some feature lifts the visa for them alone; who says that his has not needs one.
function excludeLacking(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  pair: PairFindings,
): PairFindings {
  if (passport.features.lacks.length === 0 || pair.entry === null || !passport.isOrdinary) return pair
  const { requirement } = pair.terms
  const { index } = state.rules
  if (index === null || requirement.status === "unknown" || !canBeLifted(requirement.value)) return pair
  const { answer } = requirement
  const asked = { passport: passport.ruledAs, destination: stop.destination, answer, day: stop.firstDay }
  return listLacking(listPairConditions(index, asked), passport.features).length === 0
    ? pair
    : bar(state, passport, stop, pair)
}

const canBeLifted = (requirement: Requirement) => requirement !== "visa_required" && requirement !== "no_admission"

// By stop, then by place of the passport: what a kind of passport gives is kept for one decision.
const keptOfKind = new WeakMap<StopState, (PairFindings | undefined)[]>()

function findOfKind(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  let kept = keptOfKind.get(stop)
  if (kept === undefined) {
    kept = []
    keptOfKind.set(stop, kept)
  }
  let pair = kept[passport.place]
  if (pair === undefined) {
    const { entry, terms, toCheck, lookDay } = findKindEntry(state, passport, stop)
    pair = { ...describePair(state.rules, passport, stop, terms, entry, false), toCheck, lastLook: { day: lookDay } }
    kept[passport.place] = pair
  }
  return pair
}

function findUnbarred(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const { slot, firstDay } = stop
  if (!passport.isOrdinary && slot < UNKNOWN_SLOT) return findOfKind(state, passport, stop)
  if (slot >= UNKNOWN_SLOT || passport.slot >= UNKNOWN_SLOT || firstDay < state.dataset.sinceDay) {
    return findAbsence(state, passport, stop)
  }
  const row = state.rules.pairs.rows[passport.slot]!
  const known = row === null ? null : row[slot]!
  return known !== null && !known.isDated && isWithin(known, firstDay)
    ? known
    : findOnDay(state, passport, stop, row, known)
}

function isWithin({ fromDay, untilDay }: PairFindings, day: EpochDay): boolean {
  return fromDay <= day && day < untilDay
}

function findOnDay(
  { dataset, rules }: DecisionState,
  passport: PassportState,
  stop: StopState,
  row: (PairFindings | null)[] | null,
  known: PairFindings | null,
): PairFindings {
  const { entries, pairs, followed } = rules
  const { slot, firstDay } = stop
  const entry = entryOn(dataset, passport.slot, slot, firstDay, entries)
  if (known !== null && known.entry === entry && isWithin(known, firstDay)) return known
  const followedAt = entry.answer.kind === "found" ? followed(entry.answer) : UNKNOWN_SLOT
  const isDated = entries.isDated[slot] === 1 || (followedAt < UNKNOWN_SLOT && entries.isDated[followedAt] === 1)
  const findings = describePair(rules, passport, stop, rules.terms[entry.place]!, entry, isDated)
  const kept = row ?? new Array<PairFindings | null>(dataset.destinations.length).fill(null)
  kept[slot] = findings
  pairs.rows[passport.slot] = kept
  return findings
}

/** Why an answer is doubtful. */
export type Doubt = {
  readonly [C in "disputed" | "answer_ended" | "answer_changed_since"]: {
    readonly code: C
    readonly params: ParamsOf<C>
  }
}["disputed" | "answer_ended" | "answer_changed_since"]

const NO_DOUBTS: readonly Doubt[] = Object.freeze([])

/** Lists what makes the answer for a passport at a stop doubtful on the day of arrival: what contradicts what, in English, and why it is stale. */
export function listDoubts(state: DecisionState, passport: PassportState, stop: StopState): readonly Doubt[] {
  if (stop.slot >= UNKNOWN_SLOT || state.rules.hasDoubts[stop.slot] !== 1) return NO_DOUBTS
  const known = findPair(state, passport, stop)
  if (findDoubtful(state, passport, stop, known) === "never") return NO_DOUBTS
  const answer = known.entry!.answer as Found
  const pair = describeFound(state.dataset, passport.held.passport, stop.destination, answer, stop.firstDay)
  const { afterExpiry, changedSince, corroboration, stale } = pair
  const doubts: Doubt[] = []
  const says = corroboration?.isOpen === true ? corroboration.reason : null
  if (says !== null) doubts.push({ code: "disputed", params: { says } })
  if (stale === "ended") doubts.push({ code: "answer_ended", params: { on: afterExpiry!.endedOn } })
  if (stale === "changed_since") doubts.push({ code: "answer_changed_since", params: { on: changedSince!.on } })
  return doubts
}

/** The day of the last look at the answer at a stop; null where none is known, and undefined where citizens need no answer or there is none. */
export function findLookOf(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
): EpochDay | null | undefined {
  const pair = findPair(state, passport, stop)
  const answer = pair.entry?.answer
  if (answer?.kind !== "found" || answer.home) return undefined
  if (pair.lastLook === null) {
    const said = describeFound(state.dataset, passport.held.passport, stop.destination, answer, stop.firstDay)
    pair.lastLook = { day: findLastLook(said) }
  }
  return pair.lastLook.day
}

/**
 * Says when the answer at a stop is doubtful while its rules hold: what is stale stays so until they change, and what is disputed is so on all
 * days.
 */
export function findDoubtful(
  { dataset, rules }: DecisionState,
  passport: PassportState,
  stop: StopState,
  pair: PairFindings,
): Doubtful {
  const answer = pair.entry?.answer
  if (rules.hasDoubts[stop.slot] !== 1 || !passport.isOrdinary || answer?.kind !== "found") return "never"
  if (pair.doubtful === null) {
    const lastDay = Math.min(pair.untilDay - 1, LAST_DAY)
    const { stale, corroboration } = describeFound(dataset, passport.held.passport, stop.destination, answer, lastDay)
    if (stale === "ended" || stale === "changed_since") pair.doubtful = "from_some_day"
    else pair.doubtful = corroboration?.isOpen === true ? "always" : "never"
  }
  return pair.doubtful
}

function findAbsence({ dataset, rules }: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  if (isPast(dataset, stop) && stop.slot < UNKNOWN_SLOT && passport.slot < UNKNOWN_SLOT) {
    return findPast(dataset, rules, passport, stop)
  }
  const answer = lookupRequirement(dataset, passport.held.passport, stop.destination, { on: stop.from })
  const terms = explainAbsence(answer as NoRecord)
  return describePair(rules, passport, stop, terms, null, true)
}

// Waivers of today say nothing of a past day, so that only a document of the destination itself changes what was needed.
function findPast(dataset: Dataset, rules: Rules, passport: PassportState, stop: StopState): PairFindings {
  const today = entryAt(dataset, passport.slot, stop.slot)
  if (today.isHome) return describePair(rules, passport, stop, rules.terms[today.place]!, null, true)
  const rule = dataset.past!(passport.held.passport, stop.destination, stop.firstDay)
  return { ...describePair(rules, passport, stop, readPastTerms(rule), null, true), waivers: [] }
}

function describePair(
  rules: Rules,
  passport: PassportState,
  stop: StopState,
  terms: EntryTerms,
  entry: Entry | null,
  isDated: boolean,
): PairFindings {
  const { requirement, movesFreely } = terms
  const isAsked = requirement.status === "known" && !movesFreely
  const exemption = isAsked ? findExemption(rules, passport, stop, requirement.answer) : null
  const isEasable = isAsked && (requirement.value !== "no_admission" || exemption !== null)
  const boundFor = (dates: DatesGiven) => boundCost(rules, stop.slot, passport, terms, dates)
  return {
    entry,
    isDated,
    ...(entry === null ? ALL_DAYS : findStretch(rules, stop, entry)),
    terms,
    toCheck: null,
    leastCosts: [boundFor(ALL_DATES), boundFor(NO_ISSUE_DATE), boundFor(NO_EXPIRY_DATE)],
    easable: isEasable ? requirement.answer : null,
    exemption,
    waivers: null,
    stayRules: null,
    agreements: null,
    conditions: null,
    isTableStay: null,
    lastLook: null,
    doubtful: null,
    transit: [null, null, null],
  }
}

const ALL_DAYS = { fromDay: Number.NEGATIVE_INFINITY, untilDay: Number.POSITIVE_INFINITY } as const

// The days around a stop on which no rule of the destination, or of the country that it follows, begins or ends.
function findStretch({ index }: Rules, { destination, firstDay }: StopState, { answer }: Entry) {
  let { fromDay, untilDay }: { fromDay: EpochDay; untilDay: EpochDay } = ALL_DAYS
  const follows = answer.kind === "found" ? answer.follows : null
  for (const code of follows === null ? [destination] : [destination, follows]) {
    for (const day of index?.conditionDays(code) ?? []) {
      if (day <= firstDay) fromDay = Math.max(fromDay, day)
      else untilDay = Math.min(untilDay, day)
    }
  }
  return { fromDay, untilDay }
}

// Whom the rule that refuses a passport's holders does not concern.
function findExemption(
  { index }: Rules,
  { ruledAs }: PassportState,
  { destination, firstDay }: StopState,
  { requirement, follows }: Found,
): Exemption | null {
  if (requirement !== "no_admission") return null
  const { detail } = index?.findRule(follows ?? destination, ruledAs, firstDay) ?? { detail: null }
  return detail?.conditions.find(each => each.kind === "exempt") ?? null
}

/** Finds what an entry costs at least, before anything is judged; a stay rule may name days that the answer does not. */
export function boundCost(
  rules: Rules,
  slot: number,
  passport: PassportState,
  terms: EntryTerms,
  dates: DatesGiven,
): number {
  const isStayUnknown = terms.isStayOpen && rules.hasStayRules[slot] !== 1
  const cost = isStayUnknown ? terms.leastCost + GAP_COST : terms.leastCost
  return hidesValidity(rules, slot, passport, terms, dates) ? cost + GAP_COST : cost
}

// Whether the passport's validity will be unknown, or too short.
function hidesValidity(
  { validity, zonePlaces, hasStayRules }: Rules,
  slot: number,
  passport: PassportState,
  { isHome, movesFreely, counting }: EntryTerms,
  dates: DatesGiven,
): boolean {
  const findings = validity[slot]
  if (!findings) return !isHome
  if (movesFreely || counting === "permit" || dates === ALL_DATES) return false
  if (dates === NO_ISSUE_DATE && findings.rule.issuedWithinYears === null) return false
  // An agreement may make the visitor one who is not.
  const place = zonePlaces[slot]
  return !(place && (hasStayRules[slot] === 1 || isNational(place, passport)))
}

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { slot }: PassportState): boolean {
  return nationals[slot] === 1
}

/** Lists the waivers that ease the entry at a stop on any day, the easiest first. */
export function listWaivers(
  state: DecisionState,
  pair: PairFindings,
  passport: PassportState,
  stop: StopState,
): readonly EasingWaiver[] {
  return pair.waivers ?? findWaivers(state, pair, passport, stop)
}

function findWaivers(
  { dataset, rules }: DecisionState,
  pair: PairFindings,
  passport: PassportState,
  stop: StopState,
): readonly EasingWaiver[] {
  const { easable } = pair
  const { pairs } = rules
  const easing =
    easable === null ? [] : listEasingEver(dataset, passport.ruledAs, stop.destination, askedOf(pair.terms, easable))
  pair.waivers = easing.map(({ value, fromDay, untilDay }) => {
    const place = pairs.waiverPlaces.get(value) ?? pairs.waiverPlaces.size
    pairs.waiverPlaces.set(value, place)
    return { waiver: value, place, fromDay, untilDay }
  })
  return pair.waivers
}

// What is eased for a barred traveller is the visa that he needs, not the easier entry that is closed to him.
function askedOf({ requirement }: EntryTerms, answer: Found): Found {
  if (requirement.status === "unknown" || requirement.value === answer.requirement) return answer
  return { ...answer, requirement: requirement.value, days: null }
}

/** Lists the rules of how days add up that may hold for the answer at a stop, which is entered already, on any day. */
export function listStayRules(state: DecisionState, stop: StopState, answer: Found): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  if (pair.stayRules === null) {
    const { index } = state.rules
    pair.stayRules = index === null ? [] : listStayRulesOf(index, passport.ruledAs, stop.destination, answer)
  }
  return pair.stayRules
}

/** Lists the agreements beside the rule of a zone that may concern a stop, which is entered already, on any day. */
export function listAgreements(
  state: DecisionState,
  stop: StopState,
  { zone }: ZonePlace,
  { follows }: Found,
): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  if (pair.agreements === null) {
    const listAt = (code: string) => state.rules.index?.listStayRules(code, passport.ruledAs) ?? []
    const listed = [...listAt(stop.destination), ...(follows === null ? [] : listAt(follows))]
    pair.agreements = listed.filter(({ value }) => value.zone === zone.id)
  }
  return pair.agreements
}
