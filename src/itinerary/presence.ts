/**
 * Where was the traveller on which days, as a zone or a country counts them?
 *
 * This file links the earlier stays and the stops of one country and of one zone, and counts their days with the chosen
 * entries. It knows no allowance.
 */
import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import { addDays, addSpans, type DayCount, type DaySpan, LONG_AGO, startCount, startCountSince } from "./day-count.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { MAX_EARLIER_STAYS, MAX_STOPS } from "./request-fields.ts"
import type { Rules, ZonePlace } from "./rules.ts"
import { firstMemberDay, isMemberOn, lastMemberDay } from "./zones.ts"

// Continuing inside a zone, without a day between, is neither leaving nor entering it.
function goesOnInside(stop: StopState, next: StopState): boolean {
  const place = stop.zonePlace
  const nextPlace = next.zonePlace
  if (place === null || nextPlace?.zone !== place.zone || next.firstDay > stop.lastDay + 1) return false
  return isMemberOn(place.memberships, stop.lastDay) && isMemberOn(nextPlace.memberships, next.firstDay)
}

/** Says whether a stop is reached from the one before it without leaving its zone, or its country. */
export function comesOnInside(stops: readonly StopState[], index: number): boolean {
  const before = stops[index - 1]!
  const stop = stops[index]!
  return goesOnInside(before, stop) || (before.firstHere === stop.firstHere && stop.firstDay <= before.lastDay + 1)
}

// An open border has no checks: San Marino and the Vatican lie inside Italy.
function crossesOpenBorder({ openTo }: Rules, before: StopState, stop: StopState): boolean {
  return (
    before.column < UNKNOWN_INDEX &&
    stop.column < UNKNOWN_INDEX &&
    stop.firstDay <= before.lastDay + 1 &&
    openTo[before.column]?.includes(stop.column) === true
  )
}

/** Says whether a stop is reached from the one before it without a border check. */
export function comesUnchecked({ rules, stops }: DecisionState, index: number): boolean {
  return comesOnInside(stops, index) || crossesOpenBorder(rules, stops[index - 1]!, stops[index]!)
}

/**
 * Finds for each stop the day of departure (from its zone, if the traveller continues inside it) and the days in its
 * country so far, and links the stays in one country, including its territories, and those in one zone. Returns the
 * number of the stops' destinations in the dataset.
 */
export function layOutStops(state: DecisionState): number {
  const { rules, stops, earlierStays } = state
  // Greater than all marks of earlier journeys.
  rules.counted.last += MARKS_OF_JOURNEY
  for (let at = 0; at < earlierStays.length; at++) linkStay(state, earlierStays[at]!, at)
  let countries = 0
  for (let index = 0; index < stops.length; index++) {
    const stop = stops[index]!
    const { firstDay, lastDay } = stop
    const before = linkStay(state, stop, earlierStays.length + index)
    const isFirstStop = before === null || before.order < earlierStays.length
    countries += countOnce(rules, stop.column)
    const days = lastDay - firstDay + 1
    stop.daysAccumulated = isFirstStop ? days : before.daysAccumulated + days - (before.lastDay === firstDay ? 1 : 0)
  }
  for (let index = stops.length - 2; index >= 0; index--) {
    const stop = stops[index]!
    const next = stops[index + 1]!
    if (goesOn(rules, stop, next)) stop.departureDay = next.departureDay
  }
  return countries
}

// Returns one for a destination of the dataset that was not counted yet.
function countOnce({ counted: { countedIn, last } }: Rules, column: number): number {
  if (column >= UNKNOWN_INDEX || countedIn[column] === last) return 0
  countedIn[column] = last
  return 1
}

