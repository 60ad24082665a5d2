/** Datasets, events and deliveries on every engine: one suite, for SQLite and PostgreSQL. The test sets the time. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeFanOut } from "../../adapters/events/followers/fan-out.ts"
import type { SubscriptionTerms } from "../../adapters/events/followers/subscription.ts"
import { installDataset, openCurrentDataset, planDatedEvents, rollBack } from "../../adapters/events/install-dataset.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { type DispatcherOptions, makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { type Dataset, openDataset, verifyDelivery } from "../../src/engine.ts"
import { makeAccount } from "../storage/account-row.ts"
import { build, type DatabasePlace } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { type Respond, startReceiver } from "../webhooks/receiver.ts"
import { encodeWorld } from "./datasets.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const EVERYTHING: SubscriptionTerms = {
  types: ["visa.policy_changed"],
  passports: [],
  destinations: [],
  severity: null,
}

const openWorld = (bytes: Uint8Array): Dataset => {
  const opened = openDataset(bytes)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const configured = openWorld(encodeWorld({ version: "world.1", days: 90 }))
const shorter = encodeWorld({ version: "world.2", days: 30 })

/** What delivering takes, without what counts requests: that wakes up every second, and a test moves the time by months. */
const layerDelivery = ({ databaseUrl, secret }: DatabasePlace) =>
  Webhooks.layer.pipe(
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
    Layer.provideMerge(layerStorage(databaseUrl)),
  )

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeChanges(makePlace: MakePlace, isWhole = true): void {
  /** A process of a new deployment with an account, at the day on which everything begins. */
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const place = yield* makePlace
    const services = yield* build(layerDelivery(place))
    const storage = Context.get(services, Storage)
    const webhooks = Context.get(services, Webhooks)
    const account = { id: yield* storage.accounts.nextAccountId }
    yield* storage.accounts.insertUnique(makeAccount(account.id))
    const inProcess = Effect.provideContext(services)
    const dispatch = (options: Partial<DispatcherOptions> = {}) =>
      inProcess(
        Effect.scoped(Effect.flatMap(makeDispatcher({ allowsPrivate: true, ...options }), ({ drain }) => drain)),
      )
    const sweep = inProcess(Effect.scoped(Effect.flatMap(makeDispatcher({ allowsPrivate: true }), made => made.sweep)))
    const subscribe = (url: string, terms = EVERYTHING) =>
      Effect.map(webhooks.create(account.id, { url, terms, description: "" }), made => ({ ...made, ...made.webhook }))
    return { account, storage, webhooks, inProcess, dispatch, subscribe, services, sweep }
  })
  const receive = (respond?: Respond) =>
    Effect.acquireRelease(
      Effect.promise(() => startReceiver(respond)),
      receiver => Effect.promise(() => receiver[Symbol.asyncDispose]()),
    )

  describe("installing", () => {
    it.effect("writes the dataset, its events and its dated events in one transaction, and once", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        const bytes = encodeWorld({ version: "world.2", days: 30, visaFrom: "2026-09-01" })
        const installed = yield* inProcess(installDataset(configured, bytes))
        assert.deepStrictEqual(
          installed.events.map(({ type, severity }) => [type, severity]),
          [
            ["visa.policy_changed", "major"],
            ["visa.policy_announced", "major"],
          ],
        )
        assert.strictEqual((yield* inProcess(openCurrentDataset(configured))).dataset.version, "world.2")
        const again = yield* Effect.flip(inProcess(installDataset(configured, bytes)))
        assert.strictEqual(again.message, "dataset world.2 is installed already")
        assert.strictEqual(yield* storage.events.countDue(START), 2)
        assert.strictEqual(yield* storage.events.countDue(Date.parse("2026-09-01T00:00:00Z")), 3)
      }),
    )

    it.effect("reports the events and writes nothing in a dry run", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        const tried = yield* inProcess(installDataset(configured, shorter, { isDryRun: true }))
        assert.strictEqual(tried.events.length, 1)
        assert.isNull(tried.installationId)
        assert.strictEqual(yield* storage.datasets.readRevision, 0)
        assert.strictEqual(yield* storage.events.countDue(START), 0)
      }),
    )

    it.effect("refuses a file that cannot be opened and an older dataset, and changes nothing", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        const broken = shorter.slice(0, 100)
        const refused = yield* Effect.flip(inProcess(installDataset(configured, broken)))
        assert.match(refused.message, /^The dataset is cut off/)
        const older = encodeWorld({ version: "world.0", asOf: "2026-05-01", days: 30 })
        const back = yield* Effect.flip(inProcess(installDataset(configured, older)))
        assert.strictEqual(
          back.message,
          "dataset world.0 is of 2026-05-01, older than the current dataset world.1 of 2026-06-01; --force installs it all the same",
        )
        assert.strictEqual(yield* storage.datasets.readRevision, 0)
        yield* inProcess(installDataset(configured, older, { isForced: true }))
        assert.strictEqual((yield* inProcess(openCurrentDataset(configured))).dataset.version, "world.0")
      }),
    )

    it.effect("notifies nobody of a correction, and lists it", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        yield* inProcess(installDataset(configured, shorter, { isCorrection: true }))
        assert.strictEqual(yield* storage.events.countDue(START), 0)
        const listed = yield* storage.events.listOfPair("AAA", "CCC", START)
        assert.deepStrictEqual(
          listed.map(({ type, is_correction }) => [type, is_correction]),
          [["visa.policy_changed", 1]],
        )
      }),
    )

    it.effect("is rolled back step by step, down to the configured dataset", () =>
      Effect.gen(function* () {
        const { inProcess } = yield* open
        const version = Effect.map(inProcess(openCurrentDataset(configured)), ({ dataset }) => dataset.version)
        yield* inProcess(installDataset(configured, shorter))
        yield* inProcess(installDataset(configured, encodeWorld({ version: "world.3", days: 10 })))
        const back = yield* inProcess(rollBack(configured))
        assert.deepStrictEqual([back.before, back.after, back.changes.length], ["world.3", "world.2", 1])
        yield* inProcess(rollBack(configured))
        assert.strictEqual(yield* version, "world.1")
        const end = yield* Effect.flip(inProcess(rollBack(configured)))
        assert.strictEqual(end.message, "there is no installation to roll back")
      }),
    )

    it.effect("of two at once, one fails with a request to retry or finds the other's", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        const other = encodeWorld({ version: "world.3", days: 10 })
        const exits = yield* Effect.all(
          [shorter, other].map(bytes => Effect.exit(inProcess(installDataset(configured, bytes)))),
          { concurrency: "unbounded" },
        )
        const done = exits.filter(Exit.isSuccess).length
        assert.isAtLeast(done, 1)
        assert.strictEqual(yield* storage.datasets.readRevision, done)
      }),
    )
  })

  describe("an announced change", () => {
    it.effect("is announced at once and sent once on its day, also if no process ran on that day", () =>
      Effect.gen(function* () {
        const { dispatch, inProcess, subscribe } = yield* open
        const receiver = yield* receive()
        yield* subscribe(receiver.url, { ...EVERYTHING, types: [] })
        const dated = encodeWorld({ version: "world.2", days: 90, visaFrom: "2026-06-12" })
        yield* inProcess(installDataset(configured, dated))
        yield* dispatch()
        const types = () => receiver.received.map(({ event }) => event.type).slice(1)
        assert.deepStrictEqual(types(), ["visa.policy_announced"])
        // The next process starts two days after the day.
        yield* TestClock.setTime(Date.parse("2026-06-14T08:00:00Z"))
        yield* inProcess(planDatedEvents(openWorld(dated)))
        yield* dispatch()
        yield* dispatch()
        assert.deepStrictEqual(types(), ["visa.policy_announced", "visa.policy_changed"])
        const { data } = receiver.received[2]!.event
        assert.strictEqual(data.effective_from, "2026-06-12T00:00:00Z")
        assert.deepStrictEqual(data.fields, ["requirement", "days"])
      }),
    )

    it.effect("that a later dataset takes back is not sent", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        yield* inProcess(installDataset(configured, encodeWorld({ version: "w.2", days: 90, visaFrom: "2026-09-01" })))
        yield* inProcess(installDataset(configured, encodeWorld({ version: "w.3", days: 90 })))
        yield* inProcess(Effect.flatMap(makeFanOut, fanOut => fanOut()))
        assert.strictEqual(yield* storage.events.countDue(Date.parse("2027-01-01T00:00:00Z")), 0)
      }),
    )

    it.effect("of the configured dataset is sent on its day too", () =>
      Effect.gen(function* () {
        const { inProcess, storage } = yield* open
        const dataset = openWorld(encodeWorld({ version: "world.1", days: 90, visaFrom: "2026-09-01" }))
        yield* inProcess(planDatedEvents(dataset))
        yield* inProcess(planDatedEvents(dataset))
        assert.strictEqual(yield* storage.events.countDue(START), 0)
        assert.strictEqual(yield* storage.events.countDue(Date.parse("2026-09-01T00:00:00Z")), 1)
      }),
    )
  })

  describe("a delivery", () => {
    /** A receiver that has accepted its ping, and one more delivery on the way. */
    const subscribed = (respond: Respond) =>
      Effect.gen(function* () {
        const opened = yield* open
        let isOpen = true
        const receiver = yield* receive((received, response) =>
          isOpen ? void response.writeHead(204).end() : respond(received, response),
        )
        const made = yield* opened.subscribe(receiver.url)
        yield* opened.dispatch()
        isOpen = false
        const list = opened.webhooks.listDeliveries(opened.account.id, made.id, {
          state: null,
          beforeId: 1e9,
          limit: 1,
        })
        const last = Effect.map(list, rows => rows![0]!)
        yield* opened.inProcess(installDataset(configured, shorter))
        return { ...opened, receiver, made, last }
      })

    it.effect("of a process that died is sent by another one when the claim has expired, and not before", () =>
      Effect.gen(function* () {
        const { dispatch, inProcess, receiver, storage } = yield* subscribed((_, response) =>
          response.writeHead(204).end(),
        )
        yield* inProcess(Effect.flatMap(makeFanOut, fanOut => fanOut()))
        const claim = { worker: "dead", nowMs: START, leaseMs: 30_000, lanes: [1], each: 10 }
        const [lost] = yield* storage.deliveries.claim(claim)
        assert.strictEqual(lost?.attempt, 1)
        yield* dispatch()
        assert.strictEqual(receiver.received.length, 1)
        yield* TestClock.adjust(30_000)
        yield* dispatch()
        assert.strictEqual(receiver.received.length, 2)
        // What the dead one would write of its claim is not its own any more.
        const note = { last_at: 0, last_status: null, last_error: "late", last_body: null }
        const late = { ticket: lost!, state: "open", counts: true, dueMs: 0, note } as const
        assert.strictEqual((yield* storage.deliveries.settle("dead", [late])).size, 0)
        yield* storage.deliveries.release("dead", [lost!])
        assert.strictEqual((yield* storage.deliveries.find(1, 2))?.state, "delivered")
      }),
    )

    if (!isWhole) return

    it.effect("that always fails is tried ten times on schedule, and stays undelivered until it is replayed", () =>
      Effect.gen(function* () {
        const { account, dispatch, last, made, receiver, webhooks } = yield* subscribed((_, response) =>
          response.writeHead(500).end("no"),
        )
        yield* dispatch()
        for (const waitSeconds of [30, 300, 1_800, ...Array.from({ length: 6 }, () => 21_600)]) {
          const before = receiver.received.length
          yield* TestClock.adjust((waitSeconds - 1) * 1_000)
          yield* dispatch()
          assert.strictEqual(receiver.received.length, before, `${waitSeconds} seconds have not passed`)
          yield* TestClock.adjust(1_000)
          yield* dispatch()
          assert.strictEqual(receiver.received.length, before + 1)
        }
        const dead = yield* last
        assert.deepStrictEqual(
          [dead.state, dead.attempt, dead.last_status, dead.last_error, dead.last_body],
          ["undelivered", 10, 500, "answered 500", "no"],
        )
        assert.strictEqual(new Set(receiver.received.slice(1).map(({ event }) => event.id)).size, 1)
        yield* TestClock.adjust(86_400_000)
        yield* dispatch()
        assert.strictEqual(receiver.received.length, 11)
        const replayed = yield* webhooks.replay(account.id, made.id, dead.id)
        assert.deepStrictEqual([replayed?.state, replayed?.attempt, replayed?.event_id], ["pending", 0, dead.event_id])
        yield* dispatch()
        assert.strictEqual((yield* last).attempt, 1)
      }),
    )

    it.effect("waits longer if the receiver asks for it, and never shorter", () =>
      Effect.gen(function* () {
        let after = "120"
        const { dispatch, last } = yield* subscribed((_, response) =>
          response.writeHead(503, { "retry-after": after }).end(),
        )
        yield* dispatch()
        assert.strictEqual((yield* last).due_at - START, 120_000)
        after = "5"
        yield* TestClock.adjust(120_000)
        yield* dispatch()
        assert.strictEqual((yield* last).due_at - START, 120_000 + 300_000)
      }),
    )

    it.effect("that is redirected has failed, and no redirect is followed", () =>
      Effect.gen(function* () {
        const { dispatch, last, receiver } = yield* subscribed((_, response) =>
          response.writeHead(302, { location: "/elsewhere" }).end(),
        )
        yield* dispatch()
        assert.strictEqual((yield* last).last_error, "a redirect is not followed")
        assert.strictEqual(receiver.received.length, 2)
      }),
    )

    it.effect("keeps 4 KiB of the answer", () =>
      Effect.gen(function* () {
        const { dispatch, last } = yield* subscribed((_, response) => response.writeHead(400).end("x".repeat(100_000)))
        yield* dispatch()
        assert.strictEqual((yield* last).last_body?.length, 4_096)
      }),
    )

    it.effect("that is answered 410 disables its subscription, and the list shows it", () =>
      Effect.gen(function* () {
        const { account, dispatch, last, made, receiver, webhooks } = yield* subscribed((_, response) =>
          response.writeHead(410).end(),
        )
        yield* dispatch()
        const listed = yield* webhooks.find(account.id, made.id)
        assert.deepStrictEqual([listed?.isActive, listed?.disabledBecause], [false, "the endpoint answered 410"])
        assert.strictEqual(listed?.lastDelivery?.last_status, 410)
        assert.strictEqual((yield* last).state, "undelivered")
        yield* webhooks.ping(account.id, made.id)
        yield* dispatch()
        assert.strictEqual(receiver.received.length, 2)
      }),
    )

    it.effect("is signed by both secrets for a day after the secret was changed", () =>
      Effect.gen(function* () {
        const { account, dispatch, subscribe, webhooks } = yield* open
        const receiver = yield* receive()
        const { id, secret: old } = yield* subscribe(receiver.url)
        const rotated = yield* webhooks.rotateSecret(account.id, id)
        const ping = Effect.gen(function* () {
          yield* webhooks.ping(account.id, id)
          yield* dispatch()
          const { headers, body } = receiver.received.at(-1)!
          const nowSeconds = Number(headers["webhook-timestamp"])
          return [old, rotated!.secret].map(
            secret => verifyDelivery({ headers: headers as never, body, secrets: [secret], nowSeconds }).ok,
          )
        })
        assert.deepStrictEqual(yield* ping, [true, true])
        yield* TestClock.adjust(86_400_000)
        assert.deepStrictEqual(yield* ping, [false, true])
      }),
    )

    it.effect("is kept for thirty days", () =>
      Effect.gen(function* () {
        const { dispatch, last, sweep } = yield* subscribed((_, response) => response.writeHead(204).end())
        yield* dispatch()
        yield* TestClock.adjust(30 * 86_400_000)
        yield* sweep
        assert.strictEqual((yield* last).state, "delivered")
        yield* TestClock.adjust(1)
        yield* sweep
        assert.isUndefined(yield* last)
      }),
    )
  })
}
