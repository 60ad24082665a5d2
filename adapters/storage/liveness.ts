/**
 * Can the database do its work right now?
 *
 * Reading proves too little: only writing finds a full disk, a file that was deleted or truncated under the service and a read-only server. So
 * a small row is rewritten, at most once a second however often this is asked, the file has to be the one that was opened, and the tables
 * must not need a newer program.
 * The answer is a sentence that an operator can act on.
 */
import { Clock, Effect, Semaphore } from "effect"
import type { Database } from "./database.ts"
import { withDeadline } from "./database.ts"
import type { DatabaseLocation } from "./database-engine.ts"
import { watchFiles } from "./sqlite-client.ts"
import { judgeSteps } from "./steps.ts"
import { makeUnavailable, type Unavailable } from "./storage-errors.ts"
import { makeTable } from "./table-statements.ts"

/** How long an answer is reused. */
const FRESH_MS = 1_000
/** How long the database may take to answer. */
const LIVENESS_TIMEOUT_MS = 1_000
/** Longer than the free space of a page, so that a full disk is noticed. */
const PROBE_CHARACTERS = 4_096

/** The name of the value that is rewritten: when it was. */
export const LIVENESS = "liveness"

interface LivenessCheck {
  readonly askedAt: number
  readonly result: Effect.Effect<void, Unavailable>
}

/** Makes the check: it succeeds when the database works, and fails with the reason otherwise. */
export const makeLiveness = (
  database: Database,
  location: DatabaseLocation,
): Effect.Effect<Effect.Effect<void, Unavailable>> =>
  Effect.gen(function* () {
    const isInPlace = location.path === null ? () => true : watchFiles(location.path)
    const asking = yield* Semaphore.make(1)
    let last: LivenessCheck | undefined

    const probe = Effect.gen(function* () {
      if (!isInPlace()) return yield* makeUnavailable("missing", database.label)
      const nowMs = yield* Clock.currentTimeMillis
      const value = String(nowMs).padEnd(PROBE_CHARACTERS)
      yield* database.transact(makeTable(database, "deployment").put([{ name: LIVENESS, value }], "name"), {
        isDurable: false,
        lockTimeoutMs: LIVENESS_TIMEOUT_MS,
      })
      const applied = yield* database.readSteps
      if (judgeSteps(applied, database.knownSteps) === "outdated") {
        return yield* makeUnavailable("outdated", database.label)
      }
      database.applied = applied
    }).pipe(
      // Elsewhere a missing table is a fault; here it is the answer.
      Effect.catchDefect(() => Effect.fail(makeUnavailable("broken", database.label))),
      withDeadline(LIVENESS_TIMEOUT_MS, Effect.fail(makeUnavailable("busy", database.label))),
    )

    return asking.withPermit(
      Effect.gen(function* () {
        const askedAt = yield* Clock.currentTimeMillis
        if (last === undefined || askedAt - last.askedAt >= FRESH_MS || askedAt < last.askedAt) {
          const exit = yield* Effect.exit(probe)
          last = { askedAt, result: exit }
        }
        return yield* last.result
      }),
    )
  })
