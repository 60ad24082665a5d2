import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { MAIL_LEASE_MS, MAIL_RETRIES, makeMailDispatcher } from "../../adapters/accounts/mail-dispatcher.ts"
import { MAILS, type MailOrder, Mails } from "../../adapters/mail/mails.ts"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { build, layerAccounts, makeDeployment } from "../storage/deployment.ts"
import { startMailServer } from "./mail-server.ts"

const withServer = Effect.acquireRelease(Effect.promise(startMailServer), server =>
  Effect.promise(() => server[Symbol.asyncDispose]()),
)

/** A deployment with one account, a server, and a way to start dispatchers. */
const open = Effect.gen(function* () {
  // Without what counts requests: that wakes up every second, and a test moves the time by hours.
  const services = yield* build(layerAccounts(yield* makeDeployment))
  const server = yield* withServer
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideContext(Effect.provide(effect, Mails.layer("smtp")), services as never) as Effect.Effect<A, E>
  const { account, key } = yield* within(
    Effect.flatMap(Accounts, accounts =>
      accounts.createAccount({ name: "Ana", email: "ana@example.org", plan: "free", isConfirmed: true }),
    ),
  )
  const order = (mail: MailOrder) => within(Effect.flatMap(Mails, mails => mails.order(mail)))
  const start = (port: number) =>
    Effect.provideContext(
      makeMailDispatcher({
        readPublicUrl: () => "https://visa.example",
        smtp: {
          url: Redacted.make(`smtp://127.0.0.1:${port}`),
          from: { name: "Landfall", address: "visa@example.org" },
        },
      }),
      services as never,
    )
  const rows = within(
    Effect.flatMap(
      SqlClient.SqlClient,
      sql => sql<{
        state: string
        attempt: number
        due_at: number
        payload: string | null
        last_error: string | null
      }>`SELECT
        state, attempt, due_at, payload, last_error FROM queued_work ORDER BY id`,
    ),
  )
  const makeDue = within(Effect.flatMap(SqlClient.SqlClient, sql => sql`UPDATE queued_work SET due_at = 0`))
  const claim = (options: Parameters<ReturnType<StorageShape["queuedWork"]>["claim"]>[0]) =>
    within(Effect.flatMap(Storage, ({ queuedWork }) => queuedWork(MAILS).claim(options)))
  return { account, claim, key, makeDue, order, rows, server, start }
})

const A_WHILE_MS = 300_000

const confirmMail = (accountId: number): MailOrder => ({ kind: "confirm", accountId, language: "fr" })

describe("a mail dispatcher", () => {
  it.effect("sends an ordered mail once, and keeps nothing of its text", () =>
    Effect.gen(function* () {
      const { account, key, order, rows, server, start } = yield* open
      yield* order(confirmMail(account.id))
      const [first, second] = [yield* start(server.port), yield* start(server.port)]
      yield* Effect.all([first.drain, second.drain], { concurrency: 2 })
      assert.strictEqual(server.received.length, 1)
      const [mail] = server.received
      assert.deepStrictEqual(mail?.to, ["ana@example.org"])
      assert.match(mail?.text ?? "", /https:\/\/visa\.example\/api\/v1\/visa\/auth\/confirm\?token=[\w-]{43}\n/)
      assert.notInclude(mail?.raw, key)
      assert.strictEqual(mail?.headers["message-id"], "<landfall-1@visa.example>")
      assert.strictEqual(mail?.headers["auto-submitted"], "auto-generated")
      assert.deepStrictEqual(
        (yield* rows).map(({ state, payload }) => [state, payload]),
        [["done", null]],
      )
    }).pipe(Effect.scoped),
  )

  it.effect("retries after a temporary error or an outage, each time later, and gives up in the end", () =>
    Effect.gen(function* () {
      const { account, makeDue, order, rows, server, start } = yield* open
      yield* order(confirmMail(account.id))
      server.reception = "later"
      const { drain } = yield* start(server.port)
      for (const [at, wait] of MAIL_RETRIES.waitsMs.entries()) {
        yield* drain
        const [row] = yield* rows
        assert.strictEqual(row?.attempt, at + 1)
        assert.strictEqual(row?.state, "pending")
        assert.strictEqual(row?.due_at, (yield* Clock.currentTimeMillis) + wait)
        assert.strictEqual(row?.last_error, "EENVELOPE, status 451")
        // Everything that looks every second is awake all that time.
        yield* wait > A_WHILE_MS ? makeDue : TestClock.adjust(wait)
      }
      yield* drain
      const [row] = yield* rows
      assert.deepStrictEqual([row?.state, row?.payload], ["given_up", null])
      assert.isEmpty(server.received)
    }).pipe(Effect.scoped),
  )

  it.effect("gives up at once after a permanent error, and stores no address", () =>
    Effect.gen(function* () {
      const { account, order, rows, server, start } = yield* open
      yield* order(confirmMail(account.id))
      server.reception = "refused"
      yield* (yield* start(server.port)).drain
      const [row] = yield* rows
      assert.deepStrictEqual([row?.state, row?.last_error], ["given_up", "EENVELOPE, status 550"])
    }).pipe(Effect.scoped),
  )

  it.effect("sends the mail of a dispatcher that died from another one, when the claim has expired", () =>
    Effect.gen(function* () {
      const { account, claim, order, server, start } = yield* open
      yield* order(confirmMail(account.id))
      const nowMs = yield* Clock.currentTimeMillis
      // Claimed by a process that has ended.
      assert.lengthOf(yield* claim({ worker: "dead", nowMs, leaseMs: MAIL_LEASE_MS, lanes: [""], each: 1 }), 1)
      const { drain } = yield* start(server.port)
      yield* drain
      assert.isEmpty(server.received)
      yield* TestClock.adjust(MAIL_LEASE_MS)
      yield* drain
      assert.strictEqual(server.received.length, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("sends nothing for an order whose account was removed", () =>
    Effect.gen(function* () {
      const { order, rows, server, start } = yield* open
      yield* order({ kind: "sign_in", email: "nobody@example.org", language: "en" })
      yield* order(confirmMail(999))
      yield* (yield* start(server.port)).drain
      assert.isEmpty(server.received)
      assert.deepStrictEqual(
        (yield* rows).map(({ state }) => state),
        ["done", "done"],
      )
    }).pipe(Effect.scoped),
  )
})
