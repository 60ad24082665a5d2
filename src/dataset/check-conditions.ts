/**
 * Do conditions of policies make sense before they are compiled?
 *
 * Every mistake is reported with its record and field: an unknown word, a parameter that a kind does not have, an unknown issuer, a period
 * that ends before it begins, an admission together with a refusal. Whether a waiver improves anything is checked while compiling, because
 * that needs the answers.
 */
import type { FactIssue } from "../errors.ts"
import type { ConditionKind } from "../rules/condition-words.ts"
import { type ConditionFact, policyCondition, ruleCondition } from "../rules/conditions.ts"
import type { Report } from "../rules/table.ts"
import { FactChecker } from "./fact-checker.ts"
import type { Facts } from "./facts.ts"

/** Conditions that a rule of no admission may have; the others say how to enter. */
const BESIDE_REFUSAL: readonly ConditionKind[] = [
  "border_control",
  "exempt",
  "not_enforced",
  "other",
  "special_document",
  "suspension",
]

/** Finds every mistake in conditions. */
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
        checker.checkConditions(report, `${name}[${at}].conditions`, conditions, ruleCondition)
        checker.checkUrl(report, `${name}[${at}].source_url`, sourceUrl)
        if (requirement === "no_admission") {
          conditions?.forEach((condition, place) => {
            checkRefusal(report, `${name}[${at}].conditions[${place}]`, condition)
          })
        }
      })
    }
    checker.checkConditions(report, "conditions", policy.conditions, policyCondition)
    policy.conditions?.forEach((condition, at) => {
      checker.checkOrder(report, `conditions[${at}].`, condition)
      if (condition.requirements?.includes("no_admission")) checkRefusal(report, `conditions[${at}]`, condition)
    })
  }
  return checker.issues
}

function checkRefusal(report: Report, field: string, { kind }: ConditionFact): void {
  if (BESIDE_REFUSAL.includes(kind)) return
  const message = `${kind} says how to enter, which contradicts no_admission.`
  report("ImpossibleRule", `${field}.kind`, message)
}
