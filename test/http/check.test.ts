import { assert, describe, it } from "vitest"
import { LANGUAGES } from "../../src/full.ts"
import { lookup } from "../../src/index.ts"
import { share } from "../share.ts"
import { startTestService, type TestService } from "./service.ts"

const running = share(() =>
  startTestService({
    env: { LANDFALL_PUBLIC_URL: "https://visa.localhost", LANDFALL_SITE_ORIGINS: "https://www.visa.example" },
  }),
)

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

describe("GET /api/v1/visa/check", () => {
  it("returns the record at the top level and in `data`, with `meta`", async () => {
    const reply = await running.ask(PAIR)
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers["content-type"], "application/json")
    const { data, meta, ...flat } = reply.read() as Record<string, unknown>
    assert.deepStrictEqual(flat, data)
    assert.include(flat, { passport: "FRA", destination: "JPN", requirement: "visa_free", visa_required: false })
    assert.strictEqual(flat.visa_free_days, (lookup("FRA", "JPN") as { days: number }).days)
    assert.include(meta, { lang: "en", api_version: "1.1.0", languages: LANGUAGES.length })
  })

  it("marks the traveller's own country as home", async () => {
    const reply = await running.ask("/api/v1/visa/check?passport=FRA&destination=FRA")
    assert.include(reply.read() as object, { requirement: "visa_free", visa_free_days: null, home: true })
  })

  it("needs no key on the machine of a development server", async () => {
    assert.strictEqual((await running.ask(PAIR)).status, 200)
  })

  it("needs no key from the service's own site, localhost and extensions, and one from anywhere else", async () => {
    const statusOf = async (origin: string) => (await running.ask(PAIR, { headers: { origin } })).status
    assert.strictEqual(await statusOf("https://www.visa.example"), 200)
    assert.strictEqual(await statusOf("http://localhost:3000"), 200)
    assert.strictEqual(await statusOf("chrome-extension://abcdefghijklmnop"), 200)
    assert.strictEqual(await statusOf("https://other.example"), 401)
  })

  it("answers 401 without a key, with the way to get one and the free allowance", async () => {
    const reply = await running.ask(PAIR, { headers: { origin: "https://other.example" } })
    assert.strictEqual(reply.status, 401)
    const body = reply.read() as Record<string, string>
    assert.sameMembers(Object.keys(body), ["error", "message", "signup_url", "free_tier"])
    assert.match(body.signup_url as string, /^https:\/\/visa\.localhost\//)
  })

  it("answers 403 for an unknown key, before it reads the parameters", async () => {
    for (const path of [PAIR, "/api/v1/visa/check", "/api/v1/visa/check?passport=x"]) {
      const reply = await running.ask(path, { headers: { "x-api-key": "svc_visa_nobody" } })
      assert.strictEqual(reply.status, 403, path)
      assert.sameMembers(Object.keys(reply.read() as object), ["error", "message"])
    }
  })

  it("answers 400 with the field for an invalid code", async () => {
    const expectations = {
      "passport=FR&destination=JPN": "passport",
      "passport=fra&destination=JPN": "passport",
      "passport=FRA&destination=J1N": "destination",
      "passport=FRA&passport=DEU&destination=JPN": "passport",
      "passport=FRA": "destination",
      "destination=JPN": "passport",
      "passport=&destination=JPN": "passport",
    }
    for (const [query, field] of Object.entries(expectations)) {
      const reply = await running.ask(`/api/v1/visa/check?${query}`)
      assert.strictEqual(reply.status, 400, query)
      assert.match(String(reply.read("error")), new RegExp(`^${field}: `), query)
    }
  })

  it("answers 404 for codes without a record", async () => {
    for (const query of ["passport=FRA&destination=ZZZ", "passport=ZZZ&destination=FRA"])
      assert.strictEqual((await running.ask(`/api/v1/visa/check?${query}`)).status, 404, query)
  })

  it("is rendered as markdown on request", async () => {
    const reply = await running.ask(PAIR, { headers: { accept: "text/markdown" } })
    assert.match(String(reply.headers["content-type"]), /^text\/markdown/)
    assert.match(reply.text, /^# .*France.*Japan/)
    assert.match(String(reply.headers.vary), /Accept(,|$)/)
  })

  const onDay = (pair: string, on: string, options?: Parameters<TestService["ask"]>[1]) =>
    running.ask(`/api/v1/visa/check?passport=${pair.slice(0, 3)}&destination=${pair.slice(3)}&on=${on}`, options)

  it("answers for a past day from tables: imported, with the days between which it was seen, and never verified", async () => {
    const reply = await onDay("FRACHN", "2023-11-20")
    assert.strictEqual(reply.status, 200)
    const { data, meta, ...flat } = reply.read() as Record<string, unknown>
    assert.deepStrictEqual(flat, data)
    assert.include(meta, { lang: "en" })
    const { source, ...said } = flat
    assert.include(source as object, { id: "passport-index-tables" })
    assert.deepStrictEqual(said, {
      passport: "FRA",
      destination: "CHN",
      on: "2023-11-20",
      status: "imported",
      requirement: "visa_required",
      word: "visa_required",
      visa_free_days: null,
      reason: null,
      later_called: null,
      first_seen: { after: null, by: "2020-11-19" },
      last_seen: "2023-11-06",
      or: {
        requirement: "visa_free",
        word: "visa_free",
        visa_free_days: 15,
        reason: null,
        first_seen: { after: "2023-11-06", by: "2023-12-03" },
      },
      last_verified: null,
    })
  })

  it("has the day that the authority published with its rules", async () => {
    const reply = await onDay("JORGBR", "2024-05-01")
    assert.include(reply.read() as object, { status: "published", requirement: "eta", last_seen: "2024-09-09" })
    assert.deepStrictEqual(reply.read("first_seen"), { after: "2024-02-21", by: "2024-02-22" })
  })

  it("answers for a later day by the rule of that day", async () => {
    for (const on of ["2026-02-17", "2027-02-01"]) {
      const there = lookup("FRA", "CHN", { on }) as { requirement: string; days: number | null }
      const reply = await onDay("FRACHN", on)
      assert.include(reply.read() as object, { requirement: there.requirement, visa_free_days: there.days })
    }
  })

  it("answers 404 with the first day for a day before it, and 400 for an invalid day", async () => {
    const before = { FRACHN: "2020-11-18", JORGBR: "2015-11-16" }
    for (const [pair, on] of Object.entries(before)) {
      const reply = await onDay(pair, on)
      assert.strictEqual(reply.status, 404, pair)
      const first = pair === "FRACHN" ? "2020-11-19" : "2015-11-17"
      assert.deepStrictEqual(reply.read(), { error: `Nothing is recorded before ${first}.` })
    }
    assert.strictEqual((await onDay("FRAGRL", "2023-06-01")).status, 404)
    for (const on of ["2023-02-30", "yesterday", "2023-6-1", ""]) {
      const reply = await onDay("FRACHN", on)
      assert.strictEqual(reply.status, 400, on)
      assert.match(String(reply.read("error")), /^on: Expected a calendar date YYYY-MM-DD from 1900 to 2199, got/)
    }
  })

  it("is rendered as markdown for a past day too, both answers with their days", async () => {
    const reply = await onDay("FRACHN", "2023-11-20", { headers: { accept: "text/markdown" } })
    assert.match(String(reply.headers["content-type"]), /^text\/markdown/)
    assert.match(reply.text, /^# France → .*China.*2023\n/)
    assert.match(reply.text, /November 6, 2023: Visa required\n.*December 3, 2023: Visa-free, 15 days\n/)
    assert.match(reply.text, /it was not verified\./)
  })

  it("answers HEAD with the headers of GET and no body", async () => {
    const [got, headed] = [await running.ask(PAIR), await running.ask(PAIR, { method: "HEAD" })]
    assert.strictEqual(headed.status, 200)
    assert.strictEqual(headed.text, "")
    assert.strictEqual(headed.headers["content-length"], got.headers["content-length"])
  })

  it("may be read by any page, and answers preflight requests", async () => {
    assert.strictEqual((await running.ask(PAIR)).headers["access-control-allow-origin"], "*")
    const headers = { origin: "https://other.example", "access-control-request-method": "GET" }
    const reply = await running.ask("/api/v1/visa/check", { method: "OPTIONS", headers })
    assert.strictEqual(reply.status, 204)
    assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
    assert.match(String(reply.headers["access-control-allow-methods"]), /GET/)
    assert.match(String(reply.headers["access-control-allow-headers"]), /X-Api-Key/)
  })

  it("accepts GET only, with Allow for other methods", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const reply = await running.ask(PAIR, { method })
      assert.strictEqual(reply.status, 405, method)
      assert.strictEqual(reply.headers.allow, "GET, HEAD, OPTIONS")
      assert.sameMembers(Object.keys(reply.read() as object), ["error"])
    }
  })

  it("answers 120 keyless checks a minute of one address, and no more", async () => {
    await using limited = await startTestService()
    for (let at = 0; at < 120; at++) assert.strictEqual((await limited.ask(PAIR)).status, 200)
    const reply = await limited.ask(PAIR)
    assert.strictEqual(reply.status, 429)
    assert.isAbove(Number(reply.headers["retry-after"]), 0)
    assert.isAtMost(Number(reply.headers["retry-after"]), 60)
    assert.strictEqual((await limited.askAs("free", PAIR)).status, 200)
  })
})

