/** What an import of spots has to do on every engine: one suite, run over a file and over PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { importSpots, LiveSpots, readStoredSpots, resetSpots } from "../../adapters/spots/import-spots.ts"
import { readSeedSpots } from "../../adapters/spots/spot.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { build } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { makeSpot } from "./made-up-spots.ts"

const seeds = readSeedSpots()
const shipped = seeds._tag === "Success" ? seeds.success.length : Number.NaN
const importedAt = "2026-11-21T12:00:00Z"
const adding = { isReplacing: false, isDryRun: false, importedAt }
const replacing = { ...adding, isReplacing: true }

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeImports(makePlace: MakePlace, isWhole = true): void {
  const open = Effect.gen(function* () {
    const services = yield* build(layerStorage((yield* makePlace).databaseUrl))
    return Context.get(services, Storage)
  })
  const ids = Effect.map(readStoredSpots, spots => spots?.map(({ id }) => id).sort() ?? null)
  const onNew = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(open, storage => Effect.provideService(work, Storage, storage))

  describe("an import of spots", () => {
    it.live("of more spots than fit in one statement is stored whole", () =>
      onNew(
        Effect.gen(function* () {
          const many = Array.from({ length: 2_345 }, (_, at) => makeSpot({ id: `s-${at}`, title: `Spot ${at}` }))
          yield* importSpots(many, replacing)
          assert.deepStrictEqual(yield* ids, many.map(({ id }) => id).sort())
          assert.strictEqual(yield* resetSpots, many.length)
          assert.isNull(yield* readStoredSpots)
        }),
      ),
    )

    it.live("by two processes at once has the same result as one after the other", () =>
      onNew(
        Effect.gen(function* () {
          yield* importSpots([makeSpot({ id: "a" })], replacing)
          const both = ["b", "c"].map(id => importSpots([makeSpot({ id })], adding))
          const totals = yield* Effect.all(both, { concurrency: 2 })
          assert.deepStrictEqual(totals.map(({ total }) => total).sort(), [2, 3])
          assert.deepStrictEqual(yield* ids, ["a", "b", "c"])
        }),
      ),
    )

    if (!isWhole) return

    it.live("adds to those that ship with the package", () =>
      onNew(
        Effect.gen(function* () {
          assert.isNull(yield* readStoredSpots)
          const result = yield* importSpots([makeSpot({ id: "my-pier" })], adding)
          assert.deepStrictEqual(result, { added: 1, changed: 0, unchanged: 0, removed: 0, total: shipped + 1 })
          const stored = (yield* readStoredSpots) ?? []
          assert.strictEqual(stored.length, shipped + 1)
          assert.deepStrictEqual(
            stored.find(({ id }) => id === "my-pier"),
            makeSpot({ id: "my-pier" }),
          )
        }),
      ),
    )

    it.live("keeps nothing else if it replaces", () =>
      onNew(
        Effect.gen(function* () {
          const first = yield* importSpots([makeSpot({ id: "a" }), makeSpot({ id: "b" })], replacing)
          assert.deepStrictEqual(first, { added: 2, changed: 0, unchanged: 0, removed: shipped, total: 2 })
          const second = yield* importSpots([makeSpot({ id: "b" }), makeSpot({ id: "c" })], replacing)
          assert.deepStrictEqual(second, { added: 1, changed: 0, unchanged: 1, removed: 1, total: 2 })
          assert.deepStrictEqual(yield* ids, ["b", "c"])
        }),
      ),
    )

    it.live("changes a spot of the same id, and keeps its day of entry if the file has none", () =>
      onNew(
        Effect.gen(function* () {
          yield* importSpots([makeSpot({ id: "a", created_at: "2020-01-01" })], replacing)
          const later = { ...adding, importedAt: "2026-12-01T00:00:00Z" }
          const same = makeSpot({ id: "a", created_at: later.importedAt })
          assert.deepInclude(yield* importSpots([same], later), { changed: 0, unchanged: 1 })
          assert.deepInclude(yield* importSpots([{ ...same, title: "Other" }], later), { changed: 1, unchanged: 0 })
          assert.deepStrictEqual(yield* readStoredSpots, [
            makeSpot({ id: "a", title: "Other", created_at: "2020-01-01" }),
          ])
        }),
      ),
    )

    it.live("of another version or damaged is left out, and an import or a reset removes it", () =>
      Effect.gen(function* () {
        const services = yield* build(layerStorage((yield* makePlace).databaseUrl))
        const inProcess = Effect.provideContext(services)
        const sql = Context.get(services, SqlClient.SqlClient)
        const count = Effect.map(sql<{ count: number }>`SELECT COUNT(*) AS count FROM spots`, ([row]) =>
          Number(row?.count),
        )
        const live = Effect.map(inProcess(Effect.scoped(LiveSpots.make)), ({ read }) => read().placed.length)
        const damage = (id: string, body: string) => sql`UPDATE spots SET body = ${body} WHERE id = ${id}`
        yield* inProcess(importSpots([makeSpot({ id: "a" }), makeSpot({ id: "b" })], replacing))
        for (const body of ["", "{", "null", '{"title":"A"}', '{"title":"A","tags":[1]}']) {
          yield* damage("a", body)
          assert.deepStrictEqual(yield* inProcess(ids), ["b"], body)
          assert.strictEqual(yield* live, 1, body)
        }
        assert.strictEqual((yield* inProcess(importSpots([makeSpot({ id: "c" })], adding))).total, 2)
        assert.strictEqual(yield* count, 3)
        yield* inProcess(importSpots([makeSpot({ id: "c" })], replacing))
        assert.strictEqual(yield* count, 1)
        yield* damage("c", "{")
        assert.strictEqual(yield* live, shipped)
        yield* inProcess(resetSpots)
        assert.strictEqual(yield* count, 0)
      }),
    )

    it.live("changes nothing in a dry run, or if it is refused", () =>
      onNew(
        Effect.gen(function* () {
          yield* importSpots([makeSpot({ id: "a" })], replacing)
          const tried = yield* importSpots([makeSpot({ id: "b" })], { ...replacing, isDryRun: true })
          assert.deepStrictEqual(tried, { added: 1, changed: 0, unchanged: 0, removed: 1, total: 1 })
          const revision = yield* Effect.flatMap(Storage, ({ spots }) => spots.readRevision)
          const many = [makeSpot({ id: "b" }), makeSpot({ id: "c" })]
          const refused = yield* Effect.flip(importSpots(many, { ...adding, most: 2 }))
          assert.strictEqual(refused.message, "the set would have 3 spots; at most 2 are allowed")
          assert.deepStrictEqual(yield* ids, ["a"])
          assert.strictEqual(yield* Effect.flatMap(Storage, ({ spots }) => spots.readRevision), revision)
        }),
      ),
    )

    it.live("is answered from by a process that runs already, and given up again", () =>
      onNew(
        Effect.gen(function* () {
          const storage = yield* Storage
          const services = yield* build(LiveSpots.layer).pipe(Effect.provideService(Storage, storage))
          const { read, refresh } = Context.get(services, LiveSpots)
          const count = Effect.map(refresh, () => read().placed.length)
          assert.strictEqual(yield* count, shipped)
          yield* importSpots([makeSpot({ id: "a" }), makeSpot({ id: "b" })], replacing)
          assert.strictEqual(yield* count, 2)
          assert.strictEqual(read(), read())
          yield* resetSpots
          assert.strictEqual(yield* count, shipped)
        }),
      ),
    )

    it.live("is used by a process that starts later", () =>
      onNew(
        Effect.gen(function* () {
          const storage = yield* Storage
          yield* importSpots([makeSpot({ id: "a" })], replacing)
          const exit = yield* Effect.exit(build(LiveSpots.layer).pipe(Effect.provideService(Storage, storage)))
          assert.isTrue(Exit.isSuccess(exit))
          if (Exit.isSuccess(exit))
            assert.deepStrictEqual([...Context.get(exit.value, LiveSpots).read().byId.keys()], ["a"])
        }),
      ),
    )
  })
}
