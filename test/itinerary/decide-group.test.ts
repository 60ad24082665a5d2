import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decideGroup } from "../../src/itinerary/decide-request.ts"
import { applyRemedy } from "../../src/itinerary/remedies.ts"
import { decide } from "../../src/trip/judge.ts"
import type { GroupItineraryRequest } from "../../src/trip/request-fields.ts"
import type { World } from "../oracles/decide.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { stay } from "./decisions.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"

const small: World = {
  sinceOn: "2026-01-01",
  passports: ["AAA", "BBB"],
  destinations: ["AAA", "BBB", "CCC"],
  entries: {
    AAACCC: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 10, free: false }],
    BBBCCC: [{ fromOn: "2026-01-01", requirement: "visa_required", days: null, free: false }],
  },
  follows: {},
  zones: [],
  validity: [],
  transit: [],
}
const dataset = openWorld(small)
const stops = [stay("CCC", "2026-03-01", "2026-03-20")]
const together = (request: GroupItineraryRequest, options?: { remedies: boolean }) => {
  const result = decideGroup(dataset, request, options)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe("several travellers", () => {
  it("are blocked together if one of them is, and the blocker names the traveller", () => {
    const decision = together({ travellers: [{ passport: "BBB" }, { passport: "AAA" }], stops })
    if (decision.kind !== "decided") return expect.fail("not decided")
    expect(decision.verdict).toBe("blocked")
    expect(decision.travellers.map(({ verdict }) => verdict)).toEqual(["no_blocker_found", "blocked"])
    expect(decision.blockers.map(({ traveller, step, code }) => [traveller, step, code])).toEqual([
      [1, 0, "stay_exceeded"],
    ])
    expect(decision.conditions.map(({ traveller, code }) => [traveller, code])).toEqual([[0, "visa_required"]])
    expect(decision.pairsCharged).toBe(2)
  })

  it("are each decided as if alone, with any documents", () => {
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 1, maxLength: 4 }), (each, trips) => {
        const data = openWorld(each)
        const [first] = trips
        if (first === undefined) return
        const { stops: given, transit, purpose } = first
        const route = { stops: given.map(({ passport: _, ...rest }) => rest), transit, purpose }
        const members = trips.map(trip => {
          const {
            stops: _,
            transit: __,
            purpose: ___,
            earlierStays,
            ...traveller
          } = toRequest(trip) as Record<string, unknown> & {
            readonly earlierStays?: readonly { readonly to: string }[]
          }
          const begin = route.stops[0]?.from as string
          return { ...traveller, earlierStays: (earlierStays ?? []).filter(({ to }) => to <= begin) }
        })
        const result = decideGroup(data, { ...route, travellers: members } as never)
        if (!result.ok || result.value.kind !== "decided") return expect.fail("not decided")
        expect(result.value.travellers).toEqual(
          members.map(member => {
            const alone = decide(data, { ...route, ...member } as never)
            return alone.ok ? alone.value : alone
          }),
        )
        const blocked = result.value.travellers.some(({ verdict }) => verdict === "blocked")
        expect(result.value.verdict).toBe(blocked ? "blocked" : "no_blocker_found")
      }),
      { numRuns: countTrips(25) },
    )
  })

  it("have remedies when they are asked for", () => {
    const decision = together({ travellers: [{ passport: "AAA" }], stops }, { remedies: true })
    if (decision.kind !== "decided") return expect.fail("not decided")
    expect(decision.blockers[0]?.remedies?.[0]).toEqual({ action: "leave_by", step: 0, value: "2026-03-10" })
  })

  it("have no remedy whose new days make it worse for another traveller", () => {
    const free = (days: number) => [{ fromOn: "2026-01-01", requirement: "visa_free", days, free: false }]
    const data = openWorld({
      ...small,
      entries: { AAACCC: free(10), BBBCCC: free(30), AAABBB: free(90) },
      validity: [{ destinations: ["CCC"], anchor: "departure", months: 0, days: 0, issuedWithinYears: null }],
    })
    const route = [
      stay("CCC", "2026-03-01", "2026-03-10"),
      stay("BBB", "2026-03-11", "2026-04-10"),
      stay("CCC", "2026-04-11", "2026-04-15"),
    ]
    const decideFor = (expiry: string, stops = route) => {
      const travellers = [
        { passport: "AAA", passportExpiry: "2030-01-01" },
        { passport: "BBB", passportExpiry: expiry },
      ]
      const result = decideGroup(data, { travellers, stops }, { remedies: true })
      if (!result.ok || result.value.kind !== "decided") return expect.fail("not decided")
      return result.value.blockers
    }
    const offered = (expiry: string) =>
      decideFor(expiry).flatMap(({ traveller, remedies = [] }) =>
        remedies.map(({ action, value }) => `${traveller} ${action} ${typeof value === "object" ? "visa" : value}`),
      )
    // The first has used up his days, and they are free again a year later; the passport of the other does not last so long.
    expect(offered("2030-01-01")).toContain("0 enter_from 2027-03-01")
    expect(offered("2026-12-01")).toEqual(offered("2030-01-01").filter(each => !each.includes("enter_from")))
    expect(offered("2026-12-01")).toContain("0 shorten 5")
  })

  it("have only remedies that still work when all travellers are decided again", () => {
    let tried = 0
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 2, maxLength: 3 }), (each, trips) => {
        const data = openWorld(each)
        const route = (trips[0]?.stops ?? []).map(({ passport: _, ...rest }) => rest)
        const travellers = trips.map(trip => ({ passports: trip.travellers, held: trip.held }))
        const blockersOn = (stops: readonly object[], remedies: boolean) => {
          const result = decideGroup(data, { travellers, stops } as never, { remedies })
          if (!result.ok || result.value.kind !== "decided") return expect.fail("not decided")
          return result.value.blockers.map(({ remedies: offered = [], traveller, code, step, zone }) => ({
            name: `${traveller} ${code} ${step} ${zone}`,
            offered,
          }))
        }
        const before = blockersOn(route, true)
        for (const { name, offered } of before) {
          for (const remedy of offered) {
            if (!["leave_by", "shorten", "enter_from"].includes(remedy.action)) continue
            tried++
            const { stops: changed } = applyRemedy({ passport: "AAA", stops: route }, remedy)
            const after = blockersOn(changed, false)
            expect(after.length).toBeLessThan(before.length)
            expect(after.map(blocker => blocker.name)).not.toContain(name)
          }
        }
      }),
      { numRuns: countTrips(20) },
    )
    expect(tried).toBeGreaterThan(4)
  })

  it("are refused with an option that is neither true nor false", () => {
    for (const remedies of ["yes", 1, null, {}]) {
      const result = decideGroup(dataset, { travellers: [{ passport: "AAA" }], stops }, { remedies } as never)
      expect(result.ok ? [] : result.error.issues.map(({ path }) => path)).toEqual(["options.remedies"])
    }
  })

  it("without any record are distinguished from travellers who were judged", () => {
    expect(together({ travellers: [{ passport: "AAA" }, { passport: "ZZZ" }], stops })).toMatchObject({
      kind: "no_record",
    })
  })

  it.each<[string, unknown, string[]]>([
    ["nobody", { travellers: [], stops }, ["travellers"]],
    ["eleven", { travellers: Array.from({ length: 11 }, () => ({ passport: "AAA" })), stops }, ["travellers"]],
    ["no list", { travellers: { passport: "AAA" }, stops }, ["travellers"]],
    ["nothing", {}, ["stops", "travellers"]],
    [
      "mistakes of some of them",
      { travellers: [{ passport: "aaa" }, "AAA", { passport: "AAA", age: 5 }], stops },
      ["travellers[0].passport", "travellers[1]", "travellers[2].age"],
    ],
    [
      "a traveller's field beside the list",
      { travellers: [{ passport: "AAA" }], passport: "AAA", stops },
      ["passport"],
    ],
    [
      "a passport of a stop, which of several travellers would be whose",
      { travellers: [{ passport: "AAA" }], stops: [{ ...stops[0], passport: "AAA" }] },
      ["stops[0].passport"],
    ],
    [
      "an earlier stay that is none",
      { travellers: [{ passport: "AAA", earlierStays: [stay("CCC", "2026-03-01", "2026-03-02")] }], stops },
      ["travellers[0].earlierStays[0].to"],
    ],
  ])("are refused for %s, with the path", (_, request, paths) => {
    const result = decideGroup(dataset, request as GroupItineraryRequest)
    expect(result.ok ? [] : result.error.issues.map(({ path }) => path)).toEqual(paths)
  })

  it("are refused with a text instead of options", () => {
    const result = decideGroup(dataset, { travellers: [{ passport: "AAA" }], stops }, "remedies" as never)
    expect(result.ok ? [] : result.error.issues.map(({ path }) => path)).toEqual(["options"])
  })
})
