import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset, lookup, REQUIREMENTS } from "../../src/index.ts"
import {
  DEFAULT_WEIGHTS,
  type MobilityScore,
  type Ranking,
  rankPassports,
  scorePassport,
} from "../../src/mobility/score.ts"
import { hostile, smallWorld, world } from "../group/small-worlds.ts"
import { scoreByLookups, unlockedByLookups } from "../oracles/mobility.ts"
import { countTrips } from "../sample.ts"
import { weights, weightsInForce } from "./arbitrary-weights.ts"

const dataset = embeddedDataset()
const scoreIn = (
  data: typeof dataset,
  passport: string,
  options?: Parameters<typeof rankPassports>[1],
): MobilityScore => {
  const result = scorePassport(data, passport, options)
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "found") throw new Error(result.value.message)
  return result.value
}
const rankIn = (data: typeof dataset, options?: Parameters<typeof rankPassports>[1]): Ranking => {
  const result = rankPassports(data, options)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
const issuesOf = (options: unknown) => {
  const result = rankPassports(dataset, options as never)
  return result.ok ? [] : result.error.issues.map(({ path, message }) => `${path}: ${message}`)
}
// Place among values from the greatest down, ties in the middle of their places.
const placesOf = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => b - a)
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}
const correlate = (a: readonly number[], b: readonly number[]) => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const covary = (x: readonly number[], y: readonly number[]) =>
    mean(x.map((value, place) => (value - mean(x)) * ((y[place] as number) - mean(y))))
  return covary(a, b) / Math.sqrt(covary(a, a) * covary(b, b))
}

describe("scorePassport", () => {
  it("scores a German passport within the best eighth, and says what of", () => {
    const score = scoreIn(dataset, "DEU")
    expect(score.totalRanked).toBe(199)
    expect(score.rank).toBeLessThanOrEqual(25)
    expect(score.percentile).toBe(Math.round(((199 - score.rank) / 199) * 1000) / 10)
    expect(score.breakdown.economy.gdpShare).toBeGreaterThan(0.9)
    expect(score.breakdown.diversity.regions).toHaveLength(dataset.regions.length)
  })

  it("counts the destinations other than home by what they ask", () => {
    for (const passport of ["DEU", "IND", "AFG"]) {
      const { breakdown, visaFreeCount } = scoreIn(dataset, passport)
      for (const requirement of REQUIREMENTS) {
        const asked = dataset.destinations.filter(destination => {
          const answer = lookup(passport, destination)
          return answer.kind === "found" && answer.requirement === requirement && !answer.home
        })
        expect(breakdown.access.detail[requirement]).toBe(asked.length)
      }
      expect(visaFreeCount).toBe(breakdown.access.detail.visa_free)
    }
  })

  it("shows for each region how many of its destinations are unlocked", () => {
    const { regions } = scoreIn(dataset, "DEU").breakdown.diversity
    const unlocked = unlockedByLookups(dataset, "DEU")
    const inRegion = (codes: readonly string[], region: number) =>
      codes.filter(code => dataset.regionOf[dataset.destinations.indexOf(code)] === region && code !== "DEU").length
    regions.forEach(({ region, destinations, unlocked: found }, place) => {
      expect(region).toBe(dataset.regions[place])
      expect(found).toBeLessThanOrEqual(destinations)
      expect(found).toBeLessThanOrEqual(inRegion(unlocked, place))
      expect(destinations).toBeLessThanOrEqual(inRegion(dataset.destinations, place))
    })
  })

  it("agrees with three means taken over lists of destinations, for any weights and any data", () => {
    const question = smallWorld.chain(data =>
      fc.tuple(fc.constant(data), fc.constantFrom(...data.passports), fc.option(weights, { nil: undefined })),
    )
    fc.assert(
      fc.property(question, ([data, passport, given]) => {
        const expected = scoreByLookups(data, [passport], weightsInForce(given))
        const { score, breakdown } = scoreIn(data, passport, { weights: given })
        expect(Math.abs(score - expected.score)).toBeLessThanOrEqual(0.05 + 1e-9)
        for (const part of ["access", "diversity", "economy"] as const) {
          expect(Math.abs(breakdown[part].score - 1000 * expected[part])).toBeLessThanOrEqual(0.05 + 1e-9)
        }
      }),
      { numRuns: countTrips(60) },
    )
  })

  it("counts the ratio of the three parts alone, however small they are", () => {
    const { score, breakdown } = scoreIn(dataset, "IND", { weights: { access: 5e-324, diversity: 0, economy: 0 } })
    expect(score).toBe(breakdown.access.score)
    const halves = scoreIn(dataset, "IND", { weights: { access: 1e-300, diversity: 1e-300, economy: 0 } })
    expect(halves.score).toBeCloseTo((breakdown.access.score + halves.breakdown.diversity.score) / 2, 0)
  })

  it("agrees with them for passports of the real data, on any day", () => {
    for (const [passport, on] of [
      ["SGP", undefined],
      ["LCA", "2026-03-04"],
      ["AFG", "2027-01-01"],
    ] as const) {
      const expected = scoreByLookups(dataset, [passport], DEFAULT_WEIGHTS, on)
      expect(Math.abs(scoreIn(dataset, passport, { on }).score - expected.score)).toBeLessThanOrEqual(0.05 + 1e-9)
    }
  })

  it("answers for the day asked: Saint Lucia falls when the United Kingdom begins to ask for a visa", () => {
    const [before, after] = ["2026-03-04", "2026-03-05"].map(on => scoreIn(dataset, "LCA", { on }))
    expect(before?.score).toBeGreaterThan(after?.score as number)
  })

  it("tells a passport that is not recorded from one that is not a code", () => {
    expect(scorePassport(dataset, "ZZZ")).toMatchObject({ ok: true, value: { kind: "no_record" } })
    expect(scorePassport(dataset, "de")).toMatchObject({ ok: false, error: { issues: [{ path: "passport" }] } })
  })

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(smallWorld, hostile, hostile, (data, a, b) => {
        for (const options of [b, { weights: a, on: b }, { weights: { requirements: a, access: b } }]) {
          const result = scorePassport(data, a as never, options as never)
          expect(result.ok ? result.value.kind : result.error.tag).toMatch(/^(found|no_record|InputRefused)$/)
          expect(rankPassports(data, options as never).ok).toBeTypeOf("boolean")
        }
      }),
    )
  })
})

