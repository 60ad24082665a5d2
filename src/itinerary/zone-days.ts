/**
 * How many days of a zone's rule does a traveller use, and on which days is the rule broken?
 *
 * Nothing is validated here: `stay-input.ts` reads and refuses. This file does not know countries, passports or dates as text.
 *
 * Each day of presence adds one day to the count and at most one drops out of it, so during a run of days the count never falls: if a run
 * is broken, it is broken from some day to its end.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import { addDays, addSpans, type DayCount, type DaySpan, startCount } from "./day-count.ts"
import type { ZoneRule } from "./zones.ts"

/**
 * A traveller's days in one zone, in the order of their first days: certain ones count, those under a permit do not, but a permission lasts
 * until a whole day outside.
 */
export type Presence = readonly DaySpan[]

/** The days on which a limit is exceeded. */
export interface DaysOver {
  readonly firstDay: EpochDay | null
  readonly days: number
}

/**
 * Counts the days used on a day: those of its reference period up to and including it.
 *
 * On the day after a presence, a single permission still runs, because no whole day was spent outside. If the count on the last day of a
 * stay exceeds the allowance, the stay breaks the rule.
 */
export function countUsedDays(rule: ZoneRule, presence: Presence, day: EpochDay): DayCount {
  const count = addSpans(startCount(rule, day), presence, day)
  // A day outside does not count, but is in a period.
  addDays(count, day, day, "permit")
  return count
}

/** Counts the days used on the last day of an added stay. All its days count, so other presence during it does not matter. */
export function countUsedByStay(rule: ZoneRule, presence: Presence, first: EpochDay, last: EpochDay): DayCount {
  const count = addSpans(startCount(rule, last), presence, first - 1)
  addDays(count, first, last, "certain")
  return count
}

/** Consecutive days that count. */
export interface Run {
  readonly first: EpochDay
  readonly last: EpochDay
}

/** Lists the runs of days that count. */
export function listRuns(presence: Presence): readonly Run[] {
  const runs: { first: EpochDay; last: EpochDay }[] = []
  for (const { from, to, counting } of presence) {
    if (counting !== "certain") continue
    const end = runs.at(-1)
    if (end === undefined || from > end.last + 1) runs.push({ first: from, last: to })
    else end.last = Math.max(end.last, to)
  }
  return runs
}

/** Finds the run that has a day. */
export function findRun(presence: Presence, day: EpochDay): Run | undefined {
  return listRuns(presence).find(({ first, last }) => first <= day && day <= last)
}

/** Finds the last day of a run on which at most `limit` days are used; the day before the run if there is none. */
export function findKeptDay(rule: ZoneRule, presence: Presence, { first, last }: Run, limit: number): EpochDay {
  if (countUsedDays(rule, presence, last).certain <= limit) return last
  let kept = first - 1
  for (let over = last; over - kept > 1; ) {
    const middle = (kept + over) >> 1
    if (countUsedDays(rule, presence, middle).certain > limit) over = middle
    else kept = middle
  }
  return kept
}

/**
 * Finds the first day of presence on which more than `limit` days are used, and the number of such days.
 *
 * With the allowance as the limit, these are the days in breach.
 */
export function findDaysOver(rule: ZoneRule, presence: Presence, limit: number): DaysOver {
  let firstDay: EpochDay | null = null
  let days = 0
  for (const run of listRuns(presence)) {
    const keptDay = findKeptDay(rule, presence, run, limit)
    if (keptDay < run.last) firstDay ??= keptDay + 1
    days += run.last - keptDay
  }
  return { firstDay, days }
}

/**
 * Finds the last day of the longest stay that may begin on a day, by staying day by day while the rule allows it.
 *
 * Returns the day before `entryDay` if not even that day is allowed. It looks back only, like the rule, and not beyond 2199-12-31.
 */
export function findLastAllowedDay(rule: ZoneRule, presence: Presence, entryDay: EpochDay): EpochDay {
  let last = entryDay - 1
  while (last < LAST_DAY && countUsedByStay(rule, presence, entryDay, last + 1).certain <= rule.allowanceDays) last++
  return last
}
