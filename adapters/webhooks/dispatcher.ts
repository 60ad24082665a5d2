/**
 * Who sends due deliveries, and what happens if one fails?
 *
 * Deliveries are one kind of claimed work (see `queue-worker.ts`). A dispatcher distributes events, signs and sends the claimed deliveries, and
 * writes the outcome. Any number of them share a database.
 */

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { Clock, Effect, Option } from "effect"
import { signDelivery } from "../../src/engine.ts"
import { makeFanOut } from "../events/followers/fan-out.ts"
import { guardLookup, type Resolve, readTarget, type TargetRules } from "../events/followers/target-guard.ts"
import { followAnswered } from "../events/live-dataset.ts"
import { Mails } from "../mail/mails.ts"
import {
  endTogether,
  makeWorker,
  type Outcome,
  purgeInSteps,
  type Retries,
  readRetryAfter,
} from "../queue/queue-worker.ts"
import { WorkTimes } from "../queue/work-metrics.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { Storage } from "../storage/storage.ts"
import type { ClaimedDelivery, DeliveryNote, WebhookRow } from "../storage/webhooks-repository.ts"
import { writeTraceparent } from "../telemetry/tracing.ts"
import { sealSecrets } from "./webhooks.ts"

// Which signature headers does an attempt get? It is signed again, with every secret that is valid at that moment.

/** Makes a signer of attempts, which returns the headers, or says why there are none. */
export const makeAttemptSigner = (secret: DeploymentSecret["Service"]) => {
  const { open } = sealSecrets(secret)
  return (
    { event_id, body }: Pick<ClaimedDelivery, "event_id" | "body">,
    webhook: WebhookRow,
    nowMs: number,
  ): Readonly<Record<string, string>> | string => {
    const { id, sealed_secret, sealed_old_secret, old_secret_until } = webhook
    const old = sealed_old_secret !== null && nowMs < old_secret_until ? [sealed_old_secret] : []
    const secrets = [sealed_secret, ...old].map(sealed => open(id, sealed))
    if (!secrets.every(text => text !== null)) return "the secret of the subscription does not open"
    const timestampSeconds = Math.floor(nowMs / 1_000)
    const signed = signDelivery({ id: event_id, timestampSeconds, body, secrets })
    return signed.ok ? { ...signed.value, "user-agent": "landfall" } : signed.error.message
  }
}

// What happens if a receiver fails repeatedly? The time since which no delivery to it has succeeded is recorded at the first failure and
// deleted at the first success. If it still fails after {@link FAILING_MS}, its subscription is disabled, and its owner gets a mail.

/** How long a receiver may fail. */
const FAILING_MS = 5 * 86_400_000

/** One attempt that has ended; undefined for a subscription that no longer exists. */
interface Ended {
  readonly webhook: WebhookRow | undefined
  readonly isDelivered: boolean
}

/** Returns a function that records the outcomes of attempts, in the transaction that writes them. */
const makeReceiverNotes = Effect.gen(function* () {
  const { accounts, webhooks } = yield* Storage
  const mails = Option.getOrUndefined(yield* Effect.serviceOption(Mails))

  const tellOwner = ({ id, account_id }: WebhookRow) =>
    Effect.gen(function* () {
      yield* Effect.logWarning(`webhook ${id} was disabled: every delivery has failed for five days`)
      if (mails === undefined || mails.delivery === "none") return
      const language = (yield* accounts.find({ id: account_id }))?.language ?? "en"
      yield* mails.order({ kind: "webhook_stopped", accountId: account_id, language, webhookId: id })
    })

  return (ended: readonly Ended[], nowMs: number) =>
    Effect.gen(function* () {
      const delivered = new Set(
        ended.flatMap(({ webhook, isDelivered }) => (isDelivered && webhook ? [webhook.id] : [])),
      )
      const rows = new Map(ended.flatMap(({ webhook }) => (webhook === undefined ? [] : [[webhook.id, webhook]])))
      const idsOf = (isMet: (row: WebhookRow) => boolean) => [...rows.values()].filter(isMet).map(({ id }) => id)
      const recovered = idsOf(row => delivered.has(row.id) && row.failing_since !== null)
      const failing = idsOf(row => !delivered.has(row.id) && row.failing_since === null)
      if (recovered.length > 0) yield* webhooks.noteFailing(recovered, null)
      if (failing.length > 0) yield* webhooks.noteFailing(failing, nowMs)
      for (const row of rows.values()) {
        const isOver = !delivered.has(row.id) && row.failing_since !== null && row.failing_since <= nowMs - FAILING_MS
        if (isOver && (yield* webhooks.disable(row.id, "every delivery has failed for five days")))
          yield* tellOwner(row)
      }
    })
})

