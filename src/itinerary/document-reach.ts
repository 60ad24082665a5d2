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

/** A transit visa that a country demands, and what it asks of a document that waives it. */
export interface WaivableDemand {
  /** By passport index, 1 where it is demanded; null where it is demanded of all. */
  readonly passports: Uint8Array | null
  readonly terms: readonly ComparableTerms[]
}

/** The destinations that know a document. */
export interface DocumentReach {
  /** By destination index, 1 where some waiver names it. */
  readonly waivers: Uint8Array
  /** By destination index, 1 where a transit visa is demanded that it may waive, and those demands. */
  readonly waivesTransit: Uint8Array
  readonly transit: readonly (readonly WaivableDemand[] | null)[]
  /** Lists what a waiver asks of it, as far as it names it; `place` is the waiver's among those of the rulebook. */
  readonly listTerms: (waiver: Waiver, place: number) => readonly ComparableTerms[]
}

/** Finds the destinations that know a document; `slot` is the place of its issuer among the destinations. */
export type FindReach = (document: HeldDocument, slot: number) => DocumentReach

/**
 * Makes the finder of a dataset. It keeps what it found of issuers that are destinations; another one is sought anew.
 */
export function makeReachFinder(dataset: Dataset, index: TermsIndex | null): FindReach {
  const count = dataset.destinations.length
  const nowhere: DocumentReach = {
    waivers: new Uint8Array(count),
    waivesTransit: new Uint8Array(count),
    transit: new Array(count).fill(null),
    listTerms: () => [],
  }
  if (index === null) return () => nowhere
  const placeOf = new Map(dataset.destinations.map((code, place) => [code, place]))
  const waivers = index.listWaiverDocuments()
  const demands = dataset.transitRules.filter(({ demand, waivedFor }) => demand === "visa" && waivedFor.length > 0)
  const kept: Record<HeldDocument["kind"], (DocumentReach | undefined)[]> = {
    visa: new Array(count).fill(undefined),
    residence_permit: new Array(count).fill(undefined),
  }

  const find = (document: HeldDocument): DocumentReach => {
    const waiving = new Uint8Array(count)
    const waivesTransit = new Uint8Array(count)
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
      const terms = waivedFor.filter(each => isNamed(index, each, document)).map(compareTerms)
      if (terms.length === 0) continue
      isKnown = true
      const named = passports === null ? null : new Set(passports)
      const demand = {
        passports: named === null ? null : Uint8Array.from(dataset.passports, code => (named.has(code) ? 1 : 0)),
        terms,
      }
      for (const code of destinations) {
        const place = placeOf.get(code)
        if (place === undefined) continue
        waivesTransit[place] = 1
        transit[place] = [...(transit[place] ?? []), demand]
      }
    }
    return isKnown ? { waivers: waiving, waivesTransit, transit, listTerms: keepTerms(index, document) } : nowhere
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

function keepTerms(index: TermsIndex, document: HeldDocument): DocumentReach["listTerms"] {
  const kept: (readonly ComparableTerms[] | undefined)[] = []
  return (waiver, place) => {
    let terms = kept[place]
    if (terms === undefined) {
      // Filled up to the place, because V8 reads lists with holes slowly.
      while (kept.length <= place) kept.push(undefined)
      terms = waiver.held.filter(each => isNamed(index, each, document)).map(compareTerms)
      kept[place] = terms
    }
    return terms
  }
}
