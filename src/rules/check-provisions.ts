/**
 * Do the provisions make sense before they are compiled?
 *
 * The fields of each are checked by the declaration of its kind. What several provisions say together is checked here: no two stay rules and
 * no two rules for one kind of passport may have the same rank for the same people and days, because neither has priority; a destination has
 * one validity rule for a passport; and transit rules do not contradict each other.
 */
import { formatCivilDate } from "../civil-date.ts"
import { FactChecker } from "../dataset/fact-checker.ts"
import type { Facts } from "../dataset/facts.ts"
import { BRITISH_CLASSES } from "../dataset/passport-kinds.ts"
import type { FactIssue } from "../errors.ts"
import { findRivals } from "./find-rivals.ts"
import { isAgreement, PROVISION_KINDS, PROVISIONS, type ProvisionFact, type ProvisionKind } from "./provision-kinds.ts"
import { type Blocs, blocsOf } from "./scoped-lists.ts"
import type { Report, Table } from "./table.ts"

/** Finds every mistake in the provisions of every kind. */
export function checkProvisions(facts: Facts): readonly FactIssue[] {
  const checker = new FactChecker(facts)
  const classes = new Set([...checker.passports, ...BRITISH_CLASSES])
  const knownTo = (of: ProvisionKind) => (of === "kindRules" ? { ...checker.known, passports: classes } : checker.known)
  for (const of of PROVISION_KINDS) {
    const declared: Table<never> = PROVISIONS[of] as never
    const report = checker.reportIn(declared.file)
    facts[of]?.forEach((given, place) => {
      declared.check(given, `[${place}].`, report, knownTo(of))
      checker.checkOrder(report, `[${place}].`, given as Pick<Waiver, "from" | "until">)
    })
  }
  // What is malformed is compared with nothing.
  if (checker.issues.length > 0) return checker.issues
  const { validity = [], transit = [], stayRules = [], kindRules = [] } = facts
  checkValidity(checker.reportIn(PROVISIONS.validity.file), validity)
  checkTransit(checker.reportIn(PROVISIONS.transit.file), transit)
  const blocs = blocsOf(facts.blocs)
  checkStays(checker, blocs, stayRules)
  checkKinds(checker, blocs, classes, kindRules)
  return checker.issues
}

type Waiver = ProvisionFact<"waivers">
type Validity = ProvisionFact<"validity">
type Transit = ProvisionFact<"transit">
type Stay = ProvisionFact<"stayRules">
type OfKinds = ProvisionFact<"kindRules">

function checkValidity(report: Report, rules: readonly Validity[]): void {
  const rulesOf = new Map<string, readonly number[]>()
  rules.forEach((rule, place) => {
    rule.destinations.forEach((code, at) => {
      const listed = rulesOf.get(code) ?? []
      const earlier = listed.find(each => concernSame(rules[each]!, rule))
      if (earlier !== undefined) {
        report("RulesDisagree", `[${place}].destinations[${at}]`, `${code} has a rule already, [${earlier}].`)
      }
      rulesOf.set(code, [...listed, place])
    })
  })
}

// A rule for named passports goes before one for all.
function concernSame({ passports: some }: Validity, { passports: others }: Validity): boolean {
  return some == null || others == null ? (some ?? null) === (others ?? null) : some.some(code => others.includes(code))
}

function checkTransit(report: Report, rules: readonly Transit[]): void {
  rules.forEach((rule, place) => {
    const rival = rules.slice(0, place).findIndex(other => contradicts(other, rule))
    if (rival < 0) return
    const needs = rule.demand === "visa" ? "needs a visa" : "needs no visa"
    const shared = findShared(rules[rival] as Transit, rule)
    report("RulesDisagree", `[${place}].demand`, `${shared} ${needs} here, and the opposite in [${rival}].`)
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
  const destination = a.destinations.find(code => b.destinations.includes(code))
  if (destination === undefined) return null
  if (a.passports == null || b.passports == null) return `Everybody in ${destination}`
  const passport = a.passports.find(code => b.passports?.includes(code))
  return passport === undefined ? null : `${passport} in ${destination}`
}

function checkStays(checker: FactChecker, blocs: Blocs, rules: readonly Stay[]): void {
  const report = checker.reportIn(PROVISIONS.stayRules.file)
  const isSameSubject = (a: Stay, b: Stay) => (isAgreement(a) ? a.zone === b.zone : !isAgreement(b))
  for (const rivals of findRivals(blocs, checker.passports, rules, isSameSubject)) {
    const { place, rival, destination, passport, fromDay } = rivals
    const whom = `For ${passport} in ${destination} from ${formatCivilDate(fromDay)} on`
    report("RulesDisagree", `[${place}].destinations`, `${whom}, [${rival}] is a stay rule too.`)
  }
}

function checkKinds(
  checker: FactChecker,
  blocs: Blocs,
  passports: ReadonlySet<string>,
  rules: readonly OfKinds[],
): void {
  const report = checker.reportIn(PROVISIONS.kindRules.file)
  const told = new Set<number>()
  const isSameKind = (a: OfKinds, b: OfKinds) => a.kinds.some(kind => b.kinds.includes(kind))
  for (const { place, rival, passport, fromDay } of findRivals(blocs, passports, rules, isSameKind)) {
    if (told.has(place)) continue
    told.add(place)
    const whom = `For ${passport} from ${formatCivilDate(fromDay)} on`
    report("RulesDisagree", `[${place}].kinds`, `${whom}, [${rival}] has a rule for these kinds too.`)
  }
}
