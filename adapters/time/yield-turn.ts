/** How does work on the event loop let requests be answered in between? With a turn of the loop: to yield a fiber is not enough to read sockets. */
import { Effect } from "effect"
import { workInPieces } from "./work-in-pieces.ts"

/** How long a piece of work holds the event loop before others run. */
const TURN_MS = 1

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

/** Does work in pieces, and lets other waiting work run after every {@link TURN_MS} of it. */
export const workInTurns = <Value>(pieces: Generator<void, Value, void>): Effect.Effect<Value> =>
  Effect.promise(async signal => {
    let since = performance.now()
    return workInPieces(pieces, () => {
      if (performance.now() - since < TURN_MS) return
      signal.throwIfAborted()
      return new Promise(resolve => {
        setImmediate(() => {
          since = performance.now()
          resolve()
        })
      })
    })
  })
