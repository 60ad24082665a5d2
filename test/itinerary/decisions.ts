/** Decisions as tests ask for them. */

import type { Decision } from "../../src/trip/answer-fields.ts"
import { decide } from "../../src/trip/judge.ts"
import { REASONS, type ReasonCode, sayReason } from "../../src/trip/reasons.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"

/** The decision on a request that is neither refused nor unrecorded. */
export function decided(dataset: Parameters<typeof decide>[0], request: ItineraryRequest): Decision {
  const result = decide(dataset, request)
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "decided") throw new Error(result.value.message)
  return result.value
}

export const stay = (destination: string, from: string, to: string) => ({ destination, from, to })

/** The codes of what is asked of visitors beside the requirement. */
export const DUTIES: readonly string[] = [
  "arrival_form",
  "arrival_form_paper",
  "insurance",
  "vaccination",
  "check_vaccination",
  "authorisation_announced",
  "entry_exit_system",
]

/** Every gap of a decision, with its reason. */
export const reasonsOf = (decision: Decision) =>
  decision.unknowns.map(({ field, step, reason }) => `${step ?? "-"} ${field}: ${reason}`)

/** The sentences of the codes that have no parameters. */
export const SAID = Object.fromEntries(
  Object.values(REASONS).flatMap(group =>
    (Object.keys(group) as ReasonCode[]).map(code => [code, sayReason(code, {} as never)]),
  ),
) as { readonly [Code in ReasonCode]: string }
