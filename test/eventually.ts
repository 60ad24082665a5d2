/** Asks until something is so: what a service finds out by itself is found out later on a busy machine. */
import { Effect } from "effect"

const AGAIN_MS = 100
const TIMES = 600

/** The first answer that is as wanted, or the last one that was asked for. */
export const eventually = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  isSo: (answer: A) => boolean,
): Effect.Effect<A, E, R> => Effect.repeat(Effect.delay(ask, AGAIN_MS), { until: isSo, times: TIMES })
