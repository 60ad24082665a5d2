import { describe, expect, it } from "vitest"
import {
  describeSpotCountries,
  describeSpotDetail,
  describeSpots,
  toFeature,
  toFeatureCollection,
} from "../../adapters/http/routes/spots/spot-endpoints.ts"
import { ASK_NOTHING, openSpotSet, searchSpots } from "../../adapters/spots/search-spots.ts"
import { haversineMetres } from "../oracles/spots.ts"
import { makeSpot } from "./made-up-spots.ts"

const OLD_BRIDGE = { latitude: 43.3373, longitude: 17.815 }
const KRAVICA = { latitude: 43.156, longitude: 17.608 }
const TO_KRAVICA = Math.round(haversineMetres(OLD_BRIDGE, KRAVICA) * 10) / 10
const ORIGIN = "https://spots.example"
const set = openSpotSet([
  makeSpot({
    id: "old-bridge",
    title: "Old Bridge",
    description: "A bridge.",
    ...OLD_BRIDGE,
    category: "old_town",
    tags: ["bridge", "river"],
    country_code: "BA",
    photos: ["https://photos.example/1.jpg"],
    avg_rating: 4.5,
    review_count: 2,
    source: "https://whc.unesco.org/en/list/946",
  }),
  makeSpot({ id: "kravica", ...KRAVICA, country_code: "BA" }),
  makeSpot({ id: "louvre", latitude: 48.8606, longitude: 2.3376, country_code: "FR" }),
])
const list = (asked: Partial<typeof ASK_NOTHING>) =>
  describeSpots(searchSpots(set, { ...ASK_NOTHING, ...asked }), ORIGIN)

describe("a list", () => {
  it("has the fields of the specification, and a distance only where a point is asked", () => {
    expect(list({ text: "bridge" })).toEqual({
      count: 1,
      offset: 0,
      spots: [
        {
          id: "old-bridge",
          title: "Old Bridge",
          description: "A bridge.",
          latitude: 43.3373,
          longitude: 17.815,
          tags: ["bridge", "river"],
          country_code: "BA",
          avg_rating: 4.5,
          review_count: 2,
          photos: ["https://photos.example/1.jpg"],
          url: "https://spots.example/api/v1/spots/old-bridge",
        },
      ],
    })
    expect(list({ near: OLD_BRIDGE }).spots.map(({ id, distance_m }) => [id, distance_m])).toEqual([
      ["old-bridge", 0],
      ["kravica", TO_KRAVICA],
    ])
  })

  it("counts all matches, also beyond the page and beyond the last one", () => {
    expect(list({ limit: 1, offset: 1 })).toMatchObject({ count: 3, offset: 1, spots: [{ id: "louvre" }] })
    expect(list({ offset: 2_000 })).toEqual({ count: 3, offset: 2_000, spots: [] })
  })

  it("becomes a GeoJSON feature collection, longitude first", () => {
    const near = { latitude: 48.8606, longitude: 2.3376 }
    const { id, latitude, longitude, ...properties } = list({ near }).spots[0] as ReturnType<typeof list>["spots"][0]
    expect(toFeatureCollection(list({ near }))).toEqual({
      type: "FeatureCollection",
      count: 1,
      offset: 0,
      features: [{ type: "Feature", id, geometry: { type: "Point", coordinates: [longitude, latitude] }, properties }],
    })
    expect(properties).toMatchObject({ country_code: "FR", distance_m: 0 })
  })
})

describe("one spot", () => {
  it("adds category, media, provenance and what is nearby", () => {
    const detail = describeSpotDetail(set, "old-bridge", ORIGIN)
    expect(detail).toEqual({
      ...list({ text: "bridge" }).spots[0],
      category: "old_town",
      media: [{ type: "photo", url: "https://photos.example/1.jpg" }],
      created_at: "2026-11-21",
      source: "https://whc.unesco.org/en/list/946",
      verified_on: null,
      nearby: [expect.objectContaining({ id: "kravica", distance_m: TO_KRAVICA })],
    })
    expect(detail === null ? null : toFeature(detail).properties).toMatchObject({ category: "old_town", nearby: [{}] })
  })

  it("is null where the set has none of that id", () => {
    expect(describeSpotDetail(set, "nowhere", ORIGIN)).toBeNull()
    expect(describeSpotDetail(set, "constructor", ORIGIN)).toBeNull()
  })
})

describe("the countries", () => {
  it("come with names and counts, in the order of their codes", () => {
    expect(describeSpotCountries(set)).toEqual({
      count: 2,
      countries: [
        { country_code: "BA", name: "Bosnia & Herzegovina", spot_count: 2 },
        { country_code: "FR", name: "France", spot_count: 1 },
      ],
    })
  })
})
