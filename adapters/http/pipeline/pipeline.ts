/**
 * In which order is a request checked, and how does it become an answer?
 *
 * The order is that of {@link makePipeline}: path, size and method; then key, plan, parameters, body, language, question; then the quota and
 * the guard against harvesting; then the record. The first check that refuses answers, and every answer gets the headers that all have. What
 * is known at once is a value and what has to be waited for a promise (`after`), so an answer that waits for nothing is ready in the tick of
 * its request. An exception anywhere is a fault: it is reported under the request's id and never shown to the client.
 */
import type { Effect } from "effect"
import type { Dataset } from "../../../src/engine.ts"
import type { Language, LocalisedFacts, Plan } from "../../../src/full.ts"
import type { Caller } from "../../accounts/account.ts"
import type { SignedIn } from "../../accounts/sessions.ts"
import { readList } from "../../validation/header-list.ts"
import {
  type AnswerContext,
  type Cost,
  type Endpoint,
  type EndpointTable,
  explainCodes,
  isRepeatable,
  type KnownPath,
  type MeteredAnswer,
  type RowAnswer,
  readParameters,
  readPathValues,
  type SurfaceName,
} from "./endpoint.ts"
import type { ClassNames, FairQueue, Place } from "./fair-queue.ts"
import {
  type Answer,
  addCommonHeaders,
  after,
  answerAsAsked,
  answerPlainProblem,
  CLIENT_LEFT,
  type DownloadBody,
  type HostedRequest,
  isSuccess,
  isWhole,
  listPreflightHeaders,
  MAXIMUM_BODY_BYTES,
  nameRequest,
  type Problem,
  type RawQuery,
  readQuery,
  type Soon,
  type StreamBody,
  type WholeAnswer,
} from "./http-message.ts"
import type { RequestTrace } from "./process-state.ts"

/** The source of a language's messages. */
export interface LocalisedFactsSource {
  /** The messages that are loaded already. */
  readonly peek: (dataset: Dataset, language: Language) => LocalisedFacts | undefined
  readonly load: (dataset: Dataset, language: Language) => Promise<LocalisedFacts>
}

/** A check of a request: the answer that refuses it, or nothing. */
export type Check = (exchange: Exchange) => Soon<Answer | undefined>

/** What is reserved for an answer until there is one. */
export interface Reserved {
  /** Charges an answer that succeeds, and gives the rest back. */
  readonly conclude: (answer: MeteredAnswer) => Answer
  /** Gives everything back: there will be no answer. */
  readonly release: () => void
}

/** Who may call, and what it costs. */
export interface Gate {
  /** In which classes a request waits for its turn, by what is known without waiting. */
  readonly classify?: (exchange: Exchange) => ClassNames
  /** Finds the caller of a request that is refused before its row is known, so that he gets the rest of his limits. */
  readonly recognise?: (exchange: Exchange) => Soon<unknown>
  /** Finds the caller, whose plan has to allow the row. */
  readonly checkKey: Check
  /** Whether the caller may have the language that is asked for. */
  readonly checkLanguage: Check
  /** Reserves the cost of a question, or refuses it. */
  readonly reserve: (exchange: Exchange) => Soon<Reserved | Answer>
}

/** Renders a problem as a surface does. */
export type AnswerProblem = (problem: Problem, requestId: string) => Answer

/** A complete answer with all its headers, ready to be sent. */
export interface Reply {
  readonly status: number
  /** A list of its own: the host adds to it. */
  readonly headers: string[]
  readonly body: Answer["body"]
  readonly sharesBody?: true | undefined
}

