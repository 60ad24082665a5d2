import { spawn } from "node:child_process"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { bundleCli } from "../cli/bundle.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { EVERYTHING, startDelivery } from "./delivery-process.ts"
import { startReceiver } from "./receiver.ts"

/** A receiver that answers when it is told to. */
const receiveLater = Effect.gen(function* () {
  const waiting: ServerResponse[] = []
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => startReceiver((_, response) => void waiting.push(response))),
    started => Effect.promise(() => started[Symbol.asyncDispose]()),
  )
  return { receiver, waiting }
})

describe("a dispatcher that has to stop", () => {
  it.live("completes and records current attempts, and begins no others", () =>
    Effect.gen(function* () {
      const { services, storage, webhooks } = yield* startDelivery(yield* makeDeployment)
      const { receiver, waiting } = yield* receiveLater
      const { webhook } = yield* webhooks.create(1, { url: receiver.url, terms: EVERYTHING, description: "" })
      yield* webhooks.ping(1, webhook.id)
      const scope = yield* Scope.make()
      const start = Effect.flatMap(makeDispatcher({ allowsPrivate: true }), ({ run }) => Effect.forkScoped(run))
      yield* start.pipe(Effect.provideContext(services), Effect.provideService(Scope.Scope, scope))
      yield* Effect.promise(() => receiver.until(({ length }) => length === 1))
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      waiting[0]?.writeHead(204).end()
      yield* Effect.promise(() => new Promise<void>(done => stopping.addObserver(() => done())))
      const [first, second] = [yield* storage.deliveries.find(1, 1), yield* storage.deliveries.find(1, 2)]
      assert.deepStrictEqual([first?.state, first?.attempt], ["delivered", 1])
      assert.deepStrictEqual([second?.state, second?.attempt], ["pending", 0])
      assert.strictEqual(receiver.received.length, 1)
    }),
  )

  it.live("gives up an attempt that takes too long: it is not counted, and free for others at once", () =>
    Effect.gen(function* () {
      const { services, storage, webhooks } = yield* startDelivery(yield* makeDeployment)
      const { receiver } = yield* receiveLater
      yield* webhooks.create(1, { url: receiver.url, terms: EVERYTHING, description: "" })
      const start = Effect.flatMap(makeDispatcher({ allowsPrivate: true, stopMs: 1 }), ({ run }) =>
        Effect.andThen(
          Effect.forkScoped(run),
          Effect.promise(() => receiver.until(({ length }) => length === 1)),
        ),
      )
      yield* Effect.scoped(Effect.provideContext(start, services))
      assert.deepInclude(yield* storage.deliveries.find(1, 1), { state: "pending", attempt: 0, last_error: null })
      const claim = { worker: "another", nowMs: Date.now(), leaseMs: 1, lanes: [1], each: 1 }
      assert.deepStrictEqual(
        (yield* storage.deliveries.claim(claim)).map(({ id, attempt }) => [id, attempt]),
        [[1, 1]],
      )
    }),
  )
})

describe("landfall worker", () => {
  it.live("delivers beside a service, completes current attempts when it has to stop, and exits with 0", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const { storage, webhooks } = yield* startDelivery({ databaseUrl })
      const { receiver, waiting } = yield* receiveLater
      yield* webhooks.create(1, { url: receiver.url, terms: EVERYTHING, description: "" })
      const env = { ...process.env, LANDFALL_DATABASE_URL: databaseUrl, LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" }
      const child = spawn(process.execPath, [bundleCli(), "worker"], { env, stdio: ["ignore", "pipe", "inherit"] })
      const ended = once(child, "exit")
      const said: string[] = []
      createInterface({ input: child.stdout }).on("line", line => said.push(line))
      yield* Effect.promise(() => receiver.until(({ length }) => length === 1))
      child.kill("SIGTERM")
      // It has been told before it is answered: it gives up nothing that it is at.
      waiting[0]?.writeHead(200).end("thanks")
      assert.deepStrictEqual(yield* Effect.promise(() => ended), [0, null])
      assert.lengthOf(said, 1)
      assert.match(said[0] as string, /^landfall delivers from the database .* \(1 at a time\)$/)
      const delivered = { state: "delivered", attempt: 1, last_status: 200, last_body: "thanks" } as const
      assert.deepInclude(yield* storage.deliveries.find(1, 1), delivered)
    }),
  )

  it("has a help text", async () => {
    const { runCli } = await import("../cli/run.ts")
    const { stdout } = await runCli(["worker", "--help"])
    assert.include(
      stdout,
      "Deliver webhooks and judge jobs, in addition to `landfall serve` or instead of its dispatchers",
    )
  })
})
