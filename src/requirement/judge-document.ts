/**
 * Does a held document meet the terms of a rule?
 *
 * Missing information is not guessed: a term that cannot be judged makes the answer unsure and names what must be
 * checked. There is one assumption: a document without a day of expiry is valid.
 *
 * Rules and documents leave out unset fields. They are compared in forms that have every field, because V8 reads
 * objects of one layout much faster than those of several.
 */
import type { EpochDay } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import type { TermsIndex } from "../dataset/rule-terms.ts"
import type { HeldDocument, ReadDocument } from "./held-documents.ts"

/** The days of the stay for which a document is shown. */
export interface StayOfHolder {
  readonly firstDay: EpochDay
  /** Null if it is not known. */
  readonly lastDay: EpochDay | null
}

/** Whether a document meets its terms. */
export interface DocumentJudgement {
  readonly status: "met" | "unmet" | "unsure"
  /** The unknown terms, by their names in {@link DocumentTerms}; empty unless unsure. */
  readonly toCheck: readonly (keyof DocumentTerms)[]
}

/** The judgement of a document that meets everything. */
export const MET: DocumentJudgement = Object.freeze({ status: "met", toCheck: Object.freeze([]) })
const UNMET: DocumentJudgement = Object.freeze({ status: "unmet", toCheck: Object.freeze([]) })

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

/** Judges a document by the terms of a rule. Cannot fail. */
export function judgeDocument(
  index: TermsIndex,
  terms: DocumentTerms,
  document: ReadDocument,
  stay: StayOfHolder,
): DocumentJudgement {
  return isNamed(index, terms, document) ? judgeNamed(compareTerms(terms), compareAs(document), stay) : UNMET
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

/** The terms of a rule in comparable form; null for unset ones. */
export interface ComparableTerms {
  readonly types: ReadonlySet<string> | null
  readonly typesExcept: ReadonlySet<string> | null
  readonly multipleEntry: boolean
  readonly usedBefore: boolean
  readonly permanent: boolean
  readonly physical: boolean
  readonly enteredIssuerFirst: boolean
  readonly hasRemark: boolean
  readonly validDaysAfterEntry: number | null
  readonly validDaysAfterExit: number | null
  readonly expiredWithinYears: number | null
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

const prepared = new WeakMap<DocumentTerms, ComparableTerms>()

/** Converts terms to their comparable form; returns the same object at every call. */
export function compareTerms(terms: DocumentTerms): ComparableTerms {
  let known = prepared.get(terms)
  if (known === undefined) {
    known = {
      types: terms.types === undefined ? null : new Set(terms.types.map(normaliseType)),
      typesExcept: terms.typesExcept === undefined ? null : new Set(terms.typesExcept.map(normaliseType)),
      multipleEntry: terms.multipleEntry === true,
      usedBefore: terms.usedBefore === true,
      permanent: terms.permanent === true,
      physical: terms.physical === true,
      enteredIssuerFirst: terms.enteredIssuerFirst === true,
      hasRemark: terms.remark !== undefined,
      validDaysAfterEntry: terms.validDaysAfterEntry ?? null,
      validDaysAfterExit: terms.validDaysAfterExit ?? null,
      expiredWithinYears: terms.expiredWithinYears ?? null,
    }
    prepared.set(terms, known)
  }
  return known
}

/** Judges a document of the kind and issuer of some terms. Cannot fail. */
export function judgeNamed(
  terms: ComparableTerms,
  document: ComparableDocument,
  { firstDay, lastDay }: StayOfHolder,
): DocumentJudgement {
  const { read, comparedType: type, entryCount } = document
  const { validFromDay: fromDay, validUntilDay: untilDay, used, permanent, electronic } = read
  if (fromDay !== null && fromDay > firstDay) return UNMET
  const { validDaysAfterEntry, validDaysAfterExit, expiredWithinYears, types, typesExcept } = terms
  if (untilDay !== null) {
    const endDay = expiredWithinYears === null ? untilDay + 1 : addCivilMonths(untilDay, 12 * expiredWithinYears)
    if (endDay <= firstDay) return UNMET
    if (validDaysAfterEntry !== null && untilDay - firstDay < validDaysAfterEntry) return UNMET
    if (validDaysAfterExit !== null && lastDay !== null && untilDay - lastDay < validDaysAfterExit) return UNMET
  }
  if (type !== null) {
    if (types !== null && !types.has(type)) return UNMET
    if (typesExcept?.has(type)) return UNMET
  }
  if (terms.multipleEntry && entryCount !== null && entryCount <= 1) return UNMET
  if (terms.usedBefore && used === false) return UNMET
  if (terms.permanent && permanent === false) return UNMET
  if (terms.physical && electronic === true) return UNMET

  // The unknown terms, one bit for each.
  let unknowns = 0
  if (type === null) {
    if (types !== null) unknowns |= 1
    if (typesExcept !== null) unknowns |= 2
  }
  if (terms.multipleEntry && entryCount === null) unknowns |= 4
  if (terms.usedBefore && used === null) unknowns |= 8
  if (terms.permanent && permanent === null) unknowns |= 16
  if (terms.physical && electronic === null) unknowns |= 32
  if (terms.enteredIssuerFirst) unknowns |= 64
  if (terms.hasRemark) unknowns |= 128
  if (validDaysAfterEntry !== null && untilDay === null) unknowns |= 256
  if (validDaysAfterExit !== null && (untilDay === null || lastDay === null)) unknowns |= 512
  return unknowns === 0 ? MET : (unsure[unknowns] ?? makeUnsure(unknowns))
}

/** By bit: the terms that may be unknown. */
const CHECKED: readonly (keyof DocumentTerms)[] = [
  "types",
  "typesExcept",
  "multipleEntry",
  "usedBefore",
  "permanent",
  "physical",
  "enteredIssuerFirst",
  "remark",
  "validDaysAfterEntry",
  "validDaysAfterExit",
]

// By unknown terms; made on first use.
const unsure: (DocumentJudgement | null)[] = /* @__PURE__ */ new Array(1 << CHECKED.length).fill(null)

function makeUnsure(unknowns: number): DocumentJudgement {
  const toCheck = Object.freeze(CHECKED.filter((_, bit) => (unknowns & (1 << bit)) !== 0))
  const judgement: DocumentJudgement = Object.freeze({ status: "unsure", toCheck })
  unsure[unknowns] = judgement
  return judgement
}

// Most classes are a letter or two, in capitals already.
const MARKED = /[^A-Z0-9/]/

function normaliseType(type: string): string {
  return MARKED.test(type) ? type.replace(/[\s-]/g, "").toUpperCase() : type
}
