import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterEach, assert, describe, it, vi } from "vitest"
import { welcome } from "../../adapters/cli/service-commands.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { runCli } from "../cli/run.ts"
import { LONG_MS } from "../eventually.ts"
import { build } from "../storage/deployment.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { runStatements } from "../storage/run-statements.ts"
import { makeFolder, type send, startTestService } from "./service.ts"

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

const makeEnv = async () => {
  const { databaseUrl, secret } = await Effect.runPromise(makePostgresDeployment)
  return { LANDFALL_DATABASE_URL: databaseUrl, LANDFALL_SECRET: Redacted.value(secret) }
}

/** The days of which the visa service has counted requests. */
const readDays = (databaseUrl: string) =>
  Effect.gen(function* () {
    const sql = Context.get(yield* build(layerStorage(databaseUrl)), SqlClient.SqlClient)
    const rows = yield* sql<{ day: string }>`SELECT DISTINCT day FROM pool_counts WHERE pool = 'visa'`
    return rows.map(({ day }) => day)
  }).pipe(Effect.scoped)

const left = ({ headers }: Awaited<ReturnType<typeof send>>) => Number(headers["x-ratelimit-remaining"])

afterEach(() => {
  vi.restoreAllMocks()
})

describe("the service on PostgreSQL", () => {
  it("works as with SQLite: demo keys, quotas after a restart, commands at the same time, and two processes that share them", async () => {
    const env = await makeEnv()
    const first = await startTestService({ env })
    const { pro } = first.keys
    const greeting = welcome(first.service)
    assert.match(greeting, /database PostgreSQL at 127\.0\.0\.1:\d+, database landfall_/)
    assert.notInclude(greeting, new URL(env.LANDFALL_DATABASE_URL).password)
    assert.strictEqual((await first.ask("/readyz")).status, 200)
    const before = await first.askAs("pro", PAIR)
    assert.strictEqual(before.status, 200)

    const made = await runCli(
      ["account", "create", "--name", "Ana", "--email", "ana@example.org", "--plan", "starter", "--json"],
      { env },
    )
    const { api_key: key } = JSON.parse(made.stdout) as { api_key: string }
    assert.strictEqual((await first.ask(PAIR, { headers: { "x-api-key": key } })).headers["x-plan"], "starter")
    assert.include((await first.ask("/metrics")).text, 'database="postgres"')

    const second = await startTestService({ env })
    assert.deepStrictEqual(second.service.demoAccounts, [])
    assert.strictEqual((await second.ask(PAIR, { headers: { "x-api-key": pro } })).status, 200)
    await Promise.all([first.stop(), second.stop()])
    const third = await startTestService({ env })
    assert.strictEqual(left(await third.ask(PAIR, { headers: { "x-api-key": pro } })), left(before) - 2)
    await third.stop()
  })

  it("counts for the server's day on a machine whose clock is forty days ahead, which is not ready and says so", async () => {
    const lines = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const env = { ...(await makeEnv()), LANDFALL_LOG_LEVEL: "warn" }
    const running = await startTestService({ env, aheadMs: 40 * 86_400_000 })
    const ready = await running.ask("/readyz")
    assert.deepStrictEqual([ready.status, ready.read("reason")], [503, "clock"])
    assert.match(lines.mock.calls.join(), /the clock of this machine is 34\d{5}\.\d s ahead of the database's/)
    assert.strictEqual((await running.askAs("pro", PAIR)).status, 200)
    await running.stop()
    const days = await Effect.runPromise(readDays(env.LANDFALL_DATABASE_URL))
    assert.deepStrictEqual(days, [new Date().toISOString().slice(0, 10)])
  })

  it("answers 503 for unknown accounts while the server refuses connections, and answers again afterwards", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const env = await makeEnv()
    await using running = await startTestService({ env })
    assert.strictEqual((await running.askAs("pro", PAIR)).status, 200)
    const name = new URL(env.LANDFALL_DATABASE_URL).pathname.slice(1)
    const admin = new URL(env.LANDFALL_DATABASE_URL)
    admin.pathname = "/postgres"
    admin.search = ""
    const allow = (allows: boolean) =>
      Effect.runPromise(
        runStatements(admin.href, [
          `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${allows}`,
          ...(allows ? [] : [`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`]),
        ]),
      )
    await allow(false)
    try {
      // On connections that were there before, and on new ones.
      for (const plan of ["free", "hobby", "starter", "business"] as const) {
        const [known, stranger] = await Promise.all([running.askAs("pro", PAIR), running.askAs(plan, PAIR)])
        assert.strictEqual(known.status, 200)
        assert.strictEqual(stranger.status, 503, stranger.text)
        assert.strictEqual(stranger.headers["retry-after"], "1")
        assert.match(String(stranger.read("error")), /^The service cannot answer this now: the database /)
      }
    } finally {
      await allow(true)
    }
    await vi.waitFor(async () => assert.strictEqual((await running.askAs("free", PAIR)).status, 200), LONG_MS)
  })
})

describe("landfall serve on a database that it cannot use", () => {
  it("exits with 1 and a sentence without the password if no server listens", async () => {
    const env = {
      LANDFALL_DATABASE_URL: "postgres://lucia:hunter2@127.0.0.1:1/visas",
      LANDFALL_SECRET: Buffer.alloc(32, 7).toString("base64"),
      LANDFALL_PORT: "0",
    }
    const { status, stdout, stderr } = await runCli(["serve"], { env })
    assert.deepStrictEqual([status, stdout], [1, ""])
    assert.include(
      stderr,
      "the database (PostgreSQL at 127.0.0.1:1, database visas) cannot be used: connect ECONNREFUSED 127.0.0.1:1",
    )
    assert.notInclude(stderr, "hunter2")
  })

  it("exits with 4, names the step and changes nothing if a newer version wrote the file", async () => {
    const folder = makeFolder()
    const running = await startTestService({ folder })
    await running.stop()
    const path = join(folder, "landfall.db")
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO steps VALUES (9999, 'far_ahead', 9999, '')")
    database.close()
    const { status, stderr } = await runCli(["serve"], {
      env: { LANDFALL_DATABASE_URL: `file:${path}`, LANDFALL_PORT: "0" },
    })
    assert.strictEqual(status, 4)
    assert.include(stderr, "is newer than this version of landfall (its tables need step 9999; this version knows 1)")
  })

  it("exits with 1 for an invalid secret, without repeating it", async () => {
    const env = {
      LANDFALL_DATABASE_URL: `file:${join(makeFolder(), "landfall.db")}`,
      LANDFALL_SECRET: "hunter2",
      LANDFALL_PORT: "0",
    }
    const { status, stderr } = await runCli(["serve"], { env })
    assert.strictEqual(status, 1)
    assert.include(stderr, "LANDFALL_SECRET")
    assert.include(stderr, "32 random bytes in base64")
    assert.notInclude(stderr, "hunter2")
  })
})
