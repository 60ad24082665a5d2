import { Clock, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type McpBackend, makeMcpWeb } from "../../adapters/faces/mcp/web.ts"
import { loadLocalisedFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"

const clock = Effect.runSync(Clock.Clock)
const nobody = () => Effect.die("no tool is called here")

const backend: McpBackend = {
  knowledge: { readDataset: () => embeddedDataset(), loadFacts: loadLocalisedFacts },
  meter: { reserveKeylessLoaded: nobody, reserveLoaded: nobody } as unknown as McpBackend["meter"],
  findCaller: nobody,
  upgradeUrl: "",
  publicUrl: "http://127.0.0.1",
  clock,
  origins: [],
  maximumSessions: 2,
}

describe("the sessions of the MCP server", () => {
  it("are bounded: the one that was used the longest ago ends", async () => {
    const ask = makeMcpWeb(backend)
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const post = (method: string, session: string | null, params: object = {}) =>
      ask({
        method: "POST",
        client: "",
        address: null,
        headers: session === null ? headers : { ...headers, "mcp-session-id": session },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      })
    const begin = async () => {
      const clientInfo = { name: "test", version: "1" }
      const { sessionId } = await post("initialize", null, {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo,
      })
      return sessionId as string
    }
    const list = async (session: string) => (await post("tools/list", session)).status
    const [first, second] = [await begin(), await begin()]
    expect(await list(first)).toBe(200)
    const third = await begin()
    expect(await list(second)).toBe(404)
    expect([await list(first), await list(third)]).toEqual([200, 200])
    const ended = await ask({
      method: "DELETE",
      client: "",
      address: null,
      headers: { "mcp-session-id": third, "mcp-protocol-version": "2025-06-18" },
      body: "",
    })
    expect(ended.status).toBe(204)
    expect(await list(third)).toBe(404)
  })
})
