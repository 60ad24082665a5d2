/**
 * Of what a dispatcher has claimed, what is sent next?
 *
 * Every receiver has a line of its own, and they take turns. How much may be claimed for one ahead of its turn follows from how quickly it
 * answers; a receiver that fails loses what waits in its line to whoever claims it later. Receivers of which nothing good is known (new
 * ones, slow ones, silent ones) have half of all places at most, so that however many of them hang, the others are served.
 */

/** What is claimed, as far as its turn depends on it. */
export interface Claimed {
  readonly id: number
  readonly webhook_id: number
  /** Until when it is this process's (epoch milliseconds). */
  readonly leaseUntilMs: number
}

/** How an attempt went, as far as its receiver's next turn depends on it. */
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
  /** How many of them are to one receiver. */
  readonly perReceiver: number
  /** How long an attempt can take: nothing is begun whose claim may run out meanwhile. */
  readonly attemptMs: number
}

/** How much is claimed for a receiver ahead: what it answers within this time. */
const AHEAD_MS = 2_000
/** The most that is claimed for a receiver ahead. */
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
  /** How many are claimed and were not begun. */
  waiting = 0
  /** What was claimed and is not going to be sent from here. */
  readonly givenBack: number[] = []
  readonly #limits: QueueLimits
  readonly #lines = new Map<number, Line<Item>>()
  /** Lines that have something to send and may: of receivers that are quick, and of all others. */
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

  /** Takes in what was claimed, in the order in which it is sent. */
  add(items: readonly Item[]): void {
    for (const item of items) {
      const line = this.#findLine(item.webhook_id)
      line.waiting.push(item)
      this.waiting++
      this.#list(line)
    }
  }

  /** The next to be sent, which is under way from now on; undefined where nothing may be begun. */
  next(nowMs: number): Item | undefined {
    while (this.active < this.#limits.inFlight) {
      const line = this.#takeLine()
      if (line === undefined) return undefined
      const item = line.waiting.shift() as Item
      this.waiting--
      if (item.leaseUntilMs < nowMs + this.#limits.attemptMs) {
        // It has waited for too long here.
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

  /** Notes how an attempt went. */
  finish({ webhook_id }: Item, { isAccepted, isAnswered, tookMs }: Finish): void {
    const line = this.#findLine(webhook_id)
    const wasQuick = isQuick(line)
    line.active--
    this.active--
    if (!wasQuick) this.#activeOthers--
    line.tookMs = !isAnswered ? null : line.tookMs === null ? tookMs : (3 * line.tookMs + tookMs) / 4
    line.hasFailed = !isAccepted
    // Those under way go on as what the receiver is now.
    if (wasQuick !== isQuick(line)) this.#activeOthers += isQuick(line) ? -line.active : line.active
    if (!isAccepted) this.#empty(line)
    this.#list(line)
    // A receiver of which nothing is known begins anew.
    if (line.active === 0 && line.waiting.length === 0 && line.tookMs === null) this.#lines.delete(webhook_id)
  }

  /** Gives back everything that waits; nothing more is begun. */
  close(): void {
    for (const line of this.#lines.values()) this.#empty(line)
  }

  #findLine(webhookId: number): Line<Item> {
    const known = this.#lines.get(webhookId)
    if (known !== undefined) return known
    // Those of receivers for whom there is nothing to do are only memories.
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

  /** Puts a line among those that may send, unless it is there already or may not. */
  #list(line: Line<Item>): void {
    const most = line.tookMs === null ? 1 : this.#limits.perReceiver
    if (line.isListed || line.waiting.length === 0 || line.active >= most) return
    line.isListed = true
    ;(isQuick(line) ? this.#quick : this.#others).push(line)
  }

  /** The line whose turn it is. */
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
