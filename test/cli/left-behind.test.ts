/** What a bug in the middle of writing leaves behind: nothing, for every command that writes files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { DECISION_EXAMPLE } from "../../adapters/answers/decision.ts"
import { copySmallData } from "../data/small-data.ts"
import { sampleOf } from "../sample.ts"
import { spawnCli } from "./run.ts"

/** Writes as usual, and then throws: where the call is, or later and out of reach of whoever called. */
const BUG = `
import fs from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
const bug = () => { throw new TypeError("a bug") }
const isNew = path => typeof path === "number" || /\\.(part|pub)$/.test(path)
const { writeFileSync } = fs
const { open } = promises
fs.writeFileSync = (path, ...rest) => { writeFileSync(path, ...rest); if (isNew(path)) bug() }
promises.open = async (path, ...rest) => { const file = await open(path, ...rest); if (isNew(path)) setImmediate(bug); return file }
syncBuiltinESMExports()
`

let parent = ""
let folder = ""
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), "landfall-bug-"))
  writeFileSync(join(parent, "bug.mjs"), BUG)
  copySmallData(join(parent, "data"), ["JPN"])
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(parent, "folder-"))
  writeFileSync(join(folder, "trips.ndjson"), `${JSON.stringify(DECISION_EXAMPLE)}\n`)
  writeFileSync(join(folder, "older"), "older")
})

describe("a bug while a file is written", () => {
  const commands = [
    ["batch", "trips.ndjson", "-o", "older"],
    ["dataset", "export", "-o", "older"],
    ["batch", "trips.ndjson", "-o", "older", "--to", "parquet", "--summary"],
    ["batch", "trips.ndjson", "-o", "older", "--to", "csv", "--summary"],
    ["dataset", "keygen", "-o", "feed.key"],
    ["dataset", "build", "--pairs-only", "-o", "older", "--data", "../data"],
    ["account", "create", "--name", "Ada", "--email", "ada@example.com"],
  ]
  it.each(sampleOf(commands, 2).map(args => [args]))(
    "ends the command, and leaves the older file and no other: %j",
    args => {
      const env = {
        NODE_OPTIONS: `--import ${pathToFileURL(join(parent, "bug.mjs"))}`,
        LANDFALL_DATABASE_URL: "file:accounts.db",
      }
      if (args[0] === "account") spawnCli(["migrate"], { cwd: folder, env: { ...env, NODE_OPTIONS: "" } })
      const { status, stderr } = spawnCli(args, { cwd: folder, env })
      expect(stderr).toContain("a bug")
      expect(status).not.toBe(0)
      const left = readdirSync(folder).filter(name => !/^accounts\.db(-wal|-shm)?$/.test(name))
      expect(left.sort()).toEqual(["older", "trips.ndjson"])
      expect(readFileSync(join(folder, "older"), "utf8")).toBe("older")
    },
  )

  it("leaves no private key without a public one: feed.key.pub exists", () => {
    writeFileSync(join(folder, "feed.key.pub"), "older")
    const { status, stderr } = spawnCli(["dataset", "keygen", "-o", "feed.key"], { cwd: folder })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "\nERROR\n  feed.key.pub: exists already, and is not overwritten.\n",
    })
    expect(readdirSync(folder).sort()).toEqual(["feed.key.pub", "older", "trips.ndjson"])
    expect(readFileSync(join(folder, "feed.key.pub"), "utf8")).toBe("older")
  })
})
