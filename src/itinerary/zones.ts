/**
 * Which destinations share one stay allowance, since when, and under which kind of rule?
 *
 * A zone is data: its rule and its members, each with the days of its membership. Rules come in kinds. `rolling` allows
 * a number of days in any window of days, over all members together (Schengen: Regulation (EU) 2016/399, Art. 6(1));
 * `single-permission` allows a number of days from entry until the traveller leaves the zone (CA-4). A further zone of
 * either kind is a file, not code.
 *
 * Nothing here knows a passport. A holder who moves freely in the zone (a Union citizen in Schengen) is bound by no
 * zone rule: the caller checks that first, and asks only for passports whose stay is a fixed visa-free number.
 */
import type { EpochDay } from "../civil-date.ts"
import type { ZoneMember } from "../dataset/travel-rule-rows.ts"
import type { Zone } from "../dataset/travel-rules.ts"

export type { ZoneMember } from "../dataset/travel-rule-rows.ts"
export type { Zone, ZoneRule } from "../dataset/travel-rules.ts"

/** 2013-10-18, since when days count in any 180: Regulation (EU) No 610/2013, Art. 2. */
export const ROLLING_SINCE_DAY = 15_996

/** What the calculators need to know of a zone. */
export type ZoneTerms = Pick<Zone, "rule" | "members">

/**
 * Finds a destination's times in a zone, in order; empty when it never belonged to it.
 *
 * Cannot fail. Walks the members: look them up once per destination and keep them, where decisions are made by the
 * thousand.
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

/** The first of the days from `first` on that a membership covers; it may lie behind the last one ({@link lastMemberDay}). */
export function firstMemberDay({ fromDay }: ZoneMember, first: EpochDay): EpochDay {
  return fromDay !== null && fromDay > first ? fromDay : first
}

/** The last of the days up to `last` that a membership covers: `untilDay` is the first one behind it. */
export function lastMemberDay({ untilDay }: ZoneMember, last: EpochDay): EpochDay {
  return untilDay !== null && untilDay <= last ? untilDay - 1 : last
}

/** The first day of the window of so many days that ends on a day, both ends included. */
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
