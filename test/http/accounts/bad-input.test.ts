import { assert, describe, it } from "vitest"
import { share } from "../../share.ts"
import { startWithPersonas } from "../personas.ts"

const V1 = "/api/v1/visa"
const LETTERS = "a".repeat(10_000)
const BROKEN = "ana@example.org\r\nBcc: eve@example.org"
const NO_NAME = `name: Expected 1 to 100 characters on one line, got "${"a".repeat(79)}…`
const NO_EMAIL = (field: string) =>
  `${field}: Expected an e-mail address, got "ana@example.org\\r\\nBcc: eve@example.org"`
const NO_ID = "Expected an affiliate's id, such as aff_0123abcd, got 5"

const running = share(() => startWithPersonas({ env: { LANDFALL_STRIPE_PRICES: '{"pro":{"monthly":"price_pro"}}' } }))

interface Taker {
  readonly method: "POST" | "PATCH"
  readonly path: string
}

/** Every endpoint of accounts that takes a body, but for events, which are signed. */
const TAKERS: readonly Taker[] = [
  { method: "POST", path: "/register" },
  { method: "POST", path: "/auth/login" },
  { method: "PATCH", path: "/auth/account" },
  { method: "POST", path: "/auth/account/erase" },
  { method: "POST", path: "/team-keys" },
  { method: "POST", path: "/stripe/checkout" },
  { method: "POST", path: "/affiliate/register" },
  { method: "POST", path: "/affiliate/track-click" },
  { method: "POST", path: "/affiliate/apply-referral" },
]

const send = ({ method, path }: Taker, body: string) =>
  running.ask(V1 + path, {
    method,
    headers: { cookie: `svc_token=${running.sessions.business}`, "x-api-key": running.keys.business },
    body,
  })

const post = (path: string, body: unknown) => send({ method: "POST", path }, JSON.stringify(body))

describe.each(TAKERS)("$method $path", taker => {
  it.each([
    ["", "The body is not valid JSON."],
    ["{", "The body is not valid JSON."],
    ["name=Ana&email=ana@example.org", "The body is not valid JSON."],
    ["[]", "The body has to be a JSON object."],
    ["null", "The body has to be a JSON object."],
    ["5", "The body has to be a JSON object."],
    ['"ana@example.org"', "The body has to be a JSON object."],
    ["[[[[[[[[[[", "The body is not valid JSON."],
  ])("takes no body of another type: %s", async (body, error) => {
    const reply = await send(taker, body)
    assert.strictEqual(reply.status, 400)
    assert.deepStrictEqual(reply.read(), { error })
  })

  it("does not read the properties of an object's prototype as fields", async () => {
    const reply = await send(taker, '{"__proto__": {"name": "Ana", "email": "ana@example.org", "lang": "de"}}')
    assert.strictEqual(reply.status, 400, reply.text)
  })
})

describe("a field", () => {
  it.each<[string, object, string]>([
    ["/register", { name: LETTERS, email: "a@b.cd" }, NO_NAME],
    [
      "/register",
      {},
      "name: Missing, expected 1 to 100 characters on one line; email: Missing, expected an e-mail address",
    ],
    [
      "/register",
      { name: ["Ana"], email: 5 },
      'name: Expected 1 to 100 characters on one line, got ["Ana"]; email: Expected an e-mail address, got 5',
    ],
    [
      "/register",
      { name: "Ana", email: "ana@example.org,eve@example.org" },
      'email: Expected an e-mail address, got "ana@example.org,eve@example.org"',
    ],
    [
      "/register",
      { name: "Ana", email: "ana@example.org", lang: "cy" },
      'lang: Expected one of fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi, tl, got "cy"',
    ],
    ["/affiliate/register", { name: LETTERS, email: "a@b.cd" }, NO_NAME],
    ["/team-keys", { name: LETTERS }, NO_NAME],
    ["/team-keys", { name: "Paris\ndesk" }, 'name: Expected 1 to 100 characters on one line, got "Paris\\ndesk"'],
    ["/register", { name: "Ana", email: BROKEN }, NO_EMAIL("email")],
    ["/auth/login", { email: BROKEN }, NO_EMAIL("email")],
    ["/affiliate/register", { name: "Ana", email: BROKEN }, NO_EMAIL("email")],
    ["/affiliate/apply-referral", { referral_code: "aff_00000000", email: BROKEN }, NO_EMAIL("email")],
    ["/auth/account/erase", { email: BROKEN }, NO_EMAIL("email")],
    ["/auth/login", { email: ["a@b.cd"] }, 'email: Expected an e-mail address, got ["a@b.cd"]'],
    ["/affiliate/track-click", { affiliate_id: 5 }, `affiliate_id: ${NO_ID}`],
    [
      "/affiliate/apply-referral",
      { referral_code: 5 },
      `referral_code: ${NO_ID}; email: Missing, expected an e-mail address`,
    ],
    ["/stripe/checkout", { plan: ["pro"] }, 'plan: Expected one of hobby, starter, pro, business, got ["pro"]'],
    ["/stripe/checkout", { plan: "free" }, 'plan: Expected one of hobby, starter, pro, business, got "free"'],
  ])("of %s that is not what is expected is named: %j", async (path, body, error) => {
    const reply = await post(path, body)
    assert.strictEqual(reply.status, 400)
    assert.deepStrictEqual(reply.read(), { error })
  })

  it.each<[object, string]>([
    [{ lang: "xx" }, 'lang: Expected one of fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi, tl, got "xx"'],
    [{ lang: null }, "lang: Expected one of fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi, tl, got null"],
    [{ api_version: 5, lang: "de" }, "api_version: Expected one of 2026-10-01, 2026-03-01, or null, got 5"],
  ])("of an account that is not what is expected changes nothing: %j", async (body, error) => {
    const reply = await send({ method: "PATCH", path: "/auth/account" }, JSON.stringify(body))
    assert.strictEqual(reply.status, 400)
    assert.deepStrictEqual(reply.read(), { error })
    const shown = await running.ask(`${V1}/auth/ensure-key`, {
      headers: { cookie: `svc_token=${running.sessions.business}` },
    })
    assert.deepStrictEqual([shown.read("user.lang"), shown.read("user.api_version")], [null, null])
  })
})

describe("a repeated parameter", () => {
  it.each([
    ["GET", `/affiliate/stats?affiliate_id=aff_00000000&affiliate_id=aff_11111111&email=a@b.cd`, "affiliate_id"],
    ["GET", `/affiliate/stats?affiliate_id=aff_00000000&email=a@b.cd&email=c@d.ef`, "email"],
    ["DELETE", "/team-keys?id=1&id=2", "id"],
  ])("is refused: %s %s", async (method, path, name) => {
    const reply = await running.askAs("business", V1 + path, { method })
    assert.strictEqual(reply.status, 400)
    assert.match(String(reply.read("error")), new RegExp(`^${name}: Expected .+, once, got \\[`))
  })
})
