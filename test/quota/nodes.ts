/**
 * Processes that share a database, without the machine's time: each has its own ledger and its own leases, and does what it is told, when it is
 * told. The database is real; a fault can be put between the two.
 */
import { Clock, Context, Effect, type Scope } from "effect"
import type { Caller } from "../../adapters/accounts/account.ts"
import { Refusals } from "../../adapters/quota/count-refusals.ts"
import { type CallerRefusal, type Charge, Ledger, type PoolCharge } from "../../adapters/quota/ledger.ts"
import { makeLedgerSync } from "../../adapters/quota/ledger-sync.ts"
import type { Quota, Reservation } from "../../adapters/quota/reservation.ts"
import { type Demand, Unsaved } from "../../adapters/quota/unsaved.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../../adapters/storage/storage-errors.ts"
import { build, type DatabasePlace } from "../storage/deployment.ts"

/** A time that stands still until it is set. */
export const makeTime = (startsAt: number) => {
  const time = { nowMs: startsAt }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => time.nowMs,
    currentTimeNanosUnsafe: () => BigInt(time.nowMs) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => time.nowMs),
    currentTimeNanos: Effect.sync(() => BigInt(time.nowMs) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep: () => Effect.yieldNow,
  }
  return { time, run: Effect.provideService(Clock.Clock, clock) }
}

/** What goes wrong with the next transaction: it is not done, or it is done and nobody hears of it. */
export type Fault = "lost" | "unheard"

/** The storage of a place, to which faults can be done. */
export const openFaultyStorage = (
  place: DatabasePlace,
): Effect.Effect<
  { readonly storage: Storage["Service"]; readonly breakNext: (fault: Fault) => void },
  unknown,
  Scope.Scope
> =>
  Effect.map(build(layerStorage(place.databaseUrl)), services => {
    const real = Context.get(services, Storage)
    let fault: Fault | null = null
    const transact: Storage["Service"]["transact"] = (effect, options) =>
      Effect.suspend(() => {
        const met = fault
        fault = null
        if (met === null) return real.transact(effect, options)
        const failure = Effect.fail(makeUnavailable("unreachable", real.label))
        if (met === "lost") return real.transact(Effect.andThen(effect, failure), options)
        return Effect.andThen(real.transact(effect, options), failure)
      })
    const breakNext = (next: Fault) => {
      fault = next
    }
    return { storage: { ...real, transact }, breakNext }
  })

/** One process. */
export class TestNode {
  readonly unsaved = new Unsaved()
  readonly ledger: Ledger
  readonly #parts: Effect.Success<ReturnType<typeof makeLedgerSync>>

  private constructor(ledger: Ledger, unsaved: Unsaved, parts: Effect.Success<ReturnType<typeof makeLedgerSync>>) {
    this.ledger = ledger
    this.unsaved = unsaved
    this.#parts = parts
  }

  static start(
    storage: Storage["Service"],
    options: { readonly unconfirmedRequests: number; readonly nodeLeaseMs: number },
  ) {
    return Effect.gen(function* () {
      const unsaved = new Unsaved()
      const ledger = new Ledger({ ...options, unsaved, refusals: new Refusals() })
      const listUsages = () => [...ledger.listUsages()]
      const parts = yield* makeLedgerSync({ storage, unsaved, listUsages, nodeLeaseMs: options.nodeLeaseMs })
      return new TestNode(ledger, unsaved, parts)
    })
  }

  /** Judges a request; null when others hold what it wants. */
  judge(
    caller: Caller,
    request: Charge | PoolCharge,
    nowMs: number,
  ): Effect.Effect<Reservation | CallerRefusal | null, Unavailable> {
    return this.#answer(
      () => this.ledger.reserve(caller, request, nowMs),
      () => this.ledger.demand(caller, request, nowMs),
    )
  }

  /** What a caller has left. */
  readQuota(caller: Caller, nowMs: number, pool: "visa" | "lookup"): Effect.Effect<Quota | null, Unavailable> {
    return this.#answer(
      () => this.ledger.readQuota(caller, nowMs, pool),
      () => this.ledger.demand(caller, { pool, charge: 0 }, nowMs),
    )
  }

  /** Saves everything. */
  get flush(): Effect.Effect<void, Unavailable> {
    return Effect.asVoid(this.#parts.sync(() => ({ isWhole: true })))
  }

  get keepHouse(): Effect.Effect<void, Unavailable> {
    return this.#parts.keepHouse
  }

  get leave(): Effect.Effect<void, Unavailable> {
    return Effect.andThen(this.flush, this.#parts.leave)
  }

  #answer<Value>(judge: () => Value | null, demandOf: () => Demand): Effect.Effect<Value | null, Unavailable> {
    const { sync } = this.#parts
    return Effect.gen(function* () {
      for (;;) {
        const answer = judge()
        if (answer !== null) return answer
        const starved = yield* sync(() => ({ demand: demandOf(), isWhole: false }))
        if (starved.length > 0) return null
      }
    })
  }
}
