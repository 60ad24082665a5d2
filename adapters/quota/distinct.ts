/**
 * How many distinct items does a subject ask for on a UTC day: an account's destinations for a passport, or an address's pairs?
 *
 * An item that is in its list is free. A new one is a row of the database, added in one transaction with the count of its list, so that no
 * list exceeds its cap, whatever the processes do. An item stays when a request with it was answered; otherwise it goes back, within a second
 * or when the place is needed.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Fiber, Schema, type Scope, Semaphore } from "effect"
import type { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import type { Today } from "./limits.ts"
import { ASK_TIMEOUT_MS } from "./request-blocks.ts"

/** An item that was answered stays; any other is held by so many requests. */
const ANSWERED = -1
/** How long the database is not asked again after it said that something does not fit. */
const BELIEVED_MS = 1_000
/** How many subjects are in memory; when there are more, those without requests under way leave it. */
const MOST_SUBJECTS = 10_000

interface List {
  readonly items: Map<string, number>
  /** How many new items did not fit at once, under which cap, and when. */
  refused: number
  refusedCap: number
  refusedAt: number
}

interface Subject {
  readonly day: string
  readonly lists: Map<string, List>
  /** One transaction at a time. */
  readonly turns: Semaphore.Semaphore
}

/** What a request asks for: every item for each list. */
export interface Asked {
  readonly subject: string
  readonly lists: readonly string[]
  readonly items: readonly string[]
  /** How many items a list may have. */
  readonly cap: number
}

/** The items that a request holds. */
export interface Held {
  readonly subject: string
  readonly lists: readonly List[]
  readonly items: readonly string[]
}

/** A list would exceed its cap. */
class TooMany extends Schema.TaggedError<TooMany>()("TooMany", { list: Schema.String }) {}

/** The lists that this process knows. */
export class Distinct {
  /** Those of earlier days are first. */
  readonly #subjects = new Map<string, Subject>()
  /** The names of those in which there may be an item that nobody holds. */
  readonly #idle = new Set<string>()
  readonly #storage: Storage["Service"]
  readonly #scope: Scope.Scope
  /** The name of this process. */
  readonly #holder = randomUUID()

  constructor(storage: Storage["Service"], scope: Scope.Scope) {
    this.#storage = storage
    this.#scope = scope
  }

  /** Holds all items of a request from memory; false if there are too many, null if the database must be asked. */
  hold(asked: Asked, today: Today, nowMs: number): Held | false | null {
    // More than any list may have: nothing is made, or asked of the database, to refuse them.
    const areTooMany = asked.items.length > asked.cap && new Set(asked.items).size > asked.cap
    const subject = areTooMany ? this.#peek(asked.subject, today) : this.#find(asked.subject, today)
    if (subject === undefined) return false
    const lists = asked.lists.map(list => listOf(subject, list))
    let isKnown = true
    for (const list of lists) {
      const missing = missingIn(list, asked.items)
      if (missing === 0) continue
      if (areTooMany) return false
      const isBelieved = asked.cap <= list.refusedCap && Math.abs(nowMs - list.refusedAt) < BELIEVED_MS
      if (missing >= list.refused && isBelieved) return false
      isKnown = false
    }
    if (!isKnown) return null
    const held = { subject: asked.subject, lists, items: asked.items }
    for (const { items } of lists) {
      for (const item of asked.items) {
        const holds = items.get(item)!
        if (holds !== ANSWERED) items.set(item, holds + 1)
      }
    }
    return held
  }

  /** Counts the items of a request that was answered. */
  commit({ lists, items }: Held): void {
    for (const list of lists) for (const item of items) list.items.set(item, ANSWERED)
  }

  release({ subject, lists, items }: Held): void {
    for (const list of lists) {
      for (const item of items) {
        const holds = list.items.get(item)
        if (holds === undefined || holds <= 0) continue
        list.items.set(item, holds - 1)
        if (holds > 1) continue
        this.#idle.add(subject)
        // There is a place again.
        list.refusedAt = Number.NEGATIVE_INFINITY
      }
    }
  }

