/**
 * What is the effect of the traveller's documents at a stop?
 *
 * `ways.ts` judges the documents; this file makes the terms of an entry from each way, and explains documents that are of no use. The holder
 * of a residence permit or long-stay visa is not a visitor: his days do not count in the zone (Regulation (EU) 2016/399, Art. 6(2)).
 */
import type { EpochDay } from "../civil-date.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import type { Found } from "../dataset/open.ts"
import { REQUIREMENTS } from "../dataset/requirement.ts"
import { isNamed, judgeTerms } from "../requirement/judge-document.ts"
import { lasts } from "../requirement/waivers.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { addPossible, changeTerms, type EntryTerms, explainStay } from "./entry-terms.ts"
import { type Finding, unknown } from "./findings.ts"
import { findLacking, findPair, listWaivers } from "./pair-findings.ts"
import type { PairFindings } from "./pair-table.ts"
import { type NamedDocument, NO_PARAMS } from "./reasons.ts"
import type { DocumentState, PassportState } from "./traveller-state.ts"
import { findAuthorisationIn, isOfDestination, judgeBest, listWays, type PossibleEase, type Way } from "./ways.ts"

/**
 * Lists the terms of entering a stop with each of the documents that change them, after those without a document; null
 * if no document has an effect. Marks the documents that a rule names.
 */
export function listHeldTerms(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
  unheld: PairFindings,
): EntryTerms[] | null {
  const pair = findLacking(state, passport, stop, unheld, true) ?? unheld
  const { terms: base, easable: answer, exemption } = pair
  const { requirement } = unheld.terms
  if (answer === null || requirement.status === "unknown" || base.requirement.status === "unknown") return null
  const { documents, rules } = state
  const isNamedByAny = documents.some(({ reach }) => reach.waivers[stop.column] === 1)
  const found = listWays(
    rules,
    documents,
    stop,
    {
      answer,
      requirement: requirement.value,
      compared: { requirement: base.requirement.value, days: base.maxDays },
      exemption,
    },
    isNamedByAny ? listWaivers(state, pair, passport, stop) : NOTHING,
  )
  if (found === null) return null
  const { ways, possible } = found
  const changed = [unheld.terms]
  for (let at = 0; at < ways.length; at++) changed.push(enter(stop, base, answer, ways[at]!))
  return possible.length === 0 ? changed : changed.map(terms => addPossible(terms, possible))
}

/** Finds the held travel authorisation for a stop that requires one; null if there is none. */
export function findAuthorisation(
  state: DecisionState,
  stop: StopState,
  { requirement }: EntryTerms = stop.terms!,
): DocumentState | null {
  if (requirement.status === "unknown") return null
  const isAsked = requirement.value === "eta"
  // An authorisation that the border or a bar makes useless is named all the same.
  if (!isAsked && requirement.answer.requirement !== "eta") return null
  return findAuthorisationIn(state.rules, state.documents, stop, requirement.answer, isAsked)
}

const SET_BY_DOCUMENT = unknown("pair", "stay_set_by_document", NO_PARAMS)
// By requirement: the finding for a stay under a waiver without a number of days.
const NOT_NAMED = new Map(REQUIREMENTS.map(each => [each, unknown("pair", explainStay(each, false), NO_PARAMS)]))

// Makes the terms of entering on a document.
function enter(stop: StopState, base: EntryTerms, answer: Found, way: Way): EntryTerms {
  const { document, waiver, requirement, days, boundDays, untilDay } = way
  return changeTerms(base, {
    requirement: {
      granularity: "pair",
      status: "known",
      value: requirement,
      answer,
      because: [{ document: document.place, waiver }],
    },
    maxStay:
      findBound(stop, days, boundDays, untilDay) ?? (waiver === null ? SET_BY_DOCUMENT : NOT_NAMED.get(requirement)!),
    maxDays: days,
    counting: way.counting,
    effort: way.effort,
    held: way,
  })
}

// Returns the longest stay from the arrival on, if anything limits it.
function findBound(
  stop: StopState,
  days: number | null,
  boundDays: number | null,
  untilDay: EpochDay | null,
): Finding<number> | null {
  const least = Math.min(
    days ?? Number.POSITIVE_INFINITY,
    boundDays ?? Number.POSITIVE_INFINITY,
    untilDay === null ? Number.POSITIVE_INFINITY : untilDay - stop.firstDay + 1,
  )
  return least === Number.POSITIVE_INFINITY ? null : { granularity: "pair", status: "known", value: least }
}

/** Finds the remark of a document to check in the judged terms. Other remarks of the waiver may be about other documents. */
export function findRemark(
  { rules }: DecisionState,
  stop: StopState,
  { waiver, document, toCheck }: PossibleEase,
): string | null {
  for (const terms of waiver.held) {
    if (terms.remark === undefined || !isNamed(rules.index!, terms, document.read)) continue
    if (judgeTerms(terms, document, stop)?.join() === toCheck.join()) return terms.remark
  }
  return null
}

/** Why a document could not be used at a stop: `too_few_days` for one that a waiver names, the others for one of the destination itself. */
type Unused = NamedDocument &
  (
    | { readonly because: "ended" | "begins" | "no_entry"; readonly on: string | null }
    | { readonly because: "too_few_days"; readonly days: number }
  )

/**
 * Explains why a held document of the destination itself, or one that a waiver names, could not be used at a stop; null if there is none.
 */
export function explainUnused(state: DecisionState, index: number): Unused | null {
  const stop = state.stops[index]!
  const { requirement } = stop.terms!
  if (requirement.status === "unknown") return null
  for (const document of state.documents) {
    if (document.place === null || document.read.kind === "eta") continue
    if (!isOfDestination(state.rules, document, stop, requirement.answer)) continue
    const { validFrom, validFromDay, validUntil, validUntilDay } = document.read
    const named = nameDocument(document)
    if (validUntilDay !== null && validUntilDay < stop.firstDay) return { ...named, because: "ended", on: validUntil }
    if (validFromDay !== null && validFromDay > stop.firstDay) return { ...named, because: "begins", on: validFrom }
    return { ...named, because: "no_entry", on: null }
  }
  return stop.terms!.held === null ? findTooShort(state, stop) : null
}

// Finds the waiver's longest stay for a held document that is shorter than the stop.
function findTooShort(state: DecisionState, stop: StopState): Unused | null {
  const passport = stop.passport!
  const pair = findPair(state, passport, stop)
  let longest: (Unused & { readonly because: "too_few_days" }) | null = null
  for (const { waiver, place, fromDay, untilDay } of listWaivers(state, pair, passport, stop)) {
    if (stop.firstDay < fromDay || stop.firstDay >= untilDay || lasts(waiver, stop)) continue
    const days = waiver.days!
    if (longest !== null && days <= longest.days) continue
    const document = state.documents.find(
      each => judgeBest(each.reach.listTerms(waiver, place), each, stop)?.length === 0,
    )
    if (document !== undefined) longest = { ...nameDocument(document), because: "too_few_days", days }
  }
  return longest
}

/** Names a held document, or the residence as one. */
export function nameDocument({ read: { kind, issuer }, place }: DocumentState): NamedDocument {
  return { kind, issuer, held: place }
}
