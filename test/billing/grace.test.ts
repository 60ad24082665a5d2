import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Affiliates } from "../../adapters/billing/affiliates.ts"
import { Billing } from "../../adapters/billing/billing.ts"
import { MAILS, Mails, makeOrderBox } from "../../adapters/mail/mails.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeEvents } from "../../examples/payments/stripe-events.ts"
import { ana } from "../accounts/people.ts"
import { type DatabasePlace, inProcess, makeDeployment } from "../storage/deployment.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { signBody, WEBHOOK_SECRET } from "./stripe-counterpart.ts"

const DAY = 86_400_000
const NOW = Date.parse("2026-11-21T12:00:00Z")

const options = {
  secretKey: Redacted.make("sk_test_of_the_tests"),
  webhookSecret: Redacted.make(WEBHOOK_SECRET),
  prices: { pro: { monthly: "price_pro" }, hobby: { monthly: "price_hobby" } },
  apiBase: null,
}

const layer = Billing.layer(options).pipe(Layer.provideMerge(Layer.mergeAll(Affiliates.layer, Mails.layer("smtp"))))

/** A clock whose time of day is set. Background tasks wait by the real clock, because they would run for every second of a week. */
const makeClock = Effect.map(Clock.Clock, live => {
  const time = { ms: NOW }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => time.ms,
    currentTimeNanosUnsafe: () => BigInt(time.ms) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => time.ms),
    currentTimeNanos: Effect.sync(() => BigInt(time.ms) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: duration => live.sleep(duration),
  }
  return { clock, time }
})

type Time = { ms: number }

const sell = <A, E, R>(place: DatabasePlace, work: (time: Time) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(makeClock, ({ clock, time }) =>
    Effect.provideService(Effect.scoped(inProcess(place)(Effect.provide(work(time), layer))), Clock.Clock, clock),
  )

const deliver = (body: string, atMs: number) =>
  Effect.flatMap(Billing, billing => billing.receive(body, signBody(body, atMs)))

const planOf = (id: number) =>
  Effect.flatMap(Accounts, accounts => Effect.map(accounts.findAccount(id), found => found?.plan))

describe("a plan that changes by itself", () => {
  it.live("stays for a week after a failed payment, of which its owner is notified once, and is free afterwards", () =>
    Effect.gen(function* () {
      yield* sell(yield* makeDeployment, time =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { account } = yield* accounts.createAccount({ ...ana, plan: "free" })
          yield* accounts.setLanguage(account.id, "pt")
          const events = makeEvents(account.id)
          yield* deliver(events.completed(NOW, "pro"), NOW)
          yield* deliver(events.paid(NOW, "in_1", 900), NOW)
          const failed = events.failed(NOW + 1_000, "in_2")
          for (const body of [failed, failed, events.failed(NOW + 2_000, "in_2")]) yield* deliver(body, NOW)
          const { applyDue } = yield* Billing
          assert.strictEqual(yield* applyDue, 0)
          time.ms += 7 * DAY + 999
          assert.strictEqual(yield* applyDue, 0)
          assert.strictEqual(yield* planOf(account.id), "pro")
          time.ms += 1
          assert.strictEqual(yield* applyDue, 1)
          assert.strictEqual(yield* planOf(account.id), "free")
          assert.strictEqual(yield* applyDue, 0)
          const { audit, queuedWork } = yield* Storage
          const [ordered, ...others] = yield* queuedWork(MAILS).claim({
            worker: "w",
            nowMs: time.ms,
            leaseMs: 1_000,
            lanes: [""],
            each: 2,
          })
          assert.isEmpty(others)
          const { open } = makeOrderBox(yield* DeploymentSecret)
          assert.deepStrictEqual(open(ordered!.number, ordered!.payload), {
            kind: "payment_failed",
            accountId: account.id,
            language: "pt",
            graceUntilMs: NOW + 1_000 - ((NOW + 1_000) % 1_000) + 7 * DAY,
          })
          const lines = (yield* audit.list({ account_id: account.id }, { order: ["id"] })).map(
            ({ actor, action, detail }) => [actor, action, detail],
          )
          assert.deepStrictEqual(lines.slice(1), [
            ["payment", "plan_changed", "free to pro"],
            ["payment", "plan_changed", "pro to free"],
          ])
        }),
      )
    }),
  )

  it.live("becomes the lower one when the paid period ends", () =>
    Effect.gen(function* () {
      yield* sell(yield* makeDeployment, time =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { account } = yield* accounts.createAccount({ ...ana, plan: "free" })
          const events = makeEvents(account.id)
          yield* deliver(events.updated(NOW, "price_pro", NOW + 30 * DAY), NOW)
          yield* deliver(events.updated(NOW + 1_000, "price_hobby", NOW + 30 * DAY), NOW)
          assert.strictEqual(yield* planOf(account.id), "pro")
          time.ms += 30 * DAY
          yield* (yield* Billing).applyDue
          assert.strictEqual(yield* planOf(account.id), "hobby")
        }),
      )
    }),
  )

  it.live("is right on PostgreSQL with simultaneous events of one subscription", () =>
    Effect.gen(function* () {
      yield* sell(yield* makePostgresDeployment, () =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { account } = yield* accounts.createAccount({ ...ana, plan: "free" })
          const affiliates = yield* Affiliates
          const { id } = yield* affiliates.register("Ira", "ira@example.org")
          assert.deepStrictEqual(yield* affiliates.refer(account, id), { kind: "referred", by: id })
          assert.isTrue(yield* affiliates.click(id, "192.0.2.1"))
          const events = makeEvents(account.id)
          const told = [
            events.completed(NOW, "pro"),
            events.paid(NOW, "in_1", 1_999),
            events.matched(NOW, "in_1", "pi_1"),
            events.refunded(NOW + 1_000, "pi_1", 999, false),
            events.updated(NOW + 2_000, "price_hobby", NOW + 30 * DAY),
          ]
          const taken = yield* Effect.forEach([...told, ...told], body => deliver(body, NOW), { concurrency: 10 })
          assert.lengthOf(
            taken.filter(isNew => isNew),
            told.length,
          )
          const { lifetime } = yield* affiliates.readTotals(id)
          assert.deepStrictEqual(lifetime, {
            clicks: 1,
            referrals: 1,
            conversions: 1,
            revenue_cents: 1_000,
            commission_cents: 150,
          })
          // No period was known to be paid for when the lower plan was chosen.
          assert.strictEqual(yield* planOf(account.id), "hobby")
        }),
      )
    }),
  )
})
