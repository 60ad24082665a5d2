/** What every surface does alike, at the edges of HTTP: keys, errors, versions, validators, targets. */
import { connect } from "node:net"
import { assert, describe, it } from "vitest"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const NOON = Date.UTC(2026, 10, 21, 12)
const running = share(() => startTestService({ stoppedAt: NOON }))
const PROBLEM = "application/problem+json"
const V1 = "/api/v1/visa"

const ask = (path: string, headers: Record<string, string> = {}, method = "GET", body?: string) =>
  running.ask(path, { method, headers, ...(body === undefined ? {} : { body }) })

describe("a key", () => {
  it.each([
    `${V1}?passport=FRA&destination=JPN`,
    `${V1}/keys`,
    "/visa?passport=FRA&destination=JPN",
    "/webhooks",
    "/api/v1/spots?limit=1",
  ])("is read from x-api-key and as a bearer token: %s", async path => {
    const { business } = running.keys
    for (const headers of [{ "x-api-key": business }, { authorization: `Bearer ${business}` }]) {
      const reply = await ask(path, headers as Record<string, string>)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.isAbove(Number(reply.headers["x-ratelimit-limit"]), 999)
    }
    const unknown = await ask(path, { authorization: "Bearer nobody" })
    assert.include([401, 403], unknown.status)
  })

  it("in the header of the surface counts, where both are sent", async () => {
    const { pro } = running.keys
    const lookup = await ask("/visa?passport=FRA&destination=JPN", {
      authorization: `Bearer ${pro}`,
      "x-api-key": "no",
    })
    const visa = await ask(`${V1}/check?passport=FRA&destination=JPN`, {
      authorization: "Basic YTpi",
      "x-api-key": pro,
    })
    const query = await ask(`${V1}/check?passport=FRA&destination=JPN&api_key=${pro}`, {
      authorization: "Bearer gateway",
    })
    const header = await ask(`${V1}/check?passport=FRA&destination=JPN&api_key=no`, { "x-api-key": pro })
    assert.deepStrictEqual(
      [lookup, visa, query, header].map(({ status }) => status),
      [200, 200, 200, 200],
    )
  })
})

describe("an error, for a client that accepts application/problem+json", () => {
  it.each([
    [`${V1}/check?passport=FR`, {}, 400],
    [`${V1}?passport=FRA&destination=JPN`, {}, 401],
    [`${V1}?passport=FRA&destination=JPN`, { "x-api-key": "nobody" }, 403],
    ["/visa?passport=FRA&destination=JPN", {}, 401],
    ["/nothing", {}, 404],
    ["/api/v1/spots/nothing", {}, 404],
  ] as const)("is a problem with the members of the usual error: %s %j", async (path, headers, status) => {
    const origin = { ...headers, origin: "http://localhost:1" }
    const usual = await ask(path, { ...origin, accept: "application/json" })
    const problem = await ask(path, { ...origin, accept: `application/json, ${PROBLEM.toUpperCase()}` })
    assert.deepStrictEqual([usual.status, problem.status], [status, status])
    assert.strictEqual(usual.headers["content-type"], "application/json")
    assert.strictEqual(problem.headers["content-type"], PROBLEM)
    const said = usual.read("error")
    const detail = typeof said === "string" ? (usual.read("message") ?? said) : usual.read("error.message")
    assert.deepInclude(problem.read(), { type: "about:blank", status, detail })
    assert.isString(problem.read("title"))
    for (const [name, value] of Object.entries(typeof said === "object" ? (said as object) : (usual.read() as object)))
      if (name !== "request_id") assert.deepStrictEqual(problem.read(name), value)
  })

  it("has its status as a number, also where the usual error has a word", async () => {
    const usual = await ask(`${V1}/changes`)
    const problem = await ask(`${V1}/changes`, { accept: PROBLEM })
    assert.deepStrictEqual([usual.read("status"), problem.read("status")], ["unavailable", 503])
    assert.strictEqual(problem.read("contact"), usual.read("contact"))
  })

  it("has the mistakes of a decision", async () => {
    const reply = await ask(`${V1}/decision`, { accept: PROBLEM, "x-api-key": running.keys.pro }, "POST", "{}")
    assert.strictEqual(reply.status, 400)
    assert.isArray(reply.read("issues"))
  })

  it("is not a problem for a client that refuses one, and a success never is", async () => {
    const refused = await ask("/nothing", { accept: `${PROBLEM};q=0` })
    assert.strictEqual(refused.headers["content-type"], "application/json")
    const found = await ask(`${V1}/score?passport=FRA`, { accept: PROBLEM })
    assert.strictEqual(found.headers["content-type"], "application/json")
  })
})

