/**
 * How long a visitor may stay on a visa whose days nobody gave. United States: 8 CFR 214.2(b)(1) (at most one year) and (b)(2) (for pleasure at least
 * six months). Canada: IRPR, s. 183(2) (six months unless an officer says otherwise). United Kingdom: Immigration Rules, Appendix V.
 */
import { describe, expect, it } from "vitest"
import type { HeldDocument } from "../../src/engine.ts"
import { embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const onVisa = (issuer: string, to: string, more: Partial<HeldDocument> = {}) => {
  const held = [{ kind: "visa" as const, issuer, validUntil: "2034-01-01", ...more }]
  const stops = [stay(issuer, "2027-01-01", to)]
  const { outcome, blockers } = decided(embeddedDataset(), { passport: "IND", ...dates, held, stops })
  return [outcome, ...blockers.map(({ code, basis, params }) => `${code} ${basis} ${params.allowed}`)]
}

describe("a stay on a visitor visa of the United States", () => {
  it("is admitted for six months, left open up to a year, and blocked beyond it", () => {
    expect(onVisa("USA", "2027-06-29")).toEqual(["clear"])
    expect(onVisa("USA", "2027-06-30")).toEqual(["unknown"])
    expect(onVisa("USA", "2027-12-31")).toEqual(["unknown"])
    for (const type of ["B1", "B2"]) {
      expect(onVisa("USA", "2028-01-01", { type }), type).toEqual(["blocked", "stay_exceeded held_document 365"])
      expect(onVisa("USA", "2028-12-21", { type }), type).toEqual(["blocked", "stay_exceeded held_document 365"])
    }
    expect(onVisa("USA", "2028-12-21")).toEqual(["unknown"])
  })

  it("is judged so for the classes of visitors alone, however they are written", () => {
    for (const type of ["B1/B2", "b-2", "B 1"]) expect(onVisa("USA", "2027-01-10", { type }), type).toEqual(["clear"])
    expect(onVisa("USA", "2027-01-10", { type: "F1" })).toEqual(["unknown"])
  })
})

describe("a stay on a visa of another state", () => {
  it("is admitted for six months in Canada and in the United Kingdom, and left open beyond it", () => {
    for (const issuer of ["CAN", "GBR"]) {
      expect(onVisa(issuer, "2027-06-29"), issuer).toEqual(["clear"])
      expect(onVisa(issuer, "2027-06-30"), issuer).toEqual(["unknown"])
    }
    expect(onVisa("GBR", "2028-06-30", { type: "C" })).toEqual(["blocked", "stay_exceeded held_document 365"])
  })

  it("is left open if nothing is recorded of its class, unless its days are given", () => {
    expect(onVisa("AUS", "2027-01-10")[0]).not.toBe("clear")
    expect(onVisa("JPN", "2027-01-02")).toEqual(["unknown"])
    expect(onVisa("JPN", "2027-01-01")).toEqual(["clear"])
    expect(onVisa("PHL", "2027-01-10", { durationOfStayDays: 59 })).not.toContain("unknown")
  })
})
