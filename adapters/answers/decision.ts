/**
 * Does anything that is known block this itinerary?
 *
 * A request with the field names of the wire is read here and judged by the engine, which names every mistake; a field that nobody knows
 * is a mistake too, because a misspelt expiry date would be an unknown one. A refusal carries a whole valid request to start from.
 */
import {
  type Dataset,
  type Decision,
  decide,
  type InputIssue,
  type ItineraryRequest,
  type Step,
} from "../../src/engine.ts"
import { describeMeta } from "./meta.ts"
import { found, noRecord, type Outcome } from "./outcome.ts"
import { toCamelCase, toSnakeCase, toWire } from "./wire-names.ts"

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

/** What is said of a request that is refused. */
export interface DecisionRefusal {
  readonly error: string
  readonly issues: readonly InputIssue[]
  readonly example: typeof DECISION_EXAMPLE
}

/** A request that was judged, or what is said of one that is refused. */
export type JudgedItinerary =
  | { readonly ok: true; readonly charge: number; readonly questions: Questions; readonly judged: Judged }
  | { readonly ok: false; readonly refusal: DecisionRefusal }

/** What the engine has found, or why it found nothing. */
export type Judged = Outcome<Decision>

/** What the guard against harvesting counts: every destination is asked for every passport. */
export interface Questions {
  readonly passport: readonly string[]
  readonly destinations: readonly string[]
}

/** How many mistakes are named at most: a body of nothing but mistakes must not be answered with many times its own length. */
export const MAXIMUM_ISSUES = 50

function refuse(issues: readonly InputIssue[]): JudgedItinerary {
  const named = issues.slice(0, MAXIMUM_ISSUES)
  const error = named.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join(" ")
  return { ok: false, refusal: { error, issues: named, example: DECISION_EXAMPLE } }
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
export function judgeText(dataset: Dataset, text: string): JudgedItinerary {
  const parsed = parseBody(text)
  return parsed === null
    ? refuse([{ path: "", message: "The body is not valid JSON." }])
    : judgeItinerary(dataset, parsed.body)
}

/** Reads and judges an itinerary. What it costs is known before it is written: a request for each distinct country. */
export function judgeItinerary(dataset: Dataset, body: unknown): JudgedItinerary {
  const issues: InputIssue[] = []
  const request = readRequest(body, issues) as ItineraryRequest
  const result = decide(dataset, request)
  // A field that nobody knows is named as it was sent: only the engine's own names are translated.
  if (!result.ok) return refuse([...issues, ...result.error.issues.map(nameOnWire)])
  if (issues.length > 0) return refuse(issues)
  const decision = result.value
  if (decision.kind !== "decided") {
    const questions = { passport: [], destinations: [] }
    return { ok: true, charge: 1, questions, judged: noRecord(decision.message) }
  }
  return {
    ok: true,
    charge: decision.pairsCharged,
    questions: {
      passport: decision.passports.map(held => held.passport),
      destinations: decision.steps.map(step => step.destination),
    },
    judged: found(decision),
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

/** A decision with the field names of the wire. */
export function describeDecision(dataset: Dataset, decision: Decision) {
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
  return { data, meta: { pairs_charged: decision.pairsCharged, ...describeMeta(dataset) } }
}
