import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"

const records = Result.getOrThrow(readDataRecords("data"))
const { validity, transit } = records
const facts = toFacts(records)
const SCHENGEN =
  "AUT BEL BGR CHE CZE DEU DNK ESP EST FIN FRA GRC HRV HUN ISL ITA LIE LTU LUX LVA MLT NLD NOR POL PRT ROU SVK SVN SWE"
const inAlandToo = [...SCHENGEN.split(" "), "ALA"].sort()

describe("data/passport-validity.json", () => {
  const ruleOf = (code: string) => validity.find(rule => rule.destinations.includes(code))
  const ruleOfAll = (code: string) =>
    validity.find(rule => rule.destinations.includes(code) && rule.passports === undefined)

  it("requires in Schengen three months after departure and issue within ten years (Regulation (EU) 2016/399, Art. 6(1)(a))", () => {
    expect(ruleOf("FRA")).toMatchObject({
      anchor: "departure",
      months: 3,
      days: 0,
      issued_within_years: 10,
      confidence: "high",
      source: "eu-regulation-2016-399",
    })
    expect(ruleOf("FRA")?.destinations).toEqual(inAlandToo)
  })

  it("holds for no Schengen destination that is not also in the zone", () => {
    const members = facts.zones.find(zone => zone.id === "schengen")?.members.map(({ code }) => code)
    expect(members).toEqual(expect.arrayContaining(inAlandToo))
  })

  it("settles nothing where sources contradict each other, and has nothing of places that admit nobody without a permit", () => {
    for (const code of ["BRA", "KAZ", "LBN", "QAT", "TUN", "UZB"]) {
      expect(ruleOfAll(code), code).toMatchObject({ is_settled: false, confidence: "medium" })
    }
    const withoutRule = facts.destinations.map(({ code }) => code).filter(code => ruleOfAll(code) === undefined)
    expect(withoutRule).toEqual(["ATA", "ATF", "BVT", "ESH", "HMD", "SGS", "TKL", "UMI"])
  })

  it("gives every rule its source and its confidence, and claims no verification that did not happen", () => {
    for (const rule of [...validity, ...transit]) {
      expect(rule.source).not.toBeNull()
      expect(["high", "medium"]).toContain(rule.confidence)
      expect(rule.verified_on).toBeNull()
      expect(rule.note).toBeDefined()
    }
  })

  it("has one rule for each passport at each destination", () => {
    const named = validity.flatMap(({ destinations, passports = ["others"] }) =>
      destinations.flatMap(code => passports.map(passport => `${code} ${passport}`)),
    )
    expect(named.length).toBeGreaterThan(100)
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted())
  })
})

describe("data/transit.json", () => {
  it("lists the twelve nationalities of the Visa Code's Annex IV for every Schengen country", () => {
    const common = transit.find(rule => rule.source === "eu-regulation-2009-810" && rule.passports !== undefined)
    expect(common?.destinations).toEqual(inAlandToo)
    expect(common?.passports?.join(" ")).toBe("AFG BGD COD ERI ETH GHA IRN IRQ LKA NGA PAK SOM")
  })

  it("covers the Schengen countries, the United Kingdom and China at least", () => {
    expect(transit.flatMap(rule => rule.destinations)).toEqual(expect.arrayContaining([...inAlandToo, "CHN", "GBR"]))
  })
})
