import { cpSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeFolder, startTestService, type TestService } from "./service.ts"

const NOW = Date.parse("2026-11-21T12:00:00Z")
const PLANS = ["free", "hobby", "starter", "pro", "business"] as const

/** What differs between any two answers: their time, and the name that a process gives to what it cannot read. */
const OWN_TO_ANSWER = /\r\n(?:Date: |x-request-id: (?!r\d))[^\r]+/g

/** One connection that is kept, and the bytes that come back for one request. */
class Wire {
  readonly #socket: Socket
  #received = ""
  #wake: () => void = () => {}

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1")
    this.#socket.setEncoding("latin1")
    this.#socket.on("data", (text: string) => {
      this.#received += text
      this.#wake()
    })
    this.#socket.on("error", () => this.#wake())
    this.#socket.on("close", () => this.#wake())
  }

  /** Sends a request and reads a whole answer: up to the length that its headers announce. */
  async exchange(request: string): Promise<string> {
    this.#received = ""
    this.#socket.write(request)
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n")
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(this.#received)?.[1] ?? 0)
      const isWhole = end >= 0 && this.#received.length >= end + 4 + (request.startsWith("HEAD") ? 0 : length)
      if (isWhole || this.#socket.destroyed) return this.#received.replace(OWN_TO_ANSWER, "")
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && !/\r\nconnection: close\r\n/i.test(this.#received)
  }

  hangUp(): void {
    this.#socket.destroy()
  }
}

let folders: string[] = []
let both: TestService
let routesOnly: TestService
let keys: TestService["keys"]

beforeAll(async () => {
  // Two services that begin alike to the byte: the same accounts, keys and counts, at the same instant.
  folders = [makeFolder(), makeFolder()]
  const [first = "", second = ""] = folders
  const fresh = await startTestService({ folder: first, stoppedAt: NOW })
  keys = fresh.keys
  await fresh.stop()
  cpSync(first, second, { recursive: true })
  const env = { LANDFALL_PUBLIC_URL: "https://visa.example" }
  both = await startTestService({ folder: first, stoppedAt: NOW, env })
  routesOnly = await startTestService({ folder: second, stoppedAt: NOW, env, withoutFastLane: true })
})
afterAll(async () => {
  await both.stop()
  await routesOnly.stop()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const code = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("FRA", "JPN", "USA", "IND", "DEU", "THA", "MLI") },
  fc.constantFrom(
    "ZZZ",
    "fra",
    "FR",
    "FRAN",
    "",
    "F%52A",
    "%46RA",
    "F+A",
    "FR%",
    "FRÄ",
    "toString",
    "__proto__",
    "FRA,DEU",
  ),
  fc.string({ maxLength: 5, unit: fc.constantFrom("A", "Z", "a", "1", "-", "_", "%41", "%", ";", "#", "/", "?") }),
)

const apiKey = fc.oneof(
  fc.constantFrom(...PLANS).map(plan => () => keys[plan]),
  fc.constantFrom("", "nobody", "svc_visa_x", "a b").map(key => () => key),
)

const parameter = fc.oneof(
  { weight: 8, arbitrary: code.map(value => () => `passport=${value}`) },
  { weight: 8, arbitrary: code.map(value => () => `destination=${value}`) },
  fc.constantFrom("en", "fr", "ar", "xx", "EN", "", "%65n").map(lang => () => `lang=${lang}`),
  apiKey.map(key => () => `api_key=${encodeURIComponent(key())}`),
  fc.constantFrom("x=1", "passport", "=", "", "p%61ssport=FRA", "PASSPORT=FRA").map(text => () => text),
)

const query = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(code, code).map(
      ([passport, destination]) =>
        () =>
          `passport=${passport}&destination=${destination}`,
    ),
  },
  fc.array(parameter, { maxLength: 4 }).map(parts => () => parts.map(part => part()).join("&")),
)

const header = fc.oneof(
  { weight: 4, arbitrary: apiKey.map(key => () => `X-Api-Key: ${key()}`) },
  fc
    .constantFrom("*/*", "application/json", "text/markdown", "text/MARKDOWN;q=0.3, */*")
    .map(text => () => `Accept: ${text}`),
  fc.constantFrom("gzip", "br, gzip", "identity").map(text => () => `accept-encoding: ${text}`),
  fc
    .constantFrom("https://visa.example", "https://other.example", "http://localhost:3000", "null")
    .map(text => () => `Origin: ${text}`),
  fc.constantFrom("X-Forwarded-For: 192.0.2.1", "Content-Length: 0", "Connection: keep-alive").map(text => () => text),
)

const request = fc.record({
  method: fc.oneof({ weight: 9, arbitrary: fc.constant("GET") }, fc.constantFrom("HEAD", "POST", "OPTIONS", "DELETE")),
  path: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("/api/v1/visa/check") },
    { weight: 8, arbitrary: fc.constantFrom("/api/v1/visa") },
    fc.constantFrom(
      "/api/v1/visa/check/",
      "/api/v1/visa/",
      "/api/v1/visas",
      "/api/v1/visa/check%3F",
      "//api/v1/visa/check",
      "/api/v1/visa/stats",
    ),
  ),
  query,
  headers: fc.uniqueArray(header, { maxLength: 3, selector: make => make().split(":")[0]?.toLowerCase() }),
})

describe("the two lanes", () => {
  it("answer alike to the byte, and count alike, whatever is asked in whatever order", async () => {
    let wires = [new Wire(both.service.port), new Wire(routesOnly.service.port)]
    let asked = 0
    const statuses = new Set<string>()
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, query: makeQuery, headers }) => {
        const lines = headers.map(make => `${make()}\r\n`).join("")
        const name = `X-Request-Id: r${asked++}\r\n`
        const written = `${method} ${path}?${makeQuery()} HTTP/1.1\r\nHost: visa.example\r\n${name}${lines}\r\n`
        const [fast, slow] = await Promise.all(wires.map(wire => wire.exchange(written)))
        assert.strictEqual(fast, slow, written)
        statuses.add(slow?.slice(9, 12) ?? "")
        wires = wires.map((wire, at) => {
          if (wire.isOpen) return wire
          wire.hangUp()
          return new Wire([both, routesOnly][at]?.service.port as number)
        })
      }),
      { numRuns: 2_500 },
    )
    for (const wire of wires) wire.hangUp()
    assert.includeMembers([...statuses], ["200", "204", "400", "401", "403", "404", "405", "429"])
  })

  it("have both been asked", async () => {
    const answered = async ({ ask }: TestService) =>
      Number(/\nlandfall_fast_lane_answers (\d+)/.exec((await ask("/metrics")).text)?.[1])
    assert.isAbove(await answered(both), 100)
    assert.strictEqual(await answered(routesOnly), 0)
  })

  it("have told the same activity in the end", async () => {
    const recent = "/api/v1/visa/live/recent"
    assert.deepStrictEqual((await both.ask(recent)).read(), (await routesOnly.ask(recent)).read())
  })
})
