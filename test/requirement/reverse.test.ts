import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset, lookup, REQUIREMENTS } from "../../src/index.ts"
import { listEntrants } from "../../src/requirement/question.ts"
import { hostile } from "../group/small-worlds.ts"
import { sampleOf } from "../sample.ts"

const dataset = embeddedDataset()
const entrantsTo = (destination: string, on?: string) => {
  const result = listEntrants(dataset, destination, { on })
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "found") throw new Error(result.value.message)
  return result.value
}

describe("listEntrants", () => {
  it("agrees with the lookup of every pair, and lists every passport once for each destination", () => {
    for (const destination of sampleOf(dataset.destinations, 8)) {
      const { byRequirement, unknown } = entrantsTo(destination)
      const listed = REQUIREMENTS.flatMap(requirement => {
        for (const { passport, ...answer } of byRequirement[requirement]) {
          expect(answer.requirement).toBe(requirement)
          expect(answer).toEqual(lookup(passport, destination))
        }
        const codes = byRequirement[requirement].map(({ passport }) => passport)
        expect(codes).toEqual([...codes].sort())
        return codes
      })
      for (const passport of unknown) expect(lookup(passport, destination).kind).toBe("no_record")
      expect([...listed, ...unknown].sort()).toEqual(dataset.passports)
    }
  })

  it("puts a country's own passport among the visa-free, as home", () => {
    expect(
      entrantsTo("JPN")
        .byRequirement.visa_free.filter(({ home }) => home)
        .map(({ passport }) => passport),
    ).toEqual(["JPN"])
  })

  it("answers for the day asked", () => {
    const needVisa = (on: string) => entrantsTo("GBR", on).byRequirement.visa_required.map(({ passport }) => passport)
    expect(needVisa("2026-03-04")).not.toContain("LCA")
    expect(needVisa("2026-03-05")).toContain("LCA")
  })

  it("tells a destination that is not recorded from one that is not a code", () => {
    expect(listEntrants(dataset, "ZZZ")).toEqual({
      ok: true,
      value: {
        kind: "no_record",
        reason: "unknown_destination",
        message: "No destination with the code ZZZ is recorded.",
      },
    })
    expect(listEntrants(dataset, "jp")).toMatchObject({
      ok: false,
      error: {
        tag: "InputRefused",
        message: 'destination: "jp" is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.',
        issues: [{ path: "destination" }],
      },
    })
  })

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        for (const destination of [a, "JPN"]) {
          const result = listEntrants(dataset, destination as never, b as never)
          expect(result.ok ? result.value.kind : result.error.tag).toMatch(/^(found|no_record|InputRefused)$/)
        }
      }),
    )
  })
})
