/**
 * Is a stay too long for the country, for its zone, or for the document on which it is entered?
 *
 * Days in one country add up over all of its stops and the given earlier stays, by the country's stay rule, or, if none is recorded, inside
 * any 365 days. If a zone's rule applies to a stop, only the days in the zone's reference period count for the country's
 * own stay: 60 days in January and 60 in October are lawful under 90 in any 180 days (Regulation (EU) 2016/399, Art. 6(1)); the
 * day of entry and the day of exit both count (Art. 6(2)). Days at home, and days under a permit of the country, are not a visitor's days.
 *
 * A zone's rule is judged at the last day of a stop (within a stop the count never falls), for stays of a fixed number of days without a
 * visa. It does not bind travellers who are at home or move freely, and their days do not count. If there are days in the period that may
 * count, the figure is unknown, and only days that certainly count can block. Such days do not end a single permission either, because the
 * traveller has not left. If a country's own stay is longer than the zone's allowance (El Salvador's 180 days in CA-4's 90), a longer stay
 * spent there only is unknown. So is a stay that only an agreement beside the visitors' rule could allow.
 */
import { addCivilMonths, type EpochDay, findNewYear, formatCivilDate } from "../civil-date.ts"
import { isAbout, needsVisa, opensOnArrival, type Requirement } from "../codes.ts"
import { NOTHING } from "../collections.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { StayRule } from "../rules/provisions.ts"
import type { Step } from "./answer-fields.ts"
import {
  type Held,
  type Holding,
  isInHand,
  isLongStay,
  isPermitOf,
  nameLimit,
  SET_BY_DOCUMENT,
  type Way,
} from "./documents.ts"
import { goesAround, type Journey, type Passport, type Stay } from "./journey.ts"
import { findNational, type Law } from "./law.ts"
import { ask, block, type Issue, knownDays, missing, NO_PARAMS, type Unknown, unknown } from "./reasons.ts"
import {
  addDays,
  addSpans,
  type DayCount,
  type DayCounting,
  type DaySpan,
  findLastMemberDay,
  findWindowStart,
  firstMemberDay,
  isNational,
  LONG_AGO,
  lastMemberDay,
  startCount,
  startCountSince,
  type ZoneFinding,
  type ZonePlace,
} from "./recorded.ts"

/** What later stops need to know of a stay: how its days count, and on which document it was entered. */
export interface Past {
  readonly counting: DayCounting
  readonly isHome: boolean
  readonly held: Holding | null
}

/** By the index of a stay: how it was entered, up to the one that is judged. */
export type Entered = readonly Past[]

/** A stop that is entered in some way, after others. */
export interface Arrival {
  readonly journey: Journey
  readonly passport: Passport
  readonly stop: Stay
  readonly law: Law
  readonly way: Way
  /** The stays before it. */
  readonly before: Entered
  /** Cuts the days under a waiting document out of a stay, where these are not counted. */
  readonly cut?: (stay: Stay) => readonly Stay[]
}

/** The findings about the length of a stay, and how its days count. */
interface StayFindings extends Pick<Step, "maxStay" | "countedStay" | "zoneStay"> {
  readonly counting: DayCounting
}

const EARLIER: Past = { counting: "certain", isHome: false, held: null }
const EARLIER_UNDER_PERMIT: Past = { counting: "permit", isHome: false, held: null }

/** Starts the list of stays with those before the journey. */
export function enterEarlier({ earlier }: Journey): Past[] {
  return earlier.map(({ isUnderPermit }) => (isUnderPermit ? EARLIER_UNDER_PERMIT : EARLIER))
}

/** Judges the length of a stop, and adds what is exceeded and what is unknown to `issues`. */
export function judgeStay(arrival: Arrival, issues: Issue[]): StayFindings {
  const start = issues.length
  const judged = judgeLength(arrival, issues)
  if (arrival.stop.isTransit || !issues.slice(start).some(isTooLong) || !fitsWithout(arrival)) return judged
  return leaveOpen(judged, issues, start)
}

function judgeLength(arrival: Arrival, issues: Issue[]): StayFindings {
  const { stop, way } = arrival
  const { counting } = way
  const place = stop.zonePlace
  const zoneDay =
    place === null || way.movesFreely ? null : findLastMemberDay(place.memberships, stop.firstDay, stop.lastDay)
  if (way.held !== null) judgeBounds(arrival, way.held, issues)
  // A traveller under a permit is not a visitor.
  if (place === null || zoneDay === null || counting === "permit") return judgeOwnStay(arrival, null, counting, issues)
  if (counting !== "certain") {
    const zoneStay = place.zone.rule.kind === "rolling" && isInHand(way) ? place.unclearVisa : place.noFixedStay
    const own = judgeOwnStay(arrival, null, counting, issues)
    issues.push(missing("zoneStay", zoneStay))
    return { maxStay: own.maxStay, countedStay: own.countedStay, zoneStay, counting }
  }
  return judgeInZone(arrival, place, zoneDay, issues)
}

// ---- Documents that begin during a stay

