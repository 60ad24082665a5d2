import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { formatFullCoverage } from "../../adapters/knowledge/data/full-coverage.ts"
import { verifyData } from "../../adapters/knowledge/data/verify.ts"

describe("the coverage table in docs/data.md", () => {
  it("is the one that the data gives", () => {
    const table = /<!-- coverage -->\n([\s\S]*?)<!-- \/coverage -->/.exec(readFileSync("docs/data.md", "utf8"))?.[1]
    expect(table).toBe(formatFullCoverage(Result.getOrThrow(verifyData("data")).fields))
  })
})
