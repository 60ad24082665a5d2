/**
 * Who sends what is due, and what follows from how it went?
 *
 * A dispatcher hands events on, claims deliveries, sends each of them signed at that moment, and writes down how it went. Any number of them
 * share a database: what one has claimed no other touches until the claim runs out, so that what a process that died was at is sent again
 * by somebody. No receiver has more than {@link PER_RECEIVER} under way in one dispatcher's claims, so that one that hangs keeps only itself
 * waiting.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Queue, Schedule } from "effect"
import { signDelivery } from "../../src/engine.ts"
import { DeploymentSecret } from "../accounts/deployment-secret.ts"
import type { ClaimedDelivery, SettledAttempt } from "../storage/deliveries-repository.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { WebhookRow } from "../storage/webhooks-repository.ts"
import { fanOutDue } from "./fan-out.ts"
import { readRetryAfter, waitAfter } from "./schedule.ts"
import { ANSWER_TIMEOUT_MS, type AttemptOutcome, makeSender, type SenderOptions } from "./send.ts"
import { makeSecretBox } from "./webhooks.ts"

/** How long a claim holds: longer than any attempt takes. */
export const LEASE_MS = 3 * ANSWER_TIMEOUT_MS
/** How many deliveries to one receiver are under way at a time. */
export const PER_RECEIVER = 4
/** How many deliveries are under way at a time. */
export const IN_FLIGHT = 1_024
/** How many are claimed at once. */
const CLAIM_LIMIT = 256
/** How long a dispatcher that has found nothing to do waits. */
const IDLE_MS = 250
/** How long deliveries are kept. */
export const RETENTION_MS = 30 * 86_400_000
const PURGE_EVERY_MS = 3_600_000
const PURGE_LIMIT = 1_000

/** What a test or a deployment can change of a dispatcher. */
export interface DispatcherOptions extends SenderOptions {
  readonly inFlight?: number
  readonly perReceiver?: number
  readonly leaseMs?: number
}

interface Finished {
  readonly settled: SettledAttempt
  /** The subscription that its receiver wants no more of. */
  readonly gone: number | null
}

/** What an attempt that went so means for its delivery. */
export function judgeAttempt(
  { id, attempt }: Pick<ClaimedDelivery, "id" | "attempt">,
  outcome: AttemptOutcome,
  nowMs: number,
): SettledAttempt {
  const { isAccepted, status, error, body } = outcome
  const last = { last_at: nowMs, last_status: status, last_error: error, last_body: body }
  if (isAccepted) return { id, attempt, state: "delivered", due_at: nowMs, ...last }
  const asked = status === 429 || status === 503 ? readRetryAfter(outcome.retryAfter, nowMs) : null
  // Whoever says that the endpoint is gone is not asked again.
  const wait = status === 410 ? null : waitAfter(attempt, asked)
  if (wait === null) return { id, attempt, state: "undelivered", due_at: nowMs, ...last }
  return { id, attempt, state: "pending", due_at: nowMs + wait, ...last }
}

