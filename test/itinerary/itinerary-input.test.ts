import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { decide } from "../../src/trip/judge.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { countTrips } from "../sample.ts"

const dataset = embeddedDataset()
const judge = (request: unknown) => decide(dataset, request as ItineraryRequest)
const issuesOf = (request: unknown) => {
  const result = judge(request)
  return result.ok ? [] : result.error.issues
}
const pathsOf = (request: unknown) => issuesOf(request).map(({ path }) => path)

const stop = { destination: "FRA", from: "2026-12-01", to: "2026-12-05" }
const good = { passport: "USA", stops: [stop] }
const NO_CODE = "is not an ISO 3166-1 alpha-3 code: three capital letters."
const NO_DATE = "is not a calendar date YYYY-MM-DD from 1900 to 2199."

describe("an itinerary is refused with every mistake by its path", () => {
  it("lists them all, each with what was given and what is expected", () => {
    const result = judge({
      passport: "us",
      passportExpiry: "2026-02-30",
      passportIssued: 2020,
      stops: [
        { destination: "FR", from: "2026-12-01", to: "2026-11-30" },
        "Paris",
        { destination: "DEU", from: "2026-11-29", to: "soon" },
        { destination: "ITA", from: "2026-12-31", to: "2027-01-01T00:00:00Z" },
      ],
      transit: ["ARE", "are", null],
      residence: "France",
      purpose: "",
    })
    expect(result).toMatchObject({
      ok: false,
      error: { tag: "InputRefused", message: `purpose: "" is not a text of 1 to 100 characters. (and 12 more)` },
    })
    expect(result.ok ? [] : result.error.issues).toEqual([
      { path: "purpose", message: '"" is not a text of 1 to 100 characters.' },
      { path: "stops[0].destination", message: `"FR" ${NO_CODE}` },
      { path: "stops[0].to", message: '"2026-11-30" is before the first day of the stop, 2026-12-01.' },
      { path: "stops[1]", message: '"Paris" is not an object.' },
      {
        path: "stops[2].from",
        message:
          '"2026-11-29" is before the end of an earlier stop: stops stand in order, and may touch but not overlap.',
      },
      { path: "stops[2].to", message: `"soon" ${NO_DATE}` },
      { path: "stops[3].to", message: `"2027-01-01T00:00:00Z" ${NO_DATE}` },
      { path: "transit[1].country", message: `"are" ${NO_CODE}` },
      { path: "transit[2]", message: "null is not an object." },
      { path: "residence", message: `"France" ${NO_CODE}` },
      { path: "passport", message: `"us" ${NO_CODE}` },
      { path: "passportExpiry", message: `"2026-02-30" ${NO_DATE}` },
      { path: "passportIssued", message: `2020 ${NO_DATE}` },
    ])
  })

  it.each<[string, unknown, string[]]>([
    ["nothing at all", undefined, [""]],
    ["null", null, [""]],
    ["an array", [good], [""]],
    ["a text", JSON.stringify(good), [""]],
    ["no passport", { stops: [stop] }, ["passport"]],
    ["alpha-2", { ...good, passport: "US" }, ["passport"]],
    ["no stops", { passport: "USA" }, ["stops"]],
    ["an empty list of stops", { ...good, stops: [] }, ["stops"]],
    ["thirteen stops", { ...good, stops: Array.from({ length: 13 }, () => stop) }, ["stops"]],
    ["stops that are not a list", { ...good, stops: { 0: stop, length: 1 } }, ["stops"]],
    ["a stop without dates", { ...good, stops: [{ destination: "FRA" }] }, ["stops[0].from"]],
    ["a hole among the stops", { ...good, stops: Object.assign(new Array(2), { 0: stop }) }, ["stops[1]"]],
    [
      "stops out of order",
      { ...good, stops: [stop, { ...stop, from: "2026-11-01", to: "2026-11-02" }] },
      ["stops[1].from"],
    ],
    [
      "an overlap with a stop that is not the one before",
      {
        ...good,
        stops: [
          { ...stop, to: "2026-12-20" },
          { ...stop, from: "2026-12-20", to: "2026-12-19" },
          { ...stop, from: "2026-12-19", to: "2026-12-21" },
        ],
      },
      ["stops[1].to", "stops[2].from"],
    ],
    ["a year before 1900", { ...good, stops: [{ ...stop, from: "1899-12-31" }] }, ["stops[0].from"]],
    ["a year after 2199", { ...good, stops: [{ ...stop, to: "2200-01-01" }] }, ["stops[0].to"]],
    ["a day that no calendar has", { ...good, stops: [{ ...stop, to: "2027-02-29" }] }, ["stops[0].to"]],
    ["thirteen transit countries", { ...good, transit: Array.from({ length: 13 }, () => "ARE") }, ["transit"]],
    ["transit that is not a list", { ...good, transit: "ARE" }, ["transit"]],
    [
      "a passport issued after it expires",
      { ...good, passportExpiry: "2026-12-31", passportIssued: "2027-01-01" },
      ["passportIssued"],
    ],
    ["a purpose that is not a text", { ...good, purpose: 1 }, ["purpose"]],
    ["a purpose that never ends", { ...good, purpose: "x".repeat(101) }, ["purpose"]],
    ["other fields", { ...good, budget: 100, stops: [{ ...stop, hotel: "Ritz" }] }, ["budget", "stops[0].hotel"]],
    [
      "a stop's passport that is not one of the traveller's",
      { ...good, stops: [{ ...stop, passport: "DEU" }] },
      ["stops[0].passport"],
    ],
    ["a stop's passport that is not a code", { ...good, stops: [{ ...stop, passport: 5 }] }, ["stops[0].passport"]],
    ["earlier stays that are not a list", { ...good, earlierStays: stop }, ["earlierStays"]],
    [
      "more than a hundred earlier stays",
      { ...good, earlierStays: Array.from({ length: 101 }, () => stop) },
      ["earlierStays"],
    ],
    [
      "an earlier stay that ends after the itinerary has begun",
      { ...good, earlierStays: [{ destination: "THA", from: "2026-11-01", to: "2026-12-02" }] },
      ["earlierStays[0].to"],
    ],
    [
      "a first day that cannot be read, and no earlier stay for it",
      {
        ...good,
        stops: [{ ...stop, from: "1 December" }],
        earlierStays: [{ destination: "THA", from: "2026-11-01", to: "2026-11-02" }],
      },
      ["stops[0].from"],
    ],
    [
      "a first stop that is none, and no earlier stay for it",
      {
        ...good,
        stops: [null, { ...stop, from: "2020-01-01" }],
        earlierStays: [{ destination: "THA", from: "2026-11-01", to: "2026-11-02" }],
      },
      ["stops[0]"],
    ],
    [
      "mistakes in earlier stays",
      {
        ...good,
        earlierStays: [
          { destination: "TH", from: "2026-11-01", to: "2026-10-02" },
          { destination: "THA", from: "2026-11-01", to: "2026-11-02", permit: "work" },
          null,
          { destination: "THA", from: "2026-11-01", to: "2026-11-02", until: "2026-11-02" },
        ],
      },
      [
        "earlierStays[0].destination",
        "earlierStays[0].to",
        "earlierStays[1].permit",
        "earlierStays[2]",
        "earlierStays[3].until",
      ],
    ],
    ["both forms of passports", { ...good, passports: ["USA"] }, ["passports"]],
    [
      "a date beside the list of passports",
      { stops: [stop], passports: ["USA"], passportExpiry: "2030-01-01" },
      ["passports"],
    ],
    ["no passport in the list", { stops: [stop], passports: [] }, ["passports"]],
    ["eleven passports", { stops: [stop], passports: dataset.passports.slice(0, 11) }, ["passports"]],
    ["a passport twice", { stops: [stop], passports: ["USA", { passport: "USA" }] }, ["passports[1].passport"]],
    ["a passport that is a number", { stops: [stop], passports: [1] }, ["passports[0]"]],
    [
      "mistakes in a list of passports",
      { stops: [stop], passports: ["usa", { passport: "FRA", passportExpiry: "never" }] },
      ["passports[0].passport", "passports[1].passportExpiry"],
    ],
  ])("refuses %s", (_, request, paths) => {
    expect(pathsOf(request)).toEqual(paths)
  })

  it("shortens a long given text in the message", () => {
    expect(issuesOf({ ...good, passport: "x".repeat(5000) })[0]?.message).toBe(`"${"x".repeat(40)}…" ${NO_CODE}`)
  })
})

