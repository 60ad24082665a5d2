import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { SECOND_SOURCE } from "../../adapters/data-files/corroborate.ts"
import { compareStoredFiles } from "../../adapters/data-files/corroborate-files.ts"
import { countComparison, formatDifferences } from "../../adapters/data-files/differences.ts"
import { readDataRecords } from "../../adapters/data-files/read-facts.ts"

describe("the second source, in docs/data.md and in data/", () => {
  const checks = Result.getOrThrow(compareStoredFiles("data"))

  it("is described as in the data, with every difference and its reason", () => {
    const text = /<!-- differences -->\n([\s\S]*?)<!-- \/differences -->/.exec(
      readFileSync("docs/data.md", "utf8"),
    )?.[1]
    expect(text).toBe(formatDifferences(checks))
  })

  it("names one of its ways for at least 97 % of the pairs whose answer is not taken from it, and no difference lacks a reason", () => {
    const { agrees, way, kept: stands } = countComparison(checks).byOutcome
    expect((agrees + way) / (agrees + way + stands)).toBeGreaterThanOrEqual(0.97)
    const kept = checks.flatMap(check => check.checks).filter(({ outcome }) => outcome === "kept" || outcome === "open")
    expect(kept.filter(({ reason }) => reason === null || reason === "")).toEqual([])
  })

  it("is completely applied to the policies: another run would change nothing", () => {
    const records = Result.getOrThrow(readDataRecords("data"))
    const policies = new Map(records.policies.map(policy => [policy.destination, policy]))
    const corroboration = new Map(records.corroboration.map(record => [record.destination, record]))
    for (const check of checks) {
      expect(check.policy).toEqual(policies.get(check.policy.destination))
      const stored = corroboration.get(check.policy.destination)
      expect(check.corroboration.checks).toEqual(stored?.checks.filter(({ source }) => source === SECOND_SOURCE))
    }
  })
})
