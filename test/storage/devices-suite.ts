/** What every engine has to do with devices and pushes: tokens sealed, who is told found by the database, claims that run out. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { chooseEvents, makePushWriter } from "../../adapters/events/followers/fan-out.ts"
import { Devices } from "../../adapters/push/devices.ts"
import type { PushMessage, PushOutcome, PushService } from "../../adapters/push/push-service.ts"
import { makePusher, PUSH_RETRIES } from "../../adapters/push/pusher.ts"
import { waitAfter } from "../../adapters/queue/queue-worker.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import type { EventRow } from "../../adapters/storage/datasets-repository.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { Platform } from "../../adapters/storage/tables.ts"
import { makeAccount } from "./account-row.ts"
import { build } from "./deployment.ts"
import { makeEvent } from "./event-row.ts"
import type { MakePlace } from "./storage-suite.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const TOKEN = "ab".repeat(32)

const event = (id: string, changes: Partial<EventRow> = {}): EventRow =>
  makeEvent(id, { created_at: START, due_at: START, fanned_out_at: START, ...changes })

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeDevices(makePlace: MakePlace, isWhole = true): void {
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const { databaseUrl, secret } = yield* makePlace
    const services = yield* build(
      Devices.layer(["apns"]).pipe(
        Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
        Layer.provideMerge(layerStorage(databaseUrl)),
      ),
    )
    const storage = Context.get(services, Storage)
    const devices = Context.get(services, Devices)
    const account = (name: string, isDisabled = false) =>
      Effect.gen(function* () {
        const id = yield* storage.accounts.nextAccountId
        const given = { name, email: `${name}@example.org`, plan: "free", is_disabled: isDisabled } as const
        yield* storage.accounts.insertUnique(makeAccount(id, given))
        return id
      })
    const inProcess = Effect.provideContext(services)
    const register = (
      accountId: number,
      given: Partial<{ token: string; platform: Platform; passports: string[]; destinations: string[] }> = {},
    ) =>
      devices.register(accountId, {
        token: given.token ?? TOKEN,
        platform: given.platform ?? "apns",
        lang: "en",
        codes: { passports: given.passports ?? [], destinations: given.destinations ?? [] },
      })
    const fanOut = (events: readonly EventRow[], platforms: readonly Platform[] = ["apns", "fcm"], nowMs = START) =>
      Effect.gen(function* () {
        yield* storage.events.insertAll(events)
        yield* storage.events.noteFannedOut(
          events.map(({ id }) => ({ id, handed_to: 0, fanned_out_at: nowMs, pushed_to: 0 })),
        )
        yield* Effect.repeat(yield* makePushWriter(platforms), { while: ({ isMore }) => isMore })
      }).pipe(inProcess)
    /** A service that answers as it is told, and remembers what it was sent. */
    const serve = (answer: (token: string, at: number) => PushOutcome, platform: Platform = "apns") => {
      const sent: { token: string; message: PushMessage }[] = []
      const service: PushService = {
        platform,
        send: (token, message) => Effect.sync(() => answer(token, sent.push({ token, message }))),
      }
      return { sent, service }
    }
    const push = (...pushed: readonly PushService[]) =>
      inProcess(Effect.scoped(Effect.flatMap(makePusher(pushed), ({ drain }) => drain)))
    return { account, devices, fanOut, inProcess, push, register, serve, storage }
  })

  describe("a device", () => {
    it.effect("is found by its token and never shows it: given again it is the same, with what was given last", () =>
      Effect.gen(function* () {
        const { account, register, storage } = yield* open
        const ana = yield* account("ana")
        const id = yield* register(ana, { passports: ["FRA", "DEU"] })
        assert.strictEqual(yield* register(ana, { destinations: ["JPN"] }), id)
        assert.deepStrictEqual(yield* storage.devices.listCodes(id), [
          { list: "destination", code: "JPN" },
          { list: "passport", code: "*" },
        ])
        const row = yield* storage.devices.find({ id, account_id: ana })
        assert.notInclude(JSON.stringify(row), TOKEN)
        assert.strictEqual(yield* storage.devices.count({ account_id: ana }), 1)
      }),
    )

    it.effect("is private to its account, and moves to another account with its token", () =>
      Effect.gen(function* () {
        const { account, devices, register } = yield* open
        const [ana, ben] = [yield* account("ana"), yield* account("ben")]
        const id = yield* register(ana)
        assert.isFalse(yield* devices.update(ben, id, { lang: "fr", codes: {} }))
        assert.isFalse(yield* devices.remove(ben, id))
        assert.isNull(yield* devices.findPlatform(ben, id))
        const moved = yield* register(ben)
        assert.notStrictEqual(moved, id)
        assert.isNull(yield* devices.findPlatform(ana, id))
        assert.isTrue(yield* devices.remove(ben, moved))
        assert.isFalse(yield* devices.remove(ben, moved))
      }),
    )

    it.effect("changes what is given and keeps the rest, a new token too", () =>
      Effect.gen(function* () {
        const { account, devices, fanOut, push, register, serve, storage } = yield* open
        const ana = yield* account("ana")
        const id = yield* register(ana, { passports: ["FRA"], destinations: ["JPN"] })
        const other = yield* register(ana, { token: "cd".repeat(32) })
        assert.isTrue(yield* devices.update(ana, id, { token: "cd".repeat(32), codes: { destinations: ["THA"] } }))
        assert.isNull(yield* devices.findPlatform(ana, other))
        assert.deepStrictEqual(
          (yield* storage.devices.listCodes(id)).map(({ code }) => code),
          ["THA", "FRA"],
        )
        const { sent, service } = serve(() => ({ kind: "sent" }))
        yield* fanOut([event("evt_1", { destination: "THA" }), event("evt_2")])
        yield* push(service)
        assert.deepStrictEqual(
          sent.map(({ token, message }) => [token, message.data.event_id]),
          [["cd".repeat(32), "evt_1"]],
        )
      }),
    )
  })

  describe("a push", () => {
    it.effect("is one for each pair: a newer change replaces a waiting one, also during its delivery", () =>
      Effect.gen(function* () {
        const { account, fanOut, push, register, serve, storage } = yield* open
        yield* register(yield* account("ana"))
        yield* fanOut([event("evt_1"), event("evt_2", { created_at: START + 1 })])
        yield* fanOut([event("evt_3")])
        assert.strictEqual(yield* storage.pushes.count, 1)
        const claim = { worker: "one", nowMs: START, leaseMs: 1_000, lanes: ["apns"], each: 10 }
        const [claimed] = yield* storage.pushes.claim(claim)
        assert.strictEqual(claimed?.event_id, "evt_3")
        yield* fanOut([event("evt_4")])
        const done = { ticket: claimed!, state: "done", counts: true, dueMs: START, note: {} } as const
        assert.strictEqual((yield* storage.pushes.settle("one", [done])).size, 0)
        const { sent, service } = serve(() => ({ kind: "sent" }))
        yield* push(service)
        assert.deepStrictEqual(
          sent.map(({ message }) => message.data.event_id),
          ["evt_4"],
        )
      }),
    )

    it.effect("of a process that died is sent by another one when its claim has expired, and not before", () =>
      Effect.gen(function* () {
        const { account, fanOut, push, register, serve, storage } = yield* open
        yield* register(yield* account("ana"))
        yield* fanOut([event("evt_1")])
        const claim = { worker: "dead", nowMs: START, leaseMs: 60_000, lanes: ["apns"], each: 10 }
        assert.lengthOf(yield* storage.pushes.claim(claim), 1)
        const { sent, service } = serve(() => ({ kind: "sent" }))
        yield* push(service)
        assert.lengthOf(sent, 0)
        yield* TestClock.adjust(60_000)
        yield* push(service)
        assert.deepStrictEqual(
          sent.map(({ message }) => message.data.event_id),
          ["evt_1"],
        )
        // What the dead one would write of another's claim is not its own.
        yield* fanOut([event("evt_2")], ["apns"], START + 60_000)
        const [alive] = yield* storage.pushes.claim({ ...claim, worker: "alive", nowMs: START + 60_000 })
        for (const state of ["done", "open"] as const) {
          const late = { ticket: alive!, state, counts: true, dueMs: 0, note: {} }
          assert.strictEqual((yield* storage.pushes.settle("dead", [late])).size, 0)
        }
        yield* storage.pushes.release("dead", [alive!])
        assert.strictEqual(yield* storage.pushes.count, 1)
        yield* push(service)
        assert.lengthOf(sent, 1)
      }),
    )

    it.effect("is written and sent once by several concurrent processes", () =>
      Effect.gen(function* () {
        const { account, fanOut, inProcess, register, serve, storage } = yield* open
        const ana = yield* account("ana")
        for (let at = 0; at < 40; at++) yield* register(ana, { token: (0x10_00 + at).toString(16).repeat(16) })
        const pairs = ["JPN", "THA", "USA"].map((destination, at) => event(`evt_${at}`, { destination }))
        yield* Effect.all([fanOut(pairs), fanOut(pairs.toReversed()), fanOut(pairs)], { concurrency: "unbounded" })
        assert.strictEqual(yield* storage.pushes.count, 120)
        const { sent, service } = serve(() => ({ kind: "sent" }))
        const drain = inProcess(Effect.scoped(Effect.flatMap(makePusher([service]), made => made.drain)))
        yield* Effect.all([drain, drain, drain], { concurrency: "unbounded" })
        assert.lengthOf(sent, 120)
        assert.strictEqual(new Set(sent.map(({ token, message }) => token + message.pair)).size, 120)
      }),
    )

    if (!isWhole) return

    it.effect("goes to the devices that follow the pair, of active accounts, on configured platforms", () =>
      Effect.gen(function* () {
        const { account, fanOut, push, register, serve, storage } = yield* open
        const [ana, off] = [yield* account("ana"), yield* account("off", true)]
        const token = (digit: string) => digit.repeat(64)
        yield* register(ana, { token: token("1"), passports: ["FRA"], destinations: ["JPN"] })
        yield* register(ana, { token: token("2"), passports: ["FRA"] })
        yield* register(ana, { token: token("3"), destinations: ["JPN", "THA"] })
        yield* register(ana, { token: token("4") })
        yield* register(ana, { token: token("5"), passports: ["DEU"], destinations: ["JPN"] })
        yield* register(ana, { token: token("6"), passports: ["FRA"], destinations: ["THA"] })
        yield* register(ana, { token: `${token("7")}:x`, platform: "fcm" })
        yield* register(off, { token: token("8") })
        yield* fanOut([event("evt_1")], ["apns"])
        const { sent, service } = serve(() => ({ kind: "sent" }))
        yield* push(service)
        // One of Google's follows it too, and is only not reached from here.
        assert.strictEqual((yield* storage.devices.listFollowing([event("evt_1")])).size, 5)
        assert.deepStrictEqual(sent.map(({ token }) => token[0]).toSorted(), ["1", "2", "3", "4"])
        const [{ message } = { message: null }] = sent
        assert.deepStrictEqual(message, {
          title: "Japan: The entry rule has changed",
          body: "France: Visa-free → E-visa",
          data: {
            event_id: "evt_1",
            type: "visa.policy_changed",
            passport: "FRA",
            destination: "JPN",
            effective_from: "2026-06-10",
          },
          pair: "visa-FRA-JPN",
          isUrgent: true,
          expiresMs: START + 3 * 86_400_000,
        })
        assert.strictEqual(yield* storage.pushes.count, 0)
      }),
    )

    it.effect("that is not accepted waits longer each time, and as long as the service asks", () =>
      Effect.gen(function* () {
        const { account, fanOut, push, register, serve } = yield* open
        yield* register(yield* account("ana"))
        yield* fanOut([event("evt_1")])
        let afterMs: number | null = null
        const { sent, service } = serve(() => ({ kind: "later", reason: "500", afterMs, isWhole: false }))
        const due = (waitMs: number) =>
          Effect.gen(function* () {
            const before = sent.length
            yield* TestClock.adjust(waitMs - 1)
            yield* push(service)
            assert.lengthOf(sent, before, `${waitMs} milliseconds have not passed`)
            yield* TestClock.adjust(1)
            yield* push(service)
            assert.lengthOf(sent, before + 1)
          })
        yield* push(service)
        yield* due(30_000)
        afterMs = 600_000
        yield* due(60_000)
        yield* due(600_000)
        assert.deepStrictEqual(
          [1, 2, 3, 20].map(attempt => waitAfter(PUSH_RETRIES, attempt, null)),
          [30_000, 60_000, 120_000, 3_600_000],
        )
      }),
    )

    it.effect("waits with all others of its platform if the service is unavailable, without counting an attempt", () =>
      Effect.gen(function* () {
        const { account, fanOut, inProcess, register, serve } = yield* open
        const ana = yield* account("ana")
        yield* register(ana)
        yield* register(ana, { token: `${"f".repeat(30)}:x`, platform: "fcm" })
        let isOpen = false
        const apple = serve(() => ({ kind: "sent" }))
        const google = serve(
          () => (isOpen ? { kind: "sent" } : { kind: "later", reason: "429", afterMs: 120_000, isWhole: true }),
          "fcm",
        )
        yield* inProcess(
          Effect.scoped(
            Effect.gen(function* () {
              const { drain } = yield* makePusher([apple.service, google.service])
              yield* fanOut([event("evt_1")])
              yield* drain
              yield* fanOut([event("evt_2", { destination: "THA" })])
              yield* drain
              assert.deepStrictEqual([apple.sent.length, google.sent.length], [2, 1])
              isOpen = true
              yield* TestClock.adjust(119_999)
              yield* drain
              assert.lengthOf(google.sent, 1)
              yield* TestClock.adjust(1)
              yield* drain
              assert.lengthOf(google.sent, 3)
            }),
          ),
        )
      }),
    )

    it.effect("to an invalid token removes the device, unless it was registered again since", () =>
      Effect.gen(function* () {
        const { account, devices, fanOut, push, register, serve } = yield* open
        const ana = yield* account("ana")
        const [gone, back] = ["1".repeat(64), "2".repeat(64)]
        const [first, second] = [yield* register(ana, { token: gone }), yield* register(ana, { token: back })]
        yield* fanOut([event("evt_1"), event("evt_2", { destination: "THA" })])
        const { service } = serve(token => ({ kind: "gone", sinceMs: token === gone ? null : START - 1 }))
        yield* push(service)
        assert.isNull(yield* devices.findPlatform(ana, first))
        assert.strictEqual(yield* devices.findPlatform(ana, second), "apns")
      }),
    )

    it.effect("that is being sent when its sender has to stop is completed, and recorded", () =>
      Effect.gen(function* () {
        const { account, fanOut, inProcess, register, storage } = yield* open
        yield* register(yield* account("ana"))
        yield* fanOut([event("evt_1")])
        const asked = yield* Deferred.make<void>()
        const answer = yield* Deferred.make<PushOutcome>()
        const send = () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer))
        const scope = yield* Scope.make()
        const started = Effect.provideService(makePusher([{ platform: "apns", send }]), Scope.Scope, scope)
        const { run } = yield* inProcess(started)
        yield* Effect.forkIn(run, scope)
        yield* Deferred.await(asked)
        const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        assert.strictEqual(yield* storage.pushes.count, 1)
        yield* Deferred.succeed(answer, { kind: "sent" })
        yield* Fiber.join(stopping)
        assert.strictEqual(yield* storage.pushes.count, 0)
      }),
    )

    it.effect("that is permanently refused is given up, and one that waited for three days is deleted", () =>
      Effect.gen(function* () {
        const { account, fanOut, inProcess, push, register, serve, storage } = yield* open
        yield* register(yield* account("ana"))
        yield* fanOut([event("evt_1")])
        yield* push(serve(() => ({ kind: "rejected", reason: "400" })).service)
        assert.strictEqual(yield* storage.pushes.count, 0)
        yield* fanOut([event("evt_2")])
        yield* TestClock.adjust(3 * 86_400_000 + 1)
        yield* inProcess(Effect.scoped(Effect.flatMap(makePusher([]), ({ sweep }) => sweep)))
        assert.strictEqual(yield* storage.pushes.count, 0)
      }),
    )
  })

  if (!isWhole) return
  it("of several events of a pair shows the current rule, else the last announcement, and no moved source", () => {
    const announced = event("evt_1", { type: "visa.policy_announced", effective_from: "2026-09-01" })
    const moved = event("evt_3", { type: "visa.source_updated" })
    const ids = (events: readonly EventRow[]) => chooseEvents(events).map(({ id }) => id)
    assert.deepStrictEqual(ids([announced, event("evt_2"), moved]), ["evt_2"])
    assert.deepStrictEqual(ids([event("evt_2"), announced]), ["evt_2"])
    assert.deepStrictEqual(ids([event("evt_2"), event("evt_4", { effective_from: "2026-06-11" })]), ["evt_4"])
    assert.deepStrictEqual(ids([moved]), [])
  })
}
