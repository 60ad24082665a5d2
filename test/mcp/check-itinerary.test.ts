import { afterAll, beforeAll, expect, it } from "vitest"
import { startTestService, type TestService } from "../http/service.ts"
import { connectHttp, type McpClient } from "./clients.ts"

let service: TestService
let mcp: McpClient
beforeAll(async () => {
  service = await startTestService()
  mcp = await connectHttp(service.url)
})
afterAll(async () => {
  await mcp[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

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

it("names the place of a code that it does not take", async () => {
  const { isError, text } = await mcp.call("check_itinerary", { passports: ["PER"], stops, transit: ["QAT", "QA"] })
  expect(isError).toBe(true)
  expect(text).toMatch(/^transit\[1\]: .*the code of Qatar is QAT/)
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
