/**
 * How often was a request refused because a limit was reached?
 *
 * Counts since the start, by limit, reason and plan, for /metrics. There are few such combinations, so the list cannot grow.
 */
import type { PlanId } from "../settings/feature-options.ts"
import type { CallerPool, KeylessPool } from "./limits.ts"
import type { RefusalReason } from "./reservation.ts"

/** How often one thing was refused. */
export interface RefusalCount {
  readonly pool: CallerPool | KeylessPool
  readonly reason: RefusalReason
  /** The plan, or `none` without a key. */
  readonly plan: PlanId | "none"
  readonly count: number
}

export class Refusals {
  readonly #counts = new Map<string, { -readonly [Key in keyof RefusalCount]: RefusalCount[Key] }>()

  note(pool: RefusalCount["pool"], reason: RefusalReason, plan: RefusalCount["plan"]): void {
    const key = `${pool} ${reason} ${plan}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { pool, reason, plan, count: 1 })
    else known.count++
  }

  /** All of them. */
  list(): readonly RefusalCount[] {
    return [...this.#counts.values()].map(count => ({ ...count }))
  }
}
