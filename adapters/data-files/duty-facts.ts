/**
 * Which facts of `data/destinations/` bind a visitor by law, in the words of a decision?
 *
 * Arrival forms, insurance, certificates of vaccination, registration at the border, announced authorisations and second nationalities are written once,
 * as facts with name, page and source. What a decision needs of them is made here. As in a record, a fact that names passports goes before one for
 * everybody, and of two facts about insurance the first decides.
 */
import type { ProvisionFact } from "../../src/compiler.ts"
import { isRequirement, REQUIREMENTS, type Requirement } from "../../src/engine.ts"
import type { FactRecord } from "./file-records.ts"

type Duty = ProvisionFact<"duties">
type Asked = Omit<Duty, "destinations">

/** The facts that duties are made from. */
export interface DutyRecords {
  readonly arrivalForms: readonly FactRecord[]
  readonly insurance: readonly FactRecord[]
  readonly yellowFever: readonly FactRecord[]
  readonly plannedAuthorisations: readonly FactRecord[]
  readonly dualNationality: readonly FactRecord[]
  readonly border: readonly FactRecord[]
}

/** Lists the duties of all destinations, those with the same terms together. */
export function listDuties(records: DutyRecords): readonly Duty[] {
  const { arrivalForms, insurance, yellowFever, plannedAuthorisations, dualNationality, border } = records
  const risky = yellowFever.flatMap(({ risk, destinations }) => (risk === true ? destinations : []))
  const found: (readonly [destination: string, asked: Asked])[] = [
    ...[...groupByDestination(arrivalForms)].flatMap(([destination, facts]) =>
      facts.flatMap(fact => askForm(fact, facts).map(asked => [destination, asked] as const)),
    ),
    ...[...groupByDestination(insurance)].flatMap(([destination, facts]) =>
      listInsurance(facts).map(asked => [destination, asked] as const),
    ),
    ...yellowFever.flatMap(fact =>
      askVaccination(fact, risky).flatMap(asked => fact.destinations.map(each => [each, asked] as const)),
    ),
    ...[...groupByDestination(plannedAuthorisations)].flatMap(([destination, facts]) =>
      listAnnounced(facts).map(asked => [destination, asked] as const),
    ),
    ...[...groupByDestination(border)].flatMap(([destination, facts]) =>
      listRegistered(facts).map(asked => [destination, asked] as const),
    ),
    ...dualNationality.flatMap(({ destinations }) =>
      destinations.map(each => [each, { kind: "nationality" }] as const),
    ),
  ]
  return [...Map.groupBy(found, ([, asked]) => JSON.stringify(asked)).values()].map(same => ({
    ...same[0]![1],
    destinations: same.map(([destination]) => destination).sort(),
  }))
}

function groupByDestination(facts: readonly FactRecord[]): ReadonlyMap<string, readonly FactRecord[]> {
  const pairs = facts.flatMap(fact => fact.destinations.map(destination => [destination, fact] as const))
  const groups = Map.groupBy(pairs, ([destination]) => destination)
  return new Map([...groups].map(([destination, own]) => [destination, own.map(([, fact]) => fact)]))
}

const codesOf = (value: unknown): readonly string[] => (value as readonly string[] | undefined)?.toSorted() ?? []
const orAbsent = (codes: readonly string[]) => (codes.length === 0 ? undefined : codes)
const requirementsOf = ({ requirements }: FactRecord): readonly Requirement[] =>
  requirements?.filter(isRequirement) ?? REQUIREMENTS

// In the order of all requirements; absent for all of them.
function scope(asked: readonly Requirement[], passports: readonly string[], except: readonly string[]) {
  const isAll = asked.length === REQUIREMENTS.length
  return {
    requirements: isAll ? undefined : REQUIREMENTS.filter(each => asked.includes(each)),
    passports: orAbsent(passports),
    except: orAbsent(except),
  }
}

function askForm(fact: FactRecord, all: readonly FactRecord[]): readonly Asked[] {
  const { form, mandatory, passports, earliest_days: earliestDays, everybody, exempt_passports: exempt } = fact
  if (mandatory !== true) return []
  // The forms of one destination are told apart by their names.
  const isOneOfSeveral = all.filter(each => each.mandatory === true && each.form === form).length > 1
  const asked = {
    name: isOneOfSeveral ? (fact.name as string) : undefined,
    everybody: everybody === true,
    ...scope(requirementsOf(fact), codesOf(passports), codesOf(exempt)),
  }
  if (form === "paper") return [{ kind: "paper", ...asked }]
  return [{ kind: "form", days: earliestDays as number | undefined, ...asked }]
}

function listInsurance(facts: readonly FactRecord[]): readonly Asked[] {
  const isNamed = ({ passports }: FactRecord) => passports !== undefined
  const ordered = [...facts.filter(isNamed), ...facts.filter(fact => !isNamed(fact))]
  return ordered.flatMap((fact, place): readonly Asked[] => {
    if (fact.required === false) return []
    const before = ordered.slice(0, place)
    const left = requirementsOf(fact).filter(
      each => !before.some(other => !isNamed(other) && requirementsOf(other).includes(each)),
    )
    if (left.length === 0) return []
    const decided = before.filter(isNamed).flatMap(({ passports }) => codesOf(passports))
    return [{ kind: "insurance", ...scope(left, codesOf(fact.passports), [...new Set(decided)].sort()) }]
  })
}

function listRegistered(facts: readonly FactRecord[]): readonly Asked[] {
  const isAsked = (fact: FactRecord) => fact.entry_exit_system === true
  const except = facts.filter(fact => !isAsked(fact)).flatMap(({ passports }) => codesOf(passports))
  return facts.filter(isAsked).map(fact => ({ kind: "registered", ...scope(requirementsOf(fact), [], except) }))
}

// Whoever makes an international voyage is a traveller, also one who comes home: International Health Regulations (2005), Art. 1(1).
function askVaccination(fact: FactRecord, risky: readonly string[]): readonly Asked[] {
  const { certificate, from_months: months, partly, countries = risky } = fact
  if (certificate !== "all_travellers" && certificate !== "from_risk_countries") return []
  const from = certificate === "all_travellers" ? undefined : codesOf(countries)
  const kind = partly === true ? "check_vaccination" : "vaccination"
  return [{ kind, everybody: true, months: months as number | undefined, countries: from }]
}

function listAnnounced(facts: readonly FactRecord[]): readonly Asked[] {
  const isExempt = (fact: FactRecord) => fact.exempt === true
  const except = facts.filter(isExempt).flatMap(({ passports }) => codesOf(passports))
  return facts
    .filter(fact => !isExempt(fact))
    .map(fact => ({
      kind: "announced",
      from: fact.required_from as string,
      ...scope(requirementsOf(fact), codesOf(fact.passports), except),
    }))
}
