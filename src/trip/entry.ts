/**
 * What are the findings at one stop for a traveller who enters it in a certain way?
 *
 * The requirement, the conditions of its rules, the border, the length of the stay and the passport are judged in order. The judgement is pure:
 * it depends on the journey, the law, the way and how the stays before were entered, and changes none of them.
 *
 * Every condition of the rule, of the policy and of the used waiver is reported, as in `describePair`, unless it is settled. A traveller who
 * enters on a document of the destination has the required document, so conditions of obtaining it are left out.
 */

import { addCivilMonths, type EpochDay, formatCivilDate } from "../civil-date.ts"
import { BORDERS, isAbout, needsVisa, type Requirement } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import { listPolicyConditions } from "../requirement/describe-pair.ts"
import type { ConditionKind } from "../rules/provision-kinds.ts"
import { type Duty, isFeatureOpen, type RuleCondition, type ValidityTerms } from "../rules/provisions.ts"
import type { Step } from "./answer-fields.ts"
import { type Arrival, judgeStay, type Past } from "./days.ts"
import {
  covers,
  findAuthorisation,
  findRemark,
  type Held,
  isForAnnounced,
  isInHand,
  isLongStay,
  isOfDestination,
  judgeBest,
  judgeExemption,
  lasts,
  listNamed,
  nameDocument,
  opensWay,
  type PossibleEase,
  type Way,
} from "./documents.ts"
import { goesAround, isExpired, isPast, type Journey, type Passport, type Stay, stayOf } from "./journey.ts"
import { type AskedCondition, findBar, findNational, listLacking, NO_BORDERS, sayConditions } from "./law.ts"
import { ask, block, type Issue, miss, missing, missPlain, type ParamsOf } from "./reasons.ts"
import {
  type BorderRule,
  isDutyOf,
  NOTHING_OF_VALIDITY,
  pickValidity,
  ROLLING_SINCE_DAY,
  VALIDITY_AT_HOME,
  VALIDITY_OF_KIND,
  VALIDITY_OF_PAST,
  type ValidityFinding,
  type ValidityFindings,
} from "./recorded.ts"
import type { ReadItinerary } from "./request-fields.ts"

/** The findings of one entry. */
export interface Entry {
  readonly arrival: Arrival
  readonly stay: ReturnType<typeof judgeStay>
  readonly passportValidity: ValidityFinding
  readonly issues: readonly Issue[]
  /** What later stops need to know of it. */
  readonly past: Past
}

