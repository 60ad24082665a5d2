/**
 * Which destinations share one stay allowance, since when, and under which kind of rule?
 *
 * A zone is data: its rule and its members, each with the days of its membership. Rules come in kinds. `rolling` allows
 * a number of days in any window of days, over all members together (Schengen: Regulation (EU) 2016/399, Art. 6(1));
 * `single-permission` allows a number of days from entry until the traveller leaves the zone (CA-4). A further zone of
 * either kind is a file, not code.
 *
 * Nothing here knows a passport. A holder who moves freely in the zone (a Union citizen in Schengen) is bound by no
 * zone rule: whoever asks checks that first, and asks only for passports whose stay is a fixed visa-free number.
 */
import type { EpochDay } from "../civil-date.ts"
import { appendRun } from "./stay-runs.ts"

/** How long a zone lets a visitor stay. */
export type ZoneRule =
  | {
      readonly kind: "rolling"
      /** Days of presence allowed in any window. */
      readonly allowanceDays: number
      /** Length of the window, the day asked about included; longer than the allowance. */
      readonly windowDays: number
    }
  | {
      readonly kind: "single-permission"
      /** Days of presence allowed from entry to exit. */
      readonly allowanceDays: number
    }

/** A destination's time in a zone; one that leaves and returns stands twice. */
export interface ZoneMember {
  /** Destination, ISO 3166-1 alpha-3. */
  readonly code: string
  /** First day whose presence counts, or null where no beginning matters. */
  readonly fromDay: EpochDay | null
  /** First day whose presence no longer counts, or null. */
  readonly untilDay: EpochDay | null
}

/** Destinations that share one allowance. */
export interface Zone {
  readonly id: string
  readonly name: string
  readonly rule: ZoneRule
  readonly members: readonly ZoneMember[]
  /** The law, with its article; or null. */
  readonly instrument: string | null
  /** Id of a source record, or null. */
  readonly source: string | null
  readonly sourceUrl: string | null
  /** The day a person last confirmed the rule in its source, or null. */
  readonly verifiedOn: string | null
}

/** What the calculators need to know of a zone. */
export type ZoneTerms = Pick<Zone, "rule" | "members">

/**
 * Finds a destination's times in a zone, in order; empty when it never belonged to it.
 *
 * Cannot fail. Walks the members: look them up once per destination and keep them, where decisions are made by the
 * thousand.
 *
 * @example
 * ```ts
 * const zone = { rule: { kind: "single-permission", allowanceDays: 90 }, members: [{ code: "GTM", fromDay: null, untilDay: null }] }
 * findMemberships(zone, "GTM").length // => 1
 * findMemberships(zone, "MEX") // => []
 * ```
 */
export function findMemberships(zone: ZoneTerms, destination: string): readonly ZoneMember[] {
  return zone.members
    .filter(member => member.code === destination)
    .sort((a, b) => (a.fromDay ?? Number.NEGATIVE_INFINITY) - (b.fromDay ?? Number.NEGATIVE_INFINITY))
}

/**
 * Adds to the runs of presence those days of a stop, `first` to `last` included, on which its destination was a member.
 *
 * For stops in order; cannot fail, and allocates nothing but the growth of `runs`.
 */
export function addMemberDays(
  runs: number[],
  memberships: readonly ZoneMember[],
  first: EpochDay,
  last: EpochDay,
): void {
  for (let i = 0; i < memberships.length; i++) {
    const { fromDay, untilDay } = memberships[i]!
    const from = fromDay !== null && fromDay > first ? fromDay : first
    const to = untilDay !== null && untilDay <= last ? untilDay - 1 : last
    if (from <= to) appendRun(runs, from, to)
  }
}
