/**
 * Freedom from a visa for some passports alone: Regulation (EU) 2018/1806, the footnotes of Annex II (biometric passports of the Western Balkans,
 * Moldova, Georgia and Ukraine). Holders of others need a visa by Annex I.
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset, type ItineraryRequest } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const found = (request: Omit<ItineraryRequest, "stops">, destination = "DEU") => {
  const decision = decided(dataset, { ...dates, ...request, stops: [stay(destination, "2027-03-01", "2027-03-10")] })
  const { requirement } = decision.steps[0]!
  return {
    outcome: decision.outcome,
    requirement: requirement.status === "known" ? requirement.value : null,
    conditions: decision.conditions.map(({ code }) => code).filter(code => code !== "entry_exit_system"),
    instead: decision.conditions.find(({ code }) => code === "visa_instead")?.message ?? null,
  }
}

describe("Regulation (EU) 2018/1806, Annex II, footnotes: at the border of the Schengen area", () => {
  it.each(["SRB", "ALB", "BIH", "MKD", "MNE", "MDA", "GEO", "UKR", "XKX"])(
    "a biometric passport of %s needs no visa, and another one does",
    passport => {
      expect(found({ passport, passportBiometric: true })).toEqual({
        outcome: "clear",
        requirement: "visa_free",
        conditions: ["authorisation_announced"],
        instead: null,
      })
      expect(found({ passport, passportBiometric: false })).toEqual({
        outcome: "obtain",
        requirement: "visa_required",
        conditions: ["visa_required", "visa_instead", "insurance"],
        instead:
          "Instead of the entry without a visa, DEU asks for a visa of holders of passports that are not biometric.",
      })
    },
  )

  it.each(["SRB", "ALB", "BIH", "MKD", "MNE", "MDA", "XKX"])(
    "a passport of %s is biometric: of those without a chip none is valid any more",
    passport => {
      expect(found({ passport })).toMatchObject({ outcome: "clear", conditions: ["authorisation_announced"] })
      expect(found({ passport, passportIssued: null }).outcome).toBe("clear")
      expect(found({ passport, passportKind: "service" }).outcome).toBe("unknown")
    },
  )

  it.each(["GEO", "UKR"])(
    "it is left open of %s, whose last passports without a chip are not known to have ended",
    passport => {
      expect(found({ passport })).toMatchObject({
        outcome: "unknown",
        requirement: "visa_free",
        conditions: ["passport_kind", "authorisation_announced"],
      })
    },
  )

  it("it is left open of a passport that was issued before the day from which all have a chip", () => {
    // Albania since 2012-03-01; Hong Kong asks for a biometric one (Immigration Department, visit visas).
    const conditionsOf = (passportIssued: string) => found({ passport: "ALB", passportIssued }, "HKG").conditions
    expect(conditionsOf("2012-02-29")).toContain("passport_kind")
    expect(conditionsOf("2012-03-01")).not.toContain("passport_kind")
  })

  it.each(["GEO", "UKR"])("its visa is a way in that leaves nothing open for a passport of %s", passport => {
    const held = [{ kind: "visa" as const, issuer: "DEU", type: "C", validUntil: "2030-01-01", durationOfStayDays: 90 }]
    expect(found({ passport, passportIssued: null, passportExpiry: "2032-06-01", held }).outcome).toBe("clear")
  })

  it("a passport of Taiwan with an identity number needs no visa, and another one does", () => {
    const outcomeWith = (passportIdentityNumber: boolean | null) =>
      ["FRA", "DEU"].map(country => found({ passport: "TWN", passportIdentityNumber }, country).outcome)
    expect(outcomeWith(true)).toEqual(["clear", "clear"])
    expect(outcomeWith(false)).toEqual(["obtain", "obtain"])
    expect(outcomeWith(null)).toEqual(["unknown", "unknown"])
  })

  it("is passed with a held visa on any passport", () => {
    const held = [{ kind: "visa" as const, issuer: "DEU", type: "C", validUntil: "2027-12-31" }]
    expect(found({ passport: "SRB", passportBiometric: false, held })).toMatchObject({ conditions: [] })
  })

  // Armenia is in Annex I, so that its nationals need a visa as holders of passports without a chip do.
  const french = (kind: "visa" | "residence_permit", type?: string) => [
    { kind, issuer: "FRA", type, validFrom: "2027-01-01", validUntil: "2027-12-31", durationOfStayDays: 90 },
  ]
  const ofOthers = [
    ["a short-stay visa (Regulation (EC) No 810/2009, Art. 2(3))", french("visa", "C")],
    ["a long-stay visa (Convention, Art. 21)", french("visa", "D")],
    ["a residence permit (Convention, Art. 21)", french("residence_permit")],
  ] as const

  it.each(ofOthers)("%s of another state has the same effect for passports without a chip as for others", (_, held) => {
    const armenian = found({ passport: "ARM", held })
    expect(armenian).toEqual({ outcome: "clear", requirement: "visa_free", conditions: [], instead: null })
    for (const passport of ["BIH", "GEO", "UKR"]) {
      expect(found({ passport, held, passportBiometric: false })).toEqual(armenian)
    }
  })

  it.each(ofOthers)("%s of another state permits a change of planes outside the international area", (_, held) => {
    for (const passport of ["ARM", "BIH"]) {
      const decision = decided(dataset, {
        ...dates,
        passport,
        passportBiometric: false,
        held,
        transit: [{ country: "DEU", airside: false }],
        stops: [stay("TUR", "2027-03-01", "2027-03-10")],
      })
      expect(decision.blockers).toEqual([])
      expect(decision.transit[0]!.permitted).toMatchObject({ status: "known", value: "yes" })
    }
  })

  const german = [{ kind: "residence_permit" as const, issuer: "DEU", validUntil: "2027-12-31" }]
  it.each([...ofOthers, ["a permit of the state itself (Regulation (EU) 2016/399, Art. 6(1)(b))", german] as const])(
    "%s opens the entry whatever the passport is, so that nobody need say it",
    (_, held) => {
      for (const passport of ["SRB", "ALB", "BIH", "MKD", "MNE", "MDA", "GEO", "UKR", "XKX"]) {
        for (const passportBiometric of [null, true, false]) {
          expect(found({ passport, passportBiometric, held })).toMatchObject({ outcome: "clear", conditions: [] })
        }
      }
    },
  )

  it("with a visa of too few days it is unknown: the stay needs no visa with the chip, and is too long for the visa", () => {
    const held = [{ kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2027-12-31", durationOfStayDays: 5 }]
    expect(found({ passport: "GEO", passportBiometric: true, held }).outcome).toBe("clear")
    expect(found({ passport: "GEO", passportBiometric: false, held }).outcome).toBe("blocked")
    expect(found({ passport: "GEO", held })).toMatchObject({ outcome: "unknown", conditions: ["passport_kind"] })
  })

  it("with a second passport that is biometric, nothing is unknown about the first", () => {
    for (const passports of [
      ["GEO", "UKR"],
      ["UKR", "GEO"],
    ]) {
      const decision = decided(dataset, {
        passports: passports.map(passport => ({
          passport,
          ...dates,
          ...(passport === "UKR" && { passportBiometric: true }),
        })),
        stops: [stay("DEU", "2027-03-01", "2027-03-10")],
      })
      expect([decision.steps[0]!.passport, decision.outcome]).toEqual(["UKR", "clear"])
    }
  })

  it("a document that ended, or of a state outside the area, does not replace the visa", () => {
    const ended = [{ kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2027-02-28" }]
    const british = [{ kind: "visa" as const, issuer: "GBR", type: "C", validUntil: "2027-12-31" }]
    for (const held of [ended, british]) {
      const asked = found({ passport: "BIH", held, passportBiometric: false })
      expect(asked).toMatchObject({ outcome: "obtain", requirement: "visa_required" })
    }
  })

  it("the other passport of the traveller is used where it is the biometric one", () => {
    const passports = [
      { passport: "SRB", ...dates, passportBiometric: false },
      { passport: "BIH", ...dates, passportBiometric: true },
    ]
    const decision = decided(dataset, { passports, stops: [stay("DEU", "2027-03-01", "2027-03-10")] })
    expect(decision.steps[0]!.passport).toBe("BIH")
    expect(decision.outcome).toBe("clear")
  })

  it("does not concern passports without such a rule, nor the next journey", () => {
    expect(found({ passport: "BRA", passportBiometric: false }).requirement).toBe("visa_free")
    expect(found({ passport: "SRB" }).requirement).toBe("visa_free")
  })
})

describe("8 U.S.C. 1187(a)(3)", () => {
  it("asks for an electronic passport under the visa waiver", () => {
    expect(found({ passport: "FRA", passportBiometric: false }, "USA").requirement).toBe("visa_required")
    expect(found({ passport: "FRA", passportBiometric: true }, "USA").conditions).not.toContain("passport_kind")
  })

  it("asks nothing of the passport of a traveller who has the visa, or who needs it for another reason", () => {
    const visa = [{ kind: "visa" as const, issuer: "USA", type: "B1/B2", validUntil: "2030-01-01" }]
    const inCuba = [stay("CUB", "2022-01-01", "2022-01-05")]
    for (const passportBiometric of [null, true, false]) {
      for (const earlierStays of [[], inCuba]) {
        const inHand = found({ passport: "FRA", passportBiometric, held: visa, earlierStays }, "USA")
        expect(inHand).toMatchObject({ outcome: "clear", conditions: [] })
      }
    }
    expect(found({ passport: "FRA", earlierStays: inCuba }, "USA")).toMatchObject({
      outcome: "obtain",
      conditions: ["visa_required", "visa_instead"],
    })
  })

  it("asks nothing of it at a change outside the international area, if its holder has the visa", () => {
    for (const passportBiometric of [null, true, false]) {
      const decision = decided(dataset, {
        ...dates,
        passport: "FRA",
        passportBiometric,
        held: [{ kind: "visa", issuer: "USA", type: "B1/B2", validUntil: "2030-01-01" }],
        transit: [{ country: "USA", airside: false }],
        stops: [stay("TUR", "2027-03-01", "2027-03-10")],
      })
      expect(decision.transit[0]!.permitted).toMatchObject({ status: "known", value: "yes" })
    }
  })

  it("and of Taiwan for one with an identity number as well", () => {
    const taiwanese = (passportIdentityNumber: boolean | null) =>
      found({ passport: "TWN", passportBiometric: true, passportIdentityNumber }, "USA")
    expect(taiwanese(true)).toMatchObject({ requirement: "eta", conditions: ["eta"] })
    expect(taiwanese(false)).toMatchObject({
      requirement: "visa_required",
      instead:
        "Instead of the entry with a travel authorisation, USA asks for a visa of holders of passports without an identity number.",
    })
    expect(taiwanese(null)).toMatchObject({ requirement: "eta", conditions: ["eta", "passport_kind"] })
  })
})
