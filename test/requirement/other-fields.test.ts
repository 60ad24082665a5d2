import { describe, expect, it } from "vitest"
import { MOST_ISSUES } from "../../src/errors.ts"
import {
  chooseBestPassports,
  comparePassports,
  countStayDays,
  type Dataset,
  decide,
  decideGroup,
  describePair,
  embeddedDataset,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  intersectGroup,
  listEntrants,
  lookup,
  measureBreach,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"

const dataset: Dataset = embeddedDataset()
const zone = {
  rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
  members: [{ code: "FRA", fromDay: null, untilDay: null }],
}
const stay = { destination: "FRA", from: "2026-01-01", to: "2026-01-05" }
const trip = { passport: "USA", stops: [stay] }

type Refused = { readonly ok: boolean; readonly error?: { readonly issues: readonly { readonly path: string }[] } }
const pathsOf = (result: unknown) => ((result as Refused).error?.issues ?? []).map(({ path }) => path)
// An untyped caller.
const call = <Given extends unknown[], Value>(ask: (...given: Given) => Value, ...given: unknown[]) =>
  pathsOf(ask(...(given as Given)))

describe("a field that no question has is refused, so that nobody is answered another question", () => {
  it.each<[string, string[], string[]]>([
    ["intersectGroup", call(intersectGroup, dataset, ["FRA", "JPN"], { day: "2026-12-01" }), ["day"]],
    ["chooseBestPassports", call(chooseBestPassports, dataset, ["FRA"], { On: "2026-12-01" }), ["On"]],
    ["listEntrants", call(listEntrants, dataset, "FRA", { date: "2026-12-01" }), ["date"]],
    ["scorePassport", call(scorePassport, dataset, "FRA", { weight: {} }), ["weight"]],
    ["rankPassports", call(rankPassports, dataset, { weight: {} }), ["weight"]],
    [
      "comparePassports",
      call(comparePassports, dataset, { passport1: "FRA", passport2: "DEU", passport_3: "USA" }),
      ["passport_3"],
    ],
    [
      "decide",
      call(decide, dataset, { ...trip, passport_expiry: "2026-01-02", stop: [] }),
      ["passport_expiry", "stop"],
    ],
    [
      "decide, in a stop",
      call(decide, dataset, { ...trip, stops: [{ ...stay, until: "2026-01-09" }] }),
      ["stops[0].until"],
    ],
    [
      "decide, in a passport",
      call(decide, dataset, { stops: [stay], passports: [{ passport: "USA", expiry: "2026-01-02" }] }),
      ["passports[0].expiry"],
    ],
    [
      "countStayDays",
      call(countStayDays, { ...zone, rules: [] }, [{ ...stay, visa: true }], "2026-01-09"),
      ["zone.rules", "stays[0].visa"],
    ],
    [
      "measureBreach",
      call(measureBreach, { ...zone, rule: { ...zone.rule, window_days: 90 } }, [stay]),
      ["zone.rule.window_days"],
    ],
    [
      "measureBreach, with a member",
      call(measureBreach, { ...zone, members: [{ ...zone.members[0], from: "2020-01-01" }] }, [stay]),
      ["zone.members[0].from"],
    ],
    ["findLastLegalDay", call(findLastLegalDay, zone, [{ ...stay, note: "" }], "2026-01-09"), ["stays[0].note"]],
    ["findLongestStay", call(findLongestStay, zone, [{ ...stay, note: "" }], "2026-01-09"), ["stays[0].note"]],
    [
      "findEarliestEntry",
      call(findEarliestEntry, zone, [stay], { days: 5, notBeforeOn: "2026-02-01", not_before_on: "" }),
      ["plan.not_before_on"],
    ],
  ])("by %s", (_, found, paths) => {
    expect(found).toEqual(paths)
  })

  it("by a lookup, as malformed options", () => {
    for (const options of [
      { day: "2026-12-01" },
      { on: "2026-12-01", lang: "en" },
      "2026-12-01",
      ["2026-12-01"],
      new Date(0),
      new Uint8Array(1.3e8),
      5,
    ]) {
      expect(lookup("FRA", "JPN", options as never)).toMatchObject({ kind: "malformed", field: "options" })
      expect(describePair(dataset, "FRA", "JPN", options as never)).toMatchObject({
        kind: "malformed",
        field: "options",
      })
    }
    expect(describePair(dataset, "FRA", "JPN", { on: undefined }).kind).toBe("found")
    for (const on of [null, "1 December", 5]) {
      expect(describePair(dataset, "FRA", "JPN", { on } as never)).toEqual(lookup("FRA", "JPN", { on } as never))
    }
    expect(lookup("FRA", "JPN", {}).kind).toBe("found")
  })

  it("and names how the field is spelled here, or those that there are", () => {
    const result = decide(dataset, { ...trip, passport_expiry: "2026-01-02", colour: 1 } as never)
    expect(result.ok ? [] : result.error.issues.map(({ message }) => message)).toEqual([
      "There is no such field; it is spelled passportExpiry.",
      expect.stringMatching(/^There is no such field; known: .*passportExpiry, .*stops/),
    ])
  })

  it("and stops at the twenty-first", () => {
    const names = Array.from({ length: 1000 }, (_, place) => `field${place}`)
    let walked = 0
    const many = new Proxy(
      {},
      {
        ownKeys: () => names,
        getOwnPropertyDescriptor: () => {
          walked++
          return { enumerable: true, configurable: true, value: 1 }
        },
      },
    )
    expect(call(intersectGroup, dataset, ["FRA", "JPN"], many)).toHaveLength(20)
    expect(walked).toBe(21)
  })

  it("and names at most fifty of them", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [`field${place}`, 1]))
    expect(call(decide, dataset, { ...trip, ...many })).toHaveLength(MOST_ISSUES)
  })
})

