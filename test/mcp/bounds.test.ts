import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Clock, Effect } from "effect"
import { assert, describe, expect, it, onTestFinished, vi } from "vitest"
import { MAXIMUM_BATCH_CALLS, MAXIMUM_DEPTH, type McpBackend, makeMcpWeb } from "../../adapters/mcp/web.ts"
import { loadLocalisedFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { type Reply, send, startTestService } from "../http/service.ts"
import { share } from "../share.ts"
import { connectHttp } from "./clients.ts"

const running = share(() => startTestService({ env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } }))

type Headers = Readonly<Record<string, string>>

function post(body: unknown, headers: Headers): Promise<Reply> {
  const always = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  return send(running.url, "/mcp", { method: "POST", headers: { ...always, ...headers }, body: JSON.stringify(body) })
}

const call = (id: number | string, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params })

const from = (address: string) => ({ "x-forwarded-for": address })

/** The server without its host: nobody is charged. */
function makeServer() {
  const held = Effect.succeed({ ok: true, commit: () => {}, release: () => {} })
  const ask = makeMcpWeb({
    knowledge: { readDataset: () => embeddedDataset(), loadFacts: loadLocalisedFacts },
    meter: { reserveKeylessLoaded: () => held } as unknown as McpBackend["meter"],
    findCaller: () => Effect.die("nobody shows a key here"),
    upgradeUrl: "",
    publicUrl: "http://127.0.0.1",
    clock: Effect.runSync(Clock.Clock),
    origins: [],
  })
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  return (body: unknown, giveWay: () => void | Promise<void> = () => {}) =>
    ask({ headers, body: JSON.stringify(body), client: "", address: null, key: null, giveWay })
}

describe("a call", () => {
  const check = { name: "quick_visa_check", arguments: { passport: "FRA", destination: "JPN" } }
  const calls = [call(1, "tools/call", check), call(2, "resources/read", { uri: "visa://country-codes" })]

  it("is answered within the piece of work that its request has, and not between those of others", async () => {
    const ask = makeServer()
    // Languages are loaded once.
    await ask(calls)
    const later = vi.spyOn(globalThis, "setImmediate")
    onTestFinished(() => later.mockRestore())
    assert.strictEqual((await ask(calls)).status, 200)
    assert.strictEqual(later.mock.calls.length, 0)
  })

  it("whose client leaves before its turn is refused, and writes nothing in the log", async () => {
    const ask = makeServer()
    const written = (["debug", "log", "info", "warn", "error"] as const).map(name =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    )
    onTestFinished(() => {
      for (const each of written) each.mockRestore()
    })
    const { status, body } = await ask(calls[0], () => Promise.reject(new Error("the client has left")))
    assert.strictEqual(status, 200)
    assert.include(body, "The request has ended.")
    assert.deepStrictEqual(
      written.flatMap(each => each.mock.calls),
      [],
    )
    assert.include((await ask(calls[0])).body, "visa_free")
  })

  it("is asked in a session of the server that served others, unless it leaves something there", async () => {
    const ask = makeServer()
    // Each message for the server is written once.
    const written = vi.spyOn(Buffer, "byteLength")
    onTestFinished(() => written.mockRestore())
    const listMethods = async (asked: unknown) => {
      written.mockClear()
      await ask(asked)
      return written.mock.calls.map(([message]) => (JSON.parse(String(message)) as { readonly method: string }).method)
    }
    const ping = call(1, "ping")
    assert.deepStrictEqual(await listMethods(ping), ["initialize", "ping"])
    assert.deepStrictEqual(await listMethods(calls), ["tools/call", "resources/read"])
    assert.deepStrictEqual(await listMethods(call(1, "logging/setLevel", { level: "debug" })), ["logging/setLevel"])
    assert.deepStrictEqual(await listMethods(ping), ["initialize", "ping"])
    assert.deepStrictEqual(await listMethods(ping), ["ping"])
  })
})

