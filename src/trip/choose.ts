/**
 * With which passport, and with which document, is each stop entered, so that the result for the whole journey is best?
 *
 * Of all ways through the stops, the one with the fewest blockers is taken, then the fewest unknowns, then the least to do: first what has to be
 * obtained, then to check, then the longest stays, then the given order of passports from the first stop on. So an additional passport
 * never makes a journey worse. Unknowns count only if they could hide a blocker; freedom of movement without a number of days hides none. A
 * missing expiry date is one unknown of the whole journey, for each passport that is used.
 *
 * A choice at one stop matters to later ones only through days that count in a zone or country, entries of a visa, and passports that
 * expire. Ways that are equal in these are followed once. The cheapest entry at each stop gives the best way, unless some choice matters
 * later and the way costs more than the sum of the least costs of its stops. Only then other ways are followed: as many as the work for one
 * decision allows (`Work`), the cheapest so far first.
 */

import { effortRank, isRequirement } from "../codes.ts"
import { NOTHING } from "../collections.ts"
import { EFFORT_OF_REQUIREMENT } from "../requirement/pair-entry.ts"
import { type Entered, enterEarlier, isUsedUp, mayAgree, type Past } from "./days.ts"
import {
  effortInHand,
  enterOn,
  type Held,
  type Holding,
  type Holdings,
  listHoldings,
  NO_HOLDINGS,
  type PossibleEase,
  replaces,
  type Way,
} from "./documents.ts"
import { authorise, type Entry, entryOf, judgePassport, servesExpired } from "./entry.ts"
import { isExpired, type Journey, type Passport, type Stay } from "./journey.ts"
import { findCompared, findLaw, type Law, pairOf } from "./law.ts"
import { type Issue, isOf } from "./reasons.ts"
import type { DayCounting } from "./recorded.ts"
import { MAX_HELD_DOCUMENTS } from "./request-fields.ts"

/** The most ways that are followed in parallel. With fewer than ten passports and stays of any length, there are seldom more. */
const MAX_WAYS = 400
/** The work of judging an entry, without the counting of earlier stays, and that of listing and considering a way. */
const WORK_OF_JUDGING = 20
const WORK_OF_LISTING = 10

// ---- What can be chosen

/** A passport at a stop, with the ways of entering on it: without a document first, then with each document that changes them. */
export interface Offer {
  readonly passport: Passport
  readonly law: Law
  readonly ways: readonly Way[]
  readonly possible: readonly PossibleEase[]
}

/** Says whether a stop may be entered with a passport: with the one that the request names for it, or with any recorded one. */
function isOffered({ wantedPassport }: Stay, { isRecorded, held }: Passport): boolean {
  return wantedPassport === null ? isRecorded : held.passport === wantedPassport
}

/** Lists the ways of entering a place with one passport. The uses of documents at other stops are ignored. */
export function offer(journey: Journey, passport: Passport, stop: Stay): Offer {
  const law = findLaw(journey, passport, stop)
  const { base } = law
  if (journey.documents.length === 0) return { passport, law, ways: [base], possible: NOTHING }
  const compared = findCompared(law, passport)
  const { holdings, possible } = findHoldings(journey, stop, law, compared)
  const ways = [base]
  for (const held of holdings) ways.push(enterOn(stop.firstDay, compared.base, law.easable!, held))
  return { passport, law, ways, possible }
}

function findHoldings(journey: Journey, stop: Stay, law: Law, compared: Law): Holdings {
  const { easable: answer, exemption } = compared
  const { requirement, maxDays: days } = compared.base
  const usual = law.base.requirement
  if (answer === null || usual.status === "unknown" || requirement.status === "unknown") return NO_HOLDINGS
  const unheld = {
    answer,
    requirement: usual.value,
    compared: { requirement: requirement.value, days },
    exemption,
  }
  const visit = journey.checksExit && stop.isOpen ? { ...stop, lastDay: null } : stop
  return listHoldings(journey.provisions, journey.documents, visit, unheld, compared.waivers)
}

/**
 * Lists the documents that change nothing: if each were the only one, what is found would be the same as without any. So what is said of a document
 * does not depend on the others. One that is used is not tried. `found` is what is found with all.
 */
