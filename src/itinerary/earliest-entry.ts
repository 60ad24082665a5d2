/**
 * What is the earliest day on which a stay of some days may begin?
 *
 * This asks `permitsStay` for every day in turn, but keeps what does not change from one day to the next: days are
 * counted once into prefix sums, and sliding windows hold how many more days each later day allows. So the cost grows
 * with the number of days in question, and not also with the number of stays.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import type { DayRuns, Presence } from "./stay-runs.ts"
import type { ZoneRule } from "./zones.ts"

/**
 * Finds the first day, not before `notBefore`, on which a stay of `days` days may be added: without a day in breach, and without causing a
 * breach on any later day. Null if the stay would not end by 2199-12-31, or is longer than the allowance.
 *
 * Cannot fail. Linear in the days from `notBefore` to the end of the last reference period.
 */
export function findEarliestDay(
  rule: ZoneRule,
  presence: Presence,
  days: number,
  notBefore: EpochDay,
): EpochDay | null {
  if (days > rule.allowanceDays) return null
  const ends = Math.max(presence.counted.at(-1) ?? notBefore, presence.unbroken.at(-1) ?? notBefore)
  const reach = rule.kind === "rolling" ? rule.windowDays : 2
  const last = Math.min(LAST_DAY - days + 1, Math.max(notBefore, ends + reach))
  if (last < notBefore) return null
  // A single permission may have begun at any time before.
  const first =
    rule.kind === "rolling" ? notBefore - rule.windowDays : Math.min(notBefore, presence.unbroken[0] ?? notBefore)
  const counted = countDays(presence.counted, first - 1, Math.max(last + days, ends) + 1)
  const permits =
    rule.kind === "rolling"
      ? slideWindow(rule.allowanceDays, rule.windowDays, days, counted, notBefore)
      : followPermissions(rule.allowanceDays, presence.unbroken, days, counted)
  for (let day = notBefore; day <= last; day++) if (permits(day)) return day
  return null
}

/** Counts of days, as prefix sums. */
interface DayCount {
  /** The number of counted days up to and including a day. */
  readonly upTo: (day: EpochDay) => number
  readonly isCounted: (day: EpochDay) => boolean
  /** The day on which the count reaches a number, or null. */
  readonly dayOf: (count: number) => EpochDay | null
}

function countDays(runs: DayRuns, from: EpochDay, to: EpochDay): DayCount {
  const sums = new Int32Array(to - from + 1)
  const listed: EpochDay[] = []
  for (let at = 0; at < runs.length; at += 2) {
    for (let day = Math.max(runs[at]!, from + 1); day <= Math.min(runs[at + 1]!, to); day++) {
      sums[day - from] = 1
      listed.push(day)
    }
  }
  for (let at = 1; at < sums.length; at++) sums[at] = sums[at]! + sums[at - 1]!
  const upTo = (day: EpochDay) => (day <= from ? 0 : sums[Math.min(day, to) - from]!)
  return {
    upTo,
    isCounted: day => upTo(day) > upTo(day - 1),
    dayOf: count => listed[count - 1] ?? null,
  }
}

// A day after the stay sees the whole stay while its window reaches back before the entry, and one day less on each later day. So the later
// days fall into two windows: in the first, each must allow all days that the stay adds; in the second, those from d - W on.
function slideWindow(
  allowance: number,
  window: number,
  days: number,
  { upTo, isCounted }: DayCount,
  start: EpochDay,
): (entry: EpochDay) => boolean {
  const added = (day: EpochDay) => day - upTo(day)
  // How many more days a day allows. A day that is already in breach, or outside, allows any number.
  const bearing = (day: EpochDay) => {
    const left = allowance - (upTo(day) - upTo(day - window))
    return isCounted(day) && left >= 0 ? left : Number.POSITIVE_INFINITY
  }
  const whole = slideMinimum(bearing)
  const part = slideMinimum(day => bearing(day) + added(day - window))
  let next = start
  return entry => {
    const last = entry + days - 1
    for (; next <= entry; next++) {
      whole.extend(next === start ? start + days : next + window - 1, next + window - 1)
      part.extend(next === start ? start + window : next + days - 1 + window - 1, next + days - 1 + window - 1)
    }
    if (days + upTo(entry - 1) - upTo(last - window) > allowance) return false
    if (added(last) - added(entry - 1) > whole.from(last + 1)) return false
    return added(last) <= part.from(entry + window)
  }
}

/** The least value between two days; both ends only move forward. */
interface SlidingMinimum {
  readonly extend: (first: EpochDay, last: EpochDay) => void
  readonly from: (day: EpochDay) => number
}

function slideMinimum(valueAt: (day: EpochDay) => number): SlidingMinimum {
  const days: EpochDay[] = []
  const values: number[] = []
  let head = 0
  return {
    extend: (first, last) => {
      for (let day = first; day <= last; day++) {
        const value = valueAt(day)
        while (values.length > head && values[values.length - 1]! >= value) {
          values.pop()
          days.pop()
        }
        values.push(value)
        days.push(day)
      }
    },
    from: day => {
      while (head < days.length && days[head]! < day) head++
      return values[head] ?? Number.POSITIVE_INFINITY
    },
  }
}

// Within a permission the count never falls, so the first later day over the allowance shows whether the stay caused it.
function followPermissions(
  allowance: number,
  unbroken: DayRuns,
  days: number,
  { upTo, dayOf }: DayCount,
): (entry: EpochDay) => boolean {
  let before = 0
  let after = 0
  return entry => {
    const last = entry + days - 1
    while (before < unbroken.length && unbroken[before + 1]! < entry - 1) before += 2
    while (after < unbroken.length && unbroken[after + 1]! < last + 1) after += 2
    const begins = before < unbroken.length && unbroken[before]! <= entry ? unbroken[before]! : entry
    const used = days + upTo(entry - 1) - upTo(begins - 1)
    if (used > allowance) return false
    if (after >= unbroken.length || unbroken[after]! > last + 1) return true
    const over = dayOf(upTo(last) + allowance - used + 1)
    return over === null || over > unbroken[after + 1]! || upTo(over) - upTo(unbroken[after]! - 1) > allowance
  }
}