// Days under a permit or a long-stay visa are not a visitor's (Regulation (EU) 2016/399, Art. 6(2)), also where it begins after the arrival or ends
// before the departure. Whether one may wait inside for it, or stay on after it, is not recorded: a stay that is too long only with its days is open.

// Nothing else about the length of a stay blocks.
const isTooLong = ({ weight }: Issue) => weight === "blocks"

// Says whether a stay is not too long if the days under other permits and long-stay visas of the country itself are left out. A territory is
// part of its country where both are in one zone, as Åland is of Finland.
function fitsWithout(arrival: Arrival): boolean {
  const { journey, stop, way } = arrival
  const { countries } = journey.provisions
  const others = journey.documents.filter(
    each => each.place !== null && isLongStay(each) && each !== way.held?.document,
  )
  const cut = (stay: Stay) =>
    others
      .filter(({ column }) => countries[column] === countries[stay.column])
      .reduce((parts: readonly Stay[], each) => parts.flatMap(part => leaveOut(part, each)), [stay])
  // The days count at the end of each of the parts that are left.
  return cut(stop).every(part => {
    const cutUpTo = (stay: Stay) => cut(stay).filter(each => each.firstDay <= part.lastDay)
    const [here, inZone] = [stop.here.flatMap(cutUpTo), stop.inZone.flatMap(cutUpTo)]
    const issues: Issue[] = []
    judgeLength({ ...arrival, stop: { ...part, daysAccumulated: 0, here, inZone }, cut: cutUpTo }, issues)
    return !issues.some(isTooLong)
  })
}

function leaveOut(stay: Stay, { read: { validFromDay, validUntilDay } }: Held): readonly Stay[] {
  const before = { ...stay, lastDay: Math.min(stay.lastDay, (validFromDay ?? LONG_AGO) - 1) }
  const after = { ...stay, firstDay: Math.max(stay.firstDay, (validUntilDay ?? stay.lastDay) + 1) }
  return [before, after].filter(each => each.firstDay <= each.lastDay)
}

// Makes what is too long open.
function leaveOpen(judged: StayFindings, issues: Issue[], start: number): StayFindings {
  const found = issues.splice(start)
  issues.push(...found.filter(each => !isTooLong(each)))
  const opens = (code: Issue["code"], field: string) =>
    found.some(each => each.code === code) && issues.push({ ...missing(field, SET_BY_DOCUMENT), weight: "unknown" }) > 0
  return {
    ...judged,
    maxStay: opens("stay_exceeded", "maxStay") ? SET_BY_DOCUMENT : judged.maxStay,
    zoneStay: opens("zone_stay_exceeded", "zoneStay") ? { ...judged.zoneStay!, ...SET_BY_DOCUMENT } : judged.zoneStay,
  }
}

// Judges a held document's limits: its last day and its days.
function judgeBounds(arrival: Arrival, { document, boundDays, untilDay }: Holding, issues: Issue[]): void {
  const { destination, to, lastDay } = arrival.stop
  const named = nameLimit(document)
  const basis = { basis: "held_document" } as const
  if (untilDay !== null && lastDay > untilDay) {
    issues.push(block("stay_exceeded", { ...named, destination, by: to, until: document.read.validUntil! }, basis))
  }
  if (boundDays === null) return
  const days = countDaysUnder(arrival, document, boundDays)
  if (days > boundDays) {
    issues.push(block("stay_exceeded", { ...named, destination, by: to, days, allowed: boundDays }, basis))
  }
}

// Returns the longest stay as found, or unknown if only a zone's instrument could allow the stay.
function settle(arrival: Arrival, gap: Unknown | null, issues: Issue[]): Step["maxStay"] {
  const maxStay = gap ?? arrival.way.maxStay
  if (maxStay.status === "unknown")
    issues.push(maxStay.code === "stay_set_by_document" ? judgeClass(arrival, maxStay) : missing("maxStay", maxStay))
  return maxStay
}

/**
 * Judges a stay whose days the document sets by its class: it may be too long, or open. The United States, for example, admit visitors for pleasure
 * for at least six months, and visitors for at most one year (8 CFR 214.2(b)(1) and (2)). A visa whose class is not given is one of a visitor, but
 * may allow more. One without which the stay is as permitted leaves nothing open, also where one is issued on arrival, and every visa allows a day.
 */
function judgeClass(arrival: Arrival, maxStay: Unknown): Issue {
  const { stop, way } = arrival
  const { document } = way.held!
  const { class: found, named, isForVisitors } = document
  const days = countDaysUnder(arrival, document, null)
  if (days > (named?.most ?? days)) {
    const cited = { ...nameLimit(document), destination: stop.destination, by: stop.to }
    return block("stay_exceeded", { ...cited, days, allowed: named!.most! }, { basis: "held_document" })
  }
  const least = (found?.setBy === "law" ? found.most : found?.least) ?? 1
  const isOpen = isForVisitors && days > least && !isFree(arrival, days)
  return { ...missing("maxStay", maxStay), weight: isOpen ? "unknown" : "info" }
}

