import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { isOf } from "../../src/trip/reasons.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"
import { makeJourney } from "./rich-journeys.ts"

// Blockers, then the unknowns of stops and passports that could hide one, and what is to be checked of an expired passport. What is known of transit follows from the stops: with a passport
// that needs no visa there, a visa that would have opened the transit is not obtained.
const troubleOf = ({ blockers, unknowns, conditions, steps }: Decision) =>
  blockers.filter(({ step }) => step !== null).length * 1000 +
  unknowns.filter(
    ({ step, field, code }) => (step !== null && !isOf("harmless", code)) || field.endsWith("passportExpiry"),
  ).length +
  conditions.filter(({ step, message }) => message.startsWith("The passport has expired") && !isAtHome(steps[step!]!))
    .length
const openOf = ({ unknowns }: Decision) =>
  unknowns.filter(({ code }) => !isOf("harmless", code) && code !== "not_modelled" && code !== "document_assumed")
    .length
// What is asked may be unknown, and as hard as what is known.
const hidesRequirement = ({ steps, transit, unknowns }: Decision) =>
  steps.some(({ requirement }) => requirement.status === "unknown") ||
  transit.some(({ permitted }) => permitted.status === "unknown") ||
  unknowns.some(({ code }) => ["disputed", "passport_kind_not_recorded"].includes(code))
