/**
 * Do countries, passports, sources, blocs and the dataset's own days make sense before they are compiled?
 *
 * Reports a record that is listed twice, a malformed code, a passport without its country, a day that no calendar has, and a
 * member that belongs to a bloc twice on the same days.
 */
import { FIRST_DAY, LAST_DAY } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import type { FactIssue } from "../errors.ts"
import { FactChecker } from "./fact-checker.ts"
import type { Bloc, Facts } from "./facts.ts"
import { dayOr, overlaps } from "./resolve.ts"

/** More than the world produces in a year, in US dollars. */
const MAX_GDP_USD = 1e15

/** Finds every mistake in the records that rules refer to. */
export function checkRecords(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  checkLists(checker, facts)
  checkCountries(checker, facts)
  checkPassports(checker, facts)
  for (const { id, snapshotOn } of facts.sources) {
    checker.checkDate(checker.reportIn("sources"), `${id}.retrieved_on`, snapshotOn)
  }
  checkDays(checker, facts)
  for (const bloc of facts.blocs) checkMembers(checker, bloc)
  return checker.issues
}

function checkLists(checker: FactChecker, facts: Facts): void {
  const lists: Readonly<Record<string, readonly string[]>> = {
    countries: facts.destinations.map(({ code }) => code),
    passports: facts.passports,
    sources: facts.sources.map(({ id }) => id),
    blocs: facts.blocs.map(({ id }) => id),
    policies: facts.policies.map(({ destination }) => destination),
  }
  for (const [record, values] of Object.entries(lists)) {
    const report = checker.reportIn(record)
    const seen = new Set<string>()
    for (const value of values) {
      if (seen.has(value)) report("DuplicateRecord", value, `${value} is given twice.`)
      seen.add(value)
    }
  }
}

function checkCountries(checker: FactChecker, { destinations }: Facts): void {
  const report = checker.reportIn("countries")
  if (destinations.length === 0) report("ImpossibleRule", "", "At least one is expected.")
  for (const { code, gdpUsd } of destinations) {
    if (!isCode(code)) report("UnknownCode", code, `"${code}" is not three capital letters.`)
    if (gdpUsd !== null && !(gdpUsd >= 0 && gdpUsd <= MAX_GDP_USD)) {
      report("ImpossibleRule", `${code}.gdp_usd`, `${gdpUsd} is not a number from 0 to ${MAX_GDP_USD}.`)
    }
  }
}

function checkPassports(checker: FactChecker, { passports }: Facts): void {
  const report = checker.reportIn("passports")
  if (passports.length === 0) report("ImpossibleRule", "", "At least one is expected.")
  for (const code of passports) {
    if (!isCode(code)) report("UnknownCode", code, `"${code}" is not three capital letters.`)
    else checker.checkDestination(report, code, code)
  }
}

function checkDays(checker: FactChecker, { asOf, since }: Facts): void {
  const report = checker.reportIn("dataset")
  checker.checkDate(report, "as_of", asOf)
  checker.checkDate(report, "since", since)
  if (dayOr(asOf, LAST_DAY) < dayOr(since, FIRST_DAY)) {
    report("UntilBeforeFrom", "as_of", `${asOf} is before "since" ${since}.`)
  }
}

function checkMembers(checker: FactChecker, { id, members }: Bloc): void {
  const report = checker.reportIn(`blocs/${id}`)
  members.forEach((member, place) => {
    const field = `members[${place}]`
    const twin = members.findIndex(other => other.code === member.code && overlaps(other, member))
    if (twin < place && twin >= 0) {
      report("DuplicateRule", field, `${member.code} is already at members[${twin}] for the same days.`)
    }
    checker.checkDestination(report, `${field}.code`, member.code)
    checker.checkSpan(report, `${field}.`, member)
  })
}
