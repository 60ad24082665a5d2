/**
 * Is a stay too long for the country, or for its zone?
 *
 * Days in one country add up over all of its stops and the given earlier stays, by the country's stay rule, or, if none is recorded, inside
 * any 365 days (stay-counting.ts). If a zone's rule applies to a stop, only the days in the zone's reference period count for the country's
 * own stay: 60 days in January and 60 in October are lawful under 90 in any 180 days (Regulation (EU) 2016/399, Art. 6(1)). Days at home,
 * and days under a permit of the country, are not a visitor's days.
 *
 * A zone's rule is judged at the last day of a stop (within a stop the count never falls), for stays of a fixed number of days without a
 * visa. It does not bind travellers who are at home or move freely, and their days do not count. If there are days in the period that may
 * count, the figure is unknown, and only days that certainly count can block. Such days do not end a single permission either, because the
 * traveller has not left. If a country's own stay is longer than the zone's allowance (El Salvador's 180 days in CA-4's 90), a longer stay
 * spent there only is unknown. So is a stay that only an agreement beside the visitors' rule could allow (agreements.ts).
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { StayRule } from "../dataset/rule-terms.ts"
import { pickStayRule } from "../requirement/stay-rules.ts"
import { type Agreement, findAgreement } from "./agreements.ts"
import { block, type DecisionState, noteCondition, noteUnknown, type StopState } from "./decision-state.ts"
import { countDaysUnder } from "./document-entries.ts"
import { isInHand } from "./entry-terms.ts"
import { knownDays } from "./findings.ts"
import { nameDocument } from "./held-entries.ts"
import { listStayRules } from "./pair-findings.ts"
import { countDaysHere, countZoneDays, isVisit, listReturns, listVisits } from "./presence.ts"
import type { ZoneFinding, ZonePlace } from "./rules.ts"
import { ACCUMULATION_DAYS, type CountingRule, limitVisits, type MeasuredStay, measureStay } from "./stay-counting.ts"
import type { Step } from "./step-fields.ts"
import { restsOnTable } from "./table-stays.ts"
import type { Way } from "./ways.ts"
import { findLastMemberDay } from "./zones.ts"

/** The findings about the length of a stay. */
type StayFindings = Pick<Step, "maxStay" | "countedStay" | "zoneStay">

/** Judges the length of a stop, and reports what is exceeded and what is unknown. */
export function judgeStay(state: DecisionState, index: number): StayFindings {
  const stop = state.stops[index]!
  const terms = stop.terms!
  const place = stop.zonePlace
  const zoneDay =
    place === null || terms.movesFreely ? null : findLastMemberDay(place.memberships, stop.firstDay, stop.lastDay)
  if (terms.held !== null) judgeBounds(state, index, terms.held)
  // A traveller under a permit is not a visitor.
  if (place === null || zoneDay === null || stop.counting === "permit") {
    return judgeOwnStay(state, index, null)
  }
  if (stop.counting !== "certain") {
    const zoneStay = place.zone.rule.kind === "rolling" && isInHand(terms) ? place.unclearVisa : place.noFixedStay
    const { maxStay, countedStay } = judgeOwnStay(state, index, null)
    noteUnknown(state, "zoneStay", index, zoneStay)
    return { maxStay, countedStay, zoneStay }
  }
  return judgeInZone(state, index, place, zoneDay)
}

// Judges a held document's limits: its last day and its days.
function judgeBounds(state: DecisionState, index: number, { document, boundDays, untilDay }: Way): void {
  const { destination, to, lastDay } = state.stops[index]!
  const named = nameDocument(document)
  const basis = { basis: "held_document" } as const
  if (untilDay !== null && lastDay > untilDay) {
    block(state, index, "stay_exceeded", { ...named, destination, by: to, until: document.read.validUntil! }, basis)
  }
  const days = boundDays === null ? 0 : countDaysUnder(state, index)
  if (boundDays !== null && days > boundDays) {
    block(state, index, "stay_exceeded", { ...named, destination, by: to, days, allowed: boundDays }, basis)
  }
}

