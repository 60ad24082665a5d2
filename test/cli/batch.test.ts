import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { parquetWriteFile } from "hyparquet-writer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DECISION_EXAMPLE } from "../../adapters/knowledge/answers/decision.ts"
import { answerPlainly, makeTrips, toLines } from "../worker/trips.ts"
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

describe("landfall batch", () => {
  it("answers each line of a file as the decision endpoint would, in order, and sums up", async () => {
    const lines = toLines(makeTrips(1_000))
    const { status, stdout, stderr } = await run("batch", put("in.ndjson", lines), "-o", at("out.ndjson"), ...THREADS)
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(read("out.ndjson")).toBe(answerPlainly(lines))
    expect(stdout).toMatch(/^1,000 lines in \d+\.\d s \([\d,]+ a second\), 0 of them failed\.\n/)
    expect(stdout).toMatch(/\nOutcomes\n.*\nblocked +[\d,]+\nclear +[\d,]+\nobtain +[\d,]+\nunknown +[\d,]+\n/)
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

  it("answers from a dataset file", async () => {
    const old = "test/fixtures/passport-index-2025-01-12.landfall"
    const file = put("one.ndjson", `${example}\n`)
    await run("batch", file, "-o", at("old.ndjson"), "--dataset", old, ...THREADS)
    expect(readAnswers("old.ndjson")[0].meta.dataset_version).not.toBe("2026.11.21")
  })

  it.each([
    [
      ["in.ndjson", "--fields", "verdict,stops"],
      /--fields: one of outcome, verdict, age_days, to_do, passport, .* is expected, not "stops"\./,
    ],
    [["in.ndjson", "--fields", "verdict,verdict"], /--fields: verdict is given twice\./],
    [["in.ndjson", "--fields", "verdict", "--summary"], /--fields and --summary: give one of them\./],
    [["in.ndjson", "--threads", "0"], /--threads: a whole number from 1 to 256 is expected, not 0\./],
    [["in.ndjson", "--resume"], /--resume: the output has to be a file, named with -o\./],
    [["in.ndjson", "--to", "parquet"], /--to parquet: the output has to be a file, named with -o\./],
    [["in.ndjson", "-o", "in.ndjson"], /in\.ndjson is the input: the output would replace it\./],
  ])("refuses a wrong call: %j", async (args, message) => {
    put("in.ndjson", `${example}\n`)
    const { status, stderr, stdout } = await runCli(["batch", ...args], { cwd: folder })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(message)
    expect(stderr).toContain("Usage: landfall batch IN [-o OUT]")
    expect(read("in.ndjson")).toBe(`${example}\n`)
  })

  it.each([
    ["nothing.ndjson", /nothing\.ndjson: does not exist\./],
    [".", /\.: is a folder, a file is expected\./],
    ["no.parquet", /no\.parquet is not Parquet: /],
    ["-", /standard input Parquet is read from a file, because its directory is at the end\./],
    ["twice.csv", /twice\.csv the column passport is given twice\./],
    ["unnamed.csv", /unnamed\.csv the first row has to name every column\./],
    ["empty.csv", /empty\.csv the first row has to name every column\./],
    [
      "open.csv",
      /open\.csv the row of names cannot be read: The row is not CSV: a quote opens a cell and is not closed\./,
    ],
  ])("reports why it cannot read: %s", async (file, message) => {
    put("no.parquet", "no Parquet at all")
    put("twice.csv", "passport,passport\nFRA,FRA\n")
    put("empty.csv", "\r\n;;\n")
    put("open.csv", 'passport,"to\nFRA,THA\n')
    put("unnamed.csv", "passport,,to\nFRA,THA,2026-12-20\n")
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

describe("a batch in tables", () => {
  const CSV =
    "id;passport;passport_expiry;destination;from;to;destination_2;from_2;to_2;transit\n" +
    'a;FRA;2027-03-01;THA;2026-12-01;2026-12-20;;;;"ARE;QAT"\n' +
    '"b\nb";FRA;;THA;2026-12-01;2027-05-20;IND;2027-05-21;2027-06-20;\n' +
    "c;XXXX;;THA;2026-12-01;2026-12-20;;;;\n"

  it("reads CSV and writes CSV, Parquet and NDJSON, with the same answers", async () => {
    put("in.csv", CSV)
    const flags = ["--summary", "--lenient", ...THREADS]
    await run("batch", at("in.csv"), "-o", at("from-csv.csv"), ...flags)
    const refusal = 'passport: ""XXXX"" is not an ISO 3166-1 alpha-3 code'
    expect(read("from-csv.csv")).toMatch(
      new RegExp(
        "^line,id,outcome,verdict,blockers,conditions,unknowns,error\n" +
          "2,a,blocked,blocked,passport_validity_short,,\\d+,\n" +
          '3,"b\nb",blocked,blocked,stay_exceeded,e_visa,\\d+,\n' +
          `5,c,,,,,,"${refusal}.*"\n$`,
      ),
    )
    await run("batch", at("in.csv"), "-o", at("from-csv.ndjson"), ...flags)
    const answers = readAnswers("from-csv.ndjson")
    expect(answers.map(({ line, id, verdict }) => [line, id, verdict])).toEqual([
      [2, "a", "blocked"],
      [3, "b\nb", "blocked"],
      [5, "c", undefined],
    ])
    await run("batch", at("in.csv"), "-o", at("from-csv.parquet"), ...flags)
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(at("from-csv.parquet")) })
    expect(rows).toEqual(
      answers.map(
        ({ line, id, outcome = null, verdict = null, blockers, conditions, unknowns = null, error = null }) => ({
          line,
          id,
          outcome,
          verdict,
          blockers: blockers?.join(" ") ?? null,
          conditions: conditions?.join(" ") ?? null,
          unknowns,
          error,
        }),
      ),
    )
  })

  const TWO_TRIPS = "passport,destination,from,to\nFRA,JPN,2026-12-01,2026-12-10\nIND,THA,2026-12-01,2026-12-10\n"
  it.each([
    ["an empty first line", `\n${TWO_TRIPS}`, [3, 4]],
    ["a first row of a spreadsheet without content", `,,,\n${TWO_TRIPS},,,\n`, [3, 4]],
    ["Excel's line of the sign", `sep=;\n${TWO_TRIPS.replaceAll(",", ";")}`, [3, 4]],
    [
      "that line behind a byte order mark",
      `\uFEFFsep=;\r\n${TWO_TRIPS.replaceAll(",", ";").replaceAll("\n", "\r\n")}`,
      [3, 4],
    ],
    ["carriage returns alone", TWO_TRIPS.replaceAll("\n", "\r"), [2, 3]],
    ["carriage returns and empty lines", `\r\r${TWO_TRIPS.replaceAll("\n", "\r\r")}`, [5, 7]],
    ["line ends of several kinds", TWO_TRIPS.replace("\n", "\r").replace("\n", "\r\n"), [2, 3]],
    ["a name of two lines", TWO_TRIPS.replace("passport", '"passport\r\n"').replace("FRA", '"FRA\r\n"'), [3, 5]],
  ])("answers two trips under the lines on which they begin: %s", async (_, text, lines) => {
    const { status, stderr } = await run(
      "batch",
      put("trips.csv", text),
      "-o",
      at("trips.out.ndjson"),
      "--summary",
      ...THREADS,
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(readAnswers("trips.out.ndjson").map(({ line, verdict }) => [line, verdict])).toEqual(
      lines.map(line => [line, "no_blocker_found"]),
    )
  })

  it("answers each row of a partition, also those without content", async () => {
    const file = put("part.csv", `${TWO_TRIPS.replace("\nIND", "\n\nIND")},,,\n`)
    await run("batch", file, "-o", at("part.ndjson"), "--stage", "--summary", ...THREADS)
    expect(readAnswers("part.ndjson")).toMatchObject([
      { verdict: "no_blocker_found" },
      { error: "The line is empty." },
      { verdict: "no_blocker_found" },
      { error: "The line is empty." },
    ])
  })

  it("reads Parquet, nested or flat, and compressed as others write it", async () => {
    const stops = [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }]
    const day = (text: string) => Date.parse(text) / 86_400_000
    parquetWriteFile({
      filename: at("flat.parquet"),
      columnData: [
        { name: "id", data: [7n, 8n], type: "INT64" },
        { name: "passport", data: ["FRA", "fra"], type: "STRING" },
        { name: "passport_expiry", data: ["2027-03-01", null], type: "STRING" },
        { name: "stops", data: [JSON.stringify(stops), JSON.stringify(stops)], type: "STRING" },
      ],
      codec: "GZIP",
      compressors: { GZIP: bytes => gzipSync(bytes) },
    })
    await run("batch", at("flat.parquet"), "-o", at("flat.ndjson"), "--summary", "--lenient", ...THREADS)
    expect(readAnswers("flat.ndjson")).toMatchObject([
      { line: 1, id: 7, verdict: "blocked", blockers: ["passport_validity_short"] },
      { line: 2, id: 8, error: expect.stringContaining("passport: ") },
    ])
    parquetWriteFile({
      filename: at("dates.parquet"),
      schema: [
        { name: "root", num_children: 4 },
        { name: "passport", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
        { name: "destination", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
        { name: "from", type: "INT32", converted_type: "DATE", repetition_type: "OPTIONAL" },
        { name: "to", type: "INT32", converted_type: "DATE", repetition_type: "OPTIONAL" },
      ],
      columnData: [
        { name: "passport", data: ["FRA"] },
        { name: "destination", data: ["THA"] },
        { name: "from", data: [day("2026-12-01")] },
        { name: "to", data: [day("2026-12-20")] },
      ],
    })
    await run("batch", at("dates.parquet"), "-o", at("dates.ndjson"), "--fields", "steps", ...THREADS)
    expect(readAnswers("dates.ndjson")[0].steps[0]).toMatchObject({ destination: "THA", from: "2026-12-01", days: 20 })
  })

  it("writes fields of decisions as Parquet, nested values as JSON", async () => {
    const lines = toLines(makeTrips(500))
    await run(
      "batch",
      put("many.ndjson", lines),
      "-o",
      at("many.parquet"),
      "--fields",
      "verdict,steps,pairs_charged",
      ...THREADS,
    )
    const file = await asyncBufferFromFile(at("many.parquet"))
    const rows = await parquetReadObjects({ file })
    const expected = answerPlainly(lines)
      .split("\n")
      .slice(0, -1)
      .map(text => {
        const { line, id, data, meta } = JSON.parse(text)
        return {
          line,
          id: id === undefined ? null : String(id),
          verdict: data.verdict,
          steps: JSON.stringify(data.steps),
          pairs_charged: meta.pairs_charged,
          error: null,
        }
      })
    expect(rows.length).toBe(500)
    expect(rows[0]).toEqual(expected[0])
    expect(rows).toEqual(expected)
  })
})

describe("a batch that is continued", () => {
  const trips = toLines(makeTrips(400))
  const expected = answerPlainly(trips)

  it("continues where complete output ends, wherever it was cut off", async () => {
    const file = put("resume.ndjson", trips)
    for (const bytes of [1, Math.floor(expected.length / 3), expected.indexOf("\n") + 1, expected.length]) {
      writeFileSync(at("cut.ndjson"), Buffer.from(expected).subarray(0, bytes))
      const ended = await run("batch", file, "-o", at("cut.ndjson"), "--resume", ...THREADS)
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
      const ended = await run("batch", file as string, "-o", at("mixed.ndjson"), "--resume", ...flags, ...THREADS)
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
    ["mine.txt", "my notes\n", [], /mine\.txt cannot be resumed: line 1 of it is not an answer of a batch\./],
    [
      "whole.ndjson",
      '{"line":1,"data":{}}\n',
      ["--summary"],
      /it was written with other fields; give the same --fields or --summary\./,
    ],
    ["other.csv", "line,id,error\n", ["--summary"], /it has other columns; give the same --fields or --summary\./],
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
    const { status, stdout, stderr } = spawnCli(["batch", "-", ...THREADS], { stdin: lines })
    expect(status).toBe(0)
    expect(stdout).toBe(answerPlainly(lines))
    expect(stderr).toMatch(/^300 lines in /)
  })

  it("exits with 1 if its reader closes the pipe before the last answer", async () => {
    const file = put("piped.ndjson", toLines(makeTrips(3_000)))
    const child = spawn(process.execPath, [bin, "batch", file, ...THREADS], { stdio: ["ignore", "pipe", "pipe"] })
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
    const trips = toLines(makeTrips(6_000))
    const file = put("kill.ndjson", trips)
    spawnCli(["batch", file, "-o", at("unbroken.ndjson"), "--summary"])
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
    const resumed = spawnCli(["batch", file, "-o", output, "--resume", "--summary"])
    expect(resumed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^[\d,]+ lines after the [\d,]+ of the earlier run in /),
    })
    expect(readFileSync(output).equals(readFileSync(at("unbroken.ndjson")))).toBe(true)
  })
})
