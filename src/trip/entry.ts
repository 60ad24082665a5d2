/**
 * What are the findings at one stop for a traveller who enters it in a certain way?
 *
 * The requirement, the conditions of its rules, the border, the length of the stay and the passport are judged in order. The judgement is pure:
 * it depends on the journey, the law, the way and how the stays before were entered, and changes none of them.
 *
 * Every condition of the rule, of the policy and of the used waiver is reported, as in `describePair`. Some are judged if the traveller
 * gave enough information: the purpose, the mode of entry, and a suspension of visas, which blocks unless an exemption may apply. A
 * traveller who enters on a document of the destination has the required document, so conditions of obtaining it are left out.
 *
 * A suspension of visas does not concern lawful permanent residents, nor holders of a visa that was issued before it (Proclamation 10949 of
 * 4 June 2025, Sections 3 and 4; Proclamation of 16 December 2025, Sections 5 and 6).
 */

import { knownDays } from "../itinerary/findings.ts"
import { isKindMet, listLacking } from "../itinerary/passport-features.ts"
import type { ReadItinerary } from "../itinerary/request-fields.ts"
import type { Step } from "../itinerary/step-fields.ts"
import { listPolicyConditions } from "../requirement/describe-pair.ts"
import { lasts } from "../requirement/waivers.ts"
import type { ConditionKind } from "../rules/condition-words.ts"
import { entersByRight, findReadmission, judgeBorder } from "./borders.ts"
import { type Arrival, judgeStay, type Past } from "./days.ts"
import {
  type Authorisation,
  findAuthorisation,
  findRemark,
  isOfDestination,
  judgeBest,
  listNamed,
  nameDocument,
  opensGateway,
  type PossibleEase,
} from "./documents.ts"
import { ask, block, type Issue, miss, missPlain } from "./issues.ts"
import type { Held, Journey, Stay } from "./journey.ts"
import { type AskedCondition, type Law, sayAll } from "./law.ts"
import { isPast, judgePassport } from "./passport.ts"
import { isInHand, type Way } from "./ways.ts"

/** The findings of one entry. */
export interface Entry {
  readonly arrival: Arrival
  readonly step: Step
  readonly issues: readonly Issue[]
  /** What later stops need to know of it. */
  readonly past: Past
}

/** Judges one stop, entered in a way. */
export function entryOf(arrival: Arrival, possible: readonly PossibleEase[]): Entry {
  const { journey, passport, stop, way } = arrival
  const issues: Issue[] = []
  judgeRequirement(arrival, possible, issues)
  const { maxStay, countedStay, zoneStay, counting } = judgeStay(arrival, issues)
  const passportValidity = judgePassport(arrival, issues)
  if (isPast(journey.dataset, stop) && !way.isHome) missPast(arrival, countedStay, issues)
  return {
    arrival,
    issues,
    past: { counting, isHome: way.isHome, held: way.held },
    step: {
      index: stop.place,
      destination: stop.destination,
      from: stop.from,
      to: stop.to,
      days: stop.lastDay - stop.firstDay + 1,
      passport: passport.held.passport,
      passportKind: passport.held.passportKind,
      requirement: way.requirement,
      maxStay,
      daysAccumulated: knownDays(stop.daysAccumulated),
      countedStay,
      passportValidity,
      zoneStay,
    },
  }
}

// Adds what is not verified or not recorded about a past day. Rules that nobody recorded for past days are not replaced by today's.
function missPast({ journey, passport, stop, way }: Arrival, countedStay: Step["countedStay"], issues: Issue[]): void {
  const rule = journey.dataset.past?.(passport.held.passport, stop.destination, stop.firstDay)
  if (way.requirement.status === "known" && rule?.kind === "found") {
    const { by, until, source } = rule
    issues.push(miss("requirement", "imported_past", { by, until, source }))
  }
  if (countedStay !== null && countedStay.rule !== null) {
    issues.push(missPlain("countedStay", "stay_rule_of_today", "destination"))
  }
}

/** Finds the held travel authorisation that a way asks for. */
export function authorise({ journey, stop, way }: Pick<Arrival, "journey" | "stop" | "way">): Authorisation {
  const { requirement } = way
  return requirement.status === "unknown"
    ? { document: null, named: 0 }
    : findAuthorisation(journey.provisions, journey.documents, stop, requirement.answer, requirement.value)
}