/** Makes a dispatcher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makeDispatcher = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const storage = yield* Storage
  const { deliveries, webhooks } = storage
  const secrets = makeSecretBox(yield* DeploymentSecret)
  const send = yield* makeSender(options)
  const { inFlight: maximum = IN_FLIGHT, perReceiver = PER_RECEIVER, leaseMs = LEASE_MS } = options
  const worker = randomUUID()
  const finished = yield* Queue.unbounded<Finished>()
  const scope = yield* Effect.scope
  /** Begun and not written down yet. */
  let inFlight = 0

  /** The headers of an attempt that is made now, or why there are none. */
  const sign = (delivery: ClaimedDelivery, webhook: WebhookRow, nowMs: number) =>
    Effect.try(() => secrets.listSigning(webhook, nowMs)).pipe(
      Effect.map(texts => {
        const timestampSeconds = Math.floor(nowMs / 1_000)
        const signed = signDelivery({ id: delivery.event_id, timestampSeconds, body: delivery.body, secrets: texts })
        return signed.ok ? { ...signed.value, "user-agent": "landfall" } : signed.error.message
      }),
      Effect.catch(() => Effect.succeed("the secret of the subscription does not open")),
    )

  const attempt = (delivery: ClaimedDelivery, webhook: WebhookRow | undefined) =>
    Effect.gen(function* () {
      const startedMs = yield* Clock.currentTimeMillis
      let outcome: AttemptOutcome
      if (webhook === undefined) {
        outcome = { isAccepted: false, status: null, error: "the subscription is not there any more", body: null }
      } else {
        const signed = yield* sign(delivery, webhook, startedMs)
        outcome =
          typeof signed === "string"
            ? { isAccepted: false, status: null, error: signed, body: null }
            : yield* send({ url: webhook.url, headers: signed, body: delivery.body })
      }
      const settled = judgeAttempt(delivery, outcome, yield* Clock.currentTimeMillis)
      yield* Queue.offer(finished, { settled, gone: outcome.status === 410 ? delivery.webhook_id : null })
    })

  /** Claims what there is room for and begins to send it; answers how many. */
  const begin = Effect.gen(function* () {
    const limit = Math.min(maximum - inFlight, CLAIM_LIMIT)
    if (limit <= 0) return 0
    const nowMs = yield* Clock.currentTimeMillis
    const claimed = yield* deliveries.claim({ worker, nowMs, leaseMs, limit, perReceiver })
    if (claimed.length === 0) return 0
    const ids = [...new Set(claimed.map(({ webhook_id }) => webhook_id))]
    const rows = new Map((yield* webhooks.findAll(ids)).map(row => [row.id, row]))
    for (const delivery of claimed) {
      inFlight++
      yield* Effect.forkIn(attempt(delivery, rows.get(delivery.webhook_id)), scope)
    }
    return claimed.length
  })

  const write = (batch: readonly Finished[]) =>
    storage.transact(
      Effect.gen(function* () {
        yield* deliveries.settle(
          worker,
          batch.map(({ settled }) => settled),
        )
        for (const { gone } of batch) if (gone !== null) yield* webhooks.disable(gone, "the endpoint answered 410")
      }),
    )

  const outages = new OutageLog("deliveries wait, because the database cannot do its work")
  const persist = <A, E>(work: Effect.Effect<A, E>) => Effect.retry(outages.tell(work), Schedule.spaced(IDLE_MS))

  const settleSome = Effect.gen(function* () {
    const batch = yield* Queue.takeAll(finished)
    yield* persist(write(batch))
    inFlight -= batch.length
  })

  const look = Effect.provideService(Effect.andThen(fanOutDue, begin), Storage, storage)

  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.forever(settleSome))
    const purge = deliveriesPurge(deliveries.purge)
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(purge), Schedule.spaced(PURGE_EVERY_MS)))
    yield* Effect.forever(
      Effect.flatMap(persist(look), count => (count === 0 ? Effect.sleep(IDLE_MS) : Effect.yieldNow)),
    )
  })

  /** Sends everything that is due now, and waits for it. */
  const drain = Effect.gen(function* () {
    while ((yield* look) > 0 || inFlight > 0) if (inFlight > 0) yield* settleSome
  })

  // What is done is written down; what was interrupted does not count, and somebody else begins it anew.
  const stop = Effect.gen(function* () {
    if ((yield* Queue.size(finished)) > 0) yield* write(yield* Queue.takeAll(finished))
    yield* deliveries.release(worker)
  })
  yield* Effect.addFinalizer(() => Effect.ignore(stop))
  return { run: Effect.scoped(run), drain, worker }
})

const deliveriesPurge = <E>(purge: (beforeMs: number, limit: number) => Effect.Effect<number, E>) =>
  Effect.gen(function* () {
    const beforeMs = (yield* Clock.currentTimeMillis) - RETENTION_MS
    while ((yield* purge(beforeMs, PURGE_LIMIT)) === PURGE_LIMIT);
  })

/** Deletes deliveries that were kept for long enough. */
export const purgeDeliveries = Effect.flatMap(Storage, ({ deliveries }) => deliveriesPurge(deliveries.purge))
