import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { backUp, restore } from "../../adapters/storage/backup.ts"
import { bundleCli, COMPILED } from "../cli/bundle.ts"
import { makeFolder, startTestService, type TestService } from "../http/service.ts"
import { IS_WHOLE } from "../sample.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"
const SECRET = Buffer.alloc(32, 7).toString("base64")

/** The commands that docs/operations.md gives for backing up and for restoring, as an operator copies them. */
const [BACK_UP = "", RESTORE = ""] = [
  ...readFileSync("docs/operations.md", "utf8")
    .split("## Backup and restore")[1]!
    .matchAll(/```sh\n([\s\S]*?)```/g),
].map(([, commands]) => commands)

/** Runs commands as a shell does, in the folder of a deployment, with `landfall` on its path. */
function follow(commands: string, folder: string, env: Readonly<Record<string, string>>): string {
  const bin = join(folder, "bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "landfall"), `#!/bin/sh\nexec "${process.execPath}" "${bundleCli()}" "$@"\n`)
  chmodSync(join(bin, "landfall"), 0o755)
  const path = `${bin}:${process.env.PATH}`
  return execFileSync("sh", ["-euc", commands], {
    cwd: folder,
    env: { ...env, PATH: path, ...COMPILED },
    encoding: "utf8",
    stdio: "pipe",
  })
}

const makePlace = {
  SQLite: async (folder: string) => `file:${join(folder, "landfall.db")}`,
  PostgreSQL: async (_folder: string) => (await Effect.runPromise(makePostgresDeployment)).databaseUrl,
}
const ENGINES = ["SQLite", "PostgreSQL"] as const

const remaining = async (running: TestService, key: string) => {
  const reply = await running.ask(PAIR, { headers: { "x-api-key": key } })
  assert.strictEqual(reply.status, 200, reply.text)
  return Number(reply.headers["x-ratelimit-remaining"])
}

// A backup is the same whichever engine it is of: each night every engine is restored into each.
const PAIRS = ENGINES.flatMap(from => ENGINES.map(to => [from, to] as const)).filter(
  ([from, to]) => IS_WHOLE || from !== to,
)

describe.each(PAIRS)("a backup of %s", (from, to) => {
  it(`is made while the service runs and restored into ${to} as the documentation says`, async () => {
    const folder = makeFolder()
    const env = { LANDFALL_DATABASE_URL: await makePlace[from](folder), LANDFALL_SECRET: SECRET }
    const running = await startTestService({ env })
    const key = running.keys.pro
    await remaining(running, key)
    assert.match(
      follow(BACK_UP, folder, env),
      /^file +backup\.db\nlabel +.*\nbytes +\d+\naccounts +5\nrows +\d+\n\nIt was opened and is whole\./,
    )
    assert.strictEqual(statSync(join(folder, "backup.db")).mode & 0o777, 0o600)
    const before = await remaining(running, key)
    // The same again replaces it.
    follow(BACK_UP, folder, env)
    await running.stop()

    const target = from === to && to === "SQLite" ? env.LANDFALL_DATABASE_URL : await makePlace[to](makeFolder())
    const restoring = { ...env, LANDFALL_DATABASE_URL: target }
    assert.match(follow(RESTORE, folder, restoring), /\naccounts +5\nrows +\d+\n/)
    const again = await startTestService({ env: restoring })
    assert.deepStrictEqual(again.service.demoAccounts, [])
    // What was held by the node counts as used.
    assert.isAtMost(await remaining(again, key), before - 1)
    const made = await again.ask("/api/v1/visa/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Ana", email: "ana@example.org" }),
    })
    assert.isBelow(made.status, 300, made.text)
    await again.stop()
    assert.throws(() => follow("landfall restore backup.db", folder, restoring), /is not empty: nothing was restored/)
  })
})

describe("a backup", () => {
  const fail = (work: Effect.Effect<unknown, { readonly message: string }>) =>
    Effect.runPromise(Effect.map(Effect.flip(work), ({ message }) => message))

  it("that is damaged or no backup is not restored, and one that fails leaves the older one", async () => {
    const folder = makeFolder()
    const databaseUrl = `file:${join(folder, "landfall.db")}`
    const [file, target] = [join(folder, "backup.db"), `file:${join(folder, "new.db")}`]
    assert.strictEqual(
      await fail(backUp(databaseUrl, file)),
      `there is no database file ${join(folder, "landfall.db")}; LANDFALL_DATABASE_URL names the one to use, and landfall migrate makes one`,
    )
    const running = await startTestService({ env: { LANDFALL_DATABASE_URL: databaseUrl } })
    const made = await Effect.runPromise(backUp(databaseUrl, file))
    assert.isAbove(made.rows, 5)
    const older = readFileSync(file)
    assert.match(await fail(backUp(databaseUrl, join(folder, "nowhere", "backup.db"))), /cannot be written: ENOENT/)
    await running.stop()
    truncateSync(join(folder, "landfall.db"))
    assert.match(await fail(backUp(databaseUrl, file)), /cannot be used/)
    assert.isTrue(readFileSync(file).equals(older))
    assert.isFalse(existsSync(`${file}.part`))
    // With its secret beside it, an empty file was a database; a restored one takes its place.
    await Effect.runPromise(restore(file, databaseUrl))
    const again = await startTestService({ env: { LANDFALL_DATABASE_URL: databaseUrl } })
    await again.stop()
    writeFileSync(join(folder, "text.db"), "not a database, but long enough to be read as one".repeat(20))
    assert.match(
      await fail(restore(join(folder, "text.db"), target)),
      /text\.db is not a backup: file is not a database/,
    )
    assert.strictEqual(
      await fail(restore(join(folder, "none.db"), target)),
      `there is no file ${join(folder, "none.db")}`,
    )
    const damaged = Buffer.from(older)
    damaged.fill(0xff, damaged.length / 2, damaged.length / 2 + 8_192)
    writeFileSync(join(folder, "damaged.db"), damaged)
    assert.match(await fail(restore(join(folder, "damaged.db"), target)), /damaged\.db is not a backup: /)
    assert.isFalse(existsSync(join(folder, "new.db")))
  })
})
