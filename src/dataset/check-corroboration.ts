/**
 * Do logged changes and second sources make sense before they are compiled?
 *
 * Every mistake is reported with its record and field: a change without passports, two answers of one source for one passport.
 */
import type { FactIssue } from "../errors.ts"
import { FactChecker } from "./fact-checker.ts"
import type { Facts } from "./facts.ts"

const MAX_CHECKS = 10

/** Finds every mistake in the log of changes and in second sources. */
export function checkCorroboration(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  checkChangeLog(checker, facts)
  checkChecks(checker, facts)
  return checker.issues
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

function checkChecks(checker: FactChecker, { corroboration = [] }: Facts): void {
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