export interface PipelineParts {
  readonly table: EndpointTable
  /** The services of the rows, by name. */
  readonly services: Readonly<Record<string, unknown>>
  /** How each surface reports problems; by default like the visa service. */
  readonly answerProblems?: Readonly<Partial<Record<SurfaceName, AnswerProblem>>>
  /** Milliseconds since 1970. */
  readonly readNowMs: () => number
  /** The dataset as it is at that moment. */
  readonly today: (nowMs: number) => Dataset
  /** The page that sells better plans. */
  readonly readUpgradeUrl: () => string
  /** Milliseconds of a clock that only goes forward. */
  readonly readClockMs?: () => number
  readonly gate: Gate
  readonly localisedFacts?: LocalisedFactsSource
  /** Whether answers are kept for repeated questions; true by default. */
  readonly keepsAnswers?: boolean | undefined
  /** Which request is worked on next; without it each at once. */
  readonly queue?: FairQueue
  /** Answers a request that is sent again under its name, an `Idempotency-Key`, with the first answer. */
  readonly answerOnce?: (exchange: Exchange, caller: Caller, name: string, answer: () => Soon<Answer>) => Soon<Answer>
  /** Headers that a surface adds to each of its answers. */
  readonly listOwnHeaders?: (exchange: Exchange, answer: Answer) => readonly string[]
  /** Gives an answer a validator that has none. */
  readonly validate?: (exchange: Exchange, answer: MeteredAnswer) => MeteredAnswer
  /** Sends 304 instead of an answer that the client has; it is not charged. */
  readonly revalidate?: (exchange: Exchange, answer: MeteredAnswer) => MeteredAnswer
  /** Completes every answer: limits, notices, compression. */
  readonly finish?: (exchange: Exchange, answer: Answer) => Soon<Answer>
  /** Runs an effect; rejects with its cause, or with {@link CLIENT_LEFT}. A host without services needs none. */
  readonly runEffect?: <Value>(work: Effect.Effect<Value, unknown>, signal: AbortSignal) => Promise<Value>
  /** Answers for what the work of a row fails with. */
  readonly answerRefusals?: (
    exchange: Exchange,
    work: Exclude<RowAnswer, Soon<MeteredAnswer>>,
  ) => Effect.Effect<MeteredAnswer, unknown>
  /** Logs an internal fault; returns the problem for the client. */
  readonly reportFault: (cause: unknown, requestId: string) => Problem
  /** Begins to trace a request; undefined where it is not traced. */
  readonly beginTrace?: ((request: HostedRequest) => RequestTrace | undefined) | undefined
  /** Runs before each piece of work on a request. */
  readonly noteWork?: (exchange: Exchange) => void
  readonly noteReply?: (exchange: Exchange, reply: Reply) => void
}

/** Answers a request; null where its client has left. */
export type Pipeline = (request: HostedRequest) => Soon<Reply | null>

/** One request under way; each check adds its findings. */
export class Exchange implements AnswerContext {
  readonly request: HostedRequest
  readonly requestId: string
  readonly nowMs: number
  readonly dataset: Dataset
  /** For durations, in milliseconds of a monotonic clock. */
  readonly startedAt: number
  known: KnownPath | undefined
  endpoint: Endpoint | undefined
  /** Decoded parameters. */
  query: unknown
  body = ""
  question: unknown
  /** Null without a key; undefined until the key has been read. */
  caller: Caller | null | undefined
  plan: Plan | null = null
  session: SignedIn | null = null
  localised: LocalisedFacts | null = null
  /** Headers that checks add to any answer: limits, a notice. */
  readonly added: string[] = []
  /** Whether the headers already have the rest of the limits. */
  hasLimits = false
  /** Whether no check has refused it, so that its row answers. */
  hasReachedRow = false
  /** The trace; undefined if the request is not traced. */
  readonly trace: RequestTrace | undefined
  /** Where it waits for its turns; null before its first, and where there are none. */
  place: Place | null = null
  readonly #parts: PipelineParts
  #raw: RawQuery | undefined

  constructor(parts: PipelineParts, request: HostedRequest, requestId: string) {
    this.request = request
    this.requestId = requestId
    this.nowMs = parts.readNowMs()
    this.dataset = parts.today(this.nowMs)
    this.startedAt = parts.readClockMs?.() ?? 0
    this.trace = parts.beginTrace?.(request)
    this.#parts = parts
  }

  /** The row of a request that has reached its checks. */
  get row(): Endpoint {
    if (this.endpoint === undefined) throw new Error("a check ran before the row was found")
    return this.endpoint
  }

  get upgradeUrl(): string {
    return this.#parts.readUpgradeUrl()
  }

  /** The query as it was sent, read once. */
  get rawQuery(): RawQuery {
    this.#raw ??= readQuery(this.request.search)
    return this.#raw
  }

  /** What the question costs; undefined for nothing. */
  get cost(): Cost | undefined {
    return this.row.cost?.(this.question)
  }

  /** The language in which the question is answered, if its row has any. */
  get language(): Language | undefined {
    return this.row.language?.(this.query)
  }

  /** Says whether only the headers of an answer are wanted. */
  get isHead(): boolean {
    return this.request.method === "HEAD"
  }

  /** The answer to a problem, in the form of the surface. */
  refuse(problem: Problem): Answer {
    const { answerProblems = {} } = this.#parts
    const answerProblem = this.known === undefined ? undefined : answerProblems[this.known.surface]
    return (answerProblem ?? answerPlainProblem)(problem, this.requestId)
  }

