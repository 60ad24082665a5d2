/**
 * Is the script runner that started this process still running?
 *
 * A script runner such as `npm start` puts a shell between itself and the service. When the runner is stopped, the shell ends
 * without passing the signal on, and the service would go on unnoticed. Under such a runner the service therefore stops when its
 * parent is gone.
 */
import { Effect } from "effect"

const CHECK = "250 millis"

/** Ends when the process that a script runner has put above this one ends; without a runner it never does. */
export const untilOrphaned: Effect.Effect<void> = Effect.suspend(() => {
  if (process.env.npm_lifecycle_event === undefined) return Effect.never
  const parent = process.ppid
  const check: Effect.Effect<void> = Effect.suspend(() =>
    process.ppid === parent ? Effect.andThen(Effect.sleep(CHECK), check) : Effect.void,
  )
  return check
})
