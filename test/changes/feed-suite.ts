/** A deployment that follows a feed: one suite, for SQLite and PostgreSQL. The host of the feed is in memory; the test sets the time. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { lookIfDue } from "../../adapters/events/follow-feed.ts"
import { installDataset, makeRelease, openCurrentDataset } from "../../adapters/events/install-dataset.ts"
import { LiveDataset } from "../../adapters/events/live-dataset.ts"
import { readFeedState } from "../../adapters/feed/follow.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { openDataset } from "../../src/engine.ts"
import { makeKey, StaticHost } from "../feed/static-host.ts"
import { build } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeHundred, encodeWorld, type SmallWorld } from "./datasets.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const HOUR = 3_600_000
const url = new URL("https://feed.example/index.json")

const openBytes = (bytes: Uint8Array) => {
  const opened = openDataset(bytes)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const configured = openBytes(encodeWorld({ version: "w.1", days: 90 }))

/** The dataset of a process that looks into the database when it is told to. */
const layerLive = Layer.effect(
  LiveDataset,
  Effect.gen(function* () {
    const storage = yield* Storage
    let dataset = configured
    const look = Effect.map(openCurrentDataset(configured), current => {
      dataset = current.dataset
    })
    const refresh = Effect.orDie(Effect.provideService(look, Storage, storage))
    // A look needs no more of it.
    return { read: () => dataset, configured, refresh } as unknown as LiveDataset["Service"]
  }),
)

