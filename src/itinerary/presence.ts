/**
 * Where was the traveller on which days, as far as a zone or a country counts them?
 *
 * Reads the earlier stays and the stops up to one of them, as they were entered: into runs of days in a zone, and into visits to a
 * country. It counts nothing and knows no allowance.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Draft } from "./decision.ts"
import type { DayCounting, ReadStop } from "./route-input.ts"
import type { Rulebook, ZonePlace } from "./rulebook.ts"
import type { Presence } from "./stay-runs.ts"
import type { ReadEarlierStay } from "./traveller-input.ts"
import { addMemberDays, isMemberOn } from "./zones.ts"

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

/** Finds the day of departure of each stop: of leaving its zone, where the traveller goes on inside it. */
export function findDepartures({ rulebook, stops }: Draft): void {
  for (let index = stops.length - 2; index >= 0; index--) {
    const next = stops[index + 1]!
    if (goesOnInside(rulebook, stops[index]!, next)) stops[index]!.departureDay = next.departureDay
  }
}

/** Finds the stop with which the traveller came into a stop's zone, or into its country: the stop itself, or one right before it. */
export function findEntryStop({ rulebook, stops }: Draft, index: number): ReadStop {
  let first = index
  while (first > 0 && goesOnInside(rulebook, stops[first - 1]!, stops[first]!)) first--
  return stops[first]!
}

/** Counts the days in a stop's country up to its end, over all stops. */
export function accumulateDays(stops: readonly ReadStop[], index: number): number {
  const { key, firstDay, lastDay } = stops[index]!
  const days = lastDay - firstDay + 1
  for (let earlier = index - 1; earlier >= 0; earlier--) {
    const stop = stops[earlier]!
    if (stop.key === key) return stop.daysAccumulated + days - (stop.lastDay === firstDay ? 1 : 0)
  }
  return days
}

/** Presence in one zone: the days that certainly count, and with them those that may; the same while they do not differ. */
export interface ZonePresence {
  readonly certain: Presence
  readonly possible: Presence
}

/** Room for the days of one presence, so that a decision makes no lists of its own for every stop. */
export interface Runs {
  readonly counted: number[]
  readonly possible: number[]
  readonly unbroken: number[]
}

/** Makes room for the days of one presence. */
export function makeRuns(): Runs {
  return { counted: [], possible: [], unbroken: [] }
}

// Stays before the itinerary have places below 0. Subtracted, because -0 is no integer to V8, which would compile again and again.
const firstPlace = ({ earlierStays }: Draft): number => 0 - earlierStays.length

function stayAt({ stops, earlierStays }: Draft, at: number): ReadStop | ReadEarlierStay {
  return at < 0 ? earlierStays[earlierStays.length + at]! : stops[at]!
}

/**
 * Reads the days in a zone up to a stop. Whoever is there under a visa or permit has not left it. The lists are the draft's own, and hold
 * until the next presence is read.
 */
export function readPresence(draft: Draft, index: number, { zone }: ZonePlace): ZonePresence {
  const { counted, possible: possibly, unbroken: present } = draft.runs
  counted.length = 0
  let possible: number[] | null = null
  let unbroken: number[] | null = null
  for (let at = firstPlace(draft); at <= index; at++) {
    const stay = stayAt(draft, at)
    const place = draft.rulebook.zonePlaces[stay.slot]
    if (place?.zone !== zone || stay.counting === "none") continue
    const { memberships } = place
    const { counting, firstDay, lastDay } = stay
    if (counting !== "certain") unbroken ??= copyRuns(counted, present)
    if (counting === "possible") possible ??= copyRuns(counted, possibly)
    if (unbroken !== null) addMemberDays(unbroken, memberships, firstDay, lastDay)
    if (possible !== null && counting !== "permit") addMemberDays(possible, memberships, firstDay, lastDay)
    if (counting === "certain") addMemberDays(counted, memberships, firstDay, lastDay)
  }
  const certain = { counted, unbroken: unbroken ?? counted }
  return { certain, possible: possible === null ? certain : { counted: possible, unbroken: certain.unbroken } }
}

function copyRuns(runs: readonly number[], copy: number[]): number[] {
  copy.length = 0
  for (let at = 0; at < runs.length; at++) copy.push(runs[at]!)
  return copy
}

/** Lists the days of a zone that were spent in a stop's country: those that certainly count, or with them those that may. */
export function listDaysHere(draft: Draft, index: number, { memberships }: ZonePlace, withPossible: boolean): number[] {
  const { key } = draft.stops[index]!
  const counted: number[] = []
  for (let at = firstPlace(draft); at <= index; at++) {
    const stay = stayAt(draft, at)
    if (stay.key !== key || !(stay.counting === "certain" || (withPossible && stay.counting === "possible"))) continue
    addMemberDays(counted, memberships, stay.firstDay, stay.lastDay)
  }
  return counted
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
    else visits.push(stay.firstDay, stay.lastDay)
    isThere = true
  }
  return visits
}

/** Says whether days are a visitor's: not those at home, nor under a permit. Freedom of movement may name a number of days. */
export function isVisit(stay: { readonly counting: DayCounting; readonly terms?: ReadStop["terms"] }): boolean {
  return stay.counting !== "permit" && stay.terms?.isHome !== true
}
