/**
 * How many days of a stay rule does a traveller use, and on which days is the rule broken?
 *
 * All values are integers: days are EpochDays, and presence is a flat list of *runs*, `[first, last, first, last, …]`, both ends included,
 * sorted, with at least one day between two runs. Nothing is validated here: `stay-input.ts` reads and refuses. This file does not know
 * countries, passports or dates as text. A decision counts stay by stay in `presence.ts`, because it also counts days that may count.
 *
 * The algorithms rest on two facts. Each day of presence adds one day to the count and at most one drops out of it, so within a run the
 * count never falls: if a run is broken, it is broken from some day to its end. And a day breaks an allowance of n exactly if the n-th day
 * of presence before it still lies in its reference period, so two cursors that walk n days apart find every day in breach, in one pass
 * over the runs.
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import { findWindowStart, type ZoneRule } from "./zones.ts"

/** Days as a flat list of runs: first and last day of each, sorted, never overlapping or adjacent. */
export type DayRuns = readonly number[]

/** A traveller's presence in one zone. */
export interface Presence {
  /** Days that count against the allowance. */
  readonly counted: DayRuns
  /** Every day in the zone, including days under a permit: a permission lasts until a whole day outside. */
  readonly unbroken: DayRuns
}

/** The days on which a limit is exceeded. */
export interface DaysOver {
  readonly firstDay: EpochDay | null
  readonly days: number
}

/**
 * Adds the days `first` to `last` to runs, and joins runs that overlap or are adjacent. The days may not begin before the last run.
 *
 * Cannot fail. Constant time: for stops in order, no other sorting or merging is needed.
 */
function appendRun(runs: number[], first: EpochDay, last: EpochDay): void {
  const end = runs.length - 1
  if (end > 0 && first <= runs[end]! + 1) {
    if (last > runs[end]!) runs[end] = last
  } else {
    runs.push(first, last)
  }
}

/** Sorts and merges stays that may overlap, touch and be in any order. */
export function mergeRuns(stays: readonly (readonly [first: EpochDay, last: EpochDay])[]): number[] {
  const runs: number[] = []
  for (const [first, last] of [...stays].sort((a, b) => a[0] - b[0])) appendRun(runs, first, last)
  return runs
}

/** Counts the days of the runs from `first` to `last`, both included. */
function countDaysBetween(runs: DayRuns, first: EpochDay, last: EpochDay): number {
  let days = 0
  for (let i = 0; i < runs.length && runs[i]! <= last; i += 2) {
    const from = runs[i]! > first ? runs[i]! : first
    const to = runs[i + 1]! < last ? runs[i + 1]! : last
    if (to >= from) days += to - from + 1
  }
  return days
}

/** Finds the run that contains a day: its index in the list, or -1. */
export function findRun(runs: DayRuns, day: EpochDay): number {
  for (let i = 0; i < runs.length && runs[i]! <= day; i += 2) if (day <= runs[i + 1]!) return i
  return -1
}

/**
 * Finds the first day of a day's reference period.
 *
 * Rolling: the window ends on the day itself, so 180 days look back 179. Single permission: the day on which the current permission began.
 * On the day after a presence that permission still runs, because no whole day was spent outside.
 */
export function findPeriodStart(rule: ZoneRule, presence: Presence, day: EpochDay): EpochDay {
  if (rule.kind === "rolling") return findWindowStart(rule.windowDays, day)
  const { unbroken } = presence
  for (let i = 0; i < unbroken.length && unbroken[i]! <= day; i += 2) {
    if (day <= unbroken[i + 1]! + 1) return unbroken[i]!
  }
  return day
}

/**
 * Counts the days used on a day: those of its reference period up to and including it.
 *
 * Cannot fail and allocates nothing; one pass over the runs. If the count on the last day of a stay exceeds the
 * allowance, the stay breaks the rule (within a run the count never falls).
 */
export function countUsedDays(rule: ZoneRule, presence: Presence, day: EpochDay): number {
  return countDaysBetween(presence.counted, findPeriodStart(rule, presence, day), day)
}

/**
 * Finds the first day of presence on which more than `limit` days are used, and the number of such days.
 *
 * With the allowance as the limit, these are the days in breach. One pass over the runs, however long they are.
 */
