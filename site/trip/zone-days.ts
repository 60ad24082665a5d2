/**
 * How many days of a zone are used on each day, and when are they free again?
 *
 * Everything is counted by the engine's own calculators; this file only asks them for every day of a picture. The stays are those of a trip
 * which the decision counted under the zone's rule, and those before it.
 */
import {
  type Breach,
  countStayDays,
  type Decision,
  findEarliestEntry,
  findLongestStay,
  measureBreach,
  type Stay,
  type Zone,
} from "landfall"
import { dateOf, dayOf } from "../answers.ts"
import { readToday } from "../today.ts"
import { wholeDataset } from "../whole-dataset.ts"
import type { EarlierStay, Trip } from "./trip.ts"

/** A zone that a trip goes through, with the stays that count there. */
export interface ZoneStays {
  readonly zone: Zone
  readonly stays: readonly Stay[]
  /** True where stays in the zone may count too, and are not in the picture. */
  readonly hasOthers: boolean
}

/** One day of a picture. */
export interface ZoneDay {
  readonly day: number
  readonly used: number
  readonly isPresent: boolean
}

const isMember = ({ members }: Zone, destination: string) => members.some(({ code }) => code === destination)

/** Finds the zones that a decision counted days in, with the earlier stays there. */
export function listZoneStays(decision: Decision, earlierStays: readonly EarlierStay[]): readonly ZoneStays[] {
  return wholeDataset().zones.flatMap(zone => {
    const steps = decision.steps.filter(({ zoneStay }) => zoneStay?.zone === zone.id)
    // A stay without a fixed number of days may or may not count.
    const counted = steps.filter(
      ({ zoneStay }) => zoneStay?.status === "known" || (zoneStay !== null && zoneStay.code !== "zone_no_fixed_stay"),
    )
    if (counted.length === 0) return []
    const firstDay = Math.min(...counted.map(({ from }) => dayOf(from)))
    const sinceDay = zone.rule.kind === "rolling" ? firstDay - zone.rule.windowDays : firstDay
    const before = earlierStays.flatMap(({ permit, ...stay }) =>
      stay.from === "" || stay.to === "" || dayOf(stay.to) < sinceDay || !isMember(zone, stay.destination)
        ? []
        : [permit === "" ? stay : { ...stay, permit }],
    )
    const stays = [...before, ...counted.map(({ destination, from, to }) => ({ destination, from, to: to ?? from }))]
    return [{ zone, stays, hasOthers: counted.length < steps.length }]
  })
}

const DAYS_BEFORE = 7
// A stay of many years is drawn as far as its first ones.
const MOST_DAYS = 1_500

/** Counts the days of a zone with a rolling window, from a week before the first stay until all of it has left the window. */
export function countZoneDays(zone: Zone, stays: readonly Stay[], windowDays: number): readonly ZoneDay[] {
  const first = Math.min(...stays.map(stay => dayOf(stay.from))) - DAYS_BEFORE
  const last = Math.min(Math.max(...stays.map(stay => dayOf(stay.to))) + windowDays + DAYS_BEFORE, first + MOST_DAYS)
  const isPresent = (day: number) =>
    stays.some(stay => stay.permit === undefined && dayOf(stay.from) <= day && day <= dayOf(stay.to))
  const days: ZoneDay[] = []
  for (let day = first; day <= last; day++) {
    const counted = countStayDays(zone, stays, dateOf(day))
    days.push({ day, used: counted.ok ? counted.value.daysUsed : 0, isPresent: isPresent(day) })
  }
  return days
}

export interface DayReport {
  readonly used: number
  readonly periodFromOn: string
  /** The longest stay that may begin on the day, and its last day. */
  readonly longest: { readonly days: number; readonly lastOn: string | null } | null
  /** The first later day on which fewer days are used. */
  readonly frees: { readonly on: string; readonly used: number } | null
  /** The earliest entry for a stay of the whole allowance. */
  readonly wholeAgainOn: string | null
}

/** Reports on one day of a picture. */
export function reportDay({ zone, stays }: ZoneStays, days: readonly ZoneDay[], on: string): DayReport | null {
  const counted = countStayDays(zone, stays, on)
  if (!counted.ok) return null
  const day = dayOf(on)
  const later = days.find((one, at) => one.day > day && one.used < (days[at - 1]?.used ?? 0))
  const longest = findLongestStay(zone, stays, on)
  const entry = findEarliestEntry(zone, stays, { days: zone.rule.allowanceDays, notBeforeOn: on })
  return {
    used: counted.value.daysUsed,
    periodFromOn: counted.value.periodFromOn,
    longest: longest.ok ? longest.value : null,
    frees: later === undefined ? null : { on: dateOf(later.day), used: later.used },
    wholeAgainOn: entry.ok ? entry.value : null,
  }
}

/** Measures how the rule is broken; null where it cannot be measured. */
export function measure({ zone, stays }: ZoneStays): Breach | null {
  const result = measureBreach(zone, stays)
  return result.ok ? result.value : null
}

/** What is used and left of a zone's days today. */
export interface ZoneCount {
  readonly zone: Zone
  readonly used: number
  readonly periodFromOn: string
  /** Days that may be spent there from today on, without a break. */
  readonly leftDays: number
  /** The last day of the stay that goes on, or of one that begins today; null where there is none. */
  readonly leaveOn: string | null
  /** The first day from tomorrow on, on which an entry is possible for one day. */
  readonly enterOn: string | null
  /** The first day on which more days than allowed are used; null where there is none. */
  readonly breachOn: string | null
}

/** Says whether an earlier stay counts: it has a place and a first day, the last is not before it, and one without a last day has begun and goes on. */
export const isCounted = ({ destination, from, to }: EarlierStay, today = readToday()): boolean =>
  destination !== "" && from !== "" && (to === "" ? from <= today : to >= from)

/** Counts the days of a zone today, over earlier stays and the stops that have begun. */
export function countToday(zone: Zone, { earlierStays, stops }: Trip, today = readToday()): ZoneCount | null {
  if (zone.rule.kind !== "rolling") return null
  const begun = stops.filter(({ from }) => from <= today).map(stop => ({ ...stop, permit: "" as const }))
  const whole = [...earlierStays, ...begun].filter(stay => isMember(zone, stay.destination) && isCounted(stay, today))
  if (whole.length === 0) return null
  const stays: readonly Stay[] = whole.map(({ destination, from, to, permit }) => ({
    destination,
    from,
    to: to === "" ? today : to,
    ...(permit === "" ? {} : { permit }),
  }))
  const current = whole.findIndex(
    ({ from, to, permit }) => permit === "" && from <= today && (to === "" || to >= today),
  )
  const counted = countStayDays(zone, stays, today)
  if (!counted.ok) return null
  const others = stays.filter((_, at) => at !== current)
  const longest = findLongestStay(zone, others, whole[current]?.from ?? today)
  const entry = findEarliestEntry(zone, stays, { days: 1, notBeforeOn: dateOf(dayOf(today) + 1) })
  const breach = measureBreach(zone, stays)
  const leaveOn = longest.ok ? (longest.value?.lastOn ?? null) : null
  return {
    zone,
    used: counted.value.daysUsed,
    periodFromOn: counted.value.periodFromOn,
    leftDays: leaveOn === null ? 0 : Math.max(0, dayOf(leaveOn) - dayOf(today) + 1),
    leaveOn,
    enterOn: entry.ok ? entry.value : null,
    breachOn: breach.ok ? (breach.value?.firstBreachOn ?? null) : null,
  }
}
