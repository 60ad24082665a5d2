/**
 * What is being asked right now?
 *
 * Every pair that was answered is one event: which passport and which destination, and when; nothing of who asked. The last fifty
 * are kept in memory, and whoever listens hears each as it happens. A listener that cannot keep up misses events.
 */

/** How many events are remembered. */
export const RECENT_EVENTS = 50

/** One answered question. */
export interface ActivityEvent {
  readonly passport: string
  readonly destination: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
}

/** Hears every event. */
export type ActivityListener = (event: ActivityEvent) => void

interface Moment {
  readonly passport: string
  readonly destination: string
  readonly atMs: number
}

const toEvent = ({ passport, destination, atMs }: Moment): ActivityEvent => ({
  passport,
  destination,
  timestamp: new Date(atMs).toISOString(),
})

/** The events of this process. */
export class Activity {
  readonly #recent: Moment[] = []
  #next = 0
  readonly #listeners = new Set<ActivityListener>()

  /** Notes an answered question. */
  record(passport: string, destination: string, atMs: number): void {
    const moment = { passport, destination, atMs }
    this.#recent[this.#next] = moment
    this.#next = (this.#next + 1) % RECENT_EVENTS
    if (this.#listeners.size === 0) return
    const event = toEvent(moment)
    for (const listen of this.#listeners) listen(event)
  }

  /** The last events, newest first. */
  listRecent(): ActivityEvent[] {
    const older = this.#recent.slice(0, this.#next)
    const oldest = this.#recent.slice(this.#next)
    return [...oldest, ...older].reverse().map(toEvent)
  }

  /** Begins to listen; answers how to stop. */
  listen(listener: ActivityListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** How many are listening. */
  get listenerCount(): number {
    return this.#listeners.size
  }
}