// Which secrets does a subscription have now? Deliveries are claimed in advance, with their subscription at that time. If a secret is replaced
// afterwards, they must be signed with the new one too, because their receiver may no longer accept the old one. So the number of replacements
// is read with every look, and when it has changed, the subscriptions of claimed deliveries are read again.

/** How many subscriptions are remembered. */
const MAXIMUM_REMEMBERED = 10_000

/** Makes a memory of the subscriptions of a worker. */
export const followWebhooks = Effect.gen(function* () {
  const { webhooks } = yield* Storage
  let rotations = yield* webhooks.readRotations
  let known = new Map<number, WebhookRow>()

  const find = (ids: readonly number[]) =>
    Effect.map(webhooks.findAll("id", ids), rows => {
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

/** How many deliveries are under way at a time, how many of them to one receiver, and how many are claimed in advance. */
const IN_FLIGHT = 1_024
const PER_RECEIVER = 4
const AHEAD = 1_024
/** How long deliveries are kept. */
const DAY_MS = 86_400_000
const RETENTION_MS = 30 * DAY_MS

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000]
/** The times of the specification, from the end of the attempt before: ten attempts in all. A receiver may ask for a day. */
export const DELIVERY_RETRIES: Retries = {
  waitsMs: [30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...Array.from({ length: 6 }, () => 6 * HOUR_MS)],
  longestAskedMs: 24 * HOUR_MS,
}

/** Options for tests and deployments. */
export interface DispatcherOptions extends SenderOptions {
  readonly inFlight?: number
  readonly leaseMs?: number
  readonly stopMs?: number
  /** How long events and superseded datasets are kept; for good by default. */
  readonly historyDays?: number
}

/** A claimed delivery and its subscription; undefined where that no longer exists. */
type ReadyDelivery = ClaimedDelivery & { readonly webhook: WebhookRow | undefined }

/** The consequence of an attempt's outcome for its delivery. */
function judgeAttempt(
  { isAccepted, status, error, body, retryAfter }: AttemptOutcome,
  nowMs: number,
): Outcome<DeliveryNote> {
  const note = { last_at: nowMs, last_status: status, last_error: error, last_body: body }
  if (isAccepted) return { kind: "done", note }
  const lane = status === null ? "silent" : "refuses"
  // A receiver that says that the endpoint is gone is not asked again.
  if (status === 410) return { kind: "given_up", note, lane }
  const askedMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, nowMs) : null
  return { kind: "again", askedMs, note, lane }
}

/** Makes a dispatcher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makeDispatcher = Effect.fnUntraced(function* (options: DispatcherOptions) {
  const storage = yield* Storage
  const { datasets, deliveries, events, webhooks } = storage
  const clock = yield* Clock.Clock
  const times = yield* WorkTimes
  const sign = makeAttemptSigner(yield* DeploymentSecret)
  const send = yield* makeSender(options)
  const { timeoutMs = ANSWER_TIMEOUT_MS, inFlight = IN_FLIGHT } = options
  const judge = (outcome: AttemptOutcome) => judgeAttempt(outcome, clock.currentTimeMillisUnsafe())

  const noteReceivers = yield* makeReceiverNotes
  const current = yield* followWebhooks
  const fanOut = yield* makeFanOut
  const readAnswered = yield* followAnswered
  /** The newest installation whose events may be sent. */
  let answered = 0

  return yield* makeWorker<ClaimedDelivery, ReadyDelivery, DeliveryNote>({
    name: "deliveries",
    table: deliveries,
    leaseMs: options.leaseMs ?? 3 * ANSWER_TIMEOUT_MS,
    attemptMs: timeoutMs,
    stopMs: options.stopMs ?? ANSWER_TIMEOUT_MS,
    inFlight,
    perLane: PER_RECEIVER,
    ahead: AHEAD,
    settleAt: 128,
    idleMs: 250,
    retries: DELIVERY_RETRIES,
    keepsMs: RETENTION_MS,
    sweep: nowMs =>
      Effect.gen(function* () {
        yield* purgeInSteps(limit => deliveries.purgeBodies(nowMs - RETENTION_MS, limit))
        if (options.historyDays === undefined) return
        const beforeMs = nowMs - options.historyDays * DAY_MS
        const before = new Date(beforeMs).toISOString()
        yield* purgeInSteps(limit => events.purge(beforeMs, limit))
        yield* purgeInSteps(limit => datasets.purgeChanges(before, limit), 1)
        yield* purgeInSteps(limit => datasets.purge(before, limit), 1)
      }),
    feed: {
      isDue: Effect.gen(function* () {
        yield* current.refresh
        if ((yield* events.countDue(yield* Clock.currentTimeMillis)) === 0) return false
        answered = yield* readAnswered
        return true
      }),
      some: Effect.suspend(() => Effect.provideService(fanOut(answered), Storage, storage)),
    },
    find: claimed =>
      Effect.map(current.find([...new Set(claimed.map(({ lane }) => lane))]), byId =>
        claimed.map(delivery => ({ ...delivery, webhook: byId.get(delivery.lane) })),
      ),
    causeOf: ({ traceparent }) => traceparent,
    attempt: (delivery, done, _, span) => {
      const end = (outcome: AttemptOutcome) => done(judge(outcome))
      if (delivery.webhook === undefined) return end(failed("the subscription no longer exists"))
      const webhook = current.latest(delivery.webhook)
      const signed = sign(delivery, webhook, clock.currentTimeMillisUnsafe())
      if (typeof signed === "string") return end(failed(signed))
      const headers = span === undefined ? signed : { ...signed, traceparent: writeTraceparent(span) }
      send({ url: webhook.url, headers, body: delivery.body }, end)
    },
    // It counts as a failed attempt, which is tried again.
    fault: () => judge(failed("the attempt could not be made")),
    settled: ended =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        for (const { item, outcome, state } of ended) {
          if (state === "done" && item.since !== null) times.noteDelivered(Math.max(0, nowMs - item.since) / 1_000)
          if (outcome.note.last_status === 410) yield* webhooks.disable(item.lane, "the endpoint answered 410")
        }
        yield* noteReceivers(
          ended.map(({ item, state }) => ({ webhook: item.webhook, isDelivered: state === "done" })),
          nowMs,
        )
      }),
  })
})

