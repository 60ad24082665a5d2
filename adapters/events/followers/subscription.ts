/**
 * What does a subscription follow, and does an event concern it?
 *
 * Types, passports, destinations and a severity; an empty list means everything. Every mistake in a request is named with its
 * field; the two surfaces differ only in where their fields are.
 */

import type { Dataset } from "../../../src/engine.ts"
import type { EventRow } from "../../storage/datasets-repository.ts"
import {
  FieldReader,
  type Fields,
  isFields,
  type ReadFields,
  readBody,
  readJsonFields,
} from "../../validation/fields.ts"
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

export interface SubscriptionTerms {
  readonly types: readonly EventType[]
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  /** The least severity that is sent; null for all. */
  readonly severity: "minor" | "major" | null
}

export interface SubscriptionRequest {
  readonly url: string
  readonly terms: SubscriptionTerms
  readonly description: string
}

/** The longest description, in characters. */
const LONGEST_DESCRIPTION = 500

/** Reads what is followed. A list that is missing or null follows everything. */
class TermsReader extends FieldReader {
  readonly #atMost: number
  readonly #shape: SubscriptionShape

  constructor(dataset: Dataset, shape: SubscriptionShape) {
    super()
    this.#atMost = dataset.destinations.length
    this.#shape = shape
  }

  types(path: string, value: unknown): readonly EventType[] {
    const expected = `event types out of ${EVENT_TYPES.join(", ")}`
    const readItem = (text: string) => EVENT_TYPES.find(type => type === text)
    return this.list(path, value ?? [], { expected, atMost: this.#atMost, readItem })
  }

  codes(path: string, value: unknown, known: readonly string[]): readonly string[] {
    const expected = "ISO 3166-1 alpha-3 codes that are recorded"
    // Only the lookup takes codes in any case.
    const readItem = (text: string) => known.find(code => code === (this.#shape === "visa" ? text : text.toUpperCase()))
    return this.list(path, value ?? [], { expected, atMost: this.#atMost, readItem })
  }

  severity(path: string, value: unknown): "minor" | "major" | null {
    return value === undefined || value === null
      ? null
      : (this.oneOf<"minor" | "major">(path, value, ["minor", "major"]) ?? null)
  }
}

/** How a surface writes a subscription. */
type SubscriptionShape = "visa" | "lookup"

/** Reads the body of a request that subscribes. */
export function readSubscription(
  text: string,
  given: { readonly shape: SubscriptionShape; readonly dataset: Dataset; readonly targets: TargetRules },
): ReadFields<SubscriptionRequest> {
  const { shape, dataset, targets } = given
  const read = readBody(text)
  if (!read.ok) return read
  const body = read.value
  const reader = new TermsReader(dataset, shape)
  const inFilter = shape === "visa"
  reader.checkNames(
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
  if (typeof description !== "string" || description.length > LONGEST_DESCRIPTION || /[\0\p{Cs}]/u.test(description)) {
    reader.report("description", `Expected a text of at most ${LONGEST_DESCRIPTION} characters`)
  }
  if (reader.issues.length > 0 || !target.ok) return { ok: false, issues: reader.issues }
  return { ok: true, value: { url: target.url.href, terms, description: description as string } }
}

function readFilter(reader: TermsReader, value: unknown): Fields {
  if (value === undefined || value === null) return {}
  if (isFields(value)) {
    reader.checkNames(value, ["passports", "destinations", "types", "severity"], "filter")
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

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(item => typeof item === "string")

/** No event has a passport without letters. */
const NOTHING: SubscriptionTerms = { types: [], passports: [""], destinations: [""], severity: null }

/** Reads the terms that a row keeps; terms that damage or another version of the program has left concern no event. */
export function parseTerms(text: string): SubscriptionTerms {
  const terms = readJsonFields(text)
  const areTerms = terms !== null && [terms.types, terms.passports, terms.destinations].every(isList)
  return areTerms ? (terms as unknown as SubscriptionTerms) : NOTHING
}
