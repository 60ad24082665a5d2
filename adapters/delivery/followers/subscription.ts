/**
 * What does a subscription follow, and does an event concern it?
 *
 * Types, passports, destinations and a severity; an empty list means everything. Every mistake in a request is named with its
 * field; the two surfaces differ only in where their fields are.
 */
import type { Dataset } from "../../../src/engine.ts"
import type { EventRow } from "../../platform/storage/events-repository.ts"
import { readTarget, type TargetRules } from "./target-guard.ts"

/** Every type that can be chosen. */
export const EVENT_TYPES = [
  "visa.policy_changed",
  "visa.policy_announced",
  "visa.source_updated",
  "webhook.ping",
  "job.completed",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** What is followed. */
export interface SubscriptionTerms {
  readonly types: readonly EventType[]
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  /** The least severity that is sent; null for all. */
  readonly severity: "minor" | "major" | null
}

/** What a subscription is made from. */
export interface SubscriptionRequest {
  readonly url: string
  readonly terms: SubscriptionTerms
  readonly description: string
}

/** One mistake. */
export interface SubscriptionIssue {
  readonly path: string
  readonly message: string
}

/** A request, or every mistake in it. */
export type ReadSubscription =
  | { readonly ok: true; readonly value: SubscriptionRequest }
  | { readonly ok: false; readonly issues: readonly SubscriptionIssue[] }

/** The longest description, in characters. */
const LONGEST_DESCRIPTION = 500

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Collects mistakes while a body is read. */
class Reader {
  readonly issues: SubscriptionIssue[] = []
  readonly #dataset: Dataset

  constructor(dataset: Dataset) {
    this.#dataset = dataset
  }

  report(path: string, message: string): void {
    this.issues.push({ path, message })
  }

  /** Refuses unknown names: without a misspelt filter the subscription would get everything. */
  checkNames(path: string, body: Record<string, unknown>, known: readonly string[]): void {
    for (const name of Object.keys(body)) {
      if (known.includes(name)) continue
      const at = path === "" ? name : `${path}.${name}`
      this.report(at.slice(0, 80), `There is no such field, known are ${known.join(", ")}`)
    }
  }

  list<Item extends string>(
    path: string,
    value: unknown,
    expected: string,
    readItem: (text: string) => Item | null,
  ): readonly Item[] {
    if (value === undefined || value === null) return []
    if (!Array.isArray(value) || value.length > this.#dataset.destinations.length) {
      this.report(path, `Expected a list of ${expected}`)
      return []
    }
    const items = value.map((item, at) => {
      const read = typeof item === "string" ? readItem(item) : null
      if (read === null) {
        this.report(`${path}[${at}]`, `Expected ${expected}, got ${(JSON.stringify(item) ?? "nothing").slice(0, 80)}`)
      }
      return read
    })
    return [...new Set(items.filter(item => item !== null))]
  }

  types(path: string, value: unknown): readonly EventType[] {
    const readType = (text: string) => EVENT_TYPES.find(type => type === text) ?? null
    return this.list(path, value, `event types out of ${EVENT_TYPES.join(", ")}`, readType)
  }

  codes(path: string, value: unknown, known: readonly string[]): readonly string[] {
    const readCode = (text: string) => known.find(code => code === text.toUpperCase()) ?? null
    return this.list(path, value, "ISO 3166-1 alpha-3 codes that are recorded", readCode)
  }

  severity(path: string, value: unknown): "minor" | "major" | null {
    if (value === undefined || value === null || value === "minor" || value === "major") return value ?? null
    this.report(path, "Expected one of minor, major")
    return null
  }
}

/** How a surface writes a subscription. */
export type SubscriptionShape = "visa" | "lookup"

/** Reads the body of a request that subscribes. */
export function readSubscription(
  text: string,
  given: { readonly shape: SubscriptionShape; readonly dataset: Dataset; readonly targets: TargetRules },
): ReadSubscription {
  const { shape, dataset, targets } = given
  const reader = new Reader(dataset)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  if (!isObject(body)) return { ok: false, issues: [{ path: "", message: "Expected a JSON object" }] }
  const inFilter = shape === "visa"
  reader.checkNames(
    "",
    body,
    inFilter
      ? ["url", "events", "filter", "description"]
      : ["url", "events", "passports", "destinations", "severity", "description"],
  )
  const target = readTarget(body.url, targets)
  if (!target.ok) reader.report("url", target.message)
  const events = reader.types("events", body.events)
  const filter = inFilter ? readFilter(reader, body.filter) : body
  const at = inFilter ? "filter." : ""
  const types = inFilter ? reader.types("filter.types", filter.types) : []
  const terms: SubscriptionTerms = {
    types: [...new Set([...events, ...types])],
    passports: reader.codes(`${at}passports`, filter.passports, dataset.passports),
    destinations: reader.codes(`${at}destinations`, filter.destinations, dataset.destinations),
    severity: reader.severity(`${at}severity`, filter.severity),
  }
  const description = body.description ?? ""
  if (typeof description !== "string" || description.length > LONGEST_DESCRIPTION || description.includes("\0")) {
    reader.report("description", `Expected a text of at most ${LONGEST_DESCRIPTION} characters`)
  }
  if (reader.issues.length > 0 || !target.ok) return { ok: false, issues: reader.issues }
  return { ok: true, value: { url: target.url.href, terms, description: description as string } }
}

function readFilter(reader: Reader, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  if (isObject(value)) {
    reader.checkNames("filter", value, ["passports", "destinations", "types", "severity"])
    return value
  }
  reader.report("filter", "Expected an object")
  return {}
}

const contains = (list: readonly string[], item: string): boolean => list.length === 0 || list.includes(item)

/** Says whether a policy's event goes to a subscription. */
export function concerns(
  { types, passports, destinations, severity }: SubscriptionTerms,
  event: Pick<EventRow, "type" | "passport" | "destination" | "severity">,
): boolean {
  return (
    contains(types, event.type) &&
    contains(passports, event.passport) &&
    contains(destinations, event.destination) &&
    (severity !== "major" || event.severity === "major")
  )
}

/** Reads the terms that a row keeps. */
export const parseTerms = (text: string): SubscriptionTerms => JSON.parse(text) as SubscriptionTerms