// Says whether a stay is permitted without any document that is obtained before.
function isFree(arrival: Arrival, days: number): boolean {
  const { requirement, maxDays } = arrival.law.base
  if (requirement.status === "unknown" || maxDays === null || days > maxDays) return false
  if (!opensOnArrival(requirement.value)) return false
  const issues: Issue[] = []
  judgeLength({ ...arrival, way: arrival.law.base }, issues)
  return !issues.some(isTooLong)
}

function isUncounted(maxStay: Step["maxStay"], counting: DayCounting): StayFindings {
  return { maxStay, countedStay: null, zoneStay: null, counting }
}

function judgeInZone(arrival: Arrival, place: ZonePlace, zoneDay: EpochDay, issues: Issue[]): StayFindings {
  const { stop, way } = arrival
  const { maxDays: ownDays, held } = way
  const agreement = held === null ? findAgreement(arrival, place) : null
  if (agreement?.exempts) {
    const isLong = stop.lastDay - stop.firstDay + 1 > ownDays!
    return isUncounted(settle(arrival, isLong ? DAYS_NOT_NAMED : null, issues), "permit")
  }
  const isPerhaps = agreement !== null && agreement.extends === null
  const counting = isPerhaps ? "possible" : "certain"
  // A visa's own days are judged as limits of the document.
  const maxDays = ownDays ?? Number.POSITIVE_INFINITY
  const { allowanceDays } = place.zone.rule
  const seen = seeAll(arrival, counting)
  const { certain, possible, sinceDay } = countZoneDays(stop.inZone, stop.order, seen, place, zoneDay)
  const used = isPerhaps ? possible : certain
  const isUnsure = !isPerhaps && possible !== certain
  // Counted only if it can matter: the days here never exceed those in the whole zone.
  const usedHere =
    used > Math.min(maxDays, allowanceDays)
      ? addSpans(startCountSince(sinceDay), listMemberSpans(stop.here, stop.order, seen), stop.lastDay)[counting]
      : used
  // The 90th day of the stay is the last one on which an extension can be asked for.
  const lastDay = zoneDay - (used - allowanceDays)
  const mayStay =
    agreement !== null &&
    (isPerhaps || (lastDay >= stop.firstDay && measureVisit(stop, seen) <= allowanceDays + agreement.days))
      ? agreement
      : null
  const gap = isPerhaps ? agreement.gap : null
  const isExtended = mayStay !== null && used > allowanceDays
  const isExceeded = usedHere > maxDays
  const own =
    zoneDay === stop.lastDay
      ? isUncounted(settle(arrival, isExceeded ? gap : null, issues), counting)
      : judgeOwnStay(arrival, gap, counting, issues)
  if (zoneDay === stop.lastDay && isExceeded && gap === null && !isExtended) {
    const { destination, to: by } = stop
    const counted = { destination, days: usedHere, places: listPlaces(stop), by, allowed: maxDays }
    issues.push(block("stay_exceeded", { ...counted, counting: "visit", window: null }))
  }
  let zoneStay: ZoneFinding
  if (used > allowanceDays && maxDays > allowanceDays && held === null && usedHere === used) zoneStay = place.ownStay
  else if (used > allowanceDays && gap !== null) zoneStay = { ...gap, zone: place.zone.id, allowanceDays }
  else {
    if (used > allowanceDays) issues.push(exceedZone(stop, place, zoneDay, used, mayStay))
    zoneStay = isUnsure
      ? place.otherStays
      : { granularity: "pair", status: "known", value: used, zone: place.zone.id, allowanceDays }
  }
  if (zoneStay.status === "unknown") issues.push(missing("zoneStay", zoneStay))
  return { maxStay: own.maxStay, countedStay: own.countedStay, zoneStay, counting }
}

function exceedZone(
  stop: Stay,
  { zone: { id, name, rule } }: ZonePlace,
  zoneDay: EpochDay,
  used: number,
  agreement: Agreement | null,
): Issue {
  const lastOn = zoneDay === stop.lastDay ? stop.to : formatCivilDate(zoneDay)
  const window = rule.kind === "rolling" ? rule.windowDays : null
  const params = { days: used, zone: id, name, by: lastOn, allowed: rule.allowanceDays, window }
  if (agreement === null) return block("zone_stay_exceeded", params, { zone: id })
  const { days, extends: named } = agreement
  const extension = { agreement: named!, more: Number.isFinite(days) ? days : null }
  return block("zone_stay_exceeded", { ...params, ...extension }, { zone: id })
}

// Lists the destinations of a country whose days count together, in the order of the visits.
function listPlaces(stop: Stay): readonly string[] {
  const names: string[] = []
  for (const stay of stop.here) {
    if (stay.order > stop.order) break
    if (!names.includes(stay.destination)) names.push(stay.destination)
  }
  return names
}

