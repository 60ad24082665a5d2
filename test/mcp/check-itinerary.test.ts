import { expect, it } from "vitest"
import { startTestService } from "../http/service.ts"
import { share } from "../share.ts"
import { connectHttp } from "./clients.ts"

const service = share(startTestService)
// Without a key, calls have a share of the time, which a busy machine uses up.
const mcp = share(() => connectHttp(service.url, { "x-api-key": service.keys.business }))

const stops = [{ destination: "Japan", from: "2026-12-01", to: "2026-12-20" }]

it("takes a code or a name alone where the decision endpoint takes a code alone", async () => {
  const { content, text } = await mcp.call("check_itinerary", {
    passports: [{ passport: "Peru" }, "Italy"],
    stops,
    transit: ["Qatar", { country: "Germany", airside: true }, "QAT"],
  })
  const transit = [{ country: "QAT" }, { country: "DEU", area: "airside" }, { country: "QAT" }]
  expect(content, text).toMatchObject({ decision: { passports: [{ passport: "PER" }, { passport: "ITA" }], transit } })
})

it.each(["GBN", { passport: "GBN", passport_expiry: "2030-01-01" }])(
  "takes a British class as a passport: %j",
  async passport => {
    const { content, text } = await mcp.call("check_itinerary", {
      passports: [passport],
      stops: [{ ...stops[0]!, destination: "Spain", passport: "GBN" }],
    })
    expect(content, text).toMatchObject({
      decision: { steps: [{ passport: "GBN", requirement: { value: "visa_free" } }] },
    })
  },
)

it("does not take a British class for a country", async () => {
  const british = { passports: ["FRA"], stops: [{ ...stops[0]!, destination: "GBN" }] }
  expect((await mcp.call("check_itinerary", british)).text).toContain('no country is called "GBN".')
  const pair = await mcp.call("quick_visa_check", { passport: "GBO", destination: "FRA" })
  expect(pair.text).toMatch(/^passport: no country is called "GBO"\. Give /)
})

it("takes the request of the decision endpoint, with one passport and its dates", async () => {
  const request = {
    passport: "FRA",
    passport_expiry: "2027-03-01",
    stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }],
    transit: ["ARE"],
    residence: "FRA",
    purpose: "tourism",
  }
  const { content, text } = await mcp.call("check_itinerary", request)
  const decided = await service.askAs("business", "/api/v1/visa/decision", {
    method: "POST",
    body: JSON.stringify(request),
  })
  expect((content as { decision: object }).decision, text).toEqual(decided.read("data"))
  const named = await mcp.call("check_itinerary", { ...request, passport: "France", residence: "France" })
  expect(named.content).toEqual(content)
})

it.each([
  [
    { stops: [] },
    "stops: 1 to 12 entries are expected, not 0. passport: It is required, as an ISO 3166-1 alpha-3 code: three capital letters.",
  ],
  [{ passport: "FRA" }, "stops: It is required, as an array."],
  [
    { passport: "FRA", stops: [{ ...stops[0]!, too: "2026-12-21" }] },
    "stops[0].too: There is no such field; known: destination, from, to, passport, by. Did you mean to?",
  ],
  [{ stops, travellers: [{ passport: "FRA" }] }, "travellers: A call is about one traveller."],
])("names the mistakes of a journey: %j", async (given, text) => {
  expect(await mcp.call("check_itinerary", given)).toMatchObject({ isError: true, text })
})

it("says apart what is done before departure and what on arrival", async () => {
  const { content } = await mcp.call("check_itinerary", {
    passports: [{ passport: "IND", passport_expiry: "2030-01-01" }],
    stops: [
      { destination: "LAO", from: "2026-12-20", to: "2026-12-25" },
      { destination: "VNM", from: "2026-12-25", to: "2026-12-30" },
    ],
  })
  expect(content).toMatchObject({
    outcome: "obtain",
    statement:
      "To be obtained before departure: LAO: Fill in an arrival form online before the arrival. VNM: An electronic visa is needed before travel. On arrival: LAO: A visa is issued on arrival. Conditions: The same entry can also be had in another way: with an electronic visa.",
  })
})

it("names a condition that leaves the outcome unknown", async () => {
  const { content } = await mcp.call("check_itinerary", {
    passports: [{ passport: "GEO", passport_expiry: "2030-01-01" }],
    stops: [{ destination: "FRA", from: "2026-12-10", to: "2026-12-20" }],
  })
  expect(content).toMatchObject({
    outcome: "unknown",
    statement: expect.stringContaining(
      "Nothing that is known blocks this journey, but something that decides is unknown or has to be checked. Conditions: The passport has to be of this kind: biometric.",
    ),
  })
})

it("counts one unknown as one", async () => {
  const { content } = await mcp.call("check_itinerary", {
    passports: [{ passport: "FRA", passport_expiry: "2030-01-01" }],
    stops: [{ destination: "FRA", from: "2026-12-20", to: "2026-12-25" }],
  })
  expect(content).toMatchObject({ statement: expect.stringContaining("journey. 1 thing is unknown (see") })
})

it("names the place of a code that it does not take", async () => {
  const { isError, text } = await mcp.call("check_itinerary", { passports: ["PER"], stops, transit: ["QAT", "QA"] })
  expect(isError).toBe(true)
  expect(text).toMatch(/^transit\[1\]: .*The code of Qatar is QAT/)
})

it("declares both forms in its schema", async () => {
  const { tools } = await mcp.client.listTools()
  const { properties } = tools.find(({ name }) => name === "check_itinerary")!.inputSchema
  const forms = ["array", "string", "object"]
  for (const name of ["transit", "passports"]) {
    const { type, items } = properties![name] as { type: string; items: { anyOf: readonly { type: string }[] } }
    expect([type, ...items.anyOf.map(form => form.type)]).toEqual(forms)
  }
})
