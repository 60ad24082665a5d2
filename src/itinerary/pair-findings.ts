/**
 * Which facts about a passport at a destination are the same for every decision?
 *
 * The terms of entry, the least cost of an entry, the waivers that apply and the stay rules are the same for every
 * journey. They are found when a decision first needs them and kept by pair, for the period in which neither the entry
 * nor the rules change: a rule that is replaced by one with the same answer may have other conditions.
 */
import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, type Found, type NoRecord, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { RuleCondition, StayRule } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import { listPairConditions } from "../requirement/describe-pair.ts"
import { type Entry, entryAt, entryOn } from "../requirement/entry.ts"
import { lookupOn } from "../requirement/lookup.ts"
import { listStayRulesOf } from "../requirement/stay-rules.ts"
import { listEasingEver } from "../requirement/waivers.ts"
import { listBorders, NO_BORDERS } from "./border-lists.ts"
import { findBar } from "./border-rules.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { askInstead, type EntryTerms, explainAbsence } from "./entry-terms.ts"
import { findKindEntry } from "./kind-entries.ts"
import type { PairFindings } from "./pair-table.ts"
import { isKindMet, listLacking } from "./passport-features.ts"
import { isPast, readPastTerms } from "./past-terms.ts"
import type { Rules, ZonePlace } from "./rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { canBeLifted, type EasingWaiver, findExemption } from "./ways.ts"

/** Returns the findings for a passport at a stop, on the day of arrival, changed by a bar if there is one. */
export function findPair(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  // Read repeatedly while a stop is judged; it stays the same during the decision.
  if (stop.pairOf === passport) return stop.pair!
  const found = findAnew(state, passport, stop)
  stop.pairOf = passport
  stop.pair = found
  return found
}

function findAnew(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const usual = findUnbarred(state, passport, stop)
  const byBorder = stop.by === null ? usual : applyBorder(state, passport, stop, usual)
  const { lacks } = passport.features
  const pair = (lacks.length === 0 ? null : findLacking(state, passport, stop, byBorder, false)) ?? byBorder
  return pair.entry !== null && pair.borders.bars.length > 0 ? applyBar(state, passport, stop, pair) : pair
}

function applyBar(state: DecisionState, passport: PassportState, stop: StopState, pair: PairFindings): PairFindings {
  const { requirement } = pair.terms
  if (requirement.status === "unknown" || findBar(state, stop, pair.borders, requirement.value) === null) return pair
  return ask(state, passport, stop, pair, "visa_required")
}

// What is known of a pair where something else is asked of the traveller than the answer says.
function ask(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  pair: PairFindings,
  instead: Requirement,
): PairFindings {
  pair.asked ??= new Map()
  let changed = pair.asked.get(instead)
  if (changed === undefined) {
    const { entry, toCheck, lastLook } = pair
    const terms = askInstead(pair.terms, instead)
    changed = { ...describePair(state, passport, stop, terms, entry), toCheck, lastLook }
    pair.asked.set(instead, changed)
  }
  return changed
}

// A requirement of some borders does not apply to a traveller who says that he arrives at another.
function applyBorder(state: DecisionState, passport: PassportState, stop: StopState, pair: PairFindings): PairFindings {
  const askedAt = listConditionsOf(state, passport, stop, pair).find(({ kind }) => kind === "asked_at")
  return askedAt?.kind !== "asked_at" || askedAt.borders.includes(stop.by!)
    ? pair
    : ask(state, passport, stop, pair, askedAt.elsewhere)
}

/** Says whether a stop may be entered with a passport: with the one that the request names for it, or with any recorded one. */
export function isOffered({ wantedPassport }: StopState, { isRecorded, held }: PassportState): boolean {
  return wantedPassport === null ? isRecorded : held.passport === wantedPassport
}

/** Lists the conditions of the answer of a pair. */
export function listConditionsOf(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  pair: PairFindings,
): readonly RuleCondition[] {
  pair.ruled ??= findConditionsOf(state, passport, stop, pair)
  return pair.ruled
}

function findConditionsOf(
  { rules }: DecisionState,
  { ruledAs }: PassportState,
  { column, destination, firstDay }: StopState,
  { terms: as }: PairFindings,
): readonly RuleCondition[] {
  const { requirement } = as
  const { index, hasConditions } = rules
  if (index === null || requirement.status === "unknown" || hasConditions[column] !== 1) return []
  const { answer } = requirement
  return listPairConditions(index, { passport: ruledAs, destination, answer, day: firstDay, as })
}

