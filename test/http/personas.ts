/**
 * Everybody who asks in the contract tests: an account of each plan, one that has spent its month, one that has not confirmed its
 * address, a team key, a key that was deactivated, one that has expired, one for lookups only, a test key, and whoever has no key at all.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { SCOPES, TEAM_KEY_SCOPES } from "../../adapters/accounts/key-limits.ts"
import { Sessions } from "../../adapters/accounts/sessions.ts"
import { PLAN_IDS, type PlanId } from "../../adapters/settings/feature-options.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { formatUtcDay, utcDayAt, utcMonthAt } from "../../adapters/time/utc-calendar.ts"
import { inProcess } from "../storage/deployment.ts"
import { type Ask, makeFolder, startTestService, type TestOptions } from "./service.ts"

/** Who has a key. */
export type Persona = PlanId | "spent" | "unconfirmed" | "team" | "deactivated" | "expired" | "lookup only" | "test"

/** This month and the next, for a test that runs at midnight on the last day. */
const aroundNow = Effect.map(Clock.currentTimeMillis, nowMs => [
  utcMonthAt(nowMs),
  utcMonthAt(utcMonthAt(nowMs).endsAt),
])

/**
 * Makes the accounts in a folder's database, before any service runs there; answers their keys. The months that are spent are those
 * around now, or that of an instant.
 */
export function makePersonas(folder: string, spentAt?: number): Promise<Readonly<Record<Persona, string>>> {
  const databasePath = join(folder, "landfall.db")
  const make = Effect.gen(function* () {
    const accounts = yield* Accounts
    const sql = yield* SqlClient.SqlClient
    const create = (name: string, plan: PlanId, isConfirmed = true) =>
      accounts.createAccount({ name, email: `${name}@example.org`, plan, isConfirmed })
    const keys: Partial<Record<Persona, string>> = {}
    for (const plan of PLAN_IDS) keys[plan] = (yield* create(plan, plan)).key
    keys.unconfirmed = (yield* create("unconfirmed", "free", false)).key

    const spent = yield* create("spent", "business")
    keys.spent = spent.key
    for (const month of spentAt === undefined ? yield* aroundNow : [utcMonthAt(spentAt)])
      for (const pool of ["visa", "spots"])
        yield* sql`INSERT INTO pool_counts (subject, pool, day, used)
          VALUES (${String(spent.account.id)}, ${pool}, ${`${month.name}-01`}, 1000000)`
    const day = formatUtcDay(utcDayAt(spentAt ?? (yield* Clock.currentTimeMillis)))
    yield* sql`INSERT INTO pool_counts (subject, pool, day, used)
      VALUES (${String(spent.account.id)}, 'lookup', ${day}, 10000000)`

    const owner = yield* create("owner", "business")
    const limits = { scopes: SCOPES, allowedAddresses: [], expiresAt: null }
    keys.expired = (yield* accounts.createKey(owner.account.id, "Old", { ...limits, expiresAt: 1 })).key
    keys["lookup only"] = (yield* accounts.createKey(owner.account.id, "App", { ...limits, scopes: ["lookup"] })).key
    keys.team = (yield* accounts.createTeamKey(owner.account.id, "Paris desk")).key
    keys.deactivated = owner.key
    const [first] = yield* accounts.listKeys(owner.account.id)
    yield* accounts.revokeKey(first!.id)
    const ofTest = { ...limits, scopes: TEAM_KEY_SCOPES, mode: "test" } as const
    keys.test = (yield* accounts.createKey(owner.account.id, "Sandbox", ofTest)).key
    return keys as Record<Persona, string>
  })
  return Effect.runPromise(
    Effect.scoped(make.pipe(inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }))),
  )
}

/** Makes a session of each account, and one that has ended; answers their tokens. */
export function makeSessions(folder: string): Promise<Readonly<Record<string, string>>> {
  const databasePath = join(folder, "landfall.db")
  const make = Effect.gen(function* () {
    const storage = yield* Storage
    const sessions = yield* Sessions
    const tokens: Record<string, string> = {}
    for (const account of yield* storage.accounts.list({}, { order: ["id"] })) {
      const name = account.email.split("@")[0] as string
      tokens[name === "owner" ? "deactivated" : name] = yield* sessions.begin(account.id)
    }
    tokens.ended = yield* sessions.begin(1)
    yield* sessions.end(tokens.ended)
    return tokens
  })
  return Effect.runPromise(
    Effect.scoped(
      make.pipe(
        Effect.provide(Sessions.layer),
        inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }),
      ),
    ),
  )
}

/** Starts a service with an account and a session of each, and asks with their keys. */
export async function startWithPersonas(options: Omit<TestOptions, "folder"> = {}) {
  const folder = makeFolder()
  const keys = await makePersonas(folder, options.stoppedAt)
  const sessions = await makeSessions(folder)
  const running = await startTestService({ ...options, folder })
  return {
    ...running,
    keys,
    sessions,
    askAs: (persona: Persona, path: string, { headers, ...rest }: Ask = {}) =>
      running.ask(path, { ...rest, headers: { "x-api-key": keys[persona], ...headers } }),
    [Symbol.asyncDispose]: async () => {
      await running.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
