/** The built command line on Bun and Deno and as one executable: the same answers and codes as on Node; files, SQLite, threads, the service and its page. */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildBinary } from "../../../.ci/packaging/build-binary.ts"
import { explainLackingBun, findBun, findDeno } from "../runtimes.ts"

const CLI = resolve("dist/cli.js")
const RUNTIMES = {
  Node: () => [process.execPath, CLI],
  Bun: () => [findBun(), CLI],
  Deno: () => [findDeno(), "run", "--allow-all", "--no-prompt", CLI],
  // In a folder that holds nothing else of this project.
  executable: () => [join(folder, `landfall-${process.platform}-${process.arch}`)],
} as const satisfies Record<string, () => readonly [string, ...string[]]>

// Bun makes the executable.
const lacking = explainLackingBun()
const skips = { Bun: lacking, Deno: "", executable: lacking } as const

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-runtimes-"))
  const line = JSON.stringify({
    passport: "DEU",
    stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }],
  })
  writeFileSync(join(folder, "trip.json"), line)
  writeFileSync(join(folder, "trips.ndjson"), `${line}\n`.repeat(2_000))
  if (lacking === "") buildBinary(undefined, folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const optionsOf = (runtime: string) => ({
  cwd: folder,
  env: { ...process.env, NO_COLOR: "1", LANDFALL_DATABASE_URL: `file:${join(folder, `${runtime}.db`)}` },
})

async function call(runtime: keyof typeof RUNTIMES, args: readonly string[]) {
  const [program, ...before] = RUNTIMES[runtime]()
  const ended = promisify(execFile)(program, [...before, ...args], optionsOf(runtime))
  return ended.then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  )
}

const onNode = new Map<string, ReturnType<typeof call>>()

/** What Node answers: asked once, for all that are compared with it. */
function callNode(args: readonly string[]) {
  const name = args.join(" ")
  const answer = onNode.get(name) ?? call("Node", args)
  onNode.set(name, answer)
  return answer
}

for (const runtime of ["Bun", "Deno", "executable"] as const) {
  describe.skipIf(skips[runtime] !== "")(`the command line: ${runtime}${skips[runtime]}`, () => tryCommandLine(runtime))
}

function tryCommandLine(runtime: "Bun" | "Deno" | "executable"): void {
  it.each([
    [["--version"]],
    [["check", "french", "japan"]],
    [["check", "FRA", "JPN", "--lang", "ja"]],
    [["check", "FRA", "ZZZ", "--json"]],
    [["find", "guinea"]],
    [["rank", "FRA"]],
    [["itinerary", "trip.json", "--json"]],
    [["history", "FRA", "CHN", "--json"]],
    [["explain", "FRA", "JPN", "--json"]],
  ])("answers and ends as on Node: %j", async args => {
    expect(await call(runtime, args)).toEqual(await callNode(args))
  })

  it("keeps accounts in a file of SQLite", async () => {
    expect(await call(runtime, ["migrate"])).toMatchObject({ status: 0, stderr: "" })
    const created = await call(runtime, ["account", "create", "--name", "Ada", "--email", "ada@example.com", "--json"])
    expect(created).toMatchObject({ status: 0, stderr: "" })
    const shown = await call(runtime, ["account", "show", "ada@example.com", "--json"])
    expect(JSON.parse(shown.stdout)).toMatchObject({ account: { email: "ada@example.com" } })
  })

  it("judges a batch in threads, to the same bytes as on Node", async () => {
    const argsOf = (name: string) => ["batch", "trips.ndjson", "-o", `${name}.ndjson`, "--threads", "2"]
    expect(await callNode(argsOf("Node"))).toMatchObject({ status: 0, stderr: "" })
    expect(await call(runtime, argsOf(runtime))).toMatchObject({ status: 0, stderr: "" })
    expect(readFileSync(join(folder, `${runtime}.ndjson`))).toEqual(readFileSync(join(folder, "Node.ndjson")))
  })

  it("serves answers, spots and the page with its files, and ends when it is asked to", async () => {
    const [program, ...before] = RUNTIMES[runtime]()
    const service = spawn(program, [...before, "serve", "--port", "0"], optionsOf(`${runtime}-service`))
    const ended = new Promise<number | null>(resolve => service.once("exit", resolve))
    try {
      let url = ""
      for await (const line of createInterface(service.stdout)) {
        url = /listens on (\S+)/.exec(line)?.[1] ?? ""
        if (url !== "") break
      }
      const ask = (path: string, accept = "*/*") => fetch(`${url}${path}`, { headers: { accept } })
      const check = await ask("/api/v1/visa/check?passport=FRA&destination=JPN")
      expect(await check.json()).toMatchObject({ requirement: "visa_free" })
      const spots = await ask("/api/v1/spots?near=48.8584,2.2945&limit=1")
      expect(((await spots.json()) as { spots: readonly unknown[] }).spots).toHaveLength(1)
      const page = await (await ask("/", "text/html")).text()
      const [, script = ""] = /src="\.?(\/page-\w+\.js)"/.exec(page) ?? []
      expect(await (await ask(script)).text()).toBe(readFileSync(join("dist/site", script), "utf8"))
    } finally {
      service.kill("SIGTERM")
    }
    expect(await ended).toBe(0)
  })
}
