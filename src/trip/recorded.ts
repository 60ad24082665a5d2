/**
 * What is recorded in a dataset that decisions use, besides the answers?
 *
 * Zones with the days of their members, rules of validity and transit, open borders, and the index of all other provisions, of which the law of
 * a pair is made (law.ts). It is laid out once for each dataset and shared. It judges no traveller: the count of days at the end knows no
 * allowance.
 */

import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, isAbout, type Requirement } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import { type Dataset, UNKNOWN_INDEX, type Zone, type ZoneMember, type ZoneRule } from "../dataset/open.ts"
import { type EntryTable, entryTable } from "../requirement/pair-entry.ts"
import {
  type Duty,
  type Listed,
  type Provision,
  type ProvisionIndex,
  readProvisions,
  type TransitRule,
  type TransitTerms,
  type ValidityTerms,
} from "../rules/provisions.ts"
import { type Finding, known, NO_PARAMS, type ReasonCode, type Unknown, unknown } from "./reasons.ts"

/** What decisions read of a dataset. Lists are not frozen, because V8 reads frozen lists slowly; nothing changes them. */
export interface Provisions {
  readonly dataset: Dataset
  readonly zones: Dataset["zones"]
  readonly entries: EntryTable
  /** By destination index. */
  readonly zonePlaces: readonly (ZonePlace | null)[]
  readonly validity: readonly (ValidityFindings | null)[]
  readonly transit: readonly TransitFindings[]
  /** The provisions of each kind, by destination and passport. */
  readonly recorded: ProvisionIndex
  /** By passport index: how long its issuer's passports are valid; undefined if it is not recorded. */
  readonly lifetimes: readonly (Provision<"lifetimes"> | undefined)[]
  /** By destination index: the destinations with which it has an open border; null for almost all. */
  readonly openTo: readonly (readonly number[] | null)[]
  /** By destination index: 1 if some answer is doubtful: sources contradict each other, a log names a change, or a rule has ended. */
  readonly hasDoubts: Uint8Array
  /** By destination index: 1 if some answer changes after the dataset's day. */
  readonly hasChanges: Uint8Array
  /** By destination index: the index of the country to which it belongs when days are counted. */
  readonly countries: Uint8Array
}

const provisionsByDataset = new WeakMap<Dataset, Provisions>()

/** Returns the provisions of a dataset, the same object at every call. */
export const provisionsOf = (dataset: Dataset): Provisions =>
  getOrInsert(provisionsByDataset, dataset, () => layOut(dataset))

function layOut(dataset: Dataset): Provisions {
  const { destinations, passports } = dataset
  const recorded = readProvisions(dataset)
  const entries = entryTable(dataset)
  const countriesOf = listFollowed(dataset, entries)
  const transitOf = findTransit(recorded)
  const validityOf = findValidityRules(dataset, recorded)
  const nationals = dataset.zones.map(({ members }) => {
    const codes = new Set(members.map(({ code }) => code))
    return mark(passports, passport => codes.has(passport))
  })
  const isDoubtful = (code: string) =>
    recorded.has("checks", code, "isOpen") || recorded.has("changeLog", code) || recorded.has("rules", code, "endedOn")
  return {
    dataset,
    zones: dataset.zones,
    entries,
    zonePlaces: destinations.map(code => findZonePlace(dataset, nationals, code)),
    validity: destinations.map(code => validityOf.get(code) ?? null),
    transit: destinations.map(code => transitOf.get(code) ?? NOTHING_OF_TRANSIT),
    recorded,
    lifetimes: passports.map(code => recorded.at("lifetimes", code, "")[0]?.value),
    openTo: findOpenBorders(dataset, recorded),
    // What is recorded for a country may apply in the territories that follow it.
    hasDoubts: mark(
      destinations,
      (code, at) => isDoubtful(code) || countriesOf[at]!.some(each => isDoubtful(destinations[each]!)),
    ),
    hasChanges: findChanging(dataset),
    countries: findCountries(countriesOf, entries),
  }
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

function findChanging({ destinations, timelines, asOfDay }: Dataset): Uint8Array {
  const changing = new Uint8Array(destinations.length)
  for (const [pair, steps] of timelines) {
    if ((steps[steps.length - 2] as number) > asOfDay) changing[pair % destinations.length] = 1
  }
  return changing
}

// ---- Zones

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
type ZoneGap = Unknown & ZoneName
/** Days used in a zone at the end of a stop. */
export type ZoneFinding = Finding<number> & ZoneName

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

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { row }: { readonly row: number }): boolean {
  return nationals[row] === 1
}

