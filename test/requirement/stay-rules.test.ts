import { describe, expect, it } from "vitest"
import type { Facts } from "../../src/compiler.ts"
import { comesFromTable } from "../../src/dataset/open.ts"
import {
  findStayRule,
  findZoneAgreement,
  lookupRequirement,
  parseCivilDate,
  type Requirement,
} from "../../src/index.ts"
import { openSmall, policy, rule, stayRule, zone } from "../dataset/small-facts.ts"

const find = (
  changes: Partial<Facts>,
  passport = "AAA",
  destination = "BBB",
  on = "2026-06-01",
  requirement?: Requirement,
) => findStayRule(openSmall(changes), passport, destination, parseCivilDate(on) as number, requirement)

describe("findStayRule", () => {
  it("gives a rule as it was recorded, frozen", () => {
    const recorded = stayRule({ kind: "rolling", days: 90, windowDays: 180, visitDays: 30, note: "Both days count." })
    const found = find({ stayRules: [recorded] })
    expect(found).toEqual({
      kind: "rolling",
      days: 90,
      months: null,
      windowDays: 180,
      visitDays: 30,
      daysOutside: null,
      neighbours: null,
      readmissionDays: null,
      firstDayCounted: true,
      zone: null,
      agreement: null,
      requirements: null,
      note: "Both days count.",
      confidence: "high",
      source: { id: "law", name: "A law", url: "https://law.example/", imported: false, compiled: false },
      sourceUrl: "https://law.example/",
      verifiedOn: null,
      citedOn: null,
    })
    expect(Object.isFrozen(found)).toBe(true)
    expect(
      find({ stayRules: [stayRule({ kind: "per_entry", days: null, months: 6, daysOutside: 90 })] }),
    ).toMatchObject({
      kind: "per_entry",
      days: null,
      months: 6,
      daysOutside: 90,
    })
  })

  it("prefers a passport by its code to a bloc, and a bloc to everybody", () => {
    const stayRules = [
      stayRule({ days: 10 }),
      stayRule({ days: 20, passports: ["@OLD"] }),
      stayRule({ days: 30, passports: ["BBB"] }),
    ]
    const bbb = { destinations: ["CCC"] }
    const placed = stayRules.map(each => ({ ...each, ...bbb }))
    expect(find({ stayRules: placed }, "CCC", "CCC")).toBeNull()
    expect(find({ stayRules: placed }, "AAA", "CCC")?.days).toBe(20)
    expect(find({ stayRules: placed }, "BBB", "CCC", "2026-02-01")?.days).toBe(30)
    expect(find({ stayRules: placed.slice(0, 2) }, "BBB", "CCC", "2026-02-28")?.days).toBe(20)
    // BBB left the bloc on the first of March.
    expect(find({ stayRules: placed.slice(0, 2) }, "BBB", "CCC", "2026-03-01")?.days).toBe(10)
  })

  it("holds on its days and for what is asked", () => {
    const stayRules = [
      stayRule({ days: 10, from: "2026-02-01", until: "2026-03-01", requirements: ["visa_required"] }),
      stayRule({ days: 20, from: "2026-03-01", requirements: ["visa_free"] }),
    ]
    expect(find({ stayRules }, "AAA", "BBB", "2026-01-31")).toBeNull()
    expect(find({ stayRules }, "AAA", "BBB", "2026-02-01")?.days).toBe(10)
    expect(find({ stayRules }, "AAA", "BBB", "2026-03-01")).toBeNull()
    // With a document in hand the traveller enters without a visa.
    expect(find({ stayRules }, "AAA", "BBB", "2026-03-01", "visa_free")?.days).toBe(20)
  })

  it("holds in a territory that follows, unless that has one of its own", () => {
    const ofAaa = stayRule({ destinations: ["AAA"], days: 45 })
    expect(find({ stayRules: [ofAaa] }, "CCC", "TTT")?.days).toBe(45)
    expect(find({ stayRules: [ofAaa, stayRule({ destinations: ["TTT"], days: 15 })] }, "CCC", "TTT")?.days).toBe(15)
  })

  it("is null at home, without a record, and for what was no question", () => {
    const stayRules = [stayRule()]
    expect(find({ stayRules }, "BBB", "BBB")).toBeNull()
    expect(find({ stayRules, policies: [] })).toBeNull()
    expect(find({ stayRules }, "QQQ")).toBeNull()
    expect(find({ stayRules }, "aaa")).toBeNull()
    expect(findStayRule(openSmall({ stayRules }), "AAA", "BBB", Number.NaN)).toBeNull()
  })
})

describe("findZoneAgreement", () => {
  it("finds an agreement beside a zone, which no stay rule is", () => {
    const beside = { kind: "beside_zone", zone: "area", agreement: "Exchange of notes, 1960" } as const
    const changes = { zones: [zone()], stayRules: [stayRule({ ...beside, windowDays: 180, passports: ["AAA"] })] }
    const dataset = openSmall(changes)
    const day = parseCivilDate("2026-06-01") as number
    expect(findZoneAgreement(dataset, "AAA", "BBB", "area", day)).toMatchObject({
      ...beside,
      days: 90,
      windowDays: 180,
    })
    expect(findZoneAgreement(dataset, "CCC", "BBB", "area", day)).toBeNull()
    expect(findZoneAgreement(dataset, "AAA", "BBB", "sea", day)).toBeNull()
    expect(findStayRule(dataset, "AAA", "BBB", day)).toBeNull()
  })

  it("finds one that may allow more than the zone, which no stay rule is either", () => {
    const mayExceed = { kind: "may_exceed_zone", zone: "area", agreement: "Exchange of notes, 1953" } as const
    const dataset = openSmall({ zones: [zone()], stayRules: [stayRule({ ...mayExceed, days: null })] })
    const day = parseCivilDate("2026-06-01") as number
    expect(findZoneAgreement(dataset, "AAA", "BBB", "area", day)).toMatchObject({ ...mayExceed, days: null })
    expect(findStayRule(dataset, "AAA", "BBB", day)).toBeNull()
  })
})

describe("comesFromTable", () => {
  it("is said of the days of e-visas and visas on arrival from an imported table, and of nothing else", () => {
    const stays = (requirement: Requirement, days: number | null, source: string | null) => {
      const policies = [policy("BBB", { rules: [rule(["AAA"], { requirement, days, source })] })]
      const answer = lookupRequirement(openSmall({ policies }), "AAA", "BBB")
      return answer.kind === "found" && comesFromTable(answer)
    }
    expect(stays("e_visa", 30, "table")).toBe(true)
    expect(stays("visa_on_arrival", 30, "table")).toBe(true)
    expect(stays("e_visa", null, "table")).toBe(false)
    expect(stays("e_visa", 30, "law")).toBe(false)
    expect(stays("e_visa", 30, null)).toBe(false)
    expect(stays("visa_free", 30, "table")).toBe(false)
  })
})
