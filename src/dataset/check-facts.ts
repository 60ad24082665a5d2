/**
 * Do the facts make sense before anything is compiled from them?
 *
 * The fields of each record are checked by the declaration of its kind. What several fields or records say together is checked here: what is
 * given twice, what contradicts itself, and which two provisions have the same rank for the same passports and days, because neither has
 * priority. Every mistake is reported with its record and field, not only the first. Two rules of policies that disagree are found while
 * compiling, because that needs the days, and so are waivers that improve nothing.
 */
import { type EpochDay, FIRST_DAY, formatCivilDate, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { BRITISH_CLASSES, isCode } from "../codes.ts"
import type { FactIssue } from "../errors.ts"
import {
  type ConditionFact,
  type ConditionKind,
  checkProvision,
  isAgreement,
  type Membership,
  members,
  PROVISIONS,
  type ProvisionFact,
  type ProvisionKind,
  policyCondition,
  RULES,
  secondSource,
  type Terms,
} from "../rules/provision-kinds.ts"
import { type Blocs, blocsOf, type ExpandedScope, expandScope, namesPassport } from "../rules/provisions.ts"
import { checkRecord, code, date, type Known, listOf, type Report } from "../rules/table.ts"
import type { Bloc, Facts, Policy, Rule } from "./facts.ts"

/** Reads a date of the facts; `absent` if there is none. */
export function dayOr(text: string | null, absent: EpochDay): EpochDay {
  return text === null ? absent : (parseCivilDate(text) ?? absent)
}

type Span = Pick<Terms, "from" | "until">

/** Says whether two spans of days have a day in common. */
function overlaps(one: Span, other: Span): boolean {
  // Dates of one form are in the order of their texts.
  return (
    (one.until === null || other.from === null || other.from < one.until) &&
    (other.until === null || one.from === null || one.from < other.until)
  )
}

/** Says whether two rules have the same requirement, stay and basis. */
export function sameAnswer(one: Terms, other: Terms): boolean {
  return (
    one.requirement === other.requirement &&
    one.days === other.days &&
    one.basis === other.basis &&
    one.bloc === other.bloc
  )
}

/** What the checks of facts have in common. */
interface Checker {
  readonly facts: Facts
  /** What records may refer to. */
  readonly known: Known
  readonly blocs: ReadonlyMap<string, Bloc>
  readonly issues: FactIssue[]
  /** Reports the mistakes of a record. */
  readonly reportIn: (record: string) => Report
}

/** Makes what the checks of facts have in common. */
export function checkerOf(facts: Facts): Checker {
  const issues: FactIssue[] = []
  const setOf = (records: readonly { readonly id: string }[]) => new Set(records.map(({ id }) => id))
  return {
    facts,
    known: {
      destinations: new Set(facts.destinations.map(each => each.code)),
      passports: new Set(facts.passports),
      blocs: setOf(facts.blocs),
      zones: setOf(facts.zones),
      sources: setOf(facts.sources),
    },
    blocs: new Map(facts.blocs.map(bloc => [bloc.id, bloc])),
    issues,
    reportIn: record => (tag, field, message) => issues.push({ tag, record, field, message }),
  }
}

/** Finds every mistake in the facts. Empty: they can be compiled. */
export function checkFacts(facts: Facts): readonly FactIssue[] {
  const checker = checkerOf(facts)
  for (const check of [checkRecords, checkPolicies, checkZones, checkProvisions, checkCorroboration]) check(checker)
  return checker.issues
}

// ---- Countries, passports, sources, blocs and the dataset's own days

/** More than the world produces in a year, in US dollars. */
const MAX_GDP_USD = 1e15

function checkRecords({ facts, known, reportIn }: Checker): void {
  const { destinations, passports, sources, blocs, zones, policies, asOf, since } = facts
  const named = {
    countries: destinations.map(each => each.code),
    passports,
    sources: sources.map(({ id }) => id),
    blocs: blocs.map(({ id }) => id),
    zones: zones.map(({ id }) => id),
    policies: policies.map(({ destination }) => destination),
  }
  for (const [record, values] of Object.entries(named)) {
    const report = reportIn(record)
    values.forEach((value, place) => {
      if (values.indexOf(value) < place) report("DuplicateRecord", value, `${value} is given twice.`)
    })
    if (record !== "countries" && record !== "passports") continue
    if (values.length === 0) report("ImpossibleRule", "", "At least one is expected.")
    for (const value of values) {
      if (!isCode(value)) report("UnknownCode", value, `"${value}" is not three capital letters.`)
      else code("destinations").check(value, value, report, known)
    }
  }
  for (const country of destinations) {
    if (country.gdpUsd === null || (country.gdpUsd >= 0 && country.gdpUsd <= MAX_GDP_USD)) continue
    const message = `${country.gdpUsd} is not a number from 0 to ${MAX_GDP_USD}.`
    reportIn("countries")("ImpossibleRule", `${country.code}.gdp_usd`, message)
  }
  for (const { id, snapshotOn } of sources) {
    if (snapshotOn !== null) date.check(snapshotOn, `${id}.retrieved_on`, reportIn("sources"), known)
  }
  const report = reportIn("dataset")
  date.check(asOf, "as_of", report, known)
  date.check(since, "since", report, known)
  if (dayOr(asOf, LAST_DAY) < dayOr(since, FIRST_DAY)) {
    report("UntilBeforeFrom", "as_of", `${asOf} is before "since" ${since}.`)
  }
  for (const bloc of blocs) {
    const ofBloc = reportIn(`blocs/${bloc.id}`)
    members.check(bloc.members, "members", ofBloc, known)
    reportTwins(bloc.members, ofBloc)
  }
}

function reportTwins(all: readonly Membership[], report: Report): void {
  all.forEach((member, place) => {
    const twin = all.findIndex(other => other.code === member.code && overlaps(other, member))
    if (twin >= place) return
    report("DuplicateRule", `members[${place}]`, `${member.code} is already at members[${twin}] for the same days.`)
  })
}

// A destination belongs to one zone at most, so that a decision never has to choose between two.
function checkZones({ facts, known, reportIn }: Checker): void {
  const zoneOf = new Map<string, string>()
  for (const zone of facts.zones) {
    const report = reportIn(`zones/${zone.id}`)
    checkProvision("zones", zone, "", report, known)
    reportTwins(zone.members, report)
    zone.members.forEach((member, place) => {
      const other = zoneOf.get(member.code) ?? zone.id
      if (other !== zone.id) {
        report("RulesDisagree", `members[${place}].code`, `${member.code} belongs to ${other} too.`)
      }
      zoneOf.set(member.code, zone.id)
    })
  }
}

// ---- Policies

/** Conditions that a rule of no admission may have; the others say how to enter. */
const BESIDE_REFUSAL: readonly ConditionKind[] = [
  "border_control",
  "exempt",
  "not_enforced",
  "other",
  "special_document",
  "suspension",
]

const policyConditions = listOf(policyCondition, "condition")

function checkPolicies(checker: Checker): void {
  const { facts, known, reportIn } = checker
  const policies = new Map(facts.policies.map(policy => [policy.destination, policy]))
  for (const policy of facts.policies) {
    const { destination, follows, defaults, conditions } = policy
    const report = reportIn(`policies/${destination}`)
    code("destinations").check(destination, "destination", report, known)
    const followed = follows === null ? null : policies.get(follows)
    if (followed === undefined) report("UnknownCode", "follows", `"${follows}" has no policy to follow.`)
    else if (followed !== null && (followed.follows !== null || follows === destination)) {
      const next = followed.follows ?? "itself"
      report("ImpossibleRule", "follows", `${follows} follows ${next}: name that policy instead.`)
    }
    defaults.forEach((terms, place) => {
      const field = `default[${place}]`
      checkRecord(RULES.defaults, terms, `${field}.`, report, known)
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
    for (const list of ["rules", "reviewed"] as const) checkRules(checker, report, policy, list)
    if (conditions === undefined || conditions.length === 0) continue
    policyConditions.check(conditions, "conditions", report, known)
    conditions.forEach((condition, at) => {
      if (condition.requirements?.includes("no_admission")) checkRefusal(report, `conditions[${at}]`, condition)
    })
  }
}

function checkRules(checker: Checker, report: Report, policy: Policy, list: "rules" | "reviewed"): void {
  const bySelector = new Map<string, { readonly rule: Rule; readonly place: number }[]>()
  policy[list].forEach((rule, place) => {
    const at = `${list}[${place}]`
    checkRecord(RULES.rules, rule, `${at}.`, report, checker.known)
    rule.passports.forEach((selector, index) => {
      const earlier = bySelector.get(selector) ?? []
      const twin = earlier.find(other => overlaps(other.rule, rule) && sameAnswer(other.rule, rule))
      if (twin !== undefined) {
        const message = `${selector} is already in ${list}[${twin.place}] for the same days.`
        report("DuplicateRule", `${at}.passports[${index}]`, message)
      }
      bySelector.set(selector, [...earlier, { rule, place }])
    })
    const passports = rule.passports.flatMap(selector =>
      selector.startsWith("@")
        ? (checker.blocs.get(selector.slice(1))?.members.map(member => member.code) ?? [])
        : [selector],
    )
    checkTerms(checker, report, at, rule, [policy.destination, ...passports])
  })
}

/** `covered`: the countries that a treaty has to cover where the terms rest on one. */
function checkTerms({ blocs }: Checker, report: Report, field: string, terms: Terms, covered: readonly string[]): void {
  const { requirement, days, basis, bloc: name, conditions = [] } = terms
  const refuse = (place: string, message: string) => report("ImpossibleRule", `${field}.${place}`, message)
  if (days !== null && (requirement === "visa_required" || requirement === "no_admission")) {
    refuse("days", `${requirement} allows no stay that could be counted in days.`)
  }
  if (requirement === "no_admission") {
    for (const [place, condition] of conditions.entries()) {
      checkRefusal(report, `${field}.conditions[${place}]`, condition)
    }
  }
  if (basis !== "freedom_of_movement") {
    if (name !== null) refuse("bloc", "A bloc is given only with basis freedom_of_movement.")
    if (basis !== null) refuse("basis", `"${basis}" is derived and cannot be written in a rule.`)
    return
  }
  if (requirement !== "visa_free") refuse("requirement", `Freedom of movement contradicts ${requirement}.`)
  const bloc = blocs.get(name ?? "")
  if (bloc === undefined) {
    report("UnknownBloc", `${field}.bloc`, `freedom_of_movement names its bloc: "${name ?? ""}" does not exist.`)
    return
  }
  if (!bloc.freedomOfMovement) refuse("bloc", `${bloc.id} gives no freedom of movement.`)
  const strangers = covered.filter(each => !bloc.members.some(member => member.code === each))
  if (strangers.length > 0) refuse("bloc", `${strangers.join(", ")} never belonged to ${bloc.id}.`)
}

function checkRefusal(report: Report, field: string, { kind }: ConditionFact): void {
  if (BESIDE_REFUSAL.includes(kind)) return
  report("ImpossibleRule", `${field}.kind`, `${kind} says how to enter, which contradicts no_admission.`)
}

// ---- Provisions

function checkProvisions({ facts, known, issues, reportIn }: Checker): void {
  const before = issues.length
  const classes = new Set([...facts.passports, ...BRITISH_CLASSES])
  const inFile = (of: ProvisionKind) => reportIn(PROVISIONS[of].file.replace(".json", ""))
  for (const of of Object.keys(PROVISIONS) as ProvisionKind[]) {
    // Those of zones are checked, each as a record of its own.
    if (of === "zones") continue
    const knownHere = of === "kindRules" ? { ...known, passports: classes } : known
    for (const [place, given] of (facts[of] ?? []).entries()) {
      checkProvision(of, given, `[${place}].`, inFile(of), knownHere)
    }
  }
  // What is malformed is compared with nothing.
  if (issues.length > before) return
  const { validity = [], transit = [], stayRules = [], kindRules = [], changeLog = [] } = facts
  const blocs = blocsOf(facts.blocs)
  checkValidity(inFile("validity"), validity)
  checkTransit(inFile("transit"), transit)
  const ofStays = inFile("stayRules")
  const isSameSubject = (a: Stay, b: Stay) => (isAgreement(a) ? a.zone === b.zone : !isAgreement(b))
  for (const each of findRivals(blocs, new Set(facts.passports), stayRules, isSameSubject)) {
    const whom = `For ${each.passport} in ${each.destination} from ${formatCivilDate(each.fromDay)} on`
    ofStays("RulesDisagree", `[${each.place}].destinations`, `${whom}, [${each.rival}] is a stay rule too.`)
  }
  const ofKinds = inFile("kindRules")
  const told = new Set<number>()
  const isSameKind = (a: OfKinds, b: OfKinds) => a.kinds.some(kind => b.kinds.includes(kind))
  for (const { place, rival, passport, fromDay } of findRivals(blocs, classes, kindRules, isSameKind)) {
    if (told.has(place)) continue
    told.add(place)
    const whom = `For ${passport} from ${formatCivilDate(fromDay)} on`
    ofKinds("RulesDisagree", `[${place}].kinds`, `${whom}, [${rival}] has a rule for these kinds too.`)
  }
  changeLog.forEach(({ destinations, on, change }, place) => {
    const twin = changeLog.findIndex(
      other => `${other.destinations}` === `${destinations}` && other.on === on && other.change === change,
    )
    if (twin >= place) return
    inFile("changeLog")("DuplicateRule", `[${place}]`, `The same is already in [${twin}].`)
  })
}

type Validity = ProvisionFact<"validity">
type Transit = ProvisionFact<"transit">
type Stay = ProvisionFact<"stayRules">
type OfKinds = ProvisionFact<"kindRules">

// A destination has one validity rule for a passport. A rule for named passports goes before one for all.
function checkValidity(report: Report, rules: readonly Validity[]): void {
  const isForSame = ({ passports: some }: Validity, { passports: others }: Validity): boolean =>
    some == null || others == null ? (some ?? null) === (others ?? null) : some.some(each => others.includes(each))
  rules.forEach((rule, place) => {
    rule.destinations.forEach((each, at) => {
      const earlier = rules.findIndex(other => other.destinations.includes(each) && isForSame(other, rule))
      if (earlier >= place) return
      report("RulesDisagree", `[${place}].destinations[${at}]`, `${each} has a rule already, [${earlier}].`)
    })
  })
}

function checkTransit(report: Report, rules: readonly Transit[]): void {
  rules.forEach((rule, place) => {
    const rival = rules.slice(0, place).findIndex(other => contradicts(other, rule))
    if (rival < 0) return
    const other = rules[rival] as Transit
    const shared = findShared(other, rule)
    report("RulesDisagree", `[${place}].demand`, `${shared}: ${rule.demand} here, and ${other.demand} in [${rival}].`)
  })
}

// A list of passports makes an exception from a rule for everybody, so only rules of the same kind of scope can contradict each other.
function contradicts(a: Transit, b: Transit): boolean {
  return (
    a.demand !== b.demand &&
    a.area === b.area &&
    (a.hours ?? null) === (b.hours ?? null) &&
    (a.passports == null) === (b.passports == null) &&
    findShared(a, b) !== null
  )
}

// The first destination, and passport where they name some, for which both hold.
function findShared(a: Transit, b: Transit): string | null {
  const destination = a.destinations.find(each => b.destinations.includes(each))
  if (destination === undefined) return null
  if (a.passports == null || b.passports == null) return `Everybody in ${destination}`
  const passport = a.passports.find(each => b.passports?.includes(each))
  return passport === undefined ? null : `${passport} in ${destination}`
}

/** A rule, an earlier one that rivals it, and the first destination, passport and day of both. */
interface Rivals {
  readonly place: number
  readonly rival: number
  readonly destination: string
  readonly passport: string
  readonly fromDay: EpochDay
}

// Finds two provisions of one kind that apply to the same passport on the same day, with the same rank.
function findRivals<Rule extends Stay | OfKinds>(
  blocs: Blocs,
  passports: ReadonlySet<string>,
  rules: readonly Rule[],
  isSameSubject: (rule: Rule, other: Rule) => boolean,
): readonly Rivals[] {
  const scopes = rules.map(rule => expandScope(blocs, rule))
  const findFirst = (some: readonly ExpandedScope[], others: readonly ExpandedScope[]) => {
    for (const a of some) {
      for (const b of others) {
        if (a.rank !== b.rank || a.fromDay >= b.untilDay || b.fromDay >= a.untilDay) continue
        const passport = [...passports].find(each => namesPassport(a, each) && namesPassport(b, each))
        if (passport !== undefined) return { passport, fromDay: Math.max(a.fromDay, b.fromDay, FIRST_DAY) }
      }
    }
    return null
  }
  return rules.flatMap((rule, place) =>
    rules.slice(0, place).flatMap((other, rival): readonly Rivals[] => {
      const destination = rule.destinations.find(each => other.destinations.includes(each))
      const sharesRequirement = other.requirements?.some(each => rule.requirements?.includes(each) ?? true) ?? true
      if (destination === undefined || !sharesRequirement || !isSameSubject(other, rule)) return []
      const first = findFirst(scopes[rival] as readonly ExpandedScope[], scopes[place] as readonly ExpandedScope[])
      return first === null ? [] : [{ place, rival, destination, ...first }]
    }),
  )
}

// ---- Second sources

const MAX_CHECKS = 10

function checkCorroboration({ facts: { corroboration = [] }, known, reportIn }: Checker): void {
  const seen = new Set<string>()
  for (const { destination, checks } of corroboration) {
    const report = reportIn(`corroboration/${destination}`)
    code("destinations").check(destination, "destination", report, known)
    if (seen.has(destination)) report("DuplicateRecord", "destination", `${destination} is given twice.`)
    seen.add(destination)
    if (checks.length === 0 || checks.length > MAX_CHECKS) {
      report("ImpossibleRule", "checks", `1 to ${MAX_CHECKS} sources are expected.`)
    }
    checks.forEach((check, place) => {
      const at = `checks[${place}]`
      secondSource.check(check, at, report, known)
      if (check.says.filter(({ passports }) => passports === undefined).length > 1) {
        const message = "At most one answer may be for all passports that are not named elsewhere."
        report("ImpossibleRule", `${at}.says`, message)
      }
      const placed = new Map<string, string>()
      const placeAll = (field: string, selectors: readonly string[] = []) =>
        selectors.forEach((selector, i) => {
          const earlier = placed.get(selector)
          if (earlier !== undefined) report("DuplicateRule", `${field}[${i}]`, `${selector} is already in ${earlier}.`)
          placed.set(selector, field)
        })
      for (const [i, { passports }] of check.says.entries()) placeAll(`${at}.says[${i}].passports`, passports)
      placeAll(`${at}.silent`, check.silent)
    })
  }
}
