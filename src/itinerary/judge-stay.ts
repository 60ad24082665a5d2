/**
 * Is a stay too long: for the country, and for the zone that it belongs to?
 *
 * Days in one country add up over all of its stops, a day that two of them share counting once; no rule that would reset the count is
 * recorded, so none is assumed. Where a zone's rule governs a stop, only the days in the zone's reference period are held against
 * the country's own stay: 60 days in January and 60 in October are lawful under 90 in any 180 days (Regulation (EU) 2016/399, Art.
 * 6(1)).
 *
 * A zone's rule is judged at the last day of a stop as a member (within a stop the count never falls), for stays of a fixed number
 * of days without a visa. Who is at home or moves freely is not bound by it, and such days do not count. Days of other stays in the
 * zone may count: where there are any in the period, the figure is unknown, and only what certainly counts can block; nor do they end
 * a single permission, because the traveller has not left. A country whose own stay is longer than the zone's allowance (El
 * Salvador's 180 days in CA-4's 90) contradicts it while all days are spent there: unknown too.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { block, type Draft, type ZonePresence } from "./decision.ts"
import type { ReadStop } from "./itinerary-input.ts"
import type { EntryTerms, Rulebook, ZoneFinding, ZonePlace } from "./rulebook.ts"
import { countUsedDays, type Presence } from "./stay-runs.ts"
import { addMemberDays, findLastMemberDay, isMemberOn } from "./zones.ts"

// Going on inside a zone, without a day between, is neither leaving it nor entering it.
function goesOnInside({ zonePlaces }: Rulebook, stop: ReadStop, next: ReadStop): boolean {
  const place = zonePlaces[stop.slot]
  const nextPlace = zonePlaces[next.slot]
  if (!place || nextPlace?.zone !== place.zone || next.firstDay > stop.lastDay + 1) return false
  return isMemberOn(place.memberships, stop.lastDay) && isMemberOn(nextPlace.memberships, next.firstDay)
}

/** Finds the day of departure of each stop: of leaving its zone, where the traveller goes on inside it. */
export function findDepartures({ rulebook, stops }: Draft): void {
  for (let index = stops.length - 2; index >= 0; index--) {
    const next = stops[index + 1]!
    if (goesOnInside(rulebook, stops[index]!, next)) stops[index]!.departureDay = next.departureDay
  }
}

/** Finds the day of entry of one stop: of entering its zone, where the traveller comes on from inside it. */
export function findEntryDay({ rulebook, stops }: Draft, index: number): EpochDay {
  let first = index
  while (first > 0 && goesOnInside(rulebook, stops[first - 1]!, stops[first]!)) first--
  return stops[first]!.firstDay
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

/** Judges the length of a stop, reports what is exceeded, and says what the zone's figure is. */
export function judgeStay(draft: Draft, index: number, terms: EntryTerms): ZoneFinding | null {
  const stop = draft.stops[index]!
  const place = draft.rulebook.zonePlaces[stop.slot] ?? null
  const zoneDay =
    place === null || terms.movesFreely ? null : findLastMemberDay(place.memberships, stop.firstDay, stop.lastDay)
  if (place === null || zoneDay === null) {
    judgeOwnStay(draft, index, terms, stop.daysAccumulated)
    return null
  }
  const presence = enterZone(draft, place, stop)
  if (!stop.isVisitorStay) {
    judgeOwnStay(draft, index, terms, stop.daysAccumulated)
    return place.noFixedStay
  }
  const { zone } = place
  const daysHere = () => countDaysHere(draft, index, place, presence.certain, zoneDay)
  // Counted only where it can matter: it is never more than all the days in the country.
  const isGoverned = zoneDay === stop.lastDay && stop.daysAccumulated > terms.maxDays!
  judgeOwnStay(draft, index, terms, isGoverned ? daysHere() : stop.daysAccumulated)

  const used = countUsedDays(zone.rule, presence.certain, zoneDay)
  const { allowanceDays } = zone.rule
  if (used > allowanceDays) {
    if (terms.maxDays! > allowanceDays && daysHere() === used) return place.ownStay
    const lastOn = zoneDay === stop.lastDay ? stop.to : formatCivilDate(zoneDay)
    const period = zone.rule.kind === "rolling" ? `in any ${zone.rule.windowDays}` : "from entry to exit"
    const message = `${used} days in the ${zone.name} by ${lastOn}: ${allowanceDays} are allowed ${period}.`
    draft.blockers.push({ code: "zone_stay_exceeded", step: index, message, granularity: "pair", zone: zone.id })
  }
  if (presence.possible !== presence.certain && countUsedDays(zone.rule, presence.possible, zoneDay) !== used) {
    return place.otherStays
  }
  return { granularity: "pair", status: "known", value: used, zone: zone.id, allowanceDays }
}

function judgeOwnStay(draft: Draft, index: number, { maxDays }: EntryTerms, days: number): void {
  if (maxDays === null || days <= maxDays) return
  const { destination, to } = draft.stops[index]!
  block(draft, index, "stay_exceeded", `${days} days in ${destination} by ${to}: ${maxDays} are allowed.`)
}

// Adds a stop's days to the presence in its zone. Certain and possible days are one list until they differ; what may not count is
// presence all the same, so that it does not end a permission.
function enterZone(
  draft: Draft,
  { index, memberships }: ZonePlace,
  { firstDay, lastDay, isVisitorStay }: ReadStop,
): ZonePresence {
  let presence = draft.presences[index]
  if (presence === undefined) {
    const certain = makePresence([])
    presence = { certain, possible: certain }
    draft.presences[index] = presence
  }
  if (!isVisitorStay && presence.possible === presence.certain) {
    presence.possible = makePresence([...presence.certain.counted])
    presence.certain = { counted: presence.certain.counted, unbroken: presence.possible.counted }
  }
  if (isVisitorStay) addMemberDays(presence.certain.counted as number[], memberships, firstDay, lastDay)
  if (presence.possible !== presence.certain) {
    addMemberDays(presence.possible.counted as number[], memberships, firstDay, lastDay)
  }
  return presence
}

function makePresence(runs: number[]): Presence {
  return { counted: runs, unbroken: runs }
}

// Days of the zone's reference period that were spent in this stop's country under the zone's rule.
function countDaysHere(draft: Draft, index: number, place: ZonePlace, certain: Presence, day: number): number {
  const { key } = draft.stops[index]!
  const counted: number[] = []
  for (let at = 0; at <= index; at++) {
    const stop = draft.stops[at]!
    if (stop.key === key && stop.isVisitorStay) {
      addMemberDays(counted, place.memberships, stop.firstDay, stop.lastDay)
    }
  }
  return countUsedDays(place.zone.rule, { counted, unbroken: certain.unbroken }, day)
}
