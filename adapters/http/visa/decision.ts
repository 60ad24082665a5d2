/**
 * `POST /api/v1/visa/decision`: does anything that is known block this itinerary?
 *
 * The body is read here and judged by the engine, which names every mistake; a field that nobody knows is a mistake too, because a
 * misspelt expiry date would be an unknown one. A refusal carries a whole valid request to start from.
 */
import {
  type Dataset,
  type Decision,
  decide,
  type InputIssue,
  type ItineraryRequest,
  type Step,
} from "../../../src/index.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../answer.ts"
import { toCamelCase, toSnakeCase, toWire } from "../wire-names.ts"
import { describeAnswer } from "./meta.ts"

/** A whole valid request. */
export const DECISION_EXAMPLE = {
  passport: "FRA",
  passport_expiry: "2027-03-01",
  stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }],
  transit: ["ARE"],
  residence: "FRA",
  purpose: "tourism",
}

const PASSPORT_FIELDS = ["passport", "passport_expiry", "passport_issued"]
const STOP_FIELDS = ["destination", "from", "to"]
const REQUEST_FIELDS = [...PASSPORT_FIELDS, "passports", "stops", "transit", "residence", "purpose"]

/** A request that was judged, or the answer that refuses it. */
export type ReadDecision =
  | { readonly ok: true; readonly charge: number; readonly questions: Questions; readonly answer: () => Answer }
  | { readonly ok: false; readonly answer: Answer }

/** What the guard against harvesting counts: every destination is asked for every passport. */
interface Questions {
  readonly passport: readonly string[]
  readonly destinations: readonly string[]
}

/** How many mistakes are named at most: a body of nothing but mistakes must not be answered with many times its own length. */
export const MAXIMUM_ISSUES = 50

function refuse(issues: readonly InputIssue[]): ReadDecision {
  const named = issues.slice(0, MAXIMUM_ISSUES)
  const error = named.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join(" ")
  const body = { error, issues: named, example: DECISION_EXAMPLE }
  return { ok: false, answer: answerJson(400, body, NOT_STORED) }
}

const nameOnWire = ({ path, message }: InputIssue): InputIssue => ({ path: toSnakeCase(path), message })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Gives an object's fields the engine's names, and reports those that are not known. */
function renameFields(value: unknown, known: readonly string[], path: string, issues: InputIssue[]): unknown {
  if (!isRecord(value)) return value
  const renamed: Record<string, unknown> = {}
  for (const [name, held] of Object.entries(value)) {
    if (known.includes(name)) renamed[toCamelCase(name)] = held
    else
      issues.push({
        path: `${path}${name.slice(0, 100)}`,
        message: `There is no such field; known are ${known.join(", ")}.`,
      })
  }
  return renamed
}

function renameEach(value: unknown, known: readonly string[], path: string, issues: InputIssue[]): unknown {
  if (!Array.isArray(value)) return value
  return value.map((entry, place) => renameFields(entry, known, `${path}[${place}].`, issues))
}

function readRequest(body: unknown, issues: InputIssue[]): unknown {
  const request = renameFields(body, REQUEST_FIELDS, "", issues)
  if (!isRecord(request)) return request
  const { stops, passports } = request
  return {
    ...request,
    ...(stops === undefined ? {} : { stops: renameEach(stops, STOP_FIELDS, "stops", issues) }),
    ...(passports === undefined ? {} : { passports: renameEach(passports, PASSPORT_FIELDS, "passports", issues) }),
  }
}

function parseBody(text: string): { readonly body: unknown } | null {
  try {
    return { body: JSON.parse(text) }
  } catch {
    return null
  }
}

/** Reads and judges the text of a body. */
export function readDecision(dataset: Dataset, text: string): ReadDecision {
  const parsed = parseBody(text)
  return parsed === null ? refuse([{ path: "", message: "The body is no JSON." }]) : readItinerary(dataset, parsed.body)
}

/** Reads and judges an itinerary. What it costs is known before it is answered: a request for each distinct country. */
export function readItinerary(dataset: Dataset, body: unknown): ReadDecision {
  const issues: InputIssue[] = []
  const request = readRequest(body, issues) as ItineraryRequest
  const result = decide(dataset, request)
  // A field that nobody knows is named as it was sent: only the engine's own names are translated.
  if (!result.ok) return refuse([...issues, ...result.error.issues.map(nameOnWire)])
  if (issues.length > 0) return refuse(issues)
  const decision = result.value
  if (decision.kind !== "decided") {
    const questions = { passport: [], destinations: [] }
    return { ok: true, charge: 1, questions, answer: () => answerError(404, decision.message) }
  }
  return {
    ok: true,
    charge: decision.pairsCharged,
    questions: {
      passport: decision.passports.map(held => held.passport),
      destinations: decision.steps.map(step => step.destination),
    },
    answer: () => answerDecision(dataset, decision),
  }
}

function describeRequirement(requirement: Step["requirement"]) {
  if (requirement.status === "unknown") return requirement
  const { answer, ...finding } = requirement
  // An imported table is no page on which somebody has looked this pair up, so it is not named as one.
  const source = answer.source === null || answer.source.imported ? null : answer.source
  return {
    ...finding,
    source_url: source === null ? null : source.url,
    last_verified: source === null ? null : answer.verifiedOn,
  }
}

function describeStep({ requirement, zoneStay, ...step }: Step) {
  const { index, destination, from, to, days, passport, ...findings } = step
  return {
    index,
    destination,
    from,
    to,
    days,
    passport,
    requirement: describeRequirement(requirement),
    ...(toWire(findings) as object),
    ...(zoneStay === null ? {} : { zone_stay: toWire(zoneStay) }),
  }
}

function answerDecision(dataset: Dataset, decision: Decision): Answer {
  const [first, ...others] = decision.passports
  const data = {
    verdict: decision.verdict,
    passport: first?.passport,
    passport_expiry: first?.passportExpiry ?? null,
    ...(others.length === 0 ? {} : { passports: toWire(decision.passports) }),
    steps: decision.steps.map(describeStep),
    transit: toWire(decision.transit),
    blockers: decision.blockers,
    conditions: decision.conditions,
    unknowns: decision.unknowns.map(gap => ({ ...gap, field: toSnakeCase(gap.field) })),
    residence: decision.residence,
    purpose: decision.purpose,
  }
  const meta = { pairs_charged: decision.pairsCharged, ...describeAnswer(dataset) }
  return answerJson(200, { data, meta }, NOT_STORED)
}
