/**
 * What is the name of a task before a journey, where is it applied for, until when, and what does it cost?
 *
 * The engine says what has to be done; the facts of the destination name it. Values without a fact stay null. Working days are Monday to
 * Friday, because public holidays are not recorded: with holidays, the actual latest day is earlier.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import type { Blocker, Decision, GroupDecision, OfTraveller, ToDo } from "../itinerary/answer-fields.ts"
import { isRequirement, type Requirement } from "../requirement/requirement.ts"
import { findExtension } from "./extension-remedy.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import { type FullFacts, selectFact, selectFacts } from "./full-facts.ts"

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
  const blockers = decision.blockers.map(each => addExtension(facts, each, concerned(each)))
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
  const known = facts.factsOf(destination)
  // Facts about ordinary passports do not apply to other kinds.
  const isOrdinary = (passportKind ?? "ordinary") === "ordinary"
  const asked = { requirement: code, passport: isOrdinary ? toDo.passport : "" }
  const application = selectFact(known, "application", asked)?.value
  const fee = selectFact(known, "fee", asked)?.value
  const portal = selectFacts(known, "portal", asked).find(({ value }) => value.kind === PORTALS[code])
  const days = Math.max(application?.latestDays ?? 0, application?.standardDays ?? 0)
  return {
    ...toDo,
    name: toDo.name ?? selectFact(known, "programme", asked)?.value.name ?? null,
    url: toDo.url ?? (portal?.origin.source == null ? null : portal.origin.url),
    applyBy: toDo.applyBy ?? (days === 0 ? null : countBack(arrival, days, application?.workingDays === true)),
    fee: toDo.fee ?? fee?.singleEntry ?? fee?.multipleEntry ?? null,
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
