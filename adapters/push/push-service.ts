/**
 * How is a push sent, and what does a device show?
 *
 * Apple's and Google's services have only this in common: a message is sent to one token, with one of four outcomes. A service's own words
 * are shortened and never contain a token or a key.
 */
import { type ClientHttp2Session, connect, constants } from "node:http2"
import { Clock, Context, Effect } from "effect"
import { SignJWT } from "jose"
import type { Locale, MessageKey } from "../../src/full.ts"
import { PUSH_LIFETIME_MS } from "../events/followers/fan-out.ts"
import { readStep } from "../events/installed-changes.ts"
import { readRetryAfter } from "../queue/queue-worker.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { Platform } from "../storage/tables.ts"
import { type Fields, readJsonFields } from "../validation/fields.ts"

// What does a device show for a change?
// The destination with the change of its rule, and for which passport, in the device's language: messages of the catalogues, and names of countries from the runtime. A name is alone
// before a colon, because most languages would inflect it in a sentence.

interface Terms {
  readonly fee?: { readonly amount: number; readonly currency: string } | null
}

/** Describes the change in one line. */
function sayChange({ say, label, formatValue, direction }: Locale, event: EventRow): string {
  const step = readStep(event)
  if (step === null) return say({ key: "push.details_changed" })
  const { from, to, daysBefore, daysAfter, data } = step
  const nameRequirement = (word: NonNullable<typeof from>) => say({ key: `requirement.${word}` satisfies MessageKey })
  if (to !== null && from !== to) {
    const arrow = direction === "rtl" ? "←" : "→"
    return from === null ? nameRequirement(to) : `${nameRequirement(from)} ${arrow} ${nameRequirement(to)}`
  }
  if (data.fields.includes("days") && daysBefore !== null && daysAfter !== null) {
    return say({ key: "history.days_changed", values: { before: { days: daysBefore }, after: { days: daysAfter } } })
  }
  const fee = (data.current as Terms | null)?.fee ?? null
  if (data.fields.includes("fee") && fee !== null) return label(say({ key: "label.fee" }), formatValue({ money: fee }))
  return say({ key: "push.details_changed" })
}

/** The message of an event: the text on a device. `createdMs`: since when it is waiting. */
export function writePushMessage(locale: Locale, event: EventRow, createdMs: number) {
  const { id, type, passport, destination, effective_from, severity } = event
  const title =
    type === "visa.policy_announced"
      ? locale.say({ key: "push.announced", values: { date: { on: effective_from } } })
      : locale.say({ key: "push.changed" })
  return {
    title: locale.label(locale.nameCountry(destination), title),
    body: locale.label(locale.nameCountry(passport), sayChange(locale, event)),
    /** The data for an app: text by name. */
    data: { event_id: id, type, passport, destination, effective_from },
    /** A newer push of the same pair replaces an older one. */
    pair: `visa-${passport}-${destination}`,
    isUrgent: severity === "major",
    /** After that it need not be shown any more (epoch milliseconds). */
    expiresMs: createdMs + PUSH_LIFETIME_MS,
  }
}

export type PushMessage = Readonly<ReturnType<typeof writePushMessage>>

// How did pushes end in this process? They are counted since its start, by platform and by the service's answer, for the metrics.

/** How often pushes ended in one way. */
export interface PushCount {
  /** Null where the device no longer existed. */
  readonly platform: Platform | null
  readonly outcome: PushOutcome["kind"]
  readonly count: number
}

/** By platform and outcome. */
export const PushCounts = Context.Reference<Map<string, PushCount>>("landfall/push/PushCounts", {
  defaultValue: () => new Map(),
})

export type PushOutcome =
  | { readonly kind: "sent" }
  /** The token is no longer valid; if the service says since when, a device that was registered later stays. */
  | { readonly kind: "gone"; readonly sinceMs: number | null }
  /** It will never be accepted. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Not now. `isWhole`: the service accepts nothing for that long; otherwise only this device is concerned. */
  | { readonly kind: "later"; readonly reason: string; readonly afterMs: number | null; readonly isWhole: boolean }

