import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts, MAXIMUM_AGE_MS, MAXIMUM_TEAM_KEYS, REVALIDATION_MS } from "../../adapters/accounts/accounts.ts"
import { isApiKey, makeApiKey, SCOPES, TEAM_KEY_SCOPES } from "../../adapters/accounts/key-limits.ts"
import { type Deployment, inProcess, makeDeployment, startProcess } from "../storage/deployment.ts"
import { ana } from "./people.ts"

/** A test over one process of a new deployment. */
const withAccounts = <E>(test: (accounts: Accounts["Service"], deployment: Deployment) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const deployment = yield* makeDeployment
    yield* Effect.flatMap(Accounts, accounts => test(accounts, deployment)).pipe(inProcess(deployment))
  })

const revokeFirst = (accounts: Accounts["Service"], accountId: number) =>
  Effect.flatMap(accounts.listKeys(accountId), ([first]) => accounts.revokeKey(first!.id))

const teamPage = { kind: "team", aboveId: 0, limit: 1_000 } as const

const readEveryByte = (folder: string) =>
  Buffer.concat(readdirSync(folder).map(name => readFileSync(join(folder, name)))).toString("latin1")

describe("accounts", () => {
  it.effect("identifies a caller by the key that was made, with its plan", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account, key } = yield* accounts.createAccount(ana)
        assert.match(key, /^svc_visa_[A-Za-z0-9_-]{43}$/)
        const caller = yield* accounts.findCaller(key)
        assert.strictEqual(caller?.accountId, account.id)
        assert.strictEqual(caller?.plan.id, "business")
        assert.isTrue(caller?.isConfirmed)
        assert.deepStrictEqual(caller?.scopes, SCOPES)
      }),
    ),
  )

  it.effect("identifies a caller that was seen before without asking the database", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { key } = yield* accounts.createAccount(ana)
        assert.isUndefined(accounts.peekCaller(key, 0))
        const caller = yield* accounts.findCaller(key)
        assert.strictEqual(accounts.peekCaller(key, 0), caller ?? undefined)
      }),
    ),
  )

  it.effect("rejects a key that is invented, shortened, lengthened or malformed", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { key } = yield* accounts.createAccount(ana)
        const strangers = ["", key.slice(0, -1), `${key}A`, ` ${key}`, `${key}\n`, key.toUpperCase(), "__proto__"]
        const invented = [makeApiKey("account"), makeApiKey("team"), "svc_visa_".padEnd(10_000, "A")]
        for (const stranger of [...strangers, ...invented]) {
          assert.isNull(yield* accounts.findCaller(stranger))
          assert.isUndefined(accounts.peekCaller(stranger, 0))
        }
      }),
    ),
  )

  it.effect("accepts an e-mail address once, regardless of case", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account } = yield* accounts.createAccount(ana)
        const error = yield* Effect.flip(accounts.createAccount({ ...ana, email: "ANA@Example.org" }))
        assert.strictEqual(error._tag, "EmailTaken")
        assert.deepStrictEqual(yield* accounts.findAccountByEmail("Ana@Example.ORG"), account)
      }),
    ),
  )

  it.effect("returns the same account and key on a second registration", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const first = yield* accounts.ensureAccount({ name: "Bo", email: "bo@example.org" })
        assert.isTrue(first.isNew)
        assert.strictEqual(first.account.plan, "free")
        assert.isFalse(first.account.isConfirmed)
        const again = yield* accounts.ensureAccount({ name: "Somebody", email: "BO@example.org" })
        assert.deepStrictEqual(again, { ...first, isNew: false })
      }),
    ),
  )

  it.effect("makes one account when the same person registers many times at once", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const register = accounts.ensureAccount({ name: "Bo", email: "bo@example.org" })
        const all = yield* Effect.all(
          Array.from({ length: 40 }, () => register),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(all.filter(made => made.isNew).length, 1)
        assert.strictEqual(new Set(all.map(made => made.key)).size, 1)
      }),
    ),
  )

  it.effect("makes a new key when the address is confirmed or changed, and ends every earlier key", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account, key } = yield* accounts.ensureAccount({ name: "Bo", email: "bo@example.org" })
        const team = yield* accounts.createTeamKey(account.id, "desk")
        for (const one of [key!, team.key]) assert.isNotNull(yield* accounts.findCaller(one))
        const confirmed = yield* accounts.confirmEmail(account.id)
        for (const one of [key!, team.key]) assert.isNull(yield* accounts.findCaller(one))
        assert.strictEqual(yield* accounts.revealKey(account.id), confirmed)
        assert.isNull(yield* accounts.confirmEmail(account.id))
        const second = yield* accounts.createTeamKey(account.id, "desk")
        yield* accounts.createAccount({ ...ana, email: "taken@example.org" })
        const taken = yield* Effect.flip(accounts.changeEmail(account.id, "TAKEN@example.org"))
        assert.strictEqual(taken._tag, "EmailTaken")
        assert.isNotNull(yield* accounts.findCaller(confirmed!))
        yield* accounts.changeEmail(account.id, "bob@example.org")
        for (const one of [confirmed!, second.key]) assert.isNull(yield* accounts.findCaller(one))
        const changed = yield* accounts.findAccountByEmail("bob@example.org")
        assert.deepInclude(changed, { id: account.id, isConfirmed: false })
        assert.isNull(yield* accounts.revealKey(account.id))
      }),
    ),
  )

  it.effect("applies a confirmed address and a changed plan at the next request", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account, key } = yield* accounts.ensureAccount({ name: "Bo", email: "bo@example.org" })
        assert.isFalse((yield* accounts.findCaller(key!))?.isConfirmed)
        const own = (yield* accounts.confirmEmail(account.id))!
        yield* accounts.findCaller(own)
        yield* accounts.setPlan(account.id, "pro")
        assert.isUndefined(accounts.peekCaller(own, 0))
        const caller = yield* accounts.findCaller(own)
        assert.isTrue(caller?.isConfirmed)
        assert.strictEqual(caller?.plan.id, "pro")
      }),
    ),
  )

  it.effect("replaces a key: the old one is unknown at once, the new one works, team keys stay valid", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account, key } = yield* accounts.createAccount(ana)
        const team = yield* accounts.createTeamKey(account.id, "desk")
        yield* accounts.findCaller(key)
        const { key: next, otherKeys: teamKeys } = yield* accounts.regenerateKey(account.id)
        assert.deepStrictEqual(teamKeys, [team.accountKey])
        assert.isUndefined(accounts.peekCaller(key, 0))
        assert.isNull(yield* accounts.findCaller(key))
        assert.strictEqual((yield* accounts.findCaller(next))?.accountId, account.id)
        assert.strictEqual((yield* accounts.findCaller(team.key))?.accountId, account.id)
        assert.strictEqual(yield* accounts.revealKey(account.id), next)
      }),
    ),
  )

  it.effect("ends team keys with the replaced key on request", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account } = yield* accounts.createAccount(ana)
        const team = yield* accounts.createTeamKey(account.id, "desk")
        const ended = yield* accounts.createTeamKey(account.id, "old")
        yield* accounts.endKey(account.id, ended.accountKey.id, "team")
        const { otherKeys: teamKeys } = yield* accounts.regenerateKey(account.id, { endsTeamKeys: true })
        assert.deepStrictEqual(teamKeys, [{ ...team.accountKey, isActive: false }])
        assert.isNull(yield* accounts.findCaller(team.key))
      }),
    ),
  )

  it.effect("never reveals or returns a deactivated key", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account, key } = yield* accounts.createAccount(ana)
        yield* revokeFirst(accounts, account.id)
        assert.isNull(yield* accounts.findCaller(key))
        assert.isNull(yield* accounts.revealKey(account.id))
        assert.isNull((yield* accounts.ensureAccount(ana)).key)
      }),
    ),
  )

  it.effect("reports an account that does not exist", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const attempts: readonly Effect.Effect<unknown, { readonly _tag: string }>[] = [
          accounts.regenerateKey(99),
          accounts.revealKey(99),
          accounts.confirmEmail(99),
          accounts.setPlan(99, "pro"),
          accounts.createTeamKey(99, "desk"),
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt))._tag, "AccountNotFound")
        assert.isNull(yield* accounts.findAccount(99))
        assert.isNull(yield* accounts.findAccountByEmail("nobody@example.org"))
        assert.deepStrictEqual(yield* accounts.listKeyPage(99, teamPage), [])
      }),
    ),
  )
})

