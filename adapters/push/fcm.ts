/**
 * How is a push sent by Firebase Cloud Messaging?
 *
 * By its version 1: one POST a message, under an access token that the service account's key is exchanged for (RFC 7523) at the
 * account's own `token_uri`, and that is used until a minute before it ends. Answers: firebase.google.com, "ErrorCode" of the v1
 * API; a quota is shared, so after 429 nothing is sent for as long as the service says, or for a minute.
 */
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
/** How long nothing is sent after the account was refused: an operator has to correct that. */
const REFUSED_MS = 300_000

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
