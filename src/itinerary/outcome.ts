/**
 * What is the result of a decision, and what has to be done for the journey?
 *
 * A verdict says whether anything known blocks a journey. The outcome also says whether anything has to be obtained before departure, and
 * whether a fact that decides an entry is unknown. `clear` means neither. A past journey, an unknown country or a passport without a record
 * is never clear.
 *
 * One visa opens all stops of a zone whose visas are uniform. The state of the longest stay issues it; of equal ones, and if a last day is
 * not given, the state of the first entry (Regulation (EC) No 810/2009, Art. 2(3) and Art. 5(1)). Facts of `landfall/full` (names of
 * programmes, pages, fees, processing times) are null here, and `completeToDo` adds them.
 */
import { type EpochDay, formatCivilDate, isEpochDay } from "../civil-date.ts"
import type { Money } from "../dataset/conditions.ts"
import { isRequirement } from "../requirement/requirement.ts"
import type { Blocker, Condition, Due, Gap, Outcome, ToDo } from "./answer-fields.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import type { ReasonCode, ReasonParams } from "./reasons.ts"

/** Outcomes from the worst to the best. */
const OUTCOMES: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]

/** When a condition has to be met. `check`: a person has to find out whether it is met, so the entry stays open. */
const DUE: Readonly<Record<Condition["code"], Due | "check" | "nothing">> = {
  eta: "before_departure",
  e_visa: "before_departure",
  visa_required: "before_departure",
  visa_on_arrival: "on_arrival",
  held_document: "before_departure",
  registration: "before_departure",
  gateway_visa: "before_departure",
  sponsor: "before_departure",
  special_document: "before_departure",
  bond: "before_departure",
  bring: "before_departure",
  suspension: "check",
  entry_points: "check",
  purpose: "check",
  group: "check",
  passport_kind: "check",
  age: "check",
  other: "check",
  check_permitted_stay: "check",
  check_held_document: "check",
  check_exemption: "check",
  visa_instead: "nothing",
  earlier_overstay: "check",
  border_control: "nothing",
  not_enforced: "nothing",
  exempt: "nothing",
  also: "nothing",
  asked_at: "nothing",
}

/** Gaps that leave no entry undecided: the document sets the stay, no rule for visitors binds, or the given field decides nothing. */
const DECIDED: ReadonlySet<ReasonCode> = /* @__PURE__ */ new Set<ReasonCode>([
  "stay_moves_freely",
  "stay_set_by_permit",
  "stay_set_by_document",
  "validity_for_visitors",
  "todays_rule",
  "not_modelled",
])

/** Says whether a gap leaves an entry undecided. */
export function leavesOpen(code: ReasonCode): boolean {
  return !DECIDED.has(code)
}

/** The findings that determine an outcome. */
interface Findings {
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
  readonly unknowns: readonly Gap[]
}

/** Conditions that nobody can meet while visas are suspended. */
const NOT_ISSUED: ReadonlySet<Condition["code"]> = /* @__PURE__ */ new Set<Condition["code"]>([
  "visa_required",
  "e_visa",
  "sponsor",
  "bond",
])

/** Finds the outcome of a journey whose stops are judged. */
export function findOutcome({ dataset, stops }: DecisionState, { blockers, conditions, unknowns }: Findings): Outcome {
  if (blockers.length > 0) return "blocked"
  let isOpen = stops[0]!.firstDay < dataset.sinceDay
  for (let at = 0; at < conditions.length; at++) {
    const due = DUE[conditions[at]!.code]
    if (due === "before_departure") return "obtain"
    isOpen ||= due === "check"
  }
  for (let at = 0; !isOpen && at < unknowns.length; at++) isOpen = leavesOpen(unknowns[at]!.code)
  return isOpen ? "unknown" : "clear"
}

/** Returns the worst of some outcomes. */
export function findWorst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find(each => outcomes.includes(each)) ?? "clear"
}

const NOTHING: readonly ToDo[] = Object.freeze([])

