/**
 * When is an answer sent that is ready?
 *
 * With the others that become ready in the same turn of the event loop. Each write wakes up its reader, which on the same machine (a proxy)
 * takes a processor from the requests that were read with it; after a few writes in a row it is awake once for all of them. An answer waits
 * for at most {@link MOST_TOGETHER} - 1 others, and never beyond the turn.
 */

/** How many answers are sent together. */
export const MOST_TOGETHER = 8

export interface Sendable {
  readonly send: () => void
}

/** The answers of one turn that are not sent yet. */
export class SentTogether {
  #ready: Sendable[] = []
  #isScheduled = false

  /** Sends an answer before the turn ends. */
  add(answer: Sendable): void {
    if (this.#ready.push(answer) >= MOST_TOGETHER) this.#sendAll()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#endTurn)
    }
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false
    this.#sendAll()
  }

  #sendAll(): void {
    const ready = this.#ready
    this.#ready = []
    for (const answer of ready) answer.send()
  }
}
