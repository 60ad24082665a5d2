/**
 * How is one batch written, and what does the database return?
 *
 * The statements of one transaction, in an order that all processes keep: hours, counts by their keys, leases, items. The size of a lease
 * is decided between the counts and the leases, while the rows are locked.
 */
import { Effect } from "effect"
import { compareKeys, type HourUse, type LeaseChange, type PoolTotal } from "../storage/pools-repository.ts"
import type { SeenItem } from "../storage/seen-repository.ts"
import type { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { formatUtcDay, utcDayAt, utcHourAt } from "../time/utc-calendar.ts"
import { planLease } from "./lease.ts"
import { type PoolCount, ROLLING_HOURS } from "./pool-count.ts"
import type { Batch, Entry, Outcome } from "./unsaved.ts"

/** This process among those that share the database. */
export interface Node {
  readonly id: number
  /** Whether its row is in the database. */
  isKnown: boolean
}

/** The result of a transaction. */
export interface Written {
  readonly outcomes: ReadonlyMap<PoolCount, Outcome>
  /** Counts that could not get what they want because other processes hold leases. */
  readonly starved: readonly PoolCount[]
  /** Items that this process did not know. */
  readonly items: readonly SeenItem[]
}

interface Writing {
  readonly storage: Storage["Service"]
  readonly batch: Batch
  readonly nodeId: number
  /** How many processes hold leases, this one included. */
  readonly nodesAlive: number
  readonly nowMs: number
}

/** The limit that is counted by hours. */
const ROLLING_POOL = "lookup"
const NO_NODE = -1

/** Writes a batch in the transaction that is under way. */
export const writeBatch = Effect.fnUntraced(function* (writing: Writing): Effect.fn.Return<Written, Unavailable> {
  const { storage, batch, nodeId, nodesAlive, nowMs } = writing
  const entries = [...batch.entries].sort((a, b) => compareKeys(a.count.key, b.count.key))
  const asOfHour = utcHourAt(nowMs)
  yield* storage.pools.addHours(listHours(entries))
  yield* storage.pools.addDays(listDays(entries, nowMs))
  const forgotten = yield* forgetHours(storage, entries, asOfHour)
  const totals = yield* addUsed(storage, entries, forgotten)
  const firstHours = yield* listFirstHours(storage, [...forgotten.keys()])
  const outcomes = new Map<PoolCount, Outcome>()
  const starved: PoolCount[] = []
  const changes: LeaseChange[] = []
  for (let at = 0; at < entries.length; at++) {
    const { count, need, want, isReleased } = entries[at]!
    const { used, leased } = totals[at]!
    const { limit, leased: before } = count
    const leasedByOthers = leased - before
    const lease = planLease({ limit, used, leasedByOthers, lease: before, need, nodes: nodesAlive, isReleased })
    if (want > 0 && lease < need && leasedByOthers > 0 && need <= limit - used) starved.push(count)
    if (lease !== before) changes.push({ ...count.key, change: lease - before, amount: lease })
    outcomes.set(
      count,
      forgotten.has(count)
        ? { used, lease, asOfHour, firstHour: firstHours.get(count.key.subject) ?? null }
        : { used, lease },
    )
  }
  yield* storage.pools.changeLeases(nodeId, changes)
  const starvedKeys = starved.map(count => count.key)
  yield* storage.pools.markWanted(starvedKeys, nowMs)
  yield* storage.seen.addSeen(
    batch.items.map(({ usage: { subject }, day, list, item }) => ({
      subject,
      seen_on: formatUtcDay(day),
      list,
      item,
      node_id: nodeId,
    })),
  )
  return { outcomes, starved, items: yield* listItems(writing) }
})

/** Adds what was counted, one limit and period after the other; the entries are in the order of their keys. */
const addUsed = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  entries: readonly Entry[],
  forgotten: ReadonlyMap<PoolCount, number>,
) {
  const totals: PoolTotal[] = []
  for (let from = 0; from < entries.length; ) {
    const { pool, period } = entries[from]!.count.key
    let to = from
    while (entries[to]?.count.key.pool === pool && entries[to]?.count.key.period === period) to++
    const rows = entries.slice(from, to).map(({ count, add }) => ({
      subject: count.key.subject,
      used: add - (forgotten.get(count) ?? 0),
    }))
    for (const total of yield* storage.pools.addUsed({ pool, period }, rows)) totals.push(total)
    from = to
  }
  return totals
})

/** The limits whose use is also kept by day, so that an account can be shown it; that of lookups is kept by hours. */
const POOLS_BY_DAY: ReadonlySet<string> = new Set(["visa", "spots"])

/** The usage on the day on which it is saved, at most a second later; for a month that is over, on its last day. */
function listDays(entries: readonly Entry[], nowMs: number) {
  return entries.flatMap(({ count: { key, period }, add }) => {
    if (add === 0 || !POOLS_BY_DAY.has(key.pool)) return []
    const day = formatUtcDay(utcDayAt(Math.min(nowMs, period.endsAt - 1)))
    return [{ subject: key.subject, pool: key.pool, day, used: add }]
  })
}

function listHours(entries: readonly Entry[]): HourUse[] {
  const rows: HourUse[] = []
  for (const { count, hours } of entries) {
    const { subject, pool } = count.key
    if (hours !== null) for (const [hour, used] of hours) rows.push({ subject, pool, hour, used })
  }
  return rows
}

/** Deletes the hours that have left the window of counts that were not read in this hour yet; returns the usage in them. */
const forgetHours = Effect.fnUntraced(function* (storage: Storage["Service"], entries: readonly Entry[], hour: number) {
  const due = entries.flatMap(({ count }) =>
    count.unsavedHours !== null && hour > count.storedAsOfHour ? [count] : [],
  )
  const used = new Map<PoolCount, number>(due.map(count => [count, 0]))
  if (due.length === 0) return used
  const bySubject = new Map(due.map(count => [count.key.subject, count]))
  // A request counts for thirty days, and until the hour in which they are over ends.
  const forgotten = yield* storage.pools.forgetHours(ROLLING_POOL, [...bySubject.keys()], hour - ROLLING_HOURS)
  for (const row of forgotten) {
    const count = bySubject.get(row.subject)!
    used.set(count, used.get(count)! + row.used)
  }
  return used
})

const listFirstHours = (storage: Storage["Service"], counts: readonly PoolCount[]) =>
  Effect.map(
    storage.pools.listFirstHours(
      ROLLING_POOL,
      counts.map(({ key }) => key.subject),
    ),
    rows => new Map(rows.map(({ subject, hour }) => [subject, hour])),
  )

/** Reads all items of today for unknown lists, and the items of other processes for lists that have just grown. */
const listItems = Effect.fnUntraced(function* ({ storage, batch, nodeId, nodesAlive, nowMs }: Writing) {
  const day = formatUtcDay(utcDayAt(nowMs))
  const unknown = batch.lists.map(({ subject }) => subject)
  const all = yield* storage.seen.listSeen({ subjects: unknown, day, exceptNodeId: NO_NODE })
  if (nodesAlive === 1) return all
  const grown = new Set(batch.items.map(({ usage }) => usage.subject))
  const others = yield* storage.seen.listSeen({ subjects: [...grown], day, exceptNodeId: nodeId })
  return [...all, ...others]
})
