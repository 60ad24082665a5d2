import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { OPERATIONS } from "../../adapters/http/admin/operations.ts"
import { writeWorld } from "../changes/datasets.ts"
import { eventually } from "../eventually.ts"
import { leaveChromium, shareChromium } from "../site/chromium.ts"
import { type Ask, makeFolder, send, startTestService, type TestService } from "./service.ts"

const TOKEN = "a".repeat(40)
const OTHER = "b".repeat(40)

let running: TestService
let admin: string
let receiver: Server
let status = 410
let received = 0
let browser: Browser
beforeAll(async () => {
  running = await startTestService({
    env: {
      LANDFALL_ADMIN_LISTEN: "127.0.0.1:0",
      LANDFALL_ADMIN_TOKENS: `ana:${TOKEN}, bo:${OTHER}`,
      LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  })
  admin = running.service.adminUrl as string
  receiver = createServer((request, response) => {
    request.resume()
    received++
    response.writeHead(status).end()
  })
  await new Promise<void>(resolve => receiver.listen(0, "127.0.0.1", resolve))
  browser = await shareChromium()
})
afterAll(async () => {
  await leaveChromium()
  receiver.closeAllConnections()
  receiver.close()
  await running[Symbol.asyncDispose]()
})

const ask = (path: string, { headers = {}, ...rest }: Ask = {}) =>
  send(admin, path, { ...rest, headers: { host: new URL(admin).host, authorization: `Bearer ${TOKEN}`, ...headers } })
const act = (name: string, fields: object) =>
  ask(`/v1/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  })

describe("the operators' address", () => {
  it("has a port of its own, and does not accept the service's keys and sessions", async () => {
    for (const path of ["/receivers", "/v1", "/v1/accounts", "/v1/set-plan"])
      assert.strictEqual((await running.ask(path, { headers: { authorization: `Bearer ${TOKEN}` } })).status, 404, path)
    for (const headers of [
      { authorization: `Bearer ${running.keys.business}` },
      { "x-api-key": running.keys.business },
    ])
      assert.strictEqual((await ask("/v1/accounts", { headers: { authorization: "", ...headers } })).status, 401)
  })

  it("shows every view as JSON, and each action with its fields", async () => {
    const views = OPERATIONS.filter(({ isAct }) => !isAct)
    for (const { name } of views) {
      const query = name === "keys" ? "?account=1" : name === "deliveries" ? "?webhook=1" : ""
      const reply = await ask(`/v1/${name}${query}`)
      assert.strictEqual(reply.status, 200, `${name}: ${reply.text}`)
      assert.isArray(reply.read("rows"))
      assert.notMatch(reply.text, /svc_visa_[\w-]{43}|whsec_/)
      assert.strictEqual((await ask(`/v1/${name}`, { method: "POST" })).status, 405)
    }
    const index = await ask("/v1")
    assert.lengthOf(index.read("views") as unknown[], views.length)
    for (const { name } of OPERATIONS.filter(({ isAct }) => isAct))
      assert.strictEqual((await ask(`/v1/${name}`)).headers.allow, "POST")
    assert.deepStrictEqual((await ask("/v1/deliveries")).read(), {
      error: "webhook: Missing, expected a whole number from 1 to 9007199254740991",
    })
    assert.strictEqual((await ask("/v1/passwords")).status, 404)
  })

  it("answers HEAD like GET without a body, and refuses other methods on every path that shows something", async () => {
    for (const path of ["/", "/v1", "/style.css", "/queues", "/v1/queues"]) {
      const shown = await ask(path, { method: "HEAD" })
      assert.deepStrictEqual([shown.status, shown.text], [200, ""], path)
      const refused = await ask(path, { method: "POST" })
      assert.deepStrictEqual([refused.status, refused.headers.allow], [405, "GET, HEAD"], path)
    }
    assert.strictEqual((await ask("/v1/passwords", { method: "HEAD" })).status, 404)
  })

  it("changes a plan and ends a key under the operator's name", async () => {
    const changed = await act("set-plan", { account: 1, plan: "hobby" })
    assert.deepStrictEqual(changed.read(), { message: "Account 1 is on the plan hobby." })
    const refused = await act("set-plan", { account: 999, plan: "hobby" })
    assert.deepStrictEqual([refused.status, refused.read()], [409, { error: "there is no account 999" }])
    assert.strictEqual((await act("set-plan", { account: 1, plan: "gold" })).status, 400)
    const ended = await act("end-key", { key: 2 })
    assert.deepStrictEqual(ended.read(), { message: "Key 2 of account 2 no longer works." })
    const lines = (await ask("/v1/audit?limit=2")).read("rows") as Record<string, unknown>[]
    assert.deepStrictEqual(
      lines.map(({ account, actor, action, detail }) => [account, actor, action, detail]),
      [
        [2, "operator ana", "key_revoked", "key 2"],
        [1, "operator ana", "plan_changed", "free to hobby"],
      ],
    )
  })

  it("installs no invalid file, and reports that there is nothing to roll back", async () => {
    // Of a file that is no dataset it tells nothing, not even whether it exists.
    for (const file of [
      `${running.folder}/landfall.db`,
      `${running.folder}/landfall.db.secret`,
      "/nowhere",
      "/dev/zero",
      "/",
    ]) {
      const refused = await act("install", { file })
      assert.strictEqual(refused.status, 409, file)
      assert.deepStrictEqual(refused.read(), {
        error: `${file} is not a dataset file of up to 32 MiB that the service can read`,
      })
    }
    assert.deepStrictEqual((await act("roll-back", {})).read(), { error: "there is no installation to roll back" })
  })

  it("installs a dataset and rolls it back, and the service answers accordingly", async () => {
    const folder = makeFolder()
    await using world = await startTestService({
      stoppedAt: Date.parse("2026-06-10T12:00:00Z"),
      folder,
      env: {
        LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90 }),
        LANDFALL_ADMIN_LISTEN: "127.0.0.1:0",
        LANDFALL_ADMIN_TOKENS: `ana:${TOKEN}`,
      },
    })
    const url = world.service.adminUrl as string
    const tell = (name: string, fields: object) =>
      send(url, `/v1/${name}`, {
        method: "POST",
        headers: { host: new URL(url).host, authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(fields),
      })
    const readDays = async () => {
      const { status, read } = await world.askAs("business", "/api/v1/visa/check?passport=AAA&destination=CCC")
      return status === 200 ? read("visa_free_days") : status
    }
    const becomes = (days: number) =>
      Effect.runPromise(eventually(Effect.promise(readDays), found => found === days)).then(found =>
        assert.strictEqual(found, days),
      )
    for (const [version, days] of [
      ["world.2", 30],
      ["world.3", 60],
    ] as const) {
      const installed = await tell("install", { file: writeWorld(world.folder, { version, days }) })
      assert.strictEqual(installed.status, 200, installed.text)
      await becomes(days)
    }
    const rolled = await tell("roll-back", {})
    assert.strictEqual(rolled.status, 200, rolled.text)
    await becomes(30)
    const trail = await send(url, "/v1/audit", {
      headers: { host: new URL(url).host, authorization: `Bearer ${TOKEN}` },
    })
    const lines = (trail.read("rows") as Record<string, unknown>[]).slice(0, 3)
    assert.deepStrictEqual(
      lines.map(({ actor, action, detail }) => [actor, action, detail]),
      [
        ["operator ana", "dataset_rolled_back", "world.2 after world.3"],
        ["operator ana", "dataset_installed", "world.3 after world.2"],
        ["operator ana", "dataset_installed", "world.2 after world.1"],
      ],
    )
  })

  it("refuses a request from another site or under another name", async () => {
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { host: "evil.example" },
      { host: `evil.example:${new URL(admin).port}`, origin: `http://evil.example:${new URL(admin).port}` },
    ]) {
      const reply = await ask("/v1/accounts", { headers: headers as Record<string, string> })
      assert.deepStrictEqual([reply.status, reply.read("error")], [403, "This request comes from another site."])
    }
    const page = await ask("/receivers")
    assert.include(String(page.headers["content-security-policy"]), "frame-ancestors 'none'")
  })

  it("limits the body, and logs the token's own name", async () => {
    const large = await ask("/v1/set-plan", { method: "POST", body: "x".repeat(70_000) })
    assert.strictEqual(large.status, 413)
    const basic = (name: string, token: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${token}`).toString("base64")}`,
    })
    assert.strictEqual((await ask("/v1/accounts", { headers: basic("bo", OTHER) })).status, 200)
    assert.strictEqual((await ask("/v1/accounts", { headers: basic("ana", OTHER) })).status, 401)
  })
})

