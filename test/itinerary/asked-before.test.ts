/**
 * Does an answer depend on what was asked before? Engines keep what they found out of a pair; whoever asks about 1990, or was in Cuba, must
 * change nothing for the next traveller. Each decision is compared with that of a dataset which nobody has asked anything.
 */
import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { type Dataset, decideWithRemedies, embeddedDataset, type ItineraryRequest } from "../../src/index.ts"
import { countTrips, IS_WHOLE, sampleOf } from "../sample.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const unasked = (): Dataset => ({ ...dataset })
const answer = (asked: Dataset, request: ItineraryRequest) => JSON.stringify(decideWithRemedies(asked, request))

// Few pairs, so that they are met again: those with transit rules, bars, waivers, zones, dated answers, territories and no answer at all.
const passport = fc.constantFrom("FRA", "IRN", "NGA", "IND", "FSM", "CHN", "GBN", "GEO")
const kind = fc.constantFrom<ItineraryRequest["passportKind"]>(null, null, "diplomatic", "refugee_convention", "alien")
const biometric = fc.constantFrom<ItineraryRequest["passportBiometric"]>(null, null, true, false)
const country = fc.constantFrom("USA", "DEU", "GBR", "NIU", "CUB", "IRQ", "CHN", "ARE", "PRI", "GRL", "AGO")
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const epochDay = (date: string) => Date.parse(date) / 86_400_000
const firstDay = fc.oneof(
  fc.integer({ min: epochDay("2026-06-01"), max: epochDay("2028-01-01") }),
  fc.integer({ min: epochDay("1990-01-01"), max: epochDay("2025-12-31") }),
)
const stays = (from: fc.Arbitrary<number>, least: number, most: number) =>
  fc
    .tuple(from, fc.array(fc.tuple(country, fc.nat(30), fc.nat(900)), { minLength: least, maxLength: most }))
    .map(([first, list]) => {
      let next = first
      return list.map(([destination, days, between]) => {
        const on = next
        next = on + days + between
        return stay(destination, dateOf(on), dateOf(on + days))
      })
    })
const held = fc.record({ kind: fc.constantFrom("visa", "residence_permit", "eta"), issuer: country })
const by = fc.constantFrom(null, null, "air", "land", "sea")
const trips = fc
  .record({
    passports: fc.uniqueArray(passport, { minLength: 1, maxLength: 2 }),
    kinds: fc.tuple(kind, kind),
    biometric,
    residence: fc.constantFrom(null, null, "FRA", "IND"),
    stops: stays(firstDay, 1, 3),
    earlier: stays(fc.constant(epochDay("2010-01-01")), 0, 2),
    by: fc.tuple(by, by, by),
    purpose: fc.constantFrom(null, null, null, "tourism", "business"),
    transit: fc.array(fc.tuple(country, fc.constantFrom(true, false, null), by), { maxLength: 3 }),
    held: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(held, { maxLength: 2 })),
    dates: fc.constantFrom(
      {},
      { passportExpiry: "2035-01-01" },
      { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" },
    ),
  })
  .map(
    ({
      passports,
      kinds,
      biometric,
      residence,
      stops,
      earlier,
      by,
      purpose,
      transit,
      held,
      dates,
    }): ItineraryRequest => ({
      passports: passports.map((passport, at) => ({
        passport,
        passportKind: kinds[at],
        passportBiometric: biometric,
        ...dates,
      })) as never,
      residence,
      purpose,
      stops: stops.map((stop, at) => ({ ...stop, by: by[at] as null })),
      earlierStays: earlier.filter(({ to }) => to < stops[0]!.from),
      transit: transit.map(([country, airside, by]) => {
        if (airside === null && by === null) return country
        return by === "land" || by === "sea" ? { country, by } : { country, airside, by }
      }) as never,
      held: held as never,
    }),
  )

const BORDERS = ["land", null, "air", "sea"] as const
const told = (asked: Dataset, request: ItineraryRequest) => {
  const { outcome, steps, conditions, blockers, unknowns } = decided(asked, request)
  return JSON.stringify([outcome, steps[0]!.requirement, steps[0]!.maxStay, conditions, blockers, unknowns])
}

// The days on which a rule, an answer or a condition of a destination begins or ends, and the days before them.
const { policies } = toFacts(Result.getOrThrow(readDataRecords("data")))
const recordOf = (destination: string) => JSON.stringify(policies.filter(each => each.destination === destination))
function listDays(record: string): readonly string[] {
  const changes = [...record.matchAll(/"(?:from|until)":"([0-9-]{10})"/g)].map(([, on]) => epochDay(on!))
  const days = [...new Set(changes)].flatMap(day => [day - 1, day])
  return days.filter(day => day >= dataset.sinceDay).map(dateOf)
}