function judgeRequirement(arrival: Arrival, possible: readonly PossibleEase[], issues: Issue[]): void {
  const { stop, law, way } = arrival
  const { requirement, held } = way
  if (law.asked !== null && requirement === law.base.requirement) {
    if (law.asked.weight === "blocks" || law.asked.field !== null) issues.push(law.asked)
    else if (!hasRequired(arrival)) issues.push(explainRequirement(arrival, law.asked))
  } else if (requirement.status === "known" && requirement.value !== "visa_free" && !hasRequired(arrival)) {
    issues.push(explainRequirement(arrival, ask(requirement.value as "eta", { destination: stop.destination })))
  }
  if (possible.length > 0 && !isEnough(arrival)) {
    for (const ease of possible) if (ease.effort < way.effort) issues.push(sayEase(arrival, ease))
  }
  if (held !== null && held.toCheck !== null) {
    const named = nameDocument(held.document)
    issues.push(ask("check_exemption", { ...named, destination: stop.destination, ...held.toCheck }))
  }
  judgeConditions(arrival, issues)
  if (law.borders.ownPassports.length > 0 || law.borders.bars.length > 0) judgeBorder(arrival, issues)
  if (way.isUncertain) issues.push(missPlain("requirement", "treaty_left"))
  if (held === null) for (let at = 0; at < law.doubts.length; at++) issues.push(law.doubts[at]!)
}

// Says whether the required document or authorisation is in hand, or not asked of the traveller.
function hasRequired(arrival: Arrival): boolean {
  const { requirement } = arrival.way
  if (requirement.status === "unknown") return false
  if (isInHand(arrival.way)) return true
  if (arrival.journey.documents.length > 0 && authorise(arrival).document !== null) return true
  return entersByRight(arrival, requirement.answer.requirement)
}

// Reports a requirement with the document that could not be used, if there is one. An authorisation is for travellers who need no visa, so a
// held visa is not reported as unused.
function explainRequirement(arrival: Arrival, asked: Issue): Issue {
  const { journey, stop, law } = arrival
  const code = asked.code as "visa_required"
  const { destination } = stop
  if (code === "visa_required" && law.borders.readmissions.length > 0) {
    const again = findReadmission(arrival)
    if (again !== null) {
      const named = { ...nameDocument(again.visa), destination, requirement: code }
      return ask("check_held_document", { ...named, days: null, checks: [], remark: again.remark })
    }
  }
  if (journey.documents.length === 0 || asked.code === "eta") return asked
  const unused = explainUnused(arrival)
  return unused === null ? asked : ask(code, { destination, ...unused })
}

function sayEase({ journey, stop }: Arrival, ease: PossibleEase): Issue {
  const { document, waiver, toCheck: checks } = ease
  const { requirement, days } = waiver
  const { destination } = stop
  const remark = findRemark(journey.provisions, stop, ease)
  const params = { ...nameDocument(document), destination, requirement, days, checks, remark }
  // The entry is judged without it, so it leaves nothing open.
  return ask("check_held_document", params, "info")
}

// Says whether the required document or authorisation is held and its days are enough, so that no easier entry is needed. Other stays there
// may use up the days.
function isEnough(arrival: Arrival): boolean {
  const { stop, way } = arrival
  const { firstDay, lastDay, here, inZone } = stop
  const { maxStay } = way
  const isFirst = here[0] === stop && (inZone.length === 0 || inZone[0] === stop)
  const hasDays = maxStay.status === "known" && (maxStay.value === "unlimited" || lastDay - firstDay < maxStay.value)
  // Days that a visa sets are not known here, and leave nothing open.
  if (isInHand(way)) return isFirst && (hasDays || maxStay.status === "unknown")
  return isFirst && hasDays && authorise(arrival).document !== null
}

/** Why a document could not be used at a stop: `too_few_days` for one that a waiver names, the others for one of the destination itself. */
type Unused = ReturnType<typeof nameDocument> &
  (
    | { readonly because: "ended" | "begins" | "no_entry"; readonly on: string | null }
    | { readonly because: "too_few_days"; readonly days: number }
  )