interface ServiceReply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

export interface PushService {
  readonly platform: Platform
  /** Sends a message to a token; never fails. */
  readonly send: (token: string, message: PushMessage) => Effect.Effect<PushOutcome>
}

/** How long a service has to answer. */
export const PUSH_TIMEOUT_MS = 10_000

export const later = (reason: string, rest: { readonly afterMs?: number | null; readonly isWhole?: boolean } = {}) =>
  ({ kind: "later", reason, afterMs: rest.afterMs ?? null, isWhole: rest.isWhole ?? false }) satisfies PushOutcome

/** Reads a body that may not be JSON. */
export const readJson = (text: string): Fields => readJsonFields(text) ?? {}

/** A service's word for a reason, made safe for a log. */
const nameReason = (reason: unknown, status: number): string =>
  typeof reason === "string" && /^[A-Za-z_]{1,60}$/.test(reason) ? `${status} ${reason}` : `answered ${status}`

// How is a push sent to Apple's devices?
// By the Apple Push Notification service: one connection of HTTP/2 for many requests at a time, opened when there is something to send and
// reopened when it ends. The provider's token (ES256) is renewed every {@link TOKEN_MS}: Apple refuses one that is older than an hour, and one
// that changes within twenty minutes. Answers: developer.apple.com, "Handling notification responses from APNs".

/** The app and its key. */
interface ApnsAccount {
  readonly url: string
  readonly key: CryptoKey
  readonly keyId: string
  readonly teamId: string
  /** The app's bundle id. */
  readonly topic: string
}

/** How long a provider's token is used. */
export const TOKEN_MS = 40 * 60_000
/** How long nothing is sent after a key, a topic or an account was refused: an operator has to correct that. */
const REFUSED_MS = 300_000
/** How long an unused connection stays open. */
const IDLE_MS = 60_000

/** The meaning of an answer. `nowMs`: when it came. */
export function judgeApns({ status, retryAfter, text }: ServiceReply, nowMs: number): PushOutcome {
  if (status === 200) return { kind: "sent" }
  const { reason, timestamp } = readJson(text)
  const said = nameReason(reason, status)
  // 410 says since when the token is not valid; a device that was registered again since then stays.
  if (status === 410) return { kind: "gone", sinceMs: typeof timestamp === "number" ? timestamp : null }
  if (reason === "BadDeviceToken") return { kind: "gone", sinceMs: null }
  const afterMs = readRetryAfter(retryAfter, nowMs)
  if (reason === "TooManyRequests") return later(said, { afterMs })
  if (status === 429) return later(said, { afterMs, isWhole: true })
  if (reason === "ExpiredProviderToken") return later(said, { afterMs: 0 })
  if (status === 403) return later(said, { afterMs: REFUSED_MS, isWhole: true })
  if (status >= 500) return later(said, { afterMs, isWhole: status === 503 })
  return { kind: "rejected", reason: said }
}

/** The body of a push; these texts never reach the limit of 4 KiB. */
const writeApnsBody = ({ title, body, data, pair }: PushMessage): string =>
  JSON.stringify({ aps: { alert: { title, body }, "thread-id": pair }, ...data })