describe("a decision", () => {
  it.each([
    ["a day before the dataset's first", { stops: [stay("CHN", "1990-01-01", "1990-01-05")] }],
    ["a traveller who is barred there", { earlierStays: [stay("CUB", "2022-01-01", "2022-01-05")] }],
  ])("on a change is the same after one about %s", (_, other) => {
    for (const country of ["USA", "NIU", "DEU"]) {
      const transit = [{ country, airside: false }]
      const request = { passport: "FRA", stops: [stay("CHN", "2026-12-01", "2026-12-05")], transit }
      const asked = unasked()
      const first = answer(asked, { ...request, ...other })
      const plain = answer(unasked(), request)
      expect(answer(asked, request)).toBe(plain)
      const after = unasked()
      answer(after, request)
      expect(answer(after, { ...request, ...other })).toBe(first)
    }
  })

  it("on a change with a passport without a chip is not that of one with it", () => {
    const request = (passportBiometric: boolean): ItineraryRequest => ({
      passports: [{ passport: "GEO", passportExpiry: "2035-01-01", passportIssued: "2026-01-01", passportBiometric }],
      stops: [stay("CHN", "2026-12-01", "2026-12-05")],
      transit: [{ country: "DEU", airside: false }],
    })
    const asked = unasked()
    expect(answer(asked, request(true))).toContain('"permitted":{"granularity":"pair","status":"known","value":"yes"}')
    expect(answer(asked, request(false))).toBe(answer(unasked(), request(false)))
    expect(answer(asked, request(false))).not.toBe(answer(asked, request(true)))
  })

  it.each<[string, Partial<ItineraryRequest>]>([
    ["a purpose", { purpose: "business" }],
    ["a mode of entry", { stops: [{ ...stay("AGO", "2026-12-01", "2026-12-05"), by: "land" }] }],
    ["a document", { held: [{ kind: "visa", issuer: "USA", validUntil: "2030-01-01" }] }],
    ["a residence", { residence: "USA" }],
    ["a passport without a chip", { passportBiometric: false }],
    ["another kind of passport", { passportKind: "diplomatic" }],
    ["an earlier stay that bars", { earlierStays: [stay("CUB", "2022-01-01", "2022-01-05")] }],
  ])("on who says nothing but his passport is not that of who names %s", (_, more) => {
    for (const passport of ["FRA", "NGA", "GEO"]) {
      for (const country of ["USA", "AGO", "DEU"]) {
        const plain: ItineraryRequest = {
          passport,
          stops: [stay(country, "2026-12-01", "2026-12-05"), stay("GBR", "2026-12-10", "2026-12-12")],
          transit: ["ARE", country],
        }
        const told: ItineraryRequest = { ...plain, ...more }
        const asked = unasked()
        const before = answer(asked, plain)
        expect(answer(asked, told)).toBe(answer(unasked(), told))
        expect(answer(asked, plain)).toBe(before)
        const other = unasked()
        answer(other, told)
        expect(answer(other, plain)).toBe(before)
      }
    }
  })

  it("returns nothing with which one caller could change the answers of the next", () => {
    const asked = unasked()
    const request = { passport: "NGA", stops: [stay("GBR", "2026-12-01", "2026-12-05")] }
    const before = answer(asked, request)
    const decision = decided(asked, request)
    for (const { params } of decision.conditions) {
      expect(() => Object.assign(params, { destination: "ZZZ" })).toThrow(TypeError)
    }
    for (const condition of decision.conditions) Object.assign(condition, { message: "Nothing is needed." })
    expect(decision.conditions.length).toBeGreaterThan(0)
    expect(answer(asked, request)).toBe(before)
  })

  it("is the same after any other questions", () => {
    const asked = unasked()
    let judged = 0
    fc.assert(
      fc.property(trips, request => {
        const plain = answer(unasked(), request)
        if (plain.includes('"kind":"decided"')) judged++
        expect(answer(asked, request)).toBe(plain)
      }),
      { numRuns: countTrips(30) },
    )
    expect(judged).toBeGreaterThan(20)
  })

  // Rules that begin or end, and rules of a border, concern few pairs each, so pairs that are drawn seldom meet them.
  it("is right on both sides of a rule's period and at every border, for every passport", () => {
    const asked = unasked()
    const fresh = unasked()
    let met = 0
    for (const destination of dataset.destinations) {
      const record = recordOf(destination)
      const days = listDays(record)
      const hasBorders = record.includes('"borders":')
      if (days.length === 0 && !hasBorders) continue
      for (const passport of sampleOf(dataset.passports, 40)) {
        const requests = [dataset.asOf, ...days].flatMap(on =>
          (hasBorders ? BORDERS : [null]).map(
            (border): ItineraryRequest => ({ passport, stops: [{ ...stay(destination, on, on), by: border }] }),
          ),
        )
        // In the order given, and from the end: whichever comes first leaves its findings to the others.
        const forwards = requests.map(request => told(asked, request))
        const backwards = requests.toReversed().map(request => told(fresh, request))
        if (new Set(forwards).size > 1) met++
        expect(backwards.toReversed(), `${passport} ${destination}`).toEqual(forwards)
      }
    }
    expect(met).toBeGreaterThan(IS_WHOLE ? 100 : 2)
  })
})