/** Judges one stop, entered in a way. */
export function entryOf(arrival: Arrival, possible: readonly PossibleEase[]): Entry {
  const { journey, stop, way } = arrival
  const issues: Issue[] = []
  judgeRequirement(arrival, possible, issues)
  if (leavesPurposeOpen(arrival)) issues.push(missPlain("purpose", "purpose_not_recorded"))
  const stay = judgeStay(arrival, issues)
  const passportValidity = judgePassport(arrival, issues)
  if (arrival.law.duties.length > 0) judgeDuties(arrival, issues)
  if (isPast(journey.dataset, stop) && !way.isHome) missPast(arrival, stay.countedStay, issues)
  const past = { counting: stay.counting, isHome: way.isHome, held: way.held }
  return { arrival, stay, passportValidity, issues, past }
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

/** Finds the held travel authorisation that a way asks for; null if none is held or asked for. */
export function authorise(journey: Journey, stop: Stay, { requirement }: Way): Held | null {
  return requirement.status === "unknown"
    ? null
    : findAuthorisation(journey.provisions, journey.documents, stop, requirement.answer, requirement.value)
}

function judgeRequirement(arrival: Arrival, possible: readonly PossibleEase[], issues: Issue[]): void {
  const { stop, law, way } = arrival
  const { requirement, held } = way
  if (law.asked !== null && requirement === law.base.requirement) {
    if (law.asked.weight === "blocks" || law.asked.field !== null) issues.push(law.asked)
    else if (!hasRequired(arrival)) issues.push(reportRequirement(arrival, law.asked))
  } else if (requirement.status === "known" && requirement.value !== "visa_free" && !hasRequired(arrival)) {
    issues.push(reportRequirement(arrival, ask(requirement.value as "eta", { destination: stop.destination })))
  }
  if (possible.length > 0) for (const ease of listEasier(arrival, possible)) issues.push(sayEase(arrival, ease))
  if (held !== null && held.toCheck !== null) {
    const named = nameDocument(held.document)
    issues.push(ask("check_exemption", { ...named, destination: stop.destination, ...held.toCheck }))
  }
  judgeConditions(arrival, issues)
  if (law.borders !== NO_BORDERS) judgeBorder(arrival, issues)
  if (way.isUncertain) issues.push(missPlain("requirement", "treaty_left"))
  if (held === null) for (let at = 0; at < law.doubts.length; at++) issues.push(law.doubts[at]!)
}

/** Says whether the required document or authorisation is in hand, or not asked of the traveller. */
export function hasRequired(arrival: Arrival): boolean {
  const { journey, stop, way } = arrival
  const { requirement } = way
  if (requirement.status === "unknown") return false
  if (isInHand(way) || authorise(journey, stop, way) !== null) return true
  return entersByRight(arrival, requirement.answer.requirement)
}

// Reports a requirement with the document that could not be used, if there is one. An authorisation is for travellers who need no visa, so a
// held visa is not reported as unused.
function reportRequirement(arrival: Arrival, asked: Issue): Issue {
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

/** Lists the documents that would make an entry easier than it is, if what must be checked of them is so. */
export function listEasier(arrival: Arrival, possible: readonly PossibleEase[]): readonly PossibleEase[] {
  return isEnough(arrival) ? NOTHING : possible.filter(({ effort }) => effort < arrival.way.effort)
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
  const { journey, stop, way } = arrival
  const { firstDay, lastDay, here, inZone } = stop
  const { maxStay } = way
  const isFirst = here[0] === stop && (inZone.length === 0 || inZone[0] === stop)
  const hasDays = maxStay.status === "known" && (maxStay.value === "unlimited" || lastDay - firstDay < maxStay.value)
  // Days that a visa sets are not known here, and leave nothing open.
  if (isInHand(way)) return isFirst && (hasDays || maxStay.status === "unknown")
  return isFirst && hasDays && authorise(journey, stop, way) !== null
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
    const { validFrom, validFromDay, validUntil, validUntilDay, entries } = document.read
    const named = nameDocument(document)
    if (validUntilDay !== null && validUntilDay < stop.firstDay) return { ...named, because: "ended", on: validUntil }
    if (validFromDay !== null && validFromDay > stop.firstDay) return { ...named, because: "begins", on: validFrom }
    if (typeof entries === "number") return { ...named, because: "no_entry", on: null }
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

/** Conditions of obtaining a document, or of an entry without it, which do not concern its holders. */
const OF_OBTAINING: readonly ConditionKind[] = [
  "held_document",
  "sponsor",
  "exempt",
  "suspension",
  "bond",
  "also",
  "asked_at",
  "passport_kind",
]

// Lists the conditions of an entry at a stop.
function listConditions({ journey, passport, stop, law, way }: Omit<Arrival, "before">): readonly AskedCondition[] {
  const { held, requirement } = way
  // What must be checked of a passport of another kind is not asked of the holder of a document.
  if (held === null) return law.toCheck === null ? law.conditions : [law.toCheck, ...law.conditions]
  // Who enters on a visa does not enter without one, for which some have to register.
  const isVisaFree = requirement.status === "known" && !needsVisa(requirement.answer.requirement)
  const isOther = (kind: ConditionKind) => OF_OBTAINING.includes(kind) || (isVisaFree && kind === "registration")
  if (held.waiver === null) return law.conditions.filter(({ condition: { kind } }) => !isOther(kind))
  if (requirement.status === "unknown" || stop.firstDay < journey.dataset.sinceDay) return []
  const { destination, firstDay: day } = stop
  const asked = { passport: passport.ruledAs, destination, answer: requirement.answer, day, as: way }
  // The borders of a requirement are not those of a waiver, and a document opens the entry to holders of any passport.
  const ofPolicy = listPolicyConditions(journey.provisions.recorded, asked, held.requirement)
  const kept = ofPolicy.filter(({ kind }) => kind !== "asked_at" && kind !== "passport_kind")
  return sayConditions(destination, [...held.waiver.conditions, ...kept])
}

function judgeConditions(arrival: Arrival, issues: Issue[]): void {
  judgePurposeOfClass(arrival, issues)
  const asked = listConditions(arrival)
  if (asked.length === 0) return
  const conditions = asked.map(({ condition }) => condition)
  for (let at = 0; at < asked.length; at++) {
    if (!isSettled(arrival, asked[at]!, conditions, issues)) issues.push(asked[at]!.issue)
  }
}

// Says that the class of the document in hand is for other purposes than the given one; without one, that it is for a transit and this is a stay.
function judgePurposeOfClass({ journey, stop: { destination, isTransit }, way }: Arrival, issues: Issue[]): void {
  const given = readPurpose(journey.read)
  if (given === null || !isInHand(way)) return
  const purposes: readonly string[] | null | undefined = way.held!.document.named?.purposes
  const purpose = given || (purposes?.join() === "transit" && !isTransit ? "tourism" : "")
  if (purpose !== "" && purposes?.includes(purpose) === false) {
    issues.push(block("purpose_not_covered", { destination, purpose, purposes }))
  }
}

// Says whether the traveller's information settles a condition, so that it is not reported; adds an issue if it blocks.
function isSettled(
  arrival: Arrival,
  { condition, issue }: AskedCondition,
  others: readonly RuleCondition[],
  issues: Issue[],
): boolean {
  const { journey, passport, stop, way } = arrival
  const { documents, provisions } = journey
  const { destination, by } = stop
  const { requirement, held } = way
  if (requirement.status === "unknown") return false
  const { value: needed, answer } = requirement
  const usual = answer.requirement
  switch (condition.kind) {
    case "purpose": {
      const purpose = readPurpose(journey.read)
      if (purpose === null) return false
      const purposes: readonly string[] = condition.purposes
      // Who names no purpose is taken for a tourist, and told for which purposes it is.
      const isCovered = purposes.includes(purpose || "tourism")
      if (!isCovered)
        issues.push(block("purpose_not_covered", { destination, purpose: purpose || "tourism", purposes }))
      else if (purpose === "") issues.push({ ...issue, weight: "info" })
      return isCovered
    }
    case "entry_points": {
      const { borders, names } = condition
      // The borders of an easier entry or of an electronic visa are not those of another visa or of a permit.
      const isElectronic = entersElectronically(held, usual)
      if (by === null || borders === undefined || !isElectronic) return isElectronic === false
      if (borders.includes(by)) return names === undefined
      issues.push(block("entry_point_closed", { destination, by, borders, names: names ?? [] }))
      return false
    }
    // It is applied if the border is known; who enters by right needs nothing.
    case "asked_at":
      return by !== null || entersByRight(arrival, usual)
    case "passport_kind": {
      if (!isFeatureOpen(condition, passport.features.has)) return true
      const lacking = usual === needed ? NOTHING : listLacking([condition], passport.features)
      if (lacking.length === 0) {
        // Who needs a visa for another reason, such as a bar, needs no passport with a feature; who has an authorisation like ESTA, has such a
        // passport (8 U.S.C. 1187(a)(3)).
        const isOther = usual !== needed && needed === "visa_required"
        const hasFeature =
          !condition.features.includes("identity_number") && documents.some(each => each.class?.isBiometric)
        return isOther || hasFeature
      }
      issues.push(ask("visa_instead", { destination, asked: usual, because: "passport", features: lacking }))
      return true
    }
    case "not_enforced":
      return by !== null && condition.borders?.includes(by) === false
    case "gateway_visa":
      return documents.some(each => opensWay(provisions.recorded, stop, [condition], each))
    case "suspension":
      // A visa for another purpose may be exempt.
      if (readPurpose(journey.read) === null || mayBeExempt(documents, stop, others)) return false
      issues.push(block("visa_suspended", { destination, passport: passport.held.passport, visas: condition.visas }))
      return false
    default:
      return false
  }
}

// Says whether a stop is entered on the electronic visa of its rule, or on nothing in hand; null if that is not known.
function entersElectronically(held: Way["held"], usual: Requirement): boolean | null {
  if (held === null || held.waiver !== null) return true
  const { read, isElectronic } = held.document
  return read.kind === "visa" && usual === "e_visa" ? isElectronic : false
}

// Says whether a document may exempt a traveller from a suspension of visas. A visa that had expired before it exempts nobody.
function mayBeExempt(documents: readonly Held[], stop: Stay, others: readonly RuleCondition[]): boolean {
  const exempt = others.find(each => each.kind === "exempt")
  if (exempt?.kind !== "exempt") return false
  const { issuedBefore } = exempt
  return documents.some(document => {
    const { kind, validUntil } = document.read
    if (document.column !== stop.column || kind === "eta" || judgeExemption(exempt, document) === null) return false
    return kind !== "visa" || validUntil === null || validUntil >= issuedBefore!
  })
}

// Returns the purpose if it is one of the words of rules, "" if none is given, and null for any other text.
function readPurpose({ purpose }: ReadItinerary): string | null {
  const word = purpose === null ? "" : purpose.trim().toLowerCase()
  return word === "" || KNOWN_PURPOSES.includes(word) ? word : null
}

// Says whether rules for visitors decide an entry, and may not cover the purpose, such as work.
function leavesPurposeOpen({ journey: { read }, way }: Arrival): boolean {
  return !way.isHome && !way.movesFreely && !isInHand(way) && readPurpose(read) === null
}

// ---- The passport

// Is a passport valid for long enough at a stop?
//
// A passport is valid on its day of expiry. Rules of validity bind visitors: for a traveller who is at home, moves freely or has a permit,
// no rule is recorded and nothing is judged (Regulation (EU) 2016/399, Art. 6(1), is about third-country nationals). The date of issue
// matters at the entry: a traveller who continues inside a zone is not checked again. The last exit is the last one from a country that is
// not the traveller's own: a passport that expires while its holder is at home blocks nothing. Where a country accepts expired passports, this is
// a check, because carriers and the countries on the way may refuse them.

/** Says whether a passport that expires before the end of a stop serves there all the same. */
export function servesExpired({ provisions }: Journey, stop: Stay, { expiryDay, row }: Passport): boolean {
  if (expiryDay === null) return false
  const { firstDay, lastDay } = stop
  const findings = pickValidity(provisions, stop, row)
  return findings?.binds?.[row] === 1 && findLastUse(expiryDay, findings.rule, firstDay, lastDay) >= lastDay
}

/** An entry, as far as the passport's validity depends on it: not on the stays before. */
type Shown = Pick<Arrival, "journey" | "passport" | "stop" | "way">

/** Judges a passport's validity at a stop, and adds to `issues` what is too short or not known. */
export function judgePassport(arrival: Shown, issues: Issue[]): ValidityFinding {
  const { journey, passport, stop, way } = arrival
  const { held } = passport
  if (isExpired(passport, way.isHome ? stop.firstDay : stop.lastDay) && servesExpired(journey, stop, passport)) {
    issues.push(ask("expired_accepted", { destination: stop.destination, passport: held.passport }))
  } else if (isExpired(passport, stop.firstDay)) {
    issues.push(
      block("passport_expired", { passport: held.passport, expiry: held.passportExpiry!, arrival: stop.from }),
    )
  }
  const validity = findValidity(arrival, issues)
  if (validity.status === "unknown") issues.push(missing("passportValidity", validity))
  return validity
}

function findValidity({ journey, passport, stop, way }: Shown, issues: Issue[]): ValidityFinding {
  const { provisions, dataset } = journey
  const { requirement, isHome, movesFreely, counting } = way
  const { destination, firstDay, departureDay } = stop
  const findings = pickValidity(provisions, stop, passport.row)
  // A state must admit its own citizens (ICCPR, Art. 12(4)), so a missing rule leaves nothing open at home.
  if (!findings) return isHome ? VALIDITY_AT_HOME : NOTHING_OF_VALIDITY
  if (movesFreely || counting === "permit") return findings.forVisitors
  if (!passport.isOrdinary && requirement.status === "unknown") return VALIDITY_OF_KIND
  // The rule of the Schengen area is law since 2013. The first day of the other rules is not known.
  const isRolling = stop.zonePlace?.zone.rule.kind === "rolling"
  if (isPast(dataset, stop) && (!isRolling || firstDay < ROLLING_SINCE_DAY)) return VALIDITY_OF_PAST
  const { rule } = findings
  const { anchor, months, days, issuedWithinYears: years } = rule
  const { issuedDay } = passport
  // The date of issue matters on the day of the entry, which is searched if the arrival is too late.
  const isOld = years !== null && issuedDay !== null && !isIssuedWithin(issuedDay, years, firstDay)
  const finding = judgeDates(findings, passport, way, firstDay, departureDay, isOld ? stop.entryDay : firstDay)
  if (finding !== findings.notMet) return finding
  const { passport: code, passportExpiry: expiry, passportIssued: issued } = passport.held
  const stayDays = findPermittedDays(rule, way)
  const short = fallsShort(passport, rule, firstDay, departureDay, stayDays)
    ? { expiry: expiry!, anchor, months, days, ...(anchor === "permitted_stay" ? { stayDays } : {}) }
    : { issued: issued!, years: years!, expiry }
  issues.push(block("passport_validity_short", { passport: code, destination, ...short }, null, "destination"))
  return finding
}

/** The longest stay that an answer can have. */
const LONGEST_STAY_DAYS = 36_500

function judgeDates(
  findings: ValidityFindings,
  passport: Passport,
  way: Way,
  firstDay: EpochDay,
  departureDay: EpochDay,
  issueDay: EpochDay,
): ValidityFinding {
  const { rule, binds, isStrictest } = findings
  if (binds !== null && binds[passport.row] !== 1) {
    // Whether the rule holds for a passport that it excepts is not known: one that meets it all the same is valid for long enough.
    const isMet =
      isStrictest && judgeDates({ ...findings, binds: null }, passport, way, firstDay, departureDay, issueDay)
    return isMet === findings.met ? isMet : findings.notNamed
  }
  const stayDays = findPermittedDays(rule, way)
  const { expiryDay, issuedDay, earliestIssue } = passport
  const { issuedWithinYears } = rule
  if (fallsShort(passport, rule, firstDay, departureDay, stayDays)) return findings.notMet
  const isYoung =
    issuedWithinYears === null || (earliestIssue !== null && isIssuedWithin(earliestIssue, issuedWithinYears, issueDay))
  if (issuedDay !== null && !isYoung) return findings.notMet
  if (expiryDay === null) return findings.expiryNotGiven
  const isLong = stayDays === null && fallsShort(passport, rule, firstDay, departureDay, LONGEST_STAY_DAYS)
  if (rule.anchor === "permitted_stay" && isLong) return findings.stayNotKnown
  return isYoung ? findings.met : findings.issueDateNotGiven
}

// Returns the days that are permitted from the arrival on, if a rule counts from their end. Days from an imported table
// are not used: they may differ from the visa's.
function findPermittedDays({ anchor }: ValidityTerms, { maxStay, isTableStay }: Way): number | null {
  if (anchor !== "permitted_stay" || maxStay.status === "unknown" || isTableStay) return null
  return typeof maxStay.value === "number" ? maxStay.value : null
}

// Says whether a passport is known to expire too early for a rule.
function fallsShort(
  { expiryDay }: Passport,
  rule: ValidityTerms,
  firstDay: EpochDay,
  departureDay: EpochDay,
  stayDays: number | null,
): boolean {
  if (expiryDay === null) return false
  // An unknown permitted stay does not end before the departure.
  const afterDay = rule.anchor === "arrival" ? firstDay : stayDays === null ? departureDay : firstDay + stayDays
  return !outlasts(findLastUse(expiryDay, rule, firstDay, departureDay), rule, afterDay)
}

// ---- Is a passport valid for long enough?

// A rule counts whole months, then days, from the arrival or from the departure: three months after the departure (Schengen), six months, and whom
// the six-month club of the United States exempts, are rows of data/passport-validity.json. A passport is valid on its day of expiry. Some rules
// also limit the date of issue: Schengen "within the previous ten years" on the day of entry (Regulation (EU) 2016/399, Art. 6(1)(a)), read as
// less than ten years before the arrival, so that the day of the tenth anniversary is too late. This does not know whom a rule binds. If the date
// of issue is not given, the longest time for which the issuer's passports are valid may say enough.
//
// Türkiye requires sixty days beyond the end of the visa or exemption, not of the journey (Law 6458, Art. 7(1)(b) and Art. 18). With 90 days,
// that is 150 days from the day of entry, as published; a permitted stay of 90 days is taken to end on the ninetieth day after the entry.

/**
 * Says whether a passport that expires on a day is valid for as long as a rule requires after another day.
 *
 * Months are civil months: six months after 31 August is the last day of February. Cannot fail. The calendar is only
 * used if the length of the months can matter.
 *
 * @example
 * ```ts
 * const day = parseCivilDate
 * outlasts(day("2026-05-20"), { months: 3, days: 0 }, day("2026-02-20")) // => true
 * outlasts(day("2026-05-19"), { months: 3, days: 0 }, day("2026-02-20")) // => false
 * ```
 */
export function outlasts(
  expiryDay: EpochDay,
  { months, days }: Pick<ValidityTerms, "months" | "days">,
  afterDay: EpochDay,
): boolean {
  const spare = expiryDay - days - afterDay
  if (spare >= 31 * months) return true
  return spare >= 28 * months && expiryDay >= addCivilMonths(afterDay, months) + days
}

/**
 * Says whether a passport was issued less than some years before an arrival.
 *
 * @example
 * ```ts
 * const day = parseCivilDate
 * isIssuedWithin(day("2016-03-02"), 10, day("2026-03-01")) // => true
 * isIssuedWithin(day("2016-03-01"), 10, day("2026-03-01")) // => false
 * ```
 */
export function isIssuedWithin(issuedDay: EpochDay, years: number, arrivalDay: EpochDay): boolean {
  const age = arrivalDay - issuedDay
  if (age < 365 * years) return true
  return age <= 366 * years && arrivalDay < addCivilMonths(issuedDay, 12 * years)
}

/**
 * Returns the last day on which a passport serves a visit under a rule: that of its expiry, or a later one if the rule accepts expired passports.
 *
 * The European Agreement of 13 December 1957 (ETS No. 25), Art. 1, opens its parties' territories to holders of the documents in its appendix,
 * for visits of at most three months. Some parties name passports that expired within the last five years, Germany within the last year:
 * `expired_within_years` in data/passport-validity.json.
 */
function findLastUse(
  expiryDay: EpochDay,
  { expiredWithinYears }: ValidityTerms,
  firstDay: EpochDay,
  lastDay: EpochDay,
): EpochDay {
  if (expiredWithinYears === null || lastDay >= addCivilMonths(firstDay, 3)) return expiryDay
  return addCivilMonths(expiryDay, 12 * expiredWithinYears) - 1
}

// ---- Duties

// What does a law ask of a traveller on arrival, beside the requirement?
//
// Arrival forms and insurance that are mandatory. Those who move freely fill in only the forms that everybody fills in. A form that is handed out on
// arrival is told and decides nothing. Who goes on without a border check fills in no form again.
//
// An authorisation that is announced is told before the first day on which it can be required, and has to be checked from that day on. The
// regulation on ETIAS does not apply to holders of a visa or permit of its states (Regulation (EU) 2018/1240, Art. 2(2)(d) to (f)).
//
// A certificate of vaccination against yellow fever is asked for of all travellers, or of those who come from some countries: International Health
// Regulations (2005), Annex 7(2); the countries are rows of data/destinations/yellow-fever.json. It has to be checked if only the passport says where
// the journey begins, and if it leads through such a country: hours of a transit (more than twelve, as most states have it) are not given.

/** Adds what a law asks on arrival beside the requirement. */
export function judgeDuties(arrival: Arrival, issues: Issue[]): void {
  const { law, way } = arrival
  const { requirement, movesFreely } = way
  if (requirement.status === "unknown" || requirement.value === "no_admission") return
  for (let at = 0; at < law.duties.length; at++) {
    const asked = law.duties[at]!
    if (!isDutyOf(asked.duty, requirement.value, movesFreely)) continue
    const found = judgeDuty(arrival, asked, requirement.value)
    if (found !== null) issues.push(found)
  }
}

type AskedDuty = Arrival["law"]["duties"][number]

// Judges one of them; null if it is not asked of the traveller.
function judgeDuty(arrival: Arrival, { duty, fromDay, issue }: AskedDuty, asked: Requirement): Issue | null {
  const { journey, passport, way, stop } = arrival
  const { documents, provisions } = journey
  const { firstDay } = stop
  const isChecked = !stop.comesUnchecked || stop.zonePlace?.zone.rule.kind === "single-permission"
  switch (duty.kind) {
    case "insurance":
      // Insurance that is asked for with a visa was shown for the visa in hand.
      return duty.requirements !== null && needsVisa(asked) && isInHand(way) ? null : issue
    case "registered":
      // Holders of a residence permit or a long-stay visa are not (Regulation (EU) 2017/2226, Art. 2(3)(c) and (d)).
      return isChecked &&
        !documents.some(each => isLongStay(each) && isForAnnounced(provisions.recorded, each, firstDay))
        ? issue
        : null
    case "announced":
      if (!isChecked || passport.kind !== "ordinary") return null
      if (documents.some(each => isForAnnounced(provisions.recorded, each, firstDay))) return null
      return firstDay < fromDay ? { ...issue!, weight: "info" } : issue
    case "form":
    case "paper": {
      if (!isChecked || duty.days === null || stop.isTransit) return isChecked ? issue : null
      const { params } = issue as Issue & { readonly params: ParamsOf<"arrival_form"> }
      return ask("arrival_form", { ...params, opens: formatCivilDate(firstDay - duty.days) })
    }
    case "vaccination":
    case "check_vaccination":
      return isChecked ? judgeVaccination(arrival, duty, duty.kind) : null
  }
}

/** For so many days after the last possible exposure a traveller may be ill: Annex 7(2)(a)(i) and (h). */
const INCUBATION_DAYS = 6

/** A certificate is valid from the tenth day after the vaccination on: Annex 7(2)(a)(iv). */
const HOURS_BEFORE = 240

// The countries of a duty, which are looked up at every stop.
const sets = /* @__PURE__ */ new WeakMap<readonly string[], ReadonlySet<string>>()

function judgeVaccination(
  { journey, passport, stop }: Arrival,
  { countries, months }: Duty,
  kind: "vaccination" | "check_vaccination",
): Issue | null {
  const { destination, firstDay, order } = stop
  const { residence, transit, stops } = journey.read
  const say = (code: typeof kind, country: string | null) =>
    ask(code, { destination, months, country, hours: HOURS_BEFORE })
  if (countries === null) return say(kind, null)
  // The day of a change of planes is not given, so it may follow any stop, or none.
  const asked = stop.isTransit ? "check_vaccination" : kind
  const named = getOrInsert(sets, countries, () => new Set(countries))
  const isNamed = (country: string) => country !== destination && named.has(country)
  const sinceDay = firstDay - INCUBATION_DAYS
  let fromDay = firstDay
  for (let at = order - 1; at >= 0; at--) {
    const before = stayOf(journey, at)!
    if (before.lastDay < sinceDay) continue
    if (isNamed(before.destination)) return say(asked, before.destination)
    if (before.lastDay >= fromDay - 1) fromDay = Math.min(fromDay, before.firstDay)
  }
  // A day about which nothing is said is spent at home.
  const home = residence ?? passport.held.passport
  if (fromDay > sinceDay && isNamed(home)) return say(residence === null ? "check_vaccination" : asked, home)
  const before = stop.isTransit ? [home, ...stops.map(each => each.destination)] : NOTHING
  const through = [...before, ...(transit ?? NOTHING).map(each => each.country)].find(isNamed)
  return through === undefined ? null : say("check_vaccination", through)
}

// ---- Borders

// Which rules of public law apply at a border because of who the traveller is, or where he was before?
//
// Citizens of some countries must enter on that country's passport (the United States: 8 U.S.C. 1185(b)); whether a state that recognises no other
// nationality of its citizens admits them on another passport has to be checked. Travellers who return to the United
// States from a short visit to Canada or Mexico may enter on a visa that has expired meanwhile (automatic revalidation: 22 CFR 41.112(d)).
// What the traveller did not say is not guessed. Six states admit no Russian tourists at the outer border of the Schengen area, whichever state
// issued the visa (their decisions of 2022: data/border-rules.json); a journey without a purpose is one of a tourist.

/** A visa that was used, and the condition under which it may be used again. */
interface Readmission {
  readonly visa: Held
  readonly remark: string
}

/** Finds the visa on which a traveller may enter again although it has expired or has no entry left; null if there is none. */
function findReadmission(arrival: Arrival): Readmission | null {
  const { journey, stop, law } = arrival
  for (const rule of law.borders.readmissions) {
    if (!isAbout(rule, "visa_required")) continue
    if (rule.nationals !== null && findNational(journey.passports, rule.nationals) !== undefined) continue
    const visa = findAdmitting(arrival, stop, rule)
    if (visa !== null) return { visa, remark: rule.remark! }
  }
  return null
}

// Finds the visa of the stay before the visit to neighbours, or, if that stay was itself a return, of the one before
// it. A traveller who leaves on an unnamed day is taken to go to his next place on its first day.
function findAdmitting(arrival: Arrival, stop: Stay, rule: BorderRule): Held | null {
  const { journey } = arrival
  let leftDay = stop.firstDay
  let stay = stayOf(journey, stop.order - 1)
  while (stay !== null && rule.neighbours!.includes(stay.destination)) {
    leftDay = stay.firstDay
    stay = stayOf(journey, stay.order - 1)
  }
  if (stay === null || stay.here[0] !== stop.here[0] || stop.firstDay - Math.max(leftDay, stay.lastDay) > rule.days!)
    return null
  if (!goesAround(journey, stay, stop, rule.neighbours!)) return null
  const { firstDay, order } = stay
  const isEarlier = order < journey.earlier.length
  const held = arrival.before[order]!.held
  // The visa of an earlier stay is not given. A visa that was valid then may be the one.
  const used = isEarlier
    ? journey.documents.find(
        each => each.read.issuer === stop.destination && covers(each, firstDay) && each.read.kind === "visa",
      )
    : held?.document
  if (used === undefined) return findAdmitting(arrival, stay, rule)
  return (isEarlier || held?.isOwn !== false) && used.read.kind === "visa" ? used : null
}

// A rule of some borders only is known to apply if the traveller says that he arrives there.
function isAtBorder({ by }: Stay, borders: readonly string[] | null): boolean {
  return borders?.includes(by as string) ?? true
}

// Says whether a citizen uses another passport although he must enter on the country's own.
function mustUseOwn({ passports }: Journey, rule: BorderRule, asked: Requirement | null): boolean {
  if (passports.length < 2 || !isAbout(rule, asked)) return false
  return passports.some(({ nationality }) => nationality === rule.citizensOf)
}

/**
 * Says whether a traveller may enter as a citizen because the own passport is not asked for at every border. A citizen has
 * the right to enter Canada (IRPA, s. 19(1)): he gets no visa or authorisation for another passport and needs none.
 */
function entersByRight({ journey, stop, law }: Arrival, asked: Requirement): boolean {
  const { ownPassports } = law.borders
  if (ownPassports.length === 0) return false
  return ownPassports.some(rule => mustUseOwn(journey, rule, asked) && !isAtBorder(stop, rule.borders))
}

/** Adds the issues of border rules at a stop: of citizens, and bars. */
function judgeBorder({ journey, passport, stop, law, way }: Arrival, issues: Issue[]): void {
  const { requirement, held } = way
  const asked = requirement.status === "known" ? requirement.answer.requirement : null
  const { destination, by } = stop
  const holder = { destination, passport: passport.held.passport }
  for (const rule of law.borders.ownPassports) {
    if (!mustUseOwn(journey, rule, asked)) continue
    const { citizensOf, borders, isSettled } = rule
    if (!isSettled) {
      if (asked !== null && asked !== "no_admission") issues.push(ask("own_passport", holder))
    } else if (isAtBorder(stop, borders)) {
      issues.push(block("own_passport_needed", { ...holder, own: citizensOf! }))
    } else if (by === null) {
      issues.push(ask("entry_points", { names: [], borders: BORDERS.filter(each => !borders!.includes(each)) }))
    }
  }
  // A bar by visa is one of the border that is checked, and not for holders of a permit.
  if (asked === "visa_required" && !stop.comesUnchecked && held?.document.isForVisitors !== false) {
    const purpose = readPurpose(journey.read)
    for (const { remark } of law.borders.visaBars) {
      const isTourist = purpose === "" || purpose === "tourism"
      issues.push(isTourist ? block("barred", holder) : ask("other", { text: remark! }))
    }
  }
  if (asked === null || held !== null || law.borders.bars.length === 0) return
  const bar = findBar(journey, stop, law.borders, asked)
  if (bar !== null) issues.push(ask("visa_instead", { destination, asked, ...bar }))
}
