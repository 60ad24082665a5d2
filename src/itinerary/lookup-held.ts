/**
 * What does a traveller need who holds a visa or a residence permit?
 *
 * The answer of a lookup, or the best way of entering on one of the documents: documents, conditions and stays are judged by the functions of a
 * decision (trip/documents.ts, conditions.ts, days.ts). The best way is that of a journey with this one stay (trip/choose.ts): first a stay that is
 * long enough, then one whose length is known, then the easiest requirement, then the longest stay.
 */

import { copyFrozen, NOTHING } from "../collections.ts"
import type { Dataset, Found, NoRecord } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { readTerms, type TermsIndex } from "../dataset/rule-terms.ts"
import type { InputError, Result } from "../errors.ts"
import { isStayConfirmed, readTermsOf } from "../requirement/describe-pair.ts"
import { type Entry, entryAt, entryTable } from "../requirement/entry.ts"
import { type HeldDocument, readHeldOptions } from "../requirement/held-documents.ts"
import { answerInput, readCode, readDataset, readView, refuseUnrecorded } from "../requirement/question.ts"
import {
  comesFromTable,
  compareAnswer,
  isFeatureOpen,
  listEasing,
  listStayRulesOf,
  pickStayRule,
} from "../requirement/waivers.ts"
import { readProvisions, type Waiver } from "../rules/provisions.ts"
import { concernsHolder, costOfCondition, isForTourists, judgeByWay, listOfWaiver } from "../trip/conditions.ts"
import { isNamed, type Rule, setsDays, weighByClass } from "../trip/days.ts"
import type { StayOfHolder } from "../trip/documents.ts"
import {
  countsCertainly,
  effortInHand,
  findAuthorisation,
  findExemption,
  findLeastDays,
  type Held,
  type Holding,
  layOutDocument,
  listHoldings,
  nameAnnounced,
  opensWay,
  refuseOtherClasses,
  replaces,
} from "../trip/documents.ts"
import { BIOMETRIC, isAlwaysBiometric } from "../trip/features.ts"
import { BLOCKER_COST, CHECK_COST, GAP_COST } from "../trip/issues.ts"
import { findLastMemberDay, findMemberships, firstMemberDay, limitVisits, measureStay } from "../trip/stay-counting.ts"

/** Options besides the pair. */
export interface HeldOptions {
  readonly held: readonly HeldDocument[]
  /** The day of entry (`YYYY-MM-DD`); the dataset's own day when absent. */
  readonly on?: string | undefined
  /** The last day of the stay, for documents that must be valid until then and waivers with a number of days. */
  readonly exitOn?: string | undefined
}

/** A document that is used, by its index in `held`, and the waiver that names it; null for a document of the destination itself. */
interface WaiverUse {
  /** The waiver; null for a document of the destination itself. */
  readonly waiver: Waiver | null
  /** The index in `held`. */
  readonly document: number
  /** What must be checked of a document that lifts a refusal, by the names of its fields; empty for all others. */
  readonly toCheck: readonly string[]
}

/** A waiver that may apply, and the terms to check, by their names in the waiver's documents. */
interface PossibleWaiver extends WaiverUse {
  /** The waiver. */
  readonly waiver: Waiver
}

/** The result with held documents. */
export interface HeldOutcome {
  /** What is needed to enter. */
  readonly requirement: Requirement
  /** The days allowed; null where they are not a fixed number or not known. */
  readonly days: number | null
  /** The documents that are used; empty if no document changes anything. */
  readonly because: readonly WaiverUse[]
  /** Waivers that would make it easier still, if their terms to check are met. */
  readonly possible: readonly PossibleWaiver[]
  /** Indices of documents that no rule for this pair names. */
  readonly unused: readonly number[]
}

/** The requirement for a passport's holder with his documents. */
export interface HeldAnswer extends HeldOutcome {
  /** Distinguishes it from {@link NoRecord}. */
  readonly kind: "found"
  /** The issuer of the passport, an ISO 3166-1 alpha-3 code. */
  readonly passport: string
  /** The territory entered. */
  readonly destination: string
  /** The day of entry (`YYYY-MM-DD`). */
  readonly on: string
  /** The answer of a lookup, without any document. */
  readonly base: Found
}