describe("GET /api/v1/visa/stats", () => {
  it("returns counts of the dataset, public and cached for an hour", async () => {
    const reply = await running.ask("/api/v1/visa/stats", { headers: { origin: "https://other.example" } })
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers["cache-control"], "public, max-age=3600")
    const coverage = reply.read("coverage") as Record<string, number>
    assert.include(coverage, { passports: 199, destinations: 250, languages: LANGUAGES.length })
    assert.strictEqual(coverage.translations, 15 * (coverage.visa_details as number))
    assert.deepStrictEqual(reply.read("data.coverage"), coverage)
    const sources = reply.read("sources") as {
      id: string
      evidence: string
      pairs: number
      oldest_on: string
      newest_on: string
      age_days: number
    }[]
    const table = sources[0]!
    assert.deepInclude(table, {
      id: "passport-index",
      evidence: "table",
      oldest_on: "2026-02-17",
      newest_on: "2026-02-17",
    })
    assert.strictEqual(table.pairs, coverage.passport_index_pairs)
    for (const { id, oldest_on, age_days } of sources) {
      // The day of the answer is today, in UTC.
      const days = Math.floor(Date.now() / 86_400_000) - Date.parse(oldest_on) / 86_400_000
      assert.strictEqual(age_days, Number.isNaN(days) ? null : days, id)
    }
    assert.strictEqual(reply.read("api_version"), "1.1.0")
    assert.strictEqual((reply.read("supported_languages") as unknown[]).length, LANGUAGES.length)
  })
})

describe("every answer", () => {
  it("is JSON, also for unknown paths", async () => {
    const reply = await running.ask("/api/v1/nothing")
    assert.strictEqual(reply.status, 404)
    assert.sameMembers(Object.keys(reply.read() as object), ["error"])
  })

  it("has a request id: the client's own, or a new one", async () => {
    const named = await running.ask("/healthz", { headers: { "x-request-id": "trip-42.a" } })
    assert.strictEqual(named.headers["x-request-id"], "trip-42.a")
    for (const given of ["two words", "x".repeat(65), "a,b"]) {
      const renamed = await running.ask("/healthz", { headers: { "x-request-id": given } })
      assert.match(String(renamed.headers["x-request-id"]), /^[\w-]{10,}$/)
    }
  })

  it("is counted by route and status, and a client cannot add labels", async () => {
    await running.ask("/made-up-by-a-client")
    const { text } = await running.ask("/metrics")
    assert.match(
      text,
      /landfall_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/visa\/check",status="200"\} \d+/,
    )
    assert.notMatch(text, /made-up/)
  })
})
