/**
 * How much of a limit may one process use by itself?
 *
 * The usage and all leases together never exceed the limit, whatever the processes do at the same time. A process that asks gets a share of
 * what is free, so that something is left for later ones. It keeps its lease while that fits, and returns the unneeded part when others
 * want some. The nearer the limit, the smaller the leases. A process that is killed loses its lease to the others after a while, and
 * requests that it had served and not saved can then be served again. This is the only way in which a limit can be exceeded, and never by
 * more than that lease.
 */

/** The facts in the transaction that changes a lease; `used` includes everything that this process had to save. */
export interface LeaseQuestion {
  readonly limit: number
  readonly used: number
  readonly leasedByOthers: number
  /** The lease of this process so far. */
  readonly lease: number
  /** What this process must be able to count: its reservations and the current requests. */
  readonly need: number
  /** How many processes hold leases, this one included. */
  readonly nodes: number
  /** Whether to return everything that is not needed. */
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
