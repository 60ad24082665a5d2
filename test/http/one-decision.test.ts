/** Do all faces say one thing? The same journeys, drawn with their mistakes, over HTTP, as a tool, on the command line, in a batch and as a job. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { decideGroup, decideWithRemedies, embeddedDataset } from "../../src/index.ts"
import { run, runCli } from "../cli/run.ts"
import { connectStdio, type McpClient } from "../mcp/clients.ts"
import { countTrips } from "../sample.ts"
import { startTestService, type TestService } from "./service.ts"

const COUNT = countTrips(640) / 40
const folder = mkdtempSync(join(tmpdir(), "landfall-faces-"))
let running: TestService
let mcp: McpClient
beforeAll(async () => {
  running = await startTestService()
  mcp = await connectStdio()
})
afterAll(async () => {
  await mcp[Symbol.asyncDispose]()
  await running[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const { passports, destinations } = embeddedDataset()
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const dayOf = (date: string) => Date.parse(date) / 86_400_000
const country = fc.constantFrom("USA", "DEU", "GBR", "CUB", "FRA", "CHN", "IRN", "ARE", "GRL", "ZZZ", ...destinations)
const passport = fc.constantFrom("FRA", "IRN", "IND", "USA", "CHN", ...passports)
const begin = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: dayOf("2026-06-01"), max: dayOf("2028-01-01") }) },
  fc.integer({ min: dayOf("2005-01-01"), max: dayOf("2026-05-01") }),
)
const by = fc.constantFrom("air", "land", "sea")
const few = <Value>(value: fc.Arbitrary<Value>, most = 2) => fc.array(value, { maxLength: most })
const route = fc
  .tuple(
    begin,
    fc.array(fc.tuple(country, fc.nat(60), fc.nat(200), fc.option(by, { nil: undefined })), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([first, list]) => {
    let next = first
    return list.map(([destination, days, between, by]) => {
      const from = next
      next = from + days + between
      return { destination, from: dateOf(from), to: dateOf(from + days), by }
    })
  })
const held = fc.record(
  {
    kind: fc.constantFrom("visa", "residence_permit", "eta"),
    issuer: country,
    valid_until: begin.map(dateOf),
    issued_on: fc.constant("2020-01-01"),
    entries: fc.constantFrom(1, "multiple"),
    permanent: fc.boolean(),
  },
  { requiredKeys: ["kind", "issuer"] },
)
const transit = fc.oneof(country, fc.record({ country, airside: fc.boolean(), by }, { requiredKeys: ["country"] }))
const traveller = fc.record(
  {
    passports: fc.uniqueArray(
      fc.record(
        { passport, passport_expiry: begin.map(dateOf), passport_issued: fc.constant("2001-02-03") },
        { requiredKeys: ["passport"] },
      ),
      { minLength: 1, maxLength: 3, selector: each => each.passport },
    ),
    held: few(held),
    residence: country,
    earlier_stays: few(
      fc.record({ destination: country, from: fc.constant("2004-01-01"), to: fc.constant("2004-02-01") }),
    ),
  },
  { requiredKeys: ["passports"] },
)
const shared = {
  stops: route,
  transit: few(transit, 3),
  purpose: fc.constantFrom("tourism", "business", "", "work 😀\u2028 abroad"),
}
type Journey = Record<string, unknown> & { readonly stops: readonly Record<string, unknown>[] }
const one = fc
  .tuple(traveller, fc.record(shared, { requiredKeys: ["stops"] }))
  .map(([who, where]): Journey => JSON.parse(JSON.stringify({ ...who, ...where })))
const spoil = (journey: Journey, how: number): Journey => {
  const [first, ...rest] = journey.stops
  if (how === 0) return { ...journey, stops: [{ ...first, to: "2001-01-01" }, ...rest] }
  if (how === 1) return { ...journey, stops: [{ ...first, destination: "de" }, ...rest] }
  if (how === 2) return { ...journey, held: [{ kind: "visa", issuer: 7 }] } as Journey
  if (how === 3) return { ...journey, passports: [{ passport: "ZZZ" }] } as Journey
  return journey
}
const journeys = fc
  .sample(fc.tuple(one, fc.nat(30)), { numRuns: COUNT, seed: 20261123 })
  .map(([journey, how]) => spoil(journey, how))
const groups = fc
  .sample(
    fc.tuple(fc.array(traveller, { minLength: 1, maxLength: 3 }), fc.record(shared, { requiredKeys: ["stops"] })),
    { numRuns: Math.ceil(COUNT / 8), seed: 20261124 },
  )
  .map(([travellers, where]) => JSON.parse(JSON.stringify({ travellers, ...where })) as Journey)

/** The request under the names of the engine. */
const toEngine = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toEngine)
  if (typeof value !== "object" || value === null) return value
  const rename = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [rename(name), toEngine(held)]))
}

