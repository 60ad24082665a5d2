/** The spots over HTTP, as their specification has them. */
import fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import { readParameters, type ValuesOf } from "../../adapters/http/pipeline/endpoint.ts"
import { readQuery } from "../../adapters/http/pipeline/http-message.ts"
import { listParameters, readQuestion } from "../../adapters/http/routes/spots/spot-endpoints.ts"
import { ASK_NOTHING } from "../../adapters/spots/search-spots.ts"
import { share } from "../share.ts"
import { startTestService } from "./service.ts"

const SPOTS = "/api/v1/spots"
const NOON = Date.UTC(2026, 10, 21, 12)

const running = share(() => startTestService({ stoppedAt: NOON, env: { LANDFALL_TRUSTED_PROXIES: "127.0.0.1" } }))

interface SpotRow {
  readonly id: string
  readonly title: string
  readonly country_code: string
  readonly distance_m?: number
}

/** Asks without a key, from an address of its own so that no test spends another's allowance. */
let addresses = 0
const askAnew = (path: string, headers: Record<string, string> = {}) =>
  running.ask(path, { headers: { "x-forwarded-for": `198.51.100.${++addresses}`, ...headers } })

const read = (query: string) => {
  const decoded = readParameters(listParameters, readQuery(query))
  return decoded.ok
    ? { ok: true, query: readQuestion(decoded.values as ValuesOf<typeof listParameters>) }
    : { ok: false, issues: decoded.issues.map(({ path, message }) => `${path}: ${message}`) }
}

