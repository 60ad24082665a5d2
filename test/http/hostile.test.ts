import { connect } from "node:net"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { MAXIMUM_BODY_BYTES } from "../../adapters/http/pipeline/http-message.ts"
import { MAXIMUM_HELD_REQUESTS } from "../../adapters/http/server/held-bytes.ts"
import { LIMITS } from "../../adapters/http/server/http-server.ts"
import { countTrips } from "../sample.ts"
import { share } from "../share.ts"
import { countTenths } from "../tenths.ts"
import { PATIENT, startTestService } from "./service.ts"

/** One that is answered, and those that wait for it. */
const MOST = 1 + MAXIMUM_HELD_REQUESTS

const running = share(() => startTestService({ limits: PATIENT }))
/** A busy machine is as slow as a slow client: only those are sent to a service that soon hangs up. */
const impatient = share(() =>
  startTestService({ limits: { headersTimeout: 400, requestTimeout: 800, connectionsCheckingInterval: 100 } }),
)

/** Sends bytes as they are, and reads until the server hangs up. */
function sendRaw(bytes: string | Buffer, { service } = running): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(service.port, "127.0.0.1")
    const received: Buffer[] = []
    socket.on("data", chunk => received.push(chunk))
    socket.on("error", () => {})
    socket.on("close", () => resolve(Buffer.concat(received).toString("latin1")))
    socket.write(bytes)
  })
}

/** Asks once on a connection of its own. */
const askRaw = (line: string, headers: readonly string[] = []) =>
  sendRaw(Buffer.from(`${[line, "Host: x", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`, "latin1"))

const statusOf = (answer: string) => Number(answer.slice(9, 12))
const bodyOf = (answer: string) => answer.slice(answer.indexOf("\r\n\r\n") + 4)

/** A refusal: a status of the client's fault, in JSON, with nothing of the inside. */
function assertRefused(answer: string, status: number, sent: string): void {
  assert.strictEqual(statusOf(answer), status, `${sent.slice(0, 80)}: ${answer}`)
  const body = JSON.parse(bodyOf(answer)) as Record<string, unknown>
  assert.isString(body.error)
  assert.match(answer, /\r\naccess-control-allow-origin: \*\r\n/, sent.slice(0, 80))
  assert.match(answer, /\r\nx-request-id: [\w.:-]+\r\n/, sent.slice(0, 80))
  assert.notMatch(bodyOf(answer), /node_modules|adapters\/|Error:|\bat [A-Z]\w+\./)
  assert.isBelow(bodyOf(answer).length, 2_000)
}

const CHECK = "/api/v1/visa/check"

