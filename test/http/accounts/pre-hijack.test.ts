import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { Accounts } from "../../../adapters/accounts/accounts.ts"
import { Sessions } from "../../../adapters/accounts/sessions.ts"
import { Devices } from "../../../adapters/push/devices.ts"
import { Webhooks } from "../../../adapters/webhooks/webhooks.ts"
import { linkOf, startMailServer } from "../../mail/mail-server.ts"
import { share } from "../../share.ts"
import { inProcess } from "../../storage/deployment.ts"
import { type Reply, startTestService } from "../service.ts"

const V1 = "/api/v1/visa"
const PAIR = `${V1}/check?passport=FRA&destination=JPN`

const mails = share(startMailServer)
const running = share(() =>
  startTestService({
    env: {
      LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
      LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
    },
  }),
)

/** What an operator does on the database of the service, from another process. */
const operate = <A, E>(work: Effect.Effect<A, E, Accounts | Devices | Sessions | Webhooks>) =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(Layer.mergeAll(Sessions.layer, Devices.layer([]), Webhooks.layer)),
      inProcess({ databaseUrl: `file:${running.folder}/landfall.db` }),
    ),
  )

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  running.ask(V1 + path, { method: "POST", headers, body: JSON.stringify(body) })

const tokensTo = async (email: string, count: number) => {
  const found = () => mails.received.filter(({ to }) => to.includes(email))
  await mails.until(() => found().length >= count)
  return found().map(mail => new URL(linkOf(mail)).searchParams.get("token") as string)
}

const statusOf = async (path: string, key: string) =>
  (await running.ask(path, { headers: { "x-api-key": key } })).status

const cookieOf = (reply: Reply) => String(reply.headers["set-cookie"]?.[0]).split(";")[0] as string

describe("a stranger who registers another person's address first", () => {
  it("loses every key, team key, webhook, device, session and link when the owner confirms the address", async () => {
    const email = "victim@example.org"
    const key = (await post("/register", { name: "Mallory", email })).read("api_key") as string
    await post("/register", { name: "Mallory", email })
    const held = { "x-api-key": key }
    // With the key of an address that is not confirmed nothing can be planted.
    const device = { device_token: "a".repeat(64), platform: "apns" }
    for (const [path, body] of [
      ["/devices", device],
      ["/keys", { name: "Persistence", scopes: ["visa"] }],
      ["/webhooks", { url: `${running.url}/hook`, events: [] }],
    ] as const) {
      const refused = await post(path, body, held)
      assert.deepStrictEqual(
        [refused.status, refused.read()],
        [
          403,
          {
            error: "The e-mail address of this account is not confirmed.",
            message:
              "Nothing is stored for an account whose e-mail address is not confirmed: follow the mailed link first.",
          },
        ],
        path,
      )
    }
    // The worst that can be: the account has the best plan, and all of that, before its address is confirmed.
    const planted = await operate(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = (yield* accounts.findAccountByEmail(email))!
        yield* accounts.setPlan(account.id, "business")
        const { key: teamKey } = yield* accounts.createTeamKey(account.id, "Persistence")
        const terms = { types: [], passports: [], destinations: [], severity: null }
        const url = `${running.url}/hook`
        const made = yield* (yield* Webhooks).create(account.id, { url, terms, description: "" })
        const codes = { passports: [], destinations: [] }
        const planted = { token: device.device_token, platform: "apns", lang: "en", codes } as const
        return {
          teamKey,
          hook: made.webhook.id,
          device: yield* (yield* Devices).register(account.id, planted),
          session: yield* (yield* Sessions).begin(account.id),
        }
      }),
    )
    const { teamKey } = planted
    for (const one of [key, teamKey]) assert.strictEqual(await statusOf(PAIR, one), 200)
    // Registering once more gives neither the plan nor the key of an account that is worth something.
    const asked = await post("/register", { name: "Eve", email })
    assert.deepStrictEqual([asked.read("plan"), asked.read("api_key")], ["free", "svc_visa_****"])

    const [first, second] = await tokensTo(email, 3)
    const confirmed = await post("/auth/confirm", { token: second })
    assert.strictEqual(confirmed.status, 200, confirmed.text)
    assert.match(String(confirmed.read("message")), /Earlier keys, sessions and webhooks have ended/)

    for (const one of [key, teamKey])
      for (const path of [PAIR, `${V1}/webhooks`, `${V1}/team-keys`])
        assert.strictEqual(await statusOf(path, one), 403, path)
    const rotated = await running.ask(`/webhooks/wh_${planted.hook}/rotate-secret`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    })
    assert.deepStrictEqual([rotated.status, rotated.read("error.code")], [401, "invalid_api_key"])
    const session = await running.ask(`${V1}/auth/usage`, { headers: { cookie: `svc_token=${planted.session}` } })
    assert.strictEqual(session.status, 401)
    assert.strictEqual((await post("/auth/confirm", { token: first })).status, 400)

    const cookie = cookieOf(confirmed)
    const own = (await running.ask(`${V1}/auth/ensure-key`, { headers: { cookie } })).read("api_key") as string
    assert.notInclude([key, teamKey], own)
    const owner = { headers: { "x-api-key": own } }
    assert.deepStrictEqual((await running.ask(`${V1}/webhooks`, owner)).read(), { webhooks: [], next_cursor: null })
    const listed = await running.ask(`${V1}/team-keys`, owner)
    assert.deepStrictEqual(
      (listed.read("team_keys") as { name: string; active: boolean }[]).map(({ name, active }) => [name, active]),
      [["Persistence", false]],
    )
    const gone = await running.ask(`${V1}/devices/${planted.device}`, { method: "DELETE", ...owner })
    assert.strictEqual(gone.status, 404)
  })
})

