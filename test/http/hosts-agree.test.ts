import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createFetchService, type FetchService } from "../../adapters/start/mount.ts"
import { countTrips } from "../sample.ts"
import { makeFolder, startTestService, type TestService } from "./service.ts"

const PLANS = ["free", "hobby", "starter", "pro", "business"] as const
const PUBLIC_URL = "https://visa.localhost"

/** What belongs to the transport, or to the moment: the seconds that a window still has. */
const OWN_TO_HOST = ["date", "connection", "keep-alive", "content-length", "transfer-encoding"]
const withoutMoment = (value: string) => value.replace(/\bt=\d+/g, "t=")

interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function read(response: Response): Promise<Told> {
  const kept = [...response.headers].filter(([name]) => !OWN_TO_HOST.includes(name))
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, withoutMoment(value)]))
  delete headers["retry-after"]
  // The two are asked one after the other, so that a second may begin between them.
  const body = (await response.text()).replace(/ in \d+ seconds?\b/, " in some seconds")
  return { status: response.status, headers, body }
}

let folders: string[] = []
let service: TestService
let mounted: FetchService

beforeAll(async () => {
  // Two services that begin alike to the byte: the same accounts, keys and counts.
  folders = [makeFolder(), makeFolder()]
  const [first = "", second = ""] = folders
  const fresh = await startTestService({ folder: first })
  await fresh.stop()
  cpSync(first, second, { recursive: true })
  const again = await startTestService({ folder: first, env: { LANDFALL_PUBLIC_URL: PUBLIC_URL } })
  service = { ...again, keys: fresh.keys }
  mounted = await createFetchService({
    databaseUrl: `file:${join(second, "landfall.db")}`,
    publicUrl: PUBLIC_URL,
    host: "127.0.0.1",
    mode: "development",
    logLevel: "error",
  })
})
afterAll(async () => {
  await service.stop()
  await mounted.close()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const code = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("FRA", "JPN", "USA", "IND", "DEU", "THA", "MLI") },
  fc.constantFrom("ZZZ", "fra", "FR", "FRAN", "", "F%52A", "%46RA", "F+A", "FR%", "toString", "__proto__", "FRA,DEU"),
  fc.string({ maxLength: 5, unit: fc.constantFrom("A", "Z", "a", "1", "-", "_", "%41", "%", ";", "/", "?") }),
)

const apiKey = fc.oneof(
  fc.constantFrom(...PLANS).map(plan => () => service.keys[plan]),
  fc.constantFrom("", "nobody", "svc_visa_x", "a b").map(key => () => key),
)

const parameter = fc.oneof(
  { weight: 8, arbitrary: code.map(value => () => `passport=${value}`) },
  { weight: 8, arbitrary: code.map(value => () => `destination=${value}`) },
  fc.constantFrom("en", "fr", "ar", "xx", "EN", "", "%65n").map(lang => () => `lang=${lang}`),
  apiKey.map(key => () => `api_key=${encodeURIComponent(key())}`),
  fc.constantFrom("x=1", "passport", "=", "", "p%61ssport=FRA", "PASSPORT=FRA").map(text => () => text),
)

const query = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(code, code).map(
      ([passport, destination]) =>
        () =>
          `passport=${passport}&destination=${destination}`,
    ),
  },
  fc.array(parameter, { maxLength: 4 }).map(parts => () => parts.map(part => part()).join("&")),
)

const header = fc.oneof(
  { weight: 4, arbitrary: apiKey.map(key => () => `X-Api-Key: ${key()}`) },
  fc
    .constantFrom("*/*", "application/json", "text/markdown", "text/MARKDOWN;q=0.3, */*")
    .map(text => () => `Accept: ${text}`),
  fc
    .constantFrom(PUBLIC_URL, "https://other.example", "http://localhost:3000", "null")
    .map(text => () => `Origin: ${text}`),
  fc.constantFrom("X-Forwarded-For: 192.0.2.1").map(text => () => text),
)

const request = fc.record({
  method: fc.oneof({ weight: 9, arbitrary: fc.constant("GET") }, fc.constantFrom("HEAD", "POST", "OPTIONS", "DELETE")),
  path: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("/api/v1/visa/check") },
    { weight: 8, arbitrary: fc.constantFrom("/api/v1/visa") },
    fc.constantFrom(
      "/api/v1/visa/check/",
      "/api/v1/visa/",
      "/api/v1/visas",
      "/api/v1/visa/check%3F",
      "//api/v1/visa/check",
      "/api/v1/visa/stats",
    ),
  ),
  query,
  headers: fc.uniqueArray(header, { maxLength: 3, selector: make => make().split(":")[0]?.toLowerCase() }),
})

describe("the two hosts", () => {
  it("give the same answers, headers and counts for any requests in any order", async () => {
    const statuses = new Set<number>()
    let asked = 0
    // The smallest quota is spent first, so that some questions meet its end.
    const check = "/api/v1/visa/check?passport=FRA&destination=JPN"
    for (let spent = 0; spent < 100; spent++) {
      const init = { headers: { "x-api-key": service.keys.free } }
      await Promise.all([
        fetch(`${service.url}${check}`, init),
        mounted.fetch(new Request(`${PUBLIC_URL}${check}`, init)),
      ])
    }
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, query: makeQuery, headers }) => {
        const lines = headers.map(make => make().split(/: (.*)/, 2) as [string, string])
        const own: [string, string][] = [
          ["x-request-id", `r${asked++}`],
          ["accept-encoding", "identity"],
        ]
        const init = { method, headers: [...lines, ...own] }
        const target = `${path}?${makeQuery()}`
        const listened = await read(await fetch(new Request(`${service.url}${target}`, init)))
        const handled = await read(await mounted.fetch(new Request(`${PUBLIC_URL}${target}`, init), "127.0.0.1"))
        assert.deepStrictEqual(handled, listened, `${method} ${target} ${JSON.stringify(lines)}`)
        statuses.add(listened.status)
      }),
      { numRuns: countTrips(100) },
    )
    assert.includeMembers([...statuses], [200, 204, 400, 401, 403, 404, 405, 429])
  })

  it("report the same pairs", async () => {
    const path = "/api/v1/visa/live/recent"
    const pairsOf = (text: string) =>
      (JSON.parse(text).events as { passport: string; destination: string }[]).map(
        ({ passport, destination }) => passport + destination,
      )
    const listened = await fetch(`${service.url}${path}`)
    const handled = await mounted.fetch(new Request(`${PUBLIC_URL}${path}`), "127.0.0.1")
    assert.deepStrictEqual(pairsOf(await handled.text()), pairsOf(await listened.text()))
  })
})
