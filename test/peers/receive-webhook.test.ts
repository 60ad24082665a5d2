import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeReceiver, type WebhookEvent } from "../../examples/receive-webhook.ts"
import { findFreePort } from "../storage/postgres-server.ts"
import { CHANGE, subscribe } from "../webhooks/subscribed.ts"

describe("examples/receive-webhook.ts", () => {
  it.live(
    "accepts deliveries of the dispatcher by two published verifiers, handles an event once, and nothing else",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(findFreePort)
        const url = `http://127.0.0.1:${port}/`
        const { secret, deliver, states, replay } = yield* subscribe(url)
        const handled: WebhookEvent[] = []
        const server = makeReceiver(secret, event => void handled.push(event))
        yield* Effect.acquireRelease(
          Effect.promise(() => new Promise<void>(resolve => server.listen(port, "127.0.0.1", resolve))),
          () =>
            Effect.sync(() => {
              server.close()
              server.closeAllConnections()
            }),
        )
        yield* deliver
        yield* replay
        yield* deliver
        assert.deepStrictEqual(yield* states, [204, 204])
        assert.deepStrictEqual(
          handled.map(({ type }) => type),
          ["webhook.ping", "visa.policy_changed"],
        )
        assert.deepStrictEqual(handled[1]?.data, CHANGE)
        const forged = yield* Effect.promise(() => fetch(url, { method: "POST", body: JSON.stringify(handled[1]) }))
        assert.strictEqual(forged.status, 401)
        assert.strictEqual(handled.length, 2)
      }),
  )
})
