/**
 * What is the effect of the traveller's documents at a stop?
 *
 * A visa or permit of the destination itself, or of the country whose rules apply there, is the required document: nothing has to be
 * obtained, and its validity, entries and days limit the stay. A document that a waiver of the destination names makes the requirement that
 * of the waiver; if it was issued inside the destination's zone, its own limits apply too. The holder of a residence permit or long-stay
 * visa is not a visitor: his days do not count in the zone (Regulation (EU) 2016/399, Art. 6(2)).
 *
 * A document that is not valid on the day of arrival has no effect. A document lifts a refusal only if the rule exempts its holder:
 * permanent residents of the destination, or holders of a visa that was issued before a day. A travel authorisation is not a visa; it only
 * answers the demand for an authorisation. Terms of a waiver that the traveller did not state are conditions to check, not guesses. Outside
 * zones, the stay under a visa ends when the visa says, not when it expires, so only the arrival is compared with its validity.
 */
import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Found } from "../dataset/open.ts"
import { easeRank, REQUIREMENTS } from "../dataset/requirement.ts"
import type { Waiver } from "../dataset/rule-terms.ts"
import { EFFORT_OF_REQUIREMENT, effortOfStay } from "../requirement/entry.ts"
import {
  type ComparableDocument,
  type ComparableTerms,
  compareTerms,
  type DocumentJudgement,
  isIssuedFor,
  isNamed,
  judgeNamed,
  namesOnly,
  type StayOfHolder,
} from "../requirement/judge-document.ts"
import { lasts } from "../requirement/waivers.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import {
  addPossible,
  changeTerms,
  countsCertainly,
  type EntryTerms,
  type ExemptionToCheck,
  explainStay,
  type PossibleEase,
} from "./entry-terms.ts"
import { type Finding, unknown } from "./findings.ts"
import { findLacking, findPair, listWaivers } from "./pair-findings.ts"
import type { EasingWaiver, Exemption, PairFindings } from "./pair-table.ts"
import { type NamedDocument, NO_PARAMS } from "./reasons.ts"
import { coversArrival, type DocumentState, type PassportState } from "./traveller-state.ts"

/**
 * Lists the terms of entering a stop with each of the documents that change them, after those without a document; null
 * if no document has an effect. Marks the documents that a rule names.
 */
export function listHeldTerms(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  unheld: PairFindings,
): EntryTerms[] | null {
  const pair = findLacking(state, passport, stop, unheld, true) ?? unheld
  const { terms: base, easable: answer } = pair
  if (answer === null) return null
  const { documents } = state
  let eased: Eased | null = null
  let isWaiverKnown = false
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at]!
    isWaiverKnown ||= document.reach.waivers[stop.column] === 1
    const isRefused = answer.requirement === "no_admission"
    if (document.read.kind === "eta" || (document.place === null && !isRefused)) continue
    if (!isOfStop(state, document, stop, answer)) continue
    const exempting = isRefused ? judgeExemption(pair.exemption!, document) : EXEMPTS
    if (exempting === null) continue
    document.isNamed = true
    if (coversArrival(document, stop.firstDay) && addsAnything(document, stop, base)) {
      eased ??= { changed: [base], possible: null }
      eased.changed.push(enterOnOwn(stop, base, answer, document, exempting.toCheck))
    }
  }
  if (isWaiverKnown) {
    const waivers = listWaivers(state, pair, passport, stop)
    if (waivers.length > 0) eased = addWaived(state, waivers, stop, base, answer, eased)
  }
  if (eased === null) return null
  const { changed, possible } = eased
  changed[0] = unheld.terms
  if (possible !== null) for (let at = 0; at < changed.length; at++) changed[at] = addPossible(changed[at]!, possible)
  return changed
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

/** Finds the held travel authorisation for a stop that requires one; null if there is none. */
export function findAuthorisation(
  state: DecisionState,
  stop: StopState,
  { requirement }: EntryTerms = stop.terms!,
): DocumentState | null {
  if (requirement.status === "unknown") return null
  const isAsked = requirement.value === "eta"
  // An authorisation that the border or a bar makes useless is named all the same.
  if (!isAsked && requirement.answer.requirement !== "eta") return null
  const { documents } = state
  let found: DocumentState | null = null
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at]!
    if (document.read.kind !== "eta") continue
    const isInZone = isOfSameZone(state, document, stop)
    if (!isInZone && !isOfStop(state, document, stop, requirement.answer)) continue
    document.isNamed = true
    if (isAsked && coversArrival(document, stop.firstDay)) found ??= document
  }
  return found
}

// An authorisation of one state of a zone is one of all of them: Regulation (EU) 2018/1240, Art. 3(1)(5).
function isOfSameZone({ rules }: DecisionState, { column }: DocumentState, { zonePlace }: StopState): boolean {
  return zonePlace?.zone.rule.kind === "rolling" && rules.zonePlaces[column]?.zone === zonePlace.zone
}

