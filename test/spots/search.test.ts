import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  ASK_NOTHING,
  countByCountry,
  findNearby,
  measureMetres,
  openSpotSet,
  type SpotQuery,
  searchSpots,
} from "../../adapters/spots/search-spots.ts"
import type { Spot } from "../../adapters/spots/spot.ts"
import { haversineMetres, searchSlowly } from "../oracles/spots.ts"
import { makeSpot } from "./made-up-spots.ts"

// Positions crowd where a plane would be wrong: at the poles, on the date line, on top of one another.
const latitude = fc.oneof(
  fc.constantFrom(-90, 90, 0, 89.9, -89.9),
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.double({ min: 47, max: 49, noNaN: true }),
)
const longitude = fc.oneof(
  fc.constantFrom(-180, 180, 0, 179.9, -179.9),
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: 1, max: 3, noNaN: true }),
)
const letters = fc
  .string({ unit: fc.constantFrom(..."abEÉéöØßŁl 1"), minLength: 1, maxLength: 8 })
  .map(text => `${text}x`)
const tag = fc.constantFrom("old", "Öld", "sea", "wild")
const category = fc.constantFrom("museum", "Beach", "beach")
const country = fc.constantFrom("FR", "JP", "NZ")
const rating = fc.constantFrom(0, 1.5, 3, 4.75, 5)

const spots = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 9_999 }).map(number => `s-${number}`),
    title: letters,
    latitude,
    longitude,
    category: fc.option(category),
    tags: fc.array(tag, { maxLength: 3 }),
    country_code: country,
    avg_rating: rating,
  }),
  { selector: ({ id }) => id, maxLength: 120 },
)
const query = fc.record({
  country: fc.option(country, { freq: 1 }),
  text: fc.option(fc.constantFrom("a", "É", "e", "ab", "l1", "ss", "x", "o e", "zebra"), { freq: 1 }),
  near: fc.option(fc.record({ latitude, longitude }), { freq: 3 }),
  radiusKm: fc.constantFrom(0.5, 50, 300, 500),
  tags: fc.array(tag, { maxLength: 2 }),
  category: fc.option(category, { freq: 1 }),
  minRating: fc.option(rating, { freq: 1 }),
})

/** All pages of an answer, one after the other. */
const readPages = (given: readonly Spot[], asked: Omit<SpotQuery, "limit" | "offset">, limit: number) => {
  const set = openSpotSet(given)
  const first = searchSpots(set, { ...asked, limit, offset: 0 })
  const pages = [first.spots]
  for (let offset = limit; offset < first.count; offset += limit) {
    const page = searchSpots(set, { ...asked, limit, offset })
    expect(page).toMatchObject({ count: first.count, offset })
    pages.push(page.spots)
  }
  return { count: first.count, found: pages.flat() }
}

describe("a search", () => {
  it("finds the same spots as the haversine formula over every spot, for any question", () => {
    fc.assert(
      fc.property(spots, query, fc.integer({ min: 1, max: 7 }), (made, asked, limit) => {
        const given = made.map(makeSpot)
        const expected = searchSlowly(given, asked)
        // Two formulas may disagree about a spot on the very edge.
        const { near } = asked
        const isOnEdge = (spot: Spot) =>
          near !== null && Math.abs(haversineMetres(near, spot) - asked.radiusKm * 1_000) < 0.01
        fc.pre(!given.some(isOnEdge))
        const { count, found } = readPages(given, asked, limit)
        expect(count).toBe(expected.length)
        expect(found.map(({ spot }) => spot.id).sort()).toEqual(expected.map(({ id }) => id).sort())
        const metresOf = new Map(expected.map(({ id, metres }) => [id, metres]))
        for (const { spot, distanceMetres } of found) {
          if (near === null) expect(distanceMetres).toBeNull()
          else expect(Math.abs((distanceMetres as number) - (metresOf.get(spot.id) as number))).toBeLessThan(0.06)
        }
      }),
      { numRuns: 400 },
    )
  })

  it("orders by the distance that is shown, then by id; without a point by id alone", () => {
    fc.assert(
      fc.property(spots, query, (made, asked) => {
        const { found } = readPages(made.map(makeSpot), asked, 50)
        for (const [at, { spot, distanceMetres }] of found.entries()) {
          const before = found[at - 1]
          if (before === undefined) continue
          const apart = (distanceMetres ?? 0) - (before.distanceMetres ?? 0)
          expect(apart > 0 || (apart === 0 && before.spot.id < spot.id)).toBe(true)
        }
      }),
    )
  })

  it("gives the same answer for any order of the spots", () => {
    fc.assert(
      fc.property(spots, query, (made, asked) => {
        const given = made.map(makeSpot)
        const ids = (list: readonly Spot[]) => readPages(list, asked, 50).found.map(({ spot }) => spot.id)
        expect(ids([...given].reverse())).toEqual(ids(given))
      }),
      { numRuns: 50 },
    )
  })

  it("is the same for a set of thousands", () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      makeSpot({
        id: `s-${at}`,
        title: at % 7 === 0 ? "Old Bridge" : "Gate",
        latitude: ((at * 37) % 180) - 90,
        longitude: ((at * 91) % 40) + (at % 2 === 0 ? 140 : -180),
        category: at % 3 === 0 ? "museum" : "beach",
        tags: [at % 2 === 0 ? "even" : "odd", `by-${at % 500}`],
        country_code: at % 5 === 0 ? "JP" : "FR",
        avg_rating: at % 6,
        review_count: 1,
      }),
    )
    const questions: Partial<SpotQuery>[] = [
      { country: "FR", category: "museum", tags: ["even"] },
      { country: "JP", tags: ["odd", "by-5"], minRating: 2 },
      { tags: ["by-4", "even"], text: "bridge" },
      { near: { latitude: 90, longitude: 0 }, radiusKm: 500, country: "FR" },
      { near: { latitude: 10, longitude: 179 }, radiusKm: 500, category: "beach", tags: ["odd"] },
    ]
    for (const asked of questions) {
      const whole = { ...ASK_NOTHING, ...asked }
      const expected = searchSlowly(many, whole)
      expect(expected.length).toBeGreaterThan(0)
      const { found } = readPages(many, whole, 50)
      expect(found.map(({ spot }) => spot.id).sort()).toEqual(expected.map(({ id }) => id).sort())
    }
  })

  it("finds nothing for a country, category or tag that no spot has", () => {
    const set = openSpotSet([makeSpot({ id: "a", tags: ["sea"], category: "beach" })])
    for (const asked of [{ country: "JP" }, { category: "museum" }, { tags: ["sea", "hill"] }]) {
      expect(searchSpots(set, { ...ASK_NOTHING, ...asked })).toEqual({ count: 0, offset: 0, spots: [] })
    }
  })

  it("searches an empty set", () => {
    const near = { latitude: 1, longitude: 2 }
    expect(searchSpots(openSpotSet([]), { ...ASK_NOTHING, near })).toEqual({ count: 0, offset: 0, spots: [] })
  })
})

