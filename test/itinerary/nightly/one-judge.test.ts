/** `lookupHeld` and `decide` judge documents alike: every passport, destination and document that a rule names. */
import { expect, it } from "vitest"
import { sweepJudges } from "../one-judge.ts"

// Within the days of every rule, beyond those of most, beyond the 90 of a zone, and beyond half a year.
it.each(["2026-12-05", "2026-12-20", "2027-03-05", "2027-06-18"])(
  "every document is judged alike by both, for a stay until %s",
  to => {
    const { asked, differences } = sweepJudges([to])
    expect(differences).toEqual([])
    expect(asked).toBeGreaterThan(1_000_000)
  },
  7_200_000,
)
