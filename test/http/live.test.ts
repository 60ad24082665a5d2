import { get, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "vitest"
import { Activity, EVENTS_AT_ONCE, RECENT_EVENTS } from "../../adapters/http/pipeline/process-state.ts"
import { MAXIMUM_LISTENERS, MAXIMUM_LISTENERS_AT_ADDRESS } from "../../adapters/http/routes/visa/changes-endpoints.ts"
import { share } from "../share.ts"
import { countTenths } from "../tenths.ts"
import { startTestService } from "./service.ts"

const running = share(startTestService)

const LIVE = "/api/v1/visa/live"

interface Listening {
  readonly response: IncomingMessage
  /** Waits for the next piece of the stream, or null at its end. */
  readonly next: () => Promise<string | null>
  readonly hangUp: () => void
}

function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { connection: "keep-alive", ...headers } }
    const outgoing = get(`${url}${LIVE}`, options, response => {
      response.setEncoding("utf8")
      const pieces = response[Symbol.asyncIterator]()
      const next = async () => {
        const { done, value } = await pieces.next()
        return done ? null : String(value)
      }
      resolve({ response, next, hangUp: () => outgoing.destroy() })
    })
    outgoing.on("error", reject)
  })
}

describe("GET /api/v1/visa/live", () => {
  it("is a stream of events that is not cached, compressed or buffered", async () => {
    const { response, next, hangUp } = await openStream(running.url)
    assert.strictEqual(response.statusCode, 200)
    assert.include(response.headers, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      connection: "keep-alive",
    })
    assert.isUndefined(response.headers["content-encoding"])
    assert.strictEqual(await next(), ": keepalive\n\n")
    hangUp()
  })

  it("sends each answered question to all listeners as one data line", async () => {
    const listeners = [await openStream(running.url), await openStream(running.url)]
    for (const listener of listeners) await listener.next()
    await running.ask("/api/v1/visa/check?passport=FRA&destination=JPN")
    for (const listener of listeners) {
      const piece = (await listener.next()) ?? ""
      assert.match(piece, /^data: \{.*\}\n\n$/)
      const event = JSON.parse(piece.slice("data: ".length)) as Record<string, string>
      assert.include(event, { passport: "FRA", destination: "JPN" })
      assert.strictEqual(new Date(event.timestamp as string).toISOString(), event.timestamp)
      listener.hangUp()
    }
  })

  it("sends a comment if there are no questions for a while", async () => {
    const { next, hangUp } = await openStream(running.url)
    await next()
    assert.match((await next()) ?? "", /^(: keepalive\n\n)+$/)
    hangUp()
  })

  it("does not send questions that were refused or have no record", async () => {
    const before = (await running.ask(`${LIVE}/recent`)).read("count")
    await running.ask("/api/v1/visa/check?passport=FRA&destination=ZZZ")
    await running.ask("/api/v1/visa/check?passport=FRA&destination=J")
    await running.ask("/api/v1/visa/check?passport=FRA&destination=JPN", { headers: { "x-api-key": "nobody" } })
    assert.strictEqual((await running.ask(`${LIVE}/recent`)).read("count"), before)
  })

  it("answers HEAD without opening a stream", async () => {
    const reply = await running.ask(LIVE, { method: "HEAD" })
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.text, "")
  })

  it("removes a listener that disconnects", async () => {
    await using quiet = await startTestService()
    const listeners = async () => /landfall_live_listeners (\d+)/.exec((await quiet.ask("/metrics")).text)?.[1]
    const { next, hangUp } = await openStream(quiet.url)
    await next()
    assert.strictEqual(await listeners(), "1")
    hangUp()
    // The server learns of it when it next reads from the connection; every question gives it the occasion.
    for (let asked = 0; (await listeners()) !== "0"; asked++) assert.isBelow(asked, 1_000)
  })

  it("ends every stream at once when the service stops, also if its client does not read", async () => {
    const stopping = await startTestService()
    const { next } = await openStream(stopping.url)
    await next()
    const deaf = connect(stopping.service.port, "127.0.0.1")
    await new Promise<void>(resolve => {
      deaf.once("readable", resolve)
      deaf.write(`GET ${LIVE} HTTP/1.1\r\nHost: x\r\n\r\n`)
    })
    assert.isBelow(await countTenths(stopping.stop()), 10)
    assert.isNull(await next())
    deaf.destroy()
    await stopping[Symbol.asyncDispose]()
  })
})

