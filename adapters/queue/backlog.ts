/**
 * How much work waits, and since when; how is the feed followed, and how many nodes are there?
 *
 * Read from the database every ten seconds, so that asking for the metrics costs it nothing.
 */

import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { QueueRow } from "../storage/operations-repository.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Row } from "../storage/tables.ts"

const READ_MS = 10_000

/** What was read last. */
export interface BacklogState {
  /** When it was read (epoch milliseconds). */
  readonly atMs: number
  readonly queues: readonly QueueRow[]
  /** Null where no feed is followed. */
  readonly feed: Pick<Row<"dataset_feed">, "failures" | "succeeded_at"> | null
  readonly nodes: number
}

/** The waiting work of the deployment. */
export class Backlog extends Context.Service<Backlog>()("landfall/queue/Backlog", {
  make: Effect.gen(function* () {
    const { operations, datasets, nodes } = yield* Storage
    let state: BacklogState = { atMs: 0, queues: [], feed: null, nodes: 0 }
    const read = Effect.gen(function* () {
      const atMs = yield* Clock.currentTimeMillis
      const queues = yield* operations.countQueues
      const feed = (yield* datasets.readFeed) ?? null
      state = { atMs, queues, feed, nodes: (yield* nodes.listAlive(atMs)).length }
    })
    const outages = new OutageLog("the metrics of waiting work are old, because the database cannot do its work")
    yield* Effect.forkScoped(Effect.repeat(outages.watch(read), Schedule.spaced(READ_MS)))
    return { readState: () => state, read }
  }),
}) {
  static readonly layer = Layer.effect(Backlog, Backlog.make)
}