describe("a batch of MCP calls", () => {
  const lists = (count: number) => Array.from({ length: count }, (_, at) => call(at + 1, "tools/list"))

  it(`has at most ${MAXIMUM_BATCH_CALLS} calls`, async () => {
    const client = from("198.51.100.1")
    const most = await post(lists(MAXIMUM_BATCH_CALLS), client)
    assert.strictEqual(most.status, 200)
    assert.lengthOf(most.read() as unknown[], MAXIMUM_BATCH_CALLS)
    const tooMany = await post(lists(1_332), client)
    assert.strictEqual(tooMany.status, 400)
    assert.deepStrictEqual(tooMany.read(), {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "A batch has at most 20 calls; this one has 1332." },
    })
  })

  it("has an id for each of its calls, and no id twice", async () => {
    const client = from("198.51.100.2")
    const reply = await post([call("a", "ping"), call("b", "ping"), call("a", "tools/list")], client)
    assert.strictEqual(reply.status, 400)
    assert.strictEqual(reply.read("error.message"), 'Two calls of the batch have the id "a".')
    assert.strictEqual((await post([call(1, "ping"), call("1", "ping")], client)).status, 200)
    const nested = await post([call(1, "ping"), [call(1, "ping")]], client)
    assert.strictEqual(nested.status, 400)
    assert.strictEqual(nested.read("error.message"), "A batch is a list of calls, and has no list within.")
  })

  it("is answered call by call, also where one of them is none, and not where all are notifications", async () => {
    const client = from("198.51.100.4")
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" }
    const reply = await post([call(1, "ping"), notification, { jsonrpc: "2.0", id: 2 }, call(3, "none")], client)
    assert.strictEqual(reply.status, 200)
    const answers = reply.read() as readonly { readonly id: number; readonly error?: { readonly code: number } }[]
    assert.deepStrictEqual(
      answers.map(({ id, error }) => [id, error?.code ?? null]),
      [
        [1, null],
        [2, -32_600],
        [3, -32_601],
      ],
    )
    assert.strictEqual((await post([notification], client)).status, 202)
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "any", version: "1" } }
    assert.strictEqual((await post([call(1, "ping"), call(2, "initialize", params)], client)).status, 400)
  })

  it("is refused like one call for what its headers say, and not accepted as if it were notifications", async () => {
    const ping = call(1, "ping")
    for (const [status, headers] of [
      [403, { origin: "https://evil.example" }],
      [406, { accept: "text/html" }],
      [415, { "content-type": "text/plain" }],
    ] as const) {
      const asked = { ...from("198.51.100.3"), ...headers }
      const replies = [await post(ping, asked), await post([ping], asked)]
      assert.deepStrictEqual(
        replies.map(reply => reply.status),
        [status, status],
      )
    }
  })

  it("is refused in the versions of the protocol that have none", async () => {
    const client = { ...from("198.51.100.3"), "mcp-protocol-version": "2025-06-18" }
    assert.strictEqual((await post(lists(2), client)).status, 400)
    assert.strictEqual((await post(call(1, "tools/list"), client)).status, 200)
  })
})

describe("a call whose arguments are nested", () => {
  const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
  const ask = (depth: number) =>
    post(call(1, "tools/call", { name: "stay_days", arguments: { days: nest(depth) } }), from("203.0.113.77"))

  it(`is refused before the server walks it if it has more than ${MAXIMUM_DEPTH} levels`, async () => {
    const deep = await ask(MAXIMUM_DEPTH - 2)
    assert.strictEqual(deep.status, 400)
    assert.strictEqual(deep.read("error.message"), "A body has at most 16 lists and objects inside one another.")
    assert.strictEqual((await ask(MAXIMUM_DEPTH - 3)).status, 200)
  })
})

