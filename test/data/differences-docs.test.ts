import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compareStoredFiles, corroborateFiles } from "../../adapters/data/corroborate-files.ts"
import { countComparison, formatDifferences } from "../../adapters/data/differences.ts"

describe("the second source, in docs/data.md and in data/", () => {
  const checks = Result.getOrThrow(compareStoredFiles("data"))

  it("is told as the data gives it, with every difference and its reason", () => {
    const text = /<!-- differences -->\n([\s\S]*?)<!-- \/differences -->/.exec(
      readFileSync("docs/data.md", "utf8"),
    )?.[1]
    expect(text).toBe(formatDifferences(checks))
  })

  it("asks the same as our rules for at least 95 % of the pairs that it knows, and no difference lacks a reason", () => {
    const { known, sameAfter } = countComparison(checks)
    expect(sameAfter / known).toBeGreaterThanOrEqual(0.95)
    const kept = checks.flatMap(check => check.checks).filter(({ outcome }) => outcome === "kept")
    expect(kept.filter(({ reason }) => reason === null || reason === "")).toEqual([])
  })

  it("is taken into the policies whole: another run would write nothing", () => {
    const files = checks.map(({ source }) => `data/second-source/${source.record.destination}.json`)
    expect(Result.getOrThrow(corroborateFiles({ files, folder: "data" })).changedFiles).toEqual([])
  })
})
