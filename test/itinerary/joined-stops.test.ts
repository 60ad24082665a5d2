/**
 * Two hotels in one country are one stay: its visa is for "one entry" (Regulation (EC) No 810/2009, Art. 24(1)), and what is asked "on the day of
 * entry" (Regulation (EU) 2016/399, Art. 6(1)) is asked once.
 */
import { describe, expect, it } from "vitest"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const dataset = frozenDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const hotels = [
  stay("THA", "2026-12-01", "2026-12-20"),
  stay("THA", "2026-12-20", "2027-01-10"),
  stay("THA", "2027-01-11", "2027-02-10"),
]

describe("stops of one stay", () => {
  it("ask for a visa once, for all of them", () => {
    const { conditions, toDo, steps } = decided(dataset, { passport: "NGA", ...dates, stops: hotels })
    expect(conditions.filter(({ code }) => code === "e_visa" || code === "visa_required")).toHaveLength(1)
    expect(new Set(conditions.map(({ step }) => step))).toEqual(new Set([0]))
    expect(toDo[0]).toMatchObject({ step: 0, steps: [0, 1, 2] })
    expect(steps.map(({ index, from, days }) => [index, from, days])).toEqual([
      [0, "2026-12-01", 20],
      [1, "2026-12-20", 22],
      [2, "2027-01-11", 31],
    ])
    expect(steps.map(({ daysAccumulated }) => daysAccumulated.status === "known" && daysAccumulated.value)).toEqual([
      20, 41, 72,
    ])
  })

  it("are counted as one stay, which is too long once, at its end", () => {
    const stops = [stay("FRA", "2026-12-01", "2027-03-05"), stay("FRA", "2027-03-05", "2027-03-10")]
    const { blockers } = decided(dataset, { passport: "USA", ...dates, stops })
    expect(blockers.map(({ step, code, params }) => [step, code, params.days])).toEqual([
      [1, "stay_exceeded", 100],
      [1, "zone_stay_exceeded", 100],
    ])
  })

  it("report a passport that ends too early once", () => {
    const { blockers } = decided(dataset, { passport: "USA", passportExpiry: "2027-03-01", stops: hotels })
    const codes = blockers.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)])
    expect(codes).toContain("passport_validity_short")
  })

  const world = {
    sinceOn: "2026-01-01",
    passports: ["AAA"],
    destinations: ["AAA", "BBB", "CCC"],
    entries: {
      AAABBB: [
        { fromOn: "2026-01-01", requirement: "visa_free", days: 30, free: false },
        { fromOn: "2026-06-05", requirement: "visa_required", days: null, free: false },
      ],
    },
    follows: {},
    zones: [],
    validity: [],
    transit: [],
  }
  const opened = openWorld(world)
  const requirements = (stops: readonly ReturnType<typeof stay>[]) =>
    decided(opened, { passport: "AAA", ...dates, stops }).steps.map(
      ({ requirement }) => requirement.status === "known" && requirement.value,
    )

  it("follow the rule of the first day, even if another rule applies from the second stop on", () => {
    expect(requirements([stay("BBB", "2026-06-01", "2026-06-05"), stay("BBB", "2026-06-05", "2026-06-09")])).toEqual([
      "visa_free",
      "visa_free",
    ])
  })

  it("are two entries if there is a day outside between them or they are in two countries", () => {
    expect(requirements([stay("BBB", "2026-06-01", "2026-06-04"), stay("BBB", "2026-06-06", "2026-06-09")])).toEqual([
      "visa_free",
      "visa_required",
    ])
    const held = [{ kind: "visa", issuer: "BBB", entries: 1, validFrom: "2026-01-01" }] as const
    const between = [
      stay("BBB", "2026-06-06", "2026-06-07"),
      stay("CCC", "2026-06-07", "2026-06-07"),
      stay("BBB", "2026-06-07", "2026-06-09"),
    ]
    const codes = decided(opened, { passport: "AAA", ...dates, stops: between, held }).conditions
    expect(codes.map(({ step, code }) => [step, code])).toEqual([[2, "visa_required"]])
  })

  it("use one passport: the one that any of the stops names", () => {
    const passports = [{ passport: "USA" }, { passport: "FRA" }]
    const stops = [
      stay("FRA", "2026-12-01", "2026-12-05"),
      { ...stay("FRA", "2026-12-05", "2026-12-09"), passport: "USA" },
    ]
    expect(decided(dataset, { passports, stops }).steps.map(({ passport }) => passport)).toEqual(["USA", "USA"])
    const named = [{ ...stops[0]!, passport: "FRA" }, stops[1]!]
    expect(decided(dataset, { passports, stops: named }).steps.map(({ passport }) => passport)).toEqual(["FRA", "USA"])
  })
})