// Returns the longest stay as found, or unknown if only an agreement could allow the stay.
function settle(state: DecisionState, index: number, agreement: Agreement | null): Step["maxStay"] {
  const maxStay = agreement === null ? state.stops[index]!.terms!.maxStay : agreement.maxStay
  if (maxStay.status === "unknown") noteUnknown(state, "maxStay", index, maxStay)
  return maxStay
}

function isUncounted(maxStay: Step["maxStay"]): StayFindings {
  return { maxStay, countedStay: null, zoneStay: null }
}

function judgeInZone(state: DecisionState, index: number, place: ZonePlace, zoneDay: EpochDay): StayFindings {
  const stop = state.stops[index]!
  const { maxDays: ownDays, held } = stop.terms!
  const agreement = held === null ? findAgreement(state, stop, place) : null
  if (agreement?.kind === "exempt") {
    stop.counting = "permit"
    return isUncounted(settle(state, index, stop.lastDay - stop.firstDay + 1 <= ownDays! ? null : agreement))
  }
  const isPerhaps = agreement?.kind === "perhaps"
  if (isPerhaps) stop.counting = "possible"
  // A visa's own days are judged as limits of the document.
  const maxDays = ownDays ?? Number.POSITIVE_INFINITY
  const { allowanceDays } = place.zone.rule
  const { certain, possible, sinceDay } = countZoneDays(stop, place, zoneDay)
  const used = isPerhaps ? possible : certain
  const isUnsure = !isPerhaps && possible !== certain
  // Counted only if it can matter: the days here never exceed those in the whole zone.
  const usedHere =
    used > Math.min(maxDays, allowanceDays) ? countDaysHere(stop, sinceDay)[isPerhaps ? "possible" : "certain"] : used
  const mayStay =
    agreement !== null && (isPerhaps || measureVisit(stop) <= allowanceDays + agreement.days) ? agreement : null
  const isExceeded = usedHere > maxDays
  const own =
    zoneDay === stop.lastDay
      ? isUncounted(settle(state, index, isExceeded ? mayStay : null))
      : judgeOwnStay(state, index, mayStay)
  if (zoneDay === stop.lastDay && isExceeded && mayStay === null) {
    const counted = {
      destination: stop.destination,
      days: usedHere,
      places: listPlaces(stop),
      by: stop.to,
      allowed: maxDays,
    }
    block(state, index, "stay_exceeded", { ...counted, counting: "visit", window: null })
  }
  let zoneStay: ZoneFinding
  if (used > allowanceDays && maxDays > allowanceDays && held === null && usedHere === used) zoneStay = place.ownStay
  else if (used > allowanceDays && mayStay !== null) zoneStay = mayStay.zoneStay
  else {
    if (used > allowanceDays) exceedZone(state, index, place, zoneDay, used)
    zoneStay = isUnsure
      ? place.otherStays
      : { granularity: "pair", status: "known", value: used, zone: place.zone.id, allowanceDays }
  }
  if (zoneStay.status === "unknown") noteUnknown(state, "zoneStay", index, zoneStay)
  return { maxStay: own.maxStay, countedStay: own.countedStay, zoneStay }
}

// Measures a whole visit, because no more than a window's days are used in a zone.
function measureVisit(stop: StopState): number {
  const visits = listVisits(stop)
  return visits[visits.length - 1]! - visits[visits.length - 2]! + 1
}

function exceedZone(state: DecisionState, index: number, { zone }: ZonePlace, zoneDay: EpochDay, used: number): void {
  const { lastDay, to } = state.stops[index]!
  const { rule, name, id } = zone
  const lastOn = zoneDay === lastDay ? to : formatCivilDate(zoneDay)
  const window = rule.kind === "rolling" ? rule.windowDays : null
  const params = { days: used, zone: id, name, by: lastOn, allowed: rule.allowanceDays, window }
  block(state, index, "zone_stay_exceeded", params, { zone: id })
}

// Lists the destinations of a country whose days count together, in the order of the visits.
function listPlaces(stop: StopState): readonly string[] {
  const names: string[] = []
  for (let stay = stop.firstHere; stay !== null && stay.order <= stop.order; stay = stay.nextHere) {
    if (!names.includes(stay.destination)) names.push(stay.destination)
  }
  return names
}

