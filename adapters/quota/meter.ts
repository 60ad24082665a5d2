/**
 * How are exact counts in memory kept consistent with a database?
 *
 * What an account or an address has used is read once, at its first request, and with it comes a lease: what this process may
 * hand out without asking. From then on a request is metered without SQL. Every {@link FLUSH_MS} and at the end of the scope
 * whatever has changed is added to the database in one transaction, so that a process that is killed loses at most the last
 * second. Several processes may share a database: their leases never come to more than the limit. While the database is
 * unavailable, known callers are served from the leases.
 */
import { createHmac } from "node:crypto"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { Caller } from "../accounts/account.ts"
import { Plans } from "../plans/plans.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"
import type { Usage } from "./caller-usage.ts"
import { Refusals } from "./count-refusals.ts"
import { type KeylessCharge, KeylessLedger } from "./keyless-ledger.ts"
import { type CallerRefusal, type Charge, Ledger, type PoolCharge } from "./ledger.ts"
import { makeLedgerSync, NODE_LEASE_MS } from "./ledger-sync.ts"
import type { CallerPool, KeylessPool } from "./limits.ts"
import type { PoolCount } from "./pool-count.ts"
import type { RequestKind } from "./request-days.ts"
import type { Refusal, Reservation } from "./reservation.ts"
import { type Demand, makeDemand, Unsaved } from "./unsaved.ts"

/** How often changes are saved: below a second, so that nothing unsaved is older than a second when saving takes its time too. */
export const FLUSH_MS = 750
/** After how long without a request the counts of an account or address leave the memory. */
export const IDLE_MS = 600_000
const KEYLESS_IDLE_MS = 60_000
/** How long a request waits for the database before it gets the answer that it is not available. */
export const ASK_TIMEOUT_MS = 1_000
/** How long a request waits for other processes to return unneeded leases, and how often it checks. */
const PATIENCE_MS = 1_000
const LOOK_AGAIN_MS = 125
/** How long it is then refused without asking again. */
const DENIAL_MS = 1_000
/** For how many days what was used on each is kept: a month and the one before. */
const KEPT_DAYS = 62
/** For how many days, today among them, it is kept how often each route was asked. */
export const REQUEST_DAYS = 14

/** Reserves for a caller; the visa service's limits when no other pool is named. */
interface ReserveFor<When> {
  (caller: Caller, request: Charge, ...rest: Rest<When>): Result<Reservation | Refusal, When>
  (caller: Caller, request: PoolCharge, ...rest: Rest<When>): Result<Reservation | CallerRefusal, When>
}
type Rest<When> = When extends "now" ? [nowMs: number] : []
type Result<Value, When> = When extends "now" ? Value | null : Effect.Effect<Value, Unavailable>

/** Options for tests and measurements. */
export interface MeterOptions {
  /** After how long without a sign of life the leases of a process go to the others. */
  readonly nodeLeaseMs?: number
  readonly maximumAddresses?: number
}

/** The demand of one transaction, and the counts whose rest other processes hold. */
interface Question {
  readonly demand: Demand
  readonly starved: Deferred.Deferred<readonly PoolCount[], Unavailable>
}

