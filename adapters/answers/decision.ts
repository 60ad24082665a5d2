/**
 * Does anything that is known block this itinerary?
 *
 * A request with the field names of the wire is read first, and judged only when it was paid for; mistakes are named, an unknown field too, because a misspelt expiry date would count
 * as not given. A request with `travellers` is about all of them on one journey. Blockers come with the remedies that help. A refusal is shown with a whole valid request as an example.
 */
import {
  BRITISH_CLASSES,
  type Dataset,
  type Decision,
  type GroupDecision,
  type InputIssue,
  judgeRequestInPieces,
  listNotUsedInPieces,
  type ReadRequest,
  readDecisionRequest,
} from "../../src/engine.ts"
import { completeToDo, type FullFacts } from "../../src/full.ts"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"
import { describeIssues } from "../validation/fields.ts"
import { found, noRecord, type Outcome } from "./visa-answers.ts"

/** The forms of a decision. */
export const DECISION_VIEWS = ["full", "compact"] as const
export type DecisionView = (typeof DECISION_VIEWS)[number]

/** A whole valid request, whose journey begins on a day. */
export function makeExample(from: string) {
  const day = utcDayAt(Date.parse(from))
  return {
    passport: "FRA",
    passport_expiry: formatUtcDay(day + 90),
    stops: [{ destination: "THA", from, to: formatUtcDay(day + 19) }],
    transit: ["ARE"],
    residence: "FRA",
    purpose: "tourism",
  }
}

/** The one of the reference, whose days do not move. */
export const DECISION_EXAMPLE = /* @__PURE__ */ makeExample("2028-12-01")

/** What is wrong with a refused request. */
export interface DecisionRefusal {
  readonly error: string
  readonly issues: readonly InputIssue[]
}

/** A request that was read, or the answer to a refused one. */
export type ReadAnswer =
  | { readonly ok: true; readonly request: ReadRequest }
  | { readonly ok: false; readonly refusal: DecisionRefusal }

const KNOWN_FIELDS = /; known: [^.]*\./

/** Lists the known fields once: otherwise a short request could have a long refusal. */
function listOnce(issues: readonly InputIssue[]): readonly InputIssue[] {
  const first = issues.find(({ message }) => KNOWN_FIELDS.test(message))
  return issues.map(issue =>
    issue === first ? issue : { ...issue, message: issue.message.replace(KNOWN_FIELDS, ".") },
  )
}

function refuse(all: readonly InputIssue[]): ReadAnswer {
  const issues = listOnce(all)
  return { ok: false, refusal: { error: describeIssues(issues, true), issues } }
}

/** A refusal with what helps to mend each mistake, such as `helpWithIssue`. */
export function helpRefusal(refusal: DecisionRefusal, help: (issue: InputIssue) => InputIssue): DecisionRefusal {
  const issues = refusal.issues.map(help)
  return { ...refusal, error: describeIssues(issues, true), issues }
}

export function readItineraryText(text: string, dataset: Dataset): ReadAnswer {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return refuse([{ path: "", message: "The body is not valid JSON." }])
  }
  return readItinerary(body, dataset)
}

/** Reads an itinerary; nothing is looked up but the classes of documents, if a dataset is given. */
export function readItinerary(body: unknown, dataset?: Dataset): ReadAnswer {
  const read = readDecisionRequest(body, dataset)
  return read.ok ? { ok: true, request: read.value } : refuse(read.error.issues)
}

/** What more than the decision is wanted. */
export interface JudgeOptions {
  /** Whether remedies are wanted; true by default. */
  readonly remedies?: boolean
  /** Whether given fields without effect are named; true by default. */
  readonly notUsed?: boolean
}

/** Judges an itinerary that was read; facts, if there are any, complete the tasks. */
export function judgeItinerary(
  dataset: Dataset,
  request: ReadRequest,
  facts: FullFacts | null = null,
  options: JudgeOptions = {},
): Outcome<Decision | GroupDecision> {
  const pieces = judgeInPieces(dataset, request, facts, options)
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/** Judges like {@link judgeItinerary}, in pieces of a few milliseconds. */
export function* judgeInPieces(
  dataset: Dataset,
  request: ReadRequest,
  facts: FullFacts | null = null,
  options: JudgeOptions = {},
): Generator<void, Outcome<Decision | GroupDecision>, void> {
  const answer = yield* judgeRequestInPieces(dataset, request, options)
  if (answer.kind !== "decided") return noRecord(nameUnknown(dataset, request) ?? answer.message)
  yield
  const completed = facts === null ? answer : completeToDo(facts, answer)
  return found(options.notUsed === false ? completed : yield* addNotUsed(dataset, request, completed))
}

// Names the given fields without effect, in the decision of each traveller.
function* addNotUsed(
  dataset: Dataset,
  request: ReadRequest,
  answer: Decision | GroupDecision,
): Generator<void, Decision | GroupDecision, void> {
  const lists = yield* listNotUsedInPieces(dataset, request)
  const add = (one: Decision, at: number): Decision => {
    const notUsed = lists[at] ?? []
    return notUsed.length === 0 ? one : { ...one, notUsed }
  }
  return "travellers" in answer ? { ...answer, travellers: answer.travellers.map(add) } : add(answer, 0)
}

/** Names the passports of the first traveller who has none that is recorded. */
function nameUnknown(dataset: Dataset, { itineraries }: ReadRequest): string | null {
  const isKnown = (code: string) => dataset.passports.includes(code) || BRITISH_CLASSES.includes(code)
  const given = itineraries.map(({ passport, passports }) => passports?.map(each => each.passport) ?? [passport ?? ""])
  const unknown = given.find(codes => !codes.some(isKnown))
  return unknown === undefined ? null : `No passport with the code ${unknown.join(" or ")} is recorded.`
}

// Which journeys need what was recorded of past days? Only those load it.

/** Returns the dataset for judging a journey: one whose first day is before the dataset's needs its past too. */
export function datasetFor(dataset: Dataset, { itineraries }: ReadRequest): Dataset | Promise<Dataset> {
  const isPast = itineraries.some(({ stops }) => (stops[0]?.fromDay ?? dataset.sinceDay) < dataset.sinceDay)
  return isPast ? loadWithPast(dataset) : dataset
}

const loadWithPast = async (dataset: Dataset): Promise<Dataset> => (await import("./with-past.ts")).withPast(dataset)