/** Starts a number of dispatchers; they stop with the scope, all at the same time. */
export const startDispatchers = Effect.fnUntraced(function* (count: number, options: DispatcherOptions) {
  const inOwnScope = yield* endTogether
  const start = Effect.flatMap(makeDispatcher(options), ({ run }) => Effect.forkScoped(run))
  for (let at = 0; at < count; at++) yield* inOwnScope(start)
})

// How is one delivery sent? One POST over a connection that the guard has let through. A receiver has {@link ANSWER_TIMEOUT_MS} for all of
// its answer; 2xx is an acceptance and everything else a failure, a redirect too: following it could lead anywhere. Of the body {@link
// KEPT_BYTES} are read.

/** How long a receiver has to answer. */
const ANSWER_TIMEOUT_MS = 10_000
/** How much of an answer is read. */
const KEPT_BYTES = 4_096
/** How long an unused connection is kept. */
const IDLE_MS = 5_000

export interface AttemptOutcome {
  readonly isAccepted: boolean
  /** Null where there was no answer. */
  readonly status: number | null
  /** Null where it was accepted. */
  readonly error: string | null
  readonly retryAfter?: string | undefined
  /** The beginning of the answer's body. */
  readonly body: string | null
}

/** The request to send. */
export interface Shipment {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Options for tests and deployments. */
export interface SenderOptions extends TargetRules {
  readonly resolve?: Resolve
  /** Certificates that are trusted besides those of the system. */
  readonly ca?: string | Buffer
  readonly timeoutMs?: number
}

/** The outcome of an attempt without an acceptance. */
const failed = (error: string, status: number | null = null, body: string | null = null): AttemptOutcome => ({
  isAccepted: false,
  status,
  error,
  body,
})

/** Reads the part of an answer that is kept. */
function readAnswer(response: IncomingMessage, done: (outcome: AttemptOutcome) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    const status = response.statusCode ?? 0
    // PostgreSQL does not store NUL in a text.
    const text = Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString("utf8").replaceAll("\0", "\ufffd")
    const body = text === "" ? null : text
    if (status >= 200 && status < 300) return done({ isAccepted: true, status, error: null, body })
    const error = status >= 300 && status < 400 ? "a redirect is not followed" : `answered ${status}`
    done({ ...failed(error, status, body), retryAfter: response.headers["retry-after"] })
  }
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length < KEPT_BYTES) return
    finish()
    response.destroy()
  })
  response.on("end", finish)
  response.on("error", () => done(failed("the answer broke off", response.statusCode ?? null)))
}

