import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limitYoungGeneration, type Started } from "../../adapters/cli/young-generation.ts"
import { MALLOC_LIMITS, YOUNG_LIMIT } from "../http/processes.ts"
import { bundleCli } from "./bundle.ts"

const started = (differences: Partial<Started>): Started => ({
  argv: ["/usr/bin/node", "/srv/cli.js", "serve", "--port", "80"],
  execArgv: ["--max-old-space-size=384"],
  execPath: "/usr/bin/node",
  platform: "linux",
  env: {},
  ...differences,
})

describe("limitYoungGeneration", () => {
  it("adds the limit before the program and keeps every other argument", () => {
    expect(limitYoungGeneration(started({}))).toEqual([
      "/usr/bin/node",
      "--max-old-space-size=384",
      YOUNG_LIMIT,
      "/srv/cli.js",
      "serve",
      "--port",
      "80",
    ])
  })

  it("is done once: the restarted process has the limit", () => {
    const [, old, limit, ...argv] = limitYoungGeneration(started({})) as [string, string, string, ...string[]]
    expect(limitYoungGeneration(started({ execArgv: [old, limit], argv: ["/usr/bin/node", ...argv] }))).toBeNull()
  })

  it.each<[string, Partial<Started>]>([
    ["a limit as an argument", { execArgv: ["--max-semi-space-size=64"] }],
    ["a limit that is spelt with underscores, in two arguments", { execArgv: ["--max_semi_space_size", "64"] }],
    ["a limit in NODE_OPTIONS", { env: { NODE_OPTIONS: "--enable-source-maps --max-semi-space-size=64" } }],
    ["a parent that has forked it and talks to it", { channel: {} }],
    ["Windows, where no process can be replaced", { platform: "win32" }],
  ])("does not restart a process that has %s", (_, differences) => {
    expect(limitYoungGeneration(started(differences))).toBeNull()
  })
})

describe("the command line", () => {
  // Writes the flags that the program sets to its standard error.
  const TELL = `import v8 from "node:v8"; import { syncBuiltinESMExports } from "node:module"
    const set = v8.setFlagsFromString
    v8.setFlagsFromString = flag => { process.stderr.write(flag); set(flag) }
    syncBuiltinESMExports()`
  const listFlags = (...args: string[]) => {
    const telling = ["--import", `data:text/javascript,${encodeURIComponent(TELL)}`]
    return spawnSync(process.execPath, [...telling, bundleCli(), ...args], { input: "", encoding: "utf8" }).stderr
  }

  it("keeps objects young in a batch, and changes no flag for a short command", () => {
    expect(listFlags("batch", "-")).toContain("--no-allocation-site-pretenuring")
    expect(listFlags("check", "FRA", "JPN")).toBe("")
  })

  it("lets the heap of a service double before it is collected whole", () => {
    expect(listFlags("serve", "--help")).toContain("--heap-growing-percent=100")
  })
})

describe.runIf(process.platform === "linux")("a service as a process", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-young-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Starts a service; returns the arguments and limits of memory of its process and of those that it forked, and its other output. */
  async function startService(name: string, flags: readonly string[]) {
    const child = spawn(process.execPath, ["--max-old-space-size=384", bundleCli(), "serve", ...flags], {
      env: {
        ...process.env,
        LANDFALL_PORT: "0",
        LANDFALL_DATABASE_URL: `file:${join(folder, `${name}.db`)}`,
        MALLOC_ARENA_MAX: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = once(child, "exit")
    let errors = ""
    child.stderr.on("data", piece => {
      errors += piece
    })
    const commands: string[] = []
    const limits: string[][] = []
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("Reference:")) continue
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")
      for (const pid of [child.pid, ...children.split(" ").filter(Boolean)]) {
        commands.push(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "))
        const given = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
        limits.push(given.filter(each => each.startsWith("MALLOC_")).sort())
      }
      child.kill("SIGTERM")
    }
    return { commands, limits, errors, ended: await ended }
  }

  it("has the limit under its own number, with all arguments and streams, and ends with 0", async () => {
    const { commands, limits, errors, ended } = await startService("one", ["--host", "127.0.0.1"])
    expect(commands).toEqual([
      `${process.execPath} --max-old-space-size=384 ${YOUNG_LIMIT} ${bundleCli()} serve --host 127.0.0.1 `,
    ])
    expect([errors, ended]).toEqual(["", [0, null]])
    // What the operator has set stays.
    expect(limits).toEqual([MALLOC_LIMITS])
  })
})
