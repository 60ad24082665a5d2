/**
 * What is the state of the service's process?
 *
 * Processor time, memory, event loop lag, connections and start time, as the numbers that /metrics shows; the requests that were answered,
 * as numbers, traces and a log; what is asked now; and the site that it serves. The event loop's lag covers the time since it was last read.
 */
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import type { ServiceConfig } from "../../settings/config.ts"
import type { AccessLogPlace, Surface } from "../../settings/settings.ts"
import type { Site } from "../../settings/site-links.ts"
import { DatabaseClock } from "../../storage/database-clock.ts"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import type { RequestKind } from "../../storage/waiting-counts.ts"
import { type Family, Histogram, listHistogram, type Sample } from "../../telemetry/families.ts"
import { type Traces, traceBelow } from "../../telemetry/tracing.ts"
import { isLoopbackHost } from "../../validation/addresses.ts"
import type { ServiceRequest, StreamSink } from "./http-message.ts"

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

// How is each request logged, if an operator wants it?
// One JSON object a line: time, name, route, status, duration and plan. It never contains a key, a query or an address. Lines are collected
// and written together after the current requests, so a line costs a microsecond and not a system call.

/** The logged fields of a request. Every text is one of the service's own, or was proved to be plain. */
interface AccessRecord {
  readonly atMs: number
  readonly requestId: string
  readonly kind: RequestKind
  readonly milliseconds: number
  /** The plan of the key that was shown, or null. */
  readonly plan: string | null
}

/** Gathered lines are written at once when they have this many characters. */
const MAXIMUM_CHARACTERS = 65_536

