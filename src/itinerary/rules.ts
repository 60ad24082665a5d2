/**
 * Which findings of a dataset can all decisions share?
 *
 * Most findings of a decision depend only on the answer of a pair or on the destination. They are made once for each dataset and shared,
 * frozen. A decision over twelve stops then builds little more than its own numbers. A dataset for another day is another dataset.
 */
import { codeKey } from "../codes.ts"
import { type Dataset, type Found, followedIndex, UNKNOWN_INDEX } from "../dataset/open.ts"
import { type BorderRule, readBorderRules } from "../dataset/recorded-border-rule.ts"
import { readTerms, type TermsIndex } from "../dataset/rule-terms.ts"
import type { ScopedLists } from "../dataset/scoped-lists.ts"
import type { ZoneMember } from "../dataset/travel-rule-rows.ts"
import type { ValidityRule, Zone } from "../dataset/travel-rules.ts"
import { type EntryTable, entryTable } from "../requirement/entry.ts"
import { type FindReach, makeReachFinder } from "./document-reach.ts"
import { type EntryTerms, termsOfEntry } from "./entry-terms.ts"
import { type Finding, known, type Unknown, unknown } from "./findings.ts"
import { type KindRule, readKindRules } from "./kind-rules.ts"
import type { KnownPairs } from "./pair-table.ts"
import type { ValidityTerms } from "./passport-validity.ts"
import { NO_PARAMS, type ReasonCode } from "./reasons.ts"
import { findTransit, NOTHING_OF_TRANSIT, type TransitFindings } from "./transit-rules.ts"
import type { WaysDataset } from "./ways.ts"
import { findMemberships } from "./zones.ts"

/** A destination's place in a zone. */
export interface ZonePlace {
  readonly zone: Zone
  /** The index of the zone in the dataset. */
  readonly index: number
  readonly memberships: readonly ZoneMember[]
  /** True if the destination joins or leaves the zone after the dataset's day. */
  readonly isChanging: boolean
  /** By passport index: 1 for nationals of the zone's states. */
  readonly nationals: Uint8Array
  readonly noFixedStay: ZoneGap
  readonly otherStays: ZoneGap
  readonly unclearVisa: ZoneGap
  readonly ownStay: ZoneGap
}

interface ZoneName {
  readonly zone: string
  /** Days that the zone allows. */
  readonly allowanceDays: number
}

/** A gap about the days in a zone. */
export type ZoneGap = Unknown & ZoneName

/** Days used in a zone at the end of a stop. */
export type ZoneFinding = Finding<number> & ZoneName

/** Whether a passport is valid for long enough, with the applied rule, or null if none is recorded. */
export type ValidityFinding = Finding<"met" | "not_met"> & { readonly rule: ValidityTerms | null }

/** The possible findings of a validity rule. */
export interface ValidityFindings {
  readonly rule: ValidityTerms
  /** By passport index: 1 for passports for which it is recorded; null for all. */
  readonly binds: Uint8Array | null
  readonly met: ValidityFinding
  readonly notMet: ValidityFinding
  readonly expiryNotGiven: ValidityFinding
  readonly issueDateNotGiven: ValidityFinding
  readonly forVisitors: ValidityFinding
  readonly notNamed: ValidityFinding
  readonly stayNotKnown: ValidityFinding
  /** Those of the destination's rule for other passports, or null. */
  readonly other: ValidityFindings | null
}

/** A dataset's shared findings. Lists are not frozen, because V8 reads frozen lists slowly; nothing changes them. */
export interface Rules extends WaysDataset {
  /** By the index of an entry. */
  readonly terms: readonly EntryTerms[]
  /** By destination index. */
  readonly zonePlaces: readonly (ZonePlace | null)[]
  readonly validity: readonly (ValidityFindings | null)[]
  readonly transit: readonly TransitFindings[]
  /** The conditions of rules; null if the dataset has none. */
  readonly index: TermsIndex | null
  /** By destination index: 1 if a stay rule or an agreement is recorded, there or in a country that the destination follows. */
  readonly hasStayRules: Uint8Array
  /** By destination index: 1 if a border rule is recorded. */
  readonly hasBorderRules: Uint8Array
  readonly borders: ScopedLists<BorderRule>
  /** Rules for other kinds of passports. */
  readonly kinds: ScopedLists<KindRule>
  /** By destination index: the destinations with which it has an open border; null for almost all. */
  readonly openTo: readonly (readonly number[] | null)[]
  /** Likewise: 1 if a rule or the policy has a condition. */
  readonly hasConditions: Uint8Array
  /** Likewise: 1 if some answer is doubtful: sources contradict each other, a log names a change, or a rule has ended. */
  readonly hasDoubts: Uint8Array
  /** Finds the index of the country that an answer's destination follows. */
  readonly followed: (answer: Found) => number
  readonly findReach: FindReach
  /** By destination index: 1 if some answer changes after the dataset's day. */
  readonly hasChanges: Uint8Array
  /** The findings for pairs; filled as decisions are made. */
  readonly pairs: KnownPairs
  /** By destination index: the index of the country to which it belongs when days are counted. */
  readonly countries: Uint8Array
  /** Space for marking countries, zones and destinations, by their indices. The marks are 64-bit numbers, which no process uses up. */
  readonly counted: {
    readonly marks: Float64Array
    readonly zoneMarks: Float64Array
    readonly countedIn: Float64Array
    last: number
  }
}

