import { assert, describe, it } from "vitest"
import { share } from "../share.ts"
import { makeSessions } from "./personas.ts"
import { type Reply, startTestService } from "./service.ts"

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
  const V1 = "/api/v1/visa"
  const NOW = Date.parse("2026-11-21T12:00:00Z")
  const REFUSED =
    "An account has 60 requests sent an hour: pings, new and enabled webhooks, simulated changes, repeated deliveries and completed jobs together."
  const LINE = JSON.stringify({
    passport: "FRA",
    stops: [{ destination: "JPN", from: "2027-12-01", to: "2027-12-05" }],
  })
  const HOOK = JSON.stringify({ url: "https://example.org/hook", events: [] })

  it("has 60 requests sent an hour by everything that sends, on both surfaces and the page together", async () => {
    // Without workers nothing leaves, and a delivery can be sent again and again.
    await using own = await startTestService({ stoppedAt: NOW, env: { LANDFALL_WORKERS: "0" } })
    const session = (await makeSessions(own.folder)).business
    const by = (key: string) => (path: string, method: string, body?: string) =>
      own.ask(path, {
        method,
        headers: { "x-api-key": key, authorization: `Bearer ${key}`, cookie: `svc_token=${session}` },
        ...(body === undefined ? {} : { body }),
      })
    const live = by(own.keys.business)
    const test = by(own.testKey)
    const made = await live("/webhooks", "POST", HOOK)
    assert.strictEqual(made.status, 201, made.text)
    assert.strictEqual((await test("/webhooks", "POST", HOOK)).status, 201)
    const id = made.read("id") as string
    const number = id.slice(3)
    const [delivery] = (await live(`/webhooks/${id}/deliveries`, "GET")).read("deliveries") as { id: number }[]
    const simulated = JSON.stringify({ passport: "FRA", destination: "JPN", requirement: "e_visa" })
    const form = (fields: string) => () => live("/account", "POST", fields)
    const sending: Readonly<Record<string, () => Promise<Reply>>> = {
      ping: () => live(`/webhooks/${id}/ping`, "POST"),
      replay: () => live(`/webhooks/${id}/deliveries/${delivery?.id}/replay`, "POST"),
      enable: () => live(`/webhooks/${id}/enable`, "POST"),
      simulate: () => test("/webhooks/simulate", "POST", simulated),
      "enable for the visa service": () => live(`${V1}/webhooks/enable?id=${number}`, "POST"),
      "ping on the page": form(`do=ping_webhook&id=${number}`),
      "replay on the page": form(`do=replay_delivery&id=${number}&delivery=${delivery?.id}`),
      "enable on the page": form(`do=enable_webhook&id=${number}`),
      create: () => live("/webhooks", "POST", HOOK),
      job: () => live(`${V1}/jobs`, "POST", LINE),
    }
    const isRefused = async (name: string, send: () => Promise<Reply>) => {
      const reply = await send()
      assert.deepStrictEqual([reply.status, reply.headers["retry-after"]], [429, "3600"], name)
      if (!name.includes("page")) assert.include(reply.text, REFUSED, name)
    }
    const { job, ...single } = sending as typeof sending & Record<"job", () => Promise<Reply>>
    own.setTime(NOW + 3_600_000)
    // As many of each as are sixty together: if one was not counted, the next is not refused.
    const turns = Object.entries(single).flatMap(([name, send]) =>
      Array.from({ length: name === "create" ? 12 : 6 }, () => [name, send] as const),
    )
    assert.lengthOf(turns, 60)
    for (const [name, send] of turns) assert.isBelow((await send()).status, 400, name)
    for (const [name, send] of Object.entries(sending)) await isRefused(name, send)
    // A job is sent to each of the thirteen webhooks of the account.
    own.setTime(NOW + 2 * 3_600_000)
    for (let at = 0; at < 5; at++) assert.strictEqual((await job()).status, 202)
    for (const [name, send] of Object.entries(sending)) await isRefused(name, send)
    // What sends nothing is not counted.
    own.setTime(NOW + 3 * 3_600_000)
    for (let at = 0; at < 61; at++) assert.strictEqual((await live("/webhooks/wh_999/ping", "POST")).status, 404)
    assert.strictEqual((await live(`/webhooks/${id}/ping`, "POST")).status, 200)
  })

  it("has at most 100 devices, and the 101st is refused until one is ended", async () => {
    await using own = await startTestService({ stoppedAt: NOW })
    const register = (at: number) =>
      own.askAs("free", `${V1}/devices`, {
        method: "POST",
        body: JSON.stringify({ platform: "apns", device_token: String(at).padStart(64, "0") }),
      })
    for (let at = 0; at < 100; at++) assert.strictEqual((await register(at)).status, 200)
    const refused = await register(100)
    assert.deepStrictEqual([refused.status, refused.read("error")], [400, "An account may have at most 100 devices."])
    assert.strictEqual((await register(99)).status, 200)
    assert.strictEqual((await own.askAs("free", `${V1}/devices/1`, { method: "DELETE" })).status, 200)
    assert.strictEqual((await register(100)).status, 200)
  })
})

describe("an address", () => {
  it("may show 120 payments a minute beside its checks; without a payment it is still asked for one", async () => {
    const path = "/api/x402/visa?passport=FRA&destination=JPN"
    const pay = (address: string) =>
      running.ask(path, { headers: { "payment-signature": "bm90aGluZw==", "x-forwarded-for": address } })
    for (let at = 0; at < 120; at++) assert.strictEqual((await pay("198.51.100.1")).status, 400)
    const refused = await pay("198.51.100.1")
    assert.strictEqual(refused.status, 429)
    assert.match(String(refused.headers["retry-after"]), /^\d+$/)
    assert.match(String(refused.read("error")), /^Too many payments were shown from one address; try again in \d+/)
    assert.strictEqual((await pay("198.51.100.2")).status, 400)
    const headers = { "x-forwarded-for": "198.51.100.1", origin: "http://localhost" }
    assert.strictEqual((await running.ask(path, { headers })).status, 402)
    const check = await running.ask("/api/v1/visa/check?passport=FRA&destination=JPN", { headers })
    assert.strictEqual(check.status, 200)
  })
})
