/**
 * How are the two questions that everybody asks answered without Effect in between?
 *
 * Straight from node:http, with the very functions that the other lane uses, and with answers that are kept ready. Only what is
 * beyond doubt is answered here: a GET in plain spelling, for JSON, from a caller who is known and has requests left, about a pair
 * that has a record. Everything else, and above all every refusal, is left to the routes, before anything was counted. A property
 * test holds both lanes equal to the byte.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Clock } from "effect"
import { isLanguage } from "../../src/full.ts"
import type { Dataset } from "../../src/index.ts"
import type { Caller } from "../accounts/account.ts"
import { wantsMarkdown } from "./accept.ts"
import { refuseLanguage } from "./access.ts"
import type { Answer } from "./answer.ts"
import type { BackendShape } from "./backend.ts"
import { listCommonHeaders } from "./common-headers.ts"
import { answerReserved } from "./metered.ts"
import { type PlainQuery, readPlainQuery } from "./plain-query.ts"
import { nameRequest } from "./request-id.ts"
import { answerCheck, CHECK_PATH } from "./visa/check.ts"
import { DEFAULT_LANGUAGE } from "./visa/languages.ts"
import { answerVisa, VISA_PATH } from "./visa/visa.ts"

/** Answers a request and says so, or leaves it to the other lane untouched. */
export type FastLane = (request: IncomingMessage, response: ServerResponse) => boolean

/** How many characters of answers an endpoint keeps ready; when there are more, all are forgotten. */
const READY_CHARACTERS = 16_000_000

/** An answer whose length on the wire is known. */
interface ReadyAnswer extends Answer {
  readonly byteLength: number
}

/** Answers 200 of one endpoint, for the dataset of one day. */
class ReadyAnswers {
  #dataset: Dataset | undefined
  #characters = 0
  readonly #answers = new Map<string, ReadyAnswer>()

  /** Finds an answer, or makes it; undefined where it is no 200. */
  find(dataset: Dataset, question: string, make: () => Answer): ReadyAnswer | undefined {
    if (dataset !== this.#dataset || this.#characters > READY_CHARACTERS) {
      this.#answers.clear()
      this.#characters = 0
      this.#dataset = dataset
    }
    const known = this.#answers.get(question)
    if (known !== undefined) return known
    const made = make()
    if (made.status !== 200) return undefined
    const ready = { ...made, byteLength: Buffer.byteLength(made.body) }
    this.#answers.set(question, ready)
    this.#characters += made.body.length
    return ready
  }
}

const NAMES = ["passport", "destination", "lang", "api_key"] as const
type Query = PlainQuery<(typeof NAMES)[number]> & { readonly passport: string; readonly destination: string }

/** One endpoint in this lane. */
interface PairEndpoint {
  readonly path: string
  /** The ready answer for a caller, or for a visitor without a key; undefined where it is left to the other lane. */
  readonly find: (query: Query, dataset: Dataset, caller: Caller | null) => ReadyAnswer | undefined
}

function makeCheck({ library, site }: BackendShape): PairEndpoint {
  const ready = new ReadyAnswers()
  return {
    path: CHECK_PATH,
    find: ({ passport, destination }, dataset) => {
      const book = library.peek(dataset, DEFAULT_LANGUAGE)
      if (book === undefined) return undefined
      const make = () => answerCheck(book, { passport, destination, wantsMarkdown: false }, site)
      return ready.find(dataset, passport + destination, make)
    },
  }
}

function makeVisa(backend: BackendShape): PairEndpoint {
  const { library, site } = backend
  const ready = new ReadyAnswers()
  return {
    path: VISA_PATH,
    find: ({ passport, destination, lang = DEFAULT_LANGUAGE }, dataset, caller) => {
      if (caller === null || !isLanguage(lang) || refuseLanguage(lang, backend, caller) !== null) return undefined
      const book = library.peek(dataset, lang)
      if (book === undefined) return undefined
      const plan = caller.plan.id
      const make = () => answerVisa(book, { passport, destination, wantsMarkdown: false }, { plan, site })
      return ready.find(dataset, `${passport}${destination}${lang}${plan}`, make)
    },
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

/** The lane over a backend. Bodies from `compressedFrom` bytes on are left to the other lane where they might be compressed. */
export function makeFastLane(backend: BackendShape, clock: Clock.Clock, compressedFrom: number): FastLane {
  const { accounts, activity, keyless, meter, metrics, today } = backend
  const endpoints = [makeCheck(backend), makeVisa(backend)]

  /** The answer, charged; undefined if it is left to the other lane, and then nothing was charged. */
  function findAnswer(endpoint: PairEndpoint, request: IncomingMessage, query: Query, nowMs: number) {
    const { headers, socket } = request
    const { passport, destination } = query
    const key = headers["x-api-key"] || query.api_key
    const caller = key === undefined ? null : accounts.peekCaller(String(key), nowMs)
    if (caller === undefined) return undefined
    const ready = endpoint.find(query, today(nowMs), caller)
    if (ready === undefined) return undefined
    if (headers["accept-encoding"] !== undefined && ready.byteLength >= compressedFrom) return undefined
    if (caller === null) {
      const sender = { headers, socketAddress: socket.remoteAddress }
      return keyless.welcomes(sender) && keyless.refuse(sender, nowMs) === null ? ready : undefined
    }
    const reservation = meter.reserve(caller, { charge: 1, passport, destinations: destination }, nowMs)
    return reservation?.ok ? answerReserved(reservation, caller, nowMs, () => ready) : undefined
  }

  /** Leaves a fault to the other lane, which meets it too and answers 500: thrown from here it would end the process. */
  function findUnlessFaulty(...question: Parameters<typeof findAnswer>) {
    try {
      return findAnswer(...question)
    } catch {
      return undefined
    }
  }

  return (request, response) => {
    const { url = "", headers } = request
    if (request.method !== "GET" || hasBody(request) || wantsMarkdown(headers.accept)) return false
    const endpoint = endpoints.find(({ path }) => url.startsWith(path) && url.charCodeAt(path.length) === QUESTION_MARK)
    if (endpoint === undefined) return false
    const query = readPlainQuery(url, endpoint.path.length + 1, NAMES)
    if (query === null || query.passport?.length !== 3 || query.destination?.length !== 3) return false
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const nowMs = clock.currentTimeMillisUnsafe()
    const answer = findUnlessFaulty(endpoint, request, query as Query, nowMs)
    if (answer === undefined) return false
    send(response, answer, nameRequest(headers["x-request-id"]))
    activity.record(query.passport, query.destination, nowMs)
    metrics.count("GET", endpoint.path, 200, Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9)
    metrics.fastLaneAnswers++
    return true
  }
}

const QUESTION_MARK = "?".charCodeAt(0)
