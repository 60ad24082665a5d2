/**
 * Which sessions exist, and which one ends if there are too many?
 *
 * A session costs memory and never ends by itself. Each client has a maximum: beyond it, the client's own session that was unused for the
 * longest time ends. If there are too many in total, it is one of the client with the most, so a client that starts thousands ends its own.
 */

/** How many sessions there are at once. */
const MAXIMUM_SESSIONS = 5_000
export const MAXIMUM_SESSIONS_OF_CLIENT = 50

/** A session that has ended, with the version that it spoke. */
export interface Ended {
  readonly id: string
  readonly version: string
}

/** The sessions by client; those used last are at the end. */
export class McpSessions {
  readonly #maximum: number
  readonly #byClient = new Map<string, Map<string, string>>()
  readonly #clientOf = new Map<string, string>()

  constructor(maximum = MAXIMUM_SESSIONS) {
    this.#maximum = maximum
  }

  /** The version that a session speaks; undefined where there is none of this id. */
  findVersion(id: string): string | undefined {
    return this.#byClient.get(this.#clientOf.get(id) ?? "")?.get(id)
  }

  /** Records that a session was used, or started by a client; returns the one that ends for it. */
  keep(client: string, id: string, version: string): Ended | null {
    const owner = this.#clientOf.get(id) ?? client
    const own = this.#byClient.get(owner) ?? new Map<string, string>()
    this.#byClient.set(owner, own)
    this.#clientOf.set(id, owner)
    own.delete(id)
    own.set(id, version)
    if (own.size > MAXIMUM_SESSIONS_OF_CLIENT) return this.#endOldest(own)
    if (this.#clientOf.size <= this.#maximum) return null
    let most = own
    for (const of of this.#byClient.values()) if (of.size > most.size) most = of
    return this.#endOldest(most)
  }

  /** Forgets a session. */
  remove(id: string): void {
    const owner = this.#clientOf.get(id)
    if (owner === undefined) return
    this.#clientOf.delete(id)
    const own = this.#byClient.get(owner)
    own?.delete(id)
    if (own?.size === 0) this.#byClient.delete(owner)
  }

  #endOldest(of: Map<string, string>): Ended | null {
    const [oldest] = of
    if (oldest === undefined) return null
    const [id, version] = oldest
    this.remove(id)
    return { id, version }
  }
}
