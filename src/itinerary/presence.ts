/**
 * Where was the traveller on which days, as far as a zone or a country counts them?
 *
 * Reads the earlier stays and the stops up to one of them, as they were entered: into runs of days in a zone, and into visits to a
 * country. It counts nothing and knows no allowance.
 */
import type { EpochDay } from "../civil-date.ts"
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { Draft } from "./decision.ts"
import { type DayCounting, MAX_STOPS, type ReadStop } from "./route-input.ts"
import type { Rulebook, ZonePlace } from "./rulebook.ts"
import type { ReadEarlierStay } from "./traveller-input.ts"
import { isMemberOn } from "./zones.ts"

// Going on inside a zone, without a day between, is neither leaving it nor entering it.
function goesOnInside({ zonePlaces }: Rulebook, stop: ReadStop, next: ReadStop): boolean {
  const place = zonePlaces[stop.slot]
  const nextPlace = zonePlaces[next.slot]
  if (!place || nextPlace?.zone !== place.zone || next.firstDay > stop.lastDay + 1) return false
  return isMemberOn(place.memberships, stop.lastDay) && isMemberOn(nextPlace.memberships, next.firstDay)
}

/** Says whether a stop is reached from the one before it without leaving its zone, or its country. */
export function comesOnInside(rulebook: Rulebook, stops: readonly ReadStop[], index: number): boolean {
  const [before, stop] = [stops[index - 1]!, stops[index]!]
  return goesOnInside(rulebook, before, stop) || (before.key === stop.key && stop.firstDay <= before.lastDay + 1)
}

/**
 * Finds for each stop the day of departure (of leaving its zone, where the traveller goes on inside it), the days in its country so far, and
 * whether a later stop counts them again. Marks the stops' countries as counted, and gives their number.
 */
export function layOutStops({ rulebook, stops }: Draft): number {
  const { zonePlaces, counted } = rulebook
  const { marks } = counted
  // A country is marked with the place of its last stop, behind all marks of journeys before.
  counted.last += MARKS_OF_JOURNEY
  const mark = counted.last
  let countries = 0
  for (let index = 0; index < stops.length; index++) {
    const stop = stops[index]!
    const { slot, firstDay, lastDay } = stop
    if (slot >= UNKNOWN_SLOT) {
      stop.daysAccumulated = accumulateDays(stops, index)
      stop.isCountedLater = true
      continue
    }
    const days = lastDay - firstDay + 1
    const previous = marks[slot]! - mark
    marks[slot] = mark + index
    if (previous < 0) {
      countries++
      stop.daysAccumulated = days
    } else {
      const before = stops[previous]!
      before.isCountedLater = true
      stop.daysAccumulated = before.daysAccumulated + days - (before.lastDay === firstDay ? 1 : 0)
    }
  }
  let zones = 0
  for (let index = stops.length - 1; index >= 0; index--) {
    const stop = stops[index]!
    const place = zonePlaces[stop.slot]
    if (place == null) continue
    const next = stops[index + 1]
    if (next !== undefined && goesOnInside(rulebook, stop, next)) stop.departureDay = next.departureDay
    const zone = 1 << place.index
    if ((zones & zone) !== 0) stop.isCountedLater = true
    zones |= zone
  }
  return countries
}

/** Counts the countries of the dataset that are no stop and where the traveller changes, each once; to be asked after {@link layOutStops}. */
export function countTransit({ rulebook: { counted }, transit }: Draft): number {
  const { marks, last } = counted
  let countries = 0
  for (let place = 0; place < transit.length; place++) {
    const { slot } = transit[place]!
    if (slot >= UNKNOWN_SLOT || marks[slot]! >= last) continue
    marks[slot] = last
    countries++
  }
  return countries
}

// More than a journey has stops.
const MARKS_OF_JOURNEY = 2 * MAX_STOPS

/** Finds the stop with which the traveller came into a stop's zone, or into its country: the stop itself, or one right before it. */
export function findEntryStop({ rulebook, stops }: Draft, index: number): ReadStop {
  let first = index
  while (first > 0 && goesOnInside(rulebook, stops[first - 1]!, stops[first]!)) first--
  return stops[first]!
}

// Counts the days in a stop's country up to its end, over all stops.
function accumulateDays(stops: readonly ReadStop[], index: number): number {
  const { key, firstDay, lastDay } = stops[index]!
  const days = lastDay - firstDay + 1
  for (let earlier = index - 1; earlier >= 0; earlier--) {
    const stop = stops[earlier]!
    if (stop.key === key) return stop.daysAccumulated + days - (stop.lastDay === firstDay ? 1 : 0)
  }
  return days
}

/** Days used in a zone on one day. */
export interface ZoneDays {
  /** Those that certainly count, and with them those that may. */
  readonly certain: number
  readonly possible: number
  /** First day of the period that they count in. */
  readonly sinceDay: EpochDay
}