  /** Waits, and goes on with work on this request when it is its turn. */
  wait<Value, Next>(promise: Promise<Value>, next: (value: Value) => Soon<Next>): Promise<Next> {
    const { place } = this
    return promise.then(value =>
      this.#goOn(place === null ? undefined : this.#parts.queue?.resume(place), () => next(value)),
    )
  }

  /** Waits for the client, which takes nobody's place meanwhile. */
  waitForClient<Value, Next>(promise: Promise<Value>, next: (value: Value) => Soon<Next>): Promise<Next> {
    const { place } = this
    const { queue } = this.#parts
    if (place === null || queue === undefined) return this.wait(promise, next)
    queue.pause(place)
    place.isPaused = true
    return promise.then(value => {
      place.isPaused = false
      const turn = queue.enter(place)
      if (turn === null) throw TOO_MANY_WAIT
      return this.#goOn(turn, () => {
        queue.keepOpen(place)
        return next(value)
      })
    })
  }

  /** Goes on at once, or after others if the piece of work that runs has taken some milliseconds. */
  giveWay(): Soon<void> {
    const turn = this.place === null ? undefined : this.#parts.queue?.giveWay(this.place)
    return turn === undefined ? undefined : this.#goOn(turn, () => undefined)
  }

  #goOn<Next>(turn: Soon<void>, next: () => Soon<Next>): Soon<Next> {
    return after(turn, () => {
      if (turn !== undefined) comeToTurn(this)
      this.#parts.noteWork?.(this)
      return next()
    })
  }

  run<Value>(work: Effect.Effect<Value, unknown>): Promise<Value> {
    const { runEffect } = this.#parts
    if (runEffect === undefined) throw new Error("there is no runtime for effects here")
    return this.wait(runEffect(this.trace?.within(work) ?? work, this.request.signal), value => value)
  }

  /** Makes something large when few others are made, and its client has not much to read; until the request ends. */
  withRoom<Value>(make: () => Soon<Value>): Soon<Value> {
    const { place } = this
    const { queue } = this.#parts
    if (place === null || queue === undefined || place.isLarge) return make()
    const room = this.request.waitForRoom()
    if (room !== undefined) return room.then(() => this.withRoom(make))
    const turn = queue.resume(place, true)
    return this.#goOn(turn, () => {
      if (turn === undefined || this.request.waitForRoom() === undefined) return make()
      queue.endLarge(place)
      return this.withRoom(make)
    })
  }
}

/** Before the work of a request that has waited. */
function comeToTurn({ request, place }: Exchange): void {
  if (request.hasLeft) throw CLIENT_LEFT
  request.sendReady?.(place?.leaf.isStranger !== false)
}

/** Decodes the parameters, or names every mistake. Parameters of the path are not read from the query. */
const decodeParameters: Check = exchange => {
  const { known, rawQuery, request } = exchange
  const segments = known?.segments ?? null
  const raw = segments === null ? rawQuery : { ...rawQuery, ...readPathValues(segments, request.path) }
  const read = readParameters(exchange.row.parameters, raw)
  if (!read.ok) {
    const explained = explainCodes(exchange.row.parameters, raw, read.issues)
    return after(explained, issues => exchange.refuse({ kind: "bad_request", issues }))
  }
  exchange.query = read.values
  return undefined
}

const readBody: Check = exchange => {
  if (exchange.row.takesBody !== true) return undefined
  return exchange.waitForClient(exchange.request.readText(), body => {
    if (typeof body !== "string") return exchange.refuse(body)
    exchange.body = body
    return undefined
  })
}

const readQuestion: Check = exchange => {
  const { row } = exchange
  const read = row.read?.({ query: exchange.query, body: exchange.body }, exchange)
  if (read?.ok === false) return read.answer
  exchange.question = read === undefined ? exchange.query : read.question
  return undefined
}

const TOO_MANY_WAIT: Problem = {
  kind: "unavailable",
  message: "Too many requests wait for their turn. Send fewer at a time.",
  retryAfterSeconds: 1,
}

/** Says whether a body has a content encoding (RFC 9110, section 8.4): it would be read incorrectly. */
const isEncoded = (request: HostedRequest): boolean =>
  readList(request.header("content-encoding")).some(name => name !== "" && name.toLowerCase() !== "identity")

