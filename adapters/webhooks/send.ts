/**
 * How is one delivery sent?
 *
 * One POST over a connection that the guard has let through. A receiver has {@link ANSWER_TIMEOUT_MS} for all of its answer; 2xx is an
 * acceptance and everything else a failure, a redirect too: following it could lead anywhere. Of the body {@link KEPT_BYTES} are read.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { Effect } from "effect"
import { guardLookup, type Resolve, readTarget, type TargetRules } from "./target-guard.ts"

/** How long a receiver has to answer. */
export const ANSWER_TIMEOUT_MS = 10_000
/** How much of an answer is read. */
export const KEPT_BYTES = 4_096
/** How long a connection that nobody uses is kept. */
const IDLE_MS = 5_000

/** How an attempt went. */
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

/** What is sent. */
export interface Shipment {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a test or a deployment can change of a sender. */
export interface SenderOptions extends TargetRules {
  readonly resolve?: Resolve
  /** Certificates that are trusted besides those of the system. */
  readonly ca?: string | Buffer
  readonly timeoutMs?: number
}

const failed = (error: string, status: number | null = null, body: string | null = null): AttemptOutcome => ({
  isAccepted: false,
  status,
  error,
  body,
})

/** Reads an answer up to what is kept of it. */
function readAnswer(response: IncomingMessage, done: (outcome: AttemptOutcome) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    const status = response.statusCode ?? 0
    // PostgreSQL keeps no NUL in a text.
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

/** Sends deliveries until its scope ends. */
export const makeSender = Effect.fnUntraced(function* (options: SenderOptions) {
  const { resolve, ca, timeoutMs = ANSWER_TIMEOUT_MS } = options
  const connection = {
    keepAlive: true,
    maxFreeSockets: 256,
    timeout: IDLE_MS,
    lookup: guardLookup(options, resolve),
  }
  const plain = new HttpAgent(connection)
  const secure = new HttpsAgent({ ...connection, ...(ca === undefined ? {} : { ca }) })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      plain.destroy()
      secure.destroy()
    }),
  )
  /** Sends one; never fails. */
  return ({ url: text, headers, body }: Shipment): Effect.Effect<AttemptOutcome> =>
    Effect.callback<AttemptOutcome>(resume => {
      const target = readTarget(text, options)
      if (!target.ok) return resume(Effect.succeed(failed(target.message)))
      const isSecure = target.url.protocol === "https:"
      const outgoing = (isSecure ? httpsRequest : httpRequest)(
        target.url,
        {
          method: "POST",
          agent: isSecure ? secure : plain,
          headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        },
        response => readAnswer(response, settle),
      )
      const timer = setTimeout(() => {
        settle(failed(`no answer within ${timeoutMs / 1_000} seconds`))
        outgoing.destroy()
      }, timeoutMs)
      let isSettled = false
      function settle(outcome: AttemptOutcome) {
        if (isSettled) return
        isSettled = true
        clearTimeout(timer)
        resume(Effect.succeed(outcome))
      }
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        settle(
          failed(
            error.code === "EADDRREFUSED" ? error.message : `the connection failed: ${error.code ?? error.message}`,
          ),
        )
      })
      outgoing.end(body)
      return Effect.sync(() => {
        isSettled = true
        clearTimeout(timer)
        outgoing.destroy()
      })
    })
})

/** What sends one delivery. */
export type Send = Effect.Success<ReturnType<typeof makeSender>>
