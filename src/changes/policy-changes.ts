/**
 * Which policies have changed between two datasets, and which are announced to change?
 *
 * Pairs and facts are compared together: a change is one passport at one destination, with every field that differs. The same datasets
 * always give a change the same key, so that it is recognised wherever it is computed. This file sends nothing and reads no clock: the
 * caller passes the day.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, type Requirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import type { Basis } from "../dataset/facts.ts"
import { type Dataset, datasetOn, type Found, isReviewed, takeDataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import { type FullFacts, type Origin, selectFact } from "../record/full-facts.ts"
import { lookupRequirement } from "../requirement/lookup.ts"
import { readProvisions, type ValidityTerms } from "../rules/provisions.ts"
import type { Money } from "../rules/table.ts"
import { pickBinding, provisionsOf } from "../trip/recorded.ts"
import { judgeSeverity, listScheduledChanges, mergeCodes } from "./diff.ts"

/** `source_updated`: only a publication differs; the rule may or may not have changed. */
type PolicyChangeKind = "changed" | "announced" | "source_updated"

/** A part of a policy that may differ. */
type PolicyField =
  | "record"
  | "requirement"
  | "days"
  | "uncertain"
  | "basis"
  | "fee"
  | "processing_days"
  | "validity"
  | "source"

/** One policy that differs. */
export interface PolicyChange {
  /** The same for the same change, wherever it is computed. */
  readonly key: string
  readonly kind: PolicyChangeKind
  readonly passport: string
  readonly destination: string
  /** Null where there was no record. */
  readonly previous: PolicyTerms | null
  /** Null where there is no record any more. */
  readonly current: PolicyTerms | null
  readonly fields: readonly PolicyField[]
  /** Major when the requirement changes, the stay falls or freedom of movement ends; else minor. */
  readonly severity: "minor" | "major"
  /** The first day on which the current terms hold (`YYYY-MM-DD`). */
  readonly effectiveFrom: string
}

/**
 * Compares what two datasets and their facts say on a day, in the order of passport and destination codes.
 *
 * Facts are compared if both sides have them. A change made by a dated rule is effective from that rule's day, every other one
 * from the day asked about, or from the newer dataset's own day if that is not a calendar date. A rule that was only verified
 * again has not changed.
 *
 * @example
 * ```ts
 * const side = { dataset: embeddedDataset(), facts: null }
 * diffPolicies(side, side, "2026-11-21") // => []
 * ```
 */
export function diffPolicies(older: PolicySide, newer: PolicySide, on: string): PolicyChange[] {
  const day = parseCivilDate(on) === null ? takeDataset(newer.dataset).asOf : on
  const [before, after] = withComparableFacts(viewOn(older, day), viewOn(newer, day))
  const [termsBefore, termsAfter] = [openPolicyTerms(before), openPolicyTerms(after)]
  const compare = compareOnce()
  const changes: PolicyChange[] = []
  const destinations = mergeCodes(before.dataset.destinations, after.dataset.destinations)
  for (const passport of mergeCodes(before.dataset.passports, after.dataset.passports)) {
    for (const destination of destinations) {
      const was = foundAt(before.dataset, passport, destination)
      const is = foundAt(after.dataset, passport, destination)
      const previous = was === null ? null : termsBefore(was, passport, destination, before.dataset.asOfDay)
      const current = is === null ? null : termsAfter(is, passport, destination, after.dataset.asOfDay)
      const fields = compare(previous, current)
      if (fields.length === 0) continue
      const kind = fields.every(field => field === "source") ? "source_updated" : "changed"
      const effectiveFrom = findFirstDay(after.dataset, passport, destination) ?? day
      const severity = judgeSeverity(was, is)
      changes.push(makeChange({ kind, passport, destination, previous, current, fields, severity, effectiveFrom }))
    }
  }
  return changes
}

/**
 * Lists the policies that a side's dated rules change after a day, in the order of days, passports and destinations.
 *
 * Facts have no days, so both sides of a change have today's. The list is empty if the day is not a calendar date.
 *
 * @example
 * ```ts
 * const side = { dataset: embeddedDataset(), facts: null }
 * listAnnouncedChanges(side, "2026-11-21").length > 0 // => true
 * listAnnouncedChanges(side, "tomorrow") // => []
 * ```
 */
