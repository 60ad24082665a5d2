/** Documents that waive a transit visa: Regulation (EC) No 810/2009, Art. 3(5)(b), exempts "holders of a valid visa". */
import { describe, expect, it } from "vitest"
import type { DocumentTerms } from "../../src/compiler.ts"
import type { HeldDocument } from "../../src/requirement/held-documents.ts"
import type { World } from "../oracles/decide.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const world: World = {
  sinceOn: "2026-01-01",
  passports: ["NGA"],
  destinations: ["BRA", "DEU", "NGA", "USA"],
  entries: { NGABRA: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 90, free: false }] },
  follows: {},
  zones: [],
  validity: [],
  transit: [],
}

const judgeTransit = (terms: Partial<DocumentTerms>, document: Partial<HeldDocument>) => {
  const dataset = openWorld(world, {
    transit: [
      {
        area: "airside",
        demand: "visa",
        hours: null,
        condition: null,
        isComplete: true,
        confidence: "high",
        passports: null,
        destinations: ["DEU"],
        waivedFor: [{ kind: "visa", issuers: ["USA"], ...terms }],
        source: null,
        sourceUrl: null,
        verifiedOn: null,
      },
    ],
  })
  const decision = decided(dataset, {
    passport: "NGA",
    passportExpiry: "2035-01-01",
    stops: [stay("BRA", "2026-12-01", "2026-12-10"), stay("BRA", "2026-12-15", "2026-12-20")],
    transit: ["DEU"],
    held: [{ kind: "visa", issuer: "USA", ...document }],
  })
  return { because: decision.transit[0]?.because, gaps: reasonsOf(decision) }
}
const becauseOf = (terms: Partial<DocumentTerms>, document: Partial<HeldDocument>) =>
  judgeTransit(terms, document).because

describe("a document that waives a transit visa", () => {
  it("is valid from the first day of the journey to the last, because nobody says when the traveller changes", () => {
    expect(becauseOf({}, {})).toEqual([0])
    expect(becauseOf({}, { validFrom: "2026-12-01", validUntil: "2026-12-20" })).toEqual([0])
    for (const ended of ["2026-11-30", "2026-12-01", "2026-12-02", "2026-12-19"]) {
      expect(becauseOf({}, { validUntil: ended })).toEqual([])
    }
    expect(becauseOf({}, { validFrom: "2026-12-02" })).toEqual([])
  })

  it("may have ended for as long as the rule accepts it", () => {
    expect(becauseOf({ expiredWithinYears: 1 }, { validUntil: "2025-12-21" })).toEqual([0])
    expect(becauseOf({ expiredWithinYears: 1 }, { validUntil: "2025-12-20" })).toEqual([])
  })

  it("has the days left that the rule asks for, on the last day too", () => {
    expect(becauseOf({ validDaysAfterEntry: 30 }, { validUntil: "2027-01-19" })).toEqual([0])
    expect(becauseOf({ validDaysAfterEntry: 30 }, { validUntil: "2027-01-18" })).toEqual([])
  })

  it("is said to waive it, and is known where it does not", () => {
    expect(judgeTransit({}, { validUntil: "2026-12-20" }).gaps.slice(2)).toEqual([
      `- transit[0].permitted: ${SAID.transit_waived}`,
    ])
    expect(judgeTransit({}, { validUntil: "2026-12-02" }).gaps.slice(2)).toEqual([
      `- transit[0].permitted: ${SAID.transit_not_decided}`,
    ])
  })
})
