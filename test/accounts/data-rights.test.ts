import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts, exportAccount } from "../../adapters/accounts/accounts.ts"
import { actingAs } from "../../adapters/accounts/audit-trail.ts"
import { ACCOUNT_TABLES } from "../../adapters/storage/account-data-repository.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { inProcess, makeDeployment } from "../storage/deployment.ts"

const ana = { name: "Ana Lima", email: "ana@example.org", plan: "business", isConfirmed: true } as const

/** Tables that belong to no account. */
const NOT_OF_ACCOUNTS = [
  // Counted under hashes, and deleted after an hour.
  "attempts",
  // The leases of a process, which end with it.
]

const inDeployment = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(makeDeployment, place => inProcess(place)(work)))

describe("what is kept of an account", () => {
  it.live("is in the list of tables, which has every table that names an account", () =>
    inDeployment(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = yield* sql<{
          name: string
          sql: string
        }>`SELECT name, sql FROM sqlite_master WHERE type = 'table'`
        const naming = tables.filter(({ sql: text }) =>
          /\b(account_id|subject|webhook_id|device_id|key_id|job_id|email)\b/.test(text),
        )
        assert.sameMembers(
          naming.map(({ name }) => name),
          [...ACCOUNT_TABLES.map(({ table }) => table), ...NOT_OF_ACCOUNTS],
        )
        for (const { table, columns } of ACCOUNT_TABLES) {
          const secret = columns.split(", ").filter(column => /hash|sealed|claim|folded/.test(column))
          assert.deepStrictEqual(secret, [], table)
        }
      }),
    ),
  )

  it.live("is exported completely, without keys and secrets", () =>
    inDeployment(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { account, key } = yield* accounts.createAccount(ana)
        const team = yield* accounts.createTeamKey(account.id, "Paris desk").pipe(actingAs("key"))
        yield* accounts.setPlan(account.id, "pro").pipe(actingAs("operator"))
        const { data } = yield* exportAccount(account.id, 0)
        assert.deepStrictEqual(data.accounts?.[0], {
          id: account.id,
          name: "Ana Lima",
          email: "ana@example.org",
          plan: "pro",
          is_confirmed: 1,
          is_disabled: 0,
          api_version: null,
          language: null,
          created_at: account.createdAt,
          referred_by: null,
          referred_at: null,
        })
        const lines = data.audit_trail as readonly {
          readonly actor: string
          readonly action: string
          readonly detail: string
        }[]
        assert.deepStrictEqual(
          lines.map(({ actor, action, detail }) => [actor, action, detail]),
          [
            ["service", "account_made", "plan business, key 1"],
            ["key", "team_key_made", "key 2"],
            ["operator", "plan_changed", "business to pro"],
          ],
        )
        const text = JSON.stringify(data)
        for (const secret of [key, team.key]) assert.notInclude(text, secret)
      }),
    ),
  )
})

describe("erasing an account", () => {
  it.live("keeps counts and the audit trail under its number, without personal data", () =>
    inDeployment(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const sql = yield* SqlClient.SqlClient
        const { account, key } = yield* accounts.createAccount(ana)
        const { key: other } = yield* accounts.createAccount({ ...ana, email: "bea@example.org" })
        yield* sql`INSERT INTO pool_counts (subject, pool, day, used) VALUES (${String(account.id)}, 'visa', '2026-11-01', 7)`
        yield* sql`INSERT INTO sessions (token_hash, account_id, created_at, expires_at) VALUES ('h', ${account.id}, 0, 9e12)`
        assert.isNotNull(yield* accounts.findCaller(key))
        yield* accounts.erase(account.id).pipe(actingAs("owner"))

        assert.isNull(yield* accounts.findCaller(key))
        assert.isNotNull(yield* accounts.findCaller(other))
        assert.isNull(yield* accounts.findAccountByEmail("ana@example.org"))
        const { data } = yield* exportAccount(account.id, 0)
        assert.deepStrictEqual(data.pool_counts, [{ pool: "visa", day: "2026-11-01", used: 7 }])
        assert.deepStrictEqual(data.api_keys, [])
        assert.deepStrictEqual(data.sessions, [])
        assert.include(JSON.stringify(data.audit_trail), `"actor":"owner","action":"erased"`)
        assert.notMatch(JSON.stringify(data), /ana|lima/i)
        // The address is free again, for another account.
        const again = yield* accounts.createAccount(ana)
        assert.notStrictEqual(again.account.id, account.id)
      }),
    ),
  )

  it.live("is all or nothing", () =>
    inDeployment(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { transact } = yield* Storage
        const { account, key } = yield* accounts.createAccount(ana)
        yield* Effect.exit(transact(Effect.andThen(accounts.erase(account.id), Effect.fail("no"))))
        assert.isNotNull(yield* accounts.findCaller(key))
        assert.strictEqual((yield* accounts.findAccount(account.id))?.email, "ana@example.org")
      }),
    ),
  )
})