export function listUnused<Found>(
  journey: Journey,
  found: Found,
  isUsed: (document: Held) => boolean,
  judge: (journey: Journey) => Found,
): readonly Held[] {
  const { documents, read } = journey
  const holding = (held: readonly Held[]): Journey => {
    const residence = held.some(({ place }) => place === null) ? read.residence : null
    return { ...journey, documents: held, read: { ...read, residence } }
  }
  let without: Found | null = null
  return documents.filter(each => {
    if (isUsed(each)) return false
    without ??= judge(holding(NOTHING))
    return isSame(without, documents.length === 1 ? found : judge(holding([each])))
  })
}

/** Says whether two findings are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  const names = Object.keys(one) as (keyof typeof one)[]
  return names.length === Object.keys(other).length && names.every(name => isSame(one[name], other[name]))
}

/** A way of entering a stop, with its costs. */
interface Option {
  readonly offer: Offer
  readonly way: Way
  /** Its number among all ways. */
  readonly place: number
  /** Its least cost, whatever came before. */
  readonly leastCost: number
  /** The effort of its way, less for what is in hand. */
  readonly effort: number
}
type Options = readonly (readonly Option[])[]
/** By stop: what each passport offers there. */
export type Offers = readonly (readonly Offer[])[]

function listOptions(offers: Offers, journey: Journey): { options: Options; count: number } {
  let place = 0
  const options = journey.stops.map((stop, at) => {
    const listed: Option[] = []
    for (const each of offers[at]!) {
      const isClosed = closes(each.ways)
      for (const way of each.ways) {
        if (isClosed && way.held === null) continue
        const isAuthorised = asksEta(way) && authorise(journey, stop, way) !== null
        const effort = costOfEffort(effortInHand(way.effort, way.counting, isAuthorised))
        const leastCost = boundCost(journey, stop, each, way) + effort
        listed.push({ offer: each, way, place: place++, leastCost, effort })
      }
    }
    return listed
  })
  return { options, count: place }
}

const asksEta = ({ requirement }: Way) => requirement.status === "known" && requirement.value === "eta"

const isUnlimited = ({ document }: Holding) => typeof document.read.entries !== "number"

/** Says whether a document closes every entry for which it would have to be obtained again: one with unlimited entries, or with one left. */
export function closes(ways: readonly Way[], hasEntry: (held: Holding) => boolean = isUnlimited): boolean {
  const { requirement } = ways[0]!
  if (requirement.status === "unknown" || ways.length === 1) return false
  return ways.some(({ held }) => replaces(held, requirement.value) && hasEntry(held!))
}

/**
 * Finds the least cost of an entry besides its effort, whatever came before it. The validity of the passport depends on nothing before; a stay rule
 * may have days that the answer does not have.
 */
export function boundCost(journey: Journey, stop: Stay, { passport, law }: Offer, way: Way): number {
  const { requirement, maxStay, isUncertain } = way
  let cost = isUncertain ? GAP_COST : 0
  if (requirement.status === "unknown") cost += GAP_COST
  else if (requirement.value === "no_admission") cost += BLOCKER_COST
  const isStayOpen =
    maxStay.status === "unknown" &&
    !isOf("harmless", maxStay.code) &&
    requirement.status === "known" &&
    requirement.answer.follows === null
  if (isStayOpen && law.stays.length === 0) cost += GAP_COST
  const issues: Issue[] = []
  judgePassport({ journey, passport, stop, way }, issues)
  for (const issue of issues) cost += costOf(issue)
  return cost
}

// ---- The choice

/** A stop that was judged after others, with what it costs. */
interface Judged {
  readonly option: Option
  readonly entry: Entry
  readonly cost: number
  readonly leastCost: number
  /** Its effect on later stops. */
  readonly laterEffect: number
  /** A bit for the passport, if its expiry is reported here for the whole journey: it expires before this stop's exit, or is not given. */
  readonly reported: number
}

