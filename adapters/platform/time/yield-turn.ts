/**
 * How does work on the event loop let requests be answered in between? With a turn of the loop: yielding a fiber alone does not let sockets
 * be read.
 */
import { Effect } from "effect"

/** Lets other waiting work run, sockets too. */
export const yieldTurn: Effect.Effect<void> = Effect.callback(resume => {
  setImmediate(() => resume(Effect.void))
})

/** Leaves the event loop to others for a time: real time, whatever clock the program has, because it is the loop's. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback(resume => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