interface Said {
  readonly data?: Record<string, unknown>
  readonly error?: string
  readonly issues?: unknown
}

/** What each journey is answered over HTTP, which the others are compared with. */
async function askAll(): Promise<Said[]> {
  const said: Said[] = []
  for (const journey of [...journeys, ...groups]) {
    const reply = await running.askAs("business", "/api/v1/visa/decision", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(journey),
    })
    assert.include([200, 400, 404], reply.status, reply.text)
    said.push(reply.read() as Said)
  }
  return said
}
const all = [...journeys, ...groups]
const lines = all.map(journey => `${JSON.stringify(journey)}\n`).join("")
const tell = (at: number) => JSON.stringify(all[at])

describe("a journey", () => {
  it("has the same decision on every interface", async () => {
    const said = await askAll()
    const decided = said.filter(({ data }) => data !== undefined).length
    assert.isAbove(decided, COUNT / 4)
    assert.isAbove(said.length, decided)

    // The engine itself, as far as both have a field.
    said.forEach(({ data }, at) => {
      const request = toEngine(all[at]) as never
      const result =
        at < journeys.length ? decideWithRemedies(embeddedDataset(), request) : decideGroup(embeddedDataset(), request)
      const isDecided = result.ok && result.value.kind !== "no_record"
      assert.strictEqual(isDecided, data !== undefined, tell(at))
    })

    // A batch and a job: a line for each, with the same decision or the same mistakes.
    const input = join(folder, "in.ndjson")
    writeFileSync(input, lines)
    await run("batch", input, "-o", join(folder, "out.ndjson"), "--threads", "1", "--lenient", "--answers", "full")
    const batch = readFileSync(join(folder, "out.ndjson"), "utf8")
    batch
      .trimEnd()
      .split("\n")
      .forEach((line, at) => {
        const { data, error, issues } = JSON.parse(line) as Said
        assert.deepStrictEqual(data, said[at]?.data, tell(at))
        if (data !== undefined) return
        assert.strictEqual(error, said[at]?.error, tell(at))
        assert.deepStrictEqual(issues ?? [], said[at]?.issues ?? [], tell(at))
      })
    const handed = await running.askAs("business", "/api/v1/visa/jobs", { method: "POST", body: lines })
    assert.strictEqual(handed.status, 202, handed.text)
    const path = `/api/v1/visa/jobs/${handed.read("job.id")}`
    while ((await running.askAs("business", path)).read("job.state") !== "completed")
      await new Promise(next => setTimeout(next, 50))
    assert.strictEqual((await running.askAs("business", `${path}/result`)).text, batch)

    for (const [at, journey] of all.entries()) {
      const { data, error, issues } = said[at] as Said
      const { status, stdout } = await runCli(["itinerary", "-", "--json"], { stdin: JSON.stringify(journey) })
      if (data !== undefined) assert.deepStrictEqual(JSON.parse(stdout), data, tell(at))
      else {
        assert.notStrictEqual(status, 0, tell(at))
        const { message } = JSON.parse(stdout).error as { readonly message: string }
        // A code that nobody knows is named by its field.
        if (issues !== undefined) assert.include(message, error ?? "no error", tell(at))
      }
      // The tool is about one traveller.
      if (at >= journeys.length) continue
      const called = await mcp.call("check_itinerary", journey)
      // A code that nobody knows may be a name that is misspelled, which the tool asks about.
      if (tell(at).includes('"ZZZ"')) assert.isTrue(called.isError, called.text)
      else if (data !== undefined) assert.deepStrictEqual(called.content?.decision, data, `${tell(at)} ${called.text}`)
      else assert.isTrue(called.isError || called.content?.decision === null, `${tell(at)} ${called.text}`)
    }
  })
})
