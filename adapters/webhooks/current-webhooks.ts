/**
 * Which secrets does a subscription have now?
 *
 * Deliveries are claimed in advance, with their subscription at that time. If a secret is replaced afterwards, they must be signed with the
 * new one too, because their receiver may no longer accept the old one. So the number of replacements is read with every look, and when it
 * has changed, the subscriptions of claimed deliveries are read again.
 */
import { Effect } from "effect"
import { Storage } from "../storage/storage.ts"
import type { WebhookRow } from "../storage/webhooks-repository.ts"

/** How many subscriptions are remembered. */
const MAXIMUM_REMEMBERED = 10_000

/** Makes a memory of the subscriptions of a worker. */
export const followWebhooks = Effect.gen(function* () {
  const { webhooks } = yield* Storage
  let rotations = yield* webhooks.readRotations
  let known = new Map<number, WebhookRow>()

  const find = (ids: readonly number[]) =>
    Effect.map(webhooks.findAll(ids), rows => {
      if (known.size + rows.length > MAXIMUM_REMEMBERED) known = new Map()
      for (const row of rows) known.set(row.id, row)
      return new Map(rows.map(row => [row.id, row]))
    })

  const refresh = Effect.gen(function* () {
    const newest = yield* webhooks.readRotations
    if (newest === rotations) return
    yield* find([...known.keys()])
    rotations = newest
  })

  return { find, refresh, latest: (row: WebhookRow): WebhookRow => known.get(row.id) ?? row }
})
