import { rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createFetchService, createListener, type FetchService } from "../../adapters/start/mount.ts"
import { startMounted } from "./mounted.ts"
import { makeFolder, send } from "./service.ts"

const PAIR = "/api/v1/visa?passport=FRA&destination=JPN"

let folder = ""
let mounted: FetchService
beforeAll(async () => {
  folder = makeFolder()
  mounted = await createFetchService({
    databaseUrl: `file:${join(folder, "landfall.db")}`,
    publicUrl: "https://visa.example",
    logLevel: "error",
  })
})
afterAll(async () => {
  await mounted.close()
  rmSync(folder, { recursive: true })
})

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  mounted.fetch(new Request(`https://visa.example${path}`, { headers }))

/** The message with which a promise rejects. */
const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("it was not refused"),
    (cause: Error) => cause.message,
  )

describe("a fetch handler", () => {
  const CHECK = "https://visa.example/api/v1/visa/check?passport=FRA&destination=JPN"
  const local = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50_000 } }
  const hosts: readonly (readonly [name: string, host: unknown])[] = [
    ["Deno.serve", local],
    ["Bun.serve", { requestIP: () => ({ address: "127.0.0.1", family: "IPv4", port: 50_000 }) }],
    ["Hono on Node", { incoming: { socket: { remoteAddress: "127.0.0.1" } } }],
    ["its mounting program", "127.0.0.1"],
  ]

  it.each(hosts)("finds the client's address on %s, and answers like node:http", async (_, host) => {
    await using onLoopback = await startMounted({ host: "127.0.0.1" })
    assert.strictEqual((await onLoopback.fetch(new Request(CHECK), host)).status, 200)
    assert.strictEqual((await onLoopback.fetch(new Request(CHECK))).status, 401)
  })

  it.each([
    ["bindings of a worker", { DB: {}, KV: "text" }],
    ["an index", 0],
    ["a text that is not an address", "localhost"],
    ["an address that is not one", { remoteAddr: { path: "/tmp/socket" } }],
    ["null", null],
  ])("passes over %s", async (_, host) => {
    const reply = await mounted.fetch(new Request("https://visa.example/healthz"), host)
    assert.strictEqual(reply.status, 200)
  })
})

describe("a listener behind a parser of bodies", () => {
  const body = JSON.stringify({
    passport: "FRA",
    stops: [{ destination: "JPN", from: "2027-01-02", to: "2027-01-05" }],
  })

  it("reads a body of which only the parsed value was kept", async () => {
    await using own = await startMounted({ host: "127.0.0.1" }, createListener)
    const { key } = await own.createAccount({ name: "Ana", email: "ana@example.org", plan: "pro" })
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      own.listener(Object.assign(request, { body: JSON.parse(Buffer.concat(pieces).toString()) }), response)
    })
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const reply = await send(url, "/api/v1/visa/decision", { method: "POST", headers: { "x-api-key": key }, body })
    assert.strictEqual(reply.status, 200, reply.text)
    await new Promise(resolve => server.close(resolve))
  })
})

describe("a mounted service", () => {
  const owner = { name: "Ana Lima", email: "ana@example.org", plan: "hobby" } as const

  it("makes a key for the program that mounts it, with the rights of its plan", async () => {
    const { key } = await mounted.createAccount(owner)
    const reply = await ask(PAIR, { "x-api-key": key })
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers.get("x-plan"), "hobby")
    assert.strictEqual(await refusalOf(mounted.createAccount(owner)), "email: an account has this address already.")
  })

  it("names every invalid field of an owner", async () => {
    const message = await refusalOf(mounted.createAccount({ name: "", email: "ana", plan: "gold" as never }))
    assert.deepStrictEqual(
      message.split("\n").map(line => line.split(":")[0]),
      ["name", "email", "plan"],
    )
  })

  it("does not start with an invalid option", async () => {
    const start = createFetchService({ databaseUrl: `file:${join(folder, "x.db")}`, publicUrl: "nowhere" })
    assert.match(await refusalOf(start), /^publicUrl: "nowhere" was given; allowed is an http or https URL/)
  })

  it("answers / with the explorer page for a browser, and with an index as text or JSON for a program", async () => {
    const page = await ask("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
    assert.strictEqual(page.status, 200)
    assert.match(String(page.headers.get("content-security-policy")), /^default-src 'none';.*frame-ancestors 'none'$/)
    const [, script] = /src="\.\/(page-\w+\.js)"/.exec(await page.text()) ?? []
    assert.strictEqual((await ask(`/${script}`)).headers.get("cache-control"), "public, max-age=31536000, immutable")
    const index = (await (await ask("/", { accept: "application/json" })).json()) as Record<string, unknown>
    assert.strictEqual(index.openapi, "https://visa.example/openapi.json")
    assert.include(index, { name: "landfall" })
    const told = await ask("/", { accept: "*/*" })
    assert.strictEqual(told.headers.get("content-type"), "text/plain; charset=utf-8")
    const text = await told.text()
    assert.match(text, /^Landfall: what the holder of a passport needs to enter a country\. Dataset [\d.]+\.\n/)
    assert.include(text, "open https://visa.example/ in a browser")
    assert.include(text, "https://visa.example/docs for people, https://visa.example/openapi.json for programs")
  })

  it("has an icon", async () => {
    const icon = await ask("/favicon.ico")
    assert.strictEqual(icon.headers.get("content-type"), "image/png")
    assert.deepStrictEqual(
      [...(await icon.bytes()).slice(1, 4)],
      [..."PNG"].map(letter => letter.charCodeAt(0)),
    )
  })
})
