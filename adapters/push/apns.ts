/**
 * How is a push sent to Apple's devices?
 *
 * By the Apple Push Notification service: one connection of HTTP/2 for many requests at a time, opened when there is something to
 * send and reopened when it ends. The provider's token (ES256) is renewed every {@link TOKEN_MS}: Apple refuses one that is older
 * than an hour, and one that changes within twenty minutes. Answers: developer.apple.com, "Handling notification responses from
 * APNs".
 */
import { type ClientHttp2Session, connect, constants } from "node:http2"
import { Clock, Effect } from "effect"
import { SignJWT } from "jose"
import { readRetryAfter } from "../queue/queue-worker.ts"
import {
  later,
  nameReason,
  PUSH_TIMEOUT_MS,
  type PushMessage,
  type PushOutcome,
  type PushService,
  readJson,
  type ServiceReply,
} from "./push-service.ts"

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
/** How long nothing is sent after the key or the topic was refused: an operator has to correct that. */
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
