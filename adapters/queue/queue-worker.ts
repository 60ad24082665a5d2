/**
 * How is waiting work done, and what happens if an attempt fails?
 *
 * This is the loop of every kind of claimed work. It works in turns: each turn is one transaction that writes the outcomes of finished
 * attempts and claims the next rows, while other attempts are under way. Any number of workers share a database: no other touches a claimed
 * row until its claim expires. `work-table.ts` has the statements, `fair-turns.ts` decides the order and how much is claimed in advance,
 * and a kind defines an attempt and its consequences.
 */
import { randomUUID } from "node:crypto"
import { Cause, Clock, Effect, Schedule, Scope, type Tracer } from "effect"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import type { ReadyLanes, Settled, Ticket, WorkId, WorkTable } from "../storage/work-table.ts"
import { Tracing, traceBelow } from "../telemetry/tracing.ts"
import { yieldTurn } from "../time/yield-turn.ts"
import { ClaimedQueue } from "./fair-turns.ts"
import { WorkTimes } from "./work-metrics.ts"

// When is work tried again that has failed? After waits that a kind of work lists, and later where the other side asks for it.

/** The waits of one kind of work. */
export interface Retries {
  /** The wait after the first, second … attempt, in milliseconds; the attempt after the last one is the last. */
  readonly waitsMs: readonly number[]
  /** Whether the last wait is repeated without end. */
  readonly isEndless?: boolean
  /** The longest wait that the other side can ask for. */
  readonly longestAskedMs: number
}

/**
 * Says how long to wait after a failed attempt, or null where it was the last.
 *
 * @example
 * ```ts
 * const retries = { waitsMs: [30_000, 300_000], longestAskedMs: 86_400_000 }
 * waitAfter(retries, 1, null) // => 30000
 * waitAfter(retries, 1, 90_000) // => 90000
 * waitAfter(retries, 2, 90_000) // => 300000
 * waitAfter(retries, 3, null) // => null
 * ```
 */
export function waitAfter(
  { waitsMs, isEndless = false, longestAskedMs }: Retries,
  attempt: number,
  askedMs: number | null,
): number | null {
  const wait = waitsMs[attempt - 1] ?? (isEndless ? waitsMs.at(-1) : undefined)
  return wait === undefined ? null : Math.max(wait, Math.min(askedMs ?? 0, longestAskedMs))
}

/**
 * Reads how long a receiver asks to wait (RFC 9110, section 10.2.3): seconds, or a date. Null for anything else.
 *
 * @example
 * ```ts
 * readRetryAfter("120", 0) // => 120000
 * readRetryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 0) // => 60000
 * readRetryAfter("soon", 0) // => null
 * ```
 */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** The outcome of an attempt. `note`: what the kind keeps of it. */
export type Outcome<Note> = { readonly note: Note; readonly lane?: "refuses" | "silent" } & (
  | { readonly kind: "done" | "given_up" }
  /** Tried again, or given up after the last attempt. `askedMs`: what the other side asks for, which can only lengthen the wait. */
  | { readonly kind: "again"; readonly askedMs?: number | null }
  /** Tried again at an instant. `counts: false` where the attempt says nothing of this row. */
  | { readonly kind: "later"; readonly dueMs: number; readonly counts: boolean }
)

/** An attempt whose outcome was written. */
export interface Ended<Item, Note> {
  readonly item: Item
  readonly state: Settled<Note>["state"]
  readonly outcome: Outcome<Note>
}

/** The same, before it is written. */
type Finished<Item, Note> = Ended<Item, Note> & Settled<Note>

/** `fail`: ends an attempt that threw after it had begun. `span`: what traces it, where that is traced. */
type Attempt<Item, Note> = (
  item: Item,
  done: (outcome: Outcome<Note> | null) => void,
  fail: () => void,
  span?: Tracer.Span,
) => void

