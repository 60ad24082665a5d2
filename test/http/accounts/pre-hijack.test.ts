import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Accounts } from "../../../adapters/customers/accounts/accounts.ts"
import { Sessions } from "../../../adapters/customers/accounts/sessions.ts"
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
const operate = <A, E>(work: Effect.Effect<A, E, Accounts | Sessions>) =>
  Effect.runPromise(
    work.pipe(Effect.provide(Sessions.layer), inProcess({ databaseUrl: `file:${running.folder}/landfall.db` })),
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
    // The worst that can be: the account has the best plan before its address is confirmed.
    const planted = await operate(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = (yield* accounts.findAccountByEmail(email))!
        yield* accounts.setPlan(account.id, "business")
        return yield* (yield* Sessions).begin(account.id)
      }),
    )
    const device = await post("/devices", { device_token: "a".repeat(64), platform: "apns" }, held)
    assert.strictEqual(device.status, 200, device.text)
    // Another process has changed the plan, which this one notices within a second.
    let made = await post("/team-keys", { name: "Persistence" }, held)
    while (made.status === 403) made = await post("/team-keys", { name: "Persistence" }, held)
    const teamKey = made.read("team_key.key") as string
    const hook = await post("/webhooks", { url: `${running.url}/hook`, events: ["visa.policy_changed"] }, held)
    assert.strictEqual(hook.status, 201, hook.text)
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
    const rotated = await running.ask(`/webhooks/wh_${hook.read("webhook.id")}/rotate-secret`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    })
    assert.deepStrictEqual([rotated.status, rotated.read("error.code")], [401, "invalid_api_key"])
    const session = await running.ask(`${V1}/auth/usage`, { headers: { cookie: `svc_token=${planted}` } })
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
    const gone = await running.ask(`${V1}/devices/${device.read("device_id")}`, { method: "DELETE", ...owner })
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
