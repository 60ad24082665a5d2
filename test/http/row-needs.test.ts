import { Context, Effect } from "effect"
import { assert, describe, expectTypeOf, it } from "vitest"
import {
  type ContextOf,
  type EdgeRow,
  EndpointTable,
  endpoint,
  type NeedsOf,
} from "../../adapters/http/pipeline/endpoint.ts"
import { answerJson } from "../../adapters/http/pipeline/http-message.ts"
import { makePipeline, type Reply } from "../../adapters/http/pipeline/pipeline.ts"
import { findServices, makeService } from "../../adapters/http/server/service.ts"
import { Devices } from "../../adapters/push/devices.ts"
import type { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { embeddedDataset } from "../../src/index.ts"
import { OPEN_GATE } from "./open-gate.ts"

class Tide extends Context.Service<Tide, { readonly height: number }>()("test/Tide") {}
class Moon extends Context.Service<Moon, { readonly phase: string }>()("test/Moon") {}

const common = { surface: "visa", access: { kind: "public" } } as const
const needs = { tide: Tide } as const
const tide = endpoint("GET /tide", {
  ...common,
  name: "tide",
  needs,
  answer: (_, { tide }) => answerJson(200, { height: tide.height }),
})
const stone = endpoint("GET /stone", { ...common, name: "stone", answer: () => answerJson(200, {}) })

describe("a row that names its services", () => {
  it("answers with them, under the names that it gives them", () => {
    const rows = [tide, stone]
    const pipeline = makePipeline({
      table: new EndpointTable(rows),
      services: findServices(rows, Context.make(Tide, { height: 3 }) as never),
      readNowMs: () => 0,
      today: () => embeddedDataset(),
      readUpgradeUrl: () => "http://x",
      gate: OPEN_GATE,
      reportFault: cause => {
        throw cause
      },
    })
    const reply = pipeline({
      method: "GET",
      path: "/tide",
      search: "",
      socketAddress: undefined,
      header: () => undefined,
    } as never) as Reply
    assert.strictEqual(reply.body, '{"height":3}')
  })

  it("gets these services and no others, and the table needs them", () => {
    expectTypeOf<NeedsOf<typeof tide>>().toEqualTypeOf<Tide>()
    expectTypeOf<NeedsOf<typeof stone>>().toBeNever()
    expectTypeOf<NeedsOf<typeof tide | typeof stone>>().toEqualTypeOf<Tide>()
    expectTypeOf<ContextOf<typeof needs>>().toHaveProperty("tide")
    expectTypeOf<ContextOf<typeof needs>>().not.toHaveProperty("moon")
    assert.deepStrictEqual(Object.keys(tide.needs ?? {}), ["tide"])
  })

  it("is not served at the edge, which has rows without services only", () => {
    expectTypeOf(stone).toExtend<EdgeRow>()
    expectTypeOf(tide).not.toExtend<EdgeRow>()
    assert.isUndefined(stone.needs)
  })

  it("is refused at the start where another row calls another service by the same name", () => {
    const other = endpoint("GET /other", {
      ...common,
      name: "other",
      needs: { tide: Moon },
      answer: () => answerJson(200, {}),
    })
    const context = Context.make(Tide, { height: 3 }).pipe(Context.add(Moon, { phase: "new" }))
    assert.throws(
      () => findServices([tide, other], context as never),
      'other calls test/Moon "tide", and another row test/Tide',
    )
  })
})

describe("a service that is composed without one of the layers that rows need", () => {
  it("does not compile: what is missing stays in its type", () => {
    const start = makeService({})
    expectTypeOf<Devices>().toExtend<Effect.Services<typeof start>>()
    const withDevices = Effect.provide(start, Devices.layer([]))
    expectTypeOf<Devices>().not.toExtend<Effect.Services<typeof withDevices>>()
    expectTypeOf<Webhooks>().toExtend<Effect.Services<typeof withDevices>>()
    assert.isTrue(Effect.isEffect(withDevices))
  })
})
