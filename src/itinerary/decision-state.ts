/**
 * What is found while one journey is judged?
 *
 * Everything that a decision works with: what was read, which nobody writes to, laid out for judging, and what is found on the way. One state
 * is made for each decision and thrown away with it.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Dataset } from "../dataset/open.ts"
import type { Blocker, BlockerCode, Condition, Gap } from "./answer-fields.ts"
import type { DayCounting, EntryTerms } from "./entry-terms.ts"
import type { Granularity, Unknown } from "./findings.ts"
import { endOnArrival } from "./open-end.ts"
import type { PairFindings } from "./pair-table.ts"
import { type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "./reasons.ts"
import { MAX_STOPS, type ReadItinerary, type ReadStay, type ReadStop, type ReadTransit } from "./request-fields.ts"
import { type Rules, rulesOf, type ZonePlace } from "./rules.ts"
import { type DocumentState, type PassportState, startDocuments, startPassports } from "./traveller-state.ts"
import type { Work } from "./work.ts"

/** A stop, or a stay before the first one; both have one layout, because V8 reads lists of one layout much faster. */
export interface StopState {
  readonly destination: string
  readonly key: number
  readonly slot: number
  readonly from: string
  readonly to: string
  readonly firstDay: EpochDay
  readonly lastDay: EpochDay
  /** Whether its last day was not given; then it is its first. */
  readonly isOpen: boolean
  /** The passport that has to be used, or null. */
  readonly wantedPassport: string | null
  /** How the traveller arrives, or null. */
  readonly by: ReadStop["by"]
  /** Its place in the list that was given. */
  readonly place: number
  /** Its place among all stays, those before the itinerary first. */
  order: number
  /** The first stay in its country, and the next one. */
  firstHere: StopState | null
  nextHere: StopState | null
  /** What its country is in a zone, the first stay in that zone, and the next one. */
  zonePlace: ZonePlace | null
  firstInZone: StopState | null
  nextInZone: StopState | null
  /** The day of leaving the destination, or its zone where the traveller goes on inside it. */
  departureDay: EpochDay
  /** Days in the destination up to here, over all stops. */
  daysAccumulated: number
  /** The passport that is used, and what it gives here. */
  passport: PassportState | null
  terms: EntryTerms | null
  /** What was last found of a pair here, and of which passport. */
  pairOf: PassportState | null
  pair: PairFindings | null
  /** Whether its days count against what is allowed to visitors. */
  counting: DayCounting
}

/** A decision while it is made. */
export interface DecisionState {
  readonly read: ReadItinerary
  readonly dataset: Dataset
  readonly rules: Rules
  readonly passports: readonly PassportState[]
  readonly documents: readonly DocumentState[]
  /** In the order of their first days. */
  readonly earlierStays: readonly StopState[]
  readonly stops: readonly StopState[]
  /** The places of the transit countries in the dataset. */
  readonly transit: readonly number[]
  /** Whether any held document has a number of entries, which stops use up. */
  readonly hasCountedEntries: boolean
  /** What may still be done to find the best of all ways. */
  readonly work: Work
  /** Whether ways are only compared, so that what has to be checked of documents is not looked up. */
  isComparing: boolean
  /** Whether a rule asked for a purpose, and the one that was given is one of its words. */
  isPurposeJudged: boolean
  readonly blockers: FoundBlocker[]
  readonly conditions: FoundCondition[]
  readonly unknowns: Gap[]
}

/** Starts a decision on an itinerary that was read. */
export function startDecision(dataset: Dataset, read: ReadItinerary, work: Work): DecisionState {
  const rules = rulesOf(dataset)
  const documents = startDocuments(dataset, read, rules.findReach)
  const stops: StopState[] = []
  for (let place = 0; place < read.stops.length; place++) {
    const stop = read.stops[place]!
    stops.push(startStop(dataset, endOnArrival(stop), place, stop, "none", stop.to === null))
  }
  return {
    read,
    dataset,
    rules,
    passports: startPassports(dataset, read),
    documents,
    earlierStays: read.earlierStays === null ? NO_STAYS : startStays(dataset, read.earlierStays),
    stops,
    transit: read.transit === null ? NO_SLOTS : slotsOf(dataset, read.transit),
    hasCountedEntries: documents.some(document => typeof document.read.entries === "number"),
    work,
    isComparing: false,
    isPurposeJudged: false,
    blockers: [],
    conditions: [],
    unknowns: [],
  }
}

/** How a place is entered of which nobody says anything. */
export const ANYHOW = { passport: null, by: null } as const
const NO_STAYS: readonly StopState[] = Object.freeze([])

function startStays(dataset: Dataset, read: readonly ReadStay[]): readonly StopState[] {
  const stays: StopState[] = []
  for (let place = 0; place < read.length; place++) {
    const stay = read[place]!
    insertInOrder(stays, startStop(dataset, stay, place, ANYHOW, stay.permit === null ? "certain" : "permit"))
  }
  return stays
}

// By insertion: there are few stays, and most of them are in order already.
function insertInOrder(stays: StopState[], stay: StopState): void {
  let at = stays.push(stay) - 1
  for (; at > 0 && isLater(stays[at - 1]!, stay); at--) stays[at] = stays[at - 1]!
  stays[at] = stay
}

function isLater(a: StopState, b: StopState): boolean {
  return a.firstDay > b.firstDay || (a.firstDay === b.firstDay && a.lastDay > b.lastDay)
}