/** The terms that documents change, and those that a person has to check. */
interface Eased {
  readonly changed: EntryTerms[]
  possible: PossibleEase[] | null
}

function isOfStop(
  { rules }: DecisionState,
  held: DocumentState,
  { column, destination }: StopState,
  answer: Found,
): boolean {
  if (held.isAirportTransit && rules.zonePlaces[held.column]?.zone.rule.kind === "rolling") return false
  const { zones } = rules.entries
  return isIssuedFor(held.read.issuer, destination, answer, zones[held.column] === zones[column])
}

// A short-stay visa of a zone adds nothing for a visitor who needs no visa and has the zone's days.
function addsAnything(
  document: DocumentState,
  stop: StopState,
  { requirement, counting, maxDays }: EntryTerms,
): boolean {
  const zone = stop.zonePlace?.zone
  if (zone?.rule.kind !== "rolling" || !document.isForVisitors) return true
  return !(
    requirement.status === "known" &&
    requirement.value === "visa_free" &&
    counting === "certain" &&
    maxDays! >= zone.rule.allowanceDays
  )
}

const SET_BY_DOCUMENT = unknown("pair", "stay_set_by_document", NO_PARAMS)
// By requirement: the finding for a stay under a waiver without a number of days.
const NOT_NAMED = new Map(REQUIREMENTS.map(each => [each, unknown("pair", explainStay(each, false), NO_PARAMS)]))

function enterOnOwn(
  stop: StopState,
  base: EntryTerms,
  answer: Found,
  document: DocumentState,
  toCheck: ExemptionToCheck | null,
): EntryTerms {
  const isVisitor = document.isForVisitors
  // A visa of a state of such a zone counts with all days there, and must be valid for the whole stay.
  const isInZone = stop.zonePlace?.zone.rule.kind === "rolling"
  const boundDays = isVisitor ? document.read.durationOfStayDays : null
  const untilDay = !isVisitor || isInZone ? document.read.validUntilDay : null
  const asked = base.requirement.status === "known" ? base.requirement.value : answer.requirement
  return changeTerms(base, {
    requirement: {
      granularity: "pair",
      status: "known",
      // A traveller whom a refusal exempts is admitted on the document.
      value: asked === "no_admission" ? "visa_required" : asked,
      answer,
      because: [{ document: document.place, waiver: null }],
    },
    maxStay: findBound(stop, null, boundDays, untilDay) ?? SET_BY_DOCUMENT,
    maxDays: null,
    counting: !isVisitor ? "permit" : isInZone && document.isShortStay ? "certain" : "possible",
    effort: effortOfStay(boundDays),
    held: { document, toCheck, isOwn: true, boundDays, untilDay },
  })
}

// Adds the effects of the destination's waivers to those of its own documents.
function addWaived(
  state: DecisionState,
  waivers: readonly EasingWaiver[],
  stop: StopState,
  base: EntryTerms,
  answer: Found,
  changed: Eased | null,
): Eased | null {
  const { documents } = state
  let eased = changed
  for (let next = 0; next < waivers.length; next++) {
    const { waiver, place, fromDay, untilDay } = waivers[next]!
    if (stop.firstDay < fromDay || stop.firstDay >= untilDay) continue
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at]!
      let named = document.reach.listTerms(waiver, place)
      if (named.length === 0) continue
      if (isOfStop(state, document, stop, answer)) {
        named = listOwnTerms(waiver, document, stop)
        if (named.length === 0) continue
      }
      document.isNamed = true
      const best = judgeBest(named, document, stop)
      if (best === null) continue
      eased ??= { changed: [base], possible: null }
      if (best.status === "met") eased.changed.push(enterByWaiver(state, stop, base, answer, document, waiver))
      else if (lasts(waiver, stop)) {
        // A document that must be checked helps only if its days are enough.
        eased.possible ??= []
        eased.possible.push({ document, waiver, toCheck: best.toCheck, effort: effortOf(waiver) })
      }
    }
  }
  return eased
}

// Lists a waiver's terms for a document of the destination itself, or of the country that it follows. Such a document is not one of another
// state, so the waiver must name that issuer only. While the document is valid, its holder enters on it anyway.
function listOwnTerms({ held }: Waiver, document: DocumentState, stop: StopState): readonly ComparableTerms[] {
  const { kind, issuer } = document.read
  if (document.place === null || coversArrival(document, stop.firstDay)) return NOTHING
  return held.filter(terms => terms.kind === kind && namesOnly(terms, issuer)).map(compareTerms)
}

