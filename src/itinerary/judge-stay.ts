/**
 * Is a stay too long: for the country, and for the zone that it belongs to?
 *
 * Days in one country add up over all of its stops and the earlier stays that were given, by the country's stay rule, or, where none is
 * recorded, inside any 365 days (stay-counting.ts). Where a zone's rule governs a stop, only the days in the zone's reference period are
 * held against the country's own stay: 60 days in January and 60 in October are lawful under 90 in any 180 days (Regulation (EU)
 * 2016/399, Art. 6(1)). Days at home, and those under a permit of the country, are no visitor's days.
 *
 * A zone's rule is judged at the last day of a stop as a member (within a stop the count never falls), for stays of a fixed number
 * of days without a visa. Who is at home or moves freely is not bound by it, and such days do not count. Days of other stays in the
 * zone may count: where there are any in the period, the figure is unknown, and only what certainly counts can block; nor do they end
 * a single permission, because the traveller has not left. A country whose own stay is longer than the zone's allowance (El
 * Salvador's 180 days in CA-4's 90) contradicts it while all days are spent there: unknown too.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { block, type CountedStay, type Draft, noteUnknown } from "./decision.ts"
import type { Finding } from "./findings.ts"
import type { DayCounting, ReadStop } from "./route-input.ts"
import type { Rulebook, ZoneFinding, ZonePlace } from "./rulebook.ts"
import { ACCUMULATION_DAYS, type MeasuredStay, measureStay } from "./stay-counting.ts"
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

/** What was found of the length of a stop. */
export interface StayFindings {
  readonly maxStay: Finding<number | "unlimited">
  readonly countedStay: CountedStay | null
  readonly zoneStay: ZoneFinding | null
}

/** Judges the length of a stop, and reports what is exceeded and what is not known. */
export function judgeStay(draft: Draft, index: number): StayFindings {
  const stop = draft.stops[index]!
  const terms = stop.terms!
  const { maxStay } = terms
  const place = draft.rulebook.zonePlaces[stop.slot] ?? null
  const zoneDay =
    place === null || terms.movesFreely ? null : findLastMemberDay(place.memberships, stop.firstDay, stop.lastDay)
  noteUnknown(draft, "maxStay", index, maxStay)
  if (place === null || zoneDay === null) {
    return { maxStay, countedStay: judgeOwnStay(draft, index), zoneStay: null }
  }
  if (stop.counting !== "certain") {
    const countedStay = judgeOwnStay(draft, index)
    noteUnknown(draft, "zoneStay", index, place.noFixedStay)
    return { maxStay, countedStay, zoneStay: place.noFixedStay }
  }
  const presence = readPresence(draft, index, place)
  const used = countUsedDays(place.zone.rule, presence.certain, zoneDay)
  const isGoverned = zoneDay === stop.lastDay
  // Counted only where it can matter: the days here are never more than all of those in the zone.
  const usedHere =
    used > Math.min(terms.maxDays!, place.zone.rule.allowanceDays)
      ? countUsedDays(place.zone.rule, { ...presence.certain, counted: listDaysHere(draft, index, place) }, zoneDay)
      : used
  let countedStay: CountedStay | null = null
  if (!isGoverned) countedStay = judgeOwnStay(draft, index)
  else if (usedHere > terms.maxDays!) {
    const message = `${usedHere} days in ${stop.destination} by ${stop.to}: ${terms.maxDays} are allowed.`
    block(draft, index, "stay_exceeded", message)
  }
  const zoneStay = judgeZoneStay(draft, index, place, { zoneDay, used, usedHere, presence })
  noteUnknown(draft, "zoneStay", index, zoneStay)
  return { maxStay, countedStay, zoneStay }
}

interface ZoneUse {
  readonly zoneDay: EpochDay
  readonly used: number
  readonly usedHere: number
  readonly presence: ZonePresence
}

function judgeZoneStay(
  draft: Draft,
  index: number,
  place: ZonePlace,
  { zoneDay, used, usedHere, presence }: ZoneUse,
): ZoneFinding {
  const { zone } = place
  const { allowanceDays } = zone.rule
  const stop = draft.stops[index]!
  if (used > allowanceDays) {
    if (stop.terms!.maxDays! > allowanceDays && usedHere === used) return place.ownStay
    const lastOn = zoneDay === stop.lastDay ? stop.to : formatCivilDate(zoneDay)
    const period = zone.rule.kind === "rolling" ? `in any ${zone.rule.windowDays}` : "from entry to exit"
    const message = `${used} days in the ${zone.name} by ${lastOn}: ${allowanceDays} are allowed ${period}.`
    draft.blockers.push({ code: "zone_stay_exceeded", step: index, message, granularity: "pair", zone: zone.id })
  }
  const { certain, possible } = presence
  if (possible !== certain && countUsedDays(zone.rule, possible, zoneDay) !== used) return place.otherStays
  return { granularity: "pair", status: "known", value: used, zone: zone.id, allowanceDays }
}

