import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { parse } from "csv-parse/sync"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EXPORT_COLUMNS } from "../../adapters/data-files/export-pairs.ts"
import { embeddedDataset, lookup } from "../../src/index.ts"
import { run, runCli } from "../cli/run.ts"
import { takeReadings } from "../local-time.ts"
import { makeTrips, toLines } from "../worker/trips.ts"

const page = readFileSync("docs/warehouse.md", "utf8")
const recipes = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql as string)
const TRIPS = 20_000

let folder = ""
let database: DuckDBConnection
const at = (name: string) => join(folder, name)
const query = async (sql: string) =>
  (await database.runAndReadAll(sql.replace(/'([\w-]+\.parquet)'/g, (_, name) => `'${at(name)}'`))).getRowObjectsJson()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "landfall-warehouse-"))
  const commands = /```sh\n([\s\S]*?)```/.exec(page)?.[1]?.trim().split("\n") ?? []
  for (const command of commands) {
    expect(await runCli(command.split(" ").slice(1), { cwd: folder })).toMatchObject({ status: 0, stderr: "" })
  }
  const old = "test/fixtures/passport-index-2025-01-12.landfall"
  await run("dataset", "export", old, "--format", "parquet", "-o", at("before.parquet"))
  // It reads the zone of the machine when it is loaded.
  const { DuckDBInstance } = await import("@duckdb/node-api")
  takeReadings()
  database = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect()
  // Every passport and destination in turn, and passports that nobody knows.
  await query(
    `COPY (SELECT n AS trip_id, CASE WHEN n % 100 = 0 THEN 'ZZZ' ELSE passports[1 + n % len(passports)] END AS passport,
      destinations[1 + (n * 7) % len(destinations)] AS destination, 1 + n % 200 AS days
      FROM range(${TRIPS}) trips(n),
      (SELECT list(DISTINCT passport ORDER BY passport) AS passports, list(DISTINCT destination ORDER BY destination) AS destinations FROM 'pairs.parquet')
    ) TO 'trips.parquet' (FORMAT parquet)`,
  )
})
afterAll(() => {
  database.closeSync()
  rmSync(folder, { recursive: true })
})

const countBy = <Value>(values: readonly Value[], name: (value: Value) => string) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[name(value)] = (counts[name(value)] ?? 0) + 1
  return counts
}

interface Trip {
  readonly trip_id: string
  readonly passport: string
  readonly destination: string
  readonly days: string
}
const askEach = async () =>
  ((await query("SELECT * FROM 'trips.parquet' ORDER BY trip_id")) as unknown as readonly Trip[]).map(trip => ({
    trip,
    answer: lookup(trip.passport, trip.destination),
  }))

describe("docs/warehouse.md", () => {
  it("names the columns that a table has, with their types", async () => {
    const documented = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)].map(([, name, type, empty]) => ({
      name,
      type,
      isOptional: empty !== "never",
    }))
    const words = { text: "text", integer: "integer", truth: "boolean", date: "date" } as const
    expect(documented).toEqual(EXPORT_COLUMNS.map(column => ({ ...column, type: words[column.type] })))
    const described = await query("DESCRIBE SELECT * FROM 'pairs.parquet'")
    const types = { text: "VARCHAR", integer: "INTEGER", truth: "BOOLEAN", date: "DATE" } as const
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(
      EXPORT_COLUMNS.map(({ name, type }) => [name, types[type]]),
    )
  })

  it("joins trips to the engine's answers, and keeps the unknown ones separate", async () => {
    const asked = await askEach()
    const requirementOf = ({ answer }: (typeof asked)[number]) =>
      answer.kind === "found" ? answer.requirement : "unknown"
    const rows = await query(recipes[0] as string)
    expect(Object.fromEntries(rows.map(({ requirement, trips }) => [requirement, Number(trips)]))).toEqual(
      countBy(asked, requirementOf),
    )
    const longer = asked.filter(
      ({ trip, answer }) => answer.kind === "found" && answer.days !== null && answer.days < Number(trip.days),
    )
    expect(Object.fromEntries(rows.map(row => [row.requirement, Number(row.longer_than_allowed)]))).toEqual({
      ...Object.fromEntries(rows.map(({ requirement }) => [requirement, 0])),
      ...countBy(longer, requirementOf),
    })
  })

  it("selects the trips to check by hand", async () => {
    await query(recipes[1] as string)
    const found = await query("SELECT trip_id FROM 'look-at.parquet'")
    const expected = (await askEach()).filter(({ trip, answer }) => {
      if (answer.kind !== "found") return true
      const { requirement, days } = answer
      return ["visa_required", "no_admission"].includes(requirement) || (days !== null && days < Number(trip.days))
    })
    expect(found.map(({ trip_id }) => trip_id)).toEqual(expected.map(({ trip }) => trip.trip_id))
  })

  it("lists what changed between two exports", async () => {
    const rows = await query(recipes[2] as string)
    expect(rows.length).toBeGreaterThan(100)
    for (const { passport, destination, is_now } of rows) {
      const answer = lookup(String(passport), String(destination))
      expect(is_now).toBe(answer.kind === "found" ? answer.requirement : null)
    }
  })
})