export function findDaysOver(rule: ZoneRule, presence: Presence, limit: number): DaysOver {
  const { counted, unbroken } = presence
  let lead = 0
  let leadDay = counted[0] ?? 0
  for (let ahead = limit; lead < counted.length; ) {
    const room = counted[lead + 1]! - leadDay
    if (ahead <= room) {
      leadDay += ahead
      break
    }
    ahead -= room + 1
    lead += 2
    leadDay = counted[lead] ?? 0
  }
  let trail = 0
  let trailDay = counted[0] ?? 0
  let permission = 0
  let firstDay: EpochDay | null = null
  let days = 0
  while (lead < counted.length) {
    let periodStart = leadDay
    if (rule.kind === "rolling") {
      periodStart = findWindowStart(rule.windowDays, leadDay)
    } else {
      while (unbroken[permission + 1]! < leadDay) permission += 2
      periodStart = unbroken[permission]!
    }
    // Until a cursor reaches the end of its run, both stay equally far apart, so one test is enough for all these days.
    const steps = Math.min(counted[lead + 1]! - leadDay, counted[trail + 1]! - trailDay) + 1
    if (trailDay >= periodStart) {
      firstDay ??= leadDay
      days += steps
    }
    leadDay += steps
    trailDay += steps
    if (leadDay > counted[lead + 1]!) {
      lead += 2
      leadDay = counted[lead] ?? 0
    }
    if (trailDay > counted[trail + 1]!) {
      trail += 2
      trailDay = counted[trail] ?? 0
    }
  }
  return { firstDay, days }
}

// Counts the days used on the last day of a stay from `first` to `last`. All its days count, so other presence inside
// it is ignored. It is not longer than a window, which is longer than its allowance.
function countUsedByStay(rule: ZoneRule, presence: Presence, first: EpochDay, last: EpochDay): number {
  const start = findPeriodStart(rule, presence, rule.kind === "rolling" ? last : first)
  return last - first + 1 + countDaysBetween(presence.counted, start, first - 1)
}

/**
 * Finds the last day of the longest stay that may begin on a day, by staying day by day while the rule allows it.
 *
 * Returns the day before `entryDay` if not even that day is allowed. It looks back only, like the rule, and not beyond 2199-12-31.
 */
export function findLastAllowedDay(rule: ZoneRule, presence: Presence, entryDay: EpochDay): EpochDay {
  let last = entryDay - 1
  while (last < LAST_DAY && countUsedByStay(rule, presence, entryDay, last + 1) <= rule.allowanceDays) last++
  return last
}

/** Says whether a stay may be added: it has no day in breach, and causes no breach on any later day. */
export function permitsStay(rule: ZoneRule, presence: Presence, first: EpochDay, last: EpochDay): boolean {
  if (countUsedByStay(rule, presence, first, last) > rule.allowanceDays) return false
  // A stay does not affect the count of a day that is more than a window later, nor of an earlier day.
  const reach = rule.kind === "rolling" ? rule.windowDays : Number.POSITIVE_INFINITY
  const counted = selectRuns(presence.counted, first - reach, last + reach)
  if (counted.length === 0 || counted[counted.length - 1]! <= last) return true
  const unbroken = selectRuns(presence.unbroken, first - reach, last + reach)
  const together = { counted: insertRun(counted, first, last), unbroken: insertRun(unbroken, first, last) }
  const limit = rule.allowanceDays
  return findDaysOver(rule, together, limit).days === findDaysOver(rule, { counted, unbroken }, limit).days
}

function selectRuns(runs: DayRuns, from: number, to: number): number[] {
  const selected: number[] = []
  for (let i = 0; i < runs.length && runs[i]! <= to; i += 2) {
    if (runs[i + 1]! >= from) selected.push(runs[i]!, runs[i + 1]!)
  }
  return selected
}

function insertRun(runs: DayRuns, first: EpochDay, last: EpochDay): number[] {
  const together: number[] = []
  let next = 0
  for (; next < runs.length && runs[next]! <= first; next += 2) together.push(runs[next]!, runs[next + 1]!)
  appendRun(together, first, last)
  for (; next < runs.length; next += 2) appendRun(together, runs[next]!, runs[next + 1]!)
  return together
}
