/**
 * How are requests counted exactly and cheaply by any number of processes?
 *
 * A process takes some requests of a limit from the database at once, a block, and serves them from memory, so most requests need no SQL.
 * When three quarters of a block are used it is filled again in the background, so that no request waits for the database's other work.
 * The statement that takes them adds only what fits, so no limit is ever exceeded. The nearer the limit, the smaller the block. A block that
 * nobody used for a second goes back, so others find what is left. A process that is killed loses its blocks, for the customer: at most 1 %
 * of a limit, and at most {@link LARGEST_BLOCK} requests, besides what its requests under way had reserved.
 */
import { Clock, Context, Deferred, Effect, Exit, Scope } from "effect"
import type { CountedDays } from "../storage/pools-repository.ts"
import type { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import { type CountedPool, firstDayOf, type Today } from "./limits.ts"

/** A block has at most this many requests. */
export const LARGEST_BLOCK = 100
/** A block is at most this part of a limit, and this part of the rest, so that other processes find something too. */
const PART_OF_LIMIT = 100
const PART_OF_REST = 16
/** A block is filled again when less than this part of it is left. */
const PART_OF_BLOCK = 4
/** After how long without use a block goes back. */
export const IDLE_MS = 1_000
/** How long after the last question to the database it goes back even when it is used, so that the use by other processes becomes known. */
const LONGEST_MS = 10_000
/** How long the database is not asked again after it said that something does not fit. */
const BELIEVED_MS = 1_000
/** How long a request waits for the database before it gets the answer that it is not available. */
export const ASK_TIMEOUT_MS = 1_000
/** How many blocks go back at once: other processes wait for their rows meanwhile. */
const BLOCKS_AT_ONCE = 100
const MOST_TRIES = 3

/** What this process knows of one limit on one day, and the requests that it holds of it. */
export class Block {
  readonly id: string
  readonly pool: CountedPool
  readonly today: Today
  readonly count: CountedDays
  usedAt: number
  /** What the database counts as used, the requests of this block included, and when it said so. */
  used = 0
  firstDay: string | null = null
  askedAt = Number.NEGATIVE_INFINITY
  /** The requests that may be served from memory. */
  left = 0
  /** The statement under way; others wait for it, so that blocks are neither taken twice nor given back while they are taken. */
  turn: Deferred.Deferred<void, Unavailable> | null = null
  /** What the requests that wait for the statement need. */
  needs: number[] = []

  constructor(id: string, pool: CountedPool, subject: string, today: Today, nowMs: number) {
    this.id = id
    this.pool = pool
    this.today = today
    this.count = { subject, pool, day: today.day.name, since: firstDayOf(pool, today) }
    this.usedAt = nowMs
  }

  get isKnown(): boolean {
    return this.askedAt !== Number.NEGATIVE_INFINITY
  }

  remaining(limit: number): number {
    return limit - this.used + this.left
  }

  /** Says whether a charge can be reserved from memory; null if the database must be asked. */
  judge(charge: number, limit: number, nowMs: number): boolean | null {
    if (!this.isKnown) return null
    if (charge === 0) return true
    const fits = charge <= this.remaining(limit)
    if (fits && charge <= this.left) return true
    return !fits && Math.abs(nowMs - this.askedAt) < BELIEVED_MS ? false : null
  }
}

const largestBlock = (limit: number): number => Math.min(LARGEST_BLOCK, Math.floor(limit / PART_OF_LIMIT))

/** The blocks of this process. */
export class Blocks {
  readonly #blocks = new Map<string, Block>()
  readonly #storage: Storage["Service"]
  readonly #scope: Scope.Scope
  readonly #run: (work: Effect.Effect<unknown>) => unknown

  constructor(storage: Storage["Service"], context: Context.Context<Scope.Scope>) {
    this.#storage = storage
    this.#scope = Context.get(context, Scope.Scope)
    this.#run = Effect.runForkWith(context)
  }

  /** How many limits are in memory, and how many requests may be served from memory. */
  measure(): { readonly limits: number; readonly held: number } {
    let held = 0
    for (const { left } of this.#blocks.values()) held += left
    return { limits: this.#blocks.size, held }
  }

  /** The block of a limit; an empty one at first. */
  find(pool: CountedPool, subject: string, today: Today, nowMs: number): Block {
    const id = `${pool} ${subject} ${today.day.name}`
    const known = this.#blocks.get(id)
    if (known !== undefined) return known
    const block = new Block(id, pool, subject, today, nowMs)
    this.#blocks.set(id, block)
    return block
  }

  /** Takes requests of a block: {@link Block.judge} has admitted them. */
  hold(block: Block, charge: number, limit: number, nowMs: number): void {
    const low = Math.floor(largestBlock(limit) / PART_OF_BLOCK)
    const before = block.left
    block.left -= charge
    block.usedAt = nowMs
    if (before >= low && block.left < low && block.turn === null) this.#start(block, limit)
  }

  /** Puts requests back that were not served. */
  release(block: Block, charge: number): void {
    if (charge === 0) return
    const known = this.#blocks.get(block.id)
    if (known === undefined) this.#blocks.set(block.id, block)
    ;(known ?? block).left += charge
  }

  /** Asks the database about a block, so that a charge of it can be judged; several requests at once ask together. */
  ask(block: Block, charge: number, limit: number): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() => {
      block.needs.push(charge)
      return Effect.timeoutOrElse(Deferred.await(block.turn ?? this.#start(block, limit)), {
        duration: ASK_TIMEOUT_MS,
        orElse: () => Effect.fail(makeUnavailable("busy", this.#storage.label)),
      })
    })
  }

  /** Starts to fill a block. It goes on when those who wait for it have given up: what it takes is in the database. */
  #start(block: Block, limit: number): Deferred.Deferred<void, Unavailable> {
    const turn = this.#begin([block])
    const work = Effect.onExit(this.#fill(block, limit), exit => this.#end([block], turn, exit))
    this.#run(Effect.forkIn(work, this.#scope, { startImmediately: true }))
    return turn
  }

  #begin(blocks: readonly Block[]): Deferred.Deferred<void, Unavailable> {
    const turn = Deferred.makeUnsafe<void, Unavailable>()
    for (const block of blocks) block.turn = turn
    return turn
  }

  #end(blocks: readonly Block[], turn: Deferred.Deferred<void, Unavailable>, exit: Exit.Exit<void, Unavailable>) {
    for (const block of blocks) {
      block.turn = null
      block.needs = []
    }
    return Deferred.done(turn, exit)
  }

  /** Takes what those who wait need, or a block where that is more; less if only that is left; or nothing. Where nobody waits, the rest of a block. */
  readonly #fill = Effect.fnUntraced({ self: this }, function* (block: Block, limit: number) {
    const { pools } = this.#storage
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const smallest = Math.min(...block.needs.filter(need => need > 0)) - block.left
      const missing = block.needs.reduce((sum, need) => sum + need, 0) - block.left
      const rest = limit - block.used
      const share = Math.min(largestBlock(limit), Math.floor(rest / PART_OF_REST))
      const needed = missing > 0 && smallest <= rest ? Math.min(rest, Math.max(missing, share)) : 0
      const size = block.needs.length === 0 ? share - block.left : needed
      if (size > 0) {
        const taken = yield* pools.take(block.count, size, limit)
        if (taken !== null) {
          block.left += size
          block.used = taken.used
          block.firstDay = taken.firstDay
          block.askedAt = yield* Clock.currentTimeMillis
          return
        }
      }
      const { used, firstDay } = yield* pools.readUsed(block.count)
      block.used = used
      block.firstDay = firstDay
      block.askedAt = yield* Clock.currentTimeMillis
      if (missing <= 0) return
    }
  })

  /** Gives back what nobody used for a while, and whatever is more than a block; also what is chosen. */
  giveBack(nowMs: number, isChosen: (block: Block) => boolean = () => false): Effect.Effect<void, Unavailable> {
    const isOver = (block: Block) =>
      isChosen(block) ||
      Math.abs(nowMs - block.usedAt) >= IDLE_MS ||
      (block.isKnown && Math.abs(nowMs - block.askedAt) >= LONGEST_MS)
    const work = Effect.suspend(() => {
      const due: Block[] = []
      for (const block of this.#blocks.values()) {
        if (block.turn !== null) continue
        if (block.left > (isOver(block) ? 0 : LARGEST_BLOCK)) due.push(block)
        else if (block.left === 0 && isOver(block)) this.#blocks.delete(block.id)
      }
      // In the order of their keys, as every process locks them.
      due.sort((one, other) => (one.id < other.id ? -1 : 1))
      const pieces = Array.from({ length: Math.ceil(due.length / BLOCKS_AT_ONCE) }, (_, at) =>
        due.slice(at * BLOCKS_AT_ONCE, (at + 1) * BLOCKS_AT_ONCE),
      )
      return Effect.forEach(pieces, piece => this.#giveBack(piece), { discard: true })
    })
    // One that is being filled goes back afterwards.
    const turns = [...this.#blocks.values()].flatMap(block =>
      isChosen(block) && block.turn !== null ? [block.turn] : [],
    )
    return Effect.andThen(
      Effect.forEach(turns, turn => Effect.exit(Deferred.await(turn)), { discard: true }),
      work,
    )
  }

  #giveBack(due: readonly Block[]): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() => {
      const given = new Map<Block, number>()
      let isWritten = false
      const restore = () => {
        for (const [block, requests] of given) block.left += requests
        given.clear()
      }
      const work = Effect.gen({ self: this }, function* () {
        // The transaction may be tried again.
        restore()
        for (const block of due) {
          if (block.left === 0 || (block.turn !== null && block.turn !== turn)) continue
          given.set(block, block.left)
          block.left = 0
          block.turn = turn
        }
        yield* this.#storage.pools.giveBack([...given].map(([{ count }, requests]) => [count, requests] as const))
        isWritten = true
      })
      const turn = this.#begin([])
      return this.#storage.transact(work, { isDurable: false }).pipe(
        Effect.onExit(exit =>
          Effect.suspend(() => {
            const blocks = [...given.keys()]
            if (exit._tag === "Success") for (const [block, requests] of given) block.used -= requests
            // A transaction that was written completely may be committed, even if the connection failed: the requests are not served again.
            else if (!isWritten) restore()
            return this.#end(blocks, turn, Exit.void)
          }),
        ),
      )
    })
  }
}
