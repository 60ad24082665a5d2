/**
 * Does an answer depend on what was asked before? Records share what pairs with one answer have in common, and the engine keeps tables by dataset.
 * Each answer is compared with that of a dataset, and of facts, which nobody has asked anything.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { describePair } from "../../src/engine.ts"
import { assembleFullRecord, type Language, openLocalisedFacts } from "../../src/full.ts"
import {
  chooseBestPassports,
  type Dataset,
  embeddedDataset,
  intersectGroup,
  lookupHeld,
  scorePassport,
} from "../../src/index.ts"
import { countTrips } from "../sample.ts"
import { openFacts } from "./localised-facts.ts"

const dataset = embeddedDataset()
// The tables of a dataset are kept by its list of answers.
const unasked = (): Dataset => ({ ...dataset, answers: [...dataset.answers] })
const { passports, destinations } = dataset
const passport = fc.constantFrom("IND", "FRA", "DNK", "GBR", "NGA", "USA", ...passports)
const destination = fc.constantFrom(
  "GRL",
  "SJM",
  "USA",
  "CHN",
  "KHM",
  "SGP",
  "PRI",
  "DEU",
  "ARE",
  "TUR",
  ...destinations,
)
const on = fc.option(
  fc.integer({ min: 20_550, max: 21_500 }).map(day => new Date(day * 86_400_000).toISOString().slice(0, 10)),
  { nil: undefined },
)
const text = (value: unknown) => JSON.stringify(value)

describe("a record", () => {
  it("is the same whatever was asked before, in other languages, of other passports and on other days", async () => {
    const languages: readonly Language[] = ["en", "ar", "fr"]
    const opened = await Promise.all(languages.map(language => openFacts(language)))
    let recorded = 0
    fc.assert(
      fc.property(fc.nat(2), passport, destination, on, (language, one, other, day) => {
        const kept = opened[language]!
        const { facts, locale, missions, history } = kept
        const fresh = openLocalisedFacts({ dataset: unasked(), facts, locale, missions, history })
        const record = assembleFullRecord(kept, one, other, { on: day })
        if (record !== null) recorded++
        expect(text(record)).toBe(text(assembleFullRecord(fresh, one, other, { on: day })))
      }),
      { numRuns: countTrips(60) },
    )
    expect(recorded).toBeGreaterThan(35)
  })
})

describe("an answer of the engine", () => {
  const group = fc.uniqueArray(passport, { minLength: 1, maxLength: 3 })
  const held = fc.array(fc.record({ kind: fc.constantFrom("visa", "residence_permit", "eta"), issuer: destination }), {
    maxLength: 2,
  })
  const questions: readonly ((asked: Dataset, drawn: Drawn) => unknown)[] = [
    (asked, { one, other, day }) => describePair(asked, one, other, { on: day }),
    (asked, { one, other, held, day }) => lookupHeld(asked, one, other, { held, on: day } as never),
    (asked, { group }) => intersectGroup(asked, group),
    (asked, { one }) => scorePassport(asked, one),
    (asked, { group }) => chooseBestPassports(asked, group),
  ]
  type Drawn = { one: string; other: string; day: string | undefined; group: string[]; held: unknown[] }
  it("is the same whatever was asked before", () => {
    const drawn = fc.record({ one: passport, other: destination, day: on, group, held })
    const asked = unasked()
    let answered = 0
    fc.assert(
      fc.property(fc.nat(questions.length - 1), drawn, (at, each) => {
        const ask = questions[at]!
        const answer = text(ask(asked, each))
        expect(answer).toBe(text(ask(unasked(), each)))
        if (!answer.includes('"ok":false')) answered++
      }),
      { numRuns: countTrips(50) },
    )
    expect(answered).toBeGreaterThan(35)
  })
})