describe("a malicious client", () => {
  it.each([
    ["a code of 10,000 characters", `passport=${"A".repeat(10_000)}&destination=JPN`],
    ["a prototype's name for a code", "passport=__proto__&destination=constructor"],
    ["prototype names for parameters", "__proto__=FRA&constructor=JPN&toString=x"],
    ["a parameter twice", "passport=FRA&passport=FRA&destination=JPN"],
    ["a parameter a hundred times", `${"passport=FRA&".repeat(100)}destination=JPN`],
    ["a list where one is asked for", "passport[]=FRA&destination[]=JPN"],
    ["an escaped zero byte", "passport=FR%00&destination=JPN"],
    ["an overlong encoding", "passport=%C0%86RA&destination=JPN"],
    ["bytes that are no UTF-8", "passport=%FF%FE%FD&destination=JPN"],
    ["half an escape", "passport=FR%4&destination=JPN"],
    ["look-alike letters", "passport=%D0%A0%D0%A1%D0%90&destination=JPN"],
    ["full-width letters", "passport=%EF%BC%A6%EF%BC%B2%EF%BC%A1&destination=JPN"],
    ["a line break in a code", "passport=FRA%0D%0AX-Evil:%201&destination=JPN"],
    ["blanks around a code", "passport=+FRA+&destination=JPN"],
    ["markup", "passport=<script>alert(1)</script>&destination=JPN"],
    ["SQL", "passport=FRA'--&destination=JPN"],
  ])("that sends %s gets the mistake reported", async (_, query) => {
    assertRefused(await askRaw(`GET ${CHECK}?${query} HTTP/1.1`), 400, query)
  })

  it.each([
    ["a prototype's name", "__proto__"],
    ["10,000 characters", "k".repeat(10_000)],
    ["two keys at once", "svc_visa_a, svc_visa_b"],
    ["SQL", "' OR 1=1 --"],
  ])("whose key is %s is not let in", async (_, key) => {
    assertRefused(await askRaw(`GET ${CHECK} HTTP/1.1`, [`X-Api-Key: ${key}`]), 403, key)
  })

  it("cannot choose a key by sending two in the query", async () => {
    const key = encodeURIComponent(running.keys.pro)
    assertRefused(await askRaw(`GET ${CHECK}?api_key=x&api_key=${key} HTTP/1.1`), 403, "two keys")
  })

  it.each([
    ["/../../etc/passwd"],
    ["/docs/../openapi.json"],
    ["/%2e%2e/%2e%2e/etc/passwd"],
    ["/healthz%00"],
    ["/%E0%A4%A"],
    ["//healthz"],
    ["/healthz/"],
    ["/HEALTHZ"],
    ["/api/v1/visa/check;v=1"],
    ["/constructor"],
    ["/__proto__"],
    [`/${"a".repeat(8_000)}`],
  ])("finds nothing at %s", async path => {
    assertRefused(await askRaw(`GET ${path} HTTP/1.1`), 404, path)
  })

  it("that sends endless headers is disconnected", async () => {
    const answer = await askRaw("GET /healthz HTTP/1.1", [`X-Long: ${"x".repeat(LIMITS.maxHeaderSize)}`])
    assertRefused(answer, 431, "long header")
  })

  it("that sends an endless URL is disconnected", async () => {
    assertRefused(await askRaw(`GET /${"x".repeat(LIMITS.maxHeaderSize)} HTTP/1.1`), 431, "long address")
  })

  it.each([
    ["no HTTP at all", "hello\r\n\r\n"],
    ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
    ["a version that is none", "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["a method that is none", "FETCH /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["two hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n"],
    ["a header with a blank in its name", "GET /healthz HTTP/1.1\r\nHost: x\r\nX Evil: 1\r\n\r\n"],
    ["a zero byte in a header", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Evil: a\u0000b\r\n\r\n"],
    ["a folded header", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Evil: a\r\n b\r\n\r\n"],
    [
      "two lengths of one body",
      "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a negative length", "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
  ])("that sends %s is refused and hung up on", async (name, bytes) => {
    assertRefused(await sendRaw(Buffer.from(bytes, "latin1")), 400, name)
  })

  it("cannot inject a header into an answer", async () => {
    for (const id of ["a%0d%0aX-Evil: 1", "a\tb", "é", "x".repeat(65), '"><script>']) {
      const answer = await askRaw("GET /healthz HTTP/1.1", [`X-Request-Id: ${id}`])
      assert.strictEqual(statusOf(answer), 200)
      assert.notInclude(answer, id)
    }
    const answer = await askRaw(`GET ${CHECK}?passport=%0d%0aX-Evil:1 HTTP/1.1`, [
      "Origin: http://localhost%0d%0aX-Evil: 1",
    ])
    assert.notMatch(answer, /\r\nX-Evil/i)
  })

  it("that sends a large body is refused before it has sent it", async () => {
    const answer = await askRaw("POST /healthz HTTP/1.1", [`Content-Length: ${MAXIMUM_BODY_BYTES + 1}`])
    assertRefused(answer, 413, "large body")
    assertRefused(
      await askRaw(`GET ${CHECK}?passport=FRA&destination=JPN HTTP/1.1`, ["Content-Length: 99999999999"]),
      413,
      "GET",
    )
  })

  it("that sends its headers slowly is disconnected", async () => {
    const sent = sendRaw("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ", impatient)
    assert.isBelow(await countTenths(sent), 20)
    assertRefused(await sent, 408, "slow headers")
  })

  it("that sends nothing is disconnected", async () => {
    const sent = sendRaw("", impatient)
    assert.isBelow(await countTenths(sent), 20)
    assert.include(["", "408"], (await sent).slice(9, 12))
  })

  it("that never sends its body is disconnected", async () => {
    const sent = sendRaw("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc", impatient)
    assert.isBelow(await countTenths(sent), 30)
  })

  it("that sends an unknown Expect header is refused in JSON", async () => {
    assertRefused(await askRaw("GET /healthz HTTP/1.1", ["Expect: the-unexpected"]), 417, "expectation")
  })

  it("that requests an upgrade gets the ordinary answer", async () => {
    const headers = ["Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
    assert.strictEqual(statusOf(await askRaw("GET /healthz HTTP/1.1", headers)), 200)
  })

  it(`that pipelines ${MOST} requests gets as many answers in order`, async () => {
    const questions = Array.from({ length: MOST }, (_, at) => {
      const last = at === MOST - 1 ? "Connection: close\r\n" : ""
      const path = at % 3 === 0 ? `${CHECK}?passport=FRA&destination=JPN` : "/healthz"
      return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: q${at}\r\n${last}\r\n`
    })
    const answer = await sendRaw(questions.join(""))
    const names = [...answer.matchAll(/x-request-id: (q\d+)/g)].map(match => match[1])
    assert.deepStrictEqual(
      names,
      questions.map((_, at) => `q${at}`),
    )
  })

  it("that closes its half of a live stream, or disappears, leaves no listener", async () => {
    const listeners = async () => /landfall_live_listeners (\d+)/.exec((await running.ask("/metrics")).text)?.[1]
    for (let at = 0; at < 20; at++) {
      await new Promise<void>(resolve => {
        const socket = connect({ port: running.service.port, host: "127.0.0.1", allowHalfOpen: true })
        socket.on("error", () => {})
        socket.once("data", () => {
          if (at % 2 === 0) socket.end()
          socket.resetAndDestroy()
          resolve()
        })
        socket.write("GET /api/v1/visa/live HTTP/1.1\r\nHost: x\r\n\r\n")
      })
    }
    for (let asked = 0; (await listeners()) !== "0"; asked++) assert.isBelow(asked, 2_000)
  })

  it("never gets a 5xx answer, for any bytes in an address or a header", async () => {
    const visible = fc.string({
      maxLength: 60,
      unit: fc.integer({ min: 0x21, max: 0xff }).map(code => String.fromCharCode(code)),
    })
    await fc.assert(
      fc.asyncProperty(visible, visible, async (address, value) => {
        const answer = await askRaw(`GET /api/v1/visa/${address} HTTP/1.1`, [`X-Api-Key: ${value}`, `Accept: ${value}`])
        assert.include([200, 400, 401, 403, 404, 405, 503], statusOf(answer), address)
      }),
      { numRuns: countTrips(100) },
    )
  })

  it("cannot stop the service", async () => {
    assert.strictEqual((await running.ask("/readyz")).status, 200)
    assert.strictEqual((await running.askAs("pro", `${CHECK}?passport=FRA&destination=JPN`)).status, 200)
  })
})
