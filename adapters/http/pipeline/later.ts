/**
 * How does an answer wait for something?
 *
 * Few have to: a known caller, a count in memory and a dataset are all available, and the answer is ready in the tick of the request. A stage
 * that must wait (for a database, a language that is not loaded, a body) returns a {@link Later}: what to wait for, and how to continue. So
 * the pipeline knows neither fibers nor promises, and starts none without need.
 */
import type { Effect } from "effect"
import type { Answer } from "./http-answer.ts"
import type { Problem } from "./surface.ts"

/** Asks the host for the text of the request's body. */
export const BODY = Symbol("the body")

/**
 * Asks the host for room to make a large answer, or to compress one: few are made at the same time, and none for a client with much to
 * read. The room is used until the answer is sent.
 */
export const ROOM = Symbol("room for an answer")

/** What can be waited for: an effect where there is a runtime for effects, a promise anywhere, the body, or room for the answer. */
export type Wait = typeof BODY | typeof ROOM | Promise<unknown> | Effect.Effect<unknown, unknown>

/** A problem of a request. Its surface makes the answer. */
export class Refused {
  readonly problem: Problem

  constructor(problem: Problem) {
    this.problem = problem
  }
}

/** The result of a stage: an answer, a problem, something to wait for, or nothing, which means the next stage. */
export type StageOutcome = Answer | Refused | Later | undefined

/** Something to wait for, and how to go on with the result. */
export class Later {
  readonly wait: Wait
  readonly next: (value: never) => StageOutcome

  constructor(wait: Wait, next: (value: never) => StageOutcome) {
    this.wait = wait
    this.next = next
  }
}

export function waitFor<Value>(
  wait: Promise<Value> | Effect.Effect<Value, unknown>,
  next: (value: Value) => StageOutcome,
): Later {
  return new Later(wait, next as (value: never) => StageOutcome)
}

export function waitForBody(next: (body: BodyText) => StageOutcome): Later {
  return new Later(BODY, next as (value: never) => StageOutcome)
}

/** Waits until there is room for the answer, which an exchange takes once. */
export function waitForRoom<Outcome extends StageOutcome>(
  exchange: { hasRoom: boolean },
  next: () => Outcome,
): Outcome | Later {
  if (exchange.hasRoom) return next()
  return new Later(ROOM, () => {
    exchange.hasRoom = true
    return next()
  })
}

/** A body as the host has read it: its text, or that it was not read. */
export type BodyText = { readonly isWhole: true; readonly text: string } | { readonly isWhole: false }

export const TOO_LARGE: BodyText = { isWhole: false }
/** The service holds too many bytes for this client, or for all. */
export const NO_ROOM: BodyText = { isWhole: false }

/** Continues with the final outcome, however many waits it takes. */
export function mapLater(later: Later, then: (outcome: StageOutcome) => StageOutcome): Later {
  return new Later(later.wait, value => {
    const outcome = later.next(value)
    return outcome instanceof Later ? mapLater(outcome, then) : then(outcome)
  })
}
