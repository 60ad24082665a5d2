/**
 * What are the numbers of the service?
 *
 * Counts and durations of requests by route, and the families that others pass in, in the Prometheus text format. Labels are routes of the
 * service, never a client's text, so the list cannot grow without bound.
 */
import { Context, type Effect, Layer } from "effect"
import { type Family, listHistogram, type Sample } from "../../telemetry/families.ts"
import { Histogram } from "../../time/histogram.ts"

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5] as const

interface Series {
  readonly labels: Readonly<Record<"method" | "route" | "status", string>>
  readonly histogram: Histogram
}

const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, char => (char === "\n" ? "\\n" : `\\${char}`))

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

export class Metrics {
  /** By route, method and status: nested, because a text of all three would be made for each request. */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>()

  /** Counts one answered request; returns its method, route and status, the same object for the same three. */
  count(method: string, route: string, status: number, seconds: number): Series["labels"] {
    const series =
      this.#series.get(route)?.get(method)?.get(status) ?? this.#begin({ method, route, status: String(status) })
    series.histogram.note(seconds)
    return series.labels
  }

  #begin(labels: Series["labels"]): Series {
    const { method, route, status } = labels
    const byMethod = this.#series.get(route) ?? new Map<string, Map<number, Series>>()
    const byStatus = byMethod.get(method) ?? new Map<number, Series>()
    const series = { labels, histogram: new Histogram(BUCKETS) }
    this.#series.set(route, byMethod.set(method, byStatus.set(Number(status), series)))
    return series
  }

  /** Reads the numbers of the other processes of the service; null where this is the only one. */
  readOthers: Effect.Effect<readonly (readonly Family[])[]> | null = null

  /** The requests that were answered. */
  listRequests(): Family {
    return {
      name: "landfall_http_request_duration_seconds",
      help: "Time to answer a request.",
      type: "histogram",
      samples: [...this.#series.values()]
        .flatMap(byMethod => [...byMethod.values()])
        .flatMap(byStatus => [...byStatus.values()])
        .flatMap(({ labels, histogram }) => listHistogram(labels, histogram.read())),
    }
  }
}

/** Writes families as text. */
export const formatFamilies = (families: readonly Family[]): string => `${families.flatMap(formatFamily).join("\n")}\n`

const COMBINE = {
  sum: (one: number, other: number) => one + other,
  max: Math.max,
  min: Math.min,
} as const

/** The numbers of several processes as those of one service. */
export function combineFamilies(processes: readonly (readonly Family[])[]): readonly Family[] {
  return [...Map.groupBy(processes.flat(), ({ name }) => name).values()].map(same => {
    const [family] = same as [Family, ...Family[]]
    const combine = COMBINE[family.over ?? "sum"]
    const samples = new Map<string, Sample>()
    for (const sample of same.flatMap(each => each.samples)) {
      const key = JSON.stringify([sample.suffix, sample.labels])
      const known = samples.get(key)
      samples.set(key, known === undefined ? sample : { ...sample, value: combine(known.value, sample.value) })
    }
    return { ...family, samples: [...samples.values()] }
  })
}

export class RequestMetrics extends Context.Service<RequestMetrics, Metrics>()("landfall/http/RequestMetrics") {
  static readonly layer = Layer.sync(RequestMetrics, () => new Metrics())
}
