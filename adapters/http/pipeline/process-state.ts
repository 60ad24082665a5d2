/**
 * What is the state of the service's process?
 *
 * Processor time, memory, event loop lag, connections and start time, as the numbers that /metrics shows. The event loop's lag covers the
 * time since it was last read.
 */
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { Context, Deferred, Effect, Layer } from "effect"
import { DatabaseClock } from "../../storage/database-clock.ts"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import { LiveActivity } from "./activity.ts"

// Is the service still accepting requests?
// It is, until it is told to stop, while its database works and its time is believed.

/** The life of this process. */
export class Lifecycle extends Context.Service<Lifecycle>()("landfall/http/Lifecycle", {
  make: Effect.gen(function* () {
    const activity = yield* LiveActivity
    const { liveness } = yield* Storage
    const { check } = yield* DatabaseClock
    const outages = new OutageLog("the service is not ready")
    const stopping = yield* Deferred.make<void>()
    return {
      isStopping: () => Deferred.isDoneUnsafe(stopping),
      /** Accepts no more requests, and ends every stream. */
      stop: Effect.andThen(
        Deferred.succeed(stopping, undefined),
        Effect.sync(() => activity.endStreams()),
      ),
      /** Succeeds within a second when the database can do its work, else says why not. */
      liveness: outages.tell(Effect.andThen(check, liveness)),
    }
  }),
}) {
  static readonly layer = Layer.effect(Lifecycle, Lifecycle.make)
}

/** How often the event loop's lag is measured, in milliseconds. */
const LAG_RESOLUTION_MS = 20

export type ProcessNumbers = ReturnType<ProcessState["read"]>

export class ProcessState {
  /** Connections of clients, as the server that has them counts them. */
  openConnections = 0
  acceptedConnections = 0
  /** Signs that the event loop runs, for a thread that watches it: a count of them, and the place of the latest request's row. */
  readonly signs = new Int32Array(new SharedArrayBuffer(8))
  /** The rows of the service by their places, such as `POST /register`; the first stands for none. */
  rows: readonly string[] = []
  readonly #lag: ELDHistogram
  readonly #startedAtSeconds = performance.timeOrigin / 1_000

  constructor(lag: ELDHistogram) {
    this.#lag = lag
  }

  /** Notes that the event loop runs, and for which row. */
  noteTurn(row?: number): void {
    if (row !== undefined) Atomics.store(this.signs, 1, row)
    Atomics.add(this.signs, 0, 1)
  }

  /** The numbers of this moment; a new measurement of the event loop's lag begins. */
  read() {
    const cpu = process.cpuUsage()
    const memory = process.memoryUsage()
    // The monitor measures from one of its timers to the next.
    const toLagSeconds = (nanoseconds: number) =>
      Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - LAG_RESOLUTION_MS) / 1_000 : 0
    const hasMeasured = this.#lag.count > 0
    const numbers = {
      userCpuSeconds: cpu.user / 1e6,
      systemCpuSeconds: cpu.system / 1e6,
      residentBytes: memory.rss,
      heapUsedBytes: memory.heapUsed,
      heapTotalBytes: memory.heapTotal,
      externalBytes: memory.external,
      startedAtSeconds: this.#startedAtSeconds,
      uptimeSeconds: process.uptime(),
      openConnections: this.openConnections,
      acceptedConnections: this.acceptedConnections,
      lagMeanSeconds: hasMeasured ? toLagSeconds(this.#lag.mean) : 0,
      lagP99Seconds: hasMeasured ? toLagSeconds(this.#lag.percentile(99)) : 0,
      lagMaximumSeconds: hasMeasured ? toLagSeconds(this.#lag.max) : 0,
    }
    this.#lag.reset()
    return numbers
  }
}

/** This process as it is measured until the scope ends. */
export class ThisProcess extends Context.Service<ThisProcess, ProcessState>()("landfall/http/ThisProcess") {
  static readonly layer = Layer.effect(
    ThisProcess,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
          lag.enable()
          return lag
        }),
        lag => Effect.sync(() => lag.disable()),
      ),
      lag => new ProcessState(lag),
    ),
  )
}