/** Errors of a connection that the other end has closed. */
const CLOSED_CODES = new Set<string | undefined>(["ECONNRESET", "EPIPE"])

/** Sends one shipment and reports its outcome once; never fails. */
type Send = (shipment: Shipment, done: (outcome: AttemptOutcome) => void) => void

/** Sends deliveries until its scope ends. */
export const makeSender = Effect.fnUntraced(function* (options: SenderOptions) {
  const { resolve, ca, timeoutMs = ANSWER_TIMEOUT_MS } = options
  const connection = { lookup: guardLookup(options, resolve), ...(ca === undefined ? {} : { ca }) }
  const kept = { ...connection, timeout: IDLE_MS, keepAlive: true, maxFreeSockets: 256 }
  const [plain, secure] = [new HttpAgent(kept), new HttpsAgent(kept)]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      plain.destroy()
      secure.destroy()
    }),
  )

  const send: Send = ({ url, headers, body }, done) => {
    const target = readTarget(url, options)
    if (!target.ok) return done(failed(target.message))
    const { protocol, hostname, port, pathname, search, host } = target.url
    const isSecure = protocol === "https:"
    const address = { hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search }
    // As a list, because Node writes a list unchanged.
    const sent = ["host", host, "content-type", "application/json", "content-length", String(Buffer.byteLength(body))]
    for (const name in headers) sent.push(name, headers[name] as string)
    let isSettled = false
    const settle = (outcome: AttemptOutcome) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      done(outcome)
    }
    const begin = (isFresh: boolean): ClientRequest => {
      const agent = isFresh ? false : isSecure ? secure : plain
      let readBefore = 0
      let hasAnswered = false
      const request = (isSecure ? httpsRequest : httpRequest)(
        { method: "POST", ...address, ...connection, agent, headers: sent },
        response => {
          hasAnswered = true
          readAnswer(response, settle)
        },
      )
      request.on("socket", ({ bytesRead }) => {
        readBefore = bytesRead
      })
      request.on("error", ({ code, message }: NodeJS.ErrnoException) => {
        if (isSettled || hasAnswered) return
        const wasUnread = request.socket?.bytesRead === readBefore
        if (!isFresh && request.reusedSocket && wasUnread && CLOSED_CODES.has(code)) {
          // The receiver had closed an idle connection, as it may at any time: that does not count as an attempt.
          outgoing = begin(true)
          return
        }
        settle(failed(code === "EADDRREFUSED" ? message : `the connection failed: ${code ?? message}`))
      })
      request.end(body)
      return request
    }
    let outgoing: ClientRequest | undefined
    const timer = setTimeout(() => {
      settle(failed(`no answer within ${timeoutMs / 1_000} seconds`))
      outgoing?.destroy()
    }, timeoutMs)
    try {
      outgoing = begin(false)
    } catch (cause) {
      // Node refuses to send it, for example because of an impossible header.
      settle(failed(`the request cannot be made: ${(cause as Error).message}`))
    }
  }
  return send
})
