import { assert, describe, it } from "vitest"
import { MAXIMUM_BATCH_CALLS } from "../../adapters/faces/mcp/calls.ts"
import { CALLS_A_MINUTE, FreeCalls, MAXIMUM_WAITING_AT_ADDRESS } from "../../adapters/faces/mcp/free-calls.ts"
import { MAXIMUM_WAITING_OF_ACCOUNT, RequestQueues } from "../../adapters/faces/mcp/request-queues.ts"
import { MAXIMUM_SESSIONS_OF_CLIENT, McpSessions } from "../../adapters/faces/mcp/sessions.ts"
import { type Reply, send, startTestService } from "../http/service.ts"
import { share } from "../share.ts"

const running = share(() => startTestService({ env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } }))

type Headers = Readonly<Record<string, string>>

function post(body: unknown, headers: Headers): Promise<Reply> {
  const always = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  return send(running.url, "/mcp", { method: "POST", headers: { ...always, ...headers }, body: JSON.stringify(body) })
}

const call = (id: number | string, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params })

/** Begins a session; gives the headers of its requests. */
async function begin(headers: Headers, protocolVersion = "2025-03-26"): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
  const reply = await post(call(0, "initialize", params), headers)
  assert.strictEqual(reply.status, 200, reply.text)
  return { ...headers, "mcp-session-id": String(reply.headers["mcp-session-id"]) }
}

const from = (address: string) => ({ "x-forwarded-for": address })

describe("a batch of MCP calls", () => {
  const lists = (count: number) => Array.from({ length: count }, (_, at) => call(at + 1, "tools/list"))

  it(`has at most ${MAXIMUM_BATCH_CALLS} calls`, async () => {
    const session = await begin(from("198.51.100.1"))
    const most = await post(lists(MAXIMUM_BATCH_CALLS), session)
    assert.strictEqual(most.status, 200)
    assert.lengthOf(most.read() as unknown[], MAXIMUM_BATCH_CALLS)
    const tooMany = await post(lists(1_332), session)
    assert.strictEqual(tooMany.status, 400)
    assert.deepStrictEqual(tooMany.read(), {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "A batch has at most 20 calls; this one has 1332." },
    })
  })

  it("has an id for each of its calls, and no id twice", async () => {
    const session = await begin(from("198.51.100.2"))
    const reply = await post([call("a", "ping"), call("b", "ping"), call("a", "tools/list")], session)
    assert.strictEqual(reply.status, 400)
    assert.strictEqual(reply.read("error.message"), 'Two calls of the batch have the id "a".')
    assert.strictEqual((await post([call(1, "ping"), call("1", "ping")], session)).status, 200)
    const nested = await post([call(1, "ping"), [call(1, "ping")]], session)
    assert.strictEqual(nested.status, 400)
    assert.strictEqual(nested.read("error.message"), "A batch is a list of calls, and has no list within.")
  })

  it("is refused in the versions of the protocol that have none", async () => {
    const session = await begin(from("198.51.100.3"), "2025-06-18")
    assert.strictEqual((await post(lists(2), session)).status, 400)
    assert.strictEqual((await post(call(1, "tools/list"), session)).status, 200)
  })
})

describe("a list that never changes", () => {
  it("is answered alike, under the id of each call, in sessions only", async () => {
    const session = await begin(from("198.51.100.4"))
    const [first, second] = [await post(call(1, "tools/list"), session), await post(call("x", "tools/list"), session)]
    const { id, ...rest } = second.read() as { readonly id: string }
    assert.strictEqual(id, "x")
    assert.deepStrictEqual({ ...rest, id: 1 }, first.read() as never)
    assert.strictEqual(second.headers["content-type"], first.headers["content-type"])
    const stranger = from("198.51.100.4")
    assert.strictEqual((await post(call(1, "tools/list"), { ...stranger, "mcp-session-id": "none" })).status, 404)
    assert.strictEqual((await post(call(1, "tools/list"), stranger)).status, 400)
    const elsewhere = await post(call(1, "tools/list"), { ...session, origin: "https://evil.example" })
    assert.strictEqual(elsewhere.status, 403)
  })
})