/** One kind of work. `Row`: a row of its table; `Item`: the row with everything that an attempt needs. */
export interface WorkKind<Row extends Ticket, Item extends Row, Note extends object> {
  /** The name of the work in messages: "deliveries". */
  readonly name: string
  readonly table: WorkTable<Row, Note>
  /** How long a claim holds: longer than any attempt takes. */
  readonly leaseMs: number
  readonly attemptMs: number
  /** How long a stopping worker waits for attempts under way. */
  readonly stopMs: number
  /** How many attempts are under way at a time, and how many of them in one lane; how many rows are claimed in advance. */
  readonly inFlight: number
  readonly perLane?: number
  readonly ahead: number
  /** How many outcomes are written at once; fewer wait a moment for others. */
  readonly settleAt: number
  /** How long a worker that has found nothing to do waits. */
  readonly idleMs: number
  readonly retries: Retries
  /** How long rows are kept after their creation; null where something else deletes them. */
  readonly keepsMs: number | null
  /** Deletes other expired data, up to an instant. */
  readonly sweep?: (nowMs: number) => Effect.Effect<void, Unavailable>
  /** Makes work from due data, some at a time; says whether there may be more. */
  readonly feed?: {
    readonly isDue: Effect.Effect<boolean, Unavailable>
    readonly some: Effect.Effect<{ readonly isMore: boolean }, Unavailable>
  }
  /** Whether lanes are taken from now; all by default. */
  readonly isOpen?: (lane: WorkId, nowMs: number) => boolean
  /** Finds what attempts need. */
  readonly find: (claimed: readonly Row[]) => Effect.Effect<readonly Item[], Unavailable>
  /**
   * Makes an attempt, and calls `done` once. Null: nothing is known of it, and the claim expires. What it throws is given to `done` as
   * `fault` has it, or as null.
   */
  readonly attempt: Attempt<Item, Note>
  /** The `traceparent` of the cause of the work, if it is known. */
  readonly causeOf?: (item: Item) => string | null
  readonly fault?: (item: Item) => Outcome<Note>
  /** The consequences of outcomes, in the transaction that writes them. Attempts with a lost claim are not among them. */
  readonly settled?: (ended: readonly Ended<Item, Note>[]) => Effect.Effect<void, Unavailable>
}

/** How many lanes are looked at once. */
const LOOK_LIMIT = 1_024
/** A look through all of the table that takes longer than this is followed by so many times its duration without another. */
const LONG_LOOK_MS = 10
const LOOK_PAUSE = 10
/** Rows that have become due within this time are seen by every look. */
const RECENT_MS = 5_000
/** How long an idle worker may leave the work of other processes waiting. */
const REST_MS = 1_000
/** How long outcomes wait for others. */
const LINGER_MS = 5
/** How long beginning attempts holds the event loop. */
const BEGIN_MS = 2
const SWEEP_EVERY_MS = 600_000
/** Few, so that no other writer of a file waits long. */
const PURGE_LIMIT = 200

/** Repeats a deletion of some rows until nothing is left, and lets others write in between. */
export const purgeInSteps = <E>(
  step: (limit: number) => Effect.Effect<number, E>,
  limit = PURGE_LIMIT,
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    while ((yield* step(limit)) === limit) yield* yieldTurn
  })

