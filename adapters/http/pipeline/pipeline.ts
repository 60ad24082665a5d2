/**
 * In which order is a request checked, and how does it become an answer?
 *
 * First an unknown path, a body that is too large, `OPTIONS` and a method that is not allowed; then the stages of the service in order,
 * until one of them answers; then the parts that are added to every answer. A stage is a function: if none has to wait, the answer is ready
 * in the same tick. An exception anywhere is a fault: it is reported under the request's id and never shown to the client.
 */
import { readList } from "../../validation/header-list.ts"
import { addCommonHeaders, listPreflightHeaders } from "./common-headers.ts"
import type { EndpointTable } from "./endpoint-table.ts"
import { bindServices, type Exchange, type Moment } from "./exchange.ts"
import type { Answer, DownloadBody } from "./http-answer.ts"
import { answerPlainProblem } from "./http-errors.ts"
import { Later, Refused, type StageOutcome, type Wait } from "./later.ts"
import type { ServiceRequest } from "./request.ts"
import { nameRequest } from "./request-id.ts"
import type { RequestTrace } from "./request-trace.ts"
import type { AnswerProblem, Problem, SurfaceName } from "./surface.ts"

/** The largest body that is read. */
export const MAXIMUM_BODY_BYTES = 65_536

/** Handles a request: answers it, waits for something, or leaves it to the next stage. */
export type Stage = (exchange: Exchange) => StageOutcome

/** Completes an answer: returns another one instead, something to wait for, or nothing to leave it unchanged. */
export type Finish = (exchange: Exchange, answer: Answer) => Answer | Later | undefined

/** A complete answer with all its headers, ready to be sent. */
export interface Reply {
  readonly status: number
  /** A list of its own: the host adds to it. */
  readonly headers: string[]
  readonly body: Answer["body"]
  readonly sharesBody?: true | undefined
}

/** A reply, or something to wait for before there is one. */
export type Step = Reply | Waiting

/** Something to wait for. The host waits, and goes on with the result or the failure. */
export class Waiting {
  readonly wait: Wait
  readonly next: (value: unknown) => Step
  readonly fail: (cause: unknown) => Step
  readonly #exchange: Exchange

  constructor(exchange: Exchange, wait: Wait, next: (value: unknown) => Step, fail: (cause: unknown) => Step) {
    this.wait = wait
    this.next = next
    this.fail = fail
    this.#exchange = exchange
  }

  /**
   * Called when the client has disconnected: the wait is given up. A method, because V8 puts a function that is written where it is
   * assigned to a property at once among the old objects, and with it everything of its request until the whole heap is collected.
   */
  abandon(): void {
    this.#exchange.abandon()
    this.#exchange.trace?.end(null)
  }
}

export interface PipelineParts {
  readonly table: EndpointTable
  /** The services of the rows, by name. */
  readonly services: Readonly<Record<string, unknown>>
  /** How each surface reports problems; by default like the visa service. */
  readonly answerProblems: Readonly<Partial<Record<SurfaceName, AnswerProblem>>>
  /** The dataset and the time of the request. */
  readonly readMoment: () => Moment
  /** Milliseconds of a clock that only goes forward. */
  readonly readClockMs: () => number
  /** Runs before a path, a method or a body is refused, so that a known caller gets the rest of his limits. */
  readonly recognise?: Stage
  readonly stages: readonly Stage[]
  readonly finishes: readonly Finish[]
  /** Logs an internal fault; returns the problem for the client. */
  readonly reportFault: (cause: unknown, requestId: string) => Problem
  /** Begins to trace a request; undefined where it is not traced. */
  readonly beginTrace?: ((request: ServiceRequest) => RequestTrace | undefined) | undefined
  /** Runs before each piece of work on a request. */
  readonly noteWork?: (exchange: Exchange) => void
  readonly noteReply?: (exchange: Exchange, reply: Reply) => void
}

export type Pipeline = (request: ServiceRequest) => Step

/** Says whether a body has a content encoding (RFC 9110, section 8.4): it would be read incorrectly. */
function isEncoded(request: ServiceRequest): boolean {
  return readList(request.header("content-encoding")).some(name => name !== "" && name.toLowerCase() !== "identity")
}

