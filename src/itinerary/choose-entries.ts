/**
 * With which passport, and with which document, is each stop entered, so that the result for the whole journey is best?
 *
 * Of all ways through the stops, the one with the fewest blockers is taken, then the fewest unknowns, then the easiest: first by the
 * requirements over all stops, then by the stays, then by the given order of passports from the first stop on. So an additional passport
 * never makes a journey worse. Unknowns count only if they could hide a blocker; freedom of movement without a number of days hides none. A
 * missing expiry date is one unknown of the whole journey, for each passport that is used.
 *
 * A choice at one stop matters to later ones only through days that count in a zone or country, entries of a visa, and passports that
 * expire. Ways that are equal in these are followed once. The cheapest entry at each stop gives the best way, unless some choice matters
 * later and the way costs more than the sum of the least costs of its stops. Only then other ways are followed: as many as the work for one
 * decision allows (work.ts), the cheapest so far first. Even if some are left out, the result is never worse than that of each passport by
 * itself.
 */

import { MAX_HELD_DOCUMENTS } from "../requirement/held-documents.ts"
import type { DayCounting } from "./day-count.ts"
import { type DecisionState, measureLists, removeFound, type StopState } from "./decision-state.ts"
import { type EntryOption, isOpen, listOptions, type Options, selectOptions } from "./entry-options.ts"
import { isHarmless } from "./findings.ts"
import { isExpired, servesExpired } from "./judge-passport.ts"
import { judgeStop } from "./judge-stop.ts"
import { isNational } from "./pair-findings.ts"
import type { Step } from "./step-fields.ts"
import type { PassportState } from "./traveller-state.ts"
import { BLOCKER_COST, CHECK_COST, GAP_COST } from "./ways.ts"

/** The most ways that are followed in parallel. With fewer than ten passports and stays of any length, there are seldom more. */
const MAX_WAYS = 400
/** The cost of something to obtain or do beside the requirement: more than any stay's, less than a requirement's. */
const TO_DO_COST = 50_000
/** The work of judging an entry, without the counting of earlier stays. */
const WORK_OF_JUDGING = 20

/** A stop that was judged after others. */
interface JudgedEntry {
  readonly option: EntryOption
  readonly cost: number
  readonly leastCost: number
  readonly counting: DayCounting
  /** Its effect on later stops. */
  readonly laterEffect: number
  /**
   * A bit for the passport, if its expiry is reported here for the whole journey: the passport expires before this
   * stop's exit, or the expiry is not given.
   */
  readonly reported: number
  readonly step: Step
}

/** A way through the first stops. */
interface Way {
  readonly previous: Way | null
  readonly entry: JudgedEntry
  readonly cost: number
  /** The passports whose expiry is reported. */
  readonly reported: number
  readonly trace: string
  /** The numbers of its entries, which decide between two ways of equal cost. */
  readonly order: string
}

/** Judges all stops, each entered in the way that is best for the whole. The state then holds the findings. */
export function judgeBestWay(state: DecisionState): Step[] {
  const options = listOptions(state)
  const cheapest = followCheapest(state, options)
  return cheapest.isBest ? cheapest.steps : settle(state, findBest(state, options, cheapest))
}

/** The way with the cheapest entry at every stop, as it is in the state. */
interface CheapestWay {
  readonly entries: readonly JudgedEntry[]
  readonly steps: Step[]
  readonly cost: number
  /** The least cost of each stop, whatever came before it. */
  readonly leastCosts: readonly number[]
  readonly isBest: boolean
}

