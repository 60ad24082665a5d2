/**
 * How is the service doing?
 *
 * Counts and durations of requests by route, and the families that others pass in, in the Prometheus text format. Labels are
 * routes of the service, never a client's text, so that the list cannot grow without bound.
 */
import { Context, Layer } from "effect"

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5] as const

interface Series {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly buckets: number[]
  count: number
  totalSeconds: number
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

/** Counts requests. */
export class Metrics {
  readonly #series = new Map<string, Series>()

  /** Counts one answered request. */
  count(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { method, route, status, buckets: BUCKETS.map(() => 0), count: 0, totalSeconds: 0 }
      this.#series.set(key, series)
    }
    series.count++
    series.totalSeconds += seconds
    const bucket = BUCKETS.findIndex(bound => seconds <= bound)
    if (bucket >= 0) (series.buckets[bucket] as number)++
  }

  /** Writes everything as text. */
  format(families: readonly Family[]): string {
    const lines = [
      "# HELP landfall_http_request_duration_seconds Time to answer a request.",
      "# TYPE landfall_http_request_duration_seconds histogram",
    ]
    for (const { method, route, status, buckets, count, totalSeconds } of this.#series.values()) {
      const labels = `method="${method}",route="${route}",status="${status}"`
      let below = 0
      BUCKETS.forEach((bound, at) => {
        below += buckets[at] as number
        lines.push(`landfall_http_request_duration_seconds_bucket{${labels},le="${bound}"} ${below}`)
      })
      lines.push(
        `landfall_http_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
        `landfall_http_request_duration_seconds_sum{${labels}} ${totalSeconds}`,
        `landfall_http_request_duration_seconds_count{${labels}} ${count}`,
      )
    }
    for (const family of families) lines.push(...formatFamily(family))
    return `${lines.join("\n")}\n`
  }
}

/** The requests of this process. */
export class RequestMetrics extends Context.Service<RequestMetrics, Metrics>()("landfall/http/RequestMetrics") {
  static readonly layer = Layer.sync(RequestMetrics, () => new Metrics())
}
