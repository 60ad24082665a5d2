import { describe, expect, it } from "vitest"
import {
  chooseBestPassports,
  comparePassports,
  type Dataset,
  datasetOn,
  decide,
  describePair,
  embeddedDataset,
  embeddedPairs,
  embeddedRules,
  intersectGroup,
  listEntrants,
  lookupHeld,
  lookupRequirement,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"

const whole = embeddedDataset()
const pairs = embeddedPairs()

describe("the pairs of the embedded dataset alone", () => {
  it("answer groups, scores, comparisons, entrants and lookups like the whole dataset, on its own day and on others", () => {
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

  it("can be viewed on another day", () => {
    const [view, wholeView] = [datasetOn(pairs, "2027-03-01"), datasetOn(whole, "2027-03-01")]
    if (!view.ok || !wholeView.ok) throw new Error("The day is refused.")
    expect(view.value.pairs).toEqual(wholeView.value.pairs)
    expect(intersectGroup(view.value, ["IND"])).toEqual(intersectGroup(wholeView.value, ["IND"]))
  })

  it("are refused by functions that need conditions, also in a program without types", () => {
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

describe("the terms of an embedded dataset", () => {
  it("are read once, when they are first needed, because lookups do not need them", () => {
    for (const { terms } of [whole, embeddedRules()]) {
      expect(Object.getOwnPropertyDescriptor(terms?.lists, "checks")?.get).toBeTypeOf("function")
      expect(terms?.lists.checks?.rows.length).toBeGreaterThan(100)
      expect(terms?.lists.checks).toBe(terms?.lists.checks)
    }
  })
})

describe("the embedded rules without remarks", () => {
  const rules = embeddedRules()
  /** A value without pages, the names and addresses of sources, notes, the words of logs, and why an answer stands or is disputed. */
  const judged = (value: unknown) =>
    JSON.stringify(value, (name, part) => {
      if (["sourceUrl", "note", "notes", "change"].includes(name)) return undefined
      if (name === "source" && part !== null) return { ...part, name: null, url: null }
      return typeof part?.isOpen === "boolean" ? { ...part, reason: null } : part
    })

  it("decide and describe like the whole dataset, except for remarks", () => {
    let different = 0
    for (const [row, passport] of whole.passports.entries()) {
      for (const [column, destination] of whole.destinations.entries()) {
        if (!IS_WHOLE && (row * 7 + column) % 163 !== 0) continue
        const held = [{ kind: "visa" as const, issuer: "USA" }]
        const transit = [whole.destinations[(column * 3) % 250] as string]
        const stops = [{ destination, from: "2026-12-01", to: "2027-02-20" }]
        const request = { passport, passportExpiry: "2027-03-01", held, transit, stops }
        for (const ask of [
          (dataset: Dataset) => decide(dataset, request),
          (dataset: Dataset) => describePair(dataset, passport, destination),
          (dataset: Dataset) => lookupHeld(dataset, passport, destination, { held }),
        ]) {
          const [bare, full] = [ask(rules), ask(whole)]
          expect(judged(bare), `${passport} ${destination}`).toBe(judged(full))
          if (JSON.stringify(bare) !== JSON.stringify(full)) different++
        }
      }
    }
    expect(different).toBeGreaterThan(IS_WHOLE ? 100 : 25)
  })

  it("name the page of the source instead of the page that was read", () => {
    const [bare, full] = [rules, whole].map(dataset => describePair(dataset, "IND", "LBN"))
    expect(full).toMatchObject({ corroboration: { sourceUrl: "https://www.general-security.gov.lb/en/posts/38" } })
    expect(bare).toMatchObject({ corroboration: { sourceUrl: "https://travelrequirements.info/data/" }, notes: [] })
  })
})
