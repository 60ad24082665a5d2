/**
 * How long may a visitor stay in a zone, and when did a stay become too long?
 *
 * Public calculators over past and planned stays. The chosen readings:
 * - The day of entry and the day of exit both count in full (Regulation (EU) 2016/399, Art. 6(2)), and a day that several stays share
 *   counts once. Stays may be in any order; one longer than the allowance is counted whole.
 * - A stay counts on the days on which its destination is a member, and is ignored on other days.
 * - Days under a residence permit or a national long-stay visa do not count (Art. 6(2)); a day that is also spent without one does.
 * - A single permission ends with a whole calendar day on which no given stay is in the zone: the stays are taken to be complete. Leaving
 *   on one day and returning on the next is not such a day, so the permission continues. Days under a permit do not end it either, because
 *   the traveller has not left.
 *
 * These rules do not bind travellers with freedom of movement; the caller must check that first. Longer stays under a bilateral agreement,
 * extensions and officers' decisions are not considered. Dates are calendar dates, the same in every time zone.
 *
 * No stay is ignored without a word: answers with several fields list those that do not count. If the zone is one of a dataset, a destination
 * that the dataset does not have is refused.
 */
import { type EpochDay, formatCivilDate, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import type { InputError, Result } from "../errors.ts"
import { answerInput, fieldsOf, readObject, refuseOtherFields } from "../requirement/question.ts"
import type { Stay } from "./request-fields.ts"
import { MAX_ALLOWANCE_DAYS, readDay, readDayCount, readHistory, type UncountedStay } from "./stay-input.ts"
import {
  countUsedDays,
  findDaysOver,
  findEarliestDay,
  findLastAllowedDay,
  findPeriodStart,
  findRun,
  judgeAddedStays,
} from "./zone-days.ts"
import type { ZoneTerms } from "./zones.ts"

const PLAN_FIELDS = /* @__PURE__ */ fieldsOf("days", "notBeforeOn")

/** Days used and left on one day. */
export interface StayDays {
  /** First day of the reference period: of the window that ends on the day, or of the current permission. */
  readonly periodFromOn: string
  /** Days that count in the reference period, including the day itself if it was spent in the zone. */
  readonly daysUsed: number
  /** The allowance less the days used, at least 0. It is not a forecast: it ignores days that leave the window later. */
  readonly daysUnused: number
  /**
   * How long the visitor may stay without a break, by simulation: from the day itself if it is not yet a day of
   * presence, otherwise after it. It exceeds `daysUnused` if earlier days leave the window meanwhile.
   */
  readonly daysRemaining: number
  /** The stays of which some days do not count, with the reason. Empty if all count. */
  readonly notCounted: readonly UncountedStay[]
}

/** The longest stay that may begin on a day. */
export interface LongestStay {
  readonly days: number
  /** Null if not even one day is allowed. */
  readonly lastOn: string | null
  /** The given stays of which some days do not count, with the reason. Empty if all count. */
  readonly notCounted: readonly UncountedStay[]
}

/** How a zone's rule was broken, if it was broken. */
export interface Breach {
  /** The first day of presence on which the allowance was exceeded, or null. */
  readonly firstBreachOn: string | null
  /** The number of days of presence on which the allowance was exceeded. */
  readonly daysInBreach: number
  /** By how many days the fullest reference period exceeds the allowance. */
  readonly daysOverAllowance: number
  /** The most days used in any reference period. */
  readonly mostDaysUsed: number
  /** The first reference period with that many days, up to the day that filled it; null without a day in the zone. */
  readonly worstPeriod: { readonly fromOn: string; readonly toOn: string } | null
  /** The stays of which some days do not count, with the reason. Empty if all count. */
  readonly notCounted: readonly UncountedStay[]
}

/**
 * Counts the days used on a day, and those that remain.
 *
 * Later stays are ignored, because the rule looks back; `notCounted` lists them. Errors: `InputRefused`, one issue for each mistake. Source: Regulation (EU)
 * 2016/399, Art. 6(1), "which entails considering the 180-day period preceding each day of stay"; CA-4 for single permissions.
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * const counted = countStayDays(schengen, [{ destination: "FRA", from: "2026-01-01", to: "2026-02-19" }], "2026-03-01")
 * counted.ok && counted.value.daysUsed // => 50
 * counted.ok && counted.value.daysRemaining // => 40
 * const inChina = countStayDays(schengen, [{ destination: "CHN", from: "2026-01-01", to: "2026-01-20" }], "2026-03-01")
 * inChina.ok && inChina.value.notCounted // => [{ "index": 0, "destination": "CHN", "days": 20, "reason": "outside_zone" }]
 * const misspelt = countStayDays(schengen, [{ destination: "DUE", from: "2026-01-01", to: "2026-01-20" }], "2026-03-01")
 * !misspelt.ok && misspelt.error.message // => "stays[0].destination: No destination with the code DUE is recorded."
 * const refused = countStayDays(schengen, [], "1 March")
 * !refused.ok && refused.error.issues[0].path // => "on"
 * ```
 */
export function countStayDays(zone: ZoneTerms, stays: readonly Stay[], on: string): Result<StayDays, InputError> {
  return answerInput(issues => {
    const { rule, presence, notCounted } = readHistory(zone, stays, issues, parseCivilDate(on) ?? LAST_DAY)
    const day = readDay(on, "on", issues)
    return () => {
      const daysUsed = countUsedDays(rule, presence, day)
      return {
        periodFromOn: formatCivilDate(findPeriodStart(rule, presence, day)),
        daysUsed,
        daysUnused: Math.max(0, rule.allowanceDays - daysUsed),
        daysRemaining: Math.max(
          0,
          findLastAllowedDay(rule, presence, day) - day + (findRun(presence, day) === undefined ? 1 : 0),
        ),
        notCounted,
      }
    }
  })
}

/**
 * Finds the last legal day of the stay that includes a day, if the visitor stays without a break.
 *
 * If no stay includes the day, a stay that begins on it is assumed. The result is before `on` if the stay is already in
 * breach, null if not even its first day was legal, and never after 2199-12-31. Later stays are ignored, because the
 * rule looks back. Errors: `InputRefused`. Source: Regulation (EU) 2016/399, Art. 6(1).
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * findLastLegalDay(schengen, [{ destination: "CHE", from: "2014-11-01", to: "2014-11-30" }], "2014-11-30") // => { "ok": true, "value": "2015-01-29" }
 * ```
 */
export function findLastLegalDay(
  zone: ZoneTerms,
  stays: readonly Stay[],
  on: string,
): Result<string | null, InputError> {
  return answerInput(issues => {
    const { rule, presence } = readHistory(zone, stays, issues)
    const day = readDay(on, "on", issues)
    return () => {
      const entryDay = findRun(presence, day)?.first ?? day
      const lastDay = findLastAllowedDay(rule, presence, entryDay)
      return lastDay < entryDay ? null : formatCivilDate(lastDay)
    }
  })
}

/**
 * Finds the first day on which the stays exceed the allowance, or null.
 *
 * Errors: `InputRefused`. Source: Regulation (EU) 2016/399, Art. 6(1).
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * findFirstBreachDay(schengen, [{ destination: "ITA", from: "2025-01-01", to: "2025-04-30" }]) // => { "ok": true, "value": "2025-04-01" }
 * ```
 */
export function findFirstBreachDay(zone: ZoneTerms, stays: readonly Stay[]): Result<string | null, InputError> {
  return answerInput(issues => {
    const { rule, presence } = readHistory(zone, stays, issues)
    return () => formatDay(findDaysOver(rule, presence, rule.allowanceDays).firstDay)
  })
}

/**
 * Measures how far the stays exceed the allowance, as days in breach and days over the allowance.
 *
 * A visitor who leaves on day 100 of a first stay was 10 days in breach and 10 over. One who overstays by a day and stays on while old days
 * leave the window may be 30 days in breach and 1 over. Errors: `InputRefused`. Source: Regulation (EU) 2016/399, Art. 6(1).
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * const breach = measureBreach(schengen, [{ destination: "ITA", from: "2025-01-01", to: "2025-04-10" }])
 * breach.ok && breach.value.daysInBreach // => 10
 * breach.ok && breach.value.mostDaysUsed // => 100
 * ```
 */
export function measureBreach(zone: ZoneTerms, stays: readonly Stay[]): Result<Breach, InputError> {
  return answerInput(issues => {
    const { rule, presence, notCounted } = readHistory(zone, stays, issues)
    return () => {
      const over = findDaysOver(rule, presence, rule.allowanceDays)
      let mostDaysUsed = 0
      for (const { last } of presence.runs) mostDaysUsed = Math.max(mostDaysUsed, countUsedDays(rule, presence, last))
      const worstDay = mostDaysUsed === 0 ? null : findDaysOver(rule, presence, mostDaysUsed - 1).firstDay
      return {
        firstBreachOn: formatDay(over.firstDay),
        daysInBreach: over.days,
        daysOverAllowance: Math.max(0, mostDaysUsed - rule.allowanceDays),
        mostDaysUsed,
        worstPeriod:
          worstDay === null
            ? null
            : {
                fromOn: formatCivilDate(findPeriodStart(rule, presence, worstDay)),
                toOn: formatCivilDate(worstDay),
              },
        notCounted,
      }
    }
  })
}

/**
 * Finds the longest stay that may begin on a day: its days, and its last day (null if not even one day is allowed).
 *
 * Later planned stays are protected: the new stay causes no breach on any of their days. It is assumed to be in a member of the zone
 * throughout. It may overlap given stays, and never ends after 2199-12-31. Errors: `InputRefused`. Source: Regulation (EU) 2016/399, Art.
 * 6(1); found by simulation, like the planning mode of the Commission's calculator.
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * const longest = findLongestStay(schengen, [{ destination: "FRA", from: "2026-01-01", to: "2026-02-19" }], "2026-03-01")
 * longest.ok && longest.value // => { "days": 40, "lastOn": "2026-04-09", "notCounted": [] }
 * ```
 */
export function findLongestStay(
  zone: ZoneTerms,
  stays: readonly Stay[],
  entryOn: string,
): Result<LongestStay, InputError> {
  return answerInput(issues => {
    const { rule, presence, notCounted } = readHistory(zone, stays, issues)
    const entryDay = readDay(entryOn, "entryOn", issues)
    return () => {
      const countDaysOver = judgeAddedStays(rule, presence)
      let lastDay = findLastAllowedDay(rule, presence, entryDay)
      while (lastDay >= entryDay && countDaysOver(entryDay, lastDay) > 0) lastDay--
      const days = lastDay - entryDay + 1
      return { days, lastOn: days === 0 ? null : formatCivilDate(lastDay), notCounted }
    }
  })
}

/**
 * Finds the earliest day, not before `notBeforeOn`, on which a stay of `days` days may begin; null if there is none.
 *
 * There is none for a stay that is longer than the allowance or would end after 2199-12-31. Later planned stays are protected: the new stay
 * causes no breach on any of their days. It is assumed to be in a member of the zone throughout. Errors: `InputRefused`, also if `days` is
 * not a whole number from 1 to 3650. Source: Regulation (EU) 2016/399, Art. 6(1).
 *
 * @example
 * ```ts
 * const [, schengen] = embeddedDataset().zones
 * const stays = [{ destination: "FRA", from: "2025-01-01", to: "2025-03-31" }]
 * findEarliestEntry(schengen, stays, { days: 90, notBeforeOn: "2025-04-01" }) // => { "ok": true, "value": "2025-06-30" }
 * ```
 */
export function findEarliestEntry(
  zone: ZoneTerms,
  stays: readonly Stay[],
  plan: { readonly days: number; readonly notBeforeOn: string },
): Result<string | null, InputError> {
  return answerInput(issues => {
    const { rule, presence } = readHistory(zone, stays, issues)
    const known = issues.length
    const given = readObject(plan, "plan", issues)
    if (issues.length > known) return () => null
    refuseOtherFields(given, PLAN_FIELDS, "plan.", issues)
    const { days: wanted, notBeforeOn } = given
    const days = readDayCount(wanted, MAX_ALLOWANCE_DAYS, "plan.days", issues)
    const firstDay = readDay(notBeforeOn, "plan.notBeforeOn", issues)
    return () => formatDay(findEarliestDay(rule, presence, days, firstDay))
  })
}

function formatDay(day: EpochDay | null): string | null {
  return day === null ? null : formatCivilDate(day)
}