describe("team keys", () => {
  it.effect("act for their owner's account on its plan", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account } = yield* accounts.createAccount(ana)
        const { key, accountKey: teamKey } = yield* accounts.createTeamKey(account.id, "desk")
        assert.match(key, /^svc_visa_team_[A-Za-z0-9_-]{43}$/)
        assert.strictEqual(teamKey.keyPrefix, key.slice(0, 20))
        const caller = yield* accounts.findCaller(key)
        assert.deepStrictEqual(caller?.scopes, TEAM_KEY_SCOPES)
        assert.strictEqual(caller?.accountId, account.id)
        assert.strictEqual(caller?.plan.id, "business")
      }),
    ),
  )

  it.effect("are deactivated permanently, keep their record, and can be deactivated again", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account } = yield* accounts.createAccount(ana)
        const { key, accountKey: teamKey } = yield* accounts.createTeamKey(account.id, "desk")
        yield* accounts.findCaller(key)
        const deactivated = yield* accounts.endKey(account.id, teamKey.id, "team")
        assert.deepStrictEqual(deactivated, { ...teamKey, isActive: false })
        assert.deepStrictEqual(yield* accounts.endKey(account.id, teamKey.id, "team"), deactivated)
        assert.isNull(yield* accounts.findCaller(key))
        assert.deepStrictEqual(yield* accounts.listKeyPage(account.id, teamPage), [deactivated])
      }),
    ),
  )

  it.effect("cannot be deactivated by another account, nor can the account's own key", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const owner = yield* accounts.createAccount(ana)
        const stranger = yield* accounts.createAccount({ ...ana, email: "eve@example.org" })
        const { key, accountKey: teamKey } = yield* accounts.createTeamKey(owner.account.id, "desk")
        const ownKeyId = (yield* accounts.findCaller(owner.key))!.keyId
        for (const attempt of [
          accounts.endKey(stranger.account.id, teamKey.id, "team"),
          accounts.endKey(owner.account.id, ownKeyId, "team"),
        ]) {
          assert.strictEqual((yield* Effect.flip(attempt))._tag, "NoSuchKey")
        }
        assert.isNotNull(yield* accounts.findCaller(key))
        assert.isNotNull(yield* accounts.findCaller(owner.key))
      }),
    ),
  )

  it.effect("are limited in number; a deactivated one does not count", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { account } = yield* accounts.createAccount(ana)
        for (let i = 1; i <= MAXIMUM_TEAM_KEYS; i++) yield* accounts.createTeamKey(account.id, `desk ${i}`)
        const error = yield* Effect.flip(accounts.createTeamKey(account.id, "one more"))
        assert.strictEqual(error._tag, "TooManyKeys")
        const [oldest] = yield* accounts.listKeyPage(account.id, teamPage)
        yield* accounts.endKey(account.id, oldest!.id, "team")
        yield* accounts.createTeamKey(account.id, "one more")
      }),
    ),
  )
})

