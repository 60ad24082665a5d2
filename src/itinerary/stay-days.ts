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

import { type EpochDay, FIRST_DAY, formatCivilDate, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import { isRecordedBeside, type ZoneRule } from "../dataset/open.ts"
import { describe, type InputError, type InputIssue, type Result, sayRefused } from "../errors.ts"
import { list, object, type Refusal, readerOf, row } from "../fields/read-fields.ts"
import { answerInput, fieldsOf, readObject, refuseOtherFields } from "../requirement/question.ts"
import {
  addDays,
  addSpans,
  type DayCount,
  type DaySpan,
  findMemberships,
  firstMemberDay,
  LONG_AGO,
  lastMemberDay,
  startCount,
  type ZoneTerms,
} from "../trip/recorded.ts"
import { EARLIER_STAY, refuseEnd, type Stay } from "../trip/request-fields.ts"

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
interface LongestStay {
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
  readonly worstPeriod: {
    /** Its first day (`YYYY-MM-DD`). */
    readonly fromOn: string
    /** Its last day, included (`YYYY-MM-DD`). */
    readonly toOn: string
  } | null
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
      const { certain: daysUsed, certainDay, sinceDay } = countOn(rule, presence, day)
      const isOutside = certainDay < day
      return {
        periodFromOn: formatCivilDate(sinceDay),
        daysUsed,
        daysUnused: Math.max(0, rule.allowanceDays - daysUsed),
        daysRemaining: Math.max(0, findLastAllowedDay(rule, presence, day) - day + (isOutside ? 1 : 0)),
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
      const entryDay = presence.runs.find(({ first, last }) => first <= day && day <= last)?.first ?? day
      const lastDay = findLastAllowedDay(rule, presence, entryDay)
      return lastDay < entryDay ? null : formatCivilDate(lastDay)
    }
  })
}

/**
 * Measures how far the stays exceed the allowance: from which day on, and by how many days in breach and days over the allowance.
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
      for (const { last } of presence.runs) mostDaysUsed = Math.max(mostDaysUsed, countUsed(rule, presence, last))
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
                fromOn: formatCivilDate(countOn(rule, presence, worstDay).sinceDay),
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
      while (lastDay >= entryDay && countDaysOver({ first: entryDay, last: lastDay }) > 0) lastDay--
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
    const { plan: read } = readPlan({ plan }, issues)
    return () => formatDay(findEarliestDay(rule, presence, read.days, read.notBeforeOnDay))
  })
}

function formatDay(day: EpochDay | null): string | null {
  return day === null ? null : formatCivilDate(day)
}

// ---- Days used under a rule

// How many days of a zone's rule does a traveller use, on which days is the rule broken, and which stays may be added?
//
// Nothing is validated here: the readers below refuse. The days are counted as those of a decision (trip/stay-counting.ts), from the first span
// that can be in the period of a day.
//
// Each day of presence adds one day to the count and at most one drops out of it, so during a run of days the count never falls: if a run
// is broken, it is broken from some day to its end. For the same reason, one day of each later run is enough to check for an added stay:
// the last one that keeps the allowance without it. If that day still keeps it, so do the days before; the days after it are in breach anyway.

/** Consecutive days that count. */
interface Run {
  readonly first: EpochDay
  readonly last: EpochDay
}

/** A traveller's days in one zone. */
interface Presence {
  /** In the order of their first days. */
  readonly spans: readonly DaySpan[]
  /** By the place of a span: the last day of all up to it, and the place of the first one since a whole day outside. */
  readonly reach: readonly EpochDay[]
  readonly starts: readonly number[]
  readonly runs: readonly Run[]
}

