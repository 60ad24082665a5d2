/**
 * A passport has to be issued within the ten years before the arrival: Regulation (EU) 2016/399, Art. 6(1)(a)(ii). Where the date of issue is not
 * given, a passport is younger than that if its issuer's are valid for ten years at most: it is valid for at least three months after the stay.
 * British passports that were issued before September 2018 are valid for up to ten years and nine months.
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

const stops = [stay("FRA", "2026-12-01", "2026-12-20")]
const codesFor = (passport: string, passportExpiry: string, more: object = {}) => {
  const { outcome, blockers, unknowns } = decided(embeddedDataset(), { passport, passportExpiry, stops, ...more })
  return [outcome, ...blockers.map(({ code }) => code), ...unknowns.map(({ code }) => code)]
}

describe("a passport whose date of issue is not given", () => {
  it("is young enough if its issuer's passports are valid for ten years at most", () => {
    for (const passport of ["USA", "JPN", "CAN", "BRA", "SGP", "ISR"]) {
      expect(codesFor(passport, "2027-04-01"), passport).toEqual(["clear"])
    }
  })

  it("of the United Kingdom may be too old in its last nine months, and not before", () => {
    expect(codesFor("GBR", "2027-09-01")).toEqual(["unknown", "issue_date_not_given"])
    expect(codesFor("GBR", "2027-09-02")).toEqual(["clear"])
  })

  it("leaves it open if nothing is recorded of its issuer, or the passport is not an ordinary one", () => {
    expect(codesFor("MAR", "2033-01-01")).toContain("issue_date_not_given")
    // Venezuela prolongs passports of ten years by five more.
    expect(codesFor("VEN", "2031-12-01")).toEqual(["unknown", "issue_date_not_given"])
    expect(codesFor("VEN", "2031-12-02")).toEqual(["clear"])
    expect(codesFor("USA", "2033-01-01", { passportKind: "diplomatic" })).toContain("passport_kind_not_recorded")
  })

  it("still has to be valid for three months after the stay", () => {
    expect(codesFor("USA", "2027-03-01")).toEqual(["blocked", "passport_validity_short"])
  })
})

// "Every blocker that applies is listed" (spec/03, 5).
it("A passport that was issued too long ago is too old, though its expiry is not given", () => {
  const decision = decided(frozenDataset(), { passport: "USA", passportIssued: "2010-01-01", stops })
  expect(decision.blockers.map(({ code }) => code)).toEqual(["passport_validity_short"])
})
