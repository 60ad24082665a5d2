/**
 * Who sends due deliveries, and what happens when one fails?
 *
 * A dispatcher hands events on, claims deliveries, signs and sends each of them, and writes the outcome. It works in turns: each
 * turn is one transaction that settles finished attempts and claims the next deliveries, while others are under way. Any number
 * of dispatchers share a database: no other touches a claimed delivery until the claim expires, and then another one sends it
 * again. `claimed-queue.ts` decides whose turn it is and how much is claimed in advance.
 */
import { randomUUID } from "node:crypto"
import { Cause, Clock, Effect, Schedule } from "effect"
import { endTogether } from "../../platform/queue/end-together.ts"
import { type Claimed, ClaimedQueue } from "../../platform/queue/fair-turns.ts"
import { readRetryAfter, waitAfter } from "../../platform/queue/schedule.ts"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import type { ClaimedDelivery, SettledAttempt } from "../../platform/storage/deliveries-repository.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import { Storage } from "../../platform/storage/storage.ts"
import type { WebhookRow } from "../../platform/storage/webhooks-repository.ts"
import { fanOutSome } from "../followers/hand-on.ts"
import { ANSWER_TIMEOUT_MS, type AttemptOutcome, makeSender, type SenderOptions } from "./send.ts"
import { makeAttemptSigner } from "./sign-attempt.ts"

/** How long a claim holds: longer than any attempt takes. */
const LEASE_MS = 3 * ANSWER_TIMEOUT_MS
/** How many deliveries to one receiver are under way at a time. */
const PER_RECEIVER = 4
/** How many deliveries are under way at a time. */
const IN_FLIGHT = 1_024
/** The most that are claimed in one turn, and the number of waiting deliveries below which more are claimed. */
const CLAIM_LIMIT = 1_024
const CLAIM_BELOW = 512
/** How many subscriptions are checked for due deliveries at once. */
const LOOK_LIMIT = 1_024
/** This many outcomes are written at once; fewer wait a moment for others. */
const SETTLE_AT = 128
const LINGER_MS = 5
/** How long a dispatcher that has found nothing to do waits. */
const IDLE_MS = 250
/** How long a stopping dispatcher waits for attempts under way: as long as a receiver may take. */
const STOP_MS = ANSWER_TIMEOUT_MS
/** How long deliveries are kept. */
const RETENTION_MS = 30 * 86_400_000
const PURGE_EVERY_MS = 3_600_000
const PURGE_LIMIT = 1_000

/** What a test or a deployment can change of a dispatcher. */
export interface DispatcherOptions extends SenderOptions {
  readonly inFlight?: number
  readonly perReceiver?: number
  readonly leaseMs?: number
  readonly stopMs?: number
}

interface ClaimedAttempt extends ClaimedDelivery, Claimed {
  /** Undefined where it no longer exists. */
  readonly webhook: WebhookRow | undefined
}

interface Finished {
  readonly settled: SettledAttempt
  /** The subscription whose receiver said that the endpoint is gone. */
  readonly gone: number | null
}

const failed = (error: string): AttemptOutcome => ({ isAccepted: false, status: null, error, body: null })

/** What the outcome of an attempt means for its delivery. */
function judgeAttempt(
  { id, attempt }: Pick<ClaimedDelivery, "id" | "attempt">,
  outcome: AttemptOutcome,
  nowMs: number,
): SettledAttempt {
  const { isAccepted, status, error, body } = outcome
  const last = { last_at: nowMs, last_status: status, last_error: error, last_body: body }
  if (isAccepted) return { id, attempt, state: "delivered", due_at: nowMs, ...last }
  const asked = status === 429 || status === 503 ? readRetryAfter(outcome.retryAfter, nowMs) : null
  // A receiver that says that the endpoint is gone is not asked again.
  const wait = status === 410 ? null : waitAfter(attempt, asked)
  if (wait === null) return { id, attempt, state: "undelivered", due_at: nowMs, ...last }
  return { id, attempt, state: "pending", due_at: nowMs + wait, ...last }
}