/** Runs checks in order; the answer of the first that refuses, or nothing. */
function runChecks(exchange: Exchange, checks: readonly Check[], from = 0): Soon<Answer | undefined> {
  for (let at = from; at < checks.length; at++) {
    const refusal = (checks[at] as Check)(exchange)
    if (refusal instanceof Promise) return refusal.then(found => found ?? runChecks(exchange, checks, at + 1))
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Bodies from this size on are sent in pieces of it: to copy a whole one to the system holds the event loop for milliseconds. */
const PIECE_BYTES = 65_536

/** The pieces of a body that is there, each when it is its turn: a text is encoded piece by piece too. */
async function* sendInTurn(queue: FairQueue | undefined, place: Place | null, body: string | Uint8Array) {
  const encoder = new TextEncoder()
  for (let at = 0; at < body.length; ) {
    if (place !== null) await queue?.resume(place)
    if (typeof body === "string") {
      const bytes = new Uint8Array(PIECE_BYTES)
      // One character more than fits, so that none is cut in two.
      const { read, written } = encoder.encodeInto(body.slice(at, at + PIECE_BYTES + 1), bytes)
      at += read
      yield bytes.subarray(0, written)
    } else {
      yield body.subarray(at, at + PIECE_BYTES)
      at += PIECE_BYTES
    }
  }
}

/** How many bytes a body has; those of a text are not made for that, because a long one would hold the event loop. */
function countBytes(body: string | Uint8Array): number {
  let bytes = body.length
  if (typeof body !== "string") return bytes
  for (let at = 0; at < body.length; at++) {
    const code = body.codePointAt(at) as number
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    if (code > 0xffff) at++
  }
  return bytes
}

/** Reads the pieces of a download, few at the same time: each of hundreds of clients that never read would cause a read. */
async function* readInTurn(queue: FairQueue | undefined, place: Place, pieces: AsyncGenerator<Uint8Array, void, void>) {
  try {
    for (;;) {
      await queue?.resume(place, true)
      const piece = await pieces.next().finally(() => queue?.endLarge(place))
      if (piece.done === true) return
      yield piece.value
    }
  } finally {
    // A client that leaves is no fault of the reading.
    await pieces.return()
  }
}

export function makePipeline(parts: PipelineParts): Pipeline {
  const { table, gate, localisedFacts, queue, keepsAnswers = true, finish = (_, answer) => answer } = parts
  const { answerOnce, validate = (_, made) => made, revalidate = (_, made) => made } = parts
  const kept = new KeptAnswers()

  // The services are on the prototype, so a request allocates no more than one without services.
  class BoundExchange extends Exchange {}
  for (const [name, value] of Object.entries(parts.services)) {
    Object.defineProperty(BoundExchange.prototype, name, { value })
  }

  /** Checks and answers a request, in the order of the specification. */
  function answer(exchange: Exchange, row: Endpoint | undefined): Soon<Answer> {
    const { known, request } = exchange
    if (known === undefined) return exchange.refuse({ kind: "no_such_path" })
    const maximumBytes = row?.uploadBytes ?? MAXIMUM_BODY_BYTES
    const refuse = (problem: Problem) => after(gate.recognise?.(exchange), () => exchange.refuse(problem))
    if (Number(request.header("content-length") ?? 0) > maximumBytes) return refuse({ kind: "too_large", maximumBytes })
    if (request.method === "OPTIONS") {
      return { status: 204, contentType: "", headers: listPreflightHeaders(known.allow), body: "" }
    }
    exchange.endpoint = row
    parts.noteWork?.(exchange)
    if (row === undefined) return refuse({ kind: "wrong_method", allow: known.allow })
    const readsBody = row.takesBody === true || row.uploadBytes !== undefined
    if (readsBody && isEncoded(request)) return refuse({ kind: "unsupported_encoding" })
    return after(runChecks(exchange, CHECKS), refusal => {
      if (refusal !== undefined) return refusal
      const { caller, isHead } = exchange
      const name = isRepeatable(row) && !isHead ? request.header("idempotency-key") : undefined
      const charge = () => after(gate.reserve(exchange), reserved => answerReserved(exchange, reserved))
      return name === undefined || !caller || !answerOnce ? charge() : answerOnce(exchange, caller, name, charge)
    })
  }

  /** Loads the language of the question; waits if it is used for the first time. */
  const openLanguage: Check = exchange => {
    const { dataset, language } = exchange
    if (language === undefined || localisedFacts === undefined) return undefined
    exchange.localised = localisedFacts.peek(dataset, language) ?? null
    if (exchange.localised !== null) return undefined
    return exchange.wait(localisedFacts.load(dataset, language), loaded => {
      exchange.localised = loaded
      return undefined
    })
  }

  const CHECKS: readonly Check[] = [
    gate.checkKey,
    decodeParameters,
    readBody,
    gate.checkLanguage,
    openLanguage,
    readQuestion,
  ]

  /** Runs the work that makes an answer. */
  function runAnswer(exchange: Exchange, answer: RowAnswer): Soon<MeteredAnswer> {
    if (answer instanceof Promise || "status" in answer) return answer
    return exchange.run(parts.answerRefusals?.(exchange, answer) ?? answer)
  }

  /** Looks the record up, for what was reserved. */
  function answerReserved(exchange: Exchange, reserved: Reserved | Answer): Soon<Answer> {
    if ("status" in reserved) return reserved
    const giveBack = (cause: unknown) => {
      reserved.release()
      throw cause
    }
    exchange.hasReachedRow = true
    try {
      const found = after(lookUp(exchange), made => revalidate(exchange, made))
      return found instanceof Promise ? found.then(made => reserved.conclude(made), giveBack) : reserved.conclude(found)
    } catch (cause) {
      return giveBack(cause)
    }
  }

  /** Answers by the row, or with the kept answer to the same question. */
  function lookUp(exchange: Exchange): Soon<MeteredAnswer> {
    const { dataset, question, row } = exchange
    const name = keepsAnswers ? row.keepAs?.(question, exchange) : undefined
    const make = () => after(runAnswer(exchange, row.answer(question, exchange)), made => validate(exchange, made))
    if (name === undefined) {
      return row.isLarge === true ? exchange.withRoom(make) : make()
    }
    return (
      kept.find(row, dataset, name) ??
      after(make(), made => (isSuccess(made) && isWhole(made) ? kept.keep(row, dataset, name, made) : made))
    )
  }

  /** An answer with the headers that all have. */
  function withHeaders(answer: Answer, requestId: string, added: readonly string[], place: Place | null = null): Reply {
    const { status, headers, contentType, body, sharesBody } = answer
    const all = [...headers]
    for (const part of added) all.push(part)
    if (contentType !== "") all.push("content-type", contentType)
    const reply = { status, headers: addCommonHeaders(all, requestId), sharesBody }
    if (typeof body !== "string" && !(body instanceof Uint8Array))
      return { ...reply, body: watch(body, requestId, place) }
    if (body.length < PIECE_BYTES) return { ...reply, body }
    const bytes = countBytes(body)
    reply.headers.push("content-length", String(bytes))
    return {
      ...reply,
      body: { read: () => sendInTurn(queue, place, body), heldBytes: sharesBody === true ? 0 : bytes },
    }
  }

  /** A download that fails on the way is a fault too: the client sees only that its connection is closed. */
  function watch(body: StreamBody | DownloadBody, requestId: string, place: Place | null): StreamBody | DownloadBody {
    if (!("read" in body)) return body
    const read = async function* (note: (heldBytes: number) => void) {
      try {
        yield* body.read(note)
      } catch (cause) {
        parts.reportFault(cause, requestId)
        throw cause
      }
    }
    return { read: note => readInTurn(place === null ? undefined : queue, place as Place, read(note)) }
  }

  /** Answers a request when it is its turn. */
  function begin(exchange: Exchange, row: Endpoint | undefined): Soon<Answer> {
    if (queue === undefined || gate.classify === undefined) return work(exchange, row)
    const place = queue.open(gate.classify(exchange))
    exchange.place = place
    const turn = queue.enter(place)
    if (turn === undefined) return workIn(queue, place, exchange, row)
    if (turn === null) throw TOO_MANY_WAIT
    return turn.then(() => {
      comeToTurn(exchange)
      return workIn(queue, place, exchange, row)
    })
  }

  function workIn(open: FairQueue, place: Place, exchange: Exchange, row: Endpoint | undefined): Soon<Answer> {
    const answered = work(exchange, row)
    if (answered instanceof Promise && !place.isPaused) open.keepOpen(place)
    return answered
  }

  const work = (exchange: Exchange, row: Endpoint | undefined): Soon<Answer> =>
    after(answer(exchange, row), found => finish(exchange, answerAsAsked(exchange.request, found)))

  function end({ place }: Exchange): void {
    if (place !== null) queue?.end(place)
  }

  function complete(exchange: Exchange, answer: Answer): Reply {
    exchange.added.push(...(parts.listOwnHeaders?.(exchange, answer) ?? []))
    const reply = withHeaders(answer, exchange.requestId, exchange.added, exchange.place)
    end(exchange)
    parts.noteReply?.(exchange, reply)
    return reply
  }

  function fail(exchange: Exchange, cause: unknown): Reply | null {
    if (cause === CLIENT_LEFT) {
      end(exchange)
      exchange.trace?.end(null)
      return null
    }
    // Completing an answer may be what failed, so this one is sent as it is.
    const problem = cause === TOO_MANY_WAIT ? TOO_MANY_WAIT : parts.reportFault(cause, exchange.requestId)
    return complete(exchange, answerAsAsked(exchange.request, exchange.refuse(problem)))
  }

  return request => {
    const requestId = nameRequest(request.header("x-request-id"))
    let exchange: Exchange
    try {
      exchange = new BoundExchange(parts, request, requestId)
    } catch (cause) {
      // Not even the moment of the request could be read.
      return withHeaders(answerPlainProblem(parts.reportFault(cause, requestId), requestId), requestId, [])
    }
    try {
      parts.noteWork?.(exchange)
      const known = table.find(request.path)
      exchange.known = known
      const row = known?.byMethod.get(request.method)
      const finished = begin(exchange, row)
      if (!(finished instanceof Promise)) return complete(exchange, finished)
      return finished.then(found => complete(exchange, found)).catch(cause => fail(exchange, cause))
    } catch (cause) {
      return fail(exchange, cause)
    }
  }
}

// Which answers are kept so that they need not be made again?
// The same question has the same answer while the dataset is the same, so a row may name the parameters on which its answer depends and
// have it kept, compressed too after the first request for that. The memory of all endpoints is bounded together: if there are too many,
// all are dropped.

/** How many bytes all endpoints keep. */
const KEPT_BYTES = 67_108_864
/** What an answer takes beside its body and its name: its objects and its headers. */
const ANSWER_BYTES = 1_024
/** V8 takes one byte for each character, or two if one of them is not in Latin-1. */
const CHARACTER_BYTES = 2

export interface KeptAnswer extends WholeAnswer {
  /** The same body as bytes, by content encoding; a promise while it is being made. */
  readonly encoded: Map<string, Uint8Array | Promise<Uint8Array>>
  readonly keptIn: KeptAnswers
}

export const isKept = (answer: Answer): answer is KeptAnswer => "keptIn" in answer

/** The answers of all endpoints, for the dataset of one day. */
export class KeptAnswers {
  readonly #maximumBytes: number
  readonly #byEndpoint = new Map<object, Map<string, KeptAnswer>>()
  #dataset: Dataset | undefined
  #bytes = 0

  constructor(maximumBytes: number = KEPT_BYTES) {
    this.#maximumBytes = maximumBytes
  }

  find(endpoint: object, dataset: Dataset, question: string): KeptAnswer | undefined {
    return dataset === this.#dataset ? this.#byEndpoint.get(endpoint)?.get(question) : undefined
  }

  /** Keeps an answer and returns the kept one: of several made in parallel, the first. */
  keep(endpoint: object, dataset: Dataset, question: string, answer: WholeAnswer): KeptAnswer {
    const before = this.find(endpoint, dataset, question)
    if (before !== undefined) return before
    if (dataset !== this.#dataset || this.#bytes > this.#maximumBytes) {
      this.#byEndpoint.clear()
      this.#bytes = 0
      this.#dataset = dataset
    }
    this.#bytes += ANSWER_BYTES + CHARACTER_BYTES * (question.length + answer.body.length)
    const kept: KeptAnswer = { ...answer, encoded: new Map(), keptIn: this }
    const ofEndpoint = this.#byEndpoint.get(endpoint) ?? new Map<string, KeptAnswer>()
    this.#byEndpoint.set(endpoint, ofEndpoint.set(question, kept))
    return kept
  }

  /** Keeps a body as bytes with its answer, made once for all parallel requests. */
  async keepEncoded(answer: KeptAnswer, encoding: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const underWay = make()
    answer.encoded.set(encoding, underWay)
    try {
      const bytes = await underWay
      this.keepBytes(answer, encoding, bytes)
      return bytes
    } catch (cause) {
      answer.encoded.delete(encoding)
      throw cause
    }
  }

  /** Keeps existing bytes with their answer. */
  keepBytes(answer: KeptAnswer, encoding: string, bytes: Uint8Array): void {
    this.#bytes += bytes.length
    answer.encoded.set(encoding, bytes)
  }
}
