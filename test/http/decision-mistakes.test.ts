import { assert, describe, it } from "vitest"
import { readItinerary } from "../../adapters/answers/decision.ts"
import { DECISION_REQUEST, type ObjectKind } from "../../src/engine.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const running = share(startTestService)

const stop = { destination: "THA", from: "2026-12-01", to: "2026-12-20" }
const alone = { passport: "FRA", stops: [stop] }
const visa = { kind: "visa", issuer: "FRA" }
const stay = { destination: "FRA", from: "2026-11-05", to: "2026-11-06" }
const holding = (document: unknown) => ({ ...alone, held: [document] })
const after = (earlier: unknown) => ({ ...alone, earlier_stays: [earlier] })
const together = (...travellers: readonly unknown[]) => ({ stops: [stop], travellers })

const NO_CODE = "not an ISO 3166-1 alpha-3 code in capital letters, such as USA"
/** What a refused code of France is told. */
const MEANT = "The code of France is FRA."
const NO_KEY = "not an ISO 3166-1 alpha-3 code: three capital letters"
const NO_DATE = "not a calendar date YYYY-MM-DD from 1900 to 2199"
const NO_ENTRIES = 'neither "multiple" nor a whole number from 1 to 3650'
const known = (...fields: readonly string[]) => `There is no such field; known: ${fields.join(", ")}.`
const namesOf = ({ fields }: ObjectKind) => Object.values(fields).map(({ wire }) => wire)
const DOCUMENT_FIELDS = namesOf(DECISION_REQUEST.fields.held.is.of)
const TRAVELLER_FIELDS = namesOf(DECISION_REQUEST.fields.travellers.is.of)

