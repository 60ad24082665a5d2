/**
 * One of several processes that serve one account as fast as they can until nothing is left, from the moment when they are told to. It
 * tells, line by line, that it is ready, how many requests it has served so far, and at last that it is done.
 */
import { once } from "node:events"
import { writeSync } from "node:fs"
import { Context, Effect, Redacted } from "effect"
import { Meter } from "../../adapters/quota/meter.ts"
import { callerWith } from "../quota/callers.ts"
import { startProcess } from "./deployment.ts"

const [databaseUrl = "", secret = "", requests = "0", nodeLeaseMs = "0"] = process.argv.slice(2)

const REQUESTS_A_LINE = 10

// Written at once and not through a stream, so that a killed process has said everything that it had done.
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

const program = Effect.gen(function* () {
  const services = yield* startProcess({ databaseUrl, secret: Redacted.make(secret) }, undefined, {
    nodeLeaseMs: Number(nodeLeaseMs),
  })
  const meter = Context.get(services, Meter)
  const caller = callerWith({ requests: Number(requests) })
  say({ served: 0 })
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  for (let served = 0; ; ) {
    const answer = yield* meter.reserveLoaded(caller, { charge: 1 })
    if (answer.ok) {
      answer.commit()
      served++
      if (served % REQUESTS_A_LINE === 0) {
        say({ served })
        yield* Effect.sleep(1)
      }
    } else if (answer.remaining === 0) {
      return say({ served, isDone: true })
    } else {
      // The rest is with the others, or with one that is gone.
      yield* Effect.sleep(100)
    }
  }
})

await Effect.runPromise(Effect.scoped(program))
