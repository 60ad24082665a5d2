/**
 * With which passport is each stop entered, so that the whole journey goes best?
 *
 * Of all ways through the stops the one with the fewest blockers is taken, then the fewest unknowns, then the easiest: by what is asked
 * over all stops, then by the stays; of equal ones that which uses passports in the order named, from the first stop on. So a passport
 * more never makes a journey worse. Unknowns count where they could hide a blocker: that freedom of movement names no days hides none.
 *
 * A choice at one stop matters to later ones only through the days that count in a zone or country and through passports that expire, so
 * that ways which are alike in these are followed once. As long as no stop is dearer than its cheapest entry could be whatever came
 * before, the first way found is the best one, and nothing else is tried.
 */
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { Blocker, Condition, Draft, Gap, Step } from "./decision.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { HARMLESS } from "./findings.ts"
import { isExhausted, listHeldTerms } from "./held-entries.ts"
import { findTerms, isExpired } from "./judge-passport.ts"
import { judgeStop } from "./judge-stop.ts"
import type { DayCounting } from "./route-input.ts"
import type { ReadPassport } from "./traveller-input.ts"

/** The most ways that are followed at once. With fewer passports than ten, and stays of any length, there are seldom more. */
const MAX_WAYS = 400

// Costs are numbers whose order is that of the choice: blockers, unknowns, effort. A journey has at most 12 stops with some 60 unknowns,
// and its efforts add up to less than 1e8.
const GAP_COST = 1e8
const BLOCKER_COST = 1e11

/** One way of entering at a stop. */
interface EntryOption {
  readonly passport: ReadPassport
  readonly terms: EntryTerms
  /** Its place among the stop's. */
  readonly place: number
}

/** A way through the first stops. */
interface Way extends EntryOption {
  readonly previous: Way | null
  readonly cost: number
  readonly counting: DayCounting
  /** What of it matters to later stops. */
  readonly trace: string
  /** Its entries by their places, which says what comes first of two that cost the same. */
  readonly order: string
  /** A bit for each passport that expires before one of its exits, which is reported once. */
  readonly expired: number
  readonly step: Step
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
  readonly unknowns: readonly Gap[]
}

/** Judges all stops, each entered in the way that is best for the whole; the draft then holds what was found. */
export function judgeBestWay(draft: Draft): Step[] {
  const options = draft.stops.map((_, index) => listOptions(draft, index))
  const first = followCheapest(draft, options)
  let best = first.way
  if (best.cost > first.leastCost) {
    best = findBest(draft, options, first.leastCosts, best)
    // Where ways had to be left out, each passport by itself is still among those compared.
    for (const passport of draft.passports) {
      const own = options.map(each => each.filter(option => option.passport === passport))
      if (own.some(each => each.length === 0)) continue
      const { way } = followCheapest(draft, own)
      if (way.cost < best.cost) best = way
    }
  }
  return settle(draft, best)
}

function listOptions(draft: Draft, index: number): EntryOption[] {
  const stop = draft.stops[index]!
  const isUsable = ({ held, slot }: ReadPassport) =>
    stop.wantedPassport === null ? slot < UNKNOWN_SLOT : held.passport === stop.wantedPassport
  const options: EntryOption[] = []
  for (const passport of draft.passports) {
    if (!isUsable(passport)) continue
    const terms = findTerms(draft, passport, stop)
    if (draft.documents.length === 0) options.push({ passport, terms, place: options.length })
    else {
      for (const each of listHeldTerms(draft, passport, stop, terms)) {
        options.push({ passport, terms: each, place: options.length })
      }
    }
  }
  return options
}

// The entries that can be made behind the stops before. A document without an entry left is none; and whoever holds the visa or permit that
// is asked for enters on it.
function listOpen(draft: Draft, index: number, options: readonly EntryOption[]): readonly EntryOption[] {
  if (draft.documents.length === 0) return options
  const open = options.filter(({ terms }) => !isExhausted(draft, index, terms))
  return open.filter(
    ({ passport, terms: { held, requirement } }) =>
      held !== null ||
      requirement.status === "unknown" ||
      requirement.value === "visa_free" ||
      !open.some(other => other.passport === passport && other.terms.held?.isOwn === true),
  )
}

/** The way that takes the cheapest entry at every stop, and what the stops cost at least, whatever came before. */
interface CheapestWay {
  readonly way: Way
  readonly leastCost: number
  readonly leastCosts: readonly number[]
}

function followCheapest(draft: Draft, options: readonly (readonly EntryOption[])[]): CheapestWay {
  let way: Way | null = null
  let leastCost = 0
  const leastCosts: number[] = []
  for (let index = 0; index < options.length; index++) {
    let cheapest: Way | null = null
    const open = listOpen(draft, index, options[index]!)
    // An entry that is not open here may be so behind other choices.
    let least = open.length < options[index]!.length ? 0 : Number.POSITIVE_INFINITY
    for (const option of open) {
      const found = enter(draft, index, way, option)
      least = Math.min(least, countLeastCost(found))
      if (cheapest === null || found.cost < cheapest.cost) cheapest = found
    }
    way = cheapest!
    recall(draft, index, way)
    leastCost += least
    leastCosts.push(least)
  }
  return { way: way!, leastCost, leastCosts }
}

