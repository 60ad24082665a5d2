/**
 * Who calls a tool, what may they see, and which limit is charged?
 *
 * On the user's own machine nothing is counted. Over HTTP a call is charged before it is answered: with a key like at the endpoints, and
 * without one from an address's number of distinct pairs a day.
 */
import { Context, type Effect, Schema } from "effect"
import type { Reader } from "../answers/pair.ts"

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
