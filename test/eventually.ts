/** Asks until something is so: what a service finds out by itself is found out later on a busy machine. */
import { Effect } from "effect"

const AGAIN_MS = 100

/** Nearly as long as a test may take: what never comes is told by the test, and a busy machine may be slow. */
export const LONG_MS = 500_000

/** The first answer that is as wanted, or the last one that was asked for. */
export const eventually = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  isSo: (answer: A) => boolean,
): Effect.Effect<A, E, R> => Effect.repeat(Effect.delay(ask, AGAIN_MS), { until: isSo, times: LONG_MS / AGAIN_MS })
