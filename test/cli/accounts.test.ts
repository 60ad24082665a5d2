import { existsSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { migrateDatabase } from "../../adapters/storage/migrations.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { eventually } from "../eventually.ts"
import { type DatabasePlace, makeDeployment, startProcess } from "../storage/deployment.ts"
import { NEWER_STEPS } from "../storage/newer-steps.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { runCli } from "./run.ts"

interface Ended {
  readonly stdout: string
  /** The error that it ended with, or null. */
  readonly error: { readonly exitCode: number; readonly message: string } | null
}

/** Runs a command on a deployment. */
const runOn = (place: DatabasePlace, ...args: string[]): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    const env = {
      LANDFALL_DATABASE_URL: place.databaseUrl,
      ...(place.secret === undefined ? {} : { LANDFALL_SECRET: Redacted.value(place.secret) }),
    }
    const { status, stdout, stderr } = await runCli(args, { env })
    const [, said = ""] = stderr.split("ERROR\n")
    const message = said.replace(/^ {2}|^Usage: .*$/gm, "").trim()
    return { stdout: stdout.trimEnd(), error: status === 0 ? null : { exitCode: status, message } }
  })

const makeTables = ({ databaseUrl }: DatabasePlace) => Effect.orDie(migrateDatabase(databaseUrl, { isCheck: false }))

/** A deployment on a file with its tables, as `landfall migrate` leaves it. */
const makeReady = Effect.tap(makeDeployment, makeTables)

const create = (place: DatabasePlace, ...more: string[]) =>
  runOn(place, "account", "create", "--name", "Ana Lima", "--email", "ana@example.org", ...more)

const readJson = <Shape>({ stdout, error }: Ended): Shape => {
  assert.isNull(error)
  return JSON.parse(stdout) as Shape
}

/** The number of an account, as a word of the command line. */
const numberOf = (made: Ended): string =>
  String(readJson<{ readonly account: { readonly id: number } }>(made).account.id)

/** The keys of an account, in the order of their making. */
const listKeys = (place: DatabasePlace, account: string) =>
  Effect.map(
    runOn(place, "account", "show", account, "--json"),
    shown => readJson<{ readonly keys: readonly WireKey[] }>(shown).keys,
  )

interface WireKey {
  readonly id: number
  readonly kind: string
  readonly is_active: boolean
  readonly key_prefix: string
}

describe("landfall account export and erase", () => {
  it.live("print the stored data and erase the person, and operate audit lists the changes", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const id = numberOf(yield* create(place, "--plan", "pro", "--json"))
      const [key] = yield* listKeys(place, id)
      yield* runOn(place, "operate", "set-plan", `account=${id}`, "plan=hobby", "--operator", "ana")
      const exported = readJson<{ data: { accounts: { email: string }[] } }>(
        yield* runOn(place, "account", "export", "ana@example.org"),
      )
      assert.strictEqual(exported.data.accounts[0]?.email, "ana@example.org")
      const { rows } = readJson<{ rows: { actor: string; action: string; detail: string }[] }>(
        yield* runOn(place, "operate", "audit", `account=${id}`, "--json"),
      )
      assert.deepStrictEqual(
        rows.map(({ actor, action, detail }) => [actor, action, detail]),
        [
          ["operator ana", "plan_changed", "pro to hobby"],
          ["operator", "account_made", `plan pro, key ${key?.id}`],
        ],
      )
      const erased = yield* runOn(place, "account", "erase", "ana@example.org")
      assert.isTrue(erased.stdout.startsWith(`Account ${id} is erased`), erased.stdout)
      const gone = yield* runOn(place, "account", "export", "ana@example.org")
      assert.strictEqual(gone.error?.message, "there is no account with the e-mail address ana@example.org")
      assert.notInclude((yield* runOn(place, "account", "export", id)).stdout, "ana@example.org")
      const nobody = yield* runOn(place, "account", "erase", "nobody@example.org")
      assert.deepStrictEqual(
        [nobody.error?.exitCode, nobody.error?.message, nobody.stdout],
        [1, "there is no account with the e-mail address nobody@example.org", ""],
      )
      const again = yield* runOn(place, "account", "erase", id)
      assert.strictEqual(again.error?.message, `there is no account with the number ${id}`)
    }).pipe(Effect.scoped),
  )
})

