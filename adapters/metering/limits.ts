/**
 * Which limits are there, and how is one described to whoever is held to it?
 *
 * A limit is who is counted, what is counted, over which stretch of time, and how much of it. An endpoint names the limits that pay for it by
 * one word ({@link CallerPool} for those who have a key, {@link VisitorPool} for those who have none). What is left of a limit is described in
 * the same words for every surface, which turns them into its own headers.
 */

/** Who pays for the request of a caller with a key: each surface has its own, so that one never consumes the other. */
export type CallerPool = "visa" | "lookup" | "spots"

/**
 * What somebody without a key is held to: `checks` a minute, `spots` a UTC day, distinct `pairs` a UTC day; each by client address.
 */
export type VisitorPool = "checks" | "spots" | "pairs"

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

/** What is left of one limit. */
export interface Limit {
  readonly policy: PolicyName
  readonly limit: number
  /** What is left of it, what is under way taken off. */
  readonly remaining: number
  /** The length of the stretch of time that is counted; null where it does not end. */
  readonly windowSeconds: number | null
  /** When more is there, in epoch milliseconds; null where waiting does not help, or everything is there. */
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
