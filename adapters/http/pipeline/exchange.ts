/** The state of one request in the pipeline; each stage adds its findings. */

import type { Dataset } from "../../../src/engine.ts"
import type { LocalisedFacts, Plan } from "../../../src/full.ts"
import type { Caller } from "../../accounts/account.ts"
import type { SignedIn } from "../../accounts/sessions.ts"
import type { Reservation } from "../../quota/reservation.ts"
import type { EdgeCaller } from "./edge-caller.ts"
import type { AnswerContext, Endpoint } from "./endpoint.ts"
import type { KnownPath } from "./endpoint-table.ts"
import { type RawQuery, readQuery } from "./query.ts"
import type { ServiceRequest } from "./request.ts"
import type { RequestTrace } from "./request-trace.ts"

/** The moment of a request, on which every answer may depend. */
export interface Moment {
  readonly nowMs: number
  readonly dataset: Dataset
  readonly upgradeUrl: string
}

/** One request under way. */
export class Exchange implements AnswerContext {
  readonly request: ServiceRequest
  readonly requestId: string
  readonly nowMs: number
  readonly dataset: Dataset
  readonly upgradeUrl: string
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
  /** Counts the question, where a host does that by itself. */
  spend: EdgeCaller["spend"]
  localised: LocalisedFacts | null = null
  /** Headers that stages add to any answer: limits, a notice. */
  readonly added: string[] = []
  /** Whether the headers already have the rest of the limits. */
  hasLimits = false
  /** Whether the host has given it room for a large answer. */
  hasRoom = false
  /** What is reserved while the answer is waited for. */
  reservation: Pick<Reservation, "release"> | null = null
  /** The trace; undefined if the request is not traced. */
  trace: RequestTrace | undefined
  #raw: RawQuery | undefined

  constructor(request: ServiceRequest, requestId: string, moment: Moment, startedAt: number) {
    this.request = request
    this.requestId = requestId
    this.nowMs = moment.nowMs
    this.dataset = moment.dataset
    this.upgradeUrl = moment.upgradeUrl
    this.startedAt = startedAt
  }

  /** Gives back what was reserved: there will be no answer. */
  abandon(): void {
    this.reservation?.release()
  }

  /** The query as it was sent, read once. */
  get rawQuery(): RawQuery {
    this.#raw ??= readQuery(this.request.search)
    return this.#raw
  }

  /** Says whether only the headers of an answer are wanted. */
  get isHead(): boolean {
    return this.request.method === "HEAD"
  }
}

/**
 * Makes a class of requests whose rows find services by name. The services are on the prototype, so a request allocates no more than one
 * without services.
 */
export function bindServices(services: Readonly<Record<string, unknown>>): typeof Exchange {
  const Bound = class extends Exchange {}
  for (const [name, value] of Object.entries(services)) Object.defineProperty(Bound.prototype, name, { value })
  return Bound
}
