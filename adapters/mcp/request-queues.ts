/**
 * Which request is answered next?
 *
 * Requests of one name are answered in order, so that a client with hundreds of parallel requests delays only itself and uses little
 * memory.
 */

/** How many requests of one name wait for the one before them. */
export const MAXIMUM_WAITING_OF_ACCOUNT = 100

/** The requests that are under way, by name. */
export class RequestQueues {
  readonly #most: number
  readonly #byName = new Map<string, { last: Promise<unknown>; count: number }>()

  /** `most`: how many of one name wait at most. */
  constructor(most = MAXIMUM_WAITING_OF_ACCOUNT) {
    this.#most = most
  }

  /** Does some work after what the same name has asked for before; null where too much waits already. */
  async take<Value>(name: string, work: () => Promise<Value>): Promise<Value | null> {
    const line = this.#byName.get(name) ?? { last: Promise.resolve(), count: 0 }
    if (line.count > this.#most) return null
    this.#byName.set(name, line)
    line.count++
    const before = line.last
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    line.last = done
    try {
      await before
      return await work()
    } finally {
      line.count--
      if (line.count === 0) this.#byName.delete(name)
      end()
    }
  }
}