// Judges the stay by the country's own rule, and reports the counted days if they exceed those of the stop.
function judgeOwnStay(arrival: Arrival, gap: Unknown | null, counting: DayCounting, issues: Issue[]): StayFindings {
  const { stop, way } = arrival
  const { maxDays, maxStay, held } = way
  const rule = findRule(arrival)
  const days = stop.lastDay - stop.firstDay + 1
  const isOnlyVisit = stop.daysAccumulated === days && stop.here[0]!.order >= arrival.journey.earlier.length
  const isAlone = rule === null && isOnlyVisit
  if (isAlone && (maxDays === null || days <= maxDays)) return isUncounted(settle(arrival, null, issues), counting)
  const limits = limitVisits(rule, held, maxDays)
  let measured: MeasuredStay | null = null
  if (isAlone) measured = { days, allowed: maxDays!, counting: "visit" }
  else if (counting !== "permit" && !way.isHome) {
    measured = isOnlyVisit
      ? measureStay(limits, [stop.firstDay, stop.lastDay], maxDays)
      : measureVisits(arrival, stop, seeAll(arrival, counting), limits, maxDays)
  }
  if (measured === null) return isUncounted(settle(arrival, null, issues), counting)
  const isExceeded = measured.days > measured.allowed
  let longest: Step["maxStay"] = maxStay
  if (isExceeded && gap !== null) longest = settle(arrival, gap, issues)
  // The longest stay is what a rule allows from one entry on. For an admission that began before, it is the rest.
  else if (measured.counting === "admission") {
    longest = knownDays(Math.max(0, measured.allowed - measured.days + days))
  }
  // A rule sets the days of a stay from one entry on, whatever the answer says. The days of a document are its own.
  else if (maxStay.status === "unknown" || (measured.counting === "per_entry" && held === null))
    longest = knownDays(measured.allowed)
  if (isExceeded && gap === null) issues.push(exceed(arrival, measured, rule))
  if (isAlone) return isUncounted(longest, counting)
  const { days: value, allowed: allowanceDays, counting: ruleCounting } = measured
  const counted = { granularity: "pair", status: "known", value, allowanceDays, counting: ruleCounting, rule } as const
  return { maxStay: longest, countedStay: counted, zoneStay: null, counting }
}

type Rule = StayRule & CountingRule

// Measures the last of the visits to a country up to a stay there.
function measureVisits(
  { journey }: Pick<Arrival, "journey">,
  stay: Stay,
  seen: Entered,
  rule: Rule | null,
  maxDays: number | null,
): MeasuredStay | null {
  const neighbours = rule?.neighbours ?? null
  const returns = neighbours === null ? NOTHING : listReturns(journey, stay, seen, neighbours)
  return measureStay(rule, listVisits(stay, seen), maxDays, returns)
}

/**
 * Finds the stay rule of a stop. A rule for visitors does not bind a traveller who moves freely, unless free movement
 * itself has a number of days.
 */
function findRule({ law, way }: Pick<Arrival, "law" | "way">): Rule | null {
  const { requirement, movesFreely, maxDays } = way
  if (law.stays.length === 0 || requirement.status === "unknown" || (movesFreely && maxDays === null)) return null
  return pickStayRule(law.stays, requirement.value, isInHand(way)) as Rule | null
}

function exceed({ stop, way, law }: Arrival, { days, allowed, counting }: MeasuredStay, rule: StayRule | null): Issue {
  const counted = { destination: stop.destination, days, places: listPlaces(stop), by: stop.to, allowed }
  if (way.isTableStay && !namesDays(rule, counting) && law.restsOnTable) return ask("check_permitted_stay", counted)
  const isAccumulated = counting === "accumulated"
  const window = isAccumulated ? ACCUMULATION_DAYS : counting === "rolling" ? rule!.windowDays : null
  const basis = isAccumulated ? ({ basis: "accumulated" } as const) : null
  return block("stay_exceeded", { ...counted, counting, window }, basis)
}

// Picks the first rule for a requirement. Who enters on a visa of the destination counts as one who needs it, whatever his passport needs.
function pickStayRule(rules: readonly StayRule[], requirement: Requirement, isHeld = false): StayRule | null {
  const asked = isHeld && !needsVisa(requirement) ? "visa_required" : requirement
  for (const rule of rules) if (isAbout(rule, asked)) return rule
  return null
}

/** Says whether a rule itself names the days that are exceeded. */
const namesDays = (
  rule: Pick<StayRule, "days" | "months" | "visitDays"> | null,
  counting: MeasuredStay["counting"],
): boolean => rule !== null && (counting === "visit" ? rule.visitDays : (rule.days ?? rule.months)) !== null

// ---- Agreements beside the rule of a zone

/**
 * What may allow a stay beyond a zone's days.
 *
 * A bilateral agreement of one state: the stay there is extended on a request, at the latest on the last working day of the zone's days
 * (Convention implementing the Schengen Agreement, Art. 20(2)(b) and (2a), as amended by Regulation (EU) 2017/2226, Art. 60). Without one the stay
 * is too long, so the blocker names the agreement. It frees no days in other states of the zone: there its days count like any visitor's.
 *
 * Nationals of a zone's own states may stay longer under the zone's own instrument, and their days may or may not count: such a stay is unknown.
 */