export class AccessLog {
  readonly #write: (text: string) => void
  #lines = ""

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  note({ atMs, requestId, kind: { method, route, status }, milliseconds, plan }: AccessRecord): void {
    if (this.#lines === "") setImmediate(() => this.flush())
    const shownPlan = plan === null ? "null" : `"${plan}"`
    this.#lines += `{"time":"${new Date(atMs).toISOString()}","request_id":"${requestId}","method":"${method}","route":"${route}","status":${status},"milliseconds":${milliseconds.toFixed(3)},"plan":${shownPlan}}\n`
    if (this.#lines.length >= MAXIMUM_CHARACTERS) this.flush()
  }

  /** Writes the collected lines. */
  flush(): void {
    if (this.#lines === "") return
    const lines = this.#lines
    this.#lines = ""
    this.#write(lines)
  }
}

/** The access log where there is one. */
export function openAccessLog(place: AccessLogPlace): AccessLog | null {
  return place === "off" ? null : new AccessLog(text => process[place].write(text))
}

// Which questions are asked right now?
// Every answered pair is one event: passport, destination and time; nothing about who asked. The last fifty are kept in memory. A listener
// gets each event as it happens. With many listeners, events are collected for a moment and encoded once for all, so that listeners cost
// little. If there are too many events, the oldest are left out, and a comment says how many. A listener that reads too slowly misses events
// too.

/** How many events are remembered. */
export const RECENT_EVENTS = 50
/** After how long without an event a comment is sent to a listener. */
const KEEPALIVE_MS = 2_000
/** How often the service writes waiting events. */
const TICK_MS = 250
export const EVENTS_AT_ONCE = 64
/** How much each listener adds to the time between two writes: a thousand of them are written to twice a second. */
const MS_FOR_EACH_LISTENER = 0.5
/** How many listeners are written to before other requests are served again. */
const LISTENERS_AT_ONCE = 64

/** One answered question. */
export interface ActivityEvent {
  readonly passport: string
  readonly destination: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
}

export interface Moment {
  readonly passport: string
  readonly destination: string
  readonly atMs: number
}

interface Listener {
  readonly sink: StreamSink
  readonly address: string
  writtenAt: number
}

const encoder = new TextEncoder()
const KEEPALIVE = encoder.encode(": keepalive\n\n")

const toEvent = ({ passport, destination, atMs }: Moment): ActivityEvent => ({
  passport,
  destination,
  timestamp: new Date(atMs).toISOString(),
})

/** The events of this process. */
export class Activity {
  readonly #recent: Moment[] = []
  #next = 0
  readonly #listeners = new Set<Listener>()
  readonly #byAddress = new Map<string, number>()
  #waiting: Moment[] = []
  #leftOut = 0
  #writtenAt = Number.NEGATIVE_INFINITY
  #isFlushing = false

  /** Notes an answered question. */
  record(passport: string, destination: string, atMs: number): void {
    const moment = { passport, destination, atMs }
    this.#recent[this.#next] = moment
    this.#next = (this.#next + 1) % RECENT_EVENTS
    if (this.#listeners.size === 0) return
    this.#waiting.push(moment)
    if (this.#waiting.length > EVENTS_AT_ONCE) {
      this.#waiting.shift()
      this.#leftOut++
    }
    if (this.#isFlushing || !this.#isTimeToWrite(atMs)) return
    this.#isFlushing = true
    // Events of the same tick go out together.
    queueMicrotask(() => this.#flush(atMs))
  }

  #isTimeToWrite(nowMs: number): boolean {
    return nowMs - this.#writtenAt >= this.#listeners.size * MS_FOR_EACH_LISTENER
  }

  #flush(nowMs: number): void {
    this.#isFlushing = false
    if (this.#waiting.length === 0) return
    const note = this.#leftOut === 0 ? "" : `: ${this.#leftOut} events left out\n\n`
    const lines = this.#waiting.map(moment => `data: ${JSON.stringify(toEvent(moment))}\n\n`)
    const bytes = encoder.encode(note + lines.join(""))
    this.#waiting = []
    this.#leftOut = 0
    this.#writtenAt = nowMs
    this.#writeToAll([...this.#listeners], bytes, nowMs)
  }

  /** Writes to some listeners, and to the others after other requests were served. */
  #writeToAll(listeners: readonly Listener[], bytes: Uint8Array, nowMs: number): void {
    for (const listener of listeners.slice(0, LISTENERS_AT_ONCE)) {
      if (this.#listeners.has(listener)) this.#write(listener, bytes, nowMs)
    }
    if (listeners.length > LISTENERS_AT_ONCE) {
      setImmediate(() => this.#writeToAll(listeners.slice(LISTENERS_AT_ONCE), bytes, nowMs))
    }
  }

  #write(listener: Listener, bytes: Uint8Array, nowMs: number): void {
    listener.sink.write(bytes)
    listener.writtenAt = nowMs
  }

  /** Writes waiting events, and a comment to listeners that got nothing for two seconds. Called every {@link TICK_MS}. */
  tick(nowMs: number): void {
    if (this.#isTimeToWrite(nowMs)) this.#flush(nowMs)
    const silent = [...this.#listeners].filter(({ writtenAt }) => nowMs - writtenAt >= KEEPALIVE_MS)
    this.#writeToAll(silent, KEEPALIVE, nowMs)
  }

  /** The last events, newest first. */
  listRecent(): ActivityEvent[] {
    const older = this.#recent.slice(0, this.#next)
    const oldest = this.#recent.slice(this.#next)
    return [...oldest, ...older].reverse().map(toEvent)
  }

  /** Starts writing to a listener; returns a function that stops it. A first comment shows the client that it is connected. */
  listen(sink: StreamSink, address: string, nowMs: number): () => void {
    const listener: Listener = { sink, address, writtenAt: nowMs }
    this.#listeners.add(listener)
    this.#byAddress.set(address, this.countListenersAt(address) + 1)
    this.#write(listener, KEEPALIVE, nowMs)
    return () => {
      if (!this.#listeners.delete(listener)) return
      const left = this.countListenersAt(address) - 1
      if (left === 0) this.#byAddress.delete(address)
      else this.#byAddress.set(address, left)
    }
  }

  endStreams(): void {
    for (const { sink } of this.#listeners) sink.end()
    this.#listeners.clear()
    this.#byAddress.clear()
  }

  get listenerCount(): number {
    return this.#listeners.size
  }

  countListenersAt(address: string): number {
    return this.#byAddress.get(address) ?? 0
  }
}

/** The questions of this process. Waiting events are written until the scope ends. */
export class LiveActivity extends Context.Service<LiveActivity, Activity>()("landfall/http/LiveActivity") {
  static readonly layer = Layer.effect(
    LiveActivity,
    Effect.gen(function* () {
      const activity = new Activity()
      const tick = Effect.map(Clock.currentTimeMillis, nowMs => activity.tick(nowMs))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(TICK_MS), tick)))
      return activity
    }),
  )
}
