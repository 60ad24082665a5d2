/** The client of the lookup against the service, against servers that fail, and in a browser. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { buildSync } from "esbuild"
import { afterEach, assert, describe, it } from "vitest"
import { LookupError, makeLookupClient } from "../../adapters/client/lookup-client.ts"
import { startTestService } from "../http/service.ts"
import { takeReadings } from "../local-time.ts"
import { share } from "../share.ts"
import { leaveChromium, shareChromium } from "../site/chromium.ts"

const running = share(startTestService)
// The launcher's library for archives works out a date while it is loaded.
takeReadings()

const bundle = () =>
  buildSync({
    entryPoints: ["adapters/client/lookup-client.ts"],
    bundle: true,
    write: false,
    format: "esm",
    minify: true,
    platform: "neutral",
  }).outputFiles[0]?.text as string

const failureOf = async (call: Promise<unknown>): Promise<LookupError> => {
  const failure = await call.then(
    () => null,
    (error: unknown) => error,
  )
  assert.instanceOf(failure, LookupError)
  return failure
}

describe("the client", () => {
  const clientOf = (apiKey: string) => makeLookupClient({ baseUrl: `${running.url}/`, apiKey })

  it("requests a pair, lists, zones and a history", async () => {
    const client = clientOf(running.keys.business)
    const answer = await client.lookup({ passport: "fra", destination: "jpn", locale: "fr", stayDays: 30 })
    assert.containsSubset(answer, { passport: "FRA", destination: "JPN", requirement: "visa_free" })
    assert.include(answer.notes, "Japon")
    assert.strictEqual((await client.listPassports("de")).length, 199)
    assert.strictEqual((await client.listDestinations()).length, 250)
    assert.include(
      (await client.listZones()).map(({ id }) => id),
      "schengen",
    )
    assert.strictEqual((await client.listHistory({ passport: "IND", destination: "THA" })).passport, "IND")
  })

  it("rejects with the code, the parameter and the request's id", async () => {
    const wrong = await failureOf(clientOf(running.keys.business).lookup({ passport: "FR", destination: "JPN" }))
    assert.deepInclude({ ...wrong }, { code: "invalid_passport", status: 400, param: "passport" })
    assert.isString(wrong.requestId)
    const stranger = await failureOf(clientOf("nobody").lookup({ passport: "FRA", destination: "JPN" }))
    assert.deepInclude({ ...stranger }, { code: "invalid_api_key", status: 401, param: null })
    const missing = await failureOf(clientOf(running.keys.business).lookup({ passport: "IND", destination: "ATF" }))
    assert.strictEqual(missing.code, "not_found")
  })
})

describe("a server that fails", () => {
  let server: Server | undefined
  const seen: IncomingMessage[] = []
  const serve = async (...answers: readonly ((response: ServerResponse) => void)[]) => {
    seen.length = 0
    server = createServer((request, response) => {
      seen.push(request)
      answers[Math.min(seen.length, answers.length) - 1]?.(response)
    })
    await new Promise<void>(resolve => server?.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(async () => {
    server?.closeAllConnections()
    await new Promise(resolve => server?.close(resolve) ?? resolve(undefined))
    server = undefined
  })

  const refuse =
    (status: number, code: string, headers: Record<string, string> = {}) =>
    (response: ServerResponse) => {
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(JSON.stringify({ error: { code, message: code, request_id: "r" } }))
    }
  const answer = (response: ServerResponse) => response.end(JSON.stringify({ requirement: "visa_free" }))
  const reset = (response: ServerResponse) => response.destroy()
  const ask = (baseUrl: string, more: object = {}) =>
    makeLookupClient({ baseUrl, apiKey: "k", ...more }).lookup({ passport: "FRA", destination: "JPN" })

  it("is asked again under the same key, whether it fails, is unreachable, or is busy with the first request", async () => {
    for (const fault of [reset, refuse(503, "unavailable"), refuse(409, "idempotency_key_in_use")]) {
      const url = await serve(fault, answer)
      assert.strictEqual((await ask(url)).requirement, "visa_free")
      const names = seen.map(({ headers }) => headers["idempotency-key"])
      assert.strictEqual(names.length, 2)
      assert.strictEqual(new Set(names).size, 1)
      assert.match(String(names[0]), /^[0-9a-f-]{36}$/)
      server?.closeAllConnections()
      await new Promise(resolve => server?.close(resolve))
      server = undefined
    }
  })

  it("is retried after the time that it names", async () => {
    const url = await serve(refuse(429, "rate_limited", { "retry-after": "1" }), answer)
    const startedAt = performance.now()
    await ask(url)
    assert.isAtLeast(performance.now() - startedAt, 990)
  })

  it("is not asked again after a client error, nor after more than half a minute", async () => {
    for (const fault of [refuse(400, "invalid_passport"), refuse(503, "unavailable", { "retry-after": "31" })]) {
      const url = await serve(fault)
      await failureOf(ask(url))
      assert.strictEqual(seen.length, 1)
      server?.closeAllConnections()
      await new Promise(resolve => server?.close(resolve))
      server = undefined
    }
  })

  it("is given up after the maximum of retries, with the last reason", async () => {
    const url = await serve(refuse(500, "internal_error"))
    const failure = await failureOf(ask(url, { maximumRetries: 1 }))
    assert.deepInclude({ ...failure }, { code: "internal_error", status: 500, requestId: "r" })
    assert.strictEqual(seen.length, 2)
  })

  it("is distinguished from a server with an unreadable answer, or with none", async () => {
    const page = await serve(response => response.writeHead(404).end("<html>"))
    assert.deepInclude({ ...(await failureOf(ask(page))) }, { code: "unreadable", status: 404 })
    server?.closeAllConnections()
    await new Promise(resolve => server?.close(resolve))
    const silent = await serve(() => undefined)
    const failure = await failureOf(ask(silent, { timeoutMs: 50, maximumRetries: 0 }))
    assert.deepInclude({ ...failure }, { code: "network", status: null })
    assert.include(failure.message, "50 milliseconds")
  })

  it("is left at once when the caller aborts", async () => {
    const url = await serve(refuse(503, "unavailable", { "retry-after": "20" }))
    const controller = new AbortController()
    const call = makeLookupClient({ baseUrl: url, apiKey: "k" }).listZones({ signal: controller.signal })
    controller.abort(new Error("enough"))
    const failure = await call.then(
      () => null,
      (error: unknown) => error,
    )
    assert.strictEqual((failure as Error).message, "enough")
  })
})

const PAGE = `<!doctype html><title>client</title><script type="module">
import { makeLookupClient } from "/client.js"
window.makeLookupClient = makeLookupClient
</script>`

describe("in a browser", () => {
  it("calls a service of another origin, and is smaller than three kilobytes", async () => {
    const script = bundle()
    assert.isBelow(gzipSync(script).length, 3_000)
    const site = createServer((request, response) => {
      const isScript = request.url === "/client.js"
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
      response.end(isScript ? script : PAGE)
    })
    await new Promise<void>(resolve => site.listen(0, "127.0.0.1", resolve))
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const browser = await shareChromium()
    takeReadings()
    try {
      const page = await browser.newPage()
      await page.goto(origin)
      const answer = await page.evaluate(
        ({ baseUrl, apiKey }) => {
          const { makeLookupClient: make } = window as unknown as { makeLookupClient: typeof makeLookupClient }
          return make({ baseUrl, apiKey }).lookup({ passport: "IND", destination: "THA" })
        },
        { baseUrl: running.url, apiKey: running.keys.pro },
      )
      const direct = await running.ask("/visa?passport=IND&destination=THA", {
        headers: { authorization: `Bearer ${running.keys.pro}` },
      })
      assert.deepStrictEqual(answer, direct.read())
    } finally {
      await leaveChromium()
      site.closeAllConnections()
      await new Promise(resolve => site.close(resolve))
    }
  })
})
