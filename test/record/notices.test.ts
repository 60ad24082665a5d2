import { describe, expect, it } from "vitest"
import { decideWithRemedies, REASONS, type ReasonCode } from "../../src/engine.ts"
import { LANGUAGES, loadLocalisedFacts, sayNotice } from "../../src/full.ts"
import { embeddedDataset as wholeDataset } from "../../src/index.ts"

const dataset = wholeDataset()
const french = (await loadLocalisedFacts(dataset, "fr")).locale

// What names an agreement in its own words has none in other languages.
const ENGLISH_ONLY: readonly string[] = [
  "agreement_may_exceed_zone",
  "agreement_exempts",
  "agreement_beside_zone",
  "zone_nationals",
]

describe("what a decision says", () => {
  it("is said in French by its code and its parameters", () => {
    expect(sayNotice(french, { code: "expiry_not_given", params: {} })).toMatch(/passeport/)
    const decided = decideWithRemedies(dataset, {
      passport: "USA",
      passportExpiry: "2027-02-01",
      stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }],
    })
    const [blocker] = decided.ok && decided.value.kind === "decided" ? decided.value.blockers : []
    if (blocker === undefined) throw new Error("nothing blocks")
    expect(blocker.params).toEqual({
      passport: "USA",
      destination: "FRA",
      expiry: "2027-02-01",
      anchor: "departure",
      months: 3,
      days: 0,
    })
    expect(sayNotice(french, blocker)).toMatch(/^France.*États-Unis.*février 2027/)
    expect(sayNotice(french, { code: "agreement_exempts", params: { agreement: "An agreement" } })).toBeNull()
  })

  it.each(LANGUAGES)("has a sentence in %s for every code but those that name an agreement", async language => {
    const { locale } = await loadLocalisedFacts(dataset, language)
    const params = {
      destination: "FRA",
      passport: "USA",
      expiry: "2027-01-01",
      by: "2027-01-02",
      days: 3,
      allowed: 2,
      anchor: "arrival",
      months: 3,
      earlier: "visa_free",
      later: "e_visa_or_eta",
      word: "hayya_permit",
      after: "2026-12-01",
      until: "2026-12-31",
      source: "Tables",
    }
    for (const code of Object.keys(REASONS) as ReasonCode[]) {
      const text = sayNotice(locale, { code, params })
      if (ENGLISH_ONLY.includes(code)) expect(text, code).toBeNull()
      else expect(text, code).toMatch(/^[^{}]+$/)
    }
  })
})
