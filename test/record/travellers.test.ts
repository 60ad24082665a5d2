import { beforeAll, describe, expect, it } from "vitest"
import type { FullRecord, LocalisedFacts } from "../../src/full.ts"
import { openFacts, openFrozenFacts, recordOf } from "./localised-facts.ts"

describe("what a traveller reads", () => {
  let localised: LocalisedFacts
  beforeAll(async () => {
    localised = await openFrozenFacts()
  })
  const read = (passport: string, destination: string) => recordOf(localised, passport, destination)
  const citesOf = (record: FullRecord, field: string) =>
    (record.sources ?? []).filter(({ fields }) => fields.includes(field)).map(({ name }) => name)

  describe("of an authorisation", () => {
    it.each([
      ["FRA", "USA", "ESTA"],
      ["FRA", "PRI", "ESTA"],
      ["FRA", "GUM", "ESTA"],
      ["NRU", "GUM", "G-CNMI ETA"],
      ["FRA", "CAN", "eTA"],
      ["FRA", "GBR", "UK ETA"],
      ["POL", "AUS", "eVisitor 651"],
      ["JPN", "AUS", "ETA 601"],
      ["FRA", "NZL", "NZeTA"],
      ["BRA", "KOR", "K-ETA"],
      ["FRA", "ISR", "ETA-IL"],
    ] as const)("is its name: %s to %s, %s", (passport, destination, name) => {
      const record = read(passport, destination)
      expect(record.description).toContain(`(${name})`)
      expect(record.process?.join(" ")).toContain(`(${name})`)
      expect(record.documents_required?.join(" ")).toContain(`(${name})`)
      expect(record.visa_types?.[0]?.nom).toContain(`(${name})`)
    })

    it("is Canada's own name for it in French", async () => {
      const record = recordOf(await openFrozenFacts("fr"), "FRA", "CAN")
      expect(record.description).toContain("(AVE)")
      expect(recordOf(await openFrozenFacts("fr"), "FRA", "GBR").description).not.toContain("AVE")
    })

    it("is only ETA where no name is known", () => {
      expect(read("IDN", "JPN").description).toContain("(ETA)")
    })

    it("is who cannot have an ESTA: after stays since 2011, or in Cuba since 2021, and nationals of six countries", async () => {
      const record = recordOf(await openFacts(), "DEU", "USA")
      expect(record.tips?.slice(0, 3)).toEqual([
        "ESTA: not open to anyone who has been in one of these countries since March 1, 2011: Iran, Iraq, Libya, North Korea, Sudan, Somalia, Syria, Yemen. They need a visa.",
        "ESTA: not open to anyone who has been in one of these countries since January 12, 2021: Cuba. They need a visa.",
        "ESTA: not open to anyone who is also a national of one of these countries: Cuba, Iran, Iraq, North Korea, Sudan, Syria. They need a visa.",
      ])
      expect(citesOf(record, "tips")).toContain("Visa Waiver Program, U.S. Department of State")
    })

    it("sends a Pole to the eVisitor's page and a Japanese to the ETA's", () => {
      expect(read("POL", "AUS").process?.join(" ")).toContain("/evisitor-651")
      expect(read("JPN", "AUS").process?.join(" ")).toContain("/electronic-travel-authority-601")
    })
  })

  describe("of applying for a visa", () => {
    it("is an online form and a visa centre for the United Kingdom, on GOV.UK's word", () => {
      const record = read("NGA", "GBR")
      expect(record.process?.slice(0, 4)).toEqual([
        "Apply online: https://www.gov.uk/standard-visitor/apply-standard-visitor-visa",
        expect.stringMatching(/^Pay the (visa fee|fee of)/),
        "Make an appointment at a visa application centre, where your fingerprints and a photo are taken.",
        "Wait for the decision. As a rule it takes up to 21 days.",
      ])
      expect(citesOf(record, "process")).toContain("Standard Visitor visa, GOV.UK")
      expect(record.documents_required?.some(text => /photo/i.test(text))).toBe(false)
    })

    it("is the DS-160 and an interview for the United States", () => {
      expect(read("IND", "USA").process?.slice(0, 4)).toEqual([
        "Fill in the application form (DS-160) online: https://ceac.state.gov/genniv/",
        "Pay the fee of $185.",
        "Make an appointment for an interview at the embassy or consulate, and bring your documents.",
        "Give your fingerprints, unless those from an earlier application are still valid.",
      ])
    })

    it("is an online form and a visa centre for Canada, which takes a fee for fingerprints and asks for its own size of photo", () => {
      const record = read("NGA", "CAN")
      expect(record.process?.[2]).toContain("visa application centre")
      expect(record.visa_fee?.biometrics).toEqual({ amount: 85, currency: "CAD" })
      expect(record.documents_required).toContainEqual(expect.stringContaining("35 × 45 mm"))
    })

    it("names no source for steps that none describes: the mission that is responsible, and its visa centre", () => {
      const record = read("NGA", "SRB")
      expect(record.visa_required).toBe(true)
      expect(record.process?.slice(0, 3)).toEqual([
        "Find the embassy or consulate that is responsible for your place of residence. Destination: Serbia.",
        "Gather the documents that it asks for.",
        "Make an appointment and hand in the application, at the embassy or consulate or at the visa application centre that it names.",
      ])
      expect(citesOf(record, "process")).toEqual([])
    })

    it("is to pay wherever a fee is known", () => {
      for (const passport of ["IND", "FRA", "NGA", "BRA", "CHN", "USA", "ARM"]) {
        for (const destination of ["DEU", "USA", "CAN", "KOR", "VNM", "UZB", "IDN", "BRA"]) {
          if (passport === destination) continue
          const { visa_fee, process } = read(passport, destination)
          const amount = visa_fee?.single_entry?.amount ?? visa_fee?.multiple_entry?.amount ?? 0
          if (amount === 0) continue
          expect(
            process?.some(step => step.startsWith("Pay the fee of")),
            `${passport} ${destination}`,
          ).toBe(true)
        }
      }
    })

    it("is in working days where the source counts those", () => {
      const record = read("FRA", "GBR")
      expect(record.processing_days).toEqual({ standard: 3, unit: "working_days" })
      expect(record.process?.join(" ")).toContain("up to 3 working days")
      expect(read("IND", "DEU").processing_days?.unit).toBe("days")
    })

    it("is an address in the steps only where a source confirms the site, and the doubt elsewhere", () => {
      const emirates = read("PAK", "ARE")
      expect(emirates.requirement).toBe("e_visa")
      expect(emirates.process?.join(" ")).not.toContain("http")
      expect(emirates.tips).toContain(
        "This is thought to be the official site, but no source confirms it here: https://smart.gdrfad.gov.ae/",
      )
      expect(read("FRA", "KEN").tips).toContain("Apply only on the official site: https://etakenya.go.ke/")
    })

    it("names the list through which an official page was read", () => {
      const source = read("IND", "AIA").sources?.find(({ name }) => name === "eVisa portal of Anguilla")
      expect(source?.recorded_in).toContain("multipass evidence list")
      expect(source?.recorded_in).toContain("CC BY 4.0")
    })
  })

  describe("of forms for the arrival", () => {
    it("is where and from when to fill them in", () => {
      expect(read("FRA", "THA").process).toContain(
        "Fill in the arrival form (TDAC) online, at the earliest 3 days before you arrive: https://tdac.immigration.go.th/",
      )
      expect(read("FRA", "AUS").process).toContain(
        "Fill in the arrival form (Incoming Passenger Card) that is handed out on the way or on arrival.",
      )
    })

    it("is a health declaration, too, where India asks for one", () => {
      const record = read("NGA", "IND")
      expect(record.process?.filter(step => step.includes("arrival form"))).toHaveLength(2)
      expect(record.health_requirements?.health_declaration).toBe(true)
      expect(record.health_requirements?.notes).toContain("A health declaration has to be filled in before arrival.")
      expect(read("FRA", "THA").health_requirements?.health_declaration).not.toBe(true)
    })

    it("is no duty where one is voluntary, and no form where the passport or an authorisation exempts", () => {
      const japan = read("FRA", "JPN")
      expect(japan.process?.join(" ")).not.toContain("Visit Japan Web")
      expect(japan.tips?.join(" ")).toContain("You can fill in the arrival form (Visit Japan Web) online in advance")
      expect(read("SGP", "MYS").process?.join(" ")).not.toContain("MDAC")
      expect(read("FRA", "MYS").process?.join(" ")).toContain("MDAC")
      expect(read("BRA", "KOR").process?.join(" ")).not.toContain("e-Arrival")
      expect(read("FRA", "KOR").process?.join(" ")).toContain("e-Arrival Card")
    })

    it("binds those who come home only where it binds everybody", () => {
      expect(read("NZL", "NZL").process?.join(" ")).toContain("NZTD")
      expect(read("THA", "THA").process?.join(" ")).not.toContain("TDAC")
    })

    it("has its price", () => {
      expect(read("DEU", "CPV").tips?.[0]).toMatch(/^There is a fee for the arrival form \(EASE\): CVE\s3,400\.$/)
    })
  })

  describe("of a visa for remote work", () => {
    it.each([
      ["USA", "JPN", true],
      ["IND", "JPN", false],
      ["USA", "TWN", true],
      ["NGA", "TWN", false],
      ["USA", "MLT", true],
      ["RUS", "MLT", false],
      ["RUS", "LVA", false],
      ["BLR", "LVA", true],
      ["DEU", "ESP", false],
    ] as const)("is for those who can have it: %s in %s, %s", (passport, destination, available) => {
      expect(read(passport, destination).remote_work_visa !== undefined).toBe(available)
    })
  })

  it("is of transit lists whether they are whole", async () => {
    const today = await openFacts()
    expect(recordOf(today, "IND", "LTU").transit_visa?.complete).toBe(false)
    expect(recordOf(today, "IND", "DEU").transit_visa?.complete).toBe(true)
    expect(recordOf(today, "IND", "GBR").transit_visa?.complete).toBe(true)
  })

  it("is the name of a city as the language has it", async () => {
    const japanese = recordOf(await openFrozenFacts("ja"), "IND", "DEU")
    expect(japanese.country_info?.capital).toBe("ベルリン")
    expect(japanese.embassy?.your_embassy_at_destination?.city).toBe("ベルリン")
    expect(recordOf(await openFrozenFacts("ru"), "IND", "CHN").country_info?.capital).toBe("Пекин")
  })
})