describe("the parameters of a list", () => {
  it("are optional: without them the first twenty spots are listed", () => {
    expect(read("")).toEqual({ ok: true, query: ASK_NOTHING })
    expect(ASK_NOTHING).toMatchObject({ limit: 20, offset: 0, radiusKm: 50 })
  })

  it("are all read, also at their limits", () => {
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

  it("that are unknown are ignored", () => {
    expect(read("api_key=abc&lang=de&lang=fr")).toEqual({ ok: true, query: ASK_NOTHING })
  })

  const POSITION = "a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945"
  it.each([
    ["country=FRA", 'country: Expected an ISO 3166-1 alpha-2 code of two letters, such as JP, got "FRA"'],
    ["country=", 'country: Expected an ISO 3166-1 alpha-2 code of two letters, such as JP, got ""'],
    ["near=91,0", `near: Expected ${POSITION}, got "91,0"`],
    ["near=0,180.1", `near: Expected ${POSITION}, got "0,180.1"`],
    ["near=48.8584", `near: Expected ${POSITION}, got "48.8584"`],
    ["near=1,2,3", `near: Expected ${POSITION}, got "1,2,3"`],
    ["near=,", `near: Expected ${POSITION}, got ","`],
    ["radius_km=500.1", 'radius_km: Expected a number above 0 and at most 500, got "500.1"'],
    ["radius_km=0", 'radius_km: Expected a number above 0 and at most 500, got "0"'],
    ["radius_km=-5", 'radius_km: Expected a number above 0 and at most 500, got "-5"'],
    ["radius_km=1e2", 'radius_km: Expected a number above 0 and at most 500, got "1e2"'],
    ["min_rating=5.01", 'min_rating: Expected a number from 0 to 5, got "5.01"'],
    ["min_rating=good", 'min_rating: Expected a number from 0 to 5, got "good"'],
    ["limit=0", 'limit: Expected a whole number from 1 to 50, got "0"'],
    ["limit=51", 'limit: Expected a whole number from 1 to 50, got "51"'],
    ["limit=10.5", 'limit: Expected a whole number from 1 to 50, got "10.5"'],
    ["limit=0x10", 'limit: Expected a whole number from 1 to 50, got "0x10"'],
    ["offset=2001", 'offset: Expected a whole number from 0 to 2000, got "2001"'],
    ["offset=-1", 'offset: Expected a whole number from 0 to 2000, got "-1"'],
    ["tags=old,,new", 'tags: Expected at most 20 tags of at most 40 characters, separated by commas, got "old,,new"'],
    ["category=", 'category: Expected a category of at most 40 characters, such as museum, got ""'],
    ["q=caf%E9", 'q: Expected a text of at most 200 characters in UTF-8, got "caf\ufffd"'],
    ["category=caf%E9", 'category: Expected a category of at most 40 characters, such as museum, got "caf\ufffd"'],
    ["limit=5&limit=5", 'limit: Expected a whole number from 1 to 50, once, got ["5","5"]'],
  ])("are refused with what is allowed: %s", (query, issue) => {
    expect(read(query)).toEqual({ ok: false, issues: [issue] })
  })

  it("never accept a number out of range", () => {
    const value = fc.oneof(fc.string(), fc.double().map(String))
    const query = fc.dictionary(fc.constantFrom(...Object.keys(listParameters)), value)
    fc.assert(
      fc.property(query, given => {
        const decoded = readParameters(listParameters, given)
        if (!decoded.ok) {
          assert.isNotEmpty(decoded.issues)
          return
        }
        const asked = readQuestion(decoded.values as ValuesOf<typeof listParameters>)
        assert(asked.limit >= 1 && asked.limit <= 50 && asked.offset >= 0 && asked.offset <= 2_000)
        assert(asked.radiusKm > 0 && asked.radiusKm <= 500)
        assert((asked.minRating ?? 0) >= 0 && (asked.minRating ?? 0) <= 5)
        assert(Math.abs(asked.near?.latitude ?? 0) <= 90 && Math.abs(asked.near?.longitude ?? 0) <= 180)
      }),
    )
  })
})

describe("GET /api/v1/spots", () => {
  it("counts all matches, and pages have a stable order without gaps", async () => {
    const pages = await Promise.all([0, 20, 40].map(offset => askAnew(`${SPOTS}?country=it&offset=${offset}`)))
    const ids = pages.flatMap(page => (page.read("spots") as SpotRow[]).map(({ id }) => id))
    assert.strictEqual(ids.length, Math.min(60, Number(pages[0]?.read("count"))))
    assert.deepStrictEqual(ids, [...new Set(ids)].sort())
    assert.deepStrictEqual(pages[1]?.read("offset"), 20)
  })

  it("sorts by distance from a point and gives the distance", async () => {
    const spots = (await askAnew(`${SPOTS}?near=48.8584,2.2945&radius_km=100`)).read("spots") as SpotRow[]
    const distances = spots.map(spot => spot.distance_m as number)
    assert.isNotEmpty(distances)
    assert.deepStrictEqual(
      distances,
      distances.toSorted((a, b) => a - b),
    )
    assert(distances.every(metres => metres <= 100_000))
  })

  it("finds titles in any case and without accents", async () => {
    const found = (await askAnew(`${SPOTS}?q=CATHEDRAL&country=DE`)).read("spots") as SpotRow[]
    assert.include(
      found.map(({ id }) => id),
      "aachen-cathedral",
    )
  })

  it("answers GeoJSON on request, with longitude first", async () => {
    const reply = await askAnew(`${SPOTS}?country=DE&limit=1`, { accept: "application/geo+json" })
    assert.strictEqual(reply.headers["content-type"], "application/geo+json")
    assert.strictEqual(reply.read("type"), "FeatureCollection")
    assert.deepStrictEqual(reply.read("features.0.geometry"), { type: "Point", coordinates: [6.0839, 50.7747] })
    assert.match(String(reply.headers.vary), /Accept(,|$)/)
  })

  it("says in one sentence which values of a refused parameter are allowed", async () => {
    const reply = await askAnew(`${SPOTS}?limit=51&near=x`)
    assert.strictEqual(reply.status, 400)
    assert.match(
      String(reply.read("error")),
      /^near: Expected a position .*; limit: Expected a whole number from 1 to 50/,
    )
  })
})

describe("GET /api/v1/spots/{id}", () => {
  it("adds media, category, dates and the nearest other spots", async () => {
    const reply = await askAnew(`${SPOTS}/aachen-cathedral`)
    assert.containsSubset(reply.read() as object, {
      id: "aachen-cathedral",
      category: "religious",
      media: [],
      source: "https://whc.unesco.org/en/list/3",
      avg_rating: 0,
      review_count: 0,
    })
    const nearby = reply.read("nearby") as SpotRow[]
    assert.isNotEmpty(nearby)
    assert(nearby.every(({ id, distance_m }) => id !== "aachen-cathedral" && distance_m !== undefined))
  })

  it("is 404 for any id without a spot", async () => {
    for (const id of ["nowhere", "%61achen-cathedral", "a".repeat(2_000), "__proto__"]) {
      const reply = await askAnew(`${SPOTS}/${id}`)
      assert.strictEqual(reply.status, 404, id)
      assert.deepStrictEqual(reply.read(), { error: "There is no spot of this id." })
    }
    assert.strictEqual((await askAnew(`${SPOTS}/`)).status, 404)
    assert.strictEqual((await askAnew(`${SPOTS}/aachen-cathedral/media`)).status, 404)
  })
})

describe("GET /api/spots/countries", () => {
  it("counts the spots of every country", async () => {
    const countries = (await askAnew("/api/spots/countries")).read("countries") as {
      readonly country_code: string
      readonly spot_count: number
    }[]
    assert(countries.length >= 100)
    const all = Number((await askAnew(SPOTS)).read("count"))
    assert(all >= 430)
    assert.strictEqual(
      countries.reduce((sum, { spot_count }) => sum + spot_count, 0),
      all,
    )
  })
})

describe("an address without a key", () => {
  it("has thirty requests a UTC day, refused ones not counted, and is told when the next day begins", async () => {
    const from = { headers: { "x-forwarded-for": "203.0.113.7" } }
    const replies = await Promise.all(Array.from({ length: 40 }, () => running.ask(`${SPOTS}?limit=1`, from)))
    assert.strictEqual(replies.filter(({ status }) => status === 200).length, 30)
    const refused = replies.find(({ status }) => status === 429)
    assert.strictEqual(
      refused?.read("error"),
      "Without a key 30 requests a day are answered; with a key the plan's quota applies.",
    )
    assert.strictEqual(refused?.headers["retry-after"], String(12 * 3_600))
    assert.strictEqual(refused?.headers["x-ratelimit-remaining"], "0")
    const asHobby = await running.askAs("hobby", `${SPOTS}?limit=1`, from)
    assert.strictEqual(asHobby.status, 200)
    running.setTime(NOON + 12 * 3_600_000)
    assert.strictEqual((await running.ask(`${SPOTS}?limit=1`, from)).status, 200)
    running.setTime(NOON)
  })

  it("needs no key, but an unknown key is refused", async () => {
    const reply = await askAnew(SPOTS, { "x-api-key": "svc_visa_nobody" })
    assert.strictEqual(reply.status, 403)
    assert.strictEqual(reply.read("error"), "This API key is not valid.")
  })
})

describe("a key", () => {
  it("uses a separate quota for spots", async () => {
    const left = async (path: string) => Number((await running.askAs("starter", path)).headers["x-ratelimit-remaining"])
    const check = "/api/v1/visa/check?passport=FRA&destination=JPN"
    const before = await left(check)
    assert.strictEqual(await left(`${SPOTS}?limit=1`), 9_999)
    assert.strictEqual(await left(`${SPOTS}?limit=1`), 9_998)
    assert.strictEqual(await left(check), before - 1)
  })
})