const withoutRule = (code: ReasonCode): ValidityFinding => unknown("destination", code, NO_PARAMS, { rule: null })

/** For a destination without a rule of passport validity. */
export const NOTHING_OF_VALIDITY = withoutRule("no_validity_rule")

/** At home, if no rule of passport validity is recorded. */
export const VALIDITY_AT_HOME = withoutRule("validity_for_visitors")

/** For a day before the dataset's first: today's rule may be newer. */
export const VALIDITY_OF_PAST = withoutRule("no_rule_of_that_day")

/** For a kind of passport that no rule of the destination names. */
export const VALIDITY_OF_KIND = withoutRule("passport_kind_not_recorded")

const rulesByDataset = new WeakMap<Dataset, Rules>()

/** Returns a dataset's rules, the same object at every call. */
export function rulesOf(dataset: Dataset): Rules {
  const kept = rulesByDataset.get(dataset)
  if (kept !== undefined) return kept
  const { destinations } = dataset
  const validityOf = new Map<string, ValidityFindings>()
  // A rule for named passports goes before one for all.
  const validityRules = [...dataset.validityRules].sort(
    (a, b) => Number(b.passports === null) - Number(a.passports === null),
  )
  for (const rule of validityRules) {
    const findings = findValidity(rule, dataset.passports)
    for (const code of rule.destinations) {
      const other = validityOf.get(code)
      validityOf.set(code, other === undefined ? findings : { ...findings, other })
    }
  }
  const transitOf = findTransit(dataset.transitRules)
  const nationals = dataset.zones.map(({ members }) => {
    const codes = new Set(members.map(({ code }) => code))
    return mark(dataset.passports, passport => codes.has(passport))
  })
  const index = readTerms(dataset)
  const borders = readBorderRules(dataset)
  const entries = entryTable(dataset)
  const countriesOf = listFollowed(dataset, entries)
  // What is recorded for a country may apply in the territories that follow it.
  const markWhere = (isSo: (code: string) => boolean | undefined) =>
    mark(destinations, (code, at) => isSo(code) || countriesOf[at]!.some(each => isSo(destinations[each]!)))
  const rules = {
    zones: dataset.zones,
    entries,
    terms: entries.entries.map(termsOfEntry),
    zonePlaces: destinations.map(code => findZonePlace(dataset, nationals, code)),
    validity: destinations.map(code => validityOf.get(code) ?? null),
    transit: destinations.map(code => transitOf.get(code) ?? NOTHING_OF_TRANSIT),
    index,
    hasStayRules: markWhere(code => index?.hasStayRules(code)),
    hasBorderRules: mark(destinations, code => borders.has(code)),
    borders,
    kinds: readKindRules(dataset),
    openTo: findOpenBorders(dataset, borders),
    hasConditions: markWhere(code => index?.hasConditions(code)),
    hasDoubts: markWhere(code => index?.hasOpenChecks(code) || index?.hasChanges(code) || index?.hasEnded(code)),
    followed: (answer: Found) => followedIndex(dataset, answer),
    findReach: makeReachFinder(dataset, index, countriesOf),
    hasChanges: findChanging(dataset),
    countries: findCountries(countriesOf, entries),
    counted: {
      marks: new Float64Array(destinations.length),
      zoneMarks: new Float64Array(dataset.zones.length),
      countedIn: new Float64Array(destinations.length),
      last: 0,
    },
    pairs: { rows: dataset.passports.map(() => null), waiverPlaces: new Map() },
  }
  rulesByDataset.set(dataset, rules)
  return rules
}

// Stores 1 by the index of each code of which something is so.
function mark(codes: readonly string[], isSo: (code: string, at: number) => boolean | undefined): Uint8Array {
  return Uint8Array.from(codes, (code, at) => (isSo(code, at) ? 1 : 0))
}