/**
 * Returns the findings for a passport without the features on which its entry depends; null if it depends on none. A rule for passports with
 * a feature exempts only those, and the holder of another needs a visa. A feature is missing if the passport is known to lack it, or, if
 * `isUnsaid`, if nothing was said about it: a document that opens the entry to holders of the other passports opens it to everybody.
 */
export function findLacking(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  pair: PairFindings,
  isUnsaid: boolean,
): PairFindings | null {
  const { requirement } = pair.terms
  if (pair.entry === null || !passport.isOrdinary || requirement.status === "unknown") return null
  if (!canBeLifted(requirement.value)) return null
  const isLacking = listConditionsOf(state, passport, stop, pair).some(each =>
    isUnsaid
      ? each.kind === "passport_kind" && !isKindMet(each, passport.features)
      : listLacking([each], passport.features).length > 0,
  )
  return isLacking ? ask(state, passport, stop, pair, "visa_required") : null
}

// By stop, then by passport index: findings for kinds of passports are kept for one decision.
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
    pair = { ...describePair(state, passport, stop, terms, entry), toCheck, lastLook: { day: lookDay } }
    kept[passport.place] = pair
  }
  return pair
}

function findUnbarred(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const { column, firstDay } = stop
  if (!passport.isOrdinary && column < UNKNOWN_INDEX) return findOfKind(state, passport, stop)
  if (column >= UNKNOWN_INDEX || passport.row >= UNKNOWN_INDEX || firstDay < state.dataset.sinceDay) {
    return findAbsence(state, passport, stop)
  }
  return findKnown(state, passport, column, firstDay) ?? findOnDay(state, passport, stop)
}

// Finds what is kept of a pair for the days with the same answer and the same rules as one.
function findKnown(
  { rules }: DecisionState,
  passport: PassportState,
  column: number,
  day: EpochDay,
): PairFindings | null {
  const row = rules.pairs.rows[passport.row]!
  let known = row === null ? null : row[column]!
  while (known !== null && !isWithin(known, day)) known = known.other
  return known
}

function isWithin({ fromDay, untilDay }: PairFindings, day: EpochDay): boolean {
  return fromDay <= day && day < untilDay
}

/** Returns what is kept of a passport at a destination on a day, if nothing about the traveller changes it; null if a stop must be judged. */
export function findKept(
  state: DecisionState,
  passport: PassportState,
  column: number,
  day: EpochDay,
): PairFindings | null {
  if (column >= UNKNOWN_INDEX || passport.row >= UNKNOWN_INDEX || day < state.dataset.sinceDay) return null
  if (passport.features.lacks.length > 0) return null
  const kept = findKnown(state, passport, column, day)
  return kept !== null && kept.borders.bars.length === 0 ? kept : null
}

function findOnDay(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const { dataset, rules } = state
  const { entries, pairs } = rules
  const { column, firstDay } = stop
  const entry = entryOn(dataset, passport.row, column, firstDay, entries)
  const kept = pairs.rows[passport.row] ?? new Array<PairFindings | null>(dataset.destinations.length).fill(null)
  pairs.rows[passport.row] = kept
  const findings = describePair(state, passport, stop, rules.terms[entry.place]!, entry)
  findings.other = kept[column] ?? null
  kept[column] = findings
  return findings
}

function findAbsence(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const { dataset } = state
  if (isPast(dataset, stop) && stop.column < UNKNOWN_INDEX && passport.row < UNKNOWN_INDEX) {
    return findPast(state, passport, stop)
  }
  const answer = lookupOn(dataset, passport.held.passport, stop.destination, stop.firstDay)
  const terms = explainAbsence(answer as NoRecord)
  return describePair(state, passport, stop, terms, null)
}

// Today's waivers do not apply to past days, so only a document of the destination itself changes a past requirement.
function findPast(state: DecisionState, passport: PassportState, stop: StopState): PairFindings {
  const { dataset, rules } = state
  const today = entryAt(dataset, passport.row, stop.column)
  if (today.isHome) return describePair(state, passport, stop, rules.terms[today.place]!, null)
  const rule = dataset.past!(passport.held.passport, stop.destination, stop.firstDay)
  return { ...describePair(state, passport, stop, readPastTerms(rule), null), waivers: [] }
}

