/**
 * Do policies make sense before they are compiled?
 *
 * Reports a rule without passports or with unknown codes and blocs, impossible terms, a basis that does not fit its bloc, a rule that is
 * given twice for the same days, and a territory that follows an unknown destination.
 */
import type { FactIssue } from "../errors.ts"
import type { Report } from "../rules/table.ts"
import { FactChecker } from "./fact-checker.ts"
import type { Bloc, Facts, Policy, Rule, Terms } from "./facts.ts"
import { overlaps, sameAnswer } from "./resolve.ts"

/** Finds every mistake in policies and their rules. */
export function checkPolicies(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  const policies = new Map(facts.policies.map(policy => [policy.destination, policy]))
  for (const policy of facts.policies) {
    const report = checker.reportIn(`policies/${policy.destination}`)
    checker.checkDestination(report, "destination", policy.destination)
    checkFollows(report, policy, policies)
    checkDefaults(checker, report, policy)
    checkRules(checker, report, policy, "rules")
    checkRules(checker, report, policy, "reviewed")
  }
  return checker.issues
}

function checkFollows(report: Report, { destination, follows }: Policy, policies: ReadonlyMap<string, Policy>): void {
  if (follows === null) return
  const followed = policies.get(follows)
  if (followed === undefined) report("UnknownCode", "follows", `"${follows}" has no policy to follow.`)
  else if (followed.follows !== null || follows === destination) {
    const next = followed.follows ?? "itself"
    report("ImpossibleRule", "follows", `${follows} follows ${next}: name that policy instead.`)
  }
}

function checkDefaults(checker: FactChecker, report: Report, { destination, defaults }: Policy): void {
  defaults.forEach((terms, place) => {
    const field = `default[${place}]`
    checkTerms(checker, report, field, terms, [destination])
    if (terms.basis === "freedom_of_movement") {
      const message = "A default covers passports outside the treaty: name its members."
      report("ImpossibleRule", `${field}.basis`, message)
    }
    const twin = defaults.findIndex(other => overlaps(other, terms) && sameAnswer(other, terms))
    if (twin < place && twin >= 0) {
      report("DuplicateRule", field, `The same is already in default[${twin}] for the same days.`)
    }
  })
}

function checkRules(checker: FactChecker, report: Report, policy: Policy, list: "rules" | "reviewed"): void {
  const bySelector = new Map<string, { readonly rule: Rule; readonly place: number }[]>()
  policy[list].forEach((rule, place) => {
    const at = `${list}[${place}]`
    if (rule.passports.length === 0) {
      report("ImpossibleRule", `${at}.passports`, "A rule names at least one passport or @bloc.")
    }
    rule.passports.forEach((selector, index) => {
      const field = `${at}.passports[${index}]`
      checker.checkSelector(report, field, selector)
      const earlier = bySelector.get(selector) ?? []
      const twin = earlier.find(other => overlaps(other.rule, rule) && sameAnswer(other.rule, rule))
      if (twin !== undefined) {
        report("DuplicateRule", field, `${selector} is already in ${list}[${twin.place}] for the same days.`)
      }
      bySelector.set(selector, [...earlier, { rule, place }])
    })
    checkTerms(checker, report, at, rule, [policy.destination, ...expandSelectors(rule.passports, checker.blocs)])
  })
}

/** `covered`: the countries that a treaty has to cover where the terms rest on one. */
function checkTerms(
  checker: FactChecker,
  report: Report,
  field: string,
  terms: Terms,
  covered: readonly string[],
): void {
  const { requirement, days } = terms
  checker.checkSpan(report, `${field}.`, terms)
  checker.checkDate(report, `${field}.verified_on`, terms.verifiedOn)
  checker.checkSource(report, `${field}.source`, terms.source)
  checker.checkRequirement(report, `${field}.requirement`, requirement)
  checker.checkStay(report, `${field}.days`, requirement, days)
  if (terms.basis === "freedom_of_movement") checkTreaty(checker, report, field, terms, covered)
  else checkNoTreaty(report, field, terms)
}

function checkNoTreaty(report: Report, field: string, { basis, bloc }: Terms): void {
  if (bloc !== null) {
    report("ImpossibleRule", `${field}.bloc`, "A bloc is given only with basis freedom_of_movement.")
  }
  if (basis !== null) {
    report("ImpossibleRule", `${field}.basis`, `"${basis}" is derived and cannot be written in a rule.`)
  }
}

function checkTreaty(
  checker: FactChecker,
  report: Report,
  field: string,
  terms: Terms,
  covered: readonly string[],
): void {
  if (terms.requirement !== "visa_free") {
    const message = `Freedom of movement contradicts ${terms.requirement}.`
    report("ImpossibleRule", `${field}.requirement`, message)
  }
  const name = terms.bloc ?? ""
  const bloc = checker.blocs.get(name)
  if (bloc === undefined) {
    report("UnknownBloc", `${field}.bloc`, `freedom_of_movement names its bloc: "${name}" does not exist.`)
    return
  }
  if (!bloc.freedomOfMovement) {
    report("ImpossibleRule", `${field}.bloc`, `${bloc.id} gives no freedom of movement.`)
  }
  const strangers = covered.filter(code => !bloc.members.some(member => member.code === code))
  if (strangers.length > 0) {
    report("ImpossibleRule", `${field}.bloc`, `${strangers.join(", ")} never belonged to ${bloc.id}.`)
  }
}

function expandSelectors(selectors: readonly string[], blocs: ReadonlyMap<string, Bloc>): string[] {
  return selectors.flatMap(selector =>
    selector.startsWith("@") ? (blocs.get(selector.slice(1))?.members.map(member => member.code) ?? []) : [selector],
  )
}
