import { beforeAll, describe, expect, it } from "vitest"
import { buildCheckRecord, LANGUAGES, type LocalisedFacts } from "../../src/full.ts"
import { openFrozenFacts, recordOf } from "./localised-facts.ts"

const options = { upgradeUrl: "https://visa.example/pricing" }

describe("buildCheckRecord", () => {
  let localised: LocalisedFacts
  beforeAll(async () => {
    localised = await openFrozenFacts()
  })

  it("has the fields of the specification, in its order", () => {
    const record = buildCheckRecord(localised, "FRA", "JPN", options)
    expect(Object.keys(record ?? {})).toEqual([
      "passport",
      "destination",
      "requirement",
      "visa_free_days",
      "visa_required",
      "evidence",
      "last_verified",
      "_hint",
      "_upgrade_preview",
    ])
    expect(record).toMatchObject({
      requirement: "visa_free",
      visa_free_days: 90,
      visa_required: false,
      last_verified: null,
    })
  })

  it("counts in the preview what the full record holds, for every pair of a passport", () => {
    for (const destination of localised.dataset.destinations) {
      const check = buildCheckRecord(localised, "IND", destination, options)
      if (check === null) continue
      const full = recordOf(localised, "IND", destination)
      expect(check._upgrade_preview, destination).toEqual({
        documents_required: full.documents_required?.length ?? 0,
        process_steps: full.process?.length ?? 0,
        embassy_info: full.embassy !== undefined,
        transit_visa: full.transit_visa !== undefined,
        visa_fees: full.visa_fee !== undefined,
        vaccinations: full.vaccinations_required?.length ?? 0,
        dual_nationality_warnings: full.dual_nationality_warnings?.length ?? 0,
        reciprocity_history: full.reciprocity_history?.length ?? 0,
        best_apply_period: full.best_apply_period !== undefined,
        passport_validity_months: full.passport_validity_months !== undefined,
        ...(full.safety === undefined ? {} : { safety_advisory: full.safety.advisory }),
        languages: LANGUAGES.length,
        upgrade_url: options.upgradeUrl,
      })
    }
  })

  it("marks a traveller at home, and an unsettled treaty", () => {
    expect(buildCheckRecord(localised, "FRA", "FRA", options)).toMatchObject({ home: true, visa_required: false })
    expect(buildCheckRecord(localised, "BFA", "GHA", options)).toMatchObject({ requirement_status: "uncertain" })
    expect(buildCheckRecord(localised, "FRA", "JPN", options)).not.toHaveProperty("requirement_status")
  })

  it("gives the day of confirmation of pairs that were read one by one", () => {
    expect(buildCheckRecord(localised, "LCA", "GBR", options)?.last_verified).toBe("2026-08-21")
  })

  it("returns null for an invalid pair, or without a record", () => {
    expect(buildCheckRecord(localised, "FRA", "ZZZ", options)).toBeNull()
    expect(buildCheckRecord(localised, "fr", "JPN", options)).toBeNull()
    expect(buildCheckRecord(localised, "FRA", undefined as unknown as string, options)).toBeNull()
  })
})