describe("every command of another version than the tables", () => {
  it.live("is refused in one sentence, and ends with 4", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const newer = migrateDatabase(place.databaseUrl, { isCheck: false })
      yield* Effect.provideService(newer, KnownSteps, NEWER_STEPS)
      const message = `the database (${place.databasePath}) cannot be used: it is newer than this version of landfall (its tables need step 2; this version knows 1): use the newer version, or restore a backup from before it`
      for (const args of [
        ["account", "show", "1"],
        ["key", "reveal", "1"],
        ["operate", "queues"],
        ["migrate"],
        ["migrate", "--check"],
      ]) {
        const { error, stdout } = yield* runOn(place, ...args)
        assert.deepStrictEqual(error, { exitCode: 4, message }, args.join(" "))
        assert.strictEqual(stdout, "")
        const { stdout: record } = yield* runOn(place, ...args, "--json")
        assert.deepInclude(JSON.parse(record).error, { code: "other_version", message, exit_code: 4 })
      }
    }).pipe(Effect.scoped),
  )
})

describe("landfall migrate", () => {
  it.live("says what it would do, does it, and has nothing to do then", () =>
    Effect.gen(function* () {
      const place = yield* Effect.tap(makeDeployment, ({ databasePath }) =>
        Effect.sync(() => writeFileSync(databasePath, "")),
      )
      const check = yield* runOn(place, "migrate", "--check")
      assert.strictEqual(check.stdout, `Step 1, "tables", is to be applied to ${place.databasePath}.`)
      assert.deepStrictEqual(check.error, {
        exitCode: 4,
        message: "this version cannot use the database as it is: run landfall migrate",
      })
      const done = `The tables of ${place.databasePath} are those of this version.`
      assert.deepStrictEqual(yield* runOn(place, "migrate"), { stdout: `applied: tables\n${done}`, error: null })
      assert.deepStrictEqual(yield* runOn(place, "migrate", "--check"), { stdout: done, error: null })
      assert.deepStrictEqual(readJson(yield* runOn(place, "migrate", "--json")), {
        applied: [],
        next: null,
        is_usable: true,
      })
    }).pipe(Effect.scoped),
  )
})

