/**
 * How are families of numbers written for a collector of OpenTelemetry?
 *
 * As the metrics of OTLP (opentelemetry/proto/metrics/v1): a counter is a cumulative, monotonic sum, a gauge a gauge, a histogram a histogram. Prometheus
 * counts in each bucket what took at most its bound; OTLP counts each duration once, so the buckets are taken apart.
 */
import type { OtlpMetrics } from "effect/observability"
import type { Family, Sample } from "./families.ts"

type Metric = OtlpMetrics.MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number]

/** The instants of numbers that were counted from one to the other; nanoseconds since 1970. */
export interface MetricTimes {
  readonly startedAt: bigint
  readonly nowNanos: bigint
}

/** AGGREGATION_TEMPORALITY_CUMULATIVE. */
const CUMULATIVE = 2

const writeLabels = (labels: Sample["labels"]) =>
  Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }))

/** The histograms among the samples of a family: those whose labels are the same but for the bound. */
function groupHistograms(samples: readonly Sample[]) {
  return [...Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels)).entries()].map(
    ([name, same]) => {
      const find = (suffix: string) => same.find(sample => sample.suffix === suffix)?.value ?? 0
      const buckets = same.filter(({ suffix }) => suffix === "_bucket")
      const atMost = buckets.map(({ value }) => value)
      return {
        labels: JSON.parse(name) as Sample["labels"],
        count: find("_count"),
        sum: find("_sum"),
        bounds: buckets.flatMap(({ labels: { le } }) => (le === "+Inf" ? [] : [Number(le)])),
        counts: atMost.map((count, at) => count - (atMost[at - 1] ?? 0)),
      }
    },
  )
}

export function writeMetrics(families: readonly Family[], { startedAt, nowNanos }: MetricTimes): Metric[] {
  const times = { startTimeUnixNano: String(startedAt), timeUnixNano: String(nowNanos) }
  return families.map(({ name, help: description, type, samples }): Metric => {
    const unit = /_seconds(_total)?$/.test(name) ? "s" : /_bytes$/.test(name) ? "By" : "1"
    const about = { name, description, unit }
    if (type === "histogram") {
      const dataPoints = groupHistograms(samples).map(({ labels, count, sum, bounds, counts }) => ({
        attributes: writeLabels(labels),
        ...times,
        count,
        sum,
        bucketCounts: counts,
        explicitBounds: bounds,
      }))
      return { ...about, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } }
    }
    const dataPoints = samples.map(({ labels, value }) => ({
      attributes: writeLabels(labels),
      ...times,
      asDouble: value,
    }))
    if (type === "gauge") return { ...about, gauge: { dataPoints } }
    return { ...about, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
  })
}
