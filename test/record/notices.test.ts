import { describe, expect, it } from "vitest"
import { decideWithRemedies, REASONS, type ReasonCode, sayReason } from "../../src/engine.ts"
import { LANGUAGES, type Language, loadLocalisedFacts, sayNotice } from "../../src/full.ts"
import { embeddedDataset as wholeDataset } from "../../src/index.ts"
import type { ParamsOf } from "../../src/trip/reasons.ts"

const dataset = wholeDataset()
const french = (await loadLocalisedFacts(dataset, "fr")).locale

const HOLDER = { destination: "JPN", passport: "KEN" }
const VISA = { kind: "visa", issuer: "PER", held: 0 }
const PERMIT = { kind: "residence_permit", issuer: "PER", held: null }
const COUNTED = { destination: "JPN", days: 99, places: ["JPN"], by: "2027-01-02", allowed: 90 }
const CHECKS = { checks: ["types", "multipleEntry", "validDaysAfterExit"], remark: "A remark." }
const SEEN = { after: "2026-12-01", by: "2027-01-02" }
const LOOKED_UP = { message: "Nothing is recorded." }
const TO_OBTAIN = [
  { destination: "JPN" },
  { ...VISA, destination: "JPN", because: "ended", on: "2026-12-01" },
  { ...VISA, destination: "JPN", because: "begins", on: "2026-12-01" },
  { ...VISA, destination: "JPN", because: "no_entry", on: null },
  { ...VISA, destination: "JPN", because: "too_few_days", days: 15 },
] as const

