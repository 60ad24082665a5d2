import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { verifyDelivery } from "../../src/engine.ts"
import { writeWorld } from "../changes/datasets.ts"
import { eventually } from "../eventually.ts"
import { makeFolder, startTestService } from "../http/service.ts"
import { startReceiver } from "./receiver.ts"

const NOW = Date.parse("2026-06-10T12:00:00Z")
const JSON_BODY = { "content-type": "application/json" }

describe("a dataset that changes one pair", () => {
  it("is used at once, and sent to a subscriber of each surface in one signed event", async () => {
    const folder = makeFolder()
    await using receiver = await startReceiver()
    const before = writeWorld(folder, { version: "world.1", days: 90 })
    const watched = join(folder, "watched.landfall")
    const env = {
      LANDFALL_DATASET: before,
      LANDFALL_DATASET_WATCH: watched,
      LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
    }
    await using running = await startTestService({ env, folder, stoppedAt: NOW })
    const bearer = { authorization: `Bearer ${running.keys.business}` }
    const onA = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify({ url: `${receiver.url}/a`, filter: { passports: ["AAA"], severity: "major" } }),
    })
    assert.strictEqual(onA.status, 201, onA.text)
    const onB = await running.ask("/webhooks", {
      method: "POST",
      headers: { ...bearer, ...JSON_BODY },
      body: JSON.stringify({ url: `${receiver.url}/b`, events: ["visa.policy_changed"], destinations: ["ccc"] }),
    })
    assert.strictEqual(onB.status, 201, onB.text)
    const secrets = { "/a": onA.read("webhook.secret") as string, "/b": onB.read("secret") as string }
    await receiver.until(({ length }) => length === 2)
    for (const { event } of receiver.received) assert.strictEqual(event.type, "webhook.ping")

    const check = "/api/v1/visa/check?passport=AAA&destination=CCC"
    assert.strictEqual((await running.askAs("business", check)).read("visa_free_days"), 90)
    renameSync(writeWorld(folder, { version: "world.2", days: 30 }), watched)
    await receiver.until(({ length }) => length === 4)
    assert.strictEqual((await running.askAs("business", check)).read("visa_free_days"), 30)

    const changes = receiver.received.slice(2)
    assert.sameMembers(
      changes.map(({ path }) => path),
      ["/a", "/b"],
    )
    for (const { path, headers, body, event } of changes) {
      assert.deepStrictEqual(event.data, {
        destination: "CCC",
        passport: "AAA",
        previous: { requirement: "visa_free", stay_days: 90, fee_usd: null },
        current: { requirement: "visa_free", stay_days: 30, fee_usd: null },
        effective_from: "2026-06-10T00:00:00Z",
        sources: [{ name: "A table", url: null }],
        severity: "major",
        fields: ["days"],
      })
      const secret = secrets[path as "/a" | "/b"]
      for (const scheme of ["svc", "body", "standard"] as const) {
        const verified = verifyDelivery({ scheme, headers, body, secrets: [secret], nowSeconds: NOW / 1_000 } as never)
        assert.isTrue(verified.ok, `${path} ${scheme} ${JSON.stringify(verified)}`)
      }
    }
    assert.strictEqual(new Set(changes.map(({ event }) => event.id)).size, 1)
    // Their outcomes are written a moment later.
    const counted = eventually(
      Effect.promise(() => running.ask("/metrics")),
      ({ text }) => /^landfall_event_to_delivered_seconds_count [1-9]/m.test(text),
    )
    const { text } = await Effect.runPromise(counted)
    assert.match(text, /^landfall_event_to_delivered_seconds_count [1-9]/m)
    assert.match(text, /^landfall_dataset_info\{version="world.2",as_of="[\d-]+"\} 1$/m)
    assert.match(text, /^landfall_waiting_work\{work="deliveries"\} 0$/m)
    assert.match(text, /^landfall_nodes 1$/m)
    const listed = await running.ask("/webhooks/wh_2/deliveries?limit=1", { headers: bearer })
    assert.strictEqual(listed.read("deliveries.0.event_id"), changes[0]?.event.id)
    rmSync(folder, { recursive: true, force: true })
  })
})
