/**
 * One of several processes that use up limits as fast as they can, from the moment when they are told to. It prints a line when it is ready, a
 * line with what it has served so far of each limit after every few requests, and a last one when nothing was left of any for a while.
 */
import { once } from "node:events"
import { writeSync } from "node:fs"
import { Clock, Context, Effect, Redacted } from "effect"
import type { Refusal } from "../../adapters/quota/limits.ts"
import { Meter, type Reservation } from "../../adapters/quota/meter.ts"
import type { Unavailable } from "../../adapters/storage/storage-errors.ts"
import { callerWith } from "../quota/callers.ts"
import { startProcess } from "./deployment.ts"

const [databaseUrl = "", secret = "", name = "", given = "{}"] = process.argv.slice(2)
const limits: Partial<Record<"month" | "rolling" | "distinct" | "spots" | "pairs", number>> = JSON.parse(given)

const REQUESTS_A_LINE = 10
/** How many requests of a limit are under way at once. */
const AT_ONCE = 4
/** After how long without anything left a limit is taken for used up: other processes give back what they do not use sooner. Until then one asks again for all. */
const USED_UP_MS = 5_000
const AGAIN_MS = 250

/** The machine's clock, set so that the start is at noon: no day ends meanwhile. */
function atNoon(real: Clock.Clock): Clock.Clock {
  const startsAt = real.currentTimeMillisUnsafe()
  const shiftMs = Math.floor(startsAt / 86_400_000) * 86_400_000 + 43_200_000 - startsAt
  const now = () => real.currentTimeMillisUnsafe() + shiftMs
  return Object.assign(Object.create(real) as Clock.Clock, {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
  })
}

// Written at once and not through a stream, so that a killed process has said everything that it had done.
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

const program = Effect.gen(function* () {
  const services = yield* startProcess({ databaseUrl, secret: Redacted.make(secret) })
  const meter = Context.get(services, Meter)
  const caller = callerWith({
    requests: limits.month ?? 1_000_000,
    lookups: limits.rolling ?? 0,
    lookupsPerSecond: 1_000_000,
  })
  const guarded = callerWith({ accountId: 2, requests: 1_000_000, cap: limits.distinct ?? 0 })
  let asked = 0
  const next = () => `${name}${asked++}`
  type Asked = Effect.Effect<Reservation | Refusal, Unavailable>
  const ways: Record<keyof typeof limits, () => Asked> = {
    month: () => meter.reserveLoaded(caller, { charge: 1 }),
    rolling: () => meter.reserveLoaded(caller, { pool: "lookup", charge: 1 }),
    distinct: () => meter.reserveLoaded(guarded, { charge: 1, passport: "FRA", destinations: next() }),
    spots: () => meter.reserveKeylessLoaded("192.0.2.7", { pool: "spots" }),
    pairs: () => meter.reserveKeylessLoaded("192.0.2.7", { pool: "pairs", pairs: [next()] }),
  }
  const served: Record<string, number> = {}
  let total = 0
  const refused = new Map<string, number>()
  const useUp = Effect.fnUntraced(function* (of: keyof typeof ways) {
    for (let refusedFor = 0; refusedFor < USED_UP_MS; ) {
      // A machine that is too busy is no refusal.
      const answer = yield* Effect.catchTag(ways[of](), "Unavailable", () => Effect.succeed(null))
      if (answer === null) continue
      if (!answer.ok) {
        const others = refused.get(of) ?? 0
        if (others < AT_ONCE - 1) return void refused.set(of, others + 1)
        refusedFor += AGAIN_MS
        yield* Effect.sleep(AGAIN_MS)
        continue
      }
      refusedFor = 0
      answer.commit()
      served[of] = (served[of] ?? 0) + 1
      if (++total % REQUESTS_A_LINE === 0) {
        say({ served })
        yield* Effect.sleep(1)
      }
    }
  })
  say({ served })
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const all = Object.keys(limits) as (keyof typeof ways)[]
  const workers = all.flatMap(of => Array.from({ length: AT_ONCE }, () => useUp(of)))
  yield* Effect.all(workers, { concurrency: "unbounded", discard: true })
  say({ served, isDone: true })
})

await Effect.runPromise(
  Effect.flatMap(Clock.Clock, real => Effect.provideService(Effect.scoped(program), Clock.Clock, atNoon(real))),
)
