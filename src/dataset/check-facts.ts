/**
 * Do the facts make sense before anything is compiled from them?
 *
 * Every mistake is reported with its record and field, not only the first. Two rules of one rank that disagree are found while
 * compiling, because that needs the days.
 */
import type { FactIssue } from "../errors.ts"
import { checkConditions } from "./check-conditions.ts"
import { checkKinds } from "./check-kinds.ts"
import { checkPolicies } from "./check-policies.ts"
import { checkRecords } from "./check-records.ts"
import { checkStays } from "./check-stays.ts"
import { checkTravelRules } from "./check-travel-rules.ts"
import type { Facts } from "./facts.ts"

/** Finds every mistake in the facts. Empty: they can be compiled. */
export function checkFacts(facts: Facts): readonly FactIssue[] {
  return [checkRecords, checkPolicies, checkTravelRules, checkConditions, checkStays, checkKinds].flatMap(check =>
    check(facts),
  )
}
