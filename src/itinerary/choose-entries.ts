/**
 * With which passport, and with which document, is each stop entered, so that the whole journey goes best?
 *
 * Of all ways through the stops the one with the fewest blockers is taken, then the fewest unknowns, then the easiest: by what is asked
 * over all stops, then by the stays; of equal ones that which uses passports in the order named, from the first stop on. So a passport
 * more never makes a journey worse. Unknowns count where they could hide a blocker: that freedom of movement names no days hides none. That
 * a passport's expiry is not given is one unknown of the whole journey, for each passport that is used.
 *
 * A choice at one stop matters to later ones only through the days that count in a zone or country, the entries of a visa and passports
 * that expire, so that ways which are alike in these are followed once. The cheapest entry at each stop makes the best way unless some
 * choice matters later and the way costs more than its stops do at least, whatever came before; only then others are followed: as many as
 * the work allows that one decision may cost (work.ts), those that cost least so far first. Where some are left out, the way that is taken
 * is still never worse than that of each passport by itself.
 */

import { MAX_HELD_DOCUMENTS } from "../requirement/held-documents.ts"
import { type DecisionState, measureLists, removeFound, type StopState } from "./decision-state.ts"
import { countOptions, type EntryOption, isOpen, listOptions, type Options, selectOptions } from "./entry-options.ts"
import { BLOCKER_COST, type DayCounting, GAP_COST } from "./entry-terms.ts"
import { isHarmless } from "./findings.ts"
import { isExpired } from "./judge-passport.ts"
import { judgeStop } from "./judge-stop.ts"
import { isNational } from "./pair-findings.ts"
import type { Step } from "./step-fields.ts"
import type { PassportState } from "./traveller-state.ts"

/** The most ways that are followed at once. With fewer passports than ten, and stays of any length, there are seldom more. */
const MAX_WAYS = 400
/** What it takes to judge an entry, beside the counting of earlier stays. */
const WORK_OF_JUDGING = 20

/** A stop that was judged behind others. */
interface JudgedEntry {
  readonly option: EntryOption
  readonly cost: number
  readonly leastCost: number
  readonly counting: DayCounting
  /** What of it matters to later stops. */
  readonly laterEffect: number
  /** A bit for the passport, if its expiry is reported here for the whole journey: it is before this stop's exit, or not given. */
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
  /** Its entries by their places, which says what comes first of two that cost the same. */
  readonly order: string
}

/** Judges all stops, each entered in the way that is best for the whole; the state then holds what was found. */
export function judgeBestWay(state: DecisionState): Step[] {
  const options = listOptions(state)
  const cheapest = followCheapest(state, options)
  return cheapest.isBest ? cheapest.steps : settle(state, findBest(state, options, cheapest))
}

