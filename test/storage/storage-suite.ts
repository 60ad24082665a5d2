/**
 * What every engine has to do: one suite, run over a file and over PostgreSQL. Times are the machine's own, because a server keeps its own
 * time; whatever depends on the hour of the day is judged elsewhere.
 */
import { existsSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { layerStorage, migrateDatabase, type Opener } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { KnownSteps, STEPS, type Step } from "../../adapters/storage/tables.ts"
import { makeAccount } from "./account-row.ts"
import { describeAccounts } from "./accounts-suite.ts"
import { build, type DatabasePlace } from "./deployment.ts"
import { NEWER_STEPS } from "./newer-steps.ts"
import { describeWork } from "./work-suite.ts"

const countOf = (subject: string) => ({ subject, pool: "visa", day: "2026-11-15", since: "2026-11-01" })

/** A new database of an engine. */
export type MakePlace = Effect.Effect<DatabasePlace, never, Scope.Scope>

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeStorage(makePlace: MakePlace, isWhole = true): void {
  const open = Effect.gen(function* () {
    const place = yield* makePlace
    const services = yield* build(layerStorage(place.databaseUrl))
    const storage = Context.get(services, Storage)
    const sql = Context.get(services, SqlClient.SqlClient)
    return { place, storage, sql }
  })
  const account = (id: number, email: string) => makeAccount(id, { email, plan: "free" })

  describe("the tables", () => {
    it.live("are made once, by any number of processes that start at once", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.scoped(build(layerStorage(place.databaseUrl)))),
          { concurrency: "unbounded" },
        )
        const services = yield* build(layerStorage(place.databaseUrl))
        const sql = Context.get(services, SqlClient.SqlClient)
        const rows = yield* sql<{ name: string }>`SELECT name FROM steps ORDER BY number`
        assert.deepStrictEqual(
          rows.map(row => row.name),
          STEPS.map(({ name }) => name),
        )
      }),
    )

    const refusal = (databaseUrl: string, opener: Opener, known: readonly Step[] = STEPS) =>
      Effect.map(
        Effect.flip(Effect.provideService(build(layerStorage(databaseUrl, opener)), KnownSteps, known)),
        error => {
          assert.strictEqual(error._tag, "OtherVersion")
          return error.message.replace(/^the database \(.*\) cannot be used: /, "")
        },
      )

    it.live("are made by a service or by migrate only", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        // An empty file; one that is missing is not made.
        if (place.databasePath !== undefined) {
          const missing = yield* Effect.flip(build(layerStorage(place.databaseUrl, "worker")))
          assert.match(missing.message, /^there is no database file .*, and landfall migrate makes one$/)
          assert.isFalse(existsSync(place.databasePath))
          writeFileSync(place.databasePath, "")
        }
        for (const opener of ["worker", "command"] as const) {
          assert.strictEqual(
            yield* refusal(place.databaseUrl, opener),
            "it has no tables: run landfall migrate, or start landfall serve",
          )
        }
        const made = yield* migrateDatabase(place.databaseUrl, { isCheck: false })
        assert.deepInclude(made, { applied: ["tables"], next: undefined, state: "current" })
        for (const opener of ["service", "worker", "command"] as const) {
          yield* Effect.scoped(build(layerStorage(place.databaseUrl, opener)))
        }
      }),
    )

    it.live("of an older version are changed by migrate only, and those of a newer one serve older nodes", () =>
      Effect.gen(function* () {
        const { databaseUrl } = yield* makePlace
        const older = Context.get(yield* build(layerStorage(databaseUrl)), Storage)
        const behind =
          'it is older than this version of landfall (its tables are at step 1, "tables"; this version needs step 2, "add_note"): run landfall migrate'
        for (const opener of ["service", "worker", "command"] as const) {
          assert.strictEqual(yield* refusal(databaseUrl, opener, NEWER_STEPS), behind)
        }
        const migrate = (isCheck: boolean) =>
          Effect.provideService(migrateDatabase(databaseUrl, { isCheck }), KnownSteps, NEWER_STEPS)
        const check = yield* migrate(true)
        assert.deepStrictEqual([check.applied, check.next?.number, check.state], [[], 2, "behind"])
        // The older node is alive, so what it uses is not removed.
        const aliveUntil = (yield* older.readTime) + 60_000
        const node = { id: "older", installation_id: 0, refused_id: null, refused_because: null }
        yield* older.nodes.note({ ...node, alive_until: aliveUntil })
        const expanded = yield* migrate(false)
        assert.deepStrictEqual([expanded.applied, expanded.next?.number, expanded.state], [["add_note"], 3, "current"])
        assert.deepStrictEqual(
          expanded.next?.older.map(({ id }) => id),
          ["older"],
        )
        yield* older.liveness
        // The steps that were applied are those of its last look, which may be a second old.
        assert.strictEqual(older.readState().steps.known, 1)
        yield* Effect.scoped(build(layerStorage(databaseUrl, "worker")))
        assert.strictEqual(
          yield* refusal(databaseUrl, "command"),
          'it is newer than this version of landfall (its tables are at step 2, "add_note"; this version knows 1): use the newer version',
        )
        // It has ended.
        yield* older.nodes.remove({ id: "older" })
        const contracted = yield* migrate(false)
        assert.deepStrictEqual(
          [contracted.applied, contracted.next, contracted.state],
          [["remove_old"], undefined, "current"],
        )
        for (const opener of ["service", "worker", "command"] as const) {
          assert.strictEqual(
            yield* refusal(databaseUrl, opener),
            "it is newer than this version of landfall (its tables need step 2; this version knows 1): use the newer version, or restore a backup from before it",
          )
        }
        // One that was not seen, because it was suspended, has no fault: its database needs a newer version.
        const gone = yield* Effect.flip(older.affiliates.addClick("a", "2026-11"))
        assert.deepInclude(gone, { _tag: "Unavailable", reason: "outdated" })
        const inside = yield* Effect.flip(older.transact(older.affiliates.addClick("a", "2026-11")))
        assert.deepInclude(inside, { _tag: "Unavailable", reason: "outdated" })
      }),
    )
  })

  describeWork(open)

  describe("a transaction", () => {
    it.live("is undone when it fails, dies or is interrupted, and an inner one alone", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        const { deployment, transact } = storage
        const keep = (name: string) => deployment.keepValue(name, "1")
        for (const end of [Effect.fail("refused"), Effect.die("broken"), Effect.interrupt]) {
          yield* Effect.exit(transact(Effect.andThen(keep("a"), end)))
        }
        assert.isUndefined(yield* deployment.findValue("a"))
        yield* transact(
          Effect.andThen(keep("outer"), Effect.ignore(transact(Effect.andThen(keep("inner"), Effect.fail("no"))))),
        )
        assert.strictEqual(yield* deployment.findValue("outer"), "1")
        assert.isUndefined(yield* deployment.findValue("inner"))
      }),
    )

    it.live("reads its own writes, and no other connection does before it is committed", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        const { deployment, transact } = storage
        const outside = yield* Effect.context<never>()
        yield* transact(
          Effect.gen(function* () {
            yield* deployment.keepValue("a", "1")
            assert.strictEqual(yield* deployment.findValue("a"), "1")
            const seen = yield* Effect.promise(() => Effect.runPromiseWith(outside)(deployment.findValue("a")))
            assert.isUndefined(seen)
          }),
        )
        assert.strictEqual(yield* deployment.findValue("a"), "1")
      }),
    )

    it.live("that conflicts with another process is retried, so that both are done", () =>
      Effect.gen(function* () {
        const { place, storage } = yield* open
        const other = Context.get(yield* build(layerStorage(place.databaseUrl)), Storage)
        const addTo = ({ pools, transact }: Storage["Service"], subjects: readonly string[]) =>
          transact(
            Effect.forEach(subjects, subject => Effect.andThen(pools.take(countOf(subject), 1, 100), Effect.yieldNow)),
          )
        const both = Array.from({ length: 3 }, () => [addTo(storage, ["1", "2"]), addTo(other, ["2", "1"])]).flat()
        yield* Effect.all(both, { concurrency: "unbounded" })
        const totals = yield* Effect.forEach(["1", "2"], subject => storage.pools.readUsed(countOf(subject)))
        assert.deepStrictEqual(
          totals.map(({ used }) => used),
          [6, 6],
        )
      }),
    )
  })

  describe("an error", () => {
    it.live("is a conflict for a duplicate value, and an internal error for a missing table", () =>
      Effect.gen(function* () {
        const { storage, sql } = yield* open
        yield* storage.accounts.insertUnique(account(1, "ana@example.org"))
        const taken = yield* Effect.flip(storage.accounts.insertUnique(account(2, "ana@example.org")))
        assert.strictEqual(taken._tag, "Conflict")
        yield* sql`DROP TABLE items_seen`
        const exit = yield* Effect.exit(storage.sweep(0))
        assert.isTrue(Exit.hasDies(exit))
      }),
    )
  })

  describe("numbers", () => {
    it.live("arrive as numbers, however large, and sums and counts too", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        const used = 9_007_199_254_740_000
        const of = countOf("1")
        assert.deepStrictEqual(yield* storage.pools.take(of, used, used), { used, firstDay: "2026-11-15" })
        assert.isNull(yield* storage.pools.take(of, 1, used))
        assert.deepStrictEqual(yield* storage.pools.readUsed(of), { used, firstDay: "2026-11-15" })
        assert.strictEqual(yield* storage.accounts.count({}), 0)
      }),
    )
  })

  describe("a request that is sent again", () => {
    const request = (fingerprint: string, claim: string, nowMs: number) => ({
      key_id: 1,
      idempotency_key: "one",
      fingerprint,
      claim,
      nowMs,
      claimed_until: nowMs + 60,
      expires_at: nowMs + 1_000,
    })

    it.live("is claimed by one of any number at once", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        const claims = yield* Effect.all(
          Array.from({ length: 20 }, (_, at) => storage.keptRequests.claim(request("a", `claim ${at}`, 0))),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(claims.filter(({ kind }) => kind === "claimed").length, 1)
        assert.strictEqual(claims.filter(({ kind }) => kind === "under_way").length, 19)
      }),
    )

    it.live("has the first answer until it expires, and is distinguished from another request of the same key", () =>
      Effect.gen(function* () {
        const { keptRequests, sweep } = (yield* open).storage
        const name = { key_id: 1, idempotency_key: "one" }
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "first", 0)), { kind: "claimed" })
        assert.deepStrictEqual(yield* keptRequests.claim(request("b", "other", 1)), { kind: "reused" })
        yield* keptRequests.keep(name, "somebody else's", "never seen")
        yield* keptRequests.keep(name, "first", "sealed")
        yield* keptRequests.release(name, "first")
        const answered = { kind: "answered", sealedAnswer: "sealed" } as const
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "again", 999)), answered)
        assert.deepStrictEqual(yield* keptRequests.claim({ ...request("a", "theirs", 999), key_id: 2 }), {
          kind: "claimed",
        })
        assert.deepStrictEqual(yield* keptRequests.claim(request("b", "later", 1_000)), { kind: "claimed" })
        yield* sweep(5_000)
        assert.deepStrictEqual(yield* keptRequests.claim(request("c", "anew", 5_000)), { kind: "claimed" })
      }),
    )

    it.live("is one of a limited number of its account, over all of its keys, of which the newest are kept", () =>
      Effect.gen(function* () {
        const { accounts, keptRequests, keys } = (yield* open).storage
        for (const id of [1, 2]) {
          yield* accounts.insertUnique(account(id, `${id}@example.org`))
          const key = {
            account_id: id,
            kind: "account",
            name: "",
            sealed_key: "",
            is_active: true,
            created_at: "",
            scopes: "visa",
            allowed_addresses: "",
            expires_at: null,
            replaced_at: null,
            last_used_at: null,
            used: 0,
          } as const
          yield* keys.insert({ ...key, id, key_hash: `of ${id}` })
        }
        const keep = (key_id: number, at: number) => {
          const name = { key_id, idempotency_key: `at ${at}` }
          const claimed = keptRequests.claim({ ...request("a", "first", at), ...name })
          return Effect.andThen(claimed, keptRequests.keep(name, "first", "sealed"))
        }
        for (const at of [1, 2, 3, 4, 5]) yield* keep(1, at)
        yield* keep(2, 1)
        yield* keptRequests.trim(1, 3)
        yield* keptRequests.trim(2, 3)
        const ask = (key_id: number, at: number) =>
          Effect.map(
            keptRequests.claim({ ...request("a", "again", 6), key_id, idempotency_key: `at ${at}` }),
            ({ kind }) => kind,
          )
        const kinds = yield* Effect.forEach([1, 2, 3, 4, 5], at => ask(1, at))
        assert.deepStrictEqual(kinds, ["claimed", "claimed", "answered", "answered", "answered"])
        assert.strictEqual(yield* ask(2, 1), "answered")
      }),
    )

    it.live("is taken over from a process that did not finish, and given back by one that could not", () =>
      Effect.gen(function* () {
        const { keptRequests } = (yield* open).storage
        const name = { key_id: 1, idempotency_key: "one" }
        yield* keptRequests.claim(request("a", "killed", 0))
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "second", 59)), { kind: "under_way" })
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "second", 60)), { kind: "claimed" })
        // The first one answers late: its answer is not kept.
        yield* keptRequests.keep(name, "killed", "late")
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "third", 61)), { kind: "under_way" })
        yield* keptRequests.release(name, "second")
        assert.deepStrictEqual(yield* keptRequests.claim(request("a", "third", 61)), { kind: "claimed" })
      }),
    )
  })

  describe("counters", () => {
    it.live("give every number once, to any number of processes at once, and a rolled-back one again", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        const ids = yield* Effect.all(
          Array.from({ length: 20 }, () => storage.accounts.nextAccountId),
          { concurrency: "unbounded" },
        )
        assert.sameMembers(
          ids,
          Array.from({ length: 20 }, (_, at) => at + 1),
        )
        yield* Effect.ignore(storage.transact(Effect.andThen(storage.accounts.nextAccountId, Effect.fail("no"))))
        assert.strictEqual(yield* storage.accounts.nextAccountId, 21)
        assert.strictEqual(yield* storage.accounts.readRevision, 0)
      }),
    )
  })

  describe("liveness", () => {
    it.live("is ready, and its statements are measured", () =>
      Effect.gen(function* () {
        const { storage } = yield* open
        yield* storage.liveness
        yield* storage.transact(storage.accounts.nextAccountId)
        yield* storage.accounts.count({})
        const { latencies, unavailable } = storage.readState()
        assert.strictEqual(unavailable, 0)
        for (const { count, totalSeconds, atMost } of [latencies.statement, latencies.transaction]) {
          assert.isAbove(count, 0)
          assert.isAbove(totalSeconds, 0)
          assert.deepStrictEqual(
            [...atMost].sort((one, other) => one[1] - other[1]),
            atMost,
          )
          assert.isAtMost(atMost.at(-1)![1], count)
        }
      }),
    )
  })

  describeAccounts(makePlace, isWhole)
}