/**
 * Looks up the requirement for entering a destination with a passport and documents.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed code that is not in the
 * dataset, and for a pair without a record, the answer's `kind` is `no_record`. Off the hot path: some microseconds.
 *
 * @example
 * ```ts
 * const held = lookupHeld(embeddedDataset(), "IND", "MEX", {
 *   held: [{ kind: "visa", issuer: "USA", validUntil: "2028-01-31" }],
 *   exitOn: "2026-12-01",
 * })
 * const answer = held.ok && held.value.kind === "found" ? held.value : null
 * answer?.base.requirement // => "visa_required"
 * answer?.requirement // => "visa_free"
 * answer?.because?.[0].document // => 0
 * ```
 */
export function lookupHeld(
  dataset: Dataset,
  passport: string,
  destination: string,
  options: HeldOptions,
): Result<HeldAnswer | NoRecord, InputError> {
  return answerInput(issues => {
    const known = readDataset(dataset, issues)
    const { held, on, exitOnDay } = readHeldOptions(options ?? {}, issues)
    refuseOtherClasses(known, held, issues)
    const view = readView(known, on ?? undefined, issues)
    const question = { dataset: view, issues, unrecorded: [] }
    const row = readCode(question, "passport", passport)
    const column = readCode(question, "destination", destination)
    if (exitOnDay !== null && exitOnDay < view.asOfDay) {
      issues.push({ path: "exitOn", message: `It is before the day of entry, ${view.asOf}.` })
    }
    return () => {
      if (question.unrecorded.length > 0) return refuseUnrecorded(question.unrecorded)
      const entry = entryAt(view, row, column)
      const { answer: base } = entry
      if (base.kind !== "found") return base
      const index = readTerms(view)
      const documents = held!.map((document, place) => layOutDocument(view, document, place, place))
      const visit = { destination, column, firstDay: view.asOfDay, lastDay: exitOnDay }
      const outcome =
        index === null || entry.movesFreely
          ? {
              requirement: base.requirement,
              days: base.days,
              because: NOTHING,
              possible: NOTHING,
              unused: held!.keys(),
            }
          : applyDocuments({ dataset: view, index, passport, entry, base }, visit, documents)
      const asked = { passport, destination, on: view.asOf, base }
      return copyFrozen<HeldAnswer>({ kind: "found", ...asked, ...outcome, unused: [...outcome.unused] })
    }
  })
}

interface AskedPair {
  readonly dataset: Dataset
  readonly index: TermsIndex
  readonly passport: string
  readonly entry: Entry
  readonly base: Found
}

type HeldVisit = StayOfHolder & { readonly destination: string; readonly column: number }

