import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Affiliates } from "../../adapters/billing/affiliates.ts"
import { Billing } from "../../adapters/billing/billing.ts"
import { Mails } from "../../adapters/mail/mails.ts"
import { Environment, readConfig } from "../../adapters/settings/config.ts"
import { runWorkers } from "../../adapters/start/background-work.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeEvents } from "../../examples/payments/stripe-events.ts"
import { ana } from "../accounts/people.ts"
import { eventually } from "../eventually.ts"
import { inProcess, makeDeployment } from "../storage/deployment.ts"
import { signBody, stripeEnv } from "./stripe-counterpart.ts"

const DAY = 86_400_000

/** Runs an effect as if it were another moment. */
const at = <A, E, R>(ms: number, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, live =>
    Effect.provideService(work, Clock.Clock, {
      ...live,
      currentTimeMillisUnsafe: () => ms,
      currentTimeMillis: Effect.succeed(ms),
      currentTimeNanos: live.currentTimeNanos,
      currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
      monotonicTimeNanos: live.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
      sleep: duration => live.sleep(duration),
    }),
  )

describe("landfall worker", () => {
  it.live("ends a plan whose grace is over, once, however many of them there are", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const env = {
        ...stripeEnv("http://127.0.0.1:1"),
        LANDFALL_DATABASE_URL: place.databaseUrl,
        LANDFALL_LOG_LEVEL: "error",
      }
      const inEnvironment = Effect.provideService(Environment, env)
      const config = yield* inEnvironment(readConfig())
      const layer = Billing.layer(config.stripe).pipe(
        Layer.provideMerge(Layer.mergeAll(Affiliates.layer, Mails.layer("log"))),
      )
      const before = (yield* Clock.currentTimeMillis) - 8 * DAY
      yield* inProcess(place)(
        Effect.gen(function* () {
          const { account } = yield* (yield* Accounts).createAccount({ ...ana, plan: "free" })
          const events = makeEvents(account.id)
          const { receive } = yield* Billing
          for (const body of [events.completed(before, "pro"), events.failed(before, "in_1")])
            yield* at(before, receive(body, signBody(body, before)))
        }).pipe(Effect.provide(layer)),
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.all([inEnvironment(runWorkers), inEnvironment(runWorkers)], { concurrency: 2 })
          yield* inProcess(place)(
            Effect.gen(function* () {
              const accounts = yield* Accounts
              const planOf = Effect.map(accounts.findAccount(1), found => found?.plan)
              assert.strictEqual(yield* eventually(planOf, plan => plan === "free"), "free")
              const { audit } = yield* Storage
              assert.deepStrictEqual(
                (yield* audit.list({ account_id: 1 }, { order: ["id"] }))
                  .slice(1)
                  .map(({ actor, detail }) => [actor, detail]),
                [
                  ["payment", "free to pro"],
                  ["payment", "pro to free"],
                ],
              )
            }),
          )
        }),
      )
    }),
  )
})
