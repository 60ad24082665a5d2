/**
 * Who sends waiting pushes, and what happens if one fails?
 *
 * Pushes are one kind of claimed work (see `queue-worker.ts`). A pusher writes the pushes of distributed events, claims those that are due on its
 * platforms, writes each message in the language of its device and sends it. A push is retried at growing intervals until it is too late to
 * matter; an invalid token is removed; while a service accepts nothing, its platform pauses.
 */

import { readFileSync } from "node:fs"
import { Clock, Effect, Schema, type Scope } from "effect"
import { importPKCS8 } from "jose"
import { isLanguage, loadLocale } from "../../src/full.ts"
import { makePushWriter, PUSH_LIFETIME_MS } from "../events/followers/fan-out.ts"
import { describeFileError } from "../files/file-errors.ts"
import { attemptByEffect, makeWorker, type Retries, waitAfter } from "../queue/queue-worker.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { type SettingValues, settings } from "../settings/settings.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { ClaimedPush, DeviceRow } from "../storage/devices-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Platform } from "../storage/tables.ts"
import { makeTokenBox } from "./devices.ts"
import {
  later,
  makeApns,
  makeFcm,
  PUSH_TIMEOUT_MS,
  PushCounts,
  type PushOutcome,
  type PushService,
  readJson,
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
  const counts = yield* PushCounts
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
            const platform = item.device?.platform ?? null
            const name = `${platform} ${push.kind}`
            counts.set(name, { platform, outcome: push.kind, count: (counts.get(name)?.count ?? 0) + 1 })
            if (push.kind === "rejected")
              yield* Effect.logWarning(`a push to device ${item.device_id} was given up: ${push.reason}`)
            if (push.kind === "gone")
              yield* devices.removeExpired(item.device_id, push.sinceMs ?? (yield* Clock.currentTimeMillis))
          }),
        { discard: true },
      ),
  })
})

// With which accounts at Apple and Google does a deployment send pushes? Those that the configuration names: a key of Apple's with its
// three ids, a service account of Google's. Keys are files that are read once, at the start; a mistake in one stops the start with the
// file's name and none of its contents. Without any the service keeps devices and sends nothing.

/** The settings of pushes; null if there are none. */
type PushConfig = Pick<SettingValues, Extract<keyof SettingValues, `apns${string}` | `fcm${string}`>>

/** An account at a push service; `open` opens the service until the scope ends. */
export interface PushAccount {
  readonly platform: Platform
  readonly open: Effect.Effect<PushService, never, Scope.Scope>
}

/** An account cannot be used; no part of a key is in the message. */
export class PushRefused extends Schema.TaggedError<PushRefused>()("PushRefused", { message: Schema.String }) {}

const refuse = (name: string, message: string) => new PushRefused({ message: `${name}: ${message}` })

const readKeyFile = (name: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: cause => refuse(name, `${path} ${describeFileError(cause)}`),
  })

const importKey = (name: string, text: string, algorithm: "ES256" | "RS256", what: string) =>
  Effect.tryPromise({
    try: () => importPKCS8(text, algorithm),
    catch: () => refuse(name, `${what} (PKCS #8, for ${algorithm}) is expected.`),
  })

const APNS_NAMES = ["apnsKeyFile", "apnsKeyId", "apnsTeamId", "apnsTopic"] as const

const readApns = (config: PushConfig): Effect.Effect<PushAccount | null, PushRefused> =>
  Effect.gen(function* () {
    const { apnsUrl: url, apnsKeyFile, apnsKeyId: keyId, apnsTeamId: teamId, apnsTopic: topic } = config
    if (apnsKeyFile === null || keyId === null || teamId === null || topic === null) {
      const missing = APNS_NAMES.filter(name => config[name] === null).map(name => settings.rows[name].name)
      if (missing.length === APNS_NAMES.length) return null
      return yield* refuse(missing.join(", "), "missing; Apple's service needs all four of its settings.")
    }
    const { name } = settings.rows.apnsKeyFile
    const key = yield* importKey(name, yield* readKeyFile(name, apnsKeyFile), "ES256", `${apnsKeyFile}: a private key`)
    return { platform: "apns", open: makeApns({ url, key, keyId, teamId, topic }) }
  })

const readFcm = ({
  fcmUrl: url,
  fcmServiceAccount: path,
}: PushConfig): Effect.Effect<PushAccount | null, PushRefused> =>
  Effect.gen(function* () {
    if (path === null) return null
    const { name } = settings.rows.fcmServiceAccount
    const account = readJson(yield* readKeyFile(name, path))
    const { project_id: projectId, client_email: email, private_key: text, token_uri: tokenUri } = account
    const areTexts = [projectId, email, text, tokenUri].every(value => typeof value === "string" && value !== "")
    if (!areTexts || !/^[\w.:-]+$/.test(projectId as string) || !/^https:/.test(tokenUri as string)) {
      const expected = "project_id, client_email, private_key and token_uri"
      return yield* refuse(name, `${path}: the JSON of a service account with ${expected} is expected.`)
    }
    const key = yield* importKey(name, text as string, "RS256", `${path}: a private_key`)
    const fcm = { url, projectId: projectId as string, email: email as string, key, tokenUri: tokenUri as string }
    return { platform: "fcm", open: Effect.sync(() => makeFcm(fcm)) }
  })

/** Reads the accounts that the configuration names. */
export const readPushAccounts = (config: PushConfig): Effect.Effect<readonly PushAccount[], PushRefused> =>
  Effect.map(Effect.all([readApns(config), readFcm(config)]), found => found.filter(account => account !== null))
