/**
 * What ends a process whose event loop hangs?
 *
 * A thread of the same process, which needs nothing of the loop (`watchdog-thread.ts`). It names the row of the latest request in the log, and kills
 * the process. Whatever supervises the process starts another: the first of several processes, or systemd or a container engine.
 */
import { url } from "node:inspector"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { ProcessState } from "../http/pipeline/process-state.ts"
import type { Watched } from "./watchdog-thread.ts"

/** How often the loop gives a sign where no request does: several times in each step of the thread. */
const SIGN_MS = 200

/** The thread's file beside this one: the source or the built file. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./watchdog-thread.ts" : "./watchdog.js", import.meta.url)

/** Watches the event loop until the scope ends. Begins after the work of the start, which may take long. */
export const watchLoop = Effect.fnUntraced(function* (state: ProcessState) {
  // Node's permissions may forbid threads, and a debugger stops the loop for as long as its user likes.
  if (process.permission?.has("worker") === false || url() !== undefined) return
  const warn = Effect.runForkWith(yield* Effect.context<never>())
  const workerData: Watched = { signs: state.signs, rows: state.rows }
  const start = Effect.sync(() => {
    const thread = new Worker(SCRIPT, {
      workerData,
      // Nothing that the process was told to load concerns the thread.
      execArgv: [],
      env: {},
      // The thread takes 7 MB; from the sources, which Node reads with a parser of its own, 11 MB.
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 },
    })
    thread.unref()
    thread.once("error", cause => warn(Effect.logWarning("the event loop is not watched any more", cause)))
    const signs = setInterval(() => state.noteTurn(), SIGN_MS)
    return { thread, signs }
  })
  yield* Effect.acquireRelease(start, ({ thread, signs }) => {
    clearInterval(signs)
    return Effect.promise(() => thread.terminate())
  })
})