function followCheapest(state: DecisionState, options: Options): CheapestWay {
  const entries: JudgedEntry[] = []
  const steps: Step[] = []
  const leastCosts: number[] = []
  let cost = 0
  let leastCost = costOfAnyPassport(state)
  let reported = 0
  let isForked = false
  const workOfJudging = countJudging(state)
  for (let index = 0; index < state.stops.length; index++) {
    const start = measureLists(state)
    const first = options[index]!
    const likely = findLikely(state, index, first, reported)
    let cheapest = enter(state, index, reported, likely)
    let least = cheapest.leastCost
    for (let option: EntryOption | null = first; option !== null; option = option.next) {
      if (option === likely) continue
      const bound = option.leastCost + costOfFirstUse(reported, option.passport)
      if (!isOpen(state, index, first, option)) {
        isForked = true
        least = Math.min(least, option.leastCost)
      } else if (bound > cheapest.cost || (bound === cheapest.cost && option.place > cheapest.option.place)) {
        least = Math.min(least, option.leastCost)
        isForked ||= !outdoes(state, index, cheapest, option, option.leastCost)
      } else {
        state.work.left -= workOfJudging
        const middle = measureLists(state)
        const entry = enter(state, index, reported, option)
        least = Math.min(least, entry.leastCost)
        const isCheaper =
          entry.cost < cheapest.cost || (entry.cost === cheapest.cost && entry.option.place < cheapest.option.place)
        const left = isCheaper ? cheapest : entry
        // Only the findings of the cheaper one stay.
        if (isCheaper) {
          removeFound(state, start, middle)
          cheapest = entry
        } else {
          removeFound(state, middle, measureLists(state))
          takeEntry(state.stops[index]!, cheapest)
        }
        const { passport } = left.option
        isForked ||= !outdoes(state, index, cheapest, left.option, left.cost - costOfFirstUse(reported, passport))
      }
    }
    steps.push(cheapest.step)
    entries.push(cheapest)
    leastCosts.push(least)
    reported |= cheapest.reported
    cost += cheapest.cost
    leastCost += least
  }
  return { entries, steps, cost, leastCosts, isBest: !isForked || cost === leastCost }
}

function countJudging({ earlierStays }: DecisionState): number {
  return WORK_OF_JUDGING + (earlierStays.length >> 2)
}

// Returns the least cost of using any passport.
function costOfAnyPassport({ passports }: DecisionState): number {
  return passports.some(each => costOfFirstUse(0, each) === 0) ? 0 : GAP_COST
}

// Returns the cost of a passport's first use, if its expiry is not given. A passport without a record has another gap,
// whether it is used or not.
function costOfFirstUse(reported: number, { expiryDay, isRecorded, place }: PassportState): number {
  return expiryDay === null && isRecorded && (reported & (1 << place)) === 0 ? GAP_COST : 0
}

// Finds the open entry with the least known cost before any is judged.
function findLikely(state: DecisionState, index: number, first: EntryOption, reported: number): EntryOption {
  let likely: EntryOption | null = null
  let least = 0
  for (let option: EntryOption | null = first; option !== null; option = option.next) {
    const bound = option.leastCost + costOfFirstUse(reported, option.passport)
    if ((likely === null || bound < least) && isOpen(state, index, first, option)) {
      likely = option
      least = bound
    }
  }
  return likely!
}

// Says whether an entry that costs no more than another leaves later stops no worse: both are equal in what matters
// later, or its days count no more and it uses up no document. An expiry that was already reported is not reported
// again, so the other entry must cost more even without that report; `laterCost` is its least cost without it.
function outdoes(
  state: DecisionState,
  index: number,
  taken: JudgedEntry,
  { passport, terms, place }: EntryOption,
  laterCost: number,
): boolean {
  if (laterCost < taken.cost || (laterCost === taken.cost && place < taken.option.place)) return false
  const { column, lastDay, zonePlace } = state.stops[index]!
  const { passport: takenPassport, terms: takenTerms } = taken.option
  const isLeftExpired = !terms.isHome && isExpired(passport, lastDay)
  if (isLeftExpired || (taken.reported !== 0 && takenPassport.expiryDay !== null)) return false
  if (taken.laterEffect === NOTHING || taken.laterEffect === HOME) return true
  const isAlike = takenTerms.held === null && takenTerms.counting === terms.counting
  if (!isAlike || takenTerms.isHome || terms.isHome) return false
  // An agreement changes which days count, for some passports.
  return (
    zonePlace === null ||
    !(state.rules.hasStayRules[column] === 1 || isNational(zonePlace, takenPassport) || isNational(zonePlace, passport))
  )
}

