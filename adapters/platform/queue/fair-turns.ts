/**
 * Which of a dispatcher's claimed deliveries is sent next?
 *
 * Every receiver has a queue of its own, and they take turns. The quicker a receiver answers, the more deliveries are claimed for
 * it in advance; if it fails, its waiting deliveries are given back and claimed later. Receivers that are new, slow or silent
 * have half of all places at most, so that however many of them hang, the others are served.
 */

/** A claimed delivery, as far as its turn depends on it. */
export interface Claimed {
  readonly id: number
  readonly webhook_id: number
  /** When the claim expires (epoch milliseconds). */
  readonly leaseUntilMs: number
}

/** The outcome of an attempt, as far as its receiver's next turn depends on it. */
export interface Finish {
  readonly isAccepted: boolean
  /** Whether there was an answer at all. */
  readonly isAnswered: boolean
  readonly tookMs: number
}

/** The limits of a queue. */
export interface QueueLimits {
  /** How many attempts are under way at a time. */
  readonly inFlight: number
  /** How many of them may go to one receiver. */
  readonly perReceiver: number
  /** How long an attempt can take: no attempt is begun whose claim may expire meanwhile. */
  readonly attemptMs: number
}

/** Deliveries are claimed in advance for as long as this, by how quickly the receiver answers. */
const AHEAD_MS = 2_000
/** The most that is claimed in advance for a receiver. */
export const MAXIMUM_AHEAD = 256
/** A receiver that takes longer for an answer is slow. */
const SLOW_MS = 1_000

interface Line<Item> {
  readonly webhookId: number
  readonly waiting: Item[]
  active: number
  /** How long answers take, the latest weighing most; null for a receiver that has not answered, or not at the last attempt. */
  tookMs: number | null
  hasFailed: boolean
  isListed: boolean
}

/** The deliveries that a dispatcher has claimed. */
export class ClaimedQueue<Item extends Claimed> {
  /** How many attempts are under way. */
  active = 0
  /** How many are claimed and not yet begun. */
  waiting = 0
  /** Claimed deliveries that will not be sent from here. */
  readonly givenBack: number[] = []
  readonly #limits: QueueLimits
  readonly #lines = new Map<number, Line<Item>>()
  /** Queues that may send something: of quick receivers, and of all others. */
  readonly #quick: Line<Item>[] = []
  readonly #others: Line<Item>[] = []
  #activeOthers = 0
  #isOthersTurn = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** How many may be claimed for a receiver now: none, or a power of two. */
  measureRoom(webhookId: number): number {
    const line = this.#lines.get(webhookId)
    const ahead = line === undefined ? 1 : this.#measureAhead(line)
    const held = line === undefined ? 0 : line.waiting.length + line.active
    // Half at least, so that many are claimed at once.
    return 2 * held > ahead ? 0 : 2 ** Math.floor(Math.log2(Math.max(1, ahead - held)))
  }

  /** Adds claimed deliveries, in the order in which they are sent. */
  add(items: readonly Item[]): void {
    for (const item of items) {
      const line = this.#findLine(item.webhook_id)
      line.waiting.push(item)
      this.waiting++
      this.#list(line)
    }
  }

  /** Gives the next delivery to send, which counts as under way from now on; undefined where none may be begun. */
  next(nowMs: number): Item | undefined {
    while (this.active < this.#limits.inFlight) {
      const line = this.#takeLine()
      if (line === undefined) return undefined
      const item = line.waiting.shift() as Item
      this.waiting--
      if (item.leaseUntilMs < nowMs + this.#limits.attemptMs) {
        // Its claim may expire before the attempt ends.
        this.givenBack.push(item.id)
        this.#list(line)
        continue
      }
      line.active++
      this.active++
      if (!isQuick(line)) this.#activeOthers++
      this.#list(line)
      return item
    }
    return undefined
  }

  /** Notes the outcome of an attempt. */
  finish({ webhook_id }: Item, { isAccepted, isAnswered, tookMs }: Finish): void {
    const line = this.#findLine(webhook_id)
    const wasQuick = isQuick(line)
    line.active--
    this.active--
    if (!wasQuick) this.#activeOthers--
    line.tookMs = !isAnswered ? null : line.tookMs === null ? tookMs : (3 * line.tookMs + tookMs) / 4
    line.hasFailed = !isAccepted
    // Attempts under way are counted under the receiver's new kind.
    if (wasQuick !== isQuick(line)) this.#activeOthers += isQuick(line) ? -line.active : line.active
    if (!isAccepted) this.#empty(line)
    this.#list(line)
    // A receiver without an answer starts again as unknown.
    if (line.active === 0 && line.waiting.length === 0 && line.tookMs === null) this.#lines.delete(webhook_id)
  }

  /** Gives back everything that waits; nothing more is begun. */
  close(): void {
    for (const line of this.#lines.values()) this.#empty(line)
  }

  #findLine(webhookId: number): Line<Item> {
    const known = this.#lines.get(webhookId)
    if (known !== undefined) return known
    // Queues of receivers with nothing to send only remember how quickly they answered.
    if (this.#lines.size >= MAXIMUM_LINES) {
      for (const [id, line] of this.#lines) if (line.active + line.waiting.length === 0) this.#lines.delete(id)
    }
    const line = { webhookId, waiting: [], active: 0, tookMs: null, hasFailed: false, isListed: false }
    this.#lines.set(webhookId, line)
    return line
  }

  #measureAhead({ tookMs, hasFailed }: Line<Item>): number {
    const { perReceiver } = this.#limits
    if (tookMs === null) return 1
    if (hasFailed) return perReceiver
    const inTime = Math.floor((AHEAD_MS * perReceiver) / Math.max(1, tookMs))
    return Math.min(MAXIMUM_AHEAD, Math.max(perReceiver, inTime))
  }

  /** Lists a queue among those that may send, unless it is listed already or may not. */
  #list(line: Line<Item>): void {
    const most = line.tookMs === null ? 1 : this.#limits.perReceiver
    if (line.isListed || line.waiting.length === 0 || line.active >= most) return
    line.isListed = true
    ;(isQuick(line) ? this.#quick : this.#others).push(line)
  }

  /** Takes the queue whose turn it is. */
  #takeLine(): Line<Item> | undefined {
    for (;;) {
      const mayOthers = this.#others.length > 0 && this.#activeOthers < Math.ceil(this.#limits.inFlight / 2)
      const lines = mayOthers && (this.#isOthersTurn || this.#quick.length === 0) ? this.#others : this.#quick
      this.#isOthersTurn = lines === this.#quick
      const line = lines.shift()
      if (line === undefined) return undefined
      line.isListed = false
      // It may have been emptied, or have become another kind, since it was listed.
      if (line.waiting.length > 0 && isQuick(line) === (lines === this.#quick)) return line
      this.#list(line)
    }
  }

  #empty(line: Line<Item>): void {
    if (line.waiting.length === 0) return
    this.waiting -= line.waiting.length
    for (const { id } of line.waiting.splice(0)) this.givenBack.push(id)
  }
}

/** How many receivers are remembered. */
const MAXIMUM_LINES = 10_000

/** Whether a receiver has answered its last attempts quickly. */
const isQuick = ({ tookMs }: { readonly tookMs: number | null }): boolean => tookMs !== null && tookMs <= SLOW_MS
