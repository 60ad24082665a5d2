/**
 * What does a dataset say of a passport at a destination that every decision can use as it is?
 *
 * The terms of entry, what an entry costs at least, the waivers that ease it and the rules of how its days add up are the same for every
 * journey. They are found when a decision first needs them and kept by pair. What depends on the day is kept for the entry that held when
 * it was last asked for.
 */
import type { EpochDay } from "../civil-date.ts"
import { type Found, type LookupAnswer, UNKNOWN_SLOT } from "../dataset/open.ts"
import type { StayRule, Waiver } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import { type Entry, entryOn } from "../requirement/entry.ts"
import { lookupRequirement } from "../requirement/lookup.ts"
import { listStayRulesOf } from "../requirement/stay-rules.ts"
import { listEasingEver } from "../requirement/waivers.ts"
import type { Draft } from "./decision.ts"
import { type EntryTerms, explainAbsence, GAP_COST } from "./entry-terms.ts"
import type { ReadStop } from "./route-input.ts"
import type { Rulebook, ZonePlace } from "./rulebook.ts"
import type { ReadPassport } from "./traveller-input.ts"

/** A waiver that eases an answer. */
export interface EasingWaiver {
  readonly waiver: Waiver
  /** Its place among the waivers that were met so far. */
  readonly place: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** What a passport's dates say, which an entry's least cost depends on. */
export type DatesGiven = 0 | 1 | 2
const ALL_DATES: DatesGiven = 0
const NO_ISSUE_DATE: DatesGiven = 1
const NO_EXPIRY_DATE: DatesGiven = 2

/** Says which of a passport's dates are given. */
export function datesGivenOf(expiryDay: EpochDay | null, issuedDay: EpochDay | null): DatesGiven {
  return expiryDay === null ? NO_EXPIRY_DATE : issuedDay === null ? NO_ISSUE_DATE : ALL_DATES
}

/** What was found out of a pair; null for what no decision has asked yet. */
export interface PairFindings {
  /** Null where there is no record. */
  readonly entry: Entry | null
  /** Whether another entry may hold on another day. */
  readonly isDated: boolean
  readonly terms: EntryTerms
  /** By {@link DatesGiven}, what an entry costs at least, whatever came before. */
  readonly leastCosts: readonly number[]
  /** The answer, where a document in hand could change what is asked; null where none can. */
  readonly easable: Found | null
  /** The waivers that ease it on any day, the easiest first. */
  waivers: readonly EasingWaiver[] | null
  /** The rules of how days add up that may hold, on any day, the first that fits before those after it. */
  stayRules: readonly Scoped<StayRule>[] | null
  /** The agreements beside the rule of the destination's zone, likewise. */
  agreements: readonly Scoped<StayRule>[] | null
  /** Whether nothing but an imported table names its days. */
  isTableStay: boolean | null
}

/** What was found out so far. */
export interface KnownPairs {
  /** By passport, then by destination. */
  readonly rows: ((PairFindings | null)[] | null)[]
  readonly waiverPlaces: Map<Waiver, number>
}

/** Gives what was found out of a passport at a stop, on the day of arrival. */
export function findPair(draft: Draft, passport: ReadPassport, stop: ReadStop): PairFindings {
  const { slot, firstDay } = stop
  if (slot >= UNKNOWN_SLOT || passport.slot >= UNKNOWN_SLOT || firstDay < draft.dataset.sinceDay) {
    return findAbsence(draft, passport, stop)
  }
  const row = draft.rulebook.pairs.rows[passport.slot]!
  const known = row === null ? null : row[slot]!
  return known !== null && !known.isDated ? known : findOnDay(draft, passport, stop, row, known)
}

function findOnDay(
  { dataset, rulebook }: Draft,
  passport: ReadPassport,
  stop: ReadStop,
  row: (PairFindings | null)[] | null,
  known: PairFindings | null,
): PairFindings {
  const { entries, pairs, followed } = rulebook
  const { slot, firstDay } = stop
  const entry = entryOn(dataset, passport.slot, slot, firstDay, entries)
  if (known !== null && known.entry === entry) return known
  const followedAt = entry.answer.kind === "found" ? followed(entry.answer) : UNKNOWN_SLOT
  const isDated = entries.isDated[slot] === 1 || (followedAt < UNKNOWN_SLOT && entries.isDated[followedAt] === 1)
  const findings = describePair(rulebook, passport, stop, rulebook.terms[entry.place]!, entry, isDated)
  const kept = row ?? new Array<PairFindings | null>(dataset.destinations.length).fill(null)
  kept[slot] = findings
  pairs.rows[passport.slot] = kept
  return findings
}

function findAbsence({ dataset, rulebook }: Draft, passport: ReadPassport, stop: ReadStop): PairFindings {
  const answer = lookupRequirement(dataset, passport.held.passport, stop.destination, { on: stop.from })
  const terms = explainAbsence(answer as Exclude<LookupAnswer, Found>)
  return describePair(rulebook, passport, stop, terms, null, true)
}

function describePair(
  rulebook: Rulebook,
  passport: ReadPassport,
  stop: ReadStop,
  terms: EntryTerms,
  entry: Entry | null,
  isDated: boolean,
): PairFindings {
  const { requirement, movesFreely } = terms
  const isEasable =
    requirement.status === "known" &&
    !movesFreely &&
    (requirement.value !== "no_admission" || exemptsResidents(rulebook, passport, stop, requirement.answer))
  const boundFor = (dates: DatesGiven) => boundCost(rulebook, stop.slot, passport, terms, dates)
  return {
    entry,
    isDated,
    terms,
    leastCosts: [boundFor(ALL_DATES), boundFor(NO_ISSUE_DATE), boundFor(NO_EXPIRY_DATE)],
    easable: isEasable ? requirement.answer : null,
    waivers: null,
    stayRules: null,
    agreements: null,
    isTableStay: null,
  }
}

// Whether the rule that refuses a passport's holders exempts those who live in the country for good.
function exemptsResidents(
  { index }: Rulebook,
  { held }: ReadPassport,
  { destination, firstDay }: ReadStop,
  { follows }: Found,
): boolean {
  const { detail } = index?.findRule(follows ?? destination, held.passport, firstDay) ?? { detail: null }
  return (
    detail?.conditions.some(each => each.kind === "exempt" && each.who?.includes("permanent_residents") === true) ??
    false
  )
}

/** Finds what an entry costs at least, before anything is judged; a stay rule may name days that the answer does not. */
export function boundCost(
  rulebook: Rulebook,
  slot: number,
  passport: ReadPassport,
  terms: EntryTerms,
  dates: DatesGiven,
): number {
  const isStayUnknown = terms.isStayOpen && rulebook.hasStayRules[slot] !== 1
  const cost = isStayUnknown ? terms.leastCost + GAP_COST : terms.leastCost
  return hidesValidity(rulebook, slot, passport, terms, dates) ? cost + GAP_COST : cost
}

// Whether the passport's validity will be unknown, or too short.
function hidesValidity(
  { validity, zonePlaces, hasStayRules }: Rulebook,
  slot: number,
  passport: ReadPassport,
  { movesFreely, counting }: EntryTerms,
  dates: DatesGiven,
): boolean {
  const findings = validity[slot]
  if (!findings) return true
  if (movesFreely || counting === "permit" || dates === ALL_DATES) return false
  if (dates === NO_ISSUE_DATE && findings.rule.issuedWithinYears === null) return false
  // An agreement may make the visitor one who is not.
  const place = zonePlaces[slot]
  return !(place && (hasStayRules[slot] === 1 || isNational(place, passport)))
}

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { slot }: ReadPassport): boolean {
  return nationals[slot] === 1
}

