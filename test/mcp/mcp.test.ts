import { assert, describe, expect, it } from "vitest"
import { LANGUAGES } from "../../src/full.ts"
import { lookup } from "../../src/index.ts"
import { send, startTestService } from "../http/service.ts"
import { share } from "../share.ts"
import { connectHttp, connectStdio, type McpClient } from "./clients.ts"

const TOOLS = [
  "check_visa_requirement",
  "quick_visa_check",
  "compare_destinations",
  "check_transit_visa",
  "get_coverage_stats",
  "get_all_destinations",
  "get_recent_changes",
  "get_visa_changes",
  "check_group",
  "check_itinerary",
  "score_passport",
  "compare_passports",
  "stay_days",
]

const INITIALIZE = {
  protocolVersion: "2025-03-26",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
}

const unrecorded = (() => {
  const answer = lookup("PRK", "PYF")
  assert.strictEqual(answer.kind, "no_record")
  return { passport: "PRK", destination: "PYF" }
})()

/** What a model asks in ten conversations, and what it has to be told. */
const CONVERSATIONS: readonly {
  readonly said: string
  readonly calls: readonly (readonly [tool: string, args: Record<string, unknown>, check: (told: Told) => void])[]
}[] = [
  {
    said: "I'm French. Do I need a visa for Japan?",
    calls: [
      [
        "quick_visa_check",
        { passport: "France", destination: "Japan" },
        ({ content, text }) => {
          const answer = lookup("FRA", "JPN")
          assert(answer.kind === "found")
          expect(content).toMatchObject({
            status: "recorded",
            passport: "FRA",
            destination: "JPN",
            requirement: answer.requirement,
            visa_free_days: answer.days,
          })
          expect(JSON.parse(text)).toEqual(content)
        },
      ],
    ],
  },
  {
    said: "日本のパスポートでドイツに行けますか？",
    calls: [
      [
        "check_visa_requirement",
        { passport: "日本", destination: "ドイツ", language: "ja" },
        ({ content }) => {
          expect(content).toMatchObject({ passport: "JPN", destination: "DEU", status: "recorded" })
          const { record } = content as { record: { sources: unknown; lang?: string } }
          expect(record.sources).not.toHaveLength(0)
        },
      ],
    ],
  },
  {
    said: "Can I, from the UK, go to the Congo?",
    calls: [
      ["quick_visa_check", { passport: "UK", destination: "KEN" }, refuses("The code of United Kingdom is GBR.")],
      [
        "quick_visa_check",
        { passport: "GBR", destination: "Congo" },
        refuses("COG (Congo - Brazzaville)", "COD (Congo - Kinshasa)"),
      ],
      [
        "quick_visa_check",
        { passport: "GBR", destination: "COD" },
        ({ content }) => expect(content).toHaveProperty("statement"),
      ],
    ],
  },
  {
    said: "What about a place that nobody has recorded?",
    calls: [
      [
        "check_visa_requirement",
        unrecorded,
        ({ content }) => {
          expect(content).toMatchObject({ status: "unknown", requirement: null, visa_free_days: null, record: null })
          expect(content?.statement).toMatch(/^Unknown: .* This does not mean that no visa is needed/)
        },
      ],
    ],
  },
  {
    said: "Indian passport: Thailand, Sri Lanka or France for a week?",
    calls: [
      [
        "compare_destinations",
        { passport: "India", destinations: ["France", "Thailand", "Sri Lanka"] },
        ({ content }) => {
          const { destinations } = content as { destinations: { destination: string; requirement: string }[] }
          expect(destinations.map(({ destination }) => destination).sort()).toEqual(["FRA", "LKA", "THA"])
          for (const { destination, requirement } of destinations) {
            expect(requirement).toBe((lookup("IND", destination) as { requirement?: string }).requirement)
          }
        },
      ],
      ["compare_destinations", { passport: "IND", destinations: [] }, isMistaken],
    ],
  },
  {
    said: "We are an American and a Brazilian couple. Where can we go?",
    calls: [
      [
        "check_group",
        { passports: ["United States", "Brazil"], limit: 3 },
        ({ content }) => {
          const { count, destinations } = content as { count: number; destinations: readonly unknown[] }
          expect(destinations).toHaveLength(3)
          expect(count).toBeGreaterThan(50)
        },
      ],
    ],
  },
  {
    said: "Is my trip through Schengen all right? My passport ends in February.",
    calls: [
      [
        "check_itinerary",
        {
          passports: [{ passport: "USA", passport_expiry: "2027-02-01" }],
          stops: [{ destination: "France", from: "2026-12-01", to: "2026-12-20" }],
        },
        ({ content }) => {
          expect(content).toMatchObject({ verdict: "blocked" })
          expect(content?.statement).toMatch(/^Blocked: The USA passport expires on 2027-02-01/)
        },
      ],
      [
        "check_itinerary",
        { passports: [{ passport: "USA" }], stops: [{ destination: "FRA", from: "2026-12-20", to: "2026-12-01" }] },
        refuses("stops[0].to", "before the first day of the stop"),
      ],
      [
        "check_itinerary",
        { passports: [{ passport: "FRA" }], stops: [{ destination: "CHN", from: "2023-11-20", to: "2023-11-25" }] },
        ({ content }) => expect(JSON.stringify(content)).toContain('"code":"rule_seen_between"'),
      ],
    ],
  },
  {
    said: "How long may I still stay in Schengen?",
    calls: [
      [
        "stay_days",
        { stays: [{ destination: "France", from: "2026-10-01", to: "2026-10-30" }], on: "2026-11-21" },
        ({ content }) => {
          expect(content).toMatchObject({ zone: "schengen", report: { days_used: 30, days_unused: 60 } })
        },
      ],
      [
        "stay_days",
        { stays: [{ destination: "China", from: "2026-10-01", to: "2026-10-30" }], on: "2026-11-21" },
        ({ content }) => {
          expect(content).toMatchObject({
            report: { days_used: 0, not_counted: [{ index: 0, destination: "CHN", reason: "outside_zone" }] },
          })
        },
      ],
      ["stay_days", { stays: [], zone: "mercosur" }, refuses('zone: "mercosur" is not one of ca-4, schengen.')],
    ],
  },
  {
    said: "I change planes in Dubai.",
    calls: [
      [
        "check_transit_visa",
        { passport: "IND", transit_country: "UAE" },
        ({ content }) => expect(content?.statement).toMatch(/Ask the airline|ask the airline/i),
      ],
      ["check_transit_visa", { passport: "IND", transit_country: "Dubay" }, refuses('no country is called "Dubay"')],
    ],
  },
  {
    said: "Which of my two passports is stronger, and what has changed lately?",
    calls: [
      ["score_passport", { passport: "Germany" }, ({ content }) => expect(content).toMatchObject({ passport: "DEU" })],
      [
        "compare_passports",
        { passport1: "DEU", passport2: "Türkiye" },
        ({ content }) => expect(content?.comparison).toHaveProperty("combined"),
      ],
      [
        "get_recent_changes",
        {},
        ({ content }) => {
          expect(content).toMatchObject({ status: "unavailable" })
          expect(content?.statement).toContain("does not mean that nothing has changed")
        },
      ],
      ["get_visa_changes", {}, ({ content }) => expect(content).toMatchObject({ status: "unavailable" })],
      ["get_coverage_stats", {}, ({ content }) => expect(content).toMatchObject({ languages: LANGUAGES.length })],
    ],
  },
  {
    said: "List the countries that you know, in German.",
    calls: [
      [
        "get_all_destinations",
        { language: "de" },
        ({ content }) => {
          expect(content?.count).toBe(250)
          expect(content?.destinations).toContainEqual({ code: "DEU", name: "Deutschland" })
        },
      ],
      [
        "check_visa_requirement",
        { passport: "FRA", destination: "JPN", language: "xx" },
        refuses('language: "xx" is not one of fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi, tl.'),
      ],
      ["get_all_destinations", { language: "cy" }, refuses('language: "cy" is not one of fr, en,')],
    ],
  },
]

