/**
 * Do the facts make sense before anything is compiled from them?
 *
 * Every mistake is reported with its record and field, not only the first: an unknown code, bloc or source, a date that no
 * calendar has, a rule that ends before it begins, a record or rule that stands twice, terms that cannot be. Two rules of one
 * rank that disagree are found while compiling, because that needs the days.
 */
import { FIRST_DAY, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import type { FactIssue } from "../errors.ts"
import { isRequirement, REQUIREMENTS } from "../requirement/requirement.ts"
import { checkConditions } from "./check-conditions.ts"
import { checkStays } from "./check-stays.ts"
import { checkTravelRules } from "./check-travel-rules.ts"
import type { Bloc, Facts, Policy, Rule, Terms } from "./facts.ts"
import { dayOr } from "./resolve.ts"

/** The longest stay that a rule may allow, in days. */
const MAX_STAY_DAYS = 3650

/** More than the world produces in a year, in US dollars. */
const MAX_GDP_USD = 1e15

/** Finds every mistake in the facts. Empty: they can be compiled. */
export function checkFacts(facts: Facts): readonly FactIssue[] {
  const issues: FactIssue[] = []
  const report = (tag: FactIssue["tag"], record: string, field: string, message: string) => {
    issues.push({ tag, record, field, message })
  }
  const passports = new Set(facts.passports)
  const destinations = new Set(facts.destinations.map(destination => destination.code))
  const blocs = new Map(facts.blocs.map(bloc => [bloc.id, bloc]))
  const sources = new Set(facts.sources.map(source => source.id))

  const checkUnique = (record: string, values: readonly string[]) => {
    const seen = new Set<string>()
    for (const value of values) {
      if (seen.has(value)) report("DuplicateRecord", record, value, `${value} stands twice.`)
      seen.add(value)
    }
  }
  const checkDates = (record: string, field: string, dates: Span) => {
    for (const end of ["from", "until"] as const) {
      const text = dates[end]
      if (text !== null && parseCivilDate(text) === null) {
        report(
          "NotACalendarDate",
          record,
          `${field}.${end}`,
          `"${text}" is no calendar date YYYY-MM-DD from 1900 to 2199.`,
        )
      }
    }
    const [fromDay, untilDay] = [parseCivilDate(dates.from), parseCivilDate(dates.until)]
    if (fromDay !== null && untilDay !== null && untilDay <= fromDay) {
      report("UntilBeforeFrom", record, `${field}.until`, `${dates.until} is not after "from" ${dates.from}.`)
    }
  }
  const checkTerms = (policy: Policy, field: string, terms: Terms, covered: readonly string[]) => {
    const record = `policies/${policy.destination}`
    checkDates(record, field, terms)
    if (terms.verifiedOn !== null && parseCivilDate(terms.verifiedOn) === null) {
      report(
        "NotACalendarDate",
        record,
        `${field}.verified_on`,
        `"${terms.verifiedOn}" is no calendar date YYYY-MM-DD.`,
      )
    }
    if (terms.source !== null && !sources.has(terms.source)) {
      report("UnknownSource", record, `${field}.source`, `"${terms.source}" is no id of sources.json.`)
    }
    if (!isRequirement(terms.requirement)) {
      const message = `"${terms.requirement}" is none of ${REQUIREMENTS.join(", ")}.`
      report("ImpossibleRule", record, `${field}.requirement`, message)
    }
    if (terms.days !== null) {
      if (!Number.isInteger(terms.days) || terms.days < 1 || terms.days > MAX_STAY_DAYS) {
        report(
          "ImpossibleRule",
          record,
          `${field}.days`,
          `${terms.days} is no whole number from 1 to ${MAX_STAY_DAYS}.`,
        )
      } else if (terms.requirement === "visa_required" || terms.requirement === "no_admission") {
        report(
          "ImpossibleRule",
          record,
          `${field}.days`,
          `${terms.requirement} allows no stay that could be counted in days.`,
        )
      }
    }
    checkBasis(policy, record, field, terms, covered)
  }
  const checkBasis = (policy: Policy, record: string, field: string, terms: Terms, covered: readonly string[]) => {
    if (terms.basis !== "freedom_of_movement") {
      if (terms.bloc !== null) {
        report("ImpossibleRule", record, `${field}.bloc`, "A bloc is given only with basis freedom_of_movement.")
      }
      if (terms.basis !== null) {
        report(
          "ImpossibleRule",
          record,
          `${field}.basis`,
          `"${terms.basis}" is derived and cannot be written in a rule.`,
        )
      }
      return
    }
    if (terms.requirement !== "visa_free") {
      const message = `Freedom of movement is no ${terms.requirement}: admission and its opposite in one.`
      report("ImpossibleRule", record, `${field}.requirement`, message)
    }
    const bloc = blocs.get(terms.bloc ?? "")
    if (bloc === undefined) {
      report(
        "UnknownBloc",
        record,
        `${field}.bloc`,
        `freedom_of_movement names its bloc: "${terms.bloc ?? ""}" does not exist.`,
      )
      return
    }
    if (!bloc.freedomOfMovement) {
      report("ImpossibleRule", record, `${field}.bloc`, `${bloc.id} gives no freedom of movement.`)
    }
    const strangers = [policy.destination, ...covered].filter(
      code => !bloc.members.some(member => member.code === code),
    )
    if (strangers.length > 0) {
      report("ImpossibleRule", record, `${field}.bloc`, `${strangers.join(", ")} never belonged to ${bloc.id}.`)
    }
  }
  const checkRules = (policy: Policy, list: "rules" | "reviewed", rules: readonly Rule[]) => {
    const record = `policies/${policy.destination}`
    const placed = new Map<string, { rule: Rule; place: number }[]>()
    rules.forEach((rule, place) => {
      if (rule.passports.length === 0) {
        report("ImpossibleRule", record, `${list}[${place}].passports`, "A rule names at least one passport or @bloc.")
      }
      rule.passports.forEach((selector, at) => {
        const field = `${list}[${place}].passports[${at}]`
        if (selector.startsWith("@") ? !blocs.has(selector.slice(1)) : !passports.has(selector)) {
          const isBloc = selector.startsWith("@")
          const message = isBloc
            ? `${selector} is no bloc.`
            : `"${selector}" is none of the ${passports.size} passports.`
          report(isBloc ? "UnknownBloc" : "UnknownCode", record, field, message)
        }
        const earlier = placed.get(selector) ?? []
        const twin = earlier.find(other => overlaps(other.rule, rule) && sameAnswer(other.rule, rule))
        if (twin !== undefined) {
          const message = `${selector} already stands in ${list}[${twin.place}] for the same days.`
          report("DuplicateRule", record, field, message)
        }
        placed.set(selector, [...earlier, { rule, place }])
      })
      checkTerms(policy, `${list}[${place}]`, rule, expandSelectors(rule.passports, blocs))
    })
  }

  checkUnique(
    "countries",
    facts.destinations.map(destination => destination.code),
  )
  checkUnique("passports", facts.passports)
  checkUnique(
    "sources",
    facts.sources.map(source => source.id),
  )
  checkUnique(
    "blocs",
    facts.blocs.map(bloc => bloc.id),
  )
  checkUnique(
    "policies",
    facts.policies.map(policy => policy.destination),
  )
  for (const [record, codes] of [
    ["countries", [...destinations]],
    ["passports", facts.passports],
  ] as const) {
    for (const code of codes.filter(code => !isCode(code))) {
      report("UnknownCode", record, code, `"${code}" is not three capital letters.`)
    }
  }
  for (const code of facts.passports.filter(code => isCode(code) && !destinations.has(code))) {
    report("UnknownCode", "passports", code, `${code} is none of the ${destinations.size} destinations.`)
  }
  for (const { code, gdpUsd } of facts.destinations) {
    if (gdpUsd !== null && !(gdpUsd >= 0 && gdpUsd <= MAX_GDP_USD)) {
      report("ImpossibleRule", "countries", `${code}.gdp_usd`, `${gdpUsd} is no number from 0 to ${MAX_GDP_USD}.`)
    }
  }
  for (const { id, snapshotOn } of facts.sources) {
    if (snapshotOn !== null && parseCivilDate(snapshotOn) === null) {
      report("NotACalendarDate", "sources", `${id}.retrieved_on`, `"${snapshotOn}" is no calendar date YYYY-MM-DD.`)
    }
  }
  for (const [name, text] of [
    ["as_of", facts.asOf],
    ["since", facts.since],
  ] as const) {
    if (parseCivilDate(text) === null)
      report("NotACalendarDate", "dataset", name, `"${text}" is no calendar date YYYY-MM-DD.`)
  }
  for (const [record, { length }] of [
    ["countries", facts.destinations],
    ["passports", facts.passports],
  ] as const) {
    if (length === 0) report("ImpossibleRule", record, "(file)", "At least one is expected.")
  }
  if (dayOr(facts.asOf, LAST_DAY) < dayOr(facts.since, FIRST_DAY)) {
    report("UntilBeforeFrom", "dataset", "as_of", `${facts.asOf} is before "since" ${facts.since}.`)
  }
  for (const bloc of facts.blocs) {
    bloc.members.forEach((member, place) => {
      const field = `members[${place}]`
      const twin = bloc.members.findIndex(other => other.code === member.code && overlaps(other, member))
      if (twin < place && twin >= 0) {
        const message = `${member.code} stands at members[${twin}] for the same days.`
        report("DuplicateRule", `blocs/${bloc.id}`, field, message)
      }
      if (!destinations.has(member.code)) {
        report("UnknownCode", `blocs/${bloc.id}`, `${field}.code`, `"${member.code}" is none of the destinations.`)
      }
      checkDates(`blocs/${bloc.id}`, field, member)
    })
  }
  for (const policy of facts.policies) {
    const record = `policies/${policy.destination}`
    if (!destinations.has(policy.destination)) {
      report(
        "UnknownCode",
        record,
        "destination",
        `"${policy.destination}" is none of the ${destinations.size} destinations.`,
      )
    }
    if (policy.follows !== null) checkFollows(facts, policy, record, report)
    policy.defaults.forEach((terms, place) => {
      const field = `default[${place}]`
      checkTerms(policy, field, terms, [])
      if (terms.basis === "freedom_of_movement") {
        report(
          "ImpossibleRule",
          record,
          `${field}.basis`,
          "A default covers passports outside the treaty: name its members.",
        )
      }
      const twin = policy.defaults.findIndex(other => overlaps(other, terms) && sameAnswer(other, terms))
      if (twin < place && twin >= 0) {
        report("DuplicateRule", record, field, `The same already stands in default[${twin}] for the same days.`)
      }
    })
    checkRules(policy, "rules", policy.rules)
    checkRules(policy, "reviewed", policy.reviewed)
  }
  return [...issues, ...checkTravelRules(facts), ...checkConditions(facts), ...checkStays(facts)]
}

function checkFollows(
  facts: Facts,
  policy: Policy,
  record: string,
  report: (tag: FactIssue["tag"], record: string, field: string, message: string) => void,
) {
  const followed = facts.policies.find(other => other.destination === policy.follows)
  if (followed === undefined) {
    report("UnknownCode", record, "follows", `"${policy.follows}" has no policy to follow.`)
  } else if (followed.follows !== null || followed === policy) {
    report(
      "ImpossibleRule",
      record,
      "follows",
      `${policy.follows} follows ${followed.follows ?? "itself"}: name that policy instead.`,
    )
  }
}

function expandSelectors(selectors: readonly string[], blocs: ReadonlyMap<string, Bloc>): string[] {
  return selectors.flatMap(selector =>
    selector.startsWith("@") ? (blocs.get(selector.slice(1))?.members.map(member => member.code) ?? []) : [selector],
  )
}

type Span = { readonly from: string | null; readonly until: string | null }

// Dates of one form are in the order of their texts.
function overlaps(a: Span, b: Span): boolean {
  return (
    (a.until === null || b.from === null || b.from < a.until) &&
    (b.until === null || a.from === null || a.from < b.until)
  )
}

/** Says whether two rules ask for the same, allow the same stay and rest on the same. */
export function sameAnswer(a: Terms, b: Terms): boolean {
  return a.requirement === b.requirement && a.days === b.days && a.basis === b.basis && a.bloc === b.bloc
}