/** Lists the waivers that ease the entry at a stop on any day, the easiest first. */
export function listWaivers(
  draft: Draft,
  pair: PairFindings,
  passport: ReadPassport,
  stop: ReadStop,
): readonly EasingWaiver[] {
  return pair.waivers ?? findWaivers(draft, pair, passport, stop)
}

function findWaivers(
  { dataset, rulebook }: Draft,
  pair: PairFindings,
  passport: ReadPassport,
  stop: ReadStop,
): readonly EasingWaiver[] {
  const { easable } = pair
  const { pairs } = rulebook
  const easing = easable === null ? [] : listEasingEver(dataset, passport.held.passport, stop.destination, easable)
  pair.waivers = easing.map(({ value, fromDay, untilDay }) => {
    const place = pairs.waiverPlaces.get(value) ?? pairs.waiverPlaces.size
    pairs.waiverPlaces.set(value, place)
    return { waiver: value, place, fromDay, untilDay }
  })
  return pair.waivers
}

/** Lists the rules of how days add up that may hold for the answer at a stop, which is entered already, on any day. */
export function listStayRules(draft: Draft, stop: ReadStop, answer: Found): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(draft, passport, stop)
  if (pair.stayRules === null) {
    const { index } = draft.rulebook
    pair.stayRules = index === null ? [] : listStayRulesOf(index, passport.held.passport, stop.destination, answer)
  }
  return pair.stayRules
}

/** Lists the agreements beside the rule of a zone that may concern a stop, which is entered already, on any day. */
export function listAgreements(
  draft: Draft,
  stop: ReadStop,
  { zone }: ZonePlace,
  { follows }: Found,
): readonly Scoped<StayRule>[] {
  const passport = stop.passport!
  const pair = findPair(draft, passport, stop)
  if (pair.agreements === null) {
    const listAt = (code: string) => draft.rulebook.index?.listStayRules(code, passport.held.passport) ?? []
    const listed = [...listAt(stop.destination), ...(follows === null ? [] : listAt(follows))]
    pair.agreements = listed.filter(({ value }) => value.zone === zone.id)
  }
  return pair.agreements
}
