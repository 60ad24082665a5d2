/** The built command line on Bun and Deno: the same answers and codes as on Node, files, SQLite and threads included. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const CLI = resolve("dist/cli.js")
const RUNTIMES = {
  Node: [process.execPath],
  Bun: [resolve("node_modules/.bin/bun")],
  Deno: [resolve("node_modules/.bin/deno"), "run", "--allow-all", "--no-prompt"],
} as const

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-runtimes-"))
  const line = JSON.stringify({
    passport: "DEU",
    stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }],
  })
  writeFileSync(join(folder, "trip.json"), line)
  writeFileSync(join(folder, "trips.ndjson"), `${line}\n`.repeat(2_000))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function call(runtime: keyof typeof RUNTIMES, args: readonly string[]) {
  const [program, ...before] = RUNTIMES[runtime]
  const env = { ...process.env, NO_COLOR: "1", LANDFALL_DATABASE_URL: `file:${join(folder, `${runtime}.db`)}` }
  const ended = promisify(execFile)(program, [...before, CLI, ...args], { cwd: folder, env })
  return ended.then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  )
}

describe.each(["Bun", "Deno"] as const)("the command line on %s", runtime => {
  it.each([
    [["--version"]],
    [["check", "french", "japan"]],
    [["check", "FRA", "JPN", "--lang", "ja"]],
    [["check", "FRA", "ZZZ", "--json"]],
    [["find", "guinea"]],
    [["rank", "FRA"]],
    [["itinerary", "trip.json", "--json"]],
    [["history", "FRA", "CHN", "--json"]],
  ])("answers and ends as on Node: %j", async args => {
    expect(await call(runtime, args)).toEqual(await call("Node", args))
  })

  it("keeps accounts in a file of SQLite", async () => {
    const created = await call(runtime, ["account", "create", "--name", "Ada", "--email", "ada@example.com", "--json"])
    expect(created).toMatchObject({ status: 0, stderr: "" })
    expect(JSON.parse((await call(runtime, ["account", "list", "--json"])).stdout)).toMatchObject([
      { email: "ada@example.com" },
    ])
  })

  it("judges a batch in threads, to the same bytes as on Node", async () => {
    for (const each of ["Node", runtime] as const) {
      const args = ["batch", "trips.ndjson", "-o", `${each}.ndjson`, "--threads", "2"]
      expect(await call(each, args)).toMatchObject({ status: 0, stderr: "" })
    }
    expect(readFileSync(join(folder, `${runtime}.ndjson`))).toEqual(readFileSync(join(folder, "Node.ndjson")))
  })
})
