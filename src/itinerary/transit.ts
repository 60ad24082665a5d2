/**
 * May the traveller change planes in a country?
 *
 * There are two cases. A transit inside the international area of an airport is decided by the recorded transit rules: a demand of a visa that names
 * the passport, with the documents that waive it, or the rule that nobody else needs one. A transit that leaves that area is an entry. It is decided
 * by the requirements of an entry on these days, or by a rule that lets some passports through without a visa for some hours. A traveller who may
 * enter without obtaining anything may also change inside. If the request does not say which case applies, both must be possible.
 *
 * The day of the transit is not given, so it must be permitted on the first and on the last day of the journey. Conditions that cannot be judged here
 * (in words, hours, a remark on a document) leave it open. An expired passport cannot be used. Sources: for airports of the Schengen states
 * Regulation (EC) No 810/2009, Art. 3; every other rule names its own.
 */
import type { EpochDay } from "../civil-date.ts"
import type { ConditionKind } from "../dataset/conditions.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { TransitRule } from "../dataset/travel-rules.ts"
import { block, type DecisionState, noteUnknown, type StopState } from "./decision-state.ts"
import { listTerms } from "./entry-options.ts"
import { type EntryTerms, isInHand } from "./entry-terms.ts"
import { unknown } from "./findings.ts"
import { findAuthorisation, findRemark, nameDocument } from "./held-entries.ts"
import { isExpired } from "./judge-passport.ts"
import { KIND_NOT_RECORDED } from "./kind-entries.ts"
import { findDoubtful, listDoubts } from "./pair-doubts.ts"
import { findPair } from "./pair-findings.ts"
import type { PairFindings } from "./pair-table.ts"
import { isKindMet, NOTHING_SAID } from "./passport-features.ts"
import { isPast } from "./past-terms.ts"
import { NO_PARAMS } from "./reasons.ts"
import { MAX_STOPS, type ReadTransit } from "./request-fields.ts"
import { listConditions } from "./rule-conditions.ts"
import type { TransitStep } from "./step-fields.ts"
import { type Change, DAY_NOT_GIVEN, dayOf, type End, findPairOn, judgeBothDays, placeOn } from "./transit-change.ts"
import { findVisaToObtain, judgeDemand } from "./transit-documents.ts"
import { judgeVisitor, needEntry } from "./transit-entry.ts"
import {
  AIRSIDE,
  AREAS,
  allow,
  areaOf,
  betterOf,
  isFree,
  type JudgedRule,
  LANDSIDE,
  NO,
  NOTHING_OF_TRANSIT,
  names,
  rankOf,
  say,
  sayUnknown,
  type TransitVerdict,
  worseOf,
  YES,
} from "./transit-rules.ts"
import type { DocumentState, PassportState } from "./traveller-state.ts"

const RULE_OF_PAST = unknown("destination", "no_rule_of_that_day", NO_PARAMS)

const NO_RULE = sayUnknown("no_transit_rule", NO_PARAMS)
const NOT_NAMED = sayUnknown("transit_not_named", NO_PARAMS)
const OF_KIND = say(KIND_NOT_RECORDED)
const AREA_NOT_GIVEN = sayUnknown("transit_area_not_given", NO_PARAMS)
const OF_PAST = sayUnknown("no_rule_of_that_day", NO_PARAMS)

// By place: the names of their fields in gaps, which would take a tenth of the time of a transit to write each time.
const RULE_FIELDS = /* @__PURE__ */ nameFields("rule")
const PERMITTED_FIELDS = /* @__PURE__ */ nameFields("permitted")
function nameFields(field: string): readonly string[] {
  return Array.from({ length: MAX_STOPS }, (_, place) => `transit[${place}].${field}`)
}

