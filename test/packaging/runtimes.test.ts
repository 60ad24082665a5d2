import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"
import { build, transformSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { smallFacts } from "../dataset/small-facts.ts"
import { IS_WHOLE } from "../sample.ts"
import { startChromium } from "../site/chromium.ts"
import { findBun, findDeno, findOldestNode, findOldestNodeOfService } from "./runtimes.ts"
import type { tryEntries } from "./try-entries.ts"
import { type RunningWorkerd, startWorkerd } from "./workerd.ts"

type Tried = Awaited<ReturnType<typeof tryEntries>>

const app = inject("app")
const home = join(app, "node_modules/landfall")
const facts = JSON.stringify(smallFacts())
const PRINT = `import { tryEntries } from "./try-entries.js"\nconsole.log(JSON.stringify(await tryEntries(${facts})))\n`

const EXPECTED = {
  index: ["visa_free", 90],
  decision: "blocked",
  signature: 1_800_000_000,
  compiler: "visa_required",
  full: expect.stringMatching(/^# .*\n\n[\s\S]{500,}/),
  history: ["visa_required", { after: "2023-11-06", by: "2023-12-03" }],
  days: ["1 рабочий день", "3 рабочих дня", "21 рабочий день", "90 рабочих дней"],
  country: "Япония",
  edge: "visa_free",
  client: "visa_free",
}

const run = (program: string, ...given: readonly string[]): string =>
  execFileSync(program, given, {
    cwd: app,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
  })

/** The runtimes that run files, each with how it runs one. Those that are not Node are tried each night, as workerd and Chromium are. */
const FILE_RUNTIMES: Readonly<Record<string, () => readonly [string, ...string[]]>> = {
  "Node 22.20": () => [findOldestNodeOfService()],
  "Node 24": () => [process.execPath],
  ...(IS_WHOLE && {
    Bun: () => [findBun()],
    Deno: () => [findDeno(), "run", "--allow-all", "--no-config", "--node-modules-dir=manual"],
  }),
}

beforeAll(() => {
  const source = readFileSync("test/packaging/try-entries.ts", "utf8")
  writeFileSync(join(app, "try-entries.js"), transformSync(source, { loader: "ts", target: "es2022" }).code)
  writeFileSync(join(app, "print.js"), PRINT)
})

describe.each(Object.entries(FILE_RUNTIMES))("in %s", (_, find) => {
  it("answers from every entry that needs no Node", () => {
    const [program, ...given] = find()
    expect(JSON.parse(run(program, ...given, "print.js"))).toEqual(EXPECTED)
  })

  it("serves from landfall/http, with its reference and its page", () => {
    const [program, ...given] = find()
    writeFileSync(join(app, "serve.js"), SERVE)
    const told = JSON.parse(run(program, ...given, "serve.js"))
    expect(told).toEqual({ requirement: "visa_free", reference: true, page: true, own: [200, 401], listened: 200 })
  })
})

describe("in Node 20.19, which the service does not run on", () => {
  it("answers from every entry that needs no Node", () => {
    expect(JSON.parse(run(findOldestNode(), "print.js"))).toEqual(EXPECTED)
  })

  it("says in a sentence which Node the command line needs", () => {
    const asked = spawnSync(findOldestNode(), ["node_modules/landfall/dist/cli.js", "serve"], {
      cwd: app,
      encoding: "utf8",
    })
    expect(asked).toMatchObject({
      status: 1,
      stdout: "",
      stderr: "landfall needs Node 22.20, 24.8 or later, not 20.19.0.\n",
    })
  })

  it("answers a CommonJS program from every entry that `require` finds", () => {
    writeFileSync(join(app, "required.cjs"), REQUIRED)
    expect(JSON.parse(run(findOldestNode(), "--no-experimental-require-module", "required.cjs"))).toEqual({
      index: "visa_free",
      engine: "blocked",
      compiler: "visa_required",
      history: "visa_required",
      client: "function",
    })
  })
})

const REQUIRED = `
const { embeddedDataset, lookup } = require("landfall")
const { decide, lookupRequirement, openDataset } = require("landfall/engine")
const { compileFacts, encodeDataset } = require("landfall/compiler")
const { embeddedHistory, lookupPast } = require("landfall/history")
const { makeLookupClient } = require("landfall/client")
const stops = [{ destination: "THA", from: "2026-12-01", to: "2027-03-30" }]
const opened = openDataset(encodeDataset(compileFacts(${facts}).value)).value
console.log(JSON.stringify({
  index: lookup("FRA", "JPN").requirement,
  engine: decide(embeddedDataset(), { passport: "FRA", stops }).value.verdict,
  compiler: lookupRequirement(opened, "AAA", "BBB").requirement,
  history: lookupPast(embeddedHistory(), "FRA", "CHN", "2023-11-20").value.requirement,
  client: typeof makeLookupClient,
}))
`

const SERVE = `
import { rmSync } from "node:fs"
import { createServer } from "node:http"
import { createFetchService, createListener } from "landfall/http"
const options = { databaseUrl: "file:served.db", publicUrl: "http://localhost", host: "127.0.0.1", logLevel: "error" }
const { fetch: ask, createAccount, close } = await createFetchService(options)
const { key } = await createAccount({ name: "A", email: "a@example.com", plan: "pro" })
const get = async path => ask(new Request("http://localhost" + path, { headers: { "x-api-key": key, accept: "text/html" } }), "127.0.0.1")
const { requirement } = await (await get("/api/v1/visa/check?passport=FRA&destination=JPN")).json()
const reference = (await (await get("/docs")).text()).includes("Quick check of one pair")
const page = (await (await get("/")).text()).includes("<script type=\\"module\\"")
// The runtime's own server gets the handler as it is; Node has none.
const given = { port: 0, hostname: "127.0.0.1" }
const own = globalThis.Bun?.serve({ ...given, fetch: ask }) ?? globalThis.Deno?.serve({ ...given, onListen() {} }, ask)
const root = "http://127.0.0.1:" + (own?.port ?? own?.addr.port)
const askOwn = async headers => (own === undefined ? ask : fetch)(new Request(root.replace(":undefined", "") + "/api/v1/visa?passport=FRA&destination=JPN", { headers })).then(reply => reply.status)
const statuses = [await askOwn({ "x-api-key": key }), await askOwn({})]
await (own?.shutdown ?? own?.stop)?.call(own, true)
await close()
const mounted = await createListener(options)
const server = createServer(mounted.listener)
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve))
const listened = await fetch("http://127.0.0.1:" + server.address().port + "/api/v1/visa/stats", { headers: { "x-api-key": key } })
console.log(JSON.stringify({ requirement, reference, page, own: statuses, listened: listened.status }))
server.closeAllConnections()
server.close()
await mounted.close()
for (const end of ["", "-shm", "-wal", ".secret"]) rmSync("served.db" + end, { force: true })
process.exit(0)
`

describe("in a runtime without Intl.PluralRules and Intl.DisplayNames, as Hermes", () => {
  it("writes sentences as elsewhere, and codes in place of names", () => {
    const without = "delete Intl.PluralRules\ndelete Intl.DisplayNames\n"
    writeFileSync(join(app, "without.js"), `${without}await import("./print.js")`)
    expect(JSON.parse(run(process.execPath, "without.js"))).toEqual({ ...EXPECTED, country: "JPN" })
  })
})

describe.runIf(IS_WHOLE)("in workerd", () => {
  let running: RunningWorkerd
  beforeAll(async () => {
    const contents = `
      import { tryEntries } from "./try-entries.js"
      export default { fetch: async () => Response.json(await tryEntries(${facts})) }`
    const stdin = { contents, resolveDir: app }
    await build({ stdin, bundle: true, format: "esm", platform: "neutral", outfile: join(app, "worker.js") })
    running = await startWorkerd(app)
  })
  afterAll(() => {
    running.stop()
  })

  it("answers from every entry that needs no Node, bundled", async () => {
    expect(await (await fetch(running.url)).json()).toEqual(EXPECTED)
  })
})

describe.runIf(IS_WHOLE)("in Chromium", () => {
  let server: Server
  let browser: Awaited<ReturnType<typeof startChromium>>
  beforeAll(async () => {
    server = createServer((request, response): void => {
      const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname)
      if (path === "/") return void response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE)
      const file = path === "/try-entries.js" ? join(app, path) : join(home, path)
      response.setHeader("content-type", extname(file) === ".js" ? "text/javascript; charset=utf-8" : "text/plain")
      response.end(readFileSync(file))
    })
    await new Promise<void>(done => server.listen(0, "127.0.0.1", done))
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })

  it("answers from every entry that needs no Node, as modules without a bundler", async () => {
    const page = await browser.newPage()
    const mistake = new Promise<string>(resolve => page.on("pageerror", error => resolve(error.message)))
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const told = page.waitForFunction(() => (globalThis as { tried?: unknown }).tried)
    const answered = told.then(handle => handle.jsonValue() as Promise<Tried>)
    expect(await Promise.race([answered, mistake])).toEqual(EXPECTED)
  })
})

const IMPORTS = Object.fromEntries([
  ["landfall", "/dist/index.js"],
  ...["engine", "compiler", "full", "history", "edge", "client"].map(name => [`landfall/${name}`, `/dist/${name}.js`]),
])

const PAGE = `<!doctype html><title>A page</title>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
import { tryEntries } from "/try-entries.js"
globalThis.tried = await tryEntries(${facts})
</script>`
