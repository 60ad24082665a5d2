/**
 * Where can a document of some kind and issuer change anything at all?
 *
 * Most documents change nothing at most stops. Which destinations' rules name one is found out once for a dataset and kept by its kind and
 * issuer, so that a decision reads it from arrays instead of asking every rule of every stop.
 */
import { type Dataset, UNKNOWN_SLOT } from "../dataset/open.ts"
import type { TermsIndex, Waiver } from "../dataset/rule-terms.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import { type ComparableTerms, compareTerms, isNamed } from "../requirement/judge-document.ts"

type TermsList = readonly ComparableTerms[]
type Issued = Pick<HeldDocument, "kind" | "issuer">

/** The destinations that know a document, and what they ask of it. */
export class DocumentReach {
  /** By destination index, 1 where some waiver names it. */
  readonly waivers: Uint8Array
  /** By place of the transit rule, what its demand of a visa asks of the document that waives it, one of which has to be met; empty for nothing. */
  readonly transit: readonly TermsList[]
  readonly #listNamed: (waiver: Waiver) => TermsList
  // By place of the waiver.
  readonly #named: (TermsList | null)[] = []

  constructor(waivers: Uint8Array, transit: readonly TermsList[], listNamed: (waiver: Waiver) => TermsList) {
    this.waivers = waivers
    this.transit = transit
    this.#listNamed = listNamed
  }

  /** Lists what a waiver asks of the document, as far as it names it; `place` is the waiver's among those of the rules. */
  listTerms(waiver: Waiver, place: number): TermsList {
    return this.#named[place] ?? this.#findTerms(waiver, place)
  }

  #findTerms(waiver: Waiver, place: number): TermsList {
    // Filled up to the place, because V8 reads lists with holes slowly.
    while (this.#named.length <= place) this.#named.push(null)
    const found = this.#listNamed(waiver)
    this.#named[place] = found
    return found
  }
}

const NO_TERMS: TermsList = Object.freeze([])

/** Finds the destinations that know a document; `slot` is the place of its issuer among the destinations. */
export type FindReach = (document: Issued, slot: number) => DocumentReach

/**
 * Makes the finder of a dataset. It keeps what it found of issuers that are destinations; any other one is looked up each time.
 */
export function makeReachFinder({ destinations, transitRules }: Dataset, index: TermsIndex | null): FindReach {
  const count = destinations.length
  const nowhere = new DocumentReach(
    new Uint8Array(count),
    transitRules.map(() => NO_TERMS),
    () => NO_TERMS,
  )
  if (index === null) return () => nowhere
  const placeOf = new Map(destinations.map((code, place) => [code, place]))
  const waivers = index.listWaiverDocuments()
  const kept: Record<HeldDocument["kind"], (DocumentReach | undefined)[]> = {
    visa: new Array(count).fill(undefined),
    residence_permit: new Array(count).fill(undefined),
    eta: new Array(count).fill(undefined),
  }

  const find = (document: Issued): DocumentReach => {
    const waiving = new Uint8Array(count)
    const listNamed = (terms: Waiver["held"]) => terms.filter(each => isNamed(index, each, document)).map(compareTerms)
    let isKnown = false
    for (const { held, destinations } of waivers) {
      if (!held.some(terms => isNamed(index, terms, document))) continue
      isKnown = true
      for (const code of destinations) {
        const place = placeOf.get(code)
        if (place !== undefined) waiving[place] = 1
      }
    }
    const transit = transitRules.map(({ demand, waivedFor }) => (demand === "visa" ? listNamed(waivedFor) : NO_TERMS))
    isKnown ||= transit.some(terms => terms.length > 0)
    return isKnown ? new DocumentReach(waiving, transit, waiver => listNamed(waiver.held)) : nowhere
  }

  return (document, slot) => {
    if (slot >= UNKNOWN_SLOT) return find(document)
    const known = kept[document.kind]
    let reach = known[slot]
    if (reach === undefined) {
      reach = find(document)
      known[slot] = reach
    }
    return reach
  }
}
