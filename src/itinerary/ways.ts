/**
 * Which of the traveller's documents count at a destination, and what does each of them change?
 *
 * The only judge of documents: a decision, a transit and `lookupHeld` all take its ways. A visa or permit of the destination itself, or of
 * the country whose rules apply there, is the required document: nothing has to be obtained, and its validity, entries and days limit the
 * stay. A document that a waiver of the destination names makes the requirement that of the waiver; if it was issued inside the
 * destination's zone, its own limits apply too.
 *
 * A document that is not valid on the day of arrival has no effect. A document lifts a refusal only if the rule exempts its holder:
 * permanent residents of the destination, or holders of a visa that was issued before a day. A travel authorisation is not a visa; it only
 * answers the demand for an authorisation. Terms of a waiver that the traveller did not state are terms to check, not guesses. Outside
 * zones, the stay under a visa ends when the visa says, not when it expires, so only the arrival is compared with its validity.
 */
import type { EpochDay } from "../civil-date.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import { easeRank, needsVisa, type Requirement } from "../dataset/requirement.ts"
import type { RuleCondition, TermsIndex, Waiver } from "../dataset/rule-terms.ts"
import type { ZoneRule } from "../dataset/travel-rules.ts"
import { EFFORT_OF_REQUIREMENT, type EntryTable, effortOfStay, FREE_EFFORT } from "../requirement/entry.ts"
import {
  type ComparableDocument,
  isIssuedFor,
  judgeTerms,
  namesOnly,
  type StayOfHolder,
  type TermsToCheck,
} from "../requirement/judge-document.ts"
import { lasts } from "../requirement/waivers.ts"
import type { DayCounting } from "./day-count.ts"
import { coversArrival, type DocumentState } from "./traveller-state.ts"

// Costs are numbers with the order of the choice: blockers, unknowns, effort. A journey has at most 12 stops with some
// 60 unknowns, and its efforts add up to less than 1e8.
export const GAP_COST = 1e8
export const BLOCKER_COST = 1e11
/** The cost of something to check: more than that of any stay, less than that of a requirement. */
export const CHECK_COST = 20_000

/** A waiver that improves an answer. */
export interface EasingWaiver {
  readonly waiver: Waiver
  /** Its index among the waivers found so far. */
  readonly place: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** Who is exempt from a refusal. */
export type Exemption = Extract<RuleCondition, { readonly kind: "exempt" }>

/** A possible exemption from a refusal: a permit without an end, or a visa that was issued before a day. */
export interface ExemptionToCheck {
  readonly who: readonly string[]
  readonly before: string | null
}

/** A stay for which documents are shown. */
export interface Visit extends StayOfHolder {
  readonly destination: string
  /** The index of its destination in the dataset. */
  readonly column: number
}

/** What a traveller needs without a document. */
export interface Unheld {
  readonly answer: Found
  readonly requirement: Requirement
  /**
   * What documents are compared with: the same, or a visa where the requirement is for passports with a feature about which nothing was
   * said.
   */
  readonly compared: { readonly requirement: Requirement; readonly days: number | null }
  /** Who is exempt, if the requirement is a refusal. */
  readonly exemption: Exemption | null
}

/** A way of entering on a document. */
export interface Way {
  readonly document: DocumentState
  /** The waiver that names the document; null for a document of the destination itself. */
  readonly waiver: Waiver | null
  /** What must be checked before it exempts from a refusal; null if nothing. */
  readonly toCheck: ExemptionToCheck | null
  readonly requirement: Requirement
  /** The days of the waiver. */
  readonly days: number | null
  /** True for a document of the destination itself or of its zone: the traveller enters on it, and its limits are the stay's. */
  readonly isOwn: boolean
  readonly counting: DayCounting
  /** Days of stay under it: over the whole journey in a zone, otherwise from one entry on. */
  readonly boundDays: number | null
  /** The last day of a stay under it. */
  readonly untilDay: EpochDay | null
  readonly effort: number
}

/** A document that may make an entry easier. */
export interface PossibleEase {
  readonly document: DocumentState
  readonly waiver: Waiver
  /** The terms of the waiver's documents whose state is not known, by their names. */
  readonly toCheck: TermsToCheck
  readonly effort: number
}

/** The ways of entering on documents, and the documents that a person has to check. */
export interface Ways {
  readonly ways: Way[]
  readonly possible: PossibleEase[]
}

/** The parts of a dataset that decide whether a document is one of the destination. */
export interface WaysDataset {
  readonly zones: Dataset["zones"]
  readonly entries: EntryTable
}

/**
 * Lists the ways of entering on each of the documents, those of the destination first; null if no document has an effect. Marks the documents
 * that a rule names. `waivers` are those that make the entry easier on any day.
 */
export function listWays(
  known: WaysDataset,
  documents: readonly DocumentState[],
  visit: Visit,
  unheld: Unheld,
  waivers: readonly EasingWaiver[],
): Ways | null {
  let found: Ways | null = null
  const { answer, exemption } = unheld
  const rule = rollingRuleOf(known, visit.column)
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at]!
    const isRefused = answer.requirement === "no_admission"
    if (document.read.kind === "eta" || (document.place === null && !isRefused)) continue
    if (!isOfDestination(known, document, visit, answer)) continue
    const exempting = isRefused ? judgeExemption(exemption!, document) : EXEMPTS
    if (exempting === null) continue
    document.isNamed = true
    if (!coversArrival(document, visit.firstDay) || !addsAnything(document, rule, unheld)) continue
    found ??= { ways: [], possible: [] }
    found.ways.push(enterOnOwn(document, rule, unheld, exempting.toCheck))
  }
  for (let next = 0; next < waivers.length; next++) {
    const { waiver, place, fromDay, untilDay } = waivers[next]!
    if (visit.firstDay < fromDay || visit.firstDay >= untilDay) continue
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at]!
      let named = document.reach.listTerms(waiver, place)
      if (named.length === 0) continue
      if (isOfDestination(known, document, visit, answer)) {
        named = listOwnTerms(waiver, document, visit)
        if (named.length === 0) continue
      }
      document.isNamed = true
      const best = judgeBest(named, document, visit)
      if (best === null) continue
      if (best.length === 0) {
        found ??= { ways: [], possible: [] }
        found.ways.push(enterByWaiver(known, document, visit, waiver))
      } else if (lasts(waiver, visit)) {
        // A document that must be checked helps only if its days are enough.
        found ??= { ways: [], possible: [] }
        found.possible.push({ document, waiver, toCheck: best, effort: effortOf(waiver) })
      }
    }
  }
  return found
}

