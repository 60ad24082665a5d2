/**
 * Which devices get a push for an event?
 *
 * Every one that follows its pair, on a platform that this deployment reaches. The pushes are written in the transaction that
 * hands the events on. A new source alone sends no push. Of several events of one pair the last one counts, and a change in force
 * before one that is only announced: a device shows one push for each pair.
 */
import { Context, Effect } from "effect"
import type { Platform } from "../../platform/storage/devices-repository.ts"
import type { EventRow } from "../../platform/storage/events-repository.ts"
import { Storage } from "../../platform/storage/storage.ts"

/** The platforms that pushes are written for; none by default. */
export const PushedPlatforms = Context.Reference<readonly Platform[]>("landfall/push/PushedPlatforms", {
  defaultValue: () => [],
})

const RANKS: ReadonlyMap<string, number> = new Map([
  ["visa.policy_announced", 1],
  ["visa.policy_changed", 2],
])

/** The event that a device shows, of each pair. */
export function chooseEvents(events: readonly EventRow[]): readonly EventRow[] {
  const byPair = new Map<string, EventRow>()
  for (const event of events) {
    const rank = RANKS.get(event.type)
    if (rank === undefined) continue
    const pair = event.passport + event.destination
    const known = byPair.get(pair)
    const order = known === undefined ? 1 : rank - (RANKS.get(known.type) as number) || compareDays(event, known)
    if (order > 0) byPair.set(pair, event)
  }
  return [...byPair.values()]
}

const compareDays = (a: EventRow, b: EventRow): number =>
  a.effective_from === b.effective_from ? a.created_at - b.created_at : a.effective_from > b.effective_from ? 1 : -1

/** Writes the pushes of events; nothing is sent here. */
export const writePushes = (events: readonly EventRow[], nowMs: number) =>
  Effect.gen(function* () {
    const platforms = yield* PushedPlatforms
    const { pushes } = yield* Storage
    const ids = chooseEvents(events).map(({ id }) => id)
    yield* pushes.insertFor(ids, { platforms, nowMs })
  })
