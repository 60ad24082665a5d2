import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, Socket } from "node:net"
import { PassThrough } from "node:stream"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import {
  HELD_LIMITS,
  HeldBytes,
  holdUnread,
  MAXIMUM_HELD_REQUESTS,
  oneAtATime,
} from "../../adapters/http/server/held-bytes.ts"
import { eventually, LONG_MS } from "../eventually.ts"
import { share } from "../share.ts"
import { PATIENT, startTestService } from "./service.ts"

const held = new HeldBytes({ bytesOfClient: 100_000, bytes: 100_000_000 }, LONG_MS)
const running = share(() =>
  startTestService({
    held,
    limits: PATIENT,
    env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" },
  }),
)

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  `${[`GET ${path} HTTP/1.1`, "Host: x", ...Object.entries(headers).map(header => header.join(": "))].join("\r\n")}\r\n\r\n`

interface Connection {
  readonly socket: Socket
  /** Begins to read; gives everything that came when the service has closed the connection. */
  readonly readAll: () => Promise<string>
}

/** Sends some bytes and reads nothing until it is told to. */
async function sendUnread(bytes: string): Promise<Connection> {
  const socket = connect(running.service.port, "127.0.0.1")
  const closed = new Promise<void>(resolve => {
    socket.once("close", () => resolve())
  })
  socket.on("error", () => {})
  socket.pause()
  await new Promise<void>(resolve => {
    socket.write(bytes, () => resolve())
  })
  const readAll = async () => {
    const pieces: Buffer[] = []
    socket.on("data", piece => pieces.push(piece))
    socket.resume()
    await closed
    return Buffer.concat(pieces).toString("latin1")
  }
  return { socket, readAll }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** Waits until a route has answered more often. */
const untilAnswered = (route: string, before: number) =>
  Effect.runPromise(
    eventually(
      Effect.promise(() => countAnswered(route)),
      count => count > before,
    ),
  )

/** How many requests of a route were answered. */
async function countAnswered(route: string): Promise<number> {
  const { text } = await running.ask("/metrics")
  const counts = text.matchAll(/request_duration_seconds_count\{method="GET",route="([^"]+)",status="200"\} (\d+)/g)
  return [...counts].reduce((sum, [, of, count]) => (of === route ? sum + Number(count) : sum), 0)
}

const BULK_PATH = "/api/v1/visa/bulk"
const BULK = `${BULK_PATH}?passport=FRA`

/** What a request without a body and with one short header takes while it waits. */
const BYTES_OF_SHORT_REQUEST = 3_072 + "Host".length + "x".length

const countStatuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].length

