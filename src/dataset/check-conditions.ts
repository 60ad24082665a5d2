/**
 * Do conditions, waivers and the documents that exempt from a transit visa make sense before they are compiled?
 *
 * Every mistake is reported with its record and field: an unknown word, a parameter that a kind does not have, an unknown issuer, a period
 * that ends before it begins, an admission together with a refusal. Whether a waiver improves anything is checked while compiling, because
 * that needs the answers.
 */
import type { FactIssue } from "../errors.ts"
import type { ConditionKind } from "./conditions.ts"
import { FactChecker, type Report } from "./fact-checker.ts"
import type { ConditionFact, Facts, TransitFacts } from "./facts.ts"

/** Conditions that a rule of no admission may have; the others say how to enter. */
const BESIDE_REFUSAL: readonly ConditionKind[] = [
  "border_control",
  "exempt",
  "not_enforced",
  "other",
  "special_document",
  "suspension",
]

/** Finds every mistake in conditions, waivers and transit rules. */
export function checkConditions(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  for (const policy of facts.policies) {
    const report = checker.reportIn(`policies/${policy.destination}`)
    for (const [name, rules] of [
      ["default", policy.defaults],
      ["rules", policy.rules],
      ["reviewed", policy.reviewed],
    ] as const) {
      rules.forEach(({ requirement, conditions, sourceUrl }, at) => {
        checker.checkConditions(report, `${name}[${at}].conditions`, conditions)
        checker.checkUrl(report, `${name}[${at}].source_url`, sourceUrl)
        if (requirement === "no_admission") {
          conditions?.forEach((condition, place) => {
            checkRefusal(report, `${name}[${at}].conditions[${place}]`, condition)
          })
        }
      })
    }
    checker.checkConditions(report, "conditions", policy.conditions)
    policy.conditions?.forEach((condition, at) => {
      checker.checkScope(report, `conditions[${at}].`, condition)
      checker.checkRequirements(report, `conditions[${at}].requirements`, condition.requirements)
      if (condition.requirements?.includes("no_admission")) checkRefusal(report, `conditions[${at}]`, condition)
    })
  }
  checkWaivers(checker, facts)
  checkTransit(checker, facts.transit)
  return checker.issues
}

function checkRefusal(report: Report, field: string, { kind }: ConditionFact): void {
  if (BESIDE_REFUSAL.includes(kind)) return
  const message = `${kind} says how to enter, which contradicts no_admission.`
  report("ImpossibleRule", `${field}.kind`, message)
}

function checkWaivers(checker: FactChecker, { waivers = [] }: Facts): void {
  const report = checker.reportIn("waivers")
  waivers.forEach((waiver, place) => {
    const at = `[${place}].`
    checker.checkDocuments(report, `${at}held`, waiver.held)
    checker.checkRequirement(report, `${at}requirement`, waiver.requirement)
    if (waiver.requirement === "no_admission") {
      report("ImpossibleRule", `${at}requirement`, "A waiver cannot refuse admission.")
    }
    checker.checkStay(report, `${at}days`, waiver.requirement, waiver.days)
    checker.checkConditions(report, `${at}conditions`, waiver.conditions)
    checker.checkScope(report, at, waiver)
    checker.checkConfidence(report, at, waiver.confidence)
    checker.checkProvenance(report, at, waiver)
    checker.checkCodes(report, `${at}destinations`, waiver.destinations, checker.destinations)
  })
}

function checkTransit(checker: FactChecker, rules: readonly TransitFacts[]): void {
  const report = checker.reportIn("transit")
  rules.forEach((rule, place) => {
    const at = `[${place}].`
    if (rule.area !== "airside" && rule.area !== "landside") {
      report("ImpossibleRule", `${at}area`, `"${rule.area}" is not one of airside, landside.`)
    }
    if (rule.demand !== "visa" && rule.demand !== "no_visa") {
      report("ImpossibleRule", `${at}demand`, `"${rule.demand}" is not one of visa, no_visa.`)
    }
    checker.checkConfidence(report, at, rule.confidence)
    if (rule.waivedFor !== undefined) {
      checker.checkDocuments(report, `${at}waived_for`, rule.waivedFor)
      if (rule.demand === "no_visa") {
        report("ImpossibleRule", `${at}waived_for`, "Only a rule that demands a visa can be waived.")
      }
    }
    const rival = rules.slice(0, place).findIndex(other => contradicts(other, rule))
    if (rival >= 0) {
      const shared = findShared(rules[rival] as TransitFacts, rule)
      report(
        "RulesDisagree",
        `${at}demand`,
        `${shared} ${rule.demand === "visa" ? "needs a visa" : "needs no visa"} here, and the opposite in [${rival}].`,
      )
    }
  })
}

// A list of passports makes an exception from a rule for everybody, so only rules of the same kind of scope can contradict each
// other.
function contradicts(a: TransitFacts, b: TransitFacts): boolean {
  return (
    a.demand !== b.demand &&
    a.area === b.area &&
    a.hours === b.hours &&
    (a.passports === null) === (b.passports === null) &&
    findShared(a, b) !== null
  )
}

// The first destination, and passport where they name some, for which both hold.
function findShared(a: TransitFacts, b: TransitFacts): string | null {
  const destination = a.destinations.find(code => b.destinations.includes(code))
  if (destination === undefined) return null
  if (a.passports === null || b.passports === null) return `Everybody in ${destination}`
  const passport = a.passports.find(code => b.passports?.includes(code))
  return passport === undefined ? null : `${passport} in ${destination}`
}