interface Agreement {
  /** The name of the agreement; null for the zone's own instrument. */
  readonly extends: string | null
  /** Days beside the zone's allowance; infinite if no number is recorded. */
  readonly days: number
  /** Whether it exempts from the zone's days, outside the Schengen area. */
  readonly exempts: boolean
  /** Why a stay of a national is not known to be too long. */
  readonly gap: Unknown | null
}

const DAYS_NOT_NAMED = /* @__PURE__ */ unknown("pair", "stay_not_recorded", NO_PARAMS)

function findAgreement({ passport, law, way }: Arrival, place: ZonePlace): Agreement | null {
  const { requirement } = way
  if (law.agreements.length > 0 && requirement.status === "known") {
    const rule = pickStayRule(law.agreements, requirement.value)
    if (rule !== null) {
      const { agreement, days, kind } = rule
      const exempts = days === null && kind === "beside_zone" && place.zone.rule.kind !== "rolling"
      return { extends: agreement, days: days ?? Number.POSITIVE_INFINITY, exempts, gap: null }
    }
  }
  if (!isNational(place, passport)) return null
  const { name, instrument } = place.zone
  return { extends: null, days: 0, exempts: false, gap: unknown("pair", "zone_nationals", { zone: name, instrument }) }
}

/** Says whether an agreement may change which days count for some passport, so that two ways of entering are not alike. */
export function mayAgree({ stop, passport, law }: Pick<Arrival, "stop" | "passport" | "law">): boolean {
  return (
    stop.zonePlace !== null &&
    (law.agreements.length > 0 || law.stays.length > 0 || isNational(stop.zonePlace, passport))
  )
}

// ---- Presence

// The stays before a stop, with the stop itself.
function seeAll({ before, way, stop }: Arrival, counting: DayCounting): Entered {
  const seen = new Array<Past>(stop.order + 1)
  for (let order = 0; order < stop.order; order++) seen[order] = before[order]!
  seen[stop.order] = { counting, isHome: way.isHome, held: way.held }
  return seen
}

// Counts the days that are used in a zone on a day, in one pass over its stays up to one: in a stop's zone, on its last day there.
function countZoneDays(
  stays: readonly Stay[],
  order: number,
  seen: Entered,
  { zone: { rule } }: ZonePlace,
  day: EpochDay,
): DayCount {
  const count = startCount(rule, day)
  let lastFrom = LONG_AGO
  for (const stay of stays) {
    if (stay.order > order) break
    const { counting } = seen[stay.order]!
    const { firstDay, lastDay } = stay
    if (counting === "none" || lastDay < count.sinceDay) continue
    for (const membership of stay.zonePlace!.memberships) {
      const from = firstMemberDay(membership, firstDay)
      const to = lastMemberDay(membership, lastDay < day ? lastDay : day)
      if (from > to) continue
      // If a country joined during a stay, its days begin after those of stays that overlap it.
      if (from < lastFrom) return addSpans(startCount(rule, day), listMemberSpans(stays, order, seen), day)
      lastFrom = from
      addDays(count, from, to, counting)
    }
  }
  return count
}

// Lists the days in their zone of some stays, in order. If a country joined the zone during a stay, its days begin later than the stay.
function listMemberSpans(stays: readonly Stay[], order: number, seen: Entered): DaySpan[] {
  const spans: DaySpan[] = []
  for (const stay of stays) {
    if (stay.order > order) break
    const { counting } = seen[stay.order]!
    if (counting === "none") continue
    for (const membership of stay.zonePlace?.memberships ?? NOTHING) {
      const from = firstMemberDay(membership, stay.firstDay)
      const to = lastMemberDay(membership, stay.lastDay)
      if (from <= to) spans.push({ from, to, counting })
    }
  }
  return spans.sort((a, b) => a.from - b.from)
}

// Says whether days are a visitor's, which days at home and under a permit are not. Freedom of movement may have a number of days.
const isVisit = ({ counting, isHome }: Past) => counting !== "permit" && !isHome

/**
 * Lists the visits to a stop's country up to it: first and last day of each. A visit continues through consecutive
 * stays without a day outside; the last one is the stop's.
 */
function listVisits(stop: Stay, seen: Entered): EpochDay[] {
  const visits: EpochDay[] = []
  let following = -1
  for (const stay of stop.here) {
    if (stay.order > stop.order) break
    if (!isVisit(seen[stay.order]!)) continue
    const end = visits.length - 1
    if (stay.order === following && stay.firstDay <= visits[end]! + 1) {
      visits[end] = Math.max(visits[end]!, stay.lastDay)
    } else {
      visits.push(stay.firstDay)
      visits.push(stay.lastDay)
    }
    following = stay.order + 1
  }
  return visits
}

// Returns the days of the visit to a country that a stop ends.
function measureVisit(stop: Stay, seen: Entered): number {
  const visits = listVisits(stop, seen)
  return visits[visits.length - 1]! - visits[visits.length - 2]! + 1
}

/**
 * Lists the first days of those visits to a stop's country, up to it, that return directly from neighbours: all days
 * between one visit and the next are spent in neighbours. None for residents or nationals of a neighbour.
 */
