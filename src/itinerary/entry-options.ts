/**
 * In which ways could each stop be entered, and what does each cost at least?
 *
 * A way is a passport, with or without one of the documents held. Its least cost is known before anything is judged, whatever came
 * before the stop, so that most ways are left out without being followed (choose-entries.ts).
 */
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { Draft } from "./decision.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { isHarmless } from "./findings.ts"
import { isExhausted, listHeldTerms } from "./held-entries.ts"
import { findTerms } from "./judge-passport.ts"
import type { ReadStop } from "./route-input.ts"
import type { Rulebook, ZonePlace } from "./rulebook.ts"
import type { ReadPassport } from "./traveller-input.ts"

// Costs are numbers whose order is that of the choice: blockers, unknowns, effort. A journey has at most 12 stops with some 60 unknowns,
// and its efforts add up to less than 1e8.
export const GAP_COST = 1e8
export const BLOCKER_COST = 1e11

/** One way of entering at a stop. */
export interface EntryOption {
  readonly passport: ReadPassport
  readonly terms: EntryTerms
  /** Its place among all. */
  readonly place: number
  /** What it costs at least, whatever came before. */
  readonly leastCost: number
}

/** The ways of entering all stops; those of one stand from its first place to the next stop's. */
export interface Options {
  readonly all: readonly EntryOption[]
  readonly firsts: readonly number[]
}

/** Lists the ways of entering all stops. */
export function listOptions(draft: Draft): Options {
  const all: EntryOption[] = []
  const firsts = [0]
  for (const stop of draft.stops) {
    for (const passport of draft.passports) {
      const { wantedPassport } = stop
      if (wantedPassport === null ? passport.slot >= UNKNOWN_SLOT : passport.held.passport !== wantedPassport) continue
      const terms = findTerms(draft, passport, stop)
      const changed = draft.documents.length === 0 ? null : listHeldTerms(draft, passport, stop, terms)
      if (changed === null) all.push(makeOption(draft, stop, passport, terms, all.length))
      else {
        // A document whose entries never end closes every entry that would obtain it anew.
        const isClosed = needsPermit(terms) && changed.some(isUnending)
        for (let at = isClosed ? 1 : 0; at < changed.length; at++)
          all.push(makeOption(draft, stop, passport, changed[at]!, all.length))
      }
    }
    firsts.push(all.length)
  }
  return { all, firsts }
}

function makeOption(
  draft: Draft,
  stop: ReadStop,
  passport: ReadPassport,
  terms: EntryTerms,
  place: number,
): EntryOption {
  return { passport, terms, place, leastCost: boundCost(draft, stop, passport, terms) }
}

function needsPermit({ requirement }: EntryTerms): boolean {
  return requirement.status === "known" && requirement.value !== "visa_free"
}

function isUnending({ held }: EntryTerms): boolean {
  return held?.isOwn === true && typeof held.document.document.entries !== "number"
}

// What an entry costs at least, before anything is judged; a stay rule may name days that the answer does not.
function boundCost({ rulebook }: Draft, { slot }: ReadStop, passport: ReadPassport, terms: EntryTerms): number {
  const { effort, requirement, maxStay, isUncertain } = terms
  let cost = effort
  if (isUncertain) cost += GAP_COST
  if (hidesValidity(rulebook, slot, passport, terms)) cost += GAP_COST
  if (requirement.status === "unknown") return cost + GAP_COST
  if (requirement.value === "no_admission") cost += BLOCKER_COST
  const isOpen = maxStay.status === "unknown" && !isHarmless(maxStay.reason)
  return isOpen && rulebook.hasStayRules[slot] !== 1 && requirement.answer.follows === null ? cost + GAP_COST : cost
}

// Whether the passport's validity will be unknown, or too short.
function hidesValidity(
  { validity, zonePlaces, hasStayRules }: Rulebook,
  slot: number,
  passport: ReadPassport,
  { movesFreely, counting }: EntryTerms,
): boolean {
  const findings = validity[slot]
  if (!findings) return true
  if (movesFreely || counting === "permit") return false
  const isIssueAsked = findings.rule.issuedWithinYears !== null && passport.issuedDay === null
  if (passport.expiryDay !== null && !isIssueAsked) return false
  // An agreement may make the visitor one who is not.
  const place = zonePlaces[slot]
  return !(place && (hasStayRules[slot] === 1 || isNational(place, passport)))
}

/** Says whether a way is open: a document without an entry left opens nothing, and whoever holds what is asked for enters on it. */
export function isOpen(
  draft: Draft,
  index: number,
  { all, firsts }: Options,
  { passport, terms }: EntryOption,
): boolean {
  if (terms.held !== null) return !isExhausted(draft, index, terms)
  if (draft.documents.length === 0 || !needsPermit(terms)) return true
  for (let at = firsts[index]!; at < firsts[index + 1]!; at++) {
    const other = all[at]!
    if (other.passport !== passport || other.terms.held?.isOwn !== true) continue
    if (!isExhausted(draft, index, other.terms)) return false
  }
  return true
}

/** Selects the ways of entering with one passport alone; null where it does not open every stop. */
export function selectOptions({ all, firsts }: Options, passport: ReadPassport): Options | null {
  const own: Options & { all: EntryOption[]; firsts: number[] } = { all: [], firsts: [0] }
  for (let index = 0; index + 1 < firsts.length; index++) {
    own.all.push(...all.slice(firsts[index], firsts[index + 1]).filter(option => option.passport === passport))
    if (own.all.length === own.firsts[index]) return null
    own.firsts.push(own.all.length)
  }
  return own
}

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { slot }: ReadPassport): boolean {
  return nationals[slot] === 1
}
