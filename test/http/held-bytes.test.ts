import { once } from "node:events"
import { rmSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, describe, it } from "vitest"
import type { HostedRequest, Problem } from "../../adapters/http/pipeline/http-message.ts"
import type { Pipeline } from "../../adapters/http/pipeline/pipeline.ts"
import { HeldBytes } from "../../adapters/http/server/held-bytes.ts"
import { makeNodeListener } from "../../adapters/http/server/node-host.ts"
import { createFetchService } from "../../adapters/start/mount.ts"
import { eventually } from "../eventually.ts"
import { share } from "../share.ts"
import { makeFolder, PATIENT, startTestService } from "./service.ts"

/** What a body of the longest length is counted with: its request has 16 KiB. */
const LONGEST = 65_536 + 16_384

const DECISION = "/api/v1/visa/decision"

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

interface Connection {
  readonly socket: Socket
  /** What has come so far. */
  readonly read: () => string
}

/** Opens a connection from an address of this machine, and sends some bytes. */
async function open(port: number, bytes: string, localAddress = "127.0.0.1"): Promise<Connection> {
  let text = ""
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  sockets.push(socket)
  socket.on("error", () => {})
  socket.on("data", piece => {
    text += piece
  })
  await once(socket, "connect")
  socket.write(bytes)
  return { socket, read: () => text }
}

const until = <A>(read: () => A, isSo: (value: A) => boolean): Promise<A> =>
  Effect.runPromise(eventually(Effect.sync(read), isSo))

const answered = (connection: Connection) => until(connection.read, text => /\r\n\r\n.*\}\s*$/s.test(text))

describe("bodies that are under way", () => {
  const held = new HeldBytes({ bytesOfClient: 3 * LONGEST, bytes: 6 * LONGEST })
  const running = share(() =>
    startTestService({
      held,
      limits: PATIENT,
      env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" },
    }),
  )
  const begin = (from: string) =>
    open(
      running.service.port,
      `POST /mcp HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n\r\n{"half":`,
    )
  /** Waits until the bodies of so many requests are held: requests of different networks may overtake one another. */
  const untilHeld = (bodies: number) =>
    until(
      () => held.bytes,
      bytes => bytes === bodies * LONGEST,
    )
  const askMcp = (from: string) =>
    running.ask("/mcp", {
      method: "POST",
      headers: {
        "x-forwarded-for": from,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    })
  const decide = (from: string) =>
    running.askAs("business", DECISION, {
      method: "POST",
      headers: { "x-forwarded-for": from, "x-api-key": running.keys.business },
      body: JSON.stringify({ passport: "FRA", stops: [{ destination: "JPN", from: "2027-01-01", to: "2027-01-05" }] }),
    })
  /** Which connections were closed, once the service has answered another request. */
  const listClosed = async (all: readonly Connection[]) => {
    await running.ask("/healthz")
    return all.map(({ read }) => read().startsWith("HTTP/1.1 503"))
  }

  it("have a share for each address and for each IPv6 network of a holder, beyond which a request is refused before its body is kept", async () => {
    const own = await Promise.all(Array.from({ length: 3 }, () => begin("2001:db8::1")))
    await untilHeld(own.length)
    const refused = await answered(await begin("2001:db8:0:7::2"))
    assert.match(refused, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
    assert.match(refused, /\r\nretry-after: 1\r\n/i)
    assert.match(refused, /"error":"Too many bodies are under way\. Send fewer at a time\."/)
    assert.deepStrictEqual(await listClosed(own), [false, false, false])
    assert.strictEqual((await decide("2001:db8:1::1")).status, 200)
    for (const { socket } of own) socket.destroy()
    await untilHeld(0)
    assert.strictEqual((await askMcp("2001:db8::2")).status, 200)
  })

  it("have a bound for all addresses: the oldest of the address with the most is given up", async () => {
    const all: Connection[] = []
    for (const last of [1, 2, 2, 3, 4, 5]) {
      all.push(await begin(`198.51.100.${last}`))
      await untilHeld(all.length)
    }
    assert.deepStrictEqual(await listClosed(all), [false, false, false, false, false, false])
    const oldest = all[1] as Connection
    assert.strictEqual((await decide("198.51.100.6")).status, 200)
    assert.match(await answered(oldest), /^HTTP\/1\.1 503 .*\r\nconnection: close\r\n/is)
    assert.deepStrictEqual(await listClosed(all), [false, true, false, false, false, false])
  })
})

describe("bodies that a fetch handler receives", () => {
  it("have a share for each address", async () => {
    const folder = makeFolder()
    const service = await createFetchService({
      databaseUrl: `file:${join(folder, "landfall.db")}`,
      publicUrl: "https://visa.example",
      logLevel: "error",
    })
    const cancelled: number[] = []
    const begin = (at: number, address: string) => {
      const body = new ReadableStream({ cancel: () => void cancelled.push(at) })
      const request = new Request("https://visa.example/mcp", { method: "POST", body, duplex: "half" } as RequestInit)
      return service.fetch(request, address)
    }
    const most = Math.floor(8_388_608 / LONGEST)
    for (let at = 0; at < most; at++) void begin(at, "2001:db8::1")
    const refused = await begin(most, "2001:db8::2")
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "1"])
    assert.deepStrictEqual(cancelled, [most])
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const other = new Request("https://visa.example/mcp", { method: "POST", headers, body: list })
    assert.strictEqual((await service.fetch(other, "2001:db8:1::1")).status, 200)
    await service.close()
    rmSync(folder, { recursive: true })
  })
})