// Lists by destination index the countries that any of its answers follows.
function listFollowed({ destinations, pairs, timelines }: Dataset, { followed }: EntryTable): readonly number[][] {
  const countries = destinations.map((): number[] => [])
  const add = (pair: number, answer: number) => {
    const country = followed[answer]!
    const listed = countries[pair % destinations.length]!
    if (country < UNKNOWN_INDEX && !listed.includes(country)) listed.push(country)
  }
  for (let pair = 0; pair < pairs.length; pair++) add(pair, pairs[pair]!)
  for (const [pair, steps] of timelines) for (let at = 1; at < steps.length; at += 2) add(pair, steps[at]!)
  return countries
}

/**
 * Finds the country to which each destination belongs when days are counted. A territory with another country's rules
 * is part of it, unless one of the two is outside the other's zone: Puerto Rico is part of the United States (8 U.S.C.
 * 1101(a)(38)); Greenland is not part of the Denmark that is in the Schengen area.
 */
function findCountries(countriesOf: readonly number[][], { zones }: EntryTable): Uint8Array {
  return Uint8Array.from(countriesOf, ([country], destination) =>
    country !== undefined && zones[country] === zones[destination] ? country : destination,
  )
}

// An open border is open in both directions.
function findOpenBorders(
  { destinations, destinationIndices }: Dataset,
  borders: Rules["borders"],
): readonly (readonly number[] | null)[] {
  const openTo = destinations.map((): number[] | null => null)
  destinations.forEach((code, place) => {
    for (const { value } of borders.at(code, "")) {
      if (value.terms.kind !== "open_border") continue
      for (const neighbour of value.terms.neighbours) {
        const other = destinationIndices[codeKey(neighbour)]!
        if (other >= UNKNOWN_INDEX) continue
        openTo[place] = [...(openTo[place] ?? []), other]
        openTo[other] = [...(openTo[other] ?? []), place]
      }
    }
  })
  return openTo
}

function findChanging({ destinations, timelines, asOfDay }: Dataset): Uint8Array {
  const changing = new Uint8Array(destinations.length)
  for (const [pair, steps] of timelines) {
    if ((steps[steps.length - 2] as number) > asOfDay) changing[pair % destinations.length] = 1
  }
  return changing
}

type PlainGap =
  | "zone_no_fixed_stay"
  | "zone_other_stays"
  | "zone_unclear_visa"
  | "zone_own_stay"
  | "expiry_not_given"
  | "issue_date_not_given"
  | "validity_for_visitors"
  | "validity_not_named"
  | "permitted_stay_not_known"

function findZonePlace({ zones, asOfDay }: Dataset, nationals: readonly Uint8Array[], code: string): ZonePlace | null {
  for (let index = 0; index < zones.length; index++) {
    const zone = zones[index] as Zone
    const memberships = findMemberships(zone, code)
    if (memberships.length === 0) continue
    const gap = (code: PlainGap) =>
      unknown("pair", code, NO_PARAMS, { zone: zone.id, allowanceDays: zone.rule.allowanceDays })
    return {
      zone,
      index,
      memberships,
      isChanging: memberships.some(({ fromDay, untilDay }) => (fromDay ?? 0) > asOfDay || (untilDay ?? 0) > asOfDay),
      nationals: nationals[index] as Uint8Array,
      noFixedStay: gap("zone_no_fixed_stay"),
      otherStays: gap("zone_other_stays"),
      unclearVisa: gap("zone_unclear_visa"),
      ownStay: gap("zone_own_stay"),
    }
  }
  return null
}

function findValidity(
  { destinations, passports, except, ...terms }: ValidityRule,
  all: readonly string[],
): ValidityFindings {
  const rule = Object.freeze(terms)
  const say = (value: "met" | "not_met") => known("destination", value, { rule })
  const gap = (code: PlainGap) => unknown("destination", code, NO_PARAMS, { rule })
  return {
    rule,
    binds:
      passports === null && except === null
        ? null
        : mark(all, code => passports?.includes(code) ?? !except!.includes(code)),
    met: say("met"),
    notMet: say("not_met"),
    expiryNotGiven: gap("expiry_not_given"),
    issueDateNotGiven: gap("issue_date_not_given"),
    forVisitors: gap("validity_for_visitors"),
    notNamed: gap("validity_not_named"),
    stayNotKnown: gap("permitted_stay_not_known"),
    other: null,
  }
}

/** Returns the findings of a destination's validity rule for a passport; of any of its rules if none is for it. */
export function pickValidity({ validity }: Rules, column: number, passport: number): ValidityFindings | null {
  let findings = validity[column] ?? null
  while (findings !== null && findings.other !== null && findings.binds![passport] !== 1) findings = findings.other
  return findings
}
