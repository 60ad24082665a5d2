import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { PAGE_CATALOGUES } from "../../../adapters/http/routes/accounts/page/layout.ts"
import { LANGUAGES } from "../../../src/full.ts"
import { stripeEnv } from "../../billing/stripe-counterpart.ts"
import { share } from "../../share.ts"
import { startWithPersonas } from "../personas.ts"
import type { Reply } from "../service.ts"

const MARKUP = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

/** The only script of the page. */
const OWN_SCRIPT = '<script src="/account.js" defer></script>'

/** Where the payment provider says that its pages are. */
let providersPage = ""
const provider = createServer((_, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "x", url: providersPage })),
)
beforeAll(() => new Promise<void>(resolve => provider.listen(0, "127.0.0.1", resolve)))
afterAll(() => new Promise(resolve => provider.close(resolve)))
const running = share(() => {
  const { port } = provider.address() as AddressInfo
  return startWithPersonas({ env: stripeEnv(`http://127.0.0.1:${port}`) })
})

const cookieOf = (name: string) => ({ cookie: `svc_token=${running.sessions[name]}` })

const open = (query = "", headers: Record<string, string> = {}) => running.ask(`/account${query}`, { headers })

const send = (fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
  running.ask("/account", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
  })

/** What a page says has happened. */
const noticeOf = ({ text }: Reply): string | undefined => /<div class="notice[^>]*>\s*<p>([^<]*)<\/p>/.exec(text)?.[1]

const assertHarmless = (reply: Reply) => {
  assert.match(String(reply.headers["content-type"]), /^text\/html/)
  assert.notMatch(reply.text.replace(OWN_SCRIPT, ""), /<script|<img/)
  assert.strictEqual(reply.headers["cache-control"], "no-store")
}

describe("a form that another site sends", () => {
  it.each([
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }],
  ])("does nothing, and is shown nothing of the account: %o", async from => {
    for (const form of [
      { do: "replace_key", sure: "yes" },
      { do: "make_team_key", name: "Evil" },
      { do: "end_team_key", id: "1" },
      { do: "buy", offer: "pro monthly" },
      { do: "portal" },
      { do: "language", lang: "ja" },
      { do: "erase", email: "business@example.org" },
      { do: "sign_out" },
      { do: "sign_in", email: "business@example.org" },
      { do: "register", name: "Evil", email: "evil@example.org" },
      { do: "confirm", token: "a".repeat(43) },
    ]) {
      const reply = await send(form, { ...cookieOf("business"), ...from })
      assert.strictEqual(reply.status, 403, form.do)
      assert.notInclude(reply.text, "business@example.org")
      assert.notInclude(reply.text, running.keys.business)
      assert.isUndefined(reply.headers["set-cookie"])
    }
    const page = await open("", cookieOf("business"))
    assert.include(page.text, running.keys.business)
    assert.include(page.text, "There are no team keys.")
    assert.include(page.text, '<html lang="en"')
  })

  it("is accepted from the page itself, and from a program that has the cookie", async () => {
    const own = { "sec-fetch-site": "same-origin", origin: running.url }
    for (const from of [own, {}]) {
      const reply = await send({ do: "language", lang: "ja" }, { ...cookieOf("starter"), ...from })
      assert.strictEqual(reply.status, 303)
    }
    assert.include((await open("", cookieOf("starter"))).text, '<html lang="ja"')
  })
})