function applyDocuments(pair: AskedPair, visit: HeldVisit, documents: readonly Held[]): HeldOutcome {
  const { dataset, index, passport, entry, base } = pair
  const { destination, firstDay } = visit
  const { requirement } = base
  const asked = { passport, destination, answer: base, day: firstDay, as: entry }
  const facts = readTermsOf(dataset, index, asked)
  const recorded = readProvisions(dataset)
  const [lifetime] = recorded.at("lifetimes", passport, "")
  const has = isAlwaysBiometric(lifetime?.value, null, firstDay) ? BIOMETRIC.has : NOTHING
  const conditions = facts.conditions.filter(each => each.kind !== "passport_kind" || isFeatureOpen(each, has))
  const compared = compareAnswer(base, conditions)
  const exemption = findExemption(index, passport, destination, base, firstDay)
  const known = { zones: dataset.zones, entries: entryTable(dataset), index }
  const waivers = listEasing(dataset, passport, destination, compared, firstDay)
  const judged = listHoldings(known, documents, visit, { answer: base, requirement, compared, exemption }, waivers)
  const { holdings: ways, possible } = judged
  let { named } = judged
  for (const each of documents) if (opensWay(index, visit, conditions, each)) named |= each.bit
  if (requirement === "visa_free") named |= nameAnnounced(recorded, documents, visit, passport)
  const costOfConditions = (held: Holding | null, needed: Requirement): number => {
    const listed =
      held === null
        ? conditions
        : held.waiver === null
          ? conditions.filter(concernsHolder)
          : listOfWaiver(index, asked, held.waiver)
    const entrant = { index, documents, visit, held, usual: requirement, needed }
    let cost = 0
    for (const each of listed) {
      const standing = judgeByWay(each, listed, entrant)
      if (standing === "blocks") cost += BLOCKER_COST
      if (standing !== "met" && !isForTourists(each)) cost += costOfCondition(each)
    }
    return cost
  }
  const isDisputed = facts.corroboration?.isOpen === true
  const doubts = Number(base.uncertain) + Number(isDisputed) + Number(facts.afterExpiry !== null)
  const restsOnTable = comesFromTable(base) && !isStayConfirmed(facts, base)
  const rules = listStayRulesOf(recorded, passport, destination, base)
  const lastDay = visit.lastDay ?? firstDay
  const length = lastDay - firstDay + 1
  const zone = dataset.zones[known.entries.zones[visit.column]! - 1]
  const memberships = zone === undefined ? NOTHING : findMemberships(zone, destination)
  const zoneDay = findLastMemberDay(memberships, firstDay, lastDay)
  // Costs and days are those of the only stay of a journey (trip/days.ts). A stay without an end is one of its first day.
  const judgeWay = (way: Holding | null) => {
    const { requirement: needed, days: maxDays } = way ?? base
    const isInHand = way !== null && way.waiver === null
    const rule = pickStayRule(rules, firstDay, needed, isInHand) as Rule | null
    const counting = way?.counting ?? (countsCertainly(needed, maxDays) ? "certain" : "possible")
    const { document: eta, named: etas } = findAuthorisation(known, documents, visit, base, needed)
    named |= etas
    let cost = effortInHand((way ?? entry).effort, counting, eta !== null) + costOfConditions(way, needed)
    if (needed === "no_admission") cost += BLOCKER_COST
    if (way === null) cost += GAP_COST * doubts
    else {
      const { boundDays, untilDay, toCheck } = way
      if (toCheck !== null) cost += CHECK_COST
      if (boundDays !== null && length > boundDays) cost += BLOCKER_COST
      if (untilDay !== null && lastDay > untilDay) cost += BLOCKER_COST
    }
    let days = way === null ? maxDays : findLeastDays(way, firstDay)
    let isCounted = counting !== "permit"
    // Nationals of a zone's states may stay longer by its own instrument.
    let isPerhaps = false
    if (zoneDay !== null && counting === "certain") {
      const { allowanceDays } = zone!.rule
      const agreements = listStayRulesOf(recorded, passport, destination, base, zone!.id)
      isPerhaps =
        way === null &&
        zone!.members.some(({ code }) => code === passport) &&
        pickStayRule(agreements, firstDay, needed) === null
      const used = zoneDay - firstMemberDay(memberships.at(-1)!, firstDay) + 1
      const most = maxDays ?? used
      const isOpen = way === null && (isPerhaps || most > allowanceDays)
      if (used > allowanceDays) cost += isOpen ? GAP_COST : BLOCKER_COST
      isCounted = zoneDay < lastDay
      if (!isCounted && used > most && isPerhaps) days = null
      else if (!isCounted && used > most) cost += BLOCKER_COST
    }
    // Days that may not count leave open how many of the zone's are used.
    else if (zoneDay !== null && isCounted) cost += GAP_COST
    const measured = isCounted ? measureStay(limitVisits(rule, way, maxDays), [firstDay, lastDay], maxDays) : null
    if (measured !== null) {
      const isExceeded = measured.days > measured.allowed
      if (days === null || setsDays(measured, way)) days = measured.allowed
      if (isExceeded && isPerhaps) days = null
      else if (isExceeded)
        cost += way === null && restsOnTable && !isNamed(rule, measured.counting) ? CHECK_COST : BLOCKER_COST
    }
    if (days === null && !isInHand) cost += GAP_COST
    else if (days === null) {
      const weight = weighByClass(way!.document, length, requirement, base.days)
      if (weight !== "info") cost += weight === "blocks" ? BLOCKER_COST : CHECK_COST
    }
    return { way, cost, days, eta }
  }
  const open = ways.some(way => replaces(way, requirement)) ? ways : [null, ...ways]
  const { way: best, cost, days, eta } = open.map(judgeWay).reduce((a, b) => (b.cost < a.cost ? b : a))
  const isEnough = (best?.waiver === null || eta !== null) && cost < BLOCKER_COST
  const because: WaiverUse[] = []
  if (best !== null) {
    const { toCheck, waiver, document } = best
    const checks = toCheck === null ? NOTHING : [toCheck.before === null ? "permanent" : "issuedOn"]
    because.push({ waiver, document: document.place!, toCheck: checks })
  }
  if (eta !== null) because.push({ waiver: null, document: eta.place!, toCheck: NOTHING })
  return {
    requirement: (best ?? base).requirement,
    days,
    because,
    possible: possible
      .filter(each => !isEnough && each.effort < (best ?? entry).effort)
      .map(({ waiver, document, toCheck }) => ({ waiver, document: document.place!, toCheck })),
    unused: documents.flatMap(({ bit, place }) => ((named & bit) === 0 ? place! : [])),
  }
}
