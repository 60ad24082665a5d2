/**
 * Do stay rules, border rules, logged changes and second sources make sense before they are compiled?
 *
 * Every mistake is reported with its record and field: an unknown kind, a window that no stay could break, two rules of one rank for the
 * same people and days, a change without passports, two answers of one source for one passport.
 */
import { formatCivilDate } from "../civil-date.ts"
import type { FactIssue } from "../errors.ts"
import { findBorderRuleMistake } from "./border-rules.ts"
import { FactChecker, isCount, joinField, MAX_RULE_DAYS, type Report } from "./fact-checker.ts"
import { ALL_STAY_RULE_KINDS, type Facts, type StayRuleFacts, ZONE_AGREEMENT_KINDS } from "./facts.ts"
import { findRivals } from "./find-rivals.ts"

const MAX_MONTHS = 120
const MAX_CHECKS = 10

/** Finds every mistake in stay rules, border rules, the log of changes and second sources. */
export function checkStays(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  const report = checker.reportIn("stay-rules")
  const rules = facts.stayRules ?? []
  rules.forEach((rule, place) => {
    checkStayRule(checker, report, `[${place}].`, rule)
  })
  checkRivals(checker, report, rules)
  checkBorderRules(checker, facts)
  checkChangeLog(checker, facts)
  checkCorroboration(checker, facts)
  return checker.issues
}

function checkStayRule(checker: FactChecker, report: Report, at: string, rule: StayRuleFacts): void {
  const { kind, days, months, windowDays, visitDays, daysOutside, zone, agreement } = rule
  const { neighbours, readmissionDays, firstDayCounted } = rule
  checker.checkDays(report, `${at}days`, days)
  checker.checkDays(report, `${at}visit_days`, visitDays)
  checker.checkDays(report, `${at}days_outside`, daysOutside)
  checker.checkDays(report, `${at}readmission_days`, readmissionDays)
  if (neighbours != null) checker.checkCodes(report, `${at}neighbours`, neighbours, checker.destinations)
  checker.checkScopedRule(report, at, rule)
  if (!ALL_STAY_RULE_KINDS.includes(kind)) {
    report("ImpossibleRule", `${at}kind`, `"${kind}" is not one of ${ALL_STAY_RULE_KINDS.join(", ")}.`)
    return
  }
  const refuseUnless = (isRight: boolean, field: string, message: string) => {
    if (!isRight) report("ImpossibleRule", `${at}${field}`, message)
  }
  const hasWindow = windowDays != null
  const longest = days ?? 1
  refuseUnless(
    hasWindow
      ? (kind === "rolling" || (kind === "beside_zone" && days !== null)) &&
          isCount(windowDays, longest + 1, 2 * MAX_RULE_DAYS)
      : kind !== "rolling",
    "window_days",
    "A rolling rule has a window longer than its days; calendar years and entries have none.",
  )
  refuseUnless(
    months == null || (kind === "per_entry" && days === null && isCount(months, 1, MAX_MONTHS)),
    "months",
    "Months are given for per_entry only, instead of days, from 1 to 120.",
  )
  refuseUnless(
    daysOutside == null || kind === "per_entry",
    "days_outside",
    "Days outside before a new entry are given for per_entry only.",
  )
  refuseUnless(
    visitDays == null || (kind !== "per_entry" && (days === null || visitDays <= days)),
    "visit_days",
    "The longest visit is not longer than all days together, and for per_entry it is the days themselves.",
  )
  const isPlainEntry = kind === "per_entry" && months == null && daysOutside == null
  refuseUnless(
    neighbours == null || (isPlainEntry && !neighbours.some(code => rule.destinations.includes(code))),
    "neighbours",
    "Neighbours are other destinations, named for per_entry only, without months and days outside.",
  )
  refuseUnless(
    readmissionDays == null || neighbours != null,
    "readmission_days",
    "Days of a readmission are given with the neighbours that it is from.",
  )
  refuseUnless(
    firstDayCounted !== false || isPlainEntry,
    "first_day_counted",
    "That the first day does not count is said for per_entry only, without months and days outside.",
  )
  const isBeside = isAgreement(rule)
  refuseUnless(
    isBeside ? zone != null && checker.zones.has(zone) : zone == null,
    "zone",
    isBeside ? `"${zone ?? ""}" is not a zone.` : "A zone is named by beside_zone and may_exceed_zone only.",
  )
  refuseUnless(
    isBeside === (agreement != null),
    "agreement",
    isBeside ? "The agreement is named." : "An agreement is named by beside_zone and may_exceed_zone only.",
  )
}