/** The entries of a journey, and what the rules of all ways of entering depend on. */
export interface Chosen {
  readonly entries: readonly Entry[]
  readonly offers: Offers
  /** By the index of a stay, those before the journey first. */
  readonly entered: Entered
  /** Their cost; 0 if there is no choice. */
  readonly cost: number
  /** Whether ways had to be left out, so that another one may be better. */
  readonly isCut: boolean
}

/** Judges all stops, each entered in the way that is best for the whole. */
export function choose(journey: Journey, work: Work, offers = listOffers(journey)): Chosen {
  const only = journey.passports.length === 1 ? offers.map(findOnlyWay) : [null]
  if (!only.includes(null)) return enterAll(journey, offers, only as readonly Way[])
  const { options, count } = listOptions(offers, journey)
  work.left -= count * WORK_OF_LISTING
  const cheapest = followCheapest(journey, options, work)
  const { judged, cost, isCut } = cheapest.isBest ? cheapest : followRoutes(journey, options, cheapest, work)
  const entries = judged.map(({ entry }) => entry)
  return { entries, offers, entered: [...enterEarlier(journey), ...entries.map(({ past }) => past)], cost, isCut }
}

/** Lists what each passport offers. `shown` are the offers by the answers that are shown, if some are judged by their other answer. */
export function listOffers(journey: Journey, shown?: Offers): Offers {
  const { passports, stops, otherwise } = journey
  return stops.map((stop, at) => {
    if (passports.length === 1 && shown === undefined) return [offer(journey, passports[0]!, stop)]
    const offers: Offer[] = []
    for (const passport of passports) {
      if (!isOffered(stop, passport)) continue
      const isAnother = otherwise?.has(pairOf(passport, stop)) !== false
      offers.push(isAnother ? offer(journey, passport, stop) : shown![at]![offers.length]!)
    }
    return offers
  })
}

/** Leaves only what one passport offers; null if a stop cannot be entered on it. */
export function offerAlone(offers: Offers, passport: Passport): Offers | null {
  const own = offers.map(each => each.filter(offered => offered.passport === passport))
  return own.some(each => each.length === 0) ? null : own
}

// Enters every stop in the only way that there is.
function enterAll(journey: Journey, offers: Offers, ways: readonly Way[]): Chosen {
  const entered = enterEarlier(journey)
  const entries = journey.stops.map((stop, at) => {
    const { passport, law, possible } = offers[at]![0]!
    const entry = entryOf({ journey, passport, stop, law, way: ways[at]!, before: entered }, possible)
    entered.push(entry.past)
    return entry
  })
  return { entries, offers, entered, cost: 0, isCut: false }
}

// Returns the way of entering a stop if there is only one; null if there are several.
function findOnlyWay(listed: readonly Offer[]): Way | null {
  const { ways } = listed[0]!
  if (listed.length > 1 || ways.length > 2) return null
  return ways.length === 1 ? ways[0]! : closes(ways) ? ways[1]! : null
}

/** The way with the cheapest entry at every stop. */
interface Cheapest {
  readonly judged: readonly Judged[]
  readonly cost: number
  /** The least cost of each stop, whatever came before it. */
  readonly leastCosts: readonly number[]
  readonly isBest: boolean
  readonly isCut: false
}

