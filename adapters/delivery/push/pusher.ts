/**
 * Who sends waiting pushes, and what happens when one fails?
 *
 * A pusher claims what is due on the platforms that it reaches, writes each message in the language of its device, sends it, and
 * deletes what was taken. Any number of them share a database: no other touches a claimed push until the claim expires. A push is
 * tried again at growing intervals until it is too late to matter; an invalid token is removed; while a service accepts nothing
 * at all, its platform pauses.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Schedule } from "effect"
import { isLanguage, loadLocale } from "../../../src/full.ts"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import type { DeviceRow, Platform } from "../../platform/storage/devices-repository.ts"
import type { EventRow } from "../../platform/storage/events-repository.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import type { ClaimedPush } from "../../platform/storage/pushes-repository.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { makeTokenBox } from "./devices.ts"
import { PUSH_LIFETIME_MS, writePushMessage } from "./message.ts"
import { PushCounts } from "./push-counts.ts"
import { later, PUSH_TIMEOUT_MS, type PushOutcome, type PushService } from "./push-service.ts"

/** How long a claim holds: longer than any attempt takes. */
const PUSH_LEASE_MS = 6 * PUSH_TIMEOUT_MS
/** How many are claimed at once, and how many of them are under way at a time. */
const CLAIM_LIMIT = 500
const IN_FLIGHT = 100
/** How long a pusher that has found nothing to do waits. */
const IDLE_MS = 500
const PURGE_EVERY_MS = 3_600_000
const PURGE_LIMIT = 1_000
/** The wait after the first attempt, doubled after each one up to the longest. */
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 3_600_000

/** How long to wait after a failed attempt; a service can only lengthen it. */
export const waitAfterPush = (attempt: number, askedMs: number | null): number =>
  Math.max(
    Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, attempt - 1), LONGEST_WAIT_MS),
    Math.min(askedMs ?? 0, PUSH_LIFETIME_MS),
  )

interface Sent {
  readonly push: ClaimedPush
  readonly platform: Platform | null
  readonly outcome: PushOutcome
}

/** Makes a pusher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makePusher = Effect.fnUntraced(function* (services: readonly PushService[]) {
  const storage = yield* Storage
  const { devices, events, pushes } = storage
  const counter = yield* PushCounts
  const tokens = makeTokenBox(yield* DeploymentSecret)
  const byPlatform = new Map(services.map(service => [service.platform, service]))
  const restsUntil = new Map<Platform, number>()
  const worker = randomUUID()

  const sendOne = (push: ClaimedPush, device: DeviceRow | undefined, event: EventRow | undefined) =>
    Effect.gen(function* () {
      const done = (outcome: PushOutcome): Sent => ({ push, platform: device?.platform ?? null, outcome })
      const service = device === undefined ? undefined : byPlatform.get(device.platform)
      if (device === undefined || event === undefined || service === undefined) {
        return done({ kind: "rejected", reason: "the device or the event no longer exists" })
      }
      const token = tokens.unseal(device)
      if (token === null) return done({ kind: "rejected", reason: "the token of the device does not open" })
      // Pushes of a platform that has paused since the claim are not sent.
      if ((yield* Clock.currentTimeMillis) < (restsUntil.get(device.platform) ?? 0)) {
        return done(later("the service rests", { afterMs: 0, isWhole: true }))
      }
      const language = isLanguage(device.lang) ? device.lang : "en"
      const locale = yield* Effect.promise(() => loadLocale(language))
      const outcome = yield* service.send(token, writePushMessage(locale, event, push.created_at))
      if (outcome.kind === "later" && outcome.isWhole) yield* rest(device.platform, push.attempt, outcome)
      return done(outcome)
    })

  const rest = (platform: Platform, attempt: number, { reason, afterMs }: Extract<PushOutcome, { kind: "later" }>) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const untilMs = nowMs + (afterMs ?? waitAfterPush(attempt, null))
      const isNew = nowMs >= (restsUntil.get(platform) ?? 0)
      restsUntil.set(platform, Math.max(untilMs, restsUntil.get(platform) ?? 0))
      const seconds = Math.round((untilMs - nowMs) / 1_000)
      if (isNew) yield* Effect.logWarning(`nothing is pushed by ${platform} for ${seconds} seconds: ${reason}`)
    })

  const settle = ({ push, platform, outcome }: Sent) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      counter.add(platform, outcome.kind)
      switch (outcome.kind) {
        case "sent":
          return yield* pushes.finish(worker, push)
        case "gone":
          yield* pushes.finish(worker, push)
          return yield* devices.removeExpired(push.device_id, outcome.sinceMs ?? nowMs)
        case "rejected":
          yield* Effect.logWarning(`a push to device ${push.device_id} was given up: ${outcome.reason}`)
          return yield* pushes.finish(worker, push)
        case "later": {
          // A refusal of everything does not count as an attempt of this push.
          const ownMs = outcome.isWhole ? 0 : waitAfterPush(push.attempt, outcome.afterMs)
          const restMs = platform === null ? 0 : (restsUntil.get(platform) ?? 0)
          const isRenewed = outcome.afterMs === 0 && push.attempt === 1
          const dueAtMs = isRenewed && !outcome.isWhole ? nowMs : Math.max(nowMs + ownMs, restMs)
          return yield* pushes.defer(worker, push, { dueAtMs, isCounted: !outcome.isWhole })
        }
      }
    })

  /** Claims the due pushes, sends them and writes the outcomes; gives their number. */
  const look = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const platforms = [...byPlatform.keys()].filter(platform => nowMs >= (restsUntil.get(platform) ?? 0))
    const claimed = yield* pushes.claim({ worker, nowMs, leaseMs: PUSH_LEASE_MS, limit: CLAIM_LIMIT, platforms })
    if (claimed.length === 0) return 0
    const found = new Map(
      (yield* devices.findAll([...new Set(claimed.map(push => push.device_id))])).map(row => [row.id, row]),
    )
    const told = new Map(
      (yield* events.findAll([...new Set(claimed.map(push => push.event_id))])).map(row => [row.id, row]),
    )
    const sent = yield* Effect.forEach(
      claimed,
      push => sendOne(push, found.get(push.device_id), told.get(push.event_id)),
      { concurrency: IN_FLIGHT },
    )
    yield* persist(storage.transact(Effect.forEach(sent, settle, { discard: true })))
    return claimed.length
  })

  const outages = new OutageLog("pushes wait")
  const persist = <A, E, R>(work: Effect.Effect<A, E, R>) => outages.insist(work, IDLE_MS)

  const purge = Effect.gen(function* () {
    const beforeMs = (yield* Clock.currentTimeMillis) - PUSH_LIFETIME_MS
    while ((yield* pushes.purge(beforeMs, PURGE_LIMIT)) === PURGE_LIMIT);
  })

  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(purge), Schedule.spaced(PURGE_EVERY_MS)))
    yield* Effect.forever(
      Effect.flatMap(persist(look), count => (count === 0 ? Effect.sleep(IDLE_MS) : Effect.yieldNow)),
    )
  })

  /** Sends all pushes that are due now. */
  const drain = Effect.repeat(look, { until: count => count === 0 })

  yield* Effect.addFinalizer(() => Effect.ignore(pushes.release(worker)))
  return { run: Effect.scoped(run), drain, purge, worker }
})