describe("an itinerary is judged", () => {
  it.each<[string, unknown]>([
    [
      "with twelve stops and twelve transit countries",
      {
        ...good,
        stops: Array.from({ length: 12 }, () => ({ ...stop, from: "2026-12-01", to: "2026-12-01" })),
        transit: Array.from({ length: 12 }, () => "ARE"),
      },
    ],
    ["with ten passports", { stops: [stop], passports: dataset.passports.slice(0, 10) }],
    [
      "where a stop begins on the day on which the one before it ends",
      {
        ...good,
        stops: [stop, { ...stop, from: stop.to }],
      },
    ],
    [
      "where fields that may be left out are null",
      {
        ...good,
        passportExpiry: null,
        passportIssued: null,
        passports: null,
        transit: null,
        residence: null,
        purpose: null,
      },
    ],
    [
      "on the first and the last day that is judged",
      {
        ...good,
        stops: [
          { ...stop, from: "1900-01-01", to: "1900-01-01" },
          { ...stop, from: "2199-12-31", to: "2199-12-31" },
        ],
      },
    ],
    [
      "for codes that the dataset does not have",
      { ...good, stops: [{ ...stop, destination: "ZZZ" }], transit: ["ZZZ"], residence: "ZZZ" },
    ],
  ])("%s", (_, request) => {
    expect(judge(request)).toMatchObject({ ok: true, value: { kind: "decided" } })
  })
})

