/**
 * May the traveller change planes in a country?
 *
 * There are two cases. A transit inside the international area of an airport is decided by the recorded transit rules: a demand of a visa or an
 * authorisation that names the passport, with the documents that waive it, or the rule that nobody else needs one. Where there is no such area, or
 * the state asks there what it asks of visitors, it is an entry that uses no days. A transit that leaves that area is an entry. It is decided by the
 * requirements of an entry on these days, judged like a stop of one day, or by a rule that lets some passports through without a visa for some hours.
 * What a stop of one day asks, such as an electronic visa or an arrival form, is named as at a stop, and a visa with some entries serves for those that
 * the stops leave. A traveller who may enter without obtaining anything may also change inside, where nothing is asked on arrival. If the request does
 * not say which case applies, both must be possible, and what an entry asks has to be checked.
 *
 * The day of the transit is not given, so it must be permitted on the first and on the last day of the journey. Conditions that cannot be judged here
 * (in words, hours, a remark on a document) leave it open. An expired passport cannot be used. Sources: for airports of the Schengen states
 * Regulation (EC) No 810/2009, Art. 3; every other rule names its own.
 */

import type { EpochDay } from "../civil-date.ts"
import { effortRank, opensOnArrival, REQUIREMENTS, type Requirement } from "../codes.ts"
import { NOTHING } from "../collections.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { TransitRule } from "../rules/provisions.ts"
import type { TransitStep } from "./answer-fields.ts"
import { type Chosen, closes, type Offer, offer } from "./choose.ts"
import { countEntries, type Entered, findOverstay } from "./days.ts"
import {
  covers,
  type DocumentToCheck,
  enterInstead,
  findAuthorisation,
  findRemark,
  type Held,
  type Holding,
  isInHand,
  judgeBest,
  layOutDocument,
  listNamed,
  nameDocument,
  type Way,
} from "./documents.ts"
import { authorise, type Entry, entryOf, hasRequired, judgeDuties, judgePassport, servesExpired } from "./entry.ts"
import { addTransit, isExpired, isPast, type Journey, type Passport, type Stay } from "./journey.ts"
import { findLaw, KIND_NOT_RECORDED, pairOf } from "./law.ts"
import {
  ask,
  block,
  type Finding,
  type Issue,
  isOf,
  known,
  missing,
  missPlain,
  NO_PARAMS,
  type ParamsOf,
  type ReasonCode,
  type Unknown,
  unknown,
  type Weight,
} from "./reasons.ts"
import { type JudgedRule, NOTHING_OF_TRANSIT } from "./recorded.ts"
import { type ReadTransit, readDocument } from "./request-fields.ts"

// ---- Verdicts

/** Who enters where. */
export interface Entrant {
  readonly passport: Passport
  readonly stop: Stay
}

/** An issue with the index of its stop; null if it concerns no single stop. */
export interface PlacedIssue {
  readonly issue: Issue
  readonly step: number | null
  /** Given for what has to be obtained for a transit. */
  readonly entrant?: Entrant | undefined
}

/** Whether a traveller may change in a country, and the deciding rule. */
interface TransitVerdict {
  readonly permitted: Finding<"yes" | "no">
  /** The index of the deciding rule; null if there is none. */
  readonly decidedBy: number | null
  /** Indices of the held documents that permit it. */
  readonly because: readonly number[]
  /** Further limits of the rule; null for none. */
  readonly limits: Unknown | null
  /** What is asked for it; null for nothing. */
  readonly need: Need | null
  /** The document of the country on which it is an entry; null for none. */
  readonly entersOn: Held | null
}

/** What is asked of a traveller for a transit, and where, as the last stop of the journey. */
interface Need extends Entrant {
  /** What has to be obtained to be let through; null for nothing. */
  readonly requirement: Requirement | null
  /** All of it. */
  readonly asked: readonly Issue[]
}

/** Where a traveller changes: inside the international area, outside it, or unspecified. */
type Area = TransitStep["area"]

/** Reads where a traveller changes. Arriving by land or sea is an entry. */
function areaOf({ airside, by }: ReadTransit): Area {
  if (airside === false || by === "land" || by === "sea") return "landside"
  return airside === true ? "airside" : null
}

/** Ranks a verdict: the greater, the better for the traveller. */
function rankOf({ permitted }: TransitVerdict): number {
  return permitted.status === "unknown" ? 1 : permitted.value === "yes" ? 2 : 0
}

