/**
 * How is an event shown in a feed?
 *
 * With a title and a text in English, made from the event's own data, so that a publisher's feed and a service's feed have the same entry
 * for the same change.
 */

import { nameInEnglish } from "../answers/english-names.ts"
import type { REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import type { EventRow } from "../storage/events-repository.ts"

/** The parts of an event that a feed needs. */
export type ToldEvent = Pick<
  EventRow,
  "id" | "type" | "passport" | "destination" | "severity" | "effective_from" | "created_at" | "body"
>

/** One change in words. */
export interface FeedEntry {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
  /** `YYYY-MM-DD`. */
  readonly effectiveOn: string
}

interface Terms {
  readonly requirement: string
  readonly stay_days: number | null
}

interface ChangeData {
  readonly previous: Terms | null
  readonly current: Terms | null
  readonly sources: readonly { readonly name: string; readonly url: string | null }[]
  readonly fields?: readonly string[]
}

type WireRequirement = (typeof REQUIREMENT_NAMES)[keyof typeof REQUIREMENT_NAMES]

const WORDS: Readonly<Record<WireRequirement, string>> = {
  visa_free: "no visa",
  visa_on_arrival: "a visa on arrival",
  e_visa: "an e-visa",
  e_ta: "an electronic travel authorisation",
  visa_required: "a visa beforehand",
  not_admitted: "no admission",
}

function sayTerms(terms: Terms | null): string {
  if (terms === null) return "no record"
  const words = WORDS[terms.requirement as WireRequirement] ?? terms.requirement
  return terms.stay_days === null ? words : `${words}, ${terms.stay_days} days`
}

function sayChange(type: string, { previous, current, fields = [] }: ChangeData, effectiveOn: string): string {
  if (type === "visa.source_updated") return "the source was updated"
  const [before, after] = [sayTerms(previous), sayTerms(current)]
  if (type === "visa.policy_announced") return `${after} from ${effectiveOn} (until then ${before})`
  return before === after ? `${after}; changed: ${fields.join(", ")}` : `${after} (before: ${before})`
}

export function tellEvent(event: ToldEvent): FeedEntry {
  const { id, type, passport, destination, severity, effective_from: effectiveOn, created_at, body } = event
  const data = JSON.parse(body) as ChangeData
  const title = `${nameInEnglish(destination)} for passports of ${nameInEnglish(passport)}: ${sayChange(type, data, effectiveOn)}`
  const sources = data.sources.map(({ name, url }) => (url === null ? name : `${name} (${url})`))
  const text = [
    `${title}.`,
    `In effect from ${effectiveOn}.`,
    sources.length === 0 ? "No source is recorded." : `Sources: ${sources.join("; ")}.`,
  ].join(" ")
  const at = new Date(created_at).toISOString()
  return { id, at, title, text, tags: [passport, destination, type.replace("visa.", ""), severity], effectiveOn }
}
