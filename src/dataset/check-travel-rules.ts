/**
 * Do the rules for destinations make sense: zones, passport validity, transit?
 *
 * Every mistake is reported with its record and field. A destination belongs to one zone at most and has one validity rule for a passport, so
 * that a decision never has to choose between two.
 */
import type { FactIssue } from "../errors.ts"
import { FactChecker, isCount, MAX_RULE_DAYS, type Report } from "./fact-checker.ts"
import type { Facts, ValidityFacts, ZoneFacts } from "./facts.ts"
import { overlaps } from "./resolve.ts"

/** The longest validity that a rule may ask for, in months, days or years since issue. */
const MAX_VALIDITY = 120
const MAX_EXPIRED = 10

/** Finds every mistake in the rules for destinations. */
export function checkTravelRules(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  const checkCount = (report: Report, field: string, value: number, least: number, most: number) => {
    if (!isCount(value, least, most)) {
      report("ImpossibleRule", field, `${value} is not a whole number from ${least} to ${most}.`)
    }
  }

  const zoneOf = new Map<string, string>()
  for (const zone of facts.zones) {
    const report = checker.reportIn(`zones/${zone.id}`)
    checker.checkProvenance(report, "", zone)
    checkCount(report, "rule.allowance_days", zone.allowanceDays, 1, MAX_RULE_DAYS)
    checkWindow(report, zone)
    checkMembers(checker, report, zone, zoneOf)
  }
  const ids = facts.zones.map(({ id }) => id)
  ids.forEach((id, place) => {
    if (ids.indexOf(id) < place) checker.reportIn("zones")("DuplicateRecord", id, `${id} is given twice.`)
  })

  const rulesOf = new Map<string, readonly number[]>()
  facts.validity.forEach((rule, place) => {
    const report = checker.reportIn("passport-validity")
    checker.checkProvenance(report, `[${place}].`, rule)
    checkCount(report, `[${place}].months`, rule.months, 0, MAX_VALIDITY)
    checkCount(report, `[${place}].days`, rule.days, 0, MAX_VALIDITY)
    if (rule.issuedWithinYears !== null) {
      checkCount(report, `[${place}].issued_within_years`, rule.issuedWithinYears, 1, MAX_VALIDITY)
    }
    if (rule.expiredWithinYears != null) {
      checkCount(report, `[${place}].expired_within_years`, rule.expiredWithinYears, 1, MAX_EXPIRED)
    }
    if (rule.anchor === "permitted_stay" && rule.months > 0) {
      report("ImpossibleRule", `[${place}].months`, "After the permitted stay, days are counted.")
    }
    for (const field of ["passports", "except"] as const) {
      const codes = rule[field]
      if (codes !== undefined) checker.checkCodes(report, `[${place}].${field}`, codes, checker.passports)
    }
    if (rule.passports !== undefined && rule.except !== undefined) {
      report("ImpossibleRule", `[${place}].except`, "A rule for all has exceptions, one for some has none.")
    }
    checker.checkCodes(report, `[${place}].destinations`, rule.destinations, checker.destinations)
    rule.destinations.forEach((code, at) => {
      const listed = rulesOf.get(code) ?? []
      const earlier = listed.find(each => each !== place && concernSame(facts.validity[each]!, rule))
      if (earlier !== undefined) {
        report("RulesDisagree", `[${place}].destinations[${at}]`, `${code} has a rule already, [${earlier}].`)
      }
      rulesOf.set(code, [...listed, place])
    })
  })

  facts.transit.forEach((rule, place) => {
    const report = checker.reportIn("transit")
    checker.checkProvenance(report, `[${place}].`, rule)
    if (rule.hours !== null) checkCount(report, `[${place}].hours`, rule.hours, 1, 24 * MAX_VALIDITY)
    if (rule.passports !== null) {
      checker.checkCodes(report, `[${place}].passports`, rule.passports, checker.passports)
    }
    checker.checkCodes(report, `[${place}].destinations`, rule.destinations, checker.destinations)
  })
  return checker.issues
}

// A rule for named passports goes before one for all.
function concernSame({ passports: some }: ValidityFacts, { passports: others }: ValidityFacts): boolean {
  return some === undefined || others === undefined ? some === others : some.some(code => others.includes(code))
}

// A window that is not longer than the allowance could never be broken: a typing error, not a permission to stay for ever.
function checkWindow(report: Report, { kind, allowanceDays, windowDays }: ZoneFacts) {
  const isRight =
    kind === "rolling"
      ? isCount(windowDays, allowanceDays + 1, 2 * MAX_RULE_DAYS)
      : kind === "single-permission" && windowDays === null
  if (!isRight) {
    const message = "A rolling rule has a window longer than its allowance, a single permission none."
    report("ImpossibleRule", "rule.window_days", message)
  }
}

function checkMembers(checker: FactChecker, report: Report, { id, members }: ZoneFacts, zoneOf: Map<string, string>) {
  members.forEach((member, place) => {
    const field = `members[${place}]`
    checker.checkDestination(report, `${field}.code`, member.code)
    checker.checkSpan(report, `${field}.`, member)
    const other = zoneOf.get(member.code) ?? id
    if (other !== id) report("RulesDisagree", `${field}.code`, `${member.code} belongs to ${other} too.`)
    const twin = members.findIndex(earlier => earlier.code === member.code && overlaps(earlier, member))
    if (twin < place) report("DuplicateRule", field, `${member.code} is already at members[${twin}] for the same days.`)
    zoneOf.set(member.code, id)
  })
}
