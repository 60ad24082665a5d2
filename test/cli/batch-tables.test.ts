/** `landfall batch` from and to tables: CSV as people have it, and Parquet. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
    const refusal = 'Line 5: passport: no country is called ""XXXX""'
    const repeated = "passport,passport_expiry,destination,from,to,destination_2,from_2,to_2,transit"
    expect(read("from-csv.csv")).toMatch(
      new RegExp(
        `^line,id,${repeated},outcome,verdict,summary,blockers,conditions,unknowns,error\n` +
          '1,a,FRA,2027-03-01,THA,2026-12-01,2026-12-20,,,,ARE QAT,blocked,blocked,"?Blocked\\. .*"?,passport_validity_short,arrival_form,\\d+,\n' +
          '2,"b\nb",FRA,,THA,2026-12-01,2027-05-20,IND,2027-05-21,2027-06-20,,blocked,blocked,"?Blocked\\. .*"?,stay_exceeded,arrival_form e_visa arrival_form arrival_form,\\d+,\n' +
          `3,c,XXXX,,THA,2026-12-01,2026-12-20,,,,,,,,,,,"${refusal}.*"\n$`,
      ),
    )
    await run("batch", at("in.csv"), "-o", at("from-csv.ndjson"), ...flags)
    const answers = readAnswers("from-csv.ndjson")
    expect(answers.map(({ line, id, verdict }) => [line, id, verdict])).toEqual([
      [1, "a", "blocked"],
      [2, "b\nb", "blocked"],
      [3, "c", undefined],
    ])
    await run("batch", at("in.csv"), "-o", at("from-csv.parquet"), ...flags)
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(at("from-csv.parquet")) })
    const toNull = (cells: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell || null]))
    expect(rows).toEqual(
      answers.map(
        ({ line, id, given, outcome = null, verdict = null, blockers, conditions, unknowns = null, error = null }) => ({
          line,
          id,
          ...toNull(given),
          outcome,
          verdict,
          summary: outcome === null ? null : expect.stringMatching(/^Blocked\. /),
          blockers: blockers?.join(" ") ?? null,
          conditions: conditions?.join(" ") ?? null,
          unknowns,
          error,
        }),
      ),
    )
  })

  const TWO_TRIPS = "passport,destination,from,to\nFRA,JPN,2026-12-01,2026-12-10\nIND,THA,2026-12-01,2026-12-10\n"
  const SPREADSHEET = TWO_TRIPS.replaceAll(",", ";")
  it.each([
    ["an empty first line", `\n${TWO_TRIPS}`],
    ["a first row of a spreadsheet without content", `,,,\n${TWO_TRIPS},,,\n`],
    ["Excel's line of the sign", `sep=;\n${SPREADSHEET}`],
    ["that line behind a byte order mark", `\uFEFFsep=;\r\n${SPREADSHEET.replaceAll("\n", "\r\n")}`],
    ["carriage returns alone", TWO_TRIPS.replaceAll("\n", "\r")],
    ["line ends of several kinds", TWO_TRIPS.replace("\n", "\r").replace("\n", "\r\n")],
    ["a name of two lines", TWO_TRIPS.replace("passport", '"passport\r\n"').replace("FRA", '"FRA\r\n"')],
    ["capitals", TWO_TRIPS.replace("passport,destination", "PASSPORT,Destination")],
    [
      "Excel's Unicode text",
      Buffer.from(`\uFEFF${TWO_TRIPS.replaceAll(",", "\t").replaceAll("\n", "\r\n")}`, "utf16le"),
    ],
  ])("answers two trips, numbered 1 and 2: %s", async (_, text) => {
    writeFileSync(at("trips.csv"), text)
    const { status, stderr } = await run(
      "batch",
      at("trips.csv"),
      "-o",
      at("trips.out.ndjson"),
      "--summary",
      ...THREADS,
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(readAnswers("trips.out.ndjson").map(({ line, verdict }) => [line, verdict])).toEqual([
      [1, "no_blocker_found"],
      [2, "no_blocker_found"],
    ])
  })

  it("carries columns that are no fields through to each kind of output, and refuses them with --strict", async () => {
    const file = put(
      "further.csv",
      "Passport,Destination,From,To,Booking,Seat\nFRA,JPN,2026-12-01,2026-12-10,K7QX2M,aisle\nIND,THA,2026-12-01,2026-12-10,P31ZZ8,window\n",
    )
    await run("batch", file, "-o", at("further.out.csv"), "--summary", ...THREADS)
    expect(read("further.out.csv").split("\n")[0]).toMatch(
      /^line,id,Passport,Destination,From,To,Booking,Seat,outcome,/,
    )
    expect(read("further.out.csv").split("\n")[1]).toMatch(/^1,,FRA,JPN,2026-12-01,2026-12-10,K7QX2M,aisle,/)
    await run("batch", file, "-o", at("further.ndjson"), ...THREADS)
    expect(readAnswers("further.ndjson").map(({ given }) => [given.Booking, given.Seat])).toEqual([
      ["K7QX2M", "aisle"],
      ["P31ZZ8", "window"],
    ])
    expect(await run("batch", file, "--strict", ...THREADS)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining('line 1, column 5 "Booking": there is no such column, and --strict is given'),
    })
  })

  it("reads countries by name and D as Germany, and lists what a name may mean", async () => {
    const file = put(
      "names.csv",
      "name,passport,destination,from,to\nTraveller One,French,Japan,2026-12-01,2026-12-10\nTraveller Two,D,Thailand,2026-12-01,2026-12-10\nTraveller Three,India,Korea,2026-12-01,2026-12-10\nTraveller Four,ドイツ,泰国,2026-12-01,2026-12-10\nTraveller Five,XXA,JPN,2026-12-01,2026-12-10\nTraveller Six,FR,JPN,2026-12-01,2026-12-10\n",
    )
    expect(await run("batch", file, "-o", at("names.ndjson"), "--summary", ...THREADS)).toMatchObject({ status: 1 })
    const answers = readAnswers("names.ndjson")
    expect(answers.map(({ given }) => [given.name, given.passport, given.destination])).toEqual([
      ["Traveller One", "FRA", "JPN"],
      ["Traveller Two", "DEU", "THA"],
      ["Traveller Three", "IND", "Korea"],
      ["Traveller Four", "DEU", "THA"],
      ["Traveller Five", "XXA", "JPN"],
      ["Traveller Six", "FR", "JPN"],
    ])
    expect(answers.map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      'Line 4: stops[0].destination: "Korea" may mean PRK (North Korea), KOR (South Korea).',
      undefined,
      "Line 6: passport: XXA is a stateless person: give the state that issued the document as passport, and passport_kind stateless.",
      'Line 7: passport: "FR" has two letters. The code of France is FRA.',
    ])
  })

  it("reads dates in the order that is named, and no other", async () => {
    const file = put("dates.csv", "passport,destination,from,to\nFRA,JPN,1.12.2026,10.12.2026\n")
    expect(await run("batch", file, "-o", at("dates.csv.ndjson"), ...THREADS)).toMatchObject({ status: 1 })
    expect(readAnswers("dates.csv.ndjson")[0].error).toContain('"1.12.2026" is not a date such as 2026-12-01.')
    expect(await run("batch", file, "-o", at("dates.csv.ndjson"), "--dates", "dmy", ...THREADS)).toMatchObject({
      status: 0,
    })
    expect(readAnswers("dates.csv.ndjson")[0]).toMatchObject({ given: { from: "2026-12-01", to: "2026-12-10" } })
  })

  it("continues tables, also at a quoted cell", async () => {
    const file = put(
      "continued.csv",
      `passport,destination,from,to,note\n${'FRA,JPN,2026-12-01,2026-12-10,"two\nlines"\n\n'.repeat(40)}`,
    )
    await run("batch", file, "-o", at("continued.whole.csv"), "--summary", ...THREADS)
    const whole = readFileSync(at("continued.whole.csv"))
    expect(whole.toString()).toContain("\n79,")
    for (const bytes of [10, whole.indexOf("two") + 5, whole.lastIndexOf("two") + 1, whole.length]) {
      writeFileSync(at("continued.cut.csv"), whole.subarray(0, bytes))
      expect(
        await run("batch", file, "-o", at("continued.cut.csv"), "--summary", "--resume", ...THREADS),
      ).toMatchObject({ status: 0 })
      expect(readFileSync(at("continued.cut.csv")).equals(whole)).toBe(true)
    }
  })

  it("refuses a table that breaks off, with the place, and writes nothing", async () => {
    const file = put("broken.csv", `${TWO_TRIPS}"FRA,JPN,2026-12-01,2026-12-10\n`)
    expect(await run("batch", file, "-o", at("never.csv"), "--summary", ...THREADS)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("broken.csv: line 4, column 1: a quote opens the cell and is not closed."),
    })
    expect(readdirSync(folder).filter(name => name.startsWith("never"))).toEqual([])
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
        { name: "passport", data: ["FRA", "frx"], type: "STRING" },
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