// A transit without limits is better than one within limits, and that one better than one for which something has to be obtained. Of those without
// limits one for which nothing has to be done is the best, or nothing is told. What is wrong on a passport says more than that a visa is missing, and
// what is open about an entry more than that its day matters or no rule names a kind of passport: the less has to be obtained, the better.
function gradeOf(verdict: TransitVerdict): number {
  const { limits, permitted } = verdict
  const rank = rankOf(verdict)
  if (rank === 0) return permitted === NOT_ON_PASSPORT.permitted ? 0.5 : 0
  const obtained = rank === 2 ? findObtained(verdict) : null
  if (obtained !== null && !opensOnArrival(obtained)) {
    return 3 - (effortRank(obtained) + (limits === null ? 0 : 0.5)) / REQUIREMENTS.length
  }
  // What is issued on arrival is a little worse than nothing.
  const top = rank * 2 - (obtained === null ? 0 : 0.125)
  const isLeast = permitted === KIND_NOT_RECORDED || permitted === DAY_NOT_GIVEN.permitted
  if (isLeast || limits !== null) return top - 1
  return top - 0.75 + easeOf(verdict, 3) / 4
}
const FROM_OBTAIN: readonly Weight[] = ["obtain", "check", "info"]

/** Ranks what is asked for a transit: the greater, the less; `most` for nothing. */
function easeOf({ need }: TransitVerdict, most: number): number {
  const asked = need?.asked ?? NOTHING
  return Math.min(most, ...asked.map(({ weight }) => FROM_OBTAIN.indexOf(weight)))
}

// Returns what has to be obtained for a transit.
function findObtained({ need }: TransitVerdict): Requirement | null {
  return need?.requirement ?? null
}

/** The worse of two verdicts, of equal ones the first. */
function worseOf(one: TransitVerdict | null, other: TransitVerdict): TransitVerdict {
  return one !== null && gradeOf(one) <= gradeOf(other) ? one : other
}

/** The better of two verdicts, of equal ones the first. */
function betterOf(one: TransitVerdict | null, other: TransitVerdict): TransitVerdict {
  return one !== null && gradeOf(one) >= gradeOf(other) ? one : other
}

/** Makes a verdict without a deciding rule or document. */
function say(permitted: TransitVerdict["permitted"]): TransitVerdict {
  return { permitted, decidedBy: null, because: NOTHING, limits: null, need: null, entersOn: null }
}

/** Makes an open verdict. */
function sayUnknown<C extends ReasonCode>(code: C, params: ParamsOf<C>): TransitVerdict {
  return say(unknown("pair", code, params))
}

/** The verdict if there is no obstacle. */
const YES: TransitVerdict = /* @__PURE__ */ say(known("pair", "yes"))

/** The verdict for a traveller who may not enter. */
const NO: TransitVerdict = /* @__PURE__ */ say(known("pair", "no"))
/** The same for one who needs nothing else, but may not enter on this passport. */
const NOT_ON_PASSPORT: TransitVerdict = /* @__PURE__ */ say(known("pair", "no"))

/**
 * Makes the verdict of a rule that permits a transit. A demand's condition says to whom the demand applies, so it does not limit others.
 */
function allow({ terms: { hours, condition }, at }: JudgedRule, isConditional = true): TransitVerdict {
  const params = { hours, condition: isConditional ? condition : null }
  const isFree = params.hours === null && params.condition === null
  return { ...YES, decidedBy: at, limits: isFree ? null : unknown("pair", "transit_limits", params) }
}

/** A passport, and what is written about it. */
type Ruled = Pick<Offer, "passport" | "law">

/** Says whether a rule names a passport. */
function names(
  { passports }: JudgedRule,
  { isOrdinary, ruledAs }: { readonly isOrdinary: boolean; readonly ruledAs: string },
): boolean {
  return isOrdinary && (passports === null || passports.has(ruledAs))
}

const RULE_OF_PAST = /* @__PURE__ */ unknown("destination", "no_rule_of_that_day", NO_PARAMS)

const NO_RULE = /* @__PURE__ */ sayUnknown("no_transit_rule", NO_PARAMS)
const PASSPORT_NOT_NAMED = /* @__PURE__ */ sayUnknown("transit_not_named", NO_PARAMS)
const OF_KIND = /* @__PURE__ */ say(KIND_NOT_RECORDED)
const AREA_NOT_GIVEN = /* @__PURE__ */ sayUnknown("transit_area_not_given", NO_PARAMS)
const OF_PAST = /* @__PURE__ */ say(unknown("pair", "no_rule_of_that_day", NO_PARAMS))
/** The verdict if a transit is permitted on one of the two days only. */
const DAY_NOT_GIVEN = /* @__PURE__ */ sayUnknown("transit_day_not_given", NO_PARAMS)
const VALIDITY_NOT_NAMED = /* @__PURE__ */ sayUnknown("validity_not_named", NO_PARAMS)
const DATES: readonly ReasonCode[] = ["expiry_not_given", "issue_date_not_given"]

