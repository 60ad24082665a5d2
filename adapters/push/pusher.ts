/**
 * Who sends waiting pushes, and what happens if one fails?
 *
 * Pushes are one kind of claimed work (see `queue-worker.ts`). A pusher writes the pushes of distributed events, claims those that are due on its
 * platforms, writes each message in the language of its device and sends it. A push is retried at growing intervals until it is too late to
 * matter; an invalid token is removed; while a service accepts nothing, its platform pauses.
 */
import { Clock, Effect } from "effect"
import { isLanguage, loadLocale } from "../../src/full.ts"
import { makePushWriter, PUSH_LIFETIME_MS } from "../events/followers/fan-out.ts"
import { attemptByEffect, makeWorker, type Retries, waitAfter } from "../queue/queue-worker.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { ClaimedPush, DeviceRow } from "../storage/devices-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Platform } from "../storage/tables.ts"
import { makeTokenBox } from "./devices.ts"
import {
  later,
  PUSH_TIMEOUT_MS,
  PushCounts,
  type PushOutcome,
  type PushService,
  writePushMessage,
} from "./push-service.ts"

const IN_FLIGHT = 100
const AHEAD = 400

/** Doubling from 30 seconds up to an hour, until the push is too old. */
export const PUSH_RETRIES: Retries = {
  waitsMs: [30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000],
  isEndless: true,
  longestAskedMs: PUSH_LIFETIME_MS,
}

/** A claimed push with its device and its event, where they still exist. */
type Message = ClaimedPush & { readonly device: DeviceRow | undefined; readonly event: EventRow | undefined }

/** What is kept of an attempt until it is written: nothing in the row. */
interface PushNote {
  readonly push: PushOutcome
}

/** Makes a pusher; `run` works until it is interrupted, `drain` until nothing is due. */
export const makePusher = Effect.fnUntraced(function* (services: readonly PushService[]) {
  const storage = yield* Storage
  const { devices, events, pushes } = storage
  const counter = yield* PushCounts
  const tokens = makeTokenBox(yield* DeploymentSecret)
  const byPlatform = new Map(services.map(service => [service.platform, service]))
  /** While a platform accepts nothing, until when. */
  const restsUntil = new Map<Platform, number>()
  const isResting = (platform: Platform, nowMs: number) => nowMs < (restsUntil.get(platform) ?? 0)

  const rest = (platform: Platform, attempt: number, { reason, afterMs }: Extract<PushOutcome, { kind: "later" }>) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const untilMs = nowMs + (afterMs ?? waitAfter(PUSH_RETRIES, attempt, null) ?? 0)
      const isNew = !isResting(platform, nowMs)
      restsUntil.set(platform, Math.max(untilMs, restsUntil.get(platform) ?? 0))
      const seconds = Math.round((untilMs - nowMs) / 1_000)
      if (isNew) yield* Effect.logWarning(`nothing is pushed by ${platform} for ${seconds} seconds: ${reason}`)
    })

  const send = ({ device, event, attempt, created_at }: Message) =>
    Effect.gen(function* () {
      const service = device === undefined ? undefined : byPlatform.get(device.platform)
      if (device === undefined || event === undefined || service === undefined) {
        return { kind: "rejected", reason: "the device or the event no longer exists" } as const
      }
      const token = tokens.open(device.id, device.sealed_token)
      if (token === null) return { kind: "rejected", reason: "the token of the device does not open" } as const
      // Pushes of a platform that has paused since the claim are not sent.
      if (isResting(device.platform, yield* Clock.currentTimeMillis)) {
        return later("the service rests", { afterMs: 0, isWhole: true })
      }
      const language = isLanguage(device.lang) ? device.lang : "en"
      const locale = yield* Effect.promise(() => loadLocale(language))
      const outcome = yield* service.send(token, writePushMessage(locale, event, created_at))
      if (outcome.kind === "later" && outcome.isWhole) yield* rest(device.platform, attempt, outcome)
      return outcome
    })

  const attempt = yield* attemptByEffect<Message, PushNote, never>("a push", message =>
    Effect.gen(function* () {
      const push: PushOutcome = yield* send(message)
      const note = { push }
      const nowMs = yield* Clock.currentTimeMillis
      const restsMs = Math.max(0, (restsUntil.get(message.lane) ?? 0) - nowMs)
      if (push.kind === "rejected") return { kind: "given_up", note }
      if (push.kind !== "later") return { kind: "done", note }
      // A refusal of everything does not count as an attempt of this push.
      if (push.isWhole) return { kind: "later", dueMs: nowMs + restsMs, counts: false, note, lane: "refuses" }
      // A service that asks for no wait wants the push again at once, the first time.
      if (push.afterMs === 0 && message.attempt === 1) return { kind: "later", dueMs: nowMs, counts: true, note }
      return { kind: "again", askedMs: Math.max(push.afterMs ?? 0, restsMs), note }
    }),
  )

  return yield* makeWorker<ClaimedPush, Message, PushNote>({
    name: "pushes",
    table: pushes,
    leaseMs: 6 * PUSH_TIMEOUT_MS,
    attemptMs: PUSH_TIMEOUT_MS,
    stopMs: PUSH_TIMEOUT_MS,
    inFlight: IN_FLIGHT,
    ahead: AHEAD,
    settleAt: 128,
    idleMs: 500,
    retries: PUSH_RETRIES,
    keepsMs: PUSH_LIFETIME_MS,
    feed: {
      isDue: events.areToPush,
      some: Effect.provideService(yield* makePushWriter([...byPlatform.keys()]), Storage, storage),
    },
    isOpen: (platform, nowMs) => byPlatform.has(platform as Platform) && !isResting(platform as Platform, nowMs),
    find: claimed =>
      Effect.gen(function* () {
        const ids = { device: claimed.map(push => push.device_id), event: claimed.map(push => push.event_id) }
        const found = new Map((yield* devices.findAll("id", [...new Set(ids.device)])).map(row => [row.id, row]))
        const told = new Map((yield* events.findAll([...new Set(ids.event)])).map(row => [row.id, row]))
        return claimed.map(push => ({ ...push, device: found.get(push.device_id), event: told.get(push.event_id) }))
      }),
    attempt,
    settled: ended =>
      Effect.forEach(
        ended,
        ({ item, outcome }) =>
          Effect.gen(function* () {
            const { push } = outcome.note
            counter.add(item.device?.platform ?? null, push.kind)
            if (push.kind === "rejected")
              yield* Effect.logWarning(`a push to device ${item.device_id} was given up: ${push.reason}`)
            if (push.kind === "gone")
              yield* devices.removeExpired(item.device_id, push.sinceMs ?? (yield* Clock.currentTimeMillis))
          }),
        { discard: true },
      ),
  })
})
