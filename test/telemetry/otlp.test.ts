import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { it as effectIt } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { assert, describe, it } from "vitest"
import { Environment } from "../../adapters/settings/config.ts"
import { runWorkers } from "../../adapters/start/background-work.ts"
import type { Family } from "../../adapters/telemetry/families.ts"
import { nameStatement, openOtlp, writeMetrics } from "../../adapters/telemetry/otlp.ts"
import { eventually } from "../eventually.ts"
import { makeFolder, startTestService } from "../http/service.ts"
import { startReceiver } from "../webhooks/receiver.ts"
import { startCollector } from "./collector.ts"

describe("a collector that never answers", () => {
  effectIt.live("holds up no more than a few requests, whatever is traced meanwhile", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = createServer(() => {
        asked++
      })
      yield* Effect.promise(() => new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
      const { port } = server.address() as AddressInfo
      let failures = 0
      const { traces } = yield* openOtlp({
        endpoint: new URL(`http://127.0.0.1:${port}/`),
        headers: {},
        sample: 1,
        readFamilies: () => [],
        tell: work => Effect.tapError(work, () => Effect.sync(() => failures++)),
      })
      const burst = Effect.sync(() => {
        for (let at = 0; at < 50_000; at++) {
          const span = traces.begin({ name: "work", kind: "internal" })
          if (span !== undefined) traces.end(span, "ok")
        }
      })
      for (let times = 0; times < 5; times++) yield* Effect.andThen(burst, Effect.yieldNow)
      yield* eventually(
        Effect.sync(() => asked),
        count => count > 0,
      )
      assert.isAtMost(asked, 4)
      assert.strictEqual(failures, 0)
    }).pipe(Effect.scoped),
  )
})

describe("metric families", () => {
  const times = { startedAt: 1n, nowNanos: 5n }

  it("count each duration in one bucket, separately for each set of labels", () => {
    const sample = (suffix: string, kind: string, value: number, le?: string) => ({
      suffix,
      labels: le === undefined ? { kind } : { kind, le },
      value,
    })
    const histogramOf = (kind: string, counts: readonly [number, number, number]) => [
      sample("_bucket", kind, counts[0], "0.1"),
      sample("_bucket", kind, counts[1], "1"),
      sample("_bucket", kind, counts[2], "+Inf"),
      sample("_sum", kind, 2.5),
      sample("_count", kind, counts[2]),
    ]
    const family: Family = {
      name: "x_seconds",
      help: "Times.",
      type: "histogram",
      samples: [...histogramOf("a", [1, 3, 4]), ...histogramOf("b", [0, 0, 7])],
    }
    const [metric] = writeMetrics([family], times)
    assert.deepInclude(metric, { name: "x_seconds", description: "Times.", unit: "s" })
    const found = metric?.histogram?.dataPoints.map(({ attributes, count, sum, bucketCounts, explicitBounds }) => ({
      label: attributes?.map(({ key, value }) => [key, value]),
      count,
      sum,
      bucketCounts,
      explicitBounds,
    }))
    assert.deepStrictEqual(found, [
      {
        label: [["kind", { stringValue: "a" }]],
        count: 4,
        sum: 2.5,
        bucketCounts: [1, 2, 1],
        explicitBounds: [0.1, 1],
      },
      {
        label: [["kind", { stringValue: "b" }]],
        count: 7,
        sum: 2.5,
        bucketCounts: [0, 0, 7],
        explicitBounds: [0.1, 1],
      },
    ])
  })

  it("are sums that only grow for counters, and gauges for gauges", () => {
    const of = (type: "counter" | "gauge"): Family => ({
      name: type,
      help: "",
      type,
      samples: [{ labels: {}, value: 3 }],
    })
    const [counter, gauge] = writeMetrics([of("counter"), of("gauge")], times)
    assert.deepInclude(counter?.sum, { aggregationTemporality: 2, isMonotonic: true })
    assert.strictEqual(counter?.sum?.dataPoints[0]?.asDouble, 3)
    assert.strictEqual(gauge?.gauge?.dataPoints[0]?.asDouble, 3)
  })
})

describe("the name of a statement", () => {
  it("is its verb and its first table, without values", () => {
    assert.strictEqual(nameStatement("  UPDATE webhooks SET url = 'https://x.example/FROM secret'"), "UPDATE webhooks")
    assert.strictEqual(nameStatement("WITH n AS (INSERT INTO counters (name) VALUES (?)) SELECT 1"), "WITH counters")
    assert.strictEqual(nameStatement('DELETE FROM "pool_counts"'), "DELETE pool_counts")
    assert.strictEqual(nameStatement(""), "")
  })
})

describe("a worker with a collector", () => {
  it("traces its deliveries, under the trace of the service that caused them, and sends its metrics", async () => {
    await using collector = await startCollector()
    await using receiver = await startReceiver()
    const folder = makeFolder()
    const env = {
      LANDFALL_WORKERS: "0",
      LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
      LANDFALL_OTLP_ENDPOINT: collector.url,
      LANDFALL_OTLP_SAMPLE: "1",
    }
    await using running = await startTestService({ env, folder })
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-00` },
      body: JSON.stringify({ url: receiver.url }),
    })
    assert.strictEqual(made.status, 201, made.text)
    assert.isEmpty(receiver.received)
    const scope = Scope.makeUnsafe()
    const variables = {
      ...env,
      LANDFALL_DATABASE_URL: `file:${folder}/landfall.db`,
      LANDFALL_LOG_LEVEL: "error",
    }
    const started = Effect.provideService(runWorkers, Environment, variables)
    await Effect.runPromise(Effect.provideService(started, Scope.Scope, scope))
    await receiver.until(({ length }) => length === 1)
    assert.isEmpty(collector.spans)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    const [delivery] = collector.spans.filter(({ name }) => name === "deliveries")
    assert.strictEqual(delivery?.traceId, traceId)
    assert.strictEqual(receiver.received[0]?.headers.traceparent, `00-${traceId}-${delivery?.spanId}-01`)
    const work = collector.numbers.find(
      ({ name, labels }) => name === "landfall_work_duration_seconds" && labels.work === "deliveries",
    )
    assert.isAtLeast(work?.value ?? 0, 1)
  })
})
