/**
 * What is the name of a task before a journey, where is it applied for, until when, and what does it cost?
 *
 * The engine says what has to be done; the facts of the destination name it. Values without a fact stay null. Working days are Monday to
 * Friday, because public holidays are not recorded: with holidays, the actual latest day is earlier.
 */
import { addCivilMonths, type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import { isRequirement, type Requirement } from "../dataset/requirement.ts"
import type { Blocker, Decision, GroupDecision, OfTraveller, Step, ToDo } from "../trip/answer-fields.ts"
import { dutyOfForm, findFee, findPortal } from "./applications.ts"
import { countBack, findExtension } from "./extension-remedy.ts"
import { type DestinationFacts, type FullFacts, selectFact, selectFacts } from "./full-facts.ts"

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
 * decision?.toDo.map(({ code, applyBy, fee }) => [code, applyBy, fee?.currency ?? null]) // => [["visa_required","2027-02-11","EUR"],["insurance",null,null]]
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
  for (const each of [...planned].sort((one, other) => one.days - other.days)) {
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
    each.applyBy = formatCivilDate(applyDay)
  }
  return planned.map(({ days, isWorkingDays, ...each }) => each)
}

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
