import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { combineFamilies } from "../../adapters/http/pipeline/process-state.ts"
import type { Family } from "../../adapters/telemetry/families.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { serveInTwo } from "./processes.ts"

describe("a service in two processes on one port", () => {
  it.live(
    "counts a quota exactly, replaces a killed process, answers from the installed dataset and stops completely, on SQLite",
    () => Effect.flatMap(makeDeployment, serveInTwo),
  )
})

describe("the metrics of several processes", () => {
  it("are the sum, the greatest or the least, as each family defines", () => {
    const family = (name: string, values: readonly number[], more: Partial<Family> = {}): Family => ({
      name,
      help: "",
      type: "gauge",
      samples: values.map((value, at) => ({ labels: { at: String(at) }, value })),
      ...more,
    })
    const [sum, most, least] = combineFamilies([
      [family("a", [1, 2]), family("b", [5], { over: "max" }), family("c", [5], { over: "min" })],
      [family("a", [10]), family("b", [7], { over: "max" }), family("c", [7], { over: "min" })],
    ])
    assert.deepStrictEqual(
      [sum, most, least].map(each => each?.samples.map(({ value }) => value)),
      [[11, 2], [7], [5]],
    )
  })
})