/** The way that takes the cheapest entry at every stop, as it is in the state. */
interface CheapestWay {
  readonly entries: readonly JudgedEntry[]
  readonly steps: Step[]
  readonly cost: number
  /** What each stop costs at least, whatever came before it. */
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
        // Only what was found of the cheaper one stays.
        if (isCheaper) removeFound(state, start, middle)
        else removeFound(state, middle, measureLists(state))
        if (isCheaper) cheapest = entry
        else takeEntry(state.stops[index]!, cheapest)
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

// What every way costs because it uses some passport.
function costOfAnyPassport({ passports }: DecisionState): number {
  for (let at = 0; at < passports.length; at++) if (costOfFirstUse(0, passports[at]!) === 0) return 0
  return GAP_COST
}

// What a passport costs where it is used first, because its expiry is not given. Of one that has no record another gap is noted, used or not.
function costOfFirstUse(reported: number, { expiryDay, isRecorded, place }: PassportState): number {
  return expiryDay === null && isRecorded && (reported & (1 << place)) === 0 ? GAP_COST : 0
}

// The open entry that costs least as far as can be told before it is judged.
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

// Whether an entry that costs no more than another leaves later stops no worse: they are alike, or its days count no more and it uses up no
// document. What was reported of a passport has not to be reported again: so the other one has to cost more even with that left out, which
// `laterCost` is at least.
function outdoes(
  state: DecisionState,
  index: number,
  taken: JudgedEntry,
  { passport, terms, place }: EntryOption,
  laterCost: number,
): boolean {
  if (laterCost < taken.cost || (laterCost === taken.cost && place < taken.option.place)) return false
  const { slot, lastDay, zonePlace } = state.stops[index]!
  const { passport: takenPassport, terms: takenTerms } = taken.option
  const isLeftExpired = !terms.isHome && isExpired(passport, lastDay)
  if (isLeftExpired || (taken.reported !== 0 && takenPassport.expiryDay !== null)) return false
  if (taken.laterEffect === NOTHING || taken.laterEffect === HOME) return true
  const isAlike = takenTerms.held === null && takenTerms.counting === terms.counting
  if (!isAlike || takenTerms.isHome || terms.isHome) return false
  // An agreement changes what counts, for some passports.
  return (
    zonePlace === null ||
    !(state.rules.hasStayRules[slot] === 1 || isNational(zonePlace, takenPassport) || isNational(zonePlace, passport))
  )
}

// Judges one stop behind others, whose entries are in the state's stops, and adds what is found to the state's lists.
function enter(state: DecisionState, index: number, reported: number, option: EntryOption): JudgedEntry {
  const { passport, terms } = option
  const { blockers, unknowns } = state
  const firstBlocker = blockers.length
  const firstUnknown = unknowns.length
  const step = judgeStop(state, index, passport, terms)
  const stop = state.stops[index]!
  let cost = terms.effort
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
  let expiryCost = 0
  if (passport.expiryDay === null) expiryCost = costOfFirstUse(reported, passport)
  else if (!terms.isHome && isExpired(passport, stop.lastDay) && (reported & (1 << passport.place)) === 0) {
    expiryCost = BLOCKER_COST
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

// What of an entry matters to later stops, as a number: nothing; days at home, which are no visitor's, though under freedom of movement there
// may be a number of them; else how its days count, and with that the document that is used up.
const NOTHING = 0
const HOME = 1

function effectOf(counting: DayCounting): number {
  return counting === "certain" ? 2 : counting === "none" ? 3 : counting === "possible" ? 4 : 5
}

// Only what later stops count again: days in a zone, and in a country that is visited again; entries and days of a document.
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

// Follows every way that may become the best, and merges those that go on alike.
function findBest(state: DecisionState, options: Options, cheapest: CheapestWay): readonly JudgedEntry[] {
  const { entries, cost, leastCosts } = cheapest
  const { stops, work } = state
  let costToCome = leastCosts.reduce((sum, least) => sum + least, 0)
  let ways: (Way | null)[] = [null]
  let isCut = false
  const workOfJudging = countJudging(state)
  state.isComparing = true
  for (let index = 0; index < stops.length; index++) {
    costToCome -= leastCosts[index]!
    const first = options[index]!
    // Each stop has an equal part of what may still be done, so that every way that is followed is followed to the end.
    const reserved = work.left - work.left / (stops.length - index)
    if (ways.length * countOptions(first) * (1 + workOfJudging) > work.left - reserved) ways.sort(compareStarts)
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
    let found: Way[] = []
    for (const alike of next.values()) found = found.concat(alike)
    if (found.length > MAX_WAYS) {
      isCut = true
      found = found.sort(compareWays).slice(0, MAX_WAYS)
    }
    ways = found
  }
  const best = (ways as Way[]).reduce<Way | null>((a, b) => (a === null || compareWays(b, a) < 0 ? b : a), null)
  const found = best === null ? entries : listEntries(best)
  if (!isCut) return found
  // Where ways had to be left out, each passport by itself is still among those compared.
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

function compareStarts(a: Way | null, b: Way | null): number {
  return a === null || b === null ? 0 : compareWays(a, b)
}

function compareWays(a: Way, b: Way): number {
  return a.cost - b.cost || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)
}

// Ways with the same trace go on alike. One is left out when another is never dearer whatever follows, passports whose expiry is not yet
// reported on that other one included.
function keepUnlessBeaten(state: DecisionState, ways: Map<string, Way[]>, found: Way): void {
  const alike = ways.get(found.trace)
  if (alike === undefined) {
    ways.set(found.trace, [found])
    return
  }
  for (let at = 0; at < alike.length; at++) if (beats(state, alike[at]!, found)) return
  let kept = 0
  for (let at = 0; at < alike.length; at++) {
    const other = alike[at]!
    if (!beats(state, found, other)) alike[kept++] = other
  }
  alike.length = kept
  alike.push(found)
}

function beats(state: DecisionState, one: Way, other: Way): boolean {
  if (one.cost > other.cost) return false
  const most = one.cost + costOfReports(state, other.reported & ~one.reported)
  return most < other.cost || (most === other.cost && one.order < other.order)
}

// What is to be paid at most for the expiry of some passports.
function costOfReports({ passports }: DecisionState, mask: number): number {
  let cost = 0
  for (let left = mask; left !== 0; left &= left - 1) {
    cost += passports[31 - Math.clz32(left & -left)]!.expiryDay === null ? GAP_COST : BLOCKER_COST
  }
  return cost
}

// Puts the entries of a way back into the stops, from the last on to the first.
function recall(state: DecisionState, index: number, way: Way | null): void {
  let at = index
  for (let each = way; each !== null; each = each.previous) takeEntry(state.stops[at--]!, each.entry)
}

function listEntries(way: Way): JudgedEntry[] {
  const entries: JudgedEntry[] = []
  for (let each: Way | null = way; each !== null; each = each.previous) entries.push(each.entry)
  return entries.reverse()
}

// Judges the stops as a way enters them, one behind the other.
function settle(state: DecisionState, entries: readonly JudgedEntry[]): Step[] {
  forget(state)
  state.isComparing = false
  return entries.map(({ option }, index) => judgeStop(state, index, option.passport, option.terms))
}

function forget({ blockers, conditions, unknowns }: DecisionState): void {
  blockers.length = 0
  conditions.length = 0
  unknowns.length = 0
}
