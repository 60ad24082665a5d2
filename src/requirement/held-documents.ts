/**
 * Which documents of other states does a traveller hold?
 *
 * A visa or a residence permit, as its holder describes it: read from what a caller of any type hands in, each mistake named with its path.
 * Whether one meets what a rule asks is judged in judge-document.ts.
 */
import { isCode } from "../codes.ts"
import { describe, type InputIssue } from "../errors.ts"
import { type ComparableDocument, compareAs } from "./judge-document.ts"
import { fieldsOf, nestIssues, readList, readObject, refuseOtherFields } from "./question.ts"

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

const DOCUMENT_FIELDS = /* @__PURE__ */ fieldsOf(
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
)

/**
 * Reads a list of held documents and reports what it refuses, each mistake with its path: another kind, a code that is none, days that no
 * calendar has, an end before the beginning, no entries, fields that no document has.
 */
export function readHeldDocuments(value: unknown, path: string, issues: InputIssue[]): readonly ComparableDocument[] {
  const documents: ComparableDocument[] = []
  const list = readList(value, { least: 0, most: MAX_HELD_DOCUMENTS }, path, issues)
  for (let place = 0; place < list.length; place++) {
    const known = issues.length
    documents.push(readHeldDocument(list[place], issues))
    nestIssues(issues, known, path, place)
  }
  return documents
}

function readHeldDocument(value: unknown, issues: InputIssue[]): ComparableDocument {
  const given = readObject(value, "", issues)
  if (given !== value) return compareAs({ kind: "visa", issuer: "" })
  refuseOtherFields(given, DOCUMENT_FIELDS, "", issues)
  // Each value is read once, so that nothing downstream meets a getter or a proxy; by its name, which is faster than by a list of names.
  const { kind, issuer, type, validFrom, validUntil, entries, durationOfStayDays, used, permanent, electronic } = given
  const document: Record<string, unknown> = {}
  if (kind != null) document.kind = kind
  if (issuer != null) document.issuer = issuer
  if (type != null) document.type = type
  if (validFrom != null) document.validFrom = validFrom
  if (validUntil != null) document.validUntil = validUntil
  if (entries != null) document.entries = entries
  if (durationOfStayDays != null) document.durationOfStayDays = durationOfStayDays
  if (used != null) document.used = used
  if (permanent != null) document.permanent = permanent
  if (electronic != null) document.electronic = electronic
  if (kind !== "visa" && kind !== "residence_permit")
    refuse(issues, "kind", kind ?? undefined, "neither visa nor residence_permit")
  if (!isCode(issuer))
    refuse(issues, "issuer", issuer ?? undefined, "not an ISO 3166-1 alpha-3 code in capital letters, such as USA")
  if (type != null && (typeof type !== "string" || type.trim() === "" || type.length > MAX_TYPE_LENGTH)) {
    refuse(issues, "type", type, `not a text of 1 to ${MAX_TYPE_LENGTH} characters`)
  }
  const compared = compareAs(document as unknown as HeldDocument)
  const { fromDay, untilDay } = compared
  if (fromDay === null && validFrom != null) refuse(issues, "validFrom", validFrom, NO_DATE)
  if (untilDay === null && validUntil != null) refuse(issues, "validUntil", validUntil, NO_DATE)
  if (fromDay !== null && untilDay !== null && untilDay < fromDay) {
    refuse(issues, "validUntil", validUntil, `before the first day of its validity, ${validFrom}`)
  }
  if (entries != null && entries !== "multiple" && !isCount(entries)) {
    refuse(issues, "entries", entries, `neither "multiple" nor a whole number from 1 to ${MAX_COUNT}`)
  }
  if (durationOfStayDays != null && !isCount(durationOfStayDays)) {
    refuse(issues, "durationOfStayDays", durationOfStayDays, `not a whole number from 1 to ${MAX_COUNT}`)
  }
  if (used != null && typeof used !== "boolean") refuse(issues, "used", used, NO_FLAG)
  if (permanent != null && typeof permanent !== "boolean") refuse(issues, "permanent", permanent, NO_FLAG)
  if (electronic != null && typeof electronic !== "boolean") refuse(issues, "electronic", electronic, NO_FLAG)
  if (kind === "visa" && permanent === true)
    refuse(issues, "permanent", true, "said of a visa, which is never permanent")
  return compared
}

function refuse(issues: InputIssue[], field: string, found: unknown, what: string): void {
  issues.push({ path: field, message: `${describe(found)} is ${what}.` })
}

const NO_DATE = "not a calendar date YYYY-MM-DD from 1900 to 2199"
const NO_FLAG = "neither true nor false"

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_COUNT
}
