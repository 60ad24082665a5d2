/** Verdicts that a travel company called wrong, each as it has to be. */
import { describe, expect, it } from "vitest"
import type { World } from "../oracles/decide.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const since = "2026-01-01"
const entry = (requirement: string, days: number | null) => [{ fromOn: since, requirement, days, free: false }]
const everywhere = { fromDay: null, untilDay: null }

const world: World = {
  sinceOn: since,
  passports: ["BRA", "FRA", "GTM", "IND", "USA"],
  destinations: ["BRA", "FRA", "GTM", "HND", "IND", "NIC", "SLV", "THA", "USA", "VNM"],
  entries: {
    FRATHA: entry("visa_free", 60),
    FRAVNM: entry("visa_free", 45),
    USAFRA: entry("visa_free", 90),
    BRAFRA: entry("visa_free", 90),
    INDFRA: entry("visa_required", null),
    GTMHND: entry("visa_free", 90),
    GTMNIC: entry("visa_free", 90),
    GTMSLV: entry("visa_free", 90),
    USAHND: entry("visa_free", 90),
    USANIC: entry("visa_free", 90),
  },
  follows: {},
  zones: [
    {
      id: "schengen",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: [{ code: "FRA", ...everywhere }],
    },
    {
      id: "ca-4",
      rule: { kind: "single-permission", allowanceDays: 90 },
      members: ["GTM", "HND", "NIC", "SLV"].map(code => ({ code, ...everywhere })),
    },
  ],
  validity: [{ destinations: ["FRA"], anchor: "departure", months: 3, days: 0, issuedWithinYears: 10 }],
  transit: [],
  stayRules: [{ destinations: ["THA"], kind: "per_entry", days: null }],
}
const dataset = openWorld(world)
const dates = { passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }
const codesOf = (request: Parameters<typeof decided>[1]) =>
  decided(dataset, request).blockers.map(({ step, code, basis }) =>
    [step, code, ...(basis === undefined ? [] : [basis])].join(" "),
  )

describe("a visit of 45 days in one year and 45 in the next", () => {
  const twice = (destination: string) => [
    stay(destination, "2026-11-15", "2026-12-29"),
    stay(destination, "2027-11-20", "2028-01-03"),
  ]

  it("is lawful in Thailand, which counts each entry separately", () => {
    expect(codesOf({ passport: "FRA", ...dates, stops: twice("THA") })).toEqual([])
    const close = [stay("THA", "2026-11-15", "2026-12-29"), stay("THA", "2027-01-10", "2027-02-23")]
    const decision = decided(dataset, { passport: "FRA", ...dates, stops: close })
    expect(decision.blockers).toEqual([])
    expect(decision.steps[1]).toMatchObject({
      daysAccumulated: { value: 90 },
      countedStay: { value: 45, allowanceDays: 60, counting: "per_entry", rule: { kind: "per_entry" } },
    })
  })

  it("is lawful if no rule is recorded, because days add up only within 365 days", () => {
    expect(codesOf({ passport: "FRA", ...dates, stops: twice("VNM") })).toEqual([])
  })

  it("is blocked there if both are within 365 days, and the blocker says that days were added up", () => {
    const close = [stay("VNM", "2026-11-15", "2026-12-29"), stay("VNM", "2027-01-10", "2027-02-23")]
    expect(codesOf({ passport: "FRA", ...dates, stops: close })).toEqual(["1 stay_exceeded accumulated"])
    const [blocker] = decided(dataset, { passport: "FRA", ...dates, stops: close }).blockers
    expect(blocker?.message).toBe(
      "90 days in VNM by 2027-02-23, over all visits inside 365 days: 45 are allowed, and no rule is recorded that counts anew.",
    )
  })
})

describe("a second passport", () => {
  it("does not turn a possible journey into a blocked one: 120 days in France take a visa, not ninety days without one", () => {
    const stops = [stay("FRA", "2026-12-01", "2027-03-30")]
    expect(codesOf({ passport: "IND", ...dates, stops })).toEqual([])
    const both = {
      passports: [
        { passport: "BRA", ...dates },
        { passport: "IND", ...dates },
      ],
      stops,
    }
    const decision = decided(dataset, both)
    expect(decision.verdict).toBe("no_blocker_found")
    expect(decision.steps[0]?.passport).toBe("IND")
    expect(decision.conditions.map(({ code }) => code)).toEqual(["visa_required"])
  })

  it("is used for the easier entry if the stay is short", () => {
    const stops = [stay("FRA", "2026-12-01", "2026-12-20")]
    const both = {
      passports: [
        { passport: "IND", ...dates },
        { passport: "BRA", ...dates },
      ],
      stops,
    }
    expect(decided(dataset, both).steps[0]?.passport).toBe("BRA")
  })
})

describe("an American on the way home", () => {
  const stops = [stay("THA", "2026-11-01", "2026-11-10"), stay("USA", "2026-11-10", "2027-06-01")]

  it("is not blocked if the passport expires at home before the exit", () => {
    expect(codesOf({ passport: "USA", passportExpiry: "2027-01-01", stops })).toEqual([])
  })

  it("is blocked if it expires before the last exit from another country", () => {
    expect(codesOf({ passport: "USA", passportExpiry: "2026-11-05", stops })).toEqual([
      "0 passport_expires_before_exit",
      "1 passport_expired",
    ])
  })
})

describe("a Guatemalan in CA-4", () => {
  const stops = [stay("HND", "2026-03-01", "2026-05-20"), stay("NIC", "2026-05-21", "2026-07-20")]

  it("is not blocked by the ninety days of visitors; the days of the agreement are named as unknown", () => {
    const decision = decided(dataset, { passport: "GTM", ...dates, stops })
    expect(decision.blockers).toEqual([])
    expect(decision.unknowns.map(({ step, field, reason }) => `${step} ${field}: ${reason}`)).toContain(
      "1 zoneStay: Nationals of its states may stay longer than visitors: ca-4.",
    )
    expect(decision.steps[0]?.zoneStay).toMatchObject({ status: "known", value: 81 })
  })

  it("is known to be exempt where a source says so", () => {
    const exempt = openWorld({
      ...world,
      agreements: [{ destinations: ["HND", "NIC", "SLV"], passports: ["GTM"], zone: "ca-4", days: null }],
    })
    const { blockers, steps, unknowns } = decided(exempt, { passport: "GTM", ...dates, stops })
    expect(blockers).toEqual([])
    expect(steps.map(({ zoneStay }) => zoneStay)).toEqual([null, null])
    expect(unknowns.filter(({ field }) => field !== "passportValidity")).toEqual([])
  })

  it("is bound by the ninety days with any other passport", () => {
    expect(codesOf({ passport: "USA", ...dates, stops })).toEqual(["1 zone_stay_exceeded"])
  })
})

describe("a visa in hand", () => {
  const stops = [stay("FRA", "2026-12-01", "2026-12-20")]
  const visa = { kind: "visa", issuer: "FRA", type: "C", validUntil: "2027-03-01" } as const

  it("is the required visa: nothing has to be obtained any more, and the answer says why", () => {
    const without = decided(dataset, { passport: "IND", ...dates, stops })
    expect(without.conditions.map(({ code }) => code)).toEqual(["visa_required"])
    const holding = decided(dataset, { passport: "IND", ...dates, stops, held: [visa] })
    expect(holding.conditions).toEqual([])
    expect(holding.steps[0]?.requirement).toMatchObject({
      value: "visa_required",
      because: [{ document: 0, waiver: null }],
    })
    expect(holding.held).toEqual([{ document: visa, steps: [0] }])
  })
})
