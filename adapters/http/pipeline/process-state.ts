/**
 * What is the state of the service's process?
 *
 * Processor time, memory, event loop lag, connections and start time, as the numbers that /metrics shows. The event loop's lag covers the
 * time since it was last read.
 */
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { Context, Deferred, Effect, Layer } from "effect"
import type { ServiceConfig } from "../../settings/config.ts"
import { isLoopbackHost } from "../../settings/hosts.ts"
import type { Surface } from "../../settings/settings.ts"
import type { Site } from "../../settings/site-links.ts"
import { DatabaseClock } from "../../storage/database-clock.ts"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import type { RequestKind } from "../../storage/waiting-counts.ts"
import { type Family, listHistogram, type Sample } from "../../telemetry/families.ts"
import { type Traces, traceBelow } from "../../telemetry/tracing.ts"
import { Histogram } from "../../time/histogram.ts"
import { LiveActivity } from "./activity.ts"
import type { ServiceRequest } from "./request.ts"

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

// What are the numbers of the service?
// Counts and durations of requests by route, and the families that others pass in, in the Prometheus text format. Labels are routes of the
// service, never a client's text, so the list cannot grow without bound.

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5] as const

interface Series {
  readonly kind: RequestKind
  readonly histogram: Histogram
}

const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, char => (char === "\n" ? "\\n" : `\\${char}`))

function formatFamily({ name, help, type, samples }: Family): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = "", labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
      return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
    }),
  ]
}

export class Metrics {
  /** By route, method and status: nested, because a text of all three would be made for each request. */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>()

  /** Counts one answered request; returns its method, route and status, the same object for the same three. */
  count(method: string, route: string, status: number, seconds: number): RequestKind {
    const { kind, histogram } = this.#series.get(route)?.get(method)?.get(status) ?? this.#begin(method, route, status)
    histogram.note(seconds)
    return kind
  }

  #begin(method: string, route: string, status: number): Series {
    const byMethod = this.#series.get(route) ?? new Map<string, Map<number, Series>>()
    const byStatus = byMethod.get(method) ?? new Map<number, Series>()
    const series = { kind: { method, route, status: String(status) }, histogram: new Histogram(BUCKETS) }
    this.#series.set(route, byMethod.set(method, byStatus.set(status, series)))
    return series
  }

  /** Reads the numbers of the other processes of the service; null where this is the only one. */
  readOthers: Effect.Effect<readonly (readonly Family[])[]> | null = null

  /** The requests that were answered. */
  listRequests(): Family {
    return {
      name: "landfall_http_request_duration_seconds",
      help: "Time to answer a request.",
      type: "histogram",
      samples: [...this.#series.values()]
        .flatMap(byMethod => [...byMethod.values()])
        .flatMap(byStatus => [...byStatus.values()])
        .flatMap(({ kind, histogram }) => listHistogram(kind, histogram.read())),
    }
  }
}

/** Writes families as text. */
export const formatFamilies = (families: readonly Family[]): string => `${families.flatMap(formatFamily).join("\n")}\n`

const COMBINE = {
  sum: (one: number, other: number) => one + other,
  max: Math.max,
  min: Math.min,
} as const

/** The numbers of several processes as those of one service. */
export function combineFamilies(processes: readonly (readonly Family[])[]): readonly Family[] {
  return [...Map.groupBy(processes.flat(), ({ name }) => name).values()].map(same => {
    const [family] = same as [Family, ...Family[]]
    const combine = COMBINE[family.over ?? "sum"]
    const samples = new Map<string, Sample>()
    for (const sample of same.flatMap(each => each.samples)) {
      const key = JSON.stringify([sample.suffix, sample.labels])
      const known = samples.get(key)
      samples.set(key, known === undefined ? sample : { ...sample, value: combine(known.value, sample.value) })
    }
    return { ...family, samples: [...samples.values()] }
  })
}

export class RequestMetrics extends Context.Service<RequestMetrics, Metrics>()("landfall/http/RequestMetrics") {
  static readonly layer = Layer.sync(RequestMetrics, () => new Metrics())
}

// How is a request traced?
// As one span named by its route, with method, route and status. Below it are the spans of what the answer waits for (statements of the
// database). A request that is not sampled has no trace.

export interface RequestTrace {
  /** The same work as a part of the trace. */
  readonly within: <Value>(work: Effect.Effect<Value, unknown>) => Effect.Effect<Value, unknown>
  /** Ends with the answer, or with null where the client has left. */
  readonly end: (answered: RequestKind | null) => void
}

export const traceRequests =
  (traces: Traces) =>
  (request: ServiceRequest): RequestTrace | undefined => {
    const readCaller = () => request.header("traceparent")
    const span = traces.begin({ name: "request", kind: "server", readCaller })
    if (span === undefined) return undefined
    return {
      within: work => traceBelow(work, span),
      end: answered => {
        if (answered === null) return traces.end(span, "failed")
        const { method, route, status } = answered
        Object.assign(span, { name: `${method} ${route}` })
        span.attribute("http.request.method", method)
        span.attribute("http.route", route)
        span.attribute("http.response.status_code", Number(status))
        traces.end(span, Number(status) >= 500 ? "failed" : "ok")
      },
    }
  }

// Which site does this process serve? Its address, its surfaces, and the sites whose pages may check without a key.

export interface MountedSiteShape extends Site {
  readonly surfaces: readonly Surface[]
  /** Origins of the site's own pages. */
  readonly origins: readonly string[]
  /** Whether requests from its own machine need no key to check: not in production, where a proxy may be on the same machine. */
  readonly trustsOwnMachine: boolean
}

/** The site of this process. Its address is corrected when the port is known. */
export class MountedSite extends Context.Service<MountedSite, MountedSiteShape>()("landfall/http/MountedSite") {
  static readonly layer = ({
    publicUrl,
    contact,
    pageSendsDataset,
    surfaces,
    siteOrigins,
    host,
    mode,
  }: ServiceConfig) =>
    Layer.succeed(MountedSite, {
      publicUrl,
      contact,
      pageSendsDataset,
      surfaces,
      origins: [new URL(publicUrl).origin, ...siteOrigins],
      trustsOwnMachine: mode === "development" && isLoopbackHost(host),
    })
}
