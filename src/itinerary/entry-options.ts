/**
 * In which ways could each stop be entered, and what does each cost at least?
 *
 * A way is a passport, with or without one of the documents held. Its least cost is known before anything is judged, whatever came
 * before the stop, so that most ways are left out without being followed (choose-entries.ts).
 */
import { UNKNOWN_SLOT } from "../dataset/open.ts"
import type { Draft } from "./decision.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { isExhausted, listHeldTerms } from "./held-entries.ts"
import { boundCost, findPair } from "./pair-findings.ts"
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
      const pair = findPair(draft, passport, stop)
      const { terms } = pair
      const changed =
        documents.length === 0 || pair.easable === null
          ? null
          : listHeldTerms(draft, passport, stop, pair, pair.easable)
      // A document whose entries never end closes every entry that would obtain it anew.
      const isClosed = changed !== null && needsPermit(terms) && changed.some(isUnending)
      const least = changed === null ? 1 : changed.length
      for (let each = isClosed ? 1 : 0; each < least; each++) {
        const entered = changed === null ? terms : changed[each]!
        const leastCost =
          entered === terms
            ? pair.leastCosts[passport.dates]!
            : boundCost(draft.rulebook, stop.slot, passport, entered, passport.dates)
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
