/**
 * Does anything that is known block this itinerary?
 *
 * A request with the field names of the wire is read here and judged by the engine, which names every mistake; an unknown field
 * is a mistake too, because a misspelt expiry date would count as not given. A request with `travellers` is about all of them on
 * one journey. Blockers come with the remedies that help. A refusal carries a whole valid request to start from.
 */
import {
  type Dataset,
  type Decision,
  decideGroup,
  decideWithRemedies,
  type GroupDecision,
  type InputIssue,
} from "../../../src/engine.ts"
import { describeOne, describeTogether } from "./decision-fields.ts"
import { describeMeta } from "./meta.ts"
import { found, noRecord, type Outcome } from "./outcome.ts"
import { toCamelCase, toSnakeCase } from "./wire-names.ts"

/** A whole valid request. */
export const DECISION_EXAMPLE = {
  passport: "FRA",
  passport_expiry: "2027-03-01",
  stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }],
  transit: ["ARE"],
  residence: "FRA",
  purpose: "tourism",
}

/** The fields of an object of the wire; those of the objects in a list, for a list. */
interface Shape {
  readonly [field: string]: Shape | null
}

const PASSPORT: Shape = { passport: null, passport_expiry: null, passport_issued: null }

const DOCUMENT: Shape = {
  kind: null,
  issuer: null,
  type: null,
  valid_from: null,
  valid_until: null,
  entries: null,
  duration_of_stay_days: null,
  used: null,
  permanent: null,
  electronic: null,
}

const TRAVELLER: Shape = {
  ...PASSPORT,
  passports: PASSPORT,
  residence: null,
  held: DOCUMENT,
  earlier_stays: { destination: null, from: null, to: null, permit: null },
}

const ROUTE: Shape = {
  stops: { destination: null, from: null, to: null, passport: null },
  transit: null,
  purpose: null,
}

const REQUEST: Shape = { ...TRAVELLER, ...ROUTE, travellers: TRAVELLER }

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

/** What the engine found, or why it found nothing. */
export type Judged = Outcome<Decision | GroupDecision>

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

/** Gives an object's fields the engine's names, inside its lists too, and reports those that are not known, its own before those inside. */
function renameFields(value: unknown, shape: Shape, path: string, issues: InputIssue[]): unknown {
  if (!isRecord(value)) return value
  const renamed: Record<string, unknown> = {}
  const inside: InputIssue[] = []
  for (const [name, given] of Object.entries(value)) {
    const inner = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (inner === undefined) {
      const message = `There is no such field; known are ${Object.keys(shape).join(", ")}.`
      issues.push({ path: `${path}${name.slice(0, 100)}`, message })
    } else renamed[toCamelCase(name)] = inner === null ? given : renameEach(given, inner, `${path}${name}`, inside)
  }
  for (const issue of inside) issues.push(issue)
  return renamed
}

function renameEach(value: unknown, shape: Shape, path: string, issues: InputIssue[]): unknown {
  if (!Array.isArray(value)) return value
  return value.map((entry, place) => renameFields(entry, shape, `${path}[${place}].`, issues))
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

/** Reads and judges an itinerary. What it costs is known before it is written: a request for each distinct country and traveller. */
export function judgeItinerary(dataset: Dataset, body: unknown): JudgedItinerary {
  const issues: InputIssue[] = []
  const request = renameFields(body, REQUEST, "", issues) as never
  const isTogether = isRecord(body) && body.travellers != null
  const result = isTogether
    ? decideGroup(dataset, request, { remedies: true })
    : decideWithRemedies(dataset, withoutTravellers(request))
  // An unknown field is named as it was sent: only the engine's own names are translated.
  if (!result.ok) return refuse([...issues, ...result.error.issues.map(nameOnWire)])
  if (issues.length > 0) return refuse(issues)
  const decision = result.value
  if (decision.kind !== "decided") {
    const questions = { passport: [], destinations: [] }
    return { ok: true, charge: 1, questions, judged: noRecord(decision.message) }
  }
  const decisions = "travellers" in decision ? decision.travellers : [decision]
  const passports = new Set(decisions.flatMap(each => each.passports.map(held => held.passport)))
  return {
    ok: true,
    charge: decision.pairsCharged,
    questions: {
      passport: [...passports],
      destinations: (decisions[0] as Decision).steps.map(step => step.destination),
    },
    judged: found(decision),
  }
}

// Null where a field may be left out is the same as leaving it out.
function withoutTravellers(request: unknown): never {
  if (!isRecord(request)) return request as never
  const { travellers: _, ...rest } = request
  return rest as never
}

/** A decision with the field names of the wire. */
export function describeDecision(dataset: Dataset, decision: Decision | GroupDecision) {
  const data = "travellers" in decision ? describeTogether(decision) : describeOne(decision)
  return { data, meta: { pairs_charged: decision.pairsCharged, ...describeMeta(dataset) } }
}