// By code: parameters for each sentence that it can have. A code that is not listed has none.
const SAMPLES: { readonly [Code in ReasonCode]?: readonly ParamsOf<Code>[] } = {
  no_admission: [HOLDER],
  visa_suspended: [{ ...HOLDER, visas: ["B-1", "B-2"] }],
  purpose_not_covered: [{ destination: "JPN", purpose: "business", purposes: ["tourism", "transit"] }],
  entry_point_closed: [{ destination: "JPN", by: "land", borders: ["air", "sea"], names: [] }],
  own_passport_needed: [{ ...HOLDER, own: "JPN" }],
  own_passport: [HOLDER],
  barred: [HOLDER],
  entry_exit_system: [{ destination: "FRA" }],
  vaccination: [
    { destination: "GHA", months: 9, country: null, hours: 240 },
    { destination: "EGY", months: null, country: "CIV", hours: 240 },
  ],
  check_vaccination: [{ destination: "EGY", months: 9, country: "CIV", hours: 240 }],
  authorisation_announced: [{ destination: "JPN", from: "2026-12-01" }],
  stay_exceeded: [
    ...["visit", "rolling", "accumulated", "admission", "per_entry", "calendar_year", "per_year_of_entry"].map(
      counting => ({ ...COUNTED, counting, window: 180 }),
    ),
    { ...VISA, destination: "JPN", by: "2027-01-02", until: "2026-12-01" },
    { ...PERMIT, destination: "JPN", by: "2027-01-02", days: 99, allowed: 90 },
  ],
  zone_stay_exceeded: [
    { days: 99, zone: "schengen", name: "Schengen area", by: "2027-01-02", allowed: 90, window: 180 },
    { days: 99, zone: "ca4", name: "CA-4", by: "2027-01-02", allowed: 90, window: null },
    {
      ...{ days: 99, zone: "schengen", name: "Schengen area", by: "2027-01-02", allowed: 90, window: 180 },
      ...{ agreement: "The agreement of 1951", more: 90 },
    },
  ],
  passport_expired: [{ passport: "KEN", expiry: "2026-12-01", arrival: "2027-01-02" }],
  passport_validity_short: [
    { ...HOLDER, expiry: "2027-01-02", anchor: "arrival", months: 3, days: 0 },
    { ...HOLDER, expiry: "2027-01-02", anchor: "departure", months: 3, days: 15 },
    { ...HOLDER, expiry: "2027-01-02", anchor: "departure", months: 0, days: 15 },
    { ...HOLDER, expiry: "2027-01-02", anchor: "permitted_stay", months: 0, days: 60, stayDays: 90 },
    { ...HOLDER, issued: "2016-12-01", years: 10, expiry: null },
  ],
  passport_expires_before_exit: [{ passport: "KEN", expiry: "2026-12-01", exit: "2027-01-02" }],
  transit_not_permitted: [
    { destination: "JPN", passports: ["KEN", "PER"] },
    { destination: "JPN", passports: ["KEN"], because: "passport" },
  ],
  eta: TO_OBTAIN,
  visa_on_arrival: TO_OBTAIN,
  e_visa: TO_OBTAIN,
  visa_required: TO_OBTAIN,
  held_document: [{ documents: ["visa PER @schengen", "residence_permit PER"] }],
  registration: [
    { name: "Hayya A3", url: null, hours: null, amount: null, currency: null },
    { name: "Hayya A3", url: "https://example.org/", hours: 72, amount: 10, currency: "EUR" },
  ],
  gateway_visa: [
    { states: ["@schengen", "PER"], entries: 2 },
    { states: ["PER"], entries: null },
  ],
  border_control: [{ states: ["PER"] }],
  sponsor: [{ by: ["agency", "hotel"] }],
  special_document: [{ name: "Permit" }],
  not_enforced: [{ borders: [] }, { borders: ["land", "sea"] }],
  exempt: [
    { who: ["diplomats", "adoptees"], before: null },
    { who: [], before: "2026-12-01" },
    { who: ["diplomats"], before: "2026-12-01" },
  ],
  suspension: [{ visas: ["B-1", "B-2"] }],
  bond: [
    { least: 5000, most: 15000, currency: "USD" },
    { least: 5000, most: null, currency: "USD" },
  ],
  entry_points: [
    { names: ["Abidjan"], borders: ["air"] },
    { names: ["Abidjan"], borders: [] },
    { names: [], borders: ["air", "land"] },
  ],
  asked_at: [{ destination: "JPN", borders: ["air"], elsewhere: "visa_free" }],
  purpose: [{ purposes: ["tourism", "transit"] }],
  group: [{ least: 3 }],
  bring: [{ proofs: ["funds", "return_ticket"] }],
  passport_kind: [{ features: ["biometric", "identity_number"] }],
  age: [
    { least: 18, most: 60 },
    { least: 18, most: null },
    { least: null, most: 60 },
  ],
  also: [
    { requirement: "e_visa", remark: null },
    { requirement: "e_visa", remark: "A remark." },
  ],
  other: [{ text: "Something else." }],
  expired_accepted: [HOLDER],
  residents_only: [HOLDER],
  check_permitted_stay: [COUNTED],
  check_held_document: [
    { ...VISA, destination: "JPN", requirement: "visa_free", days: 15, ...CHECKS },
    { ...PERMIT, destination: "JPN", requirement: "e_visa", days: null, checks: ["permanent"], remark: null },
  ],
  check_exemption: [
    { ...VISA, destination: "JPN", who: ["residents"], before: "2026-12-01" },
    { ...PERMIT, destination: "JPN", who: ["residents"], before: null },
  ],
  earlier_overstay: [{ destination: "JPN", days: 99, by: "2027-01-02", allowed: 90 }],
  visa_instead: [
    { destination: "JPN", asked: "eta", because: "passport", features: ["biometric", "identity_number"] },
    { destination: "JPN", asked: "eta", because: "nationality", country: "KEN" },
    { destination: "JPN", asked: "eta", because: "presence", country: "KEN", since: "2011-03-01", seen: "2026-12-01" },
  ],
  disputed: [{ says: "one says this, the other that" }],
  answer_ended: [{ on: "2026-12-01" }],
  answer_changed_since: [{ on: "2026-12-01" }],
  zone_nationals: [
    { zone: "CA-4", instrument: "CA-4 agreement" },
    { zone: "CA-4", instrument: null },
  ],
  transit_conditional: [{ condition: "on the way to Peru" }],
  transit_limits: [
    { hours: 24, condition: "onward ticket" },
    { hours: 24, condition: null },
    { hours: null, condition: "onward ticket" },
  ],
  document_assumed: [VISA, PERMIT],
  transit_document_to_check: [
    { ...VISA, ...CHECKS },
    { ...PERMIT, checks: [], remark: null },
  ],
  transit_visa_to_obtain: [{ destination: "JPN" }],
  transit_needs_entry: [{ destination: "JPN", requirement: "eta" }],
  imported_past: [{ by: "2026-12-01", until: "2027-01-02", source: "Tables" }],
  rule_seen_between: [{ ...SEEN, earlier: "visa_free", later: "e_visa_or_eta" }],
  stay_seen_between: [
    { ...SEEN, earlier: 30, later: 90 },
    { ...SEEN, earlier: null, later: 90 },
  ],
  past_word: [{ word: "hayya_permit" }],
  no_rule: [LOOKED_UP],
  unknown_passport: [LOOKED_UP],
  unknown_destination: [LOOKED_UP],
  before_dataset: [LOOKED_UP],
  before_history: [LOOKED_UP],
  after_history: [LOOKED_UP],
}

