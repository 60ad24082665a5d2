/**
 * Which of a worker's claimed rows is next?
 *
 * Every lane has a queue of its own, and they take turns. The lane of a delivery is its receiver: the quicker that answers, the more deliveries are claimed for it in advance; if it fails,
 * its waiting deliveries are given back and claimed later. Receivers that are new, slow or silent have half of all places at most, so that the others are served however many of them hang.
 * Lanes that belong to no customer's receiver (a push service, the mail server, a job) are trusted: each may have all places from the beginning.
 */
import type { Ticket, WorkId } from "../storage/work-table.ts"

/** A claimed row, as far as its turn depends on it. */
export type Claimed = Pick<Ticket, "id" | "lane" | "lease_until">

/** The outcome of an attempt, as far as its lane's next turn depends on it. */
export interface Finish {
  readonly isAccepted: boolean
  /** Whether there was an answer. */
  readonly isAnswered: boolean
  readonly tookMs: number
}

interface QueueLimits {
  /** How many attempts are under way at a time. */
  readonly inFlight: number
  /** How many of them may be of one lane. */
  readonly perLane: number
  /** How long an attempt can take: an attempt is not started if its claim may expire during it. */
  readonly attemptMs: number
  /** Whether no lane can hold up the others. */
  readonly isTrusted: boolean
}

/** Rows are claimed in advance for as long as this, by how quickly the lane answers. */
const AHEAD_MS = 2_000
/** The most that is claimed in advance for a lane. */
export const MAXIMUM_AHEAD = 256
/** A lane that takes longer for an answer is slow. */
const SLOW_MS = 1_000
/** How many lanes are remembered. */
const MAXIMUM_LINES = 10_000

interface Line<Item> {
  readonly waiting: Item[]
  active: number
  /** How long answers take, the latest weighing most; null for a lane that has not answered, or not at the last attempt. */
  tookMs: number | null
  hasFailed: boolean
  isListed: boolean
}

/** The rows that a worker has claimed. */
export class ClaimedQueue<Item extends Claimed> {
  /** How many attempts are under way. */
  active = 0
  /** How many are claimed and not yet begun. */
  waiting = 0
  /** Claimed rows that are not worked on from here. */
  readonly givenBack: Item[] = []
  readonly #limits: QueueLimits
  readonly #lines = new Map<WorkId, Line<Item>>()
  /** Queues that may begin something: of quick lanes, and of all others. */
  readonly #quick: Line<Item>[] = []
  readonly #others: Line<Item>[] = []
  #activeOthers = 0
  #isOthersTurn = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** How many may be claimed for a lane now: none, or a power of two. */
  measureRoom(lane: WorkId): number {
    const line = this.#lines.get(lane)
    const ahead = this.#limits.isTrusted ? MAXIMUM_AHEAD : line === undefined ? 1 : this.#measureAhead(line)
    const held = line === undefined ? 0 : line.waiting.length + line.active
    // Half at least, so that many are claimed at once.
    return 2 * held > ahead ? 0 : 2 ** Math.floor(Math.log2(Math.max(1, ahead - held)))
  }

  /** Adds claimed rows, in the order of their attempts. */
  add(items: readonly Item[]): void {
    for (const item of items) {
      const line = this.#findLine(item.lane)
      line.waiting.push(item)
      this.waiting++
      this.#list(line)
    }
  }

  /** Returns the next row to work on, which counts as under way from now on; undefined if none may be started. */
  next(nowMs: number): Item | undefined {
    while (this.active < this.#limits.inFlight) {
      const line = this.#takeLine()
      if (line === undefined) return undefined
      const item = line.waiting.shift() as Item
      this.waiting--
      if (item.lease_until < nowMs + this.#limits.attemptMs) {
        // Its claim may expire before the attempt ends.
        this.givenBack.push(item)
        this.#list(line)
        continue
      }
      line.active++
      this.active++
      if (!this.#isQuick(line)) this.#activeOthers++
      this.#list(line)
      return item
    }
    return undefined
  }

  /** Notes the outcome of an attempt. */
  finish({ lane }: Item, { isAccepted, isAnswered, tookMs }: Finish): void {
    const line = this.#findLine(lane)
    const wasQuick = this.#isQuick(line)
    line.active--
    this.active--
    if (!wasQuick) this.#activeOthers--
    line.tookMs = !isAnswered ? null : line.tookMs === null ? tookMs : (3 * line.tookMs + tookMs) / 4
    line.hasFailed = !isAccepted
    // Attempts under way are counted under the lane's new kind.
    const isQuick = this.#isQuick(line)
    if (wasQuick !== isQuick) this.#activeOthers += isQuick ? -line.active : line.active
    if (!isAccepted) this.#empty(line)
    this.#list(line)
    // A lane without an answer starts again as unknown.
    if (line.active === 0 && line.waiting.length === 0 && line.tookMs === null) this.#lines.delete(lane)
  }

  /** Returns everything that waits; nothing more is started. */
  close(): void {
    for (const line of this.#lines.values()) this.#empty(line)
  }

  #findLine(lane: WorkId): Line<Item> {
    const known = this.#lines.get(lane)
    if (known !== undefined) return known
    // Queues of lanes with nothing to do only remember how quickly they answered.
    if (this.#lines.size >= MAXIMUM_LINES) {
      for (const [id, line] of this.#lines) if (line.active + line.waiting.length === 0) this.#lines.delete(id)
    }
    const line = { waiting: [], active: 0, tookMs: null, hasFailed: false, isListed: false }
    this.#lines.set(lane, line)
    return line
  }

  #measureAhead({ tookMs, hasFailed }: Line<Item>): number {
    const { perLane } = this.#limits
    if (tookMs === null) return 1
    if (hasFailed) return perLane
    const inTime = Math.floor((AHEAD_MS * perLane) / Math.max(1, tookMs))
    return Math.min(MAXIMUM_AHEAD, Math.max(perLane, inTime))
  }

  /** Lists a queue among those that may begin something, unless it is listed already or may not. */
  #list(line: Line<Item>): void {
    const { isTrusted, perLane } = this.#limits
    const most = line.tookMs === null && !isTrusted ? 1 : perLane
    if (line.isListed || line.waiting.length === 0 || line.active >= most) return
    line.isListed = true
    ;(this.#isQuick(line) ? this.#quick : this.#others).push(line)
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
      if (line.waiting.length > 0 && this.#isQuick(line) === (lines === this.#quick)) return line
      this.#list(line)
    }
  }

  #empty(line: Line<Item>): void {
    if (line.waiting.length === 0) return
    this.waiting -= line.waiting.length
    this.givenBack.push(...line.waiting.splice(0))
  }

  /** Whether a lane is trusted, or has answered its last attempts quickly. */
  #isQuick({ tookMs }: Line<Item>): boolean {
    return this.#limits.isTrusted || (tookMs !== null && tookMs <= SLOW_MS)
  }
}