describe("landfall account", () => {
  it.live("makes the first account of an empty deployment, with a key that opens the service", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const { stdout, error } = yield* create(place, "--plan", "pro")
      assert.isNull(error)
      assert.match(stdout, /^Account \d{15} on the plan pro\.\n\nIts key: svc_visa_[A-Za-z0-9_-]{43}$/)
      const accounts = Context.get(yield* startProcess(place), Accounts)
      const caller = yield* accounts.findCaller(stdout.slice(stdout.indexOf("svc_visa_")))
      const accountId = Number(/\d+/.exec(stdout)?.[0])
      assert.deepInclude(caller, { accountId, isConfirmed: true, expiresAt: null })
      assert.strictEqual(caller?.plan.id, "pro")
    }),
  )

  it.live("shows and changes accounts, by number or address, for people and for machines", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const id = numberOf(yield* create(place, "--unconfirmed", "--json"))
      const bo = numberOf(
        yield* runOn(place, "account", "create", "--name", "Bo", "--email", "bo@example.org", "--json"),
      )
      const listed = (yield* runOn(place, "operate", "accounts")).stdout.split("\n").map(line => line.split(/ {2,}/))
      assert.deepStrictEqual(
        listed.map(row => row.slice(0, 4)).toSorted(),
        [
          ["account", "email", "plan", "state"],
          [id, "ana@example.org", "free", "unconfirmed"],
          [bo, "bo@example.org", "free", "confirmed"],
        ].toSorted(),
      )
      const changes = [
        [["set-version", id, "2026-03-01"], /^api version +2026-03-01$/m],
        [["set-version", id, "present"], /^api version +–$/m],
        [["disable", id], /^is disabled +yes$/m],
        [["enable", id], /^is disabled +no$/m],
      ] as const
      const confirmed = (yield* runOn(place, "account", "confirm", "ANA@example.org")).stdout
      assert.match(
        confirmed,
        /^is confirmed +yes\n(?:.*\n)*api key +svc_visa_[\w-]{43}\n\nEvery earlier key, session and webhook has ended\.$/m,
      )
      for (const [args, said] of changes) assert.match((yield* runOn(place, "account", ...args)).stdout, said)
      const shown = readJson<{ account: object; keys: readonly WireKey[]; used: readonly unknown[] }>(
        yield* runOn(place, "account", "show", id, "--json"),
      )
      assert.deepInclude(shown.account, { id: Number(id), plan: "free", is_confirmed: true, is_disabled: false })
      assert.strictEqual(shown.keys.length, 2)
      const moved = (yield* runOn(place, "account", "change-email", id, "lima@example.org")).stdout
      assert.match(
        moved,
        /^plan +free\nis confirmed +no\n(?:.*\n)*\nEvery earlier key, session and webhook has ended\./m,
      )
      assert.isFalse((yield* listKeys(place, id)).some(key => key.is_active))
      const taken = yield* runOn(place, "account", "change-email", id, "BO@example.org")
      assert.strictEqual(taken.error?.message, "there is an account with the e-mail address BO@example.org already")
      const none = yield* runOn(place, "account", "change-email", id, "<bo@example.org")
      assert.match(none.error?.message ?? "", /^email: an e-mail address is expected, not "<bo@example\.org"\./)
      assert.deepStrictEqual(shown.used, [])
      const said = (yield* runOn(place, "account", "show", bo)).stdout
      assert.match(said.replace(bo, "N"), /^id +N\nname +Bo\n/)
    }),
  )

  it.live("is noticed by a running service", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const made = readJson<{ account: { id: number }; api_key: string }>(yield* create(place, "--json"))
      const accounts = Context.get(yield* startProcess(place), Accounts)
      assert.isNotNull(yield* accounts.findCaller(made.api_key))
      yield* runOn(place, "account", "disable", String(made.account.id))
      assert.isNull(yield* eventually(accounts.findCaller(made.api_key), caller => caller === null))
    }),
  )

  it.live("works the same on PostgreSQL and on a file", () =>
    Effect.gen(function* () {
      const place = yield* Effect.tap(makePostgresDeployment, makeTables)
      const made = readJson<{ account: { id: number }; api_key: string }>(yield* create(place, "--json"))
      const [key] = yield* listKeys(place, String(made.account.id))
      assert.strictEqual((yield* runOn(place, "key", "reveal", String(key?.id))).stdout, made.api_key)
    }),
  )

  it.live.each([
    [
      ["show", "1"],
      /^there is no database file .*landfall\.db; LANDFALL_DATABASE_URL names the one to use, and landfall migrate makes one$/,
    ],
    [["create", "--name", "Ana", "--email", "nonsense"], /^--email: an e-mail address is expected, not "nonsense"\.$/],
    [
      ["create", "--name", "a\nb", "--email", "a@b.co"],
      /^--name: 1 to 100 characters on one line are expected, not "a\\nb"\.$/,
    ],
  ] as const)("refuses %j in one sentence, and makes no file", ([args, message]) =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const { error } = yield* runOn(place, "account", ...args)
      assert.match(error?.message ?? "", message)
      assert.isFalse(existsSync(place.databasePath))
    }),
  )

  it.live("reports an address in use and an account that does not exist", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      yield* create(place)
      const messages = []
      for (const args of [
        ["account", "create", "--name", "Eve", "--email", "ANA@example.org"],
        ["account", "show", "7"],
        ["account", "show", "9".repeat(30)],
        ["account", "confirm", "eve@example.org"],
        ["key", "rotate", "9"],
        ["key", "reveal", "9"],
      ]) {
        const { error, stdout } = yield* runOn(place, ...args)
        assert.deepStrictEqual([error?.exitCode, stdout], [1, ""])
        messages.push(error?.message)
      }
      assert.deepStrictEqual(messages, [
        "there is an account with the e-mail address ANA@example.org already",
        "there is no account with the number 7",
        `there is no account with the number ${"9".repeat(30)}`,
        "there is no account with the e-mail address eve@example.org",
        "there is no key 9",
        "there is no key 9",
      ])
    }),
  )
})