describe("user input", () => {
  it("is escaped everywhere on the page", async () => {
    const registered = await send({ do: "register", name: MARKUP, email: "&'x'@example.org" })
    assert.strictEqual(registered.status, 200)
    assertHarmless(registered)
    const script = await send({ do: "register", name: "Ana", email: `"><script>alert(1)</script>@example.org` })
    assert.strictEqual(script.status, 400)
    assertHarmless(script)
    for (const query of [
      "",
      `?token=${encodeURIComponent(MARKUP)}`,
      `?token=${"a".repeat(43)}&token=${"b".repeat(43)}`,
    ]) {
      const link = await running.ask(`/api/v1/visa/auth/confirm${query}`)
      assert.strictEqual(link.status, 400)
      assertHarmless(link)
    }
    for (const form of [
      { do: "register", name: MARKUP, email: MARKUP },
      { do: "sign_in", email: MARKUP },
      { do: MARKUP, lang: MARKUP },
    ]) {
      const reply = await send(form)
      assert.strictEqual(reply.status, 400)
      assertHarmless(reply)
    }
    const made = await send({ do: "make_team_key", name: MARKUP }, cookieOf("business"))
    assert.strictEqual(made.status, 200)
    assertHarmless(made)
    const listed = await open("", cookieOf("business"))
    assertHarmless(listed)
    assert.include(listed.text, "&lt;img src=x onerror='alert(2)'&gt;")
    for (const name of ["said", "lang", "plan", "checkout", "register", "x"]) {
      const reply = await open(`?${name}=${encodeURIComponent(MARKUP)}`, cookieOf("business"))
      assert.strictEqual(reply.status, 200)
      assertHarmless(reply)
      assert.isUndefined(noticeOf(reply), name)
    }
  })

  it.each(["constructor", "__proto__", "toString"])("finds nothing by the names that objects have: %s", async name => {
    assert.strictEqual((await send({ do: name }, cookieOf("free"))).status, 400)
    assert.isUndefined(noticeOf(await open(`?said=${name}&checkout=${name}&lang=${name}`)))
  })

  it.each<[string, string, string]>([
    ["no form", "{}", "The form was not filled in as expected. Please try again."],
    ["a field that comes twice", "do=sign_in&email=a@b.cd&email=c@d.ef", "This is not an e-mail address."],
    ["what it does, twice", "do=sign_in&do=register", "The form was not filled in as expected. Please try again."],
    [
      "a name of 10,000 letters",
      `do=register&email=a@b.cd&name=${"a".repeat(10_000)}`,
      "A name has 1 to 100 characters on one line.",
    ],
    [
      "an address with a line break",
      "do=register&name=Ana&email=ana%40example.org%0d%0aBcc:eve%40example.org",
      "This is not an e-mail address.",
    ],
  ])("is refused in one sentence: %s", async (_, body, sentence) => {
    const reply = await send(body)
    assert.strictEqual(reply.status, 400)
    assert.strictEqual(noticeOf(reply), sentence)
    assert.isBelow(reply.text.length, 10_000)
  })

  it("is refused beyond 64 KiB", async () => {
    assert.strictEqual((await send(`do=register&name=${"a".repeat(70_000)}`)).status, 413)
  })
})

describe("an affiliate's link", () => {
  const affiliate = (path: string, body?: object) =>
    running.ask(
      `/api/v1/visa/affiliate/${path}`,
      body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
    )

  it("is kept until the registration, also in another language or after a mistake", async () => {
    const made = await affiliate("register", { name: "Ira", email: "ira@example.org" })
    const id = made.read("affiliate_id") as string
    const page = await open(`?register&affiliate=${id}&lang=de`)
    const hidden = `<input type="hidden" name="affiliate" value="${id}">`
    assert.lengthOf(page.text.split(hidden), 3)
    assert.include(page.text, '<input type="hidden" name="register" value="">')
    const mistaken = await send({ do: "register", name: "", email: "jo@example.org", affiliate: id })
    assert.strictEqual(mistaken.status, 400)
    assert.include(mistaken.text, hidden)
    // Registering alone brings nobody: it may be a stranger who does it.
    const sent = await send({ do: "register", name: "Jo", email: "jo@example.org", affiliate: id })
    assert.strictEqual(sent.status, 200)
    assert.match(String(sent.headers["set-cookie"]?.[0]), new RegExp(`^svc_brought_by=${id}; .*HttpOnly; SameSite=Lax`))
    for (const none of ["aff_00000000", MARKUP, `${id}x`]) {
      assertHarmless(await open(`?register&affiliate=${encodeURIComponent(none)}`))
      const sent = await send({ do: "register", name: "Kim", email: "kim@example.org", affiliate: none })
      assert.strictEqual(sent.status, 200)
      if (none !== "aff_00000000") assert.isUndefined(sent.headers["set-cookie"])
    }
    const stats = await affiliate(`stats?affiliate_id=${id}&email=ira@example.org`)
    assert.strictEqual(stats.read("lifetime.referrals"), 0)
  })
})

