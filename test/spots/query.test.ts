import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readSpotQuery } from "../../adapters/spots/query.ts"
import { ASK_NOTHING } from "../../adapters/spots/search.ts"

const read = (query: string) => readSpotQuery(new URLSearchParams(query))

describe("the parameters of a list", () => {
  it("ask for the first twenty spots of all where there are none", () => {
    expect(read("")).toEqual({ ok: true, query: ASK_NOTHING })
    expect(ASK_NOTHING).toMatchObject({ limit: 20, offset: 0, radiusKm: 50 })
  })

  it("are all read, at their bounds too", () => {
    const given =
      "country=fr&q=%C3%89glise&near=48.8584,%202.2945&radius_km=500&tags=old,%20gothic&category=museum&min_rating=5&limit=50&offset=2000"
    expect(read(given)).toEqual({
      ok: true,
      query: {
        country: "FR",
        text: "Église",
        near: { latitude: 48.8584, longitude: 2.2945 },
        radiusKm: 500,
        tags: ["old", "gothic"],
        category: "museum",
        minRating: 5,
        limit: 50,
        offset: 2_000,
      },
    })
    expect(read("near=-90,180&limit=1&offset=0&min_rating=0&radius_km=.5")).toMatchObject({ ok: true })
  })

  it("that no list has are passed over", () => {
    expect(read("api_key=abc&lang=de&lang=fr")).toEqual({ ok: true, query: ASK_NOTHING })
  })

  it.each([
    ["country=FRA", 'country: an ISO 3166-1 alpha-2 code of two letters, such as JP, is expected, not "FRA".'],
    ["country=", 'country: an ISO 3166-1 alpha-2 code of two letters, such as JP, is expected, not "".'],
    [
      "near=91,0",
      'near: a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945, is expected, not "91,0".',
    ],
    [
      "near=0,180.1",
      'near: a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945, is expected, not "0,180.1".',
    ],
    [
      "near=48.8584",
      'near: a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945, is expected, not "48.8584".',
    ],
    [
      "near=1,2,3",
      'near: a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945, is expected, not "1,2,3".',
    ],
    [
      "near=,",
      'near: a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945, is expected, not ",".',
    ],
    ["radius_km=500.1", 'radius_km: a number above 0 and at most 500 is expected, not "500.1".'],
    ["radius_km=0", 'radius_km: a number above 0 and at most 500 is expected, not "0".'],
    ["radius_km=-5", 'radius_km: a number above 0 and at most 500 is expected, not "-5".'],
    ["radius_km=1e2", 'radius_km: a number above 0 and at most 500 is expected, not "1e2".'],
    ["radius_km=NaN", 'radius_km: a number above 0 and at most 500 is expected, not "NaN".'],
    ["min_rating=5.01", 'min_rating: a number from 0 to 5 is expected, not "5.01".'],
    ["min_rating=good", 'min_rating: a number from 0 to 5 is expected, not "good".'],
    ["limit=0", 'limit: a whole number from 1 to 50 is expected, not "0".'],
    ["limit=51", 'limit: a whole number from 1 to 50 is expected, not "51".'],
    ["limit=10.5", 'limit: a whole number from 1 to 50 is expected, not "10.5".'],
    ["limit=0x10", 'limit: a whole number from 1 to 50 is expected, not "0x10".'],
    ["offset=2001", 'offset: a whole number from 0 to 2000 is expected, not "2001".'],
    ["offset=-1", 'offset: a whole number from 0 to 2000 is expected, not "-1".'],
    [
      "tags=old,,new",
      'tags: a list of at most 20 tags, separated by commas, each of at most 40 characters, is expected, not "old,,new".',
    ],
    ["category=", 'category: a category of at most 40 characters, such as museum, is expected, not "".'],
    [`q=${"x".repeat(201)}`, `q: a text of at most 200 characters is expected, not "${"x".repeat(60)}…".`],
    ["limit=5&limit=5", "limit is given more than once."],
    [
      "limit=99&country=1&offset=3",
      'limit: a whole number from 1 to 50 is expected, not "99". country: an ISO 3166-1 alpha-2 code of two letters, such as JP, is expected, not "1".',
    ],
  ])("are refused with what is allowed: %s", (query, error) => {
    expect(read(query)).toEqual({ ok: false, error })
  })

  it("never make the reader fail, and never let a number through that is out of bounds", () => {
    const name = fc.constantFrom(
      "country",
      "q",
      "near",
      "radius_km",
      "tags",
      "category",
      "min_rating",
      "limit",
      "offset",
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.oneof(fc.string(), fc.double().map(String)))), parameters => {
        const result = readSpotQuery(parameters)
        if (!result.ok) {
          expect(result.error).not.toBe("")
          return
        }
        const { limit, offset, radiusKm, minRating, near } = result.query
        expect(limit >= 1 && limit <= 50 && offset >= 0 && offset <= 2_000).toBe(true)
        expect(radiusKm > 0 && radiusKm <= 500 && (minRating ?? 0) >= 0 && (minRating ?? 0) <= 5).toBe(true)
        expect(Math.abs(near?.latitude ?? 0) <= 90 && Math.abs(near?.longitude ?? 0) <= 180).toBe(true)
      }),
    )
  })
})