/** Makes a dispatcher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makeDispatcher = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const storage = yield* Storage
  const { deliveries, events, webhooks } = storage
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const sign = makeAttemptSigner(yield* DeploymentSecret)
  const send = yield* makeSender(options)
  const { inFlight = IN_FLIGHT, perReceiver = PER_RECEIVER, leaseMs = LEASE_MS, stopMs = STOP_MS } = options
  const attemptMs = options.timeoutMs ?? ANSWER_TIMEOUT_MS
  const worker = randomUUID()
  const queue = new ClaimedQueue<ClaimedAttempt>({ inFlight, perReceiver, attemptMs })
  /** Outcomes that are not written yet. */
  const finished: Finished[] = []
  /** Called when an attempt has ended, for those who wait. */
  let notify = () => {}

  const make = (claimed: ClaimedAttempt, done: (outcome: AttemptOutcome) => void): void => {
    const { webhook, body } = claimed
    const signed =
      webhook === undefined
        ? { error: "the subscription no longer exists" }
        : sign(claimed, webhook, clock.currentTimeMillisUnsafe())
    if (webhook === undefined || "error" in signed) done(failed((signed as { readonly error: string }).error))
    else send({ url: webhook.url, headers: signed.headers, body }, done)
  }

  let isBeginning = false
  /** Begins everything that may be begun now. */
  const begin = (): void => {
    // An attempt that ends at once is followed up by the loop that is running already.
    if (isBeginning) return
    isBeginning = true
    for (;;) {
      const startedMs = clock.currentTimeMillisUnsafe()
      const claimed = queue.next(startedMs)
      if (claimed === undefined) break
      let isDone = false
      const done = (outcome: AttemptOutcome) => {
        if (isDone) return
        isDone = true
        const nowMs = clock.currentTimeMillisUnsafe()
        const { isAccepted, status } = outcome
        queue.finish(claimed, { isAccepted, isAnswered: status !== null, tookMs: nowMs - startedMs })
        finished.push({
          settled: judgeAttempt(claimed, outcome, nowMs),
          gone: status === 410 ? claimed.webhook_id : null,
        })
        begin()
        notify()
      }
      try {
        make(claimed, done)
      } catch (fault) {
        // A fault must not hold up other deliveries: it counts as a failed attempt, which is tried again.
        runFork(Effect.logError(`the attempt of delivery ${claimed.id} could not be made`, Cause.die(fault)))
        done(failed("the attempt could not be made"))
      }
    }
    isBeginning = false
  }

  /** The subscription after which the next check begins, so that all have their turn. */
  let lookedAt = 0
  /** For whom something can be claimed, and how much. */
  const findRoom = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const ready = yield* deliveries.listReady({ nowMs, afterId: lookedAt, limit: LOOK_LIMIT })
    const rooms = new Map<number, number[]>()
    let total = 0
    let last = 0
    for (const id of ready) {
      last = id
      const room = queue.measureRoom(id)
      if (room === 0) continue
      const ids = rooms.get(room)
      if (ids === undefined) rooms.set(room, [id])
      else ids.push(id)
      total += room
      if (total >= CLAIM_LIMIT) break
    }
    lookedAt = total >= CLAIM_LIMIT || ready.length === LOOK_LIMIT ? last : 0
    return rooms
  })

  const claim = Effect.fnUntraced(function* (rooms: ReadonlyMap<number, readonly number[]>) {
    const nowMs = yield* Clock.currentTimeMillis
    const claimed: ClaimedDelivery[] = []
    for (const [each, webhookIds] of rooms) {
      claimed.push(...(yield* deliveries.claim({ worker, nowMs, leaseMs, webhookIds, each })))
    }
    const rows = new Map((yield* webhooks.findAll([...rooms.values()].flat())).map(row => [row.id, row]))
    return claimed.map(
      (delivery): ClaimedAttempt => ({
        ...delivery,
        leaseUntilMs: nowMs + leaseMs,
        webhook: rows.get(delivery.webhook_id),
      }),
    )
  })

  const write = Effect.fnUntraced(function* (batch: readonly Finished[]) {
    if (batch.length === 0) return
    yield* deliveries.settle(
      worker,
      batch.map(({ settled }) => settled),
    )
    for (const { gone } of batch) if (gone !== null) yield* webhooks.disable(gone, "the endpoint answered 410")
  })

  let looksAtMs = Number.NEGATIVE_INFINITY
  /** Events may be due that were not handed on. */
  let hasEvents = false
  /**
   * Settles finished attempts, hands on due events, claims deliveries as far as there is room and begins them; says whether there
   * was anything to do.
   */
  const turn = Effect.gen(function* () {
    // By elapsed time, not by the time of day: a clock that is set back must not end this.
    const passedMs = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const isTime = passedMs >= looksAtMs
    if (isTime) {
      looksAtMs = passedMs + IDLE_MS
      hasEvents = (yield* events.countDue(yield* Clock.currentTimeMillis)) > 0
    }
    const handedOn = hasEvents ? yield* fanOutSome : null
    hasEvents = handedOn?.isMore ?? false
    const looks = isTime || handedOn !== null || queue.waiting < CLAIM_BELOW
    const rooms = looks && queue.waiting < CLAIM_LIMIT ? yield* findRoom : new Map<number, number[]>()
    const batch = [...finished]
    const givenBack = [...queue.givenBack]
    if (batch.length + givenBack.length + rooms.size === 0) return handedOn !== null
    const claimed = yield* storage.transact(
      Effect.gen(function* () {
        yield* write(batch)
        if (givenBack.length > 0) yield* deliveries.release(worker, givenBack)
        return rooms.size === 0 ? [] : yield* claim(rooms)
      }),
    )
    finished.splice(0, batch.length)
    queue.givenBack.splice(0, givenBack.length)
    queue.add(claimed)
    begin()
    return handedOn !== null || batch.length + claimed.length > 0
  }).pipe(Effect.provideService(Storage, storage))

  const outages = new OutageLog("deliveries wait")
  const takeTurn = outages.insist(turn, IDLE_MS)

  /** Ends when an attempt has, or when enough have. */
  const awaitFinished = (isEnough: () => boolean) =>
    Effect.callback<void>(resume => {
      notify = () => {
        if (!isEnough()) return
        notify = () => {}
        resume(Effect.void)
      }
      notify()
      return Effect.sync(() => {
        notify = () => {}
      })
    })
  const awaitSome = awaitFinished(() => finished.length > 0)
  const awaitMany = awaitFinished(() => finished.length >= SETTLE_AT)

  const run = Effect.gen(function* () {
    const purge = deliveriesPurge(deliveries.purge)
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(purge), Schedule.spaced(PURGE_EVERY_MS)))
    yield* Effect.forever(
      Effect.gen(function* () {
        const wasBusy = yield* takeTurn
        if (!wasBusy) yield* Effect.timeoutOption(awaitSome, IDLE_MS)
        // Attempts that end within a moment are written together.
        yield* Effect.timeoutOption(awaitMany, LINGER_MS)
      }),
    )
  })

  /** Sends everything that is due now, and waits for it. */
  const drain = Effect.gen(function* () {
    looksAtMs = Number.NEGATIVE_INFINITY
    for (;;) {
      if (yield* takeTurn) continue
      if (queue.active === 0 && finished.length === 0) return
      yield* awaitSome
    }
  })

  // Attempts that end in time are written; interrupted ones do not count, and another dispatcher makes them again.
  const stop = Effect.gen(function* () {
    queue.close()
    yield* Effect.timeoutOption(
      awaitFinished(() => queue.active === 0),
      stopMs,
    )
    yield* storage.transact(Effect.andThen(write([...finished]), deliveries.release(worker)))
  })
  yield* Effect.addFinalizer(() => Effect.ignore(stop))
  return { run: Effect.scoped(run), drain, worker }
})

/** Starts a number of dispatchers; they stop with the scope, all at the same time. */
export const startDispatchers = Effect.fnUntraced(function* (count: number, options: DispatcherOptions) {
  const inOwnScope = yield* endTogether
  const start = Effect.flatMap(makeDispatcher(options), ({ run }) => Effect.forkScoped(run))
  for (let at = 0; at < count; at++) yield* inOwnScope(start)
})

const deliveriesPurge = <E>(purge: (beforeMs: number, limit: number) => Effect.Effect<number, E>) =>
  Effect.gen(function* () {
    const beforeMs = (yield* Clock.currentTimeMillis) - RETENTION_MS
    while ((yield* purge(beforeMs, PURGE_LIMIT)) === PURGE_LIMIT);
  })

/** Deletes deliveries whose retention is over. */
export const purgeDeliveries = Effect.flatMap(Storage, ({ deliveries }) => deliveriesPurge(deliveries.purge))
