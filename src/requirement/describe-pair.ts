/**
 * What else is known about a pair, besides the answer of a lookup?
 *
 * The long form has the page of the rule, its conditions, the waivers for held documents, how days add up, when the rule ends or has ended,
 * later changes in an official log, and the agreement of a second source. It is off the hot path and never changes the answer of a lookup.
 */
import { type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey, effortRank, isAbout, type Requirement } from "../codes.ts"
import { copyFrozen, getOrInsert, NOTHING } from "../collections.ts"
import type { Source } from "../dataset/facts.ts"
import {
  comesFromTable,
  type Dataset,
  type Found,
  type Malformed,
  type NoRecord,
  type PairsDataset,
  takeDataset,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"
import type { DocumentTerms } from "../rules/provision-kinds.ts"
import {
  dependsOnFeature,
  type EndedRule,
  holdsOn,
  type ProvisionIndex,
  type RuleCondition,
  type RuleDetail,
  readProvisions,
  type Scoped,
  type StayRule,
  type Waiver,
} from "../rules/provisions.ts"
import { isOptions, type LookupOptions, lookupAtOn, lookupRequirement, readOn } from "./lookup.ts"
import { entryOn, entryTable, type PairEntry, readEntry } from "./pair-entry.ts"

// ---- How is an answer known?

// There are three levels, from the strongest: `read`, by us on the official page on a named day; `cited`, by a compiler
// who names the official page; `table`, from a table of all pairs that names no page. An answer without a source, one
// whose page has no date, and a citizen's right to enter have no level.

/** The levels, the strongest first. */
export const EVIDENCE_LEVELS = ["read", "cited", "table"] as const

/** One of {@link EVIDENCE_LEVELS}. */
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number]

/** How an answer is known, and the day on which its page was last read (`YYYY-MM-DD`), or null if it is not recorded. */
export interface Evidence {
  readonly level: EvidenceLevel
  readonly on: string | null
}

/**
 * Returns how an answer is known, or null. Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && judgeEvidence(answer)?.level // => "table"
 * ```
 */
export function judgeEvidence(answer: Pick<Found, "home" | "source" | "verifiedOn" | "citedOn">): Evidence | null {
  try {
    return evidenceOf(answer)
  } catch {
    return null
  }
}

/** Returns how one of our own answers is known. Throws for another value. */
function evidenceOf({ home, source, verifiedOn, citedOn }: Parameters<typeof judgeEvidence>[0]): Evidence | null {
  if (home || source === null) return null
  if (source.imported) return Object.freeze({ level: "table", on: verifiedOn })
  if (source.compiled) return Object.freeze({ level: "cited", on: citedOn })
  return verifiedOn === null ? null : Object.freeze({ level: "read", on: verifiedOn })
}

/**
 * Returns how an answer is known, or null. If the page has no date, the day is that on which the source was fetched: a
 * table is as old as its copy. Embedded pairs without conditions do not have that day. Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && dateEvidence(embeddedDataset(), answer)?.on // => "2026-02-17"
 * ```
 */
export function dateEvidence(dataset: SourcesOf, answer: Found): Evidence | null {
  try {
    return readDatedEvidence(dataset, answer)
  } catch {
    return judgeEvidence(answer)
  }
}

/** The parts of a dataset that say when its sources were fetched. */
type SourcesOf = Pick<PairsDataset, "sources"> & Partial<Pick<Dataset, "terms">>

/** Returns the same for one of our own datasets and answers. Throws for other values. */
function readDatedEvidence(dataset: SourcesOf, answer: Found): Evidence | null {
  const evidence = evidenceOf(answer)
  if (evidence?.on !== null) return evidence
  const retrievedDay = findRetrievedDay(dataset, answer)
  return retrievedDay === null ? evidence : Object.freeze({ ...evidence, on: formatCivilDate(retrievedDay) })
}

// Returns the day on which the source of an answer was fetched, or null.
function findRetrievedDay({ terms, sources }: SourcesOf, { source }: Pick<Found, "source">): EpochDay | null {
  return source === null ? null : (terms?.retrievedDays[sources.indexOf(source)] ?? null)
}

// ---- Age

