/**
 * What time is it for this deployment?
 *
 * Periods, claims and the life of nodes follow one clock: the database's, read every second and continued by the machine's monotonic clock
 * in between. A server's time is its own; a file's is that of its machine. Two things are not believed at once: a time of the database that
 * is more than five seconds from the machine's, and a jump of more than five seconds. The process then goes on with the time that it had and
 * is not ready. A jump on which both agree is adopted after ten seconds: the machine was suspended, or its clock was set. What was written
 * under a wrong time is put right then.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { OutageLog } from "./outage-log.ts"
import { Storage } from "./storage.ts"
import { makeUnavailable, type Unavailable } from "./storage-errors.ts"

/** How far two clocks may differ, and how far the time may jump. */
const TOLERANCE_MS = 5_000
/** How long a jump has to last. */
const JUMP_LASTS_MS = 10_000
const LOOK_MS = 1_000

/** Whether processes follow the database's time; false for a program that has set a clock of its own, as tests do. */
export const FollowsDatabaseTime = Context.Reference<boolean>("landfall/storage/FollowsDatabaseTime", {
  defaultValue: () => true,
})

/** What is known of the time. */
export interface ClockState {
  /** How far the machine's clock is ahead of the database's, in milliseconds. */
  readonly differenceMs: number
  /** How often a jump of the time was adopted. */
  readonly jumps: number
}

/** The time of the deployment, as far as it can be believed. */
export class DatabaseClock extends Context.Service<
  DatabaseClock,
  {
    readonly clock: Clock.Clock
    /** Fails with the reason `clock` while the time is not believed. */
    readonly check: Effect.Effect<void, Unavailable>
    readonly readState: () => ClockState
    /** Reads the database's time now. */
    readonly look: Effect.Effect<void, Unavailable>
  }
>()("landfall/storage/DatabaseClock") {
  /** Provides itself, and its clock as the clock of all that is built on it. */
  static readonly layer = Layer.effectContext(
    Effect.map(
      Effect.suspend(() => makeClock()),
      service => Context.make(DatabaseClock, service).pipe(Context.add(Clock.Clock, service.clock)),
    ),
  )
}

const makeClock = Effect.fnUntraced(function* () {
  const storage = yield* Storage
  const own = yield* Clock.Clock
  if (!(yield* FollowsDatabaseTime)) {
    const readState = () => ({ differenceMs: 0, jumps: 0 })
    return { clock: own, check: Effect.void, readState, look: Effect.void }
  }
  const readTime = Effect.provideService(storage.readTime, Clock.Clock, own)
  const readMonotonicMs = () => Number(own.monotonicTimeNanosUnsafe()) / 1e6
  let offsetMs = (yield* readTime) - readMonotonicMs()
  let [differenceMs, jumps] = [0, 0]
  let jumpedSince: number | null = null
  let doubt: string | null = null

  const look = Effect.gen(function* () {
    const askedAt = readMonotonicMs()
    const databaseMs = yield* readTime
    const answeredAt = readMonotonicMs()
    // The answer is of a moment between the two: a slow one says little.
    const slackMs = (answeredAt - askedAt) / 2
    if (slackMs > TOLERANCE_MS) return
    const nowMs = databaseMs + slackMs
    differenceMs = own.currentTimeMillisUnsafe() - nowMs
    const jumpMs = nowMs - answeredAt - offsetMs
    const seconds = (ms: number) => `${(Math.abs(ms) / 1_000).toFixed(1)} s`
    if (Math.abs(differenceMs) > TOLERANCE_MS + slackMs) {
      doubt = `the clock of this machine is ${seconds(differenceMs)} ${differenceMs > 0 ? "ahead of" : "behind"} the database's`
      return
    }
    if (Math.abs(jumpMs) > TOLERANCE_MS + slackMs) {
      doubt = `the time has jumped ${seconds(jumpMs)} ${jumpMs > 0 ? "forwards" : "back"}`
      jumpedSince ??= answeredAt
      if (answeredAt - jumpedSince < JUMP_LASTS_MS) return
      jumps++
      yield* Effect.logWarning(`the time of the deployment is ${new Date(nowMs).toISOString()} now: ${doubt}`)
      if (jumpMs < 0) yield* storage.healTimes(Math.round(nowMs))
    }
    ;[jumpedSince, doubt] = [null, null]
    offsetMs = nowMs - answeredAt
  })
  yield* look
  // The time was set back while no process ran.
  const startsAt = Math.round(readMonotonicMs() + offsetMs)
  if (storage.lastSeenMs > startsAt + TOLERANCE_MS) yield* storage.healTimes(startsAt)
  const outages = new OutageLog("the time of the database cannot be read")
  yield* Effect.forkScoped(
    Effect.repeat(Effect.provideService(outages.watch(look), Clock.Clock, own), Schedule.spaced(LOOK_MS)),
  )

  const readMs = () => Math.floor(readMonotonicMs() + offsetMs)
  const readNanos = () => BigInt(readMs()) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: readMs,
    currentTimeNanosUnsafe: readNanos,
    currentTimeMillis: Effect.sync(readMs),
    currentTimeNanos: Effect.sync(readNanos),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: duration => own.sleep(duration),
  }
  const check = Effect.suspend(() =>
    doubt === null ? Effect.void : Effect.fail(makeUnavailable("clock", storage.label, doubt)),
  )
  return { clock, check, readState: () => ({ differenceMs, jumps }), look }
})
