import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decide } from "../../src/itinerary/decide.ts"
import { decideByHand } from "../oracles/decide.ts"
import { countTrips, itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { openWorld, summarise, toRequest } from "./itinerary-worlds.ts"

const decided = (result: ReturnType<typeof decide>) => {
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "decided") throw new Error(result.value.message)
  return result.value
}

const TRIPS_A_WORLD = 40

describe("decide, against sets of days and every choice of passports", () => {
  it("agrees on trips of one to three passports, with documents and earlier stays", () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(
        world,
        fc.array(itinerary, { minLength: TRIPS_A_WORLD, maxLength: TRIPS_A_WORLD }),
        (each, itineraries) => {
          const dataset = openWorld(each)
          for (const asked of itineraries) {
            const decision = decided(decide(dataset, toRequest(asked)))
            const summary = summarise(decision)
            // Documents that open a transit, or may open it.
            const opening = decision.transit.flatMap(({ because, permitted }) => {
              const toCheck = permitted.status === "unknown" ? permitted.params.held : null
              return typeof toCheck === "number" ? [...because, toCheck] : because
            })
            expect(summary).toEqual(decideByHand(each, asked, opening))
            for (const found of [...summary.blockers, ...summary.conditions]) {
              const code = found.split(" ").slice(1).join(" ")
              seen.set(code, (seen.get(code) ?? 0) + 1)
            }
          }
        },
      ),
      { numRuns: countTrips(1_000) / TRIPS_A_WORLD, endOnFailure: true },
    )
    // The worlds are such that every kind of blocker occurs often; a property that never meets one proves nothing.
    expect([...seen.keys()].sort()).toEqual([
      "asked_at",
      "check_held_document",
      "check_permitted_stay",
      "e_visa",
      "entry_points",
      "eta",
      "no_admission",
      "other",
      "own_passport_needed",
      "passport_expired",
      "passport_expires_before_exit",
      "passport_validity_short",
      "stay_exceeded",
      "stay_exceeded accumulated",
      "stay_exceeded held_document",
      "visa_on_arrival",
      "visa_required",
      "zone_stay_exceeded rolling-zone",
      "zone_stay_exceeded single-zone",
    ])
    // The duties of citizens are met only by who names another passport, and are told by tests of their own too.
    const rare = ["entry_points", "own_passport_needed"]
    for (const [code, count] of seen) expect(count, code).toBeGreaterThan(rare.includes(code) ? 0 : 2)
  }, 3_600_000)
})
