/**
 * What was each key used for, and when last?
 *
 * The charges of each key and the hour of its last use wait here until they are saved with the counts of the limits. They decide
 * nothing: a crash loses those of a second.
 */
import type { KeyUse } from "../storage/accounts-repository.ts"
import { startOfUtcHour, utcHourAt } from "../time/utc-calendar.ts"

/** How many keys are remembered whose last use is saved. */
const REMEMBERED_KEYS = 100_000

/** The uses that are not saved yet. Hours are whole ones since 1970, which need no memory of their own where they are kept. */
export class KeyUses {
  #waiting = new Map<number, { used: number; lastHour: number }>()
  /** The hours that were noted, so that a key that costs nothing is written once an hour. */
  #noted = new Map<number, number>()

  /** Records a use and its charge. */
  note(keyId: number, charge: number, nowMs: number): void {
    const hour = utcHourAt(nowMs)
    const waiting = this.#waiting.get(keyId)
    if (waiting?.lastHour === hour) {
      waiting.used += charge
      return
    }
    if (this.#noted.get(keyId) !== hour) {
      if (this.#noted.size >= REMEMBERED_KEYS) this.#noted.clear()
      this.#noted.set(keyId, hour)
    } else if (charge === 0) return
    this.#add(keyId, charge, hour)
  }

  /** Takes the uses to save, by key; pass them to {@link putBack} if they could not be saved. */
  take(): readonly KeyUse[] {
    const taken = [...this.#waiting].map(([id, { used, lastHour }]) => ({
      id,
      used,
      lastUsedAt: startOfUtcHour(lastHour),
    }))
    this.#waiting = new Map()
    return taken.sort((one, other) => one.id - other.id)
  }

  putBack(uses: readonly KeyUse[]): void {
    for (const { id, used, lastUsedAt } of uses) this.#add(id, used, utcHourAt(lastUsedAt))
  }

  #add(keyId: number, used: number, hour: number): void {
    const waiting = this.#waiting.get(keyId)
    if (waiting === undefined) this.#waiting.set(keyId, { used, lastHour: hour })
    else {
      waiting.used += used
      waiting.lastHour = Math.max(waiting.lastHour, hour)
    }
  }
}
