/**
 * Where can a document of some kind and issuer change anything at all?
 *
 * Most documents change nothing at most stops. Which destinations' rules name one is found out once for a dataset and kept by its kind and
 * issuer, so that a decision reads it from arrays instead of asking every rule of every stop.
 */
import type { DocumentTerms } from "../dataset/conditions.ts"
import type { Dataset } from "../dataset/open.ts"
import type { TermsIndex } from "../dataset/rule-terms.ts"
import { type HeldDocument, isNamed } from "../requirement/held-documents.ts"

/** A transit visa that a country demands, and what it asks of a document that waives it. */
export interface WaivableDemand {
  /** By passport index, 1 where it is demanded; null where it is demanded of all. */
  readonly passports: Uint8Array | null
  readonly terms: readonly DocumentTerms[]
}

/** The destinations that know a document. */
export interface DocumentReach {
  /** By destination index, 1 where some waiver names it. */
  readonly waivers: Uint8Array
  /** By destination index, the demands that it may waive; null where there are none. */
  readonly transit: readonly (readonly WaivableDemand[] | null)[]
}

/** Finds the destinations that know a document. */
export type FindReach = (document: HeldDocument) => DocumentReach

/**
 * Makes the finder of a dataset. It keeps what it found: a kind has no more issuers than there are codes of three letters, and all that
 * nobody knows share one record.
 */
export function makeReachFinder(dataset: Dataset, index: TermsIndex | null): FindReach {
  const count = dataset.destinations.length
  const nowhere: DocumentReach = { waivers: new Uint8Array(count), transit: new Array(count).fill(null) }
  if (index === null) return () => nowhere
  const placeOf = new Map(dataset.destinations.map((code, place) => [code, place]))
  const waivers = index.listWaiverDocuments()
  const demands = dataset.transitRules.filter(({ demand, waivedFor }) => demand === "visa" && waivedFor.length > 0)
  const kept = new Map<string, DocumentReach>()

  const find: FindReach = document => {
    const waiving = new Uint8Array(count)
    const transit: (readonly WaivableDemand[] | null)[] = new Array(count).fill(null)
    let isKnown = false
    for (const { held, destinations } of waivers) {
      if (!held.some(terms => isNamed(index, terms, document))) continue
      isKnown = true
      for (const code of destinations) {
        const place = placeOf.get(code)
        if (place !== undefined) waiving[place] = 1
      }
    }
    for (const { destinations, passports, waivedFor } of demands) {
      const terms = waivedFor.filter(each => isNamed(index, each, document))
      if (terms.length === 0) continue
      isKnown = true
      const named = passports === null ? null : new Set(passports)
      const demand = {
        passports: named === null ? null : Uint8Array.from(dataset.passports, code => (named.has(code) ? 1 : 0)),
        terms,
      }
      for (const code of destinations) {
        const place = placeOf.get(code)
        if (place !== undefined) transit[place] = [...(transit[place] ?? []), demand]
      }
    }
    return isKnown ? { waivers: waiving, transit } : nowhere
  }

  return document => {
    const name = document.kind + document.issuer
    let reach = kept.get(name)
    if (reach === undefined) {
      reach = find(document)
      kept.set(name, reach)
    }
    return reach
  }
}
