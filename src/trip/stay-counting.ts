/**
 * How many days of some stays count in a period, and which of them are in a zone?
 *
 * The one count of days: decisions and calculators add spans of days in the order of their first days, and read how many count. A day that
 * two stays share counts once. The count itself knows no allowance.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Zone, ZoneMember, ZoneRule } from "../dataset/open.ts"

/**
 * Whether days count for the limits of visitors. `none`: at home and under freedom of movement. `certain`: a fixed number of days without a
 * visa. `possible`: it depends on the visa. `permit`: the traveller is there under a permit of the country.
 */
export type DayCounting = "none" | "certain" | "possible" | "permit"

/** Days of a period, as counted so far. */
export interface DayCount {
  readonly isRolling: boolean
  /** Those that certainly count, and those together with the ones that may. */
  certain: number
  possible: number
  /** First day of the period. */
  sinceDay: EpochDay
  /** The last days that are counted already. */
  certainDay: EpochDay
  possibleDay: EpochDay
  presentDay: EpochDay
}

/** Days in a zone that count in one way. */
export interface DaySpan {
  readonly from: EpochDay
  readonly to: EpochDay
  readonly counting: DayCounting
}

/** Before every day, and an integer. */
export const LONG_AGO: EpochDay = -10_000_000

/**
 * Starts to count the days of the period of a day. Rolling: the window ends on the day itself, so 180 days look back 179. A single
 * permission lasts until a whole day outside; a traveller under a visa or permit has not left the zone.
 */
export function startCount(rule: ZoneRule, day: EpochDay): DayCount {
  const isRolling = rule.kind === "rolling"
  return startCountSince(isRolling ? findWindowStart(rule.windowDays, day) : LONG_AGO, isRolling)
}

/** Starts to count all days since one. */
export function startCountSince(sinceDay: EpochDay, isRolling = true): DayCount {
  const before = sinceDay - 1
  return { isRolling, certain: 0, possible: 0, sinceDay, certainDay: before, possibleDay: before, presentDay: LONG_AGO }
}

/** Adds the days from one to another, if there are any. They may not begin before those that were added. */
export function addDays(count: DayCount, from: EpochDay, to: EpochDay, counting: DayCounting): void {
  if (!count.isRolling && from > count.presentDay + 1) {
    count.sinceDay = from
    count.certain = 0
    count.possible = 0
  }
  if (to > count.presentDay) count.presentDay = to
  const { certainDay, possibleDay } = count
  if (counting === "certain" && to > certainDay) {
    count.certain += to - (from > certainDay ? from - 1 : certainDay)
    count.certainDay = to
  }
  if (counting !== "permit" && to > possibleDay) {
    count.possible += to - (from > possibleDay ? from - 1 : possibleDay)
    count.possibleDay = to
  }
}

/** Adds spans, in the order of their first days, up to a day. */
export function addSpans(count: DayCount, spans: readonly DaySpan[], untilDay: EpochDay): DayCount {
  for (const { from, to, counting } of spans) {
    if (from > untilDay) break
    addDays(count, from, to < untilDay ? to : untilDay, counting)
  }
  return count
}

// ---- Zones

// Which destinations share one stay allowance, since when, and under which kind of rule?
//
// A zone is data: its rule and its members, each with the days of its membership. There are two kinds of rules. `rolling` allows a number
// of days in any window of days, over all members together (Schengen: Regulation (EU) 2016/399, Art. 6(1)). `single-permission` allows a
// number of days from entry until the traveller leaves the zone (CA-4). Another zone of either kind is a file, not code.
//
// This file does not know passports. A zone's rule does not bind travellers who move freely in the zone (a Union citizen in Schengen): the
// caller checks that first, and uses these functions only for passports with a fixed number of visa-free days.

/** 2013-10-18, the first day on which days count in any 180: Regulation (EU) No 610/2013, Art. 2. */
export const ROLLING_SINCE_DAY = 15_996

/** The parts of a zone that the calculators use. */
export type ZoneTerms = Pick<Zone, "rule" | "members">

/**
 * Finds a destination's memberships in a zone, in order; the list is empty if it was never a member.
 *
 * Cannot fail. Walks the members: code that decides in bulk should look them up once for each destination and keep them.
 *
 * @example
 * ```ts
 * const zone = { rule: { kind: "single-permission", allowanceDays: 90 }, members: [{ code: "GTM", fromDay: null, untilDay: null }] }
 * findMemberships(zone, "GTM").length // => 1
 * findMemberships(zone, "MEX") // => []
 * ```
 */
export function findMemberships(zone: ZoneTerms, destination: string): readonly ZoneMember[] {
  return zone.members
    .filter(member => member.code === destination)
    .sort((a, b) => (a.fromDay ?? Number.NEGATIVE_INFINITY) - (b.fromDay ?? Number.NEGATIVE_INFINITY))
}

/** Returns the first day from `first` on that a membership covers. It may be after the last one ({@link lastMemberDay}). */
export function firstMemberDay({ fromDay }: ZoneMember, first: EpochDay): EpochDay {
  return fromDay !== null && fromDay > first ? fromDay : first
}

/** Returns the last day up to `last` that a membership covers; `untilDay` is the first day after it. */
export function lastMemberDay({ untilDay }: ZoneMember, last: EpochDay): EpochDay {
  return untilDay !== null && untilDay <= last ? untilDay - 1 : last
}

/** Returns the first day of the window of a number of days that ends on a day, both ends included. */
export function findWindowStart(windowDays: number, day: EpochDay): EpochDay {
  return day - windowDays + 1
}

/** Says whether a destination is a member on a day, given its memberships. */
export function isMemberOn(memberships: readonly ZoneMember[], day: EpochDay): boolean {
  return findLastMemberDay(memberships, day, day) !== null
}

/** Finds the last day of a stop, `first` to `last` included, on which its destination was a member, or null. */
export function findLastMemberDay(
  memberships: readonly ZoneMember[],
  first: EpochDay,
  last: EpochDay,
): EpochDay | null {
  for (let i = memberships.length - 1; i >= 0; i--) {
    const to = lastMemberDay(memberships[i]!, last)
    if (firstMemberDay(memberships[i]!, first) <= to) return to
  }
  return null
}