/** Opens Apple's service until the scope ends. */
export const makeApns = Effect.fnUntraced(function* (account: ApnsAccount, timeoutMs = PUSH_TIMEOUT_MS) {
  let session: ClientHttp2Session | null = null
  let provider: { readonly token: string; readonly madeMs: number } | null = null

  const openSession = (): ClientHttp2Session => {
    if (session !== null && !session.closed && !session.destroyed) return session
    const made = connect(account.url)
    const forget = () => {
      if (session === made) session = null
    }
    // Each request gets the error itself.
    made.on("error", forget)
    made.on("close", forget)
    made.on("goaway", () => {
      forget()
      made.close()
    })
    made.setTimeout(IDLE_MS, () => made.close())
    session = made
    return made
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => session?.destroy()))

  const providerToken = (nowMs: number) =>
    Effect.promise(async () => {
      if (provider !== null && nowMs - provider.madeMs < TOKEN_MS) return provider.token
      const token = await new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid: account.keyId })
        .setIssuer(account.teamId)
        .setIssuedAt(Math.floor(nowMs / 1_000))
        .sign(account.key)
      provider = { token, madeMs: nowMs }
      return token
    })

  const ask = (token: string, authorization: string, message: PushMessage) =>
    Effect.callback<ServiceReply | string>(resume => {
      const headers = {
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: `/3/device/${token}`,
        authorization: `bearer ${authorization}`,
        "apns-topic": account.topic,
        "apns-push-type": "alert",
        "apns-priority": message.isUrgent ? "10" : "5",
        "apns-expiration": String(Math.floor(message.expiresMs / 1_000)),
        "apns-collapse-id": message.pair,
      }
      const request = openSession().request(headers, { signal: AbortSignal.timeout(timeoutMs) })
      let answer = { status: 0, retryAfter: undefined as string | undefined }
      let text = ""
      // The first of these counts.
      const settle = (outcome: ServiceReply | string) => resume(Effect.succeed(outcome))
      request.setEncoding("utf8")
      request.on("response", headers => {
        answer = { status: Number(headers[":status"]), retryAfter: headers["retry-after"] }
      })
      request.on("data", (chunk: string) => {
        if (text.length < 4_096) text += chunk
      })
      request.on("end", () => settle(answer.status === 0 ? "the connection ended" : { ...answer, text }))
      request.on("error", ({ code = "unknown" }: NodeJS.ErrnoException) =>
        settle(
          code === "ABORT_ERR" ? `no answer within ${timeoutMs / 1_000} seconds` : `the connection failed: ${code}`,
        ),
      )
      request.on("close", () => settle("the connection ended"))
      request.end(writeApnsBody(message))
      return Effect.sync(() => request.close(constants.NGHTTP2_CANCEL))
    })

  const service: PushService = {
    platform: "apns",
    send: (token, message) =>
      Effect.gen(function* () {
        const authorization = yield* providerToken(yield* Clock.currentTimeMillis)
        const answer = yield* ask(token, authorization, message)
        if (typeof answer === "string") return later(answer)
        const outcome = judgeApns(answer, yield* Clock.currentTimeMillis)
        // A token that has expired nevertheless is renewed, once for all requests with that answer.
        if (outcome.kind === "later" && outcome.afterMs === 0 && provider?.token === authorization) provider = null
        return outcome
      }).pipe(Effect.catchDefect(() => Effect.succeed(later("the push could not be sent")))),
  }
  return service
})

// How is a push sent by Firebase Cloud Messaging?
// By its version 1: one POST a message, under an access token that the service account's key is exchanged for (RFC 7523) at the account's own
// `token_uri`, and that is used until a minute before it ends. Answers: firebase.google.com, "ErrorCode" of the v1 API; a quota is shared, so
// after 429 nothing is sent for as long as the service says, or for a minute.

/** A service account of a Firebase project. */
interface FcmAccount {
  readonly url: string
  readonly projectId: string
  readonly email: string
  readonly key: CryptoKey
  readonly tokenUri: string
}

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
/** How long before its end an access token is not used any more. */
const MARGIN_MS = 60_000
/** How long nothing is sent after a quota was spent and no time was named. */
const QUOTA_MS = 60_000

interface FcmError {
  readonly status?: unknown
  readonly details?: readonly { readonly errorCode?: unknown }[]
}

