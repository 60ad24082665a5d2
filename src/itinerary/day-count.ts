/**
 * How many days of some stays count in a period?
 *
 * The one count of days: decisions and calculators add spans of days in the order of their first days, and read how many count. A day that
 * two stays share counts once. It knows no allowance.
 */
import type { EpochDay } from "../civil-date.ts"
import { findWindowStart, type ZoneRule } from "./zones.ts"

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
