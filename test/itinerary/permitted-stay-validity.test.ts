/**
 * Rules of passport validity that count from the permitted stay, or are recorded for some passports alone: Law 6458 of Turkey, Arts. 7(1)(b) and 18
 * (sixty days beyond the end of the visa, exemption or permit: with 90 days 150 days from the day of entry), and INA 212(a)(7)(B) with 22 CFR
 * 41.104(b) (passports that count as valid for six months beyond their end).
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset, lookupHeld } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const week = stay("TUR", "2027-03-01", "2027-03-08")
const found = (request: Parameters<typeof decided>[1]) => {
  const { steps, blockers, unknowns } = decided(dataset, request)
  const validity = steps[0]!.passportValidity
  return {
    validity: validity.status === "known" ? validity.value : validity.code,
    said: blockers.filter(({ code }) => code === "passport_validity_short").map(({ message }) => message),
    unknown: unknowns.filter(({ field }) => field === "passportValidity").map(({ code }) => code),
  }
}

describe("Law 6458: a passport at the border of Turkey", () => {
  it("is valid for 60 days beyond the 90 that are permitted, however short the stay is: 150 days from the entry", () => {
    // 150 days after 1 March are 29 July.
    expect(found({ passport: "GBR", passportExpiry: "2027-07-29", stops: [week] }).validity).toBe("met")
    expect(found({ passport: "GBR", passportExpiry: "2027-07-28", stops: [week] })).toEqual({
      validity: "not_met",
      said: [
        "The GBR passport expires on 2027-07-28: TUR asks that it be valid for 60 days after the end of the permitted stay of 90 days.",
      ],
      unknown: [],
    })
  })

  it("is shown with the visa in hand whose days are not given, not with an electronic one to obtain beside it", () => {
    const held = ["TUR", "USA"].map(issuer => ({ kind: "visa" as const, issuer, validUntil: "2030-01-01" }))
    const asked = { passport: "IND", passportExpiry: "2036-01-01", held, stops: [week] }
    const { outcome, toDo, unknowns } = decided(dataset, asked)
    expect([outcome, toDo]).toEqual(["unknown", []])
    expect(unknowns.map(({ code }) => code)).toContain("stay_set_by_document")
  })

  it("is counted from the end of the stay that a visa gives", () => {
    const held = [{ kind: "visa" as const, issuer: "TUR", validUntil: "2027-03-31", durationOfStayDays: 30 }]
    const until = (passportExpiry: string) => found({ passport: "IND", passportExpiry, held, stops: [week] }).validity
    expect(until("2027-05-30")).toBe("met")
    expect(until("2027-05-29")).toBe("not_met")
  })

  it("is valid for long enough if it outlasts the longest stay of any answer, and lets its holder enter on his own visa", () => {
    expect(found({ passport: "IND", passportExpiry: "2199-12-31", stops: [week] }).validity).toBe("met")
    // The waiver for the other visa asks for an electronic visa.
    const held = [
      { kind: "visa" as const, issuer: "TUR", type: "D" },
      { kind: "visa" as const, issuer: "USA", validUntil: "2026-12-20" },
    ]
    const looked = lookupHeld(dataset, "GNQ", "TUR", { held })
    expect(looked.ok && looked.value.kind === "found" && looked.value.because.map(({ document }) => document)).toEqual([
      0,
    ])
  })

  it("may be too short if the permitted stay is unknown, and is too short if it ends less than 60 days after the departure", () => {
    const until = (passportExpiry: string) => found({ passport: "IND", passportExpiry, stops: [week] })
    expect(until("2035-01-01")).toEqual({
      validity: "permitted_stay_not_known",
      said: [],
      unknown: ["permitted_stay_not_known"],
    })
    expect(until("2027-05-06")).toEqual({
      validity: "not_met",
      said: [
        "The IND passport expires on 2027-05-06: TUR asks that it be valid for 60 days after the end of the permitted stay.",
      ],
      unknown: [],
    })
  })
})

/**
 * European Agreement on Regulations governing the Movement of Persons between Member States of the Council of Europe (ETS No. 25), Art. 1: nationals
 * of the parties enter for up to three months on an identity card or a passport.
 */
describe("a passport of a state whose nationals enter Turkey on an identity card", () => {
  it("need only be valid for the stay", () => {
    for (const passport of ["DEU", "FRA", "CHE", "NLD"]) {
      expect(found({ passport, passportExpiry: "2027-03-08", stops: [week] }).validity).toBe("met")
    }
    for (const passport of ["GRC", "ITA", "LIE", "MLT", "NLD"]) {
      expect(found({ passport, passportExpiry: "2027-03-07", stops: [week] }).validity).toBe("not_met")
    }
  })

  it("may need 60 days more if it is unknown whether an agreement applies", () => {
    for (const passport of ["UKR", "POL", "GEO"]) {
      expect(found({ passport, passportExpiry: "2027-04-01", stops: [week] })).toEqual({
        ...{ validity: "validity_not_named", said: [], unknown: ["validity_not_named"] },
      })
    }
  })
})

describe("22 CFR 41.104(b): a passport at the border of the United States", () => {
  const newYork = stay("USA", "2027-03-01", "2027-03-08")

  it("of a state that the list names need only be valid for the stay", () => {
    for (const passport of ["AUS", "CHL", "ROU", "FRA", "JPN", "IND"]) {
      expect(found({ passport, passportExpiry: "2027-03-08", stops: [newYork] }).validity).toBe("met")
      expect(found({ passport, passportExpiry: "2027-03-07", stops: [newYork] }).validity).toBe("not_met")
    }
  })

  it("of another state must be valid for six months more: INA 212(a)(7)(B)", () => {
    for (const passport of ["CHN", "KEN", "VNM"]) {
      expect(found({ passport, passportExpiry: "2027-09-08", stops: [newYork] }).validity).toBe("met")
      expect(found({ passport, passportExpiry: "2027-09-07", stops: [newYork] })).toMatchObject({
        validity: "not_met",
        said: [
          `The ${passport} passport expires on 2027-09-07: USA asks that it be valid for 6 months after departure.`,
        ],
      })
    }
  })
})
