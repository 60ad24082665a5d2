import { assert, describe, it } from "vitest"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(() =>
  startTestService({
    env: {
      LANDFALL_PUBLIC_URL: "https://visa.localhost",
      LANDFALL_MODE: "development",
      LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
      LANDFALL_X402_PAY_TO: "0x1111111111111111111111111111111111111111",
      LANDFALL_X402_FACILITATOR_URL: "http://127.0.0.1:1",
    },
  }),
)

describe("a body with a Content-Encoding", () => {
  const post = (path: string, headers: Readonly<Record<string, string>>) =>
    running.ask(path, { method: "POST", body: "{}", headers })

  it("gets 415 on every surface, with the accepted encoding", async () => {
    const key = running.keys.business
    const visa = await post("/api/v1/visa/decision", { "x-api-key": key, "content-encoding": "gzip" })
    assert.strictEqual(visa.status, 415)
    assert.strictEqual(visa.headers["accept-encoding"], "identity")
    assert.deepStrictEqual(visa.read(), {
      error: "A body with a Content-Encoding is not read: send it as it is.",
    })
    const lookup = await post("/webhooks", { authorization: `Bearer ${key}`, "content-encoding": "br" })
    assert.deepStrictEqual(
      [lookup.status, lookup.read("error.code"), lookup.read("error.param")],
      [415, "unsupported_encoding", "Content-Encoding"],
    )
    assert.strictEqual((await post("/mcp", { "content-encoding": "zstd" })).status, 415)
    assert.strictEqual((await post("/api/v1/visa/jobs", { "x-api-key": key, "content-encoding": "x" })).status, 415)
  })

  it("is read if the encoding is `identity`", async () => {
    for (const encoding of ["identity", "", "Identity, identity"]) {
      const headers = { "x-api-key": running.keys.business, "content-encoding": encoding }
      assert.strictEqual((await post("/api/v1/visa/decision", headers)).status, 400, encoding)
    }
  })

  it("is judged in no more than proportion to its length", async () => {
    for (const [encoding, status] of [
      [`,${" ".repeat(30)}x`, 415],
      [`${"identity, ".repeat(30)}x`, 415],
      [", ".repeat(7_000), 400],
    ] as const) {
      const headers = { "x-api-key": running.keys.business, "content-encoding": encoding }
      assert.strictEqual((await post("/api/v1/visa/decision", headers)).status, status, encoding.slice(0, 40))
    }
  })
})

describe("a service with an https address", () => {
  it("tells browsers to come by https, with every answer", async () => {
    for (const path of ["/healthz", "/nowhere", "/docs", "/api/v1/visa/check"]) {
      assert.strictEqual((await running.ask(path)).headers["strict-transport-security"], "max-age=31536000", path)
    }
    await using plain = await startTestService()
    assert.notProperty((await plain.ask("/healthz")).headers, "strict-transport-security")
  })
})

describe("an account", () => {
  it("makes and pings webhooks 60 times an hour, on both surfaces together", async () => {
    const bearer = { authorization: `Bearer ${running.keys.business}` }
    const body = JSON.stringify({ url: "https://example.org/hook", events: [] })
    const made = await running.ask("/webhooks", { method: "POST", headers: bearer, body })
    assert.strictEqual(made.status, 201, made.text)
    const ping = () => running.ask(`/webhooks/${made.read("id")}/ping`, { method: "POST", headers: bearer })
    for (let at = 0; at < 59; at++) assert.strictEqual((await ping()).status, 200)
    const refused = await ping()
    assert.deepStrictEqual([refused.status, refused.read("error.code")], [429, "rate_limited"])
    assert.match(String(refused.headers["retry-after"]), /^\d+$/)
    const visa = await running.askAs("business", "/api/v1/visa/webhooks", { method: "POST", body })
    assert.strictEqual(visa.status, 429)
    assert.deepStrictEqual(visa.read(), { error: "An account may make, ping and enable webhooks 60 times an hour." })
  })
})

describe("an address", () => {
  it("may show 120 payments a minute; without a payment it is still asked for one", async () => {
    const path = "/api/x402/visa?passport=FRA&destination=JPN"
    const pay = (address: string) =>
      running.ask(path, { headers: { "payment-signature": "bm90aGluZw==", "x-forwarded-for": address } })
    for (let at = 0; at < 120; at++) assert.strictEqual((await pay("198.51.100.1")).status, 400)
    const refused = await pay("198.51.100.1")
    assert.strictEqual(refused.status, 429)
    assert.match(String(refused.headers["retry-after"]), /^\d+$/)
    assert.match(String(refused.read("error")), /^Too many payments were shown from one address; try again in \d+/)
    assert.strictEqual((await pay("198.51.100.2")).status, 400)
    assert.strictEqual((await running.ask(path, { headers: { "x-forwarded-for": "198.51.100.1" } })).status, 402)
  })
})
