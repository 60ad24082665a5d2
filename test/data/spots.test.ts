import { readFileSync } from "node:fs"
import { Result, Schema } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { formatRecord } from "../../adapters/files/record-files.ts"
import { readSeedSpots, type Spot, SpotRecord } from "../../adapters/spots/spot.ts"
import { makeSpot } from "../spots/made-up-spots.ts"
import { type Boundaries, type CountriesTopology, openBoundaries } from "./boundaries.ts"
import { verifySpots } from "./verify-spots.ts"

const FILE = "seeds/spots.json"
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))

let spots: readonly Spot[] = []
let boundaries: Boundaries
beforeAll(() => {
  spots = Result.getOrThrow(readSeedSpots())
  const countries: { alpha2: string; numeric: string | null; name: string }[] = readJson("data/countries.json")
  const alpha2Of = new Map(countries.map(({ alpha2, numeric, name }) => [numeric ?? name, alpha2]))
  boundaries = openBoundaries(readJson("node_modules/world-atlas/countries-10m.json") as CountriesTopology, alpha2Of)
})

describe("the spots that ship with the package", () => {
  it("are at least 430 in at least 100 countries", () => {
    expect(spots.length).toBeGreaterThanOrEqual(430)
    expect(new Set(spots.map(({ country_code }) => country_code)).size).toBeGreaterThanOrEqual(100)
  })

  it("are each in their own country, and no two have the same place or name", () => {
    expect(verifySpots(spots, boundaries)).toEqual([])
  })

  it("are described in a sentence or two of their own, and sorted", () => {
    const ids = spots.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort())
    expect(new Set(spots.map(({ description }) => description)).size).toBe(spots.length)
    for (const { id, description, tags, category } of spots) {
      expect([id, /^[A-Z\dÀ-Ý][^\n]{40,200}\.$/u.test(description)]).toEqual([id, true])
      expect([id, description.split(/[^A-Z][.!?] (?=[A-Z])/).length <= 2]).toEqual([id, true])
      expect([id, tags.length >= 3, category !== null]).toEqual([id, true, true])
    }
  })

  it("claim no rating, photo or check that does not exist", () => {
    for (const { id, avg_rating, review_count, photos, verified_on } of spots) {
      expect({ id, avg_rating, review_count, photos, verified_on }).toEqual({
        id,
        avg_rating: 0,
        review_count: 0,
        photos: [],
        verified_on: null,
      })
    }
  })

  it("vary: no category has more than a sixth of them, and there are twenty", () => {
    const counts = Map.groupBy(spots, ({ category }) => category)
    expect(counts.size).toBeGreaterThanOrEqual(20)
    for (const [, held] of counts) expect(held.length).toBeLessThanOrEqual(spots.length / 6)
  })

  it("are in a file that does not change when it is written again", () => {
    expect(formatRecord(Schema.Array(SpotRecord), readJson(FILE))).toBe(readFileSync(FILE, "utf8"))
  })
})

describe("a check of spots", () => {
  const mistakesOf = (...given: Parameters<typeof makeSpot>[0][]) => verifySpots(given.map(makeSpot), boundaries)
  const louvre = { id: "louvre", latitude: 48.8606, longitude: 2.3376, country_code: "FR" }

  it("finds a position with swapped numbers, with a lost sign, or in another country", () => {
    expect(mistakesOf(louvre)).toEqual([])
    expect(mistakesOf({ ...louvre, latitude: 2.3376, longitude: 48.8606 })).toEqual([
      { id: "louvre", message: expect.stringMatching(/^2\.3376,48\.8606 lies at sea, \d{4}\.\d km from FR\.$/) },
    ])
    expect(mistakesOf({ ...louvre, latitude: -48.8606 })[0]?.message).toMatch(/lies at sea, \d{4}\.\d km from FR\./)
    expect(mistakesOf({ ...louvre, country_code: "DE" })[0]?.message).toMatch(/lies in FR, \d{3}\.\d km from DE\./)
  })

  it("allows for borders that are drawn roughly, and for the waters of a state", () => {
    // The middle of the river at Iguazú, and a rock 13 km off Kerry that the map does not draw.
    expect(mistakesOf({ id: "falls", latitude: -25.6953, longitude: -54.4367, country_code: "BR" })).toEqual([])
    expect(mistakesOf({ id: "rock", latitude: 51.7719, longitude: -10.5386, country_code: "IE" })).toEqual([])
    expect(mistakesOf({ id: "sea", latitude: 51.7719, longitude: -10.9, country_code: "IE" })[0]?.message).toMatch(
      /^51\.7719,-10\.9 lies at sea, 3\d\.\d km from IE\.$/,
    )
  })

  it("knows territories that the map draws with their state, and countries on both sides of the date line", () => {
    expect(mistakesOf({ id: "piton", latitude: -21.1, longitude: 55.48, country_code: "RE" })).toEqual([])
    expect(mistakesOf({ id: "taveuni", latitude: -16.85, longitude: 179.97, country_code: "FJ" })).toEqual([])
    expect(mistakesOf({ id: "nowhere", country_code: "QQ" })).toEqual([
      { id: "nowhere", message: "There is no outline of QQ." },
    ])
  })

  it("finds two spots in one place, and two with the same name", () => {
    expect(mistakesOf(louvre, { ...louvre, id: "louvre-2", latitude: 48.86065, title: "Louvre" })).toEqual([
      { id: "louvre", message: "louvre-2 is only 5.6 m away: two spots are in one place." },
      { id: "louvre-2", message: "louvre in FR has the same name." },
    ])
  })
})