type Told = Awaited<ReturnType<McpClient["call"]>>

function refuses(...parts: readonly string[]) {
  return ({ isError, text }: Told) => {
    expect(isError).toBe(true)
    for (const part of parts) expect(text).toContain(part)
  }
}

function isMistaken({ isError, text }: Told) {
  expect(isError).toBe(true)
  expect(text).toContain("destinations")
}

describe("the MCP server", () => {
  const service = share(startTestService)

  const transports = [
    { name: "over HTTP", connect: () => connectHttp(service.url, { "x-api-key": service.keys.business }) },
    { name: "over standard input and output", connect: () => connectStdio() },
  ]
  describe.each(transports)("$name", ({ connect }) => {
    const mcp = share(connect)

    it("names its tools, each with a description, an output schema, and that it only reads", async () => {
      const { tools } = await mcp.client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(TOOLS)
      for (const { description, outputSchema, annotations, inputSchema } of tools) {
        expect(description?.length).toBeGreaterThan(60)
        expect(outputSchema).toMatchObject({ type: "object" })
        expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
        for (const property of Object.values(inputSchema.properties ?? {})) {
          expect(JSON.stringify(property)).toContain("description")
        }
      }
      expect(mcp.client.getInstructions()).toContain("never present it as permission")
    })

    it("has the languages and codes as resources, and prompts", async () => {
      const { contents } = await mcp.client.readResource({ uri: "visa://country-codes" })
      const { countries } = JSON.parse((contents[0] as { text: string }).text)
      expect(countries).toContainEqual({ code: "JPN", name: "Japan", is_passport: true })
      const languages = await mcp.client.readResource({ uri: "visa://supported-languages" })
      expect(JSON.parse((languages.contents[0] as { text: string }).text).languages).toHaveLength(15)
      const { prompts } = await mcp.client.listPrompts()
      expect(prompts.map(({ name }) => name)).toEqual(["plan_a_trip", "check_my_itinerary"])
      const prompt = await mcp.client.getPrompt({
        name: "plan_a_trip",
        arguments: { passport: "Peru", wish: "a beach" },
      })
      expect(JSON.stringify(prompt.messages)).toContain("a passport of Peru: a beach")
    })

    it.each(CONVERSATIONS)("answers: $said", async ({ calls }) => {
      for (const [tool, args, check] of calls) {
        const told = await mcp.call(tool, args)
        check(told)
        if (!told.isError) expect(told.content).toHaveProperty("dataset.version")
      }
    })
  })

  it("speaks every version of the protocol that clients in use speak", async () => {
    const initialize = (protocolVersion: string) =>
      send(service.url, "/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
        }),
      })
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const reply = await initialize(version)
      expect(reply.status).toBe(200)
      expect(reply.text).toContain(`"protocolVersion":"${version}"`)
    }
    expect((await initialize("1999-01-01")).text).toContain('"protocolVersion":"2025-11-25"')
  })

  it("refuses what is no request, pages of other sites, and streams and sessions, which it has none of", async () => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const ask = (more: Record<string, string>, body: string) =>
      send(service.url, "/mcp", { method: "POST", headers: { ...headers, ...more }, body })
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
    expect((await ask({ origin: "https://evil.example" }, list)).status).toBe(403)
    expect((await ask({}, list)).status).toBe(200)
    expect(JSON.parse((await ask({}, "{")).text)).toMatchObject({ error: { code: -32_700 } })
    expect((await ask({}, "x".repeat(300_000))).status).toBe(413)
    for (const method of ["GET", "DELETE", "PUT"]) {
      const refused = await send(service.url, "/mcp", { method })
      expect([refused.status, refused.headers.allow]).toEqual([405, "POST, OPTIONS"])
    }
  })

  it("refuses a key that nobody has, whatever is asked with it", async () => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const begin = { jsonrpc: "2.0", id: 7, method: "initialize", params: INITIALIZE }
    for (const key of [{ "x-api-key": "nobody" }, { authorization: "Bearer nobody" }]) {
      const reply = await send(service.url, "/mcp", {
        method: "POST",
        headers: { ...headers, ...key },
        body: JSON.stringify(begin),
      })
      expect(reply.status).toBe(403)
      expect(reply.read()).toEqual({
        jsonrpc: "2.0",
        id: 7,
        error: { code: -32_001, message: "This API key is not valid: it is unknown or was deactivated." },
      })
    }
    await expect(connectHttp(service.url, { authorization: "Bearer nobody" })).rejects.toThrow(
      "This API key is not valid",
    )
  })
})

