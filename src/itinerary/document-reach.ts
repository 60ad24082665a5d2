/**
 * At which destinations can a document of some kind and issuer have an effect?
 *
 * Most documents change nothing at most stops. The destinations whose rules name a document are found once for each
 * dataset, kind and issuer, so a decision reads arrays instead of going through every rule of every stop.
 */
import { codeKey } from "../codes.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import { NOTHING } from "../dataset/copy-frozen.ts"
import { type Dataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { TermsIndex, Waiver } from "../dataset/rule-terms.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import { isNamed } from "../requirement/judge-document.ts"

type TermsList = readonly DocumentTerms[]
type Issued = Pick<HeldDocument, "kind" | "issuer">

/** The destinations whose rules name a document, and their requirements for it. */
export interface DocumentReach {
  /** By destination index: 1 if a waiver names it, there or in a country that the destination follows. */
  readonly waivers: Uint8Array
  /**
   * By index of the transit rule: the terms that waive its demand of a visa, of which the document must meet one; empty
   * if the rule does not name it.
   */
  readonly transit: readonly TermsList[]
  /** Lists a waiver's terms for the document, if it names it. `place` is the waiver's index among the rules. */
  readonly listTerms: (waiver: Waiver, place: number) => TermsList
}

/** Keeps the terms of each waiver for a document, which are the same in every decision. */
function keepTerms(listNamed: (waiver: Waiver) => TermsList): DocumentReach["listTerms"] {
  const kept: (TermsList | null)[] = []
  return (waiver, place) => {
    // Fills the list up to the index, because V8 reads lists with holes slowly.
    while (kept.length <= place) kept.push(null)
    kept[place] ??= listNamed(waiver)
    return kept[place]
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
  const nowhere: DocumentReach = {
    waivers: new Uint8Array(count),
    transit: transitRules.map(() => NOTHING),
    listTerms: () => NOTHING,
  }
  if (index === null) return () => nowhere
  const waivers = index.listWaiverDocuments()
  const kept: Record<HeldDocument["kind"], (DocumentReach | undefined)[]> = {
    visa: new Array(count).fill(undefined),
    residence_permit: new Array(count).fill(undefined),
    eta: new Array(count).fill(undefined),
  }

  const find = (document: Issued): DocumentReach => {
    const waiving = new Uint8Array(count)
    const listNamed = (terms: Waiver["held"]) => terms.filter(each => isNamed(index, each, document))
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
    return isKnown ? { waivers: waiving, transit, listTerms: keepTerms(({ held }) => listNamed(held)) } : nowhere
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
