/**
 * Which of the traveller's documents count at a destination, and what does each of them change?
 *
 * The only judge of documents: a decision, a transit and `lookupHeld` all take its findings. A visa or permit of the destination itself, or of
 * the country whose rules apply there, is the required document: nothing has to be obtained, and its validity, entries and days limit the
 * stay. A document that a waiver of the destination names makes the requirement that of the waiver; if it was issued inside the
 * destination's zone, its own limits apply too.
 *
 * A document that is not valid on the day of arrival has no effect. A document lifts a refusal only if the rule exempts its holder:
 * permanent residents of the destination, or holders of a visa that was issued before a day. A travel authorisation is not a visa; it only
 * answers the demand for an authorisation. Terms of a waiver that the traveller did not state are terms to check, not guesses; a document
 * without a day of expiry is taken to be valid. Outside zones, the stay under a visa ends when the visa says, not when it expires, so only the
 * arrival is compared with its validity.
 */
import { addCivilMonths, type EpochDay } from "../civil-date.ts"
import { codeKey, effortRank, needsVisa, opensOnArrival, REQUIREMENTS, type Requirement } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import {
  comesFromTable,
  type Dataset,
  type Found,
  type NoRecord,
  type PastGap,
  takeDataset,
  type ZoneRule,
} from "../dataset/open.ts"
import type { InputIssue } from "../errors.ts"
import {
  EFFORT_OF_REQUIREMENT,
  type EntryTable,
  effortOfStay,
  FREE_EFFORT,
  type PairEntry,
} from "../requirement/pair-entry.ts"
import type { DocumentTerms } from "../rules/provision-kinds.ts"
import {
  type Provision,
  type ProvisionIndex,
  type RuleCondition,
  readProvisions,
  type Waiver,
} from "../rules/provisions.ts"
import {
  type CitedClass,
  type Finding,
  type Known,
  known,
  knownDays,
  type NamedDocument,
  NO_PARAMS,
  type Unknown,
  unknown,
} from "./reasons.ts"
import type { DayCounting } from "./recorded.ts"
import type { HeldDocument, ReadDocument } from "./request-fields.ts"

// ---- The terms of a document

/** The days of the stay for which a document is shown. */
interface StayOfHolder {
  readonly firstDay: EpochDay
  /** Null if it is not known. */
  readonly lastDay: EpochDay | null
}

/** Says whether the days of a waiver are enough for a stay. An unknown number of days, or a stay without an end, counts as enough. */
export function lasts({ days }: Pick<Waiver, "days">, { firstDay, lastDay }: StayOfHolder): boolean {
  return days === null || lastDay === null || lastDay - firstDay < days
}

/** Terms that nobody can judge yet, by their names. */
type TermsToCheck = readonly (keyof DocumentTerms)[]

/** Says whether a document is of the kind and the issuer of some terms, whatever else they require. */
export function isNamed(
  index: ProvisionIndex,
  { kind, issuers }: DocumentTerms,
  document: Pick<HeldDocument, "kind" | "issuer">,
): boolean {
  return kind === document.kind && issuers.some(each => index.includesIssuer(each, document.issuer))
}

/**
 * Says whether terms name the documents of one issuer only.
 *
 * If a destination's terms name only its own documents, they are about those, like Canada's about an expired visa of
 * its own. If it is one of several issuers, the others are meant: a state of a zone does not ask for its own permit in
 * the way that it asks for those of its neighbours.
 */
const namesOnly = ({ issuers }: DocumentTerms, issuer: string): boolean => issuers.every(each => each === issuer)

/**
 * Says whether a visa or permit of a country counts as one of the destination. It also does in territories that follow
 * the country, if its zone includes them.
 */
function isIssuedFor(
  issuer: string,
  destination: string,
  { follows }: { readonly follows: string | null },
  sharesZone: boolean,
): boolean {
  return issuer === destination || (issuer === follows && sharesZone)
}

// ---- Classes of documents

/** What is recorded of a class of documents, or of several that are alike. */
type DocumentClass = Provision<"classes">

/**
 * Lists the classes of a kind of documents that are recorded for their issuer: what they are called, what a holder has in hand, and for how long one
 * may stay. Empty if none is recorded. Cannot fail.
 *
 * @example
 * ```ts
 * listDocumentClasses(embeddedDataset(), "eta", "USA").map(({ types }) => types) // => [["ESTA"]]
 * ```
 */
