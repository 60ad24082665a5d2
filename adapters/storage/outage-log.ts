/**
 * How is something logged that fails again and again?
 *
 * One line when it begins, one a minute while it lasts, and one when it is over, all to the logger that is configured. A line
 * holds the reason as a sentence and no stack trace, because an unavailable database is not a defect of this program; a defect is
 * logged with its trace.
 */
import { Cause, Clock, Effect } from "effect"

const REMINDER_MS = 60_000

/** Watches one thing that is repeated. */
export class OutageLog {
  readonly #what: string
  /** How often it failed since the start. */
  failures = 0
  #since: number | null = null
  #saidAt = Number.NEGATIVE_INFINITY

  /** `what` is a sentence about the thing that failed, such as "usage could not be saved". */
  constructor(what: string) {
    this.#what = what
  }

  /** Runs an effect and never fails: failures and faults are counted and logged. */
  watch<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> {
    return Effect.matchCauseEffect(work, {
      onSuccess: () => this.#recover,
      onFailure: cause => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : this.#fail(cause)),
    })
  }

  /** Runs an effect and fails as it does; failures and faults are counted and logged. */
  tell<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.onExit(work, exit => this.watch(exit))
  }

  /** Repeats an effect until it succeeds, with a pause after each failure or fault; all of them are counted and logged. */
  insist<A, E, R>(work: Effect.Effect<A, E, R>, pauseMs: number): Effect.Effect<A, never, R> {
    const again = Effect.suspend(() => this.insist(work, pauseMs))
    return Effect.catchCause(this.tell(work), cause =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.andThen(Effect.sleep(pauseMs), again),
    )
  }

  #fail(cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, nowMs => {
      this.failures++
      this.#since ??= nowMs
      if (nowMs - this.#saidAt < REMINDER_MS) return Effect.void
      this.#saidAt = nowMs
      // A fault is a defect to be debugged; for any other failure a sentence is enough.
      const line = Cause.hasDies(cause) ? Effect.logError(this.#what, cause) : Effect.logWarning(this.#what)
      return Effect.annotateLogs(line, { reason: describe(cause), failures: this.failures })
    })
  }

  get #recover(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, nowMs => {
      if (this.#since === null) return Effect.void
      const seconds = (nowMs - this.#since) / 1_000
      this.#since = null
      this.#saidAt = Number.NEGATIVE_INFINITY
      return Effect.annotateLogs(Effect.logInfo(`${this.#what}: over`), { seconds })
    })
  }
}

/** The fault's own message is added, because it says more. */
function describe(cause: Cause.Cause<unknown>): string {
  const error = Cause.squash(cause)
  const inner = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
  return `${error instanceof Error ? error.message : error}${inner}`.replace(/\s+/g, " ").slice(0, 500)
}
