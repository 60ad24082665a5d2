/**
 * Which questions are asked right now?
 *
 * Every answered pair is one event: passport, destination and time; nothing about who asked. The last fifty are kept in memory. A listener
 * gets each event as it happens. With many listeners, events are collected for a moment and encoded once for all, so that listeners cost
 * little. If there are too many events, the oldest are left out, and a comment says how many. A listener that reads too slowly misses
 * events too.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AccessLogPlace } from "../../settings/settings.ts"
import type { RequestKind } from "../../storage/waiting-counts.ts"
import type { StreamSink } from "./http-answer.ts"

// How is each request logged, if an operator wants it?
// One JSON object a line: time, name, route, status, duration and plan. It never contains a key, a query or an address. Lines are collected
// and written together after the current requests, so a line costs a microsecond and not a system call.

/** The logged fields of a request. Every text is one of the service's own, or was proved to be plain. */
export interface AccessRecord {
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