/** Presence in one zone: the days that certainly count, and with them those that may; the same while they do not differ. */
interface ZonePresence {
  readonly certain: Presence
  readonly possible: Presence
}

// The days in a zone up to a stop. Whoever is there under a visa or permit has not left it.
function readPresence({ stops, earlierStays, rulebook }: Draft, index: number, { zone }: ZonePlace): ZonePresence {
  const counted: number[] = []
  let possible: number[] | null = null
  let unbroken: number[] | null = null
  for (let at = -earlierStays.length; at <= index; at++) {
    const stay = at < 0 ? earlierStays[earlierStays.length + at]! : stops[at]!
    const place = rulebook.zonePlaces[stay.slot]
    if (place?.zone !== zone || stay.counting === "none") continue
    const { memberships } = place
    if (stay.counting !== "certain") unbroken ??= [...counted]
    if (stay.counting === "possible") possible ??= [...counted]
    if (unbroken !== null) addMemberDays(unbroken, memberships, stay.firstDay, stay.lastDay)
    if (possible !== null && stay.counting !== "permit")
      addMemberDays(possible, memberships, stay.firstDay, stay.lastDay)
    if (stay.counting === "certain") addMemberDays(counted, memberships, stay.firstDay, stay.lastDay)
  }
  const certain = { counted, unbroken: unbroken ?? counted }
  return { certain, possible: possible === null ? certain : { counted: possible, unbroken: certain.unbroken } }
}

// The days of a zone that certainly count and were spent in a stop's country.
function listDaysHere({ stops, earlierStays }: Draft, index: number, { memberships }: ZonePlace): number[] {
  const counted: number[] = []
  for (let at = -earlierStays.length; at <= index; at++) {
    const stay = at < 0 ? earlierStays[earlierStays.length + at]! : stops[at]!
    if (stay.key !== stops[index]!.key || stay.counting !== "certain") continue
    addMemberDays(counted, memberships, stay.firstDay, stay.lastDay)
  }
  return counted
}

// Judges the stay against the country's own rule, and says what was counted where that is more than the days of the stop.
function judgeOwnStay(draft: Draft, index: number): CountedStay | null {
  const stop = draft.stops[index]!
  if (isNoVisit(stop)) return null
  const { maxDays } = stop.terms!
  const days = stop.lastDay - stop.firstDay + 1
  const isFirst = stop.daysAccumulated === days && draft.earlierStays.length === 0
  if (isFirst) {
    if (maxDays !== null && days > maxDays) exceed(draft, index, { days, allowed: maxDays, counting: "visit" })
    return null
  }
  const measured = measureStay(null, collectVisits(draft, index), maxDays)
  if (measured === null) return null
  if (measured.days > measured.allowed) exceed(draft, index, measured)
  return {
    granularity: "pair",
    status: "known",
    value: measured.days,
    allowanceDays: measured.allowed,
    counting: measured.counting,
  }
}

function exceed(draft: Draft, index: number, { days, allowed, counting }: MeasuredStay): void {
  const { destination, to, terms } = draft.stops[index]!
  const counted = `${days} days in ${destination} by ${to}`
  if (terms!.isTableStay) {
    const message = `${counted}: the table that names ${allowed} says nothing of the visa that is issued. Check the stay that it permits.`
    draft.conditions.push({ code: "check_permitted_stay", step: index, message, granularity: "pair" })
  } else if (counting === "accumulated") {
    const message = `${counted}, over all visits inside ${ACCUMULATION_DAYS} days: ${allowed} are allowed, and no rule is recorded that counts anew.`
    draft.blockers.push({ code: "stay_exceeded", step: index, message, granularity: "pair", basis: "accumulated" })
  } else block(draft, index, "stay_exceeded", `${counted}: ${allowed} are allowed${SPANS[counting]}.`)
}

const SPANS: Readonly<Record<MeasuredStay["counting"], string>> = {
  visit: "",
  per_entry: " from entry to exit",
  rolling: " in the window of its rule",
  calendar_year: " in a calendar year",
  per_year_of_entry: " in the year that begins with the first entry",
  accumulated: "",
}

// The visits to a stop's country up to it. A visit goes on through stays that follow one another without a day outside; the last one is
// the stop's.
function collectVisits({ stops, earlierStays }: Draft, index: number): EpochDay[] {
  const { key } = stops[index]!
  const visits: EpochDay[] = []
  let isThere = false
  for (let at = -earlierStays.length; at <= index; at++) {
    const stay = at < 0 ? earlierStays[earlierStays.length + at]! : stops[at]!
    if (stay.key !== key || isNoVisit(stay)) {
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

// Days at home, and those under a permit, are no visitor's; freedom of movement may name a number of days.
function isNoVisit(stay: { readonly counting: DayCounting; readonly terms?: ReadStop["terms"] }): boolean {
  return stay.counting === "permit" || stay.terms?.isHome === true
}
