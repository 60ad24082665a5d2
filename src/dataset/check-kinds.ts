/**
 * Do the rules for kinds of passports make sense before they are compiled?
 *
 * Every mistake is reported with its record and field: a kind that does not exist, a rule for ordinary passports, which have policies, and two rules of one rank for the same document and
 * day.
 */
import { formatCivilDate } from "../civil-date.ts"
import type { FactIssue } from "../errors.ts"
import { FactChecker, type Report } from "./fact-checker.ts"
import type { Facts, KindRuleFacts } from "./facts.ts"
import { findRivals } from "./find-rivals.ts"
import { BRITISH_CLASSES, PASSPORT_KINDS } from "./passport-kinds.ts"

/** Finds every mistake in the rules for kinds of passports. */
export function checkKinds(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker({ ...facts, passports: [...facts.passports, ...BRITISH_CLASSES] })
  const report = checker.reportIn("passport-kinds")
  const rules = facts.kindRules ?? []
  rules.forEach((rule, place) => {
    checkRule(checker, report, `[${place}].`, rule)
  })
  checkRivals(checker, report, rules)
  return checker.issues
}

function checkRule(checker: FactChecker, report: Report, at: string, rule: KindRuleFacts): void {
  const { kinds, passports, requirement, days, basis } = rule
  if (kinds.length === 0) report("ImpossibleRule", `${at}kinds`, "At least one kind is expected.")
  kinds.forEach((kind, place) => {
    const field = `${at}kinds[${place}]`
    if (!PASSPORT_KINDS.includes(kind)) {
      report("ImpossibleRule", field, `"${kind}" is not one of ${PASSPORT_KINDS.join(", ")}.`)
    }
    if (kinds.indexOf(kind) < place) report("DuplicateRule", field, `${kind} is given twice.`)
  })
  if (kinds.includes("ordinary") && passports?.every(code => BRITISH_CLASSES.includes(code)) !== true) {
    const message = `A rule for ordinary passports names classes of British nationals only: ${BRITISH_CLASSES.join(", ")}.`
    report("ImpossibleRule", `${at}passports`, message)
  }
  if (basis !== undefined && (basis !== "freedom_of_movement" || requirement !== "visa_free" || days !== null)) {
    report("ImpossibleRule", `${at}basis`, "Freedom of movement needs no visa and has no days.")
  }
  checker.checkRequirement(report, `${at}requirement`, requirement)
  checker.checkDays(report, `${at}days`, days)
  checker.checkScopedRule(report, at, rule)
}

// Neither of the two has priority.
function checkRivals(checker: FactChecker, report: Report, rules: readonly KindRuleFacts[]): void {
  const told = new Set<number>()
  const isSameKind = (a: KindRuleFacts, b: KindRuleFacts) => a.kinds.some(kind => b.kinds.includes(kind))
  for (const { place, rival, passport, fromDay } of findRivals(checker, rules, isSameKind)) {
    if (told.has(place)) continue
    told.add(place)
    const whom = `For ${passport} from ${formatCivilDate(fromDay)} on`
    report("RulesDisagree", `[${place}].kinds`, `${whom}, [${rival}] has a rule for these kinds too.`)
  }
}
