/**
 * In which form does a process report its metrics?
 *
 * Families of samples with labels, as Prometheus has them. `/metrics` and a collector of OpenTelemetry are given the same ones.
 */
import type { HistogramState } from "../time/histogram.ts"

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