export function makePipeline(parts: PipelineParts): Pipeline {
  const { table, stages, finishes } = parts
  const BoundExchange = bindServices(parts.services)

  const say = (exchange: Exchange, problem: Problem): Answer => {
    const { known, requestId } = exchange
    const answerProblem = known === undefined ? undefined : parts.answerProblems[known.surface]
    return (answerProblem ?? answerPlainProblem)(problem, requestId)
  }

  /** Runs a function; anything that it throws is a fault. */
  function guard(exchange: Exchange, run: () => Step): Step {
    try {
      parts.noteWork?.(exchange)
      return run()
    } catch (cause) {
      return fail(exchange, cause)
    }
  }

  function fail(exchange: Exchange, cause: unknown): Step {
    exchange.abandon()
    const problem = parts.reportFault(cause, exchange.requestId)
    // Completing an answer may be what failed, so this one is sent as it is.
    return send(exchange, say(exchange, problem))
  }

  /** Waits, and goes on with the outcome. */
  const wait = (exchange: Exchange, later: Later, goOn: (outcome: StageOutcome) => Step): Waiting =>
    new Waiting(
      exchange,
      exchange.trace === undefined ? later.wait : exchange.trace.within(later.wait),
      value => guard(exchange, () => goOn(later.next(value as never))),
      cause => fail(exchange, cause),
    )

  function runStages(exchange: Exchange, from: number): Step {
    for (let at = from; at < stages.length; at++) {
      const outcome = (stages[at] as Stage)(exchange)
      if (outcome !== undefined) return settle(exchange, outcome, at)
    }
    throw new Error("no stage has answered")
  }

  function settle(exchange: Exchange, outcome: StageOutcome, at: number): Step {
    if (outcome === undefined) return runStages(exchange, at + 1)
    if (outcome instanceof Refused) return finish(exchange, say(exchange, outcome.problem), 0)
    if (outcome instanceof Later) return wait(exchange, outcome, next => settle(exchange, next, at))
    return finish(exchange, outcome, 0)
  }

  function finish(exchange: Exchange, given: Answer, from: number): Step {
    let answer = given
    for (let at = from; at < finishes.length; at++) {
      const outcome = (finishes[at] as Finish)(exchange, answer)
      if (outcome instanceof Later) {
        const before = answer
        return wait(exchange, outcome, next => settleFinish(exchange, next, before, at))
      }
      if (outcome !== undefined) answer = outcome
    }
    return send(exchange, answer)
  }

  function settleFinish(exchange: Exchange, outcome: StageOutcome, before: Answer, at: number): Step {
    if (outcome instanceof Later) return wait(exchange, outcome, next => settleFinish(exchange, next, before, at))
    const answer = outcome instanceof Refused ? say(exchange, outcome.problem) : (outcome ?? before)
    return finish(exchange, answer, at + 1)
  }

  /** A download that fails on the way is a fault too: the client sees only that its connection is closed. */
  const watch = ({ requestId }: Exchange, { read }: DownloadBody): DownloadBody => ({
    read: async function* (note) {
      try {
        yield* read(note)
      } catch (cause) {
        parts.reportFault(cause, requestId)
        throw cause
      }
    },
  })

  function send(exchange: Exchange, { status, headers, contentType, body, sharesBody }: Answer): Reply {
    const all = [...headers]
    for (const part of exchange.added) all.push(part)
    if (contentType !== "") all.push("content-type", contentType)
    addCommonHeaders(all, exchange.requestId)
    const reply: Reply = {
      status,
      headers: all,
      body: typeof body === "object" && "read" in body ? watch(exchange, body) : body,
      sharesBody,
    }
    parts.noteReply?.(exchange, reply)
    return reply
  }

  /** Refuses a request before any stage, after the caller was recognised. */
  function refuse(exchange: Exchange, problem: Problem): Step {
    const goOn = (outcome: StageOutcome): Step =>
      outcome instanceof Later ? wait(exchange, outcome, goOn) : finish(exchange, say(exchange, problem), 0)
    return goOn(parts.recognise?.(exchange))
  }

  function begin(exchange: Exchange): Step {
    const { request } = exchange
    if (parts.beginTrace !== undefined) exchange.trace = parts.beginTrace(request)
    const known = table.find(request.path)
    exchange.known = known
    if (known === undefined) return finish(exchange, say(exchange, { kind: "no_such_path" }), 0)
    const maximumBytes = known.byMethod.get(request.method)?.uploadBytes ?? MAXIMUM_BODY_BYTES
    if (Number(request.header("content-length") ?? 0) > maximumBytes) {
      return refuse(exchange, { kind: "too_large", maximumBytes })
    }
    if (request.method === "OPTIONS") {
      return finish(exchange, { status: 204, contentType: "", headers: listPreflightHeaders(known.allow), body: "" }, 0)
    }
    exchange.endpoint = known.byMethod.get(request.method)
    const { endpoint } = exchange
    parts.noteWork?.(exchange)
    if (endpoint === undefined) return refuse(exchange, { kind: "wrong_method", allow: known.allow })
    const readsBody = endpoint.takesBody === true || endpoint.uploadBytes !== undefined
    if (readsBody && isEncoded(request)) return refuse(exchange, { kind: "unsupported_encoding" })
    return runStages(exchange, 0)
  }

  /** The reply to a request for which not even the moment could be read. */
  function replyToFault(requestId: string, cause: unknown): Reply {
    const { status, headers, contentType, body } = answerPlainProblem(parts.reportFault(cause, requestId), requestId)
    return { status, headers: addCommonHeaders([...headers, "content-type", contentType], requestId), body }
  }

  return request => {
    const requestId = nameRequest(request.header("x-request-id"))
    let exchange: Exchange
    try {
      exchange = new BoundExchange(request, requestId, parts.readMoment(), parts.readClockMs())
    } catch (cause) {
      return replyToFault(requestId, cause)
    }
    return guard(exchange, () => begin(exchange))
  }
}
