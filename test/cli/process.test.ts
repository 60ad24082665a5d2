import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { copySmallData } from "../data/small-data.ts"
import { bundleCli } from "./bundle.ts"
import { run, runCli, type Surroundings, spawnCli } from "./run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-process-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("landfall as a process", () => {
  const inShell = (line: string) => spawnSync("sh", ["-c", line], { encoding: "utf8" })
  const command = `'${process.execPath}' '${bundleCli()}'`

  it("writes into a pipe and through a link, and keeps both", async () => {
    const [pipe, read, link, target] = ["pipe", "read", "link", "target"].map(name => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ]
    execFileSync("mkfifo", [pipe])
    copySmallData(join(folder, "data"), ["JPN"])
    const build = `${command} dataset build --data '${join(folder, "data")}' --pairs-only -o '${pipe}'`
    const line = `cat '${pipe}' > '${read}' & ${build}; wait`
    expect(spawnSync("sh", ["-c", line]).status).toBe(0)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    writeFileSync(target, "older")
    symlinkSync(target, link)
    expect(await run("dataset", "export", "-o", link)).toMatchObject({ status: 0, stderr: "" })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, "utf8")).toBe((await run("dataset", "export")).stdout)
    expect((await run("dataset", "verify", read)).status).toBe(0)
    // Records over a file of pairs only are told by the facts of the program.
    const info = async (...files: string[]) => JSON.parse((await run("dataset", "info", ...files, "--json")).stdout)
    const [pairs, whole] = [await info(read), await info()]
    expect([pairs.facts_in_file, pairs.facts_bytes]).toEqual([false, 0])
    expect([pairs.facts, pairs.facts_as_of]).toEqual([whole.facts, whole.facts_as_of])
  })

  it("ends without a message if the reader closes the pipe", () => {
    const { stdout, stderr } = inShell(`(${command} dataset export; echo "ended with $?" >&2) | head -n 1`)
    expect([stdout, stderr]).toEqual(["passport,destination,requirement,days,status,home\n", "ended with 0\n"])
  })

  it.runIf(existsSync("/dev/full"))("exits with 1 if its answer cannot be written", () => {
    expect(inShell(`${command} rank > /dev/full`)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^stdout: cannot be read or written: ENOSPC/),
    })
  })

  it("prints no colours into a pipe, nor if they are turned off", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what colours begin with.
    const colour = /\u001b/
    expect(inShell(`${command} check fr JPN 2>&1`).stdout).not.toMatch(colour)
    expect(inShell(`${command} --help`).stdout).not.toMatch(colour)
  })

  it("reports in a sentence that Node is too old, and the engine's own least version is lower", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(engines.node).toBe(">=20.19.0")
    const startWith = (node: string) => {
      const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${node}" } })`
      const preload = `data:text/javascript,${encodeURIComponent(code)}`
      const args = ["--import", preload, "adapters/cli/bin.ts", "--version"]
      return spawnSync(process.execPath, args, { encoding: "utf8" })
    }
    for (const old of ["20.20.2", "22.19.0", "23.11.0", "24.7.0"]) {
      expect(startWith(old)).toMatchObject({
        status: 1,
        stderr: `landfall needs Node 22.20, 24.8 or later, not ${old}.\n`,
      })
    }
    expect(startWith("22.20.0")).toMatchObject({ status: 0, stderr: "" })
  })

  it("says its version", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(spawnCli(["--version"])).toMatchObject({ status: 0, stdout: expect.stringContaining(version), stderr: "" })
  })

  const trip = JSON.stringify({
    passport: "DEU",
    stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }],
  })
  it.each<[string, readonly string[], Surroundings]>([
    ["a request on the standard input", ["itinerary", "-", "--json"], { stdin: trip }],
    ["a call of no command", ["check", "FRA", "JPN", "--colour"], {}],
    ["a setting that is refused", ["serve"], { env: { LANDFALL_PORT: "none" } }],
  ])("prints and exits as inside the process of these tests: %s", async (_, args, surroundings) => {
    const inside = await runCli(args, surroundings)
    expect(spawnCli(args, surroundings)).toEqual(inside)
  })

  it("exits with 1 if the standard input is a folder, and reports it", () => {
    expect(inShell(`${command} itinerary - < data`)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("standard input: is a folder, a file is expected."),
    })
  })

  // Where it restarts itself first, young-generation.test.ts sees the same of it.
  it.runIf(process.platform !== "linux")("serves until it is stopped, and exits with 0", async () => {
    const child = spawn(process.execPath, [bundleCli(), "serve"], {
      env: { ...process.env, LANDFALL_PORT: "0", LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}` },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = once(child, "exit")
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("Reference:")) child.kill("SIGTERM")
    }
    expect(await ended).toEqual([0, null])
  })
})