describe("without a key", () => {
  it("answers thirty distinct pairs a day for an address, and repeats for nothing", async () => {
    await using service = await startTestService({ stoppedAt: Date.UTC(2026, 10, 21, 12) })
    await using mcp = await connectHttp(service.url)
    const destinations = (
      await service.askAs("business", "/destinations", {
        headers: { authorization: `Bearer ${service.keys.business}` },
      })
    ).read("destinations") as readonly { readonly code: string }[]
    const codes = destinations.map(({ code }) => code).filter(code => lookup("FRA", code).kind === "found")
    const compare = (from: number, to: number) =>
      mcp.call("compare_destinations", { passport: "FRA", destinations: codes.slice(from, to) })
    expect((await compare(0, 25)).isError).toBe(false)
    const tooMany = await compare(25, 45)
    expect(tooMany.isError).toBe(true)
    expect(tooMany.text).toMatch(/^The pairs that may be asked for without a key today are used up\./)
    expect((await compare(25, 30)).isError).toBe(false)
    expect((await compare(0, 25)).isError).toBe(false)
    const check = () => mcp.call("quick_visa_check", { passport: "FRA", destination: codes[40] as string })
    expect((await check()).isError).toBe(true)
    // What is public for everybody else is public here.
    expect((await mcp.call("score_passport", { passport: "FRA" })).isError).toBe(false)
    service.setTime(Date.UTC(2026, 10, 22, 0, 1))
    expect((await check()).isError).toBe(false)
  })

  it("shows what a free plan shows", async () => {
    await using service = await startTestService()
    const ask = async (headers: Record<string, string>) => {
      await using mcp = await connectHttp(service.url, headers)
      const { content } = await mcp.call("check_visa_requirement", { passport: "IND", destination: "DEU" })
      return (content as { record: Record<string, unknown> }).record
    }
    expect(JSON.stringify((await ask({})).embassy)).toContain("upgrade")
    const paid = await ask({ "x-api-key": service.keys.business })
    expect(JSON.stringify(paid.embassy ?? null)).not.toContain("upgrade")
    // The key has paid for it.
    const spent = await service.askAs("business", "/api/v1/visa/check?passport=IND&destination=DEU")
    expect(spent.headers["x-ratelimit-remaining"]).toBe(String(1_000_000 - 2))
  })
})
