import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decide } from "../../src/itinerary/decide.ts"
import { decideByHand, type OracleItinerary, type World, type WorldEntry } from "../oracles/decide.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"
import { openWorld, summarise, toRequest } from "./itinerary-worlds.ts"

const SINCE = "2026-01-01"
const START = dayOf(SINCE)
const DESTINATIONS = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF", "TTT"]
const PASSPORTS = ["AAA", "BBB", "EEE"]

const day = (least: number, most: number) => fc.integer({ min: START + least, max: START + most })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

const entry = fc
  .tuple(
    fc.constantFrom(
      "visa_free",
      "visa_free",
      "visa_free",
      "eta",
      "visa_on_arrival",
      "e_visa",
      "visa_required",
      "no_admission",
    ),
    maybe(fc.integer({ min: 1, max: 40 })),
    fc.nat(5),
  )
  .map(([requirement, days, dice]): Omit<WorldEntry, "fromOn"> => {
    const isFree = dice === 0
    const takesDays = requirement !== "visa_required" && requirement !== "no_admission"
    return { requirement: isFree ? "visa_free" : requirement, days: takesDays || isFree ? days : null, free: isFree }
  })

const entries = fc
  .array(fc.tuple(entry, day(1, 90)), { minLength: 1, maxLength: 2 })
  .map((list): WorldEntry[] =>
    list.map(([each, from], place) => ({ ...each, fromOn: place === 0 ? SINCE : dateOf(from) })),
  )

const member = (code: string) =>
  fc.record({ code: fc.constant(code), fromDay: maybe(day(-60, 90)), untilDay: maybe(day(91, 200)) })

const world: fc.Arbitrary<World> = fc
  .record({
    table: fc.array(maybe(entries), { minLength: 21, maxLength: 21 }),
    follows: fc.boolean(),
    allowance: fc.integer({ min: 1, max: 20 }),
    slack: fc.integer({ min: 1, max: 40 }),
    permission: fc.integer({ min: 1, max: 20 }),
    rolling: fc.tuple(member("AAA"), member("BBB"), member("TTT")),
    single: fc.tuple(member("CCC"), member("DDD")),
    months: fc.nat(7),
    days: fc.nat(45),
    years: maybe(fc.integer({ min: 1, max: 10 })),
    anchor: fc.constantFrom("arrival" as const, "departure" as const),
  })
  .map(each => {
    const entriesOf: Record<string, readonly WorldEntry[]> = {}
    DESTINATIONS.forEach((destination, d) => {
      PASSPORTS.forEach((passport, p) => {
        const list = each.table[d * PASSPORTS.length + p]
        const isInherited = destination === "TTT" && each.follows
        if (list != null && passport !== destination && !isInherited) entriesOf[passport + destination] = list
      })
    })
    return {
      sinceOn: SINCE,
      passports: PASSPORTS,
      destinations: DESTINATIONS,
      entries: entriesOf,
      follows: each.follows ? { TTT: "AAA" } : {},
      zones: [
        {
          id: "rolling-zone",
          rule: { kind: "rolling", allowanceDays: each.allowance, windowDays: each.allowance + each.slack },
          members: each.rolling,
        },
        {
          id: "single-zone",
          rule: { kind: "single-permission", allowanceDays: each.permission },
          members: each.single,
        },
      ],
      validity: [
        {
          destinations: ["AAA", "BBB"],
          anchor: each.anchor,
          months: each.months,
          days: 0,
          issuedWithinYears: each.years,
        },
        { destinations: ["CCC"], anchor: "arrival", months: 0, days: each.days, issuedWithinYears: null },
        { destinations: ["EEE"], anchor: "departure", months: 0, days: 0, issuedWithinYears: null },
      ],
      transit: ["BBB", "FFF"],
    }
  })

const traveller = (passport: string) =>
  fc.record({
    passport: fc.constant(passport),
    passportExpiry: maybe(day(-20, 400).map(dateOf)),
    passportIssued: maybe(day(-3650, -200).map(dateOf)),
  })

const itinerary: fc.Arbitrary<OracleItinerary> = fc.record({
  travellers: fc
    .uniqueArray(fc.constantFrom("AAA", "BBB", "EEE", "ZZZ"), { minLength: 1, maxLength: 3 })
    .filter(codes => codes.some(code => code !== "ZZZ"))
    .chain(codes => fc.tuple(...codes.map(traveller))),
  stops: fc
    .tuple(
      fc.integer({ min: -15, max: 120 }),
      fc.array(
        fc.tuple(
          fc.constantFrom(...DESTINATIONS, "AAA", "BBB", "CCC", "DDD", "YYY"),
          fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 30 })),
          fc.integer({ min: 0, max: 25 }),
        ),
        { minLength: 1, maxLength: 12 },
      ),
    )
    .map(([start, list]) => {
      let next = START + start
      return list.map(([destination, gap, length], place) => {
        const from = next + (place === 0 ? 0 : gap)
        next = from + length
        return { destination, from: dateOf(from), to: dateOf(next) }
      })
    }),
  transit: fc.array(fc.constantFrom(...DESTINATIONS, "YYY"), { maxLength: 12 }),
  residence: maybe(fc.constant("FRA")),
  purpose: maybe(fc.constant("tourism")),
})

const decided = (result: ReturnType<typeof decide>) => {
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "decided") throw new Error(result.value.message)
  return result.value
}

describe("decide, against sets of days", () => {
  it("agrees on 12,000 itineraries in 300 worlds", () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 40, maxLength: 40 }), (each, itineraries) => {
        const dataset = openWorld(each)
        for (const asked of itineraries) {
          const summary = summarise(decided(decide(dataset, toRequest(asked))))
          expect(summary).toEqual(decideByHand(each, asked))
          for (const blocker of summary.blockers) {
            const code = blocker.split(" ").slice(1).join(" ")
            seen.set(code, (seen.get(code) ?? 0) + 1)
          }
        }
      }),
      { numRuns: 300 },
    )
    // The worlds are such that every kind of blocker occurs often; a property that never meets one proves nothing.
    expect([...seen.keys()].sort()).toEqual([
      "no_admission",
      "passport_expired",
      "passport_expires_before_exit",
      "passport_validity_short",
      "stay_exceeded",
      "zone_stay_exceeded rolling-zone",
      "zone_stay_exceeded single-zone",
    ])
    for (const count of seen.values()) expect(count).toBeGreaterThan(100)
  })
})
