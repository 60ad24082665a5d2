/**
 * An upgrade as docs/upgrading.md describes it, under load: nodes of an older and a newer version on one database, replaced one by one,
 * back and forth again. The newer version knows one step that adds and one that removes.
 */
import { setTimeout } from "node:timers/promises"
import { Context, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, it } from "vitest"
import { layerStorage, migrateDatabase } from "../../adapters/storage/migrations.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { eventually } from "../eventually.ts"
import { IS_WHOLE } from "../sample.ts"
import { build } from "../storage/deployment.ts"
import { NEWER_RUNNING_STEPS } from "../storage/newer-steps.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { startReceiver } from "../webhooks/receiver.ts"
import { makeFolder, startTestService, type TestService } from "./service.ts"

const MOST_REQUESTS = 20_000
const PINGS = 20

const places = {
  // Nodes on several machines share a PostgreSQL; those of one machine are replaced each night.
  SQLite: async () => ({ databaseUrl: `file:${makeFolder()}/landfall.db` }),
  PostgreSQL: async () => {
    const { databaseUrl, secret } = await Effect.runPromise(makePostgresDeployment)
    return { databaseUrl, secret: Redacted.value(secret) }
  },
}

for (const [engine, makePlace] of Object.entries(places).filter(([engine]) => IS_WHOLE || engine === "PostgreSQL")) {
  describe(`an older and a newer version on ${engine}`, () => {
    it("answer together while nodes are replaced, back and forth, and lose nothing", async () => {
      await using receiver = await startReceiver()
      const place: { databaseUrl: string; secret?: string } = await makePlace()
      const env = {
        LANDFALL_DATABASE_URL: place.databaseUrl,
        ...(place.secret === undefined ? {} : { LANDFALL_SECRET: place.secret }),
        LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
        LANDFALL_DRAIN_SECONDS: "1",
      }
      const nodes: TestService[] = []
      const start = async (version: "older" | "newer") => {
        const node = await startTestService({ env, ...(version === "newer" ? { steps: NEWER_RUNNING_STEPS } : {}) })
        nodes.push(node)
        return node
      }
      const stop = async (node: TestService) => {
        // As a balancer does: nothing new goes to a node that is about to stop.
        nodes.splice(nodes.indexOf(node), 1)
        await node.stop()
      }
      const migrate = () =>
        Effect.runPromise(
          Effect.provideService(
            migrateDatabase(place.databaseUrl, { isCheck: false }),
            KnownSteps,
            NEWER_RUNNING_STEPS,
          ),
        )
      const readReason = async (node: TestService) => {
        const ready = await node.ask("/readyz")
        return [ready.status, ready.read("reason")]
      }

      const first = await start("older")
      const { keys } = first
      const headers = { authorization: `Bearer ${keys.business}`, "content-type": "application/json" }
      const second = await start("older")
      const made = await first.ask("/webhooks", {
        method: "POST",
        headers,
        body: JSON.stringify({ url: receiver.url, events: ["visa.policy_changed"], passports: ["FRA"] }),
      })
      assert.strictEqual(made.status, 201, made.text)
      const webhook = made.read("id")

      const statuses = new Map<string, number>()
      let isOver = false
      let asked = 0
      let pinged = 0
      const load = async () => {
        while (!isOver && asked < MOST_REQUESTS) {
          const node = nodes[asked++ % nodes.length]!
          const isPing = pinged < PINGS && asked % 10 === 0
          if (isPing) pinged++
          const reply = isPing
            ? await node.ask(`/webhooks/${webhook}/ping`, { method: "POST", headers })
            : await node.ask("/api/v1/visa/check?passport=FRA&destination=JPN", {
                headers: { "x-api-key": keys.business },
              })
          const what = `${isPing ? "ping" : "check"} ${reply.status}`
          statuses.set(what, (statuses.get(what) ?? 0) + 1)
          await setTimeout(1)
        }
      }
      const loads = [load(), load(), load(), load()]
      const forAWhile = () => {
        const until = Math.min(asked + 40, MOST_REQUESTS)
        return Effect.runPromise(
          eventually(
            Effect.sync(() => asked),
            at => at >= until,
          ),
        )
      }

      await forAWhile()
      const expanded = await migrate()
      assert.deepStrictEqual([expanded.applied, expanded.next?.older.length], [["add_note"], 2])
      await forAWhile()
      // The older ones are ready, and say that there is a newer one.
      for (const node of [first, second]) {
        const reason = eventually(
          Effect.promise(() => readReason(node)),
          ([, said]) => said !== undefined,
        )
        assert.deepStrictEqual(await Effect.runPromise(reason), [200, "tables_newer"])
      }
      const third = await start("newer")
      assert.deepStrictEqual(await readReason(third), [200, undefined])
      await forAWhile()
      await stop(first)
      await forAWhile()
      // What an older node still uses stays.
      assert.deepStrictEqual((await migrate()).applied, [])
      // Back: an older node starts again beside the newer one.
      const fourth = await start("older")
      await forAWhile()
      await stop(third)
      await forAWhile()
      // Forth again.
      const last = await start("newer")
      await stop(second)
      await stop(fourth)
      const contracted = await migrate()
      assert.deepStrictEqual([contracted.applied, contracted.next], [["remove_old"], undefined])
      await forAWhile()
      assert.deepStrictEqual(await readReason(last), [200, undefined])
      isOver = true
      await Promise.all(loads)
      const refused = await start("older").catch((error: Error) => error.message)
      assert.match(
        String(refused),
        /is newer than this version of landfall \(its tables need step 2; this version knows 1\)/,
      )

      const checks = statuses.get("check 200") ?? 0
      assert.deepStrictEqual(Object.fromEntries(statuses), { "check 200": checks, "ping 200": PINGS })
      assert.isAbove(checks, 240)
      await receiver.until(received => new Set(received.map(({ event }) => event.id)).size === 1 + PINGS)
      await stop(last)
      const used = Effect.gen(function* () {
        const sql = Context.get(yield* build(layerStorage(place.databaseUrl)), SqlClient.SqlClient)
        const rows = yield* sql<{ used: number }>`SELECT used FROM pool_counts WHERE pool = 'visa'`
        return rows.reduce((sum, row) => sum + row.used, 0)
      }).pipe(Effect.scoped, Effect.provideService(KnownSteps, NEWER_RUNNING_STEPS))
      assert.strictEqual(await Effect.runPromise(used), checks)
    })
  })
}
