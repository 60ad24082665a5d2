import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decide } from "../../src/trip/judge.ts"
import { decideByHand, type OracleItinerary, type World } from "../oracles/decide.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { openWorld, summarise, toRequest } from "./itinerary-worlds.ts"

const decided = (result: ReturnType<typeof decide>) => {
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "decided") throw new Error(result.value.message)
  return result.value
}

// Which documents change nothing, and whether the residence does, is judged by laws (not-used.test.ts).
const tell = (decision: ReturnType<typeof decided>) => {
  const { unknowns, ...found } = summarise(decision)
  return { ...found, unknowns: unknowns.filter(each => !/^- (held|residence)/.test(each)) }
}

const agree = (each: World, trips: readonly OracleItinerary[]) =>
  trips.map(asked => {
    const summary = tell(decided(decide(openWorld(each), toRequest(asked))))
    expect(summary).toEqual(decideByHand(each, asked))
    return summary.conditions
  })

/** A trip by each rule for residents, of somebody who does not say where he lives. */
const listForResidents = ({ kinds = [], passports }: World): OracleItinerary[] =>
  kinds.flatMap(({ kinds: [passportKind], destinations: [destination], passports: named = passports, residents }) => {
    const passport = passports.find(code => code !== destination && named.includes(code))
    if (!residents || passport === undefined) return []
    const held = { passport, passportExpiry: "2030-01-01", passportIssued: "2025-06-01", passportKind: passportKind! }
    return [
      { travellers: [held], stops: [{ destination: destination!, from: "2026-03-02", to: "2026-03-03" }], transit: [] },
    ]
  })

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
          for (const asked of [...itineraries, ...listForResidents(each)]) {
            const decision = decided(decide(dataset, toRequest(asked)))
            const summary = tell(decision)
            expect(summary).toEqual(decideByHand(each, asked))
            for (const found of [...summary.blockers, ...summary.conditions]) {
              const code = found.split(" ").slice(1).join(" ")
              seen.set(code, (seen.get(code) ?? 0) + 1)
            }
          }
        },
      ),
      { numRuns: countTrips(600) / TRIPS_A_WORLD, endOnFailure: true },
    )
    // The worlds are such that every kind of blocker occurs often; a property that never meets one proves nothing.
    expect([...seen.keys()].sort()).toEqual([
      "asked_at",
      "check_held_document",
      "check_permitted_stay",
      "e_visa",
      "entry_points",
      "eta",
      "expired_accepted",
      "no_admission",
      "own_passport_needed",
      "passport_expired",
      "passport_expires_before_exit",
      "passport_validity_short",
      "residents_only",
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

  it("agrees that nothing else has to be checked with a long-stay visa of the destination, unless the visa ends before the stay or was used before", () => {
    const entry = { fromOn: "2026-01-01", requirement: "e_visa", days: 32, free: false, table: true }
    const each: World = {
      sinceOn: "2026-01-01",
      passports: ["AAA"],
      destinations: ["AAA", "BBB", "CCC", "DDD"],
      entries: { AAACCC: [entry], AAADDD: [entry] },
      follows: {},
      zones: [
        {
          id: "single-zone",
          rule: { kind: "single-permission", allowanceDays: 8 },
          members: ["CCC", "DDD"].map(code => ({ code, fromDay: null, untilDay: null })),
        },
      ],
      validity: [],
      transit: [],
      // Whether the visa of BBB was used before is not said.
      waivers: [
        {
          destinations: ["CCC"],
          held: [{ kind: "visa", issuers: ["BBB"], usedBefore: true }],
          requirement: "visa_free",
          days: 24,
        },
      ],
    }
    const visaOf = (issuer: string, validUntil: string) => ({ kind: "visa" as const, issuer, type: "D", validUntil })
    const trip = (validUntil: string, ...before: OracleItinerary["stops"]): OracleItinerary => ({
      travellers: [{ passport: "AAA", passportExpiry: "2027-02-10", passportIssued: "2024-02-04" }],
      stops: [...before, { destination: "CCC", from: "2026-03-27", to: "2026-04-04" }],
      earlierStays: [],
      held: [visaOf("BBB", "2026-08-17"), visaOf("CCC", validUntil)],
      transit: [],
      residence: null,
      purpose: null,
    })
    const conditions = agree(each, [
      trip("2026-04-22"),
      trip("2026-04-04"),
      trip("2026-04-03"),
      trip("2026-04-22", { destination: "CCC", from: "2026-03-01", to: "2026-03-02" }),
      trip("2026-04-22", { destination: "DDD", from: "2026-03-01", to: "2026-03-02" }),
    ])
    expect(conditions).toEqual([
      [],
      [],
      ["0 check_held_document"],
      ["1 check_held_document"],
      ["0 e_visa", "1 check_held_document"],
    ])
  })
})