describe("held bytes", () => {
  const limits = { bytesOfClient: 100, bytes: 200 }

  it("are given up by the client that holds most, never those whose request is being answered", () => {
    const held = new HeldBytes(limits)
    const givenUp: string[] = []
    const take = (client: string, bytes: number) => held.take(client, bytes, () => givenUp.push(client))
    take("secured", 100)?.secure()
    take("most", 60)
    take("least", 40)
    assert.isNotNull(take("new", 20))
    assert.deepStrictEqual([givenUp, held.bytes], [["most"], 160])
    assert.isNull(take("secured", 1))
    assert.isNull(take("other", 101), "more than its share")
    take("new", 40)?.secure()
    assert.isNull(take("other", 61), "what is secured leaves 60")
    assert.deepStrictEqual(givenUp, ["most"])
    assert.isNotNull(take("other", 60))
    assert.deepStrictEqual([givenUp, held.bytes], [["most", "new", "least"], 200])
  })

  it("are free again when they are released, once", () => {
    const held = new HeldBytes(limits)
    const first = held.take("one", 100, () => {})
    assert.isNull(held.take("one", 1, () => {}))
    first?.release()
    first?.release()
    assert.strictEqual(held.bytes, 0)
    assert.isNotNull(held.take("one", 100, () => {}))
  })

  it("have no share for clients whose address is not known, which are many", () => {
    const held = new HeldBytes(limits)
    assert.isNotNull(held.take("", 150, () => {}))
    assert.isFalse(held.isFull(""))
  })
})

describe("connections", () => {
  it("are closed for new ones: of the address with the most, the one that has waited longest for its client", async () => {
    await using running = await startTestService({ maximumConnections: 6, limits: PATIENT })
    const { port } = running.service
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    const live = await open(port, get("/api/v1/visa/live"), "127.0.0.2")
    await until(live.read, text => text.includes("keepalive"))
    const half = await open(port, "GET / HTTP/1.1\r\nHost: ", "127.0.0.2")
    const used = await open(port, get("/healthz"), "127.0.0.2")
    await answered(used)
    const lonely = await open(port, "", "127.0.0.3")
    const body = await open(port, `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`, "127.0.0.2")
    await answered(await open(port, get("/healthz"), "127.0.0.4"))
    const all = [live, half, used, body, lonely]
    const closed = () => all.map(({ socket }) => socket.destroyed)
    assert.deepStrictEqual(closed(), [false, false, false, false, false])
    await answered(await open(port, get("/healthz"), "127.0.0.5"))
    await until(
      () => half.socket.destroyed,
      isClosed => isClosed,
    )
    assert.deepStrictEqual(closed(), [false, true, false, false, false])
    await answered(await open(port, get("/healthz"), "127.0.0.6"))
    await until(
      () => used.socket.destroyed,
      isClosed => isClosed,
    )
    assert.deepStrictEqual(closed(), [false, true, true, false, false])
    // The service would wait for the half body before it stops.
    body.socket.destroy()
  })

  it("are not closed for one of an address that has more of them, all being answered", async () => {
    await using running = await startTestService({ maximumConnections: 3, limits: PATIENT })
    const { port } = running.service
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    const idle = await open(port, get("/healthz"), "127.0.0.3")
    await answered(idle)
    const live = [
      await open(port, get("/api/v1/visa/live"), "127.0.0.2"),
      await open(port, get("/api/v1/visa/live"), "127.0.0.2"),
    ]
    for (const each of live) await until(each.read, text => text.includes("keepalive"))
    const one = await open(port, get("/healthz"), "127.0.0.2")
    await until(
      () => one.socket.destroyed,
      isClosed => isClosed,
    )
    assert.deepStrictEqual(
      [idle, ...live].map(({ socket }) => socket.destroyed),
      [false, false, false],
    )
  })
})

describe("a body that does not say its length in digits", () => {
  it.each(["abc", "-1", "1e9", "", undefined, null])("counts as the longest: %j", announced => {
    const held = new HeldBytes({ bytesOfClient: 10 * LONGEST, bytes: 10 * LONGEST })
    const taken = held.takeBody("a", announced, () => {})
    assert.strictEqual(held.bytes, LONGEST)
    taken?.release()
    assert.strictEqual(held.bytes, 0)
  })
})

describe("a body whose request waits for its turn", () => {
  it("is held from its headers on, and is refused without being kept where there is no room", async () => {
    const own = new HeldBytes({ bytesOfClient: 20_000, bytes: 20_000 })
    const waiting: HostedRequest[] = []
    const never = new Promise<null>(() => {})
    const pipeline: Pipeline = request => {
      waiting.push(request)
      return never
    }
    const server = createServer(makeNodeListener(pipeline, { nameClient: () => "one", held: own })).listen(
      0,
      "127.0.0.1",
    )
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const send = async () => {
      const begun = once(server, "request")
      const socket = connect(port, "127.0.0.1")
      socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
      await begun
      return socket
    }
    const sockets = [await send(), await send()]
    // One of the two: 16 KB for the request, and its body.
    assert.strictEqual(own.bytes, 17_384)
    assert.strictEqual(((await (waiting[1] as HostedRequest).readText()) as Problem).kind, "unavailable")
    for (const socket of sockets) socket.destroy()
    server.close()
    await until(
      () => own.bytes,
      bytes => bytes === 0,
    )
  })
})
