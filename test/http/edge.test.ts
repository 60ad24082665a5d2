import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { createEdgeHandler, type EdgeOptions, edgeRecords } from "../../adapters/http/server/edge.ts"
import { loadLocalisedFacts } from "../../src/full.ts"
import { countTrips } from "../sample.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const PUBLIC_URL = "https://visa.localhost"
const V1 = "/api/v1/visa"
const records = edgeRecords("en", dataset => loadLocalisedFacts(dataset, "en"))

const makeHandler = (options: Partial<EdgeOptions> = {}) =>
  createEdgeHandler({ publicUrl: PUBLIC_URL, allow: () => ({ plan: "pro" }), records, ...options })

const ask = (handler: ReturnType<typeof makeHandler>, path: string, init?: RequestInit) =>
  handler(new Request(`${PUBLIC_URL}${path}`, init))

const code = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("FRA", "JPN", "USA", "IND", "DEU", "THA", "MLI") },
  fc.constantFrom("ZZZ", "fra", "FR", "", "F%52A", "toString", "FRA,DEU"),
)

const DECISIONS = [
  { passport: "FRA", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }], transit: ["ARE"] },
  { passport: "ZZZ", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] },
  { passport: "FRA", stops: [] },
  { passport: "FRA", stops: [{ destination: "THA", from: "2026-12-20", to: "2026-12-01" }], x: 1 },
  [],
]

/** A question that both can be asked: a path, and a body for an itinerary. */
const question = fc.oneof(
  fc.tuple(code, code).map(([a, b]) => [`${V1}/check?passport=${a}&destination=${b}`] as const),
  fc.tuple(code, code).map(([a, b]) => [`${V1}?passport=${a}&destination=${b}`] as const),
  fc.tuple(code, code).map(([a, b]) => [`${V1}/group?passports=${a},${b}`] as const),
  code.map(a => [`${V1}/score?passport=${a}`] as const),
  fc.tuple(code, code).map(([a, b]) => [`${V1}/score/compare?passport1=${a}&passport2=${b}`] as const),
  fc.constantFrom([`${V1}/stats`] as const, [`${V1}/nothing`] as const),
  fc.constantFrom(...DECISIONS.map(body => JSON.stringify(body)), "{").map(body => [`${V1}/decision`, body] as const),
)

