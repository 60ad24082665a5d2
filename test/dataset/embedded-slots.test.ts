import { describe, expect, it } from "vitest"
import { writeByteText } from "../../src/compiler.ts"
import { readSlots, writeSlots } from "../../src/dataset/embedded-slots.ts"
import { copyBytes, type PairsHeader } from "../../src/dataset/format.ts"
import { assemblePairs } from "../../src/dataset/pair-table.ts"

// Citizens of AAA have slot 4 there. Slot 3 applies in BBB from a later day only; slots 1 and 2 have another origin in some places.
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
  slots: [
    [0, 90, null, 0],
    [4, null, null, 0],
    [0, 30, null, 1],
    [0, null, "home", 2],
  ],
  origins: [
    [0, null, null, 0],
    [1, "2026-01-01", null, 0],
    [null, null, null, 0],
  ],
  palettes: [
    [0, [1, 1]],
    [2, [0, 3], [1, 1, 2]],
  ],
  timelines: [[0, 19_000, 2, 19_500, 1, 19_800, 3]],
}
const bytes = new Uint8Array([1, 2, 4, 1, 4, 1, 0, 2, 2])

describe("the pairs in a bundle", () => {
  const embedded = writeSlots(header, writeByteText(bytes))

  it("number the slots of each destination by frequency, with the slot of citizens last", () => {
    const write = (...numbers: readonly number[]) => writeByteText(Uint8Array.from(numbers))
    expect(embedded.columns.slots).toBe([write(1, 2, 4), write(1, 4), write(2, 0, 1, 3)].join("·"))
    expect(embedded.columns.pairs).toBe("#$$###$##")
    expect(embedded.columns.origins).toBe(write(2, 0, 0, 0, 0, 2, 0, 2, 1))
    expect(Object.keys(embedded.header)).not.toContain("palettes")
  })

  it("give the same answers on every day", () => {
    const read = readSlots(embedded)
    const opened = assemblePairs(read.header, read.copyPairs)
    const expected = assemblePairs(header, copyBytes(bytes))
    const answersOf = ({ answers, pairs, timelines }: typeof opened) => ({
      pairs: Array.from(pairs, number => answers[number]),
      timelines: [...timelines].map(([pair, steps]) => [
        pair,
        steps.map((step, at) => (at % 2 === 0 ? step : answers[step])),
      ]),
    })
    expect(answersOf(opened)).toEqual(answersOf(expected))
    expect(opened.passports).toEqual(expected.passports)
    expect(opened.destinations).toEqual(expected.destinations)
  })

  it("have no slot for citizens if a destination issues no passport, and may have no palettes", () => {
    const read = readSlots(
      writeSlots(
        { ...header, palettes: [], passports: "CCC", destinations: "DDDCCC", timelines: [] },
        writeByteText(bytes.slice(0, 2)),
      ),
    )
    expect(read.header.palettes).toEqual([])
    const table = assemblePairs(read.header, read.copyPairs)
    expect(Array.from(table.pairs, number => table.answers[number]).map(answer => answer?.kind)).toEqual([
      "found",
      "found",
    ])
  })
})
