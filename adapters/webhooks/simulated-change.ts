/**
 * Which change is simulated?
 *
 * One pair changes from today's requirement to the one in the request. The event has the form of a real one, with `livemode: false` and
 * without a source. It has no other effect.
 */
import { type Dataset, lookupAt, type Requirement } from "../../src/engine.ts"
import type { PolicyTerms } from "../../src/full.ts"
import { writeEventData } from "../events/events.ts"
import { FieldReader, type ReadFields, readBody, sayExpected } from "../validation/fields.ts"

/** A requested change, and today's requirement. */
export interface SimulatedChange {
  readonly type: "visa.policy_changed"
  readonly passport: string
  readonly destination: string
  readonly severity: "major"
  /** Null where nothing is recorded. */
  readonly previous: Requirement | null
  readonly current: Requirement
}

/** The new requirement if the request does not name one. */
const OPPOSITES: Readonly<Partial<Record<Requirement, Requirement>>> = {
  visa_required: "visa_free",
  no_admission: "visa_free",
}

/** The requirements by the names that requests have. */
export type RequirementNames = Readonly<Record<Requirement, string>>

/** Reads the body of a request that simulates a change; names its mistakes. */
export function readSimulated(text: string, dataset: Dataset, names: RequirementNames): ReadFields<SimulatedChange> {
  const read = readBody(text)
  if (!read.ok) return read
  const reader = new FieldReader()
  const body = read.value
  const known = { passport: dataset.passports, destination: dataset.destinations } as const
  reader.checkNames(body, [...Object.keys(known), "requirement"])
  const readCode = (path: keyof typeof known): string => {
    const given = body[path]
    const code = typeof given === "string" ? known[path].find(one => one === given.toUpperCase()) : undefined
    if (code === undefined) reader.report(path, sayExpected("an ISO 3166-1 alpha-3 code that is recorded", given))
    return code ?? ""
  }
  const passport = readCode("passport")
  const destination = readCode("destination")
  const asked = Object.entries(names).find(([, name]) => name === body.requirement)?.[0] as Requirement | undefined
  if (body.requirement !== undefined && asked === undefined)
    reader.report("requirement", `Expected one of ${Object.values(names).join(", ")}`)
  const [from, to] = [dataset.passports.indexOf(passport), dataset.destinations.indexOf(destination)]
  const today = from < 0 || to < 0 ? null : lookupAt(dataset, from, to)
  const previous = today?.kind === "found" ? today.requirement : null
  const current = asked ?? (previous === null ? undefined : OPPOSITES[previous]) ?? "visa_required"
  return reader.end({ type: "visa.policy_changed", passport, destination, severity: "major", previous, current })
}

const termsOf = (requirement: Requirement): PolicyTerms => ({
  requirement,
  days: null,
  uncertain: false,
  basis: null,
  bloc: null,
  follows: null,
  fee: null,
  processingDays: null,
  validity: null,
  sources: [],
})

/** The `data` of its event. */
export function writeSimulated(change: SimulatedChange, nowMs: number): object {
  const { passport, destination, severity, previous, current } = change
  return writeEventData({
    kind: "changed",
    passport,
    destination,
    previous: previous === null ? null : termsOf(previous),
    current: termsOf(current),
    fields: ["requirement"],
    severity,
    effectiveFrom: new Date(nowMs).toISOString().slice(0, 10),
  })
}