describe("the edge", () => {
  const service = share(() => startTestService({ env: { LANDFALL_PUBLIC_URL: PUBLIC_URL } }))

  it("answers with the same bytes as the service", async () => {
    const handler = makeHandler()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(question, async ([path, body]) => {
        const init = body === undefined ? {} : { method: "POST", body }
        const served = await service.askAs("pro", path, init)
        const answered = await ask(handler, path, init)
        assert.strictEqual(answered.status, served.status, path)
        assert.strictEqual(await answered.text(), served.text, path)
        assert.strictEqual(answered.headers.get("content-type"), served.headers["content-type"])
        assert.strictEqual(answered.headers.get("cache-control"), served.headers["cache-control"])
        statuses.add(answered.status)
      }),
      { numRuns: countTrips(100) },
    )
    assert.sameMembers([...statuses], [200, 400, 404])
  })

  it("refuses records that edgeRecords did not make", () => {
    assert.throws(
      () => makeHandler({ records: { language: "en" } }),
      TypeError,
      "records: what edgeRecords gives is expected.",
    )
  })

  it("asks the host for permission before it reads anything else, and sends the host's refusal", async () => {
    const asked: string[] = []
    const handler = makeHandler({
      allow: (request, endpoint) => {
        asked.push(`${endpoint} ${request.header("X-Token")}`)
        return request.header("x-token") === "good"
          ? { plan: "free" }
          : { status: 401, body: { error: "No token." }, headers: { "WWW-Authenticate": "Token" } }
      },
    })
    const refused = await ask(handler, `${V1}/check?passport=x`)
    assert.strictEqual(refused.status, 401)
    assert.strictEqual(refused.headers.get("www-authenticate"), "Token")
    assert.deepStrictEqual(await refused.json(), { error: "No token." })
    assert.strictEqual((await ask(handler, `${V1}/check?passport=x`, { headers: { "x-token": "good" } })).status, 400)
    assert.deepStrictEqual(asked, ["check undefined", "check good"])
  })

  it.each([null, "no", ["no"], {}, { error: null }, { error: { message: "no" } }])(
    "sends the host's refusal to a client that accepts problems, whatever its body is: %j",
    async body => {
      const handler = makeHandler({ allow: () => ({ status: 403, body }) })
      const headers = { accept: "application/problem+json" }
      const refused = await ask(handler, `${V1}/score?passport=FRA`, { headers })
      assert.strictEqual(refused.status, 403)
      assert.isDefined(await refused.json())
    },
  )

  it("lets the host count each question, with what it costs, and wait for its counter", async () => {
    let left = 4
    const handler = makeHandler({
      allow: async () => ({
        plan: "pro",
        spend: async ({ charge }) => {
          if (charge > left) return { status: 429, body: { error: "Spent." } }
          left -= charge
          return null
        },
      }),
    })
    const trip = { method: "POST", body: JSON.stringify(DECISIONS[0]) }
    assert.strictEqual((await ask(handler, `${V1}/decision`, trip)).status, 200)
    assert.strictEqual(left, 2)
    assert.strictEqual((await ask(handler, `${V1}/check?passport=FRA&destination=JPN`)).status, 200)
    assert.strictEqual((await ask(handler, `${V1}/decision`, trip)).status, 429)
    assert.strictEqual(left, 1)
  })

  it("has no records unless the host gives them, and names their language", async () => {
    const bare = createEdgeHandler({ publicUrl: PUBLIC_URL, allow: () => ({ plan: "pro" }) })
    assert.strictEqual((await ask(bare, `${V1}/check?passport=FRA&destination=JPN`)).status, 404)
    assert.strictEqual((await ask(bare, `${V1}/score?passport=FRA`)).status, 200)
    const french = await ask(makeHandler(), `${V1}?passport=FRA&destination=JPN&lang=fr`)
    assert.strictEqual(french.status, 400)
    assert.deepStrictEqual(await french.json(), {
      error: 'lang: Expected en, the only language that is answered in here, got "fr"',
    })
  })

  it("answers 500 for an error of the host's code, without details, and reports it to the host", async () => {
    const faults: unknown[] = []
    const handler = makeHandler({
      allow: () => {
        throw new Error("a secret")
      },
      reportFault: cause => faults.push(cause),
    })
    const reply = await ask(handler, `${V1}/stats`)
    assert.strictEqual(reply.status, 500)
    assert.notInclude(await reply.text(), "secret")
    assert.match(String(faults[0]), /a secret/)
  })

  it("adds at most 79 KB to a bundle without data and records, and nothing of Node or Effect", async () => {
    const result = await build({
      stdin: {
        contents: 'export { createEdgeHandler } from "./adapters/http/server/edge.ts"',
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      write: false,
      splitting: true,
      outdir: "edge",
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      charset: "utf8",
      external: ["./internal/httpApiSwagger.js", "./internal/httpApiScalar.js"],
      metafile: true,
    })
    // What is loaded before anything is asked: the entry and the chunks that it needs; the embedded dataset is loaded when it is asked for.
    const { outputs } = result.metafile
    const entry = Object.keys(outputs).find(path => path.endsWith("stdin.js")) as string
    const needed = new Set([entry])
    for (const path of needed)
      for (const part of outputs[path]?.imports ?? []) if (part.kind === "import-statement") needed.add(part.path)
    const files = result.outputFiles.filter(({ path }) => [...needed].some(name => path.endsWith(name)))
    const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
    assert.isAtMost(bytes, 79 * 1_024)
    const parts = [...needed].flatMap(path =>
      Object.entries(outputs[path]?.inputs ?? {}).flatMap(([name, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [name] : [],
      ),
    )
    assert.deepStrictEqual(
      parts.filter(path => path.includes("node_modules") && !/date-fns|noble/.test(path)),
      [],
    )
    assert.deepStrictEqual(
      parts.filter(path => path.includes(".generated.")),
      [],
    )
  })
})
