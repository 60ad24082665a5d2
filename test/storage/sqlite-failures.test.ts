import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { FLUSH_MS, Meter } from "../../adapters/quota/meter.ts"
import { ASK_TIMEOUT_MS } from "../../adapters/quota/request-blocks.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { Unavailable } from "../../adapters/storage/storage-errors.ts"
import { callerWith } from "../quota/callers.ts"
import { build, makeDeployment, makeFolder, startProcess } from "./deployment.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")

const serve = (meter: Meter["Service"], accountId: number) =>
  Effect.map(meter.reserveLoaded(callerWith({ accountId, requests: 10_000 }), { charge: 1 }), answer => {
    if (answer.ok) answer.commit()
    return answer.ok
  })

/** Another process that holds the database's only lock for writing. */
const lock = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const other = new DatabaseSync(path)
      other.exec("BEGIN IMMEDIATE")
      return other
    }),
    other => Effect.sync(() => other.close()),
  )

describe("a file that another process has locked", () => {
  it.effect("is waited for while the tables are made", () =>
    Effect.gen(function* () {
      const { databasePath, databaseUrl } = yield* makeDeployment
      const old = new DatabaseSync(databasePath)
      old.exec("PRAGMA journal_mode = WAL")
      old.close()
      const held = yield* Scope.make()
      yield* Effect.provideService(lock(databasePath), Scope.Scope, held)
      const starting = yield* Effect.forkChild(build(layerStorage(databaseUrl)), { startImmediately: true })
      yield* TestClock.adjust(50_000)
      assert.isUndefined(starting.pollUnsafe())
      yield* Scope.close(held, Exit.void)
      yield* TestClock.adjust(1_000)
      const { accounts } = Context.get(yield* Fiber.join(starting), Storage)
      assert.strictEqual(yield* accounts.count({}), 0)
    }),
  )

  it.effect("delays no cached account, and unknown ones get an error after a second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const services = yield* startProcess(deployment)
      const meter = Context.get(services, Meter)
      const accounts = Context.get(services, Accounts)
      const { key } = yield* accounts.createAccount({
        name: "Ana",
        email: "ana@example.org",
        plan: "pro",
        isConfirmed: true,
      })
      assert.isTrue(yield* serve(meter, 1))
      const other = yield* lock(deployment.databasePath)
      // Idle blocks wait for the lock to go back, and are used meanwhile.
      yield* TestClock.adjust(3 * FLUSH_MS)
      assert.isTrue(meter.reserve(callerWith({ accountId: 1, requests: 10_000 }), { charge: 1 }, NOON)?.ok)
      assert.isNotNull(yield* accounts.findCaller(key))

      const stranger = yield* Effect.forkChild(Effect.flip(serve(meter, 2)))
      // It asks, and begins to wait.
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust(ASK_TIMEOUT_MS - 2)
      assert.isUndefined(stranger.pollUnsafe())
      yield* TestClock.adjust("2 millis")
      const refused = yield* Fiber.join(stranger)
      assert.strictEqual(refused._tag, "Unavailable")
      assert.strictEqual(refused.reason, "busy")
      assert.strictEqual(
        refused.message,
        `the database (${deployment.databasePath}) is locked by another process, or did not answer in time`,
      )
      other.exec("COMMIT")
      yield* TestClock.adjust("6 seconds")
      assert.isTrue(yield* serve(meter, 2))
    }),
  )

  it.effect("does not delay the stop of the service with abandoned questions", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const scope = yield* Scope.make()
      const services = yield* Effect.provideService(startProcess(deployment), Scope.Scope, scope)
      const meter = Context.get(services, Meter)
      yield* lock(deployment.databasePath)
      for (let accountId = 1; accountId <= 20; accountId++) {
        const stranger = yield* Effect.forkChild(Effect.flip(serve(meter, accountId)))
        yield* TestClock.adjust("1 millis")
        yield* TestClock.adjust(ASK_TIMEOUT_MS)
        assert.strictEqual((yield* Fiber.join(stranger)).reason, "busy")
      }
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      // What is under way, and the last counts: five seconds each.
      for (let seconds = 0; seconds < 12; seconds++) yield* TestClock.adjust("1 second")
      assert.isDefined(closing.pollUnsafe())
    }),
  )

  it.effect("is not live until the lock is released", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const storage = Context.get(yield* build(layerStorage(deployment.databaseUrl)), Storage)
      yield* TestClock.adjust("1 second")
      const other = yield* lock(deployment.databasePath)
      const asked = yield* Effect.forkChild(Effect.flip(storage.liveness))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(asked)).reason, "busy")
      other.exec("COMMIT")
      yield* TestClock.adjust("1 second")
      yield* storage.liveness
    }),
  )
})

