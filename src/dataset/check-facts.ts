/**
 * Do the facts make sense before anything is compiled from them?
 *
 * Every mistake is reported with its record and field, not only the first. Two rules of one rank that disagree are found while
 * compiling, because that needs the days.
 */
import type { FactIssue } from "../errors.ts"
import { checkProvisions } from "../rules/check-provisions.ts"
import { checkConditions } from "./check-conditions.ts"
import { checkCorroboration } from "./check-corroboration.ts"
import { checkPolicies } from "./check-policies.ts"
import { checkRecords } from "./check-records.ts"
import { checkZones } from "./check-zones.ts"
import type { Facts } from "./facts.ts"

/** Finds every mistake in the facts. Empty: they can be compiled. */
export function checkFacts(facts: Facts): readonly FactIssue[] {
  return [checkRecords, checkPolicies, checkZones, checkProvisions, checkConditions, checkCorroboration].flatMap(
    check => check(facts),
  )
}