/** Returns the best result of the terms that name a document, on each of two stays; null if it meets none of them. */
export function judgeBest(
  named: readonly ComparableTerms[],
  document: ComparableDocument,
  stay: StayOfHolder,
  other = stay,
): DocumentJudgement | null {
  let best: DocumentJudgement | null = null
  for (let at = 0; at < named.length; at++) {
    const first = judgeNamed(named[at]!, document, stay)
    const last = other === stay ? first : judgeNamed(named[at]!, document, other)
    const judged = first.status === "met" ? last : first
    if (judged.status === "unmet" || last.status === "unmet") continue
    if (best === null || judged.toCheck.length < best.toCheck.length) best = judged
  }
  return best
}

function effortOf({ requirement, days }: Waiver): number {
  return easeRank(requirement) * EFFORT_OF_REQUIREMENT + effortOfStay(days)
}

function enterByWaiver(
  state: DecisionState,
  stop: StopState,
  base: EntryTerms,
  answer: Found,
  document: DocumentState,
  waiver: Waiver,
): EntryTerms {
  const { requirement, days } = waiver
  const { zonePlaces } = state.rules
  const zone = stop.zonePlace?.zone
  const isOwn = zone !== undefined && zonePlaces[document.column]?.zone === zone
  const boundDays = isOwn && document.isForVisitors ? document.read.durationOfStayDays : null
  const untilDay = isOwn ? document.read.validUntilDay : null
  return changeTerms(base, {
    requirement: {
      granularity: "pair",
      status: "known",
      value: requirement,
      answer,
      because: [{ document: document.place, waiver }],
    },
    maxStay: findBound(stop, days, boundDays, untilDay) ?? NOT_NAMED.get(requirement)!,
    maxDays: days,
    counting: countsCertainly(requirement, days) ? "certain" : "possible",
    effort: effortOf(waiver),
    held: { document, toCheck: null, isOwn, boundDays, untilDay },
  })
}

// Returns the longest stay from the arrival on, if anything limits it.
function findBound(
  stop: StopState,
  days: number | null,
  boundDays: number | null,
  untilDay: EpochDay | null,
): Finding<number> | null {
  const least = Math.min(
    days ?? Number.POSITIVE_INFINITY,
    boundDays ?? Number.POSITIVE_INFINITY,
    untilDay === null ? Number.POSITIVE_INFINITY : untilDay - stop.firstDay + 1,
  )
  return least === Number.POSITIVE_INFINITY ? null : { granularity: "pair", status: "known", value: least }
}

/** Finds the remark of a document to check in the judged terms. Other remarks of the waiver may be about other documents. */
export function findRemark(
  { rules }: DecisionState,
  stop: StopState,
  { waiver, document, toCheck }: PossibleEase,
): string | null {
  for (const terms of waiver.held) {
    if (terms.remark === undefined || !isNamed(rules.index!, terms, document.read)) continue
    if (judgeNamed(compareTerms(terms), document, stop).toCheck === toCheck) return terms.remark
  }
  return null
}

/** Why a document could not be used at a stop: `too_few_days` for one that a waiver names, the others for one of the destination itself. */
type Unused = NamedDocument &
  (
    | { readonly because: "ended" | "begins" | "no_entry"; readonly on: string | null }
    | { readonly because: "too_few_days"; readonly days: number }
  )

/**
 * Explains why a held document of the destination itself, or one that a waiver names, could not be used at a stop; null if there is none.
 */
export function explainUnused(state: DecisionState, index: number): Unused | null {
  const stop = state.stops[index]!
  const { requirement } = stop.terms!
  if (requirement.status === "unknown") return null
  for (const document of state.documents) {
    if (document.place === null || document.read.kind === "eta") continue
    if (!isOfStop(state, document, stop, requirement.answer)) continue
    const { validFrom, validFromDay, validUntil, validUntilDay } = document.read
    const named = nameDocument(document)
    if (validUntilDay !== null && validUntilDay < stop.firstDay) return { ...named, because: "ended", on: validUntil }
    if (validFromDay !== null && validFromDay > stop.firstDay) return { ...named, because: "begins", on: validFrom }
    return { ...named, because: "no_entry", on: null }
  }
  return stop.terms!.held === null ? findTooShort(state, stop) : null
}

// Finds the waiver's longest stay for a held document that is shorter than the stop.
function findTooShort(state: DecisionState, stop: StopState): Unused | null {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  let longest: (Unused & { readonly because: "too_few_days" }) | null = null
  for (const { waiver, place, fromDay, untilDay } of listWaivers(state, pair, passport, stop)) {
    if (stop.firstDay < fromDay || stop.firstDay >= untilDay || lasts(waiver, stop)) continue
    const days = waiver.days!
    if (longest !== null && days <= longest.days) continue
    const document = state.documents.find(
      each => judgeBest(each.reach.listTerms(waiver, place), each, stop)?.status === "met",
    )
    if (document !== undefined) longest = { ...nameDocument(document), because: "too_few_days", days }
  }
  return longest
}

/** Names a held document, or the residence as one. */
export function nameDocument({ read: { kind, issuer }, place }: DocumentState): NamedDocument {
  return { kind, issuer, held: place }
}
