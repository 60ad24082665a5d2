/**
 * How long do pieces of work take, and in which form does a process report its metrics?
 *
 * Counts and sums since the start, from which a collector computes rates and quantiles. No single duration is kept. They are reported as
 * families of samples with labels, as Prometheus has them; `/metrics` and a collector of OpenTelemetry are given the same ones.
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

/** One number of a family, with its labels in the order in which they are written. */
export interface Sample {
  /** The suffix of the family's name, for the parts of a histogram. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers that mean the same thing. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  /** How it is combined over several processes, if not as a sum. */
  readonly over?: "max" | "min" | undefined
  readonly samples: readonly Sample[]
}

/** The samples of one histogram of a family. */
export const listHistogram = (
  labels: Readonly<Record<string, string>>,
  { count, totalSeconds, atMost }: HistogramState,
): readonly Sample[] => [
  ...atMost.map(([bound, value]) => ({ suffix: "_bucket", labels: { ...labels, le: String(bound) }, value })),
  { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
  { suffix: "_sum", labels, value: totalSeconds },
  { suffix: "_count", labels, value: count },
]