/** An exemption from a refusal by a document, and what must be checked first. */
interface Exempting {
  readonly toCheck: ExemptionToCheck | null
}
const EXEMPTS: Exempting = { toCheck: null }

// A permit may exempt if its permanence is not given, and a visa if its day of issue is not given.
function judgeExemption({ who, issuedBefore }: Exemption, { read }: DocumentState): Exempting | null {
  const { kind, permanent, issuedOn } = read
  if (kind === "visa") {
    if (issuedBefore === undefined || (issuedOn !== null && issuedOn >= issuedBefore)) return null
    return issuedOn === null ? { toCheck: { who: [], before: issuedBefore } } : EXEMPTS
  }
  if (permanent === false || who?.includes("permanent_residents") !== true) return null
  return permanent === null ? { toCheck: { who: ["permanent_residents"], before: null } } : EXEMPTS
}

/** Says who is exempt from the rule that refuses a passport's holders; null if nobody is. */
export function findExemption(
  index: TermsIndex | null,
  passport: string,
  destination: string,
  { requirement, follows }: Found,
  day: EpochDay,
): Exemption | null {
  if (requirement !== "no_admission") return null
  const { detail } = index?.findRule(follows ?? destination, passport, day) ?? { detail: null }
  return detail?.conditions.find(each => each.kind === "exempt") ?? null
}

/** Says whether a requirement is easier than a visa, so that it may be only for passports with a feature. */
export const canBeLifted = (requirement: Requirement) =>
  requirement !== "visa_required" && requirement !== "no_admission"

// Returns the rule of a destination's zone if it counts the days of all members together.
function rollingRuleOf({ zones, entries }: WaysDataset, column: number): ZoneRule | null {
  const rule = zones[entries.zones[column]! - 1]?.rule
  return rule?.kind === "rolling" ? rule : null
}

/** Says whether a document is one of the destination, or of the country whose rules apply there. */
export function isOfDestination(
  known: WaysDataset,
  held: DocumentState,
  { column, destination }: Visit,
  answer: Found,
): boolean {
  if (held.isAirportTransit && rollingRuleOf(known, held.column) !== null) return false
  const { zones } = known.entries
  return isIssuedFor(held.read.issuer, destination, answer, zones[held.column] === zones[column])
}

/**
 * Finds the held travel authorisation for an entry that requires one (`isAsked`), and marks all that are meant; null if there is none. An
 * authorisation of one state of a zone is one of all of them: Regulation (EU) 2018/1240, Art. 3(1)(5).
 */
export function findAuthorisationIn(
  known: WaysDataset,
  documents: readonly DocumentState[],
  visit: Visit,
  answer: Found,
  isAsked: boolean,
): DocumentState | null {
  const { zones } = known.entries
  let found: DocumentState | null = null
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at]!
    if (document.read.kind !== "eta") continue
    const isInZone = rollingRuleOf(known, visit.column) !== null && zones[document.column] === zones[visit.column]
    if (!isInZone && !isOfDestination(known, document, visit, answer)) continue
    document.isNamed = true
    if (isAsked && coversArrival(document, visit.firstDay)) found ??= document
  }
  return found
}

