/** Compares what the full records call mandatory, on arrival or by a condition of a rule, with what decisions ask. */
import { parseCivilDate } from "../../src/civil-date.ts"
import type { Decision } from "../../src/engine.ts"
import { assembleFullRecord, completeToDo, type FullRecord, type LocalisedFacts } from "../../src/full.ts"
import { listArrivalForms } from "../../src/record/checklist.ts"
import { findCase } from "../../src/record/full.ts"
import { CONDITION_KINDS } from "../../src/rules/provision-kinds.ts"
import { REASONS } from "../../src/trip/reasons.ts"
import { DUTIES, decided, stay } from "./decisions.ts"

const valid = { passportExpiry: "2036-01-01", passportIssued: "2026-06-02" }

// What the record of a pair lists: the steps of mandatory forms by their names, the insurance of a law, and the certificate of vaccination of
// all travellers, or of those who come from the passport's country.
function listOfRecord(localised: LocalisedFacts, passport: string, destination: string, on: string): readonly string[] {
  const situation = findCase(localised, passport, destination, { on })
  const record = assembleFullRecord(localised, passport, destination, { on })
  if (situation === null || record === null || situation.answer.requirement === "no_admission") return []
  const forms = listArrivalForms(situation).filter(({ value }) => value.mandatory)
  return [
    ...forms.map(({ value: { form, name, url = null } }) =>
      form === "paper"
        ? `arrival_form_paper on_arrival ${name} ${url}`
        : `arrival_form before_departure ${name} ${url}`,
    ),
    ...(record.insurance_required?.required === true ? ["insurance before_departure null null"] : []),
    ...listCertificate(localised, passport, destination, record),
    ...(record.conditions ?? []).flatMap(({ kind }) => (TO_OBTAIN.includes(kind) ? [kind] : [])),
    ...(record.tips?.some(tip => tip.includes("ETIAS")) ? ["authorisation_announced"] : []),
    ...(record.tips?.some(tip => tip.includes("EES")) ? ["entry_exit_system"] : []),
  ].sort()
}

function listCertificate(
  { facts }: LocalisedFacts,
  passport: string,
  destination: string,
  { health_requirements: health, vaccinations_required: listed = [] }: FullRecord,
): readonly string[] {
  if (health?.vaccination_proof === true) return ["vaccination before_departure null null"]
  const isRisky = facts.factsOf(passport).yellowFever.some(({ value }) => value.risk)
  const isFrom = facts
    .factsOf(destination)
    .yellowFever.some(({ value: { countries } }) => countries?.includes(passport) ?? isRisky)
  return listed.length > 0 && isFrom && passport !== destination ? ["check_vaccination"] : []
}

/** The conditions of rules that have to be met before departure, such as the bond for a visa of the United States. */
const TO_OBTAIN: readonly string[] = CONDITION_KINDS.filter(kind => kind in REASONS.obtain)

const TOLD = ["entry_exit_system", "authorisation_announced", "check_vaccination"]
const isTold = ({ code }: Decision["conditions"][number]) => TOLD.includes(code)

const listOfDecision = (decision: Decision): readonly string[] =>
  [
    ...decision.toDo
      .filter(({ code }) => DUTIES.includes(code))
      .map(({ code, due, name, url }) => `${code} ${due} ${name} ${url}`),
    ...decision.conditions.filter(each => isTold(each) || TO_OBTAIN.includes(each.code)).map(({ code }) => code),
  ].sort()

/** Compares every `step`th pair from `offset` on, for a stay of six days from a day on; lists where the two differ. */
export function compareDuties(localised: LocalisedFacts, from: string, step: number, offset: number) {
  const { dataset, facts } = localised
  const { passports, destinations } = dataset
  const to = new Date((parseCivilDate(from)! + 5) * 86_400_000).toISOString().slice(0, 10)
  const differences: string[] = []
  let duties = 0
  for (let pair = offset; pair < passports.length * destinations.length; pair += step) {
    const passport = passports[Math.floor(pair / destinations.length)]!
    const destination = destinations[pair % destinations.length]!
    const trip = { passport, ...valid, stops: [stay(destination, from, to)] }
    const asTourist = decided(dataset, trip)
    // The record is of every purpose: where tourists are turned back whatever they obtain, it names what others obtain.
    const isBarred = asTourist.blockers.some(({ code }) => code === "barred")
    if (isBarred && asTourist.toDo.length > 0)
      differences.push(`${passport} ${destination}: barred, and told to obtain`)
    const decision = isBarred ? decided(dataset, { ...trip, purpose: "business" }) : asTourist
    const asked = listOfDecision(completeToDo(facts, decision))
    const listed = listOfRecord(localised, passport, destination, from)
    duties += listed.length
    if (`${asked}` !== `${listed}`) differences.push(`${passport} ${destination}: ${asked}; in the record: ${listed}`)
    // Only where sources contradict each other whether the traveller may enter at all is the answer less than that.
    const isDisputed = decision.unknowns.some(({ code }) => code === "disputed")
    const isNamed = ["obtain", "blocked", ...(isDisputed ? ["unknown"] : [])].includes(decision.outcome)
    if (asked.some(each => each.includes("before") || TO_OBTAIN.includes(each)) && !isNamed) {
      differences.push(`${passport} ${destination}: ${decision.outcome}`)
    }
    // Nobody obtains what belongs to a visa that is not issued.
    const isSuspended = decision.blockers.some(({ code }) => code === "visa_suspended")
    const isListed = (code: string) => decision.toDo.some(each => each.code === code && each.due === "before_departure")
    for (const code of isSuspended ? [] : asked.filter(each => TO_OBTAIN.includes(each))) {
      if (!isListed(code)) differences.push(`${passport} ${destination}: ${code} is not to do`)
    }
    const leavesOpen = ({ code, params }: Decision["conditions"][number]) =>
      code === "check_vaccination" || (code === "authorisation_announced" && String(params.from) <= from)
    if (decision.conditions.some(leavesOpen) && decision.outcome === "clear")
      differences.push(`${passport} ${destination}: clear`)
  }
  return { duties, differences }
}
