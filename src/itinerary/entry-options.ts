/**
 * In which ways can each stop be entered, and what is the least cost of each?
 *
 * A way is a passport, with or without one of the held documents. Its least cost is known before anything is judged,
 * whatever came before the stop, so most ways are dropped without being followed (choose-entries.ts).
 */

import type { DecisionState, StopState } from "./decision-state.ts"
import { isExhausted } from "./document-entries.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { findAuthorisation, listHeldTerms } from "./held-entries.ts"
import { findLacking, findPair, isNational, isOffered, listWaivers } from "./pair-findings.ts"
import type { PairFindings } from "./pair-table.ts"
import { pickValidity, type Rules } from "./rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { effortInHand, GAP_COST, replaces } from "./ways.ts"

/** One way of entering a stop. */
export interface EntryOption {
  readonly passport: PassportState
  readonly terms: EntryTerms
  /** Its number among all ways. */
  readonly place: number
  /** Its least cost, whatever came before. */
  readonly leastCost: number
  /** The effort of its terms, less for what is in hand. */
  readonly effort: number
  /** The next way of entering at the same stop. */
  next: EntryOption | null
}

/** By stop: the first way of entering it. Each stop has one. */
export type Options = readonly EntryOption[]

/** The work of listing a way and of considering it for the cheapest way. */
const WORK_OF_LISTING = 10

/** Lists the ways of entering all stops. */
export function listOptions(state: DecisionState): Options {
  const { stops, passports, rules, documents } = state
  const options: EntryOption[] = new Array(stops.length)
  let place = 0
  for (let index = 0; index < stops.length; index++) {
    const stop = stops[index]!
    const { column } = stop
    const isIssuer = isIssuerOfAny(documents, column)
    let last: EntryOption | null = null
    for (let at = 0; at < passports.length; at++) {
      const passport = passports[at]!
      if (!isOffered(stop, passport)) continue
      const pair = findPair(state, passport, stop)
      const { terms } = pair
      const changed =
        isIssuer || mayEase(state, pair, passport, stop) ? listHeldTerms(state, passport, stop, pair) : null
      const count = changed === null ? 1 : changed.length
      for (let each = changed !== null && isClosed(terms, changed) ? 1 : 0; each < count; each++) {
        const entered = changed === null ? terms : changed[each]!
        const cost = boundCost(rules, column, passport, entered)
        const isAuthorised =
          documents.length > 0 && asksEta(entered) && findAuthorisation(state, stop, entered) !== null
        const effort = effortInHand(entered.effort, entered.counting, isAuthorised)
        const leastCost = cost - entered.effort + effort
        const option: EntryOption = { passport, terms: entered, place: place++, leastCost, effort, next: null }
        if (last === null) options[index] = option
        else last.next = option
        last = option
      }
    }
  }
  state.work.left -= place * WORK_OF_LISTING
  return options
}

const asksEta = ({ requirement }: EntryTerms) => requirement.status === "known" && requirement.value === "eta"

// Finds the least cost of an entry before anything is judged. A stay rule may have days that the answer does not have.
function boundCost(rules: Rules, column: number, passport: PassportState, terms: EntryTerms): number {
  const isStayUnknown = terms.isStayOpen && rules.hasStayRules[column] !== 1
  const cost = isStayUnknown ? terms.leastCost + GAP_COST : terms.leastCost
  return hidesValidity(rules, column, passport, terms) ? cost + GAP_COST : cost
}

// Says whether the passport's validity will be unknown or too short.
function hidesValidity(
  rules: Rules,
  column: number,
  passport: PassportState,
  { isHome, movesFreely, counting }: EntryTerms,
): boolean {
  const { zonePlaces, hasStayRules } = rules
  const { expiryDay, issuedDay } = passport
  const findings = pickValidity(rules, column, passport.row)
  if (!findings) return !isHome
  if (movesFreely || counting === "permit") return false
  if (expiryDay !== null && (issuedDay !== null || findings.rule.issuedWithinYears === null)) return false
  // An agreement may exempt the visitor.
  const place = zonePlaces[column]
  return !(place && (hasStayRules[column] === 1 || isNational(place, passport)))
}

/**
 * Lists the terms of entering a place that is not a stop, with one passport: without a document first, then with each
 * document that changes them. The uses of documents at the stops are ignored.
 */
export function listTerms(state: DecisionState, passport: PassportState, stop: StopState): readonly EntryTerms[] {
  const pair = findPair(state, passport, stop)
  const mayChange = isIssuerOfAny(state.documents, stop.column) || mayEase(state, pair, passport, stop)
  return (mayChange ? listHeldTerms(state, passport, stop, pair) : null) ?? [pair.terms]
}

function isIssuerOfAny(documents: DecisionState["documents"], column: number): boolean {
  for (let at = 0; at < documents.length; at++) if (documents[at]!.column === column) return true
  return false
}

// Says whether a document of another country than the stop's may have an effect: by a waiver, or as a document of the
// country whose rules apply there.
function mayEase(state: DecisionState, pair: PairFindings, passport: PassportState, stop: StopState): boolean {
  if (pair.easable === null || state.documents.length === 0) return false
  if (findLacking(state, passport, stop, pair, true) !== null) return true
  return pair.easable.follows !== null || listWaivers(state, pair, passport, stop).length > 0
}

// A document with unlimited entries closes every entry for which it would have to be obtained again.
function isClosed({ requirement }: EntryTerms, changed: readonly EntryTerms[]): boolean {
  if (requirement.status === "unknown") return false
  for (let at = 0; at < changed.length; at++) {
    const { held } = changed[at]!
    if (replaces(held, requirement.value) && typeof held!.document.read.entries !== "number") return true
  }
  return false
}

/**
 * Says whether a way is open; `first` is the first one at the same stop. A document without an entry left opens
 * nothing, and a traveller with the required document enters on it.
 */
export function isOpen(
  state: DecisionState,
  index: number,
  first: EntryOption,
  { passport, terms }: EntryOption,
): boolean {
  // If no document has a number of entries, closed ways were not listed.
  if (!state.hasCountedEntries) return true
  const { held, requirement } = terms
  if (held !== null) return !isExhausted(state, index, terms)
  if (requirement.status === "unknown") return true
  for (let other: EntryOption | null = first; other !== null; other = other.next) {
    if (other.passport !== passport || !replaces(other.terms.held, requirement.value)) continue
    if (!isExhausted(state, index, other.terms)) return false
  }
  return true
}

/** Selects the ways of entering with one passport only; null if it does not open every stop. */
export function selectOptions(options: Options, passport: PassportState): Options | null {
  const own = options.map(first => selectNext(first, passport))
  return own.includes(null) ? null : (own as EntryOption[])
}

function selectNext(option: EntryOption | null, passport: PassportState): EntryOption | null {
  if (option === null) return null
  const next = selectNext(option.next, passport)
  return option.passport === passport ? { ...option, next } : next
}
