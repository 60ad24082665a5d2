/**
 * What does the reference say of each field of a question about a journey?
 *
 * A line about it and an example, by the field's name, or by its object and its name where two objects have one of that name. In a file of its
 * own, because code that only reads a question needs no words.
 */
import { tellFields, tellKind, type Words } from "../fields/tell.ts"
import { HELD_DOCUMENT } from "../requirement/held-documents.ts"
import { BARE_REQUEST, PASSPORT } from "./request-fields.ts"

const WORDS: Words = {
  passport: ["Who issued the passport.", "FRA"],
  passportExpiry: ["Last day of its validity.", "2027-03-01"],
  passportIssued: ["Day of its issue.", "2017-03-02"],
  passportKind: ["The kind of passport or travel document; ordinary where it is left out.", "diplomatic"],
  passportBiometric: ["Whether it has a chip with the holder's data. Not known where it is left out.", true],
  passportIdentityNumber: [
    "Whether it names the holder's national identity number, as rules for Taiwan ask. Not known where it is left out.",
    true,
  ],
  passports: [
    "Instead of passport: 1 to 10 distinct passports of the same traveller, with their dates or as bare codes; two of one issuer differ in their kind.",
  ],
  residence: [
    "Where the traveller lives: taken for a residence permit where a rule names one and held has none of that country; else echoed and not modelled.",
    "FRA",
  ],
  held: ["At most 20 visas and residence permits in hand; entries are those that are left."],
  earlierStays: [
    "At most 100 stays that end before the first stop, or on its first day; their days count where stays add up.",
  ],
  permit: ["Given where a permit of the destination covered the stay, so that its days do not count.", "residence"],
  stops: ["1 to 12 stays in order; both ends count; one may begin on the day on which the one before it ends."],
  destination: ["The territory entered; territories have codes of their own (PYF, GRL, HKG).", "THA"],
  from: ["First day there; counts.", "2026-12-01"],
  to: ["Last day there; counts.", "2026-12-20"],
  "Stop.to": ["Last day there; counts. The last stop may leave it out: the stay has no known end.", "2026-12-20"],
  "Stop.passport": ["The passport to be used here, one of those given; the best one where it is left out.", "FRA"],
  "Stop.by": [
    "How the traveller arrives: by air, land or sea. Rules that hold at some borders only are judged with it.",
    "air",
  ],
  transit: [
    "At most 12 countries where the traveller only changes, as codes or with what is known of the change.",
    ["ARE"],
  ],
  country: ["Where the traveller changes.", "ARE"],
  airside: [
    "True for a change inside the international area of an airport, false for one that leaves it; where it is left out, both have to be possible.",
    true,
  ],
  "TransitCountry.by": ["How the traveller arrives there; only who arrives by air can stay airside.", "air"],
  purpose: ["Echoed and not modelled.", "tourism"],
  travellers: ["Instead of the fields of one traveller: 1 to 10 travellers on one journey."],
  "HeldDocument.kind": ["What it is; eta: a travel authorisation, such as ESTA or the UK ETA.", "visa"],
  "HeldDocument.issuer": ["Who issued it.", "USA"],
  "HeldDocument.type": ["Its class in the issuer's own words, such as C or B1/B2.", "C"],
  "HeldDocument.issuedOn": ["Day of its issue.", "2025-05-02"],
  "HeldDocument.validFrom": ["First day of its validity.", "2026-01-01"],
  "HeldDocument.validUntil": ["Last day of its validity.", "2027-12-31"],
  "HeldDocument.entries": ["Entries that are left.", "multiple"],
  "HeldDocument.durationOfStayDays": ["Days that a stay under it may last.", 90],
  "HeldDocument.used": ["Whether it was used to enter its issuer before.", true],
  "HeldDocument.permanent": ["Whether the residence has no end."],
  "HeldDocument.electronic": ["Whether it exists electronically only.", false],
}

/** What the wire takes: one traveller, or `travellers`. */
export const DECISION_REQUEST = /* @__PURE__ */ tellKind(BARE_REQUEST, WORDS)

/** The fields of a passport, for an answer that gives them back. */
export const TOLD_PASSPORT = /* @__PURE__ */ tellFields("HeldPassport", PASSPORT, WORDS)
/** Those of a held document, likewise. */
export const TOLD_DOCUMENT = /* @__PURE__ */ tellFields("HeldDocument", HELD_DOCUMENT.fields, WORDS)
