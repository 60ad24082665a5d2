/**
 * How does a change of policy become an event?
 *
 * Its type, its `data` and an id that a receiver recognises it by. A change by a dated rule has the same id in every installation
 * of the dataset. Any other change belongs to its installation, because the same change can come, be taken back and come again.
 */
import { createHash } from "node:crypto"
import { completeAnnounced, type PolicyChange, type PolicyTerms } from "../../src/full.ts"
import { PRESENT_VERSION, REQUIREMENT_NAMES } from "../answers/lookup-answer.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { AddressedEvent } from "../storage/webhooks-repository.ts"

export const POLICY_EVENT_TYPES = ["visa.policy_changed", "visa.policy_announced", "visa.source_updated"] as const
type PolicyEventType = (typeof POLICY_EVENT_TYPES)[number]

const TYPES: Readonly<Record<PolicyChange["kind"], PolicyEventType>> = {
  changed: "visa.policy_changed",
  announced: "visa.policy_announced",
  source_updated: "visa.source_updated",
}

const midnight = (day: string): string => `${day}T00:00:00Z`

function writeTerms(terms: PolicyTerms | null, fields: PolicyChange["fields"]): object | null {
  if (terms === null) return null
  const { requirement, days, fee, processingDays, validity, uncertain, basis, sources } = terms
  const has = (field: PolicyChange["fields"][number]) => fields.includes(field)
  return {
    requirement: REQUIREMENT_NAMES[requirement],
    stay_days: days,
    fee_usd: fee?.currency === "USD" ? fee.amount : null,
    ...(has("fee") ? { fee } : {}),
    ...(has("processing_days") ? { processing_days: processingDays } : {}),
    ...(has("validity") ? { passport_validity: validity } : {}),
    ...(has("uncertain") ? { uncertain } : {}),
    ...(has("basis") ? { basis } : {}),
    ...(has("source") ? { sources } : {}),
  }
}

/** The `data` of a change's event. */
export function writeEventData(change: Omit<PolicyChange, "key">): object {
  const { destination, passport, kind, previous, current, fields, severity, effectiveFrom } = change
  const sources = (current ?? previous)?.sources ?? []
  if (kind === "source_updated") {
    const of = (terms: PolicyTerms | null) => ({ sources: terms?.sources ?? [] })
    return { destination, passport, previous: of(previous), current: of(current), sources }
  }
  return {
    destination,
    passport,
    previous: writeTerms(previous, fields),
    current: writeTerms(current, fields),
    effective_from: midnight(effectiveFrom),
    sources,
    severity,
    fields,
  }
}

const nameEvent = (text: string): string => `evt_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`

/** Where an event comes from, and when. */
interface EventOrigin {
  readonly installationId: number
  readonly nowMs: number
  readonly isCorrection: boolean
}

/** The event of a change: of one that holds now by its installation, of any other by what it says. */
export function makeEvent(change: PolicyChange, { installationId, nowMs, isCorrection }: EventOrigin): EventRow {
  return {
    id: nameEvent(change.kind === "announced" ? change.key : `${installationId} ${change.key}`),
    installation_id: installationId,
    type: TYPES[change.kind],
    passport: change.passport,
    destination: change.destination,
    severity: change.severity,
    effective_from: change.effectiveFrom,
    is_correction: isCorrection ? 1 : 0,
    body: JSON.stringify(writeEventData(change)),
    created_at: nowMs,
    due_at: nowMs,
    // Nobody is notified of a correction.
    fanned_out_at: isCorrection ? nowMs : null,
  }
}

/**
 * The event of a change that a dated rule announces, which waits for its day. It is a change of law, even if the installation was a
 * correction of data.
 */
export function makeDatedEvent(announced: PolicyChange, origin: EventOrigin): EventRow {
  const change = completeAnnounced(announced)
  const event = makeEvent(change, { ...origin, isCorrection: false })
  return { ...event, id: nameEvent(change.key), due_at: Date.parse(midnight(change.effectiveFrom)) }
}

/** The body of a delivery. `installation`: the number of the installation that the event comes from, for one of a policy. */
export function writeEnvelope(event: {
  readonly id: string
  readonly type: string
  readonly atMs: number
  readonly installation?: number
  /** False for events that test keys have sent or caused. */
  readonly isLive: boolean
  readonly data: unknown
}): string {
  return JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: new Date(event.atMs).toISOString(),
    api_version: PRESENT_VERSION,
    livemode: event.isLive,
    installation: event.installation,
    data: event.data,
  })
}

/** An event for subscriptions of one account. */
export const addressEvent = (
  event: Parameters<typeof writeEnvelope>[0],
  account_id: number,
  webhookIds: readonly number[],
): AddressedEvent => ({ event_id: event.id, type: event.type, body: writeEnvelope(event), webhookIds, account_id })
