/**
 * What is written about a passport at a destination on a day, and on what terms can its holder enter?
 *
 * A law is read whole and never changed: the way of entering without a document, and everything that the rules say of it. The law of a pair
 * holds for a stretch of days in which nothing that is written about it begins or ends. It is the only thing that is kept from one decision for
 * the next: the last two laws of each pair that were read. A border, a feature of the passport, or a bar may ask something else of a traveller
 * than the answer says; then another law applies to him, which is part of the law of the pair.
 */

import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, isAbout, type Requirement, unlocks } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import {
  type Dataset,
  type FindPast,
  type Found,
  followedIndex,
  type NoRecord,
  type PastGap,
  type PastRule,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"
import {
  type Corroboration,
  listEasingEver,
  listPolicyConditions,
  listStayRulesOf,
  readFacts,
} from "../requirement/describe-pair.ts"
import { lookupOn } from "../requirement/lookup.ts"
import { entryAt, entryOn, type PairEntry, readEntry } from "../requirement/pair-entry.ts"
import type { ConditionKind, ConditionTerms } from "../rules/provision-kinds.ts"
import {
  type Duty,
  dependsOnFeature,
  holdsOn,
  type Provision,
  type RuleCondition,
  type Scoped,
  type StayRule,
  type Waiver,
} from "../rules/provisions.ts"
import {
  type Exemption,
  enterInstead,
  enterUnknown,
  enterWithout,
  findExemption,
  isPermitOf,
  type RequirementFinding,
  sayAbsence,
  type Way,
} from "./documents.ts"
import type { Journey, Passport, PassportFeatures, Stay } from "./journey.ts"
import { askEverybody, type Issue, missing, NO_PARAMS, type ReasonParams, type Unknown, unknown } from "./reasons.ts"
import { type BorderRule, LONG_AGO, type Provisions } from "./recorded.ts"

// ---- The law of a pair

/** A condition of a rule, and how it is reported at one destination. */
export interface AskedCondition {
  readonly condition: RuleCondition
  readonly issue: Issue
}

/** What is asked of visitors beside the requirement, and how it is reported at one destination. */
interface AskedDuty {
  readonly duty: Duty
  readonly fromDay: EpochDay
  /** Null where the sentence depends on the journey. */
  readonly issue: Issue | null
}

/** Everything that is written about the entry of a passport's holders on some days. */
export interface Law {
  readonly fromDay: EpochDay
  /** First day on which another law may apply. */
  readonly untilDay: EpochDay
  /** Null if there is no record. */
  readonly entry: PairEntry | null
  /** The way of entering without a document. */
  readonly base: Way
  /** The requirement as an issue, if something has to be obtained or nobody is admitted; null for other ways. */
  readonly asked: Issue | null
  /** The answer, if a held document could change the requirement; null otherwise. */
  readonly easable: Found | null
  readonly exemption: Exemption | null
  /** The waivers that make it easier, the easiest first. */
  readonly waivers: readonly Waiver[]
  /** The stay rules; the first one that fits is used. */
  readonly stays: readonly StayRule[]
  /** The agreements beside the rule of the destination's zone, likewise. */
  readonly agreements: readonly StayRule[]
  readonly borders: BorderLists
  /** The conditions of the answer, of its rule and of the policies; empty for past days, whose rules nobody recorded. */
  readonly conditions: readonly AskedCondition[]
  /** What is asked of visitors beside the requirement; empty for past days. */
  readonly duties: readonly AskedDuty[]
  /** What must be checked of a passport of another kind; null for nothing. */
  readonly toCheck: AskedCondition | null
  /** Why the answer may no longer be right, or is disputed. */
  readonly doubts: readonly Issue[]
  /** The last check of the answer; null if none is known, and undefined if no answer is needed. */
  readonly lookDay: EpochDay | null | undefined
  /** Whether the days of the answer come from an imported table alone. */
  readonly restsOnTable: boolean
  /** The law for a traveller of whom a visa is asked instead; null if nobody is. */
  readonly asVisa: Law | null
  /** The law by the other answer of a disputed pair; null if nothing contradicts the answer. */
  readonly other: Law | null
  /** The law at borders where the requirement is not asked; null if it is asked everywhere. */
  readonly elsewhere: { readonly borders: readonly string[]; readonly law: Law } | null
}

/** What is kept of a dataset: the last two laws of each pair that were read. A journey may begin under one law and end under the next. */
const kept = new WeakMap<Provisions, (Law | null)[]>()
const LAWS_OF_PAIR = 2

/** Returns the law of a pair on a day from the dataset's first on: one of those that were read last, if it holds. */
function lawOfPair(journey: Journey, passport: Passport, stop: Stay): Law {
  const { provisions } = journey
  const { dataset, entries } = provisions
  const { passports, destinations } = dataset
  const { row } = passport
  const { column, firstDay } = stop
  const laws = getOrInsert(kept, provisions, () => {
    return new Array<Law | null>(LAWS_OF_PAIR * passports.length * destinations.length).fill(null)
  })
  const at = LAWS_OF_PAIR * (row * destinations.length + column)
  const last = laws[at]!
  if (last !== null && holds(last, firstDay)) return last
  const before = laws[at + 1]!
  if (before !== null && holds(before, firstDay)) return before
  const entry = entryOn(dataset, row, column, firstDay, entries)
  const law = makeLaw(journey, passport, stop, entry, enterWithout(entry))
  laws[at] = law
  laws[at + 1] = last
  return law
}

const valuesOf = <Value>(list: readonly Scoped<Value>[]): readonly Value[] => list.map(({ value }) => value)

function holds({ fromDay, untilDay }: Law, day: EpochDay): boolean {
  return fromDay <= day && day < untilDay
}

// Before and after every day, and small integers, which V8 reads much faster than infinite numbers.
const NOT_DATED = { fromDay: LONG_AGO, untilDay: -LONG_AGO } as const

/** What a law is made of beside the answer. */
interface More extends Partial<Pick<Law, "toCheck" | "lookDay">> {
  readonly isPast?: boolean
  /** The doubts about the answer, for the law by the other answer of a disputed pair. */
  readonly doubts?: readonly Issue[]
}

/** Makes the law for a passport at a stop from what is recorded for its first day. `entry` is null for a pair without a record of that day. */
function makeLaw(
  journey: Journey,
  passport: Passport,
  stop: Stay,
  entry: PairEntry | null,
  base: Way,
  more: More = {},
): Law {
  const { provisions } = journey
  const { dataset, zonePlaces, recorded } = provisions
  const { destination, column, firstDay: day } = stop
  const { ruledAs, isOrdinary } = passport
  const code = passport.held.passport
  const { requirement, movesFreely } = base
  const { isPast = false, toCheck = null } = more
  const inForce = <Value>(list: readonly Scoped<Value>[]): readonly Scoped<Value>[] =>
    list.length === 0 ? NOTHING : list.filter(holdsOn(day))
  const answer = requirement.status === "known" ? requirement.answer : null
  const found = entry?.answer.kind === "found" ? entry.answer : null
  const about = answer && { passport: ruledAs, destination, answer, day, as: base }
  const facts = about && readFacts(dataset, about)
  // The conditions of a rule are not those of the answer that contradicts it.
  const ruled =
    facts === null
      ? NOTHING
      : more.doubts === undefined
        ? facts.conditions
        : listPolicyConditions(recorded, about!, about!.answer.requirement)
  const exemption = answer === null || movesFreely ? null : findExemption(recorded, ruledAs, destination, answer, day)
  const isEasable = answer !== null && !movesFreely && (answer.requirement !== "no_admission" || exemption !== null)
  const easable = isEasable ? answer : null
  const zone = zonePlaces[column]?.zone.id
  const listWaivers = (asked: Requirement, days: number | null): readonly Waiver[] => {
    if (easable === null || isPast) return NOTHING
    const compared = asked === easable.requirement ? easable : { ...easable, requirement: asked, days }
    return valuesOf(inForce(listEasingEver(dataset, ruledAs, destination, compared)))
  }
  const listStays = (of: string | null): readonly StayRule[] =>
    answer === null ? NOTHING : valuesOf(inForce(listStayRulesOf(recorded, ruledAs, destination, answer, of)))
  const isDoubtful = found !== null && isOrdinary && more.doubts === undefined && provisions.hasDoubts[column] === 1
  const { doubts, other } = isDoubtful ? listDoubts(found, facts!) : NO_DOUBTS
  const asksAnswer = found !== null && !found.home
  const law: Law = {
    entry,
    base,
    asked: sayRequirement(destination, code, requirement),
    easable,
    exemption,
    waivers: requirement.status === "known" ? listWaivers(requirement.value, base.maxDays) : NOTHING,
    stays: listStays(null),
    agreements: zone === undefined ? NOTHING : listStays(zone),
    borders: recorded.has("borderRules", destination)
      ? sortBorders(dataset, inForce(recorded.at("borderRules", destination, code)))
      : NO_BORDERS,
    conditions: isPast ? NOTHING : sayConditions(destination, ruled),
    duties: isPast ? NOTHING : recorded.at("duties", destination, ruledAs).map(each => sayDuty(destination, each)),
    toCheck,
    doubts: more.doubts ?? doubts,
    lookDay: more.lookDay === undefined && asksAnswer ? facts!.lookDay : more.lookDay,
    restsOnTable: base.isTableStay && !facts!.isStayConfirmed,
    asVisa: null,
    other: null,
    elsewhere: null,
    // A pair without a record may have one on another day. Only laws of ordinary passports are kept.
    ...(entry !== null && isOrdinary ? findStretch(provisions, passport, stop, found) : NOT_DATED),
  }
  if (requirement.status === "unknown") return law
  const instead = (asked: Requirement): Law => {
    const way = enterInstead(base, asked)
    const eased = easable ?? (movesFreely ? null : requirement.answer)
    const isOpen = eased !== null && (asked !== "no_admission" || exemption !== null)
    return {
      ...law,
      base: way,
      asked: sayRequirement(destination, code, way.requirement),
      easable: isOpen ? eased : null,
      waivers: listWaivers(asked, way.maxDays),
      restsOnTable: false,
    }
  }
  const mayAskVisa =
    entry !== null && (law.borders.bars.length > 0 || ruled.some(({ kind }) => kind === "passport_kind"))
  const asVisa = mayAskVisa ? instead("visa_required") : null
  // The rule is not asked at every border: Canada's eTA of arrivals by air only (IRPR, s. 7.1).
  const askedAt = ruled.find(({ kind }) => kind === "asked_at")
  const elsewhere =
    askedAt?.kind === "asked_at" ? { borders: askedAt.borders, law: { ...instead(askedAt.elsewhere), asVisa } } : null
  const otherEntry = other === null ? null : readEntry(other)
  const byOther =
    otherEntry === null
      ? null
      : makeLaw(journey, passport, stop, otherEntry, enterWithout(otherEntry), { ...more, doubts: law.doubts })
  return { ...law, asVisa, other: byOther, elsewhere }
}

function sayDuty(destination: string, { value: duty, fromDay }: Scoped<Duty>): AskedDuty {
  return { duty, fromDay, issue: explainDuty(destination, duty, fromDay) }
}

function explainDuty(destination: string, { kind, name }: Duty, fromDay: EpochDay): Issue | null {
  switch (kind) {
    case "announced":
      return askEverybody("authorisation_announced", { destination, from: formatCivilDate(fromDay) })
    case "registered":
      return askEverybody("entry_exit_system", { destination })
    case "insurance":
      return askEverybody("insurance", { destination })
    case "paper":
      return askEverybody("arrival_form_paper", { destination })
    case "form":
      return askEverybody("arrival_form", { destination, opens: null, ...(name !== null && { name }) })
    case "vaccination":
    case "check_vaccination":
      return null
  }
}

// Finds the days around one on which nothing begins or ends of all that is recorded of a destination, of whatever kind, and of the answer.
function findStretch(
  provisions: Provisions,
  { row }: Passport,
  { destination, column, firstDay: day }: Stay,
  answer: Found | null,
): Pick<Law, "fromDay" | "untilDay"> {
  const { dataset, recorded } = provisions
  let { fromDay, untilDay }: { fromDay: EpochDay; untilDay: EpochDay } = NOT_DATED
  const narrow = (on: EpochDay) => {
    if (on > day) untilDay = Math.min(untilDay, on)
    else fromDay = Math.max(fromDay, on)
  }
  const narrowBy = (country: string, at: number) => {
    recorded.listDays(country).forEach(narrow)
    const timeline = dataset.timelines.get(row * dataset.destinations.length + at) ?? NOTHING
    for (let step = 0; step < timeline.length; step += 2) narrow(timeline[step]!)
  }
  narrowBy(destination, column)
  if (answer !== null && answer.follows !== null) narrowBy(answer.follows, followedIndex(dataset, answer))
  return { fromDay, untilDay }
}

// The issue of a requirement for a traveller without any document.
function sayRequirement(destination: string, passport: string, requirement: RequirementFinding): Issue | null {
  if (requirement.status === "unknown") return missing("requirement", requirement)
  if (requirement.value === "visa_free") return null
  return requirement.value === "no_admission"
    ? { ...askEverybody("no_admission", { destination, passport }) }
    : askEverybody(requirement.value, { destination })
}

/** Doubts about an answer, and the answer that contradicts it where nothing decides between the two. */
interface Doubts {
  readonly doubts: readonly Issue[]
  readonly other: Found | null
}
const NO_DOUBTS: Doubts = { doubts: NOTHING, other: null }

function listDoubts(
  answer: Found,
  { afterExpiry, changedSince, corroboration, change }: ReturnType<typeof readFacts>,
): Doubts {
  const stale = answer.home ? null : change
  const doubts: Issue[] = []
  const doubt = (gap: Unknown) => doubts.push(missing("requirement", gap))
  const other = corroboration?.isOpen === true ? readOther(answer, corroboration) : null
  // Both answers are judged, so the dispute by itself leaves nothing open.
  if (other !== null) {
    const gap = unknown("pair", "disputed", { says: sayBoth(answer, other) })
    doubts.push({ ...missing("requirement", gap), weight: "info" })
  }
  if (stale === "ended") doubt(unknown("pair", "answer_ended", { on: afterExpiry!.endedOn }))
  if (stale === "changed_since") doubt(unknown("pair", "answer_changed_since", { on: changedSince!.on }))
  return doubts.length === 0 ? NO_DOUBTS : { doubts, other }
}

/** Names two answers of which nothing says which one is right. */
function sayBoth(one: Found, other: Found): string {
  const says = ({ requirement, days }: Found) => (days === null ? requirement : `${requirement} ${days}`)
  return `${says(one)} / ${says(other)}`
}

const readOther = (answer: Found, { requirement, days, source }: Corroboration): Found => ({
  ...answer,
  requirement,
  days,
  source,
  basis: null,
})

// ---- The law for one traveller

/** Finds the law for a passport at a stop, on the day of arrival, as the border, the passport and the stays before change it. */
export function findLaw(journey: Journey, passport: Passport, stop: Stay): Law {
  const shown = lawOf(journey, passport, stop)
  const isOtherwise = shown.other !== null && journey.otherwise?.has(pairOf(passport, stop)) === true
  const usual = isOtherwise ? shown.other : shown
  const { elsewhere } = usual
  const isElsewhere = elsewhere !== null && stop.by !== null && !elsewhere.borders.includes(stop.by)
  const byBorder = isElsewhere ? elsewhere.law : usual
  const ofKind = lacksFeature(byBorder, passport) ? byBorder.asVisa! : byBorder
  const { base, borders } = ofKind
  if (borders.bars.length === 0 || ofKind.entry === null || base.requirement.status === "unknown") return ofKind
  const bar = findBar(journey, stop, borders, base.requirement.value)
  return bar === null ? ofKind : (usual.asVisa ?? ofKind)
}

/**
 * Says whether a passport is known to lack a feature on which its entry depends. A rule for passports with a feature exempts only those, and the
 * holder of another needs a visa.
 */
function lacksFeature(law: Law, passport: Passport): boolean {
  const { entry, base, conditions } = law
  const { features, isOrdinary } = passport
  if (features.lacks.length === 0 || entry === null || !isOrdinary) return false
  if (base.requirement.status === "unknown" || !unlocks(base.requirement.value)) return false
  return conditions.some(({ condition }) => listLacking([condition], features).length > 0)
}

/** Lists the features that conditions require and that a passport is known to lack. */
export function listLacking(conditions: readonly RuleCondition[], { lacks }: PassportFeatures): readonly string[] {
  if (lacks.length === 0) return lacks
  return conditions
    .flatMap(each => (each.kind === "passport_kind" ? each.features : []))
    .filter(each => lacks.includes(each))
}

/**
 * Returns the law with which documents are compared: that of a visa, if the entry depends on a feature that the passport is not known to have. A
 * document that opens the entry to holders of the other passports opens it to everybody.
 */
export function findCompared(law: Law, passport: Passport): Law {
  const { asVisa, base, conditions } = law
  if (asVisa === null || !passport.isOrdinary || base.requirement.status === "unknown") return law
  const asked = conditions.map(({ condition }) => condition)
  return dependsOnFeature(base.requirement.value, asked, passport.features.has) ? asVisa : law
}

/** The name of a passport at a destination among the pairs that are judged by their other answer. */
export const pairOf = ({ held }: Passport, { destination }: Pick<Stay, "destination">) =>
  `${held.passport} ${destination}`

// Finds the law by the answer that is shown, wherever the traveller arrives and whatever he is.
function lawOf(journey: Journey, passport: Passport, stop: Stay): Law {
  const { dataset } = journey
  const { column, firstDay, destination } = stop
  if (!passport.isOrdinary && column < UNKNOWN_INDEX) return lawOfKind(journey, passport, stop)
  if (column < UNKNOWN_INDEX && passport.row < UNKNOWN_INDEX) {
    if (firstDay >= dataset.sinceDay) return lawOfPair(journey, passport, stop)
    if (dataset.past !== undefined) return lawOfPast(journey, passport, stop, dataset.past)
  }
  const answer = lookupOn(dataset, passport.held.passport, destination, firstDay)
  return makeLaw(journey, passport, stop, null, enterUnknown(sayAbsence(answer as NoRecord)))
}

// Today's waivers do not apply to past days, so only a document of the destination itself changes a past requirement.
function lawOfPast(journey: Journey, passport: Passport, stop: Stay, past: FindPast): Law {
  const today = entryAt(journey.dataset, passport.row, stop.column)
  const way = today.isHome
    ? enterWithout(today)
    : readPast(past(passport.held.passport, stop.destination, stop.firstDay))
  return makeLaw(journey, passport, stop, null, way, { isPast: true })
}

// A history says what a list showed, not what the law was. If two lists around the day differ, both are named and neither is chosen.
function readPast(rule: PastRule | PastGap): Way {
  if (rule.kind !== "found") return enterUnknown(sayAbsence(rule))
  const { answer, word, days, until, or } = rule
  if (answer === null) {
    const gap =
      or === null
        ? unknown("pair", "past_word", { word })
        : unknown("pair", "rule_seen_between", { earlier: word, later: or.word, after: until, by: or.by })
    return enterUnknown(gap)
  }
  const way = enterWithout(readEntry(answer))
  if (or === null || or.days === days) return way
  const between = { earlier: days, later: or.days, after: until, by: or.by }
  return { ...way, maxStay: unknown("pair", "stay_seen_between", between) }
}

// ---- Borders

/** A bar for travellers who were present in a country, or are nationals of one. */
interface ScopedBar extends BorderRule {
  /** By index: 1 for the countries in which presence bars; comparing codes took a tenth of a decision. */
  readonly presentAt: Uint8Array
  readonly sinceDay: EpochDay
}

/** The rules at a destination, by kind. */
interface BorderLists {
  readonly bars: readonly ScopedBar[]
  readonly ownPassports: readonly BorderRule[]
  readonly readmissions: readonly BorderRule[]
  readonly visaBars: readonly BorderRule[]
}

/** The rules of a destination without any. */
export const NO_BORDERS: BorderLists = { bars: [], ownPassports: [], readmissions: [], visaBars: [] }

/** Sorts the recorded rules of a pair by their kind. */
function sortBorders(dataset: Dataset, recorded: readonly Scoped<BorderRule>[]): BorderLists {
  if (recorded.length === 0) return NO_BORDERS
  const ofKind = (kind: BorderRule["kind"]) => recorded.map(({ value }) => value).filter(value => value.kind === kind)
  return {
    bars: ofKind("bar").map(bar => ({
      ...bar,
      presentAt: markIndices(dataset, bar.present ?? NOTHING),
      sinceDay: parseCivilDate(bar.since) ?? 0,
    })),
    ownPassports: ofKind("own_passport"),
    readmissions: ofKind("readmission"),
    visaBars: ofKind("visa_bar"),
  }
}

const INDICES = 256

function markIndices({ destinationIndices }: Dataset, codes: readonly string[]): Uint8Array {
  const marks = new Uint8Array(INDICES)
  for (const code of codes) marks[destinationIndices[codeKey(code)] as number] = 1
  return marks
}

// ---- Bars

// Travellers who were present in a country that the law names, or are nationals of one, need a visa instead of an authorisation such as ESTA
// (8 U.S.C. 1187(a)(12): Cuba, Iran and others). Presence is known from earlier stays and from the stops before.

/**
 * Why a traveller is barred from an easier entry: a country in which he was, with the day since which it counts, or one
 * of which he is a national.
 */
type Bar =
  | { readonly because: "presence"; readonly country: string; readonly since: string; readonly seen: string }
  | { readonly because: "nationality"; readonly country: string }

/** Finds the reason why a traveller cannot use what a passport needs at a stop; null if there is none. */
export function findBar(
  { passports, earlier, stops }: Journey,
  { order }: Stay,
  { bars }: BorderLists,
  asked: Requirement,
): Bar | null {
  for (const bar of bars) {
    if (!isAbout(bar, asked)) continue
    const { nationals, since } = bar
    const national = nationals === null ? undefined : findNational(passports, nationals)
    if (national !== undefined) return { because: "nationality", country: national.held.passport }
    if (since === null) continue
    const before = findPresent(earlier, bar, Number.POSITIVE_INFINITY) ?? findPresent(stops, bar, order)
    if (before !== null) return { because: "presence", country: before.destination, since, seen: before.to }
  }
  return null
}

/** Finds a passport that proves the nationality of one of some countries. */
export function findNational(passports: readonly Passport[], countries: readonly string[]): Passport | undefined {
  return passports.find(({ nationality }) => nationality !== null && countries.includes(nationality))
}

// Finds the first stay before another one that bars the traveller.
function findPresent(
  stays: readonly Stay[],
  { present, presentAt, sinceDay }: ScopedBar,
  beforeOrder: number,
): Stay | null {
  for (const stay of stays) {
    if (presentAt[stay.column] !== 1 || stay.lastDay < sinceDay || stay.order >= beforeOrder) continue
    if (stay.column < UNKNOWN_INDEX || present!.includes(stay.destination)) return stay
  }
  return null
}

// ---- Passports of other kinds

/** The finding if no rule names a kind of passport. */
export const KIND_NOT_RECORDED: Unknown = /* @__PURE__ */ unknown("pair", "passport_kind_not_recorded", NO_PARAMS)

/**
 * Finds the law for a passport of another kind than the ordinary one. Only a rule that names the kind answers; rules for ordinary passports do
 * not apply to a diplomatic one. The holder of a passport of his own state is at home there, whatever its kind. A travel document for a refugee,
 * a person without a nationality, an alien or a seafarer does not make its holder a national of the issuing state. Rules for visitors do not
 * apply in the state where he lives.
 */
function lawOfKind(journey: Journey, passport: Passport, stop: Stay): Law {
  const { dataset, provisions } = journey
  const { issuerRow, nationality, kind, held } = passport
  const { destination, column, firstDay } = stop
  const ordinary = issuerRow < UNKNOWN_INDEX ? entryAt(dataset, issuerRow, column) : null
  const makeUnread = (entry: PairEntry | null, way: Way) =>
    makeLaw(journey, passport, stop, entry, way, { lookDay: null })
  if (ordinary?.isHome && nationality !== null) return makeUnread(ordinary, enterWithout(ordinary))
  const isListed = !ordinary?.isHome && firstDay >= dataset.sinceDay
  const listed = isListed ? provisions.recorded.at("kindRules", destination, held.passport) : NOTHING
  for (const { value } of listed.filter(holdsOn(firstDay))) {
    const { kinds, requirements } = value
    if (!kinds.includes(kind)) continue
    if (requirements !== null && !isForIssuer(journey, passport, stop, requirements)) continue
    const { entry, ofResidents, lookDay } = readKindRule(dataset, value)
    const livesThere = ofResidents === null || livesIn(journey, held.passport)
    if (livesThere === false) continue
    const holder = { destination, passport: held.passport }
    const toCheck = livesThere ? null : { condition: ofResidents, issue: askEverybody("residents_only", holder) }
    return makeLaw(journey, passport, stop, entry, enterWithout(entry), { toCheck, lookDay })
  }
  return makeUnread(null, enterUnknown(KIND_NOT_RECORDED))
}

/** A rule for kinds of passports. */
type KindRule = Provision<"kindRules">

/** What follows from a rule for kinds of passports. */
interface ReadRule {
  readonly entry: PairEntry
  /** What must be checked if the traveller's residence is not given; null if the rule does not depend on it. */
  readonly ofResidents: RuleCondition | null
  readonly lookDay: EpochDay | null
}

const readRules = new WeakMap<KindRule, ReadRule>()

/** Reads what follows from a rule for kinds of passports; the same object at every call. */
const readKindRule = ({ version }: Dataset, rule: KindRule): ReadRule =>
  getOrInsert(readRules, rule, () => {
    const { requirement, days, basis, residents, source, sourceUrl, verifiedOn, citedOn } = rule
    const answer: Found = {
      kind: "found",
      requirement,
      days,
      home: false,
      uncertain: false,
      basis,
      bloc: null,
      follows: null,
      source,
      verifiedOn,
      citedOn,
      datasetVersion: version,
    }
    return {
      entry: readEntry(Object.freeze(answer)),
      ofResidents: residents ? Object.freeze({ kind: "other", text: "", source, sourceUrl }) : null,
      lookDay: parseCivilDate(verifiedOn ?? citedOn),
    }
  })

function isForIssuer(
  { dataset }: Journey,
  { issuerRow }: Passport,
  { column, firstDay }: Stay,
  requirements: readonly Requirement[],
): boolean {
  if (issuerRow >= UNKNOWN_INDEX) return false
  const { answer } = entryOn(dataset, issuerRow, column, firstDay)
  return answer.kind === "found" && requirements.includes(answer.requirement)
}

// Null if the traveller did not say it.
function livesIn({ read: { residence }, documents }: Journey, country: string): boolean | null {
  if (documents.some(each => isPermitOf(each, country))) return true
  return residence === null ? null : false
}

// ---- Sentences of conditions

// By kind: the parameters of its sentence, `=` before the field of the condition where its name is another. A field that is not given is null, or an
// empty list where `*` stands.
const PARAMS_OF: Readonly<Record<Exclude<ConditionKind, "held_document">, string>> = {
  registration: "name url hours=hoursBefore amount currency",
  gateway_visa: "states entries",
  border_control: "states",
  sponsor: "by",
  special_document: "name",
  not_enforced: "borders*",
  exempt: "who* before=issuedBefore",
  suspension: "visas",
  bond: "least=leastAmount most=mostAmount currency",
  entry_points: "names* borders*",
  asked_at: "borders elsewhere",
  purpose: "purposes",
  group: "least",
  bring: "proofs",
  passport_kind: "features",
  age: "least most",
  also: "requirement remark",
  other: "text",
}

/** Returns the parameters of a condition, by the names of its sentence. */
export function describeCondition(condition: ConditionTerms): ReasonParams {
  if (condition.kind === "held_document") {
    return { documents: condition.held.map(({ kind, issuers }) => `${kind} ${issuers.join(" ")}`) }
  }
  const terms: Readonly<Record<string, unknown>> = { ...condition, ...("fee" in condition ? condition.fee : null) }
  const params = PARAMS_OF[condition.kind].split(" ").map(each => {
    const [name = "", field = name] = each.replace("*", "").split("=")
    return [name, terms[field] ?? (each.endsWith("*") ? [] : null)]
  })
  return Object.fromEntries(params)
}

// By condition, then by destination, so that their sentences are made once for all pairs.
const said = new WeakMap<RuleCondition, Map<string, AskedCondition>>()

function sayCondition(destination: string, condition: RuleCondition): AskedCondition {
  return getOrInsert(
    getOrInsert(said, condition, () => new Map<string, AskedCondition>()),
    destination,
    () => {
      const params: ReasonParams = { destination, ...describeCondition(condition) }
      return { condition, issue: askEverybody(condition.kind, params as never) }
    },
  )
}

/** Puts conditions into words, as they are reported at a destination. */
export function sayConditions(destination: string, conditions: readonly RuleCondition[]): readonly AskedCondition[] {
  return conditions.length === 0 ? NOTHING : conditions.map(each => sayCondition(destination, each))
}
