import { assert, describe, it } from "vitest"
import { startTestService } from "../http/service.ts"
import { startReceiver } from "../webhooks/receiver.ts"
import { startCollector } from "./collector.ts"

const JSON_BODY = { "content-type": "application/json" }
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`
const CHECK = "/api/v1/visa/check?passport=DEU&destination=JPN"

const envOf = (url: string, sample: string) => ({
  LANDFALL_OTLP_ENDPOINT: url,
  LANDFALL_OTLP_SAMPLE: sample,
  LANDFALL_OTLP_HEADERS: "authorization=Bearer of the collector,x-tenant=visa",
  LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
})

describe("a service with a collector", () => {
  it("traces a request under its caller's trace, with its statements, and the delivery that it causes", async () => {
    await using collector = await startCollector()
    await using receiver = await startReceiver()
    await using running = await startTestService({ env: envOf(collector.url, "1") })
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: { ...JSON_BODY, traceparent: TRACEPARENT },
      body: JSON.stringify({ url: receiver.url }),
    })
    assert.strictEqual(made.status, 201, made.text)
    await receiver.until(({ length }) => length === 1)
    await running.stop()

    const [request, ...others] = collector.spans.filter(({ parentSpanId }) => parentSpanId === SPAN)
    assert.isEmpty(others)
    assert.deepInclude(request, { name: "POST /api/v1/visa/webhooks", traceId: TRACE, kind: 2, hasFailed: false })
    assert.deepStrictEqual(request?.attributes, {
      "http.request.method": "POST",
      "http.route": "/api/v1/visa/webhooks",
      "http.response.status_code": 201,
    })
    const ofTrace = collector.spans.filter(({ traceId }) => traceId === TRACE)
    const names = ofTrace.map(({ name }) => name)
    for (const name of ["INSERT webhooks", "INSERT event_bodies", "sql.transaction", "deliveries"]) {
      assert.include(names, name)
    }
    const statement = ofTrace.find(({ name }) => name === "INSERT webhooks")
    assert.deepStrictEqual(statement?.attributes, {
      "db.system.name": "sqlite",
      "db.query.summary": "INSERT webhooks",
    })
    const delivery = ofTrace.find(({ name }) => name === "deliveries")
    assert.deepInclude(delivery, { kind: 3, hasFailed: false })
    assert.deepStrictEqual(delivery?.attributes, { "landfall.attempt": 1, "landfall.outcome": "done" })
    assert.strictEqual(receiver.received[0]?.headers.traceparent, `00-${TRACE}-${delivery?.spanId}-01`)
    // Each span's parent has come too, but for the caller's.
    const known = new Set([SPAN, ...ofTrace.map(({ spanId }) => spanId)])
    for (const { name, parentSpanId } of ofTrace) assert.isTrue(known.has(parentSpanId ?? ""), name)

    for (const { headers } of collector.requests) {
      assert.strictEqual(headers.authorization, "Bearer of the collector")
      assert.strictEqual(headers["x-tenant"], "visa")
    }
  })

  it("sends the metrics of /metrics", async () => {
    await using collector = await startCollector()
    await using running = await startTestService({ env: envOf(collector.url, "0") })
    for (let at = 0; at < 3; at++) assert.strictEqual((await running.askAs("pro", CHECK)).status, 200)
    await running.stop()
    const labels = { method: "GET", route: "/api/v1/visa/check", status: "200" }
    const requests = collector.numbers.filter(({ name }) => name === "landfall_http_request_duration_seconds")
    assert.strictEqual(requests.find(number => JSON.stringify(number.labels) === JSON.stringify(labels))?.value, 3)
    const names = new Set(collector.numbers.map(({ name }) => name))
    for (const name of ["landfall_build_info", "landfall_database_duration_seconds", "process_resident_memory_bytes"])
      assert.isTrue(names.has(name), name)
    assert.isEmpty(collector.spans)
    assert.deepStrictEqual([...new Set(collector.requests.map(({ path }) => path))], ["/v1/metrics"])
  })

  it("sends no key, address, pair, query or body, of any request", async () => {
    await using collector = await startCollector()
    await using running = await startTestService({
      env: { ...envOf(collector.url, "1"), LANDFALL_TRUSTED_PROXIES: "127.0.0.1" },
    })
    const secrets = [
      running.keys.pro,
      "203.0.113.77",
      "ana.secret@example.org",
      "no-such-word",
      "passport=DEU",
      "agent-77",
    ]
    const headers = { "x-forwarded-for": "203.0.113.77", "user-agent": "agent-77", "x-request-id": "no-such-word" }
    const asks = [
      running.askAs("pro", CHECK, { headers }),
      running.askAs("pro", "/api/v1/visa/keys", { headers }),
      running.ask(`${CHECK}&api_key=${running.keys.pro}`, { headers }),
      running.ask("/no-such-word?passport=DEU", { headers }),
      running.ask("/api/v1/user/register", {
        method: "POST",
        headers: { ...headers, ...JSON_BODY },
        body: JSON.stringify({ name: "no-such-word", email: "ana.secret@example.org" }),
      }),
      running.ask("/api/v1/visa/jobs/no-such-word", { headers: { ...headers, "x-api-key": running.keys.business } }),
    ]
    for (const { status } of await Promise.all(asks)) assert.isBelow(status, 500)
    await running.stop()
    assert.isAtLeast(collector.spans.filter(({ kind }) => kind === 2).length, asks.length)
    const bytes = JSON.stringify(collector.requests)
    for (const secret of secrets) assert.notInclude(bytes, secret)
    assert.notInclude(bytes, "DEU")
    assert.notInclude(bytes, "SELECT id")
  })

  it("traces its own sample, whatever a caller marks, and ignores an invalid traceparent", async () => {
    await using collector = await startCollector()
    await using none = await startTestService({ env: envOf(collector.url, "0") })
    await none.askAs("pro", CHECK, { headers: { traceparent: TRACEPARENT } })
    await none.stop()
    assert.isEmpty(collector.spans)
    await using all = await startTestService({ env: envOf(collector.url, "1") })
    for (const traceparent of [
      `${TRACEPARENT}-more`,
      TRACEPARENT.toUpperCase(),
      `00-${"0".repeat(32)}-${SPAN}-01`,
      "x",
    ])
      await all.askAs("pro", CHECK, { headers: { traceparent } })
    await all.stop()
    const requests = collector.spans.filter(({ kind }) => kind === 2)
    assert.lengthOf(requests, 4)
    for (const { traceId, parentSpanId } of requests) {
      assert.notStrictEqual(traceId, TRACE)
      assert.isUndefined(parentSpanId)
    }
  })

  it("answers as before if the collector refuses everything", async () => {
    await using collector = await startCollector(503)
    await using running = await startTestService({ env: envOf(collector.url, "1") })
    for (let at = 0; at < 2_050; at += 50) {
      const asked = await Promise.all(Array.from({ length: 50 }, () => running.ask("/healthz")))
      for (const { status } of asked) assert.strictEqual(status, 200)
    }
    await running.stop()
    // A refused batch is not sent again, and nothing follows within the minute.
    const ofSpans = collector.requests.filter(({ path }) => path === "/v1/traces")
    assert.lengthOf(ofSpans, 1)
  })
})

describe("a service without a collector", () => {
  it("sends nothing, and no trace to receivers", async () => {
    await using receiver = await startReceiver()
    await using running = await startTestService({ env: { LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true" } })
    const made = await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: { ...JSON_BODY, traceparent: TRACEPARENT },
      body: JSON.stringify({ url: receiver.url }),
    })
    assert.strictEqual(made.status, 201, made.text)
    await receiver.until(({ length }) => length === 1)
    assert.isUndefined(receiver.received[0]?.headers.traceparent)
  })
})
