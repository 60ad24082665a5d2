/**
 * How does a question that takes long to judge leave time for others?
 *
 * One of them is judged at a time, in turns of the accounts, and between two of them everything else that has arrived is answered. So an
 * account that asks a hundred at once delays others by one.
 */
import { Turns } from "./turns.ts"

/** How many questions of one account wait at most, and how many in all. */
const MOST_OF_ACCOUNT = 100
const MOST = 400

/** The questions that wait for their turn. */
export class LongWork {
  readonly #turns = new Turns(1)
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Waits for the turn of an account, which lasts until the next round of the event loop; null if too many wait. */
  wait(account: string): Promise<void> | null {
    const waiting = this.#waiting.get(account) ?? 0
    if (waiting >= MOST_OF_ACCOUNT || this.#all >= MOST) return null
    this.#waiting.set(account, waiting + 1)
    this.#all++
    return this.#turns.wait(account).then(() => {
      this.#leave(account)
      // What this round has answered is sent at the end of the next one.
      setImmediate(() => setImmediate(() => this.#turns.end()))
    })
  }

  #leave(account: string): void {
    const waiting = (this.#waiting.get(account) as number) - 1
    if (waiting === 0) this.#waiting.delete(account)
    else this.#waiting.set(account, waiting)
    this.#all--
  }
}
