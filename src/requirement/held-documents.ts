/**
 * Does a document that a traveller holds meet what a rule asks of it?
 *
 * A visa or a residence permit of another state, as its holder describes it. What he does not say is not guessed: a term that cannot be
 * judged makes the answer unsure and names what has to be checked. Only one thing is taken for granted: who says that he holds a document
 * and gives no day on which it expires holds a valid one.
 */
import { addCivilMonths, type EpochDay, parseCivilDate } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import type { DocumentTerms } from "../dataset/conditions.ts"
import type { TermsIndex } from "../dataset/rule-terms.ts"
import { describe, type InputIssue } from "../errors.ts"
import { fieldsOf, readList, readObject, refuseOtherFields } from "./question.ts"

/** The most documents that one traveller holds. */
export const MAX_HELD_DOCUMENTS = 20
/** The longest class of a visa, in UTF-16 units. */
const MAX_TYPE_LENGTH = 40
/** The most entries, and the most days of a stay, that a visa may name. */
const MAX_COUNT = 3650

/** A visa or residence permit of another state. What is absent is not known. */
export interface HeldDocument {
  readonly kind: "visa" | "residence_permit"
  /** Who issued it: an ISO 3166-1 alpha-3 code. */
  readonly issuer: string
  /** Its class in the issuer's own words, such as `C` or `B1/B2`. */
  readonly type?: string | undefined
  /** First and last day of its validity (`YYYY-MM-DD`). */
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
  /** Entries that are left. */
  readonly entries?: number | "multiple" | undefined
  /** Days that a stay under it may last. */
  readonly durationOfStayDays?: number | undefined
  /** Whether it was used to enter its issuer before. */
  readonly used?: boolean | undefined
  /** Whether the residence has no end. */
  readonly permanent?: boolean | undefined
  /** Whether it exists electronically only. */
  readonly electronic?: boolean | undefined
}

const FIELDS = [
  "kind",
  "issuer",
  "type",
  "validFrom",
  "validUntil",
  "entries",
  "durationOfStayDays",
  "used",
  "permanent",
  "electronic",
] as const

const DOCUMENT_FIELDS = /* @__PURE__ */ fieldsOf(...FIELDS)

/**
 * Reads a list of held documents and reports what it refuses, each mistake with its path: another kind, a code that is none, days that no
 * calendar has, an end before the beginning, no entries, fields that no document has.
 */
export function readHeldDocuments(value: unknown, path: string, issues: InputIssue[]): readonly ComparableDocument[] {
  return readList(value, { least: 0, most: MAX_HELD_DOCUMENTS }, path, issues).map((given, place) =>
    readHeldDocument(given, `${path}[${place}]`, issues),
  )
}

function readHeldDocument(value: unknown, path: string, issues: InputIssue[]): ComparableDocument {
  const given = readObject(value, path, issues)
  const refuse = (field: string, found: unknown, what: string) =>
    issues.push({ path: `${path}.${field}`, message: `${describe(found)} is ${what}.` })
  // Each value is read once, so that nothing downstream meets a getter or a proxy.
  const document: Record<string, unknown> = {}
  for (const field of FIELDS) {
    const found = given[field]
    if (found != null) document[field] = found
  }
  refuseOtherFields(given, DOCUMENT_FIELDS, `${path}.`, issues)
  if (given !== value) return compareAs({ kind: "visa", issuer: "" })
  const { kind, issuer, type, entries, durationOfStayDays, validFrom, validUntil } = document
  if (kind !== "visa" && kind !== "residence_permit") refuse("kind", kind, "neither visa nor residence_permit")
  if (!isCode(issuer)) refuse("issuer", issuer, "no ISO 3166-1 alpha-3 code in capital letters, such as USA")
  if (type !== undefined && (typeof type !== "string" || type.trim() === "" || type.length > MAX_TYPE_LENGTH)) {
    refuse("type", type, `no text of 1 to ${MAX_TYPE_LENGTH} characters`)
  }
  const fromDay = parseCivilDate(validFrom)
  const untilDay = parseCivilDate(validUntil)
  if (fromDay === null && validFrom !== undefined) refuse("validFrom", validFrom, NO_DATE)
  if (untilDay === null && validUntil !== undefined) refuse("validUntil", validUntil, NO_DATE)
  if (fromDay !== null && untilDay !== null && untilDay < fromDay) {
    refuse("validUntil", validUntil, `before the first day of its validity, ${validFrom}`)
  }
  if (entries !== undefined && entries !== "multiple" && !isCount(entries)) {
    refuse("entries", entries, `neither "multiple" nor a whole number from 1 to ${MAX_COUNT}`)
  }
  if (durationOfStayDays !== undefined && !isCount(durationOfStayDays)) {
    refuse("durationOfStayDays", durationOfStayDays, `no whole number from 1 to ${MAX_COUNT}`)
  }
  for (const field of FLAGS) {
    if (document[field] !== undefined && typeof document[field] !== "boolean") {
      refuse(field, document[field], "neither true nor false")
    }
  }
  if (kind === "visa" && document.permanent === true)
    refuse("permanent", true, "said of a visa, which is never permanent")
  const comparedType = typeof type === "string" ? normaliseType(type) : null
  return { document: document as unknown as HeldDocument, fromDay, untilDay, comparedType }
}

const NO_DATE = "no calendar date YYYY-MM-DD from 1900 to 2199"
const FLAGS = ["used", "permanent", "electronic"] as const

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_COUNT
}

