import { connect, createServer, type Server, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Logger, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Meter } from "../../adapters/quota/meter.ts"
import { LARGEST_BLOCK } from "../../adapters/quota/request-blocks.ts"
import { layerStorage, migrateDatabase } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { eventually, LONG_MS } from "../eventually.ts"
import { callerWith } from "../quota/callers.ts"
import { build, startProcess } from "./deployment.ts"
import { NEWER_STEPS } from "./newer-steps.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"
import { startPostgres } from "./postgres-server.ts"
import { waitForPostgres } from "./postgres-setup.ts"

const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

const ana = (at: number) => ({ name: "Ana", email: `ana${at}@example.org`, plan: "pro", isConfirmed: true }) as const

/** What was found out about a server is good for a second, and a broken connection is noticed when it is used. */
const again = { schedule: Schedule.spaced("100 millis"), times: LONG_MS / 100 }

/** Something between the service and its server that can stop to pass anything on. */
const startProxy = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const state = { isSilent: false }
      const server: Server = createServer(client => {
        const upstream = connect({ port, host: "127.0.0.1" })
        for (const [from, to] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(from)
          from.on("data", bytes => {
            if (!state.isSilent) to.write(bytes)
          })
          from.on("error", () => undefined)
          from.on("close", () => to.destroy())
        }
      })
      await new Promise<void>(resolve => server.listen(0, "127.0.0.1", () => resolve()))
      return { server, sockets, state, port: (server.address() as { port: number }).port }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }),
  )

describe("a start", () => {
  const refusal = (url: string) => Effect.flip(build(layerStorage(url)))
  const shared = Effect.promise(() => waitForPostgres(inject("postgres")))

  it.live("reports in one sentence that no server listens, without the password", () =>
    Effect.gen(function* () {
      const error = yield* refusal("postgres://lucia:hunter2@127.0.0.1:1/visas")
      assert.strictEqual(error._tag, "DatabaseNotOpened")
      assert.strictEqual(
        error.message,
        "the database (PostgreSQL at 127.0.0.1:1, database visas) cannot be used: connect ECONNREFUSED 127.0.0.1:1",
      )
    }),
  )

  it.live("reports a wrong password or an unknown database, without the password", () =>
    Effect.gen(function* () {
      const wrong = new URL(yield* shared)
      wrong.password = "hunter2"
      const refused = yield* refusal(wrong.href)
      assert.match(
        refused.message,
        /^the database \(PostgreSQL at .*\) cannot be used: password authentication failed for user "/,
      )
      assert.notInclude(refused.message, "hunter2")
      const missing = new URL(yield* shared)
      missing.pathname = "/nowhere"
      const error = yield* refusal(missing.href)
      assert.match(error.message, /cannot be used: database "nowhere" does not exist$/)
      assert.notInclude(error.message, missing.password)
    }),
  )

  it.live("reports a read-only database, new or in use", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const readOnly = new URL(databaseUrl)
      const options = readOnly.searchParams.get("options")
      readOnly.searchParams.set("options", `${options} -c default_transaction_read_only=on`)
      const fresh = yield* refusal(readOnly.href)
      assert.match(fresh.message, /^the database \(PostgreSQL at .*\) cannot be used: it is read-only$/)
      yield* Effect.scoped(build(layerStorage(databaseUrl)))
      assert.deepStrictEqual(yield* refusal(readOnly.href), fresh)
    }),
  )

  it.live("needs a configured secret, because several machines need the same one", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const error = yield* Effect.flip(startProcess({ databaseUrl }))
      assert.strictEqual(error._tag, "SecretRefused")
      assert.match(error.message, /^LANDFALL_SECRET is not set: a secret is made by itself only beside a database file/)
    }),
  )
})

describe("a server that does not answer", () => {
  it.live("delays no cached account, and unknown ones get an error", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const proxy = yield* startProxy(Number(new URL(databaseUrl).port))
      const url = new URL(databaseUrl)
      url.port = String(proxy.port)
      const services = yield* startProcess({ databaseUrl: url.href, secret })
      const [accounts, meter, storage] = [
        Context.get(services, Accounts),
        Context.get(services, Meter),
        Context.get(services, Storage),
      ]
      const { key } = yield* accounts.createAccount(ana(1))
      const stranger = yield* accounts.createAccount(ana(2))
      yield* accounts.findCaller(key)
      const caller = callerWith({ requests: 10_000 })
      const answer = yield* meter.reserveLoaded(caller, { charge: 1 })
      if (answer.ok) answer.commit()
      proxy.state.isSilent = true
      assert.isTrue(meter.reserve(caller, { charge: 1 }, Date.now())?.ok)
      assert.isNotNull(accounts.peekCaller(key, Date.now()) ?? null)
      const failures = yield* Effect.all(
        [
          Effect.flip(accounts.findCaller(stranger.key)),
          Effect.flip(meter.reserveLoaded(callerWith({ accountId: 2 }), { charge: 1 })),
        ],
        { concurrency: "unbounded" },
      )
      failures.push(yield* Effect.flip(storage.liveness))
      for (const { _tag, reason } of failures) assert.deepStrictEqual([_tag, reason], ["Unavailable", "busy"])
      proxy.state.isSilent = false
      for (const socket of proxy.sockets) socket.destroy()
      yield* Effect.retry(storage.liveness, again)
      assert.isNotNull(yield* Effect.retry(accounts.findCaller(stranger.key), again))
      yield* Effect.retry(meter.flush, again)
    }),
  )
})