// Judges one stop after others, whose entries are in the state's stops, and adds the findings to the state's lists.
function enter(state: DecisionState, index: number, reported: number, option: EntryOption): JudgedEntry {
  const { passport, terms } = option
  const { blockers, conditions, unknowns } = state
  const firstBlocker = blockers.length
  const firstCondition = conditions.length
  const firstUnknown = unknowns.length
  const step = judgeStop(state, index, passport, terms)
  const stop = state.stops[index]!
  let cost = option.effort
  let leastCost = cost
  for (let at = firstBlocker; at < blockers.length; at++) {
    const { code } = blockers[at]!
    cost += BLOCKER_COST
    if (code !== "stay_exceeded" && code !== "zone_stay_exceeded") leastCost += BLOCKER_COST
  }
  for (let at = firstUnknown; at < unknowns.length; at++) {
    const { field, code } = unknowns[at]!
    if (isHarmless(code)) continue
    cost += GAP_COST
    if (field !== "zoneStay" && field !== "maxStay") leastCost += GAP_COST
    else if (field === "maxStay" && terms.maxStay.status === "unknown") leastCost += GAP_COST
  }
  for (let at = firstCondition; at < conditions.length; at++) {
    const { code, due, isRequirement } = conditions[at]!.said
    if (due === "nothing" || isRequirement) continue
    const ofCondition = due === "check" ? CHECK_COST : TO_DO_COST
    cost += ofCondition
    // These depend on the stops before.
    if (code !== "check_held_document" && code !== "check_permitted_stay") leastCost += ofCondition
  }
  let expiryCost = 0
  if (passport.expiryDay === null) expiryCost = costOfFirstUse(reported, passport)
  else if (!terms.isHome && isExpired(passport, stop.lastDay)) {
    if (servesExpired(state, stop, passport)) cost += GAP_COST
    else if ((reported & (1 << passport.place)) === 0) expiryCost = BLOCKER_COST
  }
  return {
    option,
    cost: cost + expiryCost,
    leastCost,
    counting: stop.counting,
    laterEffect: findLaterEffect(stop),
    reported: expiryCost === 0 ? 0 : 1 << passport.place,
    step,
  }
}

// The effect of an entry on later stops, as a number: none; days at home, which are not a visitor's, although freedom
// of movement may have a number of days; otherwise how its days count, and which document it uses up.
const NOTHING = 0
const HOME = 1

function effectOf(counting: DayCounting): number {
  return counting === "certain" ? 2 : counting === "none" ? 3 : counting === "possible" ? 4 : 5
}

// Considers only what later stops count again: days in a zone, and in a country that is visited again; entries and days of a document.
function findLaterEffect({ terms, counting, nextHere, nextInZone }: StopState): number {
  const { held, isHome } = terms!
  if (held?.isOwn === true) return effectOf(counting) + 8 * (1 + (held.document.place ?? MAX_HELD_DOCUMENTS))
  if (nextHere === null && nextInZone === null) return NOTHING
  return isHome ? HOME : effectOf(counting)
}

function takeEntry(stop: StopState, { option, counting }: JudgedEntry): void {
  stop.passport = option.passport
  stop.terms = option.terms
  stop.counting = counting
}