function followCheapest(journey: Journey, options: Options, work: Work): Cheapest {
  const before = enterEarlier(journey)
  const judged: Judged[] = []
  const leastCosts: number[] = []
  let cost = 0
  let leastCost = journey.passports.some(each => costOfFirstUse(0, each) === 0) ? 0 : GAP_COST
  let reported = 0
  let isForked = false
  for (let at = 0; at < journey.stops.length; at++) {
    const stop = journey.stops[at]!
    const listed = options[at]!
    const likely = findLikely(journey, stop, before, listed, reported)
    let cheapest = judgeNext(journey, likely, before, reported)
    let least = cheapest.leastCost
    for (const option of listed) {
      if (option === likely) continue
      const bound = option.leastCost + costOfFirstUse(reported, option.offer.passport)
      if (!isUsable(journey, stop, before, listed, option)) {
        isForked = true
        least = Math.min(least, option.leastCost)
      } else if (bound > cheapest.cost || (bound === cheapest.cost && option.place > cheapest.option.place)) {
        least = Math.min(least, option.leastCost)
        isForked ||= !outdoes(stop, cheapest, option, option.leastCost)
      } else {
        work.left -= countJudging(journey)
        const next = judgeNext(journey, option, before, reported)
        least = Math.min(least, next.leastCost)
        const isCheaper =
          next.cost < cheapest.cost || (next.cost === cheapest.cost && next.option.place < cheapest.option.place)
        const left = isCheaper ? cheapest : next
        if (isCheaper) cheapest = next
        const { passport } = left.option.offer
        isForked ||= !outdoes(stop, cheapest, left.option, left.cost - costOfFirstUse(reported, passport))
      }
    }
    judged.push(cheapest)
    before.push(cheapest.entry.past)
    leastCosts.push(least)
    reported |= cheapest.reported
    cost += cheapest.cost
    leastCost += least
  }
  return { judged, cost, leastCosts, isBest: !isForked || cost === leastCost, isCut: false }
}

function countJudging({ earlier }: Journey): number {
  return WORK_OF_JUDGING + (earlier.length >> 2)
}

// Returns the cost of a passport's first use, if its expiry is not given. A passport without a record has another gap,
// whether it is used or not.
function costOfFirstUse(reported: number, { expiryDay, isRecorded, place }: Passport): number {
  return expiryDay === null && isRecorded && (reported & (1 << place)) === 0 ? GAP_COST : 0
}

// Finds the usable entry with the least known cost before any is judged.
function findLikely(
  journey: Journey,
  stop: Stay,
  before: Entered,
  listed: readonly Option[],
  reported: number,
): Option {
  let likely: Option | null = null
  let least = Number.POSITIVE_INFINITY
  for (const option of listed) {
    const bound = option.leastCost + costOfFirstUse(reported, option.offer.passport)
    if (bound >= least || !isUsable(journey, stop, before, listed, option)) continue
    likely = option
    least = bound
  }
  return likely!
}

/** Says whether a way can be used. A document without an entry left opens nothing, and a traveller with the required document enters on it. */
function isUsable(journey: Journey, stop: Stay, before: Entered, listed: readonly Option[], option: Option): boolean {
  // If no document has a number of entries, closed ways were not listed.
  if (!journey.hasCountedEntries) return true
  const hasNoEntry = ({ offer: { passport, law }, way }: Option) =>
    isUsedUp({ journey, passport, stop, law, way, before }, way.held!)
  const { held, requirement } = option.way
  if (held !== null) return !hasNoEntry(option)
  if (requirement.status === "unknown") return true
  return !listed.some(
    other =>
      other.offer.passport === option.offer.passport &&
      replaces(other.way.held, requirement.value) &&
      !hasNoEntry(other),
  )
}

// Says whether an entry that costs no more than another leaves later stops no worse: both are equal in what matters
// later, or its days count no more and it uses up no document. An expiry that was already reported is not reported
// again, so the other entry must cost more even without that report; `laterCost` is its least cost without it.
function outdoes(stop: Stay, taken: Judged, { offer, way, place }: Option, laterCost: number): boolean {
  if (laterCost < taken.cost || (laterCost === taken.cost && place < taken.option.place)) return false
  const { passport, law } = offer
  const { way: takenWay, offer: takenOffer } = taken.option
  const isLeftExpired = !way.isHome && isExpired(passport, stop.lastDay)
  if (isLeftExpired || (taken.reported !== 0 && takenOffer.passport.expiryDay !== null)) return false
  if (taken.laterEffect === NO_EFFECT || taken.laterEffect === HOME) return true
  const isAlike = takenWay.held === null && takenWay.counting === way.counting
  if (!isAlike || takenWay.isHome || way.isHome) return false
  // An agreement changes which days count, for some passports.
  return !(mayAgree({ stop, passport, law }) || mayAgree({ stop, passport: takenOffer.passport, law: takenOffer.law }))
}