describe("a form of an owner", () => {
  it.each<[string, string, number, string]>([
    ["free", "do=make_team_key&name=Desk", 403, "Team keys come with the plan business."],
    ["business", "do=make_team_key&name=", 400, "A name has 1 to 100 characters on one line."],
    ["business", "do=end_team_key&id=999", 404, "There is no such team key."],
    ["business", "do=end_team_key&id=1&id=2", 400, "The form was not filled in as expected. Please try again."],
    ["free", "do=make_webhook&url=https://example.org/", 403, "Webhooks come with the plan business."],
    ["free", "do=replay_delivery&id=1&delivery=1", 403, "Webhooks come with the plan business."],
    ["business", "do=ping_webhook&id=999", 404, "There is no such webhook or delivery."],
    ["business", "do=enable_webhook&id=999", 404, "There is no such webhook or delivery."],
    ["business", "do=rotate_secret&id=999", 404, "There is no such webhook or delivery."],
    ["business", "do=end_webhook&id=999", 404, "There is no such webhook or delivery."],
    ["business", "do=replay_delivery&id=999&delivery=1", 404, "There is no such webhook or delivery."],
    ["business", "do=replay_delivery&id=999", 400, "The form was not filled in as expected. Please try again."],
    ["free", "do=replace_key", 400, "The form was not filled in as expected. Please try again."],
    ["free", "do=buy&offer=gold+monthly", 400, "The form was not filled in as expected. Please try again."],
    ["free", "do=buy&offer=starter+monthly", 503, "This plan is not sold here."],
    ["free", "do=erase&email=pro@example.org", 400, "This is not the address of this account. Nothing was erased."],
  ])("of %s is refused with a reason: %s", async (name, body, status, sentence) => {
    const reply = await send(body, cookieOf(name))
    assert.strictEqual(reply.status, status)
    assert.strictEqual(noticeOf(reply), sentence)
  })

  it("is refused without a session, with an ended session, and with two", async () => {
    for (const cookie of [
      "",
      "svc_token=x",
      `svc_token=${running.sessions.ended}`,
      `${cookieOf("free").cookie}; svc_token=y`,
    ]) {
      const reply = await send("do=replace_key&sure=yes", { cookie })
      assert.strictEqual(reply.status, 401, cookie)
      assert.strictEqual(noticeOf(reply), "You are not signed in any more. Please sign in again.")
    }
  })

  it("cannot end a team key of another account", async () => {
    const made = await running.ask("/api/v1/visa/team-keys", {
      method: "POST",
      headers: { "x-api-key": running.keys.business },
      body: JSON.stringify({ name: "Lima" }),
    })
    const id = made.read("team_key.id") as number
    assert.strictEqual((await send(`do=end_team_key&id=${id}`, cookieOf("deactivated"))).status, 404)
    const asked = { headers: { "x-api-key": made.read("team_key.key") as string } }
    assert.strictEqual((await running.ask("/api/v1/visa/check?passport=FRA&destination=JPN", asked)).status, 200)
  })

  it("cannot show or replay a webhook of another account, or make one for an address that is not public", async () => {
    const made = await send(
      "do=make_webhook&url=https://example.org/%22%3E%3Cscript%3E&type_webhook_ping=yes",
      cookieOf("business"),
    )
    assert.strictEqual(made.status, 200, made.text)
    assertHarmless(made)
    const secret = /<code id="shown-once"[^>]*>(whsec_[^<]+)</.exec(made.text)?.[1] as string
    assert.isString(secret)
    const listed = await open("?webhook=1", cookieOf("business"))
    assertHarmless(listed)
    assert.notInclude(listed.text, secret)
    assert.include(listed.text, 'id="deliveries"')
    assert.include(listed.text, "&quot;type&quot;:&quot;webhook.ping&quot;")
    const strangers = cookieOf("deactivated")
    assert.notInclude((await open("?webhook=1", strangers)).text, 'id="deliveries"')
    for (const before of ["0", "-1", "x", "9".repeat(30), MARKUP])
      assertHarmless(await open(`?webhook=1&before=${encodeURIComponent(before)}`, cookieOf("business")))
    for (const url of ["http://example.org/", "https://127.0.0.1/", "https://[::1]/", "x", ""]) {
      const refused = await send({ do: "make_webhook", url }, cookieOf("business"))
      assert.strictEqual(refused.status, 400, url)
      assert.match(String(noticeOf(refused)), /^url: /)
    }
    const wrongCode = await send(
      { do: "make_webhook", url: "https://example.org/", passports: "fra, QQQ" },
      cookieOf("business"),
    )
    assert.match(String(noticeOf(wrongCode)), /^passports\[1\]/)
    const ended = await send("do=end_webhook&id=1", cookieOf("business"))
    assert.match(String(ended.headers.location), /said=webhook_ended/)
  })

  it("allows at most sixty pings, replays and new webhooks an hour", async () => {
    await send("do=make_webhook&url=https://example.org/more", cookieOf("business"))
    const page = await open("", cookieOf("business"))
    const id = /example\.org\/more<[\s\S]*?name="id" value="(\d+)"/.exec(page.text)?.[1]
    const statuses = new Set<number>()
    for (let at = 0; at < 61; at++) statuses.add((await send(`do=ping_webhook&id=${id}`, cookieOf("business"))).status)
    assert.deepStrictEqual([...statuses], [303, 429])
  })

  it("makes a key if there is none; opening the page does not", async () => {
    const before = await open("", cookieOf("deactivated"))
    assert.include(before.text, "The account has no key.")
    assert.strictEqual((await send("do=make_key", cookieOf("deactivated"))).status, 303)
    assert.match((await open("", cookieOf("deactivated"))).text, /id="whole-key"[^>]*>svc_visa_[\w-]{43}</)
  })
})

