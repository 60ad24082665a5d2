import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { scoreTrust } from "../../src/full.ts"
import { formatCivilDate, parseCivilDate } from "../../src/index.ts"
import { FRESH_DAYS, STALE_DAYS } from "../../src/record/trust.ts"

const day = parseCivilDate("2026-11-21") as number
const source = { id: "a", name: "A", url: null, imported: false, compiled: false }
const answer = (fields: object) => ({ source, verifiedOn: null, citedOn: null, follows: null, home: false, ...fields })
const verified = (daysAgo: number) => answer({ verifiedOn: formatCivilDate(day - daysAgo) })
const cited = (daysAgo: number) =>
  answer({ source: { ...source, compiled: true }, citedOn: formatCivilDate(day - daysAgo) })

describe("scoreTrust", () => {
  it.each([
    ["a source that was confirmed today", verified(0), 0.9],
    ["a source that was confirmed 180 days ago", verified(FRESH_DAYS), 0.9],
    ["a source that was confirmed half way between 180 days and two years ago", verified(455), 0.7],
    ["a source that was confirmed two years ago", verified(STALE_DAYS), 0.5],
    ["a source that was confirmed ten years ago", verified(3650), 0.5],
    ["a source that is confirmed in the future", verified(-10), 0.9],
    ["a page that a compiler read today", cited(0), 0.7],
    ["a page that a compiler read half way between 180 days and two years ago", cited(455), 0.6],
    ["a page that a compiler read two years ago", cited(STALE_DAYS), 0.5],
    ["a named source that was never confirmed", answer({}), 0.5],
    ["a rule that was derived for a territory", answer({ follows: "USA", verifiedOn: formatCivilDate(day) }), 0.3],
    ["a rule without a source", answer({ source: null }), 0.3],
    ["a citizen's own country", answer({ source: null, home: true }), 0.5],
  ])("gives %s its score", (_, made, expected) => {
    expect(scoreTrust(made, day)).toBe(expected)
  })

  const said = (agrees: boolean, days: number) => ({
    corroboration: {
      agrees,
      reason: null,
      isOpen: false,
      requirement: "visa_free" as const,
      days: null,
      source: { id: "second", name: "Another", url: null, imported: false, compiled: false },
      sourceUrl: null,
      checkedOn: formatCivilDate(day - days),
    },
    changedSince: null,
    afterExpiry: null,
  })
  const changed = { on: formatCivilDate(day - 10), change: "Visas.", source: null, sourceUrl: null }
  const ended = { endedOn: formatCivilDate(day - 10), requirement: "visa_free" as const, days: 30 }

  it.each([
    ["a second source says the same", answer({}), said(true, 0), 0.7],
    ["a second source said the same half way between 180 days and two years ago", answer({}), said(true, 455), 0.6],
    ["a second source said the same two years ago", answer({}), said(true, STALE_DAYS), 0.5],
    ["a second source says the same as a fresh confirmation", verified(0), said(true, 0), 0.95],
    ["a second source says the same of a derived rule", answer({ source: null }), said(true, 0), 0.5],
    ["a second source says something else", verified(0), said(false, 0), 0.3],
    ["a log names a newer change", verified(0), { ...said(true, 0), changedSince: changed }, 0.3],
    ["an announced end has passed", verified(0), { ...said(true, 0), corroboration: null, afterExpiry: ended }, 0.3],
    ["a citizen comes home", answer({ source: null, home: true }), said(false, 0), 0.5],
  ])("weighs that %s", (_, made, evidence, expected) => {
    expect(scoreTrust(made, day, evidence)).toBe(expected)
  })

  it("falls by a thousandth at most from one day to the next, and never rises with age", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2000 }), age => {
        const drop = scoreTrust(verified(age), day) - scoreTrust(verified(age + 1), day)
        expect(drop).toBeGreaterThanOrEqual(0)
        expect(drop).toBeLessThan(0.0015)
      }),
    )
  })
})