const MISTAKES: readonly (readonly [name: string, request: object, path: string, message: string])[] = [
  ["documents that are not a list", { ...alone, held: "visa" }, "held", '"visa" is not an array.'],
  ["too many documents", { ...alone, held: Array(21).fill(visa) }, "held", "0 to 20 entries are expected, not 21."],
  ["a document that is none", holding("FRA"), "held[0]", '"FRA" is not an object.'],
  [
    "a document of another kind",
    holding({ ...visa, kind: "passport" }),
    "held[0].kind",
    '"passport" is neither visa nor residence_permit nor eta.',
  ],
  [
    "an issuer that is not a code",
    holding({ ...visa, issuer: "FR" }),
    "held[0].issuer",
    `"FR" is ${NO_CODE}. ${MEANT}`,
  ],
  [
    "a document without an issuer",
    holding({ kind: "visa" }),
    "held[0].issuer",
    `It is required, as ${NO_CODE.slice(4)}.`,
  ],
  ["an empty class", holding({ ...visa, type: "" }), "held[0].type", '"" is not a text of 1 to 40 characters.'],
  [
    "a first day that no calendar has",
    holding({ ...visa, valid_from: "2026-02-30" }),
    "held[0].valid_from",
    `"2026-02-30" is ${NO_DATE}.`,
  ],
  ["a last day that is a number", holding({ ...visa, valid_until: 5 }), "held[0].valid_until", `5 is ${NO_DATE}.`],
  [
    "a visa that ends before it begins",
    holding({ ...visa, valid_from: "2026-12-02", valid_until: "2026-12-01" }),
    "held[0].valid_until",
    '"2026-12-01" is before the first day of its validity, 2026-12-02.',
  ],
  ["a visa without entries", holding({ ...visa, entries: 0 }), "held[0].entries", `0 is ${NO_ENTRIES}.`],
  ["entries in words", holding({ ...visa, entries: "many" }), "held[0].entries", `"many" is ${NO_ENTRIES}.`],
  [
    "a stay of no days",
    holding({ ...visa, duration_of_stay_days: 0 }),
    "held[0].duration_of_stay_days",
    "0 is not a whole number from 1 to 3650.",
  ],
  ["a use in words", holding({ ...visa, used: "yes" }), "held[0].used", '"yes" is neither true nor false.'],
  ["a visa without end", holding({ ...visa, permanent: true }), "held[0].permanent", "A visa is never permanent."],
  [
    "a medium that is a number",
    holding({ ...visa, electronic: 1 }),
    "held[0].electronic",
    "1 is neither true nor false.",
  ],
  [
    "a document's field in another spelling",
    holding({ ...visa, validUntil: "2027-01-01" }),
    "held[0].validUntil",
    "There is no such field; it is spelled valid_until.",
  ],
  [
    "a document's field that no other one is like",
    holding({ ...visa, colour: "green" }),
    "held[0].colour",
    known(...DOCUMENT_FIELDS),
  ],
  [
    "a document's misspelt field",
    holding({ ...visa, valid_untill: "2027-01-01" }),
    "held[0].valid_untill",
    `${known(...DOCUMENT_FIELDS)} Did you mean valid_until?`,
  ],
  ["a residence that is not a code", { ...alone, residence: "fra" }, "residence", `"fra" is ${NO_KEY}. ${MEANT}`],
  ["earlier stays that are not a list", { ...alone, earlier_stays: {} }, "earlier_stays", "An object is not an array."],
  [
    "too many earlier stays",
    { ...alone, earlier_stays: Array(101).fill(stay) },
    "earlier_stays",
    "0 to 100 entries are expected, not 101.",
  ],
  ["an earlier stay that is none", after(7), "earlier_stays[0]", "7 is not an object."],
  [
    "an earlier stay nowhere",
    after({ ...stay, destination: "FR" }),
    "earlier_stays[0].destination",
    `"FR" is ${NO_KEY}. ${MEANT}`,
  ],
  ["an earlier stay on no day", after({ ...stay, from: "x" }), "earlier_stays[0].from", `"x" is ${NO_DATE}.`],
  [
    "an earlier stay that ends before it begins",
    after({ ...stay, to: "2026-11-01" }),
    "earlier_stays[0].to",
    '"2026-11-01" is before the first day of the stay, 2026-11-05.',
  ],
  [
    "an earlier stay that is not earlier",
    after({ ...stay, to: "2026-12-02" }),
    "earlier_stays[0].to",
    "The stay ends after the first day of the itinerary, 2026-12-01.",
  ],
  [
    "another permit",
    after({ ...stay, permit: "work" }),
    "earlier_stays[0].permit",
    '"work" is neither "residence" nor "national_visa"; leave it out for a visitor.',
  ],
  [
    "an earlier stay's unknown field",
    after({ ...stay, days: 2 }),
    "earlier_stays[0].days",
    known("destination", "from", "to", "permit"),
  ],
  ["no travellers", together(), "travellers", "1 to 10 entries are expected, not 0."],
  [
    "too many travellers",
    together(...Array(11).fill({ passport: "FRA" })),
    "travellers",
    "1 to 10 entries are expected, not 11.",
  ],
  ["travellers that are not a list", { stops: [stop], travellers: "FRA" }, "travellers", '"FRA" is not an array.'],
  ["a traveller who is a code", together("FRA"), "travellers[0]", '"FRA" is not an object.'],
  ["a traveller without a passport", together({}), "travellers[0].passport", `It is required, as ${NO_KEY.slice(4)}.`],
  [
    "a traveller's misspelt date",
    together({ passport: "FRA", expiry: "2027-01-01" }),
    "travellers[0].expiry",
    known(...TRAVELLER_FIELDS),
  ],
  [
    "a traveller's date that no calendar has",
    together({ passport: "JPN" }, { passport: "FRA", passport_expiry: "2026-13-01" }),
    "travellers[1].passport_expiry",
    `"2026-13-01" is ${NO_DATE}.`,
  ],
  [
    "a traveller's visa without entries",
    together({ passport: "FRA", held: [{ ...visa, entries: 0 }] }),
    "travellers[0].held[0].entries",
    `0 is ${NO_ENTRIES}.`,
  ],
  [
    "one traveller and several",
    { ...alone, travellers: [{ passport: "FRA" }] },
    "passport",
    known("travellers", "stops", "transit", "purpose"),
  ],
  [
    "a stop's passport among several travellers",
    { stops: [{ ...stop, passport: "FRA" }], travellers: [{ passport: "FRA" }] },
    "stops[0].passport",
    "A stop's passport is named for one traveller only.",
  ],
]

describe("POST /api/v1/visa/decision", () => {
  it.each(MISTAKES)("reports the mistake: %s", async (_, request, path, message) => {
    const reply = await running.askAs("pro", "/api/v1/visa/decision", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    })
    assert.strictEqual(reply.status, 400)
    const { example, ...others } = JSON.parse(reply.text)
    assert.deepStrictEqual(others, { error: `${path}: ${message}`, issues: [{ path, message }] })
    assert.isTrue(readItinerary(example).ok)
    assert.isAbove(Date.parse(example.stops[0].from), Date.now())
  })
})