/** Lays out the spans of a history, in any order. */
function layOutPresence(given: readonly DaySpan[]): Presence {
  const spans = [...given].sort((a, b) => a.from - b.from)
  const reach: EpochDay[] = []
  const starts: number[] = []
  const runs: { first: EpochDay; last: EpochDay }[] = []
  for (const [at, { from, to, counting }] of spans.entries()) {
    const before = reach[at - 1] ?? LONG_AGO
    reach.push(Math.max(before, to))
    starts.push(from <= before + 1 ? starts[at - 1]! : at)
    if (counting !== "certain") continue
    const end = runs.at(-1)
    if (end !== undefined && from <= end.last + 1) end.last = Math.max(end.last, to)
    else runs.push({ first: from, last: to })
  }
  return { spans, reach, starts, runs }
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

/** Counts the days of the period of a day, with those of an added stay that begins by it. */
function countOn(rule: ZoneRule, { spans, reach, starts }: Presence, day: EpochDay, added?: Run): DayCount {
  const count = startCount(rule, day)
  const end = countFirst(spans, ({ from }) => from <= day)
  const begun = added === undefined ? end : countFirst(spans, ({ from }) => from <= added.first)
  const since = count.isRolling ? countFirst(reach, last => last < count.sinceDay) : (starts[begun - 1] ?? 0)
  addSpans(count, spans.slice(since, begun), day)
  if (added !== undefined) addDays(count, added.first, Math.min(added.last, day), "certain")
  addSpans(count, spans.slice(Math.max(since, begun), end), day)
  // A whole day outside ends a permission, also if it is this one.
  addDays(count, day, day, "permit")
  return count
}

/** Counts the days used on a day. If the count on the last day of a stay exceeds the allowance, the stay breaks the rule. */
const countUsed = (rule: ZoneRule, presence: Presence, day: EpochDay, added?: Run): number =>
  countOn(rule, presence, day, added).certain

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
  if (countUsed(rule, presence, last) <= limit) return last
  return findLastDay(first, last - 1, day => countUsed(rule, presence, day) <= limit)
}

/** The days on which a limit is exceeded. */
interface DaysOver {
  readonly firstDay: EpochDay | null
  readonly days: number
}

/**
 * Finds the first day of presence on which more than `limit` days are used, and the number of such days.
 *
 * With the allowance as the limit, these are the days in breach.
 */