export function listDocumentClasses(
  dataset: Dataset,
  kind: HeldDocument["kind"],
  issuer: string,
): readonly DocumentClass[] {
  return listClasses(takeDataset(dataset), { kind, issuer })
}

function listClasses(
  dataset: Dataset,
  { kind, issuer }: Pick<HeldDocument, "kind" | "issuer">,
): readonly DocumentClass[] {
  const listed = readProvisions(dataset).at("classes", issuer, "")
  return listed.flatMap(({ value }) => (value.kind === kind ? value : []))
}

const isListed = (types: readonly string[] | undefined, type: string): boolean =>
  types?.some(each => getOrInsert(normalised, each, () => normaliseType(each)) === type) === true

/** Refuses classes that the law of the issuer does not have. */
export function refuseOtherClasses(
  dataset: Dataset,
  held: readonly ReadDocument[] | null,
  issues: InputIssue[],
  path = "",
): void {
  held?.forEach((document, at) => {
    if (document.type === null || compareAs(dataset, document).named) return
    const listed = listClasses(dataset, document)
    if (!listed[0]?.isComplete) return
    const names = listed.flatMap(({ types }) => types).join(", ")
    issues.push({
      path: `${path}held[${at}].type`,
      message: `It is not one of ${names}.`,
    })
  })
}

/** The fields of a document in comparable form; null for unknown ones. */
interface ComparableDocument {
  readonly read: ReadDocument
  /** The names of its class as they are compared: the given one, or of a visa whose class is not given all of the usual one. */
  readonly comparedTypes: readonly string[] | null
  /** What is recorded of its class; of one whose class is not given, of the usual one. */
  readonly class: DocumentClass | undefined
  /** The same if its class is given. */
  readonly named: DocumentClass | undefined
  /** A for airport transit, C for short stays and D for long stays, as in the Visa Code (Regulation (EC) No 810/2009, Art. 2); or another name. */
  readonly letter: string | null | undefined
  /** Whether there is nothing to show. */
  readonly isElectronic: boolean | null
  /** Entries that are left; a large number for several. */
  readonly entryCount: number | null
}

/** Converts a document to its comparable form. */
export function compareAs(dataset: Dataset, read: ReadDocument): ComparableDocument {
  const { type, entries, electronic } = read
  const comparedType = type === null ? null : normaliseType(type)
  const listed = listClasses(dataset, read)
  const named = comparedType === null ? undefined : listed.find(({ types }) => isListed(types, comparedType))
  const usual = listed.find(({ types: [first] }) => first !== "A" && first !== "D")
  const form = named ? named.form : listed.every(each => each.form === listed[0]!.form) ? listed[0]?.form : null
  return {
    read,
    comparedTypes:
      comparedType !== null ? [comparedType] : (read.kind === "visa" && usual?.types.map(normaliseType)) || null,
    class: comparedType === null ? usual : named,
    named,
    letter: named?.types[0] ?? (listed.length > 0 ? null : comparedType),
    isElectronic: form == null ? electronic : form === "electronic",
    entryCount: entries === "multiple" ? Number.MAX_SAFE_INTEGER : entries,
  }
}

/**
 * Judges a document of the kind and issuer of some terms: returns the terms to check, or null if one of them is not met. The term "multiple entry" is
 * met by a visa for more than one; if its entries were not given, it is to be checked. Cannot fail.
 */
