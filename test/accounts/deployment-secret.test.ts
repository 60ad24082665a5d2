import { execFile } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, Redacted } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { deriveKey, sealText, unsealText } from "../../adapters/secrets/sealing.ts"
import { layerStorage, migrateDatabase } from "../../adapters/storage/migrations.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { build, type Deployment, inProcess, makeDeployment, startProcess } from "../storage/deployment.ts"

const secretOf = (byte: number, length = 32) => Redacted.make(Buffer.alloc(length, byte).toString("base64"))

const start = (deployment: Deployment, secret?: Redacted.Redacted<string>) =>
  Effect.asVoid(DeploymentSecret).pipe(inProcess(deployment, secret))

const refusal = (deployment: Deployment, secret?: Redacted.Redacted<string>) =>
  Effect.flip(start(deployment, secret)).pipe(
    Effect.map(error => {
      assert.strictEqual(error._tag, "SecretRefused")
      return error as Extract<typeof error, { _tag: "SecretRefused" }>
    }),
  )

const secretFile = (deployment: Deployment) => `${deployment.databasePath}.secret`

describe("the deployment's secret", () => {
  it.effect("is made at the first start beside the database: 32 random bytes for its owner alone", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment)
      const text = readFileSync(secretFile(deployment), "utf8")
      assert.match(text, /^[A-Za-z0-9+/]{43}=\n$/)
      assert.strictEqual(statSync(secretFile(deployment)).mode & 0o777, 0o600)
      yield* start(deployment)
      assert.strictEqual(readFileSync(secretFile(deployment), "utf8"), text)
      assert.isFalse(readdirSync(deployment.folder).some(name => name.endsWith(".part")))
    }),
  )

  it.effect("beside a database that was truncated or deleted stops the start, which makes no new one", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment)
      const { databasePath } = deployment
      const losses = { empty: () => truncateSync(databasePath), missing: () => rmSync(databasePath) }
      for (const [found, lose] of Object.entries(losses)) {
        lose()
        for (const rest of ["-wal", "-shm"]) rmSync(databasePath + rest, { force: true })
        for (const work of [start(deployment), migrateDatabase(deployment.databaseUrl, { isCheck: false })]) {
          const error = yield* Effect.flip(work as Effect.Effect<unknown, Error>)
          const message = `the database (${databasePath}) cannot be used: it is ${found}, but there is ${databasePath}.secret: the database was lost or truncated. Restore a backup; or remove the secret, and begin with an empty database`
          assert.strictEqual(error.message, message)
          assert.strictEqual(existsSync(databasePath), found === "empty")
        }
      }
      unlinkSync(secretFile(deployment))
      yield* start(deployment)
    }),
  )

  it.effect("is taken from the configuration without any file being made", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment, secretOf(1))
      assert.isFalse(existsSync(secretFile(deployment)))
      yield* start(deployment, Redacted.make(` ${Redacted.value(secretOf(1))}\n`))
    }),
  )

  it.effect.each([
    ["too short", Buffer.alloc(31, 7).toString("base64"), "LANDFALL_SECRET holds 31 bytes"],
    ["not base64", "correct horse battery staple!!", "LANDFALL_SECRET is not base64"],
    ["empty", "", "LANDFALL_SECRET is not base64"],
  ] as const)("is refused when it is %s, and is not repeated", ([, secret, found]) =>
    Effect.gen(function* () {
      const error = yield* refusal(yield* makeDeployment, Redacted.make(secret))
      assert.strictEqual(error.reason, "malformed")
      assert.strictEqual(
        error.message,
        `${found}; expected at least 32 random bytes in base64 (make one with: openssl rand -base64 32)`,
      )
    }),
  )

  it.effect("is refused from a file that was cut off", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* Effect.scoped(build(layerStorage(deployment.databaseUrl)))
      writeFileSync(secretFile(deployment), "AAAA", { mode: 0o600 })
      const error = yield* refusal(deployment)
      assert.strictEqual(error.reason, "malformed")
      assert.include(error.message, secretFile(deployment))
    }),
  )

  it.effect("is replaced by another one: both work for a while, and then the new one alone", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const [old, both, next] = [
        secretOf(1),
        Redacted.make(`${Redacted.value(secretOf(2))},${Redacted.value(secretOf(1))}`),
        secretOf(2),
      ]
      const create = Effect.gen(function* () {
        const accounts = yield* Accounts
        const owner = { name: "Ana", email: "ana@example.org", plan: "pro", isConfirmed: true } as const
        return (yield* accounts.createAccount(owner)).key
      })
      const key = yield* create.pipe(inProcess(deployment, old))
      const knows = Effect.gen(function* () {
        const accounts = yield* Accounts
        const found = yield* accounts.findCaller(key)
        return [found?.accountId, yield* accounts.revealKey(1)]
      })
      for (const secret of [old, both, old, both, next, next]) {
        assert.deepStrictEqual(yield* knows.pipe(inProcess(deployment, secret)), [1, key])
      }
      // The first start with the new one alone has ended the old one.
      assert.strictEqual((yield* refusal(deployment, old)).reason, "wrong")
      assert.deepStrictEqual(yield* knows.pipe(inProcess(deployment, both)), [1, key])
    }),
  )

  it.effect("is replaced in its file by a new line above the old one", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment)
      const old = readFileSync(secretFile(deployment), "utf8")
      writeFileSync(secretFile(deployment), `${Redacted.value(secretOf(3))}\n${old}`)
      yield* start(deployment)
      writeFileSync(secretFile(deployment), Redacted.value(secretOf(3)))
      yield* start(deployment)
      writeFileSync(secretFile(deployment), old)
      assert.strictEqual((yield* refusal(deployment)).reason, "wrong")
      writeFileSync(secretFile(deployment), old.repeat(3))
      assert.match((yield* refusal(deployment)).message, /holds 3 secrets, at most 2; expected/)
    }),
  )

  it.effect("is refused when the keys in the database were sealed with another one", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment, secretOf(1))
      const error = yield* refusal(deployment, secretOf(2))
      assert.strictEqual(error.reason, "wrong")
      assert.include(error.message, "sealed with another secret")
      yield* start(deployment, secretOf(1))
    }),
  )

  it.effect("is not silently replaced when its file is lost", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* start(deployment)
      unlinkSync(secretFile(deployment))
      const error = yield* refusal(deployment)
      assert.strictEqual(error.reason, "missing")
      assert.isFalse(existsSync(secretFile(deployment)))
    }),
  )

  it.effect("says which file it cannot read", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      yield* Effect.scoped(build(layerStorage(deployment.databaseUrl)))
      mkdirSync(secretFile(deployment))
      const error = yield* refusal(deployment)
      assert.strictEqual(error.reason, "file")
      assert.match(error.message, /landfall\.db\.secret cannot be used: EISDIR/)
    }),
  )

  it.effect("logs a warning at each start when others can read its file", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const lines: string[] = []
      const collector = Logger.make(({ message }) => lines.push(String(message)))
      const started = start(deployment).pipe(Effect.provide(Logger.layer([collector])))
      yield* started
      assert.deepStrictEqual(lines, [])
      chmodSync(secretFile(deployment), 0o644)
      yield* started
      assert.deepStrictEqual(lines, [
        `other users of this machine can read ${secretFile(deployment)}; run: chmod 600 ${secretFile(deployment)}`,
      ])
    }),
  )

  it.live("is the same for processes that start at the same time", () =>
    Effect.gen(function* () {
      const { folder, ...paths } = yield* makeDeployment
      const script = bundleProgram("making-secret")
      const run = (name: string) => Effect.promise(() => promisify(execFile)(process.execPath, [script, folder, name]))
      const outputs = yield* Effect.all(["ana", "bo", "chi", "dee"].map(run), { concurrency: "unbounded" })
      const made = outputs.map(output => JSON.parse(output.stdout) as { fingerprint: string; key: string })
      assert.strictEqual(new Set(made.map(one => one.fingerprint)).size, 1)
      const accounts = Context.get(yield* startProcess({ folder, ...paths }), Accounts)
      for (const { key } of made) assert.isNotNull(yield* accounts.findCaller(key))
    }),
  )
})

describe("sealText", () => {
  const key = deriveKey(Buffer.alloc(32, 1), "test")

  it("opens again under the same key and name, and gives another text each time", () => {
    const sealed = sealText(key, "row 1", "svc_visa_é")
    assert.notStrictEqual(sealed, sealText(key, "row 1", "svc_visa_é"))
    assert.strictEqual(unsealText(key, "row 1", sealed), "svc_visa_é")
  })

  it("does not open under another key, purpose or name, or with any bit changed", () => {
    const sealed = sealText(key, "row 1", "x")
    assert.isNull(unsealText(deriveKey(Buffer.alloc(32, 2), "test"), "row 1", sealed))
    assert.isNull(unsealText(deriveKey(Buffer.alloc(32, 1), "other"), "row 1", sealed))
    assert.isNull(unsealText(key, "row 2", sealed))
    assert.isNull(unsealText(key, "row 1", ""))
    const bytes = Buffer.from(sealed, "base64")
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7))
      assert.isNull(unsealText(key, "row 1", changed.toString("base64")))
    }
  })
})