function judgeNext(journey: Journey, option: Option, before: Entered, reported: number): Judged {
  const { offer, way } = option
  const { passport, law, possible } = offer
  const stop = journey.stops[before.length - journey.earlier.length]!
  const entry = entryOf({ journey, passport, stop, law, way, before }, possible)
  let cost = option.effort
  let leastCost = cost
  for (const issue of entry.issues) {
    const ofIssue = costOf(issue)
    cost += ofIssue
    const { code, field } = issue
    // These depend on the stops before.
    const dependsOnBefore =
      field === null
        ? isOf("ofDays", code) || code === "check_held_document"
        : field === "zoneStay" ||
          code === "stay_set_by_document" ||
          (field === "maxStay" && way.maxStay.status === "known")
    if (!dependsOnBefore) leastCost += ofIssue
  }
  let expiryCost = 0
  if (passport.expiryDay === null) expiryCost = costOfFirstUse(reported, passport)
  else if (!way.isHome && isExpired(passport, stop.lastDay)) {
    if (servesExpired(journey, stop, passport)) cost += GAP_COST
    else if ((reported & (1 << passport.place)) === 0) expiryCost = BLOCKER_COST
  }
  return {
    option,
    entry,
    cost: cost + expiryCost,
    leastCost,
    laterEffect: findLaterEffect(stop, entry.past),
    reported: expiryCost === 0 ? 0 : 1 << passport.place,
  }
}

// The effect of an entry on later stops, as a number: none; days at home, which are not a visitor's, although freedom
// of movement may have a number of days; otherwise how its days count, and which document it uses up.
const NO_EFFECT = 0
const HOME = 1

function effectOf(counting: DayCounting): number {
  return counting === "certain" ? 2 : counting === "none" ? 3 : counting === "possible" ? 4 : 5
}

// Considers only what later stops count again: days in a zone, and in a country that is visited again; entries and days of a document.
function findLaterEffect(stop: Stay, { held, isHome, counting }: Past): number {
  if (held?.isOwn === true) return effectOf(counting) + 8 * (1 + (held.document.place ?? MAX_HELD_DOCUMENTS))
  const isLast = (stays: readonly Stay[]) => stays.length === 0 || stays[stays.length - 1] === stop
  if (isLast(stop.here) && isLast(stop.inZone)) return NO_EFFECT
  return isHome ? HOME : effectOf(counting)
}

// ---- The search

/** A way through the first stops. */
interface Route {
  readonly judged: readonly Judged[]
  readonly before: Entered
  readonly cost: number
  /** The passports whose expiry is reported. */
  readonly reported: number
  readonly trace: string
  /** The numbers of its entries, which decide between two ways of equal cost. */
  readonly order: string
}

// Follows every way that may become the best, and merges those that continue equally.
function followRoutes(journey: Journey, options: Options, cheapest: Cheapest, work: Work) {
  const { cost, leastCosts } = cheapest
  const { stops } = journey
  let costToCome = leastCosts.reduce((sum, least) => sum + least, 0)
  let routes: Route[] = [{ judged: [], before: enterEarlier(journey), cost: 0, reported: 0, trace: "", order: "" }]
  let isCut = false
  for (const [index, stop] of stops.entries()) {
    costToCome -= leastCosts[index]!
    const listed = options[index]!
    // Each stop gets an equal part of the remaining work, so that every followed way is followed to the end.
    const reserved = work.left - work.left / (stops.length - index)
    const next = new Map<string, Route[]>()
    for (const [at, route] of routes.entries()) {
      if (at > 0 && work.left < reserved) {
        isCut = true
        break
      }
      const most = cost - costToCome - route.cost
      for (const option of listed) {
        work.left--
        if (option.leastCost + costOfFirstUse(route.reported, option.offer.passport) > most) continue
        if (!isUsable(journey, stop, route.before, listed, option)) continue
        work.left -= countJudging(journey)
        const found = goOn(route, judgeNext(journey, option, route.before, route.reported))
        if (found.cost + costToCome <= cost) keepUnlessBeaten(journey, next, found)
      }
    }
    // The cheapest come first, so that they are followed if there is not enough work for all.
    const found = [...next.values()].flat().sort(compareRoutes)
    isCut ||= found.length > MAX_WAYS
    routes = found.slice(0, MAX_WAYS)
  }
  return { ...(routes[0] ?? cheapest), isCut }
}

