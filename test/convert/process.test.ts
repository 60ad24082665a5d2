/** `landfall convert` as a process: large files in little memory, a bar on a terminal, and nothing left behind. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleCli } from "../cli/bundle.ts"

const EVENTS = 8_000
let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-convert-"))
  const event = (at: number) =>
    `BEGIN:VEVENT\r\nUID:${at}\r\nDTSTART:20260101T000000Z\r\nDTEND:20260101T010000Z\r\nSUMMARY:Meeting ${at}\r\nDESCRIPTION:${"no flight ".repeat(1_000)}\r\nEND:VEVENT\r\n`
  const flights =
    "BEGIN:VEVENT\r\nUID:f1\r\nDTSTART:20270301T100500Z\r\nDTEND:20270301T234000Z\r\nSUMMARY:CDG to NRT\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:f2\r\nDTSTART:20270308T021500Z\r\nDTEND:20270308T153000Z\r\nSUMMARY:NRT to CDG\r\nEND:VEVENT\r\n"
  const write = (name: string, events: number) =>
    writeFileSync(
      join(folder, name),
      `BEGIN:VCALENDAR\r\n${Array.from({ length: events }, (_, at) => event(at)).join("")}${flights}END:VCALENDAR\r\n`,
    )
  write("large.ics", EVENTS)
  write("small.ics", 8)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const leftovers = () => readdirSync(folder).filter(name => !["large.ics", "small.ics", "older.ndjson"].includes(name))

describe("landfall convert as a process", () => {
  const bin = bundleCli()

  it("finds two flights among many events with a heap that is smaller than the file", () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--max-old-space-size=64", bin, "convert", "large.ics", "--passport", "FRA"],
      { cwd: folder, encoding: "utf8" },
    )
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `1 trip from 8,002 entries; from FRA.\n\nLeft out:\n  - ${EVENTS} events that are no flights: the flights say more\n`,
    })
    expect(JSON.parse(stdout)).toMatchObject({ stops: [{ destination: "JPN", from: "2027-03-02", to: "2027-03-08" }] })
  })

  it("shows a bar on a terminal, and takes it away at the end", () => {
    const command = `"${process.execPath}" "${bin}" convert small.ics --passport FRA -o shown.ndjson`
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, TERM: "xterm" },
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/\d+ % \| [\d,]+ entries, [\d,]+ a second \| \S+ left/)
    expect(stdout).toContain("1 trip from 10 entries; from FRA.")
    rmSync(join(folder, "shown.ndjson"))
  })

  // The other signals, which are taken in the same way, end a batch in test/cli/batch-stage.test.ts.
  it("that a signal ends leaves the older file as it was, and no other", async () => {
    writeFileSync(join(folder, "older.ndjson"), "older\n")
    const child = spawn(process.execPath, [bin, "convert", "-", "--from", "ics", "-o", "older.ndjson"], {
      cwd: folder,
      stdio: ["pipe", "ignore", "pipe"],
    })
    let stderr = ""
    child.stderr.on("data", chunk => {
      stderr += chunk
    })
    // Events without an end: once more of them were taken than a pipe holds, the process reads, and waits for more when it is ended.
    const event = "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Meeting\r\nEND:VEVENT\r\n"
    child.stdin.write(`BEGIN:VCALENDAR\r\n${event.repeat(10_000)}`)
    await once(child.stdin, "drain")
    child.kill("SIGTERM")
    expect(await once(child, "close")).toEqual([143, null])
    expect(stderr).toContain("Nothing was written.")
    expect([readFileSync(join(folder, "older.ndjson"), "utf8"), leftovers()]).toEqual(["older\n", []])
  })
})
