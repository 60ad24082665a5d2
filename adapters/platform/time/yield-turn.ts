/** How does work on the event loop let requests be answered in between? By a turn of the loop: a yield of a fiber alone lets no socket be read. */
import { Effect } from "effect"

/** Lets other waiting work run, sockets too. */
export const yieldTurn: Effect.Effect<void> = Effect.callback(resume => {
  setImmediate(() => resume(Effect.void))
})
