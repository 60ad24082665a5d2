/**
 * What do the metrics say of queued work?
 *
 * How much waits in the database and since when, with how the feed is followed and how many nodes there are: read every ten seconds, so that asking for
 * the metrics costs the database nothing. And how long attempts of this process took since its start, and how they ended, by kind of work.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { QueueRow } from "../storage/operations-repository.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Row } from "../storage/tables.ts"
import { type Family, Histogram, listHistogram } from "../telemetry/families.ts"

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

/** Upper bounds of the durations, in seconds. */
const BOUNDS_SECONDS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] as const
const DELIVERED_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 21_600, 86_400] as const

/** Measures attempts. */
export class WorkTimer {
  readonly #series = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly times: Histogram }>()

  /** Counts an attempt that has ended. `work` and `outcome` are words of the service. */
  note(work: string, outcome: string, seconds: number): void {
    const name = `${work} ${outcome}`
    const known = this.#series.get(name) ?? { labels: { work, outcome }, times: new Histogram(BOUNDS_SECONDS) }
    this.#series.set(name, known)
    known.times.note(seconds)
  }

  readonly #delivered = new Histogram(DELIVERED_SECONDS)

  /** Counts a delivery that was accepted, by the time since its event. */
  noteDelivered(seconds: number): void {
    this.#delivered.note(seconds)
  }

  /** The measurements so far. */
  list(): readonly Family[] {
    const delivered: Family = {
      name: "landfall_event_to_delivered_seconds",
      help: "Time from an event to the attempt at its delivery that was accepted.",
      type: "histogram",
      samples: listHistogram({}, this.#delivered.read()),
    }
    const worked: Family = {
      name: "landfall_work_duration_seconds",
      help: "Time that attempts at queued work took, by kind of work and how they ended.",
      type: "histogram",
      samples: [...this.#series.values()].flatMap(({ labels, times }) => listHistogram(labels, times.read())),
    }
    return [worked, delivered]
  }
}

/** The measurements of this process. */
export const WorkTimes = Context.Reference<WorkTimer>("landfall/queue/WorkTimes", {
  defaultValue: () => new WorkTimer(),
})