function listReturns(journey: Journey, stop: Stay, seen: Entered, neighbours: readonly string[]): readonly EpochDay[] {
  if (belongsTo(journey, neighbours)) return NOTHING
  const returns: EpochDay[] = []
  let before: Stay | null = null
  for (const stay of stop.here) {
    if (stay.order > stop.order) break
    if (before !== null) {
      const past = seen[before.order]!
      if (isVisit(past) && past.held?.isOwn !== true && goesAround(journey, before, stay, neighbours)) {
        returns.push(stay.firstDay)
      }
    }
    before = stay
  }
  return returns
}

// Says whether the traveller is a resident or a national of a neighbour.
function belongsTo({ passports, documents }: Journey, neighbours: readonly string[]): boolean {
  return (
    findNational(passports, neighbours) !== undefined ||
    documents.some(each => neighbours.some(neighbour => isPermitOf(each, neighbour)))
  )
}

// ---- Entries and days of a document

/**
 * Says whether a document has no entry left for a stop, after the entries at the stops before. A stop that is reached without a border check is
 * not a new entry. Showing a document to another state uses up nothing.
 */
export function isUsedUp({ journey, stop, before }: Arrival, held: Holding): boolean {
  const { entries } = held.document.read
  if (!held.isOwn || typeof entries !== "number") return false
  const isOther = !comesOnUnder(journey, stop.order, before, held.document)
  return countEntries(journey, before, held.document, stop.order) + Number(isOther) > entries
}

/** Counts the entries on a document at the stops before one, by its index among all stays. */
export function countEntries(journey: Journey, before: Entered, document: Held, order: number): number {
  let used = 0
  for (let at = journey.earlier.length; at < order; at++) {
    if (isUnder(before[at], document) && !comesOnUnder(journey, at, before, document)) used++
  }
  return used
}

// Says whether a stop is reached without a border check from one that was entered on the same document. A territory
// that needs no document may lie in between, such as San Marino between two stops in Italy.
function comesOnUnder({ earlier, stops, provisions }: Journey, from: number, seen: Entered, document: Held): boolean {
  const first = earlier.length
  for (let order = from; order > first && stops[order - first]!.comesUnchecked; order--) {
    if (isUnder(seen[order - 1], document)) return true
    const { column, zonePlace } = stops[order - 1 - first]!
    if (column >= UNKNOWN_INDEX || provisions.openTo[column] === null || zonePlace !== null) return false
  }
  return false
}

// Says whether a stop is entered on a document of the destination or its zone. A waiver only asks to see a document of
// another state, and uses up nothing of it.
function isUnder(past: Past | undefined, document: Held): boolean {
  return past?.held?.isOwn === true && past.held.document === document
}

/**
 * Counts the days under a document up to the end of a stop: in a zone over all stops, otherwise from the entry on.
 *
 * A short-stay visa of a rolling zone that gives all of the zone's days may be valid for longer than its window. It then gives
 * them again in every window (Regulation (EC) No 810/2009, Art. 24(2)). One that gives fewer gives them once, and so does one whose days are not given.
 * The day of the entry counts unless the country's stay rule for holders of visas says otherwise.
 */
function countDaysUnder(arrival: Arrival, document: Held, boundDays: number | null): number {
  const { journey, stop, before, way, cut = each => [each] } = arrival
  const { zonePlace, lastDay } = stop
  const rule = zonePlace?.zone.rule
  const isRolling = rule?.kind === "rolling" && document.isForVisitors && (boundDays ?? 0) >= rule.allowanceDays
  const count = startCountSince(isRolling ? findWindowStart(rule.windowDays, lastDay) : LONG_AGO)
  const first = journey.earlier.length
  let at = stop.order - first
  while (at > 0 && (zonePlace !== null || journey.stops[at]!.comesOnInside)) at--
  for (; at <= stop.order - first; at++) {
    const each = journey.stops[at]!
    const isUnderIt =
      each.order === stop.order
        ? way.held?.isOwn === true && way.held.document === document
        : isUnder(before[first + at], document)
    if (isUnderIt) for (const { firstDay, lastDay } of cut(each)) addDays(count, firstDay, lastDay, "certain")
  }
  return count.certain - uncountedDays(findRule(arrival))
}

// ---- Visits to one country

// How many days of visits to one country count, and how many are allowed?
//
// A country's stay rule says how its days add up: from each entry, in any window, in a calendar year, or in the year that begins with the
// first entry. If none is recorded, the days of all visits inside any 365 days add up, because nothing says that a count starts over. A
// year of entry ends on the day of the same number; the next one begins with the first day of presence after it. A visit of some months
// lasts to the day of the same number, even if tables write ninety days for three months; only days that are fewer than so many months can
// have (such as thirty under a document) stay the limit. Both ends of a visit count, except the day of entry under some rules, and a day
// that two visits share counts once. If a visit to a neighbour starts no new stay, a traveller who returns from there has the rest of the
// days since the admission, and the days in the neighbour count (8 CFR 217.3(b)).

