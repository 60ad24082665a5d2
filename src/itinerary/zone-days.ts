/**
 * How many days of a zone's rule does a traveller use, on which days is the rule broken, and which stays may be added?
 *
 * Nothing is validated here: `stay-input.ts` reads and refuses. This file does not know countries, passports or dates as text. A history is
 * laid out once, so that the days that are used on any day are the difference of two sums, which are found by bisection.
 *
 * Each day of presence adds one day to the count and at most one drops out of it, so during a run of days the count never falls: if a run
 * is broken, it is broken from some day to its end. For the same reason, one day of each later run is enough to check for an added stay:
 * the last one that keeps the allowance without it. If that day still keeps it, so do the days before; the days after it are in breach anyway.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import type { DaySpan } from "./stay-counting.ts"
import { findWindowStart, type ZoneRule } from "./zones.ts"

/** Consecutive days. */
export interface Run {
  readonly first: EpochDay
  readonly last: EpochDay
  /** The number of days of the runs before it. */
  readonly before: number
}

/** A traveller's days in one zone. */
export interface Presence {
  /** The runs of days that count. */
  readonly runs: readonly Run[]
  /** The runs of all days, also those under a permit: a permission lasts until a whole day outside. */
  readonly blocks: readonly Run[]
}

/** Lays out the spans of a history, in any order. */
export function layOutPresence(spans: readonly DaySpan[]): Presence {
  const sorted = [...spans].sort((a, b) => a.from - b.from)
  return { runs: listRuns(sorted.filter(({ counting }) => counting === "certain")), blocks: listRuns(sorted) }
}

function listRuns(spans: readonly DaySpan[]): readonly Run[] {
  const runs: { first: EpochDay; last: EpochDay; before: number }[] = []
  for (const { from, to } of spans) {
    const end = runs.at(-1)
    if (end !== undefined && from <= end.last + 1) end.last = Math.max(end.last, to)
    else runs.push({ first: from, last: to, before: end === undefined ? 0 : end.before + end.last - end.first + 1 })
  }
  return runs
}

// Returns the number of values of a sorted list for which something is so: it is so for the first ones.
function countFirst<Value>(list: readonly Value[], isSo: (value: Value) => boolean): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isSo(list[middle]!)) from = middle + 1
    else to = middle
  }
  return from
}

// Returns the last run that begins by a day.
const findStarted = (runs: readonly Run[], day: EpochDay): Run | undefined =>
  runs[countFirst(runs, ({ first }) => first <= day) - 1]

/** Finds the run of counting days that has a day. */
export function findRun({ runs }: Presence, day: EpochDay): Run | undefined {
  const run = findStarted(runs, day)
  return run !== undefined && day <= run.last ? run : undefined
}

// Counts the days from the first one to another.
function countUpTo({ runs }: Presence, day: EpochDay): number {
  const run = findStarted(runs, day)
  return run === undefined ? 0 : run.before + Math.min(run.last, day) - run.first + 1
}

/**
 * Finds the first day of the reference period of a day. On the day after a presence, a single permission still runs, because no whole day was
 * spent outside.
 */
export function findPeriodStart(rule: ZoneRule, { blocks }: Presence, day: EpochDay): EpochDay {
  if (rule.kind === "rolling") return findWindowStart(rule.windowDays, day)
  const block = findStarted(blocks, day)
  return block !== undefined && day <= block.last + 1 ? block.first : day
}

/** Counts the days used on a day. If the count on the last day of a stay exceeds the allowance, the stay breaks the rule. */
export function countUsedDays(rule: ZoneRule, presence: Presence, day: EpochDay): number {
  return countUpTo(presence, day) - countUpTo(presence, findPeriodStart(rule, presence, day) - 1)
}

// Counts the days since one up to the end of an added stay. All its days count, so other presence during it does not matter.
function countWith(presence: Presence, first: EpochDay, last: EpochDay, sinceDay: EpochDay): number {
  const earlier = countUpTo(presence, first - 1) - countUpTo(presence, sinceDay - 1)
  return Math.max(0, earlier) + last - Math.max(first, sinceDay) + 1
}

// Counts the days used on the last day of an added stay.
function countUsedByStay(rule: ZoneRule, presence: Presence, first: EpochDay, last: EpochDay): number {
  return countWith(presence, first, last, findPeriodStart(rule, presence, rule.kind === "rolling" ? last : first))
}

// Returns the last of some days for which something is so, given that it is so for the first ones; the day before them if it is for none.
function findLastDay(first: EpochDay, last: EpochDay, isSo: (day: EpochDay) => boolean): EpochDay {
  let [kept, over] = [first - 1, last + 1]
  while (over - kept > 1) {
    const middle = (kept + over) >> 1
    if (isSo(middle)) kept = middle
    else over = middle
  }
  return kept
}

// Finds the last day of a run on which at most `limit` days are used; the day before the run if there is none.
function findKeptDay(rule: ZoneRule, presence: Presence, { first, last }: Run, limit: number): EpochDay {
  if (countUsedDays(rule, presence, last) <= limit) return last
  return findLastDay(first, last - 1, day => countUsedDays(rule, presence, day) <= limit)
}

/** The days on which a limit is exceeded. */
export interface DaysOver {
  readonly firstDay: EpochDay | null
  readonly days: number
}

/**
 * Finds the first day of presence on which more than `limit` days are used, and the number of such days.
 *
 * With the allowance as the limit, these are the days in breach.
 */
export function findDaysOver(rule: ZoneRule, presence: Presence, limit: number): DaysOver {
  let firstDay: EpochDay | null = null
  let days = 0
  for (const run of presence.runs) {
    const keptDay = findKeptDay(rule, presence, run, limit)
    if (keptDay < run.last) firstDay ??= keptDay + 1
    days += run.last - keptDay
  }
  return { firstDay, days }
}

/**
 * Finds the last day of the longest stay that may begin on a day: no stay is longer than the allowance.
 *
 * Returns the day before `entryDay` if not even that day is allowed. It looks back only, like the rule, and not beyond 2199-12-31.
 */
export function findLastAllowedDay(rule: ZoneRule, presence: Presence, entryDay: EpochDay): EpochDay {
  const { allowanceDays } = rule
  const longest = Math.min(LAST_DAY, entryDay + allowanceDays - 1)
  return findLastDay(entryDay, longest, day => countUsedByStay(rule, presence, entryDay, day) <= allowanceDays)
}

/**
 * Returns a function that says by how many days a stay exceeds the allowance: on its last day, or on a later day that keeps it without the
 * stay. Zero if the stay may be added.
 */
export function judgeAddedStays(rule: ZoneRule, presence: Presence): (first: EpochDay, last: EpochDay) => number {
  const { allowanceDays } = rule
  const keptDays = presence.runs.flatMap(run => {
    const day = findKeptDay(rule, presence, run, allowanceDays)
    return day < run.first ? [] : { day, sinceDay: findPeriodStart(rule, presence, day) }
  })
  return (first, last) => {
    const usedByStay = countUsedByStay(rule, presence, first, last)
    if (usedByStay > allowanceDays) return usedByStay - allowanceDays
    for (let at = countFirst(keptDays, ({ day }) => day <= last); at < keptDays.length; at++) {
      const { day, sinceDay } = keptDays[at]!
      // The stay is not in the reference period of this day, nor in those of later ones.
      if (sinceDay > last + 1) break
      const used = rule.kind === "rolling" ? countWith(presence, first, last, sinceDay) : usedByStay
      const over = used + countUpTo(presence, day) - countUpTo(presence, last) - allowanceDays
      if (over > 0) return Math.min(over, day - last)
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
