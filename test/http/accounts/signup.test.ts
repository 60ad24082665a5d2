import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { linkOf, type MailServer, startMailServer } from "../../mail/mail-server.ts"
import { type Reply, startTestService, type TestService } from "../service.ts"

const V1 = "/api/v1/visa"
const NOW = Date.parse("2026-11-21T12:00:00Z")

let mails: MailServer
let running: TestService
beforeAll(async () => {
  mails = await startMailServer()
  running = await startTestService({
    stoppedAt: NOW,
    env: {
      LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      LANDFALL_MAIL_FROM: "Landfall, Inc. <visa@example.org>",
      LANDFALL_STRIPE_SECRET_KEY: "sk_live_of_the_tests",
      LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
    },
  })
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await mails[Symbol.asyncDispose]()
})

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  running.ask(V1 + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

const register = (email: string, rest: object = {}) => post("/register", { name: "Ana Lima", email, ...rest })

/** The mails to an address, once there are so many. */
async function mailsTo(email: string, count = 1) {
  const to = () => mails.received.filter(mail => mail.to[0]?.toLowerCase() === email.toLowerCase())
  await mails.until(() => to().length >= count)
  return to()
}

const cookieOf = (reply: Reply) => String(reply.headers["set-cookie"]?.[0]).split(";")[0] as string

/** Follows the last link that was mailed to an address. */
const follow = async (email: string, count = 1) => {
  const url = new URL(linkOf((await mailsTo(email, count)).at(-1)))
  return running.ask(url.pathname + url.search)
}

/** Registers, follows the link, and answers the cookie and the key. */
async function signUp(email: string) {
  const registered = await register(email)
  assert.strictEqual(registered.status, 200, registered.text)
  const confirmed = await follow(email)
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  return { key: registered.read("api_key") as string, cookie: cookieOf(confirmed) }
}

describe("registering", () => {
  it("gives a stranger a key that is good for five requests, and for the plan's when the address is confirmed", async () => {
    const registered = await register("ana@example.org")
    assert.deepStrictEqual(Object.keys(registered.read() as object), ["api_key", "plan", "message"])
    assert.strictEqual(registered.read("plan"), "free")
    const key = registered.read("api_key") as string
    assert.match(key, /^svc_visa_[\w-]{43}$/)
    const ask = () => running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    assert.strictEqual((await ask()).headers["x-ratelimit-limit"], "5")

    const [mail] = await mailsTo("ana@example.org")
    assert.strictEqual(mail?.headers.from, '"Landfall, Inc." <visa@example.org>')
    assert.strictEqual(mail?.from, "visa@example.org")
    const confirmed = await follow("ana@example.org")
    assert.strictEqual(confirmed.read("user.confirmed"), true)
    assert.match(
      String(confirmed.headers["set-cookie"]?.[0]),
      /^svc_token=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    assert.strictEqual(confirmed.headers["referrer-policy"], "no-referrer")
    assert.strictEqual((await ask()).headers["x-ratelimit-limit"], "100")
  })

  it("is idempotent on the address, whatever its case, and shows the key of a confirmed account to nobody but its mailbox", async () => {
    const first = await register("Bea@Example.org")
    const again = await register("bea@example.ORG")
    assert.strictEqual(again.read("api_key"), first.read("api_key"))
    await follow("Bea@Example.org", 2)
    const third = await register("BEA@example.org")
    const key = first.read("api_key") as string
    assert.strictEqual(third.read("api_key"), `svc_visa_****${key.slice(-4)}`)
    const [, , mailed] = await mailsTo("Bea@Example.org", 3)
    assert.include(mailed?.text, key)
    assert.notInclude(third.text, key)
  })

  it("writes the mail in the language that is asked for, and nothing into it that the stranger wrote", async () => {
    await register("chie@example.org", { name: "Buy at http://spam.example", lang: "ja" })
    const [mail] = await mailsTo("chie@example.org")
    assert.include(mail?.text, "このリンクは一度だけ、30分間有効です。")
    assert.notInclude(mail?.raw, "spam.example")
    await post("/register", { name: "Dov", email: "dov@example.org" }, { "accept-language": "cy, de-AT;q=0.8" })
    const [german] = await mailsTo("dov@example.org")
    assert.include(german?.html, '<html lang="de">')
  })
})

describe("signing in", () => {
  it("answers alike for every address, mails those who have an account, and does the same work for both", async () => {
    await signUp("eva@example.org")
    const before = mails.received.length
    const known = await post("/auth/login", { email: "EVA@example.org" })
    const unknown = await post("/auth/login", { email: "nobody@example.org" })
    assert.strictEqual(known.status, 200)
    assert.strictEqual(unknown.status, 200)
    assert.strictEqual(known.text, unknown.text)
    await mailsTo("eva@example.org", 2)
    assert.strictEqual(mails.received.length, before + 1)
    const signedIn = await follow("eva@example.org", 2)
    const usage = await running.ask(`${V1}/auth/usage`, { headers: { cookie: cookieOf(signedIn) } })
    assert.strictEqual(usage.status, 200)
  })

  it("takes a link once, and not after thirty minutes", async () => {
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

  it("leaves a link good that was only looked at, and lets one of two in who follow it at once", async () => {
    await register("gus@example.org")
    const url = new URL(linkOf((await mailsTo("gus@example.org"))[0]))
    const path = url.pathname + url.search
    assert.strictEqual((await running.ask(path, { method: "HEAD" })).status, 200)
    const replies = await Promise.all(Array.from({ length: 5 }, () => running.ask(path)))
    assert.deepStrictEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  it("sends a browser on to a page, with its cookie", async () => {
    await register("hal@example.org")
    const url = new URL(linkOf((await mailsTo("hal@example.org"))[0]))
    const reply = await running.ask(url.pathname + url.search, { headers: { accept: "text/html,*/*;q=0.8" } })
    assert.strictEqual(reply.status, 303)
    const page = new URL(String(reply.headers.location))
    assert.strictEqual((await running.ask(page.pathname)).status, 200)
    assert.match(cookieOf(reply), /^svc_token=/)
  })

  it.each(["?token=x", "", `?token=${"a".repeat(43)}&token=${"b".repeat(43)}`])(
    "refuses a link that is none: %s",
    async query => {
      assert.strictEqual((await running.ask(`${V1}/auth/confirm${query}`)).status, 400)
    },
  )

  it("ends where somebody signs out, and after thirty days", async () => {
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
  it("shows the key and replaces it; the old one opens nothing", async () => {
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

  it("says what was used, by limit and day", async () => {
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

  it("pins the version of the lookup, and lets it go again", async () => {
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

  it("is one of its own, whatever cookie was planted before, and ends by itself", async () => {
    await register("max@example.org")
    const planted = "p".repeat(43)
    const url = new URL(linkOf((await mailsTo("max@example.org"))[0]))
    const reply = await running.ask(url.pathname + url.search, { headers: { cookie: `svc_token=${planted}` } })
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

  it("opens nothing for a request that another site has a browser send", async () => {
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

  it("is nobody's where the cookie comes twice with different values, or is none", async () => {
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

describe("flooding", () => {
  it("is stopped by the client's address, and an address gets no more than five mails an hour, whoever asks", async () => {
    await using other = await startTestService({
      stoppedAt: NOW,
      env: { LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, LANDFALL_TRUSTED_PROXIES: "127.0.0.1" },
    })
    const ask = (path: string, body: object, from: string) =>
      other.ask(V1 + path, { method: "POST", headers: { "x-forwarded-for": from }, body: JSON.stringify(body) })
    const before = mails.received.length
    for (let at = 0; at < 20; at++) {
      const reply = await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")
      assert.strictEqual(reply.status, 200)
    }
    const refused = await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers["retry-after"], "3600")
    // From elsewhere it goes on, without a mail.
    assert.strictEqual((await ask("/auth/login", { email: "olu@example.org" }, "192.0.2.2")).status, 200)
    // What was ordered later is sent later.
    await ask("/register", { name: "Pia", email: "pia@example.org" }, "192.0.2.3")
    await mailsTo("pia@example.org")
    await mailsTo("olu@example.org", 5)
    assert.strictEqual(mails.received.length, before + 6)
    other.setTime(NOW + 3_600_000)
    assert.strictEqual((await ask("/register", { name: "Olu", email: "olu@example.org" }, "192.0.2.1")).status, 200)
  })
})

describe("a stolen database", () => {
  it("gives no key, token, or mail away, and the log no address", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    let logged = ""
    const { cookie, key } = await signUp("rae@example.org")
    await post("/auth/login", { email: "stranger@example.org" })
    await mailsTo("rae@example.org")
    const link = new URL(linkOf((await mailsTo("rae@example.org"))[0])).searchParams.get("token") as string
    // One that was never followed still lies there, as a hash.
    await post("/auth/login", { email: "rae@example.org" })
    const open = new URL(linkOf((await mailsTo("rae@example.org", 2))[1])).searchParams.get("token") as string
    const askAs = (path: string, body: object) =>
      running.askAs("business", V1 + path, { method: "POST", body: JSON.stringify(body) })
    const teamKey = (await askAs("/team-keys", { name: "Lima" })).read("team_key.key") as string
    const subscribed = await askAs("/webhooks", { url: "https://hooks.invalid/", events: ["visa.policy_changed"] })
    const secret = subscribed.read("webhook.secret") as string
    assert.match(secret, /^whsec_/)
    logged = written.mock.calls.map(([line]) => String(line)).join("\n")
    written.mockRestore()
    const files = readdirSync(running.folder).filter(
      name => name.startsWith("landfall.db") && !name.endsWith(".secret"),
    )
    assert.isNotEmpty(files)
    const bytes = files.map(name => readFileSync(join(running.folder, name), "latin1")).join("")
    const secrets = [key, teamKey, running.keys.business, secret, cookie.split("=")[1] as string, link, open]
    for (const text of [...secrets, "sk_live_of_the_tests", "whsec_of_the_tests", "stranger@example.org"]) {
      assert.isFalse(bytes.includes(text), text.slice(0, 4))
      assert.notInclude(logged, text)
    }
    // The address of an account stands there as it was given.
    assert.isTrue(bytes.includes("rae@example.org"))
    assert.notInclude(logged, "rae@example.org")
  })
})

describe("data rights", () => {
  it("are its owner's in a session: everything that is kept, and being forgotten", async () => {
    // An hour has twenty registrations from here, and they were made.
    running.setTime(NOW + 3_600_000)
    const { cookie, key } = await signUp("sol@example.org")
    const path = `${V1}/auth/account`
    const exported = await running.ask(path, { headers: { cookie } })
    assert.strictEqual(exported.read("data.accounts.0.email"), "sol@example.org")
    assert.notInclude(exported.text, key)
    const erase = (body: unknown) =>
      running.ask(`${path}/erase`, { method: "POST", headers: { cookie }, body: JSON.stringify(body) })
    assert.strictEqual((await erase({ email: "ana@example.org" })).status, 400)
    const erased = await erase({ email: "SOL@example.org" })
    assert.strictEqual(erased.read("erased"), true)
    assert.match(String(erased.headers["set-cookie"]?.[0]), /^svc_token=; /)
    assert.strictEqual((await running.ask(path, { headers: { cookie } })).status, 401)
    const asked = await running.ask(`${V1}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    assert.strictEqual(asked.status, 403)
    assert.strictEqual((await register("sol@example.org")).read("plan"), "free")
  })
})