function goOn(route: Route, judged: Judged): Route {
  return {
    judged: [...route.judged, judged],
    before: [...route.before, judged.entry.past],
    cost: route.cost + judged.cost,
    reported: route.reported | judged.reported,
    trace: route.trace + String.fromCharCode(judged.laterEffect),
    order: route.order + String.fromCharCode(judged.option.place),
  }
}

function compareRoutes(a: Route, b: Route): number {
  return a.cost - b.cost || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)
}

// Ways with the same trace continue equally. One is dropped if another is never more expensive whatever follows,
// including the expiries that the other one has not reported yet.
function keepUnlessBeaten(journey: Journey, routes: Map<string, Route[]>, found: Route): void {
  const alike = routes.get(found.trace) ?? []
  if (alike.some(each => beats(journey, each, found))) return
  routes.set(found.trace, [...alike.filter(each => !beats(journey, found, each)), found])
}

function beats({ passports }: Journey, one: Route, other: Route): boolean {
  if (one.cost > other.cost) return false
  let most = one.cost
  for (const { expiryDay, place } of passports) {
    // The highest cost of the expiries that only the other one has reported.
    if ((other.reported & ~one.reported & (1 << place)) !== 0) most += expiryDay === null ? GAP_COST : BLOCKER_COST
  }
  return most < other.cost || (most === other.cost && one.order < other.order)
}

// ---- Bounds of the work

// How much work may one question take?
//
// A decision with several passports and documents has very many ways through its stops, and its remedies need many
// decisions. The work is bounded by a count and not by time, so the same question always has the same answer.

/** The remaining work for one question, counted in considered ways of entering a stop. */
export interface Work {
  left: number
}

/** The limit for one decision: some tens of milliseconds, which a journey with two or three passports never reaches. */
export const WORK_OF_DECISION = 400_000

/** The limit for the remedies of all blockers of a question, over all travellers. */
export const WORK_OF_REMEDIES = 4_000_000

/** The limit for each of several travellers' decisions. */
export function workOfTraveller(count: number): number {
  return WORK_OF_DECISION / Math.min(4, count)
}

// ---- Costs

// Costs are numbers with the order of the choice among ways: blockers, unknowns, what has to be obtained, what has to be checked, effort. So a way that
// is clear costs less than any other. A journey has at most 12 stops, with some 60 unknowns, 60 things to do and 60 to check.
const GAP_COST = 6e11
const BLOCKER_COST = 4e13
/** The cost of something to check: more than the efforts of entries for which nothing is obtained before. */
const CHECK_COST = 3e7
const TO_DO_COST = 2e9
/** The least cost of an authorisation or a visa: more than those of all other things to do at a stop. */
const REQUIREMENT_COST = 1.2e10

/** Returns what an issue costs in the choice among ways. The requirement itself is in the effort of a way. */
export function costOf({ weight, field, code }: Issue): number {
  if (weight === "blocks") return BLOCKER_COST
  // The holder of a visa whose days are not known enters on it rather than on what leaves the entry open or has to be obtained. A dispute is judged by
  // both answers, so it leaves nothing open by itself.
  if (field !== null && isOf("harmless", code)) return weight === "info" ? 0 : CHECK_COST
  if (field !== null) return code === "disputed" && weight === "info" ? CHECK_COST : GAP_COST
  if (weight === "info" || isRequirement(code)) return 0
  return weight === "check" ? CHECK_COST : TO_DO_COST
}

/**
 * Returns what the effort of an entry costs: more where what is asked has to be obtained before, the harder it is, and most where nothing can be obtained
 * or what is asked is not known.
 */
function costOfEffort(effort: number): number {
  const rank = Math.floor(effort / EFFORT_OF_REQUIREMENT)
  if (rank < effortRank("eta")) return effort
  // Whole numbers, so that equal ways have equal sums.
  return effort + REQUIREMENT_COST + (REQUIREMENT_COST / 20) * (rank < effortRank("no_admission") ? rank : 20)
}
