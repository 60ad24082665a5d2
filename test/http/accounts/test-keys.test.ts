import { assert, describe, it } from "vitest"
import { SCOPES } from "../../../adapters/accounts/key-limits.ts"
import { welcome } from "../../../adapters/cli/service-commands.ts"
import { type Endpoint, scopeOf, takesKey } from "../../../adapters/http/pipeline/endpoint.ts"
import { GROUPS } from "../../../adapters/http/routes/all-endpoints.ts"
import { embeddedDataset } from "../../../src/index.ts"
import { share } from "../../share.ts"
import { startReceiver } from "../../webhooks/receiver.ts"
import { startTestService } from "../service.ts"

const DATASET = embeddedDataset()
const V1 = "/api/v1/visa"
const PAIR = `${V1}?passport=FRA&destination=JPN`
const NOW = Date.parse("2026-11-21T12:30:00Z")
const DAY = 86_400_000

const receiver = share(startReceiver)
const running = share(() => startTestService({ stoppedAt: NOW, env: { LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" } }))

const as = (key: string, path: string, method = "GET", body?: unknown, headers: Record<string, string> = {}) =>
  running.ask(path, {
    method,
    headers: { "x-api-key": key, authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

const owner = () => running.keys.business as string

async function make(fields: object = {}, by = owner()) {
  const body = { name: "Sandbox", mode: "test", scopes: SCOPES.filter(scope => scope !== "team"), ...fields }
  const made = await as(by, `${V1}/keys`, "POST", body)
  assert.strictEqual(made.status, 201, made.text)
  return { key: made.read("key.key") as string, id: made.read("key.id") as number, made }
}

const left = async (key: string) => (await as(key, `${V1}/keys`)).headers["x-ratelimit-remaining"]

describe("a test key", () => {
  it("is answered like its account, for a hundred requests a UTC day over all test keys, without charge to a quota", async () => {
    const pro = running.keys.pro
    const before = await left(pro)
    const first = await make({}, pro)
    assert.match(first.key, /^svc_test_[\w-]{43}$/)
    assert.deepStrictEqual(
      [first.made.read("key.kind"), first.made.read("key.key_prefix")],
      ["test", first.key.slice(0, 15)],
    )
    const one = await as(first.key, PAIR)
    assert.deepStrictEqual(one.read(), (await as(owner(), PAIR)).read())
    assert.deepInclude(one.headers, {
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "99",
      "x-plan": "pro",
      "ratelimit-policy": '"test";q=100;w=86400',
      ratelimit: `"test";r=99;t=${(DAY - (NOW % DAY)) / 1_000}`,
    })
    // Every surface counts, and so does another test key.
    assert.strictEqual((await as(first.key, "/visa?passport=FRA&destination=JPN")).status, 200)
    assert.strictEqual((await as(first.key, "/api/v1/spots?near=48.8584,2.2945&limit=1")).status, 200)
    const second = await make({}, pro)
    const rest = await Promise.all(Array.from({ length: 120 }, (_, at) => as(at % 2 ? first.key : second.key, PAIR)))
    assert.strictEqual(rest.filter(({ status }) => status === 200).length, 97)
    const refused = rest.filter(({ status }) => status === 429)
    assert.lengthOf(refused, 23)
    const message = "The 100 requests that the test keys of an account have on a UTC day are spent."
    assert.strictEqual(refused[0]?.read("error"), message)
    assert.strictEqual(refused[0]?.headers["retry-after"], String((DAY - (NOW % DAY)) / 1_000))
    // A new key does not begin a new hundred, on no surface.
    const third = await make({}, pro)
    assert.strictEqual((await as(third.key, PAIR)).status, 429)
    const lookup = await as(third.key, "/visa?passport=FRA&destination=JPN")
    assert.deepStrictEqual([lookup.status, lookup.read("error.message")], [403, message])
    const spots = await as(third.key, "/api/v1/spots?near=48.8584,2.2945&limit=1")
    assert.deepStrictEqual([spots.status, spots.read("error")], [429, message])
    assert.strictEqual(await left(pro), before)
    assert.strictEqual((await as(pro, PAIR)).status, 200)

    running.setTime(NOW + DAY)
    assert.strictEqual((await as(third.key, PAIR)).headers["x-ratelimit-remaining"], "99")
    running.setTime(NOW)
  })

  it("is refused for a request that costs more than the requests of a day", async () => {
    const { key } = await make()
    const codes = DATASET.destinations.slice(0, 25).join(",")
    const ask = () => as(key, `${V1}/bulk?passport=FRA&destination=${codes}`)
    for (let at = 0; at < 4; at++) assert.strictEqual((await ask()).status, 200)
    const bulk = await ask()
    assert.strictEqual(bulk.status, 429)
    assert.include(bulk.read("error") as string, "test keys")
    const lines = Array.from({ length: 101 }, () =>
      JSON.stringify({ passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }] }),
    )
    assert.strictEqual((await as(key, `${V1}/jobs`, "POST", lines.join("\n"))).status, 429)
  })

  it("may not have the scope team, and cannot make keys", async () => {
    const body = { name: "K", mode: "test", scopes: ["visa", "team"] }
    const refused = await as(owner(), `${V1}/keys`, "POST", body)
    assert.deepStrictEqual(
      [refused.status, refused.read("error")],
      [400, "scopes: A test key may not have the scope team"],
    )
    const wrong = await as(owner(), `${V1}/keys`, "POST", { ...body, mode: "sandbox" })
    assert.strictEqual(wrong.status, 400)
    assert.match(wrong.read("error") as string, /^mode: /)
  })

  it.each(SCOPES.filter(scope => scope !== "team"))(
    "of the scope %s can do nothing else on any endpoint that takes keys, and nothing to what is live",
    async scope => {
      const { key, id } = await make({ scopes: [scope] })
      const rows = GROUPS.flatMap(({ endpoints }) => endpoints as unknown as readonly Endpoint[])
      for (const row of rows.filter(({ access }) => takesKey(access))) {
        const { method, path } = row
        const reply = await as(key, path.replace(/:\w+/g, "1"), method, method === "POST" ? "{}" : undefined)
        const lacksScope = reply.status === 403 && /This key does not have the scope/.test(reply.text)
        assert.strictEqual(lacksScope, scopeOf(row) !== scope, `${method} ${path}: ${reply.status} ${reply.text}`)
        if (lacksScope || !path.includes("/devices")) continue
        assert.strictEqual(reply.status, 403)
        assert.include(reply.text, "A test key may not be used for this: it would change what is live.")
      }
      await as(owner(), `${V1}/keys/${id}`, "DELETE")
    },
  )

  it("is rotated as a test key, and ended", async () => {
    const { key, id } = await make()
    const rotated = await as(owner(), `${V1}/keys/${id}/rotate`, "POST")
    assert.match(rotated.read("key.key") as string, /^svc_test_/)
    assert.strictEqual((await as(key, PAIR)).headers.deprecation !== undefined, true)
    const next = rotated.read("key.id") as number
    assert.strictEqual((await as(owner(), `${V1}/keys/${next}`, "DELETE")).status, 200)
    assert.strictEqual((await as(rotated.read("key.key") as string, PAIR)).status, 403)
  })
})

describe("webhooks of test keys", () => {
  it("are visible to test keys only, and get pings and simulated changes that are marked as tests", async () => {
    const { key } = await make()
    const made = await as(key, "/webhooks", "POST", { url: `${receiver.url}/test`, passports: ["FRA"] })
    assert.strictEqual(made.status, 201, made.text)
    const id = made.read("id") as string
    const live = await as(owner(), "/webhooks", "POST", { url: `${receiver.url}/live` })
    const liveId = live.read("id") as string
    await receiver.until(({ length }) => length === 2)

    const ids = async (by: string) =>
      ((await as(by, "/webhooks")).read("webhooks") as { id: string }[]).map(webhook => webhook.id)
    assert.deepStrictEqual(await ids(key), [id])
    assert.deepStrictEqual(await ids(owner()), [liveId])
    for (const [by, other] of [
      [key, liveId],
      [owner(), id],
    ] as const) {
      const tries = [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/ping"],
        ["POST", "/rotate-secret"],
        ["POST", "/enable"],
        ["GET", "/deliveries"],
        ["POST", "/deliveries/1/replay"],
      ] as const
      for (const [method, path] of tries)
        assert.strictEqual((await as(by, `/webhooks/${other}${path}`, method)).status, 404, `${method} ${path}`)
      const onVisa = await as(by, `${V1}/webhooks?id=${other.slice(3)}`, "DELETE")
      assert.strictEqual(onVisa.status, 404)
    }

    assert.strictEqual((await as(key, `/webhooks/${id}/ping`, "POST")).status, 200)
    const change = { passport: "fra", destination: "JPN", requirement: "e_ta" }
    const sent = await as(key, "/webhooks/simulate", "POST", change)
    assert.deepStrictEqual([sent.status, sent.read("webhooks")], [202, [id]])
    const elsewhere = await as(key, "/webhooks/simulate", "POST", { passport: "IND", destination: "DEU" })
    assert.deepStrictEqual([elsewhere.status, elsewhere.read("webhooks")], [202, []])
    // A job of another test may end meanwhile, and is told of to all webhooks for tests.
    const isOurs = ({ event }: (typeof receiver.received)[number]) => event.type !== "job.completed"
    await receiver.until(received => received.filter(isOurs).length === 4)
    const envelopes = receiver.received
      .filter(isOurs)
      .map(({ path, event }) => ({ path, ...event }) as Record<string, unknown>)
    assert.deepStrictEqual(
      envelopes.map(({ path, type, livemode }) => [path, type, livemode]).sort(),
      [
        ["/live", "webhook.ping", true],
        ["/test", "visa.policy_changed", false],
        ["/test", "webhook.ping", false],
        ["/test", "webhook.ping", false],
      ].sort(),
    )
    assert.deepInclude(envelopes.find(({ type }) => type === "visa.policy_changed") as object, {
      id: sent.read("event_id"),
      data: {
        passport: "FRA",
        destination: "JPN",
        previous: { requirement: "visa_free", stay_days: null, fee_usd: null },
        current: { requirement: "e_ta", stay_days: null, fee_usd: null },
        effective_from: "2026-11-21T00:00:00Z",
        sources: [],
        severity: "major",
        fields: ["requirement"],
      },
    })
    await as(key, `/webhooks/${id}`, "DELETE")
    await as(owner(), `/webhooks/${liveId}`, "DELETE")
  })

  it("get simulated changes from test keys only, and a mistake in the request is reported with its field", async () => {
    const { key } = await make()
    const live = await as(owner(), "/webhooks/simulate", "POST", { passport: "FRA", destination: "JPN" })
    assert.deepStrictEqual(
      [live.status, live.read("error.code"), live.read("error.message")],
      [403, "wrong_key_mode", "This needs a test key (svc_test_…)."],
    )
    const tries: readonly (readonly [body: unknown, param: string | undefined])[] = [
      [{ destination: "JPN" }, "passport"],
      [{ passport: "FRA", destination: "QQQ" }, "destination"],
      [{ passport: "FRA", destination: "JPN", requirement: "maybe" }, "requirement"],
      [{ passport: "FRA", destination: "JPN", to: "visa_free" }, "to"],
      ["[", undefined],
    ]
    for (const [body, param] of tries) {
      const reply = await as(key, "/webhooks/simulate", "POST", body)
      assert.deepStrictEqual([reply.status, reply.read("error.param")], [400, param], reply.text)
    }
    await as(key, "/webhooks", "POST", { url: `${receiver.url}/simulated` })
    let status = 202
    for (let at = 0; at < 61 && status === 202; at++)
      status = (await as(key, "/webhooks/simulate", "POST", { passport: "FRA", destination: "JPN" })).status
    assert.strictEqual(status, 429)
  })
})

describe("jobs of test keys", () => {
  it("are visible to test keys only, and their completion is sent to the webhooks of test keys", async () => {
    await using own = await startReceiver()
    await using other = await startTestService({ stoppedAt: NOW, env: { LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" } })
    const ask = (key: string, path: string, method = "GET", body?: string) =>
      other.ask(path, {
        method,
        headers: { "x-api-key": key, authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body }),
      })
    const [test, live] = [other.testKey, other.keys.business]
    for (const [key, path] of [
      [test, "/test"],
      [live, "/live"],
    ] as const) {
      const made = await ask(
        key,
        "/webhooks",
        "POST",
        JSON.stringify({ url: own.url + path, events: ["job.completed"] }),
      )
      assert.strictEqual(made.status, 201)
    }
    await own.until(({ length }) => length === 2)
    const line = JSON.stringify({
      passport: "FRA",
      stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }],
    })
    const job = await ask(test, `${V1}/jobs`, "POST", line)
    assert.strictEqual(job.status, 202, job.text)
    const one = `${V1}/jobs/${job.read("job.id")}`
    for (const [path, method] of [
      [one, "GET"],
      [`${one}/result`, "GET"],
      [one, "DELETE"],
    ] as const)
      assert.strictEqual((await ask(live, path, method)).status, 404)
    await own.until(({ length }) => length === 3)
    const { path, event } = own.received[2] as (typeof own.received)[number]
    assert.deepInclude(event as object, { type: "job.completed", livemode: false })
    assert.strictEqual(path, "/test")
    assert.strictEqual((await ask(test, one)).read("job.state"), "completed")
    assert.strictEqual((await ask(live, one)).status, 404)
  })
})

describe("the output of a development server", () => {
  it("has the test key among the demo keys, and a link to the reference with it", () => {
    const lines = welcome(running.service).split("\n")
    assert.include(lines, `  test     ${running.testKey}`)
    assert.include(lines, `Reference: ${running.url}/docs#key=${running.testKey}`)
  })
})
