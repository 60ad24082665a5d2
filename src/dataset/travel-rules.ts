/**
 * Which rules of a destination apply to every visitor: zones that share a stay, passport validity, transit?
 *
 * These rules are about destinations, not pairs. This file defines their form in an open dataset. It judges no traveller.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { copyFrozen } from "../collections.ts"
import type { ListName } from "../rules/provision-kinds.ts"
import {
  type Listed,
  type RuleSource,
  readRows,
  type TermsSection,
  type TransitRule,
  type ValidityRule,
} from "../rules/provisions.ts"
import type { Source } from "./facts.ts"

/** A destination's time in a zone; one that leaves and returns is listed twice. */
export interface ZoneMember {
  /** Destination, ISO 3166-1 alpha-3. */
  readonly code: string
  /** First day whose presence counts, or null where no beginning matters. */
  readonly fromDay: EpochDay | null
  /** First day whose presence no longer counts, or null. */
  readonly untilDay: EpochDay | null
}

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

/** Destinations that share one allowance. */
export interface Zone extends RuleSource {
  readonly id: string
  readonly name: string
  readonly rule: ZoneRule
  readonly members: readonly ZoneMember[]
  /** The law, with its article; or null. */
  readonly instrument: string | null
}

/** The rules of an open dataset that name destinations and no pair. */
export interface TravelRules {
  readonly zones: readonly Zone[]
  readonly validityRules: readonly ValidityRule[]
  readonly transitRules: readonly TransitRule[]
}

/** Reads the rules of a dataset. A code that is not a destination of the dataset has no effect. */
export function readTravelRules(terms: TermsSection | null, sources: readonly Source[]): TravelRules {
  const list = <K extends ListName>(of: K) => readRows(terms, sources, of).rows.map(({ listed }) => listed())
  return {
    zones: Object.freeze(list("zones").map(readZone)),
    validityRules: Object.freeze(
      list("validity").map(({ value, destinations, passports, except, until }) =>
        Object.freeze({ ...value, destinations, passports, except, until } as ValidityRule),
      ),
    ),
    transitRules: Object.freeze(
      list("transit").map(({ value, destinations, passports }) =>
        Object.freeze({ ...value, destinations, passports } as TransitRule),
      ),
    ),
  }
}

function readZone({ value: { kind, allowanceDays, windowDays, members, ...zone } }: Listed<"zones">): Zone {
  const days = (date: string | null) => parseCivilDate(date)
  return copyFrozen({
    ...zone,
    rule: kind === "rolling" ? { kind, allowanceDays, windowDays: windowDays as number } : { kind, allowanceDays },
    members: members.map(({ code, from, until }) => ({ code, fromDay: days(from), untilDay: days(until) })),
  })
}
