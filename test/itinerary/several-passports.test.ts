import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { isOf } from "../../src/trip/reasons.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"

// Blockers, then the unknowns of stops and passports that could hide one, and what is to be checked of an expired passport. What is known of transit follows from the stops: with a passport
// that needs no visa there, a visa that would have opened the transit is not obtained.
const troubleOf = ({ blockers, unknowns, conditions, steps }: Decision) =>
  blockers.filter(({ step }) => step !== null).length * 1000 +
  unknowns.filter(
    ({ step, field, code }) => (step !== null && !isOf("harmless", code)) || field.endsWith("passportExpiry"),
  ).length +
  conditions.filter(({ step, message }) => message.startsWith("The passport has expired") && !isAtHome(steps[step!]!))
    .length
const isAtHome = ({ maxStay }: Decision["steps"][number]) => maxStay.status === "known" && maxStay.value === "unlimited"

// The duties and bars of citizens, such as 8 U.S.C. 1185(b) and 1187(a)(12)(B): they bind whatever passport is used.
const bindingCitizens = (
  JSON.parse(readFileSync("data/border-rules.json", "utf8")) as {
    readonly destinations: readonly string[]
    readonly nationals?: readonly string[]
    readonly citizens_of?: string
  }[]
).map(({ destinations, nationals = [], citizens_of }) => ({ destinations, citizens: [...nationals, citizens_of] }))
const bindsAt = (destination: string, passport: string) =>
  bindingCitizens.some(
    ({ destinations, citizens }) => destinations.includes(destination) && citizens.includes(passport),
  )

describe("several passports", () => {
  it("are never worse than the better one of them, in small random datasets", () => {
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 10, maxLength: 10 }), (each, trips) => {
        // A citizen has duties that nobody else has.
        const dataset = openWorld({ ...each, borders: { open: each.borders?.open ?? [], own: [] } })
        for (const trip of trips) {
          const stops = trip.stops.map(({ passport: _, ...rest }) => rest)
          const request = { ...toRequest(trip), stops } as ItineraryRequest
          const together = troubleOf(decided(dataset, request))
          for (const held of trip.travellers) {
            if (!each.passports.includes(held.passport)) continue
            const { passports: _, passport: __, passportExpiry: ___, passportIssued: ____, ...rest } = request
            const alone = decided(dataset, { ...rest, ...held } as ItineraryRequest)
            expect(together).toBeLessThanOrEqual(troubleOf(alone))
          }
        }
      }),
      { numRuns: countTrips(150) / 10, endOnFailure: true },
    )
  }, 3_600_000)

  it("are never worse than the better one of them, anywhere in the embedded dataset, on up to twelve stops", () => {
    const dataset = embeddedDataset()
    const start = dayOf("2026-12-01")
    const places = fc.constantFrom(
      ...dataset.destinations,
      "FRA",
      "DEU",
      "ITA",
      "ESP",
      "GTM",
      "HND",
      "THA",
      "USA",
      "GBR",
    )
    const dates = fc.record({
      passportExpiry: fc.option(fc.integer({ min: start - 30, max: start + 900 }).map(dateOf), { nil: null }),
      passportIssued: fc.constant("2024-01-01"),
    })
    const passports = fc
      .uniqueArray(fc.constantFrom(...dataset.passports, "USA", "FRA", "IND", "BRA"), { minLength: 2, maxLength: 4 })
      .chain(codes => fc.tuple(...codes.map(passport => dates.map(given => ({ passport, ...given })))))
    const stops = fc.array(fc.tuple(places, fc.nat(15), fc.nat(40)), { minLength: 1, maxLength: 12 }).map(list => {
      let next = start
      return list.map(([destination, gap, length]) => {
        const from = next + gap
        next = from + length
        return stay(destination, dateOf(from), dateOf(next))
      })
    })
    let compared = 0
    fc.assert(
      fc.property(passports, stops, (held, route) => {
        const together = troubleOf(decided(dataset, { passports: held, stops: route }))
        for (const one of held) {
          // With this passport alone its holder is no citizen of the second country.
          const others = held.filter(other => other !== one)
          if (route.some(({ destination }) => others.some(({ passport }) => bindsAt(destination, passport)))) continue
          compared++
          expect(together).toBeLessThanOrEqual(troubleOf(decided(dataset, { passports: [one], stops: route })))
        }
      }),
      { numRuns: countTrips(150), endOnFailure: true },
    )
    expect(compared).toBeGreaterThan(countTrips(150))
  }, 3_600_000)

  it("are not made worse by one without a record", () => {
    const dataset = openWorld({
      sinceOn: "2026-01-01",
      passports: ["AAA"],
      destinations: ["AAA", "BBB"],
      entries: { AAABBB: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 30, free: false }] },
      follows: {},
      zones: [],
      validity: [],
      transit: [],
    })
    const decision = decided(dataset, { passports: ["ZZZ", "AAA"], stops: [stay("BBB", "2026-02-01", "2026-02-05")] })
    expect([decision.verdict, decision.steps[0]?.passport]).toEqual(["no_blocker_found", "AAA"])
  })

  it("are used as the traveller chooses if a stop names one", () => {
    const dataset = embeddedDataset()
    const stops = [
      { ...stay("DEU", "2026-12-01", "2026-12-05"), passport: "USA" },
      stay("DEU", "2026-12-10", "2026-12-15"),
    ]
    const { steps } = decided(dataset, { passports: ["DEU", "USA"], stops })
    expect(steps.map(({ passport }) => passport)).toEqual(["USA", "DEU"])
  })

  it("are chosen so that the fewest expiry dates are unknown: each missing one is one unknown of the whole journey", () => {
    const free = [{ fromOn: "2026-01-01", requirement: "visa_free", days: 30, free: true }]
    const dataset = openWorld({
      sinceOn: "2026-01-01",
      passports: ["AAA", "BBB"],
      destinations: ["AAA", "BBB", "CCC", "DDD"],
      entries: {
        AAACCC: free,
        BBBCCC: [{ fromOn: "2026-01-01", requirement: "eta", days: 30, free: false }],
        AAADDD: [{ fromOn: "2026-01-01", requirement: "e_visa", days: 30, free: false }],
        BBBDDD: free,
      },
      follows: {},
      zones: [],
      validity: ["CCC", "DDD"].map(code => ({
        destinations: [code],
        anchor: "arrival" as const,
        months: 0,
        days: 0,
        issuedWithinYears: null,
      })),
      transit: [],
    })
    const stops = [stay("CCC", "2026-02-01", "2026-02-05"), stay("DDD", "2026-02-06", "2026-02-09")]
    const usedOf = (passports: ItineraryRequest["passports"]) =>
      decided(dataset, { passports, stops }).steps.map(({ passport }) => passport)
    const known = { passport: "BBB", passportExpiry: "2035-01-01" }
    expect(usedOf([{ passport: "AAA", passportExpiry: "2035-01-01" }, known])).toEqual(["AAA", "BBB"])
    // Freedom of movement with a passport of unknown end, or an authorisation with one that is known to last.
    expect(usedOf(["AAA", known])).toEqual(["BBB", "BBB"])
    // Where no end is known, what a visitor's passport has to meet is unknown at the stop as well.
    expect(usedOf(["AAA", "BBB"])).toEqual(["AAA", "BBB"])
  })
})