describe("examples/duckdb", () => {
  it("judges the journeys of a file in a query, as a batch does", async () => {
    const { registerJudge } = await import("../../examples/duckdb/judge-trips.ts")
    takeReadings()
    registerJudge(database)
    const trips = makeTrips(500)
    writeFileSync(at("trips.ndjson"), `${toLines(trips)}\n{"id": "bad", "passport": "FR"}\n`)
    await run("batch", at("trips.ndjson"), "--summary", "--lenient", "--threads", "1", "-o", at("verdicts.csv"))
    const expected = parse(readFileSync(at("verdicts.csv")), { columns: true }) as Record<string, string>[]
    const found = (await query(`SELECT * FROM landfall_trips('${at("trips.ndjson")}')`)) as Record<
      string,
      string | null
    >[]
    const show = (row: Record<string, string | null | undefined>) =>
      [row.line, row.id || null, row.outcome || null, row.error ? "error" : null].join()
    expect(found.map(show)).toEqual(expected.map(show))
    expect(found.map(({ blockers }) => blockers ?? "")).toEqual(
      expected.map(({ blockers = "" }) => [...new Set(blockers.split(" "))].join(" ")),
    )
    const sql = recipes.find(each => each.includes("landfall_trips"))?.replace("trips.ndjson", at("trips.ndjson")) ?? ""
    const counts = await query(sql)
    expect(counts.reduce((sum, { trips: count }) => sum + Number(count), 0)).toBe(501)
  })
})

describe("landfall dataset export", () => {
  it("writes the same table in all three formats", async () => {
    const parquet = await query("SELECT * FROM 'pairs.parquet'")
    const [names, ...cells] = parse(readFileSync(at("pairs.csv"))) as string[][]
    expect(names).toEqual(EXPORT_COLUMNS.map(({ name }) => name))
    expect(cells.map(row => row.join())).toEqual(
      parquet.map(row => EXPORT_COLUMNS.map(({ name }) => row[name] ?? "").join()),
    )
    const later = JSON.parse(readFileSync(at("pairs-2028.json"), "utf8"))
    expect(later.length).toBeGreaterThan(45_000)
    expect(later[0]).toMatchObject({ as_of: "2028-01-01", dataset_version: embeddedDataset().version })
    expect(Object.keys(later[0])).toEqual(names)
  })

  it.each([
    [["--format", "parquet"], "--format parquet: name a file with -o."],
    [["--format", "csv", "--json"], "--json and --format csv: give one of them."],
    [["--on", "2027-02-30"], "2027-02-30"],
  ])("refuses wrong arguments: %j", async (flags, message) => {
    const { status, stderr, stdout } = await run("dataset", "export", ...flags)
    expect(status).toBe(2)
    if (!flags.includes("--json")) {
      expect(stdout).toBe("")
      expect(stderr).toContain(message)
      expect(stderr).toContain("Usage: landfall dataset export")
    } else {
      expect(stderr).toBe("")
      expect(JSON.parse(stdout).error).toMatchObject({
        message,
        usage: expect.stringContaining("landfall dataset export"),
      })
    }
  })

  it("reports why it cannot write", async () => {
    const { status, stderr } = await run("dataset", "export", "-o", at("no/such/folder.csv"))
    expect(status).toBe(1)
    expect(stderr).toContain("folder.csv: does not exist.")
  })
})
