/**
 * A clock for processes of the soak: it runs as the real one does, so many milliseconds ahead of it, and whoever started the process moves it
 * on, by a line on the standard input. Nothing of the program knows it: the soak's own scripts put it in the place of Effect's clock.
 */
import { createInterface } from "node:readline"
import { Clock, Effect } from "effect"

let aheadMs = 0

/** What time it is in the soak. */
export const readMovedMs = (): number => Date.now() + aheadMs

/** Follows the standard input; the process ends with it. `onLine` has every line that moves no clock. */
export function followInput(onLine: (line: string) => void = () => {}): void {
  const lines = createInterface({ input: process.stdin })
  lines.on("line", line => {
    if (line.startsWith("ahead ")) aheadMs = Number(line.slice("ahead ".length))
    else onLine(line)
  })
  lines.on("close", () => process.exit())
}

/** Effect's clock, with another time of day; what waits for a while waits by the real clock. */
export const moveClock = (readMs: () => number): Effect.Effect<Clock.Clock> =>
  Effect.map(Clock.Clock, live => ({
    currentTimeMillisUnsafe: readMs,
    currentTimeNanosUnsafe: () => BigInt(readMs()) * 1_000_000n,
    currentTimeMillis: Effect.sync(readMs),
    currentTimeNanos: Effect.sync(() => BigInt(readMs()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: duration => live.sleep(duration),
  }))
