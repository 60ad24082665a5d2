/**
 * How do exact counts in memory and a database that survives stay one thing?
 *
 * An account's counts are read once, at its first request; from then on a request is metered without SQL. Every {@link FLUSH_MS} and at
 * the end of the scope whatever has changed is added to the database in one transaction, so that a process that is killed loses at
 * most the last second. Several processes may share a database: each learns the others' counts when it saves its own, so that they
 * can exceed a quota together by what they serve within a second; the guard on destinations is kept by each process for itself.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Caller } from "../accounts/account.ts"
import { Plans } from "../accounts/plans.ts"
import { makeUsageRepository } from "../storage/usage-repository.ts"
import { type Charge, Ledger, type Quota, type Refusal, type Reservation } from "./ledger.ts"
import { formatUtcDay, utcDayAt } from "./utc-calendar.ts"

/** How often changes are saved: below a second, so that nothing unsaved is older than a second when saving takes its time too. */
export const FLUSH_MS = 750
/** After how long without a request an account's counts leave the memory. */
export const IDLE_MS = 600_000

interface MeterShape {
  /** Reserves a charge at an instant, without SQL; null says nothing: ask {@link reserveLoaded}. */
  readonly reserve: (caller: Caller, request: Charge, nowMs: number) => Reservation | Refusal | null
  /** Reserves a charge now; reads the account's counts first when they are not in memory. */
  readonly reserveLoaded: (caller: Caller, request: Charge) => Effect.Effect<Reservation | Refusal, SqlError.SqlError>
  /** What a caller has left at an instant, without SQL; null says nothing: ask {@link loadQuota}. */
  readonly readQuota: (caller: Caller, nowMs: number) => Quota | null
  /** What a caller has left now. */
  readonly loadQuota: (caller: Caller) => Effect.Effect<Quota, SqlError.SqlError>
  /** Saves everything that has changed so far. When it fails nothing is lost: it is saved with the next. */
  readonly flush: Effect.Effect<void, SqlError.SqlError>
  /** How many accounts are in memory. */
  readonly countLoadedAccounts: () => number
}

const makeMeter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* makeUsageRepository
  const { unconfirmedRequests } = yield* Plans
  const ledger = new Ledger({ unconfirmedRequests })
  const loading = yield* Semaphore.make(1)
  const saving = yield* Semaphore.make(1)

  const readStoredUsage = Effect.fnUntraced(function* (accountId: number) {
    if (ledger.hasBook(accountId)) return
    const nowMs = yield* Clock.currentTimeMillis
    const months = yield* rows.listUsage(accountId)
    const seen = yield* rows.listSeen(accountId, formatUtcDay(utcDayAt(nowMs)))
    ledger.openBook(accountId, { months, seen }, nowMs)
  })

  /** Answers from the open book, and opens it first when it has to be. */
  const withBook = <Answer>(
    caller: Caller,
    ask: (nowMs: number) => Answer | null,
  ): Effect.Effect<Answer, SqlError.SqlError> =>
    Effect.gen(function* () {
      for (;;) {
        const answer = ask(yield* Clock.currentTimeMillis)
        if (answer !== null) return answer
        yield* loading.withPermit(readStoredUsage(caller.accountId))
      }
    })

  const save = Effect.suspend(() => {
    const batch = ledger.takeUnsaved()
    if (batch.counts.length === 0 && batch.seen.length === 0) return Effect.void
    const write = Effect.gen(function* () {
      yield* rows.addSeen(
        batch.seen.map(({ accountId, day, passport, destination }) => ({
          account_id: accountId,
          seen_on: formatUtcDay(day),
          passport,
          destination,
        })),
      )
      return yield* rows.addUsage(
        batch.counts.map(count => ({ account_id: count.book.accountId, month: count.month.name, used: count.saving })),
      )
    })
    return sql.withTransaction(write).pipe(
      Effect.map(totals => ledger.confirmSaved(batch, totals)),
      Effect.onError(() => Effect.sync(() => ledger.returnUnsaved(batch))),
    )
  })
  const flush = Effect.uninterruptible(saving.withPermit(save))

  let forgottenBefore = Number.NEGATIVE_INFINITY
  const forgetOldDays = Effect.gen(function* () {
    const today = utcDayAt(yield* Clock.currentTimeMillis)
    if (today === forgottenBefore) return
    yield* rows.forgetSeenBefore(formatUtcDay(today))
    forgottenBefore = today
  })

  const tick = Effect.gen(function* () {
    yield* flush
    yield* forgetOldDays
    ledger.closeIdleBooks((yield* Clock.currentTimeMillis) - IDLE_MS)
  }).pipe(
    Effect.catchTag("SqlError", error =>
      Effect.logWarning("usage could not be saved; it is kept and saved with the next", error),
    ),
  )

  const meter: MeterShape = {
    reserve: (caller, request, nowMs) => ledger.reserve(caller, request, nowMs),
    reserveLoaded: (caller, request) => withBook(caller, nowMs => ledger.reserve(caller, request, nowMs)),
    readQuota: (caller, nowMs) => ledger.readQuota(caller, nowMs),
    loadQuota: caller => withBook(caller, nowMs => ledger.readQuota(caller, nowMs)),
    flush,
    countLoadedAccounts: () => ledger.size,
  }
  return { meter, tick }
})

/** The meter of this process. */
export class Meter extends Context.Service<Meter, MeterShape>()("landfall/metering/Meter") {
  /** Needs the migrated storage. Saves what is left when its scope ends, after the last request and before the database closes. */
  static readonly layer: Layer.Layer<Meter, SqlError.SqlError, SqlClient.SqlClient | Plans> = Layer.effect(
    Meter,
    Effect.gen(function* () {
      const { meter, tick } = yield* makeMeter
      yield* Effect.addFinalizer(() =>
        Effect.catchTag(meter.flush, "SqlError", error => Effect.logError("the last usage could not be saved", error)),
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(FLUSH_MS), tick)))
      return meter
    }),
  )
}
