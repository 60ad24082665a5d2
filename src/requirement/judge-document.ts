/**
 * Does a held document meet the terms of a rule?
 *
 * Missing information is not guessed: a term that cannot be judged is named, to be checked. There is one assumption: a document without a day
 * of expiry is valid.
 */
import type { EpochDay } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import type { TermsIndex } from "../dataset/rule-terms.ts"
import type { DocumentTerms } from "../rules/conditions.ts"
import type { HeldDocument, ReadDocument } from "./held-documents.ts"

/** The days of the stay for which a document is shown. */
export interface StayOfHolder {
  readonly firstDay: EpochDay
  /** Null if it is not known. */
  readonly lastDay: EpochDay | null
}

/** Terms that nobody can judge yet, by their names. */
export type TermsToCheck = readonly (keyof DocumentTerms)[]

/** Says whether a document is of the kind and the issuer of some terms, whatever else they require. */
export function isNamed(
  index: TermsIndex,
  { kind, issuers }: DocumentTerms,
  document: Pick<HeldDocument, "kind" | "issuer">,
): boolean {
  return kind === document.kind && issuers.some(selector => index.includesIssuer(selector, document.issuer))
}

/**
 * Says whether terms name the documents of one issuer only.
 *
 * If a destination's terms name only its own documents, they are about those, like Canada's about an expired visa of
 * its own. If it is one of several issuers, the others are meant: a state of a zone does not ask for its own permit in
 * the way that it asks for those of its neighbours.
 */
export function namesOnly({ issuers }: DocumentTerms, issuer: string): boolean {
  for (let at = 0; at < issuers.length; at++) if (issuers[at] !== issuer) return false
  return true
}

/**
 * Says whether a visa or permit of a country counts as one of the destination. It also does in territories that follow
 * the country, if its zone includes them.
 */
export function isIssuedFor(
  issuer: string,
  destination: string,
  { follows }: { readonly follows: string | null },
  sharesZone: boolean,
): boolean {
  return issuer === destination || (issuer === follows && sharesZone)
}

/** The fields of a document in comparable form; null for unknown ones. */
export interface ComparableDocument {
  readonly read: ReadDocument
  /** Its class, without blanks and hyphens. */
  readonly comparedType: string | null
  /** Entries that are left; a large number for several. */
  readonly entryCount: number | null
}

/** Converts a document to its comparable form. */
export function compareAs(read: ReadDocument): ComparableDocument {
  const { type, entries } = read
  return {
    read,
    comparedType: type === null ? null : normaliseType(type),
    entryCount: entries === "multiple" ? Number.MAX_SAFE_INTEGER : entries,
  }
}

/** Judges a document of the kind and issuer of some terms: returns the terms to check, or null if one of them is not met. Cannot fail. */
export function judgeTerms(
  terms: DocumentTerms,
  { read, comparedType: type, entryCount }: ComparableDocument,
  { firstDay, lastDay }: StayOfHolder,
): TermsToCheck | null {
  const { validFromDay: fromDay, validUntilDay: untilDay, used, permanent, electronic } = read
  const { types, typesExcept, validDaysAfterEntry, validDaysAfterExit, expiredWithinYears } = terms
  if (fromDay !== null && fromDay > firstDay) return null
  if (untilDay !== null) {
    const endDay = expiredWithinYears === undefined ? untilDay + 1 : addCivilMonths(untilDay, 12 * expiredWithinYears)
    if (endDay <= firstDay) return null
  }
  const toCheck: (keyof DocumentTerms)[] = []
  // Null: it is not known.
  const meets = (term: keyof DocumentTerms, isMet: boolean | null) => {
    if (terms[term] === undefined) return true
    if (isMet === null) toCheck.push(term)
    return isMet !== false
  }
  const isOfType = (listed: readonly string[] | undefined) =>
    listed?.some(each => normaliseType(each) === type) === true
  const areMet =
    meets("types", type === null ? null : isOfType(types)) &&
    meets("typesExcept", type === null ? null : !isOfType(typesExcept)) &&
    meets("multipleEntry", entryCount === null ? null : entryCount > 1) &&
    meets("usedBefore", used) &&
    meets("permanent", permanent) &&
    meets("physical", electronic === null ? null : !electronic) &&
    meets("enteredIssuerFirst", null) &&
    meets("remark", null) &&
    meets("validDaysAfterEntry", untilDay === null ? null : untilDay - firstDay >= validDaysAfterEntry!) &&
    meets(
      "validDaysAfterExit",
      untilDay === null || lastDay === null ? null : untilDay - lastDay >= validDaysAfterExit!,
    )
  return areMet ? toCheck : null
}

// Most classes are a letter or two, in capitals already.
const MARKED = /[^A-Z0-9/]/

function normaliseType(type: string): string {
  return MARKED.test(type) ? type.replace(/[\s-]/g, "").toUpperCase() : type
}
