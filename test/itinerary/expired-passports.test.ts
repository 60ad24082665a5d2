/**
 * European Agreement on Regulations governing the Movement of Persons between Member States of the Council of Europe (ETS No. 25, Paris, 13 December
 * 1957), Art. 1: nationals of a party enter another one for visits of at most three months on a document of the appendix. There, some states name
 * passports that expired within the last five years, and Germany within the last year. Turkey's own list names seven of them.
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const journey = (passport: string, passportExpiry: string, destination: string, to = "2027-03-10") =>
  decided(dataset, {
    passport,
    passportExpiry,
    passportIssued: "2014-01-01",
    stops: [stay(destination, "2027-03-01", to)],
  })
const blockersOf = (...asked: Parameters<typeof journey>) => journey(...asked).blockers.map(({ code }) => code)

describe("a passport that expired", () => {
  it.each(["BEL", "CHE", "ESP", "FRA", "LUX", "PRT"])(
    "less than five years ago serves a national of %s in Turkey",
    passport => {
      const decision = journey(passport, "2022-03-11", "TUR")
      expect(decision.blockers).toEqual([])
      expect(decision.steps[0]!.passportValidity).toMatchObject({ value: "met", rule: { expiredWithinYears: 5 } })
      expect(blockersOf(passport, "2022-03-10", "TUR")).toContain("passport_expired")
    },
  )

  it("less than one year ago is accepted for a German in Turkey", () => {
    expect(blockersOf("DEU", "2026-03-11", "TUR")).toEqual([])
    expect(blockersOf("DEU", "2026-03-10", "TUR")).toContain("passport_expired")
  })

  it("is to be checked with the carrier, so that the outcome is never clear", () => {
    for (const destination of ["TUR", "ITA", "GRC"]) {
      const { outcome, conditions } = journey("FRA", "2025-01-01", destination)
      expect([outcome, conditions.map(({ code }) => code)]).toEqual(["unknown", ["expired_accepted"]])
    }
  })

  it("also if it expires during the stay", () => {
    expect(journey("FRA", "2027-03-05", "TUR")).toMatchObject({ outcome: "unknown", blockers: [] })
    expect(journey("FRA", "2027-03-10", "TUR")).toMatchObject({ outcome: "clear", blockers: [] })
  })

  it("is accepted in the other parties to the agreement, not in Poland", () => {
    expect(blockersOf("AUT", "2025-01-01", "FRA")).toEqual([])
    expect(blockersOf("FRA", "2025-01-01", "CHE")).toEqual([])
    expect(blockersOf("FRA", "2025-01-01", "POL")).toEqual(["passport_expired", "passport_expires_before_exit"])
  })

  it("is not accepted from nationals of parties that list valid passports only, nor from others", () => {
    expect(blockersOf("NLD", "2026-12-01", "TUR")).toContain("passport_expired")
    expect(blockersOf("NLD", "2026-12-01", "FRA")).toContain("passport_expired")
    expect(blockersOf("USA", "2026-12-01", "FRA")).toContain("passport_expired")
  })

  it("is not accepted for a visit of more than three months: Art. 1(2)", () => {
    expect(blockersOf("FRA", "2025-01-01", "ITA", "2027-05-31")).toEqual([])
    expect(blockersOf("FRA", "2025-01-01", "ITA", "2027-06-01")).toContain("passport_expired")
  })

  it("is accepted for the return to the traveller's own state: Art. 5", () => {
    expect(blockersOf("FRA", "2025-01-01", "FRA")).toEqual([])
  })

  it("blocks the stop on the way that does not accept it", () => {
    const { blockers } = decided(dataset, {
      passport: "FRA",
      passportExpiry: "2027-02-26",
      passportIssued: "2020-01-01",
      stops: [stay("GEO", "2027-02-20", "2027-02-28"), stay("TUR", "2027-03-01", "2027-03-10")],
    })
    expect(blockers.map(({ step, code }) => `${step} ${code}`)).toContain("0 passport_expires_before_exit")
  })
})
