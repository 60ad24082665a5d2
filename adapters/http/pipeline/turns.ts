/**
 * How is work limited to a few tasks at a time, with fair waiting?
 *
 * Those that wait take turns by client, so a client with a thousand requests delays another one by one turn. The holder of a turn ends it.
 */
import type { MeteredAnswer } from "./endpoint.ts"
import type { Soon } from "./http-answer.ts"
import type { Exchange } from "./pipeline.ts"
import type { Problem } from "./surface.ts"

/**
 * How many large answers are made or compressed at the same time, and pieces of downloads read: as many as there are threads for
 * compression.
 */
export const LARGE_AT_ONCE = 4

/** Starts the work that waited for its turn; returns false if it no longer waits, so that the next client has the turn. */
export type Begin = () => boolean

export class Turns {
  #free: number
  /** The waiting work by client, the next client first. */
  readonly #waiting = new Map<string, Begin[]>()

  constructor(atOnce: number = LARGE_AT_ONCE) {
    this.#free = atOnce
  }

  /** Begins when it is the client's turn, at once where no client waits. */
  take(client: string, begin: Begin): void {
    const queue = this.#waiting.get(client)
    if (queue !== undefined) queue.push(begin)
    else if (this.#free === 0) this.#waiting.set(client, [begin])
    else {
      this.#free--
      if (!begin()) this.end()
    }
  }

  /** The same for who waits by a promise. */
  wait(client: string): Promise<void> {
    return new Promise(resolve => {
      this.take(client, () => {
        resolve()
        return true
      })
    })
  }

  /** Ends a turn; the next client begins. */
  end(): void {
    for (const [client, queue] of this.#waiting) {
      this.#waiting.delete(client)
      const begin = queue.shift() as Begin
      if (queue.length > 0) this.#waiting.set(client, queue)
      if (begin()) return
    }
    this.#free++
  }
}

/** How many questions of one account wait at most, and how many in all. */
const MOST_OF_ACCOUNT = 100
const MOST = 400

/**
 * How many rounds of the event loop pass between two of them. A round accepts one connection, and an answer is sent in the round after its
 * own: with few rounds, a client would wait for a long question for each connection that was opened before its own.
 */
const ROUNDS_BETWEEN = 32

const TOO_MANY_WAIT: Problem = {
  kind: "unavailable",
  message: "Too many long questions wait for their answers. Send fewer at a time.",
  retryAfterSeconds: 1,
}

/**
 * The questions that take long to judge and wait for their turn. One of them is judged at a time, in turns of the accounts, and between two
 * of them everything else that has arrived is answered. So an account that asks a hundred at once delays others by one.
 */
export class LongWork {
  readonly #turns = new Turns(1)
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Answers when it is the turn of the caller's account, or refuses if too many wait. */
  answer(exchange: Exchange, answer: () => Soon<MeteredAnswer>): Soon<MeteredAnswer> {
    const turn = this.wait(String(exchange.caller?.accountId ?? ""))
    return turn === null ? exchange.refuse(TOO_MANY_WAIT) : exchange.wait(turn, answer)
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