describe("an unknown field", () => {
  it.each([
    ["register", { name: "Ana", email: "ana@example.org" }],
    ["auth/login", { email: "ana@example.org" }],
    ["affiliate/register", { name: "Ana", email: "ana@example.org" }],
    ["affiliate/track-click", { affiliate_id: "aff_0123abcd" }],
    ["team-keys", { name: "Site" }],
    ["devices", { platform: "apns", device_token: "00".repeat(32) }],
    ["webhooks", { url: "https://example.org/" }],
    ["keys", { name: "Site", scopes: ["visa"] }],
    ["decision", { passport: "FRA", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] }],
  ])("of a body is refused by its name: %s", async (path, body) => {
    const sent = JSON.stringify({ ...body, passport_expirry: "2030-01-01" })
    const headers = { "x-api-key": running.keys.business, "content-type": "application/json" }
    const reply = await ask(`${V1}/${path}`, headers, "POST", sent)
    assert.strictEqual(reply.status, 400, reply.text)
    assert.include(reply.read("error"), "passport_expirry: There is no such field")
  })

  it("of a query is ignored, because a proxy or a link may have added it", async () => {
    assert.strictEqual((await ask(`${V1}/score?passport=FRA&utm_source=mail`)).status, 200)
  })
})

describe("an answer of the lookup", () => {
  const PAIR = "/visa?passport=FRA&destination=JPN"
  const bearer = () => ({ authorization: `Bearer ${running.keys.pro}` })
  it.each([
    ["without a key", PAIR, () => ({}), "GET", 401],
    ["with an unknown key", PAIR, () => ({ authorization: "Bearer nobody" }), "GET", 401],
    ["to a mistake", "/visa?passport=FR&destination=JPN", bearer, "GET", 400],
    ["without a record", "/visa?passport=FRA&destination=ATF", bearer, "GET", 404],
    ["to another method", "/passports", bearer, "DELETE", 405],
    ["to a list", "/zones", bearer, "GET", 200],
    ["to an unknown version", PAIR, () => ({ ...bearer(), "svc-version": "2020-01-01" }), "GET", 400],
  ] as const)("names its version and the limit a second: %s", async (_, path, headers, method, status) => {
    const reply = await ask(path, headers(), method)
    assert.strictEqual(reply.status, status, reply.text)
    assert.strictEqual(reply.headers["svc-version"], "2026-10-01")
    for (const name of ["limit", "remaining", "reset"])
      assert.match(String(reply.headers[`x-ratelimit-${name}`]), /^\d+$/)
    assert.strictEqual(reply.headers["x-ratelimit-limit"], status === 401 ? "0" : "100")
  })

  it("that is refused has the version that was asked for", async () => {
    const reply = await ask("/visa?passport=FR", { ...bearer(), "svc-version": "2026-03-01" })
    assert.deepStrictEqual([reply.status, reply.headers["svc-version"]], [400, "2026-03-01"])
  })
})

describe("If-None-Match", () => {
  it("with the ETag costs nothing on any surface; with * the answer is charged", async () => {
    for (const [path, free] of [
      [`${V1}/check?passport=FRA&destination=JPN`, `${V1}/group`],
      ["/visa?passport=FRA&destination=JPN", "/passports"],
      ["/api/v1/spots?limit=1", "/api/v1/spots?limit=0"],
    ] as const) {
      const key = { "x-api-key": running.keys.starter }
      const readLeft = async () =>
        /(?:monthly|rolling)";r=(\d+)/.exec(String((await ask(free, key)).headers.ratelimit))?.[1]
      const { etag } = (await ask(path, key)).headers
      assert.match(String(etag), /^W\/"[\w-]{22}"$/)
      const before = Number(await readLeft())
      assert.strictEqual((await ask(path, { ...key, "if-none-match": String(etag) })).status, 304)
      assert.strictEqual(Number(await readLeft()), before)
      assert.strictEqual((await ask(path, { ...key, "if-none-match": "*" })).status, 304)
      assert.strictEqual(Number(await readLeft()), before - 1)
    }
  })

  it("is read by the OpenAPI document", async () => {
    const { etag } = (await ask("/openapi.json")).headers
    assert.strictEqual((await ask("/openapi.json", { "if-none-match": String(etag) })).status, 304)
  })
})

describe("a target in absolute form", () => {
  it.each([
    [`http://127.0.0.1${V1}/score?passport=FRA`, "200"],
    [`HTTPS://visa.example:443${V1}/score?passport=FRA`, "200"],
    ["http://127.0.0.1", "200"],
    ["http://127.0.0.1?x=1", "200"],
    ["*", "404"],
    ["ftp://127.0.0.1/", "404"],
  ])("is answered like its path: %s", async (target, status) => {
    const { hostname, port } = new URL(running.url)
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let read = ""
      socket.on("data", piece => {
        read += piece
      })
      socket.on("error", reject)
      socket.on("end", () => resolve(read))
      socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
    })
    assert.strictEqual(text.split(" ")[1], status, text)
  })
})

describe("a preflight", () => {
  it.each(["/mcp", "/visa", `${V1}/check`])("allows the headers of its clients: %s", async path => {
    const reply = await ask(path, { origin: "https://other.example" }, "OPTIONS")
    const allowed = String(reply.headers["access-control-allow-headers"]).toLowerCase().split(", ")
    assert.includeMembers(allowed, ["authorization", "x-api-key", "idempotency-key", "if-none-match"])
    assert.includeMembers(allowed, [
      "mcp-protocol-version",
      "mcp-session-id",
      "mcp-method",
      "mcp-name",
      "last-event-id",
    ])
  })
})