/**
 * How days add up under a recorded rule. `admission`: from an admission that visits to neighbours do not end.
 * `accumulated`: no rule is recorded.
 */
type StayCounting = "per_entry" | "rolling" | "calendar_year" | "per_year_of_entry" | "admission" | "accumulated"

/** The parts of a stay rule that concern counting. */
interface CountingRule
  extends Pick<
    StayRule,
    "days" | "months" | "windowDays" | "visitDays" | "daysOutside" | "readmissionDays" | "firstDayCounted"
  > {
  readonly kind: Exclude<StayCounting, "admission" | "accumulated">
}

/** Visits to one country: first and last day of each. They are in the order of their first days, and two may share days. */
type Visits = readonly EpochDay[]

/** Counted days of a stay. */
interface MeasuredStay {
  readonly days: number
  readonly allowed: number
  readonly counting: StayCounting | "visit"
}

/** The fewest days of a month. */
const LEAST_DAYS_OF_MONTH = 28

/** The window in which visits add up without a recorded rule. */
const ACCUMULATION_DAYS = 365

/**
 * Measures the last of some visits: by the period of the rule that leaves the fewest days, or by the longest single visit if that limit is
 * exceeded. Null if nothing limits the days. `returns` are the first days of visits that return from a neighbour of the rule.
 *
 * Cannot fail. A pass or two over the visits; allocates the answer only.
 *
 * @example
 * ```ts
 * const visits = [20000, 20044, 20300, 20344]
 * const rule = {
 *   ...{ kind: "per_entry", days: null, months: null, windowDays: null, visitDays: null, daysOutside: null },
 *   ...{ readmissionDays: null, firstDayCounted: true },
 * }
 * measureStay(null, visits, 60) // => { days: 90, allowed: 60, counting: "accumulated" }
 * measureStay(rule, visits, 60) // => { days: 45, allowed: 60, counting: "per_entry" }
 * measureStay(null, [20000, 20044, 20400, 20444], 60).days // => 45
 * ```
 */
export function measureStay(
  rule: CountingRule | null,
  visits: Visits,
  maxDays: number | null,
  returns: readonly EpochDay[] = NOTHING,
): MeasuredStay | null {
  const last = visits.length - 2
  const visitDays = visits[last + 1]! - visits[last]! + 1
  if (rule === null) {
    if (maxDays === null) return null
    // A visit that is too long by itself is too long whatever the others were.
    if (visitDays > maxDays || visits.length === 2) return { days: visitDays, allowed: maxDays, counting: "visit" }
    const days = countVisitDays(visits, findWindowStart(ACCUMULATION_DAYS, visits[last + 1]!), visits[last + 1]!)
    return { days, allowed: maxDays, counting: "accumulated" }
  }
  const measured = measureSpan(rule, visits, maxDays, returns)
  // If the rule's days are for a longer period, the pair's own days limit a single visit.
  const isLonger = rule.kind !== "per_entry" && rule.days !== null && maxDays !== null && maxDays < rule.days
  const limit = rule.visitDays ?? (isLonger ? maxDays : null)
  const isTooLong = limit !== null && visitDays > limit
  // Days that the rule does not name may not be a maximum. They must not hide the visit's limit, which the rule names.
  return isTooLong && (measured === null || !namesDays(rule, measured.counting) || measured.days <= measured.allowed)
    ? { days: visitDays, allowed: limit, counting: "visit" }
    : measured
}

function measureSpan(
  rule: CountingRule,
  visits: Visits,
  maxDays: number | null,
  returns: readonly EpochDay[],
): MeasuredStay | null {
  const { kind, months } = rule
  const first = visits[visits.length - 2]!
  const last = visits[visits.length - 1]!
  const allowed = rule.days ?? maxDays
  if (kind === "per_entry") {
    if (returns.length > 0 && allowed !== null) return measureAdmission(rule, visits, allowed, returns)
    const entry = findEntry(visits, rule.daysOutside ?? 0)
    const isInMonths = months !== null && (maxDays === null || maxDays >= months * LEAST_DAYS_OF_MONTH)
    const allowedDays = isInMonths ? addCivilMonths(entry, months) - entry + 1 : allowed
    return allowedDays === null
      ? null
      : { days: countVisitDays(visits, entry, last) - uncountedDays(rule), allowed: allowedDays, counting: kind }
  }
  if (allowed === null) return null
  if (kind === "rolling") {
    return { days: countVisitDays(visits, findWindowStart(rule.windowDays!, last), last), allowed, counting: kind }
  }
  let days = 0
  if (kind === "calendar_year") {
    for (let to = last; to >= first; ) {
      const newYear = findNewYear(to)
      days = Math.max(days, countVisitDays(visits, newYear, to))
      to = newYear - 1
    }
  } else {
    for (let from = visits[0]!; from <= last; ) {
      const next = addCivilMonths(from, 12)
      if (next > first) days = Math.max(days, countVisitDays(visits, from, Math.min(last, next - 1)))
      from = findPresence(visits, next)
    }
  }
  return { days, allowed, counting: kind }
}

