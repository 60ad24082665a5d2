/**
 * Which rules of a destination apply to every visitor: zones that share a stay, passport validity, transit?
 *
 * These rules are about destinations, not pairs, so they are kept beside the table of pairs. This file defines their form in an open dataset.
 * It judges no traveller.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { splitCodes } from "../codes.ts"
import {
  listProvisions,
  type ProvenanceRow,
  type ProvisionSection,
  type RuleSource,
  readProvenance,
  type TransitRule,
  type ValidityRule,
} from "../rules/provisions.ts"
import { copyFrozen } from "./copy-frozen.ts"
import type { Membership, Provenance, Source, ZoneFacts } from "./facts.ts"

/** A destination's time in a zone; one that leaves and returns is listed twice. */
export interface ZoneMember {
  /** Destination, ISO 3166-1 alpha-3. */
  readonly code: string
  /** First day whose presence counts, or null where no beginning matters. */
  readonly fromDay: EpochDay | null
  /** First day whose presence no longer counts, or null. */
  readonly untilDay: EpochDay | null
}

/** Codes run together, by the days of membership. */
type MemberRow = readonly [codes: string, fromDay: number | null, untilDay: number | null]

/** A stay zone, and where it was read; a window of 0 days is a single permission. */
export type ZoneRow = readonly [
  id: string,
  name: string,
  instrument: string | null,
  allowanceDays: number,
  windowDays: number,
  members: readonly MemberRow[],
  ...ProvenanceRow,
]

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
export function readTravelRules(
  zones: readonly ZoneRow[],
  terms: ProvisionSection | null,
  sources: readonly Source[],
): TravelRules {
  // The lists of zones are frozen already: a deep copy of all would take a fifth of the time of opening a bundle.
  return {
    zones: Object.freeze(
      zones.map(([id, name, instrument, allowanceDays, windowDays, members, ...provenance]) =>
        Object.freeze({
          id,
          name,
          instrument,
          rule: Object.freeze(readZoneRule(allowanceDays, windowDays)),
          members: readMembers(members),
          ...readProvenance(sources, provenance),
        }),
      ),
    ),
    validityRules: Object.freeze(
      listProvisions(terms, sources, "validity").map(({ read }) => {
        const { value, destinations, passports, except } = read()
        return Object.freeze({ ...value, destinations, passports, except } as ValidityRule)
      }),
    ),
    transitRules: Object.freeze(
      listProvisions(terms, sources, "transit").map(({ read }) => {
        const { value, destinations, passports } = read()
        return Object.freeze({ ...value, destinations, passports } as TransitRule)
      }),
    ),
  }
}

const readMembers = (rows: readonly MemberRow[]): readonly ZoneMember[] =>
  copyFrozen(rows.flatMap(([codes, fromDay, untilDay]) => splitCodes(codes).map(code => ({ code, fromDay, untilDay }))))

function readZoneRule(allowanceDays: number, windowDays: number): ZoneRule {
  return windowDays === 0
    ? { kind: "single-permission", allowanceDays }
    : { kind: "rolling", allowanceDays, windowDays }
}

/** Lays the zones of checked facts out as rows of a header; `provenance` writes where each was read. */
export const layOutZones = (
  zones: readonly ZoneFacts[],
  provenance: (zone: Provenance) => ProvenanceRow,
): readonly ZoneRow[] =>
  zones.map(zone => [
    zone.id,
    zone.name,
    zone.instrument,
    zone.allowanceDays,
    zone.windowDays ?? 0,
    groupMembers(zone.members),
    ...provenance(zone),
  ])

function groupMembers(members: readonly Membership[]): readonly MemberRow[] {
  const groups = new Map<string, Membership[]>()
  for (const member of [...members].sort((a, b) => (a.code < b.code ? -1 : 1))) {
    const times = JSON.stringify([member.from, member.until])
    groups.set(times, [...(groups.get(times) ?? []), member])
  }
  return [...groups.values()].map(group => [
    group.map(({ code }) => code).join(""),
    parseCivilDate(group[0]?.from),
    parseCivilDate(group[0]?.until),
  ])
}
