/**
 * How does a question that takes long to judge leave time for others?
 *
 * One of them is judged at a time, in turns of the accounts, and between two of them everything else that has arrived is answered. So an
 * account that asks a hundred at once delays others by one.
 */
import type { Exchange } from "./exchange.ts"
import { type Later, Refused, type StageOutcome, waitFor } from "./later.ts"
import { Turns } from "./turns.ts"

/** How many questions of one account wait at most, and how many in all. */
const MOST_OF_ACCOUNT = 100
const MOST = 400

/**
 * How many rounds of the event loop pass between two of them. A round accepts one connection, and an answer is sent in the round after its
 * own: with few rounds, a client would wait for a long question for each connection that was opened before its own.
 */
const ROUNDS_BETWEEN = 32

const TOO_MANY_WAIT = new Refused({
  kind: "unavailable",
  message: "Too many long questions wait for their answers. Send fewer at a time.",
  retryAfterSeconds: 1,
})

/** The questions that wait for their turn. */
export class LongWork {
  readonly #turns = new Turns(1)
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Answers when it is the turn of the caller's account, or refuses if too many wait. */
  answer({ caller }: Exchange, answer: () => StageOutcome): Later {
    const turn = this.wait(String(caller?.accountId ?? ""))
    return waitFor(turn ?? Promise.resolve(), () => (turn === null ? TOO_MANY_WAIT : answer()))
  }

  /** Waits for the turn of an account, which lasts for some rounds of the event loop; null if too many wait. */
  wait(account: string): Promise<void> | null {
    const waiting = this.#waiting.get(account) ?? 0
    if (waiting >= MOST_OF_ACCOUNT || this.#all >= MOST) return null
    this.#waiting.set(account, waiting + 1)
    this.#all++
    return this.#turns.wait(account).then(() => {
      this.#leave(account)
      this.#endAfter(ROUNDS_BETWEEN)
    })
  }

  #endAfter(rounds: number): void {
    if (rounds === 0) this.#turns.end()
    else setImmediate(() => this.#endAfter(rounds - 1))
  }

  #leave(account: string): void {
    const waiting = (this.#waiting.get(account) as number) - 1
    if (waiting === 0) this.#waiting.delete(account)
    else this.#waiting.set(account, waiting)
    this.#all--
  }
}