// Stays before the itinerary have places below 0. Subtracted, because -0 is not an integer to V8, which would compile again and again.
const firstPlace = ({ earlierStays }: Draft): number => 0 - earlierStays.length

function stayAt({ stops, earlierStays }: Draft, at: number): ReadStop | ReadEarlierStay {
  return at < 0 ? earlierStays[earlierStays.length + at]! : stops[at]!
}

// Before every day, and an integer.
const LONG_AGO: EpochDay = -10_000_000

/**
 * Counts the days that are used in a stop's zone on its last day there, `day`, in one pass over all stays up to it. A single permission
 * lasts until a whole day outside; whoever is there under a visa or permit has not left the zone.
 */
export function countZoneDays(draft: Draft, index: number, { zone }: ZonePlace, day: EpochDay): ZoneDays {
  const { rule } = zone
  const isRolling = rule.kind === "rolling"
  let sinceDay = isRolling ? day - rule.windowDays + 1 : LONG_AGO
  let [certain, certainDay] = [0, sinceDay - 1]
  let [possible, possibleDay] = [0, sinceDay - 1]
  let presentDay = LONG_AGO
  for (let at = firstPlace(draft); at <= index; at++) {
    const { slot, counting, firstDay, lastDay } = stayAt(draft, at)
    const place = draft.rulebook.zonePlaces[slot]
    if (place?.zone !== zone || counting === "none") continue
    const { memberships } = place
    for (let each = 0; each < memberships.length; each++) {
      const { fromDay, untilDay } = memberships[each]!
      const from = fromDay !== null && fromDay > firstDay ? fromDay : firstDay
      const to = untilDay !== null && untilDay <= lastDay ? untilDay - 1 : lastDay
      if (from > to) continue
      if (!isRolling && from > presentDay + 1) {
        sinceDay = from
        certain = 0
        possible = 0
        certainDay = from - 1
        possibleDay = from - 1
      }
      if (to > presentDay) presentDay = to
      if (counting === "certain" && to > certainDay) {
        certain += to - (from > certainDay ? from - 1 : certainDay)
        certainDay = to
      }
      if (counting !== "permit" && to > possibleDay) {
        possible += to - (from > possibleDay ? from - 1 : possibleDay)
        possibleDay = to
      }
    }
  }
  return { certain, possible, sinceDay }
}

/** Counts the days of a zone since `sinceDay` that were spent in a stop's country: those that certainly count, or with them those that may. */
export function countDaysHere(
  draft: Draft,
  index: number,
  { memberships }: ZonePlace,
  { sinceDay, withPossible }: { readonly sinceDay: EpochDay; readonly withPossible: boolean },
): number {
  const { key } = draft.stops[index]!
  let days = 0
  let countedDay = sinceDay - 1
  for (let at = firstPlace(draft); at <= index; at++) {
    const stay = stayAt(draft, at)
    if (stay.key !== key || !(stay.counting === "certain" || (withPossible && stay.counting === "possible"))) continue
    for (let each = 0; each < memberships.length; each++) {
      const { fromDay, untilDay } = memberships[each]!
      const from = fromDay !== null && fromDay > stay.firstDay ? fromDay : stay.firstDay
      const to = untilDay !== null && untilDay <= stay.lastDay ? untilDay - 1 : stay.lastDay
      if (from > to || to <= countedDay) continue
      days += to - (from > countedDay ? from - 1 : countedDay)
      countedDay = to
    }
  }
  return days
}

/**
 * Lists the visits to a stop's country up to it: first and last day of each. A visit goes on through stays that follow one another
 * without a day outside; the last one is the stop's.
 */
export function listVisits(draft: Draft, index: number): EpochDay[] {
  const { key } = draft.stops[index]!
  const visits: EpochDay[] = []
  let isThere = false
  for (let at = firstPlace(draft); at <= index; at++) {
    const stay = stayAt(draft, at)
    if (stay.key !== key || !isVisit(stay)) {
      isThere = false
      continue
    }
    const end = visits.length - 1
    if (isThere && stay.firstDay <= visits[end]! + 1) visits[end] = Math.max(visits[end]!, stay.lastDay)
    else {
      visits.push(stay.firstDay)
      visits.push(stay.lastDay)
    }
    isThere = true
  }
  return visits
}

/** Says whether any earlier stay was in a stop's country. */
export function wasHereBefore({ earlierStays }: Draft, { key }: ReadStop): boolean {
  for (let at = 0; at < earlierStays.length; at++) if (earlierStays[at]!.key === key) return true
  return false
}

/** Says whether days are a visitor's: not those at home, nor under a permit. Freedom of movement may name a number of days. */
export function isVisit(stay: { readonly counting: DayCounting; readonly terms?: ReadStop["terms"] }): boolean {
  return stay.counting !== "permit" && stay.terms?.isHome !== true
}
