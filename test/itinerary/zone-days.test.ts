/** A decision counts the days of a zone as the calculators count them, in whatever order stays were given, and also if they overlap. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countStayDays } from "../../src/itinerary/stay-days.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { dateOf, dayOf, type OracleStay, stayDaysOn } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { decided, stay } from "./decisions.ts"

const dataset = frozenDataset()
const traveller = { passport: "USA", passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
// Gibraltar joins on this day.
const joining = dayOf("2026-07-15")

const placesOf = { schengen: ["FRA", "HRV", "GIB", "NLD"], "ca-4": ["GTM", "HND", "NIC"] }

describe("the days of a zone in a decision", () => {
  it("are those that countStayDays counts on the last day of each stop", () => {
    let known = 0
    fc.assert(
      fc.property(
        fc.constantFrom("schengen" as const, "ca-4" as const),
        fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -260, max: 0 }), fc.nat(40), fc.nat(4)), { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(2), fc.nat(4), fc.nat(30)), { minLength: 1, maxLength: 4 }),
        (id, earlier, journey) => {
          const zone = dataset.zones.find(each => each.id === id)
          if (zone === undefined) throw new Error(`No zone ${id}.`)
          const places = placesOf[id]
          const earlierStays = earlier.map(([place, first, length, kind]): OracleStay & { destination: string } => ({
            ...stay(
              places[place] as string,
              dateOf(joining + first),
              dateOf(Math.min(joining + 10, joining + first + length)),
            ),
            ...(kind === 0 ? { permit: "residence" } : {}),
          }))
          let day = joining + 10
          const stops = journey.map(([place, gap, length], index) => {
            // Two stops in one place that touch are one.
            const from = day + gap + (journey[index - 1]?.[0] === place ? 2 : 0)
            day = from + length
            return stay(places[place] as string, dateOf(from), dateOf(day))
          })
          const { steps } = decided(dataset, { ...traveller, stops, earlierStays })
          stops.forEach(({ to }, index) => {
            const found = steps[index]?.zoneStay
            if (found?.status !== "known") return
            known++
            const stays = [...earlierStays, ...stops.slice(0, index + 1)]
            const counted = countStayDays(zone, stays, to)
            expect(counted.ok && counted.value.daysUsed).toBe(found.value)
            expect(found.value).toBe(stayDaysOn(zone, stays, to).daysUsed)
          })
        },
      ),
      { numRuns: countTrips(150) },
    )
    expect(known).toBeGreaterThan(100)
  })

  it("after an earlier stay are those up to its last day, although another stay goes on", () => {
    const noted = (...earlierStays: ReturnType<typeof stay>[]) =>
      decided(dataset, { ...traveller, stops: [stay("FRA", "2026-12-01", "2026-12-02")], earlierStays })
        .conditions.map(({ code }) => code)
        .filter(code => code === "earlier_overstay")
    const winter = stay("FRA", "2025-10-01", "2025-11-15")
    const spring = stay("ITA", "2026-03-01", "2026-05-20")
    // 67 days are used on 2026-03-21, and 81 on 2026-05-20.
    expect(noted(winter, spring, stay("ESP", "2026-03-11", "2026-03-21"))).toEqual([])
    expect(noted(winter, spring, stay("ESP", "2026-02-01", "2026-02-28"))).toEqual(["earlier_overstay"])
  })
})
