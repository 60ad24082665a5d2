/**
 * How are the two questions that everybody asks answered without Effect in between?
 *
 * Straight from node:http, with the very functions that the other lane uses, and with bodies that are kept ready. Only what is
 * beyond doubt is answered here: a GET in plain spelling, for JSON, from a caller who is known and has requests left, about a pair
 * that has a record. Everything else, and above all every refusal, is left to the routes, before anything was counted. A property
 * test holds both lanes equal to the byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Clock } from "effect"
import type { Dataset } from "../../src/index.ts"
import { wantsMarkdown } from "./accept.ts"
import type { Answer } from "./answer.ts"
import type { BackendShape } from "./backend.ts"
import { listCommonHeaders } from "./common-headers.ts"
import { answerReserved } from "./metered.ts"
import { type PlainQuery, readPlainQuery } from "./plain-query.ts"
import { nameRequest } from "./request-id.ts"
import { answerCheck, CHECK_PATH } from "./visa/check.ts"

/** Answers a request and says so, or leaves it to the other lane untouched. */
export type FastLane = (request: IncomingMessage, response: ServerResponse) => boolean

/** How many answers of an endpoint are kept ready; when there are more, all are forgotten. */
const READY_ANSWERS = 8_192

/** An answer whose length on the wire is known. */
interface ReadyAnswer extends Answer {
  readonly byteLength: number
}

/** Answers 200 of one endpoint, for the dataset of one day. */
class ReadyAnswers {
  #dataset: Dataset | undefined
  readonly #answers = new Map<string, ReadyAnswer>()

  /** Finds an answer, or makes it; undefined where it is no 200. */
  find(dataset: Dataset, question: string, make: () => Answer): ReadyAnswer | undefined {
    if (dataset !== this.#dataset || this.#answers.size >= READY_ANSWERS) {
      this.#answers.clear()
      this.#dataset = dataset
    }
    const known = this.#answers.get(question)
    if (known !== undefined) return known
    const made = make()
    if (made.status !== 200) return undefined
    const ready = { ...made, byteLength: Buffer.byteLength(made.body) }
    this.#answers.set(question, ready)
    return ready
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined || headers.expect !== undefined

function send(
  response: ServerResponse,
  { headers, contentType, body, byteLength }: ReadyAnswer,
  requestId: string,
): void {
  const type = ["content-type", contentType, "content-length", String(byteLength)]
  response.writeHead(200, [...headers, ...type, ...listCommonHeaders(requestId)])
  // As text, so that Node sends headers and body in one piece.
  response.end(body)
}

const NAMES = ["passport", "destination", "api_key"] as const

/** The lane over a backend. Bodies from `compressedFrom` bytes on are left to the other lane where they might be compressed. */
export function makeFastLane(backend: BackendShape, clock: Clock.Clock, compressedFrom: number): FastLane {
  const { accounts, activity, keyless, meter, metrics, today } = backend
  const checks = new ReadyAnswers()
  const start = `${CHECK_PATH}?`

  /** The answer, charged; undefined if it is left to the other lane, and then nothing was charged. */
  function findAnswer(request: IncomingMessage, query: PlainQuery<(typeof NAMES)[number]>, nowMs: number) {
    const { passport = "", destination = "", api_key: queryKey } = query
    if (passport.length !== 3 || destination.length !== 3) return undefined
    const { headers, socket } = request
    const dataset = today(nowMs)
    const question = { passport, destination, wantsMarkdown: false }
    const ready = checks.find(dataset, passport + destination, () => answerCheck(dataset, question))
    if (ready === undefined) return undefined
    if (headers["accept-encoding"] !== undefined && ready.byteLength >= compressedFrom) return undefined

    const key = headers["x-api-key"] || queryKey
    if (key === undefined) {
      const sender = { headers, socketAddress: socket.remoteAddress }
      return keyless.welcomes(sender) && keyless.refuse(sender, nowMs) === null ? ready : undefined
    }
    const caller = accounts.peekCaller(String(key), nowMs)
    if (caller === undefined) return undefined
    const reservation = meter.reserve(caller, { charge: 1, passport, destinations: destination }, nowMs)
    return reservation?.ok ? answerReserved(reservation, caller, nowMs, () => ready) : undefined
  }

  return (request, response) => {
    const { url = "", headers } = request
    if (request.method !== "GET" || !url.startsWith(start) || hasBody(request)) return false
    if (wantsMarkdown(headers.accept)) return false
    const query = readPlainQuery(url, start.length, NAMES)
    if (query === null) return false
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const nowMs = clock.currentTimeMillisUnsafe()
    const answer = findAnswer(request, query, nowMs)
    if (answer === undefined) return false
    send(response, answer, nameRequest(headers["x-request-id"]))
    activity.record(query.passport as string, query.destination as string, nowMs)
    metrics.count("GET", CHECK_PATH, 200, Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9)
    metrics.fastLaneAnswers++
    return true
  }
}
