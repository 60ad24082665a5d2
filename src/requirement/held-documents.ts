/**
 * Which documents of other states does a traveller hold?
 *
 * A visa or a residence permit, as its holder describes it: the table of its fields, and its reader.
 * `trip/documents.ts` judges whether one meets the terms of a rule.
 */
import { describe } from "../errors.ts"
import {
  type Given,
  giveBack,
  list,
  object,
  type Read,
  type Refusal,
  readerOf,
  row,
  tellFields,
  type WithoutNull,
  type WordsOf,
} from "../fields/read-fields.ts"

/** The most documents of one traveller. */
export const MAX_HELD_DOCUMENTS = 20
/** The most entries, and the most days of a stay, of a visa. */
const MAX_COUNT = 3650

const DAY = { kind: "day" } as const
const FLAG = { kind: "flag" } as const
const ISSUER = { kind: "code", refusal: "not an ISO 3166-1 alpha-3 code in capital letters, such as USA" } as const

/** The fields of a visa or residence permit of another state. A missing field is unknown. */
const DOCUMENT = {
  kind: row("kind", { kind: "word", words: ["visa", "residence_permit", "eta"] }, "required"),
  issuer: row("issuer", ISSUER, "required"),
  type: row("type", { kind: "text", most: 40 }, "nullable"),
  issuedOn: row("issued_on", DAY, "nullable"),
  validFrom: row("valid_from", DAY, "nullable"),
  validUntil: row("valid_until", DAY, "nullable"),
  entries: row("entries", { kind: "count", least: 1, most: MAX_COUNT, word: "multiple" }, "nullable"),
  durationOfStayDays: row("duration_of_stay_days", { kind: "count", least: 1, most: MAX_COUNT }, "nullable"),
  used: row("used", FLAG, "nullable"),
  permanent: row("permanent", FLAG, "nullable"),
  electronic: row("electronic", FLAG, "nullable"),
}

/** The descriptions in the reference. */
export const DOCUMENT_WORDS: WordsOf<typeof DOCUMENT, "HeldDocument."> = {
  "HeldDocument.kind": ["The kind of document; eta: a travel authorisation, such as ESTA or the UK ETA.", "visa"],
  "HeldDocument.issuer": ["The issuer, an ISO 3166-1 alpha-3 code.", "USA"],
  "HeldDocument.type": ["Its class in the issuer's own words, such as C or B1/B2.", "C"],
  "HeldDocument.issuedOn": ["The day of issue.", "2025-05-02"],
  "HeldDocument.validFrom": ["The first day on which it is valid; by default it already is.", "2026-01-01"],
  "HeldDocument.validUntil": ["The last day on which it is valid.", "2027-12-31"],
  "HeldDocument.entries": ["The number of remaining entries.", "multiple"],
  "HeldDocument.durationOfStayDays": ["The most days of a stay under it.", 90],
  "HeldDocument.used": ["Whether it was used before to enter the issuer's country.", true],
  "HeldDocument.permanent": ["Whether it grants permanent residence."],
  "HeldDocument.electronic": ["Whether it exists electronically only.", false],
}

/** The fields with their descriptions. */
export const TOLD_DOCUMENT = /* @__PURE__ */ tellFields("HeldDocument", DOCUMENT, [DOCUMENT_WORDS])

/** A visa or residence permit of another state, as a request gives it. */
export type GivenDocument = Given<typeof DOCUMENT, "engine">
/** A visa or residence permit of another state, as given. */
export interface HeldDocument extends WithoutNull<GivenDocument> {}
/** A document that was read. */
export type ReadDocument = Read<typeof DOCUMENT>

/** The table of a document. */
const HELD_DOCUMENT = object("HeldDocument", DOCUMENT, {
  rule: ({ kind, permanent, validFrom, validFromDay, validUntil, validUntilDay }) => {
    const refused: Refusal[] = []
    if (validFromDay !== null && validUntilDay !== null && validUntilDay < validFromDay) {
      refused.push(["validUntil", `${describe(validUntil)} is before the first day of its validity, ${validFrom}.`])
    }
    if (kind === "visa" && permanent === true) {
      refused.push(["permanent", "A visa is never permanent."])
    }
    return refused
  },
})

/** The documents of one traveller. */
export const HELD_DOCUMENTS = list(HELD_DOCUMENT, 0, MAX_HELD_DOCUMENTS)

/** Reads one document. */
export const readDocument = /* @__PURE__ */ readerOf(HELD_DOCUMENT, "engine")

const describeOptions = () =>
  object("HeldOptions", {
    held: row("held", HELD_DOCUMENTS, "required"),
    on: row("on", DAY, "nullable"),
    exitOn: row("exit_on", DAY, "nullable"),
  })

/** Reads the options of a question about held documents, and reports mistakes with their paths, such as `held[0].kind`. */
export const readHeldOptions = /* @__PURE__ */ readerOf(/* @__PURE__ */ describeOptions(), "engine")

/** Returns a document that was read in its given form. */
export function describeDocument(read: ReadDocument): HeldDocument {
  return giveBack(HELD_DOCUMENT, read) as HeldDocument
}
