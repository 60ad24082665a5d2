/**
 * How do spans and numbers reach a collector?
 *
 * By OTLP over HTTP in JSON, with Effect's own exporters. A slow or missing collector only loses data: few batches are under way at a time, and after a failure the collected data are
 * dropped and nothing is sent for a minute. A span has the attributes of {@link SHOWN} and no others, of a statement its verb and its table, of a failure the name of its error: no key,
 * address, query or text of a client gets into one.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OtlpExporter, type OtlpMetrics, OtlpResource, OtlpSerialization, OtlpTracer } from "effect/observability"
import { VERSION } from "../settings/package-version.ts"
import type { Family, Sample } from "./families.ts"
import { type BegunWork, readTraceparent, type Traces } from "./tracing.ts"

// How are families of numbers written for a collector of OpenTelemetry?
// As the metrics of OTLP (opentelemetry/proto/metrics/v1): a counter is a cumulative, monotonic sum, a gauge a gauge, a histogram a histogram. Prometheus
// counts in each bucket what took at most its bound; OTLP counts each duration once, so the buckets are taken apart.

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

/** How often spans and numbers are sent, and how many spans at a time. */
const SPANS_EVERY_MS = 5_000
const NUMBERS_EVERY_MS = 30_000
const SPANS_AT_ONCE = 1_000
/** How many requests to the collector are under way at most, and how long each may take. */
const UNDER_WAY = 4
const TIMEOUT_MS = 10_000
/** How long the last ones may take when the process ends. */
const LAST_MS = 3_000

export interface OtlpOptions {
  /** The address before `/v1/traces`. */
  readonly endpoint: URL
  readonly headers: Readonly<Record<string, string>>
  /** Which part of the work is traced, from 0 to 1. */
  readonly sample: number
  /** The numbers of this process. */
  readonly readFamilies: () => readonly Family[]
  /** Counts and logs failures of the collector. */
  readonly tell: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For tests: a number from 0 up to 1. */
  readonly random?: () => number
}

/** The attributes that are kept. */
const SHOWN: ReadonlySet<string> = new Set([
  "db.system.name",
  "db.query.summary",
  "http.request.method",
  "http.route",
  "http.response.status_code",
  "landfall.attempt",
  "landfall.outcome",
])

/**
 * Names a statement by its verb and its first table: "SELECT accounts".
 *
 * @example
 * ```ts
 * nameStatement("SELECT id FROM accounts WHERE email = ?") // => "SELECT accounts"
 * nameStatement("BEGIN IMMEDIATE") // => "BEGIN"
 * ```
 */
export function nameStatement(sql: string): string {
  const [verb = ""] = /[a-z]+/i.exec(sql) ?? []
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+"?([a-z]\w*)/i.exec(sql) ?? []
  return table === undefined ? verb.toUpperCase() : `${verb.toUpperCase()} ${table}`
}

/** A failure as a collector gets it: by name. */
function withoutDetails(exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return exit
  const error = Cause.squash(exit.cause)
  const failure = new Error(error instanceof Error ? error.name : "failed")
  failure.name = failure.message
  failure.stack = failure.message
  return Exit.fail(failure)
}

/** Keeps of a span what is shown. */
function restrict(span: Tracer.Span): Tracer.Span {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (key === "db.query.text") {
        const name = nameStatement(String(value))
        attribute("db.query.summary", name)
        Object.assign(span, { name })
      } else if (SHOWN.has(key)) attribute(key, value)
    },
    event: () => {},
    end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => end(endTime, withoutDetails(exit)),
  })
}

/** A client that gives up at the first failure, so that nothing accumulates here. */
const makeClient = (client: HttpClient.HttpClient, tell: OtlpOptions["tell"]): HttpClient.HttpClient => {
  let underWay = 0
  const isGood = (status: number) => status >= 200 && status < 300
  return HttpClient.transform(client, sent =>
    Effect.suspend(() => {
      if (underWay >= UNDER_WAY) return Effect.die(new Error("the collector is too slow"))
      underWay++
      return sent.pipe(
        Effect.timeout(TIMEOUT_MS),
        // The client's description of a failure would contain the request with its headers.
        Effect.catch(() => Effect.fail(new Error("it did not answer"))),
        Effect.filterOrFail(
          ({ status }) => isGood(status),
          ({ status }) => new Error(`it answered ${status}`),
        ),
        tell,
        Effect.orDie,
        Effect.ensuring(Effect.sync(() => underWay--)),
      )
    }),
  )
}

/** Opens the exporters until the scope ends; what is gathered then is sent first. */
export const openOtlp = Effect.fnUntraced(function* (options: OtlpOptions) {
  const { endpoint, headers, sample, readFamilies, random = Math.random } = options
  const clock = yield* Clock.Clock
  const base = endpoint.href.replace(/(?<!\/)\/+$/, "")
  const about = { serviceName: "landfall", serviceVersion: VERSION }
  const resource = { ...about, attributes: { "service.instance.id": crypto.randomUUID() } }
  const shared = { headers, resource, shutdownTimeout: LAST_MS } as const

  const open = Effect.gen(function* () {
    const serialization = yield* OtlpSerialization.OtlpSerialization
    const described = yield* OtlpResource.fromConfig(resource)
    const startedAt = clock.currentTimeNanosUnsafe()
    yield* OtlpExporter.make({
      ...shared,
      label: "OtlpMetrics",
      url: `${base}/v1/metrics`,
      exportInterval: NUMBERS_EVERY_MS,
      maxBatchSize: "disabled",
      exportEmpty: true,
      body: () => {
        const metrics = writeMetrics(readFamilies(), { startedAt, nowNanos: clock.currentTimeNanosUnsafe() })
        const scopeMetrics = [{ scope: { name: "landfall" }, metrics }]
        return [serialization.metrics({ resourceMetrics: [{ resource: described, scopeMetrics }] }), Effect.void]
      },
    })
    return yield* OtlpTracer.make({
      ...shared,
      url: `${base}/v1/traces`,
      exportInterval: SPANS_EVERY_MS,
      maxBatchSize: SPANS_AT_ONCE,
    })
  })
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, found => makeClient(found, options.tell)),
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    // A redirect would take the headers elsewhere.
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  )
  const services = yield* Layer.build(Layer.mergeAll(client, OtlpSerialization.layerJson, OtlpExporter.layerFlusher))
  const tracer = yield* Effect.provideContext(open, services)

  const begin = ({ name, kind, readCaller, cause }: BegunWork): Tracer.Span | undefined => {
    const ours = readTraceparent(cause)
    if (ours === null && random() >= sample) return undefined
    const above = ours ?? readTraceparent(readCaller?.())
    return restrict(
      tracer.span({
        name,
        kind,
        parent: above === null ? Option.none() : Option.some(Tracer.externalSpan(above)),
        annotations: Context.empty(),
        links: [],
        startTime: clock.currentTimeNanosUnsafe(),
        root: above === null,
        sampled: true,
      }),
    )
  }
  const traces: Traces = {
    begin,
    end: (span, outcome) =>
      span.end(clock.currentTimeNanosUnsafe(), outcome === "ok" ? Exit.void : Exit.fail(new Error("failed"))),
  }
  return { traces, tracer: Tracer.make({ span: options => restrict(tracer.span({ ...options, sampled: true })) }) }
})