describe("several processes", () => {
  const seeOther = (deployment: Deployment) =>
    Effect.gen(function* () {
      const here = Context.get(yield* startProcess(deployment), Accounts)
      const there = Context.get(yield* startProcess(deployment), Accounts)
      return { here, there }
    })

  it.effect("notice within a second that another process deactivated a key", () =>
    Effect.gen(function* () {
      const { here, there } = yield* seeOther(yield* makeDeployment)
      const { account, key } = yield* here.createAccount(ana)
      assert.isNotNull(yield* there.findCaller(key))
      yield* revokeFirst(here, account.id)
      yield* TestClock.adjust(REVALIDATION_MS)
      assert.isUndefined(there.peekCaller(key, REVALIDATION_MS))
      assert.isNull(yield* there.findCaller(key))
    }),
  )

  it.effect("know a key that another process made at once", () =>
    Effect.gen(function* () {
      const { here, there } = yield* seeOther(yield* makeDeployment)
      const { account, key } = yield* here.createAccount(ana)
      const team = yield* here.createTeamKey(account.id, "desk")
      assert.strictEqual((yield* there.findCaller(key))?.accountId, account.id)
      assert.strictEqual((yield* there.findCaller(team.key))?.accountId, account.id)
    }),
  )

  it.effect("keep their callers in the cache as long as nothing changes", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { key } = yield* accounts.createAccount(ana)
        yield* accounts.findCaller(key)
        yield* TestClock.adjust("10 minutes")
        assert.isDefined(accounts.peekCaller(key, 600_000))
      }),
    ),
  )

  it.effect("stop trusting cached callers when the revision was not compared for long", () =>
    withAccounts(accounts =>
      Effect.gen(function* () {
        const { key } = yield* accounts.createAccount(ana)
        yield* accounts.findCaller(key)
        assert.isDefined(accounts.peekCaller(key, MAXIMUM_AGE_MS))
        assert.isUndefined(accounts.peekCaller(key, MAXIMUM_AGE_MS + 1))
        assert.isNotNull(yield* accounts.findCaller(key))
      }),
    ),
  )
})

