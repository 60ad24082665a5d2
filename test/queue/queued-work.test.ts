/** A kind of queued work is one file: this one, over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { attemptByEffect, makeWorker, type Outcome } from "../../adapters/queue/queue-worker.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { QueuedNote, QueuedRow } from "../../adapters/storage/work-table.ts"
import { build, type DatabasePlace, makeDeployment } from "../storage/deployment.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"

const REMINDERS = "reminders"
const LEASE_MS = 60_000
const WAITS_MS = [1_000, 10_000]
const KEPT_MS = 86_400_000
/** An address with which an attempt throws. */
const THROWING = "nobody at all"

interface Reminder {
  readonly to: string
}

const readReminder = (payload: string): Reminder | null => {
  const given: unknown = JSON.parse(payload)
  return typeof given === "object" && given !== null && "to" in given && typeof given.to === "string"
    ? { to: given.to }
    : null
}

/** A kind as a file of the service defines it; `send` returns why it did not, if so. */
const makeReminders = Effect.fnUntraced(function* (send: (reminder: Reminder) => string | null) {
  const table = (yield* Storage).queuedWork(REMINDERS)
  const attempt = yield* attemptByEffect<QueuedRow, QueuedNote, never>("a reminder", ({ payload }) =>
    Effect.sync((): Outcome<QueuedNote> => {
      const reminder = readReminder(payload)
      if (reminder === null) return { kind: "given_up", note: { last_error: "it cannot be read" } }
      const failure = send(reminder)
      return { kind: failure === null ? "done" : "again", note: { last_error: failure } }
    }),
  )
  const worker = yield* makeWorker<QueuedRow, QueuedRow, QueuedNote>({
    name: REMINDERS,
    table,
    leaseMs: LEASE_MS,
    attemptMs: 1_000,
    stopMs: 1_000,
    inFlight: 2,
    ahead: 2,
    settleAt: 1,
    idleMs: 250,
    retries: { waitsMs: WAITS_MS, longestAskedMs: 0 },
    keepsMs: KEPT_MS,
    find: Effect.succeed,
    attempt,
    fault: () => ({ kind: "again", note: { last_error: "the attempt could not be made" } }),
  })
  const order = (reminder: unknown, lane = "") =>
    Effect.flatMap(Clock.currentTimeMillis, nowMs => table.order(() => JSON.stringify(reminder), { nowMs, lane }))
  return { ...worker, order, table }
})

