/**
 * What is the name of a task before a journey, where is it applied for, until when, and what does it cost?
 *
 * The engine says what has to be done; the facts of the destination name it. Values without a fact stay null. Working days are Monday to
 * Friday, because public holidays are not recorded: with holidays, the actual latest day is earlier.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import { isRequirement, type Requirement } from "../dataset/requirement.ts"
import type { Blocker, Decision, GroupDecision, OfTraveller, ToDo } from "../itinerary/answer-fields.ts"
import { findExtension } from "./extension-remedy.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import { type Asked, type DestinationFacts, type FullFacts, selectFact, selectFacts } from "./full-facts.ts"

const PORTALS: Readonly<Partial<Record<Requirement, SubjectFacts["portal"]["kind"]>>> = {
  eta: "eta",
  e_visa: "evisa",
  visa_on_arrival: "arrival",
  visa_required: "application",
}

/**
 * Completes what a decision lists to do: with names, pages, fees and latest days to apply, as far as they are recorded. Where remedies were
 * searched for, blockers get the extension of the stay that would help. Cannot fail.
 *
 * @example
 * ```ts
 * const facts = await loadFullFacts()
 * const trip = { passport: "NGA", stops: [{ destination: "FRA", from: "2027-03-01", to: "2027-03-10" }] }
 * const judged = decide(embeddedDataset(), trip)
 * const decision = judged.ok && judged.value.kind === "decided" ? completeToDo(facts, judged.value) : null
 * decision?.toDo.map(({ code, applyBy, fee }) => [code, applyBy, fee?.currency ?? null]) // => [["visa_required","2027-02-14","EUR"],["insurance",null,null]]
 * ```
 */
export function completeToDo<Judged extends Decision | GroupDecision>(facts: FullFacts, decision: Judged): Judged {
  const travellers = "travellers" in decision ? decision.travellers : [decision as Decision]
  const concerned = (each: ToDo | Blocker) =>
    travellers["traveller" in each ? (each as OfTraveller<typeof each>).traveller : 0]!
  const toDo = decision.toDo.map((each, at, all) => {
    const own = concerned(each)
    const isSame = (other: ToDo) => other.code === each.code && other.step === each.step && concerned(other) === own
    return complete(facts, each, own, all.slice(0, at).filter(isSame).length)
  })
  const blockers =
    decision.blockers.length === 0
      ? decision.blockers
      : decision.blockers.map(each => addExtension(facts, each, concerned(each)))
  if (!("travellers" in decision)) return { ...decision, toDo, blockers }
  return { ...decision, toDo, blockers, travellers: travellers.map(each => completeToDo(facts, each)) }
}

function addExtension(facts: FullFacts, blocker: Blocker, decision: Decision): Blocker {
  const { remedies } = blocker
  const extension = remedies === undefined ? null : findExtension(facts, decision, blocker)
  if (extension === null || remedies!.some(({ action }) => action === "extend")) return blocker
  return { ...blocker, remedies: [...remedies!, extension] }
}

// `place`: the place among those with its code at its stop. A destination may ask for two forms.
function complete(facts: FullFacts, toDo: ToDo, { steps }: Decision, place: number): ToDo {
  const { code, destination } = toDo
  const { from: arrival, passportKind, requirement } = steps[toDo.step]!
  // Facts about ordinary passports do not apply to other kinds.
  const passport = (passportKind ?? "ordinary") === "ordinary" ? toDo.passport : ""
  if (code === "arrival_form" || code === "arrival_form_paper") {
    if (requirement.status === "unknown") return toDo
    const kind = code === "arrival_form" ? "online" : "paper"
    const form = listForms(facts.factsOf(destination), { requirement: requirement.value, passport }, kind)[place]
    return form === undefined ? toDo : { ...toDo, name: form.name, url: form.url ?? null, fee: form.fee ?? null }
  }
  if (!isRequirement(code)) return toDo
  const { name, url, days, isWorkingDays, fee } = findTask(facts, destination, code, passport)
  return {
    ...toDo,
    name: toDo.name ?? name,
    url: toDo.url ?? url,
    applyBy: toDo.applyBy ?? (days === 0 ? null : countBack(arrival, days, isWorkingDays)),
    fee: toDo.fee ?? fee,
  }
}

function listForms(known: DestinationFacts, asked: Asked, kind: "online" | "paper") {
  return selectFacts(known, "arrivalForm", asked).flatMap(({ value }) =>
    value.mandatory && value.form === kind && value.exemptPassports?.includes(asked.passport) !== true ? [value] : [],
  )
}

/** What the facts say of a document that has to be obtained. */
interface Task extends Pick<ToDo, "name" | "url" | "fee"> {
  /** The days that it takes; 0 if they are not known. */
  readonly days: number
  readonly isWorkingDays: boolean
}

/** For passports that no fact names, by destination and requirement: selecting the facts takes longer than deciding a stop. */
const tasks = /* @__PURE__ */ new WeakMap<DestinationFacts, Map<Requirement, Task>>()

function findTask(facts: FullFacts, destination: string, requirement: Requirement, passport: string): Task {
  const known = facts.factsOf(destination)
  if (facts.isSingledOut(destination, passport)) return readTask(known, requirement, passport)
  const kept = getOrInsert(tasks, known, () => new Map<Requirement, Task>())
  return getOrInsert(kept, requirement, () => readTask(known, requirement, passport))
}

function readTask(known: DestinationFacts, requirement: Requirement, passport: string): Task {
  const asked = { requirement, passport }
  const application = selectFact(known, "application", asked)?.value
  const fee = selectFact(known, "fee", asked)?.value
  const portal = selectFacts(known, "portal", asked).find(({ value }) => value.kind === PORTALS[requirement])
  return {
    name: selectFact(known, "programme", asked)?.value.name ?? null,
    url: portal?.origin.source == null ? null : portal.origin.url,
    days: Math.max(application?.latestDays ?? 0, application?.standardDays ?? 0),
    isWorkingDays: application?.workingDays === true,
    fee: fee?.singleEntry ?? fee?.multipleEntry ?? null,
  }
}

function countBack(arrival: string, days: number, isWorkingDays: boolean): string | null {
  let day: EpochDay = parseCivilDate(arrival) ?? 0
  for (let left = days; left > 0; ) {
    day--
    // 1970-01-01 was a Thursday.
    const weekday = (((day + 3) % 7) + 7) % 7
    if (!isWorkingDays || weekday < 5) left--
  }
  return isEpochDay(day) ? formatCivilDate(day) : null
}
