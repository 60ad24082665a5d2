/** What accounts and their limits have to do on every engine: run within the suite of storage, by several processes on one database. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Accounts } from "../../adapters/customers/accounts/accounts.ts"
import { MAXIMUM_TEAM_KEYS } from "../../adapters/customers/accounts/named-key-records.ts"
import { Meter } from "../../adapters/customers/metering/meter.ts"
import { DeploymentSecret } from "../../adapters/platform/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/platform/storage/migrations.ts"
import { Storage } from "../../adapters/platform/storage/storage.ts"
import { eventually } from "../eventually.ts"
import { callerWith } from "../metering/callers.ts"
import { build, startProcess } from "./deployment.ts"
import type { MakePlace } from "./storage-suite.ts"

const ana = { name: "Ana Lima", email: "ana@example.org", plan: "business", isConfirmed: true } as const

export function describeAccounts(makePlace: MakePlace): void {
  describe("accounts", () => {
    it.live("are the same in every process: one for an address, with one key, however many register at once", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const here = Context.get(yield* startProcess(place), Accounts)
        const there = Context.get(yield* startProcess(place), Accounts)
        const register = [here, there].flatMap(accounts =>
          Array.from({ length: 10 }, () => accounts.ensureAccount({ name: "Bo", email: "bo@example.org" })),
        )
        const all = yield* Effect.all(register, { concurrency: "unbounded" })
        assert.strictEqual(all.filter(made => made.isNew).length, 1)
        assert.strictEqual(new Set(all.map(made => made.key)).size, 1)
        assert.strictEqual((yield* there.findCaller(all[0]!.key!))?.accountId, all[0]!.account.id)
      }),
    )

    it.live("have unique addresses, and see a change made by another process", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const here = Context.get(yield* startProcess(place), Accounts)
        const there = Context.get(yield* startProcess(place), Accounts)
        const { account: made, key } = yield* here.createAccount(ana)
        const error = yield* Effect.flip(there.createAccount({ ...ana, email: "ANA@example.org" }))
        assert.strictEqual(error._tag, "EmailTaken")
        assert.isNotNull(yield* there.findCaller(key))
        yield* here.setPlan(made.id, "free")
        yield* here.setDisabled(made.id, true)
        assert.isNull(yield* eventually(there.findCaller(key), caller => caller === null))
        yield* here.setDisabled(made.id, false)
        const known = yield* eventually(there.findCaller(key), caller => caller !== null)
        assert.strictEqual(known?.plan.id, "free")
      }),
    )

    it.live(
      "have one key of their own when it is replaced many times at once, and no more team keys than they may",
      () =>
        Effect.gen(function* () {
          const place = yield* makePlace
          const here = Context.get(yield* startProcess(place), Accounts)
          const there = Context.get(yield* startProcess(place), Accounts)
          const { account: made } = yield* here.createAccount(ana)
          const both = (change: (accounts: Accounts["Service"]) => Effect.Effect<unknown, unknown>, times: number) =>
            Effect.all(
              Array.from({ length: times }, () => [here, there].map(accounts => Effect.exit(change(accounts)))).flat(),
              { concurrency: "unbounded" },
            )
          yield* both(accounts => accounts.regenerateKey(made.id), 5)
          for (let i = 0; i < MAXIMUM_TEAM_KEYS - 2; i++) yield* here.createTeamKey(made.id, `desk ${i}`)
          yield* both(accounts => accounts.createTeamKey(made.id, "one more"), 4)
          const active = (yield* here.listKeys(made.id)).filter(key => key.isActive)
          assert.strictEqual(active.filter(key => key.kind === "account").length, 1)
          assert.strictEqual(active.filter(key => key.kind === "team").length, MAXIMUM_TEAM_KEYS)
        }),
    )

    it.live("have keys with limits, whose use is counted, and an operator sees them", () =>
      Effect.gen(function* () {
        const services = yield* startProcess(yield* makePlace)
        const accounts = Context.get(services, Accounts)
        const meter = Context.get(services, Meter)
        const storage = Context.get(services, Storage)
        const { account: made } = yield* accounts.createAccount(ana)
        const expiresAt = Date.parse("2099-01-01T00:00:00Z")
        const limits = { scopes: ["visa"], expiresAt, allowedAddresses: ["192.0.2.0/24"] } as const
        const { accountKey, key } = yield* accounts.createKey(made.id, "Shop", limits)
        const rotated = yield* accounts.rotateKey(made.id, accountKey.id)
        assert.deepInclude(rotated.accountKey, { ...limits, name: "Shop" })
        const caller = yield* accounts.findCaller(key)
        assert.isNotNull(caller?.replacedAt)
        assert.isTrue(caller?.allowedFrom?.trusts("192.0.2.9"))
        const held = yield* meter.reserveLoaded(caller!, { charge: 3 })
        if (held.ok) held.commit()
        yield* meter.flush
        const page = yield* accounts.listKeyPage(made.id, { aboveId: 1, limit: 1 })
        assert.deepInclude(page[0], { id: accountKey.id, used: 3 })
        assert.strictEqual((page[0]?.lastUsedAt ?? 1) % 3_600_000, 0)
        const all = { beforeId: Number.MAX_SAFE_INTEGER, limit: 10 }
        const { operations, audit } = storage
        assert.deepInclude((yield* operations.listAccounts(all, "2026-11"))[0], { id: made.id, plan: "business" })
        assert.deepStrictEqual(yield* operations.listReceivers(all, { accountId: null, isFailing: true }), [])
        assert.deepStrictEqual(yield* operations.listReceivers(all, { accountId: made.id, isFailing: false }), [])
        assert.deepStrictEqual(yield* operations.listJobs(10), [])
        assert.lengthOf(yield* operations.countQueues, 4)
        assert.deepStrictEqual(yield* operations.listInstallations(all), [])
        assert.isArray(yield* operations.listNodes(10))
        assert.deepInclude((yield* audit.listBelow(made.id, all))[0], { action: "key_replaced" })
      }),
    )

    it.live("seal their keys with one secret, whose check value is written once", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const fingerprint = Effect.map(
          startProcess(place),
          services => Context.get(services, DeploymentSecret).deriveKey("test") as Uint8Array,
        )
        const [one, two] = yield* Effect.all([fingerprint, fingerprint], { concurrency: "unbounded" })
        assert.deepStrictEqual(one, two)
      }),
    )
  })

  describe("a limit", () => {
    const serve = (meter: Meter["Service"], caller: ReturnType<typeof callerWith>) =>
      Effect.map(meter.reserveLoaded(caller, { charge: 1 }), answer => {
        if (answer.ok) answer.commit()
        return answer.ok
      })

    it.live("of 100 serves exactly 100 of 1,000 requests at once in one process", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const storage = Context.get(yield* build(layerStorage(place.databaseUrl)), Storage)
        const meter = Context.get(yield* startProcess(place), Meter)
        const caller = callerWith({ requests: 100 })
        const answers = yield* Effect.all(
          Array.from({ length: 1_000 }, () => serve(meter, caller)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(answers.filter(isServed => isServed).length, 100)
        yield* meter.flush
        const month = { pool: "visa", period: new Date().toISOString().slice(0, 7) }
        const [total] = yield* storage.pools.addUsed(month, [{ subject: "1", used: 0 }])
        assert.strictEqual(total?.used, 100)
      }),
    )

    it.live("is never exceeded by three processes that serve it at once, and is used up completely", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const meters = yield* Effect.forEach([1, 2, 3], () =>
          Effect.map(startProcess(place), services => Context.get(services, Meter)),
        )
        const caller = callerWith({ requests: 143 })
        const serveAll = (meter: Meter["Service"]) =>
          Effect.gen(function* () {
            let served = 0
            while (yield* serve(meter, caller)) served++
            return served
          })
        const served = yield* Effect.forEach(meters, serveAll, { concurrency: "unbounded" })
        assert.strictEqual(
          served.reduce((sum, count) => sum + count, 0),
          143,
        )
      }),
    )
  })
}