/** The country as a stop of one day, which is the last of its journey. */
interface Place extends Stay {
  readonly stops: readonly Stay[]
  /** How the stays before it were entered. */
  readonly before: Entered
}

/** The transit that is judged: where, before the stops of the journey and after them. */
interface Change {
  readonly column: number
  readonly area: Area
  readonly first: Place
  readonly last: Place
  readonly entries: readonly Entry[]
  /** Counts the entries on a document for all stops, and for the transits before. */
  readonly countUsed: (document: Held) => { readonly stops: number; readonly transits: number }
}

/** The findings for all transit countries. */
export interface Transits {
  readonly steps: readonly TransitStep[]
  readonly issues: readonly PlacedIssue[]
}

export const NO_TRANSITS: Transits = { steps: NOTHING, issues: NOTHING }

/** Judges all transit countries, after the stops. */
export function judgeTransits(journey: Journey, { entries, entered }: Chosen): Transits {
  const { transit, stops, documents, provisions } = journey
  const asked = journey.read.transit!
  const sorted =
    documents.length < 2
      ? journey
      : { ...journey, documents: [...documents].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
  const inPast = isPast(journey.dataset, stops[0]!)
  const verdicts: Judged[] = []
  const issues: PlacedIssue[] = []
  const add = (issue: Issue, entrant?: Entrant) => issues.push({ issue, step: null, entrant })
  const countUsed = (document: Held) => ({
    stops: countEntries(journey, entered, document, entered.length),
    transits: verdicts.filter(({ verdict }) => verdict.entersOn === document).length,
  })
  // What a passport without a last day is used for at the stops is reported there.
  const relied = new Set(entries.map(({ arrival }) => arrival.passport))
  const steps = transit.map((column, place): TransitStep => {
    const area = areaOf(asked[place]!)
    // A hub that is changed at twice is judged once, unless a visit there uses up an entry.
    const same = journey.hasCountedEntries
      ? -1
      : asked.findIndex(
          each => each.countryKey === asked[place]!.countryKey && each.by === asked[place]!.by && areaOf(each) === area,
        )
    const judged = inPast
      ? JUDGED_PAST
      : same >= 0 && same < place
        ? verdicts[same]!
        : judgeAll(sorted, { ...placeOn(journey, entered, asked[place]!), column, area, entries, countUsed })
    verdicts.push(judged)
    const { permitted, decidedBy, because, limits, need } = judged.verdict
    const rule = inPast ? RULE_OF_PAST : (provisions.transit[column] ?? NOTHING_OF_TRANSIT).rule
    const limited = rule.status === "unknown" ? rule : limits
    if (limited !== null) {
      const gap = missing(`transit[${place}].rule`, limited)
      // A rule that is not recorded decides nothing where the entry does.
      add(limits === null && permitted.status === "known" ? { ...gap, weight: "info" } : gap)
    }
    const { country } = asked[place]!
    const more = { transit: place }
    if (permitted.status === "unknown") add(missing(`transit[${place}].permitted`, permitted))
    else if (permitted.value === "no") {
      const because = permitted === NOT_ON_PASSPORT.permitted ? ({ because: "passport" } as const) : null
      add(block("transit_not_permitted", { destination: country, passports: judged.passports, ...because }, more))
    }
    for (const issue of need?.asked ?? NOTHING) add({ ...issue, more }, need!)
    const { undated } = judged
    for (const each of undated.some(each => relied.has(each)) ? NOTHING : undated) {
      relied.add(each)
      add(missPlain(`${each.path}passportExpiry`, "expiry_not_given"))
    }
    return { country, area, rule, permitted, decidedBy, because }
  })
  return { steps, issues }
}

// Of documents that serve as well, the one that is named depends on the documents only, not on their order. A residence comes last.
function keyOf({ place, column, read }: Held): string {
  return JSON.stringify([place === null, FAR_AHEAD + column, FAR_AHEAD - (read.validUntilDay ?? 0), read])
}
const FAR_AHEAD = 1e6

// Makes the country a stop of the first day of the journey, before its stops, and one of the last day, after them.
function placeOn(journey: Journey, entered: Entered, { country, countryKey, by, airside }: ReadTransit) {
  const { earlier, stops } = journey
  // An airport is reached by air.
  const arrivesBy = airside === true ? "air" : by
  const given = { destination: country, destinationKey: countryKey, by: arrivesBy, passport: null }
  const from = stops[0]!
  const to = stops[stops.length - 1]!
  const place = (before: readonly Stay[], on: string, day: EpochDay): Place => {
    const added = addTransit({ ...journey, stops: before }, { ...given, from: on, fromDay: day, to: on, toDay: day })
    // The same object, because the lists of the stays of a country and of a journey have it too.
    return Object.assign(added, { before: entered.slice(0, earlier.length + before.length) })
  }
  return { first: place(NOTHING, from.from, from.firstDay), last: place(stops, to.to, to.lastDay) }
}

/** What a transit comes to, and on which passports. */
interface Judged {
  readonly verdict: TransitVerdict
  readonly passports: readonly string[]
  /** The passports without a last day that permit it, if no other permits as much. */
  readonly undated: readonly Passport[]
}
const JUDGED_PAST: Judged = { verdict: OF_PAST, passports: NOTHING, undated: NOTHING }

// Takes the best passport. Held documents are considered if no passport is enough by itself.
function judgeAll(journey: Journey, change: Change): Judged {
  const { passports, documents } = journey
  if (change.column >= UNKNOWN_INDEX) return { verdict: NO_RULE, passports: NOTHING, undated: NOTHING }
  const inUse = passports.filter(each => !isPassedOver(journey, each, change.first))
  // By the place of a passport.
  const judged: TransitVerdict[] = []
  const judge = (held: readonly Held[], start: TransitVerdict | null) => {
    const asked = { ...journey, documents: held }
    const offered = inUse.map(each => offerOn(asked, change, each))
    // Who holds what is asked for does not obtain it again.
    let best = offered.some(({ first: { ways } }) => closesTo(change, ways)) ? null : start
    for (const offers of offered) {
      const { passport } = offers.first
      const verdict = judgeOf(asked, change, offers)
      judged[passport.place] = verdict
      best = start === null || best === null ? betterOf(best, verdict) : betterOf(verdict, best)
    }
    return best!
  }
  const findUndated = () => {
    const permitting = inUse.filter(({ place }) => rankOf(judged[place]!) === 2)
    // One on which more is to be obtained or checked does not permit as much.
    const eases = permitting.map(({ place }) => easeOf(judged[place]!, judged[place]!.limits === null ? 2 : 1))
    const most = Math.max(...eases)
    const best = permitting.filter((_, at) => eases[at] === most)
    return best.every(({ expiryDay }) => expiryDay === null) ? best : NOTHING
  }
  const without = judge(NOTHING, null)
  const isFree = gradeOf(without) === 4
  let undated = findUndated()
  let verdict = without
  // With a document another passport, whose last day is given, may permit it too.
  if (documents.length > 0 && (!isFree || undated.length > 0)) {
    const withDocuments = judge(documents, without)
    if (!isFree) verdict = withDocuments
    undated = findUndated()
  }
  if (isFree) return { verdict, passports: NOTHING, undated }
  const isConcerned = ({ place }: Passport) => judged[place]?.permitted === verdict.permitted
  const concerned = new Set(passports.filter(isConcerned).map(({ held }) => held.passport))
  const obtained = rankOf(verdict) === 0 ? findVisaToObtain(journey, change) : null
  return { verdict: obtained ?? verdict, passports: [...concerned], undated }
}

// An expired passport is not used if there is one that has not expired, unless the country accepts it. If all have expired, the stops report it.
function isPassedOver(journey: Journey, passport: Passport, place: Place): boolean {
  return isLost(journey, place, passport) && !journey.passports.every(each => isLost(journey, place, each))
}

function isLost(journey: Journey, place: Place, passport: Passport): boolean {
  return isExpired(passport, place.firstDay) && !servesExpired(journey, place, passport)
}

// Says whether a transit is permitted because the country may be entered.
function isByEntry(verdict: TransitVerdict): boolean {
  return rankOf(verdict) === 2 && verdict.decidedBy === null && findObtained(verdict) === null
}

/** What a passport offers on the first day and on the last: one offer for both if nothing differs. */
interface Offers<Offered = Offer> {
  readonly first: Offered
  readonly last: Offered
}

// Without documents, one law has one offer.
function offerOn(journey: Journey, { first, last }: Change, passport: Passport): Offers {
  const onFirst = offer(journey, passport, first)
  const isSame = journey.documents.length === 0 && findLaw(journey, passport, last) === onFirst.law
  return { first: onFirst, last: isSame ? onFirst : offer(journey, passport, last) }
}

function judgeOf(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const { passport } = offers.first
  const verdict = judgeIn(journey, change, offers)
  // A passport that has expired on the first day too is reported at the stops.
  const isOfDay = isLost(journey, change.last, passport) && !isLost(journey, change.first, passport)
  return isOfDay && rankOf(verdict) === 2 ? DAY_NOT_GIVEN : verdict
}

// Judges an entry. Where sources dispute what is needed for it, both answers have to come to the same.
function judgeEntries(
  journey: Journey,
  change: Change,
  offers: Offers,
  judge: (offered: Offer, place: Place) => TransitVerdict,
): TransitVerdict {
  const { first, last } = offers
  const shown = ofBothDays(change, offers, judge)
  const disputed = [first, last].flatMap(({ law }) => law.doubts).find(({ code }) => code === "disputed")
  if (disputed === undefined) return shown
  const byOther = { ...journey, otherwise: new Set([pairOf(first.passport, change.last)]) }
  const other = ofBothDays(change, offerOn(byOther, change, first.passport), judge)
  if (outcomeOf(shown) === outcomeOf(other)) return shown
  const need = shown.need ?? other.need
  // By one of the answers less may be asked.
  return {
    ...sayUnknown("disputed", disputed.params as never),
    need: need && { ...need, asked: need.asked.map(check) },
  }
}

// Names what a verdict comes to: whether it is permitted, within which limits, and what has to be obtained or checked.
function outcomeOf({ permitted, limits, need }: TransitVerdict): string {
  const asked = (need?.asked ?? NOTHING).flatMap(({ code, weight }) => (weight === "info" ? [] : code))
  return JSON.stringify([permitted, limits, asked])
}

// Judges a transit in its area, or in both if it is not given.
function judgeIn(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const { area } = change
  const entered = judgeEntries(journey, change, offers, (offered, place) =>
    judgeLandside(journey, change, offered, place),
  )
  if (area === "landside") return entered
  const landside = stayInside(entered, area)
  // Who is let in may stay inside, and then uses no entry, unless there is no inside.
  if (isByEntry(landside)) {
    if (area === null) return landside
    return {
      ...landside,
      need: null,
      entersOn: findAskedInside(journey, change) === undefined ? null : landside.entersOn,
    }
  }
  const airside = judgeAirside(journey, change, offers)
  // The holder of a passport whose missing date is right may enter, and so may also change inside; so may one who obtains what the entry needs.
  const obtained = rankOf(landside) === 2 ? findObtained(landside) : null
  if ((isDateMissing(landside) || obtained !== null) && rankOf(airside) === 0) return landside
  if (area === "airside") return airside
  // What only an entry needs may not be needed.
  const outside =
    obtained !== null && findObtained(airside) === null ? needEntry(change.last.destination, obtained) : landside
  if (rankOf(outside) === 1 && (rankOf(airside) === 0 || isSilent(airside))) return outside
  if (rankOf(airside) !== 2) return airside
  const { permitted } = rankOf(outside) === 1 ? outside : AREA_NOT_GIVEN
  if (rankOf(outside) < 2) return { ...airside, permitted, limits: null, need: null }
  const worse = worseOf(airside, outside)
  return findObtained(worse) === findObtained(outside) ? { ...worse, need: outside.need } : worse
}

// Leaves out what is asked on arrival of who passes the border. If it is not given whether a traveller does, it has to be checked.
function stayInside(verdict: TransitVerdict, area: Area): TransitVerdict {
  const { need } = verdict
  if (need === null) return verdict
  const asked = need.asked.flatMap(issue => {
    if (!isOf("onEntry", issue.code) && (area !== null || rankOf(verdict) === 2)) return issue
    return area === null && issue.weight !== "info" ? check(issue) : []
  })
  return { ...verdict, need: asked.length === 0 ? null : { ...need, asked } }
}

// What may have to be done has to be checked.
function check(issue: Issue): Issue {
  return issue.weight === "obtain" ? { ...issue, weight: "check" } : issue
}

// Says whether an entry is open because a date of the passport is not given.
function isDateMissing({ permitted }: TransitVerdict): boolean {
  return permitted.status === "unknown" && DATES.includes(permitted.code)
}

/** Says whether the rules of the international area say nothing of a traveller. */
function isSilent(airside: TransitVerdict): boolean {
  return airside === PASSPORT_NOT_NAMED || airside === NO_RULE || airside === OF_KIND
}

// The day of the transit is not given: if it is forbidden on only one of both days, the verdict is open.
function ofBothDays<Offered>(
  { first, last }: Change,
  offers: Offers<Offered>,
  judge: (offered: Offered, place: Place) => TransitVerdict,
): TransitVerdict {
  const onFirst = judge(offers.first, first)
  const onLast = judge(offers.last, last)
  const worse = worseOf(onFirst, onLast)
  return rankOf(worse) === 0 && rankOf(betterOf(onFirst, onLast)) > 0 ? DAY_NOT_GIVEN : worse
}

// Judges a transit inside. Where what an entry asks is asked there too, because there is no international area (8 U.S.C. 1225(a)) or a law says so
// (`demand: "entry"`), the better of both counts.
function judgeAirside(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const asked = findAskedInside(journey, change)
  if (asked === undefined) return judgeByRules(journey, change, offers)
  // A visa or permit of the country is one for the entry, and so admits nobody whom an entry refuses. Who lives there may have one.
  const isOfRules = ({ column, isAirportTransit, place, read: { kind } }: Held) =>
    column !== change.column || isAirportTransit || place === null || kind === "eta"
  const byRules = judgeByRules({ ...journey, documents: journey.documents.filter(isOfRules) }, change, offers)
  const entered = judgeEntries(journey, change, offers, (offered, place) =>
    enterBest(journey, change, offered, place, false),
  )
  const decided = entered.permitted.status === "unknown" ? entered : { ...entered, decidedBy: asked.at }
  return isSilent(byRules) ? decided : betterOf(byRules, decided)
}

// Finds the rule that asks inside what an entry asks.
function findAskedInside(journey: Journey, change: Change): JudgedRule | undefined {
  return journey.provisions.transit[change.column]!.rules.find(({ terms }) => terms.demand === "entry")
}

// Judges by the rules of the international area, which do not depend on the day.
function judgeByRules(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const { passport, law } = offers.first
  if (passport.row >= UNKNOWN_INDEX) return passport.isOrdinary ? PASSPORT_NOT_NAMED : OF_KIND
  const { rules } = journey.provisions.transit[change.column]!
  const demanded = judgeDemands(journey, change, offers.first, "airside")
  if (demanded !== null) return demanded
  const free = findFree(rules, passport, "airside")
  const isComplete = rules.every(({ terms }) => terms.area !== "airside" || terms.demand !== "visa" || terms.isComplete)
  // A rule for everybody says nothing of passports that the state does not admit at all.
  const { requirement } = law.base
  const isAdmitted = requirement.status === "unknown" || requirement.value !== "no_admission"
  if (free !== undefined && (free.passports !== null || (isComplete && isAdmitted))) return allow(free)
  return rules.length === 0 ? NO_RULE : PASSPORT_NOT_NAMED
}

// Finds the rule by which a passport needs no visa: one that names it, rather than one for everybody.
function findFree(rules: readonly JudgedRule[], passport: Passport, area: TransitRule["area"]): JudgedRule | undefined {
  const free = rules.filter(
    rule => rule.terms.area === area && rule.terms.demand === "no_visa" && names(rule, passport),
  )
  return free.find(({ passports }) => passports !== null) ?? free[0]
}

// All demands that name a passport bind its holder; null if none does.
function judgeDemands(
  journey: Journey,
  change: Change,
  offered: Ruled,
  area: TransitRule["area"],
): TransitVerdict | null {
  let worst: TransitVerdict | null = null
  for (const rule of journey.provisions.transit[change.column]!.rules) {
    if (rule.terms.area !== area || !names(rule, offered.passport)) continue
    const { demand } = rule.terms
    if (demand === "visa") worst = worseOf(worst, judgeDemand(journey, change, rule))
    else if (demand === "eta") worst = worseOf(worst, demandEta(journey, change, offered, rule))
  }
  return worst
}

// Judges a rule that demands the travel authorisation of the country from the passport.
function demandEta(journey: Journey, change: Change, offered: Ruled, rule: JudgedRule): TransitVerdict {
  const { requirement } = offered.law.base
  if (requirement.status === "unknown") return say(requirement)
  const lasting = journey.documents.filter(each => covers(each, change.last.lastDay))
  const document = findAuthorisation(journey.provisions, lasting, change.first, requirement.answer, "eta")
  const verdict =
    document === null || document.place === null ? allow(rule) : { ...allow(rule), because: [document.place] }
  const needed = document === null ? "eta" : null
  // Who comes temporarily has a passport that is valid for long enough (Immigration New Zealand, Operational Manual, A2.5).
  return ofBothDays(change, { first: offered, last: offered }, (_, place) =>
    arriveByRule(journey, offered, place, verdict, needed, false),
  )
}

// Judges a rule that demands a visa from the passport, by the documents that waive it on both days, or else on each of them.
function judgeDemand(
  journey: Journey,
  change: Change,
  rule: JudgedRule,
  { firstDay } = change.first,
  { lastDay } = change.last,
): TransitVerdict {
  const { area, condition, waivedFor } = rule.terms
  const waiver = { held: waivedFor }
  const because: number[] = []
  let unsure: TransitVerdict | null = null
  for (const document of journey.documents) {
    const named = listNamed(journey.provisions, waiver, document)
    const isOwn = document.column === change.column && document.read.kind !== "eta"
    if (!isOwn && named.length === 0) continue
    const opens =
      isOwn &&
      (area === "airside" || !document.isAirportTransit) &&
      covers(document, firstDay) &&
      covers(document, lastDay)
    const judged = opens ? NOTHING : judgeBest(named, document, { firstDay, lastDay }, { firstDay: lastDay, lastDay })
    if (judged === null) continue
    if (judged.length === 0 && document.place !== null) because.push(document.place)
    else
      unsure ??= explainCheck(journey, change.first, {
        waiver,
        document,
        toCheck: judged,
      })
  }
  if (because.length > 0) return { ...allow(rule, false), because: because.sort((a, b) => a - b) }
  if (unsure !== null) return unsure
  if (condition !== null) return sayUnknown("transit_conditional", { condition })
  if (firstDay === lastDay) return { ...NO, decidedBy: rule.at }
  return ofBothDays(change, { first: rule, last: rule }, (_, day) => judgeDemand(journey, change, rule, day, day))
}

// Says what has to be so for a document, that it permits the transit.
function explainCheck(journey: Journey, place: Place, ease: DocumentToCheck): TransitVerdict {
  const remark = findRemark(journey.provisions, place, ease)
  return sayUnknown("transit_document_to_check", { ...nameDocument(ease.document), checks: ease.toCheck, remark })
}

// Finds the visa for a stop that may also permit the transit, once it is obtained; null if there is none.
function findVisaToObtain(journey: Journey, change: Change): TransitVerdict | null {
  const { zonePlaces } = journey.provisions
  const zone = zonePlaces[change.column]?.zone
  for (const { arrival, issues } of change.entries) {
    const { stop, way } = arrival
    const { requirement } = way
    if (requirement.status === "unknown" || stop.column >= UNKNOWN_INDEX) continue
    if (requirement.value !== "visa_required" && requirement.value !== "e_visa") continue
    if (isInHand(way) || issues.some(({ code }) => code === "visa_suspended")) continue
    const isOfZone = zone?.rule.kind === "rolling" && stop.zonePlace?.zone === zone
    if (stop.column === change.column || isOfZone || mayWaive(journey, change, arrival, stop.destination)) {
      return sayUnknown("transit_visa_to_obtain", { destination: stop.destination })
    }
  }
  return null
}

function mayWaive(journey: Journey, change: Change, arrival: Ruled, issuer: string): boolean {
  if (change.area === "landside") return false
  const visa = layOutDocument(journey.dataset, readDocument({ kind: "visa", issuer }, []), 0)
  const judged = judgeDemands({ ...journey, documents: [visa] }, change, arrival, "airside")
  return judged !== null && rankOf(judged) > 0
}

// ---- A transit that is an entry

// Enters in the best way. A transit in a country without an international area uses no days. Who holds what would have to be obtained, with an entry
// left, enters on it.
function enterBest(journey: Journey, change: Change, offered: Offer, place: Place, usesDays: boolean): TransitVerdict {
  let best: TransitVerdict | null = null
  const isClosed = closesTo(change, offered.ways)
  for (const way of offered.ways) {
    if (isClosed && way.held === null) continue
    best = betterOf(best, judgeEntry(journey, change, offered, place, way, usesDays))
    if (gradeOf(best) === 4) break
  }
  return best!
}

// The day of the transit is not given, so the document is in hand on both days.
function closesTo(change: Change, ways: readonly Way[]): boolean {
  const isInHand = ({ document }: Holding) =>
    covers(document, change.first.firstDay) && covers(document, change.last.lastDay) && !isUsedUp(change, document)
  return closes(ways, isInHand)
}

function isUsedUp(change: Change, document: Held): boolean {
  const { entries } = document.read
  if (typeof entries !== "number") return false
  const { stops, transits } = change.countUsed(document)
  return stops + transits >= entries
}

function judgeLandside(journey: Journey, change: Change, offered: Offer, place: Place): TransitVerdict {
  const { passport } = offered
  const best = enterBest(journey, change, offered, place, true)
  if (isByEntry(best) || isDateMissing(best) || best === NOT_ON_PASSPORT || passport.row >= UNKNOWN_INDEX) return best
  const free = findFree(journey.provisions.transit[change.column]!.rules, passport, "landside")
  const demanded = free === undefined ? judgeDemands(journey, change, offered, "landside") : allow(free)
  if (demanded === null || gradeOf(demanded) < gradeOf(best)) return best
  return rankOf(demanded) < 2 ? demanded : arriveByRule(journey, offered, place, demanded, null, true)
}

// Adds what a rule of transit does not say: for how long the passport has to be valid, and outside what is asked on arrival.
function arriveByRule(
  journey: Journey,
  offered: Ruled,
  place: Place,
  ruled: TransitVerdict,
  needed: "eta" | null,
  isOutside: boolean,
): TransitVerdict {
  const arrival = arriveBy(journey, offered, place)
  const issues: Issue[] = needed === null ? [] : [ask(needed, { destination: place.destination })]
  judgePassport(arrival, issues)
  judgeDuties(arrival, issues)
  const verdict = sumUp(ruled, issues, arrival, needed, isOutside)
  // The rule of validity for visitors may be stricter than that of a transit outside.
  return isOutside && rankOf(verdict) === 0 ? VALIDITY_NOT_NAMED : verdict
}

// Arrives as a rule of transit lets, without a visa.
function arriveBy(journey: Journey, { passport, law }: Ruled, place: Place, way = enterInstead(law.base, "visa_free")) {
  const { stops, before } = place
  return { journey: { ...journey, stops }, passport, stop: place, law, way, before }
}

function judgeEntry(
  journey: Journey,
  change: Change,
  offered: Offer,
  place: Place,
  way: Way,
  usesDays: boolean,
): TransitVerdict {
  const { possible } = offered
  const { requirement, held } = way
  if (requirement.status === "unknown") return say(requirement)
  const { value } = requirement
  const arrival = arriveBy(journey, offered, place, way)
  const isOpen = value === "visa_free" || hasRequired(arrival)
  if (value === "no_admission" || (value === "visa_required" && !isOpen)) {
    const ease = possible.find(({ effort }) => effort < way.effort)
    // A document may open the entry, if what its waiver requires is so.
    return ease === undefined ? NO : explainCheck(journey, place, ease)
  }
  const entersOn = held?.isOwn === true && typeof held.document.read.entries === "number" ? held.document : null
  // The change may be on the way to a stop, with one entry for both.
  if (entersOn !== null && isUsedUp(change, entersOn))
    return change.countUsed(entersOn).stops > 0 ? needEntry(place.destination, value) : NO
  const { issues: found, past } = entryOf(arrival, NOTHING)
  const overstay = journey.earlier.length === 0 ? null : findOverstay(arrival, past)
  const issues = overstay === null ? found : [...found, overstay]
  const by = authorise(journey, place, way)?.place ?? held?.document.place ?? null
  const verdict = { ...YES, because: by === null ? NOTHING : [by], entersOn }
  return sumUp(verdict, issues, arrival, isOpen ? null : value, usesDays)
}

// Adds to a verdict what the issues of an entry come to, and what of them has to be obtained, done or known. `needed` is what has to be obtained.
function sumUp(
  verdict: TransitVerdict,
  issues: readonly Issue[],
  { passport, stop }: Entrant,
  needed: Requirement | null,
  usesDays: boolean,
): TransitVerdict {
  const asked: Issue[] = []
  let worst: TransitVerdict | null = null
  for (const issue of issues) {
    const { code, field, weight, params } = issue
    // Whatever the purpose of the journey is, that of a change of planes is transit.
    if ((params.purposes as readonly string[] | undefined)?.includes("transit")) continue
    const isOnEntry = isOf("onEntry", code)
    if (field === null && weight !== "blocks" && (usesDays || !isOnEntry)) asked.push(issue)
    const isOfNeeded = needed !== null && [needed, "passport_kind"].includes(code)
    const isToObtain = field === null && (isOfNeeded || code === "registration")
    const judged = isOnEntry || isToObtain ? null : judgeIssue(issue, stop.destination, needed ?? "visa_free", usesDays)
    if (judged !== null) worst = worseOf(worst, judged)
  }
  if (worst !== null && rankOf(worst) === 0) return worst
  const need = asked.length === 0 ? null : { requirement: needed, asked, passport, stop }
  return { ...(worst ?? verdict), need }
}

/**
 * Returns what an issue of an entry comes to for a transit; null if nothing.
 *
 * A known obstacle forbids the transit (Regulation (EU) 2016/399, Art. 6(1), has no entry for transit only). Missing dates and days that may be used
 * up leave it open, and so does what has to be obtained or checked. Unrecorded rules are reported at the stops.
 */
function judgeIssue(
  issue: Issue,
  destination: string,
  requirement: Requirement,
  usesDays: boolean,
): TransitVerdict | null {
  const { weight, code, field } = issue
  if (weight === "info") return null
  const isOfDays = isOf("ofDays", code)
  if (!usesDays && isOfDays) return null
  if (DATES.includes(code) || field === "requirement") return sayUnknown(code, issue.params as never)
  if (weight === "blocks" && !isOfDays) return NOT_ON_PASSPORT
  // What the passport does not meet is the strictest rule that sources name.
  const isShort = code === "permitted_stay_not_known" || code === "validity_not_named"
  return field === null || isOfDays || isShort ? needEntry(destination, requirement) : null
}

/** Says that a country of the dataset must be entered, with what is needed for it. */
function needEntry(destination: string, requirement: Requirement): TransitVerdict {
  return sayUnknown("transit_needs_entry", { destination, requirement })
}
