import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DECISION_EXAMPLE } from "../../adapters/answers/decision.ts"
import { answerPlainly, makeTrips, toLines, toLongLines } from "../worker/trips.ts"
import { bundleCli } from "./bundle.ts"
import { run, runCli, spawnCli } from "./run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-batch-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const put = (name: string, text: string) => {
  writeFileSync(at(name), text)
  return at(name)
}
const read = (name: string) => readFileSync(at(name), "utf8")
const readAnswers = (name: string) =>
  read(name)
    .split("\n")
    .slice(0, -1)
    .map(line => JSON.parse(line))
const example = JSON.stringify(DECISION_EXAMPLE)
// Each further thread costs a quarter of a second a test; several threads have their own test.
const THREADS = ["--threads", "1"]
const FULL = ["--answers", "full"]

describe("landfall batch", () => {
  it("answers each line of a file as the decision endpoint would, in order, and sums up", async () => {
    const lines = toLines(makeTrips(300))
    const { status, stdout, stderr } = await run(
      "batch",
      put("in.ndjson", lines),
      "-o",
      at("out.ndjson"),
      ...FULL,
      ...THREADS,
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(read("out.ndjson")).toBe(answerPlainly(lines))
    expect(stdout).toMatch(/^300 lines in \d+\.\d s \([\d,]+ a second\), 0 of them failed\.\n/)
    expect(stdout).toMatch(
      /\nOutcomes\n.*\nblocked +[\d,]+ +Blocked\.\nclear +[\d,]+ +No blocker found\.\nobtain +[\d,]+ +Something has to be obtained or done before departure\.\nunknown +[\d,]+ +No blocker found, but something that decides is unknown\.\n/,
    )
    expect(stdout).toMatch(/\nBlockers\n.*\n[a-z_]+ +[\d,]+/)
    expect(stdout).toMatch(/\nUnknown most often\n.*\n[a-z_[\].]+: .* +[\d,]+/)
  })

  it("answers bad lines with their mistakes and exits with 1, or with 0 with --lenient", async () => {
    const file = put("bad.ndjson", `{"id": "a"\n${example}\n{"id": "c", "passport": "fra", "stops": []}\n`)
    const strict = await run("batch", file, "-o", at("bad.out.ndjson"), "--summary", "--json", ...THREADS)
    expect(strict).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "2 of 3 lines failed; each says why in its `error`. With --lenient the exit code is 0.",
      ),
    })
    expect(JSON.parse(strict.stdout)).toMatchObject({
      lines: 3,
      failed: 2,
      outcomes: { blocked: 1 },
      verdicts: { blocked: 1 },
      blockers: { passport_validity_short: 1 },
      unknowns: expect.arrayContaining([{ gap: "purpose: not_modelled", count: 1 }]),
    })
    expect(readAnswers("bad.out.ndjson")).toMatchObject([
      { line: 1, error: expect.stringContaining("The line is not JSON") },
      { line: 2, outcome: "blocked", verdict: "blocked", blockers: ["passport_validity_short"] },
      {
        line: 3,
        id: "c",
        error: expect.stringContaining("passport: "),
        issues: [{ path: "stops" }, { path: "passport" }],
      },
    ])
    const lenient = await run("batch", file, "-o", at("bad.out.ndjson"), "--summary", "--lenient", ...THREADS)
    expect(lenient).toMatchObject({ status: 0, stderr: "" })
  })

  it("says each fact once, unless the whole answer is wanted", async () => {
    const file = put("one.ndjson", `${example}\n`)
    await run("batch", file, "-o", at("compact.ndjson"), ...THREADS)
    await run("batch", file, "-o", at("full.ndjson"), ...FULL, ...THREADS)
    const [compact, full] = [readAnswers("compact.ndjson")[0], readAnswers("full.ndjson")[0]]
    expect(compact).toMatchObject({
      line: 1,
      data: { view: "compact", verdict: "blocked" },
      meta: { pairs_charged: 2 },
    })
    expect(full).toMatchObject({ line: 1, data: { verdict: "blocked", residence: "FRA" } })
    expect(read("compact.ndjson").length).toBeLessThan(read("full.ndjson").length)
  })

  it("writes the requested fields", async () => {
    const file = put("one.ndjson", `${example}\n`)
    await run("batch", file, "-o", at("fields.ndjson"), "--fields", "verdict, pairs_charged", ...THREADS)
    expect(read("fields.ndjson")).toBe('{"line":1,"verdict":"blocked","pairs_charged":2}\n')
  })

  it("reads an empty file as no lines", async () => {
    const ended = await run("batch", put("empty.ndjson", ""), "-o", at("empty.out.ndjson"), ...THREADS)
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^0 lines in /) })
    expect(read("empty.out.ndjson")).toBe("")
  })

  it("reads a row of a hundred thousand names in linear time", async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `name${at}`)
    const wide = put("wide.csv", `passport,destination,from,to,${names.join()}\n`)
    const before = process.cpuUsage()
    expect((await run("batch", wide, "-o", at("wide.ndjson"), ...THREADS)).status).toBe(0)
    // A quadratic reader took twelve seconds of the processor.
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(8_000_000)
    const twin = put("twin.csv", `${names.slice(0, 1_000).join()},name7\n`)
    expect((await run("batch", twin, ...THREADS)).stderr).toContain(
      'twin.csv: line 1, column 1001 "name7": the column is given twice.',
    )
  })

  it("answers from a dataset file", async () => {
    const old = "test/fixtures/passport-index-2025-01-12.landfall"
    const file = put("one.ndjson", `${example}\n`)
    await run("batch", file, "-o", at("old.ndjson"), "--dataset", old, ...THREADS)
    expect(readAnswers("old.ndjson")[0].meta.dataset_version).not.toBe("2026.11.21")
  })

  it.each([
    [
      ["in.ndjson", "--fields", "verdict,stops"],
      /--fields: "stops" is not one of outcome, verdict, age_days, to_do, passport, /,
    ],
    [["in.ndjson", "--fields", "verdict,verdict"], /--fields: verdict is given twice\./],
    [["in.ndjson", "--fields", "verdict", "--summary"], /--fields and --summary: give one of them\./],
    [["in.ndjson", "--answers", "full", "--summary"], /--answers and --summary: give one of them\./],
    [
      ["in.ndjson", "-o", "out.csv", "--answers", "compact"],
      /--answers compact: NDJSON is expected; in a table --fields and --summary choose the columns\./,
    ],
    [["in.ndjson", "--threads", "0"], /--threads: a whole number from 1 to 256 is expected, not 0\./],
    [["in.ndjson", "--resume"], /--resume: the output has to be a file, named with -o\./],
    [["in.ndjson", "--to", "parquet"], /--to parquet: the output has to be a file, named with -o\./],
    [
      ["trip.ics"],
      /trip\.ics: its ending says no format: \.ndjson, \.jsonl, \.json, \.csv, \.tsv, \.parquet is expected, or --from\./,
    ],
    [["in.ndjson", "-o", "out.xlsx"], /out\.xlsx: its ending says no format: .* is expected, or --to\./],
    [["in.ndjson", "--strict"], /--strict: a table is expected; NDJSON has the dates and fields of the service\./],
    [["in.ndjson", "--dates", "dmy"], /--dates: a table is expected; NDJSON has the dates and fields of the service\./],
    [["in.ndjson", "--encoding", "latin1"], /--encoding: CSV is expected; the other formats are UTF-8\./],
    [["-", "--from", "csv", "--encoding", "ansi"], /--encoding: "ansi" is not an encoding; such as windows-1252, /],
    [
      ["-", "--from", "csv", "--flush"],
      /--flush: lines of NDJSON are expected; a row of a table ends where the next one begins\./,
    ],
    [["twice.csv"], /twice\.csv: line 1, column 2 "passport": the column is given twice\./],
    [["unnamed.csv"], /unnamed\.csv: line 1, column 2 "": every column needs a name\./],
    [
      ["empty.csv"],
      /empty\.csv: line 1: the names of the columns are expected, such as passport,destination,from,to\./,
    ],
    [["in.ndjson", "-o", "in.ndjson"], /in\.ndjson is the input: the output would replace it\./],
  ])("refuses a wrong call: %j", async (args, message) => {
    put("in.ndjson", `${example}\n`)
    put("twice.csv", "passport,passport\nFRA,FRA\n")
    put("empty.csv", "\r\n;;\n")
    put("unnamed.csv", "passport,,to\nFRA,THA,2026-12-20\n")
    const { status, stderr, stdout } = await runCli(["batch", ...args], { cwd: folder })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(message)
    expect(stderr).toContain("Usage: landfall batch FILE [-o FILE]")
    expect(read("in.ndjson")).toBe(`${example}\n`)
  })

  it.each([
    ["nothing.ndjson", /nothing\.ndjson: does not exist\./],
    [".", /\.: is a folder, a file is expected\./],
    ["no.parquet", /no\.parquet: This is not Parquet: /],
    ["-", /standard input: Parquet is read from a file, because its directory is at the end\./],
    ["open.csv", /open\.csv: line 1, column 2: a quote opens the cell and is not closed\./],
    ["latin.csv", /latin\.csv: line 1: Column 2 is not UTF-8\. If another encoding was used, name it/],
  ])("reports why it cannot read: %s", async (file, message) => {
    put("no.parquet", "no Parquet at all")
    writeFileSync(at("latin.csv"), Buffer.from("passport;René;to\n", "latin1"))
    put("open.csv", 'passport,"to\nFRA,THA\n')
    const from = file === "-" ? ["--from", "parquet"] : []
    const { status, stderr } = await runCli(["batch", file, "-o", "refused.ndjson", ...from], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
  })

  it("reports why it cannot write", async () => {
    const file = put("one.ndjson", `${example}\n`)
    const { status, stderr } = await run("batch", file, "-o", at("no/such/folder.ndjson"))
    expect(status).toBe(1)
    expect(stderr).toContain("folder.ndjson: does not exist.")
  })
})

