import { getHeapSpaceStatistics } from "node:v8"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Described } from "../../adapters/http/pipeline/describe-row.ts"
import { EndpointTable, endpoint } from "../../adapters/http/pipeline/endpoint.ts"
import { answerJson, type HostedRequest } from "../../adapters/http/pipeline/http-message.ts"
import { makePipeline, type PipelineParts } from "../../adapters/http/pipeline/pipeline.ts"
import { GROUPS } from "../../adapters/http/routes/all-endpoints.ts"
import { passport } from "../../adapters/http/routes/visa/visa-endpoints.ts"
import { makeFetchHandler } from "../../adapters/http/server/fetch-host.ts"
import { embeddedDataset } from "../../src/index.ts"
import { OPEN_GATE } from "./open-gate.ts"

/** A whole endpoint, as somebody would add one: the row with its answer. */
const echo = endpoint("GET /api/v1/visa/echo", {
  name: "echo",
  surface: "visa",
  access: { kind: "public" },
  parameters: { passport },
  answer: ({ passport }, context) =>
    context
      .run(Effect.succeed(passport))
      .then(code => answerJson(200, { code, dataset_version: context.dataset.version })),
})

const dataset = embeddedDataset()
const faults: unknown[] = []

const makeEchoPipeline = (runEffect: NonNullable<PipelineParts["runEffect"]>) =>
  makePipeline({
    table: new EndpointTable([echo]),
    services: {},
    readNowMs: () => 0,
    today: () => dataset,
    readUpgradeUrl: () => "",
    gate: OPEN_GATE,
    runEffect,
    reportFault: cause => {
      faults.push(cause)
      return { kind: "fault" }
    },
  })
const pipeline = makeEchoPipeline(work => Effect.runPromise(work as Effect.Effect<never>))
const handle = makeFetchHandler(pipeline)
const ask = (path: string, method = "GET") => handle(new Request(`http://x${path}`, { method }))

describe("an endpoint that is one row", () => {
  it("is routed, decoded, refused and answered according to its method", async () => {
    const answered = await ask("/api/v1/visa/echo?passport=FRA")
    assert.deepStrictEqual(await answered.json(), { code: "FRA", dataset_version: dataset.version })
    assert.strictEqual((await ask("/api/v1/visa/echo?passport=fr")).status, 400)
    assert.strictEqual((await ask("/api/v1/visa/echoes")).status, 404)
    assert.strictEqual((await ask("/api/v1/visa/echo", "POST")).headers.get("allow"), "GET, HEAD, OPTIONS")
    assert.strictEqual((await ask("/api/v1/visa/echo", "OPTIONS")).status, 204)
    assert.strictEqual(await (await ask("/api/v1/visa/echo?passport=FRA", "HEAD")).text(), "")
    assert.deepStrictEqual(faults, [])
  })
})

describe("a request that waits", () => {
  it("leaves no objects that only a full garbage collection removes", () => {
    const request: HostedRequest = {
      method: "GET",
      path: "/api/v1/visa/echo",
      search: "passport=FRA",
      socketAddress: undefined,
      header: () => undefined,
      hasLeft: false,
      signal: new AbortController().signal,
      readText: async () => "",
      waitForRoom: () => undefined,
    }
    const readOldBytes = () =>
      getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0
    const requests = 5_000
    // Nothing keeps a request whose work never ends, so whatever is left of it was made old at once.
    const waits = makeEchoPipeline(() => new Promise(() => {}))
    const measureGrowth = () => {
      const before = readOldBytes()
      for (let at = 0; at < requests; at++) if (!(waits(request) instanceof Promise)) assert.fail("it did not wait")
      return (readOldBytes() - before) / requests
    }
    // In single rounds a collection may move or remove what other code has made.
    const growths = Array.from({ length: 15 }, measureGrowth).sort((one, other) => one - other)
    assert.isBelow(growths[7] as number, 40, "bytes a request")
  })
})

describe("the table", () => {
  it("has each name and each path with its method once", () => {
    const rows: readonly Described[] = GROUPS.flatMap(({ endpoints }) => endpoints)
    for (const key of [rows.map(({ name }) => name), rows.map(({ method, path }) => `${method} ${path}`)])
      assert.lengthOf(new Set(key), rows.length)
  })

  it("says what each row of the reference is for", () => {
    const rows: readonly Described[] = GROUPS.flatMap(({ endpoints }) => endpoints)
    assert.deepStrictEqual(
      rows.filter(({ summary = "" }) => summary === "").map(({ name }) => name),
      [],
    )
  })
})