describe("requests that are sent at once on one connection", () => {
  it("are answered one after the other, each when the previous answer was read", async () => {
    const headers = { "X-Api-Key": running.keys.business }
    const before = await countAnswered(BULK_PATH)
    const { readAll } = await sendUnread(
      get(BULK, headers).repeat(MAXIMUM_HELD_REQUESTS) + get(BULK, { ...headers, Connection: "close" }),
    )
    await untilAnswered(BULK_PATH, before)
    for (let at = 0; at < 20; at++) await running.ask("/healthz")
    // What the system's buffers take was sent; the others wait.
    assert.isBelow((await countAnswered(BULK_PATH)) - before, MAXIMUM_HELD_REQUESTS)
    assert.strictEqual(countStatuses(await readAll()), 1 + MAXIMUM_HELD_REQUESTS)
    assert.strictEqual((await countAnswered(BULK_PATH)) - before, 1 + MAXIMUM_HELD_REQUESTS)
  })

  it("are all answered in order if the client reads, with bodies too", async () => {
    const body = JSON.stringify({ passport: "FRA", stops: [] })
    const post = `POST /api/v1/visa/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${running.keys.pro}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const { readAll } = await sendUnread(get("/healthz") + post + get("/nowhere") + get("/", { Connection: "close" }))
    const statuses = [...(await readAll()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    assert.deepStrictEqual(statuses, ["200", "400", "404", "200"])
  })

  it("are not parsed beyond the number that may wait", async () => {
    let parsed = 0
    let first: ServerResponse | undefined
    const server = createServer(oneAtATime((_, response) => (first ??= response), new HeldBytes(HELD_LIMITS)))
    server.on("request", () => parsed++)
    const closed = new Promise(resolve => server.once("connection", socket => socket.once("close", resolve)))
    const port = await listen(server)
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    socket.write(get("/").repeat(2_000))
    await closed
    assert.isDefined(first)
    assert.isAtMost(parsed, MAXIMUM_HELD_REQUESTS + 2)
    server.close()
  })

  it("may wait up to a number of bytes over all connections, which closed connections free again", async () => {
    let isAnswering = false
    const server = createServer(
      oneAtATime(
        (_, response) => {
          if (isAnswering) response.end()
        },
        new HeldBytes({ bytesOfClient: 0, bytes: 3 * BYTES_OF_SHORT_REQUEST }),
      ),
    )
    const port = await listen(server)
    const send = async (requests: number) => {
      const served = once(server, "connection")
      const socket = connect(port, "127.0.0.1").on("error", () => {})
      const [accepted] = (await served) as [Socket]
      socket.write(get("/").repeat(requests))
      return { socket, closed: new Promise<void>(resolve => accepted.once("close", () => resolve())) }
    }
    const waiting = await send(4)
    await once(server, "request")
    await (await send(2)).closed
    waiting.socket.destroy()
    await waiting.closed
    isAnswering = true
    const later = await send(4)
    let text = ""
    later.socket.on("data", piece => {
      text += piece
    })
    await Effect.runPromise(
      eventually(
        Effect.sync(() => countStatuses(text)),
        count => count === 4,
      ),
    )
    later.socket.destroy()
    await later.closed
    server.close()
  })

  it(`end the connection where more than ${MAXIMUM_HELD_REQUESTS} wait`, async () => {
    const { readAll } = await sendUnread(get("/").repeat(MAXIMUM_HELD_REQUESTS + 2))
    assert.isBelow(countStatuses(await readAll()), 2)
  })
})

/** An answer that a client has not read, and whether its connection was closed for it. */
const hold = (unread: HeldBytes, client: string, bytes: number) => {
  const response = new PassThrough()
  const message = { socket: new Socket() } as IncomingMessage
  holdUnread(unread, message, response as unknown as ServerResponse, bytes, () => client)
  return response
}

describe("a client with more to read than its bound", () => {
  it("gets no further answer until it has read, while others are answered", async () => {
    const headers = { "X-Api-Key": running.keys.business, "X-Forwarded-For": "198.51.100.1" }
    const last = { ...headers, Connection: "close" }
    const bytes = get(BULK, headers).repeat(MAXIMUM_HELD_REQUESTS) + get(BULK, last)
    const answeredBefore = await countAnswered(BULK_PATH)
    const slow = [await sendUnread(bytes), await sendUnread(bytes)]
    let before = 0
    // Until the system's buffers take no more.
    let sameFor = 0
    const isSteady = (count: number) => {
      sameFor = count === before && held.isFull("198.51.100.1") ? sameFor + 1 : 0
      before = count
      return sameFor >= 10
    }
    await Effect.runPromise(
      eventually(
        Effect.promise(() => countAnswered(BULK_PATH)),
        isSteady,
      ),
    )
    assert.isBelow(before - answeredBefore, 2 * (1 + MAXIMUM_HELD_REQUESTS))
    // What the system has taken for good is not known: it may take some more later. This answer it cannot take.
    const unsent = hold(held, "198.51.100.1", 200_000)
    const next = await sendUnread(get("/api/v1/visa/score?passport=FRA", last))
    const other = { "x-forwarded-for": "198.51.100.2" }
    for (let at = 0; at < 20; at++) {
      assert.strictEqual((await running.ask("/api/v1/visa/live/recent", { headers: other })).status, 200)
    }
    assert.strictEqual(await countAnswered("/api/v1/visa/score"), 0)
    unsent.destroy()
    const read = await Promise.all(slow.map(({ readAll }) => readAll()))
    assert.deepStrictEqual(read.map(countStatuses), [1 + MAXIMUM_HELD_REQUESTS, 1 + MAXIMUM_HELD_REQUESTS])
    assert.match(await next.readAll(), /^HTTP\/1\.1 200 OK/)
  })
})

describe("answers that are not read", () => {
  it("are closed beyond the total limit: first the oldest of the client with the most", () => {
    const unread = new HeldBytes({ bytesOfClient: 100, bytes: 100 })
    const one = hold(unread, "one", 30)
    const [first, second] = [hold(unread, "most", 40), hold(unread, "most", 30)]
    assert.isFalse(first.destroyed)
    const newest = hold(unread, "newest", 20)
    assert.deepStrictEqual(
      [one, first, second, newest].map(({ destroyed }) => destroyed),
      [false, true, false, false],
    )
    assert.strictEqual(unread.bytes, 80)
  })

  it("count with the bytes of the waiting piece of a download", () => {
    const unread = new HeldBytes({ bytesOfClient: 100, bytes: 100 })
    const [first, second] = [new PassThrough(), new PassThrough()]
    const noteOf = (response: PassThrough, client: string) =>
      holdUnread(
        unread,
        { socket: new Socket() } as IncomingMessage,
        response as unknown as ServerResponse,
        10,
        () => client,
      )
    const [noteFirst, noteSecond] = [noteOf(first, "one"), noteOf(second, "other")]
    noteFirst(60)
    noteSecond(30)
    assert.strictEqual(unread.bytes, 90)
    noteSecond(50)
    assert.deepStrictEqual([first.destroyed, second.destroyed], [true, false])
    assert.strictEqual(unread.bytes, 50)
    noteFirst(60)
    assert.strictEqual(unread.bytes, 50)
  })

  it("are kept if there is only one, of any length", () => {
    const unread = new HeldBytes({ bytesOfClient: 10, bytes: 100 })
    assert.isFalse(hold(unread, "one", 1_000).destroyed)
    assert.strictEqual(unread.bytes, 1_000)
  })

  it("are not counted if many answers share their bytes", () => {
    const unread = new HeldBytes({ bytesOfClient: 10, bytes: 10 })
    const shared = Array.from({ length: 100 }, () => hold(unread, "one", 0))
    assert.isFalse(shared.some(({ destroyed }) => destroyed))
    assert.strictEqual(unread.bytes, 0)
  })
})
