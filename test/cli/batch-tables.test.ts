/** `landfall batch` from and to tables: CSV as people have it, and Parquet. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { parquetWriteFile } from "hyparquet-writer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerPlainly, makeTrips, toLines } from "../worker/trips.ts"
import { run } from "./run.ts"

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
// Each further thread costs a quarter of a second a test; several threads have their own test.
const THREADS = ["--threads", "1"]

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
      "verdict,age_days,steps,pairs_charged",
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
          age_days: data.age_days,
          steps: JSON.stringify(data.steps),
          pairs_charged: meta.pairs_charged,
          error: null,
        }
      })
    expect(rows.length).toBe(500)
    expect(rows[0]).toEqual(expected[0])
    expect(rows).toEqual(expected)
    const whole = await run("batch", at("many.ndjson"), "-o", at("whole.parquet"), ...THREADS)
    expect(whole).toMatchObject({ status: 0, stderr: "" })
    const wholeRows = await parquetReadObjects({ file: await asyncBufferFromFile(at("whole.parquet")) })
    expect(wholeRows).toMatchObject(expected)
  })
})
