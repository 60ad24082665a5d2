/**
 * The least cost of an entry, by which the choice leaves ways out without judging them, is never above the cost of what is found on that way.
 */
import fc from "fast-check"
import { expect, it } from "vitest"
import type { Dataset } from "../../src/dataset/open.ts"
import type { InputIssue } from "../../src/errors.ts"
import { embeddedDataset } from "../../src/index.ts"
import { boundCost, costOf, offer } from "../../src/trip/choose.ts"
import { enterEarlier } from "../../src/trip/days.ts"
import { entryOf } from "../../src/trip/entry.ts"
import { read } from "../../src/trip/journey.ts"
import { provisionsOf } from "../../src/trip/recorded.ts"
import { type ReadItinerary, readGroupItinerary, readItinerary } from "../../src/trip/request-fields.ts"
import { countTrips, sampleOf } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"
import { JOURNEYS, makeJourney } from "./rich-journeys.ts"

type Tally = Record<"judged" | "bounded" | "exact", number>

/** Judges each stop in every way, and goes on in one of them; returns the ways that cost less than their bound. */
function compareBounds(dataset: Dataset, itinerary: ReadItinerary, pick: number, tally?: Tally) {
  const journey = read(provisionsOf(dataset), itinerary)
  const before = enterEarlier(journey)
  const tooHigh: unknown[] = []
  for (const stop of journey.stops) {
    const entries = journey.passports
      .filter(({ isRecorded }) => isRecorded)
      .flatMap(passport => {
        const offered = offer(journey, passport, stop)
        return offered.ways.map(way => {
          const entry = entryOf({ journey, passport, stop, law: offered.law, way, before }, offered.possible)
          const bound = boundCost(journey, stop, offered, way)
          const cost = entry.issues.reduce((sum, issue) => sum + costOf(issue), 0)
          if (tally !== undefined) {
            tally.judged++
            if (bound > 0) tally.bounded++
            if (bound > 0 && bound === cost) tally.exact++
          }
          if (bound > cost) tooHigh.push([passport.held.passport, stop.destination, stop.from, bound, cost])
          return entry
        })
      })
    if (entries.length === 0) break
    before.push(entries[(pick + stop.order) % entries.length]!.past)
  }
  return tooHigh
}

/** Reads a request; nobody where it is refused. */
function readAll(request: object): readonly ReadItinerary[] {
  const issues: InputIssue[] = []
  const read = "travellers" in request ? readGroupItinerary(request, issues) : [readItinerary(request, issues)]
  return issues.length === 0 ? read : []
}

it("a way costs at least its bound, in random journeys with everything that a request can say", () => {
  const dataset = embeddedDataset()
  const tally = { judged: 0, bounded: 0, exact: 0 }
  for (const number of sampleOf([...Array(JOURNEYS).keys()], 20)) {
    for (const read of readAll(makeJourney(dataset, number))) {
      expect(compareBounds(dataset, read, number, tally), `journey ${number}`).toEqual([])
    }
  }
  // Many ways have costs that are known before, and many of those nothing else.
  expect(tally.bounded).toBeGreaterThan(tally.judged / 4)
  expect(tally.exact).toBeGreaterThan(tally.judged / 20)
})

it("a way costs at least its bound, for every pair, with a passport that expires soon, later or on a day that is not given", () => {
  const dataset = embeddedDataset()
  const held = [
    { kind: "visa", issuer: "USA", validUntil: "2030-01-01" },
    { kind: "residence_permit", issuer: "DEU" },
  ]
  const pairs = dataset.passports.flatMap(passport => dataset.destinations.map(code => [passport, code] as const))
  for (const [passport, destination] of sampleOf(pairs, 37)) {
    for (const passportExpiry of [undefined, "2026-12-25", "2027-04-01", "2035-01-01"]) {
      const stops = [{ destination, from: "2026-12-01", to: "2026-12-20" }]
      for (const read of readAll({ passport, passportExpiry, held, stops })) {
        expect(compareBounds(dataset, read, 0)).toEqual([])
      }
    }
  }
})

it("a way costs at least its bound, in random worlds", () => {
  fc.assert(
    fc.property(world, fc.array(itinerary, { minLength: 10, maxLength: 10 }), fc.nat(20), (each, trips, pick) => {
      const dataset = openWorld(each)
      for (const trip of trips)
        for (const read of readAll(toRequest(trip))) expect(compareBounds(dataset, read, pick)).toEqual([])
    }),
    { numRuns: countTrips(300) / 10, endOnFailure: true },
  )
}, 3_600_000)
