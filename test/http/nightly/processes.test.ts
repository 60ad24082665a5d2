/** A service in several processes where it is dear to test: on PostgreSQL, and from the sources. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDeployment } from "../../storage/deployment.ts"
import { makePostgresDeployment } from "../../storage/postgres-deployment.ts"
import { HUNG, hang, serveInTwo, startService } from "../processes.ts"

describe("a service in two processes on one port", () => {
  it.live(
    "counts a quota exactly, replaces a killed process, answers from the installed dataset and stops completely, on PostgreSQL",
    () => Effect.flatMap(makePostgresDeployment, serveInTwo),
  )
})

describe("a process whose event loop hangs", () => {
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
