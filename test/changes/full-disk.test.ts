import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { installDataset, openCurrentDataset } from "../../adapters/events/install-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { openDataset } from "../../src/engine.ts"
import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import { build, makeDeployment } from "../storage/deployment.ts"

/** A source that takes several pages in the database. */
const table = { id: "table", name: `A table ${"x".repeat(24_000)}`, url: null, imported: true, snapshotOn: null }

function encodeWorld(version: string, days: number): Uint8Array {
  const policies = [policy("CCC", { rules: [rule(["AAA", "BBB"], { requirement: "visa_free", days })] })]
  const compiled = compileFacts(smallFacts({ version, policies, sources: [table] }))
  if (!compiled.ok) throw new Error(compiled.error.message)
  return encodeDataset(compiled.value)
}

const opened = openDataset(encodeWorld("world.1", 90))
if (!opened.ok) throw new Error(opened.error.message)
const configured = opened.value

describe("a disk that is full", () => {
  it.effect.each([0, 4, 8, 12])("fails an installation completely with %i pages left, and allows it later", left =>
    Effect.gen(function* () {
      const { databaseUrl, databasePath } = yield* makeDeployment
      const services = yield* build(layerStorage(databaseUrl))
      const sql = Context.get(services, SqlClient.SqlClient)
      const storage = Context.get(services, Storage)
      // Pages that dropped tables have left would be used first.
      yield* sql`VACUUM`
      const [pages] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${pages!.page_count + left}`)
      const bytes = encodeWorld("world.2", 30)
      const install = Effect.provideContext(installDataset(configured, bytes), services)
      const refused = yield* Effect.flip(install)
      assert.strictEqual(refused._tag, "Unavailable")
      assert.match(refused.message, new RegExp(`^the database \\(${databasePath}\\) cannot grow: the disk is full`))

      assert.strictEqual(yield* storage.datasets.readRevision, 0)
      assert.strictEqual(yield* storage.events.countDue(Date.parse("2030-01-01T00:00:00Z")), 0)
      const current = yield* Effect.provideContext(openCurrentDataset(configured), services)
      assert.deepStrictEqual([current.dataset.version, current.installation], ["world.1", null])
      assert.deepStrictEqual((yield* sql<{ count: number }>`SELECT COUNT(*) AS count FROM datasets`)[0], { count: 0 })

      yield* sql`PRAGMA max_page_count = 1000000`
      assert.strictEqual((yield* install).installationId, 1)
    }),
  )
})
