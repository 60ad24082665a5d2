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

// Which subscriptions does an event concern?
// What subscriptions follow is kept in memory, without their addresses and secrets, and every one is looked at for each event: sending a
// delivery costs more than two thousand looks. The terms of a subscription never change and its number is higher than all before it, so only those
// above the last known number are read. The database decides whether a subscription still exists and is active; a deleted one is removed here
// when everything is read again, after an hour.

/** How many subscriptions one statement reads. */
const TERMS_AT_ONCE = 500
/** How long a subscription that is gone may be remembered. */
const FRESH_MS = 3_600_000
/** How many subscriptions a piece of a search looks at: some 50 microseconds. */
const LOOKED_AT_ONCE = 500

export interface Follower {
  readonly id: number
  readonly terms: SubscriptionTerms
}

/** The numbers, in order and above one, of subscriptions that an event concerns, found in pieces. */
export function* findFollowers(
  followers: readonly Follower[],
  event: Pick<EventRow, "type" | "passport" | "destination" | "severity">,
  above: number,
): Generator<void, readonly number[], void> {
  const found: number[] = []
  for (const [at, { id, terms }] of followers.entries()) {
    if ((at + 1) % LOOKED_AT_ONCE === 0) yield
    if (id > above && concerns(terms, event)) found.push(id)
  }
  return found
}

/** Every subscription in the order of its number, as it follows the database; returns its current state. */
export const followFollowers = Effect.sync(() => {
  let followers: Follower[] = []
  let madeAtMs = Number.NEGATIVE_INFINITY
  return Effect.gen(function* (): Effect.fn.Return<readonly Follower[], Unavailable, Storage> {
    const { webhooks } = yield* Storage
    const nowMs = yield* Clock.currentTimeMillis
    const isOld = nowMs - madeAtMs > FRESH_MS
    const next = isOld ? [] : followers
    for (;;) {
      const rows = yield* webhooks.listTerms(next.at(-1)?.id ?? 0, TERMS_AT_ONCE)
      for (const { id, terms } of rows) next.push({ id, terms: parseTerms(terms) })
      if (rows.length < TERMS_AT_ONCE) break
      yield* yieldTurn
    }
    if (isOld) [followers, madeAtMs] = [next, nowMs]
    return next
  })
})

/** How many events one transaction locks, and for how many looks at a subscription, so that other writers do not wait long. */
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
    readonly followers: readonly Follower[]
    readonly areDevicesTold: boolean
    readonly nowMs: number
    readonly most: number
  },
) {
  const addressed: AddressedEvent[] = []
  const notes: (Pick<DueEvent, "id" | "handed_to" | "fanned_out_at"> & { readonly pushed_to: number | null })[] = []
  const unreadable: string[] = []
  let room = most
  for (const event of due) {
    if (room === 0) break
    yield
    const { id, type } = event
    const near = yield* findFollowers(followers, event, event.handed_to)
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
        const limit = Math.min(EVENTS_AT_ONCE, Math.ceil(LOOKS_AT_ONCE / Math.max(1, followers.length)))
        const fanOut = Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const due = yield* events.lockDue(nowMs, upToInstallation, limit)
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
              due.length === limit ||
              notes.some(({ fanned_out_at }) => fanned_out_at === null) ||
              notes.length < due.length,
          }
        })
        // A power failure may undo it, and it is then done again: a claim of its rows waits for the disk, which then has both.
        return yield* transact(fanOut, { isDurable: false, isAwaited: false })
      }),
)
