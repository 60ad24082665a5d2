/**
 * Is this a valid question about stays?
 *
 * Reads input of any type, reports mistakes with their paths, and makes a snapshot of plain numbers, so that later
 * code meets no getter, proxy or textual date. Everything is bounded: the number of stays, the length of rules, the
 * dates (1900 to 2199). This file does not judge whether a stay is legal.
 */
import { type EpochDay, isEpochDay, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import { isRecordedBeside } from "../dataset/open.ts"
import { describe, type InputIssue, sayRefused } from "../errors.ts"
import { list, object, type Refusal, row } from "../fields/kinds.ts"
import { readerOf } from "../fields/read.ts"
import { fieldsOf, readList, readObject, refuseOtherFields } from "../requirement/question.ts"
import { EARLIER_STAY, refuseEnd } from "./request-fields.ts"
import type { DaySpan } from "./stay-counting.ts"
import { layOutPresence, type Presence } from "./zone-days.ts"
import type { ZoneMember, ZoneRule, ZoneTerms } from "./zones.ts"
import { findMemberships, firstMemberDay, lastMemberDay } from "./zones.ts"

/** The most stays in one question. */
const MAX_STAYS = 1_000
/** The most memberships that a zone may have. */
const MAX_MEMBERSHIPS = 1_000
/** The longest allowance of a zone, and the longest stay in a question, in days. */
export const MAX_ALLOWANCE_DAYS = 3_650
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
const RULE_FIELDS = /* @__PURE__ */ fieldsOf("kind", "allowanceDays", "windowDays")
const MEMBER_FIELDS = /* @__PURE__ */ fieldsOf("code", "fromDay", "untilDay")

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
export interface History {
  readonly rule: ZoneRule
  readonly presence: Presence
  /** The stays of which some days do not count, in their order. */
  readonly notCounted: readonly UncountedStay[]
}

/** Reads a date as a day; returns a placeholder if it is refused. */
export function readDay(value: unknown, path: string, issues: InputIssue[]): EpochDay {
  const day = parseCivilDate(value)
  if (day === null) {
    issues.push({ path, message: sayRefused(value, "not a calendar date YYYY-MM-DD from 1900 to 2199") })
  }
  return day ?? 0
}

/** Reads a number of days from 1 to `most`; returns a placeholder if it is refused. */
export function readDayCount(value: unknown, most: number, path: string, issues: InputIssue[]): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return value
  issues.push({ path, message: sayRefused(value, `not a whole number of days from 1 to ${most}`) })
  return 1
}

/**
 * Reads a zone and the stays of one traveller, and finds the days of the stays in the zone, up to those that begin by `lastDay`. A destination
 * that the zone's dataset does not have is a mistake, because it is misspelt.
 */
export function readHistory(
  zone: unknown,
  stays: unknown,
  issues: InputIssue[],
  lastDay: EpochDay = LAST_DAY,
): History {
  const terms = readZone(zone, issues)
  const spans: DaySpan[] = []
  const notCounted: UncountedStay[] = []
  const given = readStays({ stays }, issues).stays ?? []
  for (const [index, { destination, fromDay: first, toDay: last, permit }] of given.entries()) {
    const leaveOut = (days: number, reason: UncountedStay["reason"]) => {
      if (days > 0) notCounted.push({ index, destination, days, reason })
    }
    if (!isRecordedBeside(zone as object, destination)) {
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

function readZone(value: unknown, issues: InputIssue[]): ZoneTerms {
  const known = issues.length
  const zone = readObject(value, "zone", issues)
  if (issues.length > known) return { rule: PLACEHOLDER_RULE, members: [] }
  refuseOtherFields(zone, ZONE_FIELDS, "zone.", issues)
  return {
    rule: readRule(zone.rule, issues),
    members: readList(zone.members, { least: 0, most: MAX_MEMBERSHIPS }, "zone.members", issues).map((member, place) =>
      readMember(member, `zone.members[${place}]`, issues),
    ),
  }
}

const PLACEHOLDER_RULE: ZoneRule = { kind: "single-permission", allowanceDays: 1 }

function readRule(value: unknown, issues: InputIssue[]): ZoneRule {
  const known = issues.length
  const given = readObject(value, "zone.rule", issues)
  if (issues.length > known) return PLACEHOLDER_RULE
  refuseOtherFields(given, RULE_FIELDS, "zone.rule.", issues)
  const { kind, allowanceDays, windowDays } = given
  if (kind !== "rolling" && kind !== "single-permission") {
    issues.push({ path: "zone.rule.kind", message: sayRefused(kind, 'neither "rolling" nor "single-permission"') })
    return PLACEHOLDER_RULE
  }
  const allowance = readDayCount(allowanceDays, MAX_ALLOWANCE_DAYS, "zone.rule.allowanceDays", issues)
  if (kind === "single-permission") return { kind, allowanceDays: allowance }
  const path = "zone.rule.windowDays"
  const window = readDayCount(windowDays, MAX_WINDOW_DAYS, path, issues)
  if (issues.length === known && window <= allowance) {
    // Such a rule could never be broken, so it is a mistake.
    issues.push({ path, message: `${window} days are not longer than the allowance of ${allowance}.` })
  }
  return { kind, allowanceDays: allowance, windowDays: window }
}

function readMember(value: unknown, path: string, issues: InputIssue[]): ZoneMember {
  const known = issues.length
  const given = readObject(value, path, issues)
  if (issues.length > known) return { code: "", fromDay: null, untilDay: null }
  refuseOtherFields(given, MEMBER_FIELDS, `${path}.`, issues)
  const { code, fromDay, untilDay } = given
  const from = readMembershipDay(fromDay, `${path}.fromDay`, issues)
  const until = readMembershipDay(untilDay, `${path}.untilDay`, issues)
  if (from !== null && until !== null && until <= from) {
    issues.push({ path: `${path}.untilDay`, message: `Day ${until} is not after the first day, ${from}.` })
  }
  return { code: readCode(code, `${path}.code`, issues), fromDay: from, untilDay: until }
}

function readMembershipDay(value: unknown, path: string, issues: InputIssue[]): EpochDay | null {
  if (value === null || isEpochDay(value)) return value
  issues.push({ path, message: `${describe(value)} is neither null nor a whole number of days since 1970-01-01.` })
  return null
}

function readCode(value: unknown, path: string, issues: InputIssue[]): string {
  if (isCode(value)) return value
  issues.push({ path, message: sayRefused(value, "not an ISO 3166-1 alpha-3 code: three capital letters") })
  return ""
}
