import { connect, type Socket } from "node:net"
import { afterEach, assert, describe, inject, it } from "vitest"
import { MAXIMUM_HELD_REQUESTS } from "../../adapters/http/server/held-bytes.ts"
import { send } from "../http/service.ts"
import { IS_WHOLE } from "../sample.ts"

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** An address of this machine for each 200 connections, of which only the first is a trusted proxy. */
const localAddress = (at: number) => `127.0.0.${1 + Math.floor(at / 200)}`

/** Opens connections one after the other, sends some bytes on each, and reads nothing. */
async function open(count: number, makeBytes: (at: number) => string, addressOf = localAddress): Promise<void> {
  const { port } = inject("victim")
  for (let at = 0; at < count; at++) {
    await new Promise<void>(resolve => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf(at) })
      socket.on("error", () => resolve())
      socket.once("connect", () => socket.write(makeBytes(at), () => resolve()))
      socket.pause()
      sockets.push(socket)
    })
  }
}

/** A paying caller is answered, with a body too; the file's set-up asks for the health. */
async function assertAnswersPaying(): Promise<void> {
  const { keys, url } = inject("victim")
  const headers = { "x-api-key": String(keys.business) }
  const check = await send(url, "/api/v1/visa/check?passport=FRA&destination=JPN", { headers })
  const body = JSON.stringify({
    passport: "FRA",
    stops: [{ destination: "JPN", from: "2027-01-01", to: "2027-01-05" }],
  })
  const decision = await send(url, "/api/v1/visa/decision", { method: "POST", headers, body })
  assert.deepStrictEqual([check.status, decision.status], [200, 200])
}

const begin = (headers: readonly string[]) =>
  ["POST /mcp HTTP/1.1", "Host: x", "Content-Length: 65000", ...headers].join("\r\n")

const LONG_HEADER = `A: ${"x".repeat(15_000)}`
const LONG_BODY = "x".repeat(60_000)

const from = (at: number) => `X-Forwarded-For: 203.0.${at >> 8}.${at & 255}`

describe("clients that never finish what they send", () => {
  it("hold no unbounded memory by 60 KB of a body on each of 6,000 connections, each of another address behind a proxy", async () => {
    await open(
      6_000,
      at => `${begin([from(at), LONG_HEADER])}\r\n\r\n${LONG_BODY}`,
      () => "127.0.0.1",
    )
    await assertAnswersPaying()
  })

  it.runIf(IS_WHOLE)("hold no unbounded memory by doing so from 20 addresses, without a proxy", async () => {
    await open(4_000, () => `${begin([LONG_HEADER])}\r\n\r\n${LONG_BODY}`)
    await assertAnswersPaying()
  })

  it("hold no unbounded memory by 15 KB of headers on each of 6,000 connections", async () => {
    await open(6_000, () => begin([LONG_HEADER]))
    await assertAnswersPaying()
  })

  it("hold no unbounded memory by a long request behind an answer that they do not read, on each of 2,000 connections", async () => {
    const asked = `GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(MAXIMUM_HELD_REQUESTS - 3)
    await open(2_000, () => `${asked}${`GET / HTTP/1.1\r\nHost: x\r\n${LONG_HEADER}\r\n\r\n`.repeat(4)}`)
    await assertAnswersPaying()
  })
})
