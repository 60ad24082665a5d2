/**
 * In which ways could each stop be entered, and what does each cost at least?
 *
 * A way is a passport, with or without one of the documents held. Its least cost is known before anything is judged, whatever came
 * before the stop, so that most ways are left out without being followed (choose-entries.ts).
 */
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { Draft } from "./decision.ts"
import { type EntryTerms, GAP_COST } from "./entry-terms.ts"
import { isExhausted, listHeldTerms } from "./held-entries.ts"
import { findTerms } from "./judge-passport.ts"
import type { ReadStop } from "./route-input.ts"
import type { Rulebook, ZonePlace } from "./rulebook.ts"
import type { ReadPassport } from "./traveller-input.ts"

/** One way of entering at a stop. */
export interface EntryOption {
  readonly passport: ReadPassport
  readonly terms: EntryTerms
  /** Its place among all. */
  readonly place: number
  /** What it costs at least, whatever came before. */
  readonly leastCost: number
  /** The next way of entering at the same stop. */
  next: EntryOption | null
}

/** By stop, the first of the ways of entering there; each stop has one. */
export type Options = readonly EntryOption[]

/** Lists the ways of entering all stops. */
export function listOptions(draft: Draft): Options {
  const { stops, passports, documents } = draft
  const options: EntryOption[] = []
  let count = 0
  for (let index = 0; index < stops.length; index++) {
    const stop = stops[index]!
    const { wantedPassport } = stop
    let last: EntryOption | null = null
    for (let at = 0; at < passports.length; at++) {
      const passport = passports[at]!
      if (wantedPassport === null ? passport.slot >= UNKNOWN_SLOT : passport.held.passport !== wantedPassport) continue
      const terms = findTerms(draft, passport, stop)
      const changed = documents.length === 0 ? null : listHeldTerms(draft, passport, stop, terms)
      // A document whose entries never end closes every entry that would obtain it anew.
      const isClosed = changed !== null && needsPermit(terms) && changed.some(isUnending)
      const least = changed === null ? 1 : changed.length
      for (let each = isClosed ? 1 : 0; each < least; each++) {
        const entered = changed === null ? terms : changed[each]!
        const leastCost = boundCost(draft, stop, passport, entered)
        const option: EntryOption = { passport, terms: entered, place: count++, leastCost, next: null }
        if (last === null) options.push(option)
        else last.next = option
        last = option
      }
    }
  }
  return options
}

function needsPermit({ requirement }: EntryTerms): boolean {
  return requirement.status === "known" && requirement.value !== "visa_free"
}

function isUnending({ held }: EntryTerms): boolean {
  return held?.isOwn === true && typeof held.document.document.entries !== "number"
}

// What an entry costs at least, before anything is judged; a stay rule may name days that the answer does not.
function boundCost({ rulebook }: Draft, { slot }: ReadStop, passport: ReadPassport, terms: EntryTerms): number {
  const isStayUnknown = terms.isStayOpen && rulebook.hasStayRules[slot] !== 1
  const cost = isStayUnknown ? terms.leastCost + GAP_COST : terms.leastCost
  return hidesValidity(rulebook, slot, passport, terms) ? cost + GAP_COST : cost
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

/**
 * Says whether a way is open; `first` is the first one at the same stop. A document without an entry left opens nothing, and whoever holds
 * what is asked for enters on it.
 */
export function isOpen(draft: Draft, index: number, first: EntryOption, { passport, terms }: EntryOption): boolean {
  // Where no document has a number of entries, whatever is closed was left out of the list.
  if (!draft.hasCountedEntries) return true
  if (terms.held !== null) return !isExhausted(draft, index, terms)
  if (!needsPermit(terms)) return true
  for (let other: EntryOption | null = first; other !== null; other = other.next) {
    if (other.passport !== passport || other.terms.held?.isOwn !== true) continue
    if (!isExhausted(draft, index, other.terms)) return false
  }
  return true
}

/** Selects the ways of entering with one passport alone; null where it does not open every stop. */
export function selectOptions(options: Options, passport: ReadPassport): Options | null {
  const own: EntryOption[] = []
  for (let index = 0; index < options.length; index++) {
    let last: EntryOption | null = null
    for (let option: EntryOption | null = options[index]!; option !== null; option = option.next) {
      if (option.passport !== passport) continue
      const copy: EntryOption = { ...option, next: null }
      if (last === null) own.push(copy)
      else last.next = copy
      last = copy
    }
    if (last === null) return null
  }
  return own
}

/** Says whether a passport is of one of a zone's own states. */
export function isNational({ nationals }: ZonePlace, { slot }: ReadPassport): boolean {
  return nationals[slot] === 1
}
