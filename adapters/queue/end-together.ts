/** How do effects that began one after the other in one scope end? At the same time, so that none waits until another has finished its work. */
import { Effect, Scope } from "effect"

/** Returns a function that runs effects in scopes of their own, which all close together when the surrounding scope closes. */
export const endTogether = Effect.map(
  Effect.flatMap(Scope.Scope, scope => Scope.fork(scope, "parallel")),
  all =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
      Effect.flatMap(Scope.fork(all), own => Effect.provideService(effect, Scope.Scope, own)),
)
