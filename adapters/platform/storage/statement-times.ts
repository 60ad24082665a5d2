/**
 * How long does the database take, and how often does it fail?
 *
 * One histogram for each kind of work, with bounds that suit a database, for /metrics: counts and sums since the start, from
 * which a collector computes rates and quantiles. The statements themselves are not recorded.
 */

/** Upper bounds of the buckets, in seconds. */
export const LATENCY_BOUNDS_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] as const

/** A statement on its own, or a transaction from its beginning to its end. */
export const WORK_KINDS = ["statement", "transaction"] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** The durations of one kind of work. */
export interface LatencyState {
  readonly kind: WorkKind
  readonly count: number
  readonly totalSeconds: number
  /** How many took at most each of {@link LATENCY_BOUNDS_SECONDS}. */
  readonly atMost: readonly number[]
}

interface Histogram {
  readonly kind: WorkKind
  count: number
  totalSeconds: number
  readonly buckets: number[]
}

/** Measures work. */
export class StatementTimes {
  readonly #histograms: Readonly<Record<WorkKind, Histogram>> = {
    statement: { kind: "statement", count: 0, totalSeconds: 0, buckets: LATENCY_BOUNDS_SECONDS.map(() => 0) },
    transaction: { kind: "transaction", count: 0, totalSeconds: 0, buckets: LATENCY_BOUNDS_SECONDS.map(() => 0) },
  }

  /** Notes that a piece of work has ended, with success or failure. */
  note(kind: WorkKind, seconds: number): void {
    const histogram = this.#histograms[kind]
    histogram.count++
    histogram.totalSeconds += seconds
    const bucket = LATENCY_BOUNDS_SECONDS.findIndex(bound => seconds <= bound)
    if (bucket >= 0) histogram.buckets[bucket] = (histogram.buckets[bucket] as number) + 1
  }

  /** What was measured so far. */
  readState(): readonly LatencyState[] {
    return WORK_KINDS.map(name => {
      const { kind, count, totalSeconds, buckets } = this.#histograms[name]
      const atMost = buckets.map((_, at) => buckets.slice(0, at + 1).reduce((sum, bucket) => sum + bucket, 0))
      return { kind, count, totalSeconds, atMost }
    })
  }
}