/** The meaning of an answer. `nowMs`: when it came. */
export function judgeFcm({ status, retryAfter, text }: ServiceReply, nowMs: number): PushOutcome {
  if (status === 200) return { kind: "sent" }
  const error = (readJson(text).error ?? {}) as FcmError
  const details = Array.isArray(error.details) ? error.details : []
  const code = details.map(detail => detail?.errorCode).find(found => typeof found === "string") ?? error.status
  const said = nameReason(code, status)
  if (code === "UNREGISTERED") return { kind: "gone", sinceMs: null }
  const afterMs = readRetryAfter(retryAfter, nowMs)
  if (status === 429) return later(said, { afterMs: afterMs ?? QUOTA_MS, isWhole: true })
  if (status === 401) return later(said, { afterMs: 0 })
  if (status === 403 && code !== "SENDER_ID_MISMATCH") return later(said, { afterMs: REFUSED_MS, isWhole: true })
  if (status >= 500) return later(said, { afterMs, isWhole: status === 503 })
  return { kind: "rejected", reason: said }
}

const writeFcmBody = (token: string, message: PushMessage, nowMs: number): string => {
  const { title, body, data, pair, isUrgent, expiresMs } = message
  return JSON.stringify({
    message: {
      token,
      notification: { title, body },
      data,
      android: {
        collapse_key: pair,
        priority: isUrgent ? "HIGH" : "NORMAL",
        ttl: `${Math.max(0, Math.floor((expiresMs - nowMs) / 1_000))}s`,
        notification: { tag: pair },
      },
    },
  })
}

const post = async (url: string, headers: Readonly<Record<string, string>>, body: string, timeoutMs: number) => {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer: ServiceReply = {
    status: response.status,
    retryAfter: response.headers.get("retry-after") ?? undefined,
    text: (await response.text()).slice(0, 65_536),
  }
  return answer
}

/** Opens Google's service. */
export function makeFcm(account: FcmAccount, timeoutMs = PUSH_TIMEOUT_MS): PushService {
  const url = `${account.url}/v1/projects/${account.projectId}/messages:send`
  let access: { readonly token: string; readonly untilMs: number } | null = null
  let asking: Promise<string | PushOutcome> | null = null

  async function askForAccess(nowMs: number): Promise<string | PushOutcome> {
    const issuedAt = Math.floor(nowMs / 1_000)
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(account.email)
      .setAudience(account.tokenUri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3_600)
      .sign(account.key)
    const body = new URLSearchParams({ grant_type: GRANT, assertion }).toString()
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const { status, text } = await post(account.tokenUri, headers, body, timeoutMs)
    const { access_token: token, expires_in: seconds } = readJson(text)
    if (status !== 200 || typeof token !== "string") {
      const afterMs = status >= 500 ? null : REFUSED_MS
      return later(`no access token: ${nameReason(readJson(text).error, status)}`, { afterMs, isWhole: true })
    }
    access = { token, untilMs: nowMs + (typeof seconds === "number" ? seconds : 0) * 1_000 }
    return token
  }

  /** An access token, requested once for all that need it. */
  function readAccess(nowMs: number): Promise<string | PushOutcome> {
    if (access !== null && nowMs < access.untilMs - MARGIN_MS) return Promise.resolve(access.token)
    asking ??= askForAccess(nowMs).finally(() => {
      asking = null
    })
    return asking
  }

  const send = async (token: string, message: PushMessage, nowMs: number): Promise<PushOutcome> => {
    try {
      const authorization = await readAccess(nowMs)
      if (typeof authorization !== "string") return authorization
      const headers = { authorization: `Bearer ${authorization}`, "content-type": "application/json" }
      const outcome = judgeFcm(await post(url, headers, writeFcmBody(token, message, nowMs), timeoutMs), nowMs)
      // A refused access token is replaced by a new one.
      if (outcome.kind === "later" && outcome.afterMs === 0 && access?.token === authorization) access = null
      return outcome
    } catch (cause) {
      const isLate = cause instanceof DOMException && cause.name === "TimeoutError"
      return later(isLate ? `no answer within ${timeoutMs / 1_000} seconds` : "the connection failed")
    }
  }

  return {
    platform: "fcm",
    send: (token, message) =>
      Effect.flatMap(Clock.currentTimeMillis, nowMs => Effect.promise(() => send(token, message, nowMs))),
  }
}
