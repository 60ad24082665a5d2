import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { bumpCounter, readCounter } from "../../adapters/storage/counter.ts"
import { layerStorage, MIGRATIONS, migrate } from "../../adapters/storage/migrations.ts"
import { layerSqliteClient } from "../../adapters/storage/sqlite-client.ts"
import { build, makeDeployment, makeFolder } from "./deployment.ts"

const openClient = Effect.gen(function* () {
  const { databasePath } = yield* makeDeployment
  const services = yield* build(layerSqliteClient(databasePath))
  const sql = yield* Effect.provideContext(SqlClient.SqlClient, services)
  yield* sql`CREATE TABLE stamps (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE)`
  return { sql, databasePath }
})

const listPlaces = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ place: string }>`SELECT place FROM stamps ORDER BY id`, rows => rows.map(row => row.place))

describe("layerSqliteClient", () => {
  it.effect("keeps what was committed in a file that its owner alone can read", () =>
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

  it.effect("commits durably: what was committed survives a power cut", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      const [row] = yield* sql<{ synchronous: number }>`PRAGMA synchronous`
      assert.strictEqual(row?.synchronous, 2)
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
      yield* sql`CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)`
      const addSlowly = sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* readCounter("gate")
          yield* Effect.yieldNow
          assert.strictEqual(yield* bumpCounter("gate"), before + 1)
        }),
      )
      yield* Effect.all(
        Array.from({ length: 50 }, () => addSlowly),
        { concurrency: "unbounded" },
      ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      assert.strictEqual(yield* Effect.provideService(readCounter("gate"), SqlClient.SqlClient, sql), 50)
    }),
  )

  it.effect("tells a doubled value, a missing table and a locked file apart", () =>
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

  it.effect(
    "waits for another process that is writing, holds up nothing meanwhile, and says so when it waits in vain",
    () =>
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

  it.effect("forgets prepared statements rather than keep thousands", () =>
    Effect.gen(function* () {
      const { sql } = yield* openClient
      for (let i = 0; i < 600; i++) {
        const rows = yield* sql.unsafe<{ value: number }>(`SELECT ${i} AS value`)
        assert.strictEqual(rows[0]?.value, i)
      }
    }),
  )
})

describe("layerStorage", () => {
  const refusal = (url: string) => Effect.flip(build(layerStorage(url)))

  it.effect.each([
    [
      "postgres://lucia:hunter2@db/landfall",
      'database URL: the scheme "postgres:" is not supported; expected file:PATH, for example file:./landfall.db',
    ],
    ["landfall.db", "database URL: there is no scheme; expected file:PATH, for example file:./landfall.db"],
    ["file:", "database URL: no file is named; expected file:PATH, for example file:./landfall.db"],
    ["file:data/", "database URL: no file is named; expected file:PATH, for example file:./landfall.db"],
    [
      "file:a.db?mode=ro",
      'database URL: "?", "#" and NUL may not stand in it; expected file:PATH, for example file:./landfall.db',
    ],
    [
      "file://elsewhere/a.db",
      "database URL: the path cannot be read; expected file:PATH, for example file:./landfall.db",
    ],
  ] as const)("refuses %s with what it expects, and repeats no password", ([url, message]) =>
    Effect.gen(function* () {
      const error = yield* refusal(url)
      assert.strictEqual(error._tag, "DatabaseUrlRefused")
      assert.strictEqual(error.message, message)
    }),
  )

  it.effect("names the file that cannot be opened and why", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      writeFileSync(join(folder, "notes.txt"), "no database, but text that is long enough to be one".repeat(30))
      const reasons = {
        "/proc/landfall.db": /ENOENT|EACCES/,
        [join(folder, "missing/landfall.db")]: /ENOENT: no such file or directory/,
        [folder]: /EISDIR/,
        [join(folder, "notes.txt")]: /file is not a database/,
      }
      for (const [path, reason] of Object.entries(reasons)) {
        const error = yield* refusal(`file:${path}`)
        assert.strictEqual(error._tag, "DatabaseNotOpened")
        assert.include(error.message, path)
        assert.match(error.message, reason)
      }
    }),
  )

  it.effect("reads absolute file URLs too", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      yield* build(layerStorage(`file://${folder}/a%20b.db`))
      assert.isTrue(statSync(join(folder, "a b.db")).isFile())
    }),
  )

  it.effect("runs every migration once, whoever starts it and how often", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const services = yield* build(layerStorage(databaseUrl))
      yield* build(layerStorage(databaseUrl))
      assert.deepStrictEqual(yield* Effect.provideContext(migrate, services), [])
      const sql = yield* Effect.provideContext(SqlClient.SqlClient, services)
      const rows = yield* sql<{ name: string }>`SELECT name FROM migrations ORDER BY migration_id`
      assert.deepStrictEqual(
        rows.map(row => row.name),
        Object.keys(MIGRATIONS).map(name => name.slice(5)),
      )
    }),
  )
})

describe("bumpCounter", () => {
  it.effect("counts from 1, each name for itself, and is undone with its transaction", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const services = yield* build(layerStorage(databaseUrl))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual([yield* bumpCounter("a"), yield* bumpCounter("a"), yield* bumpCounter("b")], [1, 2, 1])
        yield* Effect.ignore(sql.withTransaction(Effect.andThen(bumpCounter("a"), Effect.fail("no"))))
        assert.strictEqual(yield* readCounter("a"), 2)
        assert.strictEqual(yield* readCounter("never"), 0)
      }).pipe(Effect.provideContext(services))
    }),
  )
})