/** The days of the stay that a document is shown for. */
export interface StayOfHolder {
  readonly entryDay: EpochDay
  /** Null where it is not known. */
  readonly exitDay: EpochDay | null
}

/** Whether a document meets what is asked of it. */
export interface DocumentJudgement {
  readonly status: "met" | "unmet" | "unsure"
  /** The terms that nothing is known about, by their names in {@link DocumentTerms}; empty unless unsure. */
  readonly toCheck: readonly (keyof DocumentTerms)[]
}

const MET: DocumentJudgement = Object.freeze({ status: "met", toCheck: Object.freeze([]) })
const UNMET: DocumentJudgement = Object.freeze({ status: "unmet", toCheck: Object.freeze([]) })

/** Says whether a document is of the kind and the issuer that terms name, whatever else they ask. */
export function isNamed(index: TermsIndex, { kind, issuers }: DocumentTerms, document: HeldDocument): boolean {
  return kind === document.kind && issuers.some(selector => index.includesIssuer(selector, document.issuer))
}

/** Judges a document that was read by what terms ask of it. Cannot fail. */
export function judgeDocument(
  index: TermsIndex,
  terms: DocumentTerms,
  document: HeldDocument,
  stay: StayOfHolder,
): DocumentJudgement {
  return isNamed(index, terms, document) ? judgeNamed(terms, compareAs(document), stay) : UNMET
}

/** What of a document is compared, as it is compared. */
export interface ComparableDocument {
  readonly document: HeldDocument
  /** First and last day of its validity. */
  readonly fromDay: EpochDay | null
  readonly untilDay: EpochDay | null
  /** Its class, without blanks and hyphens. */
  readonly comparedType: string | null
}

/** Prepares a document that was read for being compared. */
export function compareAs(document: HeldDocument): ComparableDocument {
  const { validFrom, validUntil, type } = document
  return {
    document,
    fromDay: parseCivilDate(validFrom),
    untilDay: parseCivilDate(validUntil),
    comparedType: type === undefined ? null : normaliseType(type),
  }
}

/** Judges a document that terms name by its kind and issuer. Cannot fail. */
export function judgeNamed(
  terms: DocumentTerms,
  { document, fromDay, untilDay, comparedType: type }: ComparableDocument,
  { entryDay, exitDay }: StayOfHolder,
): DocumentJudgement {
  if (fromDay !== null && fromDay > entryDay) return UNMET
  const { validDaysAfterEntry, validDaysAfterExit, expiredWithinYears, types, typesExcept } = terms
  if (untilDay !== null) {
    const endDay = expiredWithinYears === undefined ? untilDay + 1 : addCivilMonths(untilDay, 12 * expiredWithinYears)
    if (endDay <= entryDay) return UNMET
    if (validDaysAfterEntry !== undefined && untilDay - entryDay < validDaysAfterEntry) return UNMET
    if (validDaysAfterExit !== undefined && exitDay !== null && untilDay - exitDay < validDaysAfterExit) return UNMET
  }
  const { used, permanent, electronic, entries } = document
  if (type !== null) {
    if (types !== undefined && !normaliseAll(types).has(type)) return UNMET
    if (typesExcept !== undefined && normaliseAll(typesExcept).has(type)) return UNMET
  }
  if (terms.multipleEntry && entries !== undefined && entries !== "multiple" && entries <= 1) return UNMET
  if (terms.usedBefore && used === false) return UNMET
  if (terms.permanent && permanent === false) return UNMET
  if (terms.physical && electronic === true) return UNMET

  // What nothing is known about; a list is made only where there is something.
  let toCheck: (keyof DocumentTerms)[] | null = null
  if (type === null) {
    if (types !== undefined) toCheck = add(toCheck, "types")
    if (typesExcept !== undefined) toCheck = add(toCheck, "typesExcept")
  }
  if (terms.multipleEntry && entries === undefined) toCheck = add(toCheck, "multipleEntry")
  if (terms.usedBefore && used === undefined) toCheck = add(toCheck, "usedBefore")
  if (terms.permanent && permanent === undefined) toCheck = add(toCheck, "permanent")
  if (terms.physical && electronic === undefined) toCheck = add(toCheck, "physical")
  if (terms.enteredIssuerFirst) toCheck = add(toCheck, "enteredIssuerFirst")
  if (terms.remark !== undefined) toCheck = add(toCheck, "remark")
  if (validDaysAfterEntry !== undefined && untilDay === null) toCheck = add(toCheck, "validDaysAfterEntry")
  if (validDaysAfterExit !== undefined && (untilDay === null || exitDay === null)) {
    toCheck = add(toCheck, "validDaysAfterExit")
  }
  return toCheck === null ? MET : { status: "unsure", toCheck: Object.freeze(toCheck) }
}

function add(list: (keyof DocumentTerms)[] | null, term: keyof DocumentTerms): (keyof DocumentTerms)[] {
  if (list === null) return [term]
  list.push(term)
  return list
}

// By the list of a rule.
const normalised = new WeakMap<readonly string[], ReadonlySet<string>>()

function normaliseAll(types: readonly string[]): ReadonlySet<string> {
  let known = normalised.get(types)
  if (known === undefined) {
    known = new Set(types.map(normaliseType))
    normalised.set(types, known)
  }
  return known
}

// Most classes are a letter or two, in capitals already.
const MARKED = /[^A-Z0-9/]/

function normaliseType(type: string): string {
  return MARKED.test(type) ? type.replace(/[\s-]/g, "").toUpperCase() : type
}
