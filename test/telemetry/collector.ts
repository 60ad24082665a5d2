/** A collector of OpenTelemetry on a free port of this machine: it reads what comes as OTLP over HTTP in JSON, and refuses anything else. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "vitest"

/** A span as it came. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly kind: number
  readonly tookNanos: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly hasFailed: boolean
}

/** A number as it came: of a sum or a gauge its value, of a histogram its count. */
export interface CollectedNumber {
  readonly name: string
  readonly labels: Readonly<Record<string, unknown>>
  readonly value: number
  readonly buckets: readonly number[]
}

/** A collector. */
export interface Collector extends AsyncDisposable {
  readonly url: string
  /** All that came, as bytes and headers. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[]
  readonly spans: CollectedSpan[]
  readonly numbers: CollectedNumber[]
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

const readAttributes = (given: readonly Attribute[]) =>
  Object.fromEntries(
    given.map(({ key, value }) => {
      const [kind, content] = Object.entries(value)[0] as [string, unknown]
      assert.include(["stringValue", "boolValue", "intValue", "doubleValue"], kind)
      return [key, kind === "intValue" ? Number(content) : content]
    }),
  )

/** A JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: what came is checked field by field
type Json = any

function readSpan(span: Json): CollectedSpan {
  assert.match(span.traceId, /^(?!0{32})[0-9a-f]{32}$/)
  assert.match(span.spanId, /^(?!0{16})[0-9a-f]{16}$/)
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^(?!0{16})[0-9a-f]{16}$/)
  const [from, to] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]
  assert.isTrue(from > 0n && to >= from)
  return {
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    kind: span.kind,
    tookNanos: to - from,
    attributes: readAttributes(span.attributes),
    hasFailed: span.status.code === 2,
  }
}

function readMetric(metric: Json): readonly CollectedNumber[] {
  const points: readonly Json[] = (metric.sum ?? metric.gauge ?? metric.histogram).dataPoints
  if (metric.gauge === undefined) assert.strictEqual((metric.sum ?? metric.histogram).aggregationTemporality, 2)
  return points.map(point => {
    assert.isTrue(BigInt(point.timeUnixNano) >= BigInt(point.startTimeUnixNano))
    const buckets = point.bucketCounts ?? []
    if (metric.histogram !== undefined) {
      assert.strictEqual(buckets.length, point.explicitBounds.length + 1)
      assert.strictEqual(
        buckets.reduce((sum: number, count: number) => sum + count, 0),
        point.count,
      )
    }
    const labels = readAttributes(point.attributes)
    return { name: metric.name, labels, value: point.asDouble ?? point.count, buckets }
  })
}

/** Starts a collector; it takes everything, unless it is told which status to answer. */
export async function startCollector(status = 200): Promise<Collector> {
  const collector = { requests: [], spans: [], numbers: [] } as unknown as Collector
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const path = request.url ?? ""
      collector.requests.push({ path, headers: request.headers, text })
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(text)
      for (const { scopeSpans } of resourceSpans)
        for (const { spans } of scopeSpans) collector.spans.push(...spans.map(readSpan))
      for (const { scopeMetrics } of resourceMetrics)
        for (const { metrics } of scopeMetrics) collector.numbers.push(...metrics.flatMap(readMetric))
      response.writeHead(status, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(collector, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
