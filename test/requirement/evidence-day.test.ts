import { describe, expect, it } from "vitest"
import { dateEvidence, embeddedDataset, embeddedPairs, type Found, lookup } from "../../src/index.ts"

describe("dateEvidence", () => {
  it("gives a table the day of its copy, and none where a dataset has no terms", () => {
    const answer = lookup("FRA", "JPN") as Found
    expect(dateEvidence(embeddedDataset(), answer)).toEqual({ level: "table", on: "2026-02-17" })
    expect(dateEvidence(embeddedPairs(), answer)).toEqual({ level: "table", on: null })
    expect(dateEvidence(embeddedDataset(), lookup("FRA", "FRA") as Found)).toBeNull()
  })
})