describe("decide", () => {
  const mustNotThrow = (request: unknown) => {
    const result = judge(request)
    if (!result.ok) {
      expect(result.error.issues.length).toBeGreaterThan(0)
      for (const { path, message } of result.error.issues) {
        expect(typeof path).toBe("string")
        expect(message).toMatch(/[.?]$/)
      }
    }
  }

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        mustNotThrow,
      ),
      { numRuns: countTrips(500) },
    )
  })

  it("never throws on JSON of nearly the right shape", () => {
    const odd = fc.oneof(fc.jsonValue(), fc.anything(), fc.constant(Symbol("code")), fc.constant(10n))
    const date = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("2026-12-01", "2026-12-31", "1900-01-01", "2199-12-31") },
      { weight: 1, arbitrary: odd },
    )
    const code = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("FRA", "USA", "SLV", "ZZZ", "ALA") },
      { weight: 1, arbitrary: odd },
    )
    const held = fc.record({ passport: code, passportExpiry: date, passportIssued: date }, { requiredKeys: [] })
    const near = fc.record(
      {
        passport: code,
        passportExpiry: date,
        passportIssued: date,
        passports: fc.oneof(odd, fc.array(fc.oneof(code, held), { maxLength: 12 })),
        stops: fc.oneof(
          odd,
          fc.array(fc.oneof(odd, fc.record({ destination: code, from: date, to: date }, { requiredKeys: [] })), {
            maxLength: 14,
          }),
        ),
        transit: fc.oneof(
          odd,
          fc.array(fc.oneof(code, fc.record({ country: code, airside: odd, by: odd }, { requiredKeys: [] })), {
            maxLength: 14,
          }),
        ),
        residence: code,
        purpose: odd,
      },
      { requiredKeys: [] },
    )
    fc.assert(fc.property(near, mustNotThrow), { numRuns: countTrips(500) })
  })

  it("reports a property that throws, or changes while it is read", () => {
    const trap = {
      passport: "USA",
      get stops(): never {
        throw new Error("trap")
      },
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const cannotRead = [
      { path: "", message: "The input cannot be read: one of its properties throws. Give plain objects." },
    ]
    expect(issuesOf(trap)).toEqual(cannotRead)
    expect(issuesOf(revoked.proxy)).toEqual(cannotRead)
    expect(issuesOf({ ...good, stops: [revoked.proxy] })).toEqual(cannotRead)
    let reads = 0
    const fickle = {
      destination: "FRA",
      from: "2026-12-01",
      get to() {
        reads++
        return reads === 1 ? "2026-12-05" : "1999-01-01"
      },
    }
    const result = judge({ ...good, stops: [fickle] })
    expect(result).toMatchObject({ ok: true, value: { steps: [{ to: "2026-12-05", days: 5 }] } })
    expect(reads).toBe(1)
  })

  it("reads the length of a list once, so that the checked length is the used one", () => {
    let reads = 0
    const fickle = new Proxy(good.stops, {
      get: (stops, name) =>
        name === "length" ? { valueOf: () => (reads++ === 0 ? 1 : 1e6) } : Reflect.get(stops, name),
    })
    expect(judge({ ...good, stops: fickle })).toMatchObject({ ok: true, value: { steps: [{ index: 0 }] } })
    expect(reads).toBe(1)
    const endless = new Proxy(good.stops, { get: () => Number.NaN })
    expect(issuesOf({ ...good, stops: endless })).toEqual([
      { path: "stops", message: "1 to 12 entries are expected, not NaN." },
    ])
  })
})