/** Lists what has to be obtained or done, in the order of the first stop that needs it. */
export function listToDo({ stops }: DecisionState, { blockers, conditions }: Findings): readonly ToDo[] {
  let listed: Listed[] | null = null
  for (let at = 0; at < conditions.length; at++) {
    const condition = conditions[at]!
    const { code, step } = condition
    const due = DUE[code]
    if (due !== "before_departure" && due !== "on_arrival") continue
    if (blockers.length > 0 && NOT_ISSUED.has(code) && isSuspended(blockers, step)) continue
    const known = listed === null ? null : findListed(listed, stops, condition, due)
    if (known !== null) known.steps.push(step)
    else if (listed === null) listed = [startToDo(stops[step]!, condition, due)]
    else listed.push(startToDo(stops[step]!, condition, due))
  }
  if (listed === null) return NOTHING
  for (let at = 0; at < listed.length; at++) {
    const each = listed[at]!
    if (each.steps.length > 1) each.destination = findIssuer(stops, each.steps)
  }
  return listed
}

/** An entry of the list, to which further stops may be added. */
interface Listed extends ToDo {
  readonly steps: number[]
  destination: string
}

// A document that is not issued cannot be obtained.
function isSuspended(blockers: readonly Blocker[], step: number): boolean {
  return blockers.some(each => each.step === step && each.code === "visa_suspended")
}

// Finds a document that is already on the list, for an earlier stop. Other tasks are repeated for each arrival.
function findListed(
  listed: readonly Listed[],
  stops: readonly StopState[],
  { code, step }: Condition,
  due: Due,
): Listed | null {
  if (due === "on_arrival" || !isRequirement(code)) return null
  for (let at = 0; at < listed.length; at++) {
    const each = listed[at]!
    if (each.code === code && isSameDocument(stops[each.step]!, stops[step]!)) return each
  }
  return null
}

function startToDo(stop: StopState, { code, step, message, params }: Condition, due: Due): Listed {
  // Nothing more is known here about a visa or an authorisation.
  const isPlain = isRequirement(code)
  return {
    code,
    step,
    steps: [step],
    destination: stop.destination,
    passport: stop.passport!.held.passport,
    due,
    name: !isPlain && typeof params.name === "string" ? params.name : null,
    url: !isPlain && typeof params.url === "string" ? params.url : null,
    applyBy: !isPlain && typeof params.hours === "number" ? countBack(stop.firstDay, params.hours) : null,
    fee: code === "registration" && params.amount !== null ? readFee(params) : null,
    message,
  }
}

const HOURS_OF_DAY = 24

function countBack(day: EpochDay, hours: number): string | null {
  const latest = day - Math.ceil(hours / HOURS_OF_DAY)
  return isEpochDay(latest) ? formatCivilDate(latest) : null
}

function readFee({ amount, currency }: ReasonParams): Money {
  return { amount: amount as number, currency: currency as string }
}

// A document that is obtained before departure also serves later visits, with as many entries. A document that is
// issued on arrival is issued each time.
function isSameDocument(a: StopState, b: StopState): boolean {
  if (a.passport !== b.passport) return false
  const zone = a.zonePlace?.zone
  return a.firstHere === b.firstHere || (zone?.rule.kind === "rolling" && zone === b.zonePlace?.zone)
}

// Returns the state of the longest stay; of equal ones, that of the first entry.
function findIssuer(stops: readonly StopState[], steps: readonly number[]): string {
  const entered = stops[steps[0]!]!
  // If no main destination can be determined, it is the state of the first entry.
  if (steps.some(step => stops[step]!.isOpen)) return entered.destination
  let issuer = entered
  let most = 0
  for (const step of steps) {
    const days = countDaysIn(stops, steps, stops[step]!.key)
    if (days > most) {
      most = days
      issuer = stops[step]!
    }
  }
  return issuer.destination
}

function countDaysIn(stops: readonly StopState[], steps: readonly number[], key: number): number {
  let days = 0
  for (const step of steps) {
    const stop = stops[step]!
    if (stop.key === key) days += stop.lastDay - stop.firstDay + 1
  }
  return days
}