// Links a stay with the one before it in its country, and in its zone. Returns the former. Countries and zones are
// marked with their last stay.
function linkStay(state: DecisionState, stay: StopState, order: number): StopState | null {
  const { counted, zonePlaces, countries } = state.rules
  const { marks, zoneMarks, last: mark } = counted
  const { column } = stay
  stay.order = order
  stay.nextHere = null
  stay.nextInZone = null
  const isKnown = column < UNKNOWN_INDEX
  const before = isKnown ? stayOf(state, marks[countries[column]!]! - mark) : findBefore(state, stay, order)
  if (isKnown) marks[countries[column]!] = mark + order
  stay.firstHere = before === null ? stay : before.firstHere
  if (before !== null) before.nextHere = stay
  const place = isKnown ? zonePlaces[column]! : null
  stay.zonePlace = place
  if (place !== null) {
    const beforeInZone = stayOf(state, zoneMarks[place.index]! - mark)
    zoneMarks[place.index] = mark + order
    stay.firstInZone = beforeInZone === null ? stay : beforeInZone.firstInZone
    if (beforeInZone !== null) beforeInZone.nextInZone = stay
  }
  return before
}

/** Returns the first stay in the country of a destination of the dataset, or null. Call it after {@link layOutStops}. */
export function findFirstHere(state: DecisionState, slot: number): StopState | null {
  const { counted, countries } = state.rules
  return stayOf(state, counted.marks[countries[slot]!]! - counted.last)?.firstHere ?? null
}

/** Returns the first stay in the zone of one of its members, or null. Call it after {@link layOutStops}. */
export function findFirstInZone(state: DecisionState, slot: number): StopState | null {
  const { counted, zonePlaces } = state.rules
  return stayOf(state, counted.zoneMarks[zonePlaces[slot]!.index]! - counted.last)?.firstInZone ?? null
}

/** Returns the stay with an index among all, the earlier ones first; null below the first. */
export function stayOf({ stops, earlierStays }: DecisionState, order: number): StopState | null {
  if (order < 0) return null
  return order < earlierStays.length ? earlierStays[order]! : stops[order - earlierStays.length]!
}

// Returns the stay before one in a country that the dataset does not have.
function findBefore(state: DecisionState, { key }: StopState, order: number): StopState | null {
  for (let at = order - 1; at >= 0; at--) {
    const stay = stayOf(state, at)!
    if (stay.key === key) return stay
  }
  return null
}

/** Counts the transit countries that are destinations of the dataset and not stops, each once. Call it after {@link layOutStops}. */
export function countTransit({ rules, transit }: DecisionState): number {
  let countries = 0
  for (let place = 0; place < transit.length; place++) countries += countOnce(rules, transit[place]!)
  return countries
}

// The most stays of a journey.
const MARKS_OF_JOURNEY = MAX_STOPS + MAX_EARLIER_STAYS

/** Finds the stop with which the traveller entered a stop's zone, or its country: the stop itself, or one directly before it. */
export function findEntryStop({ rules, stops }: DecisionState, index: number): StopState {
  let first = index
  while (first > 0 && goesOn(rules, stops[first - 1]!, stops[first]!)) first--
  return stops[first]!
}

function goesOn(rules: Rules, before: StopState, stop: StopState): boolean {
  return goesOnInside(before, stop) || crossesOpenBorder(rules, before, stop)
}

/** Counts the days that are used in a zone on a day, in one pass over all stays up to one: in a stop's zone, on its last day there. */
export function countZoneDays(
  stop: Pick<StopState, "firstInZone" | "order">,
  { zone: { rule } }: ZonePlace,
  day: EpochDay,
): DayCount {
  const count = startCount(rule, day)
  let lastFrom = LONG_AGO
  for (let stay = stop.firstInZone; stay !== null && stay.order <= stop.order; stay = stay.nextInZone) {
    const { counting, firstDay, lastDay } = stay
    if (counting === "none" || lastDay < count.sinceDay) continue
    const { memberships } = stay.zonePlace!
    for (let each = 0; each < memberships.length; each++) {
      const membership = memberships[each]!
      const from = firstMemberDay(membership, firstDay)
      const to = lastMemberDay(membership, lastDay < day ? lastDay : day)
      if (from > to) continue
      // If a country joined during a stay, its days begin after those of stays that overlap it.
      if (from < lastFrom)
        return addSpans(startCount(rule, day), listMemberSpans(stop.firstInZone, stop.order, "nextInZone"), day)
      lastFrom = from
      addDays(count, from, to, counting)
    }
  }
  return count
}

