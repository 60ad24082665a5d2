/**
 * Which request has the event loop next, when many want it?
 *
 * Every request belongs to classes inside one another: a paying account, or else all strangers, the /48 of the address, and its /64. Each
 * class is charged the milliseconds of processor time that its requests take, refused ones included. Next is the class that was charged
 * least, level by level, so a flood delays its own class. A class without requests saves nothing up. If nobody waits, a request begins
 * at once.
 *
 * A request that runs is not interrupted: it is work in pieces, and waits for its turn again before each (`resume`). Nothing here knows
 * HTTP; clocks are passed in, so that tests count.
 */
import type { Soon } from "./http-message.ts"

/** How long pieces run, in milliseconds of a clock, before the event loop reads what has arrived. */
export const SLICE_MS = 2
/** How long those of strangers run while an account asks: its requests arrive in the middle of one. */
export const SLICE_BESIDE_ACCOUNTS_MS = 1
/** How long after its last request an account counts as asking. */
const ASKING_MS = 1_000
/** From this time on the processor time of a piece is read; a reading would cost a short piece a twentieth. */
const LONG_MS = 1
/** How old the last reading may be. */
const READ_EVERY_MS = 5
/** How many waiting pieces are begun in one round of the event loop. */
const MOST_IN_ROUND = 8
/**
 * How many rounds of the event loop pass before the next piece of a stranger, after one with a whole slice. A round accepts one connection,
 * and an answer is sent in the round after its own: with few rounds, a paying caller would wait for a slice for each of them.
 */
const ROUNDS_BETWEEN = 32

/** How many requests of a class are under way at once: of an account or of all strangers, of a /48, of a /64. The others wait. */
export const MOST_OPEN: readonly number[] = [Number.POSITIVE_INFINITY, 8, 4, 2]
/** A request that waits for others for longer, such as for a payment, does not count. */
const OPEN_MS = 1_000
/** How many requests of an account or of a /64, and of all strangers, wait for their turn; the next ones are refused. */
export const MOST_WAITING = { client: 1_024, strangers: 4_096 } as const
/** How many answers with megabytes are made at once: as many as there are threads for compression. */
export const LARGE_AT_ONCE = 4
/** How many classes are told apart of all, of strangers, and of a /48; the next ones share one. Together they take some 10 MB. */
const MOST_CHILDREN: readonly number[] = [1_000, 1_000, 16]
/** How much more of the processor an account gets than all strangers together, if both want as much as they can have. */
export const WEIGHT_OF_ACCOUNT = 4

const STRANGERS = "strangers"
const CROWD = "crowd"

/** The classes of a stranger: its /48 and its /64, or the number of an account that pays. */
export type ClassNames = number | readonly [wide: string, narrow: string]

class Class {
  readonly parent: Class | null
  readonly weight: number
  readonly mostOpen: number
  readonly mostChildren: number
  readonly children = new Map<string | number, Class>()
  /** Its children with waiting pieces. */
  readonly active = new Set<Class>()
  readonly waiting: Waiting[] = []
  /** From all its requests down to its own. */
  readonly path: readonly Class[]
  usedMs = 0
  /** What it has used by its weight; a class that begins again has at least what its siblings had. */
  charged = 0
  /** What the child had been charged that began last. */
  reached = 0
  waitingCount = 0
  /** Those of them that have begun before. */
  resumingCount = 0
  openCount = 0

  constructor(parent: Class | null, weight = 1) {
    this.parent = parent
    this.weight = weight
    this.path = parent === null ? [this] : [...parent.path, this]
    const level = this.path.length - 1
    this.mostOpen = MOST_OPEN[level] as number
    this.mostChildren = MOST_CHILDREN[level] ?? 0
  }

  childOf(name: string | number, weight = 1): Class {
    const known = this.children.get(name)
    if (known !== undefined) return known
    if (this.children.size >= this.mostChildren && name !== CROWD) {
      // Whoever is neither busy nor ahead of the others is as one who was never seen.
      for (const [each, { isIdle, charged }] of this.children) {
        if (isIdle && charged <= this.reached) this.children.delete(each)
      }
      if (this.children.size >= this.mostChildren) return this.childOf(CROWD, weight)
    }
    const child = new Class(this, weight)
    child.charged = this.reached
    this.children.set(name, child)
    return child
  }

  get isIdle(): boolean {
    return this.waitingCount + this.openCount === 0
  }

  /** Whether its requests are of no account: an account has no classes within it. */
  get isStranger(): boolean {
    return this.path.length > 2
  }
}

