/** The history of a pair on every engine, in the record and at `/policies/history`, after installations. */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { installDataset } from "../../adapters/events/install-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import type { Storage } from "../../adapters/storage/storage.ts"
import { openDataset } from "../../src/engine.ts"
import { eventually } from "../eventually.ts"
import { startTestService, stopClock, type TestService } from "../http/service.ts"
import { build, makeFolder } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeWorld, writeWorld } from "./datasets.ts"

const NOW = Date.parse("2026-06-10T12:00:00Z")
const PAIR = "?passport=AAA&destination=CCC"

interface Change {
  readonly date: string
  readonly from: string
  readonly to: string
  readonly note?: string
  readonly event_id: string
  readonly correction: boolean
  readonly fields: readonly string[]
}

interface ShownRecord {
  readonly visa_free_days: number | null
  readonly ends_on?: string
  readonly reciprocity_history?: readonly Pick<Change, "date" | "from" | "to" | "note">[]
}

interface History {
  readonly changes: readonly Change[]
  readonly count: number
  readonly next_cursor: string | null
  readonly source: unknown
}

export function describeHistory(makePlace: MakePlace): void {
  describe("the history of a pair", () => {
    let running: TestService
    let place: Effect.Success<MakePlace>
    let release = () => Promise.resolve()
    beforeAll(async () => {
      // The place lives as long as its scope.
      const made = Promise.withResolvers<Effect.Success<MakePlace>>()
      const ended = Promise.withResolvers<void>()
      const living = Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(Effect.zip(makePlace, makeFolder), ([found, folder]) =>
            Effect.promise(() => {
              made.resolve({ ...found, folder })
              return ended.promise
            }),
          ),
        ),
      )
      release = () => {
        ended.resolve()
        return living
      }
      place = await made.promise
      const folder = place.folder as string
      const { databaseUrl, secret } = place
      const env = {
        LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90 }),
        LANDFALL_DATASET_WATCH: join(folder, "watched.landfall"),
        LANDFALL_DATABASE_URL: databaseUrl,
        ...(secret === undefined ? {} : { LANDFALL_SECRET: Redacted.value(secret) }),
      }
      running = await startTestService({ env, folder, stoppedAt: NOW })
    })
    afterAll(async () => {
      await running.stop()
      await release()
    })

    const opened = openDataset(encodeWorld({ version: "world.1", days: 90 }))
    if (!opened.ok) throw new Error(opened.error.message)
    const configured = opened.value
    /** What another process of the deployment does at the same instant. */
    const elsewhere = <A, E>(work: Effect.Effect<A, E, Storage>) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const { clock, setTime } = yield* stopClock
          setTime(NOW)
          const services = yield* build(layerStorage(place.databaseUrl))
          return yield* Effect.provideService(Effect.provideContext(work, services), Clock.Clock, clock)
        }).pipe(Effect.scoped),
      )
    const history = async (query = ""): Promise<History> => {
      const headers = { authorization: `Bearer ${running.keys.business}` }
      const reply = await running.ask(`/policies/history${PAIR}${query}`, { headers })
      assert.strictEqual(reply.status, 200, reply.text)
      return reply.read() as History
    }
    const record = async () => (await running.askAs("business", `/api/v1/visa${PAIR}`)).read("data") as ShownRecord
    const until = (isSo: () => Promise<boolean>) => Effect.runPromise(eventually(Effect.promise(isSo), found => found))
    const recorded = async () => (await record()).reciprocity_history

    it("is empty as long as nothing was installed", async () => {
      const { changes, count, source } = await history()
      assert.deepStrictEqual([changes, count, source], [[], 0, null])
      assert.isUndefined(await recorded())
    })

    it("grows with each installation, in the record and with the event at /policies/history", async () => {
      const { folder = "" } = place
      renameSync(writeWorld(folder, { version: "world.2", days: 30 }), join(folder, "watched.landfall"))
      await until(async () => (await recorded()) !== undefined)
      const sources = [{ name: "A table", url: null }]
      assert.deepStrictEqual<unknown>(await recorded(), [
        {
          date: "2026-06-10",
          from: "visa_free",
          to: "visa_free",
          note: "Permitted stay: 90 days before, 30 days after.",
          sources,
        },
      ])
      const { changes, source } = await history()
      assert.isNull(source)
      const [{ event_id, ...change } = {} as Change] = changes
      assert.match(event_id, /^evt_[0-9a-f]{32}$/)
      assert.deepStrictEqual<unknown>(change, {
        date: "2026-06-10",
        from: "visa_free",
        to: "visa_free",
        note: "Permitted stay: 90 days before, 30 days after.",
        recorded_at: "2026-06-10T12:00:00.000Z",
        correction: false,
        severity: "major",
        fields: ["days"],
        previous: { requirement: "visa_free", stay_days: 90, fee_usd: null },
        current: { requirement: "visa_free", stay_days: 30, fee_usd: null },
        sources,
      })
    })

    it("lists a correction, which is not in a record's history", async () => {
      await elsewhere(installDataset(configured, encodeWorld({ version: "world.3", days: 45 }), { isCorrection: true }))
      await until(async () => (await history()).changes.length === 2 && (await record()).visa_free_days === 45)
      assert.deepStrictEqual((await history()).changes.map(({ correction }) => correction).toSorted(), [false, true])
      assert.lengthOf((await recorded()) ?? [], 1)
    })

    it("has the change of a dated rule from its day on, and not before", async () => {
      const dated = encodeWorld({ version: "world.4", days: 45, visaFrom: "2026-06-12" })
      await elsewhere(installDataset(configured, dated))
      await until(async () => ((await record()).ends_on as string | undefined) !== undefined)
      assert.lengthOf((await recorded()) ?? [], 1)
      running.setTime(Date.parse("2026-06-12T08:00:00Z"))
      assert.deepStrictEqual(
        (await recorded())?.map(({ date, from, to }) => [date, from, to]),
        [
          ["2026-06-10", "visa_free", "visa_free"],
          ["2026-06-12", "visa_free", "visa_required"],
        ],
      )
      assert.strictEqual((await history()).changes.at(-1)?.to, "visa_required")
    })

    it("is read by pages", async () => {
      const all = await history()
      assert.deepStrictEqual([all.count, all.next_cursor], [3, null])
      const first = await history("&limit=2")
      assert.deepStrictEqual([first.count, first.changes.length, first.next_cursor], [3, 2, "2"])
      const second = await history(`&limit=2&cursor=${first.next_cursor}`)
      assert.deepStrictEqual([...first.changes, ...second.changes], all.changes)
      assert.isNull(second.next_cursor)
    })
  })
}
