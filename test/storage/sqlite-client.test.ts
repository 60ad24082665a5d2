import { statSync, truncateSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeCopier } from "../../adapters/storage/checkpoint-thread.ts"
import { IsDurable } from "../../adapters/storage/database-engine.ts"
import { moveCheckpoints, openSqlite } from "../../adapters/storage/sqlite-client.ts"
import { eventually } from "../eventually.ts"
import { makeDeployment } from "./deployment.ts"

const openClient = Effect.gen(function* () {
  const { databasePath } = yield* makeDeployment
  const { writer: sql, reader } = yield* openSqlite(databasePath)
  yield* sql`CREATE TABLE stamps (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE)`
  return { sql, reader, databasePath }
})

const listPlaces = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ place: string }>`SELECT place FROM stamps ORDER BY id`, rows => rows.map(row => row.place))

describe("the log of a file", () => {
  const readLog = (sql: SqlClient.SqlClient) =>
    Effect.map(sql<{ log: number; checkpointed: number }>`PRAGMA wal_checkpoint(NOOP)`, ([row]) => row!)
  const fill = (sql: SqlClient.SqlClient) => sql`INSERT INTO stamps (place) VALUES (hex(randomblob(3000000)))`

  it.live("is copied by a thread, and by the writer only where it is far behind", () =>
    Effect.gen(function* () {
      const { sql, databasePath } = yield* openClient
      yield* fill(sql)
      // SQLite itself copies a thousand pages at once.
      const { log, checkpointed } = yield* readLog(sql)
      assert.isAbove(log, 1_000)
      assert.strictEqual(checkpointed, log)
      yield* moveCheckpoints(databasePath, sql)
      yield* fill(sql)
      const written = yield* readLog(sql)
      assert.isBelow(written.checkpointed, written.log)
      const copied = yield* eventually(readLog(sql), found => found.checkpointed === found.log)
      assert.strictEqual(copied.log, written.log)
      assert.strictEqual(copied.checkpointed, written.log)
    }).pipe(Effect.scoped),
  )

  it.effect("is not copied into a file that was truncated", () =>
    Effect.gen(function* () {
      const { sql, databasePath } = yield* openClient
      const step = makeCopier(databasePath)
      yield* sql`PRAGMA wal_autocheckpoint = 10000`
      yield* fill(sql)
      step()
      const { size } = statSync(databasePath)
      assert.isAbove(size, 6_000_000)
      yield* fill(sql)
      truncateSync(databasePath, 4_096)
      step()
      assert.strictEqual(statSync(databasePath).size, 4_096)
    }),
  )
})