describe("landfall key", () => {
  it.live("makes team keys beside the first key, reveals and revokes each, and replaces the first key on request", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const made = yield* create(place, "--json")
      const { api_key: own } = readJson<{ api_key: string }>(made)
      const id = numberOf(made)
      const team = (yield* runOn(place, "key", "create", id, "--team", "Paris desk")).stdout
      assert.match(team, /^svc_visa_team_/)
      const [first, second] = yield* listKeys(place, id)
      assert.strictEqual((yield* runOn(place, "key", "reveal", String(second?.id))).stdout, team)
      const refused = yield* runOn(place, "key", "create", id)
      assert.strictEqual(
        refused.error?.message,
        `account ${id} has an active key: reveal it, or give --replace to revoke it and make another`,
      )
      const next = (yield* runOn(place, "key", "create", id, "--replace")).stdout
      assert.strictEqual(
        (yield* runOn(place, "operate", "end-key", `key=${second?.id}`)).stdout,
        `Key ${second?.id} of account ${id} no longer works.`,
      )
      const keys = yield* listKeys(place, id)
      const accounts = Context.get(yield* startProcess(place), Accounts)
      const caller = yield* accounts.findCaller(next)
      assert.deepStrictEqual(
        keys.map(({ id, kind, is_active }) => [id, kind, is_active]),
        [
          [first?.id, "account", false],
          [second?.id, "team", false],
          [caller?.keyId, "account", true],
        ],
      )
      assert.isNull(yield* accounts.findCaller(own))
      assert.isNull(yield* accounts.findCaller(team))
    }),
  )

  it.live("makes named keys, shows their scopes, and replaces them with an overlap", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const id = numberOf(yield* create(place, "--json"))
      const flags = ["--name", "Shop", "--scopes", "visa,lookup", "--expires", "2099-01-01", "--from", "192.0.2.0/24"]
      const shop = (yield* runOn(place, "key", "create", id, ...flags)).stdout
      const shopKey = String((yield* listKeys(place, id))[1]?.id)
      const next = (yield* runOn(place, "key", "rotate", shopKey)).stdout
      assert.strictEqual((yield* runOn(place, "key", "rotate", shopKey)).error?.message, `there is no key ${shopKey}`)
      const nextKey = (yield* listKeys(place, id))[2]?.id
      const table = (yield* runOn(place, "account", "show", id)).stdout
        .replace(shopKey, "K2")
        .replace(`${nextKey}`, "K3")
      assert.match(table, /K2 +named +Shop +svc_visa_\S+ +yes +\S+Z +visa, lookup +192\.0\.2\.0\/24 +\S+Z +0 +–/)
      assert.match(table, /K3 +named +Shop +svc_visa_\S+ +yes +2099-01-01T00:00:00.000Z/)
      const accounts = Context.get(yield* startProcess(place), Accounts)
      const expiresAt = Date.parse("2099-01-01T00:00:00Z")
      assert.deepInclude(yield* accounts.findCaller(next), {
        keyId: nextKey as number,
        scopes: ["visa", "lookup"],
        expiresAt,
      })
      assert.isNotNull((yield* accounts.findCaller(shop))?.replacedAt)
    }),
  )

  it.live("refuses --team together with --replace, an invalid name, and a key without scopes", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      for (const args of [
        ["--team", "desk", "--replace"],
        ["--team", " "],
        ["--name", "Shop"],
        ["--name", "Shop", "--scopes", "everything"],
        ["--name", "Shop", "--scopes", "visa", "--from", "here"],
        ["--name", "Shop", "--scopes", "visa", "--expires", "2001-01-01"],
        ["--scopes", "visa"],
      ]) {
        assert.strictEqual((yield* runOn(place, "key", "create", "1", ...args)).error?.exitCode, 2)
      }
    }),
  )
})

describe("landfall operate", () => {
  it.live("shows the views, and records the given operator's name", () =>
    Effect.gen(function* () {
      const place = yield* makeReady
      const id = numberOf(yield* create(place, "--json"))
      const operations = (yield* runOn(place, "operate")).stdout
      for (const name of ["receivers", "switch-on", "roll-back"]) assert.include(operations, name)
      const plan = yield* runOn(place, "operate", "set-plan", `account=${id}`, "plan=pro", "--operator", "ana")
      assert.strictEqual(plan.stdout, `Account ${id} is on the plan pro.`)
      const audit = readJson<{ readonly rows: readonly object[] }>(yield* runOn(place, "operate", "audit", "--json"))
      assert.deepInclude(audit.rows[0], { account: Number(id), actor: "operator ana", action: "plan_changed" })
      assert.match(
        (yield* runOn(place, "operate", "accounts")).stdout.replace(id, "N"),
        /N +\S+@\S+ +pro +confirmed +0/,
      )
      const refused = yield* runOn(place, "operate", "end-key", "key=9")
      assert.strictEqual(refused.error?.message, "there is no key 9")
      for (const args of [["passwords"], ["audit", "9"], ["audit", "user=1"], ["set-plan", "account=x", "plan=pro"]])
        assert.strictEqual((yield* runOn(place, "operate", ...args)).error?.exitCode, 2)
    }),
  )
})

describe("landfall account on a database of another kind", () => {
  it("ends with 1 and one record of the failure, without its password", async () => {
    const env = { LANDFALL_DATABASE_URL: "mysql://lucia:hunter2@db/visas" }
    const { status, stdout, stderr } = await runCli(["account", "show", "1", "--json"], { env })
    assert.deepStrictEqual([status, stderr], [1, ""])
    assert.include(JSON.parse(stdout).error.message, 'LANDFALL_DATABASE_URL: the scheme "mysql:" is not supported')
    assert.notInclude(stdout, "hunter2")
  })
})
