import { describe, expect, it } from "vitest"
import {
  comparePassports,
  type Dataset,
  datasetOn,
  decide,
  decideGroup,
  decideWithRemedies,
  describePair,
  diffDatasets,
  embeddedDataset,
  findStayRule,
  findWaivers,
  intersectGroup,
  judgeSeverity,
  listEntrants,
  listScheduledChanges,
  lookupHeld,
  lookupRequirement,
  rankPassports,
} from "../../src/index.ts"
import { openSmall } from "../dataset/small-facts.ts"

const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error("read")
    },
  },
)
const junk: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["a text", "dataset"],
  ["an empty object", {}],
  ["an object that throws", throwing],
  ["a dataset without its answers", { ...embeddedDataset(), answers: null }],
  ["a dataset with a list for pairs", { ...embeddedDataset(), pairs: [] }],
  ["a dataset with bytes for pairs", { ...embeddedDataset(), pairs: new Uint8Array(49_750) }],
]
const trip = { passport: "FRA", stops: [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }] }

describe.each(junk)("what is no dataset: %s", (_, value) => {
  const dataset = value as Dataset
  it("records nobody", () => {
    const nobody = { kind: "no_record", reason: "unknown_passport" }
    expect(describePair(dataset, "FRA", "JPN")).toMatchObject(nobody)
    expect(findWaivers(dataset, "FRA", "JPN", 20_000)).toEqual([])
    expect(findStayRule(dataset, "FRA", "JPN", 20_000)).toBeNull()
    expect(listScheduledChanges(dataset)).toEqual([])
    expect(datasetOn(dataset, "2026-11-21")).toMatchObject({ ok: true, value: { passports: [] } })
  })

  it("differs from a dataset in every pair, and from itself in none", () => {
    const small = openSmall({})
    expect(diffDatasets(dataset, small).length).toBe(diffDatasets(small, dataset).length)
    expect(diffDatasets(dataset, small)[0]).toMatchObject({ previous: null, fields: ["record"], severity: "major" })
    expect(diffDatasets(dataset, dataset)).toEqual([])
  })

  it("is refused where a question is", () => {
    for (const answer of [
      lookupHeld(dataset, "FRA", "JPN", { held: [] }),
      intersectGroup(dataset, ["FRA", "JPN"]),
      comparePassports(dataset, { passport1: "FRA", passport2: "JPN" }),
      listEntrants(dataset, "JPN"),
      rankPassports(dataset),
      decide(dataset, trip),
      decideWithRemedies(dataset, trip),
      decideGroup(dataset, { travellers: [{ passport: "FRA" }], stops: trip.stops }),
    ]) {
      expect(answer.ok ? "answered" : answer.error.message).toMatch(/^dataset: .+ is not an open dataset\./)
    }
  })
})

describe("a lookup", () => {
  it("throws nothing, whatever it is given for a dataset", () => {
    for (const [, value] of junk.slice(0, 5)) {
      expect(lookupRequirement(value as Dataset, "FRA", "JPN")).toMatchObject({ kind: "no_record" })
      expect(lookupRequirement(value as Dataset, "FRA", "JPN", { on: "2026-11-21" })).toMatchObject({
        kind: "no_record",
      })
    }
  })
})

describe("judgeSeverity", () => {
  it("takes what is no answer for no record", () => {
    const answer = lookupRequirement(embeddedDataset(), "FRA", "JPN") as never
    for (const [, value] of junk.slice(0, 5)) {
      expect(judgeSeverity(value as never, answer)).toBe("major")
      expect(judgeSeverity(answer, value as never)).toBe("major")
      expect(judgeSeverity(value as never, value as never)).toBe("minor")
    }
    expect(judgeSeverity(answer, answer)).toBe("minor")
  })
})

describe("the list of what counts in a difference", () => {
  it("is measured before it is walked", () => {
    const endless = new Array(4_294_967_295) as never
    const small = openSmall({})
    expect(diffDatasets(small, small, { fields: endless })).toEqual([])
    expect(listScheduledChanges(small, "2026-01-01", { fields: endless })).toEqual(
      listScheduledChanges(small, "2026-01-01"),
    )
  })
})

describe("what a difference hands out", () => {
  it("is frozen", () => {
    const [change] = diffDatasets(openSmall({ policies: [] }), openSmall({}))
    expect([change, change?.fields, change?.current].map(value => Object.isFrozen(value))).toEqual([true, true, true])
  })
})