/** Counts the days of a zone since `sinceDay` that were spent in a stop's country: those that certainly count, and with them those that may. */
export function countDaysHere(stop: StopState, sinceDay: EpochDay): DayCount {
  return addSpans(startCountSince(sinceDay), listMemberSpans(stop.firstHere, stop.order, "nextHere"), stop.lastDay)
}

// Lists the days in their zone of linked stays, in order. If a country joined the zone during a stay, its days begin later than the stay.
function listMemberSpans(first: StopState | null, order: number, link: "nextHere" | "nextInZone"): DaySpan[] {
  const spans: DaySpan[] = []
  for (let stay = first; stay !== null && stay.order <= order; stay = stay[link]) {
    const { counting, firstDay, lastDay, zonePlace } = stay
    if (counting === "none") continue
    for (const membership of zonePlace?.memberships ?? []) {
      const from = firstMemberDay(membership, firstDay)
      const to = lastMemberDay(membership, lastDay)
      if (from <= to) spans.push({ from, to, counting })
    }
  }
  return spans.sort((a, b) => a.from - b.from)
}

/**
 * Lists the visits to a stop's country up to it: first and last day of each. A visit continues through consecutive
 * stays without a day outside; the last one is the stop's.
 */
export function listVisits(stop: StopState): EpochDay[] {
  const visits: EpochDay[] = []
  let following = -1
  for (let stay = stop.firstHere; stay !== null && stay.order <= stop.order; stay = stay.nextHere) {
    if (!isVisit(stay)) continue
    const end = visits.length - 1
    if (stay.order === following && stay.firstDay <= visits[end]! + 1) {
      visits[end] = Math.max(visits[end]!, stay.lastDay)
    } else {
      visits.push(stay.firstDay)
      visits.push(stay.lastDay)
    }
    following = stay.order + 1
  }
  return visits
}

/**
 * Lists the first days of those visits to a stop's country, up to it, that return directly from neighbours: all days
 * between one visit and the next are spent in neighbours. None for residents or nationals of a neighbour.
 */
export function listReturns(state: DecisionState, stop: StopState, neighbours: readonly string[]): readonly EpochDay[] {
  if (livesIn(state, neighbours)) return NOTHING
  const returns: EpochDay[] = []
  let before = stop.firstHere!
  for (let stay = before.nextHere; stay !== null && stay.order <= stop.order; stay = stay.nextHere) {
    if (isVisit(before) && before.terms?.held?.isOwn !== true && goesAround(state, before, stay, neighbours)) {
      returns.push(stay.firstDay)
    }
    before = stay
  }
  return returns
}

/**
 * Says whether all days between one stay and another, of a different visit, are spent in neighbours. A day about which
 * nothing is said counts as spent elsewhere.
 */
export function goesAround(
  state: DecisionState,
  before: StopState,
  stay: StopState,
  neighbours: readonly string[],
): boolean {
  let coveredDay = before.lastDay
  for (let order = before.order + 1; order < stay.order; order++) {
    const { destination, firstDay, lastDay } = stayOf(state, order)!
    if (!neighbours.includes(destination) || firstDay > coveredDay + 1) return false
    if (lastDay > coveredDay) coveredDay = lastDay
  }
  return stay.order > before.order + 1 && stay.firstDay <= coveredDay + 1
}

function livesIn({ read: { residence }, passports, documents }: DecisionState, neighbours: readonly string[]): boolean {
  return (
    (residence !== null && neighbours.includes(residence)) ||
    passports.some(({ nationality }) => nationality !== null && neighbours.includes(nationality)) ||
    documents.some(({ read: { kind, issuer } }) => kind === "residence_permit" && neighbours.includes(issuer))
  )
}

/** Says whether days are a visitor's, which days at home and under a permit are not. Freedom of movement may have a number of days. */
export function isVisit({ counting, terms }: StopState): boolean {
  return counting !== "permit" && (terms === null || !terms.isHome)
}
