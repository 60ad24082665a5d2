/**
 * In which calendar month, on which day and in which hour is an instant, in UTC, and when do they end?
 *
 * Quotas restart on the 1st at 00:00 UTC, daily limits every day at 00:00 UTC, and a rolling window moves on at every full hour.
 * Instants are epoch milliseconds; a month, a day and an hour include their first millisecond and exclude their end.
 */

const MS_PER_DAY = 86_400_000
const MS_PER_HOUR = 3_600_000

/** A stretch of time under a name; a limit restarts when it ends. */
export interface Period {
  readonly name: string
  readonly startsAt: number
  readonly endsAt: number
}

/** A calendar month in UTC. */
interface UtcMonth extends Period {
  /** `YYYY-MM`. */
  readonly name: string
  /** Months since January 1970. */
  readonly index: number
}

/**
 * The month of an instant.
 *
 * @example
 * ```ts
 * utcMonthAt(0) // => {"name": "1970-01", "index": 0, "startsAt": 0, "endsAt": 2678400000}
 * utcMonthAt(Date.parse("2026-11-30T23:59:59.999Z")).name // => "2026-11"
 * ```
 */
export function utcMonthAt(instant: number): UtcMonth {
  const date = new Date(instant)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  return {
    name: date.toISOString().slice(0, 7),
    index: (year - 1970) * 12 + month,
    startsAt: Date.UTC(year, month, 1),
    endsAt: Date.UTC(year, month + 1, 1),
  }
}

/**
 * The day of an instant, as whole days since 1970-01-01.
 *
 * @example
 * ```ts
 * utcDayAt(86399999) // => 0
 * ```
 */
export function utcDayAt(instant: number): number {
  return Math.floor(instant / MS_PER_DAY)
}

/** The day that was written last: each request is counted under its day. */
let written = { day: 0, name: "1970-01-01" }

/**
 * Writes a day as `YYYY-MM-DD`.
 *
 * @example
 * ```ts
 * formatUtcDay(1) // => "1970-01-02"
 * ```
 */
export function formatUtcDay(day: number): string {
  if (day !== written.day) written = { day, name: new Date(day * MS_PER_DAY).toISOString().slice(0, 10) }
  return written.name
}

/**
 * The day on which samples begin, so that they lie ahead of an instant: the first of a month, 60 to 90 days later.
 *
 * @example
 * ```ts
 * findSampleDay(Date.parse("2026-11-30T23:59:59.999Z")) // => "2027-02-01"
 * ```
 */
export function findSampleDay(instant: number): string {
  return `${formatUtcDay(utcDayAt(instant) + 90).slice(0, 7)}-01`
}

/** The instant at which a day ends: the next midnight. */
export function endOfUtcDay(day: number): number {
  return (day + 1) * MS_PER_DAY
}

/** A day as a period, named `YYYY-MM-DD`. */
export function utcDayPeriod(day: number): Period {
  return { name: formatUtcDay(day), startsAt: day * MS_PER_DAY, endsAt: endOfUtcDay(day) }
}

/**
 * The hour of an instant, as whole hours since 1970-01-01 00:00.
 *
 * @example
 * ```ts
 * utcHourAt(Date.parse("1970-01-02T01:30:00Z")) // => 25
 * ```
 */
export function utcHourAt(instant: number): number {
  return Math.floor(instant / MS_PER_HOUR)
}

/** The instant at which an hour begins. */
export function startOfUtcHour(hour: number): number {
  return hour * MS_PER_HOUR
}

/**
 * Whole seconds from an instant to a later one, rounded up, and at least 1: a client that waits so long is not too early.
 *
 * @example
 * ```ts
 * secondsUntil(60000, 1500) // => 59
 * secondsUntil(60000, 60000) // => 1
 * ```
 */
export function secondsUntil(end: number, instant: number): number {
  return Math.max(1, Math.ceil((end - instant) / 1_000))
}

/**
 * Writes an instant as ISO 8601 in UTC; null stays null.
 *
 * @example
 * ```ts
 * formatInstant(0) // => "1970-01-01T00:00:00.000Z"
 * ```
 */
export function formatInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(Number(instant)).toISOString()
}
