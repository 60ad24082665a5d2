/**
 * When is a delivery tried again?
 *
 * The times of the specification, from the end of the attempt before: 30 seconds, 5 minutes, 30 minutes, then six times 6 hours; ten
 * attempts in all. A receiver may ask for a longer wait, never for a shorter one.
 */

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000]

/** The wait after the first, second … attempt, in milliseconds. */
const WAITS_MS: readonly number[] = [
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...Array.from({ length: 6 }, () => 6 * HOUR_MS),
]

/** The longest wait that a receiver can ask for: a day. */
const LONGEST_WAIT_MS = 24 * HOUR_MS

/**
 * Says how long to wait after a failed attempt, or null where it was the last.
 *
 * @example
 * ```ts
 * waitAfter(1, null) // => 30000
 * waitAfter(1, 90_000) // => 90000
 * waitAfter(2, 90_000) // => 300000
 * waitAfter(10, null) // => null
 * ```
 */
export function waitAfter(attempt: number, askedMs: number | null): number | null {
  const wait = WAITS_MS[attempt - 1]
  return wait === undefined ? null : Math.max(wait, Math.min(askedMs ?? 0, LONGEST_WAIT_MS))
}

/**
 * Reads how long a receiver asks to wait (RFC 9110, section 10.2.3): seconds, or a date. Null for anything else.
 *
 * @example
 * ```ts
 * readRetryAfter("120", 0) // => 120000
 * readRetryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 0) // => 60000
 * readRetryAfter("soon", 0) // => null
 * ```
 */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