describe("an operator in a browser", () => {
  it("can see why a receiver gets nothing, and repair it", async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/<hook>`
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      body: JSON.stringify({ url, events: ["visa.policy_changed"] }),
    })
    assert.strictEqual(made.status, 201, made.text)
    const failing = Effect.promise(() => ask("/v1/receivers?failing=yes"))
    const told = await Effect.runPromise(eventually(failing, reply => reply.text.includes("stopped: ")))
    assert.strictEqual(told.read("rows.0.why"), "stopped: the endpoint answered 410")

    const context = await browser.newContext({ httpCredentials: { username: "ana", password: TOKEN } })
    const page = await context.newPage()
    const faults: string[] = []
    page.on("console", message => message.type() === "error" && faults.push(message.text()))
    // The first page says what is wrong, and has the button that helps.
    await page.goto(admin)
    await page.getByRole("heading", { level: 1, name: "1 thing is wrong." }).waitFor()
    const trouble = page.getByRole("heading", { level: 2 })
    assert.match(
      await trouble.innerText(),
      /^Webhook 1 gets nothing since 20\S+Z: stopped: the endpoint answered 410\. Deliveries: /,
    )
    status = 204
    const before = received
    await page.getByRole("button", { name: "Resume a stopped receiver" }).click()
    assert.strictEqual(await page.getByRole("status").innerText(), "Webhook 1 is sent to again.")
    // Nobody makes a mistake by opening a view.
    for (const { name, isAct } of OPERATIONS) if (!isAct) await page.goto(`${admin}/${name}`)
    await page.goto(`${admin}/deliveries`)
    assert.strictEqual(await page.getByRole("status").count(), 0)
    await page.goto(`${admin}/deliveries?webhook=1`)
    await page.locator("#replay-delivery").fill("1")
    await page.getByRole("button", { name: "Send a delivery again" }).click()
    assert.strictEqual(await page.getByRole("status").innerText(), "Delivery 1 is sent again.")
    const now = Effect.promise(() => ask("/v1/receivers"))
    const well = await Effect.runPromise(eventually(now, reply => reply.read("rows.0.why") === null))
    assert.isNull(well.read("rows.0.why"))
    assert.isAbove(received, before)
    await page.goto(admin)
    await page.getByRole("heading", { level: 1, name: "Nothing is wrong." }).waitFor()
    const lines = (await ask("/v1/audit?limit=2")).read("rows") as Record<string, unknown>[]
    assert.deepStrictEqual(
      lines.map(({ actor, action }) => [actor, action]),
      [
        ["operator ana", "delivery_replayed"],
        ["operator ana", "webhook_enabled"],
      ],
    )
    assert.deepStrictEqual(faults, [])
    await context.close()
  })
})

describe("a delivery that fails", () => {
  it("is seen first, is sent again by one button, within the limit of its account, and is counted against the day before", async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/failing`
    status = 503
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      body: JSON.stringify({ url, events: ["visa.policy_changed"] }),
    })
    assert.strictEqual(made.status, 201, made.text)
    const webhook = made.read("webhook.id") as number
    const failing = Effect.promise(() => ask("/v1/receivers?failing=yes"))
    const told = await Effect.runPromise(eventually(failing, reply => reply.read("rows.0.webhook") === webhook))
    assert.strictEqual(told.read("rows.0.why"), "answered 503")
    const delivery = told.read("rows.0.last_delivery") as number

    const context = await browser.newContext({ httpCredentials: { username: "ana", password: TOKEN } })
    const page = await context.newPage()
    await page.goto(admin)
    const trouble = page.getByRole("heading", { level: 2 })
    assert.match(
      await trouble.innerText(),
      new RegExp(
        `^Webhook ${webhook} gets nothing since 20.*Z: answered 503\\. Deliveries: 1 waiting, 0 given up\\. The next attempt is at 20.*Z\\.$`,
      ),
    )
    status = 204
    await page.getByRole("button", { name: "Send a delivery again" }).click()
    assert.strictEqual(await page.getByRole("status").innerText(), `Delivery ${delivery} is sent again.`)
    const well = Effect.promise(() => ask("/v1/receivers?failing=yes"))
    await Effect.runPromise(eventually(well, reply => (reply.read("rows") as unknown[]).length === 0))
    await page.goto(admin)
    await page.getByRole("heading", { level: 1, name: "Nothing is wrong." }).waitFor()
    const day = page.getByRole("region", { name: "day" })
    const rows = await day.getByRole("row").allInnerTexts()
    assert.include(rows[0], "count\tday before\tstate")
    const given = rows.map(row => row.split("\t")).find(([what]) => what === "deliveries given up")
    assert.deepStrictEqual(given, ["deliveries given up", "0", "0", "none"])
    const madeToday = rows.map(row => row.split("\t")).find(([what]) => what === "deliveries made")
    assert.isAtLeast(Number(madeToday?.[1]), 2)
    assert.strictEqual(madeToday?.[2], "0")
    await context.close()

    // An operator's repetitions count as the account's own do.
    const replies = [await act("replay", { webhook, delivery })]
    // One that is under way already is not counted.
    while (replies.at(-1)?.status === 200 && replies.length < 2_000)
      replies.push(await act("replay", { webhook, delivery }))
    const refused = replies.at(-1)
    assert.strictEqual(refused?.status, 409)
    assert.match(
      String(refused?.read("error")),
      /^An account has 60 requests sent an hour: .* Try again in \d+ seconds\.$/,
    )
    const ownRefusal = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      body: JSON.stringify({ url, events: ["visa.policy_changed"] }),
    })
    assert.strictEqual(ownRefusal.status, 429, ownRefusal.text)
    const repeated = replies.filter(reply => /is sent again/.test(reply.text)).length
    const trail = (await ask("/v1/audit?limit=100")).read("rows") as Record<string, unknown>[]
    const own = `delivery ${delivery} to webhook ${webhook}`
    // That of the button too, and none that was refused or under way.
    assert.lengthOf(
      trail.filter(({ detail }) => detail === own),
      repeated + 1,
    )
  })
})

describe("a stranger at the operators' address", () => {
  it("allows ten wrong tokens a minute, and reveals nothing by the response time", async () => {
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) {
      const reply = await ask("/v1/accounts", {
        headers: { authorization: `Bearer ${String(at).repeat(40).slice(0, 40)}` },
      })
      statuses.push(reply.status)
    }
    // One wrong token was sent before.
    assert.deepStrictEqual(statuses, [
      ...Array.from({ length: statuses.indexOf(429) }, () => 401),
      ...Array.from({ length: 12 - statuses.indexOf(429) }, () => 429),
    ])
    assert.isAtMost(statuses.indexOf(429), 10)
    const limited = await ask("/v1/accounts", { headers: { authorization: `Bearer ${"z".repeat(40)}` } })
    assert.deepStrictEqual([limited.status, limited.headers["retry-after"]], [429, "60"])
    // The right one still works from the same address.
    assert.strictEqual((await ask("/v1/accounts")).status, 200)
  })
})