/** Says whether a document in hand opens the way: a permit, or a visa with as many entries. */
export function opensGateway(
  index: TermsIndex,
  { firstDay }: StayOfHolder,
  document: DocumentState,
  { states, entries = 1 }: Extract<RuleCondition, { readonly kind: "gateway_visa" }>,
): boolean {
  const { kind, issuer } = document.read
  const isEnough = kind === "residence_permit" || (kind === "visa" && document.entryCount! >= entries)
  return isEnough && coversArrival(document, firstDay) && states.some(each => index.includesIssuer(each, issuer))
}

// A short-stay visa of a zone adds nothing for a visitor who needs no visa and has the zone's days.
function addsAnything(document: DocumentState, rule: ZoneRule | null, { compared }: Unheld): boolean {
  if (rule === null || !document.isForVisitors) return true
  const { requirement, days } = compared
  return requirement !== "visa_free" || days === null || days < rule.allowanceDays
}

function enterOnOwn(
  document: DocumentState,
  rule: ZoneRule | null,
  { requirement }: Unheld,
  toCheck: ExemptionToCheck | null,
): Way {
  const isVisitor = document.isForVisitors
  const boundDays = isVisitor ? document.read.durationOfStayDays : null
  return {
    document,
    waiver: null,
    toCheck,
    // A traveller whom a refusal exempts is admitted on the document.
    requirement: requirement === "no_admission" ? "visa_required" : requirement,
    days: null,
    isOwn: true,
    // A visa of a state of such a zone counts with all days there. The holder of a permit is not a visitor.
    counting: !isVisitor ? "permit" : rule !== null && document.isShortStay ? "certain" : "possible",
    boundDays,
    // A visa of a state of such a zone must be valid for the whole stay.
    untilDay: !isVisitor || rule !== null ? document.read.validUntilDay : null,
    effort: effortOfStay(boundDays),
  }
}

// Lists a waiver's terms for a document of the destination itself, or of the country that it follows. Such a document is not one of another
// state, so the waiver must name that issuer only. While the document is valid, its holder enters on it anyway.
function listOwnTerms({ held }: Waiver, document: DocumentState, { firstDay }: Visit): readonly DocumentTerms[] {
  const { kind, issuer } = document.read
  if (document.place === null || coversArrival(document, firstDay)) return NOTHING
  return held.filter(terms => terms.kind === kind && namesOnly(terms, issuer))
}

/** Returns the fewest terms to check of those that name a document, on each of two stays; null if it meets none of them. */
export function judgeBest(
  named: readonly DocumentTerms[],
  document: ComparableDocument,
  stay: StayOfHolder,
  other = stay,
): TermsToCheck | null {
  let best: TermsToCheck | null = null
  for (let at = 0; at < named.length; at++) {
    const first = judgeTerms(named[at]!, document, stay)
    const last = other === stay ? first : judgeTerms(named[at]!, document, other)
    if (first === null || last === null) continue
    const judged = first.length === 0 ? last : first
    if (best === null || judged.length < best.length) best = judged
  }
  return best
}

/** Says whether days of a visitor certainly count in a zone. */
export function countsCertainly(requirement: Requirement, days: number | null): boolean {
  return days !== null && !needsVisa(requirement)
}

function effortOf({ requirement, days }: Waiver): number {
  return easeRank(requirement) * EFFORT_OF_REQUIREMENT + effortOfStay(days)
}

function enterByWaiver({ entries }: WaysDataset, document: DocumentState, { column }: Visit, waiver: Waiver): Way {
  const { requirement, days } = waiver
  const zone = entries.zones[column]!
  const isOwn = zone > 0 && entries.zones[document.column] === zone
  return {
    document,
    waiver,
    toCheck: null,
    requirement,
    days,
    isOwn,
    counting: countsCertainly(requirement, days) ? "certain" : "possible",
    boundDays: isOwn && document.isForVisitors ? document.read.durationOfStayDays : null,
    untilDay: isOwn ? document.read.validUntilDay : null,
    effort: effortOf(waiver),
  }
}

/**
 * Returns the effort of an entry, less for what is in hand. For the holder of a permit, who is not a visitor, no number of days is a longer
 * stay; an authorisation in hand has not to be obtained.
 */
export function effortInHand(effort: number, counting: DayCounting, isAuthorised: boolean): number {
  if (counting === "permit") return FREE_EFFORT
  return isAuthorised ? effort % EFFORT_OF_REQUIREMENT : effort
}

/**
 * Says whether a way replaces an entry without a document. A document of the destination is the required document. An authorisation is for
 * people who need no visa: a traveller with a document that limits the stay may use an authorisation instead.
 */
export function replaces(way: Pick<Way, "isOwn" | "boundDays" | "untilDay"> | null, requirement: Requirement): boolean {
  if (way === null || !way.isOwn || requirement === "visa_free") return false
  return needsVisa(requirement) || (way.boundDays === null && way.untilDay === null)
}
