/**
 * What does a traveller need who holds a visa or a residence permit of another state?
 *
 * Waivers are recorded beside the rules and never change the answer of a lookup. A waiver applies if its requirement is easier than the
 * usual one, or the same with a longer stay. No document lifts a refusal, and nothing is easier than being at home or moving freely. If a
 * territory follows another destination, that destination's waivers apply with its rules, except those for documents of a zone that does
 * not include the territory: a permit of one Schengen state opens the others, but neither Greenland nor the Faroe Islands (Convention
 * implementing the Schengen Agreement, Art. 21, and Art. 5(1) of Denmark's accession to it). A document of the destination itself is the
 * required document, not one of another state: a waiver is about it only if it names no other issuer.
 */
import { type EpochDay, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import { copyFrozen, NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, type Found, type NoRecord, takeDataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import { easeRank, type Requirement } from "../dataset/requirement.ts"
import { readTerms, type TermsIndex, type Waiver } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import { describe, type InputError, type Result } from "../errors.ts"
import { entryTable } from "./entry.ts"
import { type HeldDocument, type ReadDocument, readHeldDocuments } from "./held-documents.ts"
import { isIssuedFor, isNamed, judgeDocument, namesOnly, type StayOfHolder } from "./judge-document.ts"
import { lookupAt, lookupAtOn } from "./lookup.ts"
import { answerQuestion, fieldsOf, readCode } from "./question.ts"

/** Options besides the pair. */
export interface HeldOptions {
  readonly held: readonly HeldDocument[]
  /** The day of entry (`YYYY-MM-DD`); the dataset's own day when absent. */
  readonly on?: string | undefined
  /** The last day of the stay, for documents that must be valid until then and waivers with a number of days. */
  readonly exitOn?: string | undefined
}

/** A waiver, and the index of its document in `held`. */
export interface WaiverUse {
  readonly waiver: Waiver
  readonly document: number
}

/** A waiver that may apply, and the terms to check, by their names in the waiver's documents. */
export interface PossibleWaiver extends WaiverUse {
  readonly toCheck: readonly string[]
}

/** The result with held documents. */
export interface HeldOutcome {
  readonly requirement: Requirement
  readonly days: number | null
  /** The waivers that were applied; empty if no document changes anything. */
  readonly because: readonly WaiverUse[]
  /** Waivers that would make it easier still, if their terms to check are met. */
  readonly possible: readonly PossibleWaiver[]
  /** Indices of documents that no waiver for this pair names. */
  readonly unused: readonly number[]
}

/** The requirement for a passport's holder with his documents. */
export interface HeldAnswer extends HeldOutcome {
  readonly kind: "found"
  readonly passport: string
  readonly destination: string
  readonly on: string
  /** The answer of a lookup, without any document. */
  readonly base: Found
}

const HELD_FIELDS = /* @__PURE__ */ fieldsOf("held", "on", "exitOn")

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
  const dataset = takeDataset(given)
  const row = dataset.passportIndices[codeKey(passport)] as number
  const column = dataset.destinationIndices[codeKey(destination)] as number
  if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX || !isEpochDay(day)) return NOTHING
  const answer = lookupAtOn(dataset, row, column, day)
  return answer.kind === "found" ? Object.freeze(listEasing(dataset, passport, destination, answer, day)) : NOTHING
}

/** Lists the waivers that improve an answer on a day: the easiest first, then the longest stay. */
export function listEasing(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
): readonly Waiver[] {
  const easing: Waiver[] = []
  for (const { value, fromDay, untilDay } of listEasingEver(dataset, passport, destination, answer)) {
    if (fromDay <= day && day < untilDay && !easing.includes(value)) easing.push(value)
  }
  return easing
}

/** Lists the waivers that improve an answer on any day, each with its days, in the order of {@link listEasing}. */
export function listEasingEver(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
): readonly Scoped<Waiver>[] {
  const index = readTerms(dataset)
  if (index === null || answer.home || answer.basis === "freedom_of_movement") return NOTHING
  const own = index.listWaivers(destination, passport)
  const followed =
    answer.follows === null ? NOTHING : listFollowed(dataset, index, passport, destination, answer.follows)
  return [...own, ...followed].filter(({ value }) => eases(value, answer)).sort((a, b) => compareEase(a.value, b.value))
}

