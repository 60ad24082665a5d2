import { describe, expect, it } from "vitest"
import type { Stay } from "../../src/trip/request-fields.ts"
import type { World } from "../oracles/decide.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const since = "2026-01-01"
const entry = (days: number | null) => [{ fromOn: since, requirement: "visa_free", days, free: false }]
const everywhere = { fromDay: null, untilDay: null }

const world: World = {
  sinceOn: since,
  passports: ["FRA", "USA"],
  destinations: ["DEU", "FRA", "GTM", "HND", "RUS", "THA", "USA"],
  entries: {
    USAFRA: entry(90),
    USADEU: entry(90),
    USAGTM: entry(90),
    USAHND: entry(90),
    USATHA: entry(60),
    USARUS: entry(30),
  },
  follows: {},
  zones: [
    {
      id: "schengen",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: ["DEU", "FRA"].map(code => ({ code, ...everywhere })),
    },
    {
      id: "ca-4",
      rule: { kind: "single-permission", allowanceDays: 90 },
      members: ["GTM", "HND"].map(code => ({ code, ...everywhere })),
    },
  ],
  validity: [],
  transit: [],
  stayRules: [{ destinations: ["RUS"], kind: "calendar_year", days: 90 }],
}
const dataset = openWorld(world)
const dates = { passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }
const decideAfter = (earlierStays: readonly Stay[], ...stops: ReturnType<typeof stay>[]) =>
  decided(dataset, { passport: "USA", ...dates, earlierStays, stops })
const codesOf = ({ blockers }: ReturnType<typeof decided>) => blockers.map(({ step, code }) => `${step} ${code}`)

describe("earlier stays", () => {
  it("count in a zone, in any order, before the dataset's first day too", () => {
    const stays = [stay("FRA", "2026-01-01", "2026-01-20"), stay("DEU", "2025-11-21", "2025-12-31")]
    const decision = decideAfter(stays, stay("FRA", "2026-02-01", "2026-03-01"))
    expect(decision.steps[0]?.zoneStay).toMatchObject({ value: 41 + 20 + 29 })
    expect(codesOf(decideAfter(stays, stay("FRA", "2026-02-01", "2026-03-02")))).toEqual(["0 zone_stay_exceeded"])
  })

  it("leave nothing unknown, unlike a stop before the dataset's first day", () => {
    const before = stay("DEU", "2025-11-21", "2025-12-20")
    const here = stay("FRA", "2026-02-01", "2026-02-10")
    const asStop = decided(dataset, { passport: "USA", ...dates, stops: [before, here] })
    expect(reasonsOf(asStop)).toContain(`1 zoneStay: ${SAID.zone_other_stays}`)
    const asEarlier = decideAfter([before], here)
    expect(asEarlier.steps[0]?.zoneStay).toMatchObject({ status: "known", value: 40 })
    expect(reasonsOf(asEarlier).filter(gap => gap.includes("zoneStay"))).toEqual([])
  })

  it("do not count under a permit, but are presence in the zone", () => {
    const permit = { ...stay("GTM", "2026-01-01", "2026-03-31"), permit: "residence" as const }
    expect(decideAfter([permit], stay("HND", "2026-04-01", "2026-04-10")).steps[0]?.zoneStay).toMatchObject({
      value: 10,
    })
    const visitor = stay("GTM", "2026-01-01", "2026-03-31")
    expect(codesOf(decideAfter([visitor], stay("HND", "2026-04-01", "2026-04-10")))).toEqual(["0 zone_stay_exceeded"])
    // A whole day outside begins a new permission.
    expect(codesOf(decideAfter([visitor], stay("HND", "2026-04-02", "2026-04-10")))).toEqual([])
  })

  it("count by the destination's stay rule, and inside 365 days where none is recorded", () => {
    const russia = [stay("RUS", "2026-01-10", "2026-03-20")]
    expect(codesOf(decideAfter(russia, stay("RUS", "2026-12-01", "2026-12-21")))).toEqual(["0 stay_exceeded"])
    expect(codesOf(decideAfter(russia, stay("RUS", "2027-01-01", "2027-01-21")))).toEqual([])
    const thailand = [stay("THA", "2026-01-01", "2026-02-10")]
    const decision = decideAfter(thailand, stay("THA", "2026-12-01", "2026-12-20"))
    expect(decision.blockers).toMatchObject([{ code: "stay_exceeded", basis: "accumulated" }])
    expect(decision.steps[0]).toMatchObject({
      daysAccumulated: { value: 20 },
      countedStay: { value: 61, counting: "accumulated" },
    })
    expect(codesOf(decideAfter(thailand, stay("THA", "2027-02-10", "2027-03-01")))).toEqual([])
  })

  it("continue in the first stop if the traveller has not left", () => {
    const days = [stay("THA", "2026-03-01", "2026-04-10")]
    const decision = decideAfter(days, stay("THA", "2026-04-10", "2026-04-30"))
    expect(decision.steps[0]?.countedStay).toMatchObject({ value: 61, allowanceDays: 60, counting: "visit" })
    expect(codesOf(decision)).toEqual(["0 stay_exceeded"])
  })

  it("from before the zone's present rule are counted by it, and the answer says so", () => {
    const decision = decideAfter(
      [stay("FRA", "2013-10-17", "2013-10-20"), stay("FRA", "2013-10-18", "2013-10-20")],
      stay("FRA", "2026-02-01", "2026-02-10"),
    )
    expect(reasonsOf(decision).filter(gap => gap.includes("earlierStays"))).toEqual([
      `- earlierStays[0]: ${SAID.todays_rule}`,
    ])
  })

  it("from before that rule are not said to be counted if they were under a permit", () => {
    const permit = { ...stay("FRA", "2012-01-01", "2012-06-01"), permit: "residence" as const }
    const decision = decideAfter([permit], stay("FRA", "2026-02-01", "2026-02-10"))
    expect(reasonsOf(decision).filter(gap => gap.includes("earlierStays"))).toEqual([])
  })

  it("in a destination that is not recorded are unknown, because they are not counted", () => {
    const slips = [
      stay("FRA", "2025-01-02", "2025-01-03"),
      stay("GER", "2025-09-01", "2025-11-25"),
      { ...stay("ZZZ", "2025-02-01", "2025-02-25"), permit: "residence" as const },
    ]
    const nowhere = {
      step: null,
      reason: SAID.stay_counted_nowhere,
      granularity: "destination",
      code: "stay_counted_nowhere",
      params: {},
      weight: "unknown",
    }
    const decision = decideAfter(slips, stay("FRA", "2026-02-01", "2026-02-10"))
    expect(decision.steps[0]?.zoneStay).toMatchObject({ value: 10 })
    expect(decision.unknowns.filter(({ field }) => field.startsWith("earlierStays"))).toEqual([
      { field: "earlierStays[2]", ...nowhere },
      { field: "earlierStays[1]", ...nowhere },
    ])
  })

  it("do not change a stay without a recorded number of days", () => {
    const open = openWorld({ ...world, entries: { ...world.entries, USATHA: entry(null) } })
    const decision = decided(open, {
      passport: "USA",
      ...dates,
      earlierStays: [stay("THA", "2026-01-01", "2026-02-10")],
      stops: [stay("THA", "2026-12-01", "2026-12-20")],
    })
    expect(reasonsOf(decision)).toContain(`0 maxStay: ${SAID.stay_not_recorded}`)
  })
})
