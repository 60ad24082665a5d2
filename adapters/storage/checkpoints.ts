/**
 * Who copies the log of a database file into the file?
 *
 * SQLite does so at the end of a transaction that leaves a thousand pages in the log, and then waits for the disk: a connection of the event
 * loop keeps requests waiting. So a process that answers or delivers lets a thread do it, which blocks no writer, and does it itself only
 * where the thread is far behind or has ended.
 */
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"

/** The thread's file beside this one: the source or the built file. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./checkpoint-thread.ts" : "./checkpoints.js", import.meta.url)
/** How many pages a writer lets the log have: 40 MB while the thread copies, SQLite's own number without it. */
const PAGES = { besideThread: 10_000, alone: 1_000 }

/** Has a thread copy the log of the file at a path, which a client writes, until the scope ends. */
export const moveCheckpoints = (path: string, writer: SqlClient.SqlClient): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Node's permissions may forbid threads.
    if (process.permission?.has("worker") === false) return
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const letLogHave = (pages: number) => Effect.ignore(writer.unsafe(`PRAGMA wal_autocheckpoint = ${pages}`))
    const start = Effect.sync(() => {
      const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 }
      const thread = new Worker(SCRIPT, { workerData: path, execArgv: [], env: {}, resourceLimits })
      thread.unref()
      thread.once("error", cause =>
        run(
          Effect.andThen(
            letLogHave(PAGES.alone),
            Effect.logWarning("the log of the database file is copied by the event loop", cause),
          ),
        ),
      )
      return thread
    })
    yield* Effect.acquireRelease(start, thread => Effect.promise(() => thread.terminate()))
    yield* letLogHave(PAGES.besideThread)
  })
