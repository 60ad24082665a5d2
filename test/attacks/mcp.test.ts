import { assert, describe, inject, it } from "vitest"
import { type Reply, send } from "../http/service.ts"

const call = (id: number, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params })

/** Sends a body as an address, in a session where one is named. */
function post(body: unknown, address: string, session?: string): Promise<Reply> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-forwarded-for": address,
  }
  if (session !== undefined) headers["mcp-session-id"] = session
  return send(inject("victim").url, "/mcp", { method: "POST", headers, body: JSON.stringify(body) })
}

async function begin(address: string): Promise<{ readonly status: number; readonly session: string }> {
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "attack", version: "1" } }
  const { status, headers } = await post(call(0, "initialize", params), address)
  return { status, session: String(headers["mcp-session-id"]) }
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
    const { session } = await begin("198.51.100.1")
    const batch = Array.from({ length: 1_332 }, (_, at) => call(at, "tools/list"))
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(batch, "198.51.100.1", session)))
    assert.deepStrictEqual(new Set(replies.map(({ status }) => status)), new Set([400]))
  })

  it("keeps the sessions of others when one address starts 1,000", async () => {
    const mine = await begin("198.51.100.2")
    const statuses = new Set<number>()
    for (let at = 0; at < 1_000; at++) statuses.add((await begin("198.51.100.3")).status)
    assert.deepStrictEqual([...statuses].sort(), [200, 429])
    assert.strictEqual((await post(call(1, "ping"), "198.51.100.2", mine.session)).status, 200)
  })

  it("answers 300 addresses in its share of the time, and the rest of the service still answers", async () => {
    const calls = Array.from({ length: 20 }, (_, at) => call(at, "resources/read", { uri: "visa://country-codes" }))
    const attack = Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const address = `203.0.113.${at % 256}`
        const { session } = await begin(address)
        for (let times = 0; times < 3; times++) await post(calls, address, session)
      }),
    )
    assert.isAbove(await askMeanwhile(attack), 0)
  })
})
