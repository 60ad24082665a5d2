/**
 * Ids that an account sees say nothing about the other accounts: they do not count what everybody has made. All routes that show an id are
 * asked by two accounts in turn.
 */
import { assert, describe, it } from "vitest"
import { startReceiver } from "../webhooks/receiver.ts"
import { startTestService } from "./service.ts"

const V1 = "/api/v1/visa"
const TURNS = 3
/** Every id, cursor and number of a record in a body, also in a sentence of the trail. */
const IDS = /"(?:\w*id|next_cursor)":"?(?:wh_)?(\d+)\b|\b(?:key|webhook|delivery|device|account) (\d+)/g
/** The installation of an event orders events, and is the same for everybody. */
const listIds = (text: string) =>
  [...text.replaceAll(/"installation\w*":\d+/g, "").matchAll(IDS)].map(([, id, named]) => Number(id ?? named))

describe("the ids that accounts see", () => {
  it("do not count what other accounts have made", async () => {
    await using receiver = await startReceiver()
    await using running = await startTestService({
      areIdsCounted: false,
      env: { LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" },
    })
    const seen = new Map<string, number[]>()
    const ask = async (plan: "business" | "pro", method: string, path: string, body?: unknown) => {
      const key = running.keys[plan]
      const headers = { "x-api-key": key, authorization: `Bearer ${key}`, "content-type": "application/json" }
      const reply = await running.ask(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      assert.isBelow(reply.status, 300, `${method} ${path}: ${reply.text}`)
      const row = `${method} ${path.replaceAll(/\d{2,}/g, "N")}`
      seen.set(row, [...(seen.get(row) ?? []), ...listIds(reply.text)])
      return reply
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const plan of ["business", "pro"] as const) {
        const device = { device_token: `${turn}${plan === "pro" ? "a" : "b"}`.repeat(32), platform: "apns" }
        const { device_id } = (await ask(plan, "POST", `${V1}/devices`, device)).read() as { device_id: number }
        await ask(plan, "PATCH", `${V1}/devices/${device_id}`, { lang: "fr" })
        await ask(plan, "DELETE", `${V1}/devices/${device_id}`)
        const made = await ask(plan, "POST", `${V1}/keys`, { name: "Shop", scopes: ["visa"] })
        await ask(plan, "POST", `${V1}/keys/${made.read("key.id")}/rotate`)
        await ask(plan, "DELETE", `${V1}/keys/${made.read("key.id")}`)
        await ask(plan, "GET", `${V1}/keys?limit=2`)
        await ask(plan, "GET", `${V1}/audit?limit=2`)
      }
      const team = await ask("business", "POST", `${V1}/team-keys`, { name: "Desk" })
      await ask("business", "GET", `${V1}/team-keys?limit=1`)
      await ask("business", "DELETE", `${V1}/team-keys?id=${team.read("team_key.id")}`)
      const hook = await ask("business", "POST", "/webhooks", { url: receiver.url })
      const one = `/webhooks/${hook.read("id")}`
      const pinged = await ask("business", "POST", `${one}/ping`)
      for (const [method, path] of [
        ["GET", "/webhooks?limit=1"],
        ["GET", one],
        ["POST", `${one}/enable`],
        ["POST", `${one}/rotate-secret`],
        ["GET", `${one}/deliveries?limit=1`],
        ["POST", `${one}/deliveries/${pinged.read("id")}/replay`],
        ["GET", `${V1}/webhooks?limit=1`],
      ] as const)
        await ask("business", method, path)
      const other = await ask("business", "POST", `${V1}/webhooks`, { url: receiver.url })
      await ask("business", "POST", `${V1}/webhooks/enable?id=${other.read("webhook.id")}`)
      await ask("business", "DELETE", `${V1}/webhooks?id=${other.read("webhook.id")}`)
    }
    const exported = await ask("business", "GET", `${V1}/audit?limit=100`)
    assert.isNotNull(exported.read("audit.0.id"))
    await receiver.until(({ length }) => length >= TURNS)
    for (const { event } of receiver.received)
      seen.set("webhook.ping", [...(seen.get("webhook.ping") ?? []), ...listIds(JSON.stringify(event))])

    assert.isAtLeast(seen.size, 20)
    for (const [row, ids] of seen) {
      assert.isNotEmpty(ids, row)
      assert.deepStrictEqual(
        ids.filter(id => id < 1e9 || !Number.isSafeInteger(id)),
        [],
        row,
      )
      const sorted = [...new Set(ids)].sort((a, b) => a - b)
      const steps = sorted.slice(1).map((id, at) => id - sorted[at]!)
      // A millisecond has 4,096 ids.
      if (steps.length > 1)
        assert.isAbove(
          steps.reduce((sum, step) => sum + step, 0),
          1_000 * steps.length,
          row,
        )
    }
  })
})