// What an entry costs whatever came before it: stays add up with those before, and an expired passport is reported once.
function countLeastCost({ blockers, unknowns, terms }: Way): number {
  let cost = terms.effort
  for (const { code } of blockers) if (code !== "stay_exceeded" && code !== "zone_stay_exceeded") cost += BLOCKER_COST
  for (const { field, reason } of unknowns) if (field !== "zoneStay" && !HARMLESS.has(reason)) cost += GAP_COST
  return cost
}

function findBest(
  draft: Draft,
  options: readonly (readonly EntryOption[])[],
  leastCosts: readonly number[],
  known: Way,
): Way {
  let costToCome = leastCosts.reduce((sum, cost) => sum + cost, 0)
  let ways: (Way | null)[] = [null]
  for (let index = 0; index < options.length; index++) {
    costToCome -= leastCosts[index]!
    const next = new Map<string, Way[]>()
    for (const way of ways) {
      recall(draft, index - 1, way)
      for (const option of listOpen(draft, index, options[index]!)) {
        const found = enter(draft, index, way, option)
        if (found.cost + costToCome <= known.cost) keepUnlessBeaten(next, found)
      }
    }
    ways = [...next.values()].flat()
    if (ways.length > MAX_WAYS) ways = (ways as Way[]).sort(compareWays).slice(0, MAX_WAYS)
  }
  return (ways as Way[]).reduce((best, way) => (compareWays(way, best) < 0 ? way : best), known)
}

function compareWays(a: Way, b: Way): number {
  return a.cost - b.cost || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)
}

// Ways with the same trace go on alike. One is left out when another is never dearer whatever follows, passports that expire and are not
// yet reported on that other one included.
function keepUnlessBeaten(ways: Map<string, Way[]>, found: Way): void {
  const alike = ways.get(found.trace)
  if (alike === undefined) ways.set(found.trace, [found])
  else if (!alike.some(other => beats(other, found))) {
    ways.set(found.trace, [...alike.filter(other => !beats(found, other)), found])
  }
}

function beats(one: Way, other: Way): boolean {
  const most = one.cost + countBits(other.expired & ~one.expired) * BLOCKER_COST
  return most < other.cost || (most === other.cost && one.order < other.order)
}

function countBits(mask: number): number {
  let count = 0
  for (let left = mask; left !== 0; left &= left - 1) count++
  return count
}

// Judges one stop behind a way, whose choices stand in the draft's stops.
function enter(draft: Draft, index: number, previous: Way | null, { passport, terms, place }: EntryOption): Way {
  draft.blockers = []
  draft.conditions = []
  draft.unknowns = []
  const step = judgeStop(draft, index, passport, terms)
  const { blockers, conditions, unknowns } = draft
  const { lastDay, counting } = draft.stops[index]!
  let cost = (previous?.cost ?? 0) + terms.effort + blockers.length * BLOCKER_COST
  for (const { reason } of unknowns) if (!HARMLESS.has(reason)) cost += GAP_COST
  let expired = previous?.expired ?? 0
  if (!terms.isHome && isExpired(passport, lastDay) && (expired & (1 << passport.place)) === 0) {
    expired |= 1 << passport.place
    cost += BLOCKER_COST
  }
  const trace = (previous?.trace ?? "") + traceOf(draft, index, counting)
  const order = (previous?.order ?? "") + String.fromCharCode(place)
  return {
    previous,
    passport,
    terms,
    place,
    cost,
    counting,
    trace,
    order,
    expired,
    step,
    blockers,
    conditions,
    unknowns,
  }
}

const TRACES: Readonly<Record<DayCounting, string>> = { none: "n", certain: "c", possible: "p", permit: "r" }

// Only what later stops count again: days in a zone, and in a country that is visited again.
function traceOf({ stops, rulebook }: Draft, index: number, counting: DayCounting): string {
  const { key, slot, terms } = stops[index]!
  // Its entries and its days are counted over the journey.
  if (terms!.held?.isOwn === true) return `${TRACES[counting]}${terms!.held.document.place}.`
  const place = rulebook.zonePlaces[slot]
  for (let later = index + 1; later < stops.length; later++) {
    const stop = stops[later]!
    if (stop.key !== key && (!place || rulebook.zonePlaces[stop.slot]?.zone !== place.zone)) continue
    // At home no days are a visitor's; under freedom of movement there may be a number of them.
    return terms!.isHome ? "h" : TRACES[counting]
  }
  return "-"
}

// Puts the choices of a way back into the stops, from the last on to the first.
function recall(draft: Draft, index: number, way: Way | null): void {
  let at = index
  for (let each = way; each !== null; each = each.previous) {
    const stop = draft.stops[at--]!
    stop.passport = each.passport
    stop.terms = each.terms
    stop.counting = each.counting
  }
}

// Makes a way that of the draft: what was found on it, in the order of stops.
function settle(draft: Draft, way: Way): Step[] {
  const ways: Way[] = []
  for (let each: Way | null = way; each !== null; each = each.previous) ways.push(each)
  ways.reverse()
  recall(draft, ways.length - 1, way)
  draft.blockers = ways.flatMap(each => each.blockers)
  draft.conditions = ways.flatMap(each => each.conditions)
  draft.unknowns = ways.flatMap(each => each.unknowns)
  return ways.map(each => each.step)
}
