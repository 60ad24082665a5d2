/**
 * What is stored while one journey is judged?
 *
 * The state has the input, which nobody changes, laid out for judging, and the findings so far. One state is made for
 * each decision and discarded with it.
 */
import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Dataset } from "../dataset/open.ts"
import type { Blocker, BlockerCode, Condition, Gap } from "./answer-fields.ts"
import { type ConditionDue, type SaidCondition, sayCondition } from "./condition-due.ts"
import type { DayCounting } from "./day-count.ts"
import type { EntryTerms } from "./entry-terms.ts"
import type { Granularity, Unknown } from "./findings.ts"
import { endOnArrival } from "./open-end.ts"
import type { PairFindings } from "./pair-table.ts"
import { NOTHING_SAID } from "./passport-features.ts"
import { type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "./reasons.ts"
import { MAX_STOPS, type ReadItinerary, type ReadStay, type ReadStop } from "./request-fields.ts"
import { type Rules, rulesOf, type ZonePlace } from "./rules.ts"
import { type DocumentState, type PassportState, startDocuments, startPassports } from "./traveller-state.ts"
import type { Work } from "./work.ts"

/** A stop, or a stay before the first one. Both have one layout, because V8 reads lists of one layout much faster. */
export interface StopState {
  readonly destination: string
  readonly key: number
  /** The index of its destination in the dataset, or a number for codes without an index. */
  readonly column: number
  readonly from: string
  readonly to: string
  readonly firstDay: EpochDay
  readonly lastDay: EpochDay
  /** Whether the last day was not given; it is then set to the first day. */
  readonly isOpen: boolean
  /** The passport that the request names for this stop, or null. */
  readonly wantedPassport: string | null
  /** How the traveller arrives, or null. */
  readonly by: ReadStop["by"]
  /** Its index in the given list. */
  readonly place: number
  /** Its index among all stays, those before the itinerary first. */
  order: number
  /** The first stay in its country, and the next one. */
  firstHere: StopState | null
  nextHere: StopState | null
  /** The country's place in a zone, the first stay in that zone, and the next one. */
  zonePlace: ZonePlace | null
  firstInZone: StopState | null
  nextInZone: StopState | null
  /** The day of leaving the destination, or its zone if the traveller continues inside it. */
  departureDay: EpochDay
  /** Days in the destination up to the end of this stop, over all stops. */
  daysAccumulated: number
  /** The passport that is used, and its terms here. */
  passport: PassportState | null
  terms: EntryTerms | null
  /** The pair that was last looked up here, and its passport. */
  pairOf: PassportState | null
  pair: PairFindings | null
  /** Whether its days count for the limits of visitors. */
  counting: DayCounting
}

/** The state of one decision. */
export interface DecisionState {
  readonly read: ReadItinerary
  readonly dataset: Dataset
  readonly rules: Rules
  readonly passports: readonly PassportState[]
  readonly documents: readonly DocumentState[]
  /** In the order of their first days. */
  readonly earlierStays: readonly StopState[]
  readonly stops: readonly StopState[]
  /** The transit countries, as indices of the dataset. */
  readonly transit: readonly number[]
  /** Whether any held document has a number of entries, which stops use up. */
  readonly hasCountedEntries: boolean
  /** Whether the request has nothing about the traveller except one ordinary passport, its dates and earlier stays. */
  readonly isPlain: boolean
  /** The work that is left for the search for the best way. */
  readonly work: Work
  /** Whether a rule depends on the purpose, and the given one is one of its words. */
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
  const passports = startPassports(dataset, read)
  return {
    read,
    dataset,
    rules,
    passports,
    documents,
    earlierStays: read.earlierStays === null ? NOTHING : startStays(dataset, read.earlierStays),
    stops,
    transit: read.transit === null ? NOTHING : read.transit.map(each => dataset.destinationIndices[each.countryKey]!),
    hasCountedEntries: documents.length > 0 && documents.some(({ read }) => typeof read.entries === "number"),
    isPlain: documents.length === 0 && read.purpose === null && isOrdinaryAlone(passports),
    work,
    isPurposeJudged: false,
    blockers: [],
    conditions: [],
    unknowns: [],
  }
}

function isOrdinaryAlone(passports: readonly PassportState[]): boolean {
  const { isOrdinary, features } = passports[0]!
  return passports.length === 1 && isOrdinary && features === NOTHING_SAID
}

// The entry of a place about which the request says nothing.
const ANYHOW = { passport: null, by: null } as const

function startStays(dataset: Dataset, read: readonly ReadStay[]): readonly StopState[] {
  const stays: StopState[] = []
  for (let place = 0; place < read.length; place++) {
    const stay = read[place]!
    insertInOrder(stays, startStop(dataset, stay, place, ANYHOW, stay.permit === null ? "certain" : "permit"))
  }
  return stays
}

// Insertion sort: there are few stays, and most are in order already.
function insertInOrder(stays: StopState[], stay: StopState): void {
  let at = stays.push(stay) - 1
  for (; at > 0 && isLater(stays[at - 1]!, stay); at--) stays[at] = stays[at - 1]!
  stays[at] = stay
}

function isLater(a: StopState, b: StopState): boolean {
  return a.firstDay > b.firstDay || (a.firstDay === b.firstDay && a.lastDay > b.lastDay)
}

/** Starts a stop, or a place that is treated like one. */
export function startStop(
  { destinationIndices }: Dataset,
  { destination, destinationKey, from, fromDay, to, toDay }: Omit<ReadStay, "permit">,
  place: number,
  { passport, by }: Pick<ReadStop, "passport" | "by">,
  counting: DayCounting,
  isOpen = false,
): StopState {
  return {
    destination,
    key: destinationKey,
    column: destinationIndices[destinationKey] as number,
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

/** A blocker without its sentence, which is made at the end of the decision. */
export interface FoundBlocker {
  readonly code: BlockerCode
  readonly step: number | null
  readonly granularity: Granularity
  readonly params: ReasonParams
  readonly zone: string | null
  readonly basis: NonNullable<Blocker["basis"]> | null
  readonly transit: number | null
}

/** Something that has to be obtained or checked at a step. */
export interface FoundCondition {
  readonly said: SaidCondition
  readonly step: number
}

/** Adds a blocker of a step, or of a transit; its granularity is the pair, unless another one is given. */
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

/** Adds something to obtain or check at a step. */
export function noteCondition<C extends Condition["code"]>(
  state: DecisionState,
  step: number,
  code: C,
  params: ParamsOf<C>,
  due?: ConditionDue,
): void {
  state.conditions.push({ said: sayCondition(code, params as ReasonParams, due), step })
}

/**
 * Makes the blockers with their sentences, in the order of the stops: the blocker of a last exit may belong before blockers of later stops.
 */
export function tellBlockers({ blockers }: DecisionState): readonly Blocker[] {
  if (blockers.length > 1) blockers.sort((a, b) => placeOf(a) - placeOf(b))
  return blockers.map(tellBlocker)
}

// A transit belongs to no stop and comes last.
function placeOf({ step, transit }: FoundBlocker): number {
  return step ?? MAX_STOPS + (transit ?? 0)
}

// Empty fields are left out.
function tellBlocker({ code, step, granularity, params, zone, basis, transit }: FoundBlocker): Blocker {
  const message = writeReason(code, params as never)
  const more = zone !== null ? { zone } : basis !== null ? { basis } : transit !== null ? { transit } : null
  return { code, step, message, granularity, ...more, params }
}

/** Adds a gap in a field of a step, or of the whole journey; its granularity is the pair, unless another one is given. */
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

/** Adds a finding that is a gap. The caller checks that it is one: findings have many layouts, and one check here would be slow in V8. */
export function noteUnknown(
  state: DecisionState,
  field: string,
  step: number | null,
  { reason, granularity, code, params }: Pick<Unknown, "reason" | "granularity" | "code" | "params">,
): void {
  state.unknowns.push({ field, step, reason, granularity, code, params })
}

/** The lengths of a state's lists. */
export interface ListLengths {
  readonly blockers: number
  readonly conditions: number
  readonly unknowns: number
}

/** Returns the lengths of a state's lists. */
export function measureLists({ blockers, conditions, unknowns }: DecisionState): ListLengths {
  return { blockers: blockers.length, conditions: conditions.length, unknowns: unknowns.length }
}

/** Removes the findings between two points, and keeps those added since. */
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
  // Removed one by one, because setting a list's length is slow.
  for (let count = 0; count < removed; count++) list.pop()
}