// Lists a country's waivers that apply in a territory that follows it.
function listFollowed(
  dataset: Dataset,
  index: TermsIndex,
  passport: string,
  territory: string,
  followed: string,
): readonly Scoped<Waiver>[] {
  const waivers = index.listWaivers(followed, passport)
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

// By waiver, then by zone, so that the same object is returned every time; null if no document is left.
const outsideZones = new WeakMap<Waiver, Map<number, Waiver | null>>()

// Returns a waiver without the documents that a zone's members issue; the waiver itself if it names none of them.
function leaveZoneOut(dataset: Dataset, index: TermsIndex, waiver: Waiver, zone: number): Waiver | null {
  const kept = outsideZones.get(waiver) ?? new Map<number, Waiver | null>()
  outsideZones.set(waiver, kept)
  let outside = kept.get(zone)
  if (outside === undefined) {
    const held = waiver.held.flatMap(terms => leaveIssuersOut(dataset, index, terms, zone) ?? [])
    const isSame = held.length === waiver.held.length && held.every((terms, place) => terms === waiver.held[place])
    outside = held.length === 0 ? null : isSame ? waiver : copyFrozen<Waiver>({ ...waiver, held })
    kept.set(zone, outside)
  }
  return outside
}

// Does the same for the terms of one document. A selector that includes members of the zone is replaced by the codes of the others.
function leaveIssuersOut(
  dataset: Dataset,
  index: TermsIndex,
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
  const gain = easeRank(answer.requirement) - easeRank(waiver.requirement)
  return gain > 0 || (gain === 0 && waiver.days !== null && answer.days !== null && waiver.days > answer.days)
}

/** Says whether days are enough for a stay. An unknown number of days, or a stay without an end, counts as enough. */
export function lasts({ days }: Pick<Terms, "days">, { firstDay, lastDay }: StayOfHolder): boolean {
  return days === null || lastDay === null || lastDay - firstDay < days
}

// Easiest first, then the longest stay; one of unknown length last.
function compareEase(a: Terms, b: Terms): number {
  return easeRank(a.requirement) - easeRank(b.requirement) || (b.days ?? 0) - (a.days ?? 0)
}

/** Applies held documents to an answer. */
function applyDocuments(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  held: readonly ReadDocument[],
  stay: StayOfHolder,
): HeldOutcome {
  const index = readTerms(dataset)
  const plain = { requirement: answer.requirement, days: answer.days, because: NOTHING, possible: NOTHING }
  if (index === null || held.length === 0) return { ...plain, unused: held.map((_, place) => place) }
  const waivers = listEasing(dataset, passport, destination, answer, stay.firstDay)
  const zone = zoneOf(dataset, destination)
  const own = held.map(({ issuer }) => isIssuedFor(issuer, destination, answer, zoneOf(dataset, issuer) === zone))
  const uses = waivers.flatMap(waiver => judgeWaiver(index, waiver, held, own, stay))
  const met = uses.filter(({ status }) => status === "met")
  // A waiver for fewer days than the stay gives way to the usual rule, unless that is too short as well.
  const best = met.find(({ waiver }) => lasts(waiver, stay)) ?? (lasts(answer, stay) ? undefined : met[0])
  const outcome: Terms = best?.waiver ?? answer
  const isAnyNamed = (document: ReadDocument, isOwn: boolean) =>
    waivers.some(waiver => waiver.held.some(terms => isMeant(index, terms, document, isOwn)))
  const unused = held.flatMap((document, place) => (isAnyNamed(document, own[place]!) ? [] : [place]))
  return {
    requirement: outcome.requirement,
    days: outcome.days,
    because: best === undefined ? NOTHING : [{ waiver: best.waiver, document: best.document }],
    possible: uses
      .filter(({ status, waiver }) => status === "unsure" && eases(waiver, outcome) && lasts(waiver, stay))
      .map(({ waiver, document, toCheck }) => ({ waiver, document, toCheck })),
    unused,
  }
}

interface JudgedUse extends PossibleWaiver {
  readonly status: "met" | "unsure"
}

// A document of the destination itself is meant only if no other issuer is named.
function isMeant(index: TermsIndex, terms: DocumentTerms, document: ReadDocument, isOwn: boolean): boolean {
  return isNamed(index, terms, document) && (!isOwn || namesOnly(terms, document.issuer))
}

// Judges each document by the waiver's list and takes its best result; `own` marks documents of the destination itself.
function judgeWaiver(
  index: TermsIndex,
  waiver: Waiver,
  held: readonly ReadDocument[],
  own: readonly boolean[],
  stay: StayOfHolder,
): readonly JudgedUse[] {
  return held.flatMap((document, place): readonly JudgedUse[] => {
    const judged = waiver.held
      .filter(terms => isMeant(index, terms, document, own[place]!))
      .map(terms => judgeDocument(index, terms, document, stay))
      .filter(({ status }) => status !== "unmet")
      .sort((a, b) => a.toCheck.length - b.toCheck.length)
    const [best] = judged
    return best === undefined
      ? []
      : [{ waiver, document: place, status: best.status as "met" | "unsure", toCheck: best.toCheck }]
  })
}

/**
 * Looks up the requirement for entering a destination with a passport and documents of other states.
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
  return answerQuestion(
    dataset,
    options,
    HELD_FIELDS,
    question => {
      const { issues, options: given } = question
      const view = question.dataset
      const row = readCode(question, "passport", passport)
      const column = readCode(question, "destination", destination)
      const held = readHeldDocuments(given.held, issues)
      const exitDay = given.exitOn == null ? null : parseCivilDate(given.exitOn)
      if (given.exitOn != null && (exitDay === null || exitDay < view.asOfDay)) {
        const message = `${describe(given.exitOn)} is not a calendar date YYYY-MM-DD from the day of entry, ${view.asOf}, on.`
        issues.push({ path: "exitOn", message })
      }
      return () => {
        const base = lookupAt(view, row, column) as Found | NoRecord
        if (base.kind !== "found") return base
        const stay = { firstDay: view.asOfDay, lastDay: exitDay }
        const outcome = applyDocuments(view, passport, destination, base, held, stay)
        return copyFrozen<HeldAnswer>({ kind: "found", passport, destination, on: view.asOf, base, ...outcome })
      }
    },
    takeDataset,
  )
}