/** Makes a worker; `run` works until it is interrupted, `drain` until nothing is due. When its scope ends it stops as a kind says. */
export const makeWorker = Effect.fnUntraced(function* <Row extends Ticket, Item extends Row, Note extends object>(
  kind: WorkKind<Row, Item, Note>,
) {
  const { name, table, leaseMs, attemptMs, inFlight, perLane, ahead, idleMs, feed } = kind
  const storage = yield* Storage
  const clock = yield* Clock.Clock
  const traces = yield* Tracing
  const times = yield* WorkTimes
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const worker = randomUUID()
  const isTrusted = perLane === undefined
  const queue = new ClaimedQueue<Item>({ inFlight, perLane: perLane ?? inFlight, attemptMs, isTrusted })
  /** The rows that are claimed and whose outcome is not written. */
  const held = new Map<WorkId, Item>()
  const forget = (items: readonly Item[]) => {
    for (const item of items) if (held.get(item.id) === item) held.delete(item.id)
  }
  const finished: Finished<Item, Note>[] = []
  /** How many attempts have ended. */
  let ends = 0
  /** Called when one has, for those who wait. */
  let notify = () => {}

  const settle = (item: Item, outcome: Outcome<Note>): Finished<Item, Note> => {
    const nowMs = clock.currentTimeMillisUnsafe()
    const ended = { item, outcome, ticket: item, note: outcome.note, counts: true, dueMs: nowMs } as const
    if (outcome.kind === "later") return { ...ended, state: "open", counts: outcome.counts, dueMs: outcome.dueMs }
    if (outcome.kind !== "again") return { ...ended, state: outcome.kind }
    const waitMs = waitAfter(kind.retries, item.attempt, outcome.askedMs ?? null)
    return waitMs === null ? { ...ended, state: "given_up" } : { ...ended, state: "open", dueMs: nowMs + waitMs }
  }

  let isBeginning = false
  /** Begins everything that may be begun now, and lets others run in between. */
  const begin = (): void => {
    // An attempt that ends at once is followed up by the loop that is running already.
    if (isBeginning) return
    isBeginning = true
    beginSome()
  }
  const beginSome = (): void => {
    const sinceMs = performance.now()
    for (;;) {
      if (performance.now() - sinceMs >= BEGIN_MS) return void setImmediate(beginSome)
      const startedMs = clock.currentTimeMillisUnsafe()
      const item = queue.next(startedMs)
      if (item === undefined) break
      const span = traces?.begin({ name, kind: "client", cause: kind.causeOf?.(item) ?? null })
      span?.attribute("landfall.attempt", item.attempt)
      let isDone = false
      const done = (outcome: Outcome<Note> | null) => {
        if (isDone) return
        isDone = true
        const tookMs = clock.currentTimeMillisUnsafe() - startedMs
        const ended = outcome?.kind ?? "unknown"
        times.note(name, ended, tookMs / 1_000)
        if (span !== undefined) {
          span.attribute("landfall.outcome", ended)
          traces?.end(span, ended === "done" ? "ok" : "failed")
        }
        queue.finish(item, { isAccepted: outcome?.lane === undefined, isAnswered: outcome?.lane !== "silent", tookMs })
        if (outcome !== null) finished.push(settle(item, outcome))
        else forget([item])
        ends++
        begin()
        notify()
      }
      const fail = () => done(kind.fault?.(item) ?? null)
      try {
        kind.attempt(item, done, fail, span)
      } catch (fault) {
        // A fault must not delay other rows.
        runFork(Effect.logError(`${name}: the attempt of ${item.id} could not be made`, Cause.die(fault)))
        fail()
      }
    }
    isBeginning = false
  }

  const readMonotonicMs = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  /** The lane after which the next look begins, so that all have their turn. */
  let lookedAt: WorkId | null = null
  /** Lanes in which the look before has found something. */
  let known: ReadyLanes = new Map()
  /**
   * When the whole table may be searched again. While another transaction reads for long, PostgreSQL keeps every row version that was ever
   * ready and passes over it, so the looks in between only pass over the latest.
   */
  let looksThroughAtMs = Number.NEGATIVE_INFINITY
  /** From which lanes something can be claimed, by how much. */
  const findRoom = Effect.fnUntraced(function* (most: number) {
    const nowMs = yield* Clock.currentTimeMillis
    const beganMs = readMonotonicMs()
    const looksThrough = beganMs >= looksThroughAtMs
    const look = { nowMs, after: lookedAt, limit: LOOK_LIMIT }
    const only = looksThrough ? {} : { only: { known, sinceMs: nowMs - RECENT_MS } }
    const ready = yield* table.listReady({ ...look, ...only })
    const endedMs = readMonotonicMs()
    if (looksThrough && endedMs - beganMs > LONG_LOOK_MS) looksThroughAtMs = endedMs + (endedMs - beganMs) * LOOK_PAUSE
    const open = [...ready.keys()].flatMap(lane => {
      const room = kind.isOpen?.(lane, nowMs) === false ? 0 : queue.measureRoom(lane)
      return room === 0 ? [] : [[lane, room] as const]
    })
    // A lane may have fewer rows than room: with many lanes a turn takes some of each, and not as many of a few as they may have.
    const share = 2 ** Math.floor(Math.log2(Math.max(1, most / open.length)))
    const rooms = new Map<number, WorkId[]>()
    let total = 0
    let last = [...ready.keys()].at(-1) ?? null
    for (const [lane, own] of open) {
      const room = Math.min(own, share, most - total)
      const some = rooms.get(room)
      if (some === undefined) rooms.set(room, [lane])
      else some.push(lane)
      total += room
      if (total < most) continue
      last = lane
      break
    }
    // Lanes before those of this look stay known until their next look.
    const before = [...known].filter(([lane]) => lookedAt !== null && lane <= lookedAt)
    known = new Map([...before, ...ready].slice(-LOOK_LIMIT))
    lookedAt = total === most || ready.size === LOOK_LIMIT ? last : null
    return rooms
  })

  const claim = Effect.fnUntraced(function* (rooms: ReadonlyMap<number, readonly WorkId[]>) {
    const nowMs = yield* Clock.currentTimeMillis
    const claimed: Row[] = []
    for (const [each, lanes] of rooms) {
      yield* yieldTurn
      claimed.push(...(yield* table.claim({ worker, nowMs, leaseMs, lanes, from: known, each })))
    }
    return claimed.length === 0 ? [] : yield* kind.find(claimed)
  })

  const write = Effect.fnUntraced(function* (batch: readonly Finished<Item, Note>[]) {
    // A row that was claimed again is another attempt's.
    const own = batch.filter(({ item }) => held.get(item.id) === item)
    if (own.length === 0) return
    const written = yield* table.settle(worker, own)
    const ended = own.filter(({ item }) => written.has(item.id))
    if (kind.settled !== undefined && ended.length > 0) yield* kind.settled(ended)
  })
  let looksAtMs = Number.NEGATIVE_INFINITY
  /** More may be due that was not made work of. */
  let isFed = false
  /** Writes outcomes, feeds, claims as far as there is room and begins; says whether there was anything to do. */
  const turn = Effect.gen(function* () {
    // By elapsed time, not by the time of day: setting a clock back must not end this.
    const passedMs = readMonotonicMs()
    const isTime = passedMs >= looksAtMs
    if (isTime) {
      looksAtMs = passedMs + idleMs
      yield* table.recall(yield* Clock.currentTimeMillis)
      if (feed !== undefined) isFed = yield* feed.isDue
    }
    const hasFed = feed !== undefined && isFed
    if (hasFed) isFed = (yield* feed.some).isMore
    const looks = isTime || hasFed || queue.waiting <= ahead / 2
    const most = Math.min(table.claimedAtOnce, ahead + inFlight - queue.active - queue.waiting)
    const rooms = looks && most > 0 ? yield* findRoom(most) : new Map<number, WorkId[]>()
    const [batch, givenBack] = [[...finished], [...queue.givenBack]]
    if (batch.length + givenBack.length + rooms.size === 0) return hasFed
    const work = Effect.gen(function* () {
      yield* write(batch)
      yield* table.release(worker, givenBack)
      return rooms.size === 0 ? [] : yield* claim(rooms)
    })
    // Not interrupted between the two: what is claimed is known.
    const claimed = yield* Effect.uninterruptible(
      Effect.tap(storage.transact(work), items =>
        Effect.sync(() => {
          finished.splice(0, batch.length)
          queue.givenBack.splice(0, givenBack.length)
          forget([...batch.map(({ item }) => item), ...givenBack])
          for (const item of items) held.set(item.id, item)
          queue.add(items)
        }),
      ),
    )
    begin()
    return hasFed || batch.length + claimed.length > 0
  })

  const takeTurn = new OutageLog(`${name} wait`).insist(turn, idleMs)

  /** Ends when an attempt has, or when enough have. */
  const awaitFinished = (isEnough: () => boolean) =>
    Effect.callback<void>(resume => {
      notify = () => {
        if (!isEnough()) return
        notify = () => {}
        // After all that end in this turn of the event loop.
        setImmediate(() => resume(Effect.void))
      }
      notify()
      return Effect.sync(() => {
        notify = () => {}
      })
    })
  const awaitEnd = (seen: number) => awaitFinished(() => ends > seen)
  const awaitMany = awaitFinished(() => finished.length >= kind.settleAt)

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { keepsMs } = kind
    if (keepsMs !== null) yield* purgeInSteps(limit => table.purge(nowMs - keepsMs, limit))
    if (kind.sweep !== undefined) yield* kind.sweep(nowMs)
  })

  /** Waits, but no longer than until this process has changed something: that may be work. */
  const rest = Effect.fnUntraced(function* (changes: number) {
    for (let restedMs = 0; restedMs < REST_MS; restedMs += idleMs) {
      yield* Effect.sleep(idleMs)
      if (storage.countChanges() !== changes) break
    }
    looksAtMs = Number.NEGATIVE_INFINITY
  })

  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(sweep), Schedule.spaced(SWEEP_EVERY_MS)))
    yield* Effect.forever(
      Effect.gen(function* () {
        const [seen, changes] = [ends, storage.countChanges()]
        const wasBusy = yield* takeTurn
        if (!wasBusy && queue.active === 0 && ends === seen) return yield* rest(changes)
        if (!wasBusy) yield* Effect.timeoutOption(awaitEnd(seen), idleMs)
        // Attempts that end within a moment are written together.
        yield* Effect.timeoutOption(awaitMany, LINGER_MS)
      }),
    )
  })

  /** Works on everything that is due now, and waits for it. */
  const drain = Effect.gen(function* () {
    looksAtMs = Number.NEGATIVE_INFINITY
    for (;;) {
      const seen = ends
      if (yield* takeTurn) continue
      looksThroughAtMs = Number.NEGATIVE_INFINITY
      if (yield* takeTurn) continue
      if (queue.active + queue.waiting + finished.length === 0) return
      yield* awaitEnd(seen)
    }
  })

  // Attempts that end in time are written; interrupted ones do not count, and another worker makes them again.
  const stop = Effect.gen(function* () {
    queue.close()
    yield* Effect.timeoutOption(
      awaitFinished(() => queue.active === 0),
      kind.stopMs,
    )
    const batch = [...finished]
    const work = Effect.gen(function* () {
      yield* write(batch)
      forget(batch.map(({ item }) => item))
      yield* table.release(worker, [...held.values()])
    })
    yield* storage.transact(work)
  })
  yield* Effect.addFinalizer(() => Effect.ignore(stop))
  return { run: Effect.scoped(run), drain, sweep, worker }
})