describe("rankPassports", () => {
  it("ranks all 199, equal scores sharing a rank and the next one as far down as there are passports before it", () => {
    const { passports } = rankIn(dataset)
    expect(passports.map(({ passport }) => passport).sort()).toEqual(dataset.passports)
    expect(new Set(passports.map(({ rank }) => rank)).size).toBeLessThan(199)
    for (const { score, rank } of passports) {
      expect(rank).toBe(1 + passports.filter(other => other.score > score).length)
    }
  })

  it("agrees with the score of each passport, best first, within 0 and 1000", () => {
    const question = world.chain(data => fc.tuple(fc.constant(data), fc.option(weights, { nil: undefined })))
    fc.assert(
      fc.property(question, ([data, given]) => {
        const { passports } = rankIn(data, { weights: given })
        passports.forEach(({ passport, score, rank }, place) => {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(1000)
          const above = passports[place - 1]
          if (above !== undefined) {
            expect(above.score > score || (above.score === score && above.passport < passport)).toBe(true)
          }
          if (place < 20) expect(scoreIn(data, passport, { weights: given })).toMatchObject({ passport, score, rank })
        })
      }),
      { numRuns: 60 },
    )
  })

  it("gives 1000 to a passport to which every destination that counts is open without any demand, and to no other", () => {
    fc.assert(
      fc.property(smallWorld, data => {
        for (const { passport, score } of rankIn(data).passports) {
          const { access, diversity, economy } = scoreByLookups(data, [passport], DEFAULT_WEIGHTS)
          expect(score === 1000).toBe(access === 1 && diversity === 1 && economy === 1)
        }
      }),
    )
  })

  it("puts the order that anyone would expect: Singapore and the European Union first, Afghanistan and Syria last", () => {
    const codes = rankIn(dataset).passports.map(({ passport }) => passport)
    for (const code of ["SGP", "KOR", "JPN", "ESP", "FRA", "DEU", "ITA", "CHE"]) {
      expect(codes.slice(0, 30)).toContain(code)
    }
    for (const code of ["AFG", "SYR", "IRQ", "PAK", "YEM", "SOM", "BGD"]) expect(codes.slice(-12)).toContain(code)
  })

  it("stays close to the plain count of destinations that need no visa, which published indices rank by", () => {
    const scores = dataset.passports.map(passport => scoreIn(dataset, passport).score)
    const counts = dataset.passports.map(
      passport =>
        dataset.passports.filter(destination => {
          const answer = lookup(passport, destination)
          return answer.kind === "found" && ["visa_free", "eta", "visa_on_arrival"].includes(answer.requirement)
        }).length,
    )
    expect(correlate(placesOf(scores), placesOf(counts))).toBeGreaterThan(0.97)
  })

  it("lets weights be given, those of the parts by their ratio", () => {
    const alike = rankIn(dataset, { weights: { access: 0.9, diversity: 0.3, economy: 0.3 } })
    expect(alike.passports).toEqual(rankIn(dataset).passports)
    const onlyEconomy = rankIn(dataset, { weights: { access: 0, diversity: 0, economy: 1 } })
    for (const { passport, score } of onlyEconomy.passports.slice(0, 5)) {
      expect(score).toBe(scoreIn(dataset, passport).breakdown.economy.score)
    }
    expect(rankIn(dataset, { weights: { requirements: { e_visa: undefined } } })).toEqual(rankIn(dataset))
  })

  it("names every mistake in the weights with its path", () => {
    expect(issuesOf({ weights: 1 })).toEqual(["weights: 1 is not an object."])
    expect(issuesOf({ weights: { access: 2, diversity: "1", requirements: { eta: -1, evisa: 1 } } })).toEqual([
      "weights.access: 2 is not a number from 0 to 1.",
      'weights.diversity: "1" is not a number from 0 to 1.',
      'weights.requirements: "evisa" is not a weight; those are visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission.',
      "weights.requirements.eta: -1 is not a number from 0 to 1.",
    ])
    expect(issuesOf({ weights: { acess: 1 } })).toEqual([
      'weights: "acess" is not a weight; those are access, diversity, economy, requirements.',
    ])
    expect(issuesOf({ weights: { access: 0, diversity: 0, economy: 0 } })).toEqual([
      "weights: At least one part must have a weight above 0.",
    ])
    expect(issuesOf({ weights: { requirements: { e_visa: 0.85 } } })).toEqual([
      "weights.requirements.e_visa: 0.85 is more than 0.8, the weight of the easier visa_on_arrival.",
    ])
    expect(issuesOf({ on: "1999-01-01" })).toHaveLength(1)
  })
})
