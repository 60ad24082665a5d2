/**
 * Which limits are there, and how is one described to the callers that it binds?
 *
 * A limit is who is counted, what is counted, over which stretch of time, and how much of it. An endpoint names the limits that pay for it by
 * one word ({@link CallerPool} for those who have a key, {@link KeylessPool} for those who have none). What is left of a limit is described in
 * the same words for every surface, which turns them into its own headers.
 */

/** The limits that a caller with a key is charged to: each surface has its own, so one never uses up another. */
export type CallerPool = "visa" | "lookup" | "spots"

/** The requests of an account's test keys on a UTC day, over all surfaces: enough for development, useless as a free key. */
export const TEST_REQUESTS_PER_DAY = 100

/**
 * The limits without a key: `checks` a minute, `spots` a UTC day, distinct `pairs` a UTC day; each by client address.
 */
export type KeylessPool = "checks" | "spots" | "pairs"

/** The names that clients read. */
export type PolicyName =
  | "monthly"
  | "unconfirmed"
  | "rolling"
  | "second"
  | "destinations"
  | "keyless"
  | "daily"
  | "pairs"
  | "test"

export interface Limit {
  readonly policy: PolicyName
  readonly limit: number
  /** The rest, without requests under way. */
  readonly remaining: number
  /** The length of the stretch of time that is counted; null where it does not end. */
  readonly windowSeconds: number | null
  /** When more becomes available, in epoch milliseconds; null where waiting does not help, or all of it is available. */
  readonly renewsAt: number | null
}

const SECONDS_PER_DAY = 86_400

/** Describes a limit of a UTC day. */
export const describeDay = (
  policy: "destinations" | "daily" | "pairs",
  limit: number,
  remaining: number,
  renewsAt: number,
): Limit => ({ policy, limit, remaining, windowSeconds: SECONDS_PER_DAY, renewsAt })
