/** A service in several processes where it is dear to test: on PostgreSQL, and with a loop that has to compute for seconds before it counts as hanging. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually } from "../../eventually.ts"
import { makeDeployment } from "../../storage/deployment.ts"
import { makePostgresDeployment } from "../../storage/postgres-deployment.ts"
import { ask, HUNG, hang, listServing, serveInTwo, startService } from "../processes.ts"

describe("a service in two processes on one port", () => {
  it.live(
    "counts a quota exactly, replaces a killed process, answers from the installed dataset and stops completely, on PostgreSQL",
    () => Effect.flatMap(makePostgresDeployment, serveInTwo),
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

  it.live("is killed where it runs from the sources, as `npm start` does", () =>
    Effect.gen(function* () {
      const service = yield* startService(yield* makeDeployment, 1, "adapters/cli/bin.ts")
      yield* hang(service)
      // Alone it ends, with a signal after which supervisors start it again.
      assert.deepStrictEqual(yield* Effect.promise(() => service.ended), [null, "SIGKILL"])
      assert.match(service.readLog(), HUNG)
      assert.notMatch(service.readLog(), /not watched/)
    }).pipe(Effect.scoped),
  )
})