function findDaysOver(rule: ZoneRule, presence: Presence, limit: number): DaysOver {
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
function findLastAllowedDay(rule: ZoneRule, presence: Presence, first: EpochDay): EpochDay {
  const { allowanceDays } = rule
  const longest = Math.min(LAST_DAY, first + allowanceDays - 1)
  return findLastDay(first, longest, last => countUsed(rule, presence, last, { first, last }) <= allowanceDays)
}

/**
 * Returns a function that says by how many days a stay exceeds the allowance: on its last day, or on a later day that keeps it without the
 * stay. Zero if the stay may be added.
 */
function judgeAddedStays(rule: ZoneRule, presence: Presence): (stay: Run) => number {
  const { allowanceDays } = rule
  const keptDays = presence.runs.flatMap(run => {
    const day = findKeptDay(rule, presence, run, allowanceDays)
    return day < run.first ? [] : day
  })
  return stay => {
    const { last } = stay
    const used = countUsed(rule, presence, last, stay)
    if (used > allowanceDays) return used - allowanceDays
    for (let at = countFirst(keptDays, day => day <= last); at < keptDays.length; at++) {
      const day = keptDays[at]!
      const { sinceDay, certain } = countOn(rule, presence, day, stay)
      // The stay is not in the reference period of this day, nor in those of later ones.
      if (sinceDay > last) break
      if (certain > allowanceDays) return Math.min(certain - allowanceDays, day - last)
    }
    return 0
  }
}

/**
 * Finds the first day, not before `notBefore`, on which a stay of `days` days may be added. Null if the stay would not end by 2199-12-31,
 * or is longer than the allowance. Cannot fail.
 */
function findEarliestDay(rule: ZoneRule, presence: Presence, days: number, notBefore: EpochDay): EpochDay | null {
  if (days > rule.allowanceDays) return null
  const countDaysOver = judgeAddedStays(rule, presence)
  for (let first = notBefore; first + days - 1 <= LAST_DAY; ) {
    const over = countDaysOver({ first, last: first + days - 1 })
    if (over === 0) return first
    // In a window, a stay that begins one day later exceeds the allowance by at most one day less.
    first += rule.kind === "rolling" ? over : 1
  }
  return null
}

// ---- Reading the stays

// Is this a valid question about stays?
//
// Reads input of any type, reports mistakes with their paths, and makes a snapshot of plain numbers, so that later
// code meets no getter, proxy or textual date. Everything is bounded: the number of stays, the length of rules, the
// dates (1900 to 2199). This file does not judge whether a stay is legal.

/** The most stays in one question. */
const MAX_STAYS = 1_000
/** The most memberships that a zone may have. */
const MAX_MEMBERSHIPS = 1_000
/** The longest allowance of a zone, and the longest stay in a question, in days. */
const MAX_ALLOWANCE_DAYS = 3_650
/** The longest window of a zone, in days. */
const MAX_WINDOW_DAYS = 7_300

// A dataset's zone is accepted as it is, including the parts that the calculators do not need.
const ZONE_FIELDS = /* @__PURE__ */ fieldsOf(
  "rule",
  "members",
  "id",
  "name",
  "instrument",
  "source",
  "sourceUrl",
  "verifiedOn",
  "citedOn",
)
const ALLOWANCE = { kind: "count", least: 1, most: MAX_ALLOWANCE_DAYS } as const
const DAY_NUMBER = { kind: "count", least: FIRST_DAY, most: LAST_DAY } as const
const describeRule = () =>
  object("ZoneRule", {
    kind: row("kind", { kind: "word", words: ["rolling", "single-permission"] }, "required"),
    allowanceDays: row("allowanceDays", ALLOWANCE, "required"),
    windowDays: row("windowDays", { kind: "count", least: 1, most: MAX_WINDOW_DAYS }, "nullable"),
  })
const describeMember = () =>
  object("ZoneMember", {
    code: row("code", { kind: "code" }, "required"),
    fromDay: row("fromDay", DAY_NUMBER, "nullable"),
    untilDay: row("untilDay", DAY_NUMBER, "nullable"),
  })
const describeZone = () =>
  object("ZoneTerms", {
    rule: row("rule", describeRule(), "required"),
    members: row("members", list(describeMember(), 0, MAX_MEMBERSHIPS), "required"),
  })
const describePlan = () =>
  object("Plan", {
    days: row("days", ALLOWANCE, "required"),
    notBeforeOn: row("notBeforeOn", { kind: "day" }, "required"),
  })
const readParts = /* @__PURE__ */ readerOf(
  /* @__PURE__ */ object("OfZone", { zone: /* @__PURE__ */ row("zone", /* @__PURE__ */ describeZone(), "required") }),
  "engine",
)
const readPlan = /* @__PURE__ */ readerOf(
  /* @__PURE__ */ object("OfPlan", { plan: /* @__PURE__ */ row("plan", /* @__PURE__ */ describePlan(), "required") }),
  "engine",
)
const readStays = /* @__PURE__ */ readerOf(
  /* @__PURE__ */ object(
    "History",
    { stays: /* @__PURE__ */ row("stays", /* @__PURE__ */ list(EARLIER_STAY, 0, MAX_STAYS), "required") },
    {
      rule: ({ stays }) => {
        const refused: Refusal[] = []
        stays?.forEach((each, at) => {
          refuseEnd(each, "stay", "stays", at, refused)
        })
        return refused
      },
    },
  ),
  "engine",
)

/** A stay of which some days do not count. */
export interface UncountedStay {
  /** Its index among the given stays. */
  readonly index: number
  /** Where it was. */
  readonly destination: string
  /** The number of its days that do not count for the reason. */
  readonly days: number
  /**
   * `outside_zone`: its destination is not in the zone; `not_member_then`: it was not on these days; `permit`: they were spent under a permit;
   * `later`: the stay begins after the day of the count.
   */
  readonly reason: "outside_zone" | "not_member_then" | "permit" | "later"
}

/** A zone's rule and a traveller's presence in it. */
interface History {
  readonly rule: ZoneRule
  readonly presence: Presence
  /** The stays of which some days do not count, in their order. */
  readonly notCounted: readonly UncountedStay[]
}

/** Reads a date as a day; returns a placeholder if it is refused. */
function readDay(value: unknown, path: string, issues: InputIssue[]): EpochDay {
  const day = parseCivilDate(value)
  if (day === null) {
    issues.push({ path, message: sayRefused(value, "not a calendar date YYYY-MM-DD from 1900 to 2199") })
  }
  return day ?? 0
}

/**
 * Reads a zone and the stays of one traveller, and finds the days of the stays in the zone, up to those that begin by `lastDay`. A destination
 * that the zone's dataset does not have is a mistake, because it is misspelt.
 */
function readHistory(zone: unknown, stays: unknown, issues: InputIssue[], lastDay: EpochDay = LAST_DAY): History {
  const terms = readZone(zone, issues)
  const spans: DaySpan[] = []
  const notCounted: UncountedStay[] = []
  const given = readStays({ stays }, issues).stays ?? []
  for (const [index, { destination, fromDay: first, toDay: last, permit }] of given.entries()) {
    const leaveOut = (days: number, reason: UncountedStay["reason"]) => {
      if (days > 0) notCounted.push({ index, destination, days, reason })
    }
    if (isCode(destination) && !isRecordedBeside(zone as object, destination)) {
      const message = `No destination with the code ${destination} is recorded.`
      issues.push({ path: `stays[${index}].destination`, message })
    }
    const memberships = findMemberships(terms, destination)
    let days = 0
    for (const membership of memberships) {
      const from = firstMemberDay(membership, first)
      const to = lastMemberDay(membership, last)
      if (from > to) continue
      days += to - from + 1
      spans.push({ from, to, counting: permit === null ? "certain" : "permit" })
    }
    leaveOut(last - first + 1 - days, memberships.length === 0 ? "outside_zone" : "not_member_then")
    if (permit !== null) leaveOut(days, "permit")
    else if (first > lastDay) leaveOut(days, "later")
  }
  return { rule: terms.rule, presence: layOutPresence(spans), notCounted }
}

const NO_ZONE: ZoneTerms = { rule: { kind: "single-permission", allowanceDays: 1 }, members: [] }

function readZone(value: unknown, issues: InputIssue[]): ZoneTerms {
  const known = issues.length
  const given = readObject(value, "zone", issues)
  if (issues.length > known) return NO_ZONE
  refuseOtherFields(given, ZONE_FIELDS, "zone.", issues)
  const { zone } = readParts({ zone: { rule: given.rule, members: given.members } }, issues)
  if (issues.length > known) return NO_ZONE
  const { kind, allowanceDays, windowDays } = zone.rule
  // Such a rule could never be broken, so it is a mistake.
  if (kind === "rolling" && (windowDays ?? 0) <= allowanceDays) {
    const message = `${describe(windowDays)} is not longer than the allowance of ${allowanceDays}.`
    issues.push({ path: "zone.rule.windowDays", message })
  }
  for (const [at, { fromDay, untilDay }] of zone.members.entries()) {
    if (fromDay === null || untilDay === null || untilDay > fromDay) continue
    const message = `Day ${untilDay} is not after the first day, ${fromDay}.`
    issues.push({ path: `zone.members[${at}].untilDay`, message })
  }
  const rule: ZoneRule =
    kind === "rolling" ? { kind, allowanceDays, windowDays: windowDays ?? 0 } : { kind, allowanceDays }
  return { rule, members: zone.members }
}