describe("keys at rest", () => {
  it.effect("are not in the database's files, nor can they be found there without the secret", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        const { account, key } = yield* accounts.createAccount(ana)
        const team = yield* accounts.createTeamKey(account.id, "desk")
        yield* accounts.findCaller(key)
        const bytes = readEveryByte(deployment.folder)
        assert.include(bytes, "ana@example.org")
        for (const secret of [key, team.key]) {
          const random = secret.slice(-43)
          assert.notInclude(bytes, random)
          assert.notInclude(bytes, random.slice(0, 12))
          assert.notInclude(bytes, Buffer.from(random, "base64url").toString("latin1"))
          assert.notInclude(bytes, Buffer.from(secret).toString("base64").slice(0, 40))
        }
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("do not open in another row: a swapped row is a fault, not somebody else's key", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const { account } = yield* accounts.createAccount(ana)
        const other = yield* accounts.createAccount({ ...ana, email: "eve@example.org" })
        yield* sql`UPDATE api_keys SET sealed_key = (SELECT sealed_key FROM api_keys WHERE account_id = ${account.id})
          WHERE account_id = ${other.account.id}`
        const exit = yield* Effect.exit(accounts.revealKey(other.account.id))
        assert.include(String(exit), "does not open")
      }).pipe(inProcess(yield* makeDeployment))
    }),
  )
})

describe("logs", () => {
  it.effect("hold neither keys nor addresses, also when the database fails", () =>
    Effect.gen(function* () {
      const lines: string[] = []
      const collector = Logger.make(({ message, cause }) => {
        lines.push(`${JSON.stringify(message)} ${String(cause)} ${[message].flat().map(String).join(" ")}`)
      })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const { account, key } = yield* accounts.createAccount(ana)
        yield* accounts.createTeamKey(account.id, "desk")
        yield* accounts.findCaller(key)
        yield* Effect.ignore(accounts.createAccount(ana))
        yield* accounts.regenerateKey(account.id)
        yield* sql`ALTER TABLE counters RENAME TO lost`
        yield* TestClock.adjust(REVALIDATION_MS)
        const fault = yield* Effect.flip(Effect.sandbox(accounts.createAccount({ ...ana, email: "eve@example.org" })))
        lines.push(`${Cause.pretty(fault)} ${JSON.stringify(fault)}`)
      }).pipe(
        inProcess(yield* makeDeployment),
        Effect.provide(Logger.layer([collector])),
        Effect.provideService(References.MinimumLogLevel, "All"),
      )
      assert.isTrue(lines.some(line => line.includes("revision cannot be read")))
      assert.notMatch(lines.join("\n"), /svc_visa_|@example|desk|Ana/)
    }),
  )
})

describe("isApiKey", () => {
  it("accepts every key that is made", () => {
    for (let i = 0; i < 500; i++) {
      assert.isTrue(isApiKey(makeApiKey("account")))
      assert.isTrue(isApiKey(makeApiKey("team")))
    }
  })
})