export function describeFeed(makePlace: MakePlace): void {
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const { databaseUrl } = yield* makePlace
    const lines: string[] = []
    const collector = Logger.make<unknown, void>(({ message }) => void lines.push([message].flat().join(" ")))
    const makeProcess = Effect.map(build(layerLive.pipe(Layer.provideMerge(layerStorage(databaseUrl)))), services => ({
      storage: Context.get(services, Storage),
      live: Context.get(services, LiveDataset),
      run: <A, E>(work: Effect.Effect<A, E, Storage | LiveDataset | SqlClient.SqlClient>) =>
        work.pipe(Effect.provideContext(services), Effect.provide(Logger.layer([collector]))),
    }))
    const processes = [yield* makeProcess, yield* makeProcess] as const
    const [key, host] = [makeKey(), new StaticHost()]
    const feed = { url, keys: [key.keyid], fetch: host.fetch as typeof fetch }
    const publish = (world: SmallWorld | Uint8Array, nowMs = START) =>
      Effect.gen(function* () {
        const bytes = world instanceof Uint8Array ? world : encodeWorld(world)
        const input = { bytes, dataset: openBytes(bytes), before: null, nowMs, number: 1 }
        const { release, packed } = yield* makeRelease(input)
        host.files.set(`/${release.sha256}.landfall`, packed)
        yield* Effect.promise(() => host.publish(null, [key], { nowMs, release, adds: true }))
      })
    /** Both processes ask whether a look is due, at once. */
    const look = (given = feed) =>
      Effect.all(
        processes.map(({ run }) => run(lookIfDue(given))),
        { concurrency: "unbounded", discard: true },
      )
    const version = Effect.map(processes[0].run(openCurrentDataset(configured)), ({ dataset }) => dataset.version)
    const indexLooks = () => host.asked.filter(({ path }) => path === "/index.json").length
    const setState = (state: string) =>
      processes[0].run(Effect.flatMap(SqlClient.SqlClient, sql => sql`UPDATE dataset_feed SET state = ${state}`))
    return { processes, key, host, feed, publish, look, version, indexLooks, lines, setState }
  })

  describe("a deployment that follows a feed", () => {
    it.effect("installs each new dataset once, by one of its processes, with its events", () =>
      Effect.gen(function* () {
        const { host, indexLooks, lines, look, processes, publish, version } = yield* open
        yield* publish({ version: "w.1", days: 90 })
        yield* look()
        yield* look()
        assert.deepStrictEqual([indexLooks(), yield* version], [1, "w.1"])
        yield* publish({ version: "w.2", asOf: "2026-06-02", days: 30 })
        yield* look()
        assert.strictEqual(indexLooks(), 1)
        yield* TestClock.setTime(START + 1.2 * HOUR)
        yield* look()
        assert.deepStrictEqual([indexLooks(), yield* version], [2, "w.2"])
        assert.strictEqual(yield* processes[1].storage.events.countDue(START + 2 * HOUR), 1)
        assert.deepStrictEqual(lines, ["installed dataset w.2 from LANDFALL_DATASET_FEED: 1 events"])
        yield* TestClock.setTime(START + 2.5 * HOUR)
        yield* look()
        yield* TestClock.setTime(START + 3.7 * HOUR)
        yield* look()
        assert.deepStrictEqual(
          host.asked.slice(-2).map(({ status }) => status),
          [304, 304],
        )
        assert.strictEqual(yield* processes[1].storage.events.countDue(START + 4 * HOUR), 1)
      }),
    )

    it.effect("logs a tampered, a rolled-back and an unreachable feed once each, waits longer, and follows again", () =>
      Effect.gen(function* () {
        const { feed, host, indexLooks, key, lines, look, publish, version } = yield* open
        yield* publish({ version: "w.1", days: 90 })
        const first = host.signed
        yield* publish({ version: "w.2", asOf: "2026-06-02", days: 30 })
        yield* look()
        assert.strictEqual(yield* version, "w.2")
        lines.length = 0
        const good = host.signed
        host.serve(first)
        yield* TestClock.adjust(1.2 * HOUR)
        for (const waitMs of [0, 70_000, 340_000, 1_000_000]) {
          yield* TestClock.adjust(waitMs)
          yield* look()
        }
        assert.strictEqual(indexLooks(), 5)
        yield* TestClock.adjust(2_000_000)
        yield* look()
        assert.strictEqual(indexLooks(), 5, "an hour has not passed")
        host.serve({ ...good, signatures: [{ ...good!.signatures[0], sig: first!.signatures[0]!.sig }] })
        yield* TestClock.adjust(2 * HOUR)
        yield* look()
        host.interfere = () => new Response("down", { status: 502 })
        for (const waitMs of [7 * HOUR, 7 * HOUR]) {
          yield* TestClock.adjust(waitMs)
          yield* look()
        }
        host.interfere = () => undefined
        host.serve(good)
        yield* TestClock.adjust(7 * HOUR)
        yield* look()
        assert.deepStrictEqual(lines, [
          "LANDFALL_DATASET_FEED: nothing was installed: The index has version 1; another of version 2 was seen.",
          "LANDFALL_DATASET_FEED: nothing was installed: No trusted key (of version 0) signed the index.",
          "LANDFALL_DATASET_FEED: nothing was installed: https://feed.example/index.json answers 502.",
          "LANDFALL_DATASET_FEED: followed again",
        ])
        // Another setting is looked at without waiting.
        const asked = indexLooks()
        yield* look({ ...feed, keys: [key.keyid, makeKey().keyid] })
        assert.strictEqual(indexLooks(), asked + 1)
      }),
    )

    it.effect(
      "installs a dataset that changes a tenth of the pairs, and refuses a larger change, which it logs once",
      () =>
        Effect.gen(function* () {
          const { host, lines, look, processes, publish, version } = yield* open
          const first = encodeHundred({ version: "h.1", changed: 0 })
          yield* processes[0].run(installDataset(configured, first))
          yield* publish(encodeHundred({ version: "h.2", changed: 11 }))
          for (const waitMs of [0, 1.2 * HOUR, 1.2 * HOUR]) {
            yield* TestClock.adjust(waitMs)
            yield* look()
          }
          assert.strictEqual(yield* version, "h.1")
          assert.deepStrictEqual(lines, [
            "LANDFALL_DATASET_FEED: nothing was installed: Dataset h.2 changes 11 % of pairs; 10 % are allowed at once.",
          ])
          assert.strictEqual(host.asked.filter(({ path }) => path.endsWith(".landfall")).length, 1)
          yield* publish(encodeHundred({ version: "h.3", changed: 10 }))
          yield* TestClock.adjust(7 * HOUR)
          yield* look()
          assert.strictEqual(yield* version, "h.3")
        }),
    )

    it.effect("keeps the installed dataset if the feed offers an older one", () =>
      Effect.gen(function* () {
        const { lines, look, processes, publish, version } = yield* open
        const mine = encodeWorld({ version: "mine", asOf: "2026-06-09", days: 60 })
        yield* processes[0].run(installDataset(configured, mine))
        yield* publish({ version: "w.2", asOf: "2026-06-02", days: 30 })
        yield* look()
        assert.strictEqual(yield* version, "mine")
        assert.deepStrictEqual(lines, [
          "LANDFALL_DATASET_FEED: nothing was installed: The dataset of 2026-06-02 is older than the one in use, of 2026-06-09.",
        ])
      }),
    )

    it.effect("starts over from a stored state that cannot be read, and says so", () =>
      Effect.gen(function* () {
        const { host, lines, look, processes, publish, setState, version } = yield* open
        yield* publish({ version: "w.1", days: 90 })
        yield* look()
        const kept = host.signed
        const broken = ["", "{", "null", "[]", '{"pinned":1}', '{"pinned":"x","trust":{},"index":null}']
        for (const [at, state] of broken.entries()) {
          yield* setState(state)
          yield* TestClock.adjust(1.2 * HOUR)
          yield* look()
          assert.lengthOf(lines.splice(0), 1, `state ${at}`)
        }
        yield* setState('{"pinned":"x","trust":{},"index":null}')
        yield* publish({ version: "w.2", asOf: "2026-06-02", days: 30 })
        assert.notDeepEqual(host.signed, kept)
        yield* TestClock.adjust(1.2 * HOUR)
        yield* look()
        assert.strictEqual(yield* version, "w.2")
        assert.deepStrictEqual(lines, [
          "LANDFALL_DATASET_FEED: the stored state cannot be read. The feed is followed as a new one.",
          "installed dataset w.2 from LANDFALL_DATASET_FEED: 1 events",
        ])
        // It is written again.
        const claimed = yield* processes[0].storage.datasets.claimLook("another", START + 9e9, START + 9e9)
        assert.strictEqual(readFeedState(claimed?.state ?? "")?.index?.version, 2)
      }),
    )

    it.effect("is taken over from a process that was killed during a look", () =>
      Effect.gen(function* () {
        const { feed, indexLooks, look, processes, publish, version } = yield* open
        yield* publish({ version: "w.2", asOf: "2026-06-02", days: 30 })
        const asked = Promise.withResolvers<void>()
        const neverAnswers = () => {
          asked.resolve()
          return new Promise<Response>(() => {})
        }
        const killed = yield* Effect.forkChild(processes[0].run(lookIfDue({ ...feed, fetch: neverAnswers })))
        yield* Effect.promise(() => asked.promise)
        yield* Fiber.interrupt(killed)
        yield* look()
        assert.strictEqual(indexLooks(), 0)
        yield* TestClock.setTime(START + 301_000)
        yield* processes[1].run(lookIfDue(feed))
        assert.strictEqual(yield* version, "w.2")
      }),
    )
  })
}
