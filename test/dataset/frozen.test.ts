/** What a program could write into an open dataset, so that other programs of its process would see it: exactly the parts that are named here. */
import { describe, expect, it } from "vitest"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { decide, embeddedDataset, lookup, openDataset } from "../../src/index.ts"
import { smallFacts } from "./small-facts.ts"

/** The properties of a dataset under which anything stands that is not frozen, and how deep it stands. */
function listOpen(dataset: object): readonly string[] {
  const open: string[] = []
  const seen = new Set<object>()
  const walk = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    if (!Object.isFrozen(value)) {
      open.push(path)
      if (path !== "answers") return
    }
    for (const [name, held] of Object.entries(value)) walk(held, path === "" ? name : `${path}.${name}`)
  }
  walk(dataset, "")
  return open.sort()
}

const PARTS = ["answers", "destinationIndices", "pairs", "passportIndices", "terms", "timelines"]

describe("an open dataset", () => {
  it("is frozen except for the tables that lookups read and the rows of its terms", () => {
    // Asked first, so that what is made at the first question is looked at as well.
    decide(embeddedDataset(), {
      passport: "USA",
      stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }],
    })
    expect(listOpen(embeddedDataset())).toEqual(PARTS)
  })

  it("gives answers that cannot be changed", () => {
    const answer = lookup("FRA", "JPN") as { days: number }
    expect(() => {
      answer.days = 1
    }).toThrow(TypeError)
    expect(lookup("FRA", "JPN")).toMatchObject({ days: 90 })
  })

  it("shares nothing with another dataset of the same bytes", () => {
    const compiled = compileFacts(smallFacts({}))
    const bytes = compiled.ok ? encodeDataset(compiled.value) : new Uint8Array()
    const [a, b] = [openDataset(bytes), openDataset(bytes)]
    if (!a.ok || !b.ok) throw new Error("The small dataset does not open.")
    for (const part of PARTS) expect(a.value[part as "answers"], part).not.toBe(b.value[part as "answers"])
    ;(a.value.answers as unknown[]).fill(null)
    a.value.pairs.fill(0)
    expect(b.value.answers.every(answer => answer !== null)).toBe(true)
    expect(b.value.pairs.some(place => place > 0)).toBe(true)
  })
})
