/**
 * Who calls a tool, what may they see, and who pays?
 *
 * On the user's own machine nothing is counted. Behind HTTP a call is charged before it is answered: a key pays as it does for
 * the endpoints, and without one an address has a number of distinct pairs a day.
 */
import { Context, type Effect, Schema } from "effect"
import type { Reader } from "../../knowledge/answers/pair.ts"

/** A tool cannot do what was asked; the message says what to do instead, to a model and to people. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", { message: Schema.String }) {}

/** What a call asks for: distinct pairs, and how many requests it costs a key. */
export interface ToolCost {
  readonly pairs: readonly (readonly [passport: string, destination: string])[]
  readonly charge: number
}

export interface AskerShape {
  /** Which parts of a record are shown. */
  readonly reader: Reader
  /** Charges, then answers; a refused call costs nothing. */
  readonly pay: <A>(cost: ToolCost, answer: () => A) => Effect.Effect<A, ToolRefused>
}

/** Who calls a tool. */
export class Asker extends Context.Service<Asker, AskerShape>()("landfall/mcp/Asker") {}
