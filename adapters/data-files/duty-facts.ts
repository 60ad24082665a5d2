/**
 * Which facts of `data/destinations/` bind a visitor by law, in the words of a decision?
 *
 * Arrival forms, insurance, certificates of vaccination, registration at the border and announced authorisations are written once, as facts with
 * name, page and source. What a decision needs of them is made here. As in a record, a fact that names passports goes before one for
 * everybody, and of two facts about insurance the first decides.
 */
import type { ProvisionFact } from "../../src/compiler.ts"
import { isRequirement, REQUIREMENTS, type Requirement } from "../../src/engine.ts"
import type { FactRecord, SubjectFile } from "./file-records.ts"

type Duty = ProvisionFact<"duties">
type Asked = Omit<Duty, "destinations">

/** By the file of a subject: what its facts about a destination ask; `all`: its facts about all of them. */
const ASKED_BY = {
  "arrival-form": listForms,
  insurance: listInsurance,
  "yellow-fever": (facts, all) => {
    const risky = all.flatMap(({ risk, destinations }) => (risk === true ? destinations : []))
    return facts.flatMap(fact => askVaccination(fact, risky))
  },
  "planned-authorisation": listAnnounced,
  border: listRegistered,
} satisfies {
  readonly [File in SubjectFile]?: (facts: readonly FactRecord[], all: readonly FactRecord[]) => readonly Asked[]
}

/** A file of facts that bind a visitor. */
export type DutyFile = keyof typeof ASKED_BY
export const DUTY_FILES = Object.keys(ASKED_BY) as readonly DutyFile[]

/** Lists the duties of all destinations, those with the same terms together. */
export function listDuties(records: { readonly [File in DutyFile]: readonly FactRecord[] }): readonly Duty[] {
  const found = DUTY_FILES.flatMap(file => {
    const all = records[file]
    const facts = all.flatMap(fact => fact.destinations.map(destination => ({ destination, fact })))
    return [...Map.groupBy(facts, ({ destination }) => destination)].flatMap(([destination, own]) =>
      ASKED_BY[file](
        own.map(({ fact }) => fact),
        all,
      ).map(asked => ({ destination, asked })),
    )
  })
  return [...Map.groupBy(found, ({ asked }) => JSON.stringify(asked)).values()].map(same => ({
    ...same[0]!.asked,
    destinations: same.map(({ destination }) => destination).sort(),
  }))
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

function listForms(facts: readonly FactRecord[]): readonly Asked[] {
  const mandatory = facts.filter(fact => fact.mandatory === true)
  return mandatory.map(fact => {
    const { form, name, passports, earliest_days: days, everybody, exempt_passports: exempt } = fact
    const asked = {
      // The forms of one destination are told apart by their names.
      name: mandatory.filter(each => each.form === form).length > 1 ? (name as string) : undefined,
      everybody: everybody === true,
      ...scope(requirementsOf(fact), codesOf(passports), codesOf(exempt)),
    }
    return form === "paper" ? { kind: "paper", ...asked } : { kind: "form", days: days as number | undefined, ...asked }
  })
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