  /** What is left of a list, as far as it is known. */
  remaining({ subject, cap }: Asked, list: string, today: Today): number {
    return cap - (this.#peek(subject, today)?.lists.get(list)?.items.size ?? 0)
  }

  /** Adds the items of a request to the database, so that they can be held; or reads the list in which they do not fit. */
  ask(asked: Asked, today: Today): Effect.Effect<void, Unavailable> {
    const subject = this.#find(asked.subject, today)
    const work = Effect.catchTag(this.#settle(asked.subject, subject, asked), "TooMany", ({ list }) =>
      Effect.gen({ self: this }, function* () {
        // Those that others have added are free.
        const found = yield* this.#storage.pools.listItems({ subject: asked.subject, day: subject.day, list })
        const known = listOf(subject, list)
        for (const item of found) if (!known.items.has(item)) known.items.set(item, ANSWERED)
        known.refused = missingIn(known, asked.items)
        known.refusedCap = asked.cap
        known.refusedAt = yield* Clock.currentTimeMillis
      }),
    )
    // It goes on when the request has given up: what it adds is in the database, and goes back when nobody holds it.
    return Effect.flatMap(Effect.forkIn(work, this.#scope, { startImmediately: true }), fiber =>
      Effect.timeoutOrElse(Fiber.join(fiber), {
        duration: ASK_TIMEOUT_MS,
        orElse: () => Effect.fail(makeUnavailable("busy", this.#storage.label)),
      }),
    )
  }

  /** Takes items back that no request holds, and forgets past days. */
  giveBack(today: Today): Effect.Effect<void, Unavailable> {
    const due: Effect.Effect<void, Unavailable>[] = []
    for (const name of this.#idle) {
      const subject = this.#subjects.get(name)
      if (subject === undefined || !hasItem(subject, holds => holds === 0)) this.#idle.delete(name)
      else due.push(Effect.catchTag(this.#settle(name, subject, null), "TooMany", Effect.die))
    }
    for (const [name, subject] of this.#subjects) {
      if (subject.day === today.day.name && this.#subjects.size <= MOST_SUBJECTS) break
      if (!hasItem(subject, holds => holds !== ANSWERED)) this.#subjects.delete(name)
    }
    return Effect.forEach(due, work => work, { discard: true })
  }

  #peek(name: string, today: Today): Subject | undefined {
    const known = this.#subjects.get(name)
    return known?.day === today.day.name ? known : undefined
  }

  #find(name: string, today: Today): Subject {
    const known = this.#peek(name, today)
    if (known !== undefined) return known
    const subject = { day: today.day.name, lists: new Map(), turns: Semaphore.makeUnsafe(1) }
    this.#subjects.delete(name)
    this.#subjects.set(name, subject)
    return subject
  }

  /**
   * Takes back the items of a subject that no request holds, and adds those that are asked for, in one transaction. What this process knows
   * changes when it is committed.
   */
  #settle(name: string, subject: Subject, asked: Asked | null): Effect.Effect<void, TooMany | Unavailable> {
    const { pools } = this.#storage
    const { day, lists } = subject
    const holder = this.#holder
    const work = Effect.suspend(() => {
      // Another request may have added them meanwhile.
      if (asked?.lists.every(list => missingIn(listOf(subject, list), asked.items) === 0)) return Effect.void
      const idle: (readonly [list: List, item: string])[] = []
      const added: (readonly [list: List, item: string, holds: number])[] = []
      const names = asked === null ? [...lists.keys()] : [...new Set(asked.lists)]
      const settleList = Effect.fnUntraced(function* (list: string) {
        const key = { subject: name, day, list }
        const count = { subject: name, pool: `seen ${list}`, day, since: day }
        const known = listOf(subject, list)
        const goes = [...known.items].filter(([item, holds]) => holds === 0 && !asked?.items.includes(item))
        for (const [item] of goes) {
          // Nobody may hold it from memory while it goes.
          known.items.delete(item)
          idle.push([known, item])
        }
        const removed = yield* pools.removeItems(
          key,
          goes.map(([item]) => item),
          holder,
        )
        if (removed > 0) yield* pools.giveBack([[count, removed]])
        if (asked === null) return
        const missing = [...new Set(asked.items)].filter(item => !known.items.has(item)).sort()
        const own = new Set(yield* pools.addItems(key, missing, holder))
        if (own.size > 0 && (yield* pools.take(count, own.size, asked.cap)) === null)
          return yield* new TooMany({ list })
        for (const item of missing) added.push([known, item, own.has(item) ? 0 : ANSWERED])
      })
      const transaction = Effect.forEach(names.sort(), settleList, { discard: true })
      return Effect.onExit(this.#storage.transact(transaction, { isDurable: false }), exit =>
        Effect.sync(() => {
          if (exit._tag === "Success") for (const [{ items }, item, holds] of added) items.set(item, holds)
          else for (const [{ items }, item] of idle) items.set(item, items.get(item) ?? 0)
          this.#idle.add(name)
        }),
      )
    })
    return subject.turns.withPermit(work)
  }
}

/** Whether some item of a subject is held by so many. */
function hasItem({ lists }: Subject, isSo: (holds: number) => boolean): boolean {
  for (const { items } of lists.values()) for (const holds of items.values()) if (isSo(holds)) return true
  return false
}

/** A list of a subject; an empty one at first. */
function listOf({ lists }: Subject, name: string): List {
  const known = lists.get(name)
  if (known !== undefined) return known
  const list = { items: new Map<string, number>(), refused: 0, refusedCap: 0, refusedAt: Number.NEGATIVE_INFINITY }
  lists.set(name, list)
  return list
}

/** How many of some items a list does not have. */
function missingIn({ items: known }: List, items: readonly string[]): number {
  if (items.every(item => known.has(item))) return 0
  return new Set(items.filter(item => !known.has(item))).size
}
