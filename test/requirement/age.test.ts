import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decide, describePair, embeddedDataset, parseCivilDate } from "../../src/index.ts"
import { judgeAge } from "../../src/requirement/describe-pair.ts"

type AgedAnswer = Parameters<typeof judgeAge>[0]

const day = (text: string) => parseCivilDate(text) as number
const aged = (more: Partial<AgedAnswer> = {}): AgedAnswer => ({
  evidence: { level: "table", on: "2026-02-17" },
  corroboration: null,
  afterExpiry: null,
  changedSince: null,
  ...more,
})

describe("judgeAge", () => {
  it("counts days since the last look: at the page, at the table, or by a second source that says the same", () => {
    expect(judgeAge(aged(), day("2026-02-27"))).toEqual({ ageDays: 10, stale: null })
    const agrees = { agrees: true, checkedOn: "2026-10-03" }
    expect(judgeAge(aged({ corroboration: agrees }), day("2026-11-23"))).toEqual({ ageDays: 51, stale: null })
    const differs = { agrees: false, checkedOn: "2026-10-03" }
    expect(judgeAge(aged({ corroboration: differs }), day("2026-11-23"))).toEqual({ ageDays: 279, stale: "unchecked" })
    expect(judgeAge(aged(), day("2026-01-01"))).toEqual({ ageDays: 0, stale: null })
    expect(judgeAge(aged({ evidence: null }), day("2027-01-01"))).toEqual({ ageDays: null, stale: null })
  })

  it("calls a table stale after 180 days, and a page that was read after 365", () => {
    for (const [level, most] of [
      ["table", 180],
      ["cited", 365],
      ["read", 365],
    ] as const) {
      const answer = aged({ evidence: { level, on: "2026-02-17" } })
      expect(judgeAge(answer, day("2026-02-17") + most).stale).toBeNull()
      expect(judgeAge(answer, day("2026-02-17") + most + 1).stale).toBe("unchecked")
    }
  })

  it("names the weightiest reason: an end that has passed, then a change that a log names", () => {
    const changedSince = { on: "2026-03-01" }
    expect(judgeAge(aged({ changedSince }), day("2026-11-23")).stale).toBe("changed_since")
    expect(judgeAge(aged({ changedSince, afterExpiry: {} }), day("2026-11-23")).stale).toBe("ended")
  })

  it("never makes an answer younger or sounder as days pass", () => {
    const dataset = embeddedDataset()
    fc.assert(
      fc.property(
        fc.constantFrom(...dataset.passports),
        fc.constantFrom(...dataset.destinations),
        fc.nat(500),
        fc.nat(500),
        (passport, destination, first, more) => {
          const describeAt = (days: number) =>
            describePair(dataset, passport, destination, {
              on: new Date(Date.UTC(2026, 1, 17 + days)).toISOString().slice(0, 10),
            })
          const [before, after] = [describeAt(first), describeAt(first + more)]
          if (before.kind !== "found" || after.kind !== "found" || before.evidence?.on !== after.evidence?.on) return
          expect(after.ageDays ?? 0).toBeGreaterThanOrEqual(
            (before.ageDays ?? 0) - (before.corroboration === after.corroboration ? 0 : 1e6),
          )
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe("an answer whose announced end has passed", () => {
  it("says so, and leaves a decision unknown: the waiver of China for Germans after 2026-12-31", () => {
    const on = "2027-03-01"
    expect(describePair(embeddedDataset(), "DEU", "CHN", { on })).toMatchObject({ stale: "ended" })
    const decided = decide(embeddedDataset(), {
      passport: "DEU",
      passportExpiry: "2036-01-01",
      stops: [{ destination: "CHN", from: on, to: "2027-03-05" }],
    })
    expect(decided.ok && decided.value.kind === "decided" && decided.value.unknowns.map(({ code }) => code)).toContain(
      "answer_ended",
    )
  })

  it("does not touch what is older than a table should be: it says so, and decides", () => {
    expect(describePair(embeddedDataset(), "DEU", "KEN", { on: "2027-11-21" })).toMatchObject({ stale: "unchecked" })
  })
})
