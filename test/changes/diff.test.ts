import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileFacts, type Facts } from "../../src/compiler.ts"
import {
  type Dataset,
  datasetOn,
  diffDatasets,
  listScheduledChanges,
  lookupAt,
  openDataset,
  openParts,
  REQUIREMENTS,
} from "../../src/index.ts"
import { importedDataset } from "../dataset/imported-table.ts"
import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import { diffByText } from "../oracles/diff.ts"

const open = (changes: Partial<Facts>): Dataset => {
  const compiled = compileFacts(smallFacts(changes))
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const listPairs = (dataset: Dataset) =>
  dataset.passports.flatMap((passport, p) =>
    dataset.destinations.flatMap((destination, d) => {
      const answer = lookupAt(dataset, p, d)
      return answer.kind === "found"
        ? [{ passport, destination, requirement: answer.requirement, days: answer.days }]
        : []
    }),
  )
const view = (dataset: Dataset, on: string): Dataset => {
  const result = datasetOn(dataset, on)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe("the two imported tables, thirteen months apart", () => {
  // A dataset file of an earlier table, compiled once and kept: older files must stay readable.
  const opened = openDataset(new Uint8Array(readFileSync("test/fixtures/passport-index-2025-01-12.landfall")))
  if (!opened.ok) throw new Error(opened.error.message)
  const older = opened.value
  const newer = view(importedDataset(), "2026-02-17")
  const inBothTables = ({ passport, destination }: { passport: string; destination: string }) =>
    newer.passports.includes(passport) && newer.passports.includes(destination)
  // The older table knows the days of visa-free entries only.
  const changes = diffDatasets(older, newer, { fields: ["requirement", "days"] }).filter(
    change =>
      inBothTables(change) && (change.fields.includes("requirement") || change.current?.requirement === "visa_free"),
  )

  it("differ in exactly 2,935 pairs in requirement or visa-free days", () => {
    expect(changes.length).toBe(2935)
  })

  it("differ in the pairs in which their texts differ", () => {
    const expected = diffByText(listPairs(older).filter(inBothTables), listPairs(newer).filter(inBothTables), [
      "visa_free",
    ])
    expect(changes.map(({ passport, destination }) => `${passport} ${destination}`)).toEqual(expected)
  })

  it("call a changed requirement major, and a changed stay only if it falls", () => {
    for (const { fields, previous, current, severity } of changes) {
      const falls = fields.includes("days") && (current?.days ?? Number.POSITIVE_INFINITY) < (previous?.days ?? 0)
      const ends = previous?.basis === "freedom_of_movement" && current?.basis !== "freedom_of_movement"
      expect(severity).toBe(fields.includes("requirement") || falls || ends ? "major" : "minor")
    }
    expect(changes.filter(change => change.severity === "minor").length).toBeGreaterThan(100)
  })
})

describe("diffDatasets", () => {
  const free = (days: number | null) => ({ requirement: "visa_free", days }) as const
  const one = (changes: object) => open({ policies: [policy("CCC", { rules: [rule(["AAA"], changes)] })] })

  it("names the changed fields and the severity", () => {
    const judge = (before: object, after: object) => {
      const [change] = diffDatasets(one(before), one(after))
      return change === undefined ? null : [change.fields, change.severity]
    }
    expect(judge(free(30), free(60))).toEqual([["days"], "minor"])
    expect(judge(free(60), free(30))).toEqual([["days"], "major"])
    expect(judge(free(30), { requirement: "eta", days: 30 })).toEqual([["requirement"], "major"])
    expect(judge({ requirement: "eta" }, free(30))).toEqual([["requirement", "days"], "major"])
    expect(judge(free(30), { ...free(30), source: "law" })).toEqual([["source"], "minor"])
    expect(judge(free(30), { ...free(30), verifiedOn: "2026-05-01" })).toEqual([["verified_on"], "minor"])
    expect(judge(free(null), free(30))).toEqual([["days"], "minor"])
    expect(judge(free(30), free(30))).toBeNull()
  })

  it("calls the end of free movement major, even if a number of days replaces it", () => {
    const treaty = { ...free(null), basis: "freedom_of_movement", bloc: "OLD" } as const
    const before = open({ policies: [policy("AAA", { rules: [rule(["BBB"], treaty)] })] })
    const after = open({ policies: [policy("AAA", { rules: [rule(["BBB"], free(90))] })] })
    expect(diffDatasets(before, after)).toMatchObject([{ fields: ["days", "uncertain", "basis"], severity: "major" }])
    const withoutNumber = open({ policies: [policy("AAA", { rules: [rule(["BBB"], free(null))] })] })
    expect(diffDatasets(before, withoutNumber)).toMatchObject([{ fields: ["uncertain", "basis"], severity: "major" }])
    expect(diffDatasets(after, before)).toMatchObject([{ severity: "minor" }])
  })

  it("calls a stay that falls major under freedom of movement too, and when it begins", () => {
    const treaty = (days: number) => ({ ...free(days), basis: "freedom_of_movement", bloc: "OLD" }) as const
    const granted = (terms: object) => open({ policies: [policy("AAA", { rules: [rule(["BBB"], terms)] })] })
    const judge = (before: object, after: object) => diffDatasets(granted(before), granted(after))[0]?.severity
    expect(judge(treaty(90), treaty(89))).toBe("major")
    expect(judge(treaty(90), treaty(90))).toBeUndefined()
    expect(judge(treaty(89), treaty(90))).toBe("minor")
    expect(judge(free(90), treaty(89))).toBe("major")
    expect(judge(free(90), treaty(90))).toBe("minor")
  })

  it("compares everything if the given fields are not a list, and does not throw", () => {
    const [before, after] = [one(free(30)), one(free(60))]
    const unreadable = {
      get fields() {
        throw new Error("read")
      },
    }
    for (const options of [null, 5, "days", { fields: "record" }, { fields: undefined }, unreadable]) {
      expect(diffDatasets(before, after, options as never)).toMatchObject([{ fields: ["days"] }])
      expect(listScheduledChanges(before, "2026-01-01", options as never)).toEqual([])
    }
    expect(diffDatasets(before, after, { fields: [] })).toEqual([])
  })

  it("compares everything if a field does not exist, because a misspelt one must not hide a change", () => {
    const [before, after] = [one(free(30)), one(free(60))]
    for (const options of [
      { fields: ["dais"] },
      { fields: ["requirement", "Days"] },
      { fields: [["days"]] },
      { field: ["requirement"] },
    ]) {
      expect(diffDatasets(before, after, options as never)).toMatchObject([{ fields: ["days"] }])
    }
    expect(diffDatasets(before, after, { fields: ["requirement"] })).toEqual([])
  })

  it("reports new records and removed ones", () => {
    const without = open({ policies: [policy("AAA"), policy("BBB")] })
    const withRecord = open({ policies: [policy("AAA"), policy("BBB"), policy("CCC")] })
    const appeared = diffDatasets(without, withRecord)
    expect(appeared.map(({ passport, destination, fields }) => [passport, destination, fields])).toEqual([
      ["AAA", "CCC", ["record"]],
      ["BBB", "CCC", ["record"]],
    ])
    expect(diffDatasets(withRecord, without)).toMatchObject([
      { previous: { requirement: "visa_required" }, current: null, severity: "major" },
      { previous: { requirement: "visa_required" }, current: null, severity: "major" },
    ])
  })

  it("compares datasets of different countries", () => {
    const larger = open({})
    const smaller = open({
      destinations: smallFacts().destinations.slice(0, 3),
      policies: [policy("AAA"), policy("BBB"), policy("CCC")],
    })
    expect(diffDatasets(smaller, larger).map(change => change.destination)).toEqual(["TTT", "TTT", "TTT"])
  })

  it("finds the differences in the texts of any two tables", () => {
    const requirement = fc.constantFrom(...REQUIREMENTS.slice(0, 4))
    const table = fc.array(fc.record({ requirement, days: fc.option(fc.integer({ min: 1, max: 3 })) }), {
      minLength: 9,
      maxLength: 9,
    })
    const codes = ["AAA", "BBB", "CCC"]
    const build = (terms: readonly { requirement: (typeof REQUIREMENTS)[number]; days: number | null }[]) =>
      open({
        policies: codes.map((code, d) =>
          policy(code, { rules: codes.map((passport, p) => rule([passport], terms[d * 3 + p])) }),
        ),
      })
    fc.assert(
      fc.property(table, table, (a, b) => {
        const [before, after] = [build(a), build(b)]
        const found = diffDatasets(before, after).map(({ passport, destination }) => `${passport} ${destination}`)
        expect(found).toEqual(diffByText(listPairs(before), listPairs(after), REQUIREMENTS))
      }),
    )
  })
})

describe("listScheduledChanges", () => {
  const rules = [
    rule(["AAA"], { requirement: "visa_free", days: 30, until: "2026-09-01" }),
    rule(["AAA"], { requirement: "eta", days: 30, from: "2026-09-01", until: "2026-12-01" }),
    rule(["BBB"], { requirement: "eta", from: "2026-07-01" }),
  ]
  const dataset = open({ policies: [policy("CCC", { rules })] })

  it("announces what dated rules change, in the order of their days", () => {
    expect(
      listScheduledChanges(dataset).map(({ passport, destination, previous, current, effectiveFrom, severity }) => [
        effectiveFrom,
        passport + destination,
        previous?.requirement,
        current?.requirement,
        severity,
      ]),
    ).toEqual([
      ["2026-07-01", "BBBCCC", "visa_required", "eta", "major"],
      ["2026-09-01", "AAACCC", "visa_free", "eta", "major"],
      ["2026-12-01", "AAACCC", "eta", "visa_required", "major"],
    ])
  })

  it("announces nothing that is in effect already", () => {
    expect(listScheduledChanges(dataset, "2026-09-01").map(change => change.effectiveFrom)).toEqual(["2026-12-01"])
    expect(listScheduledChanges(dataset, "2027-01-01")).toEqual([])
  })

  it("announces nothing for an invalid date, and does not throw", () => {
    for (const afterOn of ["2026-7-1", "2026-02-30", "", 0, null, {}, Symbol("day")]) {
      expect(listScheduledChanges(dataset, afterOn as string)).toEqual([])
    }
  })

  it("agrees on its day with the difference of the two days", () => {
    const days = ["2026-06-30", "2026-07-01", "2026-08-31", "2026-09-01", "2026-11-30", "2026-12-01"]
    for (const [at, on] of days.entries()) {
      if (at % 2 === 0) continue
      const difference = diffDatasets(view(dataset, days[at - 1] as string), view(dataset, on))
      const announced = listScheduledChanges(dataset).filter(change => change.effectiveFrom === on)
      expect(announced.map(({ effectiveFrom: _, ...change }) => change)).toEqual(difference)
    }
  })
})