describe("a batch that is continued", () => {
  const trips = toLines(makeTrips(400))
  const expected = answerPlainly(trips)

  it("continues where complete output ends, wherever it was cut off", async () => {
    const file = put("resume.ndjson", trips)
    for (const bytes of [1, Math.floor(expected.length / 3), expected.indexOf("\n") + 1, expected.length]) {
      writeFileSync(at("cut.ndjson"), Buffer.from(expected).subarray(0, bytes))
      const ended = await run("batch", file, "-o", at("cut.ndjson"), "--resume", ...FULL, ...THREADS)
      expect(ended.status).toBe(0)
      expect(read("cut.ndjson") === expected).toBe(true)
    }
  })

  it("begins at the start without an output, and counts earlier failures", async () => {
    const file = put("failed.ndjson", `{\n${example}\n`)
    expect(await run("batch", file, "-o", at("failed.out.ndjson"), "--resume", ...THREADS)).toMatchObject({ status: 1 })
    const again = await run("batch", file, "-o", at("failed.out.ndjson"), "--resume", "--json", ...THREADS)
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("1 of 2 lines failed") })
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 1, resumed: { after_line: 1, lines: 1, failed: 1 } })
  })

  it("continues CSV too", async () => {
    const file = put("resume.ndjson", trips)
    await run("batch", file, "-o", at("whole.csv"), "--summary", ...THREADS)
    const whole = read("whole.csv")
    for (const bytes of [10, Math.floor(whole.length / 2)]) {
      writeFileSync(at("cut.csv"), Buffer.from(whole).subarray(0, bytes))
      await run("batch", file, "-o", at("cut.csv"), "--summary", "--resume", ...THREADS)
      expect(read("cut.csv") === whole).toBe(true)
    }
  })

  it("refuses to continue with another input, and leaves the output unchanged", async () => {
    const cut = Buffer.from(expected).subarray(0, Math.floor(expected.length / 2))
    writeFileSync(at("mixed.ndjson"), cut)
    const other = put("other.ndjson", trips.replaceAll('"FRA"', '"JPN"').replaceAll("2026-12", "2027-12"))
    for (const [file, ...flags] of [[other], [put("none.ndjson", "")], [at("resume.ndjson"), "--fields", "data"]]) {
      const ended = await run(
        "batch",
        file as string,
        "-o",
        at("mixed.ndjson"),
        "--resume",
        ...(flags.length === 0 ? FULL : flags),
        ...THREADS,
      )
      expect(ended.status).toBe(flags.length === 0 ? 1 : 2)
      if (flags.length === 0)
        expect(ended.stderr).toContain(
          "mixed.ndjson cannot be resumed: its last line is not what this input, dataset, --fields and --summary give; they have to be those of the run that was cut off.",
        )
      expect(readFileSync(at("mixed.ndjson")).equals(cut)).toBe(true)
    }
    const verdicts = put("verdicts.ndjson", '{"line":1,"verdict":"blocked"}\n{"line":2,"ver')
    const fields = await run("batch", at("resume.ndjson"), "-o", verdicts, "--resume", "--fields", "verdict,steps")
    expect(fields).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("verdicts.ndjson cannot be resumed: its last line is not what"),
    })
  })

  it.each([
    [
      "mine.txt",
      "my notes\n",
      ["--to", "ndjson"],
      /mine\.txt cannot be resumed: line 1 of it is not an answer of a batch\./,
    ],
    [
      "whole.ndjson",
      '{"line":1,"data":{}}\n',
      ["--summary"],
      /it was written with other fields; give the same --fields or --summary\./,
    ],
    ["other.csv", "line,id,error\n1,,\n", ["--summary"], /it has other columns; give the same --fields or --summary\./],
    ["any.parquet", "", [], /a Parquet file is finished at its end and cannot be continued; leave --resume out\./],
  ])("refuses an output that it did not write: %s", async (name, text, flags, message) => {
    const file = put("resume.ndjson", trips)
    put(name, text)
    const { status, stderr } = await run("batch", file, "-o", at(name), "--resume", ...flags)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
    expect(read(name)).toBe(text)
  })
})

