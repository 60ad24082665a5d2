import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, assert, describe, it } from "vitest"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(() => startTestService({ env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } }))

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

const PLACES = ["FRA", "GBR", "USA", "CAN", "DEU", "JPN", "AUS", "CHN", "THA", "ZAF", "ITA", "ESP"]
const dayAt = (days: number) => new Date(Date.UTC(2026, 11, 1 + days)).toISOString().slice(0, 10)
const stops = PLACES.map((destination, at) => ({ destination, from: dayAt(at * 25), to: dayAt(at * 25 + 25) }))
const held = PLACES.slice(0, 5).map(issuer => ({ kind: "visa", issuer, entries: 1, duration_of_stay_days: 9 }))
/** Many ways through twelve stops that are all too long: some forty milliseconds. */
const LONG = { passports: ["IND", "NGA", "PAK"], held, stops }
const LONG_CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "check_itinerary", arguments: LONG } }
const CHECK = "/api/v1/visa/check?passport=FRA&destination=JPN"

const askLong = (address: string) =>
  running.ask("/mcp", {
    method: "POST",
    headers: {
      "x-forwarded-for": address,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(LONG_CALL),
  })

/** Counts how many of a flood were answered before a question that is asked when the first was. */
async function countAnsweredBefore(flood: readonly (() => Promise<unknown>)[], ask: () => Promise<unknown>) {
  let answered = 0
  const first = Promise.withResolvers<void>()
  const all = flood.map(async one => {
    await one()
    answered++
    first.resolve()
  })
  await first.promise
  const before = answered
  await ask()
  const during = answered - before
  await Promise.all(all)
  return during
}

describe("a paying caller", () => {
  it("is answered before the strangers who wait, whatever they ask and from wherever", async () => {
    assert.strictEqual((await running.askAs("business", CHECK)).status, 200)
    const flood = Array.from({ length: 30 }, (_, at) => () => askLong(`198.51.${at}.1`))
    const during = await countAnsweredBefore(flood, () => running.askAs("business", CHECK))
    assert.isBelow(during, 20, "strangers' long questions that were answered meanwhile")
  })

  it("with long questions delays no other one by more than a piece of them", async () => {
    for (const plan of ["pro", "business"] as const) assert.strictEqual((await running.askAs(plan, CHECK)).status, 200)
    // A decision also looks for what removes each blocker: of five stops in some hundred milliseconds.
    const body = JSON.stringify({ ...LONG, stops: stops.slice(0, 5) })
    const decide = () => running.askAs("business", "/api/v1/visa/decision", { method: "POST", body })
    let answered = 0
    const flood = Promise.all(Array.from({ length: 10 }, () => decide().then(() => answered++)))
    // They go on in turn, and so end at nearly the same time: who asks while they begin is answered before nearly all.
    assert.strictEqual((await running.askAs("pro", CHECK)).status, 200)
    assert.strictEqual((await running.askAs("pro", "/api/v1/visa/decision", { method: "POST", body })).status, 200)
    const before = answered
    await flood
    assert.isBelow(before, 5)
  })
})

describe("a stranger", () => {
  it("waits for nobody of another /48, while the holder of one asks from thousands of addresses", async () => {
    const flood = Array.from({ length: 30 }, (_, at) => () => askLong(`2001:db8:1:${at.toString(16)}::1`))
    const during = await countAnsweredBefore(flood, () => askLong("2001:db8:2::1"))
    assert.isBelow(during, 20)
  })

  it("with half bodies takes nobody's place: neither another's, nor its own", async () => {
    const from = "198.51.100.1"
    for (let at = 0; at < 20; at++) {
      const socket = connect(running.service.port, "127.0.0.1")
      sockets.push(socket)
      socket.on("error", () => {})
      await once(socket, "connect")
      socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Length: 9999\r\n\r\n{"half":`)
    }
    const score = await running.ask("/api/v1/visa/score?passport=FRA", { headers: { "x-forwarded-for": from } })
    assert.strictEqual(score.status, 200)
    assert.strictEqual((await askLong(from)).status, 200)
  })
})