// Explains why a held document of the destination itself, or one that a waiver names, could not be used at a stop; null if there is none.
function explainUnused(arrival: Arrival): Unused | null {
  const { journey, stop, way } = arrival
  const { requirement } = way
  if (requirement.status === "unknown") return null
  const known = journey.provisions
  for (const document of journey.documents) {
    if (document.place === null || document.read.kind === "eta") continue
    if (!isOfDestination(known, document, stop, requirement.answer)) continue
    const { validFrom, validFromDay, validUntil, validUntilDay } = document.read
    const named = nameDocument(document)
    if (validUntilDay !== null && validUntilDay < stop.firstDay) return { ...named, because: "ended", on: validUntil }
    if (validFromDay !== null && validFromDay > stop.firstDay) return { ...named, because: "begins", on: validFrom }
    return { ...named, because: "no_entry", on: null }
  }
  return way.held === null ? findTooShort(arrival) : null
}

// Finds the waiver's longest stay for a held document that is shorter than the stop.
function findTooShort({ journey, stop, law }: Arrival): Unused | null {
  const known = journey.provisions
  let longest: (Unused & { readonly because: "too_few_days" }) | null = null
  for (const waiver of law.waivers) {
    if (lasts(waiver, stop)) continue
    const days = waiver.days!
    if (longest !== null && days <= longest.days) continue
    const document = journey.documents.find(each => judgeBest(listNamed(known, waiver, each), each, stop)?.length === 0)
    if (document !== undefined) longest = { ...nameDocument(document), because: "too_few_days", days }
  }
  return longest
}

// ---- Conditions

/** Conditions of obtaining a document, or of an entry without it, which do not concern its holders. */
const OF_OBTAINING: ReadonlySet<ConditionKind> = /* @__PURE__ */ new Set<ConditionKind>([
  "held_document",
  "sponsor",
  "exempt",
  "suspension",
  "bond",
  "also",
  "asked_at",
  "passport_kind",
])

/** The purposes of visitors' and students' visas. Another text may mean a visa of another class. */
const KNOWN_PURPOSES: readonly string[] = [
  "business",
  "exchange",
  "family",
  "medical",
  "pilgrimage",
  "tourism",
  "transit",
]

/** Lists the conditions of an entry at a stop, or at a place that is treated like one. */
export function listConditions({
  journey,
  passport,
  stop,
  law,
  way,
}: Omit<Arrival, "before">): readonly AskedCondition[] {
  const { index } = journey.provisions
  const { held, requirement } = way
  // What must be checked of a passport of another kind is not asked of the holder of a document.
  if (held === null) return law.toCheck === null ? law.conditions : [law.toCheck, ...law.conditions]
  if (held.waiver === null) return law.conditions.filter(({ condition }) => !OF_OBTAINING.has(condition.kind))
  if (index === null || requirement.status === "unknown" || stop.firstDay < journey.dataset.sinceDay) return []
  const { destination, firstDay: day } = stop
  const asked = { passport: passport.ruledAs, destination, answer: requirement.answer, day, as: way }
  // The borders of a requirement are not those of a waiver, and a document opens the entry to holders of any passport.
  const ofPolicy = listPolicyConditions(index, asked, held.requirement).filter(
    ({ kind }) => kind !== "asked_at" && kind !== "passport_kind",
  )
  return sayAll(destination, [...held.waiver.conditions, ...ofPolicy])
}

function judgeConditions(arrival: Arrival, issues: Issue[]): void {
  const conditions = listConditions(arrival)
  for (let at = 0; at < conditions.length; at++) {
    const each = conditions[at]!
    if (!isSettled(arrival, each, conditions, issues)) issues.push(each.issue)
  }
}

