/** An installed dataset that cannot be opened, on every engine: answers go on, and every command that mends it works. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { installDataset, openCurrentDataset, rollBack } from "../../adapters/events/install-dataset.ts"
import { LiveDataset } from "../../adapters/events/live-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { openDataset } from "../../src/engine.ts"
import { runCli } from "../cli/run.ts"
import { smallFacts } from "../dataset/small-facts.ts"
import { eventually } from "../eventually.ts"
import { startTestService } from "../http/service.ts"
import { build, makeFolder } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeWorld, writeWorld } from "./datasets.ts"

const START = Date.parse("2026-06-10T12:00:00Z")

/** A file that the program of 2026-11-22 has built; its full facts have lists that are called otherwise today. */
const OLD = readFileSync("test/fixtures/facts-of-2026-11-22.landfall")
const whole = encodeWorld({ version: "world.2", days: 30 })
const newer = Uint8Array.from(whole)
newer[8] = 99
const flipped = Uint8Array.from(whole, (byte, at) => (at === 200 ? byte ^ 1 : byte))

const compiled = compileFacts(smallFacts({ version: "world.2" }))
if (!compiled.ok) throw new Error(compiled.error.message)
const otherHistory = encodeDataset({ ...compiled.value, sections: new Map([["PAST", Uint8Array.of(1, 2, 3)]]) })

const BROKEN: readonly (readonly [name: string, bytes: Uint8Array, reason: RegExp])[] = [
  ["of an older version", OLD, /^The facts of the dataset contradict themselves: there is no list of facts of \w+\.$/],
  ["of a newer version", newer, /: upgrade landfall\.$/],
  ["that is cut off", whole.slice(0, 150), /^The dataset is cut off: /],
  ["with a flipped bit", flipped, /checksum/],
  ["with a history of another layout", otherHistory, /history/],
  ["without a byte", new Uint8Array(), /^The dataset is cut off: 0 bytes found/],
]

const opened = openDataset(encodeWorld({ version: "world.1", days: 90 }))
if (!opened.ok) throw new Error(opened.error.message)
const configured = opened.value

/** Installs bytes as another version of the program has done, for which they could be opened. */
const installUnchecked = (bytes: Uint8Array, { datasets, installations }: Storage["Service"]) =>
  Effect.gen(function* () {
    const dataset_id = yield* datasets.nextDatasetId
    const content = Buffer.from(bytes).toString("base64")
    yield* datasets.insert({ id: dataset_id, version: "broken", as_of: "2026-05-20", content })
    const replaces_id = (yield* datasets.findNewest)?.id ?? null
    const id = yield* datasets.nextInstallationId
    const installed_at = new Date(START).toISOString()
    yield* installations.insert({ id, dataset_id, replaces_id, kind: "install", installed_at })
  })