/** Makes attempts of an effect: one that fails leaves its claim to expire, and one that throws ends as a fault. They end with the scope. */
export const attemptByEffect = <Item extends Ticket, Note, E>(
  name: string,
  make: (item: Item) => Effect.Effect<Outcome<Note>, E>,
) =>
  Effect.gen(function* () {
    // A scope of its own, which ends after the worker has stopped: what is under way then may finish.
    const scope = yield* Effect.flatMap(Effect.scope, outer => Scope.fork(outer, "parallel"))
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const log = new OutageLog(`an attempt of ${name} could not be made`)
    const begin: Attempt<Item, Note> = (item, done, fail, span) => {
      const made = span === undefined ? make(item) : traceBelow(make(item), span)
      const attempt = Effect.matchCauseEffect(log.tell(made), {
        onSuccess: outcome => Effect.sync(() => done(outcome)),
        onFailure: cause => Effect.sync(() => (Cause.hasDies(cause) ? fail() : done(null))),
      })
      runFork(Effect.forkIn(attempt, scope, { startImmediately: true }))
    }
    return begin
  })

/**
 * Returns a function that runs effects in scopes of their own, which all close together when the surrounding scope closes, so that none waits
 * until another has finished its work.
 */
export const endTogether = Effect.map(
  Effect.flatMap(Scope.Scope, scope => Scope.fork(scope, "parallel")),
  all =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
      Effect.flatMap(Scope.fork(all), own => Effect.provideService(effect, Scope.Scope, own)),
)
