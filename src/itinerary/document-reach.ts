/**
 * At which destinations can a document of some kind and issuer have an effect?
 *
 * Most documents change nothing at most stops. The destinations whose rules name a document are found once for each
 * dataset, kind and issuer, so a decision reads arrays instead of going through every rule of every stop.
 */
import { codeKey } from "../codes.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { TermsIndex, Waiver } from "../dataset/rule-terms.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import { type ComparableTerms, compareTerms, isNamed } from "../requirement/judge-document.ts"

type TermsList = readonly ComparableTerms[]
type Issued = Pick<HeldDocument, "kind" | "issuer">

/** The destinations whose rules name a document, and their requirements for it. */
export class DocumentReach {
  /** By destination index: 1 if a waiver names it, there or in a country that the destination follows. */
  readonly waivers: Uint8Array
  /**
   * By index of the transit rule: the terms that waive its demand of a visa, of which the document must meet one; empty
   * if the rule does not name it.
   */
  readonly transit: readonly TermsList[]
  readonly #listNamed: (waiver: Waiver) => TermsList
  // By index of the waiver.
  readonly #named: (TermsList | null)[] = []

  constructor(waivers: Uint8Array, transit: readonly TermsList[], listNamed: (waiver: Waiver) => TermsList) {
    this.waivers = waivers
    this.transit = transit
    this.#listNamed = listNamed
  }

  /** Lists a waiver's terms for the document, if it names it. `place` is the waiver's index among the rules. */
  listTerms(waiver: Waiver, place: number): TermsList {
    return this.#named[place] ?? this.#findTerms(waiver, place)
  }

  #findTerms(waiver: Waiver, place: number): TermsList {
    // Fills the list up to the index, because V8 reads lists with holes slowly.
    while (this.#named.length <= place) this.#named.push(null)
    const found = this.#listNamed(waiver)
    this.#named[place] = found
    return found
  }
}

/** Finds the destinations whose rules name a document. `column` is the index of its issuer among the destinations. */
export type FindReach = (document: Issued, column: number) => DocumentReach

/** Makes the finder of a dataset. It keeps its results for issuers that are destinations; other issuers are looked up each time. */
export function makeReachFinder(
  { destinations, destinationIndices, transitRules }: Dataset,
  index: TermsIndex | null,
  countriesOf: readonly (readonly number[])[],
): FindReach {
  const count = destinations.length
  const nowhere = new DocumentReach(
    new Uint8Array(count),
    transitRules.map(() => NOTHING),
    () => NOTHING,
  )
  if (index === null) return () => nowhere
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
      // The number of another code is past the end, where nothing is stored.
      for (const code of destinations) waiving[destinationIndices[codeKey(code)]!] = 1
    }
    countriesOf.forEach((countries, at) => {
      if (countries.some(country => waiving[country] === 1)) waiving[at] = 1
    })
    const transit = transitRules.map(({ demand, waivedFor }) => (demand === "visa" ? listNamed(waivedFor) : NOTHING))
    isKnown ||= transit.some(terms => terms.length > 0)
    return isKnown ? new DocumentReach(waiving, transit, waiver => listNamed(waiver.held)) : nowhere
  }

  return (document, column) => {
    if (column >= UNKNOWN_INDEX) return find(document)
    const known = kept[document.kind]
    let reach = known[column]
    if (reach === undefined) {
      reach = find(document)
      known[column] = reach
    }
    return reach
  }
}
