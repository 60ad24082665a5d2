/**
 * Rules about the traveller and the way, by the text of the law: 8 U.S.C. 1187(a)(12) (who is barred from the visa waiver), 8 U.S.C. 1185(b) and the
 * like (own passport), and what an earlier stay that was too long means.
 */
import { describe, expect, it } from "vitest"
import { decideWithRemedies, embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const newYork = stay("USA", "2027-01-10", "2027-01-20")
const found = (request: Parameters<typeof decided>[1]) => {
  const { outcome, blockers, conditions, steps } = decided(dataset, request)
  const requirement = steps[steps.length - 1]!.requirement
  return {
    outcome,
    requirement: requirement.status === "known" ? requirement.value : null,
    blockers: blockers.map(({ code }) => code),
    conditions: conditions.map(({ code }) => code),
    params: conditions.find(({ code }) => code === "visa_instead")?.params ?? null,
  }
}

describe("8 U.S.C. 1187(a)(12): a traveller who was in a named country needs a visa", () => {
  const french = { passport: "FRA", ...dates }
  const having = (destination: string, from: string, to: string) =>
    found({ ...french, earlierStays: [stay(destination, from, to)], stops: [newYork] })

  it("from 1 March 2011 on", () => {
    expect(having("IRQ", "2019-05-01", "2019-05-03")).toMatchObject({
      outcome: "obtain",
      requirement: "visa_required",
      params: { because: "presence", country: "IRQ", since: "2011-03-01", seen: "2019-05-03", asked: "eta" },
    })
    expect(having("IRQ", "2011-02-20", "2011-03-01").requirement).toBe("visa_required")
    expect(having("IRQ", "2011-02-20", "2011-02-28")).toMatchObject({ requirement: "eta", params: null })
    expect(having("JOR", "2019-05-01", "2019-05-03").requirement).toBe("eta")
  })

  it("in Cuba from 12 January 2021 on", () => {
    expect(having("CUB", "2021-01-01", "2021-01-11").requirement).toBe("eta")
    expect(having("CUB", "2021-01-01", "2021-01-12").requirement).toBe("visa_required")
  })

  it("to Guam too, but not on a passport of the programme of Guam alone: 8 CFR 212.1(q) names no such stays", () => {
    const toGuam = (passport: string) => {
      const earlierStays = [stay("IRN", "2019-05-01", "2019-05-03")]
      return found({ passport, ...dates, earlierStays, stops: [stay("GUM", "2027-01-10", "2027-01-20")] }).requirement
    }
    expect(["JPN", "MYS"].map(toGuam)).toEqual(["visa_required", "eta"])
  })

  it("by an earlier stop of the same journey, and not by a later one", () => {
    const cuba = stay("CUB", "2026-12-20", "2027-01-05")
    expect(found({ ...french, stops: [cuba, newYork] }).requirement).toBe("visa_required")
    const later = stay("CUB", "2027-02-01", "2027-02-05")
    expect(decided(dataset, { ...french, stops: [newYork, later] }).steps[0]!.requirement).toMatchObject({
      value: "eta",
    })
  })

  it("a national of a named country on any passport; nationality of Libya alone is not a bar", () => {
    const dual = (other: string) =>
      found({
        passports: [
          { passport: "FRA", ...dates },
          { passport: other, ...dates },
        ],
        stops: [{ ...newYork, passport: "FRA" }],
      })
    expect(dual("IRN")).toMatchObject({
      requirement: "visa_required",
      params: { because: "nationality", country: "IRN" },
    })
    expect(dual("LBY").requirement).toBe("eta")
  })

  it("a national of a named country in the Virgin Islands too; the bar is not named if the passport in use needs the visa anyway", () => {
    const asks = (...passports: string[]) =>
      found({
        passports: passports.map(passport => ({ passport, ...dates })),
        stops: [stay("VIR", "2026-12-04", "2026-12-20")],
      })
    expect(asks("NZL")).toMatchObject({ requirement: "eta", params: null })
    expect(asks("HND")).toMatchObject({ requirement: "visa_required", params: null })
    expect(asks("HND", "NZL")).toMatchObject({ requirement: "eta", params: null })
    expect(asks("SYR", "NZL")).toMatchObject({
      requirement: "visa_required",
      params: { because: "nationality", country: "SYR", asked: "eta" },
    })
    expect(asks("HND", "SYR", "NZL")).toMatchObject({ requirement: "visa_required", params: null })
  })

  it("is lifted by a visa, and not by a held ESTA", () => {
    const request = { ...french, earlierStays: [stay("SYR", "2015-01-01", "2015-01-02")], stops: [newYork] }
    const esta = found({ ...request, held: [{ kind: "eta", issuer: "USA" }] })
    expect(esta.conditions).toContain("visa_required")
    const visa = found({ ...request, held: [{ kind: "visa", issuer: "USA", type: "B1/B2" }] })
    expect(visa.conditions).not.toContain("visa_required")
    expect(visa.conditions).not.toContain("visa_instead")
  })

  it("bars nobody who needs a visa anyway, nor a Canadian", () => {
    const stays = [stay("IRQ", "2019-05-01", "2019-05-03")]
    expect(found({ passport: "IND", ...dates, earlierStays: stays, stops: [newYork] }).params).toBeNull()
    expect(found({ passport: "CAN", ...dates, earlierStays: stays, stops: [newYork] }).requirement).toBe("visa_free")
  })
})

describe("citizens enter on their own passport", () => {
  const dual = (own: string, other: string, stop: object, expiry = dates.passportExpiry) => ({
    passports: [
      { passport: other, ...dates },
      { passport: own, ...dates, passportExpiry: expiry },
    ],
    stops: [{ ...newYork, ...stop }],
  })

  it.each([
    ["8 U.S.C. 1185(b)", "USA", "FRA"],
    ["the ETA scheme of the United Kingdom", "GBR", "FRA"],
    ["the Migration Act 1958", "AUS", "FRA"],
    ["the Immigration and Refugee Protection Regulations", "CAN", "FRA"],
    ["section 26B of the South African Citizenship Act", "ZAF", "FRA"],
  ])("by %s", (_, own, other) => {
    const request = dual(own, other, { destination: own, passport: other, by: "air" })
    expect(found(request).blockers).toEqual(["own_passport_needed"])
    const judged = decideWithRemedies(dataset, request)
    const blocker = judged.ok && judged.value.kind === "decided" ? judged.value.blockers[0] : undefined
    expect(blocker?.remedies).toContainEqual({ action: "use_passport", step: 0, value: own })
    expect(decided(dataset, dual(own, other, { destination: own })).steps[0]!.passport).toBe(own)
  })

  it("asks to renew it if it has expired", () => {
    const judged = decideWithRemedies(dataset, dual("USA", "FRA", {}, "2026-12-01"))
    const [blocker, ...others] = judged.ok && judged.value.kind === "decided" ? judged.value.blockers : []
    expect(others).toEqual([])
    expect(blocker).toMatchObject({ code: "passport_expired", params: { passport: "USA" } })
    expect(blocker?.remedies).toContainEqual({ action: "renew_before", step: 0, value: "2027-01-10", passport: "USA" })
  })

  it("or on accepted ones: the Irish passport for British citizens, that of the United States for Canadians", () => {
    expect(found(dual("GBR", "IRL", { destination: "GBR", passport: "IRL" })).blockers).toEqual([])
    expect(found(dual("CAN", "USA", { destination: "CAN", passport: "USA" })).blockers).toEqual([])
  })

  it("of the United Kingdom in Jersey, Guernsey and the Isle of Man too, since 2026-04-23", () => {
    for (const island of ["JEY", "GGY", "IMN"]) {
      expect(found(dual("GBR", "FRA", { destination: island, passport: "FRA" })).blockers).toEqual([
        "own_passport_needed",
      ])
      expect(found(dual("GBR", "IRL", { destination: island, passport: "IRL" })).blockers).toEqual([])
    }
  })

  it("of Canada when they come by air, and not by land", () => {
    const arriving = (by?: "air" | "land" | "sea") =>
      found(dual("CAN", "FRA", { destination: "CAN", passport: "FRA", ...(by && { by }) }))
    expect(arriving("air").blockers).toEqual(["own_passport_needed"])
    for (const by of ["land", "sea"] as const) expect(arriving(by)).toMatchObject({ outcome: "clear", conditions: [] })
    // Who does not say how he arrives may come by land: Immigration and Refugee Protection Act, s. 19(1).
    expect(arriving()).toMatchObject({ outcome: "unknown", blockers: [], conditions: ["entry_points"] })
    const { conditions } = decided(dataset, dual("CAN", "FRA", { destination: "CAN", passport: "FRA" }))
    expect(conditions[0]!.params).toEqual({ names: [], borders: ["land", "sea"] })
    // Nobody who is no citizen comes in by right.
    expect(found(dual("DEU", "FRA", { destination: "CAN", passport: "FRA" })).conditions).toEqual(["eta", "asked_at"])
  })

  it("and does not concern travellers with one passport", () => {
    expect(found({ passport: "FRA", ...dates, stops: [newYork] }).blockers).toEqual([])
  })
})

describe("between Italy, San Marino and the Vatican there are no border checks", () => {
  const held = [{ kind: "visa", issuer: "ITA", type: "C", entries: 1 }] as const
  const trip = (between: string, returns: string) => [
    stay("ITA", "2027-01-10", "2027-01-12"),
    stay(between, "2027-01-12", "2027-01-12"),
    stay("ITA", returns, "2027-01-20"),
  ]
  const steps = (between: string, returns = "2027-01-12") => {
    const { held: used } = decided(dataset, { passport: "IND", ...dates, held, stops: trip(between, returns) })
    return used[0]!.steps.filter(step => step !== 1)
  }

  it("so that a visa for one entry is not used up", () => {
    expect(steps("VAT")).toEqual([0, 2])
    expect(steps("SMR")).toEqual([0, 2])
  })

  it("while Andorra, whose border is checked, and a day elsewhere use it up", () => {
    expect(steps("AND")).toEqual([0])
    expect(steps("VAT", "2027-01-15")).toEqual([0])
  })
})

describe("an earlier stay that was too long", () => {
  const trip = { passport: "USA", ...dates, stops: [stay("FRA", "2027-01-10", "2027-01-20")] }

  it("is named as a risk, with its days", () => {
    const earlierStays = [stay("ITA", "2026-01-01", "2026-04-10"), stay("ESP", "2026-11-01", "2026-11-10")]
    const { outcome, conditions, blockers } = decided(dataset, { ...trip, earlierStays })
    expect(blockers).toEqual([])
    expect(outcome).not.toBe("clear")
    expect(conditions.filter(({ code }) => code === "earlier_overstay").map(({ params }) => params)).toEqual([
      { destination: "FRA", days: 100, allowed: 90, by: "2026-04-10" },
    ])
  })

  it("in a country by its own rule: ninety days of the visa waiver of the United States", () => {
    const codes = (to: string) =>
      found({ passport: "FRA", ...dates, stops: [newYork], earlierStays: [stay("USA", "2025-01-01", to)] }).conditions
    expect(codes("2025-03-31")).not.toContain("earlier_overstay")
    expect(codes("2025-04-01")).toContain("earlier_overstay")
  })

  it("is not too long under a permit, nor if the traveller moves freely", () => {
    const earlierStays = [{ ...stay("ITA", "2026-01-01", "2026-04-10"), permit: "residence" as const }]
    expect(found({ ...trip, earlierStays }).conditions).not.toContain("earlier_overstay")
    const free = { ...trip, passport: "DEU", earlierStays: [stay("ITA", "2026-01-01", "2026-04-10")] }
    expect(found(free).conditions).not.toContain("earlier_overstay")
  })
})

describe("agreements of Sweden, the Netherlands and Norway beside the ninety days (Convention implementing the Schengen Agreement, Art. 20(2))", () => {
  const longStay = (passport: string, destination: string) =>
    decided(dataset, { passport, ...dates, stops: [stay(destination, "2027-01-10", "2027-04-20")] })

  it.each([
    ["USA", "SWE"],
    ["CAN", "NLD"],
    ["AUS", "NOR"],
  ])("are named where a stay of %s in %s is too long, and for nobody else", (passport, destination) => {
    const namedFor = (holder: string) =>
      longStay(holder, destination).blockers.map(({ code, params }) => [code, params.agreement !== undefined])
    expect(namedFor(passport)).toEqual([["zone_stay_exceeded", true]])
    expect(namedFor("GBR")).toEqual([
      ["stay_exceeded", false],
      ["zone_stay_exceeded", false],
    ])
  })
})

describe("Russian tourists at the outer border: decisions of Estonia, Latvia, Lithuania and Poland of 19 September 2022", () => {
  const visa = { kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2027-12-31" }
  const entering = (more: Partial<Parameters<typeof decided>[1]> = {}) =>
    found({ passport: "RUS", ...dates, held: [visa], stops: [stay("EST", "2027-01-10", "2027-01-20")], ...more })

  it("are not admitted, whichever state issued the visa, and with no purpose given", () => {
    for (const destination of ["EST", "LVA", "LTU", "POL", "FIN", "CZE"]) {
      const stops = [stay(destination, "2027-01-10", "2027-01-20")]
      expect(entering({ stops }).blockers, destination).toEqual(["barred"])
    }
    expect(entering({ purpose: "tourism" }).blockers).toEqual(["barred"])
    expect(entering({ held: [] }).blockers).toEqual(["barred"])
  })

  it("are told who is exempt if they come for another purpose", () => {
    expect(entering({ purpose: "family" })).toMatchObject({ outcome: "unknown", blockers: [] })
    expect(entering({ purpose: "family" }).conditions).toContain("other")
  })

  it("are not barred elsewhere, with a residence permit, on another passport, or from inside the area", () => {
    expect(entering({ stops: [stay("FRA", "2027-01-10", "2027-01-20")] }).blockers).toEqual([])
    expect(entering({ held: [{ ...visa, kind: "residence_permit" }] }).blockers).toEqual([])
    expect(entering({ passport: "BLR" }).blockers).toEqual([])
    const stops = [stay("FRA", "2027-01-10", "2027-01-20"), stay("EST", "2027-01-20", "2027-01-25")]
    expect(entering({ stops }).blockers).toEqual([])
  })
})
