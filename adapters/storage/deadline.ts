/** How does somebody stop waiting for the database at once? The work is told to end, but nobody waits for it to do so. */
import { Effect, Fiber } from "effect"

/**
 * Waits at most so long for an effect, and answers something else after that. The effect is interrupted then, in the background: a
 * database that does not answer does not answer to that either.
 */
export const withDeadline =
  <A2, E2>(durationMs: number, otherwise: Effect.Effect<A2, E2>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R> =>
    Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), fiber => {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      const giveUp = Effect.sync(() => fiber.interruptUnsafe())
      return Fiber.join(fiber).pipe(
        Effect.timeoutOrElse({ duration: durationMs, orElse: () => Effect.andThen(giveUp, otherwise) }),
        Effect.onInterrupt(() => giveUp),
      )
    })
