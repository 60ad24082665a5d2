/**
 * Do zones make sense before they are compiled?
 *
 * Every mistake is reported with its record and field. A destination belongs to one zone at most, so that a decision never has to choose
 * between two.
 */
import type { FactIssue } from "../errors.ts"
import { MAX_RULE_DAYS } from "../rules/provision-kinds.ts"
import type { Report } from "../rules/table.ts"
import { FactChecker, isCount } from "./fact-checker.ts"
import type { Facts, ZoneFacts } from "./facts.ts"
import { overlaps } from "./resolve.ts"

/** Finds every mistake in zones. */
export function checkZones(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  const zoneOf = new Map<string, string>()
  for (const zone of facts.zones) {
    const report = checker.reportIn(`zones/${zone.id}`)
    checker.checkProvenance(report, "", zone)
    checker.checkDays(report, "rule.allowance_days", zone.allowanceDays)
    checkWindow(report, zone)
    checkMembers(checker, report, zone, zoneOf)
  }
  const ids = facts.zones.map(({ id }) => id)
  ids.forEach((id, place) => {
    if (ids.indexOf(id) < place) checker.reportIn("zones")("DuplicateRecord", id, `${id} is given twice.`)
  })

  return checker.issues
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