/** Judges all transit countries. The stops must already be judged. */
export function judgeTransits(state: DecisionState): readonly TransitStep[] {
  const { transit, stops, documents } = state
  if (transit.length === 0) return []
  const journey = { firstDay: stops[0]!.firstDay, lastDay: stops[stops.length - 1]!.lastDay }
  const plain = documents.length === 0 ? state : { ...state, documents: NOTHING }
  const sorted = documents.length < 2 ? state : { ...state, documents: [...documents].sort(compareDocuments) }
  const inPast = isPast(state.dataset, journey)
  const verdicts: TransitVerdict[] = []
  const steps: TransitStep[] = []
  for (let place = 0; place < transit.length; place++) {
    const asked = state.read.transit![place]!
    const column = transit[place]!
    const { country: destination } = asked
    const area = areaOf(asked)
    const verdict = inPast
      ? OF_PAST
      : (verdicts[findSame(state.read.transit!, place)] ??
        judgeAll(sorted, plain, {
          asked,
          destination,
          column,
          journey,
          area,
          first: null,
          last: null,
          demanded: [],
          pairs: [],
        }))
    verdicts.push(verdict)
    const rule = inPast ? RULE_OF_PAST : (state.rules.transit[column] ?? NOTHING_OF_TRANSIT).rule
    steps.push(tellTransit(state, place, rule, verdict))
  }
  return steps
}

// Of documents that serve as well, the one that is named depends on the documents only, not on their order. A residence comes last.
function compareDocuments(a: DocumentState, b: DocumentState): number {
  if (a.place === null || b.place === null) return a.place === null ? 1 : -1
  if (a.column !== b.column) return a.column - b.column
  const days = (b.read.validUntilDay ?? 0) - (a.read.validUntilDay ?? 0)
  return days || (JSON.stringify(a.read) < JSON.stringify(b.read) ? -1 : 1)
}

// Returns the index of the first transit that is the same: a traveller often changes at one airport on the way there and back.
function findSame(asked: readonly ReadTransit[], place: number): number {
  const { countryKey, airside, by } = asked[place]!
  for (let at = 0; at < place; at++) {
    const other = asked[at]!
    if (other.countryKey === countryKey && other.airside === airside && other.by === by) return at
  }
  return place
}

function tellTransit(
  state: DecisionState,
  place: number,
  rule: TransitStep["rule"],
  { permitted, decidedBy, because, limits }: TransitVerdict,
): TransitStep {
  const asked = state.read.transit![place]!
  const { country } = asked
  const limited = rule.status === "unknown" ? rule : limits
  if (limited !== null) noteUnknown(state, RULE_FIELDS[place]!, null, limited)
  if (permitted.status === "unknown") noteUnknown(state, PERMITTED_FIELDS[place]!, null, permitted)
  else if (permitted.value === "no") {
    const { passport } = state.passports[0]!.held
    block(state, null, "transit_not_permitted", { destination: country, passport }, { transit: place })
  }
  return { country, area: AREAS[areaOf(asked)], rule, permitted, decidedBy, because }
}

// Takes the best passport. Held documents are considered if no passport is enough by itself.
function judgeAll(state: DecisionState, plain: DecisionState, change: Change): TransitVerdict {
  const { passports, documents } = state
  if (documents.length > 0) markNamed(state, change)
  const { firstDay, lastDay } = change.journey
  let best: TransitVerdict | null = null
  for (let at = 0; at < passports.length; at++) {
    const passport = passports[at]!
    if (isPassedOver(state, passport, firstDay)) continue
    const judged = change.column < UNKNOWN_INDEX ? judgeOf(plain, change, passport) : NO_RULE
    best = betterOf(best, rankOf(judged) === 2 && isPassedOver(state, passport, lastDay) ? DAY_NOT_GIVEN : judged)
    if (isFree(best)) return best
  }
  if (documents.length > 0 && change.column < UNKNOWN_INDEX) best = judgeWithDocuments(state, change, best!)
  return rankOf(best!) === 0 ? (findVisaToObtain(state, change) ?? best!) : best!
}

// An expired passport is not used if there is one that has not expired. If all have expired, the stops report it.
function isPassedOver({ passports }: DecisionState, passport: PassportState, day: EpochDay): boolean {
  return passports.length > 1 && isExpired(passport, day) && passports.some(each => !isExpired(each, day))
}

// A document that would make the entry easier is reported only if it permits the transit. A required authorisation is reported anyway.
function judgeWithDocuments(state: DecisionState, change: Change, verdict: TransitVerdict): TransitVerdict {
  const { passports, documents } = state
  const named = documents.map(({ isNamed }) => isNamed)
  const judge = (held: readonly DocumentState[]) => {
    change.demanded = []
    let best = verdict
    for (let at = 0; at < passports.length; at++) {
      const passport = passports[at]!
      if (isPassedOver(state, passport, change.journey.lastDay)) continue
      best = betterOf(judgeOf({ ...state, documents: held }, change, passport), best)
    }
    return best
  }
  const best = judge(documents)
  // Whether a document is reported depends on no other one, so each is judged by itself.
  const helps = documents.map((document, at) => {
    if (document.place === null || named[at]!) return false
    const { permitted, because } = documents.length === 1 ? best : judge([document])
    return (
      because.includes(document.place) || (permitted.status === "unknown" && permitted.params.held === document.place)
    )
  })
  documents.forEach((document, at) => {
    document.isNamed = named[at]! || helps[at]! || (document.isNamed && document.read.kind === "eta")
  })
  return best
}

