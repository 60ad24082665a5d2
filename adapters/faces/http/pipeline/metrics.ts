/**
 * How is the service doing?
 *
 * Counts and durations of requests by route, and the families that others pass in, in the Prometheus text format. Labels are
 * routes of the service, never a client's text, so that the list cannot grow without bound.
 */
import { Context, Layer } from "effect"

import { Histogram, type HistogramState } from "../../../platform/time/histogram.ts"

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5] as const

interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly histogram: Histogram
}

/** One number of a family, with its labels in the order in which they are written. */
export interface Sample {
  /** What follows the family's name, for the parts of a histogram. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers that mean the same thing. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly samples: readonly Sample[]
}

const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, char => (char === "\n" ? "\\n" : `\\${char}`))

/** The lines of a family. */
function formatFamily({ name, help, type, samples }: Family): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = "", labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
      return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
    }),
  ]
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

/** Counts requests. */
export class Metrics {
  readonly #series = new Map<string, Series>()

  /** Counts one answered request. */
  count(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels: { method, route, status: String(status) }, histogram: new Histogram(BUCKETS) }
      this.#series.set(key, series)
    }
    series.histogram.note(seconds)
  }

  /** Writes everything as text. */
  format(families: readonly Family[]): string {
    const requests: Family = {
      name: "landfall_http_request_duration_seconds",
      help: "Time to answer a request.",
      type: "histogram",
      samples: [...this.#series.values()].flatMap(({ labels, histogram }) => listHistogram(labels, histogram.read())),
    }
    return `${[requests, ...families].flatMap(formatFamily).join("\n")}\n`
  }
}

/** The requests of this process. */
export class RequestMetrics extends Context.Service<RequestMetrics, Metrics>()("landfall/http/RequestMetrics") {
  static readonly layer = Layer.sync(RequestMetrics, () => new Metrics())
}