const CODES = Object.values(REASONS).flatMap(group => Object.keys(group) as ReasonCode[])
const SENTENCES = CODES.flatMap(code =>
  ((SAMPLES[code] ?? [{}]) as readonly Record<string, unknown>[]).map(params => ({ code, params })),
)

// Names, remarks and addresses are quoted as they are.
const QUOTED =
  /Hayya A3|https:\/\/example\.org\/|Permit|Abidjan|B-[12]|Something else\.|A remark\.|The agreement of 1951|CA-4( agreement)?|on the way to Peru|onward ticket|one says this, the other that|Tables|hayya_permit/g
const NON_LATIN: readonly Language[] = ["ja", "ko", "zh", "ru", "ar", "hi", "th"]

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
    expect(sayNotice(french, blocker)).toMatch(/^France.*États-Unis.*février 2027.*3\u00a0mois\.$/)
  })

  it.each(LANGUAGES)("has a sentence in %s for every code, with all that it is about", async language => {
    const { locale } = await loadLocalisedFacts(dataset, language)
    const english = (await loadLocalisedFacts(dataset, "en")).locale
    for (const notice of SENTENCES) {
      const text = sayNotice(locale, notice)
      const about = `${notice.code}: ${text}`
      const own = text.replaceAll(QUOTED, "…").replaceAll(/[\u2066-\u2069]/g, "")
      expect(text, about).not.toBe("")
      expect(own, about).not.toMatch(/[{}[\]_|]|undefined|\bnull\b|NaN|\s{2}|\.\.| [.,]/)
      if (language === "en") continue
      if (notice.code !== "other") expect(text, about).not.toBe(sayNotice(english, notice))
      if (!NON_LATIN.includes(language)) continue
      // What is left in Latin letters are names that every language writes so: ETA, ETIAS, USD.
      expect(own.replaceAll(/\b(EES|ETA|ETIAS|US|USD|EUR|e-visa|E-visa)\b/g, ""), about).not.toMatch(/[a-z]{2}/i)
    }
  })

  it.each(LANGUAGES)("names in %s the days, the dates and the countries of its parameters", async language => {
    const { locale } = await loadLocalisedFacts(dataset, language)
    for (const { code, params } of SENTENCES) {
      const text = sayNotice(locale, { code, params })
      for (const on of ["2026-12-01", "2027-01-02"]) {
        const isGiven = Object.entries(params).some(([name, value]) => value === on && name !== "expiry")
        if (isGiven) expect(text, `${code}: ${text}`).toContain(locale.formatValue({ on }))
      }
      for (const days of [99, 15]) {
        if (params.days === days && params.months !== 3) expect(text, `${code}: ${text}`).toContain(String(days))
      }
      if (params.issuer === "PER") expect(text, `${code}: ${text}`).toContain(locale.nameCountry("PER"))
    }
  })

  it("is the same sentence in English on the wire, with codes and ISO dates", async () => {
    const { locale } = await loadLocalisedFacts(dataset, "en")
    const params = { passport: "KEN", expiry: "2026-12-01", arrival: "2027-01-02" }
    expect(sayReason("passport_expired", params)).toBe(
      "The KEN passport expires on 2026-12-01, before the arrival on 2027-01-02.",
    )
    expect(sayNotice(locale, { code: "passport_expired", params })).toBe(
      "The Kenya passport expires on December 1, 2026, before the arrival on January 2, 2027.",
    )
  })

  it("is a question to the authorities nowhere: no sentence speaks of what this program judges", () => {
    for (const { code, params } of SENTENCES) {
      expect(sayReason(code, params as never), code).not.toMatch(/is (repeated|not judged)|judged here|has no end/)
    }
  })
})
