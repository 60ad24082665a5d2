/** What accounts and their limits have to do on every engine: run within the suite of storage, by several processes on one database. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts, MAXIMUM_ENDED_KEYS, MAXIMUM_TEAM_KEYS } from "../../adapters/accounts/accounts.ts"
import { makeAttempts } from "../../adapters/accounts/attempts.ts"
import { actingAs } from "../../adapters/accounts/audit-trail.ts"
import { Affiliates } from "../../adapters/billing/affiliates.ts"
import { Meter } from "../../adapters/quota/meter.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { MAXIMUM_LINES } from "../../adapters/storage/accounts-repository.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { eventually } from "../eventually.ts"
import { callerWith } from "../quota/callers.ts"
import { build, layerAccounts, layerProcess, startProcess } from "./deployment.ts"
import type { MakePlace } from "./storage-suite.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const DAY = 86_400_000
const ana = { name: "Ana Lima", email: "ana@example.org", plan: "business", isConfirmed: true } as const

/** All of it; else what depends on the locks and statements of the engine, where another one is asked the rest. */
export function describeAccounts(makePlace: MakePlace, isWhole = true): void {
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
        const sql = Context.get(services, SqlClient.SqlClient)
        // Numbers as deployments give them are beyond 32 bits.
        for (const name of ["accounts_id", "api_keys_id", "audit_trail_id"])
          yield* sql`INSERT INTO counters (name, value) VALUES (${name}, ${2 ** 46})`
        const { account: made } = yield* accounts.createAccount(ana)
        const expiresAt = Date.parse("2099-01-01T00:00:00Z")
        const limits = { scopes: ["visa"], expiresAt, allowedAddresses: ["192.0.2.0/24"] } as const
        const { accountKey, key } = yield* accounts.createKey(made.id, "Shop", limits)
        const rotated = yield* accounts.rotateKey(made.id, accountKey.id)
        assert.deepInclude(rotated.accountKey, { ...limits, name: "Shop" })
        const caller = yield* accounts.findCaller(key)
        assert.isNotNull(caller?.replacedAt)
        assert.isTrue(caller?.allowedFrom?.trusts("192.0.2.9"))
        const list = accounts.listKeyPage(made.id, { aboveId: 2 ** 46 + 1, limit: 1 })
        // Nothing waits when a flush ends, also of what another one had taken: much, so that it is still being written.
        for (const id of [accountKey.id, ...Array.from({ length: 5_000 }, (_, at) => at)]) meter.noteKey(id, Date.now())
        const [, noted] = yield* Effect.all([meter.flush, Effect.andThen(meter.flush, list)], {
          concurrency: "unbounded",
        })
        assert.isNumber(noted[0]?.lastUsedAt)
        const held = yield* meter.reserveLoaded(caller!, { charge: 3 })
        if (held.ok) held.commit()
        yield* meter.flush
        const page = yield* list
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
        yield* storage.transact(
          storage.deliveries.insertAll(
            [{ event_id: "evt_1", type: "a", body: "{}", webhookIds: [7, 8], account_id: 1 }],
            1_000,
          ),
        )
        const countMade = (nowMs: number) =>
          Effect.map(operations.countDay(nowMs), rows => [Number(rows[0]?.last), Number(rows[0]?.before), rows.length])
        const dayMs = 86_400_000
        assert.deepStrictEqual(yield* countMade(1_000), [0, 0, 6])
        assert.deepStrictEqual(yield* countMade(1_001), [2, 0, 6])
        assert.deepStrictEqual(yield* countMade(1_001 + dayMs), [0, 2, 6])
        assert.deepStrictEqual(yield* countMade(1_001 + 2 * dayMs), [0, 0, 6])
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

    it.live("of 100 serves exactly 100 of 300 requests at once in one process", () =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const storage = Context.get(yield* build(layerStorage(place.databaseUrl)), Storage)
        const meter = Context.get(yield* startProcess(place), Meter)
        const caller = callerWith({ requests: 100 })
        const answers = yield* Effect.all(
          Array.from({ length: 300 }, () => serve(meter, caller)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(answers.filter(isServed => isServed).length, 100)
        yield* meter.flush
        const [total] = yield* storage.pools.listUsed("1")
        assert.deepInclude(total, { pool: "visa", used: 100 })
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

  if (!isWhole) return

  describe("what is kept of an account", () => {
    it.live("is its last 200 ended keys and the last lines of its audit trail", () =>
      Effect.gen(function* () {
        const process = yield* startProcess(yield* makePlace)
        const accounts = Context.get(process, Accounts)
        const { audit } = Context.get(process, Storage)
        const { account } = yield* accounts.createAccount(ana)
        const other = yield* accounts.createAccount({ ...ana, email: "bo@example.org" })
        for (let at = 0; at < MAXIMUM_ENDED_KEYS + 5; at++) yield* accounts.regenerateKey(account.id)
        const keys = yield* accounts.listKeys(account.id)
        // The last one that was replaced ended after the list was cut.
        assert.isAtMost(keys.filter(({ isActive }) => !isActive).length, MAXIMUM_ENDED_KEYS)
        assert.strictEqual(keys.filter(({ isActive }) => isActive).length, 1)
        assert.isNotNull(yield* accounts.findCaller(other.key))

        const sql = Context.get(process, SqlClient.SqlClient)
        yield* sql`WITH RECURSIVE lines (line) AS (SELECT 1 UNION ALL SELECT line + 1 FROM lines WHERE line < ${sql.literal(String(MAXIMUM_LINES))})
          INSERT INTO audit_trail (id, account_id, at, actor, action, detail)
          SELECT -line, ${account.id}, '', 'owner', 'key_made', '' FROM lines`
        yield* accounts.setPlan(account.id, "pro")
        const lines = yield* audit.list({ account_id: account.id }, { order: ["id"] })
        assert.lengthOf(lines, MAXIMUM_LINES)
        assert.strictEqual(lines.at(-1)?.action, "plan_changed")
        assert.lengthOf(yield* audit.list({ account_id: other.account.id }, { order: ["id"] }), 1)
      }),
    )
  })

  describe("a referral that anybody claims", () => {
    const open = Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const place = yield* makePlace
      const process = yield* build(Affiliates.layer.pipe(Layer.provideMerge(layerProcess(place))))
      const accounts = Context.get(process, Accounts)
      const affiliates = Context.get(process, Affiliates)
      const storage = Context.get(process, Storage)
      const affiliate = (email: string) => Effect.map(affiliates.register("Ira", email), ({ id }) => id)
      const findReferral = (id: number) => Effect.map(storage.affiliates.findReferral(id), found => found?.referred_by)
      return { accounts, affiliate, affiliates, findReferral, storage }
    })
    const unconfirmed = { ...ana, plan: "free", isConfirmed: false } as const

    it.effect("counts when the address is confirmed that was not when it was claimed; the first one stays", () =>
      Effect.gen(function* () {
        const { accounts, affiliate, affiliates, findReferral, storage } = yield* open
        const [first, second] = [yield* affiliate("ira@example.org"), yield* affiliate("jan@example.org")]
        const { account } = yield* accounts.createAccount(unconfirmed)
        assert.isFalse(yield* affiliates.claim("aff_00000000", account.email))
        assert.isTrue(yield* affiliates.claim(first, "ANA@example.org"))
        assert.isTrue(yield* affiliates.claim(second, account.email))
        assert.isUndefined(yield* findReferral(account.id))
        yield* accounts.confirmEmail(account.id)
        assert.strictEqual(yield* findReferral(account.id), first)
        assert.isUndefined(yield* storage.affiliates.takeClaim(account.id))
        assert.deepStrictEqual(yield* affiliates.refer(account, second), { kind: "referred_before", by: first })
      }),
    )

    it.effect("does not count for an address that is confirmed, has no account yet, or is the affiliate's own", () =>
      Effect.gen(function* () {
        const { accounts, affiliate, affiliates, findReferral } = yield* open
        const [code, own] = [yield* affiliate("ira@example.org"), yield* affiliate("a.n.a+shop@example.org")]
        const confirmed = yield* accounts.createAccount({ ...ana, email: "bo@example.org" })
        assert.isTrue(yield* affiliates.claim(code, "bo@example.org"))
        assert.isTrue(yield* affiliates.claim(code, "eve@example.org"))
        const late = yield* accounts.createAccount({ ...unconfirmed, email: "eve@example.org" })
        yield* accounts.confirmEmail(late.account.id)
        for (const { account } of [confirmed, late]) assert.isUndefined(yield* findReferral(account.id))
        // One that does not count does not stand in the way of one that does.
        const { account } = yield* accounts.createAccount(unconfirmed)
        assert.isTrue(yield* affiliates.claim(own, account.email))
        assert.isTrue(yield* affiliates.claim(code, account.email))
        yield* accounts.confirmEmail(account.id)
        assert.strictEqual(yield* findReferral(account.id), code)
      }),
    )

    it.effect("is forgotten with a change of the address, and after 30 days", () =>
      Effect.gen(function* () {
        const { accounts, affiliate, affiliates, findReferral, storage } = yield* open
        const code = yield* affiliate("ira@example.org")
        const { account } = yield* accounts.createAccount(unconfirmed)
        yield* affiliates.claim(code, account.email)
        yield* accounts.changeEmail(account.id, "ana@example.net")
        yield* accounts.confirmEmail(account.id)
        assert.isUndefined(yield* findReferral(account.id))
        const other = yield* accounts.createAccount({ ...unconfirmed, email: "bo@example.org" })
        yield* affiliates.claim(code, "bo@example.org")
        yield* storage.sweep(START + 30 * DAY + 1)
        yield* accounts.confirmEmail(other.account.id)
        assert.isUndefined(yield* findReferral(other.account.id))
      }),
    )

    it.effect("is declined by the owner, who may then name another one", () =>
      Effect.gen(function* () {
        const { accounts, affiliate, affiliates, findReferral, storage } = yield* open
        const [first, second] = [yield* affiliate("ira@example.org"), yield* affiliate("jan@example.org")]
        const { account } = yield* accounts.createAccount(unconfirmed)
        yield* affiliates.claim(first, account.email)
        yield* accounts.confirmEmail(account.id)
        yield* affiliates.decline(account.id).pipe(actingAs("owner"))
        yield* affiliates.decline(account.id).pipe(actingAs("owner"))
        assert.isUndefined(yield* findReferral(account.id))
        const lines = yield* storage.audit.list({ account_id: account.id }, { order: ["id"] })
        assert.strictEqual(lines.filter(({ action }) => action === "referral_declined").length, 1)
        assert.isTrue(yield* affiliates.claim(first, account.email))
        assert.isUndefined(yield* findReferral(account.id))
        assert.deepStrictEqual(yield* affiliates.refer(account, second), { kind: "referred", by: second })
      }),
    )
  })

  describe("what is stored for a time", () => {
    it.effect("is deleted after it: unconfirmed accounts with all that is theirs, and affiliates without a click", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(START)
        const process = yield* build(Affiliates.layer.pipe(Layer.provideMerge(layerProcess(yield* makePlace))))
        const accounts = Context.get(process, Accounts)
        const affiliates = Context.get(process, Affiliates)
        const storage = Context.get(process, Storage)
        const register = (email: string) =>
          Effect.map(accounts.ensureAccount({ name: "Bo", email }).pipe(actingAs("owner")), ({ account }) => account.id)
        const ids = [
          yield* register("a@example.org"),
          yield* register("b@example.org"),
          yield* register("c@example.org"),
        ]
        yield* accounts.confirmEmail(ids[1]!)
        yield* accounts.changeEmail(ids[2]!, "d@example.org").pipe(actingAs("operator"))
        const byOperator = yield* accounts
          .createAccount({ ...ana, plan: "free", isConfirmed: false })
          .pipe(actingAs("operator"))
        const unused = (yield* affiliates.register("Ira", "ira@example.org")).id
        const used = (yield* affiliates.register("Jan", "jan@example.org")).id
        yield* affiliates.click(used, "198.51.100.1")
        const after = new Date(START + 1).toISOString()
        assert.strictEqual(yield* storage.accountData.forgetUnconfirmed(new Date(START).toISOString(), 10), 0)
        assert.strictEqual(yield* storage.accountData.forgetUnconfirmed(after, 10), 1)
        assert.strictEqual(yield* storage.accountData.forgetUnconfirmed(after, 10), 0)
        const left = yield* storage.accounts.list({}, { order: ["id"] })
        assert.deepStrictEqual(
          left.map(({ id }) => id),
          [ids[1], ids[2], byOperator.account.id],
        )
        assert.lengthOf(yield* storage.audit.list({ account_id: ids[0]! }, { order: ["id"] }), 0)
        yield* storage.sweep(START + 400 * DAY)
        assert.isDefined(yield* storage.affiliates.find({ id: unused }))
        yield* storage.sweep(START + 400 * DAY + 1)
        assert.isUndefined(yield* storage.affiliates.find({ id: unused }))
        assert.isDefined(yield* storage.affiliates.find({ id: used }))
      }),
    )

    it.effect("is counted by the hour; an attempt that counts several times is allowed while something is left", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(START)
        // Without a meter, which would save every half second of the hour.
        const process = yield* build(layerAccounts(yield* makePlace))
        const { limit } = makeAttempts(Context.get(process, Storage), Context.get(process, DeploymentSecret))
        yield* limit("send", "1", 0)
        yield* limit("send", "1", 59)
        yield* limit("send", "1", 100)
        const refused = yield* Effect.flip(limit("send", "1"))
        assert.deepInclude(refused, { _tag: "TriedTooOften", retryAfterSeconds: 3_600 })
        yield* limit("send", "2")
        yield* TestClock.setTime(START + 3_600_000)
        yield* limit("send", "1")
      }),
    )
  })
}