// How old is an answer, and may it no longer be right?
//
// An answer is as old as its last check: the day on which its page was read, its table was copied, or a second source
// said the same. It is stale if an announced end has passed and no newer rule settles what applies, if an official log
// names a change since the last check, or if the last check is longer ago than {@link LONGEST_AGE_DAYS}.

/** Why an answer may no longer be right, the most important reason first. */
export const STALE_REASONS = ["ended", "changed_since", "unchecked"] as const

/** One of {@link STALE_REASONS}. */
export type StaleReason = (typeof STALE_REASONS)[number]

/**
 * The number of days for which a check is sufficient: tables of all pairs are published every few months, and pages are read once a year.
 */
export const LONGEST_AGE_DAYS: Readonly<Record<EvidenceLevel, number>> = /* @__PURE__ */ Object.freeze({
  read: 365,
  cited: 365,
  table: 180,
})

/** How old an answer is. */
interface AnswerAge {
  /** Days since the last check; null if no day of one is known. A check after the day in question counts as one on that day. */
  readonly ageDays: number | null
  /** Null if there is no reason for doubt. */
  readonly stale: StaleReason | null
}

/** The facts that determine the age of an answer. */
interface AgedAnswer {
  readonly evidence: { readonly level: EvidenceLevel; readonly on: string | null } | null
  readonly corroboration: { readonly agrees: boolean; readonly checkedOn: string } | null
  readonly afterExpiry: unknown
  readonly changedSince: unknown
}

/** Returns the later of two days; the other one if one is not known. */
function findLatest(one: EpochDay | null, other: EpochDay | null): EpochDay | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

/** Returns the day on which a second source said the same; null if none does. */
function findCheckedDay({ corroboration }: Pick<AgedAnswer, "corroboration">): EpochDay | null {
  return corroboration?.agrees ? parseCivilDate(corroboration.checkedOn) : null
}

/** Says whether the rule of an answer has ended, or has changed since the last check. */
function findChangeOf({
  afterExpiry,
  changedSince,
}: Pick<AgedAnswer, "afterExpiry" | "changedSince">): Exclude<StaleReason, "unchecked"> | null {
  return afterExpiry ? "ended" : changedSince ? "changed_since" : null
}

/** Returns the day on which an answer was last checked; null if none is known. */
function findLook(answer: Pick<AgedAnswer, "evidence" | "corroboration">): EpochDay | null {
  return findLatest(parseCivilDate(answer.evidence?.on), findCheckedDay(answer))
}

/** Judges the age of an answer on a day. Cannot fail. */
export function judgeAge(answer: AgedAnswer, onDay: EpochDay): AnswerAge {
  const { evidence } = answer
  const lastDay = findLook(answer)
  const ageDays = lastDay === null ? null : Math.max(0, onDay - lastDay)
  const isUnchecked = evidence !== null && ageDays !== null && ageDays > LONGEST_AGE_DAYS[evidence.level]
  return { ageDays, stale: findChangeOf(answer) ?? (isUnchecked ? "unchecked" : null) }
}

/** A change in an official log that is newer than the rule. */
interface ChangedSince {
  /** `YYYY-MM-DD`. */
  readonly on: string
  /** In the log's own words; null in the embedded rules, which have no texts. */
  readonly change: string | null
  readonly source: Source | null
  readonly sourceUrl: string | null
}

/** What a second source says about the pair. */
export interface Corroboration {
  /**
   * True if the requirement is the same and the days are the same or absent on one side, or if the source names another
   * way to get the same entry; and if the difference is not open.
   */
  readonly agrees: boolean
  /** Why our answer stands if the two differ, or what contradicts what; in English, null if nothing is recorded. */
  readonly reason: string | null
  /** True if nothing decides between the two: it is unknown which one is right. */
  readonly isOpen: boolean
  readonly requirement: Requirement
  readonly days: number | null
  readonly source: Source
  readonly sourceUrl: string | null
  /** The day on which that source read its page (`YYYY-MM-DD`). */
  readonly checkedOn: string
}

