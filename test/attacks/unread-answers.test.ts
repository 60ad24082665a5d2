import { connect, type Socket } from "node:net"
import { afterEach, assert, describe, inject, it } from "vitest"
import { MAXIMUM_HELD_REQUESTS } from "../../adapters/http/server/held-bytes.ts"
import { send } from "../http/service.ts"
import { IS_WHOLE } from "../sample.ts"

/** The same attack in a weaker or a smaller form is tried each night. */
const eachNight = it.runIf(IS_WHOLE)

/** As many as a connection is not closed for: one that is answered, and those that wait for it. */
const MOST_REQUESTS = 1 + MAXIMUM_HELD_REQUESTS

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Opens a connection that sends some bytes and never reads. */
function sendUnread(bytes: string): Promise<void> {
  const { port } = inject("victim")
  return new Promise(resolve => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, () => resolve()))
    // The service may close it.
    socket.on("error", () => resolve())
    socket.pause()
    sockets.push(socket)
  })
}

const get = (path: string, headers: readonly string[] = []) =>
  `${[`GET ${path} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n`

/** Opens connections one after the other, then sends requests as another client until all were processed. */
async function attack(connections: number, makeBytes: (at: number) => string): Promise<void> {
  for (let at = 0; at < connections; at++) await sendUnread(makeBytes(at))
  const { url } = inject("victim")
  for (let at = 0; at < 20; at++) await send(url, "/api/v1/visa/score?passport=JPN")
}

const PASSPORTS = ["FRA", "DEU", "USA", "IND", "CHN", "BRA", "NGA", "JPN"]

/** An address of its own for each connection. */
const from = (at: number) => `X-Forwarded-For: 198.51.${at >> 8}.${at & 255}`

describe("a client that does not read its answers", () => {
  it("uses no unbounded memory by requesting the OpenAPI document as often as it may on each of 400 connections", async () => {
    await attack(400, () => get("/openapi.json").repeat(MOST_REQUESTS))
  })

  eachNight("uses no unbounded memory by requesting the compressed document", async () => {
    await attack(400, () => get("/openapi.json", ["Accept-Encoding: br"]).repeat(MOST_REQUESTS))
  })

  eachNight(
    "uses no unbounded memory by sending two thousand small requests at once on each of 60 connections",
    async () => {
      await attack(60, () => get("/").repeat(2_000))
    },
  )

  it("does not fill the heap with two thousand small requests on each of 300 connections at the same moment", async () => {
    await Promise.all(Array.from({ length: 300 }, () => sendUnread(get("/").repeat(2_000))))
    const { url } = inject("victim")
    for (let at = 0; at < 20; at++) await send(url, "/api/v1/visa/score?passport=JPN")
  })

  eachNight(
    "uses no unbounded memory by requesting every record of a passport twice on each of 60 connections",
    async () => {
      const { keys } = inject("victim")
      const headers = [`X-Api-Key: ${keys.business}`]
      await attack(60, () => get("/api/v1/visa/bulk?passport=FRA", headers).repeat(2))
    },
  )

  it("uses no unbounded memory by doing so from a different address on each connection", async () => {
    const { keys } = inject("victim")
    const headers = [`X-Api-Key: ${keys.business}`]
    await attack(100, at => get("/api/v1/visa/bulk?passport=DEU", [...headers, from(at)]))
  })

  it("uses the memory that docs/operations.md states if 64 connections read every record of a passport in six languages", async () => {
    const { keys, url } = inject("victim")
    const headers = { "x-api-key": keys.business ?? "" }
    const languages = ["en", "fr", "es", "de", "it", "pt"]
    const ask = async (at: number) => {
      const path = `/api/v1/visa/bulk?passport=${PASSPORTS[at % PASSPORTS.length]}&lang=${languages[at % languages.length]}`
      const reply = await fetch(url + path, { headers })
      let bytes = 0
      for await (const piece of reply.body ?? []) bytes += piece.length
      assert.deepStrictEqual([reply.status, bytes > 500_000], [200, true])
    }
    for (let round = 0; round < (IS_WHOLE ? 3 : 1); round++)
      await Promise.all(Array.from({ length: 64 }, (_, at) => ask(at + round)))
  })

  it("uses no unbounded memory by listening to the live stream from 1,000 addresses", async () => {
    await attack(1_000, at => get("/api/v1/visa/live", [from(at)]))
    const { url } = inject("victim")
    for (let at = 0; at < 500; at++) await send(url, "/api/v1/visa/score?passport=FRA")
  })
})