/** Returns how many days of a visit do not count: the day of the entry, under a rule that says so. */
function uncountedDays(rule: Pick<CountingRule, "firstDayCounted"> | null): number {
  return Number(rule?.firstDayCounted === false)
}

/**
 * Measures visits of which some return from a neighbour of the rule, on the given first days. A traveller who returns before the end of the
 * admission has the rest of its days; later, the days of a readmission, or a new admission.
 */
function measureAdmission(
  rule: CountingRule,
  visits: Visits,
  allowed: number,
  returns: readonly EpochDay[],
): MeasuredStay {
  const uncounted = uncountedDays(rule)
  let entry = visits[0]!
  let given = allowed
  let isReadmitted = false
  for (let at = 2; at < visits.length; at += 2) {
    const first = visits[at]!
    const isReturn = returns.includes(first)
    const isInTime = first < entry + given + uncounted
    isReadmitted = isReturn && (isInTime || rule.readmissionDays !== null)
    if (isReturn && isInTime) continue
    entry = first
    given = isReadmitted ? rule.readmissionDays! : allowed
  }
  const days = visits[visits.length - 1]! - entry + 1 - uncounted
  return { days, allowed: given, counting: isReadmitted ? "admission" : "per_entry" }
}

/** The days of a waiver are those of each visit under it, whatever days the rule has for other visits. */
function limitVisits<Rule extends CountingRule>(
  rule: Rule | null,
  held: object | null,
  maxDays: number | null,
): Rule | null {
  if (rule === null || held === null || maxDays === null) return rule
  return rule.kind === "per_entry" ? { ...rule, days: null } : { ...rule, visitDays: maxDays }
}

// Returns the day of the entry to which the last visit still belongs.
function findEntry(visits: Visits, daysOutside: number): EpochDay {
  let at = visits.length - 2
  while (at > 0 && visits[at]! - visits[at - 1]! - 1 < daysOutside) at -= 2
  return visits[at]!
}

// Returns the first day of presence from a day on; the day after the last visit if there is none.
function findPresence(visits: Visits, day: EpochDay): EpochDay {
  for (let at = 0; at < visits.length; at += 2) if (visits[at + 1]! >= day) return Math.max(visits[at]!, day)
  return visits[visits.length - 1]! + 1
}

// Counts the days of visits between two days, both included.
function countVisitDays(visits: Visits, from: EpochDay, to: EpochDay): number {
  const count = startCountSince(from)
  for (let at = 0; at < visits.length && visits[at]! <= to; at += 2) {
    addDays(count, visits[at]!, visits[at + 1]! < to ? visits[at + 1]! : to, "certain")
  }
  return count.certain
}

// ---- Earlier overstays

interface Overstay {
  readonly days: number
  readonly allowed: number
  readonly by: string
}

/**
 * Finds the stay before the journey in the country or zone of an entry that exceeded the limit most, by today's rules.
 *
 * A traveller who overstayed before may be refused or fined at the next entry. An officer decides, so it is a reported risk and not a
 * blocker. Earlier stays count as a visitor's without a visa. Days that add up only because no stay rule is recorded are ignored.
 */
export function findOverstay(arrival: Arrival, { counting }: Pick<Past, "counting">): Issue | null {
  const { journey, stop, way, before } = arrival
  const count = journey.earlier.length
  if (way.movesFreely || way.requirement.status === "unknown" || counting === "permit") return null
  const isInZone = stop.zonePlace !== null && stop.inZone[0]!.order < count
  let worst: Overstay | null = null
  for (const stay of isInZone ? stop.inZone : stop.here) {
    if (stay.order >= count) break
    const found = isInZone ? measureInZone(stay, before) : measureInCountry(arrival, stay)
    if (found !== null && (worst === null || found.days - found.allowed > worst.days - worst.allowed)) worst = found
  }
  return worst === null ? null : ask("earlier_overstay", { destination: stop.destination, ...worst })
}

function measureInZone(stay: Stay, entered: Entered): Overstay | null {
  const place = stay.zonePlace!
  const day = findLastMemberDay(place.memberships, stay.firstDay, stay.lastDay)
  if (day === null || entered[stay.order]!.counting !== "certain") return null
  const { certain: days } = countZoneDays(stay.inZone, stay.order, entered, place, day)
  const allowed = place.zone.rule.allowanceDays
  return days > allowed ? { days, allowed, by: stay.to } : null
}

function measureInCountry(arrival: Arrival, stay: Stay): Overstay | null {
  const { before: entered, way } = arrival
  const { requirement, maxDays } = way
  const isFree = requirement.status === "known" && (requirement.value === "visa_free" || requirement.value === "eta")
  if (!isFree || !isVisit(entered[stay.order]!)) return null
  const measured = measureVisits(arrival, stay, entered, findRule(arrival), maxDays)
  if (measured === null || measured.counting === "accumulated" || measured.days <= measured.allowed) return null
  return { days: measured.days, allowed: measured.allowed, by: stay.to }
}