/** Everything that is recorded about a pair. */
export interface PairDescription extends AnswerAge {
  readonly kind: "found"
  readonly passport: string
  readonly destination: string
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The answer of a lookup. */
  readonly answer: Found
  /** The page of the rule, or null. */
  readonly sourceUrl: string | null
  /** The conditions of the rule. */
  readonly conditions: readonly RuleCondition[]
  /** Further notes for readers, in English. */
  readonly notes: readonly string[]
  /** The waivers for holders of other states' documents, the easiest first. */
  readonly waivers: readonly Waiver[]
  /** How days of stay add up, or null if nothing is recorded. */
  readonly stayRule: StayRule | null
  /**
   * `table` if the days come from the imported table alone: those of an e-visa or a visa on arrival that no other
   * source states, and any days if the source that decided or agrees states no stay.
   */
  readonly stayBasis: "table" | null
  /** The last day of a rule with an announced end (`YYYY-MM-DD`), or null. */
  readonly endsOn: string | null
  /** The rule that applied before and ended, if no newer rule has settled what applies; or null. */
  readonly afterExpiry: EndedRule | null
  readonly changedSince: ChangedSince | null
  readonly corroboration: Corroboration | null
  /** How the answer is known: read by us, cited by a compiler, or taken from a table; null if none of these. */
  readonly evidence: Evidence | null
}

/**
 * Describes a pair: the answer of a lookup, and everything else that is recorded about it.
 *
 * Cannot fail: like a lookup, it returns that nothing is recorded, or that the question is malformed. Deeply frozen. Some microseconds.
 *
 * @example
 * ```ts
 * const pair = describePair(embeddedDataset(), "IND", "SJM")
 * pair.kind === "found" && pair.answer.requirement // => "visa_free"
 * pair.kind === "found" && pair.conditions[0].kind // => "gateway_visa"
 * describePair(embeddedDataset(), "FRA", "ZZZ").kind // => "no_record"
 * ```
 */
export function describePair(
  given: Dataset,
  passport: string,
  destination: string,
  options?: LookupOptions,
): PairDescription | NoRecord | Malformed {
  const dataset = takeDataset(given)
  const on = options === undefined ? undefined : isOptions(options) ? readOn(options) : REFUSED
  const asked = on === undefined ? undefined : on === REFUSED ? REFUSED : { on }
  const answer = lookupRequirement(dataset, passport, destination, asked as LookupOptions | undefined)
  if (answer.kind !== "found") return answer
  const day = parseCivilDate(on) ?? dataset.asOfDay
  return describeFound(dataset, passport, destination, answer, day)
}

// Replaces invalid options. They are read once, because a getter could return another day each time.
const REFUSED = /* @__PURE__ */ Object.freeze([])

/** Describes a pair whose answer was already found for a day. */
export function describeFound(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
): PairDescription {
  const as = statusOf(dataset, passport, destination, answer, day)
  const facts = readFacts(dataset, { passport, destination, answer, day, as })
  const { detail, conditions, afterExpiry, changedSince, corroboration, evidence } = facts
  const stayRules = listStayRulesOf(readProvisions(dataset), passport, destination, answer)
  const stayRule = stayRuleOn(stayRules, day, answer.requirement)
  // Its contents are frozen already; a deep copy would cost as much again.
  return Object.freeze<PairDescription>({
    kind: "found",
    passport,
    destination,
    on: formatCivilDate(day),
    answer,
    sourceUrl: detail?.sourceUrl ?? answer.source?.url ?? null,
    waivers: Object.freeze(listEasing(dataset, passport, destination, compareAnswer(answer, conditions), day)),
    stayRule,
    conditions,
    notes: listNotes(dataset, detail, destination, answer),
    endsOn: detail?.untilDay == null ? null : formatCivilDate(detail.untilDay - 1),
    afterExpiry,
    changedSince,
    corroboration,
    evidence,
    ...(answer.home ? AGELESS : judgeAge(facts, day)),
    stayBasis: judgeStayBasis(answer, stayRule, facts),
  })
}

/**
 * Lists the waivers that improve a pair's answer on a day, the easiest first.
 *
 * Cannot fail: the list is empty if there is no record. Returns shared frozen records.
 *
 * @example
 * ```ts
 * const [first] = findWaivers(embeddedDataset(), "IND", "MEX", parseCivilDate("2026-11-21") ?? 0)
 * first.requirement // => "visa_free"
 * first.held.map(({ kind }) => kind) // => ["visa","residence_permit"]
 * ```
 */