// ---- Validity of passports

/** Whether a passport is valid for long enough, with the applied rule, or null if none is recorded. */
export type ValidityFinding = Finding<"met" | "not_met"> & { readonly rule: ValidityTerms | null }

/** The possible findings of a validity rule. */
export interface ValidityFindings {
  readonly rule: ValidityTerms
  /** By passport index: 1 for passports for which it is recorded; null for all. */
  readonly binds: Uint8Array | null
  /** Whether nothing stricter holds for the passports that it does not bind. */
  readonly isStrictest: boolean
  /** The first day no longer in force. */
  readonly untilDay: EpochDay
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

const withoutRule = (code: ReasonCode): ValidityFinding =>
  unknown("destination", code, NO_PARAMS as never, { rule: null })

/** For a destination without a rule of passport validity. */
export const NOTHING_OF_VALIDITY: ValidityFinding = /* @__PURE__ */ withoutRule("no_validity_rule")
/** At home, if no rule of passport validity is recorded. */
export const VALIDITY_AT_HOME: ValidityFinding = /* @__PURE__ */ withoutRule("validity_for_visitors")
/** For a day before the dataset's first: today's rule may be newer. */
export const VALIDITY_OF_PAST: ValidityFinding = /* @__PURE__ */ withoutRule("no_rule_of_that_day")
/** For a kind of passport that no rule of the destination names. */
export const VALIDITY_OF_KIND: ValidityFinding = /* @__PURE__ */ withoutRule("passport_kind_not_recorded")

// A rule for named passports goes before one for all.
function findValidityRules({ passports }: Dataset, recorded: ProvisionIndex): ReadonlyMap<string, ValidityFindings> {
  const validityOf = new Map<string, ValidityFindings>()
  const sorted = [...recorded.list("validity")].sort(
    (a, b) => Number(b.passports === null) - Number(a.passports === null),
  )
  for (const rule of sorted) {
    const findings = layOutValidity(rule, passports)
    for (const code of rule.destinations) {
      validityOf.set(code, { ...findings, other: validityOf.get(code) ?? null })
    }
  }
  return validityOf
}

function layOutValidity(
  { value: rule, passports, except, until }: Listed<"validity">,
  all: readonly string[],
): Omit<ValidityFindings, "other"> {
  const say = (value: "met" | "not_met") => known("destination", value, { rule })
  const gap = (code: PlainGap) => unknown("destination", code, NO_PARAMS, { rule })
  const isBound = (code: string) => passports?.includes(code) ?? !except!.includes(code)
  return {
    rule,
    binds: passports === null && except === null ? null : mark(all, isBound),
    isStrictest: except !== null,
    untilDay: parseCivilDate(until) ?? -LONG_AGO,
    met: say("met"),
    notMet: say("not_met"),
    expiryNotGiven: gap("expiry_not_given"),
    issueDateNotGiven: gap("issue_date_not_given"),
    forVisitors: gap("validity_for_visitors"),
    notNamed: gap("validity_not_named"),
    stayNotKnown: gap("permitted_stay_not_known"),
  }
}

/** Where and when a passport is shown. */
interface Arriving {
  readonly column: number
  readonly firstDay: EpochDay
}

/** Returns the findings of a destination's validity rule for a passport on a day; of any of its rules if none is for it. */
export function pickValidity(
  { validity }: Provisions,
  { column, firstDay }: Arriving,
  passport: number,
): ValidityFindings | null {
  let findings = validity[column] ?? null
  while (findings?.other && (findings.binds![passport] !== 1 || findings.untilDay <= firstDay))
    findings = findings.other
  return findings
}

/** Returns the validity rule that is for a passport at a destination on a day; null if none is. */
export function pickBinding(provisions: Provisions, place: Arriving, passport: number): ValidityTerms | null {
  const findings = pickValidity(provisions, place, passport)
  return findings === null || findings.binds?.[passport] === 0 ? null : findings.rule
}

// ---- Borders

/** A rule of a border. */
export type BorderRule = Provision<"borderRules">

// An open border is open in both directions.
function findOpenBorders(
  { destinations, destinationIndices }: Dataset,
  recorded: ProvisionIndex,
): readonly (readonly number[] | null)[] {
  const openTo = destinations.map((): number[] | null => null)
  destinations.forEach((code, place) => {
    for (const { value } of recorded.at("borderRules", code, "")) {
      if (value.kind !== "open_border") continue
      for (const neighbour of value.neighbours ?? NOTHING) {
        const other = destinationIndices[codeKey(neighbour)]!
        if (other >= UNKNOWN_INDEX) continue
        openTo[place] = [...(openTo[place] ?? []), other]
        openTo[other] = [...(openTo[other] ?? []), place]
      }
    }
  })
  return openTo
}

/** Says whether a duty is one of those who enter with a requirement; who moves freely has only those of everybody. */
export const isDutyOf = (duty: Duty, asked: Requirement, movesFreely: boolean): boolean =>
  isAbout(duty, asked) && (duty.everybody || !movesFreely)

// ---- Transit rules

/** A transit rule, prepared for judging. */
export interface JudgedRule {
  readonly terms: TransitTerms
  /** Null for every passport. */
  readonly passports: ReadonlySet<string> | null
  readonly rule: TransitRule
  /** Its index among the rules of its country. */
  readonly at: number
}

/** The records of a transit country. */
interface TransitFindings {
  readonly rule: Finding<readonly TransitTerms[]>
  readonly rules: readonly JudgedRule[]
}

/** Findings for a country without a recorded rule. */
export const NOTHING_OF_TRANSIT: TransitFindings = {
  rule: /* @__PURE__ */ unknown("destination", "no_transit_rule", NO_PARAMS),
  rules: NOTHING,
}

/** Makes the findings of every country with recorded rules, by code. */
function findTransit(recorded: ProvisionIndex): ReadonlyMap<string, TransitFindings> {
  const rulesOf = new Map<string, JudgedRule[]>()
  for (const { value, destinations, passports: named } of recorded.list("transit")) {
    const terms = Object.freeze({ ...value, passports: named as readonly string[] | null })
    const rule = Object.freeze({ ...terms, destinations })
    const passports = terms.passports === null ? null : new Set(terms.passports)
    for (const code of destinations) {
      const listed = rulesOf.get(code) ?? []
      listed.push({ terms, rule, passports, at: listed.length })
      rulesOf.set(code, listed)
    }
  }
  return new Map(
    [...rulesOf].map(([code, listed]) => [
      code,
      { rule: known("destination", Object.freeze(listed.map(({ terms }) => terms))), rules: listed },
    ]),
  )
}

// ---- Counting days

// How many days of some stays count in a period, and which of them are in a zone?
//
// The one count of days: decisions and calculators add spans of days in the order of their first days, and read how many count. A day that
// two stays share counts once. The count itself knows no allowance.

/**
 * Whether days count for the limits of visitors. `none`: at home and under freedom of movement. `certain`: a fixed number of days without a
 * visa. `possible`: it depends on the visa. `permit`: the traveller is there under a permit of the country.
 */
export type DayCounting = "none" | "certain" | "possible" | "permit"

/** Days of a period, as counted so far. */
export interface DayCount {
  readonly isRolling: boolean
  /** Those that certainly count, and those together with the ones that may. */
  certain: number
  possible: number
  /** First day of the period. */
  sinceDay: EpochDay
  /** The last days that are counted already. */
  certainDay: EpochDay
  possibleDay: EpochDay
  presentDay: EpochDay
}

/** Days in a zone that count in one way. */
export interface DaySpan {
  readonly from: EpochDay
  readonly to: EpochDay
  readonly counting: DayCounting
}

/** Before every day, and an integer. */
export const LONG_AGO: EpochDay = -10_000_000

/**
 * Starts to count the days of the period of a day. Rolling: the window ends on the day itself, so 180 days look back 179. A single
 * permission lasts until a whole day outside; a traveller under a visa or permit has not left the zone.
 */
export function startCount(rule: ZoneRule, day: EpochDay): DayCount {
  const isRolling = rule.kind === "rolling"
  return startCountSince(isRolling ? findWindowStart(rule.windowDays, day) : LONG_AGO, isRolling)
}

/** Starts to count all days since one. */
export function startCountSince(sinceDay: EpochDay, isRolling = true): DayCount {
  const before = sinceDay - 1
  return { isRolling, certain: 0, possible: 0, sinceDay, certainDay: before, possibleDay: before, presentDay: LONG_AGO }
}

/** Adds the days from one to another, if there are any. They may not begin before those that were added. */
export function addDays(count: DayCount, from: EpochDay, to: EpochDay, counting: DayCounting): void {
  if (!count.isRolling && from > count.presentDay + 1) {
    count.sinceDay = from
    count.certain = 0
    count.possible = 0
  }
  if (to > count.presentDay) count.presentDay = to
  const { certainDay, possibleDay } = count
  if (counting === "certain" && to > certainDay) {
    count.certain += to - (from > certainDay ? from - 1 : certainDay)
    count.certainDay = to
  }
  if (counting !== "permit" && to > possibleDay) {
    count.possible += to - (from > possibleDay ? from - 1 : possibleDay)
    count.possibleDay = to
  }
}

/** Adds spans, in the order of their first days, up to a day. */
export function addSpans(count: DayCount, spans: readonly DaySpan[], untilDay: EpochDay): DayCount {
  for (const { from, to, counting } of spans) {
    if (from > untilDay) break
    addDays(count, from, to < untilDay ? to : untilDay, counting)
  }
  return count
}

// ---- Members of zones

// Which destinations share one stay allowance, since when, and under which kind of rule?
//
// A zone is data: its rule and its members, each with the days of its membership. There are two kinds of rules. `rolling` allows a number
// of days in any window of days, over all members together (Schengen: Regulation (EU) 2016/399, Art. 6(1) and (2)). `single-permission` allows a
// number of days from entry until the traveller leaves the zone (CA-4). Another zone of either kind is a file, not code. The Common Travel Area is none:
// it is free movement of its citizens, a bloc in data/blocs.
//
// This file does not know passports. A zone's rule does not bind travellers who move freely in the zone (a Union citizen in Schengen): the
// caller checks that first, and uses these functions only for passports with a fixed number of visa-free days.

/** 2013-10-18, the first day on which days count in any 180: Regulation (EU) No 610/2013, Art. 2. */
export const ROLLING_SINCE_DAY = 15_996

/** The parts of a zone that the calculators use. */
export type ZoneTerms = Pick<Zone, "rule" | "members">

/**
 * Finds a destination's memberships in a zone, in order; the list is empty if it was never a member.
 *
 * Cannot fail. Walks the members: code that decides in bulk should look them up once for each destination and keep them.
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

/** Returns the first day from `first` on that a membership covers. It may be after the last one ({@link lastMemberDay}). */
export function firstMemberDay({ fromDay }: ZoneMember, first: EpochDay): EpochDay {
  return fromDay !== null && fromDay > first ? fromDay : first
}

/** Returns the last day up to `last` that a membership covers; `untilDay` is the first day after it. */
export function lastMemberDay({ untilDay }: ZoneMember, last: EpochDay): EpochDay {
  return untilDay !== null && untilDay <= last ? untilDay - 1 : last
}

/** Returns the first day of the window of a number of days that ends on a day, both ends included. */
export function findWindowStart(windowDays: number, day: EpochDay): EpochDay {
  return day - windowDays + 1
}

/** Says whether a destination is a member on a day, given its memberships. */
export function isMemberOn(memberships: readonly ZoneMember[], day: EpochDay): boolean {
  return findLastMemberDay(memberships, day, day) !== null
}

/** Finds the last day of a stop, `first` to `last` included, on which its destination was a member, or null. */
export function findLastMemberDay(
  memberships: readonly ZoneMember[],
  first: EpochDay,
  last: EpochDay,
): EpochDay | null {
  for (let i = memberships.length - 1; i >= 0; i--) {
    const to = lastMemberDay(memberships[i]!, last)
    if (firstMemberDay(memberships[i]!, first) <= to) return to
  }
  return null
}