describe("a connection that breaks within a transaction", () => {
  it.live("is an outage, which can be retried, and no internal error, though the rollback fails too", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const proxy = yield* startProxy(Number(new URL(databaseUrl).port))
      const url = new URL(databaseUrl)
      url.port = String(proxy.port)
      const storage = Context.get(yield* startProcess({ databaseUrl: url.href, secret }), Storage)
      const row = { account_id: 7, day: "2026-11-23", method: "GET", route: "/visa", status: 200, requests: 1 }
      const cut = Effect.sync(() => {
        for (const socket of proxy.sockets) socket.destroy()
      })
      const error = yield* Effect.flip(storage.transact(Effect.andThen(cut, storage.requestDays.add([row]))))
      assert.deepStrictEqual([error._tag, error.reason], ["Unavailable", "unreachable"])
    }),
  )
})

describe("a server that is restarted under load", () => {
  it.live(
    "loses no acknowledged account, counts every request and at most a few lost blocks, and gets new connections",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.promise(() => startPostgres()),
          ({ stop }) => Effect.promise(stop),
        )
        const lines: string[] = []
        const isTold = () => lines.some(line => /could not be saved|cannot be read/.test(line))
        const place = { databaseUrl: server.urlOf("postgres"), secret }
        const services = yield* startProcess(place).pipe(
          Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])),
        )
        const [accounts, meter, storage] = [
          Context.get(services, Accounts),
          Context.get(services, Meter),
          Context.get(services, Storage),
        ]
        const caller = callerWith({ requests: 1_000_000 })
        yield* meter.loadQuota(caller)
        let isOver = false
        const keys: string[] = []
        let served = 0
        let refused = 0
        const makeAccounts = Effect.gen(function* () {
          for (let at = 0; !isOver; at++) {
            const exit = yield* Effect.exit(accounts.createAccount(ana(at)))
            if (Exit.isSuccess(exit)) keys.push(exit.value.key)
            else refused++
          }
        })
        const serve = Effect.gen(function* () {
          while (!isOver) {
            // What is held may run out while the server is away; then a request is refused, and counted nowhere.
            const exit = yield* Effect.exit(meter.reserveLoaded(caller, { charge: 1 }))
            if (Exit.isSuccess(exit) && exit.value.ok) {
              exit.value.commit()
              served++
            }
            yield* Effect.sleep(1)
            if (served % 50 === 0) yield* Effect.ignore(meter.flush)
          }
        })
        const restart = Effect.gen(function* () {
          while (keys.length < 20) yield* Effect.sleep(20)
          yield* Effect.promise(server.pause)
          const reason = Effect.match(storage.liveness, { onSuccess: () => "", onFailure: failure => failure.reason })
          assert.strictEqual(yield* eventually(reason, found => found === "unreachable"), "unreachable")
          // It stays away until somebody was refused, and until the log tells of it: what is saved, is saved every second.
          yield* eventually(Effect.sync(isTold), told => told && refused > 0)
          yield* Effect.promise(server.resume)
          const before = keys.length
          while (keys.length < before + 20) yield* Effect.sleep(20)
          isOver = true
        })
        yield* Effect.all([makeAccounts, serve, restart], { concurrency: "unbounded" })
        // A connection that has not been used since says only now that its other end is gone; what it should have saved is saved with the next.
        yield* Effect.retry(meter.flush, again)
        yield* Effect.retry(storage.liveness, again)

        assert.isAbove(refused, 0)
        assert.strictEqual(new Set(keys).size, keys.length)
        yield* Effect.gen(function* () {
          const fresh = Context.get(yield* Effect.retry(startProcess(place), again), Accounts)
          for (const key of keys) assert.isNotNull(yield* Effect.retry(fresh.findCaller(key), again))
          const counted = Context.get(yield* Effect.retry(startProcess(place), again), Meter)
          const { limit, remaining } = yield* Effect.retry(counted.loadQuota(caller), again)
          assert.isAtLeast(limit - remaining, served)
          // A connection that breaks in the middle of a statement may have taken a block, or given one back, that nobody heard of.
          assert.isAtMost(limit - remaining, served + 2 * LARGEST_BLOCK)
        })
        assert.notMatch(lines.join("\n"), /svc_visa_|@example/)
        assert.isTrue(isTold())
      }),
  )
})

describe("a step of the tables", () => {
  it.live("that waits for a statement of a node keeps no other statement waiting until it fails", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const services = yield* build(layerStorage(databaseUrl))
      const [sql, storage] = [Context.get(services, SqlClient.SqlClient), Context.get(services, Storage)]
      const isHeld = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      const reader = Effect.gen(function* () {
        yield* sql`SELECT COUNT(*) FROM accounts`
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(mayEnd)
      })
      const holding = yield* Effect.forkChild(sql.withTransaction(reader))
      yield* Deferred.await(isHeld)
      const newer = Effect.provideService(migrateDatabase(databaseUrl, { isCheck: false }), KnownSteps, NEWER_STEPS)
      const migrating = yield* Effect.forkChild(newer)
      const isWaiting = sql<{
        waiting: number
      }>`SELECT COUNT(*) AS waiting FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE c.relname = 'accounts' AND NOT l.granted AND c.relnamespace = CAST(current_schema() AS regnamespace)`
      yield* eventually(isWaiting, ([row]) => Number(row?.waiting) > 0)
      // Behind the step, and answered when it has given way.
      assert.strictEqual(yield* storage.accounts.count({}), 0)
      assert.isUndefined(migrating.pollUnsafe())
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(holding)
      assert.deepInclude(yield* Fiber.join(migrating), { applied: ["add_note", "remove_old"], state: "current" })
    }).pipe(Effect.scoped),
  )
})
