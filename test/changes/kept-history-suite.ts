/** The stored history of installations on every engine: what is kept, for how long, and what a start reads. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeFanOut } from "../../adapters/events/followers/fan-out.ts"
import { installDataset, openCurrentDataset, rollBack } from "../../adapters/events/install-dataset.ts"
import { followInstalled } from "../../adapters/events/installed-changes.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { openDataset } from "../../src/engine.ts"
import { build } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeWorld, type SmallWorld } from "./datasets.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const DAY_MS = 86_400_000

export function describeKeptHistory(makePlace: MakePlace): void {
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const { databaseUrl, secret = Redacted.make(Buffer.alloc(32, 7).toString("base64")) } = yield* makePlace
    const layer = Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret }), layerStorage(databaseUrl))
    const services = yield* build(layer)
    const configured = openDataset(encodeWorld({ version: "world.1", days: 90 }))
    if (!configured.ok) throw new Error(configured.error.message)
    const inProcess = Effect.provideContext(services)
    const install = (world: SmallWorld) => inProcess(installDataset(configured.value, encodeWorld(world)))
    /** A process that has read nothing yet; returns the history of the pair after each look. */
    const follow = Effect.map(inProcess(followInstalled), ({ load, list }) =>
      Effect.map(inProcess(load), show => {
        show()
        return list("AAA", "CCC").map(({ on, from, to, daysBefore, daysAfter }) =>
          from === to ? `${on} ${daysBefore}→${daysAfter}` : `${on} ${from}→${to}`,
        )
      }),
    )
    return {
      configured: configured.value,
      follow,
      inProcess,
      install,
      services,
      storage: Context.get(services, Storage),
    }
  })

  describe("what was installed", () => {
    it.effect("is read once: a running process, a new one and the first one have the same history", () =>
      Effect.gen(function* () {
        const { follow, install, services } = yield* open
        const first = yield* follow
        assert.deepStrictEqual(yield* first, [])
        yield* install({ version: "world.2", days: 30, visaFrom: "2026-09-01" })
        const shown = ["2026-06-10 90→30", "2026-09-01 visa_free→visa_required"]
        assert.deepStrictEqual(yield* first, shown)
        yield* TestClock.adjust(DAY_MS)
        yield* install({ version: "world.3", days: 10 })
        const later = ["2026-06-10 90→30", "2026-06-11 30→10"]
        assert.deepStrictEqual(yield* first, later)
        assert.deepStrictEqual(yield* yield* follow, later)
        const sql = Context.get(services, SqlClient.SqlClient)
        // Only the changes of dated rules are read from events.
        yield* sql`UPDATE events SET body = ''`
        assert.deepStrictEqual(yield* yield* follow, later)
      }),
    )

    it.effect("leaves out an installation, or an event of a dated rule, that cannot be read", () =>
      Effect.gen(function* () {
        const { follow, install, services } = yield* open
        const sql = Context.get(services, SqlClient.SqlClient)
        yield* install({ version: "world.2", days: 30, visaFrom: "2026-09-01" })
        const [now, later] = ["2026-06-10 90→30", "2026-09-01 visa_free→visa_required"]
        assert.deepStrictEqual(yield* yield* follow, [now, later])
        const good = yield* sql<{ content: string }>`SELECT content FROM installed_changes`
        const step = '{"on":"2026-06-10","from":"visa","to":"visa_free","daysBefore":null,"daysAfter":null}'
        for (const content of ["", "{", "{}", "[1]", '[[{"on":1},"AAACCC"]]', `[[${step},"AAACCC"]]`]) {
          yield* sql`UPDATE installed_changes SET content = ${content}`
          assert.deepStrictEqual(yield* yield* follow, [later], content)
        }
        yield* sql`UPDATE installed_changes SET content = ${good[0]!.content}`
        for (const body of ["", "{", "null", '{"previous":null,"current":null}', '{"previous":{},"current":{}}']) {
          yield* sql`UPDATE events SET body = ${body}`
          assert.deepStrictEqual(yield* yield* follow, [now], body)
        }
      }),
    )

    it.effect("is kept for the configured time, except the current dataset and the previous one", () =>
      Effect.gen(function* () {
        const { configured, follow, inProcess, install, storage } = yield* open
        for (const [at, days] of [60, 50, 40].entries()) {
          yield* install({ version: `world.${at + 2}`, days })
          yield* TestClock.adjust(DAY_MS)
        }
        yield* inProcess(Effect.flatMap(makeFanOut, fanOut => fanOut()))
        yield* yield* follow
        const sweep = inProcess(
          Effect.scoped(Effect.flatMap(makeDispatcher({ allowsPrivate: false, historyDays: 3 }), ({ sweep }) => sweep)),
        )
        const countEvents = Effect.map(storage.events.listOfPair("AAA", "CCC", START + 9e11), rows => rows.length)
        yield* TestClock.setTime(START + 3 * DAY_MS)
        yield* sweep
        assert.strictEqual(yield* countEvents, 3)
        yield* TestClock.adjust(1)
        yield* sweep
        assert.strictEqual(yield* countEvents, 2)
        assert.deepStrictEqual(yield* yield* follow, ["2026-06-11 60→50", "2026-06-12 50→40"])
        yield* TestClock.setTime(START + 10 * DAY_MS)
        yield* sweep
        assert.deepStrictEqual(yield* yield* follow, [])
        const version = Effect.map(inProcess(openCurrentDataset(configured)), ({ dataset }) => dataset.version)
        assert.strictEqual(yield* version, "world.4")
        yield* inProcess(rollBack(configured))
        assert.strictEqual(yield* version, "world.3")
        const gone = yield* Effect.flip(inProcess(rollBack(configured)))
        assert.strictEqual(gone.message, "the dataset of installation 1 is no longer kept")
      }),
    )
  })
}
