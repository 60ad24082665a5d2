import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { LANGUAGES } from "../../src/full.ts"
import { lookup } from "../../src/index.ts"
import { startTestService, type TestService } from "./service.ts"

let running: TestService
beforeAll(async () => {
  running = await startTestService({
    env: { LANDFALL_PUBLIC_URL: "https://visa.example", LANDFALL_SITE_ORIGINS: "https://www.visa.example" },
  })
})
afterAll(() => running[Symbol.asyncDispose]())

const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

describe("GET /api/v1/visa/check", () => {
  it("answers the record flat and in data, with meta beside it", async () => {
    const reply = await running.ask(PAIR)
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers["content-type"], "application/json")
    const { data, meta, ...flat } = reply.read() as Record<string, unknown>
    assert.deepStrictEqual(flat, data)
    assert.include(flat, { passport: "FRA", destination: "JPN", requirement: "visa_free", visa_required: false })
    assert.strictEqual(flat.visa_free_days, (lookup("FRA", "JPN") as { days: number }).days)
    assert.include(meta, { lang: "en", api_version: "1.1.0", languages: LANGUAGES.length })
  })

  it("says that one's own country is home", async () => {
    const reply = await running.ask("/api/v1/visa/check?passport=FRA&destination=FRA")
    assert.include(reply.read() as object, { requirement: "visa_free", visa_free_days: null, home: true })
  })

  it("needs no key on the machine of a server that nobody else can reach", async () => {
    assert.strictEqual((await running.ask(PAIR)).status, 200)
  })

  it("needs no key from the service's own site, localhost and extensions, and one from anywhere else", async () => {
    const statusOf = async (origin: string) => (await running.ask(PAIR, { headers: { origin } })).status
    assert.strictEqual(await statusOf("https://visa.example"), 200)
    assert.strictEqual(await statusOf("https://www.visa.example"), 200)
    assert.strictEqual(await statusOf("http://localhost:3000"), 200)
    assert.strictEqual(await statusOf("chrome-extension://abcdefghijklmnop"), 200)
    assert.strictEqual(await statusOf("https://other.example"), 401)
  })

  it("says 401, how to get a key, and what is free, when there is no key", async () => {
    const reply = await running.ask(PAIR, { headers: { origin: "https://other.example" } })
    assert.strictEqual(reply.status, 401)
    const body = reply.read() as Record<string, string>
    assert.sameMembers(Object.keys(body), ["error", "message", "signup_url", "free_tier"])
    assert.match(body.signup_url as string, /^https:\/\/visa\.example\//)
  })

  it("says 403 for an unknown key, before it looks at the parameters", async () => {
    for (const path of [PAIR, "/api/v1/visa/check", "/api/v1/visa/check?passport=x"]) {
      const reply = await running.ask(path, { headers: { "x-api-key": "svc_visa_nobody" } })
      assert.strictEqual(reply.status, 403, path)
      assert.sameMembers(Object.keys(reply.read() as object), ["error", "message"])
    }
  })

  it("says 400 and names the field for a code that is not a code", async () => {
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

  it("says 404 for codes that nothing is recorded for", async () => {
    for (const query of ["passport=FRA&destination=ZZZ", "passport=ZZZ&destination=FRA"])
      assert.strictEqual((await running.ask(`/api/v1/visa/check?${query}`)).status, 404, query)
  })

  it("is rendered as markdown for who asks so", async () => {
    const reply = await running.ask(PAIR, { headers: { accept: "text/markdown" } })
    assert.match(String(reply.headers["content-type"]), /^text\/markdown/)
    assert.match(reply.text, /^# .*France.*Japan/)
    assert.match(String(reply.headers.vary), /Accept(,|$)/)
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

  it("takes GET only, and says so", async () => {
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
  it("counts what the dataset holds, for everybody, for an hour", async () => {
    const reply = await running.ask("/api/v1/visa/stats", { headers: { origin: "https://other.example" } })
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers["cache-control"], "public, max-age=3600")
    const coverage = reply.read("coverage") as Record<string, number>
    assert.include(coverage, { passports: 199, destinations: 250, languages: LANGUAGES.length })
    assert.strictEqual(coverage.translations, 15 * (coverage.visa_details as number))
    assert.deepStrictEqual(reply.read("data.coverage"), coverage)
    assert.strictEqual(reply.read("api_version"), "1.1.0")
    assert.strictEqual((reply.read("supported_languages") as unknown[]).length, LANGUAGES.length)
  })
})

describe("every answer", () => {
  it("is JSON, even where there is nothing", async () => {
    const reply = await running.ask("/api/v1/nothing")
    assert.strictEqual(reply.status, 404)
    assert.sameMembers(Object.keys(reply.read() as object), ["error"])
  })

  it("has a name for its request: the client's own, or a new one", async () => {
    const named = await running.ask("/healthz", { headers: { "x-request-id": "trip-42.a" } })
    assert.strictEqual(named.headers["x-request-id"], "trip-42.a")
    for (const given of ["two words", "x".repeat(65), "a,b"]) {
      const renamed = await running.ask("/healthz", { headers: { "x-request-id": given } })
      assert.match(String(renamed.headers["x-request-id"]), /^[\w-]{10,}$/)
    }
  })

  it("is counted by route and status, and no client can add a label", async () => {
    await running.ask("/made-up-by-a-client")
    const { text } = await running.ask("/metrics")
    assert.match(
      text,
      /landfall_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/visa\/check",status="200"\} \d+/,
    )
    assert.notMatch(text, /made-up/)
  })
})
