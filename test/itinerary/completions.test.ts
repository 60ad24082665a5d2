/** `clear` is a proof: whatever else the traveller could have said, nothing blocks. A sample; `npx vitest run --project nightly` asks 50,000 journeys. */
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { findUnproven, listTypes } from "./completions.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2036-01-01", passportIssued: "2026-06-02" }

describe("what is clear", () => {
  it("stays without a blocker, whatever a random journey left out", () => {
    const { clear, completions, unproven } = findUnproven(dataset, 0, 500)
    expect(unproven).toEqual([])
    expect(clear).toBeGreaterThan(50)
    expect(completions).toBeGreaterThan(1_500)
  })

  it("says that a document without a last day, or a visa without its days or class, is taken to be valid for the stay", () => {
    const visa = { kind: "visa" as const, issuer: "POL", type: "C", validUntil: "2028-11-22", durationOfStayDays: 30 }
    const assumed = (passport: string, held: object | null, residence: string | null = null) => {
      const more = { held: held === null ? null : [held as typeof visa], residence }
      const asked = { passport, ...dates, stops: [stay("BEL", "2027-01-16", "2027-01-22")], ...more }
      return decided(dataset, asked)
        .unknowns.filter(({ code }) => code === "document_assumed")
        .map(({ field, reason }) => `${field}: ${reason}`)
    }
    const sentence = "Assumed: the visa of POL that is held is valid for such a visit and the whole stay."
    expect(assumed("IND", visa)).toEqual([])
    expect(assumed("IND", { ...visa, durationOfStayDays: null })).toEqual([`held[0]: ${sentence}`])
    expect(assumed("IND", { ...visa, validUntil: null })).toEqual([`held[0]: ${sentence}`])
    expect(assumed("USA", { ...visa, validUntil: null })).toEqual([])
  })

  it("stays without a blocker, or names what is assumed, whatever the class of a visa turns out to be", () => {
    const issuers = dataset.destinations.filter(issuer => listTypes(issuer).length > 0)
    const ends = ["2027-01-15", "2027-02-09", "2027-06-01"]
    const cases = issuers.flatMap(issuer =>
      ["IND", "USA"].flatMap(passport =>
        [null, "tourism", "business", "transit"].flatMap(purpose =>
          [null, 90].flatMap(days => ends.map(to => ({ issuer, passport, purpose, days, to }))),
        ),
      ),
    )
    const blocked = new Set<string>()
    for (const { issuer, passport, purpose, days, to } of cases) {
      const visa = { kind: "visa" as const, issuer, validUntil: "2030-01-01", durationOfStayDays: days }
      const stops = [stay(issuer, "2027-01-10", to)]
      const decideOn = (type: string | null) =>
        decided(dataset, { passport, ...dates, purpose, held: [{ ...visa, type }], stops })
      const { outcome, unknowns } = decideOn(null)
      if (outcome !== "clear") continue
      if (listTypes(issuer).every(type => decideOn(type).outcome !== "blocked")) continue
      blocked.add(issuer)
      expect(unknowns.map(({ code, field }) => `${code} ${field}`)).toContain("document_assumed held[0]")
    }
    expect([...blocked].sort()).toEqual(["MAR", "QAT", "RUS", "SAU", "TUR", "UKR", "USA"])
  })

  it("is not the journey of a traveller who moves freely with a passport that ends, if its end is not given", () => {
    const asked = (to: string | null) => ({
      passport: "LIE",
      ...dates,
      stops: [{ ...stay("NLD", "2027-01-16", ""), to }],
    })
    expect(decided(dataset, asked("2027-01-22")).outcome).toBe("clear")
    expect(decided(dataset, asked(null)).outcome).toBe("unknown")
    expect(decided(dataset, asked("2036-01-02")).outcome).toBe("blocked")
  })
})
