/** Who needs no authorisation although the rule of his passport asks for one, and how long passports must be valid where no border is checked. */
import { describe, expect, it } from "vitest"
import { embeddedDataset, type ItineraryRequest } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const journey = (passport: string, destination: string, more: Partial<ItineraryRequest> = {}) =>
  decided(dataset, {
    passport,
    passportExpiry: "2035-01-01",
    passportIssued: "2026-01-01",
    stops: [stay(destination, "2027-03-01", "2027-03-01")],
    ...more,
  } as ItineraryRequest)
const alsoAt = (...asked: Parameters<typeof journey>) =>
  journey(...asked).conditions.filter(({ code }) => code === "also")

describe("the list of travellers who need no K-ETA (Korea Immigration Service: 17 and under, 65 and over since 2023-07-03, cruise passengers)", () => {
  it("is shown only to travellers who need one", () => {
    expect(alsoAt("MEX", "KOR")[0]!.params).toMatchObject({
      requirement: "visa_free",
      remark: "The traveller is at most 17 or at least 65 years old, or comes on a cruise.",
    })
    expect(alsoAt("CHN", "KOR")).toEqual([])
  })

  it("leaves nothing unknown for the holder of one", () => {
    expect(
      journey("MEX", "KOR", { held: [{ kind: "eta", issuer: "KOR" }] }).conditions.map(({ code }) => code),
    ).toEqual(["also"])
  })
})

describe("the scheme for day trips from France to Guernsey and Jersey, with an identity card (since April 2023)", () => {
  it.each(["GGY", "JEY"])(
    "is told to French travellers to %s, who need the United Kingdom's authorisation otherwise",
    code => {
      expect(alsoAt("FRA", code)[0]!.params).toMatchObject({ requirement: "visa_free" })
      expect(journey("FRA", code).outcome).toBe("obtain")
      expect(alsoAt("DEU", code)).toEqual([])
      expect(alsoAt("FRA", "GBR")).toEqual([])
    },
  )
})

describe("the validity of passports", () => {
  const validityOf = (passport: string, destination: string, passportExpiry: string, passportIssued = "2026-01-01") => {
    const { passportValidity } = journey(passport, destination, { passportExpiry, passportIssued }).steps[0]!
    return passportValidity.status === "known" ? passportValidity.value : passportValidity.code
  }

  it.each(["AND", "MCO", "SMR", "VAT"])(
    "in %s is that of the area around it: Regulation (EU) 2016/399, Art. 6(1)(a)",
    code => {
      expect(validityOf("USA", code, "2027-06-01")).toBe("met")
      expect(validityOf("USA", code, "2027-05-31")).toBe("not_met")
      expect(validityOf("USA", code, "2028-01-01", "2017-03-01")).toBe("not_met")
      // Art. 6 is about third-country nationals.
      expect(validityOf("IRL", code, "2027-03-01")).toBe("met")
    },
  )

  it("in Hong Kong is a month after the stay (Hong Kong Tourism Board)", () => {
    expect(validityOf("USA", "HKG", "2027-04-01")).toBe("met")
    expect(validityOf("USA", "HKG", "2027-03-31")).toBe("not_met")
  })
})
