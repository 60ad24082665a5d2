/**
 * Which calls are in the body of a request?
 *
 * One, or a list of them if the version of the protocol has lists (2025-03-26; later ones have none). A list is bounded, because a short
 * call can have a long answer. An id may occur once, because it identifies the answer.
 */

import { Context, type Effect, Schema } from "effect"
import type { Reader } from "../answers/visa-answers.ts"
import { type Fields, isFields } from "../validation/fields.ts"

// Who calls a tool, what may they see, and which limit is charged?
// On the user's own machine nothing is counted. Over HTTP a call is charged before it is answered: with a key like at the endpoints, and
// without one from an address's number of distinct pairs a day.

/** A tool cannot do what was asked; the message says what to do instead, to a model and to people. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", { message: Schema.String }) {}

/** The cost of a call: distinct pairs, and requests of a key. */
export interface ToolCost {
  readonly pairs: readonly (readonly [passport: string, destination: string])[]
  readonly charge: number
}

export interface AskerShape {
  /** Which parts of a record are shown. */
  readonly reader: Reader
  /** Lets others run before the next piece of work, if this one took long. */
  readonly giveWay: () => void | Promise<void>
  /** Charges, then answers; a refused call costs nothing. */
  readonly pay: <A>(cost: ToolCost, answer: () => A) => Effect.Effect<A, ToolRefused>
}

/** The caller of a tool. */
export class Asker extends Context.Service<Asker, AskerShape>()("landfall/mcp/Asker") {}

/** How many calls a list may have. */
export const MAXIMUM_BATCH_CALLS = 20

/** How many lists and objects a body may have inside one another; the arguments of a tool need half of it. The server walks them several times. */
export const MAXIMUM_DEPTH = 16

const isDeeper = (value: unknown, most: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (most === 0 || Object.values(value).some(inner => isDeeper(inner, most - 1)))

/** Calls that a session forgets when they are answered. */
const QUESTIONS: ReadonlySet<unknown> = new Set([
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tools/call",
  "tools/list",
])

/** An id of JSON-RPC; null where there is no usable id. */
export type CallId = string | number | null

/** The calls of a body. */
export interface AcceptedCalls {
  readonly ok: true
  /** The calls of a list that are answered one by one; null for a body that the server answers whole. */
  readonly list: readonly unknown[] | null
  /** The id of the only call; null for a list. */
  readonly id: CallId
  /** Whether the only call agrees on a version. */
  readonly initializes: boolean
  /** Whether all are questions that leave nothing in the session in which they are asked. */
  readonly leavesNothing: boolean
}

/** The contents of a body. */
export type Calls = AcceptedCalls | { readonly ok: false; readonly message: string }

const NO_CALL: AcceptedCalls = { ok: true, list: null, id: null, initializes: false, leavesNothing: false }

const readId = (call: unknown): CallId => {
  const { id } = isFields(call) ? call : ({} as Fields)
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** Whether a call of a list leaves the version to the request: a list with one that does not is refused whole. */
const isOwn = (call: unknown): boolean =>
  isFields(call) && call.method !== "initialize" && (!isFields(call.params) || call.params._meta === undefined)

/** Whether a call is a question that leaves nothing in its session. */
const isQuestion = (call: unknown): boolean =>
  isOwn(call) && QUESTIONS.has((call as Fields).method) && readId(call) !== null

function readBatch(batch: readonly unknown[]): Calls {
  if (batch.length > MAXIMUM_BATCH_CALLS) {
    return { ok: false, message: `A batch has at most ${MAXIMUM_BATCH_CALLS} calls; this one has ${batch.length}.` }
  }
  const seen = new Set<CallId>()
  for (const call of batch) {
    if (Array.isArray(call)) return { ok: false, message: "A batch is a list of calls, and has no list within." }
    const id = readId(call)
    if (id !== null && seen.has(id)) {
      return { ok: false, message: `Two calls of the batch have the id ${JSON.stringify(id).slice(0, 80)}.` }
    }
    seen.add(id)
  }
  const list = batch.length > 0 && batch.every(isOwn) ? batch : null
  return { ...NO_CALL, list, leavesNothing: list?.every(isQuestion) === true }
}

/** Reads a body as far as its bounds need it; a body that is not JSON is one call, which the server refuses. */
export function readCalls(body: string): Calls {
  let call: unknown
  try {
    call = JSON.parse(body)
  } catch {
    return NO_CALL
  }
  if (isDeeper(call, MAXIMUM_DEPTH)) {
    return { ok: false, message: `A body has at most ${MAXIMUM_DEPTH} lists and objects inside one another.` }
  }
  if (Array.isArray(call)) return readBatch(call)
  if (!isFields(call)) return NO_CALL
  const id = readId(call)
  const initializes = call.jsonrpc === "2.0" && call.method === "initialize" && id !== null
  return { ...NO_CALL, id, initializes, leavesNothing: isQuestion(call) }
}
