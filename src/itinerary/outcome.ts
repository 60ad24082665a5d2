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
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Blocker, Condition, Due, Outcome, ToDo } from "./answer-fields.ts"
import type { SaidCondition } from "./condition-due.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { type ReasonCode, writeReason } from "./reasons.ts"
import { leavesPurposeOpen } from "./rule-conditions.ts"

/** Outcomes from the worst to the best. */
const OUTCOMES: readonly Outcome[] = ["blocked", "obtain", "unknown", "clear"]

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

/** What a decision comes to. */
interface Conclusion {
  readonly outcome: Outcome
  /** What has to be obtained or done, in the order of the first stops that it is for. */
  readonly toDo: readonly ToDo[]
  readonly conditions: readonly Condition[]
}

/** Conditions that nobody can meet while visas are suspended. */
const NOT_ISSUED: ReadonlySet<Condition["code"]> = /* @__PURE__ */ new Set<Condition["code"]>([
  "visa_required",
  "e_visa",
  "sponsor",
  "bond",
])

/** Returns the worst of some outcomes. */
export function findWorst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find(each => outcomes.includes(each)) ?? "clear"
}

/** Finds what a journey comes to whose stops are judged, and puts its conditions into words. */
export function conclude(state: DecisionState, blockers: readonly Blocker[]): Conclusion {
  const { dataset, stops, conditions, unknowns } = state
  const told: Condition[] = []
  let listed: Listed[] | null = null
  let isToObtain = false
  let isOpen = leavesPurposeOpen(state) || stops[0]!.firstDay < dataset.sinceDay
  for (let at = 0; at < conditions.length; at++) {
    const { said, step } = conditions[at]!
    const { code, params, due } = said
    said.message ??= writeReason(code, params as never)
    told.push({ code, step, message: said.message, granularity: "pair", params })
    if (due === "check") isOpen = true
    if (due !== "before_departure" && due !== "on_arrival") continue
    isToObtain ||= due === "before_departure"
    if (isSuspended(blockers, step) && NOT_ISSUED.has(code)) continue
    listed ??= []
    if (due === "on_arrival" || !said.isRequirement || !servesAgain(listed, stops, code, step))
      listed.push(startToDo(stops[step]!, step, said, due))
  }
  if (listed !== null)
    for (const each of listed) if (each.steps.length > 1) each.destination = findIssuer(stops, each.steps)
  for (let at = 0; !isOpen && at < unknowns.length; at++) isOpen = leavesOpen(unknowns[at]!.code)
  const outcome = isToObtain ? "obtain" : isOpen ? "unknown" : "clear"
  return { outcome: blockers.length > 0 ? "blocked" : outcome, toDo: listed ?? NOTHING, conditions: told }
}

/** An entry of the list, to which further stops may be added. */
interface Listed extends ToDo {
  readonly steps: number[]
  destination: string
}

/** Says whether the visa for a step is not issued, so that it cannot be obtained. */
export function isSuspended(blockers: readonly Pick<Blocker, "step" | "code">[], step: number): boolean {
  return blockers.some(each => each.step === step && each.code === "visa_suspended")
}

// A document may be on the list already, for an earlier stop; then this one is added. Other things are done again for each arrival.
function servesAgain(
  listed: readonly Listed[],
  stops: readonly StopState[],
  code: Condition["code"],
  step: number,
): boolean {
  for (let at = 0; at < listed.length; at++) {
    const each = listed[at]!
    if (each.code !== code || !isSameDocument(stops[each.step]!, stops[step]!)) continue
    each.steps.push(step)
    return true
  }
  return false
}

function startToDo(stop: StopState, step: number, said: SaidCondition, due: Due): Listed {
  const { code, params } = said
  // A visa or an authorisation has none of these.
  const { name, url, hours, amount, currency } = params
  return {
    code,
    step,
    steps: [step],
    destination: stop.destination,
    passport: stop.passport!.held.passport,
    due,
    name: readText(name),
    url: readText(url),
    applyBy: typeof hours === "number" ? countBack(stop.firstDay, hours) : null,
    fee: code === "registration" && amount !== null ? ({ amount, currency } as Money) : null,
    message: said.message!,
  }
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

const HOURS_OF_DAY = 24

function countBack(day: EpochDay, hours: number): string | null {
  const latest = day - Math.ceil(hours / HOURS_OF_DAY)
  return isEpochDay(latest) ? formatCivilDate(latest) : null
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
