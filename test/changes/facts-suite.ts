/** A dataset with full facts on every engine: every process makes its records from them, and their changes are sent. */
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Redacted, Scope } from "effect"
import { installDataset, rollBack } from "../../adapters/events/install-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { openDataset } from "../../src/engine.ts"
import { eventually } from "../eventually.ts"
import { startTestService, stopClock } from "../http/service.ts"
import { build, makeFolder } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeWorld, writeWorld } from "./datasets.ts"

const NOW = Date.parse("2026-06-10T12:00:00Z")
const PAIR = "/api/v1/visa?passport=BBB&destination=CCC"

export function describeFacts(makePlace: MakePlace): void {
  describe("a dataset with full facts", () => {
    it.live("is used by every process for its records, and its changes are sent", () =>
      Effect.gen(function* () {
        const { databaseUrl, secret } = yield* makePlace
        const folder = yield* makeFolder
        const scope = yield* Scope.Scope
        const first = encodeWorld({ version: "world.1", days: 90, fee: 50 })
        const env = {
          LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90, fee: 50 }),
          LANDFALL_DATABASE_URL: databaseUrl,
          ...(secret === undefined ? {} : { LANDFALL_SECRET: Redacted.value(secret) }),
        }
        const start = Effect.flatMap(
          Effect.promise(() => startTestService({ env, folder, stoppedAt: NOW })),
          running => Effect.as(Scope.addFinalizer(scope, Effect.promise(running.stop)), running),
        )
        const one = yield* start
        const other = yield* start
        const headers = { "x-api-key": one.keys.business }
        const records = Effect.promise(() => Promise.all([one, other].map(({ ask }) => ask(PAIR, { headers }))))
        const fees = Effect.map(records, replies =>
          replies.map(reply => reply.read("data.visa_fee.single_entry.amount")),
        )
        assert.deepStrictEqual(yield* fees, [50, 50])
        assert.deepStrictEqual(
          (yield* records).map(reply => reply.read("meta.facts_version")),
          [undefined, undefined],
        )
        assert.strictEqual((yield* records)[0]?.read("data.country_info.capital"), "Ceville")

        const opened = openDataset(first)
        if (!opened.ok) throw new Error(opened.error.message)
        const { clock, setTime } = yield* stopClock
        setTime(NOW)
        const services = yield* build(layerStorage(databaseUrl))
        const elsewhere = <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.provideService(Effect.provideContext(work, services), Clock.Clock, clock)
        const dearer = encodeWorld({ version: "world.2", days: 90, fee: 65 })
        const { events } = yield* elsewhere(installDataset(opened.value, dearer))
        for (const event of events) {
          const { type, severity, body } = event
          assert.deepStrictEqual([type, severity, JSON.parse(body).fields], ["visa.policy_changed", "minor", ["fee"]])
        }
        const ofB = events.find(({ passport }) => passport === "BBB")
        const { previous, current } = JSON.parse(ofB?.body ?? "{}")
        assert.deepStrictEqual([previous.fee_usd, current.fee_usd], [50, 65])
        assert.deepStrictEqual(yield* eventually(fees, found => found.every(fee => fee === 65)), [65, 65])

        // Pairs only: the facts are those of the program, and the answer says so.
        yield* elsewhere(installDataset(opened.value, encodeWorld({ version: "world.3", days: 90 })))
        yield* eventually(fees, found => found.every(fee => fee === undefined))
        for (const reply of yield* records) {
          assert.strictEqual(reply.read("meta.dataset_version"), "world.3")
          assert.match(String(reply.read("meta.facts_version")), /^\d{4}\.\d+\.\d+$/)
          assert.match(String(reply.read("meta.facts_as_of")), /^\d{4}-\d\d-\d\d$/)
        }
        yield* elsewhere(rollBack(opened.value))
        assert.deepStrictEqual(yield* eventually(fees, found => found.every(fee => fee === 65)), [65, 65])
      }).pipe(Effect.scoped),
    )

    it.live("whose facts are malformed is refused, and nothing changes", () =>
      Effect.gen(function* () {
        const { databaseUrl } = yield* makePlace
        const services = yield* build(layerStorage(databaseUrl))
        const configured = openDataset(encodeWorld({ version: "world.1", days: 90 }))
        if (!configured.ok) throw new Error(configured.error.message)
        const install = (bytes: Uint8Array) => Effect.provideContext(installDataset(configured.value, bytes), services)
        const broken = encodeWorld({ version: "world.2", days: 90, fee: 50 })
        // As somebody writes it who knows how files are checked.
        const at = Buffer.from(broken).indexOf('"amount":50')
        broken.set(Buffer.from('"amount":{}'), at)
        new DataView(broken.buffer).setUint32(4, crc32(broken.subarray(8)), true)
        assert.strictEqual(
          (yield* Effect.flip(install(broken))).message,
          "The facts of the dataset contradict themselves: fact 0 of fee has another shape.",
        )
        const large = yield* Effect.flip(install(new Uint8Array(33_554_433)))
        assert.strictEqual(large.message, "The file has 33554433 bytes; a dataset has at most 33554432.")
        assert.strictEqual(yield* Context.get(services, Storage).datasets.readRevision, 0)
      }).pipe(Effect.scoped),
    )
  })
}
