import { assert, describe, it } from "vitest"
import { cookieOf, follow, mailsTo, NOW, post, running, signUp, useSignup, V1 } from "./signing-up.ts"

useSignup()

const HOUR = 3_600_000
const ask = (path: string, cookie: string, method = "GET", body?: object) =>
  running.ask(V1 + path, {
    method,
    headers: { cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const send = (cookie: string, fields: Record<string, string>) =>
  running.ask("/account", { method: "POST", headers: { cookie }, body: new URLSearchParams(fields).toString() })
const openPage = (cookie: string) => running.ask("/account", { headers: { cookie, accept: "text/html" } })

describe("a session that is older than an hour", () => {
  it("shows and replaces no key and erases no account, in the API and on the page, until a new link is followed", async () => {
    const email = "ana@example.org"
    const { cookie, key } = await signUp(email)
    assert.include((await openPage(cookie)).text, key)
    running.setTime(NOW + HOUR)
    for (const [path, method, body] of [
      ["/auth/ensure-key", "GET", undefined],
      ["/auth/regenerate-key", "POST", {}],
      ["/auth/account/erase", "POST", { email }],
    ] as const) {
      const reply = await ask(path, cookie, method, body)
      assert.deepStrictEqual([reply.status, reply.read("error")], [401, "You signed in more than an hour ago."], path)
      assert.include(String(reply.read("login_url")), "/account")
      assert.notInclude(reply.text, key)
    }
    assert.strictEqual((await ask("/auth/usage", cookie)).status, 200)
    const page = await openPage(cookie)
    assert.strictEqual(page.status, 200)
    assert.notInclude(page.text, key)
    assert.include(page.text, "Your sign-in is more than an hour old.")
    for (const fields of [
      { do: "replace_key", sure: "yes" },
      { do: "make_named_key", name: "Shop", scope_visa: "yes" },
      { do: "make_team_key", name: "Desk" },
      { do: "rotate_key", id: "1" },
      { do: "erase", email },
    ]) {
      const reply = await send(cookie, fields)
      assert.strictEqual(reply.status, 401, fields.do)
      assert.notInclude(reply.text, key)
    }
    await post("/auth/login", { email })
    await mailsTo(email, 2)
    const fresh = cookieOf(await follow(email, 2))
    assert.strictEqual((await ask("/auth/ensure-key", fresh)).read("api_key"), key)
    running.setTime(NOW)
  })
})

describe("the sessions of an account", () => {
  it("are listed by start and IPv4 or IPv6, and can be ended together", async () => {
    const email = "bea@example.org"
    const first = await signUp(email)
    running.setTime(NOW + 60_000)
    await post("/auth/login", { email })
    await mailsTo(email, 2)
    const second = cookieOf(await follow(email, 2))
    const other = await signUp("cy@example.org")
    const listed = await ask("/auth/sessions", second)
    assert.deepStrictEqual(listed.read(), {
      sessions: [
        ["2026-11-21T12:01:00.000Z", "2026-12-21T12:01:00.000Z", true],
        ["2026-11-21T12:00:00.000Z", "2026-12-21T12:00:00.000Z", false],
      ].map(([began_at, expires_at, current]) => ({ began_at, expires_at, address_family: "IPv4", current })),
    })
    const ended = await ask("/auth/sessions", second, "DELETE")
    assert.deepStrictEqual(ended.read(), { ok: true })
    assert.match(String(ended.headers["set-cookie"]?.[0]), /^svc_token=; Path=\/; Max-Age=0;/)
    for (const cookie of [first.cookie, second]) assert.strictEqual((await ask("/auth/usage", cookie)).status, 401)
    assert.strictEqual((await ask("/auth/usage", other.cookie)).status, 200)
    const out = await send(other.cookie, { do: "sign_out_everywhere" })
    assert.deepStrictEqual([out.status, out.headers.location], [303, "/account?said=sessions_ended&lang=en"])
    assert.strictEqual((await ask("/auth/usage", other.cookie)).status, 401)
    running.setTime(NOW)
  })
})

describe("the keys of an account on its page", () => {
  it("are made with scopes, an end and addresses, shown once, replaced and ended, and the page lists who did it", async () => {
    const { cookie } = await signUp("dov@example.org")
    const made = await send(cookie, {
      do: "make_named_key",
      name: "<Shop>",
      scope_visa: "yes",
      scope_jobs: "yes",
      until: "2030-01-01",
      from: "127.0.0.1, ::1",
    })
    assert.strictEqual(made.status, 200, made.text)
    const key = /svc_visa_[\w-]{43}(?=<)/.exec(made.text)?.[0] as string
    const page = await openPage(cookie)
    assert.notInclude(page.text, key)
    for (const text of ["&#60;Shop&#62;", "visa, jobs, 127.0.0.1, ::1", "Works until", "account_made", "key_made"])
      assert.include(page.text.replaceAll("&lt;", "&#60;").replaceAll("&gt;", "&#62;"), text)
    const id = /name="id" value="(\d+)"/.exec(page.text)?.[1] as string
    const pair = (with_: string) =>
      running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": with_ } })
    assert.strictEqual((await pair(key)).status, 200)
    const rotated = await send(cookie, { do: "rotate_key", id })
    const next = /svc_visa_[\w-]{43}(?=<)/.exec(rotated.text)?.[0] as string
    assert.match(String((await pair(key)).headers.deprecation), /^@\d+$/)
    assert.strictEqual((await pair(next)).status, 200)
    assert.strictEqual((await send(cookie, { do: "end_key", id })).headers.location, "/account?said=key_ended&lang=en")
    assert.strictEqual((await pair(key)).status, 403)
    const test = await send(cookie, { do: "make_named_key", name: "Trial", mode: "test", scope_visa: "yes" })
    const testKey = /svc_test_[\w-]{43}(?=<)/.exec(test.text)?.[0] as string
    assert.strictEqual((await pair(testKey)).headers["x-ratelimit-limit"], "100")
    for (const fields of [
      { do: "make_named_key", name: "Shop" },
      { do: "make_named_key", name: "Shop", scope_visa: "yes", mode: "both" },
      { do: "make_named_key", name: "Shop", scope_team: "yes", mode: "test" },
      { do: "make_named_key", name: "Shop", scope_visa: "yes", from: "here" },
      { do: "make_named_key", name: "Shop", scope_visa: "yes", until: "2001-01-01" },
      { do: "rotate_key", id: "x" },
    ])
      assert.strictEqual((await send(cookie, fields as Record<string, string>)).status, 400)
    assert.strictEqual((await send(cookie, { do: "end_key", id: "999" })).status, 404)
  })
})

describe("long lists", () => {
  it("are read page by page to the end, without repeated records", async () => {
    const { key, cookie } = await signUp("eve@example.org")
    for (let at = 0; at < 5; at++) await send(cookie, { do: "make_named_key", name: `Key ${at}`, scope_visa: "yes" })
    const readAll = async (path: string, list: string, limit: number) => {
      const ids: number[] = []
      for (let cursor = ""; ; ) {
        const from = cursor === "" ? "" : `&cursor=${cursor}`
        const reply = await running.ask(`${V1}${path}?limit=${limit}${from}`, { headers: { "x-api-key": key } })
        assert.strictEqual(reply.status, 200, reply.text)
        const items = reply.read(list) as { id: number }[]
        assert.isAtMost(items.length, limit)
        ids.push(...items.map(({ id }) => id))
        const next = reply.read("next_cursor") as string | null
        if (next === null) return ids
        cursor = next
      }
    }
    for (const [path, list, isNewestFirst] of [
      ["/keys", "keys", false],
      ["/audit", "audit", true],
    ] as const) {
      const whole = await readAll(path, list, 100)
      assert.isAtLeast(whole.length, 7)
      const order = [...whole].sort((one, other) => (isNewestFirst ? other - one : one - other))
      assert.deepStrictEqual(whole, order)
      for (const limit of [1, 3, whole.length]) assert.deepStrictEqual(await readAll(path, list, limit), whole)
    }
  })
})
