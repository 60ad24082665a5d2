import { assert, describe, it } from "vitest"
import { linkOf } from "../../mail/mail-server.ts"
import type { Reply } from "../service.ts"
import {
  confirm,
  cookieOf,
  follow,
  mails,
  mailsTo,
  NOW,
  post,
  readKey,
  register,
  running,
  signUp,
  stranger,
  tokenFor,
  useSignup,
  V1,
} from "./signing-up.ts"

useSignup()

describe("registering", () => {
  it("gives a new account a key with five requests, and the requests of the plan when the address is confirmed", async () => {
    const registered = await register("ana@example.org")
    assert.deepStrictEqual(Object.keys(registered.read() as object), ["api_key", "plan", "message"])
    assert.strictEqual(registered.read("plan"), "free")
    const key = registered.read("api_key") as string
    assert.match(key, /^svc_visa_[\w-]{43}$/)
    const ask = (key: string) => running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    assert.strictEqual((await ask(key)).headers["x-ratelimit-limit"], "5")

    const [mail] = await mailsTo("ana@example.org")
    assert.strictEqual(mail?.headers.from, '"Landfall, Inc." <visa@example.org>')
    assert.strictEqual(mail?.from, "visa@example.org")
    const confirmed = await follow("ana@example.org")
    assert.strictEqual(confirmed.read("user.confirmed"), true)
    assert.match(
      String(confirmed.headers["set-cookie"]?.[0]),
      /^svc_token=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    // Whoever registered the address may be somebody else.
    assert.strictEqual((await ask(key)).status, 403)
    const own = await readKey(cookieOf(confirmed))
    assert.strictEqual((await ask(own)).headers["x-ratelimit-limit"], "100")
  })

  it("is idempotent on the address without regard to case, and does not reveal a confirmed account", async () => {
    const first = await register("Bea@Example.org")
    const again = await register("bea@example.ORG")
    assert.strictEqual(again.read("api_key"), first.read("api_key"))
    const own = await readKey(cookieOf(await follow("Bea@Example.org", 2)))
    const third = await register("BEA@example.org")
    assert.deepStrictEqual(third.read(), { ...(first.read() as object), api_key: "svc_visa_****" })
    const [, , mailed] = await mailsTo("Bea@Example.org", 3)
    assert.notInclude(mailed?.raw, own)
    // The link that is mailed signs in.
    assert.strictEqual(await readKey(cookieOf(await follow("Bea@Example.org", 3))), own)
  })

  it("answers with the same status, fields and headers for a new address, an account and a paid plan", async () => {
    await signUp("bob@example.org")
    const namesOf = ({ headers }: Reply) =>
      Object.keys(headers)
        .filter(name => name !== "x-request-id")
        .sort()
    const fresh = await register("nobody-yet@example.org")
    for (const email of ["bob@example.org", "business@demo.invalid", "pro@demo.invalid"]) {
      const known = await register(email)
      assert.strictEqual(known.status, 200)
      assert.deepStrictEqual(known.read(), { ...(fresh.read() as object), api_key: "svc_visa_****" })
      assert.deepStrictEqual(namesOf(known), namesOf(fresh))
    }
  })

  it("writes the mail in the requested language, without the text of the request", async () => {
    await register("chie@example.org", { name: "Buy at http://spam.example", lang: "ja" })
    const [mail] = await mailsTo("chie@example.org")
    assert.include(mail?.text, "このリンクは一度だけ、30分間有効です。")
    assert.notInclude(mail?.raw, "spam.example")
    const asking = { ...stranger(), "accept-language": "cy, de-AT;q=0.8" }
    await post("/register", { name: "Dov", email: "dov@example.org" }, asking)
    const [german] = await mailsTo("dov@example.org")
    assert.include(german?.html, '<html lang="de">')
  })
})

describe("signing in", () => {
  it("answers alike for every address, mails those who have an account, and does the same work for both", async () => {
    await signUp("eva@example.org")
    const known = await post("/auth/login", { email: "EVA@example.org" })
    const unknown = await post("/auth/login", { email: "nobody@example.org" })
    assert.strictEqual(known.status, 200)
    assert.strictEqual(unknown.status, 200)
    assert.strictEqual(known.text, unknown.text)
    await mailsTo("eva@example.org", 2)
    assert.isEmpty(mails.received.filter(({ to }) => to.includes("nobody@example.org")))
    const signedIn = await follow("eva@example.org", 2)
    const usage = await running.ask(`${V1}/auth/usage`, { headers: { cookie: cookieOf(signedIn) } })
    assert.strictEqual(usage.status, 200)
  })

  it("accepts a link once, and not after thirty minutes", async () => {
    await register("finn@example.org")
    assert.strictEqual((await follow("finn@example.org")).status, 200)
    const again = await follow("finn@example.org")
    assert.strictEqual(again.status, 400)
    assert.match(String(again.read("error")), /^This link no longer works/)
    assert.isUndefined(again.headers["set-cookie"])

    await post("/auth/login", { email: "finn@example.org" })
    await mailsTo("finn@example.org", 2)
    running.setTime(NOW + 30 * 60_000)
    assert.strictEqual((await follow("finn@example.org", 2)).status, 400)
    running.setTime(NOW)
  })

  it("admits one of two requests that follow a link at the same time", async () => {
    await register("gus@example.org")
    const token = await tokenFor("gus@example.org")
    const replies = await Promise.all(Array.from({ length: 5 }, () => confirm(token)))
    assert.deepStrictEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  it("changes nothing when a link is only opened, any number of times", async () => {
    const { read } = await register("hal@example.org")
    const url = new URL(linkOf((await mailsTo("hal@example.org"))[0]))
    const path = url.pathname + url.search
    for (const [method, headers] of [
      ["HEAD", {}],
      ["GET", {}],
      ["GET", { accept: "text/html,*/*;q=0.8", "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
      ["GET", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image", referer: "https://evil.example/" }],
      ["GET", { "sec-purpose": "prefetch;prerender", "sec-fetch-site": "none" }],
      ["GET", { "user-agent": "Mail scanner", cookie: `svc_token=${"p".repeat(43)}` }],
    ] as const) {
      const opened = await running.ask(path, { method, headers })
      assert.strictEqual(opened.status, 200)
      assert.isUndefined(opened.headers["set-cookie"])
      assert.strictEqual(opened.headers["cache-control"], "no-store")
    }
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { "sec-purpose": "prefetch" },
    ]) {
      const sent = await confirm(url.searchParams.get("token") as string, headers as Record<string, string>)
      assert.strictEqual(sent.status, 403)
      assert.isUndefined(sent.headers["set-cookie"])
    }
    const asked = { headers: { "x-api-key": read("api_key") as string } }
    const limited = await running.ask(`${V1}?passport=FRA&destination=JPN`, asked)
    assert.strictEqual(limited.headers["x-ratelimit-limit"], "5")
    assert.strictEqual((await follow("hal@example.org")).status, 200)
  })

  it.each([{ token: "x" }, {}, { token: 5 }, { token: null }])("refuses an invalid link: %j", async body => {
    assert.strictEqual((await post("/auth/confirm", body)).status, 400)
  })

  it("lasts until signing out, at most thirty days", async () => {
    const { cookie } = await signUp("ida@example.org")
    const ask = () => running.ask(`${V1}/auth/ensure-key`, { headers: { cookie } })
    assert.strictEqual((await ask()).status, 200)
    running.setTime(NOW + 30 * 86_400_000)
    assert.strictEqual((await ask()).status, 401)
    running.setTime(NOW)
    const out = await post("/auth/logout", undefined, { cookie })
    assert.deepStrictEqual(out.read(), { ok: true })
    assert.match(String(out.headers["set-cookie"]?.[0]), /^svc_token=; Path=\/; Max-Age=0;/)
    assert.strictEqual((await ask()).status, 401)
  })
})

describe("a session", () => {
  it("shows the key and replaces it; the old one no longer works", async () => {
    const { cookie, key } = await signUp("jo@example.org")
    const shown = await running.ask(`${V1}/auth/ensure-key`, { headers: { cookie } })
    assert.strictEqual(shown.read("api_key"), key)
    assert.strictEqual(shown.read("user.email"), "jo@example.org")
    const replaced = await post("/auth/regenerate-key", undefined, { cookie })
    const newKey = replaced.read("api_key") as string
    assert.notStrictEqual(newKey, key)
    const ask = (with_: string) =>
      running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": with_ } })
    assert.strictEqual((await ask(key)).status, 403)
    assert.strictEqual((await ask(newKey)).status, 200)
  })

  it("returns the usage, by limit and day", async () => {
    const { cookie, key } = await signUp("kim@example.org")
    for (const path of [V1, `${V1}/check`])
      await running.ask(`${path}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    await running.ask("/visa?passport=FRA&destination=JPN", { headers: { authorization: `Bearer ${key}` } })
    await running.ask("/api/v1/spots?country=JP&limit=1", { headers: { "x-api-key": key } })
    const usage = await running.ask(`${V1}/auth/usage`, { headers: { cookie } })
    assert.strictEqual(usage.read("month"), "2026-11")
    assert.strictEqual(usage.read("plan"), "free")
    const pools = usage.read("pools") as Record<
      string,
      { used: number; limit: number; days: { on: string; used: number }[] }
    >
    for (const [pool, used, limit] of [
      ["visa", 2, 100],
      ["lookup", 1, 10_000],
      ["spots", 1, 1_000],
    ] as const) {
      assert.strictEqual(pools[pool]?.used, used, pool)
      assert.strictEqual(pools[pool]?.limit, limit, pool)
      assert.strictEqual(pools[pool]?.days.length, 21)
      assert.deepStrictEqual(pools[pool]?.days.at(-1), { on: "2026-11-21", used })
      assert.deepStrictEqual(pools[pool]?.days[0], { on: "2026-11-01", used: 0 })
    }
  })

  it("pins the version of the lookup, and removes the pin", async () => {
    const { cookie, key } = await signUp("lea@example.org")
    const patch = (body: unknown) =>
      running.ask(`${V1}/auth/account`, { method: "PATCH", headers: { cookie }, body: JSON.stringify(body) })
    const version = async () =>
      (await running.ask("/visa?passport=FRA&destination=JPN", { headers: { authorization: `Bearer ${key}` } }))
        .headers["svc-version"]
    assert.strictEqual((await patch({ api_version: "2026-03-01" })).read("user.api_version"), "2026-03-01")
    assert.strictEqual(await version(), "2026-03-01")
    assert.strictEqual((await patch({ api_version: null })).read("user.api_version"), null)
    assert.strictEqual(await version(), "2026-10-01")
    assert.deepStrictEqual((await patch({ api_version: "2020-01-01" })).read(), {
      error: 'api_version: Expected one of 2026-10-01, 2026-03-01, or null, got "2020-01-01"',
    })
    assert.deepStrictEqual((await patch({})).read(), {
      error: "Nothing to change: the body has to name api_version, lang, or both.",
    })
    assert.strictEqual((await patch([])).status, 400)
  })

  it("has a language: the one in which it was registered, until its owner chooses another", async () => {
    await register("lou@example.org", { lang: "ko" })
    const cookie = cookieOf(await follow("lou@example.org"))
    const ask = (given: object = {}) =>
      running.ask(`${V1}/auth/${"body" in given ? "account" : "ensure-key"}`, { headers: { cookie }, ...given })
    assert.strictEqual((await ask()).read("user.lang"), "ko")
    const patch = (body: object) => ask({ method: "PATCH", body: JSON.stringify(body) })
    const changed = await patch({ lang: "hi", api_version: "2026-03-01" })
    assert.deepStrictEqual([changed.read("user.lang"), changed.read("user.api_version")], ["hi", "2026-03-01"])
    assert.strictEqual((await patch({ api_version: null })).read("user.lang"), "hi")
    // Whoever registers the address once more changes nothing of its account.
    await register("lou@example.org", { lang: "de" })
    assert.strictEqual((await ask()).read("user.lang"), "hi")
  })

  it("is always new, whatever cookie was sent, and expires", async () => {
    await register("max@example.org")
    const planted = "p".repeat(43)
    const reply = await confirm(await tokenFor("max@example.org"), { cookie: `svc_token=${planted}` })
    assert.strictEqual(reply.status, 200)
    assert.notInclude(cookieOf(reply), planted)
    const ask = (cookie: string) => running.ask(`${V1}/auth/usage`, { headers: { cookie } })
    assert.strictEqual((await ask(`svc_token=${planted}`)).status, 401)
    await post("/auth/login", { email: "max@example.org" })
    const second = cookieOf(await follow("max@example.org", 2))
    assert.notStrictEqual(second, cookieOf(reply))
    await post("/auth/logout", undefined, { cookie: second })
    assert.deepStrictEqual([(await ask(second)).status, (await ask(cookieOf(reply))).status], [401, 200])
  })

  it("is not accepted with a request that another site makes a browser send", async () => {
    const { cookie, key } = await signUp("mia@example.org")
    const replace = (headers: Record<string, string>) => post("/auth/regenerate-key", undefined, { cookie, ...headers })
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    ]) {
      const reply = await replace(headers)
      assert.strictEqual(reply.status, 403, JSON.stringify(headers))
      assert.strictEqual(reply.read("error"), "This request comes from another site.")
    }
    const out = await post("/auth/logout", undefined, { cookie, "sec-fetch-site": "cross-site" })
    assert.strictEqual(out.status, 403)
    const shown = await running.ask(`${V1}/auth/ensure-key`, { headers: { cookie } })
    assert.strictEqual(shown.read("api_key"), key)
    const own = await replace({ "sec-fetch-site": "same-origin", origin: running.url })
    assert.strictEqual(own.status, 200)
  })

  it("is refused if the cookie has two different values or is invalid", async () => {
    const { cookie } = await signUp("noa@example.org")
    const ask = (with_: string) => running.ask(`${V1}/auth/usage`, { headers: { cookie: with_ } })
    const twice = await ask(`${cookie}; svc_token=${"x".repeat(43)}`)
    assert.strictEqual(twice.status, 400)
    assert.deepStrictEqual(twice.read(), { error: "The cookie svc_token was sent twice, with different values." })
    assert.strictEqual((await ask(`${cookie}; ${cookie}`)).status, 200)
    for (const none of ["", "svc_token=", "svc_token=nonsense", `svc_token=${"x".repeat(43)}`, `other=${cookie}`]) {
      assert.strictEqual((await ask(none)).status, 401, none)
    }
  })
})