describe("without a key", () => {
  it(`an address has ${CALLS_A_MINUTE} calls a minute, each call of a batch counted, and others are not held up`, async () => {
    const session = await begin(from("198.51.100.5"))
    const pings = Array.from({ length: 20 }, (_, at) => call(at, "ping"))
    for (let at = 0; at < 5; at++) assert.strictEqual((await post(pings, session)).status, 200)
    const refused = await post(pings, session)
    assert.strictEqual(refused.status, 429)
    assert.match(String(refused.headers["retry-after"]), /^\d+$/)
    assert.match(String(refused.read("error.message")), /^Without the key of a paid plan 120 calls a minute/)
    assert.strictEqual((await post(call(1, "ping"), await begin(from("198.51.100.6")))).status, 200)
    assert.strictEqual((await post(pings, { ...session, "x-api-key": running.keys.hobby })).status, 200)
  })

  it("an address has no more with a free key, which anybody gets", async () => {
    const session = { ...(await begin(from("198.51.100.9"))), "x-api-key": running.keys.free }
    const pings = Array.from({ length: 20 }, (_, at) => call(at, "ping"))
    for (let at = 0; at < 5; at++) assert.strictEqual((await post(pings, session)).status, 200)
    assert.strictEqual((await post(pings, session)).status, 429)
    assert.strictEqual((await post(pings, { ...session, "x-api-key": running.keys.pro })).status, 200)
  })

  it("all have a quarter of the time, one after the other, and what is saved of two seconds", async () => {
    let nowMs = 0
    const calls = new FreeCalls(() => nowMs)
    const work = (tookMs: number) => async () => {
      nowMs += tookMs
      return "done"
    }
    assert.strictEqual(await calls.takeTurn("a", work(3_000)), "done")
    const turned = { reason: "share", retryAfterSeconds: 1 } as const
    assert.deepStrictEqual(await calls.takeTurn("b", work(1)), turned)
    nowMs += 2_000
    assert.strictEqual(await calls.takeTurn("b", work(1_000)), "done")
    assert.deepStrictEqual(await calls.takeTurn("a", work(1)), { ...turned, retryAfterSeconds: 2 })
  })

  it("only some of an address wait for their turn", async () => {
    const calls = new FreeCalls(() => 0)
    const { promise, resolve } = Promise.withResolvers<string>()
    const waiting = Array.from({ length: MAXIMUM_WAITING_AT_ADDRESS }, () => calls.takeTurn("a", () => promise))
    assert.deepInclude(await calls.takeTurn("a", () => promise), { reason: "share" })
    const other = calls.takeTurn("b", async () => "other")
    resolve("done")
    assert.deepStrictEqual(
      await Promise.all(waiting),
      waiting.map(() => "done"),
    )
    assert.strictEqual(await other, "other")
  })

  it("a hundred of all addresses together", async () => {
    const calls = new FreeCalls(() => 0)
    const { promise, resolve } = Promise.withResolvers<string>()
    const ask = (at: number) => calls.takeTurn(`address ${Math.floor(at / 5)}`, () => promise)
    const waiting = Array.from({ length: 100 }, (_, at) => ask(at))
    assert.deepInclude(await ask(100), { reason: "share" })
    resolve("done")
    assert.deepStrictEqual(new Set(await Promise.all(waiting)), new Set(["done"]))
    assert.strictEqual(await ask(100), "done")
  })
})

describe("the requests of one account", () => {
  it("are answered one after the other, and only some wait", async () => {
    const queues = new RequestQueues()
    const { promise, resolve } = Promise.withResolvers<string>()
    let underWay = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++underWay)
      const done = await promise
      underWay--
      return done
    }
    const asked = Array.from({ length: MAXIMUM_WAITING_OF_ACCOUNT + 1 }, () => queues.take("a", work))
    assert.isNull(await queues.take("a", work))
    assert.strictEqual(await queues.take("b", async () => "other"), "other")
    const failed = queues.take("c", () => Promise.reject(new Error("broken")))
    const after = queues.take("c", async () => "after")
    assert.strictEqual(await failed.catch((cause: Error) => cause.message), "broken")
    assert.strictEqual(await after, "after")
    resolve("done")
    assert.deepStrictEqual(new Set(await Promise.all(asked)), new Set(["done"]))
    assert.strictEqual(most, 1)
    assert.strictEqual(await queues.take("a", work), "done")
  })
})

describe("the sessions of an address", () => {
  it("end where it begins too many, and nobody else's do", async () => {
    const mine = await begin(from("198.51.100.7"))
    const first = await begin(from("198.51.100.8"))
    for (let at = 0; at < MAXIMUM_SESSIONS_OF_CLIENT; at++) await begin(from("198.51.100.8"))
    assert.strictEqual((await post(call(1, "ping"), first)).status, 404)
    assert.strictEqual((await post(call(1, "ping"), mine)).status, 200)
  })

  it("end where there are too many in all, those of the client that has most", () => {
    const sessions = new McpSessions(4)
    assert.isNull(sessions.keep("one", "1", "v"))
    for (const id of ["2", "3", "4"]) assert.isNull(sessions.keep("most", id, "v"))
    assert.deepStrictEqual(sessions.keep("new", "5", "v"), { id: "2", version: "v" })
    assert.isUndefined(sessions.findVersion("2"))
    // Used by somebody else, it stays with who began it.
    assert.isNull(sessions.keep("", "1", "v"))
    assert.deepStrictEqual(sessions.keep("new", "6", "v"), { id: "5", version: "v" })
    sessions.remove("6")
    assert.isNull(sessions.keep("new", "7", "v"))
  })
})
