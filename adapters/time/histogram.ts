/**
 * How long do pieces of work take?
 *
 * Counts and sums since the start, from which a collector computes rates and quantiles. No single duration is kept.
 */

/** The durations of one kind of work. */
export interface HistogramState {
  readonly count: number
  readonly totalSeconds: number
  /** For each upper bound, in seconds, how many took at most that long. */
  readonly atMost: readonly (readonly [bound: number, count: number])[]
}

/** Measures one kind of work. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #buckets: number[]
  #count = 0
  #totalSeconds = 0

  /** The bounds are in seconds, the least first. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#buckets = bounds.map(() => 0)
  }

  /** Counts a piece of work that has ended. */
  note(seconds: number): void {
    this.#count++
    this.#totalSeconds += seconds
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] as number)) bucket++
    if (bucket < this.#bounds.length) this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1
  }

  /** Returns what was measured since the start. */
  read(): HistogramState {
    let below = 0
    const atMost = this.#bounds.map((bound, at) => {
      below += this.#buckets[at] as number
      return [bound, below] as const
    })
    return { count: this.#count, totalSeconds: this.#totalSeconds, atMost }
  }
}
