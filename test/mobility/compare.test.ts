import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { type Comparison, comparePassports, scorePassport } from "../../src/mobility/score.ts"
import { hostile, smallWorld, world } from "../group/small-worlds.ts"
import { scoreByLookups, unlockedByLookups } from "../oracles/mobility.ts"
import { weights, weightsInForce } from "./arbitrary-weights.ts"

const dataset = embeddedDataset()
const compareIn = (data: typeof dataset, options: Parameters<typeof comparePassports>[1]): Comparison => {
  const result = comparePassports(data, options)
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "found") throw new Error(result.value.message)
  return result.value
}

const question = world.chain(data =>
  fc.record({
    data: fc.constant(data),
    passport1: fc.constantFrom(...data.passports),
    passport2: fc.constantFrom(...data.passports),
    weights: fc.option(weights, { nil: undefined }),
  }),
)

describe("comparePassports", () => {
  it("finds what a German passport unlocks and an Indian one does not", () => {
    const both = compareIn(dataset, { passport1: "DEU", passport2: "IND" })
    expect(both.onlyPassport1).toContain("USA")
    expect(both.onlyPassport2).not.toContain("USA")
    expect(both.combined.onlyPassport1Count).toBe(both.onlyPassport1.length)
    expect(both.passport1).toMatchObject({ code: "DEU" })
    expect(both.passport1.rank).toBeLessThan(both.passport2.rank)
  })

  it("gives each side the score and rank of that passport alone", () => {
    const { passport1, passport2 } = compareIn(dataset, { passport1: "KEN", passport2: "BRA" })
    for (const { code, score, rank } of [passport1, passport2]) {
      expect(scorePassport(dataset, code)).toMatchObject({ value: { score, rank } })
    }
  })

  it("agrees with the sets of destinations that lookups unlock, and with the score of the easier answers", () => {
    fc.assert(
      fc.property(question, ({ data, ...options }) => {
        const found = compareIn(data, options)
        const first = unlockedByLookups(data, options.passport1)
        const second = unlockedByLookups(data, options.passport2)
        expect(found.onlyPassport1).toEqual(first.filter(code => !second.includes(code)))
        expect(found.onlyPassport2).toEqual(second.filter(code => !first.includes(code)))
        expect(found.combined.bothCount).toBe(first.filter(code => second.includes(code)).length)
        expect(found.combined.totalAccessible).toBe(new Set([...first, ...second]).size)
        expect(found.combined.totalAccessible + found.combined.neitherCount).toBe(data.destinations.length)
        if (data.version === dataset.version) return
        const { score } = scoreByLookups(data, [options.passport1, options.passport2], weightsInForce(options.weights))
        expect(Math.abs(found.combined.score - score)).toBeLessThanOrEqual(0.05 + 1e-9)
      }),
      { numRuns: 200 },
    )
  })

  it("agrees with the score of the easier answers in the real data", () => {
    const expected = scoreByLookups(dataset, ["BRA", "IND"], weightsInForce(undefined))
    const { combined } = compareIn(dataset, { passport1: "BRA", passport2: "IND" })
    expect(Math.abs(combined.score - expected.score)).toBeLessThanOrEqual(0.05 + 1e-9)
  })

  it("is the same from the other side", () => {
    fc.assert(
      fc.property(question, ({ data, passport1, passport2, weights }) => {
        const one = compareIn(data, { passport1, passport2, weights })
        const other = compareIn(data, { passport1: passport2, passport2: passport1, weights })
        expect(other).toEqual({
          ...one,
          passport1: one.passport2,
          passport2: one.passport1,
          combined: {
            ...one.combined,
            onlyPassport1Count: one.combined.onlyPassport2Count,
            onlyPassport2Count: one.combined.onlyPassport1Count,
          },
          onlyPassport1: one.onlyPassport2,
          onlyPassport2: one.onlyPassport1,
        })
      }),
    )
  })

  it("never scores two passports together below the better of them, nor above 1000", () => {
    fc.assert(
      fc.property(question, ({ data, ...options }) => {
        const { passport1, passport2, combined } = compareIn(data, options)
        expect(combined.score).toBeGreaterThanOrEqual(Math.max(passport1.score, passport2.score))
        expect(combined.score).toBeLessThanOrEqual(1000)
      }),
      { numRuns: 200 },
    )
  })

  it("scores a passport with itself like that passport", () => {
    const { passport1, combined, onlyPassport1, onlyPassport2 } = compareIn(dataset, {
      passport1: "FRA",
      passport2: "FRA",
    })
    expect(combined.score).toBe(passport1.score)
    expect([onlyPassport1, onlyPassport2]).toEqual([[], []])
  })

  it("answers for the day asked", () => {
    const unlocked = (on: string) => compareIn(dataset, { passport1: "LCA", passport2: "AFG", on }).onlyPassport1
    expect(unlocked("2026-03-04")).toContain("GBR")
    expect(unlocked("2026-03-05")).not.toContain("GBR")
  })

  it("names every mistake with its path, and passports that are not recorded apart from them", () => {
    const issues = (options: unknown) => {
      const result = comparePassports(dataset, options as never)
      return result.ok ? result.value : result.error.issues.map(({ path }) => path)
    }
    expect(issues({ passport1: "fr", on: "today", weights: { access: Number.NaN } })).toEqual([
      "on",
      "passport1",
      "passport2",
      "weights.access",
    ])
    expect(issues(null)).toEqual(["options", "passport1", "passport2"])
    expect(issues({ passport1: "FRA", passport2: "ZZZ" })).toEqual({
      kind: "no_record",
      reason: "unknown_passport",
      message: "No passport with the code ZZZ is recorded.",
    })
  })

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(smallWorld, hostile, hostile, (data, a, b) => {
        for (const options of [a, { passport1: a, passport2: b, weights: b, on: a }]) {
          const result = comparePassports(data, options as never)
          expect(result.ok ? result.value.kind : result.error.tag).toMatch(/^(found|no_record|InputRefused)$/)
        }
      }),
    )
  })
})