export function listAnnouncedChanges(side: PolicySide, afterOn: string): PolicyChange[] {
  const dataset = takeDataset(side.dataset)
  const termsOf = openPolicyTerms({ ...side, dataset })
  const compare = compareOnce()
  return listScheduledChanges(dataset, afterOn).flatMap(change => {
    const { passport, destination, severity, effectiveFrom } = change
    const day = parseCivilDate(effectiveFrom) as EpochDay
    const previous = change.previous && termsOf(change.previous, passport, destination, day - 1)
    const current = change.current && termsOf(change.current, passport, destination, day)
    const fields = compare(previous, current)
    if (fields.every(field => field === "source")) return []
    const kind = "announced"
    return [makeChange({ kind, passport, destination, previous, current, fields, severity, effectiveFrom })]
  })
}

/**
 * The change that an announced one becomes on its day.
 *
 * @example
 * ```ts
 * const [announced] = listAnnouncedChanges({ dataset: embeddedDataset(), facts: null }, "2026-11-21")
 * announced?.kind // => "announced"
 * completeAnnounced(announced).kind // => "changed"
 * ```
 */
export function completeAnnounced(announced: PolicyChange): PolicyChange {
  return makeChange({ ...announced, kind: "changed" })
}

function makeChange(change: Omit<PolicyChange, "key">): PolicyChange {
  const { kind, passport, destination, effectiveFrom, previous, current } = change
  const key = [kind, passport, destination, effectiveFrom, JSON.stringify([previous, current])].join(" ")
  return Object.freeze({ ...change, key })
}

function viewOn(side: PolicySide, day: string): PolicySide {
  const dataset = takeDataset(side.dataset)
  const view = datasetOn(dataset, day)
  return { dataset: view.ok ? view.value : dataset, facts: side.facts }
}

// With facts on one side only, each of them would look like a change.
function withComparableFacts(older: PolicySide, newer: PolicySide): readonly [PolicySide, PolicySide] {
  if (older.facts !== null && newer.facts !== null) return [older, newer]
  return [
    { ...older, facts: null },
    { ...newer, facts: null },
  ]
}

function foundAt(dataset: Dataset, passport: string, destination: string): Found | null {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" ? answer : null
}

/** The day of the dated rule that holds on the dataset's day; null where none began. */
function findFirstDay(dataset: Dataset, passport: string, destination: string): string | null {
  const row = dataset.passportIndices[codeKey(passport)] as number
  const column = dataset.destinationIndices[codeKey(destination)] as number
  if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX) return null
  const steps = dataset.timelines.get(row * dataset.destinations.length + column) ?? []
  let day: number | null = null
  for (let at = 2; at < steps.length; at += 2) {
    const begins = steps[at] as number
    if (begins <= dataset.asOfDay) day = begins
  }
  return day === null ? null : formatCivilDate(day)
}

type Compare = (previous: PolicyTerms | null, current: PolicyTerms | null) => readonly PolicyField[]

const NOTHING: readonly PolicyField[] = Object.freeze([])

// Many pairs share their terms, so few distinct combinations have to be compared.
function compareOnce(): Compare {
  const known = new Map<PolicyTerms, Map<PolicyTerms, readonly PolicyField[]>>()
  return (previous, current) => {
    if (previous === null || current === null) return previous === current ? NOTHING : ["record"]
    const row = getOrInsert(known, previous, () => new Map())
    return getOrInsert(row, current, () => listDifferences(previous, current))
  }
}

function listDifferences(a: PolicyTerms, b: PolicyTerms): readonly PolicyField[] {
  const fields: PolicyField[] = []
  if (a.requirement !== b.requirement) fields.push("requirement")
  if (a.days !== b.days) fields.push("days")
  if (a.uncertain !== b.uncertain) fields.push("uncertain")
  if (a.basis !== b.basis || a.bloc !== b.bloc || a.follows !== b.follows) fields.push("basis")
  if (a.fee?.amount !== b.fee?.amount || a.fee?.currency !== b.fee?.currency) fields.push("fee")
  if (a.processingDays !== b.processingDays) fields.push("processing_days")
  if (!isSameValidity(a, b)) fields.push("validity")
  if (writeSources(a) !== writeSources(b)) fields.push("source")
  return Object.freeze(fields)
}

function isSameValidity({ validity: a }: PolicyTerms, { validity: b }: PolicyTerms): boolean {
  return a?.anchor === b?.anchor && a?.months === b?.months && a?.days === b?.days
}

const writeSources = ({ sources }: PolicyTerms): string => JSON.stringify(sources.map(({ name, url }) => [name, url]))

// ---- Terms

