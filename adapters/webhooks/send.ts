/**
 * How is one delivery sent?
 *
 * One POST over a connection that the guard has let through. A receiver has {@link ANSWER_TIMEOUT_MS} for all of its answer; 2xx is an
 * acceptance and everything else a failure, a redirect too: following it could lead anywhere. Of the body {@link KEPT_BYTES} are read.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { Effect } from "effect"
import { guardLookup, type Resolve, readTarget, type TargetRules } from "../events/followers/target-guard.ts"

/** How long a receiver has to answer. */
export const ANSWER_TIMEOUT_MS = 10_000
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
export const failed = (error: string, status: number | null = null, body: string | null = null): AttemptOutcome => ({
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
export type Send = (shipment: Shipment, done: (outcome: AttemptOutcome) => void) => void

/** Sends deliveries until its scope ends. */
export const makeSender = Effect.fnUntraced(function* (options: SenderOptions) {
  const { resolve, ca, timeoutMs = ANSWER_TIMEOUT_MS } = options
  const connection = { timeout: IDLE_MS, lookup: guardLookup(options, resolve) }
  const kept = { ...connection, keepAlive: true, maxFreeSockets: 256 }
  const trusted = ca === undefined ? {} : { ca }
  const agents = {
    plain: new HttpAgent(kept),
    secure: new HttpsAgent({ ...kept, ...trusted }),
    plainOnce: new HttpAgent(connection),
    secureOnce: new HttpsAgent({ ...connection, ...trusted }),
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const agent of Object.values(agents)) agent.destroy()
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
      const agent = isSecure ? agents[isFresh ? "secureOnce" : "secure"] : agents[isFresh ? "plainOnce" : "plain"]
      let readBefore = 0
      let hasAnswered = false
      const request = (isSecure ? httpsRequest : httpRequest)(
        { method: "POST", ...address, agent, headers: sent },
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
