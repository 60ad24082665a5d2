import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { Clock, Effect, Layer } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeRequirements, type PaymentOutcome, Payments, writeHeader } from "../../adapters/x402/payments.ts"
import { build, type DatabasePlace, layerProcess, makeDeployment } from "../storage/deployment.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { ASSET, NETWORK, PAY_TO, startChain } from "./chain.ts"

const place = { network: NETWORK, asset: ASSET, payTo: PAY_TO } as const
const bought = { url: "http://visa.example/", question: "IND DEU en", isAnswered: true }
const account = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`)

const sign = Effect.promise(async () => {
  const accepted = makeRequirements(place)
  const payment = await new ExactEvmScheme(account).createPaymentPayload(2, { ...accepted, network: NETWORK })
  return writeHeader({ x402Version: 2, accepted, payload: payment.payload })
})

/** A process that sells by the call, and one that shares its database. */
const open = (deployment: DatabasePlace) =>
  Effect.gen(function* () {
    const chain = yield* Effect.acquireRelease(Effect.promise(startChain), started =>
      Effect.promise(() => started[Symbol.asyncDispose]()),
    )
    const options = { ...place, facilitatorUrl: new URL(chain.url) }
    const start = Effect.map(
      build(Payments.layer(options).pipe(Layer.provideMerge(layerProcess(deployment)))),
      services =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.provideContext(work, services as never) as Effect.Effect<A, E>,
    )
    return { chain, first: yield* start, second: yield* start }
  })

const buy = (header: string) =>
  Effect.flatMap(Payments, ({ buy }) =>
    buy === null ? Effect.die("nothing is sold") : (buy(header, bought) as Effect.Effect<PaymentOutcome>),
  )

const reconcileLater = (ms: number) =>
  Effect.flatMap(Clock.Clock, live => {
    const at = live.currentTimeMillisUnsafe() + ms
    const later: Clock.Clock = {
      ...live,
      currentTimeMillisUnsafe: () => at,
      currentTimeMillis: Effect.succeed(at),
      sleep: duration => live.sleep(duration),
      currentTimeNanos: live.currentTimeNanos,
      currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
      monotonicTimeNanos: live.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    }
    return Effect.provideService(
      Effect.flatMap(Payments, ({ reconcile }) => reconcile),
      Clock.Clock,
      later,
    )
  })

const states = Effect.flatMap(Storage, ({ payments }) =>
  Effect.map(payments.list({}, { order: ["id"] }), rows => rows.map(({ state }) => state)),
)

describe.each<[string, Effect.Effect<DatabasePlace, never, never> | typeof makeDeployment]>([
  ["a file", makeDeployment],
  ["PostgreSQL", makePostgresDeployment],
])("on %s, a payment", (_, makePlace) => {
  it.live("whose answer was lost is looked up again by the service, and its payer gets the record once", () =>
    Effect.gen(function* () {
      const { chain, first, second } = yield* open(yield* makePlace)
      const header = yield* sign
      chain.mood = "loses the answer"
      assert.strictEqual((yield* first(buy(header))).kind, "away")
      assert.deepStrictEqual(yield* first(states), ["unknown"])
      chain.mood = "honest"
      assert.strictEqual(yield* second(reconcileLater(0)), 0)
      assert.strictEqual(yield* second(reconcileLater(31_000)), 1)
      assert.deepStrictEqual(yield* first(states), ["settled"])
      const asked = chain.asked.settle
      const answers = yield* Effect.all([first(buy(header)), second(buy(header)), first(buy(header))], {
        concurrency: 3,
      })
      assert.sameMembers(
        answers.map(({ kind }) => kind),
        ["settled", "required", "required"],
      )
      assert.strictEqual(chain.asked.settle, asked)
      assert.lengthOf(chain.transfers, 1)
    }).pipe(Effect.scoped),
  )

  it.live("is processed by only one of two processes", () =>
    Effect.gen(function* () {
      const { chain, first, second } = yield* open(yield* makePlace)
      const headers = yield* Effect.all([sign, sign, sign])
      const outcomes = yield* Effect.forEach(
        headers.flatMap(header => [first(buy(header)), second(buy(header))]),
        work => work,
        { concurrency: 6 },
      )
      assert.lengthOf(
        outcomes.filter(({ kind }) => kind === "settled"),
        3,
      )
      assert.lengthOf(chain.transfers, 3)
    }).pipe(Effect.scoped),
  )
})
