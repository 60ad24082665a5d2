/**
 * How many days of some stays count in a period? How many days of visits to one country count, and how many are allowed?
 *
 * The one count of days: decisions and calculators add spans of days in the order of their first days, and read how many count. A day that
 * two stays share counts once. The count itself knows no allowance.
 *
 * A country's stay rule says how its days add up: from each entry, in any window, in a calendar year, or in the year that begins with the
 * first entry. If none is recorded, the days of all visits inside any 365 days add up, because nothing says that a count starts over. A
 * year of entry ends on the day of the same number; the next one begins with the first day of presence after it. A visit of some months
 * lasts to the day of the same number, even if tables write ninety days for three months; only days that are fewer than so many months can
 * have (such as thirty under a document) stay the limit. Both ends of a visit count, except the day of entry under some rules, and a day
 * that two visits share counts once. If a visit to a neighbour starts no new stay, a traveller who returns from there has the rest of the
 * days since the admission, and the days in the neighbour count (8 CFR 217.3(b)).
 */
import { addCivilMonths, type EpochDay, findNewYear } from "../civil-date.ts"
import type { Zone, ZoneMember, ZoneRule } from "../dataset/open.ts"
import type { StayRule } from "../rules/provisions.ts"

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

// ---- Visits to one country

/**
 * How days add up under a recorded rule. `admission`: from an admission that visits to neighbours do not end.
 * `accumulated`: no rule is recorded.
 */
type StayCounting = "per_entry" | "rolling" | "calendar_year" | "per_year_of_entry" | "admission" | "accumulated"

/** The parts of a stay rule that concern counting. */
export interface CountingRule
  extends Pick<
    StayRule,
    "days" | "months" | "windowDays" | "visitDays" | "daysOutside" | "readmissionDays" | "firstDayCounted"
  > {
  readonly kind: Exclude<StayCounting, "admission" | "accumulated">
}

/** Visits to one country: first and last day of each. They are in the order of their first days, and two may share days. */
export type Visits = readonly EpochDay[]

/** Counted days of a stay. */
export interface MeasuredStay {
  readonly days: number
  readonly allowed: number
  readonly counting: StayCounting | "visit"
}

/** The fewest days of a month. */
const LEAST_DAYS_OF_MONTH = 28

/** The window in which visits add up without a recorded rule. */
export const ACCUMULATION_DAYS = 365

/**
 * Measures the last of some visits: by the period of the rule that leaves the fewest days, or by the longest single visit if that limit is
 * exceeded. Null if nothing limits the days. `measureReturns` measures visits of which some return from a neighbour of the rule.
 *
 * Cannot fail. A pass or two over the visits; allocates the answer only.
 *
 * @example
 * ```ts
 * const visits = [20000, 20044, 20300, 20344]
 * const rule = {
 *   ...{ kind: "per_entry", days: null, months: null, windowDays: null, visitDays: null, daysOutside: null },
 *   ...{ readmissionDays: null, firstDayCounted: true },
 * }
 * measureStay(null, visits, 60) // => { days: 90, allowed: 60, counting: "accumulated" }
 * measureStay(rule, visits, 60) // => { days: 45, allowed: 60, counting: "per_entry" }
 * measureStay(null, [20000, 20044, 20400, 20444], 60).days // => 45
 * ```
 */
export function measureStay(
  rule: CountingRule | null,
  visits: Visits,
  maxDays: number | null,
  measureReturns: MeasureReturns | null = null,
): MeasuredStay | null {
  const last = visits.length - 2
  const visitDays = visits[last + 1]! - visits[last]! + 1
  if (rule === null) {
    if (maxDays === null) return null
    // A visit that is too long by itself is too long whatever the others were.
    if (visitDays > maxDays || visits.length === 2) return { days: visitDays, allowed: maxDays, counting: "visit" }
    const days = countVisitDays(visits, findWindowStart(ACCUMULATION_DAYS, visits[last + 1]!), visits[last + 1]!)
    return { days, allowed: maxDays, counting: "accumulated" }
  }
  const measured = measureSpan(rule, visits, maxDays, measureReturns)
  // If the rule's days are for a longer period, the pair's own days limit a single visit.
  const isLonger = rule.kind !== "per_entry" && rule.days !== null && maxDays !== null && maxDays < rule.days
  const limit = rule.visitDays ?? (isLonger ? maxDays : null)
  const isTooLong = limit !== null && visitDays > limit
  // Days that the rule does not name may not be a maximum. They must not hide the visit's limit, which the rule names.
  const isNamed = (rule.days ?? rule.months) !== null
  return isTooLong && (measured === null || !isNamed || measured.days <= measured.allowed)
    ? { days: visitDays, allowed: limit, counting: "visit" }
    : measured
}