// Each has more numbered entries than could be named one by one: whoever walks them does not come back.
describe.each<[string, () => object]>([
  ["bytes", () => new Uint8Array(1.3e8)],
  ["no bytes", () => new Uint8Array(0)],
  ["a text in an object", () => new String("x".repeat(2e8))],
  ["an empty text in an object", () => new String("")],
  ["an object made of bytes", () => Object.create(new Uint8Array(1.3e8))],
  ["a proxy of bytes", () => new Proxy(new Uint8Array(1.3e8), {})],
  ["numbered entries", () => Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [place, 1]))],
  ["a date", () => new Date(0)],
])("an object of no named fields, %s,", (_, make) => {
  it("is refused before it is walked, wherever an object is read", () => {
    const junk = make()
    expect(call(decide, dataset, junk)).toEqual([""])
    expect(call(decide, dataset, { ...trip, stops: [junk] })).toEqual(["stops[0]"])
    expect(call(decide, dataset, { stops: [stay], passports: [junk] })).toEqual(["passports[0]"])
    expect(call(decide, dataset, { ...trip, held: [junk] })).toEqual(["held[0]"])
    expect(call(decide, dataset, { ...trip, earlierStays: [junk] })).toEqual(["earlierStays[0]"])
    expect(call(decideGroup, dataset, { travellers: [junk], stops: [stay] })).toEqual(["travellers[0]"])
    expect(call(decideGroup, dataset, { travellers: [trip], stops: [stay] }, junk)).toContain("options")
    expect(call(intersectGroup, dataset, ["FRA", "JPN"], junk)).toEqual(["options"])
    expect(call(rankPassports, dataset, { weights: junk })).toEqual(["weights"])
    expect(call(countStayDays, zone, [junk], "2026-01-09")).toEqual(["stays[0]"])
    expect(call(findEarliestEntry, zone, [stay], junk)).toEqual(["plan"])
    expect(lookup("FRA", "JPN", junk as never)).toMatchObject({ kind: "malformed", field: "options" })
  })
})

describe("what stands in the place of options", () => {
  it.each([
    ["a text", "2026-12-01"],
    ["a date", new Date(0)],
    ["a list", ["2026-12-01"]],
    ["a number", 5],
  ])("is refused when it is %s", (_, options) => {
    for (const found of [
      call(intersectGroup, dataset, ["FRA", "JPN"], options),
      call(chooseBestPassports, dataset, ["FRA"], options),
      call(listEntrants, dataset, "FRA", options),
      call(scorePassport, dataset, "FRA", options),
      call(rankPassports, dataset, options),
    ]) {
      expect(found).toEqual(["options"])
    }
  })
})
