import { assert, describe, inject, it } from "vitest"
import { type Reply, send } from "../http/service.ts"
import { IS_WHOLE } from "../sample.ts"

const call = (id: number, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params })

/** Sends a body as an address. */
function post(body: unknown, address: string): Promise<Reply> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-forwarded-for": address,
  }
  return send(inject("victim").url, "/mcp", { method: "POST", headers, body: JSON.stringify(body) })
}

/** Sends requests as another client during an attack; returns the number of answers. */
async function askMeanwhile(attack: Promise<unknown>): Promise<number> {
  let isOver = false
  void attack.then(() => {
    isOver = true
  })
  let asked = 0
  while (!isOver) {
    const { status } = await send(inject("victim").url, "/api/v1/visa/score?passport=JPN")
    assert.strictEqual(status, 200)
    asked++
  }
  return asked
}

describe("MCP without a key", () => {
  it("withstands 100 requests with 1,332 lists of tools in each", async () => {
    const batch = Array.from({ length: 1_332 }, (_, at) => call(at, "tools/list"))
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(batch, "198.51.100.1")))
    assert.deepStrictEqual(new Set(replies.map(({ status }) => status)), new Set([400]))
  })

  it.runIf(IS_WHOLE)("keeps nothing of 5,000 introductions of 60 KB, fifty from each address", async () => {
    const clientInfo = { name: "x".repeat(60_000), version: "1" }
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
    const statuses = new Set<number>()
    const introduce = async (at: number) => {
      for (let times = 0; times < 50; times++) {
        statuses.add((await post(call(0, "initialize", params), `203.0.113.${at}`)).status)
      }
    }
    for (let from = 0; from < 100; from += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, at) => introduce(from + at)))
    }
    assert.deepStrictEqual([...statuses], [200])
  })

  it("answers hundreds of addresses in its share of the time, and the rest of the service still answers", async () => {
    const calls = Array.from({ length: 20 }, (_, at) => call(at, "resources/read", { uri: "visa://country-codes" }))
    const attack = Promise.all(
      Array.from({ length: IS_WHOLE ? 300 : 100 }, async (_, at) => {
        const address = `192.0.2.${at % 256}`
        for (let times = 0; times < (IS_WHOLE ? 3 : 1); times++) await post(calls, address)
      }),
    )
    assert.isAbove(await askMeanwhile(attack), 0)
  })
})