describe("a file that was deleted under the service", () => {
  it.effect("is not live and is logged, and so is a file that replaced it", () =>
    Effect.gen(function* () {
      const { databasePath, databaseUrl } = yield* makeDeployment
      const storage = Context.get(yield* build(layerStorage(databaseUrl)), Storage)
      rmSync(databasePath)
      // An answer is good for a second.
      yield* storage.liveness
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(storage.liveness)
      assert.strictEqual(error.reason, "missing")
      assert.strictEqual(
        error.message,
        `the database (${databasePath}) was deleted, replaced or truncated while it was in use`,
      )
      writeFileSync(databasePath, "")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(storage.liveness)).reason, "missing")
    }),
  )
})

describe("a write into a file that was deleted", () => {
  it.effect(
    "fails with the reason, by itself, in a transaction, and if the file is deleted during the transaction",
    () =>
      Effect.gen(function* () {
        const { databasePath, ...place } = yield* makeDeployment
        const services = yield* startProcess({ databasePath, ...place })
        const accounts = Context.get(services, Accounts)
        const storage = Context.get(services, Storage)
        const bo = { name: "Bo", email: "bo@example.org" }
        const during = storage.transact(
          Effect.andThen(
            storage.accounts.nextAccountId,
            Effect.sync(() => rmSync(databasePath)),
          ),
        )
        const ways: readonly Effect.Effect<unknown, Unavailable>[] = [
          during,
          accounts.ensureAccount(bo),
          storage.accounts.nextAccountId,
          storage.sessions.remove({ token_hash: "x" }),
        ]
        for (const way of ways) {
          const error = yield* Effect.flip(way)
          assert.strictEqual(error.reason, "missing")
        }
        // Nor does it go on in a file that somebody has put there.
        writeFileSync(databasePath, "")
        assert.strictEqual((yield* Effect.flip(accounts.ensureAccount(bo))).reason, "missing")
      }),
  )
})

describe("a file that was truncated", () => {
  it.effect("accepts no writes, also if it has grown again; one that a VACUUM made smaller does", () =>
    Effect.gen(function* () {
      const { databasePath, ...place } = yield* makeDeployment
      const services = yield* startProcess({ databasePath, ...place })
      const storage = Context.get(services, Storage)
      const sql = Context.get(services, SqlClient.SqlClient)
      yield* sql`CREATE TABLE filler AS SELECT randomblob(1000000) AS bytes`
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
      yield* storage.accounts.nextAccountId
      const { size } = statSync(databasePath)
      yield* sql`DROP TABLE filler`
      yield* sql`VACUUM`
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
      yield* storage.accounts.nextAccountId
      const vacuumed = statSync(databasePath).size
      assert.isBelow(vacuumed, size)
      for (const bytes of [0, vacuumed - 4_096, vacuumed]) {
        truncateSync(databasePath, bytes)
        const error = yield* Effect.flip(storage.accounts.nextAccountId)
        assert.strictEqual(error.reason, "missing")
      }
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(storage.liveness)).reason, "missing")
    }),
  )

  it.effect("by some bytes is not opened again", () =>
    Effect.gen(function* () {
      const { databasePath, databaseUrl } = yield* makeDeployment
      const start = Effect.scoped(build(layerStorage(databaseUrl)))
      yield* start
      const { size } = statSync(databasePath)
      truncateSync(databasePath, size - 1)
      const { message } = yield* Effect.flip(start)
      assert.include(message, `it was truncated, and has ${size - 1} of ${size} bytes: restore a backup`)
    }),
  )

  it.effect("is one whose log was deleted, because the log has the last writes", () =>
    Effect.gen(function* () {
      const { databasePath, ...place } = yield* makeDeployment
      const storage = Context.get(yield* startProcess({ databasePath, ...place }), Storage)
      yield* storage.accounts.nextAccountId
      rmSync(`${databasePath}-wal`)
      assert.strictEqual((yield* Effect.flip(storage.accounts.nextAccountId)).reason, "missing")
    }),
  )
})

