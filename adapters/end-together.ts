/** How do things end that began one after the other in one scope? At the same time, so that none waits for what another one has under way. */
import { Effect, Scope } from "effect"

/** Makes what runs effects in scopes of their own, which all close together when the scope around them does. */
export const endTogether = Effect.map(
  Effect.flatMap(Scope.Scope, scope => Scope.fork(scope, "parallel")),
  all =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
      Effect.flatMap(Scope.fork(all), own => Effect.provideService(effect, Scope.Scope, own)),
)
