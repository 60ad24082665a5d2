import { randomUUID } from "node:crypto"
import { assert, describe, it } from "vitest"
import { share } from "../../share.ts"
import { startTestService } from "../service.ts"

const PATH = "/api/v1/visa/team-keys"
const PAIR = "/api/v1/visa/check?passport=FRA&destination=JPN"

const running = share(startTestService)

const make = (name: unknown, headers: Record<string, string> = {}) =>
  running.askAs("business", PATH, { method: "POST", body: JSON.stringify({ name }), headers })

describe("team keys", () => {
  it("are shown whole once, share the account's quota, and do not work when they are deactivated", async () => {
    const made = await make("Paris desk")
    assert.strictEqual(made.status, 201)
    const key = made.read("team_key.key") as string
    assert.match(key, /^svc_visa_team_[\w-]{43}$/)
    const id = made.read("team_key.id") as number

    const listed = (await running.askAs("business", PATH)).read("team_keys") as Record<string, unknown>[]
    assert.deepStrictEqual(
      listed.map(row => [row.id, row.name, row.active, row.key_prefix]),
      [[id, "Paris desk", true, key.slice(0, 20)]],
    )
    assert.notInclude(JSON.stringify(listed), key)

    const ask = () => running.ask(PAIR, { headers: { "x-api-key": key } })
    const before = await running.askAs("business", PAIR)
    const shared = await ask()
    assert.strictEqual(
      Number(shared.headers["x-ratelimit-remaining"]),
      Number(before.headers["x-ratelimit-remaining"]) - 1,
    )

    for (let again = 0; again < 2; again++) {
      const ended = await running.askAs("business", `${PATH}?id=${id}`, { method: "DELETE" })
      assert.deepStrictEqual(ended.read(), { deactivated: true, team_key: { id, name: "Paris desk" } })
    }
    assert.strictEqual((await ask()).status, 403)
    assert.strictEqual((await running.askAs("business", PATH)).read("team_keys.0.active"), false)
  })

  it("cannot make or end team keys", async () => {
    const made = await make("Lima desk")
    const headers = { "x-api-key": made.read("team_key.key") as string }
    const another = await running.ask(PATH, { method: "POST", headers, body: JSON.stringify({ name: "x" }) })
    assert.strictEqual(another.status, 403)
    assert.strictEqual(another.read("required_scope"), "team")
    const id = made.read("team_key.id")
    assert.strictEqual((await running.ask(`${PATH}?id=${id}`, { method: "DELETE", headers })).status, 403)
    assert.strictEqual((await running.ask(PATH, { headers })).status, 403)
  })

  it("are made once for a request that is sent again", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const first = await make("Oslo desk", headers)
    const again = await make("Oslo desk", headers)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
  })

  it.each<[string, unknown]>([
    ["a name of 10,000 letters", "a".repeat(10_000)],
    ["a name with a line break", "Paris\ndesk"],
    ["an empty name", "  "],
    ["a number", 7],
    ["nothing", undefined],
  ])("have no name that is %s", async (_, name) => {
    const reply = await make(name)
    assert.strictEqual(reply.status, 400)
    assert.match(String(reply.read("error")), /^name: (Expected|Missing, expected) 1 to 100 characters on one line/)
  })
})