// Marks documents of the country itself, and documents that waive a visa which one of the passports needs.
function markNamed({ documents, passports, rules }: DecisionState, { column }: Change): void {
  for (const document of documents) {
    const { transit } = document.reach
    document.isNamed ||=
      (document.column === column && document.place !== null && document.read.kind !== "eta") ||
      (rules.transit[column]?.rules.some(
        rule => transit[rule.place]!.length > 0 && passports.some(passport => names(rule, passport)),
      ) ??
        false)
  }
}

// Says whether a transit is permitted because the country may be entered.
function isByEntry(verdict: TransitVerdict): boolean {
  return rankOf(verdict) === 2 && verdict.decidedBy === null
}

// What an entry as a visitor asks. It is about the traveller's own dates and days, and not kept.
function judgeVisit(state: DecisionState, change: Change, passport: PassportState, end: End): TransitVerdict {
  return judgeVisitor(state, change, passport, findPairOn(state, change, passport, end), dayOf(change, end))
}

// Says whether a verdict belongs to the pair and can be kept. It does not if documents or features of the passport may change it.
function isOfPair(
  state: DecisionState,
  change: Change,
  passport: PassportState,
  pair: PairFindings,
  end: End,
): boolean {
  if (state.documents.length > 0 || passport.features !== NOTHING_SAID) return false
  return pair.entry !== null && dayOf(change, end) >= state.dataset.sinceDay
}

// The holder of a permit is not a visitor, so no rule of entry is an obstacle.
function judgeOf(state: DecisionState, change: Change, passport: PassportState): TransitVerdict {
  let landside = judgeBothDays(state, change, passport, judgeLandside)
  if (isByEntry(landside) && !isByPermit(state, landside)) {
    const asVisitor = judgeBothDays(state, change, passport, judgeVisit)
    if (asVisitor !== YES) landside = asVisitor
  }
  if (change.area === LANDSIDE || isByEntry(landside)) return landside
  const airside = judgeAirside(state, change, passport)
  if (change.area === AIRSIDE) return airside
  const isSilent = airside === NOT_NAMED || airside === NO_RULE || airside === OF_KIND
  if (rankOf(landside) === 1 && (rankOf(airside) === 0 || isSilent)) return landside
  if (rankOf(airside) !== 2) return airside
  const { permitted } = rankOf(landside) === 1 ? landside : AREA_NOT_GIVEN
  return rankOf(landside) === 2 ? worseOf(airside, landside) : { ...airside, permitted, limits: null }
}

function isByPermit({ documents }: DecisionState, { because }: TransitVerdict): boolean {
  if (documents.length === 0) return false
  return documents.some(
    ({ place, read }) => read.kind === "residence_permit" && place !== null && because.includes(place),
  )
}

// Judges by the rules of the international area, which do not depend on the day.
function judgeAirside(state: DecisionState, change: Change, passport: PassportState): TransitVerdict {
  const pair = findPairOn(state, change, passport, "first")
  if (!isOfPair(state, change, passport, pair, "first")) return judgeByRules(state, change, passport)
  pair.airside ??= judgeByRules(state, change, passport)
  return pair.airside
}

function judgeByRules(state: DecisionState, change: Change, passport: PassportState): TransitVerdict {
  if (passport.row >= UNKNOWN_INDEX) return passport.isOrdinary ? NOT_NAMED : OF_KIND
  const { rules } = state.rules.transit[change.column]!
  const demanded = judgeDemands(state, change, passport, "airside")
  if (demanded !== null) return demanded
  let free: JudgedRule | null = null
  let isComplete = true
  for (const rule of rules) {
    const { area, demand } = rule.terms
    if (area !== "airside") continue
    if (demand === "visa") isComplete &&= rule.terms.isComplete
    else if (names(rule, passport)) free ??= rule
  }
  if (free !== null && (isComplete || free.passports !== null)) return allow(free)
  return rules.length === 0 ? NO_RULE : NOT_NAMED
}

