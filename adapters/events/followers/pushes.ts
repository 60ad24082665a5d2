/**
 * Which devices get a push for an event?
 *
 * Every device that follows its pair, on a platform that this deployment reaches. Pushes are written after an event was distributed, for
 * some devices at a time and in separate transactions: however many devices follow everything, webhooks do not wait for them. A new source
 * alone sends no push. Of several events of one pair the last one counts, and of those of one moment a change in force before an announced
 * one: a device shows one push for each pair.
 */
import { Clock, Context, Effect } from "effect"
import type { Platform } from "../../storage/devices-repository.ts"
import type { EventRow } from "../../storage/events-repository.ts"
import { Storage } from "../../storage/storage.ts"

/** The platforms that pushes are written for; none by default. */
export const PushedPlatforms = Context.Reference<readonly Platform[]>("landfall/push/PushedPlatforms", {
  defaultValue: () => [],
})

/** How late a push may be before it is no longer worth sending. */
export const PUSH_LIFETIME_MS = 3 * 86_400_000

/** How many events one transaction locks, and how many pushes it writes, so that other writers do not wait long. */
const EVENTS_AT_ONCE = 200
const PUSHES_AT_ONCE = 2_000
/** The most devices that one transaction looks at. */
const LARGEST_SPAN = 50_000

const RANKS: ReadonlyMap<string, number> = new Map([
  ["visa.policy_announced", 1],
  ["visa.policy_changed", 2],
])

export const isPushed = ({ type }: Pick<EventRow, "type">): boolean => RANKS.has(type)

const toldAt = ({ created_at, due_at }: EventRow): number => Math.max(created_at, due_at)
const rankOf = ({ type }: EventRow): number => RANKS.get(type) as number

/** The event that a device shows, of each pair. */
export function chooseEvents<Event extends EventRow>(events: readonly Event[]): readonly Event[] {
  const byPair = new Map<string, Event>()
  for (const event of events) {
    if (!isPushed(event)) continue
    const pair = event.passport + event.destination
    const known = byPair.get(pair)
    const order =
      known === undefined
        ? 1
        : toldAt(event) - toldAt(known) || rankOf(event) - rankOf(known) || compareDays(event, known)
    if (order > 0) byPair.set(pair, event)
  }
  return [...byPair.values()]
}

const compareDays = (a: EventRow, b: EventRow): number =>
  a.effective_from === b.effective_from ? 0 : a.effective_from > b.effective_from ? 1 : -1

/** Makes a function that writes some pushes for some platforms, and says whether there may be more; nothing is sent here. */
export const makePushWriter = (platforms: readonly Platform[]) =>
  Effect.sync(() => {
    /** How many devices are looked at once: more where few of them follow anything. */
    let span = PUSHES_AT_ONCE / EVENTS_AT_ONCE
    return Effect.gen(function* () {
      const { devices, events, pushes, transact } = yield* Storage
      const write = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const waiting = yield* events.lockToPush(EVENTS_AT_ONCE)
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
