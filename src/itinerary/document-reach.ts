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
interface WaivableDemand {
  /** Those whom it is demanded of; null for everybody. */
  readonly passports: ReadonlySet<string> | null
  readonly terms: readonly ComparableTerms[]
}

type TermsList = readonly ComparableTerms[]
type Issued = Pick<HeldDocument, "kind" | "issuer">

/** The destinations that know a document, and what they ask of it. */
export class DocumentReach {
  /** By destination index, 1 where some waiver names it. */
  readonly waivers: Uint8Array
  readonly #demands: readonly (readonly WaivableDemand[] | null)[]
  readonly #passports: readonly string[]
  readonly #listNamed: (waiver: Waiver) => TermsList
  // By destination, then by passport; filled when asked for, and null where no transit visa is demanded that the document may waive.
  readonly #transit: ((TermsList | null)[] | null)[]
  // By place of the waiver.
  readonly #named: (TermsList | null)[] = []

  constructor(
    waivers: Uint8Array,
    demands: readonly (readonly WaivableDemand[] | null)[],
    passports: readonly string[],
    listNamed: (waiver: Waiver) => TermsList,
  ) {
    this.waivers = waivers
    this.#demands = demands
    this.#passports = passports
    this.#listNamed = listNamed
    // One place more, for every passport that the dataset does not know.
    this.#transit = demands.map(each => (each === null ? null : new Array(passports.length + 1).fill(null)))
  }

  /**
   * Lists what a country's demands of a transit visa ask of the document that waives it, as far as they are made of a passport's holders; of
   * these terms one has to be met. Country and passport by their places in the dataset.
   */
  listTransitTerms(slot: number, passport: number): TermsList {
    const row = this.#transit[slot]
    if (row == null) return NO_TERMS
    return row[passport] ?? this.#findTransitTerms(slot, Math.min(passport, this.#passports.length), row)
  }

  #findTransitTerms(slot: number, passport: number, row: (TermsList | null)[]): TermsList {
    const code = this.#passports[passport] ?? ""
    const found = (this.#demands[slot] ?? []).flatMap(({ passports, terms }) =>
      passports === null || passports.has(code) ? terms : [],
    )
    row[passport] = found
    return found
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

const NO_TERMS: TermsList = []

/** Finds the destinations that know a document; `slot` is the place of its issuer among the destinations. */
export type FindReach = (document: Issued, slot: number) => DocumentReach

/**
 * Makes the finder of a dataset. It keeps what it found of issuers that are destinations; another one is sought anew.
 */
export function makeReachFinder(dataset: Dataset, index: TermsIndex | null): FindReach {
  const { destinations, passports } = dataset
  const count = destinations.length
  const nowhere = new DocumentReach(new Uint8Array(count), [], passports, () => NO_TERMS)
  if (index === null) return () => nowhere
  const placeOf = new Map(destinations.map((code, place) => [code, place]))
  const waivers = index.listWaiverDocuments()
  const demands = dataset.transitRules.filter(({ demand, waivedFor }) => demand === "visa" && waivedFor.length > 0)
  const kept: Record<HeldDocument["kind"], (DocumentReach | undefined)[]> = {
    visa: new Array(count).fill(undefined),
    residence_permit: new Array(count).fill(undefined),
    eta: new Array(count).fill(undefined),
  }

  const find = (document: Issued): DocumentReach => {
    const waiving = new Uint8Array(count)
    const transit: (readonly WaivableDemand[] | null)[] = new Array(count).fill(null)
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
    for (const { destinations, passports: named, waivedFor } of demands) {
      const terms = listNamed(waivedFor)
      if (terms.length === 0) continue
      isKnown = true
      const demand = { passports: named === null ? null : new Set(named), terms }
      for (const code of destinations) {
        const place = placeOf.get(code)
        if (place !== undefined) transit[place] = [...(transit[place] ?? []), demand]
      }
    }
    return isKnown ? new DocumentReach(waiving, transit, passports, waiver => listNamed(waiver.held)) : nowhere
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
