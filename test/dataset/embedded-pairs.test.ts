import { describe, expect, it } from "vitest"
import {
  chooseBestPassports,
  comparePassports,
  type Dataset,
  datasetOn,
  decide,
  embeddedDataset,
  embeddedPairs,
  intersectGroup,
  listEntrants,
  lookupHeld,
  lookupRequirement,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"

const whole = embeddedDataset()
const pairs = embeddedPairs()

describe("the pairs of the embedded dataset alone", () => {
  it("answer groups, scores, comparisons, entrants and lookups as the whole dataset does, on its own day and another", () => {
    for (const on of [undefined, "2027-03-01"]) {
      const options = on === undefined ? {} : { on }
      expect(rankPassports(pairs, options)).toEqual(rankPassports(whole, options))
      for (const [first, second] of [
        ["IND", "FRA"],
        ["USA", "CHN"],
      ] as const) {
        expect(intersectGroup(pairs, [first, second], options)).toEqual(intersectGroup(whole, [first, second], options))
        expect(chooseBestPassports(pairs, [first, second], options)).toEqual(
          chooseBestPassports(whole, [first, second], options),
        )
        expect(comparePassports(pairs, { passport1: first, passport2: second, ...options })).toEqual(
          comparePassports(whole, { passport1: first, passport2: second, ...options }),
        )
        expect(scorePassport(pairs, first, options)).toEqual(scorePassport(whole, first, options))
        expect(listEntrants(pairs, second, options)).toEqual(listEntrants(whole, second, options))
      }
      for (const destination of whole.destinations) {
        expect(lookupRequirement(pairs, "IND", destination, options)).toEqual(
          lookupRequirement(whole, "IND", destination, options),
        )
      }
    }
  })

  it("are a view of another day too", () => {
    const [view, wholeView] = [datasetOn(pairs, "2027-03-01"), datasetOn(whole, "2027-03-01")]
    if (!view.ok || !wholeView.ok) throw new Error("The day is refused.")
    expect(view.value.pairs).toEqual(wholeView.value.pairs)
    expect(intersectGroup(view.value, ["IND"])).toEqual(intersectGroup(wholeView.value, ["IND"]))
  })

  it("are refused where conditions decide, though a program without types hands them in", () => {
    const message = "dataset: These are the pairs of a dataset alone; give the whole dataset."
    const stops = [{ destination: "JPN", from: "2026-12-01", to: "2026-12-05" }]
    for (const refused of [
      decide(pairs as Dataset, { passport: "FRA", stops }),
      lookupHeld(pairs as Dataset, "FRA", "JPN", { held: [] }),
    ]) {
      expect(refused).toMatchObject({ ok: false, error: { tag: "InputRefused", message } })
    }
  })
})
