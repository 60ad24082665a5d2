/**
 * What is the name of a task before a journey, where is it applied for, until when, and what does it cost?
 *
 * The engine says what has to be done; the facts of the destination name it. Values without a fact stay null. Working days are Monday to
 * Friday, because public holidays are not recorded: with holidays, the actual latest day is earlier.
 */

import { addCivilMonths, type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { isRequirement, needsVisa, type Requirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import type { Blocker, Decision, GroupDecision, OfTraveller, Remedy, Step, ToDo } from "../trip/answer-fields.ts"
import type { SubjectFacts } from "./fact-fields.ts"
import {
  type DestinationFacts,
  dutyOfForm,
  type FullFacts,
  findFee,
  findPortal,
  selectFact,
  selectFacts,
} from "./full-facts.ts"

/**
 * Completes what a decision lists to do: with names, pages, fees and latest days to apply, as far as they are recorded. Where remedies were
 * searched for, blockers get the extension of the stay that would help. Cannot fail.
 *
 * @example
 * ```ts
 * const facts = await loadFullFacts()
 * const trip = { passport: "NGA", stops: [{ destination: "FRA", from: "2028-03-01", to: "2028-03-10" }] }
 * const judged = decide(embeddedDataset(), trip)
 * const decision = judged.ok && judged.value.kind === "decided" ? completeToDo(facts, judged.value) : null
 * decision?.toDo.map(({ code, applyBy, fee }) => [code, applyBy, fee?.currency ?? null]) // => [["visa_required","2028-02-14","EUR"],["insurance",null,null]]
 * ```
 */
export function completeToDo<Judged extends Decision | GroupDecision>(facts: FullFacts, decision: Judged): Judged {
  if (!("travellers" in decision)) {
    const { toDo, blockers } = decision as Decision
    if (toDo.length + blockers.length === 0) return decision
    const extended = blockers.map(each => addExtension(facts, each, decision as Decision))
    return { ...decision, toDo: planToDo(facts, decision as Decision), blockers: extended }
  }
  const travellers = decision.travellers.map(each => completeToDo(facts, each))
  const listAll = <Found>(select: (one: Decision) => readonly Found[]): OfTraveller<Found>[] =>
    travellers.flatMap((each, traveller) => select(each).map(found => ({ traveller, ...found })))
  return { ...decision, toDo: listAll(each => each.toDo), blockers: listAll(each => each.blockers), travellers }
}

function addExtension(facts: FullFacts, blocker: Blocker, decision: Decision): Blocker {
  const { remedies } = blocker
  const extension = remedies === undefined ? null : findExtension(facts, decision, blocker)
  if (extension === null || remedies!.some(({ action }) => action === "extend")) return blocker
  return { ...blocker, remedies: [...remedies!, extension] }
}

// ---- Until when is each of them applied for?

/**
 * Completes the list and counts back from the day on which the traveller leaves, because nobody applies on the way. A passport is back on the working
 * day before it is needed, and visas in one passport follow each other at their consulates, the longest first. How long a visa takes is not always
 * recorded: then only the day is known on which the passport is back at the latest (`back_by`). An appointment is taken to be had on the day itself.
 * Visas of Schengen states are applied for six months before the visit at the earliest (Regulation (EC) No 810/2009, Art. 9(1)).
 */
function planToDo(facts: FullFacts, { toDo, steps, passports }: Decision): readonly ToDo[] {
  const planned = toDo.map((each, at): Planned => {
    const isForSame = (other: ToDo) => other.step === each.step && `${other.transits}` === `${each.transits}`
    const place = toDo.slice(0, at).filter(other => other.code === each.code && isForSame(other)).length
    if (each.step !== null) {
      const { requirement } = steps[each.step]!
      return complete(
        facts,
        each,
        steps[each.step]!,
        requirement.status === "unknown" ? null : requirement.value,
        place,
      )
    }
    const kind = passports.find(({ passport }) => passport === each.passport)?.passportKind ?? null
    const obtained = toDo.find(({ code, transits }) => isRequirement(code) && transits?.includes(each.transits![0]!))
    // The day of a transit is not given.
    const arrival = { from: steps[0]!.from, passportKind: kind }
    return complete(facts, each, arrival, (obtained?.code ?? "visa_free") as Requirement, place)
  })
  const neededOn: Record<string, EpochDay> = {}
  for (const each of [...planned].sort((one, other) => measure(one) - measure(other))) {
    const { days, isWorkingDays, code, passport } = each
    // What is applied for online keeps no passport.
    const key = code === "visa_required" ? passport : ""
    if (days === 0 && key === "") continue
    const backDay = countBack(neededOn[key] ?? parseCivilDate(steps[0]!.from)!, 1, true)
    if (key !== "") each.backBy = formatCivilDate(backDay)
    if (days === 0) continue
    let applyDay = countBack(backDay, days, isWorkingDays)
    if (key !== "") {
      applyDay = countBack(applyDay + 1, 1, true)
      neededOn[key] = applyDay
    }
    // Where the first day comes after the last one, nobody can apply before leaving home.
    if (each.applyFrom === undefined || parseCivilDate(each.applyFrom)! <= applyDay)
      each.applyBy = formatCivilDate(applyDay)
  }
  return planned.map(({ days, isWorkingDays, ...each }) => each)
}

// Five working days take a week.
const measure = ({ days, isWorkingDays }: Planned) => (isWorkingDays ? days * 7 : days * 5)

// ---- What do the facts say of it?

/** A thing to do, and the days that it takes; 0 if they are not known, or if it is not applied for. */
type Planned = { -readonly [Field in keyof ToDo]: ToDo[Field] } & Pick<Task, "days" | "isWorkingDays">

// `place`: the place among those with its code at its stop. A destination may ask for two forms.
function complete(
  facts: FullFacts,
  toDo: ToDo,
  { from, passportKind }: Pick<Step, "from" | "passportKind">,
  requirement: Requirement | null,
  place: number,
): Planned {
  const { code, destination } = toDo
  const planned: Planned = { ...toDo, days: 0, isWorkingDays: false }
  // Facts about ordinary passports do not apply to other kinds.
  const passport = (passportKind ?? "ordinary") === "ordinary" ? toDo.passport : ""
  if (code === "arrival_form" || code === "arrival_form_paper") {
    if (requirement === null) return planned
    const asked = { requirement, passport }
    const duty = code === "arrival_form" ? "form" : "paper"
    const forms = selectFacts(facts.factsOf(destination), "arrivalForm", asked)
    const form = forms.filter(({ value }) => dutyOfForm(value) === duty)[place]?.value
    return form === undefined ? planned : { ...planned, name: form.name, url: form.url ?? null, fee: form.fee ?? null }
  }
  if (!isRequirement(code)) return planned
  const { name, url, days, isWorkingDays, earliestMonths, fee } = findTask(facts, destination, code, passport)
  if (earliestMonths !== null) {
    planned.applyFrom = formatCivilDate(addCivilMonths(parseCivilDate(from)!, -earliestMonths))
  }
  return {
    ...planned,
    name: toDo.name ?? name,
    url: toDo.url ?? url,
    fee: toDo.fee ?? fee,
    days: code === "visa_on_arrival" ? 0 : days,
    isWorkingDays,
  }
}

/** What the facts say of a document that has to be obtained. */
interface Task extends Pick<ToDo, "name" | "url" | "fee"> {
  /** The days that it takes; 0 if they are not known. */
  readonly days: number
  readonly isWorkingDays: boolean
  readonly earliestMonths: number | null
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
  const applicant = { facts: known, passport, answer: { requirement } }
  return {
    name: selectFact(known, "programme", asked)?.value.name ?? null,
    url: findPortal(applicant),
    days: Math.max(application?.latestDays ?? 0, application?.standardDays ?? 0),
    isWorkingDays: application?.workingDays === true,
    earliestMonths: application?.earliestMonths ?? null,
    fee: findFee(applicant) ?? null,
  }
}

// ---- Extensions

// May a stay that is too long be extended far enough?
//
// The engine tries changes of a journey. An extension is not such a change, because an authority has to grant it after the arrival. The
// facts about it become a remedy that changes nothing, so the outcome stays the same. It is given for the days of one admission: it does
// not extend what a law allows in a year. It is not given if extensions are refused, kept for special needs, or too short, nor
// for other kinds of passports than ordinary ones, for which there are no facts.
//
// What the Schengen states allow together is extended under an agreement of one of them, which the blocker names: on a request there, at the latest on
// the last working day of the 90 (Convention implementing the Schengen Agreement, Art. 20(2a)). Public holidays are not known here.

type Steps = Decision["steps"]

/** How the days of one admission are counted. */
const OF_ONE_ADMISSION: ReadonlySet<unknown> = /* @__PURE__ */ new Set(["visit", "per_entry", "admission"])

/** Finds the extension that would make a stay long enough; null where none is known. Cannot fail. */
function findExtension(facts: FullFacts, decision: Decision, blocker: Blocker): Remedy | null {
  const { step, code, params } = blocker
  if (step !== null && typeof params.agreement === "string") return extendInZone(step, blocker)
  if (code !== "stay_exceeded" || step === null) return null
  const { destination, to, zoneStay, passportKind, passport } = decision.steps[step]!
  const requirement = requirementOf(decision, step)
  const { days, allowed } = params
  if (requirement === null || zoneStay !== null || (passportKind ?? "ordinary") !== "ordinary") return null
  // A document that ends names no days.
  if (typeof days !== "number" || typeof allowed !== "number" || to === null) return null
  const isOfOneAdmission = blocker.basis === undefined && OF_ONE_ADMISSION.has(params.counting)
  if (!isOfOneAdmission && !(blocker.basis === "held_document" && days <= measureVisit(decision.steps, step)))
    return null
  const found = selectFact(facts.factsOf(destination), "extension", { requirement, passport })
  if (found === null || !isLongEnough(found.value, days, allowed)) return null
  const { maxDays = null, latestDays, where = null, fee = null } = found.value
  const lastDay = dayOf(to) - (days - allowed)
  return {
    action: "extend",
    step,
    value: days - allowed,
    maxDays,
    applyBy: latestDays === undefined ? null : formatCivilDate(lastDay - latestDays),
    where,
    fee,
    url: found.origin.source === null ? null : found.origin.url,
  }
}

function extendInZone(step: number, { params }: Blocker): Remedy {
  const value = (params.days as number) - (params.allowed as number)
  return {
    action: "extend",
    step,
    value,
    maxDays: params.more as number | null,
    applyBy: formatCivilDate(countBack(dayOf(params.by as string) - value + 1, 1, true)),
    where: null,
    fee: null,
    url: null,
    agreement: params.agreement as string,
  }
}

/** Counts days back from a day, or working days, of which the first is before it. Public holidays are not known. */
function countBack(from: EpochDay, days: number, isWorkingDays: boolean): EpochDay {
  let day = from
  for (let left = days; left > 0; ) {
    day--
    // 1970-01-01 was a Thursday.
    const weekday = (((day + 3) % 7) + 7) % 7
    if (!isWorkingDays || weekday < 5) left--
  }
  return day
}

// The requirement of the entry: a visa of the destination, or the usual one. A stay under a permit is not extended this way.
function requirementOf({ steps, held }: Decision, step: number): Requirement | null {
  const { destination, requirement } = steps[step]!
  if (requirement.status === "unknown") return null
  const own = requirement.because
    ?.map(({ document }) => held[document ?? -1]?.document)
    .find(each => each?.issuer === destination)
  if (own?.kind === "residence_permit") return null
  return own?.kind === "visa" && !needsVisa(requirement.value) ? "visa_required" : requirement.value
}

function isLongEnough(extension: SubjectFacts["extension"], days: number, allowed: number): boolean {
  const { possible, forSpecialNeed, maxDays, totalDays = days, atMostGiven } = extension
  const more = days - allowed
  const most = maxDays ?? (atMostGiven ? allowed : more)
  return possible && !forSpecialNeed && more <= most && days <= totalDays
}

// The days of the stops in one destination, without a day between them, up to the end of one.
function measureVisit(steps: Steps, last: number): number {
  const { destination, to } = steps[last]!
  let first = dayOf(steps[last]!.from)
  for (let at = last - 1; steps[at]?.destination === destination && dayOf(steps[at]!.to!) >= first - 1; at--) {
    first = dayOf(steps[at]!.from)
  }
  return dayOf(to!) - first + 1
}

const dayOf = (date: string) => parseCivilDate(date) ?? 0
