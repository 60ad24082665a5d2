import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { combineFamilies } from "../../adapters/http/pipeline/process-state.ts"
import type { Family } from "../../adapters/telemetry/families.ts"
import { eventually } from "../eventually.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { ask, HUNG, hang, listServing, serveInTwo, startService } from "./processes.ts"

describe("a service in two processes on one port", () => {
  it.live(
    "counts a quota exactly, replaces a killed process, answers from the installed dataset and stops completely, on SQLite",
    () => Effect.flatMap(makeDeployment, serveInTwo),
  )
})

describe("a process whose event loop hangs", () => {
  it.live("is killed and replaced, while the other one answers, and the log names the row", () =>
    Effect.gen(function* () {
      const several = yield* startService(yield* makeDeployment)
      // Silent for longer than the one that hangs, but it does not compute.
      const suspended = yield* startService(yield* makeDeployment, 1)
      suspended.child.kill("SIGSTOP")

      const before = listServing(several.child.pid)
      const hanging = yield* Effect.forkChild(hang(several))
      const meanwhile = yield* Effect.promise(() =>
        Promise.any(Array.from({ length: 4 }, () => ask(`${several.url}/healthz`))),
      )
      assert.strictEqual(meanwhile.status, 200)
      assert.strictEqual(yield* Fiber.join(hanging), "ECONNRESET")
      const [line = "", pid] =
        (yield* eventually(Effect.sync(several.readLog), log => HUNG.test(log))).match(HUNG) ?? []
      assert.include(before, Number(pid), several.readLog())
      const now = yield* eventually(
        Effect.sync(() => listServing(several.child.pid)),
        pids => pids.length === 2 && !pids.includes(Number(pid)),
      )
      assert.strictEqual(now.filter(each => before.includes(each)).length, 1)
      assert.notMatch(line, /127\.0\.0\.1|svc_/)
      assert.match(several.readLog(), /a process that serves has ended by SIGKILL and is started again/)
      const answers = Effect.promise(() =>
        Promise.all(
          Array.from({ length: 4 }, () =>
            ask(`${several.url}/healthz`).then(
              ({ status }) => status,
              () => 0,
            ),
          ),
        ),
      )
      assert.deepStrictEqual(
        yield* eventually(answers, each => each.every(status => status === 200)),
        [200, 200, 200, 200],
      )

      suspended.child.kill("SIGCONT")
      let asked = 0
      const again = Effect.promise(async () => ({ asked: ++asked, ...(await ask(`${suspended.url}/healthz`)) }))
      assert.strictEqual((yield* eventually(again, ({ asked }) => asked === 20)).status, 200)
      assert.strictEqual(suspended.readLog(), "")
    }).pipe(Effect.scoped),
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
