/**
 * How do the counts of a process and the database agree?
 *
 * One batch at a time, in one transaction: counts are added, leases are taken and returned, new items are recorded. A batch that was not
 * saved goes back to where it was. If a connection breaks while the database commits, the outcome is unknown at first. The number of the
 * batch, which was written with it, tells it afterwards, so nothing is counted twice. A process that the others took for dead finds that it
 * lost its leases, and starts again under another number.
 */
import { Clock, Effect, Schema, Semaphore } from "effect"
import type { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { type Node, type Written, writeBatch } from "./batch-writer.ts"
import type { Usage } from "./caller-usage.ts"
import type { PoolCount } from "./pool-count.ts"
import type { Batch, BatchOptions, Unsaved } from "./unsaved.ts"

/** After how long without a sign of life the leases of a process go to the others. */
export const NODE_LEASE_MS = 6_000
/** How often a process with leases gives a sign of life when it has nothing else to write. */
const RENEWAL_MS = 1_500
/** How long a process's request for more is remembered. */
const WANTED_MS = 2_000

/** The others took this process for dead and its leases for themselves. */
class LeasesLost extends Schema.TaggedError<LeasesLost>()("LeasesLost", {}) {}

/** Makes the exchange with the database. `listUsages` are all that this process has in memory. */
export const makeLedgerSync = Effect.fnUntraced(function* (options: {
  readonly storage: Storage["Service"]
  readonly unsaved: Unsaved
  readonly listUsages: () => readonly Usage[]
  readonly nodeLeaseMs: number
}) {
  const { storage, unsaved, listUsages, nodeLeaseMs } = options
  const turns = yield* Semaphore.make(1)
  let node: Node | null = null
  let batches = 0
  let renewedAt = Number.NEGATIVE_INFINITY
  let nodesAlive = 1
  /** Whether another process had the wanted rest the last time. */
  let isHungry = false
  let doubt: { readonly batch: Batch; readonly number: number | null; readonly written: Written } | null = null

  const listCounts = () => listUsages().flatMap(usage => usage.listCounts())

  const beginAnew = Effect.sync(() => {
    unsaved.loseLeases(listCounts())
    node = null
  })

  /** Returns every lease and starts again. */
  const giveUp = Effect.fnUntraced(function* (id: number) {
    yield* storage.nodes.retire(id, Number.MAX_SAFE_INTEGER)
    yield* storage.nodes.forget(id)
    yield* beginAnew
  })

  const confirm = (batch: Batch, { outcomes, items }: Written) => {
    unsaved.confirm(batch, outcomes)
    const usages = new Map([...batch.lists, ...batch.items.map(({ usage }) => usage)].map(u => [u.subject, u]))
    for (const { subject, list, item } of items) usages.get(subject)?.noteItem(list, item)
    for (const usage of batch.lists) usage.isSeenLoaded = true
  }

  /** Finds out what became of the batch whose connection broke while it was committed. */
  const settleDoubt = Effect.gen(function* () {
    if (doubt === null || node === null) return
    const lastBatch = yield* storage.nodes.findLastBatch(node.id)
    if (lastBatch !== undefined && lastBatch === doubt.number) {
      confirm(doubt.batch, doubt.written)
      node.isKnown = true
    } else {
      unsaved.putBack(doubt.batch)
      // Leases that this process does not know of would be lost for as long as it lives.
      if (doubt.number === null) yield* giveUp(node.id)
      else if (lastBatch === undefined && node.isKnown) yield* beginAnew
    }
    doubt = null
  })

  const countAlive = (nowMs: number) =>
    Effect.map(storage.nodes.list, rows => {
      nodesAlive = Math.max(1, rows.filter(row => row.is_retired === 0 && row.alive_until >= nowMs).length)
      return rows
    })

  /** Notes that this process is alive, in the transaction that is under way. */
  const renew = Effect.fnUntraced(function* ({ id, isKnown }: Node, number: number, nowMs: number) {
    const row = { id, alive_until: nowMs + nodeLeaseMs, last_batch: number }
    if (!isKnown) return yield* storage.nodes.insert({ ...row, is_retired: 0 })
    if (!(yield* storage.nodes.renew(row))) return yield* new LeasesLost()
  })

  const save = Effect.fnUntraced(function* (batch: Batch, nowMs: number) {
    node ??= { id: yield* storage.nodes.nextNodeId, isKnown: false }
    const self = node
    const isDurable = batch.items.length > 0 || batch.entries.some(({ add }) => add > 0)
    // A process that has just given a sign of life is not taken for dead.
    const isNoted = isDurable || !self.isKnown || nowMs - renewedAt >= RENEWAL_MS
    const number = isNoted ? ++batches : null
    let written: Written | undefined
    const transaction = Effect.gen(function* () {
      if (number !== null) yield* renew(self, number, nowMs)
      // Later `keepHouse` counts them often enough.
      if (!self.isKnown) yield* countAlive(nowMs)
      written = yield* writeBatch({ storage, batch, nodeId: self.id, nodesAlive, nowMs })
      return written
    })
    const saved = yield* storage.transact(transaction, { isDurable }).pipe(
      Effect.onError(() =>
        Effect.sync(() => {
          // A batch that was written completely may be committed, even if the connection failed.
          if (written !== undefined) doubt = { batch, number, written }
        }),
      ),
    )
    self.isKnown = true
    if (number !== null) renewedAt = nowMs
    return saved
  })

  const syncOnce = Effect.fnUntraced(function* (choose: () => BatchOptions) {
    yield* settleDoubt
    const nowMs = yield* Clock.currentTimeMillis
    const batch = unsaved.take(choose())
    if (batch.entries.length + batch.items.length + batch.lists.length === 0) {
      unsaved.putBack(batch)
      return []
    }
    const written = yield* Effect.onError(save(batch, nowMs), () =>
      Effect.sync(() => {
        if (doubt === null) unsaved.putBack(batch)
      }),
    )
    confirm(batch, written)
    isHungry ||= written.starved.length > 0
    return written.starved
  })

  /** Saves the chosen counts and asks for the demanded leases; returns the counts whose rest other processes hold. */
  const sync = (choose: () => BatchOptions): Effect.Effect<readonly PoolCount[], Unavailable> =>
    syncOnce(choose).pipe(
      Effect.catchTag("LeasesLost", () => Effect.andThen(beginAnew, syncOnce(choose))),
      // Under a new number nothing can be lost.
      Effect.catchTag("LeasesLost", Effect.die),
      turns.withPermit,
      Effect.uninterruptible,
    )

  /** A sign of life without a batch. */
  const renewAlone = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (node === null || doubt !== null || nowMs - renewedAt < RENEWAL_MS) return
    yield* storage.transact(renew(node, batches, nowMs), { isDurable: false })
    renewedAt = nowMs
  }).pipe(
    Effect.catchTag("LeasesLost", () => beginAnew),
    turns.withPermit,
    Effect.uninterruptible,
  )

  /** Renews this process's sign of life, takes over the leases of dead processes, and returns what others want. */
  const keepHouse = Effect.gen(function* () {
    if (unsaved.leasedCounts === 0 && !isHungry) return
    isHungry = false
    yield* renewAlone
    const nowMs = yield* Clock.currentTimeMillis
    for (const { id, alive_until, is_retired } of yield* countAlive(nowMs)) {
      if (alive_until >= nowMs && is_retired === 0) continue
      yield* storage.nodes.retire(id, nowMs)
      yield* storage.nodes.forget(id)
    }
    if (nodesAlive === 1 || node === null) return
    const wanted = yield* storage.pools.listWanted(node.id, nowMs - WANTED_MS)
    if (wanted.length === 0) return
    const nameOf = ({ subject, pool, period }: PoolCount["key"]) => JSON.stringify([subject, pool, period])
    const names = new Set(wanted.map(key => nameOf(key as PoolCount["key"])))
    yield* sync(() => ({ releases: listCounts().filter(count => names.has(nameOf(count.key))), isWhole: false }))
  })

  /** Returns every lease: the end of this process. */
  const leave = Effect.gen(function* () {
    if (node?.isKnown) yield* giveUp(node.id)
  }).pipe(turns.withPermit, Effect.uninterruptible)

  return { sync, keepHouse, leave }
})
