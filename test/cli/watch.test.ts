import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { writeWorld } from "../changes/datasets.ts"
import { run, runCli } from "./run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-watch-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)

describe("landfall history", () => {
  it("lists changes in tables and announced changes, each with its source", async () => {
    const { changes, announced } = JSON.parse((await run("history", "FRA", "CHN", "--json")).stdout)
    expect(changes[0]).toMatchObject({
      kind: "seen",
      on: "2023-12-03",
      previous: { requirement: "visa_required" },
      current: { requirement: "visa_free" },
      severity: "major",
      sources: [{ name: expect.stringContaining("Passport Index data"), url: expect.any(String) }],
    })
    expect(announced).toEqual([
      expect.objectContaining({
        kind: "dated_rule",
        on: "2027-01-01",
        current: { requirement: "visa_required", visa_free_days: null },
      }),
    ])
    const { stdout } = await run("history", "french", "chinese", "--lang", "de")
    expect(stdout).toMatch(/^Frankreich \(FRA\) → China \(CHN\)/)
    expect(stdout).toContain("Announced:")
  })

  it("prints that no change is recorded, which proves nothing, and exits with 1 for an unrecorded pair", async () => {
    expect(await run("history", "FRA", "DEU")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("That does not prove that nothing changed."),
    })
    expect(await run("history", "ATA", "DEU")).toMatchObject({ status: 1, stdout: "" })
  })
})

describe("landfall watch", () => {
  it("exits with 3 if something has changed since a day, and with 0 if nothing has", async () => {
    const since = (day: string) => run("watch", "FRA", "CHN,JPN", "--since", day, "--json")
    const changed = await since("2024-12-04")
    expect(changed).toMatchObject({ status: 3, stderr: "" })
    expect(JSON.parse(changed.stdout)).toMatchObject({
      pairs: 2,
      changed: true,
      changes: [{ passport: "FRA", destination: "CHN", on: "2024-12-04", current: { visa_free_days: 30 } }],
    })
    const unchanged = await since("2024-12-05")
    expect(unchanged.status).toBe(0)
    // Announced changes are listed, and do not count yet.
    expect(JSON.parse(unchanged.stdout)).toMatchObject({
      changed: false,
      changes: [],
      announced: [{ on: "2027-01-01" }],
    })
  })

  it("compares with another dataset", async () => {
    const before = writeWorld(folder, { version: "watched.1", days: 90 })
    const after = writeWorld(folder, { version: "watched.2", days: 30 })
    const compare = (dataset: string) => run("watch", "AAA,BBB", "--before", before, "--dataset", dataset, "--json")
    expect((await compare(before)).status).toBe(0)
    const { status, stdout } = await compare(after)
    expect(status).toBe(3)
    const { changes } = JSON.parse(stdout)
    expect(changes.length).toBeGreaterThan(0)
    for (const change of changes) expect(change).toMatchObject({ kind: "compared", on: null })
  })

  it("stores a run in a file: the first run reports nothing, the next one the changes since, the one after that nothing", async () => {
    const [before, after, state] = [
      writeWorld(folder, { version: "seen.1", days: 90 }),
      writeWorld(folder, { version: "seen.2", days: 30 }),
      at("state.json"),
    ]
    const look = async (dataset: string, ...pairs: readonly string[]) => {
      const { status, stdout } = await run("watch", ...pairs, "--state", state, "--dataset", dataset, "--json")
      const { first_run, changes } = JSON.parse(stdout)
      return [status, first_run, changes.length]
    }
    expect(await look(before, "AAA")).toEqual([0, true, 0])
    expect(await look(before, "AAA")).toEqual([0, false, 0])
    const [status, isFirst, count] = await look(after, "AAA")
    expect([status, isFirst, (count as number) > 0]).toEqual([3, false, true])
    expect(await look(after, "AAA")).toEqual([0, false, 0])
    // Other pairs in the same file are kept.
    expect(await look(after, "BBB")).toEqual([0, true, 0])
    expect(Object.keys(JSON.parse(readFileSync(state, "utf8")).pairs).some(pair => pair.startsWith("AAA"))).toBe(true)
  })

  it("refuses a file that it did not write, and leaves it unchanged", async () => {
    for (const text of ["{", "[]", '{"format": "landfall-watch-1", "pairs": {"FRA JPN": {}}}']) {
      writeFileSync(at("other.json"), text)
      expect(await run("watch", "FRA", "JPN", "--state", at("other.json"))).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining("is not a file that landfall watch has written."),
      })
      expect(readFileSync(at("other.json"), "utf8")).toBe(text)
    }
    expect((await run("watch", "FRA", "JPN", "--state", at("none/state.json"))).status).toBe(1)
    expect(existsSync(at("none"))).toBe(false)
  })

  it.each([
    [["watch", "FRA", "JPN"], "--since, --state or --before: give one of them."],
    [["watch", "FRA", "JPN", "--since", "yesterday"], "--since: a calendar date"],
    [["watch", "FRA", "JPN", "--since", "2026-01-01", "--state", "x"], "give one of them"],
  ])("ends with 2 for %j", async (args, message) => {
    expect(await run(...args)).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining(message) })
  })

  it("exits with 1 if the deployment of the requested history does not exist", async () => {
    const env = { LANDFALL_DATABASE_URL: `file:${at("none.db")}` }
    const { status, stderr } = await runCli(["watch", "FRA", "JPN", "--since", "2026-01-01", "--installed"], { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining("there is no database file")])
  })
})