describe("a list that never changes", () => {
  it("is answered alike, under the id of each call, to pages of the service only", async () => {
    const client = from("198.51.100.4")
    const [first, second] = [await post(call(1, "tools/list"), client), await post(call("x", "tools/list"), client)]
    const { id, ...rest } = second.read() as { readonly id: string }
    assert.strictEqual(id, "x")
    assert.deepStrictEqual({ ...rest, id: 1 }, first.read() as never)
    assert.strictEqual(second.headers["content-type"], first.headers["content-type"])
    const elsewhere = await post(call(1, "tools/list"), { ...client, origin: "https://evil.example" })
    assert.strictEqual(elsewhere.status, 403)
  })
})

describe("what a client says of itself", () => {
  it("is not kept: requests without a session are answered, each in the version that it names", async () => {
    const clientInfo = { name: "x".repeat(50_000), version: "1" }
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    const begun = await post(call(0, "initialize", params), from("198.51.100.7"))
    assert.deepStrictEqual([begun.status, begun.headers["mcp-session-id"]], [200, undefined])
    const listed = async (headers: Headers) => (await post(call(1, "tools/list"), headers)).status
    assert.strictEqual(await listed({ ...from("198.51.100.7"), "mcp-protocol-version": "2025-06-18" }), 200)
    assert.strictEqual(await listed({ ...from("198.51.100.7"), "mcp-session-id": "of an earlier process" }), 200)
    const unknown = { ...from("198.51.100.7"), "mcp-protocol-version": "1999-01-01" }
    assert.strictEqual(await listed(unknown), 400)
  })

  it("is nothing that the official client has to repeat: it has no session, opens no stream and may cancel a call", async () => {
    await using mcp = await connectHttp(running.url, { "x-api-key": running.keys.business })
    const transport = mcp.client.transport as StreamableHTTPClientTransport
    expect(transport.sessionId).toBeUndefined()
    const errors: Error[] = []
    mcp.client.onerror = error => errors.push(error)
    await transport.terminateSession()
    await mcp.client.ping()
    expect(errors).toEqual([])
    const cancelling = new AbortController()
    const params = { name: "quick_visa_check", arguments: { passport: "FRA", destination: "JPN" } }
    const cancelled = mcp.client.callTool(params, undefined, { signal: cancelling.signal })
    cancelling.abort("no longer wanted")
    await expect(cancelled).rejects.toThrow("no longer wanted")
    expect((await mcp.call(params.name, params.arguments)).content).toMatchObject({ destination: "JPN" })
  })

  it("takes no memory after it was answered", async () => {
    const ask = makeServer()
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    // Contexts that other tests make would have it too.
    setFlagsFromString("--no-expose-gc")
    const introduce = async (times: number) => {
      for (let at = 0; at < times; at++) {
        const clientInfo = { name: String(at).padStart(60_000, "x"), version: "1" }
        const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
        assert.strictEqual((await ask(call(1, "initialize", params))).status, 200)
      }
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = await introduce(30)
    const after = await introduce(300)
    assert.isBelow(after - before, 10_000_000, "bytes that are left of 18 MB")
  })

  it("changes nothing for others: neither its log level, nor a call that it cancels", async () => {
    const level = await post(call(1, "logging/setLevel", { level: "debug" }), from("198.51.100.8"))
    assert.deepStrictEqual(level.read(), { jsonrpc: "2.0", id: 1, result: {} })
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
    const [asked, cancelled] = await Promise.all([
      post(call(1, "resources/read", { uri: "visa://country-codes" }), from("198.51.100.7")),
      post(cancel, from("198.51.100.8")),
    ])
    assert.deepStrictEqual([asked.status, cancelled.status], [200, 202])
    assert.property(asked.read() as object, "result")
  })

  it("is refused if it begins no conversation that the protocol has", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const silent = await post({ jsonrpc: "2.0", method: "initialize", params }, from("198.51.100.10"))
    assert.strictEqual(silent.status, 400)
    assert.strictEqual((await post([call(1, "initialize", params)], from("198.51.100.10"))).status, 400)
    const nameless = await post(call(1, "initialize", { ...params, clientInfo: {} }), from("198.51.100.10"))
    assert.strictEqual(nameless.read("error.code"), -32_602)
  })
})