/** Starts a stop, or a place that is treated as one. */
export function startStop(
  { destinationSlots }: Dataset,
  { destination, destinationKey, from, fromDay, to, toDay }: Omit<ReadStay, "permit">,
  place: number,
  { passport, by }: Pick<ReadStop, "passport" | "by">,
  counting: DayCounting,
  isOpen = false,
): StopState {
  return {
    destination,
    key: destinationKey,
    slot: destinationSlots[destinationKey] as number,
    from,
    to,
    firstDay: fromDay,
    lastDay: toDay,
    isOpen,
    wantedPassport: passport,
    by,
    place,
    order: 0,
    firstHere: null,
    nextHere: null,
    zonePlace: null,
    firstInZone: null,
    nextInZone: null,
    departureDay: toDay,
    daysAccumulated: 0,
    passport: null,
    terms: null,
    pairOf: null,
    pair: null,
    counting,
  }
}

function slotsOf({ destinationSlots }: Dataset, transit: readonly ReadTransit[]): number[] {
  const slots: number[] = []
  for (let at = 0; at < transit.length; at++) slots.push(destinationSlots[transit[at]!.countryKey] as number)
  return slots
}

const NO_SLOTS: readonly number[] = Object.freeze([])

/** Something that blocks; it is put into words when the decision is made. */
export interface FoundBlocker {
  readonly code: BlockerCode
  readonly step: number | null
  readonly granularity: Granularity
  readonly params: ReasonParams
  readonly zone: string | null
  readonly basis: NonNullable<Blocker["basis"]> | null
  readonly transit: number | null
}

/** Something that has to be obtained or checked; what is not shared is put into words when the decision is made. */
export interface FoundCondition extends Omit<Condition, "message"> {
  message: string | null
}

/** Notes what blocks a step, or a transit, which is none; about the pair, unless another granularity is given. */
export function block<C extends BlockerCode>(
  state: DecisionState,
  step: number | null,
  code: C,
  params: ParamsOf<C>,
  { granularity = "pair", zone = null, basis = null, transit = null }: MoreOfBlocker = NOTHING_MORE,
): void {
  state.blockers.push({ code, step, granularity, params: params as ReasonParams, zone, basis, transit })
}

interface MoreOfBlocker {
  readonly granularity?: Granularity
  readonly zone?: string | null
  readonly basis?: FoundBlocker["basis"]
  readonly transit?: number | null
}
const NOTHING_MORE: MoreOfBlocker = {}

/** Notes what has to be obtained or checked at a step. */
export function noteCondition<C extends Condition["code"]>(
  state: DecisionState,
  step: number,
  code: C,
  params: ParamsOf<C>,
): void {
  state.conditions.push({ code, step, message: null, granularity: "pair", params: params as ReasonParams })
}

/** Puts what blocks into words, in the order of the stops: a last exit may lie before a later stop's blockers. */
export function tellBlockers({ blockers }: DecisionState): readonly Blocker[] {
  if (blockers.length > 1) blockers.sort((a, b) => placeOf(a) - placeOf(b))
  return blockers.map(tellBlocker)
}

// A transit is of no stop, and comes last.
function placeOf({ step, transit }: FoundBlocker): number {
  return step ?? MAX_STOPS + (transit ?? 0)
}

// Fields that say nothing are left out. There is a literal for each layout, because spreading takes ten times as long.
function tellBlocker({ code, step, granularity, params, zone, basis, transit }: FoundBlocker): Blocker {
  const message = writeReason(code, params as never)
  if (zone !== null) return { code, step, message, granularity, zone, params }
  if (basis !== null) return { code, step, message, granularity, basis, params }
  if (transit !== null) return { code, step, message, granularity, transit, params }
  return { code, step, message, granularity, params }
}

/** Puts what has to be obtained or checked into words, as far as it is not yet. */
export function tellConditions({ conditions }: DecisionState): readonly Condition[] {
  for (let at = 0; at < conditions.length; at++) {
    const condition = conditions[at]!
    condition.message ??= writeReason(condition.code, condition.params as never)
  }
  return conditions as readonly Condition[]
}

/** Notes a gap in a field of a step, or of none; about the pair, unless another granularity is given. */
export function noteGap<C extends ReasonCode>(
  state: DecisionState,
  field: string,
  step: number | null,
  code: C,
  params: ParamsOf<C>,
  granularity: Granularity = "pair",
): void {
  const reason = writeReason(code, params)
  state.unknowns.push({ field, step, reason, granularity, code, params: params as ReasonParams })
}

/** Notes a finding that is a gap. The caller checks whether it is one: findings have many layouts, and one check here would be slow for V8. */
export function noteUnknown(
  state: DecisionState,
  field: string,
  step: number | null,
  { reason, granularity, code, params }: Unknown,
): void {
  state.unknowns.push({ field, step, reason, granularity, code, params })
}

/** The lengths of a state's lists. */
export interface ListLengths {
  readonly blockers: number
  readonly conditions: number
  readonly unknowns: number
}

/** Says how long the lists of a state are. */
export function measureLists({ blockers, conditions, unknowns }: DecisionState): ListLengths {
  return { blockers: blockers.length, conditions: conditions.length, unknowns: unknowns.length }
}

/** Removes what was found between two moments, and keeps what was found since. */
export function removeFound(
  { blockers, conditions, unknowns }: DecisionState,
  from: ListLengths,
  to: ListLengths,
): void {
  removeBetween(blockers, from.blockers, to.blockers)
  removeBetween(conditions, from.conditions, to.conditions)
  removeBetween(unknowns, from.unknowns, to.unknowns)
}

function removeBetween<Item>(list: Item[], from: number, to: number): void {
  const removed = to - from
  for (let at = to; at < list.length; at++) list[at - removed] = list[at]!
  // Taken one by one, because to set a list's length is slow.
  for (let count = 0; count < removed; count++) list.pop()
}
