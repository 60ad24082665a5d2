/**
 * May a stay be added to others, and what is the earliest day on which it may begin?
 *
 * A stay may be added if it has no day in breach, and causes no breach on a later day. Of each later run of days, one day is enough to check:
 * the last one that keeps the allowance without the stay. The count never falls within a run, so if that day still keeps the allowance, so
 * do the days before it; and the days after it are in breach anyway.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import { addSpans, LONG_AGO, startCountSince } from "./day-count.ts"
import { countUsedByStay, countUsedDays, findKeptDay, listRuns, type Presence } from "./zone-days.ts"
import type { ZoneRule } from "./zones.ts"

/** The last day of a run that keeps the allowance, with what no added stay changes. */
interface KeptDay {
  readonly day: EpochDay
  readonly sinceDay: EpochDay
  /** The number of days that count before its reference period, and up to it. */
  readonly before: number
  readonly upTo: number
}

/**
 * Returns a function that says by how many days a stay exceeds the allowance: on its last day, or on a later day that keeps it without the
 * stay. Zero if the stay may be added.
 */
export function judgeAddedStays(rule: ZoneRule, presence: Presence): (first: EpochDay, last: EpochDay) => number {
  const { allowanceDays } = rule
  const countUpTo = (day: EpochDay) => addSpans(startCountSince(LONG_AGO), presence, day).certain
  const keptDays: KeptDay[] = []
  for (const run of listRuns(presence)) {
    const day = findKeptDay(rule, presence, run, allowanceDays)
    if (day < run.first) continue
    const { sinceDay } = countUsedDays(rule, presence, day)
    keptDays.push({ day, sinceDay, before: countUpTo(sinceDay - 1), upTo: countUpTo(day) })
  }
  return (first, last) => {
    const usedByStay = countUsedByStay(rule, presence, first, last).certain
    if (usedByStay > allowanceDays) return usedByStay - allowanceDays
    const before = countUpTo(first - 1)
    const upTo = countUpTo(last)
    for (const kept of keptDays) {
      // The stay is not in the reference period of other days.
      if (kept.day <= last || kept.sinceDay > last + 1) continue
      const used =
        rule.kind === "rolling"
          ? Math.max(0, before - kept.before) + last - Math.max(first, kept.sinceDay) + 1
          : usedByStay
      const over = used + kept.upTo - upTo - allowanceDays
      if (over > 0) return Math.min(over, kept.day - last)
    }
    return 0
  }
}

/**
 * Finds the first day, not before `notBefore`, on which a stay of `days` days may be added. Null if the stay would not end by 2199-12-31,
 * or is longer than the allowance. Cannot fail.
 */
export function findEarliestDay(
  rule: ZoneRule,
  presence: Presence,
  days: number,
  notBefore: EpochDay,
): EpochDay | null {
  if (days > rule.allowanceDays) return null
  const countDaysOver = judgeAddedStays(rule, presence)
  for (let day = notBefore; day + days - 1 <= LAST_DAY; ) {
    const over = countDaysOver(day, day + days - 1)
    if (over === 0) return day
    // In a window, a stay that begins one day later exceeds the allowance by at most one day less.
    day += rule.kind === "rolling" ? over : 1
  }
  return null
}