describe("GET /api/v1/visa/live/recent", () => {
  it("lists what was asked last, newest first, for five seconds", async () => {
    await running.ask("/api/v1/visa/check?passport=DEU&destination=CAN")
    await running.ask("/api/v1/visa/check?passport=BRA&destination=PRT")
    const reply = await running.ask(`${LIVE}/recent`)
    assert.strictEqual(reply.headers["cache-control"], "public, max-age=5")
    const events = reply.read("events") as Record<string, string>[]
    assert.deepStrictEqual(
      events.slice(0, 2).map(({ passport, destination }) => `${passport}${destination}`),
      ["BRAPRT", "DEUCAN"],
    )
    assert.strictEqual(reply.read("count"), events.length)
  })
})

describe("Activity", () => {
  it("keeps the last fifty questions, newest first", () => {
    const activity = new Activity()
    assert.deepStrictEqual(activity.listRecent(), [])
    for (let at = 0; at < 120; at++) {
      activity.record("FRA", String(at), at)
      const expected = Array.from({ length: Math.min(at + 1, RECENT_EVENTS) }, (_, back) => String(at - back))
      assert.deepStrictEqual(
        activity.listRecent().map(event => event.destination),
        expected,
      )
    }
  })
})

describe("GET /api/v1/visa/changes", () => {
  it("is withdrawn for all callers and parameters, and says when to retry", async () => {
    for (const query of ["", "?passport=FRA", "?limit=many&since=yesterday"]) {
      const reply = await running.ask(`/api/v1/visa/changes${query}`, { headers: { origin: "https://other.example" } })
      assert.strictEqual(reply.status, 503)
      assert.strictEqual(reply.headers["retry-after"], "86400")
      assert.strictEqual(reply.read("status"), "unavailable")
      assert.sameMembers(Object.keys(reply.read() as object), ["error", "status", "contact"])
    }
  })

  it("is announced as deprecated: since when, until when, and where that is documented", async () => {
    const { headers } = await running.ask("/api/v1/visa/changes")
    const deprecatedAt = Number(/^@(\d+)$/.exec(String(headers.deprecation))?.[1])
    const sunsetAt = Date.parse(String(headers.sunset)) / 1_000
    assert.match(String(headers.sunset), / GMT$/)
    assert.isAtLeast(sunsetAt - deprecatedAt, 181 * 86_400)
    assert.match(String(headers.link), /^<http[^>]+\/docs#[^>]+>; rel="deprecation"/)
  })
})

describe("too many listeners", () => {
  const from = (address: string) => ({ "x-forwarded-for": address })

  it("are asked to retry later, and present listeners stay connected", async () => {
    await using crowded = await startTestService({ env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } })
    const crowd = await Promise.all(
      Array.from({ length: MAXIMUM_LISTENERS }, (_, place) =>
        openStream(crowded.url, from(`192.0.2.${Math.floor(place / MAXIMUM_LISTENERS_AT_ADDRESS)}`)),
      ),
    )
    for (const { response } of crowd) assert.strictEqual(response.statusCode, 200)
    const reply = await crowded.ask(LIVE, { headers: from("198.51.100.7") })
    assert.strictEqual(reply.status, 503)
    assert.isAbove(Number(reply.headers["retry-after"]), 0)
    assert.sameMembers(Object.keys(reply.read() as object), ["error"])
    assert.match((await crowd[0]?.next()) ?? "", /^(: keepalive\n\n)+$/)
    for (const { hangUp } of crowd) hangUp()
  })

  it("at one address are asked to retry later, while others may listen", async () => {
    await using crowded = await startTestService({ env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } })
    const crowd = await Promise.all(
      Array.from({ length: MAXIMUM_LISTENERS_AT_ADDRESS }, () => openStream(crowded.url, from("192.0.2.1"))),
    )
    const reply = await crowded.ask(LIVE, { headers: from("192.0.2.1") })
    assert.strictEqual(reply.status, 429)
    assert.strictEqual(reply.headers["retry-after"], "60")
    const other = await openStream(crowded.url, from("192.0.2.2"))
    assert.strictEqual(other.response.statusCode, 200)
    for (const { hangUp } of [...crowd, other]) hangUp()
  })
})

