/** How does work on the event loop let requests be answered in between? With a turn of the loop: to yield a fiber is not enough to read sockets. */
import { Effect } from "effect"

/** Lets other waiting work run, sockets too. */
export const yieldTurn: Effect.Effect<void> = Effect.callback(resume => {
  setImmediate(() => resume(Effect.void))
})

/** Leaves the event loop to others for some real time, even if the program has a test clock. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback(resume => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