export function findWaivers(given: Dataset, passport: string, destination: string, day: EpochDay): readonly Waiver[] {
  if (!isEpochDay(day)) return NOTHING
  const pair = describePair(given, passport, destination, { on: formatCivilDate(day) })
  return pair.kind === "found" ? pair.waivers : NOTHING
}

function listNotes(
  dataset: Dataset,
  detail: RuleDetail | null,
  destination: string,
  { home, follows }: Found,
): readonly string[] {
  if (home) return NOTHING
  const policies = follows === null ? [destination] : [destination, follows]
  const ofPolicies = policies.map(each => {
    const listed = readProvisions(dataset).at("notes", each, "")
    return listed.find(each => each.rank === 1 && holdsOn(0)(each))?.value.note
  })
  return Object.freeze([detail?.note, ...ofPolicies].filter(note => note != null))
}

// Citizens enter by a right that needs no check.
const AGELESS: AnswerAge = /* @__PURE__ */ Object.freeze({ ageDays: null, stale: null })

/** A pair whose answer was already found for a day. */
interface Asked {
  readonly passport: string
  readonly destination: string
  readonly answer: Found
  readonly day: EpochDay
  /** As who the holder enters: in a territory that follows his own country he is at home too. */
  readonly as: Pick<PairEntry, "isHome" | "movesFreely">
}

function statusOf(dataset: Dataset, passport: string, destination: string, answer: Found, day: EpochDay): Asked["as"] {
  if (answer.follows === null) return readEntry(answer)
  const { passportIndices, destinationIndices } = dataset
  return entryOn(dataset, passportIndices[codeKey(passport)]!, destinationIndices[codeKey(destination)]!, day)
}

/** What is recorded about an answer that was already found for a day, as far as decisions use it. */
interface PairFacts
  extends Pick<PairDescription, "conditions" | "afterExpiry" | "changedSince" | "corroboration" | "evidence"> {
  /** The contents of the rule besides its answer. */
  readonly detail: RuleDetail | null
  /** Whether the source that decided or agrees states no stay beside our days. */
  readonly isStaySilent: boolean
  /** The day on which the answer was last checked; null if none is known. */
  readonly lookDay: EpochDay | null
  /** Whether the rule of the answer has ended, or has changed since the last check; null for neither. */
  readonly change: Exclude<StaleReason, "unchecked"> | null
  /** Whether a second source confirms the days. Those of another way of entering, such as an e-visa instead, are not about them. */
  readonly isStayConfirmed: boolean
}

const NO_CHECK = { corroboration: null, isStaySilent: false }

/** Reads what is recorded about an answer that was already found for a day. The passport need not be one of the dataset. */
export function readFacts(dataset: Dataset, asked: Asked): PairFacts {
  const index = readProvisions(dataset)
  const { passport, destination, answer, day } = asked
  const { detail, ended: afterExpiry } = index.findRule(destination, passport, day)
  // Those of the pair's rule, then those of the policies that apply.
  const conditions = Object.freeze([
    ...(detail?.conditions ?? NOTHING),
    ...listPolicyConditions(index, asked, answer.requirement),
  ])
  const checked = findCorroboration(dataset, index, asked, detail, conditions)
  const { corroboration } = checked
  const changedSince = findChange(dataset, index, asked, detail, corroboration)
  const evidence = readDatedEvidence(dataset, answer)
  return {
    detail,
    conditions,
    afterExpiry,
    ...checked,
    changedSince,
    evidence,
    lookDay: findLook({ evidence, corroboration }),
    change: findChangeOf({ afterExpiry, changedSince }),
    isStayConfirmed:
      corroboration?.agrees === true &&
      corroboration.requirement === answer.requirement &&
      corroboration.days === answer.days,
  }
}

// Lists the conditions of the destination's policy, and of the policy that it follows if that applies. Citizens and
// travellers who move freely are included only if named by their code.
export function listPolicyConditions(
  index: ProvisionIndex,
  { passport, destination, answer, day, as }: Asked,
  requirement: Requirement,
): readonly RuleCondition[] {
  if (as.isHome) return NOTHING
  const policies = answer.follows === null ? [destination] : [destination, answer.follows]
  return policies.flatMap(policy =>
    index
      .at("policyConditions", policy, passport)
      .filter(holdsOn(day))
      .filter(({ value, rank }) => {
        return (value.requirements?.includes(requirement) ?? true) && (!as.movesFreely || rank === 3)
      })
      .map(({ value }) => value.conditions[0]!),
  )
}

