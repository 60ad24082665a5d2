/**
 * Which subscriptions may an event concern?
 *
 * What subscriptions follow is kept in memory, by passport and destination, without their addresses and secrets, so that an event costs as much as it has followers. The terms of a
 * subscription never change and its number is higher than all before it, so only those above the last known number are read. The database decides whether a subscription still exists and
 * is active; a deleted one is removed here when everything is read again, after an hour.
 */
import { Clock, Effect } from "effect"
import type { EventRow } from "../../storage/events-repository.ts"
import { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { workInTurns, yieldTurn } from "../../time/yield-turn.ts"
import { concerns, parseTerms, type SubscriptionTerms } from "./subscription.ts"

/** How many subscriptions one statement reads. */
const TERMS_AT_ONCE = 500
/** How long a subscription that is gone may be remembered. */
const FRESH_MS = 3_600_000
/** How many subscriptions a piece of a search looks at: some 50 microseconds. */
const LOOKED_AT_ONCE = 500
/** A subscription of more pairs than this is found by its passports or its destinations. */
const MAXIMUM_PAIRS = 64
const ALL = ""

interface Follower {
  readonly id: number
  readonly terms: SubscriptionTerms
}

/** Subscriptions by their passports and destinations. */
export class FollowerIndex {
  /** The highest number that it has. */
  lastId = 0
  readonly #byPair = new Map<string, Follower[]>()

  /** Adds a subscription; its number has to be higher than that of all before it. */
  add(id: number, terms: SubscriptionTerms): void {
    this.lastId = id
    for (const key of listKeys(terms)) {
      const known = this.#byPair.get(key)
      if (known === undefined) this.#byPair.set(key, [{ id, terms }])
      else known.push({ id, terms })
    }
  }

  /** Those whose passports and destinations an event may meet. */
  #near({ passport, destination }: Pick<EventRow, "passport" | "destination">): readonly (readonly Follower[])[] {
    const keys = [nameKey(passport, destination), nameKey(passport, ALL), nameKey(ALL, destination), ALL]
    return keys.map(key => this.#byPair.get(key) ?? [])
  }

  /** How many subscriptions a search for an event looks at. */
  countNear(event: Pick<EventRow, "passport" | "destination">): number {
    return this.#near(event).reduce((sum, { length }) => sum + length, 0)
  }

  /** The numbers, in order and above one, of subscriptions that an event concerns, found in pieces. */
  *find(
    event: Pick<EventRow, "type" | "passport" | "destination" | "severity">,
    above: number,
  ): Generator<void, readonly number[], void> {
    const found: number[] = []
    let looked = 0
    for (const followers of this.#near(event)) {
      for (const { id, terms } of followers) {
        if (++looked % LOOKED_AT_ONCE === 0) yield
        if (id > above && concerns(terms, event)) found.push(id)
      }
    }
    return found.sort((a, b) => a - b)
  }
}

const nameKey = (passport: string, destination: string): string => `${passport}>${destination}`

/** Under which names a subscription is kept: each event that concerns it matches exactly one of these. */
function listKeys({ passports, destinations }: SubscriptionTerms): readonly string[] {
  const [own, places] = [new Set(passports), new Set(destinations)]
  if (own.size + places.size === 0) return [ALL]
  if (own.size > 0 && places.size > 0 && own.size * places.size <= MAXIMUM_PAIRS) {
    return [...own].flatMap(passport => [...places].map(destination => nameKey(passport, destination)))
  }
  const byPassport = places.size === 0 || (own.size > 0 && own.size <= places.size)
  return byPassport ? [...own].map(code => nameKey(code, ALL)) : [...places].map(code => nameKey(ALL, code))
}

function* addAll(index: FollowerIndex, rows: readonly { readonly id: number; readonly terms: string }[]) {
  for (const { id, terms } of rows) {
    // Another reader may have added it in the meantime.
    if (id > index.lastId) index.add(id, parseTerms(terms))
    yield
  }
}

/** An index that follows the database; returns its current state. */
export const followFollowers = Effect.sync(() => {
  let index = new FollowerIndex()
  let madeAtMs = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { webhooks } = yield* Storage
    const nowMs = yield* Clock.currentTimeMillis
    const isOld = nowMs - madeAtMs > FRESH_MS
    const next = isOld ? new FollowerIndex() : index
    for (;;) {
      const rows = yield* webhooks.listTerms(next.lastId, TERMS_AT_ONCE)
      yield* workInTurns(addAll(next, rows))
      if (rows.length < TERMS_AT_ONCE) break
      yield* yieldTurn
    }
    if (isOld) [index, madeAtMs] = [next, nowMs]
    return next
  }) satisfies Effect.Effect<FollowerIndex, Unavailable, Storage>
})
