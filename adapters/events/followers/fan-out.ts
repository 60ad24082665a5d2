/**
 * Which subscriptions get an event that is due?
 *
 * Some deliveries of events that are due are written in one transaction, with how far they came: a process that dies in between has changed
 * nothing, and a late or second one finds what is left. However many follow an event, a transaction writes at most `deliveries.atOnce`.
 * This holds for events of an installation and for those of dated rules on their day. Pushes are written afterwards, in transactions of their own.
 */
import { Clock, Context, Effect } from "effect"
import type { DueEvent, EventRow } from "../../storage/datasets-repository.ts"
import { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import type { Platform } from "../../storage/tables.ts"
import type { AddressedEvent } from "../../storage/webhooks-repository.ts"
import { workInTurns, yieldTurn } from "../../time/yield-turn.ts"
import { readJsonFields } from "../../validation/fields.ts"
import { writeEnvelope } from "../events.ts"
import { concerns, parseTerms, type SubscriptionTerms } from "./subscription.ts"

// Which devices get a push for an event?
// Every device that follows its pair, on a platform that this deployment reaches. Pushes are written after an event was distributed, for
// some devices at a time and in separate transactions: however many devices follow everything, webhooks do not wait for them. A new source
// alone sends no push. Of several events of one pair the last one counts, and of those of one moment a change in force before an announced
// one: a device shows one push for each pair.

/** The platforms that pushes are written for; none by default. */
export const PushedPlatforms = Context.Reference<readonly Platform[]>("landfall/push/PushedPlatforms", {
  defaultValue: () => [],
})

/** How late a push may be before it is no longer worth sending. */
export const PUSH_LIFETIME_MS = 3 * 86_400_000

/** How many events one transaction locks, and how many pushes it writes, so that other writers do not wait long. */
const PUSHED_AT_ONCE = 200
const PUSHES_AT_ONCE = 2_000
/** The most devices that one transaction looks at. */
const LARGEST_SPAN = 50_000

const RANKS: ReadonlyMap<string, number> = new Map([
  ["visa.policy_announced", 1],
  ["visa.policy_changed", 2],
])

const isPushed = ({ type }: Pick<EventRow, "type">): boolean => RANKS.has(type)

const toldAt = ({ created_at, due_at }: EventRow): number => Math.max(created_at, due_at)
const rankOf = ({ type }: EventRow): number => RANKS.get(type) as number
const dayOf = ({ effective_from }: EventRow): number => Date.parse(effective_from)

/** The event that a device shows, of each pair. */
export function chooseEvents<Event extends EventRow>(events: readonly Event[]): readonly Event[] {
  const inOrder = events
    .filter(isPushed)
    .toReversed()
    .sort((a, b) => toldAt(a) - toldAt(b) || rankOf(a) - rankOf(b) || dayOf(a) - dayOf(b))
  return [...new Map(inOrder.map(event => [event.passport + event.destination, event])).values()]
}

/** Makes a function that writes some pushes for some platforms, and says whether there may be more; nothing is sent here. */
export const makePushWriter = (platforms: readonly Platform[]) =>
  Effect.sync(() => {
    /** How many devices are looked at once: more where few of them follow anything. */
    let span = PUSHES_AT_ONCE / PUSHED_AT_ONCE
    return Effect.gen(function* () {
      const { devices, events, pushes, transact } = yield* Storage
      const write = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const waiting = yield* events.lockToPush(PUSHED_AT_ONCE)
        const [first] = waiting
        if (first === undefined) return { isMore: false }
        const above = first.pushed_to
        // An event may have waited while no push service was configured.
        const isNews = ({ fanned_out_at }: EventRow) => (fanned_out_at ?? nowMs) > nowMs - PUSH_LIFETIME_MS
        const chosen = new Set(chooseEvents(waiting.filter(isNews)))
        const left = waiting.filter(event => !chosen.has(event)).map(({ id }) => id)
        if (left.length > 0) yield* events.notePushed(left, null)
        // The others follow when these have come as far.
        const eventIds = [...chosen].filter(({ pushed_to }) => pushed_to === above).map(({ id }) => id)
        for (;;) {
          const { count, last: upTo } = yield* devices.countAbove(above, span)
          const found = yield* pushes.listFollowing({ eventIds, platforms, above, upTo, limit: PUSHES_AT_ONCE + 1 })
          if (found.length > PUSHES_AT_ONCE && span > 1) {
            span = Math.ceil(span / 2)
            continue
          }
          yield* pushes.insertAll(
            found.toSorted((a, b) => a.device_id - b.device_id),
            nowMs,
          )
          yield* events.notePushed(eventIds, count < span ? null : upTo)
          if (found.length <= PUSHES_AT_ONCE / 2) span = Math.min(2 * span, LARGEST_SPAN)
          return { isMore: true }
        }
      })
      // A power failure may undo it, and it is then done again: a claim of its rows waits for the disk, which then has both.
      return yield* transact(write, { isDurable: false, isAwaited: false })
    })
  })