// Bars are about the traveller, whatever the passport that is used.
function checkBorderRules(checker: FactChecker, { borderRules = [] }: Facts): void {
  const report = checker.reportIn("border-rules")
  borderRules.forEach((rule, place) => {
    const at = `[${place}].`
    const { terms } = rule
    const mistake = findBorderRuleMistake(terms)
    if (mistake !== null) {
      report("ImpossibleRule", joinField(`[${place}]`, mistake.field), mistake.message)
      return
    }
    for (const field of ["neighbours", "present", "nationals"] as const) {
      const codes = (terms as { readonly [Field in typeof field]?: readonly string[] })[field]
      if (codes !== undefined) checker.checkCodes(report, `${at}${field}`, codes, checker.destinations)
    }
    if (terms.kind === "own_passport") checker.checkSelector(report, `${at}citizens_of`, terms.citizensOf)
    if (terms.kind === "bar" && (rule.passports ?? rule.except) !== undefined) {
      report("ImpossibleRule", `${at}passports`, "A bar names no passports: it is about the traveller.")
    }
    checker.checkScopedRule(report, at, rule)
  })
}

function isAgreement({ kind }: StayRuleFacts): boolean {
  return (ZONE_AGREEMENT_KINDS as readonly string[]).includes(kind)
}

// Neither of the two has priority.
function checkRivals(checker: FactChecker, report: Report, rules: readonly StayRuleFacts[]): void {
  const isSameSubject = (a: StayRuleFacts, b: StayRuleFacts) => (isAgreement(a) ? a.zone === b.zone : !isAgreement(b))
  for (const { place, rival, destination, passport, fromDay } of findRivals(checker, rules, isSameSubject)) {
    const whom = `For ${passport} in ${destination} from ${formatCivilDate(fromDay)} on`
    report("RulesDisagree", `[${place}].destinations`, `${whom}, [${rival}] is a stay rule too.`)
  }
}

function checkChangeLog(checker: FactChecker, { changeLog = [] }: Facts): void {
  const report = checker.reportIn("change-log")
  changeLog.forEach((change, place) => {
    const at = `[${place}].`
    checker.checkDestination(report, `${at}destination`, change.destination)
    checker.checkDate(report, `${at}on`, change.on)
    checker.checkScope(report, at, { passports: change.passports })
    checker.checkProvenance(report, at, change)
    const twin = changeLog.findIndex(
      other => other.destination === change.destination && other.on === change.on && other.change === change.change,
    )
    if (twin < place) report("DuplicateRule", `[${place}]`, `The same is already in [${twin}].`)
  })
}

function checkCorroboration(checker: FactChecker, { corroboration = [] }: Facts): void {
  const seen = new Set<string>()
  for (const { destination, checks } of corroboration) {
    const report = checker.reportIn(`corroboration/${destination}`)
    checker.checkDestination(report, "destination", destination)
    if (seen.has(destination)) report("DuplicateRecord", "destination", `${destination} is given twice.`)
    seen.add(destination)
    if (checks.length === 0 || checks.length > MAX_CHECKS) {
      report("ImpossibleRule", "checks", `1 to ${MAX_CHECKS} sources are expected.`)
    }
    checks.forEach((check, place) => {
      const at = `checks[${place}].`
      checker.checkProvenance(report, at, { ...check, verifiedOn: null })
      checker.checkDate(report, `${at}checked_on`, check.checkedOn)
      if (check.says.filter(({ passports }) => passports === undefined).length > 1) {
        report(
          "ImpossibleRule",
          `${at}says`,
          "At most one answer may be for all passports that are not named elsewhere.",
        )
      }
      const placed = new Map<string, string>()
      const placePassports = (field: string, selectors: readonly string[] | undefined) => {
        checker.checkScope(report, field.replace(/passports$|silent$/, ""), { passports: selectors })
        selectors?.forEach((selector, i) => {
          const earlier = placed.get(selector)
          if (earlier !== undefined) report("DuplicateRule", `${field}[${i}]`, `${selector} is already in ${earlier}.`)
          placed.set(selector, field)
        })
      }
      check.says.forEach(({ requirement, days, passports }, i) => {
        checker.checkRequirement(report, `${at}says[${i}].requirement`, requirement)
        checker.checkDays(report, `${at}says[${i}].days`, days)
        placePassports(`${at}says[${i}].passports`, passports)
      })
      placePassports(`${at}silent`, check.silent)
      check.reasons?.forEach(({ passports }, i) => {
        checker.checkScope(report, `${at}reasons[${i}].`, { passports })
      })
    })
  }
}