// Judges the stay by the country's own rule, and reports the counted days if they exceed those of the stop.
function judgeOwnStay(state: DecisionState, index: number, agreement: Agreement | null): StayFindings {
  const stop = state.stops[index]!
  const { maxDays, maxStay } = stop.terms!
  const rule = findRule(state, stop)
  const days = stop.lastDay - stop.firstDay + 1
  const isOnlyVisit = stop.daysAccumulated === days && stop.firstHere!.order >= state.earlierStays.length
  const isAlone = rule === null && isOnlyVisit
  if (isAlone && (maxDays === null || days <= maxDays)) {
    return isUncounted(settle(state, index, null))
  }
  const limits = limitVisits(rule, stop.terms!.held, maxDays)
  let measured: MeasuredStay | null = null
  if (isAlone) measured = { days, allowed: maxDays!, counting: "visit" }
  else if (isVisit(stop)) {
    measured = isOnlyVisit
      ? measureStay(limits, [stop.firstDay, stop.lastDay], maxDays)
      : measureVisits(state, stop, limits, maxDays)
  }
  if (measured === null) return isUncounted(settle(state, index, null))
  const isExceeded = measured.days > measured.allowed
  let longest: Step["maxStay"] = maxStay
  if (isExceeded && agreement !== null) longest = settle(state, index, agreement)
  // The longest stay is what a rule allows from one entry on. For an admission that began before, it is the rest.
  else if (measured.counting === "admission") {
    longest = knownDays(Math.max(0, measured.allowed - measured.days + days))
  } else if (maxStay.status === "unknown" || (measured.counting === "per_entry" && stop.terms!.held === null))
    longest = knownDays(measured.allowed)
  if (isExceeded && agreement === null) exceed(state, index, measured, rule)
  if (isAlone) return { maxStay: longest, countedStay: null, zoneStay: null }
  const { days: value, allowed: allowanceDays, counting } = measured
  const countedStay = { granularity: "pair", status: "known", value, allowanceDays, counting, rule } as const
  return { maxStay: longest, countedStay, zoneStay: null }
}

/** Measures the last of the visits to a country up to a stay there. */
export function measureVisits(
  state: DecisionState,
  stay: StopState,
  rule: (StayRule & CountingRule) | null,
  maxDays: number | null,
): MeasuredStay | null {
  const neighbours = rule?.neighbours ?? null
  const returns = neighbours === null ? NOTHING : listReturns(state, stay, neighbours)
  return measureStay(rule, listVisits(stay), maxDays, returns)
}

/**
 * Finds the stay rule of a stop. A rule for visitors does not bind a traveller who moves freely, unless free movement
 * itself has a number of days.
 */
export function findRule(state: DecisionState, stop: StopState): (StayRule & CountingRule) | null {
  const { requirement, movesFreely, maxDays } = stop.terms!
  if (requirement.status === "unknown" || (movesFreely && maxDays === null)) return null
  if (state.rules.hasStayRules[stop.column] !== 1) return null
  const { answer, value } = requirement
  const rules = listStayRules(state, stop, answer)
  return pickStayRule(rules, stop.firstDay, value, isInHand(stop.terms!)) as (StayRule & CountingRule) | null
}

function exceed(
  state: DecisionState,
  index: number,
  { days, allowed, counting }: MeasuredStay,
  rule: StayRule | null,
): void {
  const stop = state.stops[index]!
  const counted = { destination: stop.destination, days, places: listPlaces(stop), by: stop.to, allowed }
  const isRuled = rule !== null && (counting === "visit" ? rule.visitDays : (rule.days ?? rule.months)) !== null
  if (stop.terms!.isTableStay && !isRuled && restsOnTable(state, stop)) {
    noteCondition(state, index, "check_permitted_stay", counted)
    return
  }
  const isAccumulated = counting === "accumulated"
  const window = isAccumulated ? ACCUMULATION_DAYS : counting === "rolling" ? rule!.windowDays : null
  const basis = isAccumulated ? ({ basis: "accumulated" } as const) : {}
  block(state, index, "stay_exceeded", { ...counted, counting, window }, basis)
}
