import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import {
  assembleFullRecord,
  type LocalisedFacts,
  loadFullFacts,
  loadLocale,
  openLocalisedFacts,
  openMissions,
} from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { openFacts, openFrozenFacts, recordOf } from "./localised-facts.ts"

describe("assembleFullRecord", () => {
  let localised: LocalisedFacts
  let today: LocalisedFacts
  beforeAll(async () => {
    localised = await openFrozenFacts()
    today = await openFacts()
  })

  it("requires of an Indian in Germany what the Visa Code requires", () => {
    const record = recordOf(localised, "IND", "DEU")
    expect(record.requirement).toBe("visa_required")
    expect(record.visa_required).toBe(true)
    expect(record.insurance_required).toEqual({ required: true, min_coverage: 30_000, currency: "EUR" })
    expect(record.visa_fee).toEqual({
      single_entry: { amount: 90, currency: "EUR" },
      multiple_entry: { amount: 90, currency: "EUR" },
      children: [
        { below_years: 6, amount: 0, currency: "EUR" },
        { below_years: 12, amount: 45, currency: "EUR" },
      ],
    })
    expect(record.processing_days).toEqual({ standard: 15, unit: "days" })
    expect(record.documents_required).toContain("Travel medical insurance with a cover of at least €30,000")
    expect(record.visa_types?.map(type => [type.nom, type.cout])).toEqual([
      ["Short-stay visa (type C)", "€90"],
      ["Long-stay visa (type D)", "not recorded"],
    ])
  })

  it("lists the sources of an Indian in Germany, each with the fields that rest on it", () => {
    const sources = recordOf(localised, "IND", "DEU").sources ?? []
    const fieldsOf = (url: string) => sources.filter(source => source.url === url).flatMap(source => source.fields)
    expect(fieldsOf("https://eur-lex.europa.eu/eli/reg/2009/810/oj")).toEqual(
      expect.arrayContaining(["documents_required", "insurance_required", "processing_days", "best_apply_period"]),
    )
    expect(fieldsOf("https://eur-lex.europa.eu/eli/reg_del/2024/1415/oj")).toEqual(
      expect.arrayContaining(["visa_fee", "visa_types", "process"]),
    )
    expect(sources.find(source => source.fields.includes("embassy"))?.as_of).toBe("2022-11-16")
  })

  it("shows the fee that was agreed with the traveller's country instead of the general one", () => {
    expect(recordOf(localised, "ARM", "FRA").visa_fee?.single_entry).toEqual({ amount: 35, currency: "EUR" })
    expect(recordOf(localised, "CPV", "FRA").visa_fee?.single_entry).toEqual({ amount: 67.5, currency: "EUR" })
    expect(recordOf(localised, "IND", "FRA").visa_fee?.single_entry).toEqual({ amount: 90, currency: "EUR" })
  })

  it("shows no fee where another one is agreed and not recorded", () => {
    expect(recordOf(localised, "ARM", "CHE")).not.toHaveProperty("visa_fee")
    expect(recordOf(localised, "ARM", "CHE").process).toContain("Pay the visa fee, if one is charged.")
  })

  it("shows the longer time of decision where the Council suspended the shorter one", () => {
    expect(recordOf(localised, "ETH", "ITA").processing_days).toEqual({ standard: 45, unit: "days" })
    expect(recordOf(localised, "KEN", "ITA").processing_days).toEqual({ standard: 15, unit: "days" })
  })

  it("requires of a Brazilian in Germany no visa, no fee and no insurance, and states 90 days in 180", () => {
    const record = recordOf(localised, "BRA", "DEU")
    expect(record.visa_free_days).toBe(90)
    for (const field of ["visa_fee", "processing_days", "visa_types"]) expect(record).not.toHaveProperty(field)
    expect(record.insurance_required?.required).toBe(false)
    expect(record.tips?.[0]).toContain("Longest permitted stay: 90 days; period over which it is counted: 180 days.")
  })

  it("requires insurance of everybody whom a law obliges to have it, whether or not they need a visa", () => {
    const documents = (passport: string, destination: string) =>
      recordOf(localised, passport, destination).documents_required
    const insurance = /^Travel medical insurance with a cover of at least GEL\s30,000$/
    expect(recordOf(localised, "FRA", "GEO").requirement).toBe("visa_free")
    expect(documents("FRA", "GEO")).toContainEqual(expect.stringMatching(insurance))
    expect(recordOf(localised, "AFG", "GEO").requirement).toBe("visa_required")
    expect(documents("AFG", "GEO")?.filter(text => insurance.test(text))).toHaveLength(1)
    expect(documents("GEO", "GEO")).toEqual(["Valid passport"])
  })

  it("lists the documents that the destination's own list names, in its order, with its source", () => {
    const read = (passport: string, destination: string) => recordOf(today, passport, destination)
    expect(read("PAK", "SAU").documents_required).toEqual([
      expect.stringMatching(/^Passport valid/),
      "Visa, issued before departure",
      "Proof of residence in the country where you apply",
      "Ticket or booking for the outward and return journey",
      "Proof of employment, of a business or of studies",
      "Proof of sufficient means for the stay and the journey home",
      "Proof of accommodation, or of sufficient means to pay for it",
      "Any further document that you are asked for",
    ])
    expect(read("PAK", "SAU").sources?.map(({ url }) => url)).toContain(
      "https://www.visitsaudi.com/en/plan-your-trip/visa-regulations",
    )
    expect(read("IND", "ARE").documents_required).toContain("Travel medical insurance for the whole stay")
    expect(read("PAK", "IDN").documents_required).toContain("Copy of the passport page with your photo")
    expect(read("NGA", "SRB").documents_required).toContain("Completed and signed visa application form")
  })

  it("says that nothing is required if a source says so, and that none was found if a search had no result", () => {
    expect(recordOf(localised, "FRA", "JPN").insurance_required).toEqual({ required: false })
    expect(recordOf(localised, "FRA", "TWN").insurance_required).toEqual({ required: false, none_found: true })
    expect(recordOf(localised, "FRA", "TUR").tips).toContain("No arrival form was found in the sources.")
    expect(recordOf(localised, "FRA", "GBR").tips).toContain("No arrival form has to be filled in.")
    const { health_requirements: health, ...rest } = recordOf(localised, "IND", "DEU")
    expect(health).toMatchObject({ vaccination_proof: null, notes: ["Yellow fever: no certificate is asked for."] })
    expect(rest).not.toHaveProperty("vaccinations_required")
  })

  it("says that no passport needs an airport transit visa if a source says so, and how long a transit may last", () => {
    const transit = recordOf(today, "FRA", "THA").transit_visa
    expect(transit).toMatchObject({ required_for: [], complete: true, max_hours: 12 })
    expect(recordOf(today, "FRA", "ARE").transit_visa).toMatchObject({ required_for: [], complete: false })
    expect(recordOf(today, "FRA", "DEU")).not.toHaveProperty("transit_visa")
  })

  it("lists what has to be declared, and what is free of duty, for visitors only", () => {
    const customs = { declare_cash: { amount: 1_000_000, currency: "JPY" }, cigarettes: 200, spirits_litres: 2.28 }
    expect(recordOf(localised, "FRA", "JPN").customs).toEqual(customs)
    expect(recordOf(localised, "FRA", "CHN").customs).toEqual({ declare_cash: { amount: 5_000, currency: "USD" } })
    for (const passport of ["JPN", "DEU"]) expect(recordOf(localised, passport, passport)).not.toHaveProperty("customs")
  })

  it("lists every rule for children that applies to the traveller", () => {
    const notesOf = (passport: string) => recordOf(localised, passport, "CAN").minor_rules?.notes
    expect(notesOf("FRA")).toHaveLength(1)
    expect(notesOf("IND")).toEqual([...(notesOf("FRA") ?? []), "The birth certificate of a child is asked for."])
  })

  it("applies no rules for visitors to a Frenchman in Germany", () => {
    const record = recordOf(localised, "FRA", "DEU")
    expect(record.documents_required).toEqual(["Valid passport or national identity card"])
    expect(record.tips).toEqual([])
    for (const field of [
      "visa_fee",
      "insurance_required",
      "overstay_penalty",
      "passport_validity_months",
      "transit_visa",
      "extension",
      "remote_work_visa",
    ]) {
      expect(record).not.toHaveProperty(field)
    }
    expect(record.country_info?.currency).toBe("EUR")
  })

  it.each([
    ["FIN", "at home"],
    ["FRA", "moving freely"],
  ])("applies no rules for visitors to %s in Åland, who is %s in Finland", passport => {
    expect(recordOf(localised, "USA", "ALA")).toHaveProperty("passport_validity_months", 3)
    const record = recordOf(localised, passport, "ALA")
    expect(record.documents_required).toEqual(["Valid passport"])
    expect(record.process).toEqual(["Show your passport at passport control."])
    expect(record.tips).toEqual([])
    for (const field of ["passport_validity_months", "transit_visa", "minor_rules"]) {
      expect(record).not.toHaveProperty(field)
    }
  })

  it("treats a Dane as at home in Greenland, and a Frenchman, without a treaty there, as a visitor", () => {
    expect(recordOf(localised, "DNK", "GRL").tips).toEqual([])
    expect(recordOf(localised, "FRA", "GRL").tips).not.toEqual([])
    expect(recordOf(localised, "IRL", "JEY").tips).toEqual([])
  })

  it("announces ETIAS to those who need no visa for Schengen or Cyprus, with the day before which it cannot be required", () => {
    const hears = (passport: string, destination: string) =>
      recordOf(localised, passport, destination).tips?.filter(tip => tip.includes("ETIAS")).length ?? 0
    expect(recordOf(localised, "GBR", "CYP").tips).toContain(
      "The European Union is going to require a travel authorisation (ETIAS) of visitors who need no visa. Announced start: October 1, 2026 at the earliest. For the first six months it is optional, so it cannot be required before April 1, 2027. Check before you travel: https://travel-europe.europa.eu/en/etias",
    )
    expect(["GBR", "USA", "BRA"].map(passport => hears(passport, "FRA"))).toEqual([1, 1, 1])
    // Citizens and those who move freely, holders of a visa, and the small states that the regulation exempts.
    for (const passport of ["FRA", "CHE", "IND", "AND", "MCO", "SMR", "VAT"]) expect(hears(passport, "FRA")).toBe(0)
    expect(hears("GBR", "IRL")).toBe(0)
  })

  it("marks a traveller at home, requires a passport and shows no embassies", () => {
    const record = recordOf(localised, "JPN", "JPN")
    expect(record.home).toBe(true)
    expect(record.visa_free_days).toBeNull()
    expect(record.documents_required).toEqual(["Valid passport"])
    expect(record).not.toHaveProperty("embassy")
    expect(recordOf(localised, "FRA", "JPN")).not.toHaveProperty("home")
  })

  it("marks the pairs whose treaty one side has left, and only those", () => {
    expect(recordOf(localised, "MLI", "SEN").requirement_status).toBe("uncertain")
    expect(recordOf(localised, "MLI", "SEN").description).toContain("The legal basis is unsettled")
    expect(recordOf(localised, "GHA", "SEN")).not.toHaveProperty("requirement_status")
  })

  it("lists no documents for travellers who are not admitted", () => {
    const record = recordOf(localised, "ISR", "DZA")
    expect(record.requirement).toBe("no_admission")
    expect(record.documents_required).toEqual([])
    expect(record.process).toEqual(["Ask the authorities of the destination before you book anything: Algeria."])
    expect(record.tips).toHaveLength(1)
  })

  it("has no entry requirements or allowances for those who are not admitted", () => {
    expect(recordOf(localised, "FRA", "MYS")).toHaveProperty("remote_work_visa")
    expect(recordOf(localised, "ISR", "MYS").requirement).toBe("no_admission")
    expect(recordOf(localised, "ISR", "MYS")).not.toHaveProperty("remote_work_visa")
    expect(recordOf(localised, "ARM", "AZE")).not.toHaveProperty("passport_validity_months")
    expect(recordOf(localised, "AFG", "USA")).not.toHaveProperty("overstay_penalty")
  })

  it("names a source and a day only for pairs that were read one by one", () => {
    const imported = recordOf(localised, "FRA", "JPN")
    expect([imported.source_url, imported.last_verified_at, imported.verified]).toEqual([null, null, false])
    const read = recordOf(localised, "LCA", "GBR")
    expect([read.source_url, read.last_verified_at, read.verified]).toEqual([
      "https://www.gov.uk/check-uk-visa",
      "2026-08-21T00:00:00Z",
      true,
    ])
  })

  it("shows one mission in each direction, the one in the capital, and lists all of them, embassies first", () => {
    const { embassy, embassies } = recordOf(localised, "FRA", "JPN")
    expect(embassy?.your_embassy_at_destination).toEqual({
      name: "Embassy (France)",
      kind: "embassy",
      city: "Tokyo",
      country: "Japan",
      website: "http://www.ambafrance-jp.org/",
      as_of: "2022-11-16",
    })
    expect(embassy?.visa_application_embassy).toMatchObject({
      name: "Embassy (Japan)",
      city: "Paris",
      country: "France",
    })
    expect(embassies?.at_destination?.[0]).toEqual(embassy?.your_embassy_at_destination)
    expect(embassies?.to_apply?.length).toBeGreaterThan(1)
  })

  it("names the embassy before a consulate in the capital, and of several embassies the one in the capital", () => {
    expect(recordOf(localised, "IND", "NLD").embassy?.your_embassy_at_destination?.city).toBe("The Hague")
    const { dataset, facts, locale } = localised
    const missions = openMissions({
      source: "wikidata-missions",
      asOf: "2022-11-16",
      pairs: "FRAJPN",
      counts: "3",
      kinds: "006",
      cities: "Osaka\nTokyo\nTokyo",
      websites: "\n\n",
      phones: "\n\n",
    })
    const small = openLocalisedFacts({ dataset, facts, locale, missions })
    expect(recordOf(small, "FRA", "JPN").embassy?.your_embassy_at_destination).toMatchObject({
      kind: "embassy",
      city: "Tokyo",
    })
  })

  it("lists the missions of Denmark for Greenland", () => {
    const mission = recordOf(localised, "IND", "GRL").embassy?.visa_application_embassy
    expect(mission).toMatchObject({ name: "Embassy (Denmark)", country: "India", kind: "embassy" })
  })

  it("shows the changes of a pair in the order of their days", () => {
    const history = recordOf(localised, "SAU", "GBR").reciprocity_history ?? []
    expect(history.length).toBeGreaterThan(0)
    expect(history.map(entry => entry.date)).toEqual(history.map(entry => entry.date).toSorted())
  })

  it("requires a yellow fever certificate of everybody at the border of Angola", () => {
    const record = recordOf(localised, "PRT", "AGO")
    expect(record.vaccinations_required).toEqual([
      "Yellow fever: certificate required of all travellers from the age of 9 months",
    ])
    expect(record.documents_required).toContain("International certificate of vaccination against yellow fever")
  })

  it("shows the American level of advice, and the British and Irish opinions beside it", () => {
    const safety = recordOf(localised, "FRA", "AFG").safety
    expect(safety).toMatchObject({ level: 4, advisory: "Do not travel", updated_at: "2026-02-20" })
    expect(safety?.others?.map(other => other.advisory)).toEqual(["Avoid all travel", "Avoid all travel"])
  })

  it("has no level if only other governments advise", () => {
    const safety = recordOf(localised, "FRA", "USA").safety
    expect(safety).not.toHaveProperty("level")
    expect(safety?.source).toContain("UK Foreign")
  })

  it("answers for a given day", () => {
    expect(assembleFullRecord(localised, "FRA", "JPN", { on: "2027-01-01" })?.requirement).toBe("visa_free")
    expect(assembleFullRecord(localised, "FRA", "JPN", { on: "1950-01-01" })).toBeNull()
    expect(assembleFullRecord(localised, "FRA", "JPN", { on: "yesterday" })).toBeNull()
  })

  it("returns null, and never throws, for an invalid pair", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (passport, destination) => {
        expect(assembleFullRecord(localised, passport as string, destination as string)).toBeNull()
      }),
    )
    expect(assembleFullRecord(localised, "fra", "JPN")).toBeNull()
    expect(assembleFullRecord(localised, "FRA", "ZZZ")).toBeNull()
  })

  it("has the same values whether or not the pair was asked for before", async () => {
    const fresh = () =>
      openFrozenFacts().then(({ dataset, facts, locale, missions, history }) =>
        openLocalisedFacts({ dataset, facts, locale, missions, history }),
      )
    const used = await fresh()
    for (const passport of ["ARM", "FRA", "IND", "ARM"]) {
      for (const destination of ["DEU", "CHE", "IDN"]) {
        recordOf(used, passport, destination)
        expect(recordOf(used, passport, destination)).toEqual(recordOf(await fresh(), passport, destination))
      }
    }
  })

  it("works without missions and history", async () => {
    const [facts, locale] = await Promise.all([loadFullFacts(), loadLocale("en")])
    const record = recordOf(openLocalisedFacts({ dataset: embeddedDataset(), facts, locale }), "FRA", "JPN")
    expect(record).not.toHaveProperty("embassy")
    expect(record).not.toHaveProperty("embassies")
    expect(record).not.toHaveProperty("reciprocity_history")
    expect(record.sources?.some(source => source.as_of === "2022-11-16")).toBe(false)
  })

  it("leaves no field undefined in any record, and no list empty but of documents and tips", () => {
    for (const passport of ["FRA", "IND", "ISR", "MLI", "ARM", "LCA"]) {
      for (const destination of today.dataset.destinations) {
        const record = assembleFullRecord(today, passport, destination)
        for (const [field, value] of Object.entries(record ?? {})) {
          expect(value, `${passport} ${destination} ${field}`).toBeDefined()
          const mayBeEmpty = field === "tips" || field === "documents_required"
          if (Array.isArray(value) && !mayBeEmpty)
            expect(value.length, `${passport} ${destination} ${field}`).toBeGreaterThan(0)
        }
      }
    }
  })
})