function measureSpan(
  rule: CountingRule,
  visits: Visits,
  maxDays: number | null,
  measureReturns: MeasureReturns | null,
): MeasuredStay | null {
  const { kind, months } = rule
  const first = visits[visits.length - 2]!
  const last = visits[visits.length - 1]!
  const allowed = rule.days ?? maxDays
  if (kind === "per_entry") {
    if (measureReturns !== null && allowed !== null) return measureReturns(rule, visits, allowed)
    const entry = findEntry(visits, rule.daysOutside ?? 0)
    const isInMonths = months !== null && (maxDays === null || maxDays >= months * LEAST_DAYS_OF_MONTH)
    const allowedDays = isInMonths ? addCivilMonths(entry, months) - entry + 1 : allowed
    return allowedDays === null
      ? null
      : { days: countVisitDays(visits, entry, last) - uncountedDays(rule), allowed: allowedDays, counting: kind }
  }
  if (allowed === null) return null
  if (kind === "rolling") {
    return { days: countVisitDays(visits, findWindowStart(rule.windowDays!, last), last), allowed, counting: kind }
  }
  let days = 0
  if (kind === "calendar_year") {
    for (let to = last; to >= first; ) {
      const newYear = findNewYear(to)
      days = Math.max(days, countVisitDays(visits, newYear, to))
      to = newYear - 1
    }
  } else {
    for (let from = visits[0]!; from <= last; ) {
      const next = addCivilMonths(from, 12)
      if (next > first) days = Math.max(days, countVisitDays(visits, from, Math.min(last, next - 1)))
      from = findPresence(visits, next)
    }
  }
  return { days, allowed, counting: kind }
}

/** Returns how many days of a visit do not count: the day of the entry, under a rule that says so. */
export function uncountedDays(rule: Pick<CountingRule, "firstDayCounted"> | null): number {
  return Number(rule?.firstDayCounted === false)
}

/** Measures the last of some visits by the allowed days since an admission. */
type MeasureReturns = (rule: CountingRule, visits: Visits, allowed: number) => MeasuredStay

/**
 * Measures visits of which some return from a neighbour of the rule, on the given first days. A traveller who returns before the end of the
 * admission has the rest of its days; later, the days of a readmission, or a new admission.
 */
export function measureAdmission(
  rule: CountingRule,
  visits: Visits,
  allowed: number,
  returns: readonly EpochDay[],
): MeasuredStay {
  const uncounted = uncountedDays(rule)
  let entry = visits[0]!
  let given = allowed
  let isReadmitted = false
  for (let at = 2; at < visits.length; at += 2) {
    const first = visits[at]!
    const isReturn = returns.includes(first)
    const isInTime = first < entry + given + uncounted
    isReadmitted = isReturn && (isInTime || rule.readmissionDays !== null)
    if (isReturn && isInTime) continue
    entry = first
    given = isReadmitted ? rule.readmissionDays! : allowed
  }
  const days = visits[visits.length - 1]! - entry + 1 - uncounted
  return { days, allowed: given, counting: isReadmitted ? "admission" : "per_entry" }
}

/** The days of a waiver are those of each visit under it, whatever days the rule has for other visits. */
export function limitVisits<Rule extends CountingRule>(
  rule: Rule | null,
  held: object | null,
  maxDays: number | null,
): Rule | null {
  if (rule === null || held === null || maxDays === null) return rule
  return rule.kind === "per_entry" ? { ...rule, days: null, visitDays: null } : { ...rule, visitDays: maxDays }
}

// Returns the day of the entry to which the last visit still belongs.
function findEntry(visits: Visits, daysOutside: number): EpochDay {
  let at = visits.length - 2
  while (at > 0 && visits[at]! - visits[at - 1]! - 1 < daysOutside) at -= 2
  return visits[at]!
}

// Returns the first day of presence from a day on; the day after the last visit if there is none.
function findPresence(visits: Visits, day: EpochDay): EpochDay {
  for (let at = 0; at < visits.length; at += 2) if (visits[at + 1]! >= day) return Math.max(visits[at]!, day)
  return visits[visits.length - 1]! + 1
}

// Counts the days of visits between two days, both included.
function countVisitDays(visits: Visits, from: EpochDay, to: EpochDay): number {
  const count = startCountSince(from)
  for (let at = 0; at < visits.length && visits[at]! <= to; at += 2) {
    addDays(count, visits[at]!, visits[at + 1]! < to ? visits[at + 1]! : to, "certain")
  }
  return count.certain
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
