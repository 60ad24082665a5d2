import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { type AttemptOutcome, makeSender } from "../../adapters/webhooks/dispatcher.ts"

type Responder = (
  socket: Socket,
  request: string,
  at: { readonly connection: number; readonly request: number },
) => void

/** A receiver that is in command of its sockets. */
async function startServer(answer: Responder) {
  const sockets: Socket[] = []
  /** How many requests came over each connection. */
  const counts: number[] = []
  const server = createServer(socket => {
    const connection = sockets.push(socket)
    counts.push(0)
    socket.on("data", bytes => {
      const request = ++counts[connection - 1]!
      answer(socket, bytes.toString(), { connection, request })
    })
    socket.on("error", () => undefined)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/hooks?a=1`,
    counts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const OK = "HTTP/1.1 204 No Content\r\n\r\n"

/** Sends some one after the other with one sender; answers how they went. */
const sendAll = (url: string, count: number): Promise<AttemptOutcome[]> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const send = yield* makeSender({ allowsPrivate: true })
        const outcomes: AttemptOutcome[] = []
        for (let at = 0; at < count; at++) {
          const shipment = { url, headers: { "webhook-id": `evt_${at}` }, body: `{"at":"${at} é"}` }
          outcomes.push(
            yield* Effect.callback<AttemptOutcome>(resume =>
              send(shipment, outcome => resume(Effect.succeed(outcome))),
            ),
          )
          // The connection is put back among those that can be used again.
          for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(done => setImmediate(done)))
        }
        return outcomes
      }),
    ),
  )

const accepted: AttemptOutcome = { isAccepted: true, status: 204, error: null, body: null }

describe("a delivery", () => {
  it("is one POST of JSON with its length in bytes, over a connection that is used again", async () => {
    const requests: string[] = []
    await using server = await startServer((socket, request) => {
      requests.push(request)
      socket.write(OK)
    })
    assert.deepStrictEqual(await sendAll(server.url, 2), [accepted, accepted])
    assert.deepStrictEqual(server.counts, [2])
    const [head = "", body] = (requests[0] as string).split("\r\n\r\n")
    const [line, ...headers] = head.split("\r\n")
    assert.strictEqual(line, "POST /hooks?a=1 HTTP/1.1")
    assert.sameMembers(headers, [
      `host: ${new URL(server.url).host}`,
      "content-type: application/json",
      "content-length: 13",
      "webhook-id: evt_0",
      "Connection: keep-alive",
    ])
    assert.strictEqual(body, '{"at":"0 é"}')
  })

  it("is sent again at once, without a failure, if the receiver closes a connection that was used before", async () => {
    await using server = await startServer((socket, _, at) => {
      // The answer to the first request of a connection keeps it; with the second one it is reset.
      if (at.request === 1) socket.write(OK)
      else socket.resetAndDestroy()
    })
    assert.deepStrictEqual(await sendAll(server.url, 2), [accepted, accepted])
    assert.deepStrictEqual(server.counts, [2, 1])
  })

  it("has failed if a new connection is closed, also the one on which it is sent again", async () => {
    await using server = await startServer((socket, _, at) => {
      if (at.connection === 1 && at.request === 1) socket.write(OK)
      else socket.resetAndDestroy()
    })
    const [first, second, third] = await sendAll(server.url, 3)
    assert.deepStrictEqual(first, accepted)
    for (const outcome of [second, third]) {
      assert.deepStrictEqual(outcome, {
        isAccepted: false,
        status: null,
        error: "the connection failed: ECONNRESET",
        body: null,
      })
    }
    assert.deepStrictEqual(server.counts, [2, 1, 1])
  })

  it("has failed if no request can be made of it", async () => {
    const outcome = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(makeSender({ allowsPrivate: true }), send =>
          Effect.callback<AttemptOutcome>(resume =>
            send({ url: "http://127.0.0.1:1/", headers: { "webhook-id": "a\nb" }, body: "{}" }, outcome =>
              resume(Effect.succeed(outcome)),
            ),
          ),
        ),
      ),
    )
    assert.deepStrictEqual([outcome.isAccepted, outcome.status], [false, null])
    assert.match(outcome.error as string, /^the request cannot be made: /)
  })

  it("has failed if a used connection breaks after the answer has begun", async () => {
    await using server = await startServer((socket, _, at) => {
      if (at.request === 1) socket.write(OK)
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab", () => socket.resetAndDestroy())
    })
    const [, second] = await sendAll(server.url, 2)
    assert.deepInclude(second, { isAccepted: false, status: 200, error: "the answer broke off" })
    assert.deepStrictEqual(server.counts, [2])
  })
})
