import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  countStayDays,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  measureBreach,
} from "../../src/itinerary/stay-days.ts"
import { breachOf, earliestEntry, lastLegalDay, longestStay, stayDaysOn } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { days, figuresOf, smallZones, staysWithin } from "./arbitrary-stays.ts"
import { loadZone } from "./zone-files.ts"

const zones = { schengen: loadZone("schengen"), "ca-4": loadZone("ca-4") }

describe("against counting days in sets", () => {
  it("measureBreach agrees on itineraries in Schengen and CA-4", () => {
    fc.assert(
      fc.property(fc.constantFrom(zones.schengen, zones["ca-4"]), staysWithin(900, 110, 10), (zone, stays) => {
        expect(figuresOf(measureBreach(zone, stays))).toEqual({ ok: true, value: breachOf(zone, stays) })
      }),
      { numRuns: countTrips(500) },
    )
  })

  it("measureBreach agrees on itineraries under small rules of both kinds", () => {
    fc.assert(
      fc.property(smallZones(12), staysWithin(60, 12, 12), (zone, stays) => {
        expect(figuresOf(measureBreach(zone, stays))).toEqual({ ok: true, value: breachOf(zone, stays) })
      }),
      { numRuns: countTrips(600) },
    )
  })

  it("countStayDays and findLastLegalDay agree on any day of a history", () => {
    fc.assert(
      fc.property(smallZones(12), staysWithin(60, 12, 12), days(80), (zone, stays, on) => {
        expect(figuresOf(countStayDays(zone, stays, on))).toEqual({ ok: true, value: stayDaysOn(zone, stays, on) })
        expect(findLastLegalDay(zone, stays, on)).toEqual({ ok: true, value: lastLegalDay(zone, stays, on) })
      }),
      { numRuns: countTrips(500) },
    )
  })

  it("findLongestStay and findEarliestEntry agree on any day of a history", () => {
    const lengths = fc.integer({ min: 1, max: 12 })
    fc.assert(
      fc.property(smallZones(10), staysWithin(50, 10, 8), days(60), lengths, (zone, stays, on, length) => {
        const plan = { days: length, notBeforeOn: on }
        expect(figuresOf(findLongestStay(zone, stays, on))).toEqual({ ok: true, value: longestStay(zone, stays, on) })
        expect(findEarliestEntry(zone, stays, plan)).toEqual({ ok: true, value: earliestEntry(zone, stays, plan) })
      }),
      { numRuns: countTrips(300) },
    )
  })
})
