import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { formatBusiest } from "../../adapters/knowledge/data/busiest.ts"
import { formatFullCoverage } from "../../adapters/knowledge/data/full-coverage.ts"
import { verifyData } from "../../adapters/knowledge/data/verify.ts"

describe("the coverage tables in docs/data.md", () => {
  const { fields } = Result.getOrThrow(verifyData("data"))
  const readTable = (name: string) =>
    new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(readFileSync("docs/data.md", "utf8"))?.[1]

  it("are the ones that the data give", () => {
    expect(readTable("coverage")).toBe(formatFullCoverage(fields))
    expect(readTable("busiest coverage")).toBe(formatBusiest(fields.busiest))
  })

  it("count each of the forty busiest destinations once a subject", () => {
    const { destinations }: { destinations: readonly { code: string; visitors: number }[] } = JSON.parse(
      readFileSync("data/busiest.json", "utf8"),
    )
    const codes = destinations.map(({ code }) => code)
    expect(new Set(codes).size).toBe(40)
    expect(destinations.toSorted((one, other) => other.visitors - one.visitors)).toEqual(destinations)
    expect(fields.busiest).toHaveLength(10)
    for (const { subject, known, nothing_required: nothing, none_found: none, missing } of fields.busiest) {
      expect([...known, ...nothing, ...none, ...missing].sort(), subject).toEqual(codes.toSorted())
    }
  })
})