// Follows every way that may become the best, and merges those that continue equally.
function findBest(state: DecisionState, options: Options, cheapest: CheapestWay): readonly JudgedEntry[] {
  const { entries, cost, leastCosts } = cheapest
  const { stops, work } = state
  let costToCome = leastCosts.reduce((sum, least) => sum + least, 0)
  let ways: (Way | null)[] = [null]
  let isCut = false
  const workOfJudging = countJudging(state)
  for (let index = 0; index < stops.length; index++) {
    costToCome -= leastCosts[index]!
    const first = options[index]!
    // Each stop gets an equal part of the remaining work, so that every followed way is followed to the end.
    const reserved = work.left - work.left / (stops.length - index)
    const next = new Map<string, Way[]>()
    for (let at = 0; at < ways.length; at++) {
      if (at > 0 && work.left < reserved) {
        isCut = true
        break
      }
      const way = ways[at]!
      recall(state, index - 1, way)
      const most = cost - costToCome - (way?.cost ?? 0)
      const reported = way?.reported ?? 0
      for (let option: EntryOption | null = first; option !== null; option = option.next) {
        work.left--
        if (option.leastCost + costOfFirstUse(reported, option.passport) > most) continue
        if (!isOpen(state, index, first, option)) continue
        work.left -= workOfJudging
        forget(state)
        const found = goOn(way, enter(state, index, reported, option))
        if (found.cost + costToCome <= cost) keepUnlessBeaten(state, next, found)
      }
    }
    // The cheapest come first, so that they are followed if there is not enough work for all.
    const found = [...next.values()].flat().sort(compareWays)
    isCut ||= found.length > MAX_WAYS
    ways = found.slice(0, MAX_WAYS)
  }
  const best = ways[0] ?? null
  const found = best === null ? entries : listEntries(best)
  if (!isCut) return found
  // If ways had to be left out, each passport by itself is still compared.
  let least = best?.cost ?? cost
  let kept = found
  for (const passport of state.passports) {
    const own = selectOptions(options, passport)
    if (own === null) continue
    forget(state)
    const alone = followCheapest(state, own)
    if (alone.cost < least) {
      least = alone.cost
      kept = alone.entries
    }
  }
  return kept
}

function goOn(previous: Way | null, entry: JudgedEntry): Way {
  return {
    previous,
    entry,
    cost: (previous?.cost ?? 0) + entry.cost,
    reported: (previous?.reported ?? 0) | entry.reported,
    trace: (previous?.trace ?? "") + String.fromCharCode(entry.laterEffect),
    order: (previous?.order ?? "") + String.fromCharCode(entry.option.place),
  }
}

function compareWays(a: Way, b: Way): number {
  return a.cost - b.cost || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)
}

// Ways with the same trace continue equally. One is dropped if another is never more expensive whatever follows,
// including the expiries that the other one has not reported yet.
function keepUnlessBeaten(state: DecisionState, ways: Map<string, Way[]>, found: Way): void {
  const alike = ways.get(found.trace) ?? []
  if (alike.some(each => beats(state, each, found))) return
  ways.set(found.trace, [...alike.filter(each => !beats(state, found, each)), found])
}

function beats(state: DecisionState, one: Way, other: Way): boolean {
  if (one.cost > other.cost) return false
  const most = one.cost + costOfReports(state, other.reported & ~one.reported)
  return most < other.cost || (most === other.cost && one.order < other.order)
}

// Returns the highest cost of the expiries of some passports.
function costOfReports({ passports }: DecisionState, mask: number): number {
  let cost = 0
  for (const { expiryDay, place } of passports) {
    if ((mask & (1 << place)) !== 0) cost += expiryDay === null ? GAP_COST : BLOCKER_COST
  }
  return cost
}

// Restores the entries of a way in the stops, from the last to the first.
function recall(state: DecisionState, index: number, way: Way | null): void {
  let at = index
  for (let each = way; each !== null; each = each.previous) takeEntry(state.stops[at--]!, each.entry)
}

function listEntries(way: Way): JudgedEntry[] {
  const entries: JudgedEntry[] = []
  for (let each: Way | null = way; each !== null; each = each.previous) entries.push(each.entry)
  return entries.reverse()
}

// Judges the stops with the entries of a way, in order.
function settle(state: DecisionState, entries: readonly JudgedEntry[]): Step[] {
  forget(state)
  return entries.map(({ option }, index) => judgeStop(state, index, option.passport, option.terms))
}

function forget({ blockers, conditions, unknowns }: DecisionState): void {
  blockers.length = 0
  conditions.length = 0
  unknowns.length = 0
}
