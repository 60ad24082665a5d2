/**
 * What was each key used for, and when last?
 *
 * The charges of each key and the hour of its last use wait here until they are saved with the counts of the limits. They decide
 * nothing: a crash loses those of a second.
 */
import type { KeyUse } from "../../platform/storage/accounts-repository.ts"
import { startOfUtcHour, utcHourAt } from "../../platform/time/utc-calendar.ts"

/** How many keys are remembered whose last use is saved. */
const REMEMBERED_KEYS = 100_000

/** The uses that are not saved yet. */
export class KeyUses {
  #waiting = new Map<number, { used: number; lastUsedAt: number }>()
  /** The hours that were noted, so that a key that costs nothing is written once an hour. */
  #noted = new Map<number, number>()

  /** Records a use and its charge. */
  note(keyId: number, charge: number, nowMs: number): void {
    const hour = startOfUtcHour(utcHourAt(nowMs))
    if (charge === 0 && this.#noted.get(keyId) === hour) return
    if (this.#noted.size >= REMEMBERED_KEYS) this.#noted.clear()
    this.#noted.set(keyId, hour)
    const waiting = this.#waiting.get(keyId)
    if (waiting === undefined) this.#waiting.set(keyId, { used: charge, lastUsedAt: hour })
    else {
      waiting.used += charge
      waiting.lastUsedAt = Math.max(waiting.lastUsedAt, hour)
    }
  }

  /** Takes the uses to save, by key; pass them to {@link putBack} if they could not be saved. */
  take(): readonly KeyUse[] {
    const taken = [...this.#waiting].map(([id, use]) => ({ id, ...use }))
    this.#waiting = new Map()
    return taken.sort((one, other) => one.id - other.id)
  }

  putBack(uses: readonly KeyUse[]): void {
    for (const { id, used, lastUsedAt } of uses) {
      const waiting = this.#waiting.get(id)
      this.#waiting.set(id, {
        used: used + (waiting?.used ?? 0),
        lastUsedAt: Math.max(lastUsedAt, waiting?.lastUsedAt ?? 0),
      })
    }
  }
}