describe("an affiliate", () => {
  const affiliate = async (email: string) =>
    (await post("/affiliate/register", { name: "Ira", email })).read("affiliate_id") as string
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    running.ask("/account", {
      method: "POST",
      headers: { "x-forwarded-for": "198.51.100.1", ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  const referralsOf = async (id: string, email: string) =>
    (await running.ask(`${V1}/affiliate/stats?affiliate_id=${id}&email=${encodeURIComponent(email)}`)).read(
      "lifetime.referrals",
    )

  it("is credited only if the owner confirms the address in the browser of the registration", async () => {
    const id = await affiliate("ira@example.org")
    const register = (email: string) => send({ do: "register", name: "Jo", email, affiliate: id })
    const follow = async (email: string, headers: Record<string, string>) => {
      const [token] = await tokensTo(email, 1)
      return send({ do: "confirm", token: token as string }, headers)
    }
    // A stranger registers the address under an own code; its owner confirms it elsewhere.
    await register("jo@example.org")
    assert.strictEqual((await follow("jo@example.org", {})).status, 303)
    assert.strictEqual(await referralsOf(id, "ira@example.org"), 0)
    // One's own mailbox in another spelling.
    const own = cookieOf(await register("i.ra+new@example.org"))
    assert.strictEqual((await follow("i.ra+new@example.org", { cookie: own })).status, 303)
    assert.strictEqual(await referralsOf(id, "ira@example.org"), 0)
    const brought = await register("kim@example.org")
    const followed = await follow("kim@example.org", { cookie: cookieOf(brought) })
    assert.strictEqual(followed.status, 303)
    assert.match(String(followed.headers["set-cookie"]?.[1]), /^svc_brought_by=; Path=\/; Max-Age=0;/)
    assert.strictEqual(await referralsOf(id, "ira@example.org"), 1)
  })
})

describe("an owner who was claimed to be referred", () => {
  it("sees by whom, once the address is confirmed, and declines it; the claim says nothing of the address", async () => {
    const claimed = async (code: string, email: string) =>
      (await post("/affiliate/apply-referral", { referral_code: code, email })).text
    const made = await post("/affiliate/register", { name: "Lou", email: "lou@example.org" })
    const code = made.read("affiliate_id") as string
    await post("/register", { name: "Ray", email: "ray@example.org" })
    const answer = await claimed(code, "ray@example.org")
    for (const email of ["nobody@example.org", "lou@example.org", "business@demo.invalid"])
      assert.strictEqual(await claimed(code, email), answer, email)
    const [token] = await tokensTo("ray@example.org", 1)
    const cookie = cookieOf(await post("/auth/confirm", { token }))
    const open = async () => (await running.ask("/account", { headers: { cookie } })).text
    assert.include(await open(), `The affiliate ${code} is recorded as having referred you`)
    const declined = await running.ask("/account", { method: "POST", headers: { cookie }, body: "do=decline_referral" })
    assert.strictEqual(declined.status, 303)
    const page = await running.ask(String(declined.headers.location), { headers: { cookie } })
    assert.include(page.text, "The referral is declined")
    assert.notInclude(page.text, code)
    const stats = await running.ask(`${V1}/affiliate/stats?affiliate_id=${code}&email=lou@example.org`)
    assert.strictEqual(stats.read("lifetime.referrals"), 0)
    // Another claim does not undo it.
    assert.strictEqual(await claimed(code, "ray@example.org"), answer)
    assert.notInclude(await open(), code)
  })
})

describe("an owner who replaces a key", () => {
  it("gets a list of the team keys that stay valid, and ends them on request", async () => {
    const cookie = `svc_token=${await operate(
      Effect.gen(function* () {
        const account = (yield* (yield* Accounts).findAccountByEmail("business@demo.invalid"))!
        return yield* (yield* Sessions).begin(account.id)
      }),
    )}`
    const made = await post("/team-keys", { name: "Desk" }, { "x-api-key": running.keys.business })
    const teamKey = made.read("team_key.key") as string
    const kept = await running.ask(`${V1}/auth/regenerate-key`, { method: "POST", headers: { cookie } })
    assert.strictEqual(kept.read("team_keys.1.name"), "Desk")
    assert.strictEqual(kept.read("team_keys.1.active"), true)
    assert.include(String(kept.read("message")), '{"end_team_keys": true}')
    assert.strictEqual(await statusOf(PAIR, teamKey), 200)
    const wrong = await post("/auth/regenerate-key", { end_team_keys: "yes" }, { cookie })
    assert.deepStrictEqual([wrong.status, wrong.read("error")], [400, "end_team_keys: Expected true or false."])
    const ended = await post("/auth/regenerate-key", { end_team_keys: true }, { cookie })
    assert.deepStrictEqual([ended.read("team_keys.1.name"), ended.read("team_keys.1.active")], ["Desk", false])
    assert.strictEqual(await statusOf(PAIR, teamKey), 403)
    assert.strictEqual(await statusOf(PAIR, ended.read("api_key") as string), 200)
    const none = await post("/auth/regenerate-key", {}, { cookie })
    assert.deepStrictEqual([none.read("team_keys"), none.read("message")], [[], "The old key no longer works."])
  })
})
