/** How does a command run an effect? With its streams and variables, until it is stopped; a failure ends the command with 1. */
import { Cause, Console, Effect, Exit, Logger } from "effect"
import { Environment } from "../settings/config.ts"
import type { Running } from "./command.ts"
import { failCommand } from "./failure.ts"

// stdout is for answers only.
const toStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

/** Runs an effect, which may end itself, as a server does at the end of its input; the command waits for the end of one that was stopped. */
export function runEffect<Value, Error extends { readonly message: string }>(
  { console, env, signal, provide = work => work, onEnd }: Running,
  work: Effect.Effect<Value, Error>,
): Promise<Value> {
  const provided = work.pipe(
    Effect.mapError(error => failCommand(error)),
    Effect.provide(toStderr),
    Effect.provideService(Environment, env),
    Effect.provideService(Console.Console, console as Console.Console),
  )
  const ended = Effect.runPromiseExit(provide(provided), { signal }).then(exit => {
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterruptsOnly(exit.cause) && !signal.aborted) return undefined as Value
    throw Cause.squash(exit.cause)
  })
  onEnd(() => ended.catch(() => {}))
  return ended
}
