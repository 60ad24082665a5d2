import { describe, expect, it } from "vitest"
import { FIRST, readHeader, writeByteText, writePairs } from "../../src/dataset/embedded-lists.ts"
import { assemblePairs, type PairsHeader } from "../../src/dataset/open.ts"

// Citizens of AAA and BBB have the numbers of their neighbours. The third answer of BBB applies from a later day only.
const header: PairsHeader = {
  version: "test.1",
  asOfDay: 20_000,
  sinceDay: 19_000,
  passports: "CCCAAABBB",
  destinations: "BBBAAADDD",
  sources: [
    ["one", "One", null, 0],
    ["two", "Two", null, 0],
  ],
  contents: [
    [0, 90, null],
    [4, null, null],
    [0, 30, null],
  ],
  origins: [
    [0, null, null, 0],
    [1, "2026-01-01", null, 0],
  ],
  answers: [
    [0, 0, 1, 1, 2, 0],
    [0, 1],
    [1, 0],
  ],
  timelines: [[0, 19_000, 2, 19_500, 1, 19_800, 3, 20_500, 0]],
}
const bytes = new Uint8Array([3, 2, 2, 1, 1, 1, 0, 1, 1])

describe("the pairs in a bundle", () => {
  const embedded = writePairs(header, bytes)

  it("have one character each, and texts of the answers of each destination", () => {
    const write = (...numbers: readonly number[]) => writeByteText(Uint8Array.from(numbers))
    expect(embedded.columns.contents).toBe([write(0, 1, 2), write(0), write(1)].join("·"))
    expect(embedded.columns.origins).toBe(write(0, 1, 0, 1, 0))
    expect(embedded.columns.pairs).toBe('%$$###"##')
    expect(readHeader(embedded)).toEqual(header)
  })

  it("give the same answers as a file, on every day", () => {
    const opened = assemblePairs(readHeader(embedded), embedded.columns.pairs, FIRST)
    expect(opened).toEqual(assemblePairs(header, String.fromCharCode(...bytes), 0))
    const answerOf = (passport: string, destination: string) => {
      const pair = opened.passports.indexOf(passport) * 3 + opened.destinations.indexOf(destination)
      const answer = opened.answers[opened.pairs[pair] as number]
      return answer?.kind === "found" ? [answer.requirement, answer.days, answer.source?.id ?? null, answer.home] : null
    }
    expect(answerOf("CCC", "BBB")).toEqual(["visa_free", 30, "one", false])
    expect(answerOf("AAA", "BBB")).toEqual(["visa_required", null, "two", false])
    expect(answerOf("CCC", "AAA")).toEqual(["visa_free", 90, "two", false])
    expect(answerOf("CCC", "DDD")).toBeNull()
    for (const home of ["AAA", "BBB"]) expect(answerOf(home, home)).toEqual(["visa_free", null, null, true])
    const [[pair, steps] = [], ...others] = opened.timelines
    expect([pair, steps?.filter((_, at) => at % 2 === 0), others]).toEqual([7, [19_000, 19_500, 19_800, 20_500], []])
    const words = steps?.flatMap((step, at) => (at % 2 === 1 ? [opened.answers[step]] : []))
    expect(words?.map(answer => (answer?.kind === "found" ? answer.days : answer?.kind))).toEqual([
      null,
      90,
      30,
      "no_record",
    ])
  })
})