function describePair(
  { dataset, rules }: DecisionState,
  passport: PassportState,
  stop: StopState,
  terms: EntryTerms,
  entry: Entry | null,
): PairFindings {
  const { requirement, movesFreely } = terms
  const isAsked = requirement.status === "known" && !movesFreely
  const exemption = isAsked
    ? findExemption(rules.index, passport.ruledAs, stop.destination, requirement.answer, stop.firstDay)
    : null
  const isEasable = isAsked && (requirement.value !== "no_admission" || exemption !== null)
  const { fromDay, untilDay } = entry === null ? ALL_DAYS : findStretch(dataset, rules, passport, stop, entry)
  return {
    entry,
    fromDay,
    untilDay,
    terms,
    toCheck: null,
    easable: isEasable ? requirement.answer : null,
    exemption,
    waivers: null,
    stayRules: null,
    agreements: null,
    borders:
      rules.hasBorderRules[stop.column] === 1
        ? listBorders(dataset, rules.borders.at(stop.destination, passport.held.passport))
        : NO_BORDERS,
    entered: null,
    conditions: null,
    ofWaivers: null,
    ruled: null,
    asked: null,
    isTableStay: null,
    lastLook: null,
    doubtful: null,
    doubts: null,
    airside: null,
    landside: null,
    mayEnter: null,
    other: null,
  }
}

const ALL_DAYS = { fromDay: Number.NEGATIVE_INFINITY, untilDay: Number.POSITIVE_INFINITY } as const

// Finds the period around a stop in which neither the answer changes nor a rule of the destination, or of the country that it follows, begins
// or ends.
function findStretch(
  { timelines, destinations }: Dataset,
  { index, followed }: Rules,
  passport: PassportState,
  { destination, column, firstDay }: StopState,
  { answer }: Entry,
) {
  let { fromDay, untilDay }: { fromDay: EpochDay; untilDay: EpochDay } = ALL_DAYS
  const narrow = (day: EpochDay) => {
    if (day > firstDay) untilDay = Math.min(untilDay, day)
    else fromDay = Math.max(fromDay, day)
  }
  const narrowBy = (code: string, at: number) => {
    index?.conditionDays(code).forEach(narrow)
    const timeline = timelines.get(passport.row * destinations.length + at) ?? NOTHING
    for (let place = 0; place < timeline.length; place += 2) narrow(timeline[place]!)
  }
  narrowBy(destination, column)
  if (answer.kind === "found" && answer.follows !== null) narrowBy(answer.follows, followed(answer))
  return { fromDay, untilDay }
}

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { row }: PassportState): boolean {
  return nationals[row] === 1
}

/** Lists the waivers that make the entry at a stop easier on any day, the easiest first. */
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

// A waiver is compared with what this traveller needs: for a barred one, the visa and not the easier entry that he cannot
// use.
function askedOf({ requirement, maxDays }: EntryTerms, answer: Found): Found {
  if (requirement.status === "unknown" || requirement.value === answer.requirement) return answer
  return { ...answer, requirement: requirement.value, days: maxDays }
}

/** Lists the stay rules that may apply to the answer at a stop on any day. The stop's entry is already chosen. */
export function listStayRules(state: DecisionState, stop: StopState, answer: Found): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  if (pair.stayRules === null) {
    const { index } = state.rules
    pair.stayRules = index === null ? [] : listStayRulesOf(index, passport.ruledAs, stop.destination, answer)
  }
  return pair.stayRules
}

/** Lists the agreements beside the rule of a zone that may concern a stop on any day. The stop's entry is already chosen. */
export function listAgreements(
  state: DecisionState,
  stop: StopState,
  { zone }: ZonePlace,
  { follows }: Found,
): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  pair.agreements ??= findAgreements(state, passport, [stop.destination, follows], zone.id)
  return pair.agreements
}

function findAgreements(
  { rules: { index } }: DecisionState,
  { ruledAs }: PassportState,
  codes: readonly (string | null)[],
  zone: string,
): readonly Scoped<StayRule>[] {
  const listed = codes.flatMap(code => (code === null ? [] : (index?.listStayRules(code, ruledAs) ?? [])))
  return listed.filter(({ value }) => value.zone === zone)
}
