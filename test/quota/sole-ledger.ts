/**
 * A ledger whose process is alone: whatever the database would be asked is answered from a few given numbers, and everything that is left may be
 * handed out. What happens between several processes and a real database is judged elsewhere.
 */
import { assert } from "vitest"
import type { Caller } from "../../adapters/accounts/account.ts"
import { Refusals } from "../../adapters/quota/count-refusals.ts"
import { type CallerRefusal, type Charge, Ledger, type PoolCharge } from "../../adapters/quota/ledger.ts"
import type { Quota, Refusal, Reservation } from "../../adapters/quota/reservation.ts"
import { type Demand, type Outcome, Unsaved } from "../../adapters/quota/unsaved.ts"
import { utcHourAt } from "../../adapters/time/utc-calendar.ts"

/** What the database has, by `pool period`. */
export type Stored = Readonly<Record<string, number>>

export class SoleLedger {
  readonly unsaved = new Unsaved()
  readonly refusals = new Refusals()
  readonly ledger: Ledger
  readonly #stored: Stored

  constructor(stored: Stored = {}, unconfirmedRequests = 5) {
    this.#stored = stored
    this.ledger = new Ledger({ unconfirmedRequests, unsaved: this.unsaved, refusals: this.refusals })
  }

  /** Answers what is demanded. */
  answer(demand: Demand, nowMs: number): void {
    const batch = this.unsaved.take({ demand, isWhole: false })
    const outcomes = batch.entries.map(({ count, add }) => {
      const used = (count.isLoaded ? count.stored : (this.#stored[`${count.key.pool} ${count.key.period}`] ?? 0)) + add
      const outcome: Outcome = { used, lease: Math.max(0, count.limit - used), asOfHour: utcHourAt(nowMs) }
      return [count, outcome] as const
    })
    this.unsaved.confirm(batch, new Map(outcomes))
    for (const usage of batch.lists) usage.isSeenLoaded = true
  }

  judge(caller: Caller, request: Charge | PoolCharge, nowMs: number): Reservation | CallerRefusal {
    for (;;) {
      const answer = this.ledger.reserve(caller, request, nowMs)
      if (answer !== null) return answer
      this.answer(this.ledger.demand(caller, request, nowMs), nowMs)
    }
  }

  reserve(caller: Caller, request: Charge | PoolCharge, nowMs: number): Reservation {
    const answer = this.judge(caller, request, nowMs)
    assert.isTrue(answer.ok, `refused: ${answer.ok ? "" : answer.reason}`)
    return answer as Reservation
  }

  refuse(caller: Caller, request: Charge | PoolCharge, nowMs: number): Refusal<CallerRefusal["reason"]> {
    const answer = this.judge(caller, request, nowMs)
    assert.isFalse(answer.ok)
    return answer as CallerRefusal
  }

  readQuota(caller: Caller, nowMs: number, pool: PoolCharge["pool"] = "visa"): Quota {
    const known = this.ledger.readQuota(caller, nowMs, pool)
    if (known !== null) return known
    this.answer(this.ledger.demand(caller, { pool, charge: 0 }, nowMs), nowMs)
    return this.ledger.readQuota(caller, nowMs, pool) as Quota
  }
}