// Which subscriptions may an event concern?
// What subscriptions follow is kept in memory, by passport and destination, without their addresses and secrets, so that an event costs as
// much as it has followers. The terms of a subscription never change and its number is higher than all before it, so only those above the
// last known number are read. The database decides whether a subscription still exists and is active; a deleted one is removed here when
// everything is read again, after an hour.

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

/** How many events one transaction locks, and after how many looks at a subscription it ends, so that other writers do not wait long. */
const EVENTS_AT_ONCE = 200
const LOOKS_AT_ONCE = 100_000

/** The body of the deliveries of an event; null if its data cannot be read, which damage or another version of the program can have left. */
function writePolicyEnvelope({ id, type, body, created_at, due_at, installation_id }: EventRow): string | null {
  const data = readJsonFields(body)
  if (data === null) return null
  const atMs = Math.max(created_at, due_at)
  return writeEnvelope({ id, type, installation: installation_id, atMs, isLive: true, data })
}

/** The writes of one transaction for some events: their deliveries, and the progress of each. Found in pieces. */
function* address(
  due: readonly DueEvent[],
  {
    followers,
    areDevicesTold,
    nowMs,
    most,
  }: {
    readonly followers: FollowerIndex
    readonly areDevicesTold: boolean
    readonly nowMs: number
    readonly most: number
  },
) {
  const addressed: AddressedEvent[] = []
  const notes: (Pick<DueEvent, "id" | "handed_to" | "fanned_out_at"> & { readonly pushed_to: number | null })[] = []
  const unreadable: string[] = []
  let [room, looks] = [most, LOOKS_AT_ONCE]
  for (const event of due) {
    if (room === 0 || looks <= 0) break
    yield
    looks -= followers.countNear(event)
    const { id, type } = event
    const near = yield* followers.find(event, event.handed_to)
    const mayBePushed = areDevicesTold && isPushed(event)
    // Most events concern nobody, and are not written.
    const body = near.length > 0 || mayBePushed ? writePolicyEnvelope(event) : ""
    if (body === null) unreadable.push(id)
    const found = body === null ? [] : near
    const webhookIds = found.slice(0, room)
    room -= webhookIds.length
    if (body !== null && webhookIds.length > 0) addressed.push({ event_id: id, type, body, webhookIds })
    const handed_to = webhookIds.at(-1) ?? event.handed_to
    const isWhole = webhookIds.length === found.length
    const pushed_to = body !== null && isWhole && mayBePushed ? 0 : null
    notes.push({ id, handed_to, fanned_out_at: isWhole ? nowMs : null, pushed_to })
  }
  return { addressed, notes, unreadable }
}

/** Makes a function that distributes some due events, up to an installation and the oldest first, and says whether there may be more. */
export const makeFanOut = Effect.map(
  followFollowers,
  readFollowers =>
    (upToInstallation = Number.MAX_SAFE_INTEGER) =>
      Effect.gen(function* () {
        const { deliveries, events, transact } = yield* Storage
        const areDevicesTold = (yield* PushedPlatforms).length > 0
        const followers = yield* readFollowers
        const fanOut = Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const due = yield* events.lockDue(nowMs, upToInstallation, EVENTS_AT_ONCE)
          const { atOnce: most } = deliveries
          const { addressed, notes, unreadable } = yield* workInTurns(
            address(due, { followers, areDevicesTold, nowMs, most }),
          )
          if (unreadable.length > 0)
            yield* Effect.logWarning("nobody is notified of events that cannot be read", { unreadable })
          yield* yieldTurn
          if (notes.length > 0) yield* events.noteFannedOut(notes)
          yield* yieldTurn
          if (addressed.length > 0) yield* deliveries.insertAll(addressed, nowMs)
          return {
            isMore:
              due.length === EVENTS_AT_ONCE ||
              notes.some(({ fanned_out_at }) => fanned_out_at === null) ||
              notes.length < due.length,
          }
        })
        // A power failure may undo it, and it is then done again: a claim of its rows waits for the disk, which then has both.
        return yield* transact(fanOut, { isDurable: false, isAwaited: false })
      }),
)
