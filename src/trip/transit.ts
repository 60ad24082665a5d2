/**
 * May the traveller change planes in a country?
 *
 * There are two cases. A transit inside the international area of an airport is decided by the recorded transit rules: a demand of a visa or an
 * authorisation that names the passport, with the documents that waive it, or the rule that nobody else needs one. Where there is no such area, or
 * the state asks there what it asks of visitors, it is an entry that uses no days. A transit that leaves that area is an entry. It is decided by the
 * requirements of an entry on these days, judged like a stop of one day, or by a rule that lets some passports through without a visa for some hours.
 * An authorisation, an electronic visa or a visa on arrival that is all that the entry needs is named, as at a stop. A traveller who may enter without
 * obtaining anything may also change inside. If the request does not say which case applies, both must be possible.
 *
 * The day of the transit is not given, so it must be permitted on the first and on the last day of the journey. Conditions that cannot be judged here
 * (in words, hours, a remark on a document) leave it open. An expired passport cannot be used. Sources: for airports of the Schengen states
 * Regulation (EC) No 810/2009, Art. 3; every other rule names its own.
 */

import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../collections.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import { easeRank, REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { readDocument } from "../requirement/held-documents.ts"
import type { DocumentTerms } from "../rules/conditions.ts"
import type { TransitRule } from "../rules/provisions.ts"
import type { TransitStep } from "./answer-fields.ts"
import { type Chosen, nameOthers, type Offer, offer } from "./choose.ts"
import type { Entered } from "./days.ts"
import {
  type ComparableDocument,
  compareAs,
  covers,
  findAuthorisation,
  findRemark,
  type Held,
  isInHand,
  isNamed,
  judgeBest,
  judgeTerms,
  listNamed,
  nameDocument,
  type TermsToCheck,
  type Way,
} from "./documents.ts"
import { authorise, type Entry, entryOf, hasRequired } from "./entry.ts"
import { ask, block, type Entrant, type Issue, missing, type PlacedIssue } from "./issues.ts"
import { addStop, isExpired, isPast, type Journey, type Passport, type Stay } from "./journey.ts"
import { findLaw, KIND_NOT_RECORDED, type Law } from "./law.ts"
import { servesExpired } from "./passport.ts"
import {
  type Finding,
  isOf,
  known,
  NO_PARAMS,
  type ParamsOf,
  type ReasonCode,
  type ReasonParams,
  type Unknown,
  unknown,
  writeReason,
} from "./reasons.ts"
import { type JudgedRule, NOTHING_OF_TRANSIT } from "./recorded.ts"
import type { ReadTransit } from "./request-fields.ts"

// ---- Verdicts

/** Whether a traveller may change in a country, and the deciding rule. */
interface TransitVerdict {
  readonly permitted: Finding<"yes" | "no">
  /** The index of the deciding rule; null if there is none. */
  readonly decidedBy: number | null
  /** Indices of the held documents that permit it. */
  readonly because: readonly number[]
  /** Further limits of the rule; null for none. */
  readonly limits: Unknown | null
  /** What has to be obtained for it; null for nothing. */
  readonly need: Need | null
}

/** What a traveller has to obtain for a transit, and where, as the last stop of the journey. */
interface Need extends Entrant {
  readonly requirement: Requirement
  /** The requirement, and what has to be checked of the passport for it. */
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

// A transit without limits is better than one within limits, and that one better than one for which something has to be obtained. What is wrong on
// a passport says more than that a visa is missing.
function gradeOf(verdict: TransitVerdict): number {
  const { need, limits, permitted } = verdict
  const rank = rankOf(verdict)
  if (rank < 2) return permitted === NOT_ON_PASSPORT.permitted ? 0.5 : rank
  return need === null ? (limits === null ? 4 : 3) : 3 - easeRank(need.requirement) / REQUIREMENTS.length
}

/** Says whether a transit is permitted without limits, and nothing has to be obtained for it. */
function isFree(verdict: TransitVerdict): boolean {
  return gradeOf(verdict) === 4
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
  return { permitted, decidedBy: null, because: NOTHING, limits: null, need: null }
}

/** Makes an open verdict. Most are only compared with others, so `tellVerdict` writes the sentence. */
function sayUnknown<C extends ReasonCode>(code: C, params: ParamsOf<C>): TransitVerdict {
  return say({ granularity: "pair", status: "unknown", reason: "", code, params: params as ReasonParams })
}

/** Writes the sentence of an open verdict. */
function tellVerdict(verdict: TransitVerdict): TransitVerdict {
  const { permitted } = verdict
  if (permitted.status === "known" || permitted.reason !== "") return verdict
  const { code, params } = permitted
  return { ...verdict, permitted: { ...permitted, reason: writeReason(code, params as never) } }
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

/** Says whether a rule names a passport. */
function names(
  { passports }: JudgedRule,
  { isOrdinary, ruledAs }: { readonly isOrdinary: boolean; readonly ruledAs: string },
): boolean {
  return isOrdinary && (passports === null || passports.has(ruledAs))
}

const RULE_OF_PAST = /* @__PURE__ */ unknown("destination", "no_rule_of_that_day", NO_PARAMS)

const NO_RULE = /* @__PURE__ */ sayUnknown("no_transit_rule", NO_PARAMS)
const NOT_NAMED = /* @__PURE__ */ sayUnknown("transit_not_named", NO_PARAMS)
const OF_KIND = /* @__PURE__ */ say(KIND_NOT_RECORDED)
const AREA_NOT_GIVEN = /* @__PURE__ */ sayUnknown("transit_area_not_given", NO_PARAMS)
const OF_PAST = /* @__PURE__ */ say(unknown("pair", "no_rule_of_that_day", NO_PARAMS))
/** The verdict if a transit is permitted on one of the two days only. */
const DAY_NOT_GIVEN = /* @__PURE__ */ sayUnknown("transit_day_not_given", NO_PARAMS)
const EXPIRY_NOT_GIVEN = /* @__PURE__ */ sayUnknown("expiry_not_given", NO_PARAMS)
const ISSUE_DATE_NOT_GIVEN = /* @__PURE__ */ sayUnknown("issue_date_not_given", NO_PARAMS)

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
}

/** The findings for all transit countries, and the bits of the documents that their rules name. */
export interface Transits {
  readonly steps: readonly TransitStep[]
  readonly issues: readonly PlacedIssue[]
  readonly named: number
}

export const NO_TRANSITS: Transits = { steps: NOTHING, issues: NOTHING, named: 0 }

/** Judges all transit countries, after the stops. */
export function judgeTransits(journey: Journey, { entries, entered }: Chosen): Transits {
  const { transit, stops, documents, provisions } = journey
  const asked = journey.read.transit!
  const sorted = documents.length < 2 ? journey : { ...journey, documents: [...documents].sort(compareDocuments) }
  const inPast = isPast(journey.dataset, stops[0]!)
  const verdicts: TransitVerdict[] = []
  const issues: PlacedIssue[] = []
  const add = (issue: Issue, entrant?: Entrant) => issues.push({ issue, step: null, entrant })
  let named = 0
  const steps = transit.map((column, place): TransitStep => {
    const area = areaOf(asked[place]!)
    let verdict = inPast ? OF_PAST : verdicts[findSame(asked, place)]
    if (verdict === undefined) {
      const { first, last } = placeOn(journey, entered, asked[place]!)
      const judged = judgeAll(sorted, { column, area, first, last, entries }, named)
      verdict = tellVerdict(judged.verdict)
      named |= judged.named
    }
    verdicts.push(verdict)
    const { permitted, decidedBy, because, limits, need } = verdict
    const rule = inPast ? RULE_OF_PAST : (provisions.transit[column] ?? NOTHING_OF_TRANSIT).rule
    const limited = rule.status === "unknown" ? rule : limits
    if (limited !== null) add(missing(`transit[${place}].rule`, limited))
    const { country } = asked[place]!
    const more = { transit: place }
    if (permitted.status === "unknown") add(missing(`transit[${place}].permitted`, permitted))
    else if (permitted.value === "no") {
      const { passport } = journey.passports[0]!.held
      const because = permitted === NOT_ON_PASSPORT.permitted ? ({ because: "passport" } as const) : null
      add(block("transit_not_permitted", { destination: country, passport, ...because }, more))
    } else if (need !== null) for (const issue of need.asked) add({ ...issue, more }, need)
    return { country, area, rule, permitted, decidedBy, because }
  })
  return { steps, issues, named }
}

// Of documents that serve as well, the one that is named depends on the documents only, not on their order. A residence comes last.
function compareDocuments(a: Held, b: Held): number {
  if (a.place === null || b.place === null) return a.place === null ? 1 : -1
  if (a.column !== b.column) return a.column - b.column
  const days = (b.read.validUntilDay ?? 0) - (a.read.validUntilDay ?? 0)
  return days || (JSON.stringify(a.read) < JSON.stringify(b.read) ? -1 : 1)
}

// Returns the index of the first transit that is the same: a traveller often changes at one airport on the way there and back.
function findSame(asked: readonly ReadTransit[], place: number): number {
  const { countryKey, airside, by } = asked[place]!
  return asked.findIndex(other => other.countryKey === countryKey && other.airside === airside && other.by === by)
}

// Makes the country a stop of the first day of the journey, before its stops, and one of the last day, after them.
function placeOn(journey: Journey, entered: Entered, { country, countryKey, by, airside }: ReadTransit) {
  const { earlier, stops } = journey
  // An airport is reached by air.
  const arrivesBy = airside === true ? "air" : by
  const given = { destination: country, destinationKey: countryKey, by: arrivesBy, passport: null }
  const from = stops[0]!
  const to = stops[stops.length - 1]!
  const place = (before: readonly Stay[], on: string, day: EpochDay): Place => {
    const added = addStop({ ...journey, stops: before }, { ...given, from: on, fromDay: day, to: on, toDay: day })
    // The same object, because the lists of the stays of a country and of a journey have it too.
    return Object.assign(added, { before: entered.slice(0, earlier.length + before.length) })
  }
  return { first: place(NOTHING, from.from, from.firstDay), last: place(stops, to.to, to.lastDay) }
}

// Takes the best passport. Held documents are considered if no passport is enough by itself.
function judgeAll(
  journey: Journey,
  change: Change,
  namedBefore: number,
): { readonly verdict: TransitVerdict; readonly named: number } {
  const { passports, documents } = journey
  const plain = documents.length === 0 ? journey : { ...journey, documents: NOTHING }
  const byRules = nameByRules(journey, change)
  const named = namedBefore | byRules
  let best: TransitVerdict | null = null
  const without: TransitVerdict[] = []
  const isNamedHere = byRules !== 0 || documents.some(({ column }) => column === change.column)
  for (const passport of passports) {
    if (isPassedOver(journey, passport, change.first.firstDay)) continue
    const judged = change.column < UNKNOWN_INDEX ? judgeOf(plain, change, offerOn(plain, change, passport)) : NO_RULE
    without[passport.place] = judged
    best = betterOf(best, judged)
    if (isFree(best)) return { verdict: best, named }
  }
  const held =
    documents.length > 0 && change.column < UNKNOWN_INDEX
      ? judgeWithDocuments(journey, change, { best: best!, without: isNamedHere ? NOTHING : without }, named)
      : { verdict: best!, named }
  if (rankOf(held.verdict) > 0) return held
  return { verdict: findVisaToObtain(journey, change) ?? held.verdict, named: held.named }
}

// An expired passport is not used if there is one that has not expired. If all have expired, the stops report it.
function isPassedOver({ passports }: Journey, passport: Passport, day: EpochDay): boolean {
  return passports.length > 1 && isExpired(passport, day) && passports.some(each => !isExpired(each, day))
}

/** The best verdict without documents; by the place of a passport, its own if no document is named there. */
interface Undocumented {
  readonly best: TransitVerdict
  readonly without: readonly (TransitVerdict | undefined)[]
}

// A document that would make the entry easier is reported only if it permits the transit. A required authorisation is reported anyway.
function judgeWithDocuments(
  journey: Journey,
  change: Change,
  undocumented: Undocumented,
  namedBefore: number,
): { readonly verdict: TransitVerdict; readonly named: number } {
  const { passports, documents } = journey
  // One that expires during the journey serves on its first days. Of equal verdicts the last one is given, that of a passport which serves on all.
  const lastsTo = (each: Passport) => Number(!isPassedOver(journey, each, change.last.lastDay))
  const used = passports.filter(each => !isPassedOver(journey, each, change.first.firstDay))
  used.sort((one, other) => lastsTo(one) - lastsTo(other))
  let meant = 0
  const judge = (held: readonly Held[]) => {
    const asked = { ...journey, documents: held }
    let { best } = undocumented
    for (const passport of used) {
      const offers = offerOn(asked, change, passport)
      const named = nameBoth(asked, change, offers)
      meant |= named
      // Documents that nothing names change nothing.
      const known = named === 0 ? undocumented.without[passport.place] : undefined
      best = betterOf(known ?? judgeOf(asked, change, offers), best)
    }
    return best
  }
  const best = judge(documents)
  let named = namedBefore
  // Whether a document is reported depends on no other one, so each that an entry means is judged by itself.
  for (const document of documents.filter(({ bit }) => (meant & ~namedBefore & bit) !== 0)) {
    const { place, bit, read } = document
    if (read.kind === "eta") named |= bit
    if (place === null) continue
    const { permitted, because } = documents.length === 1 ? best : judge([document])
    const helps = because.includes(place) || (permitted.status === "unknown" && permitted.params.held === place)
    if (helps) named |= bit
  }
  return { verdict: best, named }
}

// Names the documents that a rule of the entry names on the first day or on the last.
function nameBoth(journey: Journey, change: Change, { first, last }: Offers): number {
  const onFirst = first.named | nameOthers(journey, change.first, first)
  return last === first ? onFirst : onFirst | last.named | nameOthers(journey, change.last, last)
}

// Names documents of the country itself that one of the passports may need, and documents that waive a visa which one needs.
function nameByRules(journey: Journey, { column }: Change): number {
  const rules = journey.provisions.transit[column]?.rules ?? NOTHING
  const { documents, passports, provisions } = journey
  if (documents.length === 0) return 0
  const { index } = provisions
  const listDemands = (demand: TransitRule["demand"]) =>
    rules.filter(rule => rule.terms.demand === demand && passports.some(each => names(rule, each)))
  const demands = index === null ? NOTHING : listDemands("visa")
  const asksEta = listDemands("eta").length > 0
  let named = 0
  for (const { read, column: issuer, place, bit } of documents) {
    const isOwn = issuer === column && place !== null && (asksEta || read.kind !== "eta")
    const waives = ({ terms }: JudgedRule) => terms.waivedFor.some(each => isNamed(index!, each, read))
    if (isOwn || demands.some(waives)) named |= bit
  }
  return named
}

// Lists the terms on which a document waives the visa that a rule demands.
function listWaiving(journey: Journey, { terms }: JudgedRule, read: Held["read"]): readonly DocumentTerms[] {
  if (terms.demand !== "visa" || journey.provisions.index === null) return NOTHING
  return listNamed(journey.provisions, { held: terms.waivedFor }, { read })
}

// Says whether a transit is permitted because the country may be entered.
function isByEntry(verdict: TransitVerdict): boolean {
  return rankOf(verdict) === 2 && verdict.decidedBy === null && verdict.need === null
}

/** What a passport offers on the first day and on the last: one offer for both if nothing differs. */
interface Offers {
  readonly first: Offer
  readonly last: Offer
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
  const isLost = isExpired(passport, change.last.firstDay) && !servesExpired(journey, change.last, passport)
  // A passport that has expired on the first day too is reported at the stops.
  return isLost && rankOf(verdict) === 2 && !isExpired(passport, change.first.firstDay) ? DAY_NOT_GIVEN : verdict
}

// Judges a transit in its area, or in both if it is not given.
function judgeIn(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const landside = ofBothDays(
    judgeLandside(journey, change, offers.first, change.first),
    judgeLandside(journey, change, offers.last, change.last),
  )
  if (change.area === "landside" || isByEntry(landside)) return landside
  const airside = judgeAirside(journey, change, offers)
  // The holder of a passport whose missing date is right may enter, and so may also change inside; so may one who obtains what the entry needs.
  const { need } = landside
  const mayEnter = landside === EXPIRY_NOT_GIVEN || landside === ISSUE_DATE_NOT_GIVEN || need !== null
  if (mayEnter && rankOf(airside) === 0) return landside
  if (change.area === "airside") return airside
  // What only an entry needs may not be needed.
  const outside =
    need === null || airside.need !== null ? landside : needEntry(change.last.destination, need.requirement)
  if (rankOf(outside) === 1 && (rankOf(airside) === 0 || isSilent(airside))) return outside
  if (rankOf(airside) !== 2) return airside
  const { permitted } = rankOf(outside) === 1 ? outside : AREA_NOT_GIVEN
  return rankOf(outside) === 2 ? worseOf(airside, outside) : { ...airside, permitted, limits: null, need: null }
}

/** Says whether the rules of the international area say nothing of a traveller. */
function isSilent(airside: TransitVerdict): boolean {
  return airside === NOT_NAMED || airside === NO_RULE || airside === OF_KIND
}

// The day of the transit is not given: if it is forbidden on only one of both days, the verdict is open.
function ofBothDays(onFirst: TransitVerdict, onLast: TransitVerdict): TransitVerdict {
  const worse = worseOf(onFirst, onLast)
  return rankOf(worse) === 0 && rankOf(betterOf(onFirst, onLast)) > 0 ? DAY_NOT_GIVEN : worse
}

// Judges a transit inside. Where what an entry asks is asked there too, because there is no international area (8 U.S.C. 1225(a)) or a law says so
// (`demand: "entry"`), the better of both counts.
function judgeAirside(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const asked = journey.provisions.transit[change.column]!.rules.find(({ terms }) => terms.demand === "entry")
  if (asked === undefined) return judgeByRules(journey, change, offers)
  // A visa or permit of the country is one for the entry, and so admits nobody whom an entry refuses. Who lives there may have one.
  const isOfRules = ({ column, isAirportTransit, place, read: { kind } }: Held) =>
    column !== change.column || isAirportTransit || place === null || kind === "eta"
  const byRules = judgeByRules({ ...journey, documents: journey.documents.filter(isOfRules) }, change, offers)
  const entered = ofBothDays(
    enterBest(journey, offers.first, change.first, false),
    enterBest(journey, offers.last, change.last, false),
  )
  const decided = entered.permitted.status === "unknown" ? entered : { ...entered, decidedBy: asked.at }
  return isSilent(byRules) ? decided : betterOf(byRules, decided)
}

// Judges by the rules of the international area, which do not depend on the day.
function judgeByRules(journey: Journey, change: Change, offers: Offers): TransitVerdict {
  const { passport, law } = offers.first
  if (passport.row >= UNKNOWN_INDEX) return passport.isOrdinary ? NOT_NAMED : OF_KIND
  const { rules } = journey.provisions.transit[change.column]!
  const demanded = judgeDemands(journey, change, offers.first, "airside")
  if (demanded !== null) return demanded
  let free: JudgedRule | null = null
  let isComplete = true
  for (const rule of rules) {
    const { area, demand } = rule.terms
    if (area !== "airside") continue
    if (demand === "visa") isComplete &&= rule.terms.isComplete
    else if (demand === "no_visa" && names(rule, passport)) free ??= rule
  }
  // A rule for everybody says nothing of passports that the state does not admit at all.
  const { requirement } = law.base
  const isAdmitted = requirement.status === "unknown" || requirement.value !== "no_admission"
  if (free !== null && (free.passports !== null || (isComplete && isAdmitted))) return allow(free)
  return rules.length === 0 ? NO_RULE : NOT_NAMED
}

// All demands that name a passport bind its holder; null if none does.
function judgeDemands(
  journey: Journey,
  change: Change,
  offered: Offer,
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
function demandEta(journey: Journey, change: Change, { passport, law }: Offer, rule: JudgedRule): TransitVerdict {
  const { requirement } = law.base
  if (requirement.status === "unknown") return say(requirement)
  const lasting = journey.documents.filter(each => covers(each, change.last.lastDay))
  const { document } = findAuthorisation(journey.provisions, lasting, change.first, requirement.answer, "eta")
  if (document === null) {
    const asked = [ask("eta", { destination: change.last.destination })]
    return { ...allow(rule), need: { requirement: "eta", asked, passport, stop: change.last } }
  }
  return { ...allow(rule), because: document.place === null ? NOTHING : [document.place] }
}

// Judges a rule that demands a visa from the passport, by the documents that waive it.
function judgeDemand(journey: Journey, change: Change, rule: JudgedRule): TransitVerdict {
  const { area, condition } = rule.terms
  const { firstDay } = change.first
  const { lastDay } = change.last
  const because: number[] = []
  let unsure: TransitVerdict | null = null
  for (const document of journey.documents) {
    const named = listWaiving(journey, rule, document.read)
    const isOwn = document.column === change.column && document.read.kind !== "eta"
    if (!isOwn && named.length === 0) continue
    const opens =
      isOwn &&
      (area === "airside" || !document.isAirportTransit) &&
      covers(document, firstDay) &&
      covers(document, lastDay)
    const judged = opens ? NOTHING : judgeOnBothDays(named, document, change)
    if (judged === null) continue
    if (judged.length === 0 && document.place !== null) because.push(document.place)
    else unsure ??= explainCheck(journey, change, rule, document, judged)
  }
  if (because.length > 0) return { ...allow(rule, false), because: because.sort((a, b) => a - b) }
  if (unsure !== null) return unsure
  if (condition !== null) return sayUnknown("transit_conditional", { condition })
  return { ...NO, decidedBy: rule.at }
}

// Judges the terms that name a document for a transit on the first day and on the last.
function judgeOnBothDays(
  named: readonly DocumentTerms[],
  document: ComparableDocument,
  { first: { firstDay }, last: { lastDay } }: Change,
): TermsToCheck | null {
  return judgeBest(named, document, { firstDay, lastDay }, { firstDay: lastDay, lastDay })
}

function explainCheck(
  { provisions: { index } }: Journey,
  { first: { firstDay } }: Change,
  { terms: { waivedFor } }: JudgedRule,
  document: Held,
  toCheck: TermsToCheck,
): TransitVerdict {
  const isMeant = (terms: DocumentTerms) =>
    terms.remark !== undefined &&
    isNamed(index!, terms, document.read) &&
    judgeTerms(terms, document, { firstDay, lastDay: null }) !== null
  const remark = toCheck.includes("remark") ? (waivedFor.find(isMeant)?.remark ?? null) : null
  return sayUnknown("transit_document_to_check", { ...nameDocument(document), checks: toCheck, remark })
}

// Finds the visa for a stop that may also permit the transit, once it is obtained; null if there is none.
function findVisaToObtain(journey: Journey, change: Change): TransitVerdict | null {
  const { zonePlaces } = journey.provisions
  const zone = zonePlaces[change.column]?.zone
  for (const { arrival, issues } of change.entries) {
    const { stop, way, passport } = arrival
    const { requirement } = way
    if (requirement.status === "unknown" || stop.column >= UNKNOWN_INDEX) continue
    if (requirement.value !== "visa_required" && requirement.value !== "e_visa") continue
    if (isInHand(way) || issues.some(({ code }) => code === "visa_suspended")) continue
    const isOfZone = zone?.rule.kind === "rolling" && stop.zonePlace?.zone === zone
    if (stop.column === change.column || isOfZone || mayWaive(journey, change, passport, stop.destination)) {
      return sayUnknown("transit_visa_to_obtain", { destination: stop.destination })
    }
  }
  return null
}

function mayWaive(journey: Journey, change: Change, passport: Passport, issuer: string): boolean {
  if (change.area === "landside") return false
  const visa = readDocument({ kind: "visa", issuer }, [])
  const demands = journey.provisions.transit[change.column]!.rules.filter(
    rule => rule.terms.area === "airside" && rule.terms.demand === "visa" && names(rule, passport),
  )
  return (
    demands.length > 0 &&
    demands.every(
      rule => judgeOnBothDays(listWaiving(journey, rule, visa), compareAs(journey.dataset, visa), change) !== null,
    )
  )
}

// ---- A transit that is an entry

// Enters in the best way. A transit in a country without an international area uses no days.
function enterBest(journey: Journey, offered: Offer, place: Place, usesDays: boolean): TransitVerdict {
  let best: TransitVerdict | null = null
  for (const way of offered.ways) {
    best = betterOf(best, judgeEntry(journey, offered, place, way, usesDays))
    if (isFree(best)) break
  }
  return best!
}

function judgeLandside(journey: Journey, change: Change, offered: Offer, place: Place): TransitVerdict {
  const { passport } = offered
  const best = enterBest(journey, offered, place, true)
  if (isByEntry(best) || OF_PASSPORT.includes(best) || passport.row >= UNKNOWN_INDEX) return best
  const free = journey.provisions.transit[change.column]!.rules.find(
    rule => rule.terms.area === "landside" && rule.terms.demand === "no_visa" && names(rule, passport),
  )
  if (free !== undefined) return allow(free)
  const demanded = judgeDemands(journey, change, offered, "landside")
  return demanded === null || gradeOf(demanded) < gradeOf(best) ? best : demanded
}

/** The verdicts of an entry with which no rule of transit helps. */
const OF_PASSPORT: readonly TransitVerdict[] = [NOT_ON_PASSPORT, EXPIRY_NOT_GIVEN, ISSUE_DATE_NOT_GIVEN]

function judgeEntry(
  journey: Journey,
  { passport, law, possible }: Offer,
  place: Place,
  way: Way,
  usesDays: boolean,
): TransitVerdict {
  const { requirement, held } = way
  if (requirement.status === "unknown") return say(requirement)
  const { value } = requirement
  const { stops, before } = place
  const arrival = { journey: { ...journey, stops }, passport, stop: place, law, way, before }
  const isOpen = value === "visa_free" || hasRequired(arrival)
  if (value === "no_admission" || (value === "visa_required" && !isOpen)) {
    const ease = possible.find(({ effort }) => effort < way.effort)
    if (ease === undefined) return isDisputed(law, value) ? leaveOpen(law.doubts[0]!) : NO
    // A document may open the entry, if what its waiver requires is so.
    const remark = findRemark(journey.provisions, place, ease)
    const named = { ...nameDocument(ease.document), checks: ease.toCheck, remark }
    return sayUnknown("transit_document_to_check", named)
  }
  const entries = (held?.isOwn === true ? held.document : null)?.read.entries ?? null
  // An entry that is counted may be needed for a stop.
  if (typeof entries === "number") return needEntry(place.destination, value)
  const entry = entryOf(arrival, NOTHING)
  // Whichever of two answers is right, a traveller who needs no visa by either is let through.
  const isFree = value === "visa_free" && !isDisputed(law, value)
  const asked: Issue[] = []
  let worst: TransitVerdict | null = null
  for (const issue of entry.issues) {
    if (isFree && issue.code === "disputed") continue
    if (!isOpen && issue.field === null && (issue.code === value || issue.code === "passport_kind")) {
      asked.push(issue)
      continue
    }
    const judged = judgeIssue(issue, place.destination, value, usesDays)
    if (judged !== null) worst = worseOf(worst, judged)
  }
  if (worst !== null) return worst
  const verdict = isOpen ? YES : { ...YES, need: { requirement: value, asked, passport, stop: place } }
  const by = authorise(journey, place, way).document?.place ?? held?.document.place ?? null
  return by === null ? verdict : { ...verdict, because: [by] }
}

// Says whether another source asks something else. Without a visa in hand nobody enters, whether visas are issued or not.
function isDisputed({ other }: Law, requirement: Requirement): boolean {
  if (other === null || other.base.requirement.status === "unknown") return false
  const { value } = other.base.requirement
  return value !== requirement && !(isClosed(value) && isClosed(requirement))
}

function isClosed(requirement: Requirement): boolean {
  return requirement === "visa_required" || requirement === "no_admission"
}

function leaveOpen({ code, params, message }: Issue): TransitVerdict {
  return say({ granularity: "pair", status: "unknown", reason: message ?? "", code, params })
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
  const { weight, code, field, params } = issue
  if ((weight === "info" && code !== "disputed") || isOf("ofStays", code)) return null
  const isOfDays = isOf("ofDays", code)
  if (!usesDays && isOfDays) return null
  // Whatever the purpose of the journey is, that of a change of planes is transit.
  if ((params.purposes as readonly string[] | undefined)?.includes("transit")) return null
  if (code === "expiry_not_given") return EXPIRY_NOT_GIVEN
  if (code === "issue_date_not_given") return ISSUE_DATE_NOT_GIVEN
  if (field === "requirement") return leaveOpen(issue)
  if (weight === "blocks" && !isOfDays) return NOT_ON_PASSPORT
  // What the passport does not meet is the strictest rule that sources name.
  const isShort = code === "permitted_stay_not_known" || code === "validity_not_named"
  return field === null || isOfDays || isShort ? needEntry(destination, requirement) : null
}

/** Says that a country of the dataset must be entered, with what is needed for it. */
function needEntry(destination: string, requirement: Requirement): TransitVerdict {
  return sayUnknown("transit_needs_entry", { destination, requirement })
}