describe("the target of a redirect", () => {
  it("is the page itself, for any form and address", async () => {
    const evil = { next: "https://evil.example", url: "//evil.example", return_to: "//evil.example", lang: "en" }
    for (const form of [
      { do: "language", ...evil },
      { do: "sign_out", ...evil },
    ]) {
      const { headers, status } = await send(form, cookieOf("hobby"))
      assert.strictEqual(status, 303)
      assert.match(String(headers.location), /^\/account\?[\w=&]+$/)
      assert.strictEqual(headers["cache-control"], "no-store")
    }
    assert.strictEqual((await open("?next=//evil.example&said=//evil.example")).headers.location, undefined)
  })

  it("is a page of the payment provider only if its address is http or https", async () => {
    providersPage = `https://pay.example/cs_1?a="b"&c=<d>`
    const page = await send("do=buy&offer=pro+monthly", cookieOf("free"))
    assert.strictEqual(page.status, 200)
    assert.strictEqual(page.headers.refresh, "0;url=https://pay.example/cs_1?a=%22b%22&c=%3Cd%3E")
    assert.include(page.text, 'href="https://pay.example/cs_1?a=%22b%22&amp;c=%3Cd%3E"')
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "no address"]) {
      providersPage = url
      const refused = await send("do=buy&offer=pro+monthly", cookieOf("free"))
      assert.strictEqual(refused.status, 503, url)
      assert.strictEqual(refused.headers.refresh, undefined)
      assert.notInclude(refused.text, "javascript:")
    }
  })
})

describe("the page's headers", () => {
  it("do not allow foreign scripts, resources, frames, caches or readers", async () => {
    for (const reply of [
      await open(),
      await open("", cookieOf("business")),
      await send("do=x"),
      await send("do=sign_in&email=a@b.cd", { "sec-fetch-site": "cross-site" }),
      await running.ask(`/api/v1/visa/auth/confirm?token=${"a".repeat(43)}`, { headers: { accept: "text/html" } }),
    ]) {
      assert.strictEqual(
        reply.headers["content-security-policy"],
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      assert.strictEqual(reply.headers["x-frame-options"], "DENY")
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
      assert.strictEqual(reply.headers["cross-origin-resource-policy"], "same-origin")
      // Without credentials, so that no other site reads what an owner sees.
      assert.isUndefined(reply.headers["access-control-allow-credentials"])
      assert.notMatch(
        reply.text.replace(OWN_SCRIPT, ""),
        /<(script|style|iframe|object|link[^>]*http)|style="|\son[a-z]+="/,
      )
    }
    assert.strictEqual((await running.ask("/account.css")).headers["content-type"], "text/css; charset=utf-8")
    assert.strictEqual((await running.ask("/account.js")).headers["content-type"], "text/javascript; charset=utf-8")
  })

  it("are the same for HEAD, and other methods are refused", async () => {
    const head = await running.ask("/account", { method: "HEAD" })
    assert.deepStrictEqual([head.status, head.text, head.headers["cache-control"]], [200, "", "no-store"])
    assert.strictEqual((await running.ask("/account", { method: "DELETE" })).status, 405)
  })
})

describe("the page's words", () => {
  const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

  it.each(LANGUAGES)("are complete in %s, without an empty placeholder", async language => {
    const catalogue = PAGE_CATALOGUES[language]
    assert.deepStrictEqual(Object.keys(catalogue), Object.keys(PAGE_CATALOGUES.en))
    for (const [name, text] of Object.entries(PAGE_CATALOGUES.en)) {
      const said = catalogue[name as keyof typeof catalogue]
      assert.deepStrictEqual(placeholdersOf(said), placeholdersOf(text), name)
      assert.strictEqual(said, said.trim(), name)
    }
    if (language !== "en") assert.isBelow(Object.values(catalogue).filter(text => wordsOfEnglish.has(text)).length, 8)
    for (const headers of [{}, cookieOf("business")]) {
      const { text } = await open(`?lang=${language}&said=signed_out`, headers)
      assert.include(text, `<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}">`)
      assert.notMatch(text, /[{}]|undefined|NaN|Invalid/)
    }
  })

  const wordsOfEnglish = new Set<string>(Object.values(PAGE_CATALOGUES.en))

  it("are in the preferred language of the browser if none was chosen", async () => {
    assert.include((await open("", { "accept-language": "cy, pt-BR;q=0.9" })).text, '<html lang="pt"')
    assert.include((await open("?lang=ja", { "accept-language": "pt" })).text, '<html lang="ja"')
    assert.include((await open("?lang=xx", { "accept-language": "pt" })).text, '<html lang="pt"')
  })
})
