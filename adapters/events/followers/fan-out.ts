/**
 * Which subscriptions get an event that is due?
 *
 * Some deliveries of events that are due are written in one transaction, with how far they came: a process that dies in between has changed
 * nothing, and a late or second one finds what is left. However many follow an event, a transaction writes at most `deliveries.atOnce`.
 * This holds for events of an installation and for those of dated rules on their day. Pushes are written afterwards, in transactions of their own.
 */
import { Clock, Effect } from "effect"
import type { AddressedEvent } from "../../storage/deliveries-repository.ts"
import type { DueEvent, EventRow } from "../../storage/events-repository.ts"
import { Storage } from "../../storage/storage.ts"
import { workInTurns, yieldTurn } from "../../time/yield-turn.ts"
import { readJsonFields } from "../../validation/fields.ts"
import { writeEnvelope } from "../events.ts"
import { type FollowerIndex, followFollowers } from "./follower-index.ts"
import { isPushed, PushedPlatforms } from "./pushes.ts"

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