/** A listener in memory. */
const makeSink = () => {
  const pieces: string[] = []
  const decoder = new TextDecoder()
  const sink = {
    write: (bytes: Uint8Array) => {
      pieces.push(decoder.decode(bytes))
      return true
    },
    end: () => pieces.push("end"),
  }
  return { pieces, sink }
}

const settleMicrotasks = () => new Promise<void>(resolve => queueMicrotask(resolve))

/** Waits until every listener had its turn. */
async function settleTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>(resolve => setImmediate(resolve))
}

describe("a listener without events", () => {
  it("gets a comment after two seconds, and again after two more", () => {
    const activity = new Activity()
    const { pieces, sink } = makeSink()
    activity.listen(sink, "a", 0)
    for (const nowMs of [250, 1_999, 2_000, 2_250, 3_999, 4_000]) activity.tick(nowMs)
    assert.deepStrictEqual(pieces, [": keepalive\n\n", ": keepalive\n\n", ": keepalive\n\n"])
  })
})

describe("a thousand listeners without events", () => {
  it("get their comments some at a time, between which others are served", async () => {
    const activity = new Activity()
    const { pieces, sink } = makeSink()
    for (let at = 0; at < 1_000; at++) activity.listen(sink, String(at), 0)
    pieces.length = 0
    activity.tick(2_000)
    assert.isBelow(pieces.length, 100)
    await settleTurns()
    assert.lengthOf(pieces, 1_000)
  })
})

describe("many events at once", () => {
  it("are written together to all listeners, encoded once", async () => {
    const activity = new Activity()
    const written: Uint8Array[] = []
    const sink = { write: (bytes: Uint8Array) => written.push(bytes) > 0, end: () => {} }
    activity.listen(sink, "a", 0)
    activity.listen(sink, "b", 0)
    for (let at = 0; at < 3; at++) activity.record("FRA", "JPN", 10)
    await settleMicrotasks()
    assert.lengthOf(written, 4)
    assert.strictEqual(written[2], written[3])
    assert.lengthOf(new TextDecoder().decode(written[2]).match(/^data: /gm) ?? [], 3)
  })

  it("beyond the limit are omitted, the oldest first, and a comment says how many", async () => {
    const activity = new Activity()
    const { pieces, sink } = makeSink()
    activity.listen(sink, "a", 0)
    for (let at = 0; at < EVENTS_AT_ONCE + 5; at++) activity.record("FRA", String(at), 10)
    await settleMicrotasks()
    const [, text = ""] = pieces
    assert.match(text, /^: 5 events left out\n\ndata: /)
    assert.include(text, '"destination":"5"')
    assert.notInclude(text, '"destination":"4"')
  })

  it("are written later if a thousand listen, and none is lost", async () => {
    const activity = new Activity()
    const { pieces, sink } = makeSink()
    for (let at = 0; at < 1_000; at++) activity.listen(sink, String(at), 0)
    pieces.length = 0
    activity.record("FRA", "JPN", 1_000)
    await settleTurns()
    assert.lengthOf(pieces, 1_000)
    activity.record("FRA", "DEU", 1_100)
    activity.tick(1_250)
    await settleTurns()
    assert.lengthOf(pieces, 1_000)
    activity.tick(1_500)
    await settleTurns()
    assert.lengthOf(pieces, 2_000)
    assert.include(pieces[1_999], "DEU")
  })
})