// Which parts of a pair's policy are compared, and reported to subscribers?
//
// The answer of the table of pairs, and the facts about its fee, its processing days and the validity of the passport, with their
// publications. The facts of a whole destination are computed once and shared.

/** A dataset and the facts that go with it; null where they are not known. */
export interface PolicySide {
  readonly dataset: Dataset
  readonly facts: FullFacts | null
}

/** For how long a passport must be valid. */
interface PolicyValidity {
  readonly anchor: ValidityTerms["anchor"]
  /** Whole months, then days, after the anchor. */
  readonly months: number
  readonly days: number
}

/** A publication. */
interface PolicySource {
  readonly name: string
  readonly url: string | null
}

/** The policy for one passport at one destination. */
export interface PolicyTerms {
  readonly requirement: Requirement
  /** Allowed stay in days; null when it is not a fixed number or not known. */
  readonly days: number | null
  readonly uncertain: boolean
  readonly basis: Basis | null
  readonly bloc: string | null
  readonly follows: string | null
  /** The fee of a single entry, or of several where none is known of one. */
  readonly fee: Money | null
  /** Usual days until a decision. */
  readonly processingDays: number | null
  readonly validity: PolicyValidity | null
  readonly sources: readonly PolicySource[]
}

/** Finds the terms of an answer of a side's dataset on a day; the same object for the same terms wherever they are shared. */
function openPolicyTerms({ dataset, facts }: PolicySide) {
  const provisions = provisionsOf(dataset)
  const recorded = readProvisions(dataset)
  const shared = new Map<string, Map<ValidityTerms | null, Map<string | null, Map<Found, PolicyTerms>>>>()
  const findValidity = (passport: string, destination: string) =>
    pickBinding(
      provisions,
      { column: dataset.destinationIndices[codeKey(destination)] as number, firstDay: dataset.asOfDay },
      dataset.passportIndices[codeKey(passport)] as number,
    )

  /** The page that was read for the rule of an answer; null where only its source is known. */
  const findPage = (answer: Found, passport: string, destination: string, day: EpochDay) =>
    isReviewed(answer) ? (recorded.findRule(destination, passport, day).detail?.sourceUrl ?? null) : null

  function makeTerms(answer: Found, page: string | null, passport: string, destination: string): PolicyTerms {
    const { requirement, days, uncertain, basis, bloc, follows, home, source } = answer
    const asked = { requirement, passport }
    const movesFreely = home || basis === "freedom_of_movement"
    const isApplied = requirement !== "visa_free" && requirement !== "no_admission"
    const known = facts !== null && isApplied ? facts.factsOf(destination) : null
    const fee = known === null ? null : selectFact(known, "fee", asked)
    const application = known === null ? null : selectFact(known, "application", asked)
    const money = fee?.value.singleEntry ?? fee?.value.multipleEntry ?? null
    const processingDays = application?.value.standardDays ?? null
    const rule = movesFreely ? null : findValidity(passport, destination)
    const sources = [
      source === null ? null : { name: source.name, url: page ?? source.url },
      money === null ? null : cite(fee?.origin),
      processingDays === null ? null : cite(application?.origin),
      rule?.source ? { name: rule.source.name, url: rule.sourceUrl } : null,
    ]
    const distinct = new Map<string, PolicySource>()
    for (const cited of sources) {
      if (cited !== null)
        distinct.set(`${cited.url} ${cited.name}`, Object.freeze({ name: cited.name, url: cited.url }))
    }
    return Object.freeze({
      requirement,
      days,
      uncertain,
      basis,
      bloc,
      follows,
      fee: money === null ? null : Object.freeze({ amount: money.amount, currency: money.currency }),
      processingDays,
      validity: rule === null ? null : Object.freeze({ anchor: rule.anchor, months: rule.months, days: rule.days }),
      sources: Object.freeze([...distinct.values()]),
    })
  }

  return (answer: Found, passport: string, destination: string, day: EpochDay): PolicyTerms => {
    const page = findPage(answer, passport, destination, day)
    if (facts?.isSingledOut(destination, passport)) return makeTerms(answer, page, passport, destination)
    const ofDestination = getOrInsert(shared, destination, () => new Map())
    const ofRule = getOrInsert(ofDestination, findValidity(passport, destination), () => new Map())
    const ofPage = getOrInsert(ofRule, page, () => new Map())
    return getOrInsert(ofPage, answer, () => makeTerms(answer, page, passport, destination))
  }
}

function cite(origin: Origin | undefined): PolicySource | null {
  return origin?.source ? { name: origin.source.name, url: origin.url } : null
}
