/**
 * Who is told of an event that is due?
 *
 * Events that are due are taken and their deliveries written in one transaction, some at a time: a process that dies in between has done
 * nothing, and one that comes late, or comes second, finds what is left. This is the same for what was installed just now and for what a
 * dated rule brings on its day.
 */
import { Clock, Effect } from "effect"
import { writeEnvelope } from "../changes/events.ts"
import type { EventRow } from "../storage/events-repository.ts"
import { Storage } from "../storage/storage.ts"
import { concerns, parseTerms } from "./subscription.ts"

/** How many events one transaction hands on. */
const EVENTS_AT_ONCE = 200

/** The envelope of an event of a policy. */
export const writePolicyEnvelope = ({ id, type, body, created_at, due_at }: EventRow): string =>
  writeEnvelope({ id, type, atMs: Math.max(created_at, due_at), data: JSON.parse(body) })

const fanOutSome = Effect.gen(function* () {
  const { deliveries, events, webhooks } = yield* Storage
  const nowMs = yield* Clock.currentTimeMillis
  const due = yield* events.takeDue(nowMs, EVENTS_AT_ONCE)
  if (due.length === 0) return 0
  const followers = (yield* webhooks.listActive).map(({ id, terms }) => ({ id, terms: parseTerms(terms) }))
  const rows = due.flatMap(event => {
    const concerned = followers.filter(({ terms }) => concerns(terms, event))
    if (concerned.length === 0) return []
    const body = writePolicyEnvelope(event)
    return concerned.map(({ id }) => ({ webhook_id: id, event_id: event.id, type: event.type, body }))
  })
  yield* deliveries.insertAll(rows, nowMs)
  return due.length
})

/** Hands on every event that is due; answers how many there were. */
export const fanOutDue = Effect.gen(function* () {
  const { transact } = yield* Storage
  let total = 0
  for (;;) {
    const count = yield* transact(fanOutSome)
    total += count
    if (count < EVENTS_AT_ONCE) return total
  }
})
