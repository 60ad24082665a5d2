/**
 * How much of a limit may one process hand out by itself?
 *
 * All that is used and all leases together never come to more than the limit, whatever the processes do at once. A process that
 * asks gets a share of what is free, so that there is something left for later ones. It keeps what it has while that fits, and
 * gives back what it does not need when others want some. The nearer the limit, the smaller the leases. A process that is killed
 * loses its lease to the others after a while, and what it had served and not saved is then served a second time. That is the
 * only way in which a limit is ever exceeded, and never by more than that lease.
 */

/** What is known in the transaction that changes a lease; `used` includes everything that this process had to save. */
export interface LeaseQuestion {
  readonly limit: number
  readonly used: number
  /** What other processes have leased. */
  readonly leasedByOthers: number
  /** What this process has leased so far. */
  readonly lease: number
  /** What this process has to be able to count: what it has reserved, and what it is asked for now. */
  readonly need: number
  /** How many processes hold leases, this one included. */
  readonly nodes: number
  /** Whether to give back all that is not needed. */
  readonly isReleased: boolean
}

/**
 * The new lease of this process.
 *
 * @example
 * ```ts
 * const first = { limit: 100, used: 0, leasedByOthers: 0, lease: 0, need: 1, nodes: 1, isReleased: false }
 * planLease(first) // => 50
 * planLease({ ...first, nodes: 3 }) // => 25
 * planLease({ ...first, used: 60, lease: 50 }) // => 40
 * planLease({ ...first, used: 100 }) // => 0
 * planLease({ ...first, lease: 50, isReleased: true }) // => 1
 * ```
 */
export function planLease({ limit, used, leasedByOthers, lease, need, nodes, isReleased }: LeaseQuestion): number {
  const room = Math.max(0, limit - used - leasedByOthers)
  const kept = Math.min(lease, room)
  if (isReleased) return Math.min(kept, need)
  if (kept >= need || room < need) return kept
  return Math.min(room, Math.max(need, Math.ceil(room / (nodes + 1))))
}