export function judgeTerms(
  terms: DocumentTerms,
  { read, comparedTypes, entryCount, isElectronic }: ComparableDocument,
  { firstDay, lastDay }: StayOfHolder,
): TermsToCheck | null {
  const { validFromDay: fromDay, validUntilDay: untilDay, used, permanent } = read
  const { types, typesExcept, validDaysAfterEntry, validDaysAfterExit, expiredWithinYears } = terms
  if (fromDay !== null && fromDay > firstDay) return null
  if (untilDay !== null) {
    const endDay = expiredWithinYears === undefined ? untilDay + 1 : addCivilMonths(untilDay, 12 * expiredWithinYears)
    if (endDay <= firstDay) return null
  }
  const isOneOf = (listed: readonly string[] | undefined) => comparedTypes?.some(type => isListed(listed, type)) ?? null
  const toCheck: (keyof DocumentTerms)[] = []
  // Null: it is not known.
  const meets = (term: keyof DocumentTerms, isMet: boolean | null) => {
    if (terms[term] === undefined) return true
    if (isMet === null) toCheck.push(term)
    return isMet !== false
  }
  const areMet =
    meets("types", isOneOf(types)) &&
    meets("typesExcept", comparedTypes === null ? null : !isOneOf(typesExcept)) &&
    meets("multipleEntry", entryCount === null ? null : entryCount > 1) &&
    meets("usedBefore", used) &&
    meets("permanent", permanent) &&
    meets("physical", isElectronic === null ? null : !isElectronic) &&
    // What only the traveller knows: the British-Irish Visa Scheme, for one, is for those who were admitted by the issuer first.
    meets("enteredIssuerFirst", null) &&
    meets("remark", null) &&
    meets("validDaysAfterEntry", untilDay === null ? null : untilDay - firstDay >= validDaysAfterEntry!) &&
    meets(
      "validDaysAfterExit",
      untilDay === null || lastDay === null ? null : untilDay - lastDay >= validDaysAfterExit!,
    )
  return areMet ? toCheck : null
}

// The classes that rules and issuers name.
const normalised = new Map<string, string>()

function normaliseType(type: string): string {
  return type.replace(/type|visa|[\s-]/gi, "").toUpperCase()
}

// ---- A traveller's document

/** A held document, or the residence as one. */
export interface Held extends ComparableDocument {
  /** True for a visa that is not known to be a long-stay visa: its holder is a visitor. */
  readonly isForVisitors: boolean
  /** True for a visa that is known to be a short-stay visa. */
  readonly isShortStay: boolean
  /** True for a visa for airport transit only. */
  readonly isAirportTransit: boolean
  /** Its index among the held documents; null for the residence. */
  readonly place: number | null
  /** The index of its issuer among the destinations, or a number for codes without an index. */
  readonly column: number
}

/** Says whether a document is a residence permit of a country. */
export const isPermitOf = ({ read: { kind, issuer } }: Pick<Held, "read">, country: string | null): boolean =>
  kind === "residence_permit" && issuer === country

/** Says whether a document is a permit or a long-stay visa, whose holder is no visitor. */
export const isLongStay = ({ isForVisitors, read }: Held): boolean => !isForVisitors && read.kind !== "eta"

/** Says whether a document is valid on a day, by the given dates. */
export function covers({ read: { validFromDay, validUntilDay } }: Held, day: EpochDay): boolean {
  return (validFromDay === null || validFromDay <= day) && (validUntilDay === null || day <= validUntilDay)
}

/** Lays out a document; `place` is its index among the held ones, or null for the residence. */
export function layOutDocument(dataset: Dataset, document: ReadDocument, place: number | null): Held {
  const compared = compareAs(dataset, document)
  const isVisa = document.kind === "visa"
  const isForVisitors = isVisa && compared.letter !== "D"
  return {
    ...compared,
    isForVisitors,
    isShortStay: isForVisitors && (document.durationOfStayDays !== null || compared.letter === "C"),
    isAirportTransit: isVisa && compared.letter === "A",
    place,
    column: dataset.destinationIndices[codeKey(document.issuer)] as number,
  }
}

// ---- What documents do at a place

/** Who is exempt from a refusal. */
export type Exemption = Extract<RuleCondition, { readonly kind: "exempt" }>

/** A possible exemption from a refusal: a permit without an end, or a visa that was issued before a day. */
interface ExemptionToCheck {
  readonly who: readonly string[]
  readonly before: string | null
}

/** A stay for which documents are shown. */
interface Visit extends StayOfHolder {
  readonly destination: string
  /** The index of its destination in the dataset. */
  readonly column: number
}

/** What a traveller needs without a document. */
interface Unheld {
  readonly answer: Found
  readonly requirement: Requirement
  /** What documents are compared with: the same, or a visa where the requirement is for passports with a feature that was not named. */
  readonly compared: { readonly requirement: Requirement; readonly days: number | null }
  /** Who is exempt, if the requirement is a refusal. */
  readonly exemption: Exemption | null
}

