/** Which arguments does a tool take, and does it answer what it promises? */
import { assert, expect, it } from "vitest"
import { scorePassport } from "../../src/engine.ts"
import { embeddedDataset } from "../../src/index.ts"
import { startTestService } from "../http/service.ts"
import { share } from "../share.ts"
import { connectHttp } from "./clients.ts"

const service = share(startTestService)
const mcp = share(() => connectHttp(service.url, { "x-api-key": service.keys.business }))

it("says what is required and missing, and that a name is unknown", async () => {
  const { tools } = await mcp.client.listTools()
  for (const { name, inputSchema } of tools) {
    const [required] = inputSchema.required ?? []
    if (required === undefined) continue
    const { isError, text } = await mcp.call(name, {})
    expect([name, isError, text.slice(0, text.indexOf(" is "))]).toEqual([name, true, `${required}: It`])
    expect(text).toContain("It is required")
  }
  const misspelt = { stays: [], No: "2026-12-01" }
  expect((await mcp.call("stay_days", misspelt)).text).toBe("No: There is no such field.")
  const long = { passport: "FRA", destination: "JPN", ["x".repeat(1_000)]: 1 }
  expect((await mcp.call("quick_visa_check", long)).text).toBe(`${"x".repeat(40)}: There is no such field.`)
})

it("describes a score as it is, from 0 to 1000", async () => {
  const { tools } = await mcp.client.listTools()
  expect(tools.find(({ name }) => name === "score_passport")?.description).toContain("from 0 to 1000")
  const { content } = await mcp.call("score_passport", { passport: "Germany" })
  const scored = scorePassport(embeddedDataset(), "DEU")
  assert(scored.ok && scored.value.kind === "found")
  const { score, rank, totalRanked, visaFreeCount } = scored.value
  expect(content).toMatchObject({ score, rank, total_ranked: totalRanked, visa_free_count: visaFreeCount })
  expect(score).toBeGreaterThan(100)
})
