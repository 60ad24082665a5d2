import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { gunzipSync } from "node:zlib"
import { afterEach, assert, describe, it, type MockInstance, vi } from "vitest"
import { makeApiKey } from "../../adapters/accounts/key-limits.ts"
import { LocalisedFactsCache } from "../../adapters/answers/today.ts"
import { startTestService, type TestService } from "./service.ts"

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

const NOON = Date.parse("2026-11-21T12:00:00Z")

/** Takes a table away under the service. */
function dropTable({ folder }: TestService, table: string): void {
  const database = new DatabaseSync(join(folder, "landfall.db"), { timeout: 10_000 })
  database.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`)
  database.close()
}

/** What is written to stderr meanwhile, line by line. */
function listenToLog(): { readonly spy: MockInstance; readonly lines: () => string[] } {
  const spy = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  const lines = () =>
    spy.mock.calls
      .map(([text]) => String(text))
      .join("")
      .split("\n")
      .filter(line => line !== "")
  return { spy, lines }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe("an internal error", () => {
  it("is answered 500 with the request id and without details, and is in the log under that id", async () => {
    await using running = await startTestService()
    const { lines } = listenToLog()
    dropTable(running, "api_keys")
    const key = makeApiKey("account")
    const reply = await running.ask(PAIR, { headers: { "x-api-key": key, "x-request-id": "fault-1" } })
    assert.strictEqual(reply.status, 500)
    assert.deepStrictEqual(reply.read(), { error: "An internal error occurred.", request_id: "fault-1" })
    const line = lines()
      .map(text => JSON.parse(text) as Record<string, string>)
      .find(entry => entry.request_id === "fault-1")
    assert.strictEqual(line?.level, "error")
    assert.match(String(line?.cause), /no such table/)
    assert.notInclude(lines().join("\n"), key)
  })
})

describe("an error that is thrown synchronously", () => {
  it("is answered 500, costs nothing and does not end the process", async () => {
    await using running = await startTestService()
    const left = async () => (await running.askAs("free", "/api/v1/visa/check")).headers["x-ratelimit-remaining"]
    assert.strictEqual((await running.askAs("free", PAIR)).status, 200)
    const before = await left()
    const { lines } = listenToLog()
    const peek = vi.spyOn(LocalisedFactsCache.prototype, "peek").mockImplementation(() => {
      throw new Error("a torn page")
    })
    const reply = await running.askAs("free", PAIR)
    peek.mockRestore()
    assert.strictEqual(reply.status, 500)
    assert.include(lines().join("\n"), "a torn page")
    assert.strictEqual(await left(), before)
    assert.strictEqual((await running.askAs("free", PAIR)).status, 200)
  })
})

describe("the log", () => {
  it("has no lines about requests", async () => {
    const { lines } = listenToLog()
    await using quiet = await startTestService({ env: { LANDFALL_LOG_LEVEL: "info" } })
    await quiet.askAs("pro", PAIR)
    assert.deepStrictEqual(
      lines().filter(line => line.includes("/api/v1")),
      [],
    )
  })
})

describe("the access log", () => {
  const readLines = (written: MockInstance) =>
    written.mock.calls
      .map(([text]) => String(text))
      .join("")
      .split("\n")
      .filter(line => line.startsWith('{"time"'))

  it("is off by default", async () => {
    const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true)
    const { spy } = listenToLog()
    await using running = await startTestService()
    await running.askAs("pro", PAIR)
    await running.stop()
    assert.deepStrictEqual([...readLines(stdout), ...readLines(spy)], [])
  })

  it("has one JSON object for each request, without key, query or address, and loses none at the end", async () => {
    const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true)
    await using running = await startTestService({ env: { LANDFALL_ACCESS_LOG: "stdout" }, stoppedAt: NOON })
    const key = running.keys.pro
    await running.ask(`${PAIR}&api_key=${key}`, { headers: { "x-request-id": "trip-1" } })
    await running.ask("/secret-path", { headers: { "x-request-id": '"},{' } })
    await running.ask("/healthz")
    await running.stop()
    const lines = readLines(stdout)
    const records = lines.map(line => JSON.parse(line) as Record<string, unknown>)
    assert.deepStrictEqual(
      records.map(({ method, route, status, plan }) => [method, route, status, plan]),
      [
        ["GET", "/api/v1/visa/check", 200, "pro"],
        ["other", "(none)", 404, null],
        ["GET", "/healthz", 200, null],
      ],
    )
    assert.deepInclude(records[0], { time: "2026-11-21T12:00:00.000Z", request_id: "trip-1" })
    assert.isNumber(records[0]?.milliseconds)
    for (const secret of [key, "FRA", "127.0.0.1"]) assert.notInclude(lines.join(), secret)
  })
})

describe("GET /metrics", () => {
  it("has the numbers for operators in the format of Prometheus", async () => {
    await using running = await startTestService({ stoppedAt: NOON })
    const { headers } = await running.askAs("free", PAIR)
    const left = Number(headers["x-ratelimit-remaining"])
    await Promise.all(Array.from({ length: left + 3 }, () => running.askAs("free", PAIR)))
    await running.ask("/readyz")
    const { text, headers: sent } = await running.ask("/metrics")
    assert.strictEqual(sent["content-type"], "text/plain; version=0.0.4; charset=utf-8")
    const values = new Map(
      text
        .split("\n")
        .filter(line => line !== "" && !line.startsWith("#"))
        .map(line => {
          assert.match(line, /^[a-z_0-9]+(\{([a-z_]+="[^"\n]*",?)+\})? (-?[\d.e+-]+)$/)
          return [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))] as const
        }),
    )
    const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
    assert.strictEqual(new Set(families).size, families.length)
    assert.strictEqual(values.get('landfall_refusals_total{pool="visa",reason="monthly",plan="free"}'), 3)
    assert.isTrue(values.has("landfall_held_requests"))
    assert.strictEqual(values.get("landfall_flush_failures_total"), 0)
    const count = values.get('landfall_database_duration_seconds_count{kind="transaction"}')
    assert.isAbove(Number(count), 0)
    assert.strictEqual(values.get('landfall_database_duration_seconds_bucket{kind="transaction",le="+Inf"}'), count)
    assert.strictEqual(values.get("landfall_database_unavailable_total"), 0)
    assert.isAtLeast(Number(values.get("landfall_open_connections")), 1)
    assert.isAbove(Number(values.get("landfall_connections_total")), left)
    assert.isAbove(Number(values.get('process_cpu_seconds_total{mode="user"}')), 0)
    assert.isAbove(Number(values.get("nodejs_heap_size_used_bytes")), 1e6)
    assert.isAtLeast(Number(values.get("nodejs_eventloop_lag_max_seconds")), 0)
    assert.isAbove(Number(values.get("process_start_time_seconds")), 1.7e9)
    const info = [...values.keys()].find(name => name.startsWith("landfall_build_info"))
    assert.include(info, `dataset="${running.service.datasetVersion}"`)
    assert.match(String(info), /version="\d+\.\d+\.\d+",node="\d+\./)
  })
})

describe("GET /readyz", () => {
  it("is 503 and says why when the database cannot do its work, while the process is up", async () => {
    await using running = await startTestService({ stoppedAt: NOON })
    assert.strictEqual((await running.ask("/readyz")).status, 200)
    dropTable(running, "deployment")
    running.setTime(NOON + 1_000)
    const reply = await running.ask("/readyz")
    assert.strictEqual(reply.status, 503)
    assert.strictEqual(reply.headers["retry-after"], "1")
    assert.deepStrictEqual(reply.read(), {
      error: "The service cannot answer now: the database cannot be read or written.",
      status: "unavailable",
      reason: "broken",
    })
    assert.strictEqual((await running.ask("/healthz")).status, 200)
  })

  it("is 503 if the database file was deleted while the service runs, and says so without its path", async () => {
    await using running = await startTestService({ stoppedAt: NOON })
    rmSync(join(running.folder, "landfall.db"))
    running.setTime(NOON + 1_000)
    const reply = await running.ask("/readyz")
    assert.strictEqual(reply.status, 503)
    assert.strictEqual(
      reply.read("error"),
      "The service cannot answer now: the database was deleted, replaced or truncated while it was in use.",
    )
    assert.strictEqual(reply.read("reason"), "missing")
    assert.notInclude(reply.text, running.folder)
  })
})

describe("the OpenAPI document", () => {
  it("is compressed once for clients that accept it, with the same content", async () => {
    await using running = await startTestService()
    const url = `${running.url}/openapi.json`
    const [plain, small] = await Promise.all(
      ["identity", "gzip"].map(encoding => fetch(url, { headers: { "accept-encoding": encoding } })),
    )
    assert.strictEqual(small?.headers.get("content-encoding"), "gzip")
    assert.isNull(plain?.headers.get("content-encoding") ?? null)
    assert.isBelow(Number(small?.headers.get("content-length")), 150_000)
    assert.strictEqual(await small?.text(), await plain?.text())
    const refused = await running.ask("/openapi.json", { headers: { "accept-encoding": "gzip;q=0" } })
    assert.notProperty(refused.headers, "content-encoding")
    assert.throws(() => gunzipSync(Buffer.from(refused.text)))
  })
})

describe("the surfaces", () => {
  it("are mounted as configured; the operations always are", async () => {
    await using running = await startTestService({ env: { LANDFALL_SURFACES: "spots" } })
    assert.strictEqual((await running.askAs("pro", PAIR)).status, 404)
    assert.strictEqual((await running.ask("/readyz")).status, 200)
    const paths = Object.keys((await running.ask("/openapi.json")).read("paths") as object)
    assert.notInclude(paths, "/api/v1/visa/check")
    assert.include(paths, "/healthz")
  })
})