// Finds the newest change that is newer than the last check.
function findChange(
  dataset: Dataset,
  index: ProvisionIndex,
  { passport, destination, answer, day }: Asked,
  detail: RuleDetail | null,
  corroboration: Corroboration | null,
): ChangedSince | null {
  const codes = (answer.follows === null ? [destination] : [destination, answer.follows]).filter(code =>
    index.has("changeLog", code),
  )
  if (codes.length === 0 || answer.home || answer.basis === "freedom_of_movement") return null
  const settledDay = findLatest(
    findLatest(
      parseCivilDate(answer.verifiedOn ?? answer.citedOn) ?? findRetrievedDay(dataset, answer),
      detail?.fromDay ?? null,
    ),
    findCheckedDay({ corroboration }),
  )
  const [newest] = codes
    .flatMap(code => index.at("changeLog", code, passport).map(({ value }) => value))
    .filter(({ on }) => {
      const changedDay = parseCivilDate(on)!
      return changedDay > (settledDay ?? Number.NEGATIVE_INFINITY) && changedDay <= day
    })
    .sort((a, b) => parseCivilDate(b.on)! - parseCivilDate(a.on)!)
  if (newest === undefined) return null
  const { on, change, source, sourceUrl } = newest
  return Object.freeze({ on, change, source, sourceUrl })
}

// Finds the latest statement of a second source that is not older than the rule, and whether the source that decided or
// agrees states no stay beside our days.
function findCorroboration(
  dataset: Dataset,
  index: ProvisionIndex,
  { passport, destination, answer }: Asked,
  detail: RuleDetail | null,
  conditions: readonly RuleCondition[],
): Pick<PairFacts, "corroboration" | "isStaySilent"> {
  const row = dataset.passportIndices[codeKey(passport)] as number
  if (answer.home || row >= UNKNOWN_INDEX) return NO_CHECK
  const own = index.listStatements(destination, passport)
  // A territory that follows another has that one's answer, and so what is said of that.
  const statements = own.length > 0 || answer.follows === null ? own : index.listStatements(answer.follows, passport)
  if (statements.length === 0) return NO_CHECK
  let isStaySilent = false
  const column = dataset.destinationIndices[codeKey(destination)] as number
  for (const { checkedOn, source, sourceUrl, reason, isOpen, ...said } of statements) {
    const checkedDay = parseCivilDate(checkedOn) as EpochDay
    if ((detail?.fromDay ?? checkedDay) > checkedDay) continue
    if (said.requirement === null) {
      const then = lookupAtOn(dataset, row, column, Math.max(checkedDay, dataset.sinceDay))
      const isSame = then.kind === "found" && then.requirement === answer.requirement && then.days === answer.days
      // This statement is about an answer that no longer applies.
      if (!isSame) continue
    }
    const { requirement, days } = said.requirement === null ? answer : { ...said, requirement: said.requirement }
    const isSameWay = requirement === answer.requirement
    const agrees =
      !isOpen &&
      (isSameWay
        ? days === null || answer.days === null || days === answer.days
        : conditions.some(way => way.kind === "also" && way.requirement === requirement))
    // A source from which the answer was taken is not a second one.
    const isFollowed = agrees && source?.id === answer.source?.id
    const restsOnTable = isFollowed || answer.source?.imported === true
    if (agrees && restsOnTable && isSameWay) isStaySilent ||= days === null
    if (isFollowed) continue
    const corroboration = Object.freeze({
      agrees,
      reason: agrees ? null : reason,
      isOpen,
      requirement,
      days,
      source: source as Source,
      sourceUrl,
      checkedOn,
    })
    return { corroboration, isStaySilent }
  }
  return { corroboration: null, isStaySilent }
}

function judgeStayBasis(answer: Found, stayRule: StayRule | null, facts: PairFacts): "table" | null {
  const isSilent = facts.isStaySilent && answer.days !== null && answer.basis === null
  if (!isSilent && !comesFromTable(answer)) return null
  const isConfirmed =
    (stayRule !== null && (stayRule.days !== null || stayRule.months !== null)) || facts.isStayConfirmed
  return isConfirmed ? null : "table"
}

