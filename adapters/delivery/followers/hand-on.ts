/**
 * Which subscriptions get an event that is due?
 *
 * Events that are due are taken and their deliveries written in one transaction, some at a time: a process that dies in between
 * has changed nothing, and a late or second one finds what is left. This holds for events of an installation and for those of
 * dated rules on their day.
 */
import { Clock, Effect } from "effect"
import type { AddressedEvent } from "../../platform/storage/deliveries-repository.ts"
import type { EventRow } from "../../platform/storage/events-repository.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { writeEnvelope } from "../changes/events.ts"
import { writePushes } from "./pushes.ts"
import { concerns, parseTerms } from "./subscription.ts"

/** How many events one transaction hands on, and roughly how many deliveries it writes, so that other writers do not wait long. */
const EVENTS_AT_ONCE = 200
const DELIVERIES_AT_ONCE = 2_000

/** The envelope of an event of a policy. */
const writePolicyEnvelope = ({ id, type, body, created_at, due_at }: EventRow): string =>
  writeEnvelope({ id, type, atMs: Math.max(created_at, due_at), data: JSON.parse(body) })

const handOn = Effect.gen(function* () {
  const { deliveries, events, webhooks } = yield* Storage
  const nowMs = yield* Clock.currentTimeMillis
  const followers = (yield* webhooks.listActive).map(({ id, terms }) => ({ id, terms: parseTerms(terms) }))
  const limit = Math.max(1, Math.min(EVENTS_AT_ONCE, Math.floor(DELIVERIES_AT_ONCE / Math.max(1, followers.length))))
  const due = yield* events.takeDue(nowMs, limit)
  const addressed = due.flatMap((event): readonly AddressedEvent[] => {
    const webhookIds = followers.filter(({ terms }) => concerns(terms, event)).map(({ id }) => id)
    if (webhookIds.length === 0) return []
    return [{ event_id: event.id, type: event.type, body: writePolicyEnvelope(event), webhookIds }]
  })
  if (addressed.length > 0) yield* deliveries.insertAll(addressed, nowMs)
  yield* writePushes(due, nowMs)
  return { count: due.length, isMore: due.length === limit }
})

/** Hands on some events that are due, the oldest first; gives their number, and whether there may be more. */
export const fanOutSome = Effect.flatMap(Storage, ({ transact }) => transact(handOn))
