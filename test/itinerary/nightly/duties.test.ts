/** The full record and the decision name the same arrival forms and insurance, for every pair. */
import { expect, it } from "vitest"
import { openFacts } from "../../record/localised-facts.ts"
import { compareDuties } from "../duties.ts"

it.each(["2026-12-05", "2027-04-01", "2028-07-01"])(
  "names the same as the record of every pair on %s",
  async day => {
    const { duties, differences } = compareDuties(await openFacts(), day, 1, 0)
    expect(differences).toEqual([])
    expect(duties).toBeGreaterThan(10_000)
  },
  3_600_000,
)
