/**
 * What happens when a file of spots is imported into a deployment?
 *
 * The first change begins with the set that ships with the package; from then on the database's set is the whole one. Spots are
 * identified by their ids: an imported spot replaces the one with its id, and keeps that one's day of entry where the file names
 * none. All of a file is stored or nothing, and unchanged spots are not written again.
 */

import { Context, Data, Effect, Layer, Option, Result, Schedule, Schema } from "effect"
import type { SpotRow } from "../storage/nodes-repository.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { above } from "../storage/table-statements.ts"
import { workInTurns } from "../time/yield-turn.ts"
import { readJsonFields } from "../validation/fields.ts"
import { MAX_SPOTS, openInSteps, openSpotSet, type SpotSet } from "./search-spots.ts"
import { readSeedSpots, type Spot, SpotRecord } from "./spot.ts"

/** The set cannot become what was asked; nothing was changed. */
class SpotsRefused extends Data.TaggedError("SpotsRefused")<{ readonly message: string }> {}

/** How to import; `importedAt` is the `created_at` of spots whose file names none. */
interface ImportOptions {
  readonly isReplacing: boolean
  readonly isDryRun: boolean
  readonly importedAt: string
  /** How many spots the set may have; {@link MAX_SPOTS} by default, the most that one can hold. */
  readonly most?: number
}

/** How many rows one statement reads. */
const ROWS_AT_ONCE = 1_000

const write = ({ id, ...rest }: Spot) => ({ id, body: JSON.stringify(rest) })

/** Reads a row; none for one that damage or another version of the program has left. */
const readRow = ({ id, body }: SpotRow) => Schema.decodeUnknownOption(SpotRecord)({ ...readJsonFields(body), id })

/** Reads every row: the operator's spots, and the ids of those that cannot be read. */
const readRows = Effect.gen(function* () {
  const { spots } = yield* Storage
  const found: Spot[] = []
  const unreadable: string[] = []
  let after = ""
  for (;;) {
    const rows = yield* spots.list({ id: above(after) }, { order: ["id"], limit: ROWS_AT_ONCE })
    for (const row of rows) {
      const spot = readRow(row)
      if (Option.isNone(spot)) unreadable.push(row.id)
      else found.push(spot.value)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) break
    after = last.id
  }
  if (unreadable.length > 0) {
    yield* Effect.logWarning(`spots that cannot be read are left out: ${unreadable.length}`)
  }
  return { stored: found.length === 0 ? null : found, unreadable }
})

/** Reads the operator's spots; null where the set is the one that ships with the package. */
export const readStoredSpots: Effect.Effect<readonly Spot[] | null, Unavailable, Storage> = Effect.map(
  readRows,
  ({ stored }) => stored,
)

/**
 * Stores spots that were read from a file: in addition to the existing ones, or with `isReplacing` instead of all of them.
 *
 * With `isDryRun` it reports the changes and makes none. Fails with `SpotsRefused` if the set would be too large or empty.
 */
export const importSpots = Effect.fnUntraced(function* (
  given: readonly Spot[],
  { isReplacing, isDryRun, importedAt, most = MAX_SPOTS }: ImportOptions,
) {
  const storage = yield* Storage
  const work = Effect.gen(function* () {
    if (!isDryRun) yield* storage.spots.nextRevision
    const { stored, unreadable } = yield* readRows
    const before = stored ?? Result.getOrThrow(readSeedSpots())
    const known = new Map(before.map(spot => [spot.id, spot]))
    const added = given.filter(({ id }) => !known.has(id)).length
    const ids = new Set(given.map(({ id }) => id))
    const removed = isReplacing ? before.filter(({ id }) => !ids.has(id)) : []
    const total = before.length + added - removed.length
    if (total > most) {
      return yield* new SpotsRefused({ message: `the set would have ${total} spots; at most ${most} are allowed` })
    }
    const bodies = new Map(before.map(spot => [spot.id, write(spot).body]))
    const rows = given.map(spot => {
      const old = spot.created_at === importedAt ? known.get(spot.id) : undefined
      return write(old === undefined ? spot : { ...spot, created_at: old.created_at })
    })
    const changing = rows.filter(({ id, body }) => bodies.get(id) !== body)
    if (!isDryRun) {
      // The shipped set is not in the database until the operator changes something of it.
      const kept = stored === null && !isReplacing ? before.filter(({ id }) => !ids.has(id)).map(write) : []
      yield* storage.spots.put(stored === null ? [...kept, ...rows] : changing)
      const gone = stored === null ? [] : removed.map(({ id }) => id)
      yield* storage.spots.remove(isReplacing ? [...gone, ...unreadable.filter(id => !ids.has(id))] : gone)
    }
    const changed = changing.length - added
    const unchanged = rows.length - changing.length
    return { added, changed, unchanged, removed: removed.length, total }
  })
  return yield* storage.transact(work)
})

/** Deletes the operator's set, so that the set of the package is used again. Returns the number of its spots. */
export const resetSpots = Effect.gen(function* () {
  const storage = yield* Storage
  return yield* storage.transact(
    Effect.gen(function* () {
      yield* storage.spots.nextRevision
      const { stored, unreadable } = yield* readRows
      const ids = [...(stored ?? []).map(({ id }) => id), ...unreadable]
      yield* storage.spots.remove(ids)
      return ids.length
    }),
  )
})

// Which set of spots does this process use?
// The operator's, if any were imported: a counter is read every {@link POLL_MS}, and when it has changed the set is read and laid out next
// to the old one, in steps between which requests are answered. Otherwise the set of the package, which is read at the first request for a
// spot, so that a start does not wait for it.

/** How long an import by another process can go unnoticed. */
const POLL_MS = 1_000

export class LiveSpots extends Context.Service<LiveSpots>()("landfall/spots/LiveSpots", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const outages = new OutageLog("newly imported spots may not be in use yet")
    const openStored = Effect.flatMap(readStoredSpots, spots =>
      spots === null ? Effect.succeed(undefined) : workInTurns(openInSteps(spots)),
    )
    let revision = yield* storage.spots.readRevision
    let stored = revision === 0 ? undefined : yield* openStored
    let shipped: SpotSet | undefined

    const look = Effect.gen(function* () {
      const newest = yield* storage.spots.readRevision
      if (newest === revision) return
      stored = yield* openStored
      revision = newest
    }).pipe(Effect.provideService(Storage, storage))
    /** Checks now whether another set was imported. */
    const refresh = Effect.ignore(outages.tell(look))
    yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(POLL_MS)))
    /** Returns the set. Throws if the file of the package is damaged. */
    const read = (): SpotSet => {
      if (stored !== undefined) return stored
      shipped ??= openSpotSet(Result.getOrThrow(readSeedSpots()))
      return shipped
    }
    return { read, refresh }
  }),
}) {
  static readonly layer = Layer.effect(LiveSpots, LiveSpots.make)
}