describe.each<[string, Effect.Effect<DatabasePlace, never, Scope.Scope>]>([
  ["a file", makeDeployment],
  ["PostgreSQL", makePostgresDeployment],
])("a kind of queued work on %s", (_, makePlace) => {
  /** Workers on a new database, where the next attempts at some addresses fail, and another kind whose rows have the same numbers. */
  const open = Effect.gen(function* () {
    const services = yield* build(layerStorage((yield* makePlace).databaseUrl))
    const sent: string[] = []
    const failing = new Set<string>()
    const send = ({ to }: Reminder) => {
      if (to === THROWING) throw new Error(`no address ${to}`)
      if (failing.has(to)) return `${to} does not answer`
      sent.push(to)
      return null
    }
    const storage = Context.get(services, Storage)
    const other = storage.queuedWork("other")
    for (const payload of ["x", "y", "z"]) yield* other.order(() => payload, { nowMs: 0 })
    const start = Effect.provideContext(makeReminders(send), services)
    const sql = Context.get(services, SqlClient.SqlClient)
    const list = (kind: string) =>
      Effect.map(
        sql<{
          number: number
          state: string
          attempt: number
          payload: string | null
          last_error: string | null
        }>`SELECT
          number, state, attempt, payload, last_error FROM queued_work WHERE kind = ${kind} ORDER BY number`,
        rows => rows.map(row => [row.number, row.state, row.attempt, row.payload, row.last_error]),
      )
    /** The other kind is as it was ordered. */
    const assertOthersUntouched = Effect.gen(function* () {
      const rows = ["x", "y", "z"].map((payload, at) => [at + 1, "pending", 0, payload, null])
      assert.deepStrictEqual(yield* list("other"), rows)
    })
    return { assertOthersUntouched, failing, list: list(REMINDERS), other, sent, start, storage }
  })

  it.effect("is given up after the last wait where each attempt throws", () =>
    Effect.gen(function* () {
      const { list, sent, start } = yield* open
      const { drain, order } = yield* start
      yield* order({ to: THROWING })
      yield* order({ to: "ana" })
      yield* drain
      assert.deepStrictEqual(sent, ["ana"])
      for (const waitMs of WAITS_MS) {
        assert.deepStrictEqual((yield* list)[0]?.[1], "pending")
        yield* TestClock.adjust(waitMs)
        yield* drain
      }
      assert.deepStrictEqual((yield* list)[0], [1, "given_up", 3, null, "the attempt could not be made"])
    }),
  )

  it.effect("is done once, tried again after each wait, given up after the last, and deleted after its time", () =>
    Effect.gen(function* () {
      const { assertOthersUntouched, failing, list, sent, start, storage } = yield* open
      const [{ drain, order, sweep }, second] = [yield* start, yield* start]
      failing.add("bo").add("cy")
      yield* order({ to: "ana" })
      yield* order({ to: "bo" }, "b")
      yield* order({ to: "cy" }, "c")
      yield* order({ for: "nobody" })
      yield* Effect.ignore(storage.transact(Effect.andThen(order({ to: "dora" }), Effect.fail("rolled back"))))
      yield* Effect.all([drain, second.drain], { concurrency: 2 })
      assert.deepStrictEqual(sent, ["ana"])
      assert.deepStrictEqual(yield* list, [
        [1, "done", 1, null, null],
        [2, "pending", 1, '{"to":"bo"}', "bo does not answer"],
        [3, "pending", 1, '{"to":"cy"}', "cy does not answer"],
        [4, "given_up", 1, null, "it cannot be read"],
      ])
      yield* TestClock.adjust(WAITS_MS[0]! - 1)
      yield* drain
      assert.deepStrictEqual((yield* list)[1]?.[2], 1)
      yield* TestClock.adjust(1)
      yield* drain
      failing.delete("bo")
      yield* TestClock.adjust(WAITS_MS[1]!)
      yield* drain
      assert.deepStrictEqual(sent, ["ana", "bo"])
      assert.deepStrictEqual((yield* list).slice(1, 3), [
        [2, "done", 3, null, null],
        [3, "given_up", 3, null, "cy does not answer"],
      ])
      const queues = yield* storage.operations.countQueues
      assert.deepStrictEqual(
        queues.map(({ kind, waiting, due_since }) => [kind, Number(waiting), due_since]),
        [
          ["deliveries", 0, null],
          ["job_chunks", 0, null],
          ["mails", 0, null],
          ["other", 3, 0],
          ["pushes", 0, null],
          ["reminders", 0, null],
        ],
      )
      yield* order({ to: "eva" })
      yield* TestClock.adjust(KEPT_MS)
      yield* sweep
      assert.deepStrictEqual(
        (yield* list).map(([number]) => number),
        [5],
      )
      yield* assertOthersUntouched
    }).pipe(Effect.scoped),
  )

  it.effect("is done by another worker when the claim of a killed process has expired, and that writes nothing", () =>
    Effect.gen(function* () {
      const { assertOthersUntouched, list, other, sent, start } = yield* open
      const { drain, order, table } = yield* start
      for (const to of ["ana", "bo"]) yield* order({ to })
      const nowMs = yield* Clock.currentTimeMillis
      const claim = { worker: "killed", nowMs, leaseMs: LEASE_MS, lanes: ["", "b"], each: 1 }
      const claimed = yield* table.claim(claim)
      assert.deepStrictEqual(
        claimed.map(({ number, lane, attempt, payload }) => [number, lane, attempt, payload]),
        [[1, "", 1, '{"to":"ana"}']],
      )
      yield* drain
      assert.deepStrictEqual(sent, ["bo"])
      yield* TestClock.adjust(LEASE_MS)
      yield* drain
      assert.deepStrictEqual(sent, ["bo", "ana"])
      const settle = (tickets: readonly QueuedRow[], state: "open" | "given_up") =>
        tickets.map(ticket => {
          return { ticket, state, counts: true, dueMs: nowMs, note: { last_error: "late" } } as const
        })
      assert.deepStrictEqual([...(yield* table.settle("killed", settle(claimed, "given_up")))], [])
      assert.deepStrictEqual(yield* list, [
        [1, "done", 2, null, null],
        [2, "done", 1, null, null],
      ])
      yield* assertOthersUntouched
      // What it returns is not an attempt, and it still holds rows of another kind.
      yield* order({ to: "cy" })
      const later = { ...claim, nowMs: nowMs + LEASE_MS, each: 3 }
      const [held, others] = [yield* table.claim(later), yield* other.claim(later)]
      yield* table.release("killed", held)
      assert.deepStrictEqual((yield* list)[2], [3, "pending", 0, '{"to":"cy"}', null])
      assert.strictEqual((yield* other.settle("killed", settle(others, "open"))).size, 3)
      assert.deepStrictEqual((yield* list)[2]?.[1], "pending")
      // Each kind makes its own deferred rows ready.
      const looks = other.listReady({ ...later, after: null, limit: 9 })
      yield* table.recall(later.nowMs)
      assert.strictEqual((yield* looks).size, 0)
      yield* other.recall(later.nowMs)
      assert.strictEqual((yield* looks).size, 1)
    }).pipe(Effect.scoped),
  )
})