describe("openSqlite", () => {
  it.effect("keeps commits in a file that only its owner can read", () =>
    Effect.gen(function* () {
      const { sql, databasePath } = yield* openClient
      yield* sql`INSERT INTO stamps ${sql.insert([{ place: "Lima" }, { place: "Oslo" }])}`
      const other = new DatabaseSync(databasePath)
      assert.strictEqual(other.prepare("SELECT COUNT(*) AS count FROM stamps").get()?.count, 2)
      assert.strictEqual(other.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal")
      other.close()
      assert.strictEqual(statSync(databasePath).mode & 0o777, 0o600)
      assert.strictEqual(statSync(`${databasePath}-wal`).mode & 0o777, 0o600)
    }),
  )

  it.effect("commits durably: a commit survives a power cut", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      const readSynchronous = Effect.map(sql<{ synchronous: number }>`PRAGMA synchronous`, rows => rows[0]?.synchronous)
      assert.strictEqual(yield* readSynchronous, 2)
      const brief = sql.withTransaction(readSynchronous)
      assert.strictEqual(yield* Effect.provideService(brief, IsDurable, false), 1)
      assert.strictEqual(yield* sql.withTransaction(readSynchronous), 2)
      yield* Effect.provideService(brief, IsDurable, false)
      assert.strictEqual(yield* readSynchronous, 2)
    }),
  )

  it.effect("answers queries during a transaction, without its writes before it is committed", () =>
    Effect.gen(function* () {
      const { sql, reader } = yield* openClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO stamps (place) VALUES ('Lima')`
          assert.deepStrictEqual(yield* listPlaces(reader), [])
        }),
      )
      assert.deepStrictEqual(yield* listPlaces(reader), ["Lima"])
      assert.isTrue((yield* Effect.exit(reader`INSERT INTO stamps (place) VALUES ('Oslo')`))._tag === "Failure")
    }),
  )

  it.effect("undoes a transaction that fails, dies or is interrupted, and keeps the connection usable", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      const insertThen = (then: Effect.Effect<void, string>) =>
        Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO stamps (place) VALUES ('Lima')`, then)))
      yield* insertThen(Effect.fail("refused"))
      yield* insertThen(Effect.die(new Error("broken")))
      yield* insertThen(Effect.interrupt)
      assert.deepStrictEqual(yield* listPlaces(sql), [])
      yield* insertThen(Effect.void)
      assert.deepStrictEqual(yield* listPlaces(sql), ["Lima"])
    }),
  )

  it.effect("undoes an inner transaction alone", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      const inner = sql.withTransaction(
        Effect.andThen(sql`INSERT INTO stamps (place) VALUES ('Oslo')`, Effect.fail("no")),
      )
      yield* sql.withTransaction(
        sql`INSERT INTO stamps (place) VALUES ('Lima')`.pipe(Effect.andThen(Effect.ignore(inner))),
      )
      assert.deepStrictEqual(yield* listPlaces(sql), ["Lima"])
    }),
  )

  it.effect("serves transactions that begin at once one after the other", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      yield* sql`CREATE TABLE gate (value INTEGER NOT NULL)`
      yield* sql`INSERT INTO gate (value) VALUES (0)`
      const readGate = Effect.map(sql<{ value: number }>`SELECT value FROM gate`, rows => rows[0]?.value ?? -1)
      const addSlowly = sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* readGate
          yield* Effect.yieldNow
          yield* sql`UPDATE gate SET value = ${before + 1}`
        }),
      )
      yield* Effect.all(
        Array.from({ length: 50 }, () => addSlowly),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(yield* readGate, 50)
    }),
  )

  it.effect("distinguishes a duplicate value, a missing table and a locked file", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      yield* sql`INSERT INTO stamps (place) VALUES ('Lima')`
      const doubled = yield* Effect.flip(sql`INSERT INTO stamps (place) VALUES ('Lima')`)
      assert.strictEqual(doubled.reason._tag, "UniqueViolation")
      assert.propertyVal(doubled.reason, "constraint", "stamps.place")
      const missing = yield* Effect.flip(sql`SELECT * FROM visas`)
      assert.strictEqual(missing.message, "the statement could not be prepared")
    }),
  )

  it.effect("waits for another process that is writing, blocks nothing meanwhile, and reports a timeout", () =>
    Effect.gen(function* () {
      const { sql, databasePath } = yield* openClient
      const other = new DatabaseSync(databasePath)
      other.exec("BEGIN IMMEDIATE")
      const inVain = yield* Effect.forkChild(Effect.flip(sql`INSERT INTO stamps (place) VALUES ('Lima')`))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(inVain.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const refused = yield* Fiber.join(inVain)
      assert.strictEqual(refused.reason._tag, "LockTimeoutError")
      assert.isTrue(refused.isRetryable)

      const insert = sql`INSERT INTO stamps (place) VALUES ('Oslo')`
      const patient = yield* Effect.forkChild(sql.withTransaction(insert))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(patient.pollUnsafe())
      other.exec("COMMIT")
      other.close()
      yield* TestClock.adjust("10 millis")
      yield* Fiber.join(patient)
      assert.deepStrictEqual(yield* listPlaces(sql), ["Oslo"])
    }),
  )

  it.effect("answers rows, arrays, counts of changes, big integers and streams", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      const inserted = yield* sql`INSERT INTO stamps (id, place) VALUES (${9_007_199_254_740_993n}, 'Lima')`.raw
      assert.propertyVal(inserted, "changes", 1)
      const select = sql`SELECT id, place FROM stamps`
      const rows = yield* Effect.provideService(select, SqlClient.SafeIntegers, true)
      assert.strictEqual((rows[0] as { id: unknown }).id, 9_007_199_254_740_993n)
      assert.deepStrictEqual(yield* sql`SELECT place, ${true} FROM stamps`.values, [["Lima", 1]])
      const streamed = yield* Stream.runCollect(sql<{ place: string }>`SELECT place FROM stamps`.stream)
      assert.deepStrictEqual(
        streamed.map(row => row.place),
        ["Lima"],
      )
    }),
  )

  it.effect("keeps a limited number of prepared statements", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      for (let i = 0; i < 600; i++) {
        const rows = yield* sql.unsafe<{ value: number }>(`SELECT ${i} AS value`)
        assert.strictEqual(rows[0]?.value, i)
      }
    }),
  )
})