// All demands that name a passport bind its holder; null if none does.
function judgeDemands(
  state: DecisionState,
  change: Change,
  passport: PassportState,
  area: TransitRule["area"],
): TransitVerdict | null {
  let worst: TransitVerdict | null = null
  for (const rule of state.rules.transit[change.column]!.rules) {
    if (rule.terms.area !== area || rule.terms.demand !== "visa" || !names(rule, passport)) continue
    const demanded = change.demanded[rule.at] ?? judgeDemand(state, change.column, change.journey, rule)
    change.demanded[rule.at] = demanded
    worst = worseOf(worst, demanded)
  }
  return worst
}

// Judges an entry on one of the two days.
function judgeLandside(state: DecisionState, change: Change, passport: PassportState, end: End): TransitVerdict {
  const pair = findPairOn(state, change, passport, end)
  const isKept =
    isOfPair(state, change, passport, pair, end) && findDoubtful(state, passport, change, pair) !== "from_some_day"
  if (!isKept) return judgeOnDay(state, change, passport, end)
  pair.landside ??= judgeOnDay(state, change, passport, end)
  return pair.landside
}

function judgeOnDay(state: DecisionState, change: Change, passport: PassportState, end: End): TransitVerdict {
  const stop = placeOn(state, change, end)
  stop.pairOf = passport
  stop.pair = findPairOn(state, change, passport, end)
  let best: TransitVerdict | null = null
  for (const terms of listTerms(state, passport, stop)) best = betterOf(best, judgeEntry(state, passport, stop, terms))
  if (rankOf(best!) === 2 || passport.row >= UNKNOWN_INDEX) return best!
  const free = state.rules.transit[change.column]!.rules.find(
    rule => rule.terms.area === "landside" && rule.terms.demand === "no_visa" && names(rule, passport),
  )
  if (free !== undefined) return allow(free)
  const demanded = judgeDemands(state, change, passport, "landside")
  return demanded === null || rankOf(demanded) < rankOf(best!) ? best! : demanded
}

/** Conditions of a rule that require nothing more of a traveller in transit. */
const ASKS_NOTHING: ReadonlySet<ConditionKind> = /* @__PURE__ */ new Set<ConditionKind>([
  "bring",
  "not_enforced",
  "exempt",
  "also",
  "asked_at",
  "border_control",
])

function judgeEntry(state: DecisionState, passport: PassportState, stop: StopState, terms: EntryTerms): TransitVerdict {
  const { requirement, held, possible } = terms
  if (requirement.status === "unknown") return say(requirement)
  const { value } = requirement
  if (value === "no_admission" || (value === "visa_required" && !isInHand(terms))) {
    const [ease] = possible
    if (ease === undefined) return NO
    // A document may open the entry, if what its waiver requires is so.
    const { document, toCheck: checks } = ease
    const named = { ...nameDocument(document), checks, remark: findRemark(state, stop, ease) }
    return sayUnknown("transit_document_to_check", named)
  }
  if (terms.isUncertain) return sayUnknown("treaty_left", NO_PARAMS)
  stop.passport = passport
  stop.terms = terms
  const authorisation = findAuthorisation(state, stop)
  const isOpen = value === "visa_free" || isInHand(terms) || authorisation !== null
  const asksMore = listConditions(state, stop).some(
    ({ condition }) => !ASKS_NOTHING.has(condition.kind) && !isKindMet(condition, passport.features),
  )
  const entries = (held?.isOwn === true ? held.document : null)?.read.entries ?? null
  // An entry that is counted may be needed for a stop.
  if (!isOpen || asksMore || (held?.toCheck ?? null) !== null || typeof entries === "number") {
    const pair = findPair(state, passport, stop)
    const { requirement: usual } = pair.terms
    return usual.status === "known" && usual.value === value
      ? needEntry(pair, stop.destination, value)
      : sayUnknown("transit_needs_entry", { destination: stop.destination, requirement: value })
  }
  const [doubt] = held === null ? listDoubts(state, passport, stop) : []
  if (doubt !== undefined) return say(doubt)
  const place = authorisation?.place ?? held?.document.place ?? null
  return place === null ? YES : { ...YES, because: [place] }
}
