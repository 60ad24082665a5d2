import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { share } from "../../share.ts"
import { startWithPersonas } from "../personas.ts"

const running = share(startWithPersonas)

const cookieOf = (name: string) => ({ cookie: `svc_token=${running.sessions[name]}` })
const open = (query: string, headers: Record<string, string>) => running.ask(`/account${query}`, { headers })
const send = (body: string, headers: Record<string, string>) =>
  running.ask("/account", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  })

describe("the page of an account", () => {
  it("shows the webhooks of test keys, and acts on them only where the form says so", async () => {
    const business = { "x-api-key": running.keys.business }
    const made = await running.ask("/api/v1/visa/keys", {
      method: "POST",
      headers: business,
      body: JSON.stringify({ name: "Sandbox", mode: "test", scopes: ["webhooks"] }),
    })
    const webhook = await running.ask("/webhooks", {
      method: "POST",
      headers: { authorization: `Bearer ${made.read("key.key")}` },
      body: JSON.stringify({ url: "https://example.org/sandbox" }),
    })
    const id = String(webhook.read("id")).slice(3)
    const page = await open(`?webhook=${id}`, cookieOf("business"))
    assert.match(page.text, /https:\/\/example\.org\/sandbox<\/span><br><span[^>]*>[^<]*livemode[^<]*: false/)
    assert.match(page.text, /<pre[^>]*>[^<]*webhook\.ping/)
    const actOn = async (act: string, more = "") =>
      (await send(`do=${act}&id=${id}${more}`, cookieOf("business"))).status
    assert.strictEqual(await actOn("ping_webhook"), 404)
    assert.strictEqual(await actOn("end_webhook"), 404)
    assert.strictEqual(await actOn("ping_webhook", "&mode=test"), 303)
    const stranger = await send(`do=end_webhook&id=${id}&mode=test`, cookieOf("pro"))
    assert.strictEqual(stranger.status, 404)
    assert.strictEqual(await actOn("end_webhook", "&mode=test"), 303)
    assert.notInclude((await open("", cookieOf("business"))).text, "example.org/sandbox")
  })

  it("says of a stopped webhook why it was stopped, as both listings do", async () => {
    const why = "the endpoint answered 410"
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      body: JSON.stringify({ url: "https://example.org/gone" }),
    })
    const database = new DatabaseSync(join(running.folder, "landfall.db"), { timeout: 10_000 })
    database
      .prepare("UPDATE webhooks SET disabled_because = ? WHERE id = ?")
      .run(why, made.read("webhook.id") as number)
    database.close()
    assert.include((await open("", cookieOf("business"))).text, `>${why}</span>`)
    for (const path of ["/api/v1/visa/webhooks", "/webhooks"]) {
      const listed = (await running.askAs("business", path)).read("webhooks") as readonly Record<string, unknown>[]
      const stopped = listed.find(({ url }) => url === "https://example.org/gone")
      assert.deepStrictEqual([stopped?.active, stopped?.disabled_because], [false, why], path)
    }
  })
})
