import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { makeEvents, writeEvent } from "../../examples/payments/stripe-events.ts"
import { makeSessions } from "../http/personas.ts"
import { makeFolder, startTestService } from "../http/service.ts"
import { share } from "../share.ts"
import { inProcess } from "../storage/deployment.ts"
import { signBody, startStripe, stripeEnv, WEBHOOK_SECRET } from "./stripe-counterpart.ts"

const V1 = "/api/v1/visa"
const NOW = Date.parse("2026-11-21T12:00:00Z")
const DAY = 86_400_000

const stripe = share(startStripe)
const running = share(() => startTestService({ stoppedAt: NOW, env: stripeEnv(stripe.url) }))
let sessions: Readonly<Record<string, string>>
beforeAll(async () => {
  sessions = await makeSessions(running.folder)
})

const postAs = (who: string, path: string, body?: unknown) =>
  running.ask(V1 + path, {
    method: "POST",
    headers: { cookie: `svc_token=${sessions[who]}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const deliver = (body: string, signature = signBody(body, NOW)) =>
  running.ask(`${V1}/stripe/webhook`, { method: "POST", headers: { "stripe-signature": signature }, body })

/** The quota that the next answer to a demo account shows. */
const limitOf = async (plan: "free" | "hobby" | "starter") =>
  Number((await running.askAs(plan, `${V1}/check?passport=FRA&destination=JPN`)).headers["x-ratelimit-limit"])

describe("the prices on the page of an account", () => {
  const openPage = async () =>
    (await running.ask("/account", { headers: { cookie: `svc_token=${sessions.free}` } })).text
  const countAsked = () => stripe.requests.filter(({ path }) => path.startsWith("/v1/prices/")).length

  it("are the provider's, requested once an hour, and the last known ones while the provider is unavailable", async () => {
    stripe.failures = 1
    // One price is missing: the others are shown, and it is asked again after a minute.
    assert.include(await openPage(), "The payment provider shows the price before you pay.")
    const first = countAsked()
    assert.isAbove(first, 0)
    await openPage()
    assert.strictEqual(countAsked(), first)
    running.setTime(NOW + 60_001)
    const whole = await openPage()
    assert.include(whole, "€29.00")
    assert.notInclude(whole, "The payment provider shows the price before you pay.")
    assert.strictEqual(countAsked(), 2 * first)
    running.setTime(NOW + 3_600_000)
    await openPage()
    assert.strictEqual(countAsked(), 2 * first)
    stripe.failures = first
    running.setTime(NOW + 3_700_000)
    assert.include(await openPage(), "€29.00")
    assert.strictEqual(countAsked(), 3 * first)
    running.setTime(NOW)
  })
})

describe("buying a plan", () => {
  it("opens a page to pay on, and the next answer after the payment shows the plan's quota", async () => {
    const opened = await postAs("free", "/stripe/checkout", { plan: "pro" })
    assert.deepStrictEqual(opened.read(), { url: "http://pay.example/cs_1" })
    const asked = stripe.requests.at(-1)
    assert.strictEqual(asked?.path, "/v1/checkout/sessions")
    assert.strictEqual(asked?.authorization, "Bearer sk_test_of_the_tests")
    assert.include(asked?.form, {
      mode: "subscription",
      "line_items[0][price]": "price_pro",
      client_reference_id: "1",
      customer_email: "free@demo.invalid",
      "metadata[plan]": "pro",
      "subscription_data[metadata][account_id]": "1",
    })
    assert.strictEqual(await limitOf("free"), 100)
    const events = makeEvents(1)
    const taken = await deliver(events.completed(NOW, "pro"))
    assert.deepStrictEqual(taken.read(), { received: true, new: true })
    assert.strictEqual(await limitOf("free"), 200_000)

    // A plan cannot be bought twice.
    const again = await postAs("free", "/stripe/checkout", { plan: "business" })
    assert.strictEqual(again.status, 400)
    assert.deepStrictEqual(again.read(), { error: "The account has a subscription: change it in the portal." })
    assert.deepStrictEqual((await postAs("free", "/stripe/portal")).read(), { url: "http://pay.example/portal" })
    assert.include(stripe.requests.at(-1)?.form, { customer: "cus_1" })
    // An account with a subscription cannot be erased.
    assert.strictEqual((await postAs("free", "/auth/account/erase", { email: "free@demo.invalid" })).status, 409)

    await deliver(events.deleted(NOW + 1_000))
    assert.strictEqual(await limitOf("free"), 100)
  })

  it("reaches an account by the number that a deployment gives it", async () => {
    await using own = await startTestService({ stoppedAt: NOW, env: stripeEnv(stripe.url), areIdsCounted: false })
    const { free: session } = await makeSessions(own.folder)
    const opened = await own.ask(`${V1}/stripe/checkout`, {
      method: "POST",
      headers: { cookie: `svc_token=${session}` },
      body: JSON.stringify({ plan: "pro" }),
    })
    assert.strictEqual(opened.status, 200)
    const id = Number(stripe.requests.at(-1)?.form.client_reference_id)
    assert.isAbove(id, 2 ** 32)
    const body = makeEvents(id, "sub_9", "cus_9").completed(NOW, "pro")
    const headers = { "stripe-signature": signBody(body, NOW) }
    assert.strictEqual((await own.ask(`${V1}/stripe/webhook`, { method: "POST", headers, body })).status, 200)
    const checked = await own.askAs("free", `${V1}/check?passport=FRA&destination=JPN`)
    assert.strictEqual(checked.headers["x-ratelimit-limit"], "200000")
  })

  it("counts every event once, in any order", async () => {
    const events = makeEvents(2, "sub_2", "cus_2")
    const told = [
      events.completed(NOW - 9_000, "hobby"),
      events.updated(NOW - 8_000, "price_hobby", NOW + 30 * DAY),
      events.paid(NOW - 7_000, "in_2", 900),
      events.matched(NOW - 7_000, "in_2", "pi_2"),
      events.updated(NOW - 5_000, "price_business", NOW + 30 * DAY),
    ]
    for (const body of [...told.toReversed(), ...told]) assert.strictEqual((await deliver(body)).status, 200)
    assert.strictEqual((await deliver(told[0] as string)).read("new"), false)
    assert.strictEqual(await limitOf("hobby"), 1_000_000)
    await deliver(events.refunded(NOW - 1_000, "pi_2", 900, true))
    assert.strictEqual(await limitOf("hobby"), 100)
  })

  it("refuses an event that is forged, old, from the future or changed", async () => {
    const body = makeEvents(3, "sub_3").completed(NOW, "business")
    for (const signature of [
      "",
      "nonsense",
      signBody(body, NOW, "whsec_of_somebody"),
      signBody(body, NOW - 301_000),
      signBody(body, NOW + 302_000),
      signBody(`${body} `, NOW),
      signBody(body, NOW).replace(/t=\d+/, "t=x"),
    ]) {
      const reply = await deliver(body, signature)
      assert.strictEqual(reply.status, 400, signature)
      assert.deepStrictEqual(reply.read(), { error: "The signature does not fit the body, or was not made now." })
    }
    assert.strictEqual(await limitOf("starter"), 50_000)
    for (const ok of [NOW - 299_000, NOW + 299_000])
      assert.strictEqual((await deliver(body, signBody(body, ok))).status, 200)
    assert.strictEqual(await limitOf("starter"), 1_000_000)
  })

  it("ignores events that it does not understand and those of no account", async () => {
    for (const body of [
      writeEvent("customer.created", NOW, { id: "cus_9" }),
      writeEvent("invoice.paid", NOW, {}),
      JSON.stringify({ id: "evt_x" }),
      makeEvents(99_999, "sub_9").completed(NOW, "pro"),
      writeEvent("charge.refunded", NOW, { id: "ch_9", payment_intent: "pi_9", amount_refunded: 1, refunded: true }),
    ])
      assert.strictEqual((await deliver(body)).status, 200, body)
  })

  it("reports the mistakes in an order, and an unavailable provider without the provider's message", async () => {
    const messages: [unknown, number, string][] = [
      [{}, 400, "plan: Missing, expected one of hobby, starter, pro, business"],
      [{ plan: "free" }, 400, 'plan: Expected one of hobby, starter, pro, business, got "free"'],
      [{ plan: "pro", billing: "weekly" }, 400, 'billing: Expected one of monthly, annual, got "weekly"'],
      [
        { plan: "pro", affiliate_id: "aff_XYZ" },
        400,
        'affiliate_id: Expected an affiliate\'s id, such as aff_0123abcd, got "aff_XYZ"',
      ],
      [{ plan: "pro", affiliate_id: "aff_00000000" }, 400, "affiliate_id: There is no such affiliate."],
      [{ plan: "pro", billing: "annual" }, 503, "The plan pro (annual) is not set up on this deployment."],
    ]
    for (const [body, status, error] of messages) {
      const reply = await postAs("business", "/stripe/checkout", body)
      assert.strictEqual(reply.status, status, reply.text)
      assert.deepStrictEqual(reply.read(), { error })
    }
    assert.strictEqual((await postAs("business", "/stripe/portal")).status, 404)
    stripe.failures = 10
    const away = await postAs("business", "/stripe/checkout", { plan: "pro" })
    stripe.failures = 0
    assert.strictEqual(away.status, 503)
    assert.deepStrictEqual(away.read(), { error: "The payment provider does not answer now." })
  })

  it("does not exist if nothing is sold", async () => {
    await using other = await startTestService({ stoppedAt: NOW })
    const body = makeEvents(1).completed(NOW, "pro")
    const headers = { "stripe-signature": signBody(body, NOW, WEBHOOK_SECRET) }
    const reply = await other.ask(`${V1}/stripe/webhook`, { method: "POST", headers, body })
    assert.strictEqual(reply.status, 503)
    assert.deepStrictEqual(reply.read(), { error: "Payment is not set up on this deployment." })
  })
})

describe("an affiliate", () => {
  const post = (path: string, body: unknown) =>
    running.ask(`${V1}/affiliate${path}`, { method: "POST", body: JSON.stringify(body) })

  it("earns 15 % of the payments of referred accounts less refunds, and its clicks count once a day", async () => {
    const made = await post("/register", { name: "Ira", email: "starter@demo.invalid" })
    assert.strictEqual(made.status, 201)
    const id = made.read("affiliate_id") as string
    assert.match(id, /^aff_[a-f0-9]{8}$/)
    const again = await post("/register", { name: "Ira", email: "STARTER@demo.invalid" })
    assert.deepStrictEqual([again.status, again.read("affiliate_id")], [200, id])

    for (let click = 0; click < 3; click++)
      assert.deepStrictEqual((await post("/track-click", { affiliate_id: id })).read(), { ok: true })
    running.setTime(NOW + DAY)
    await post("/track-click", { affiliate_id: id })
    running.setTime(NOW)

    const apply = (referral_code: string, email: string, from = "pro") =>
      running.ask(`${V1}/affiliate/apply-referral`, {
        method: "POST",
        headers: from === "" ? {} : { cookie: `svc_token=${sessions[from]}` },
        body: JSON.stringify({ referral_code, email }),
      })
    // A user who is not signed in, or signed in as somebody else, earns nothing from the account.
    const other = (await post("/register", { name: "Jan", email: "jan@example.org" })).read("affiliate_id") as string
    const claimed = await apply(other, "pro@demo.invalid", "")
    assert.deepStrictEqual([claimed.status, claimed.read("ok"), claimed.read("referred_by")], [200, true, other])
    // The answer is the same for every address, whoever asks.
    for (const [email, from] of [
      ["pro@demo.invalid", "hobby"],
      ["nobody@example.org", ""],
      ["starter@demo.invalid", ""],
    ] as const)
      assert.strictEqual((await apply(other, email, from)).text, claimed.text)
    const applied = await apply(id, "PRO@demo.invalid")
    assert.deepStrictEqual(applied.read(), { ok: true, message: "The referral is noted.", referred_by: id })
    const late = await apply(other, "pro@demo.invalid")
    assert.deepStrictEqual([late.read("ok"), late.read("referred_by")], [false, id])

    const events = makeEvents(4, "sub_4", "cus_4")
    for (const body of [
      events.completed(NOW, "pro"),
      events.paid(NOW, "in_4", 1_999),
      events.matched(NOW, "in_4", "pi_4"),
      events.paid(NOW + 1_000, "in_5", 1_999),
      events.refunded(NOW + 2_000, "pi_4", 1_000, false),
    ])
      assert.strictEqual((await deliver(body)).status, 200)
    const readStats = () =>
      running.ask(`${V1}/affiliate/stats`, { headers: { cookie: `svc_token=${sessions.starter}` } })
    const stats = await readStats()
    const totals = { clicks: 2, referrals: 1, conversions: 1, revenue_usd: 29.98, commission_usd: 4.48 }
    assert.deepStrictEqual(stats.read(), { affiliate_id: id, lifetime: totals, this_month: totals })
    // Anybody who knows an address gets its id by registering it, but not its earnings.
    const seen = await running.ask(`${V1}/affiliate/stats?affiliate_id=${id}&email=starter@demo.invalid`)
    const shown = { ...totals, conversions: null, revenue_usd: null, commission_usd: null }
    assert.deepStrictEqual(seen.read(), { affiliate_id: id, lifetime: shown, this_month: shown })
    // After the first payment an account cannot be referred: the first test has paid for this one.
    const paid = await apply(id, "free@demo.invalid", "free")
    assert.deepStrictEqual([paid.status, paid.read("error")], [400, "A referral counts only before the first payment."])
    const bought = await postAs("hobby", "/stripe/checkout", { plan: "pro", affiliate_id: "aff_00000000" })
    assert.strictEqual(bought.read("error"), "affiliate_id: There is no such affiliate.")
    await deliver(events.refunded(NOW + 3_000, "pi_4", 1_999, true))
    const less = await readStats()
    assert.strictEqual(less.read("lifetime.commission_usd"), 2.99)
    running.setTime(NOW + 20 * DAY)
    const next = await readStats()
    assert.strictEqual(next.read("this_month.commission_usd"), 0)
    running.setTime(NOW)
  })

  it("cannot refer its own address, not even at the checkout, and is its account's in a session", async () => {
    const id = (await post("/register", { name: "Biz", email: "Business@demo.invalid" })).read("affiliate_id") as string
    // Another spelling of the own mailbox is the same mailbox.
    const spelled = await post("/register", { name: "Biz", email: "b.usiness+1@demo.invalid" })
    for (const code of [id, spelled.read("affiliate_id") as string]) {
      const applied = await postAs("business", "/affiliate/apply-referral", {
        referral_code: code,
        email: "business@demo.invalid",
      })
      assert.deepStrictEqual(
        [applied.status, applied.read("error")],
        [400, "An affiliate cannot refer its own account."],
      )
      const bought = await postAs("business", "/stripe/checkout", { plan: "pro", affiliate_id: code })
      assert.deepStrictEqual(bought.read(), { error: "affiliate_id: An affiliate cannot refer its own account." })
    }
    const stats = await running.ask(`${V1}/affiliate/stats`, { headers: { cookie: `svc_token=${sessions.business}` } })
    assert.strictEqual(stats.read("affiliate_id"), id)
  })

  it("is made once by simultaneous registrations", async () => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => post("/register", { name: "Kim", email: "kim@example.org" })),
    )
    assert.lengthOf(
      replies.filter(({ status }) => status === 201),
      1,
    )
    assert.isTrue(replies.every(({ status }) => [200, 201, 409].includes(status)))
  })

  it("needs an id and an address without a session, and shows no other affiliate", async () => {
    const ask = (query: string) => running.ask(`${V1}/affiliate/stats${query}`)
    for (const query of ["", "?affiliate_id=aff_00000000", "?email=ira@example.org"])
      assert.strictEqual((await ask(query)).status, 401)
    assert.strictEqual((await ask("?affiliate_id=aff_00000000&email=ira@example.org")).status, 404)
    assert.strictEqual((await post("/track-click", { affiliate_id: "aff_00000000" })).status, 404)
    const unknown = await post("/apply-referral", { referral_code: "aff_00000000", email: "a@b.cd" })
    assert.deepStrictEqual([unknown.status, unknown.read("error")], [404, "There is no such affiliate."])
    for (const body of [{}, { referral_code: "aff_0", email: "a@b.cd" }, { referral_code: "aff_00000000", email: "a" }])
      assert.strictEqual((await post("/apply-referral", body)).status, 400)
    for (const body of [{}, [], { affiliate_id: 5 }, { affiliate_id: "aff_0" }])
      assert.strictEqual((await post("/track-click", body)).status, 400)
  })
})

describe("too many requests", () => {
  it("are limited by client address, and by account for payment pages", async () => {
    const folder = makeFolder()
    await using other = await startTestService({ folder, stoppedAt: NOW, env: stripeEnv(stripe.url) })
    const cookies = await makeSessions(folder)
    const headers = { cookie: `svc_token=${cookies.pro}` }
    const post = (path: string, body: unknown) => () =>
      other.ask(V1 + path, { method: "POST", headers, body: JSON.stringify(body) })
    const cases: [times: number, ask: () => ReturnType<typeof other.ask>][] = [
      [30, post("/affiliate/register", { name: "Lou", email: "lou@example.org" })],
      [0, post("/affiliate/apply-referral", { referral_code: "aff_00000000", email: "pro@demo.invalid" })],
      [60, post("/affiliate/track-click", { affiliate_id: "aff_00000000" })],
      [60, () => other.ask(`${V1}/affiliate/stats`, { headers })],
      [30, post("/stripe/checkout", { plan: "pro" })],
      [0, post("/stripe/portal", {})],
    ]
    for (const [times, ask] of cases) {
      for (let at = 0; at < times; at++) assert.notStrictEqual((await ask()).status, 429)
      const refused = await ask()
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "3600")
    }
  })

  it("refuse a disabled account with a message", async () => {
    const folder = makeFolder()
    await using other = await startTestService({ folder, stoppedAt: NOW })
    const cookies = await makeSessions(folder)
    const databasePath = `${folder}/landfall.db`
    await Effect.runPromise(
      Effect.flatMap(Accounts, accounts => accounts.setDisabled(4, true)).pipe(
        inProcess({ folder, databasePath, databaseUrl: `file:${databasePath}` }),
      ),
    )
    for (const path of ["/affiliate/stats", "/auth/ensure-key"]) {
      const reply = await other.ask(V1 + path, { headers: { cookie: `svc_token=${cookies.pro}` } })
      assert.strictEqual(reply.status, 403)
      assert.strictEqual(reply.read("error"), "This account is disabled.")
    }
  })
})