// ---- Waivers

// Which waivers for holders of other states' documents improve the answer of a pair?
//
// Waivers are recorded beside the rules and never change the answer of a lookup. A waiver applies if its requirement is easier than the
// usual one, or the same with a longer stay. An answer for passports with a feature, such as biometric ones, is compared as a visa: the holder
// of another passport needs one. No waiver lifts a refusal, and nothing is easier than being at home or moving freely. If a
// territory follows another destination, that destination's waivers apply with its rules, except those for documents of a zone that does
// not include the territory: a permit of one Schengen state opens the others, but neither Greenland nor the Faroe Islands (Convention
// implementing the Schengen Agreement, Art. 21, and Art. 5(1) of Denmark's accession to it). A document of the destination itself is the
// required document, not one of another state: a waiver is about it only if it names no other issuer.

/** Returns the answer with which documents are compared: that of a visa, if the answer depends on a feature of the passport. */
function compareAnswer(answer: Found, conditions: readonly RuleCondition[]): Found {
  return dependsOnFeature(answer.requirement, conditions)
    ? { ...answer, requirement: "visa_required", days: null }
    : answer
}

/** Lists the waivers that improve an answer on a day: the easiest first, then the longest stay. */
function listEasing(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
): readonly Waiver[] {
  const inForce = listEasingEver(dataset, passport, destination, answer).filter(holdsOn(day))
  return [...new Set(inForce.map(({ value }) => value))]
}

/** Lists the waivers that improve an answer on any day, each with its days, in the order of {@link listEasing}. */
export function listEasingEver(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
): readonly Scoped<Waiver>[] {
  if (answer.home || answer.basis === "freedom_of_movement") return NOTHING
  const index = readProvisions(dataset)
  const own = index.at("waivers", destination, passport)
  const followed =
    answer.follows === null ? NOTHING : listFollowed(dataset, index, passport, destination, answer.follows)
  return [...own, ...followed].filter(({ value }) => eases(value, answer)).sort((a, b) => compareEase(a.value, b.value))
}

// Lists a country's waivers that apply in a territory that follows it.
function listFollowed(
  dataset: Dataset,
  index: ProvisionIndex,
  passport: string,
  territory: string,
  followed: string,
): readonly Scoped<Waiver>[] {
  const waivers = index.at("waivers", followed, passport)
  const zone = zoneOf(dataset, followed)
  if (zone === 0 || zone === zoneOf(dataset, territory)) return waivers
  return waivers.flatMap(scoped => {
    const value = leaveZoneOut(dataset, index, scoped.value, zone)
    return value === null ? [] : [value === scoped.value ? scoped : { ...scoped, value }]
  })
}

// Returns the number of a destination's zone at any time; 0 for none, and for other codes.
function zoneOf(dataset: Dataset, code: string): number {
  return entryTable(dataset).zones[dataset.destinationIndices[codeKey(code)] as number] ?? 0
}

// By zone, then by waiver: those without the documents that the zone's members issue; null if no document is left.
const outsideZones = new Map<number, WeakMap<Waiver, Waiver | null>>()

// Returns a waiver without the documents that a zone's members issue; the waiver itself if it names none of them. The same object every time.
function leaveZoneOut(dataset: Dataset, index: ProvisionIndex, waiver: Waiver, zone: number): Waiver | null {
  const kept = getOrInsert(outsideZones, zone, () => new WeakMap<Waiver, Waiver | null>())
  return getOrInsert(kept, waiver, () => {
    const held = waiver.held.flatMap(terms => leaveIssuersOut(dataset, index, terms, zone) ?? [])
    if (held.length === 0) return null
    const isSame = held.length === waiver.held.length && held.every((terms, place) => terms === waiver.held[place])
    return isSame ? waiver : copyFrozen<Waiver>({ ...waiver, held })
  })
}

// Does the same for the terms of one document. A selector that includes members of the zone is replaced by the codes of the others.
function leaveIssuersOut(
  dataset: Dataset,
  index: ProvisionIndex,
  terms: DocumentTerms,
  zone: number,
): DocumentTerms | null {
  const isInside = (code: string) => zoneOf(dataset, code) === zone
  if (!terms.issuers.some(selector => index.listMembers(selector).some(isInside))) return terms
  const issuers = terms.issuers.flatMap(selector => {
    const members = index.listMembers(selector)
    return members.some(isInside) ? members.filter(code => !isInside(code)) : [selector]
  })
  return issuers.length === 0 ? null : { ...terms, issuers }
}

