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
    conditions: decision.conditions.map(({ code }) => code),
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
        conditions: [],
        instead: null,
      })
      expect(found({ passport, passportBiometric: false })).toEqual({
        outcome: "obtain",
        requirement: "visa_required",
        conditions: ["visa_required", "visa_instead"],
        instead:
          "Instead of the entry without a visa, DEU asks for a visa of holders of passports that are not biometric.",
      })
      expect(found({ passport })).toMatchObject({
        outcome: "unknown",
        requirement: "visa_free",
        conditions: ["passport_kind"],
      })
    },
  )

  it("is passed with a visa in hand whatever the passport is", () => {
    const held = [{ kind: "visa" as const, issuer: "DEU", type: "C", validUntil: "2027-12-31" }]
    expect(found({ passport: "SRB", passportBiometric: false, held })).toMatchObject({ conditions: [] })
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

  it("says nothing of passports that no rule asks it of, nor of the next journey", () => {
    expect(found({ passport: "BRA", passportBiometric: false }).requirement).toBe("visa_free")
    expect(found({ passport: "SRB" }).requirement).toBe("visa_free")
  })
})

describe("8 U.S.C. 1187(a)(3)", () => {
  it("asks for an electronic passport under the visa waiver", () => {
    expect(found({ passport: "FRA", passportBiometric: false }, "USA").requirement).toBe("visa_required")
    expect(found({ passport: "FRA", passportBiometric: true }, "USA").conditions).not.toContain("passport_kind")
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
