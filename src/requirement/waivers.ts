/**
 * What does a destination ask of a traveller who holds a visa or a residence permit of another state?
 *
 * Waivers are recorded beside the rules and never change what a lookup says. One eases a pair where its requirement is easier than what
 * holds otherwise, or the same with a longer stay; no document lifts a refusal, and nothing is easier than being at home or moving freely.
 * Where a territory follows another destination, the waivers of that one hold with its rules.
 */
import { type EpochDay, isEpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { copyFrozen } from "../dataset/copy-frozen.ts"
import { type Dataset, type Found, type NoRecord, takeDataset, UNKNOWN_SLOT } from "../dataset/open.ts"
import { readTerms, type TermsIndex, type Waiver } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import { describe, type InputError, type Result } from "../errors.ts"
import { type HeldDocument, readHeldDocuments } from "./held-documents.ts"
import { isNamed, judgeDocument, type StayOfHolder } from "./judge-document.ts"
import { lookupAt, lookupAtOn, lookupRequirement } from "./lookup.ts"
import { answerQuestion, fieldsOf, readCode } from "./question.ts"
import { easeRank, type Requirement } from "./requirement.ts"

/** What is asked besides the pair. */
export interface HeldOptions {
  readonly held: readonly HeldDocument[]
  /** The day of entry (`YYYY-MM-DD`); the dataset's own day when absent. */
  readonly on?: string | undefined
  /** The last day of the stay, for documents that have to be valid until then. */
  readonly exitOn?: string | undefined
}

/** A waiver, and the document that it is for: its place in `held`. */
export interface WaiverUse {
  readonly waiver: Waiver
  readonly document: number
}

/** A waiver that may apply, and the terms that somebody has to check, by their names in the waiver's documents. */
export interface PossibleWaiver extends WaiverUse {
  readonly toCheck: readonly string[]
}

/** What holds with documents in hand. */
export interface HeldOutcome {
  readonly requirement: Requirement
  readonly days: number | null
  /** The waiver that made it so; empty where no document changes anything. */
  readonly because: readonly WaiverUse[]
  /** Waivers that would make it easier still, if what is to be checked holds. */
  readonly possible: readonly PossibleWaiver[]
  /** Places of documents that no waiver for this pair names. */
  readonly unused: readonly number[]
}

/** What a passport's holder needs with the documents that he holds. */
export interface HeldAnswer extends HeldOutcome {
  readonly kind: "found"
  readonly passport: string
  readonly destination: string
  readonly on: string
  /** What a lookup says, without any document. */
  readonly base: Found
}

const NOTHING: readonly never[] = Object.freeze([])
const HELD_FIELDS = /* @__PURE__ */ fieldsOf("held", "on", "exitOn")

/**
 * Lists the waivers that ease a pair on a day, the easiest first.
 *
 * Cannot fail: nothing where there is no record. Shared frozen records.
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
  const row = dataset.passportSlots[codeKey(passport)] as number
  const column = dataset.destinationSlots[codeKey(destination)] as number
  if (row >= UNKNOWN_SLOT || column >= UNKNOWN_SLOT || !isEpochDay(day)) return NOTHING
  const answer = lookupAtOn(dataset, row, column, day)
  return answer.kind === "found" ? Object.freeze(listEasing(dataset, passport, destination, answer, day)) : NOTHING
}

/** Lists the waivers that ease an answer on a day, the easiest first, then the longest stay. */
export function listEasing(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  day: EpochDay,
): readonly Waiver[] {
  const index = readTerms(dataset)
  if (index === null) return NOTHING
  const easing: Waiver[] = []
  for (const { value, fromDay, untilDay } of listEasingEver(index, passport, destination, answer)) {
    if (fromDay <= day && day < untilDay && !easing.includes(value)) easing.push(value)
  }
  return easing
}

/** Lists the waivers that ease an answer on any day, each with its days, in the order of {@link listEasing}. */
export function listEasingEver(
  index: TermsIndex,
  passport: string,
  destination: string,
  answer: Found,
): readonly Scoped<Waiver>[] {
  if (answer.home || answer.basis === "freedom_of_movement") return NOTHING
  const own = index.listWaivers(destination, passport)
  const followed = answer.follows === null ? NOTHING : index.listWaivers(answer.follows, passport)
  return [...own, ...followed].filter(({ value }) => eases(value, answer)).sort((a, b) => compareEase(a.value, b.value))
}

type Terms = Pick<Waiver, "requirement" | "days">

function eases(waiver: Terms, answer: Terms): boolean {
  if (answer.requirement === "no_admission") return false
  const gain = easeRank(answer.requirement) - easeRank(waiver.requirement)
  return gain > 0 || (gain === 0 && waiver.days !== null && answer.days !== null && waiver.days > answer.days)
}

// Easiest first, then the longest stay; one of unknown length last.
function compareEase(a: Terms, b: Terms): number {
  return easeRank(a.requirement) - easeRank(b.requirement) || (b.days ?? 0) - (a.days ?? 0)
}

/** Applies held documents that were read to an answer. */
function applyDocuments(
  dataset: Dataset,
  passport: string,
  destination: string,
  answer: Found,
  held: readonly HeldDocument[],
  stay: StayOfHolder,
): HeldOutcome {
  const index = readTerms(dataset)
  const plain = { requirement: answer.requirement, days: answer.days, because: NOTHING, possible: NOTHING }
  if (index === null || held.length === 0) return { ...plain, unused: held.map((_, place) => place) }
  const waivers = listEasing(dataset, passport, destination, answer, stay.firstDay)
  const uses = waivers.flatMap(waiver => judgeWaiver(index, waiver, held, stay))
  const best = uses.find(({ status }) => status === "met")
  const outcome: Terms = best?.waiver ?? answer
  const unused = held.flatMap((document, place) =>
    waivers.some(waiver => waiver.held.some(terms => isNamed(index, terms, document))) ? [] : [place],
  )
  return {
    requirement: outcome.requirement,
    days: outcome.days,
    because: best === undefined ? NOTHING : [{ waiver: best.waiver, document: best.document }],
    possible: uses
      .filter(({ status, waiver }) => status === "unsure" && eases(waiver, outcome))
      .map(({ waiver, document, toCheck }) => ({ waiver, document, toCheck })),
    unused,
  }
}

interface JudgedUse extends PossibleWaiver {
  readonly status: "met" | "unsure"
}

// Of each document the best that the waiver's list makes of it.
function judgeWaiver(
  index: TermsIndex,
  waiver: Waiver,
  held: readonly HeldDocument[],
  stay: StayOfHolder,
): readonly JudgedUse[] {
  return held.flatMap((document, place): readonly JudgedUse[] => {
    const judged = waiver.held
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
 * Looks up what is needed to enter a destination with a passport and documents of other states.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. A code that is spelled right and not in the dataset, and a pair without
 * a record, make the answer's `kind` `no_record`. Not on the hot path: some microseconds.
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
  return answerQuestion(dataset, options, HELD_FIELDS, question => {
    const { issues, options: given } = question
    const view = question.dataset
    const row = readCode(question, "passport", passport)
    const column = readCode(question, "destination", destination)
    const held = readHeldDocuments(given.held, "held", issues).map(({ document }) => document)
    const exitDay = given.exitOn == null ? null : parseCivilDate(given.exitOn)
    if (given.exitOn != null && (exitDay === null || exitDay < view.asOfDay)) {
      const message = `${describe(given.exitOn)} is not a calendar date YYYY-MM-DD from the day of entry, ${view.asOf}, on.`
      issues.push({ path: "exitOn", message })
    }
    return () => {
      if (row >= UNKNOWN_SLOT || column >= UNKNOWN_SLOT)
        return lookupRequirement(view, passport, destination) as NoRecord
      const base = lookupAt(view, row, column) as Found | NoRecord
      if (base.kind !== "found") return base
      const stay = { firstDay: view.asOfDay, lastDay: exitDay }
      const outcome = applyDocuments(view, passport, destination, base, held, stay)
      return copyFrozen<HeldAnswer>({ kind: "found", passport, destination, on: view.asOf, base, ...outcome })
    }
  })
}