describe("a batch as a process", () => {
  const bin = bundleCli()

  it("works in a pipe: answers on stdout, the summary on stderr, no progress bar", () => {
    const lines = toLines(makeTrips(300))
    const { status, stdout, stderr } = spawnCli(["batch", "-", ...FULL, ...THREADS], { stdin: lines })
    expect(status).toBe(0)
    expect(stdout).toBe(answerPlainly(lines))
    expect(stderr).toMatch(/^300 lines in /)
  })

  it("exits with 1 if its reader closes the pipe before the last answer", async () => {
    const file = put("piped.ndjson", toLongLines(makeTrips(500)))
    const child = spawn(process.execPath, [bin, "batch", file, ...FULL, ...THREADS], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stderr = ""
    child.stderr.on("data", chunk => {
      stderr += chunk
    })
    await once(child.stdout, "data")
    child.stdout.destroy()
    const [status] = await once(child, "exit")
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /ERROR\n {2}the reader of the answers closed the pipe after [\d,]+ lines; the others were not answered\.\n$/,
      ),
    })
  })

  it("loses nothing to kill -9: the continued output is byte for byte that of an uninterrupted run", async () => {
    const trips = toLongLines(makeTrips(700))
    const file = put("kill.ndjson", trips)
    await run("batch", file, "-o", at("unbroken.ndjson"), "--summary", ...THREADS)
    const output = put("killed.ndjson", "")
    const watcher = watch(output)
    const child = spawn(
      process.execPath,
      [bin, "batch", "-", "-o", output, "--threads", "2", "--summary", "--resume"],
      {
        stdio: ["pipe", "ignore", "inherit"],
      },
    )
    // Half of the lines, and no end: the process answers what it has and waits for more when it is killed.
    child.stdin.write(trips.slice(0, trips.length / 2))
    while (statSync(output).size === 0) await once(watcher, "change")
    child.kill("SIGKILL")
    await once(child, "exit")
    watcher.close()
    const survived = statSync(output).size
    expect(survived).toBeGreaterThan(0)
    expect(survived).toBeLessThan(statSync(at("unbroken.ndjson")).size)
    // And a line that was cut in the middle, as a kill between two writes leaves it.
    truncateSync(output, survived - 100)
    copyFileSync(output, at("copy.ndjson"))
    const resumed = await run("batch", file, "-o", output, "--resume", "--summary", ...THREADS)
    expect(resumed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^[\d,]+ lines after the [\d,]+ of the earlier run in /),
    })
    expect(readFileSync(output).equals(readFileSync(at("unbroken.ndjson")))).toBe(true)
  })
})