const RANKS = ["blocked", "obtain", "unknown", "clear"]
function isWorse(together: Decision, alone: Decision): boolean {
  if (RANKS.indexOf(together.outcome) >= RANKS.indexOf(alone.outcome)) return false
  const isExtreme = together.outcome === "blocked" || alone.outcome === "clear"
  return isExtreme || (openOf(together) >= openOf(alone) && !hidesRequirement(alone))
}
type WithPassports = Omit<ItineraryRequest, "passports"> & {
  readonly passports: readonly { readonly passport: string }[]
}
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
      { numRuns: countTrips(80) / 10, endOnFailure: true },
    )
  }, 3_600_000)

  // Journeys with documents, changes of planes and earlier stays. With one passport alone its holder is no citizen of the second country.
  const embedded = embeddedDataset()
  const isOfSeveral = ({ passports, travellers, stops, transit }: ReturnType<typeof makeJourney>) => {
    const held = (passports ?? []) as { passport: string }[]
    const places = [...(stops as { destination: string }[]), ...((transit ?? []) as { country: string }[])]
    return (
      held.length > 1 &&
      travellers === undefined &&
      held.every(({ passport }) => embedded.passports.includes(passport)) &&
      (stops as { passport?: string }[]).every(({ passport }) => passport === undefined) &&
      !places.some(each => held.some(({ passport }) => bindsAt(Object.values(each)[0]!, passport)))
    )
  }
  const journey = fc.nat().map(number => makeJourney(embedded, number))
  const several = journey.filter(isOfSeveral) as fc.Arbitrary<object> as fc.Arbitrary<WithPassports>

  it("are never worse than the best of them alone, unless less is open", () => {
    fc.assert(
      fc.property(several, ({ passports, ...rest }) => {
        const together = decided(embedded, { ...rest, passports })
        for (const passport of passports) {
          const alone = decided(embedded, { ...rest, ...passport } as ItineraryRequest)
          expect([together.outcome, alone.outcome, isWorse(together, alone)]).toContain(false)
        }
      }),
      { numRuns: countTrips(200) },
    )
  }, 3_600_000)

  it("are the same in any order", () => {
    fc.assert(
      fc.property(several, ({ passports, ...rest }) => {
        const [one, other] = [passports, passports.toReversed()].map(each =>
          decided(embedded, { ...rest, passports: each }),
        )
        expect([other!.outcome, openOf(other!)]).toEqual([one!.outcome, openOf(one!)])
      }),
      { numRuns: countTrips(200) },
    )
  }, 3_600_000)

  it("open a change of planes within the dates that are known, or the journey is not clear", () => {
    const drawn = fc.record({
      open: fc.constantFrom(...embedded.passports),
      dated: fc.constantFrom(...embedded.passports),
      country: fc.constantFrom("AUS", "CAN", "CHN", "FRA", "GBR", "HKG", "IRL", "JPN", "QAT", "USA"),
      airside: fc.boolean(),
    })
    let seen = 0
    fc.assert(
      fc.property(drawn, ({ open, dated, country, airside }) => {
        fc.pre(open !== dated)
        const trip = { stops: [stay(dated, "2027-01-10", "2027-01-12")], transit: [{ country, airside }] }
        const known = { passport: dated, passportExpiry: "2033-01-01", passportIssued: "2024-01-01" }
        if (decided(embedded, { ...trip, passports: [{ passport: open }, known] }).outcome !== "clear") return
        expect(decided(embedded, { ...trip, passports: [known] }).outcome).toBe("clear")
        seen++
      }),
      { numRuns: countTrips(600) },
    )
    expect(seen).toBeGreaterThan(20)
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

  // Serbia and not Samoa is in the list of the Immigration (Passenger Transit Visa) Order 2014; who lives in Germany enters France on its permit
  // (Regulation (EU) 2016/399, Art. 6(1)(b)).
  it("are relied on for a change of planes: a missing expiry date is unknown if no passport with a known one permits as much", () => {
    const dataset = embeddedDataset()
    const ask = (passports: ItineraryRequest["passports"], more: Partial<ItineraryRequest>) => {
      const { outcome, unknowns } = decided(dataset, { passports, stops: [], ...more } as ItineraryRequest)
      return [outcome, ...unknowns.flatMap(({ code, field }) => (code === "expiry_not_given" ? field : []))]
    }
    const serbian = { passport: "SRB", passportExpiry: "2030-05-21" }
    const byLondon = { stops: [stay("NLD", "2026-12-06", "2026-12-06")], transit: [{ country: "GBR", airside: true }] }
    expect(ask([{ passport: "WSM" }, serbian], byLondon)).toEqual(["unknown", "passports[0].passportExpiry"])
    expect(ask([{ passport: "WSM", passportExpiry: "2026-12-05" }, serbian], byLondon)).toEqual(["blocked"])
    expect(ask([{ passport: "WSM", passportExpiry: "2030-12-05" }, serbian], byLondon)).toEqual(["clear"])
    // One date that is missing is one unknown, however often the passport is used.
    const twice = { ...byLondon, transit: [...byLondon.transit, { country: "IRL", airside: true }] }
    expect(ask([{ passport: "WSM" }, serbian], twice)).toEqual(["unknown", "passports[0].passportExpiry"])
    // Citizens of Saudi Arabia enter Qatar without a visa, those of Afghanistan do not.
    const afghan = { passport: "AFG", passportExpiry: "2033-01-01" }
    const byDoha = { stops: [stay("AFG", "2027-01-10", "2027-01-12")], transit: [{ country: "QAT", airside: false }] }
    expect(ask([{ passport: "SAU" }, afghan], byDoha)).toEqual(["unknown", "passports[0].passportExpiry"])
    expect(ask([{ passport: "SAU", passportExpiry: "2033-01-01" }, afghan], byDoha)).toEqual(["clear"])
    expect(ask([afghan], byDoha)[0]).toBe("obtain")
    const lebanese = { passport: "LBN", passportExpiry: "2030-12-23", passportIssued: "2021-08-02" }
    const byParis = {
      residence: "DEU",
      stops: [stay("ESP", "2027-01-06", "2027-01-24")],
      transit: [{ country: "FRA", airside: false }],
    }
    expect(ask(["FRA", lebanese], byParis)).toEqual(["clear"])
    expect(ask(["FRA", lebanese], { ...byParis, residence: "AUS" })[0]).not.toBe("clear")
  })
})