export function describeRepair(makePlace: MakePlace): void {
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const { databaseUrl } = yield* makePlace
    const services = yield* build(layerStorage(databaseUrl))
    const storage = Context.get(services, Storage)
    const lines: string[] = []
    const collector = Logger.make<unknown, void>(({ message }) => void lines.push([message].flat().join(" ")))
    const logging = Logger.layer([collector])
    const inProcess = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      work.pipe(Effect.provideContext(services), Effect.provide(logging))
    const layer = LiveDataset.layer(configured).pipe(
      Layer.provide(Layer.succeedContext(services)),
      Layer.provideMerge(logging),
    )
    const startProcess = Effect.map(build(layer), live => Context.get(live, LiveDataset))
    return { storage, inProcess, lines, startProcess }
  })

  describe("an installed dataset that cannot be opened", () => {
    for (const [name, bytes, reason] of BROKEN) {
      it.effect(`${name} is passed over for the configured one, with the reason`, () =>
        Effect.gen(function* () {
          const { storage, inProcess } = yield* open
          yield* installUnchecked(bytes, storage)
          const { dataset, passedOver } = yield* inProcess(openCurrentDataset(configured))
          assert.strictEqual(dataset.version, "world.1")
          assert.isTrue(passedOver?.startsWith("the installed dataset broken cannot be opened: "), passedOver ?? "")
          assert.match(passedOver?.slice("the installed dataset broken cannot be opened: ".length) ?? "", reason)
        }),
      )
    }

    it.effect("stops no start: the process says what it answers from, and another one goes on with what it has", () =>
      Effect.gen(function* () {
        const { storage, inProcess, lines, startProcess } = yield* open
        yield* inProcess(installDataset(configured, whole))
        const running = yield* startProcess
        yield* installUnchecked(flipped, storage)
        yield* inProcess(running.refresh)
        const started = yield* startProcess
        assert.deepStrictEqual([running.read().version, started.read().version], ["world.2", "world.1"])
        assert.deepStrictEqual([running.isPassedOver(), started.isPassedOver()], [true, true])
        const because = "because the installed dataset broken cannot be opened: "
        assert.isTrue(lines[0]?.startsWith(`answers stay those of dataset world.2, ${because}`), lines[0])
        assert.isTrue(lines[1]?.startsWith(`answers are from dataset world.1, ${because}`), lines[1])
        // It is said once, and the other processes learn that neither uses the installation.
        yield* inProcess(Effect.all([running.refresh, started.refresh]))
        assert.lengthOf(lines, 2)
        assert.lengthOf(yield* storage.nodes.listBehind(2, START), 2)
        // Operators see which installation each refuses, and why.
        const nodes = yield* storage.nodes.listAlive(START)
        assert.deepStrictEqual(nodes.map(({ installation_id, refused_id }) => [installation_id, refused_id]).sort(), [
          [0, 2],
          [1, 2],
        ])
        for (const node of nodes) {
          assert.isTrue(node.refused_because?.startsWith("the installed dataset broken cannot be opened: "))
        }
        yield* inProcess(rollBack(configured))
        yield* inProcess(Effect.all([running.refresh, started.refresh]))
        assert.deepStrictEqual([running.read().version, started.read().version], ["world.2", "world.2"])
        assert.deepStrictEqual([running.isPassedOver(), started.isPassedOver()], [false, false])
        assert.lengthOf(yield* storage.nodes.listBehind(3, START), 0)
        for (const node of yield* storage.nodes.listAlive(START)) assert.isNull(node.refused_id)
      }),
    )

    it.effect("is replaced without being opened: nobody is notified, and the installation is a repair", () =>
      Effect.gen(function* () {
        const { storage, inProcess } = yield* open
        yield* installUnchecked(OLD, storage)
        const bytes = encodeWorld({ version: "world.2", days: 30, visaFrom: "2026-09-01" })
        const tried = yield* inProcess(installDataset(configured, bytes, { isDryRun: true }))
        assert.deepStrictEqual([tried.before, tried.after, tried.events], ["broken", "world.2", []])
        const installed = yield* inProcess(installDataset(configured, bytes))
        assert.match(installed.passedOver ?? "", /^the installed dataset broken cannot be opened: /)
        assert.deepStrictEqual([installed.changes, installed.announced, installed.events], [[], [], []])
        assert.strictEqual((yield* storage.datasets.findNewest)?.kind, "repair")
        assert.deepStrictEqual(yield* storage.datasets.listRepairs, [new Date(START).toISOString()])
        // What its dated rules change is sent on its day, as for any dataset.
        assert.strictEqual(yield* storage.events.countDue(START), 0)
        assert.strictEqual(yield* storage.events.countDue(Date.parse("2026-09-01T00:00:00Z")), 1)
        // The next installation is compared as usual.
        const next = yield* inProcess(installDataset(configured, encodeWorld({ version: "world.3", days: 10 })))
        assert.deepStrictEqual([next.passedOver, next.changes.length], [null, 1])
        assert.strictEqual((yield* storage.datasets.findNewest)?.kind, "install")
      }),
    )

    it.effect("is not replaced by an older one unless that is forced", () =>
      Effect.gen(function* () {
        const { storage, inProcess } = yield* open
        yield* installUnchecked(OLD, storage)
        const older = encodeWorld({ version: "world.0", asOf: "2026-05-01", days: 30 })
        const refused = yield* Effect.flip(inProcess(installDataset(configured, older)))
        assert.strictEqual(
          refused.message,
          "dataset world.0 is of 2026-05-01, older than the current dataset broken of 2026-05-20; --force installs it all the same",
        )
        yield* inProcess(installDataset(configured, older, { isForced: true }))
        assert.strictEqual((yield* inProcess(openCurrentDataset(configured))).dataset.version, "world.0")
      }),
    )

    it.effect("is rolled back to the newest one before it that can be opened", () =>
      Effect.gen(function* () {
        const { storage, inProcess } = yield* open
        yield* inProcess(installDataset(configured, whole))
        for (const bytes of [OLD, flipped]) yield* installUnchecked(bytes, storage)
        const back = yield* inProcess(rollBack(configured))
        assert.deepStrictEqual([back.before, back.after, back.events], ["broken", "world.2", []])
        yield* inProcess(rollBack(configured))
        for (const bytes of [OLD, newer]) yield* installUnchecked(bytes, storage)
        assert.strictEqual((yield* inProcess(rollBack(configured))).after, "world.1")
      }),
    )

    it.effect("is no target of a rollback from one that works", () =>
      Effect.gen(function* () {
        const { storage, inProcess } = yield* open
        yield* installUnchecked(OLD, storage)
        yield* inProcess(installDataset(configured, whole))
        const refused = yield* Effect.flip(inProcess(rollBack(configured)))
        assert.match(refused.message, /^the installed dataset broken cannot be opened: /)
        assert.strictEqual((yield* inProcess(openCurrentDataset(configured))).dataset.version, "world.2")
      }),
    )

    it.live("is reported by a service that goes on, and every command of an operator works", () =>
      Effect.gen(function* () {
        const { databaseUrl, secret } = yield* makePlace
        const folder = yield* makeFolder
        const env = {
          LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90 }),
          LANDFALL_DATABASE_URL: databaseUrl,
          ...(secret === undefined ? {} : { LANDFALL_SECRET: Redacted.value(secret) }),
        }
        const services = yield* build(layerStorage(databaseUrl))
        yield* installUnchecked(OLD, Context.get(services, Storage))
        const running = yield* Effect.promise(() => startTestService({ env, folder }))
        yield* Scope.addFinalizer(yield* Scope.Scope, Effect.promise(running.stop))
        const ask = (path: string, headers = {}) => Effect.promise(() => running.ask(path, { headers }))
        const landfall = (...args: string[]) => Effect.promise(() => runCli(args, { env }))

        const ready = yield* ask("/readyz")
        assert.deepStrictEqual(
          [ready.status, ready.read()],
          [
            200,
            {
              status: "degraded",
              reason: "dataset_passed_over",
              message: "The installed dataset cannot be opened. Answers are from another one; the log says why.",
              dataset_version: "world.1",
            },
          ],
        )
        assert.match((yield* ask("/metrics")).text, /^landfall_dataset_passed_over 1$/m)
        assert.strictEqual((yield* ask("/api/v1/visa/check?passport=AAA&destination=CCC")).status, 200)

        assert.strictEqual((yield* landfall("operate", "installations")).status, 0)
        const tried = yield* landfall("dataset", "rollback", "--dry-run")
        assert.match(
          tried.stdout.replace(/\s+/g, " "),
          /^broken → world\.1: would be installed\. What changes is not known, because the installed dataset broken cannot be opened: .+ announced 0 devices 0 told – $/,
        )
        const installed = yield* landfall("dataset", "install", writeWorld(folder, { version: "world.2", days: 30 }))
        assert.deepStrictEqual([installed.status, installed.stderr], [0, ""])
        const repaired = yield* eventually(ask("/readyz"), reply => reply.read("status") === "ready")
        assert.deepStrictEqual(repaired.read(), { status: "ready", dataset_version: "world.2" })
        assert.match((yield* ask("/metrics")).text, /^landfall_dataset_passed_over 0$/m)
        const history = yield* ask("/policies/history?passport=AAA&destination=CCC", {
          authorization: `Bearer ${running.keys.pro}`,
        })
        assert.deepStrictEqual([history.read("count"), (history.read("gaps") as string[]).length], [0, 1])
      }),
    )
  })
}
