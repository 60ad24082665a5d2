import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger } from "effect"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { EVERYTHING, startDelivery } from "./delivery-process.ts"
import { startReceiver } from "./receiver.ts"

interface Statements {
  readonly deliveries?: Partial<StorageShape["deliveries"]>
  readonly webhooks?: Partial<StorageShape["webhooks"]>
}

/** A deployment with one subscription, to which one delivery is due, and what it is delivered with. */
const startOne = Effect.gen(function* () {
  const { services, storage, webhooks } = yield* startDelivery(yield* makeDeployment)
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => startReceiver()),
    started => Effect.promise(() => started[Symbol.asyncDispose]()),
  )
  yield* webhooks.create(1, { url: receiver.url, terms: EVERYTHING, description: "" })
  const logged: string[] = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${[message].flat()[0]}`))
  /** The services, with some other statements. */
  const withStatements = ({ deliveries = {}, webhooks = {} }: Statements) =>
    services.pipe(
      Context.add(Storage, {
        ...storage,
        deliveries: { ...storage.deliveries, ...deliveries },
        webhooks: { ...storage.webhooks, ...webhooks },
      }),
      Context.add(Logger.CurrentLoggers, new Set([logger])),
    )
  return { logged, receiver, storage, withStatements }
})

describe("a dispatcher with an internal error", () => {
  it.live("logs it and continues if a turn fails", () =>
    Effect.gen(function* () {
      const { logged, receiver, storage, withStatements } = yield* startOne
      let claims = 0
      const services = withStatements({
        deliveries: {
          claim: options =>
            claims++ === 0 ? Effect.die(new TypeError("a fault of a test")) : storage.deliveries.claim(options),
        },
      })
      yield* Effect.gen(function* () {
        const { run } = yield* makeDispatcher({ allowsPrivate: true })
        yield* Effect.forkScoped(run)
        yield* Effect.promise(() => receiver.until(({ length }) => length === 1))
      }).pipe(Effect.scoped, Effect.provideContext(services))
      assert.deepStrictEqual(logged, ["Error deliveries wait", "Info deliveries wait: over"])
      assert.deepInclude(yield* storage.deliveries.find(1, 1), { state: "delivered", attempt: 1 })
    }),
  )

  it.live("counts an attempt that cannot be made as failed, and continues", () =>
    Effect.gen(function* () {
      const { logged, receiver, storage, withStatements } = yield* startOne
      const services = withStatements({
        webhooks: {
          findAll: (column, ids) =>
            Effect.map(storage.webhooks.findAll(column, ids), rows =>
              rows.map(row => ({
                ...row,
                get url(): string {
                  throw new TypeError("a fault of a test")
                },
              })),
            ),
        },
      })
      const drain = Effect.flatMap(makeDispatcher({ allowsPrivate: true }), dispatcher => dispatcher.drain)
      yield* drain.pipe(Effect.scoped, Effect.provideContext(services))
      assert.lengthOf(receiver.received, 0)
      assert.deepStrictEqual(logged, ["Error deliveries: the attempt of 1 could not be made"])
      const delivery = yield* storage.deliveries.find(1, 1)
      assert.deepInclude(delivery, { state: "pending", attempt: 1, last_error: "the attempt could not be made" })
    }),
  )
})
