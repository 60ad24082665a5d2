/** How does a caller stop waiting for the database at once? The work is interrupted, but nobody waits until it has ended. */
import { Effect, Fiber } from "effect"

/**
 * Waits a limited time for an effect, and returns another value after that. The effect is then interrupted in the background, because a
 * database that does not answer does not react to an interruption either.
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