interface Waiting {
  readonly place: Place
  readonly isNew: boolean
  readonly isLarge: boolean
  readonly begin: () => void
}

/** A request in its classes. */
export class Place {
  readonly leaf: Class
  /** Whether it counts among the requests under way. */
  isOpen = false
  /** Whether it has one of the places for large answers. */
  isLarge = false
  /** Whether it waits for its client. */
  isPaused = false
  /** Whether it waits for its turn, and so uses nothing. */
  isWaiting = false
  timer: NodeJS.Timeout | undefined

  constructor(leaf: Class) {
    this.leaf = leaf
  }
}

/**
 * Milliseconds of processor time of this thread, so that a machine that others use too makes no request look dear. Linux may count it in steps
 * of a few milliseconds, which is right on average. Node before 23.9 has the clock only.
 */
function readCpuMs(): number {
  if (process.threadCpuUsage === undefined) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

export interface FairQueueParts {
  readonly readCpuMs: () => number
  readonly readClockMs: () => number
  /** Runs something in the event loop after what has arrived was read. */
  readonly inRound: (work: () => void) => void
}

const NODE: FairQueueParts = {
  readCpuMs,
  readClockMs: () => performance.now(),
  inRound: work => void setImmediate(work),
}

export class FairQueue {
  readonly #readCpuMs: () => number
  readonly #readClockMs: () => number
  readonly #inRound: (work: () => void) => void
  readonly #root = new Class(null)
  readonly #strangers = this.#root.childOf(STRANGERS)
  /** Requests that are not answered yet: they pay for what nobody's piece has used, accounts only where no stranger does. */
  readonly #underWay = new Set<Place>()
  #running: Class | null = null
  #runningSince = 0
  /** The processor time of the thread when it was last read, the moment, and what was charged since. */
  #cpuBefore: number
  #cpuReadAt: number
  #chargedMs = 0
  /** When the piece that runs has begun. */
  #pieceBeganAt = 0
  /** When the last piece of an account has begun. */
  #accountBeganAt = Number.NEGATIVE_INFINITY
  #sliceBeganAt: number | null = null
  #isSliceOfStrangers = false
  #roundsLeft = 0
  #largeCount = 0
  #isScheduled = false
  /** Whether something has begun, ended or arrived since the round was scheduled. */
  #mayGoOn = false

  constructor({ readCpuMs, readClockMs, inRound }: FairQueueParts = NODE) {
    this.#readCpuMs = readCpuMs
    this.#readClockMs = readClockMs
    this.#inRound = inRound
    this.#cpuBefore = readCpuMs()
    this.#cpuReadAt = readClockMs()
  }

  /** The processor time that all requests have used, and those of strangers. */
  get usedMs(): { readonly all: number; readonly strangers: number } {
    return { all: this.#root.usedMs, strangers: this.#strangers.usedMs }
  }

  get waitingCount(): number {
    return this.#root.waitingCount
  }

  /** The place of a new request. */
  open(names: ClassNames): Place {
    if (typeof names === "number") return new Place(this.#root.childOf(names, WEIGHT_OF_ACCOUNT))
    return new Place(this.#strangers.childOf(names[0]).childOf(names[1]))
  }

  /** Begins a new request at once, or when it is its turn; null if too many wait. */
  enter(place: Place): Soon<void> | null {
    const { leaf } = place
    if (this.#mayBegin(leaf) && leaf.path.every(isAdmitting)) return this.#begin(leaf)
    const { client, strangers } = MOST_WAITING
    const isCrowded = leaf.isStranger && this.#strangers.waitingCount >= strangers
    const isFull = leaf.waitingCount >= client || isCrowded
    return isFull ? null : this.#wait(place, { isNew: true, isLarge: false })
  }

  /** Goes on with a request that has waited for something, at once or when it is its turn; a large answer when few others are made. */
  resume(place: Place, isLarge = false): Soon<void> {
    const mayBegin = (!isLarge || this.#largeCount < LARGE_AT_ONCE) && this.#mayBegin(place.leaf)
    if (!mayBegin) return this.#wait(place, { isNew: false, isLarge })
    if (isLarge) this.#takeLarge(place)
    return this.#begin(place.leaf)
  }

  /** Goes on at once where the piece that runs is short so far, and else when it is its turn. */
  giveWay(place: Place): Soon<void> {
    const now = this.#readClockMs()
    const mayGoOn = now - this.#pieceBeganAt < this.#sliceMs(place.leaf.isStranger, now)
    return mayGoOn ? undefined : this.#wait(place, { isNew: false, isLarge: false })
  }

  #sliceMs(isOfStrangers: boolean, now: number): number {
    return isOfStrangers && now - this.#accountBeganAt < ASKING_MS ? SLICE_BESIDE_ACCOUNTS_MS : SLICE_MS
  }

  /** Whether pieces have run in this round for as long as they may. */
  #isSliceOver(now: number): boolean {
    return this.#sliceBeganAt !== null && now - this.#sliceBeganAt >= this.#sliceMs(this.#isSliceOfStrangers, now)
  }

  endLarge(place: Place): void {
    if (!place.isLarge) return
    place.isLarge = false
    this.#largeCount--
    this.#schedule()
  }

  /** Counts a request that has begun and is not answered yet. */
  keepOpen(place: Place): void {
    this.#underWay.add(place)
    if (place.isOpen) return
    place.isOpen = true
    for (const each of place.leaf.path) each.openCount++
    place.timer = setTimeout(() => this.pause(place), OPEN_MS)
    place.timer.unref()
  }

  /** Does not count a request any more that waits for its client, or for others for long. */
  pause(place: Place): void {
    if (!place.isOpen) return
    place.isOpen = false
    clearTimeout(place.timer)
    for (const each of place.leaf.path) each.openCount--
    this.#schedule()
  }

  /** Ends a request that was answered, or that is given up. */
  end(place: Place): void {
    this.#underWay.delete(place)
    this.pause(place)
    this.endLarge(place)
  }

  /** Whether a piece may begin now: nobody waits whose turn it would be, and this round was short so far. */
  #mayBegin(leaf: Class): boolean {
    const waiting = this.#root.waitingCount
    const { isStranger } = leaf
    const isFirst = isStranger ? waiting === 0 && this.#roundsLeft === 0 : waiting === this.#strangers.waitingCount
    if (!isFirst || this.#sliceBeganAt === null) return isFirst
    if (!this.#isSliceOver(this.#readClockMs())) return true
    if (isStranger || !this.#isSliceOfStrangers) return false
    // An account does not wait because strangers have used up this round: it would wait for those of the next one too.
    this.#endSlice()
    return true
  }

  #begin(leaf: Class): undefined {
    for (let at = leaf; at.parent !== null; at = at.parent) {
      catchUp(at)
      if (at.parent.reached < at.charged) at.parent.reached = at.charged
    }
    const now = this.#readClockMs()
    if (this.#sliceBeganAt === null) {
      this.#sliceBeganAt = now
      this.#isSliceOfStrangers = false
      this.#inRound(this.#endSlice)
      // What ran before was no request's.
      if (now - this.#cpuReadAt >= READ_EVERY_MS) this.#readOthersMs(now)
    }
    if (leaf.isStranger) this.#isSliceOfStrangers = true
    else this.#accountBeganAt = now
    if (leaf !== this.#running) this.#switch(leaf, now)
    this.#pieceBeganAt = now
  }

  /** Charges what has run until now. From now on a class uses the thread; null for what nobody's piece uses. */
  #switch(to: Class | null, now: number): void {
    if (this.#running !== null) this.#charge(this.#running, now - this.#runningSince, now)
    this.#running = to
    this.#runningSince = now
  }

  #charge(leaf: Class, clockMs: number, now: number): void {
    let tookMs = clockMs
    if (clockMs >= LONG_MS) {
      // Other programs may have had the processor meanwhile.
      const usedMs = this.#readOthersMs(now)
      tookMs = Math.min(clockMs, usedMs)
      this.#chargeOthers(usedMs - tookMs)
    } else this.#chargedMs += tookMs
    charge(leaf, tookMs)
  }

  /** Reads the processor time since the last reading that was not charged. */
  #readOthersMs(now: number): number {
    const cpu = this.#readCpuMs()
    const others = cpu - this.#cpuBefore - this.#chargedMs
    this.#cpuBefore = cpu
    this.#cpuReadAt = now
    this.#chargedMs = 0
    return Math.max(0, others)
  }

  #chargeOthers(milliseconds: number): void {
    let [accounts, strangers] = [0, 0]
    for (const { isWaiting, leaf } of this.#underWay) {
      if (isWaiting) continue
      if (leaf.isStranger) strangers++
      else accounts++
    }
    const share = milliseconds / (strangers || accounts)
    for (const { isWaiting, leaf } of this.#underWay) {
      if (!isWaiting && (strangers === 0 || leaf.isStranger)) charge(leaf, share)
    }
  }

  readonly #endSlice = (): void => {
    if (this.#sliceBeganAt === null) return
    const now = this.#readClockMs()
    // Accounts that fill every round do not keep strangers out.
    if (this.#isSliceOfStrangers && this.#isSliceOver(now)) this.#roundsLeft = ROUNDS_BETWEEN
    this.#sliceBeganAt = null
    this.#switch(null, now)
    if (now - this.#cpuReadAt >= READ_EVERY_MS) this.#chargeOthers(this.#readOthersMs(now))
  }

  #takeLarge(place: Place): void {
    place.isLarge = true
    this.#largeCount++
  }

  #wait(place: Place, kind: Pick<Waiting, "isNew" | "isLarge">): Promise<void> {
    const { leaf } = place
    // Charged for what others use, it would never be the one that was charged least.
    place.isWaiting = true
    for (const each of leaf.path) {
      catchUp(each)
      each.parent?.active.add(each)
    }
    for (const each of leaf.path) {
      each.waitingCount++
      if (!kind.isNew) each.resumingCount++
    }
    return new Promise(begin => {
      leaf.waiting.push({ ...kind, place, begin })
      this.#schedule()
    })
  }

  /** Begins some of the waiting pieces in the next round of the event loop. Between two of them the microtasks of the first run. */
  #schedule(): void {
    this.#mayGoOn = true
    if (this.#isScheduled || this.#root.waitingCount === 0) return
    this.#isScheduled = true
    this.#mayGoOn = false
    // While strangers wait for rounds to pass, a round does nothing else: there are thousands in a second.
    if (this.#roundsLeft > 1 && this.#root.waitingCount === this.#strangers.waitingCount) {
      this.#inRound(this.#passRound)
      return
    }
    this.#inRound(this.#beginRound)
    for (let left = Math.min(this.#root.waitingCount, MOST_IN_ROUND); left > 0; left--) this.#inRound(this.#beginNext)
    this.#inRound(this.#endRound)
  }

  readonly #beginRound = (): void => {
    this.#endSlice()
    if (this.#roundsLeft > 0) this.#roundsLeft--
  }

  readonly #endRound = (): void => {
    this.#endSlice()
    this.#isScheduled = false
    // Where nothing could begin, the end of a request schedules again.
    if (this.#mayGoOn || this.#roundsLeft > 0) this.#schedule()
  }

  readonly #passRound = (): void => {
    this.#beginRound()
    this.#endRound()
  }

  /** Begins the piece whose turn it is, if one may begin in this round. */
  readonly #beginNext = (): void => {
    const now = this.#readClockMs()
    if (this.#isSliceOver(now)) return
    // Before the next is chosen, because it may be the same class.
    this.#switch(null, now)
    if (this.#roundsLeft > 0 && this.#root.waitingCount === this.#strangers.waitingCount) return
    const next = this.#findNext(this.#root, true)
    if (next === undefined) return
    this.#mayGoOn = true
    const { place, isNew, isLarge, begin } = next
    const { leaf } = place
    leaf.waiting.splice(leaf.waiting.indexOf(next), 1)
    if (isLarge) this.#takeLarge(place)
    place.isWaiting = false
    this.#begin(leaf)
    for (const each of leaf.path) {
      each.waitingCount--
      if (!isNew) each.resumingCount--
      if (each.waitingCount === 0) each.parent?.active.delete(each)
    }
    begin()
  }

  /** The waiting piece of the class that was charged least and may go on. */
  #findNext(at: Class, mayEnter: boolean): Waiting | undefined {
    const admits = mayEnter && isAdmitting(at)
    const own = at.waiting.find(
      ({ isNew, isLarge }) => (admits || !isNew) && (!isLarge || this.#largeCount < LARGE_AT_ONCE),
    )
    if (own !== undefined || at.active.size === 0) return own
    const passed = new Set<Class>()
    for (;;) {
      let least: Class | undefined
      for (const child of at.active) {
        // Thousands may wait to begin while nobody may.
        if (!admits && child.resumingCount === 0) continue
        if (!passed.has(child) && (least === undefined || child.charged < least.charged)) least = child
      }
      if (least === undefined) return undefined
      const found = this.#findNext(least, admits)
      if (found !== undefined) return found
      passed.add(least)
    }
  }
}

const isAdmitting = ({ openCount, mostOpen }: Class): boolean => openCount < mostOpen

/** A class that did nothing has saved nothing. */
function catchUp(one: Class): void {
  if (one.parent !== null && one.isIdle && one.charged < one.parent.reached) one.charged = one.parent.reached
}

function charge(leaf: Class, milliseconds: number): void {
  for (const each of leaf.path) {
    each.usedMs += milliseconds
    each.charged += milliseconds / each.weight
  }
}