// Says whether the traveller's information settles a condition, so that it is not reported; adds an issue if it blocks.
function isSettled(
  arrival: Arrival,
  { condition }: AskedCondition,
  others: readonly AskedCondition[],
  issues: Issue[],
): boolean {
  const { journey, passport, stop, way } = arrival
  const { destination, by } = stop
  const { requirement } = way
  switch (condition.kind) {
    case "purpose": {
      const purpose = readPurpose(journey.read)
      if (!purpose) return false
      if ((condition.purposes as readonly string[]).includes(purpose)) return true
      issues.push(block("purpose_not_covered", { destination, purpose, purposes: condition.purposes }))
      return false
    }
    case "entry_points": {
      const electronic = isElectronic(way)
      // The borders of an easier entry or of an electronic visa are not those of another visa or of a permit.
      if (electronic === false) return true
      if (by === null || electronic === null || condition.borders === undefined) return false
      if (condition.borders.includes(by)) return condition.names === undefined
      const { borders, names = [] } = condition
      issues.push(block("entry_point_closed", { destination, by, borders, names }))
      return false
    }
    // It is applied if the border is known; who enters by right needs nothing.
    case "asked_at":
      return by !== null || (requirement.status === "known" && entersByRight(arrival, requirement.answer.requirement))
    case "passport_kind": {
      if (isKindMet(condition, passport.features)) return true
      if (requirement.status === "unknown") return false
      const asked = requirement.answer.requirement
      if (asked === requirement.value) return false
      const lacking = listLacking([condition], passport.features)
      // Who needs a visa for another reason, such as a bar, needs no such passport.
      if (lacking.length === 0) return requirement.value === "visa_required"
      issues.push(ask("visa_instead", { destination, asked, because: "passport", features: lacking }))
      return true
    }
    case "gateway_visa":
      return journey.documents.some(each => opensGateway(journey.provisions.index!, stop, each, condition))
    case "not_enforced":
      return by !== null && condition.borders?.includes(by) === false
    case "suspension": {
      if (mayBeExempt(journey, stop, others)) return false
      const { passport: code } = passport.held
      issues.push(block("visa_suspended", { destination, passport: code, visas: condition.visas }))
      return false
    }
    default:
      return false
  }
}

/** Says whether a given purpose is judged for a way of entering: its rules name purposes, and the given one is one of their words. */
export function judgesPurpose(arrival: Omit<Arrival, "before">): boolean {
  return (
    Boolean(readPurpose(arrival.journey.read)) &&
    listConditions(arrival).some(({ condition }) => condition.kind === "purpose")
  )
}

/** Says whether a document opens the way by a condition of a law. Whether another one opens it too is no matter. */
export function opensWay({ provisions }: Journey, stop: Stay, law: Law, document: Held): boolean {
  return law.conditions.some(
    ({ condition }) => condition.kind === "gateway_visa" && opensGateway(provisions.index!, stop, document, condition),
  )
}

// Says whether a stop is entered on the electronic visa of its rule, or on nothing in hand; null if that is not known.
function isElectronic({ held, requirement }: Way): boolean | null {
  if (held === null || requirement.status === "unknown" || held.waiver !== null) return true
  const { kind, electronic } = held.document.read
  return kind === "visa" && requirement.answer.requirement === "e_visa" ? electronic : false
}

// Returns the purpose if it is one of the words of rules, "" if none is given, and null for any other text.
function readPurpose({ purpose }: ReadItinerary): string | null {
  const word = purpose === null ? "" : purpose.trim().toLowerCase()
  return word === "" || KNOWN_PURPOSES.includes(word) ? word : null
}

/** Says whether rules for visitors decide an entry, and may not cover the purpose, such as work. */
export function leavesPurposeOpen({ read }: Journey, entries: readonly Entry[]): boolean {
  const isVisit = ({ arrival: { way } }: Entry) => !way.isHome && !way.movesFreely && !isInHand(way)
  return read.purpose !== null && readPurpose(read) === null && entries.some(isVisit)
}

// Says whether a traveller may be exempt from a suspension: nothing in the request rules it out.
function mayBeExempt({ read, documents }: Journey, { column }: Stay, others: readonly AskedCondition[]): boolean {
  if (readPurpose(read) === null) return true
  const exempt = others.find(({ condition }) => condition.kind === "exempt")?.condition
  if (exempt?.kind !== "exempt") return false
  return documents.some(({ column: issuer, read: { kind, permanent } }) => {
    if (issuer !== column) return false
    if (kind === "visa") return exempt.issuedBefore !== undefined
    return permanent !== false && exempt.who?.includes("permanent_residents") === true
  })
}
