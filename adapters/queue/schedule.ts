/** When is work tried again that has failed? After waits that a kind of work lists, and later where the other side asks for it. */

/** The waits of one kind of work. */
export interface Retries {
  /** The wait after the first, second … attempt, in milliseconds; the attempt after the last one is the last. */
  readonly waitsMs: readonly number[]
  /** Whether the last wait is repeated without end. */
  readonly isEndless?: boolean
  /** The longest wait that the other side can ask for. */
  readonly longestAskedMs: number
}

/**
 * Says how long to wait after a failed attempt, or null where it was the last.
 *
 * @example
 * ```ts
 * const retries = { waitsMs: [30_000, 300_000], longestAskedMs: 86_400_000 }
 * waitAfter(retries, 1, null) // => 30000
 * waitAfter(retries, 1, 90_000) // => 90000
 * waitAfter(retries, 2, 90_000) // => 300000
 * waitAfter(retries, 3, null) // => null
 * ```
 */
export function waitAfter(
  { waitsMs, isEndless = false, longestAskedMs }: Retries,
  attempt: number,
  askedMs: number | null,
): number | null {
  const wait = waitsMs[attempt - 1] ?? (isEndless ? waitsMs.at(-1) : undefined)
  return wait === undefined ? null : Math.max(wait, Math.min(askedMs ?? 0, longestAskedMs))
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
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