const makeMeter = Effect.fnUntraced(function* ({ nodeLeaseMs = NODE_LEASE_MS, maximumAddresses }: MeterOptions) {
  const storage = yield* Storage
  const plans = yield* Plans
  const addressKey = (yield* DeploymentSecret).deriveKey("visitor address")
  const scope = yield* Scope.Scope
  const unsaved = new Unsaved()
  const refusals = new Refusals()
  const ledger = new Ledger({ unconfirmedRequests: plans.unconfirmedRequests, unsaved, refusals })
  const keyless = new KeylessLedger({
    limits: {
      checksPerMinute: plans.keylessChecksPerMinute,
      spotsPerDay: plans.keylessSpotsPerDay,
      pairsPerDay: plans.keylessPairsPerDay,
    },
    unsaved,
    refusals,
    nameSubject: (client, day) => createHmac("sha256", addressKey).update(`${day} ${client}`).digest("base64url"),
    ...(maximumAddresses === undefined ? {} : { maximumAddresses }),
  })
  const listUsages = () => [...ledger.listUsages(), ...keyless.listUsages()]
  const { sync, keepHouse, leave } = yield* makeLedgerSync({ storage, unsaved, listUsages, nodeLeaseMs })

  let waiting: Question | null = null

  /**
   * Asks the database the collected questions in their turn. Callers that waited too long get that answer, whatever the result is later.
   */
  const pose = Effect.fnUntraced(function* (question: Question) {
    const close = () => {
      if (waiting === question) waiting = null
    }
    let isOver = false
    const answer = sync(() => {
      close()
      // No caller waits for it any more, so it delays neither the database nor the end of this process.
      return { demand: isOver ? makeDemand() : question.demand, isWhole: false }
    })
    const end = (exit: Exit.Exit<readonly PoolCount[], Unavailable>) =>
      Effect.suspend(() => {
        isOver = true
        close()
        return Deferred.done(question.starved, exit)
      })
    const tooLong = Effect.delay(
      Effect.suspend(() => end(Exit.fail(makeUnavailable("busy", storage.label)))),
      ASK_TIMEOUT_MS,
    )
    const timer = yield* Effect.forkIn(tooLong, scope)
    yield* Effect.onExit(answer, exit => Effect.andThen(end(exit), Fiber.interrupt(timer)))
  })

  /** Asks the database; what is asked while another question is under way goes into one transaction. */
  const ask = (demand: Demand): Effect.Effect<readonly PoolCount[], Unavailable> =>
    Effect.suspend(() => {
      const question = waiting ?? { demand: makeDemand(), starved: Deferred.makeUnsafe() }
      for (const [count, want] of demand.wants) {
        question.demand.wants.set(count, Math.max(want, question.demand.wants.get(count) ?? 0))
      }
      for (const usage of demand.lists) question.demand.lists.add(usage)
      const answer = Deferred.await(question.starved)
      if (waiting !== null) return answer
      waiting = question
      return Effect.andThen(Effect.forkIn(pose(question), scope), answer)
    })

  /** Answers from memory; asks the database first when memory does not suffice. */
  const judged = Effect.fnUntraced(function* <Value>(
    judge: (nowMs: number) => Value | null,
    demandOf: (nowMs: number) => Demand,
  ) {
    let hungrySince: number | undefined
    for (;;) {
      const nowMs = yield* Clock.currentTimeMillis
      const answer = judge(nowMs)
      if (answer !== null) return answer
      const demand = demandOf(nowMs)
      const starved = (yield* ask(demand)).filter(count => demand.wants.has(count))
      if (starved.length === 0) continue
      hungrySince ??= nowMs
      if (nowMs - hungrySince < PATIENCE_MS) yield* Effect.sleep(LOOK_AGAIN_MS)
      else for (const count of starved) count.deniedUntil = nowMs + DENIAL_MS
    }
  })

  let flushes = 0
  let lastFlushSeconds = 0
  const outages = new OutageLog("usage could not be saved; it is kept and saved with the next")

  const saveKeyUses = Effect.suspend(() => {
    const uses = unsaved.keys.take()
    if (uses.length === 0) return Effect.void
    return storage
      .transact(storage.accounts.addKeyUse(uses), { isDurable: false })
      .pipe(Effect.onError(() => Effect.sync(() => unsaved.keys.putBack(uses))))
  })

  const saveRequests = Effect.suspend(() => {
    const { rows, putBack } = unsaved.requests.take()
    if (rows.length === 0) return Effect.void
    return storage
      .transact(storage.requestDays.add(rows), { isDurable: false })
      .pipe(Effect.onError(() => Effect.sync(putBack)))
  })

  const save = (idleCounts: () => readonly PoolCount[]) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const startedAt = clock.monotonicTimeNanosUnsafe()
      flushes++
      yield* Effect.ensuring(
        sync(() => ({ releases: idleCounts(), isWhole: true })),
        Effect.sync(() => {
          lastFlushSeconds = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
        }),
      )
      yield* saveKeyUses
      yield* saveRequests
    })
  const flush = save(() => [])

  let forgottenBefore = Number.NEGATIVE_INFINITY
  const forgetOldDays = Effect.gen(function* () {
    const today = utcDayAt(yield* Clock.currentTimeMillis)
    if (today === forgottenBefore) return
    yield* storage.seen.forgetSeenBefore(formatUtcDay(today))
    yield* storage.pools.forgetCountedDaysBefore(formatUtcDay(today))
    yield* storage.pools.forgetDaysBefore(formatUtcDay(today - KEPT_DAYS))
    yield* storage.requestDays.forgetBefore(formatUtcDay(today - REQUEST_DAYS + 1))
    forgottenBefore = today
  })

  const tick = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const isIdle = (usage: Usage, idleMs: number) => usage.usedAt < nowMs - idleMs && usage.openReservations === 0
    const listIdle = () => [
      ...[...ledger.listUsages()].filter(usage => isIdle(usage, IDLE_MS)),
      ...[...keyless.listUsages()].filter(usage => isIdle(usage, KEYLESS_IDLE_MS)),
    ]
    yield* save(() => listIdle().flatMap(usage => usage.listCounts().filter(count => count.leased > 0)))
    yield* keepHouse
    yield* forgetOldDays
    const busy = unsaved.listUsagesWithItems()
    const isSettled = (usage: Usage) =>
      !busy.has(usage) && usage.listCounts().every(count => count.own === 0 && count.leased === 0)
    ledger.forget(usage => isIdle(usage, IDLE_MS) && isSettled(usage))
    keyless.forget(usage => isIdle(usage, KEYLESS_IDLE_MS) && isSettled(usage))
  })

  /** Reserves a charge at an instant, without SQL; null where memory does not suffice: ask `reserveLoaded`. */
  const reserve: ReserveFor<"now"> = (caller: Caller, request: Charge | PoolCharge, nowMs: number) =>
    ledger.reserve(caller, request, nowMs) as Reservation | null

  /** Reserves a charge now; asks the database first where that is needed. */
  const reserveLoaded: ReserveFor<"asked"> = (caller: Caller, request: Charge | PoolCharge) =>
    judged(
      nowMs => ledger.reserve(caller, request, nowMs) as Reservation | null,
      nowMs => ledger.demand(caller, request, nowMs),
    )

  // What is left is saved when the scope ends, after the last request and before the database closes.
  yield* Effect.addFinalizer(() =>
    new OutageLog("the last usage could not be saved").watch(Effect.andThen(flush, leave)),
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(FLUSH_MS), outages.watch(tick))))
  return {
    reserve,
    reserveLoaded,
    /** Returns what a caller has left at an instant, without SQL; null if memory is not enough: use `loadQuota`. */
    readQuota: (caller: Caller, nowMs: number, pool?: CallerPool) => ledger.readQuota(caller, nowMs, pool),
    /** Returns what a caller has left now. */
    loadQuota: (caller: Caller, pool: CallerPool = "visa") =>
      judged(
        nowMs => ledger.readQuota(caller, nowMs, pool),
        nowMs => ledger.demand(caller, { pool, charge: 0 }, nowMs),
      ),
    /** Reserves for a client address without a key, without SQL; null where memory does not suffice: ask `reserveKeylessLoaded`. */
    reserveKeyless: (client: string, request: KeylessCharge, nowMs: number) => keyless.reserve(client, request, nowMs),
    /** Reserves for a client address now. */
    reserveKeylessLoaded: (client: string, request: KeylessCharge) =>
      judged(
        nowMs => keyless.reserve(client, request, nowMs),
        nowMs => keyless.demand(client, request, nowMs),
      ),
    /** Counts an answered request of an account. */
    noteRequest: (accountId: number, kind: RequestKind, nowMs: number) =>
      unsaved.requests.noteAt(accountId, kind, nowMs),
    /** Notes that a key was used for something that may cost nothing. */
    noteKey: (keyId: number, nowMs: number) => unsaved.keys.note(keyId, 0, nowMs),
    /** Returns what a client address has left, without SQL; null if memory is not enough. */
    readKeyless: (client: string, pool: KeylessPool, nowMs: number) => keyless.read(client, pool, nowMs),
    /** Saves everything that has changed so far. If it fails, the next flush saves it. */
    flush,
    countLoadedAccounts: () => ledger.size,
    readState: () => {
      const { requests, items } = unsaved.count()
      return {
        loadedAccounts: ledger.size,
        loadedAddresses: keyless.size,
        unsavedRequests: requests,
        unsavedItems: items,
        /** How many requests this process may serve without asking. */
        leasedRequests: unsaved.leased,
        flushes,
        flushFailures: outages.failures,
        lastFlushSeconds,
        refusals: refusals.list(),
      }
    },
  }
})

/** What operators see of it. */
export type MeterState = ReturnType<Meter["Service"]["readState"]>

export class Meter extends Context.Service<Meter>()("landfall/metering/Meter", { make: makeMeter }) {
  static readonly layerWith = (options: MeterOptions) => Layer.effect(Meter, makeMeter(options))

  /** {@link layerWith} with the usual options. */
  static readonly layer = Meter.layerWith({})
}