describe("a disk that is full", () => {
  it.effect("is not live, serves what is held, and counts again when there is space", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const services = yield* startProcess(yield* makeDeployment)
      const meter = Context.get(services, Meter)
      const storage = Context.get(services, Storage)
      const sql = Context.get(services, SqlClient.SqlClient)
      const caller = callerWith({ requests: 10_000, cap: 60 })
      assert.isTrue(yield* serve(meter, 1))
      const [pages] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${pages!.page_count}`)
      assert.isTrue(meter.reserve(callerWith({ requests: 10_000 }), { charge: 1 }, NOON)?.ok)
      // New rows need pages, sooner or later.
      const fill = Effect.gen(function* () {
        for (let at = 0; at < 60; at++) {
          const destinations = Array.from({ length: 60 }, (_, item) => `${at} ${item} ${"long".repeat(20)}`)
          yield* meter.reserveLoaded({ ...caller, accountId: at + 10 }, { charge: 1, passport: "FRA", destinations })
        }
      })
      const error = yield* Effect.flip(fill)
      assert.strictEqual(error.reason, "full")
      assert.include(error.message, "cannot grow: the disk is full: database or disk is full")
      yield* TestClock.adjust("1 second")
      yield* sql`UPDATE deployment SET value = '' WHERE name = 'liveness'`
      yield* sql.unsafe("PRAGMA max_page_count = 1073741823")
      yield* fill
      yield* meter.flush
      // Two requests of the account were reserved before; nothing of the rest is held any more.
      assert.strictEqual((yield* meter.loadQuota(callerWith({ requests: 10_000 }))).remaining, 9_998)
      yield* storage.liveness
    }),
  )
})

describe("a start", () => {
  const refusal = (url: string) => Effect.flip(build(layerStorage(url)))

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
        assert.notInclude(error.message, "\n")
      }
    }),
  )

  it.effect("on a read-only database is refused with one sentence", () =>
    Effect.gen(function* () {
      const { databasePath, databaseUrl } = yield* makeDeployment
      yield* Effect.scoped(build(layerStorage(databaseUrl)))
      // https://www.sqlite.org/fileformat.html, 1.3.3: a write version above 2 makes a database read-only.
      const file = openSync(databasePath, "r+")
      writeSync(file, Uint8Array.of(3), 0, 1, 18)
      closeSync(file)
      assert.strictEqual(readFileSync(databasePath)[18], 3)
      const error = yield* refusal(databaseUrl)
      assert.strictEqual(error._tag, "DatabaseNotOpened")
      assert.strictEqual(
        error.message,
        `the database (${databasePath}) is read-only: attempt to write a readonly database`,
      )
    }),
  )

  it.effect("on a database that another process keeps locked is refused after five seconds", () =>
    Effect.gen(function* () {
      const { databasePath, databaseUrl } = yield* makeDeployment
      yield* Effect.scoped(build(layerStorage(databaseUrl)))
      yield* lock(databasePath)
      const starting = yield* Effect.forkChild(refusal(databaseUrl))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(starting.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(starting)
      assert.strictEqual(
        error.message,
        `the database (${databasePath}) is locked by another process, or did not answer in time: database is locked`,
      )
    }),
  )
})