/** How a document opens an entry. */
export interface Holding {
  readonly document: Held
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

/** Says whether a document is an announced authorisation, or a visa or permit of one of the states that will ask for it. */
export function isForAnnounced(recorded: ProvisionIndex, document: Held, day: EpochDay): boolean {
  const duties = recorded.at("duties", document.read.issuer, "")
  const isOneOf = duties.some(({ value }) => value.kind === "announced")
  return isOneOf && !document.isAirportTransit && covers(document, day)
}

/** A document that helps if what must be checked of it is so. */
export interface DocumentToCheck {
  readonly document: Held
  readonly waiver: Pick<Waiver, "held">
  /** The terms of the waiver's documents whose state is not known, by their names. */
  readonly toCheck: TermsToCheck
}

/** A document that may make an entry easier. */
export interface PossibleEase extends DocumentToCheck {
  readonly waiver: Waiver
  readonly effort: number
}

/** What the documents do at a place. */
export interface Holdings {
  /** Those of the destination first. */
  readonly holdings: readonly Holding[]
  readonly possible: readonly PossibleEase[]
}

/** The parts of a dataset that decide whether a document is one of the destination. */
interface DocumentRules {
  readonly zones: Dataset["zones"]
  readonly entries: EntryTable
  readonly recorded: ProvisionIndex
}

/** No document has an effect. */
export const NO_HOLDINGS: Holdings = { holdings: NOTHING, possible: NOTHING }

/** Lists what each of the documents opens at a place; `waivers` are those in force that make the entry easier. */
export function listHoldings(
  known: DocumentRules,
  documents: readonly Held[],
  visit: Visit,
  unheld: Unheld,
  waivers: readonly Waiver[],
): Holdings {
  const holdings: Holding[] = []
  const possible: PossibleEase[] = []
  const { answer, exemption } = unheld
  const rule = rollingRuleOf(known, visit.column)
  const isRefused = answer.requirement === "no_admission"
  for (const document of documents) {
    if (document.read.kind === "eta" || (document.place === null && !isRefused)) continue
    if (!isOfDestination(known, document, visit, answer)) continue
    const exempting = isRefused ? exemption && judgeExemption(exemption, document) : EXEMPTS
    if (exempting === null) continue
    if (!covers(document, visit.firstDay) || !addsAnything(document, rule, unheld)) continue
    holdings.push(holdOwn(document, rule, unheld, exempting.toCheck))
  }
  for (const waiver of waivers) {
    for (const document of documents) {
      const terms = listTerms(known, waiver, document, visit, answer)
      if (terms.length === 0) continue
      const best = judgeBest(terms, document, visit)
      if (best === null) continue
      if (best.length === 0) {
        holdings.push(holdByWaiver(known, document, visit, waiver))
      } else if (lasts(waiver, visit)) {
        // A document that must be checked helps only if its days are enough.
        possible.push({ document, waiver, toCheck: best, effort: effortOf(waiver) })
      }
    }
  }
  return { holdings, possible }
}

/** Lists the terms of a waiver that name a document, whatever else they ask. */
export function listNamed(
  { recorded }: DocumentRules,
  { held }: Pick<Waiver, "held">,
  { read }: Pick<Held, "read">,
): readonly DocumentTerms[] {
  return held.filter(terms => isNamed(recorded, terms, read))
}

// A document of the destination itself is not one of another state, so the waiver must name that issuer only. While the document is valid,
// its holder enters on it anyway.
function listTerms(
  known: DocumentRules,
  waiver: Waiver,
  document: Held,
  visit: Visit,
  answer: Found,
): readonly DocumentTerms[] {
  const named = listNamed(known, waiver, document)
  if (named.length === 0 || !isOfDestination(known, document, visit, answer)) return named
  if (document.place === null || covers(document, visit.firstDay)) return NOTHING
  const { kind, issuer } = document.read
  return waiver.held.filter(terms => terms.kind === kind && namesOnly(terms, issuer))
}

/** An exemption from a refusal by a document, and what must be checked first. */
interface Exempting {
  readonly toCheck: ExemptionToCheck | null
}
const EXEMPTS: Exempting = { toCheck: null }

/**
 * Says whether a document exempts: a permit may if its permanence is not given, and a visa if its day of issue is not given; null if it does not.
 *
 * The refusals and suspensions of the United States do not concern lawful permanent residents, nor holders of a visa that was issued before them
 * (Proclamation 10949 of 4 June 2025, Sections 3 and 4; Proclamation of 16 December 2025, Sections 5 and 6).
 */
export function judgeExemption({ who, issuedBefore }: Exemption, { read }: Held): Exempting | null {
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
  recorded: ProvisionIndex,
  passport: string,
  destination: string,
  { requirement, follows }: Found,
  day: EpochDay,
): Exemption | null {
  if (requirement !== "no_admission") return null
  const { detail } = recorded.findRule(follows ?? destination, passport, day)
  return detail?.conditions.find(each => each.kind === "exempt") ?? null
}

// Returns the rule of a destination's zone if it counts the days of all members together.
function rollingRuleOf({ zones, entries }: DocumentRules, column: number): ZoneRule | null {
  const rule = zones[entries.zones[column]! - 1]?.rule
  return rule?.kind === "rolling" ? rule : null
}

/** Says whether a document is one of the destination, or of the country whose rules apply there. */
export function isOfDestination(
  known: DocumentRules,
  held: Held,
  { column, destination }: Pick<Visit, "column" | "destination">,
  answer: Found,
): boolean {
  if (held.isAirportTransit) return false
  const { zones } = known.entries
  return isIssuedFor(held.read.issuer, destination, answer, zones[held.column] === zones[column])
}

/**
 * Finds the held travel authorisation for an entry that requires one (`asked` is `eta`); null if there is none. An authorisation of one state of a
 * zone is one of all of them: Regulation (EU) 2018/1240, Art. 3(1)(5).
 */
export function findAuthorisation(
  known: DocumentRules,
  documents: readonly Held[],
  visit: Visit,
  answer: Found,
  asked: Requirement,
): Held | null {
  if (asked !== "eta") return null
  const { zones } = known.entries
  const isOfZone = (document: Held) =>
    rollingRuleOf(known, visit.column) !== null && zones[document.column] === zones[visit.column]
  const found = documents.find(
    each =>
      each.read.kind === "eta" &&
      covers(each, visit.firstDay) &&
      (isOfZone(each) || isOfDestination(known, each, visit, answer)),
  )
  return found ?? null
}

/** Says whether a document opens the way by one of some conditions. Whether another one opens it too is no matter. */
export function opensWay(
  index: ProvisionIndex,
  stay: StayOfHolder,
  conditions: readonly RuleCondition[],
  document: Held,
): boolean {
  return conditions.some(each => each.kind === "gateway_visa" && opensGateway(index, stay, document, each))
}

// Says whether a document in hand opens the way: a permit, or a visa with as many entries.
function opensGateway(
  index: ProvisionIndex,
  { firstDay }: StayOfHolder,
  document: Held,
  { states, entries = 1 }: Extract<RuleCondition, { readonly kind: "gateway_visa" }>,
): boolean {
  const { kind, issuer } = document.read
  const isEnough = kind === "residence_permit" || (kind === "visa" && document.entryCount! >= entries)
  return isEnough && covers(document, firstDay) && states.some(each => index.includesIssuer(each, issuer))
}

// A short-stay visa of a zone adds nothing for a visitor who needs no visa and has the zone's days.
function addsAnything(document: Held, rule: ZoneRule | null, { compared }: Unheld): boolean {
  if (rule === null || !document.isForVisitors) return true
  const { requirement, days } = compared
  return requirement !== "visa_free" || days === null || days < rule.allowanceDays
}

function holdOwn(
  document: Held,
  rule: ZoneRule | null,
  { requirement }: Unheld,
  toCheck: ExemptionToCheck | null,
): Holding {
  const { isForVisitors: isVisitor, named } = document
  // What a law allows everybody with such a visa, if the visa says nothing else. A long-stay visa of a Schengen state is valid for a year at most.
  const byLaw = !isVisitor || named?.setBy === "law" ? (named?.most ?? null) : null
  const given = document.read.durationOfStayDays
  const boundDays = given === null ? byLaw : Math.min(given, named?.most ?? given)
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

function holdByWaiver({ entries }: DocumentRules, document: Held, { column }: Visit, waiver: Waiver): Holding {
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

/** Returns the fewest terms to check of those that name a document, on each of two stays; null if it meets none of them. */
export function judgeBest(
  named: readonly DocumentTerms[],
  document: ComparableDocument,
  stay: StayOfHolder,
  other = stay,
): TermsToCheck | null {
  let best: TermsToCheck | null = null
  for (const terms of named) {
    const first = judgeTerms(terms, document, stay)
    const last = other === stay ? first : judgeTerms(terms, document, other)
    if (first === null || last === null) continue
    const judged = first.length === 0 ? last : first
    if (best === null || judged.length < best.length) best = judged
  }
  return best
}

/** Says whether days of a visitor certainly count in a zone. */
function countsCertainly(requirement: Requirement, days: number | null): boolean {
  return days !== null && !needsVisa(requirement)
}

function effortOf({ requirement, days }: Waiver): number {
  return effortRank(requirement) * EFFORT_OF_REQUIREMENT + effortOfStay(days)
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
 * Says whether a document replaces an entry without one. A document of the destination is the required document, where one is required before the
 * arrival. An authorisation is for people who need no visa: a traveller with a document that limits the stay may use an authorisation instead.
 */
export function replaces(held: Holding | null, requirement: Requirement): boolean {
  if (held === null || !held.isOwn || opensOnArrival(requirement)) return false
  return needsVisa(requirement) || (held.boundDays === null && held.untilDay === null)
}

/** Names a held document that limits a stay, its class if it is given, and where that was read. */
export function nameLimit(held: Held): NamedDocument & CitedClass {
  const { read, named } = held
  return { ...nameDocument(held), ...(named && { class: read.type!, page: named.sourceUrl }) }
}

/** Names a held document, or the residence as one. */
export function nameDocument({ read: { kind, issuer }, place }: Held): NamedDocument {
  return { kind, issuer, held: place }
}

/** Finds the remark of a document to check in the judged terms. Other remarks of the waiver may be about other documents. */
export function findRemark(
  { recorded }: DocumentRules,
  visit: Visit,
  { waiver, document, toCheck }: DocumentToCheck,
): string | null {
  for (const terms of waiver.held) {
    if (terms.remark === undefined || !isNamed(recorded, terms, document.read)) continue
    if (judgeTerms(terms, document, visit)?.join() === toCheck.join()) return terms.remark
  }
  return null
}

// ---- Ways of entering

// On what terms can a traveller enter: what is asked, how long the stay is, and in which status?
//
// An entry without a document is made from the answer; a held document, or a requirement that is asked instead, changes it.

/** A held document that changes the requirement. */
export interface Because {
  /** Its index among the held documents; null for the given residence. */
  readonly document: number | null
  /** The waiver that names it; null for a document of the destination itself. */
  readonly waiver: Waiver | null
}

/** A requirement that is known. */
export interface KnownRequirement extends Known<Requirement> {
  /** The whole answer, with its evidence. */
  readonly answer: Found
  /** The held documents that change the requirement. */
  readonly because?: readonly Because[]
}
/** The requirement of an entry. */
export type RequirementFinding = KnownRequirement | Unknown

/** A way of entering: what it asks, how long it lasts, and in which status. */
export interface Way {
  readonly requirement: RequirementFinding
  /** A number of days, or `unlimited` at home. */
  readonly maxStay: Finding<number | "unlimited">
  readonly maxDays: number | null
  readonly isHome: boolean
  /** True at home and under freedom of movement: rules for visitors do not bind. */
  readonly movesFreely: boolean
  /** Whether its days count in a zone. They certainly do for a fixed number of days without a visa, which rules of zones are about. */
  readonly counting: DayCounting
  readonly isUncertain: boolean
  /** True if the days of an e-visa or a visa on arrival come from an imported table alone, and so are not a maximum. */
  readonly isTableStay: boolean
  /** The smaller, the better the passport: first by requirement, then by the length of the stay. */
  readonly effort: number
  /** The document used for the entry, and its limits; null without one. */
  readonly held: Holding | null
}

const UNLIMITED = /* @__PURE__ */ known("pair", "unlimited" as const)

/** Makes the way of entering without a document. */
export function enterWithout({ answer, isHome, movesFreely, effort }: PairEntry): Way {
  if (answer.kind !== "found") return enterUnknown(sayAbsence(answer as NoRecord))
  const { requirement, days, uncertain } = answer
  return {
    requirement: known("pair", requirement, { answer }),
    maxStay: isHome
      ? UNLIMITED
      : days === null
        ? // Where a treaty's right is in doubt, so is the stay.
          unknown("pair", movesFreely && uncertain ? "treaty_left" : explainStay(requirement, movesFreely), NO_PARAMS)
        : known("pair", days),
    maxDays: isHome ? null : days,
    isHome,
    movesFreely,
    counting: movesFreely ? "none" : countsCertainly(requirement, days) ? "certain" : "possible",
    isUncertain: uncertain,
    isTableStay: comesFromTable(answer),
    effort,
    held: null,
  }
}

/** Says why there is no answer. */
export const sayAbsence = ({ reason, message }: NoRecord | PastGap) => unknown("pair", reason, { message })

/** Makes the way of entering where the requirement is unknown. */
export function enterUnknown(gap: Unknown): Way {
  return {
    requirement: gap,
    maxStay: gap,
    maxDays: null,
    isHome: false,
    movesFreely: false,
    counting: "possible",
    isUncertain: false,
    isTableStay: false,
    effort: 6 * EFFORT_OF_REQUIREMENT,
    held: null,
  }
}

// Explains why a stay has no number of days.
function explainStay(
  requirement: Requirement,
  movesFreely: boolean,
): "stay_moves_freely" | "stay_not_recorded" | "stay_refused" | "stay_set_by_permit" {
  if (movesFreely) return "stay_moves_freely"
  if (opensOnArrival(requirement)) return "stay_not_recorded"
  return requirement === "no_admission" ? "stay_refused" : "stay_set_by_permit"
}

// By requirement: the finding for a stay without a number of days.
const STAY_NOT_NAMED = /* @__PURE__ */ listStaysNotNamed()

function listStaysNotNamed(): ReadonlyMap<Requirement, Unknown> {
  return new Map(REQUIREMENTS.map(each => [each, unknown("pair", explainStay(each, false), NO_PARAMS)]))
}
/** The finding for a stay whose days a held document sets. */
export const SET_BY_DOCUMENT = /* @__PURE__ */ unknown("pair", "stay_set_by_document", NO_PARAMS)

/** Makes the way of entering with another requirement than the answer's. A stay without a visa keeps its days; a visa sets its own. */
export function enterInstead(way: Way, asked: Requirement): Way {
  const { requirement } = way
  if (requirement.status === "unknown") return way
  const keepsDays = !needsVisa(asked) && !needsVisa(requirement.value)
  const maxDays = keepsDays ? way.maxDays : null
  return {
    requirement: { ...requirement, value: asked },
    maxStay: keepsDays ? way.maxStay : STAY_NOT_NAMED.get(asked)!,
    maxDays,
    isHome: way.isHome,
    movesFreely: way.movesFreely,
    counting: countsCertainly(asked, maxDays) ? "certain" : "possible",
    isUncertain: false,
    isTableStay: false,
    effort: effortRank(asked) * EFFORT_OF_REQUIREMENT + effortOfStay(maxDays),
    held: null,
  }
}

/** Returns the days that a document and its waiver leave from a day on; null if they name none. */
function findLeastDays({ days, boundDays, untilDay }: Holding, firstDay: EpochDay): number | null {
  const limits = [days, boundDays, untilDay === null ? null : untilDay - firstDay + 1].filter(each => each !== null)
  return limits.length === 0 ? null : Math.min(...limits)
}

/** Makes the way of entering on a document. */
export function enterOn(firstDay: EpochDay, base: Way, answer: Found, held: Holding): Way {
  const { document, waiver, requirement: value, days, isOwn, boundDays } = held
  // The last day of a visitor's visa is not the end of every stay under it: the sticker of a Schengen state says for how many days it is issued
  // (Regulation (EC) No 810/2009, Art. 24(1) and Annex VII).
  const isSetByVisa = isOwn && document.isForVisitors && boundDays === null
  const least = isSetByVisa ? null : findLeastDays(held, firstDay)
  const because = [{ document: document.place, waiver }]
  return {
    requirement: known("pair", value, { answer, because }),
    maxStay:
      least !== null ? knownDays(least) : isSetByVisa || waiver === null ? SET_BY_DOCUMENT : STAY_NOT_NAMED.get(value)!,
    maxDays: days,
    isHome: base.isHome,
    movesFreely: base.movesFreely,
    counting: held.counting,
    isUncertain: false,
    isTableStay: false,
    effort: held.effort,
    held,
  }
}

/** Says whether the required document is the held one, a document of the destination itself. */
export function isInHand({ held }: Way): boolean {
  return held !== null && held.waiver === null
}
