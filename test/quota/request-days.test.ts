import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Meter } from "../../adapters/quota/meter.ts"
import { REQUEST_DAYS, Storage } from "../../adapters/storage/storage.ts"
import { RequestDays, type RequestKind } from "../../adapters/storage/waiting-counts.ts"
import { utcDayAt } from "../../adapters/time/utc-calendar.ts"
import { inProcess, makeDeployment } from "../storage/deployment.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")
const DAY_MS = 86_400_000
const VISA: RequestKind = { method: "GET", route: "/api/v1/visa", status: "200" }
const WEBHOOK: RequestKind = { method: "GET", route: "/webhooks/:id", status: "404" }

const list = (accountId: number) =>
  Effect.gen(function* () {
    const { requestDays } = yield* Storage
    const rows = yield* requestDays.listOf(accountId, "2026-01-01", 10)
    return rows.map(({ day, method, route, status, requests }) => `${day} ${method} ${route} ${status} ${requests}`)
  })

describe("the request log of an account", () => {
  it.effect("counts what was asked by day, route and status, and adds to what is saved", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const work = Effect.gen(function* () {
        const meter = yield* Meter
        meter.noteRequest(1, VISA, NOON)
        meter.noteRequest(1, VISA, NOON)
        meter.noteRequest(2, WEBHOOK, NOON)
        yield* meter.flush
        meter.noteRequest(1, VISA, NOON)
        meter.noteRequest(1, WEBHOOK, NOON + DAY_MS)
        yield* meter.flush
        assert.deepStrictEqual(yield* list(1), [
          "2026-11-16 GET /webhooks/:id 404 1",
          "2026-11-15 GET /api/v1/visa 200 3",
        ])
        assert.deepStrictEqual(yield* list(2), ["2026-11-15 GET /webhooks/:id 404 1"])
      })
      yield* work.pipe(inProcess(yield* makeDeployment))
    }),
  )

  it.effect("forgets a day after two weeks", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      yield* TestClock.setTime(NOON)
      yield* Effect.flatMap(Meter, meter => Effect.sync(() => meter.noteRequest(1, VISA, NOON))).pipe(inProcess(place))
      const listAfter = (days: number) =>
        Effect.gen(function* () {
          const sweep = Effect.flatMap(Storage, storage => storage.sweep(NOON + days * DAY_MS))
          return yield* Effect.andThen(sweep, list(1)).pipe(inProcess(place))
        })
      assert.deepStrictEqual(yield* listAfter(REQUEST_DAYS - 1), ["2026-11-15 GET /api/v1/visa 200 1"])
      assert.deepStrictEqual(yield* listAfter(REQUEST_DAYS), [])
    }),
  )

  it.effect("keeps what could not be saved, and saves it with the next", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const work = Effect.gen(function* () {
        const meter = yield* Meter
        const sql = yield* SqlClient.SqlClient
        meter.noteRequest(1, VISA, NOON)
        yield* sql`ALTER TABLE request_days RENAME TO elsewhere`
        assert.strictEqual((yield* Effect.exit(meter.flush))._tag, "Failure")
        meter.noteRequest(1, VISA, NOON)
        yield* sql`ALTER TABLE elsewhere RENAME TO request_days`
        yield* meter.flush
        const rows = yield* sql<{ requests: number }>`SELECT requests FROM request_days`
        assert.deepStrictEqual(
          rows.map(({ requests }) => requests),
          [2],
        )
      })
      yield* work.pipe(inProcess(yield* makeDeployment))
    }),
  )

  it("waits with at most 50,000 counts, and goes on counting the kinds that wait already", () => {
    const waiting = new RequestDays()
    for (let accountId = 0; accountId < 60_000; accountId++) waiting.note(accountId, VISA, utcDayAt(NOON))
    waiting.note(0, VISA, utcDayAt(NOON))
    const { rows, putBack } = waiting.take()
    assert.lengthOf(rows, 50_000)
    assert.strictEqual(rows[0]?.requests, 2)
    assert.lengthOf(waiting.take().rows, 0)
    waiting.note(0, VISA, utcDayAt(NOON))
    putBack()
    const again = waiting.take().rows
    assert.lengthOf(again, 50_000)
    assert.strictEqual(again.find(({ account_id }) => account_id === 0)?.requests, 3)
  })
})
