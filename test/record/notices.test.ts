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
  // The rule itself names its documents whole.
  "held_document",
  // As do the conditions of transit rules.
  "transit_conditional",
  "transit_limits",
  "transit_document_to_check",
  "transit_day_not_given",
  "transit_visa_to_obtain",
  "transit_needs_entry",
  // Who somebody is, and where he was before, is said in the words of the law.
  "own_passport_needed",
  "visa_instead",
  "earlier_overstay",
]

// Parameters of the conditions of rules, each with all that its sentence can have.
const OF_CONDITIONS: Readonly<Record<string, Readonly<Record<string, string | number | readonly string[] | null>>>> = {
  held_document: { documents: ["visa USA"] },
  registration: { name: "Hayya A3", url: "https://example.org/", hours: 72, amount: 10, currency: "EUR" },
  gateway_visa: { states: ["@schengen", "FRA"], entries: 2 },
  border_control: { states: ["ISR"] },
  sponsor: { by: ["agency", "hotel"] },
  special_document: { name: "Permit" },
  not_enforced: { borders: ["land"] },
  exempt: { who: ["diplomats"], before: "2026-01-01" },
  check_exemption: { who: ["permanent_residents"], before: null },
  suspension: { visas: ["B-1"] },
  visa_suspended: { visas: ["B-1"] },
  bond: { least: 5000, most: 15000, currency: "USD" },
  entry_points: { names: ["Abidjan"], borders: ["air"] },
  entry_point_closed: { names: [], borders: ["air"], by: "land" },
  purpose: { purposes: ["tourism"] },
  purpose_not_covered: { purposes: ["tourism"], purpose: "business" },
  group: { least: 3 },
  bring: { proofs: ["funds"] },
  passport_kind: { features: ["biometric"] },
  age: { least: 18, most: 60 },
  asked_at: { borders: ["air"], elsewhere: "visa_free" },
  also: { requirement: "e_visa" },
  other: { text: "Something else." },
}

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
      const text = sayNotice(locale, { code, params: OF_CONDITIONS[code] ?? params })
      if (ENGLISH_ONLY.includes(code)) expect(text, code).toBeNull()
      else expect(text, code).toMatch(/^[^{}]+$/)
    }
  })
})