type Terms = Pick<Waiver, "requirement" | "days">

function eases(waiver: Terms, answer: Terms): boolean {
  if (answer.requirement === "no_admission") return false
  const gain = effortRank(answer.requirement) - effortRank(waiver.requirement)
  return gain > 0 || (gain === 0 && waiver.days !== null && answer.days !== null && waiver.days > answer.days)
}

// Easiest first, then the longest stay; one of unknown length last.
function compareEase(a: Terms, b: Terms): number {
  return effortRank(a.requirement) - effortRank(b.requirement) || (b.days ?? 0) - (a.days ?? 0)
}

// ---- Stay rules

// Which stay rule applies to a passport at a destination on a day?
//
// The most specific rule applies: one that names the passport beats one that names a bloc, which beats a rule for
// everybody. If a territory follows another destination and has no rule of its own, that destination's rule applies
// with its policy. This file only finds rules; it counts nothing.

/**
 * Finds how days add up for a passport at a destination on a day; null if nothing is recorded, and for a country's own citizens.
 *
 * `requirement` is the one that the traveller uses, if it differs from the answer of a lookup, such as with a held document. Cannot fail.
 * Returns a shared frozen record; about a hundred nanoseconds.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2026-11-21") ?? 0
 * findStayRule(embeddedDataset(), "BRA", "RUS", day)?.kind // => "calendar_year"
 * findStayRule(embeddedDataset(), "RUS", "RUS", day) // => null
 * ```
 */
export function findStayRule(
  dataset: Dataset,
  passport: string,
  destination: string,
  day: EpochDay,
  requirement?: Requirement,
): StayRule | null {
  return find(dataset, passport, destination, day, null, requirement)
}

/**
 * Finds the agreement under which a passport's holder may stay at a destination beyond a zone's allowance; null if none is recorded.
 *
 * Cannot fail. `beside_zone` without days exempts from the zone's rule. `may_exceed_zone` may allow more than visitors have, at most its
 * days if they are known.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2026-11-21") ?? 0
 * findZoneAgreement(embeddedDataset(), "JPN", "DEU", "schengen", day)?.kind // => "may_exceed_zone"
 * findZoneAgreement(embeddedDataset(), "USA", "JPN", "schengen", day) // => null
 * ```
 */
export function findZoneAgreement(
  dataset: Dataset,
  passport: string,
  destination: string,
  zone: string,
  day: EpochDay,
): StayRule | null {
  return find(dataset, passport, destination, day, zone)
}

function find(
  dataset: Dataset,
  passport: string,
  destination: string,
  day: EpochDay,
  zone: string | null,
  requirement?: Requirement,
): StayRule | null {
  // A value that is not a dataset throws when it is read. Catching this costs nothing for datasets.
  try {
    const row = dataset.passportIndices[codeKey(passport)] as number
    const column = dataset.destinationIndices[codeKey(destination)] as number
    if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX || !isEpochDay(day)) return null
    const answer = lookupAtOn(dataset, row, column, day)
    if (answer.kind !== "found") return null
    const rules = listStayRulesOf(readProvisions(dataset), passport, destination, answer, zone)
    return stayRuleOn(rules, day, requirement ?? answer.requirement)
  } catch {
    return null
  }
}

const stayRuleOn = (rules: readonly Scoped<StayRule>[], day: EpochDay, asked: Requirement): StayRule | null =>
  rules.filter(holdsOn(day)).find(({ value }) => isAbout(value, asked))?.value ?? null

/** Lists the stay rules for a found answer on any day, or the agreements beside the rule of a zone; the first one that fits is used. */
export function listStayRulesOf(
  provisions: ProvisionIndex,
  passport: string,
  destination: string,
  { home, follows }: Found,
  zone: string | null = null,
): Scoped<StayRule>[] {
  if (home) return []
  const own = provisions.at("stayRules", destination, passport)
  const all = follows === null ? own : [...own, ...provisions.at("stayRules", follows, passport)]
  return all.filter(({ value }) => value.zone === zone)
}
