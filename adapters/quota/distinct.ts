/**
 * How many distinct items does a subject ask for on a UTC day: an account's destinations for a passport, or an address's pairs?
 *
 * An item that is in its list is free. A new one is a row of the database, added in one transaction with the count of its list, so that no
 * list exceeds its cap, whatever the processes do. An item stays when a request with it was answered; otherwise it goes back, within a second
 * or when the place is needed.
 */
import { randomUUID } from "node:crypto"
import { Clock, Data, Effect, Fiber, type Scope, Semaphore } from "effect"
import type { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import type { Today } from "./limits.ts"
import { ASK_TIMEOUT_MS } from "./request-blocks.ts"

/** An item that was answered stays; any other is held by so many requests. */
const ANSWERED = -1
/** How long the database is not asked again after it said that something does not fit. */
const BELIEVED_MS = 1_000
/** How many lists are in memory; when there are more, those without requests under way leave it. */
const MOST_LISTS = 20_000

interface List {
  readonly key: Readonly<Record<"subject" | "day" | "list", string>>
  readonly items: Map<string, number>
  /** One transaction at a time. */
  readonly turns: Semaphore.Semaphore
  /** How many items there were at least when some did not fit, and when that was. */
  used: number
  refusedAt: number
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
  readonly lists: readonly List[]
  readonly items: readonly string[]
}

/** A list would exceed its cap. */
class TooMany extends Data.TaggedError("TooMany")<{ readonly list: List }> {}

/** The lists that this process knows. */
export class Distinct {
  /** Those of earlier days are first. */
  readonly #lists = new Map<string, List>()
  /** Those in which there may be an item that nobody holds. */
  readonly #idle = new Set<List>()
  readonly #storage: Storage["Service"]
  readonly #scope: Scope.Scope
  /** The name of this process. */
  readonly #holder = randomUUID()

  constructor(storage: Storage["Service"], scope: Scope.Scope) {
    this.#storage = storage
    this.#scope = scope
  }

  /** Holds all items of a request from memory; false if there are too many, null if the database must be asked. */
  hold({ subject, lists: names, items, cap }: Asked, today: Today, nowMs: number): Held | false | null {
    // More than any list may have: the database is not asked, to refuse them.
    const areTooMany = items.length > cap && new Set(items).size > cap
    const lists: List[] = []
    let isKnown = true
    for (const name of names) {
      const list = this.#find(subject, today, name)
      if (list !== undefined) lists.push(list)
      const missing = missingIn(list, items)
      if (missing === 0) continue
      const isBelieved = list !== undefined && Math.abs(nowMs - list.refusedAt) < BELIEVED_MS
      if (areTooMany || (isBelieved && list.used + missing > cap)) return false
      isKnown = false
    }
    if (!isKnown) return null
    for (const { items: known } of lists) {
      for (const item of items) {
        const holds = known.get(item)!
        if (holds !== ANSWERED) known.set(item, holds + 1)
      }
    }
    return { lists, items }
  }

  /** Counts the items of a request that was answered. */
  commit({ lists, items }: Held): void {
    for (const list of lists) for (const item of items) list.items.set(item, ANSWERED)
  }

  release({ lists, items }: Held): void {
    for (const list of lists) {
      for (const item of items) {
        const holds = list.items.get(item)
        if (holds === undefined || holds <= 0) continue
        list.items.set(item, holds - 1)
        if (holds > 1) continue
        this.#idle.add(list)
        // There is a place again.
        list.refusedAt = Number.NEGATIVE_INFINITY
      }
    }
  }

  /** What is left of a list, as far as it is known. */
  remaining({ subject, cap }: Asked, name: string, today: Today): number {
    return cap - (this.#find(subject, today, name)?.items.size ?? 0)
  }

  /** Adds the items of a request to the database, so that they can be held; or reads the list in which they do not fit. */
  ask({ subject, lists: names, items, cap }: Asked, today: Today): Effect.Effect<void, Unavailable> {
    const lists = [...new Set(names)]
      .sort()
      .map(name => this.#find(subject, today, name) ?? this.#add(subject, today, name))
    const work = Effect.catchTag(this.#settle(lists, items, cap), "TooMany", ({ list }) =>
      Effect.gen({ self: this }, function* () {
        // Those that others have added are free.
        for (const item of yield* this.#storage.pools.listItems(list.key))
          if (!list.items.has(item)) list.items.set(item, ANSWERED)
        list.used = cap + 1 - missingIn(list, items)
        list.refusedAt = yield* Clock.currentTimeMillis
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
    // Those whose transaction fails stay idle.
    for (const list of this.#idle) if (!hasItem(list, holds => holds === 0)) this.#idle.delete(list)
    const due = [...this.#idle]
    for (const [name, list] of this.#lists) {
      if (list.key.day === today.day.name && this.#lists.size <= MOST_LISTS) break
      if (!hasItem(list, holds => holds !== ANSWERED)) this.#lists.delete(name)
    }
    const takeBack = (list: List) => Effect.catchTag(this.#settle([list], [], 0), "TooMany", Effect.die)
    return Effect.forEach(due, takeBack, { discard: true })
  }

  #find(subject: string, today: Today, name: string): List | undefined {
    return this.#lists.get(`${subject} ${today.day.name} ${name}`)
  }

  #add(subject: string, today: Today, name: string): List {
    const key = { subject, day: today.day.name, list: name }
    const none = { items: new Map(), used: 0, refusedAt: Number.NEGATIVE_INFINITY }
    const list: List = { key, turns: Semaphore.makeUnsafe(1), ...none }
    this.#lists.set(`${subject} ${key.day} ${name}`, list)
    return list
  }

  /**
   * Takes back the items of lists that no request holds, and adds those that are asked for, in one transaction. What this process knows
   * changes when it is committed. Lists are in the order of their names.
   */
  #settle(lists: readonly List[], items: readonly string[], cap: number): Effect.Effect<void, TooMany | Unavailable> {
    const { pools, transact } = this.#storage
    const holder = this.#holder
    const work = Effect.suspend(() => {
      // Another request may have added them meanwhile.
      if (items.length > 0 && lists.every(list => missingIn(list, items) === 0)) return Effect.void
      const changes = lists.map(list => {
        const goes = [...list.items].flatMap(([item, holds]) => (holds === 0 && !items.includes(item) ? [item] : []))
        // Nobody may hold it from memory while it goes.
        for (const item of goes) list.items.delete(item)
        return { list, goes, missing: [...new Set(items)].filter(item => !list.items.has(item)).sort() }
      })
      const change = Effect.fnUntraced(function* ({ list, goes, missing }: (typeof changes)[number]) {
        const { subject, day } = list.key
        const count = { subject, pool: `seen ${list.key.list}`, day, since: day }
        const removed = yield* pools.removeItems(list.key, goes, holder)
        if (removed > 0) yield* pools.giveBack([[count, removed]])
        const own = new Set(yield* pools.addItems(list.key, missing, holder))
        if (own.size > 0 && (yield* pools.take(count, own.size, cap)) === null) return yield* new TooMany({ list })
        return own
      })
      return Effect.onExit(transact(Effect.forEach(changes, change), { isDurable: false }), exit =>
        Effect.sync(() => {
          for (const [at, { list, goes, missing }] of changes.entries()) {
            if (exit._tag === "Failure") for (const item of goes) list.items.set(item, list.items.get(item) ?? 0)
            else for (const item of missing) list.items.set(item, exit.value[at]!.has(item) ? 0 : ANSWERED)
            this.#idle.add(list)
          }
        }),
      )
    })
    return Effect.asVoid(lists.reduceRight<typeof work>((inner, { turns }) => turns.withPermit(inner), work))
  }
}

/** Whether some item of a list is held by so many. */
function hasItem({ items }: List, isSo: (holds: number) => boolean): boolean {
  for (const holds of items.values()) if (isSo(holds)) return true
  return false
}

/** How many of some items a list does not have. */
function missingIn(list: List | undefined, items: readonly string[]): number {
  const known = list?.items
  if (items.every(item => known?.has(item))) return 0
  return new Set(items.filter(item => !known?.has(item))).size
}