describe("a point", () => {
  const ask = (given: readonly Spot[], latitude: number, longitude: number, radiusKm = 500) =>
    searchSpots(openSpotSet(given), { ...ASK_NOTHING, near: { latitude, longitude }, radiusKm }).spots.map(
      ({ spot, distanceMetres }) => [spot.id, distanceMetres],
    )

  it("on the date line finds spots on both sides of it", () => {
    const given = [
      makeSpot({ id: "east", latitude: -16.8, longitude: 179.9 }),
      makeSpot({ id: "west", latitude: -16.8, longitude: -179.9 }),
      makeSpot({ id: "line", latitude: -16.8, longitude: 180 }),
    ]
    expect(ask(given, -16.8, -180)).toEqual([
      ["line", 0],
      ["east", 10_644.9],
      ["west", 10_644.9],
    ])
  })

  it("at a pole finds spots of every longitude, by their distance from it", () => {
    const given = [0, 90, 180, -90].map((longitude, at) =>
      makeSpot({ id: `s-${at}`, latitude: 89 - at / 10, longitude }),
    )
    expect(ask(given, 90, 123).map(([id]) => id)).toEqual(["s-0", "s-1", "s-2", "s-3"])
    expect(ask([makeSpot({ id: "pole", latitude: -90, longitude: 55 })], -90, -120)).toEqual([["pole", 0]])
  })

  it("measures along the surface of a sphere of 6,371,008.8 m", () => {
    // A degree of a great circle: 6,371,008.8 × π / 180.
    const given = [makeSpot({ id: "degree", latitude: 1, longitude: 0 })]
    expect(ask(given, 0, 0)).toEqual([["degree", 111_195.1]])
    expect(ask(given, 0, 0, 111.195)).toEqual([])
  })

  it("names as nearby the nearest other spots, and not itself", () => {
    const here = makeSpot({ id: "here", latitude: 10, longitude: 10 })
    const set = openSpotSet([
      here,
      makeSpot({ id: "on-top", latitude: 10, longitude: 10 }),
      makeSpot({ id: "near", latitude: 10.1, longitude: 10 }),
      makeSpot({ id: "farther", latitude: 11, longitude: 10 }),
      makeSpot({ id: "far", latitude: 40, longitude: 10 }),
    ])
    expect(findNearby(set, here, 2, 500).map(({ spot }) => spot.id)).toEqual(["on-top", "near"])
    expect(findNearby(set, here, 9, 500).map(({ spot }) => spot.id)).toEqual(["on-top", "near", "farther"])
  })
})

describe("a distance", () => {
  it("is that of the haversine formula, for short and long distances and the antipode", () => {
    const position = fc.record({ latitude, longitude })
    fc.assert(
      fc.property(position, position, (from, to) => {
        const metres = measureMetres(from, to)
        const expected = haversineMetres(from, to)
        // At the antipode the haversine formula itself is good to about ten centimetres.
        expect(Math.abs(metres - expected)).toBeLessThan(expected > 2e7 ? 0.5 : 1e-3)
        expect(measureMetres(to, from)).toBe(metres)
      }),
      { numRuns: 500 },
    )
  })
})

describe("the countries of a set", () => {
  it("are counted in the order of their codes", () => {
    const set = openSpotSet([
      makeSpot({ id: "a", country_code: "NZ" }),
      makeSpot({ id: "b", country_code: "FR" }),
      makeSpot({ id: "c", country_code: "NZ" }),
    ])
    expect(countByCountry(set)).toEqual([
      { country_code: "FR", spot_count: 1 },
      { country_code: "NZ", spot_count: 2 },
    ])
  })
})
