/**
 * What is the name of a task before a journey, where is it applied for, until when, and what does it cost?
 *
 * The engine says what has to be done; the facts of the destination name it. Values without a fact stay null. Working days are Monday to
 * Friday, because public holidays are not recorded: with holidays, the actual latest day is earlier.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { isRequirement, type Requirement } from "../dataset/requirement.ts"
import { getOrInsert } from "../get-or-insert.ts"
import type { Blocker, Decision, GroupDecision, OfTraveller, ToDo } from "../itinerary/answer-fields.ts"
import { findExtension } from "./extension-remedy.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import { type DestinationFacts, type FullFacts, selectFact, selectFacts } from "./full-facts.ts"

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
 * decision?.toDo.map(({ code, applyBy, fee }) => [code, applyBy, fee?.currency]) // => [["visa_required","2027-02-14","EUR"]]
 * ```
 */
export function completeToDo<Judged extends Decision | GroupDecision>(facts: FullFacts, decision: Judged): Judged {
  const travellers = "travellers" in decision ? decision.travellers : [decision as Decision]
  const concerned = (each: ToDo | Blocker) =>
    travellers["traveller" in each ? (each as OfTraveller<typeof each>).traveller : 0]!
  const toDo = decision.toDo.map(each => complete(facts, each, concerned(each)))
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

function complete(facts: FullFacts, toDo: ToDo, { steps }: Decision): ToDo {
  const { code, destination } = toDo
  if (!isRequirement(code)) return toDo
  const { from: arrival, passportKind } = steps[toDo.step]!
  // Facts about ordinary passports do not apply to other kinds.
  const isOrdinary = (passportKind ?? "ordinary") === "ordinary"
  const { name, url, days, isWorkingDays, fee } = findTask(facts, destination, code, isOrdinary ? toDo.passport : "")
  return {
    ...toDo,
    name: toDo.name ?? name,
    url: toDo.url ?? url,
    applyBy: toDo.applyBy ?? (days === 0 ? null : countBack(arrival, days, isWorkingDays)),
    fee: toDo.fee ?? fee,
  }
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
