/** What a visa in the traveller's hand changes, and what it does not: which days bind him, in which class, and for how long. */
import { describe, expect, it } from "vitest"
import type { HeldDocument } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

const dataset = frozenDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const india = { passport: "IND", ...dates }

// * Who enters on a visa of the destination is not bound by what is allowed to those who enter without one: 90 days are those of the Visa
// Waiver Program (8 CFR 217.2), not of a B visa (8 CFR 214.2(b)) or a student's; 180 days are those of visitors to the United Kingdom
// (Immigration Rules, Appendix V), not of a skilled worker. The stay rules say so: their `requirements` are visa_free and eta.
describe("a visa of the destination in hand", () => {
  it("is not bound by the 90 days of the Visa Waiver Program", () => {
    const stops = [stay("USA", "2026-12-01", "2027-04-29")]
    const held = [{ kind: "visa", issuer: "USA", type: "B1/B2", entries: "multiple" }] as const
    expect(decided(dataset, { passport: "FRA", ...dates, stops, held }).blockers).toEqual([])
  })

  it("is not bound by the 180 days of visitors: a skilled worker in the United Kingdom, on any passport", () => {
    const stops = [stay("GBR", "2026-12-01", "2027-09-29")]
    const held = [{ kind: "visa", issuer: "GBR", type: "Skilled Worker", validUntil: "2029-01-01" }] as const
    expect(decided(dataset, { passport: "IND", ...dates, stops, held }).blockers).toEqual([])
    expect(decided(dataset, { passport: "USA", ...dates, stops, held }).blockers).toEqual([])
  })

  it("is not blocked for a stay within the days that the step gives as the longest stay", () => {
    const stops = [stay("MEX", "2026-12-01", "2027-09-29")]
    const held = [{ kind: "visa", issuer: "MEX", durationOfStayDays: 365, validUntil: "2029-01-01" }] as const
    const decision = decided(dataset, { passport: "USA", ...dates, stops, held })
    expect(decision.steps[0]?.maxStay).toMatchObject({ value: 365 })
    expect(decision.blockers).toEqual([])
  })
})

// * A Schengen visa "may be issued for up to five years, allowing a stay of maximum 90 days during a period of 180 days" (swedenabroad.se,
// For how long is a visa valid?; Regulation (EC) No 810/2009, Art. 2(2) and 24(2)): on a sticker that is valid for more than 180 days, 90
// days are those of any 180, and not of all five years.
const held = [
  {
    kind: "visa",
    issuer: "FRA",
    type: "C",
    validFrom: "2026-11-01",
    validUntil: "2031-10-31",
    entries: "multiple",
    durationOfStayDays: 90,
  },
] as const
const trip = (second: { from: string; to: string }) => [
  stay("FRA", "2026-12-01", "2027-01-29"),
  stay("IND", "2027-01-30", second.from),
  stay("FRA", second.from, second.to),
]

it("A visa of five years gives ninety days in every 180", () => {
  const codesOf = (from: string, to: string) =>
    decided(dataset, { ...india, stops: trip({ from, to }), held }).blockers.map(({ code }) => code)
  expect(codesOf("2027-09-01", "2027-10-30")).toEqual([])
  expect(codesOf("2027-03-01", "2027-04-10")).not.toEqual([])
})

// A visa of type A lets its holder pass through the international area of an airport, and not enter (Regulation (EC) No 810/2009, Art.
// 2(5)).
it("An airport transit visa is not the visa that a stay requires", () => {
  const decision = decided(dataset, {
    passport: "IND",
    passportExpiry: "2035-01-01",
    passportIssued: "2025-06-01",
    stops: [stay("FRA", "2026-12-01", "2026-12-10")],
    held: [{ kind: "visa", issuer: "FRA", type: "A", validUntil: "2027-03-01" }],
  })
  expect(decision.conditions.map(({ code }) => code)).toContain("visa_required")
  expect(decision.held[0]?.steps).toEqual([])
})

// * "What a traveller does not say about a document is not guessed" (docs/decisions/held-documents.md), and `type` is a class "in the issuer's own words". A
// visa of France that is valid for a year may be a long-stay visa (a VLS-TS is one), whose days do not count (Regulation (EU) 2016/399,
// Art. 6(2)): its days may count and do not certainly, so that 200 days are unknown and not blocked.
describe("a visa that is not said to be for a short stay", () => {
  for (const type of [undefined, "VLS-TS"]) {
    it(`may not count in the zone: ${type ?? "no class given"}`, () => {
      const { blockers } = decided(dataset, {
        passport: "IND",
        passportExpiry: "2035-01-01",
        passportIssued: "2025-06-01",
        stops: [stay("FRA", "2026-12-01", "2027-06-18")],
        held: [{ kind: "visa", issuer: "FRA", type, validFrom: "2026-11-01", validUntil: "2027-11-01" }],
      })
      expect(blockers).toEqual([])
    })
  }
})

// * Visitors are those who stay without a permit or a long-stay visa: days of others do not count (Regulation (EU) 2016/399, Art. 6(2)).
describe("a residence permit of the destination", () => {
  it("is used for the entry, also if the passport needs no visa or a visa is held", () => {
    const permit = { kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" } as const
    const visa = { kind: "visa", issuer: "FRA", type: "C", durationOfStayDays: 90 } as const
    for (const held of [
      [permit, visa],
      [visa, permit],
    ])
      for (const passport of ["IND", "USA"]) {
        const decision = decided(dataset, {
          passport,
          ...dates,
          held,
          stops: [stay("FRA", "2026-12-01", "2026-12-20")],
        })
        expect(decision.held.map(({ steps }) => steps)).toEqual(held.map(each => (each === permit ? [0] : [])))
        expect([decision.outcome, decision.steps[0]?.zoneStay]).toEqual(["clear", null])
      }
  })

  it("lets its holder change planes there on the same journey, even if a visitor's days would be used up", () => {
    const documents: HeldDocument[] = [
      { kind: "visa", issuer: "SGP" },
      { kind: "residence_permit", issuer: "SGP" },
    ]
    for (const held of [documents, documents.toReversed()]) {
      const stops = [stay("SGP", "2027-03-01", "2027-04-20")]
      const decision = decided(dataset, { passport: "CAF", ...dates, held, stops, transit: ["SGP"] })
      expect(decision.transit[0]?.permitted).toMatchObject({ value: "yes" })
    }
  })
})
