/**
 * How is work limited to a few tasks at a time, with fair waiting?
 *
 * Those that wait take turns by client, so a client with a thousand requests delays another one by one turn. The holder of a turn ends it.
 */

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
