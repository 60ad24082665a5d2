/**
 * Which rules of a destination apply to every visitor: zones that share a stay, passport validity, transit?
 *
 * These rules are about destinations, not pairs, so they are kept beside the table of pairs. This file defines their form in an open
 * dataset; `travel-rule-rows.ts` defines how a header stores them. It judges no traveller.
 */
import { parseCivilDate } from "../civil-date.ts"
import type { DocumentTerms } from "./conditions.ts"
import { copyFrozen, NOTHING } from "./copy-frozen.ts"
import type { Confidence, Facts, Membership, Provenance, Source, ValidityAnchor } from "./facts.ts"
import type { DatasetHeader, DestinationsHeader } from "./format.ts"
import { readEvidence, splitCodes } from "./pair-table.ts"
import type { ProvenanceRow } from "./source-rows.ts"
import type { TermsSection } from "./terms-section.ts"
import {
  type MemberRow,
  type RowShape,
  readRow,
  TRANSIT_ROW,
  VALIDITY_ROW,
  type WrittenRow,
  writeRow,
  ZONE_ROW,
  type ZoneMember,
} from "./travel-rule-rows.ts"

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

/** Where a rule was read, in an open dataset. */
export interface RuleSource {
  readonly source: Source | null
  /** The page that was read, or null. */
  readonly sourceUrl: string | null
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  readonly verifiedOn: string | null
  /** The day on which the compiler that is the source last read the page that it cites (`YYYY-MM-DD`), or null. */
  readonly citedOn: string | null
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

/** How long a passport must be valid. */
export interface ValidityRule extends RuleSource {
  readonly anchor: ValidityAnchor
  /** Whole months, then days, after the anchor. */
  readonly months: number
  readonly days: number
  /** The passport must have been issued less than this many years before the arrival, or null. */
  readonly issuedWithinYears: number | null
  /** For visits of at most three months it may have expired less than so many years before the departure; null if it may not. */
  readonly expiredWithinYears: number | null
  readonly confidence: Confidence
  readonly destinations: readonly string[]
  /** The passports for which it is recorded, before a rule for all; null for all. */
  readonly passports: readonly string[] | null
  /** Passports that a rule for all does not cover, or null. */
  readonly except: readonly string[] | null
}

/** A country's rules for travellers in transit. */
export interface TransitRule extends RuleSource {
  readonly area: "airside" | "landside"
  readonly demand: "visa" | "no_visa"
  /** Longest transit in hours, or null. */
  readonly hours: number | null
  readonly condition: string | null
  /** Documents whose holders need no transit visa; any one is enough. */
  readonly waivedFor: readonly DocumentTerms[]
  /** False where only a part of the list of passports could be read. */
  readonly isComplete: boolean
  readonly confidence: Confidence
  /** The passports that the rule names; null for all. */
  readonly passports: readonly string[] | null
  readonly destinations: readonly string[]
}

/** The rules of an open dataset that name destinations and no pair. */
export interface TravelRules {
  readonly zones: readonly Zone[]
  readonly validityRules: readonly ValidityRule[]
  readonly transitRules: readonly TransitRule[]
}

/**
 * Marks of a validity rule: it counts from the end of the permitted stay; the passports are those that it is not about. The years for which an
 * expired passport is accepted are counted in the unit behind them.
 */
export const AFTER_STAY = 1
export const OF_OTHERS = 2
export const YEAR_OF_EXPIRED = 4

/** Reads the rules of a header. A code that is not a destination of the dataset has no effect. */
export function readTravelRules(
  { zones: zoneRows = [], validity: validityRows = [], transit: transitRows = [] }: DestinationsHeader,
  terms: TermsSection | undefined,
  sources: readonly Source[],
): TravelRules {
  const waivers = new Map(terms?.transitWaivers)
  // What each rule holds is frozen already: a deep copy of all rules would take a fifth of the time of opening a bundle.
  const finish = <Rule>(rule: Rule, row: readonly unknown[]): Rule & RuleSource =>
    Object.freeze({ ...rule, ...readProvenance(sources, row.slice(-3) as unknown as ProvenanceRow) })
  const zones = zoneRows.map((row): Zone => {
    const { allowanceDays, windowDays, ...zone } = readRow(ZONE_ROW, row)
    const rule = Object.freeze(readZoneRule(allowanceDays, windowDays))
    return finish({ ...zone, rule }, row)
  })
  const validityTerms = new Map(terms?.validity?.map(([place, ...more]) => [place, more] as const))
  const validityRules = validityRows.map((row, place): ValidityRule => {
    const { anchor, ...rule } = readRow(VALIDITY_ROW, row)
    const [named = null, marks = 0] = validityTerms.get(place) ?? []
    const codes = named === null ? null : Object.freeze(splitCodes(named).sort())
    const isExcept = (marks & OF_OTHERS) !== 0
    return finish(
      {
        anchor: (marks & AFTER_STAY) !== 0 ? "permitted_stay" : anchor,
        ...rule,
        expiredWithinYears: Math.floor(marks / YEAR_OF_EXPIRED) || null,
        passports: isExcept ? null : codes,
        except: isExcept ? codes : null,
      },
      row,
    )
  })
  const transitRules = transitRows.map((row, place): TransitRule => {
    const waivedFor = copyFrozen(waivers.get(place) ?? NOTHING)
    return finish({ ...readRow(TRANSIT_ROW, row), waivedFor }, row)
  })
  return {
    zones: Object.freeze(zones),
    validityRules: Object.freeze(validityRules),
    transitRules: Object.freeze(transitRules),
  }
}

/** Reads where a rule was read: the last three places of every row. */
export function readProvenance(sources: readonly Source[], [place, sourceUrl, lookedOn]: ProvenanceRow): RuleSource {
  const source = place === null ? null : (sources[place] ?? null)
  return { source, sourceUrl: sourceUrl ?? source?.url ?? null, ...readEvidence(source, lookedOn) }
}

function readZoneRule(allowanceDays: number, windowDays: number): ZoneRule {
  return windowDays === 0
    ? { kind: "single-permission", allowanceDays }
    : { kind: "rolling", allowanceDays, windowDays }
}

/** Lays the rules of checked facts out as rows of a header: the same facts give the same rows. */
export function layOutTravelRules(facts: Facts): Required<Pick<DatasetHeader, "zones" | "validity" | "transit">> {
  const places = new Map(facts.sources.map(({ id }, place) => [id, place]))
  const sourceRow = ({ source, sourceUrl, verifiedOn }: Provenance): ProvenanceRow => {
    const place = source === null ? null : (places.get(source) ?? null)
    const isSourcesOwn = place !== null && facts.sources[place]?.url === sourceUrl
    return [place, isSourcesOwn ? null : sourceUrl, verifiedOn]
  }
  const write = <Shape extends RowShape>(shape: Shape, rule: Provenance & WrittenRow<Shape>) => [
    ...writeRow(shape, rule),
    ...sourceRow(rule),
  ]
  return {
    zones: facts.zones.map(zone =>
      write(ZONE_ROW, { ...zone, windowDays: zone.windowDays ?? 0, members: groupMembers(zone.members) }),
    ),
    validity: facts.validity.map(({ anchor, ...rule }) =>
      write(VALIDITY_ROW, {
        ...rule,
        // The stay that is planned is not longer than the permitted one, which the terms name.
        anchor: anchor === "permitted_stay" ? "departure" : anchor,
        destinations: joinCodes(rule.destinations),
      }),
    ),
    transit: facts.transit.map(rule =>
      write(TRANSIT_ROW, {
        ...rule,
        passports: rule.passports && joinCodes(rule.passports),
        destinations: joinCodes(rule.destinations),
      }),
    ),
  }
}

const joinCodes = (codes: readonly string[]): string => [...codes].sort().join("")

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
