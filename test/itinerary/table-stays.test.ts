/** The record and a decision agree on which days come from a general table alone: such days are to be checked, and block nothing. */
import { expect, it } from "vitest"
import { comesFromTable } from "../../src/dataset/open.ts"
import { decide, describePair, embeddedDataset, formatCivilDate, lookup, parseCivilDate } from "../../src/index.ts"
import { stay } from "./decisions.ts"

it("blocks no stay for days that the record traces to a general table", () => {
  const dataset = embeddedDataset()
  const day = parseCivilDate("2027-01-01")!
  let open = 0
  for (const destination of dataset.destinations) {
    for (const passport of dataset.passports.slice(0, 60)) {
      const answer = lookup(passport, destination)
      if (answer.kind !== "found" || answer.days === null || !comesFromTable(answer)) continue
      const pair = describePair(dataset, passport, destination, { on: "2027-01-01" })
      if (pair.kind !== "found" || pair.stayBasis !== "table") continue
      const stops = [stay(destination, "2027-01-01", formatCivilDate(day + answer.days))]
      const dates = { passportExpiry: "2036-01-01", passportIssued: "2026-12-02" }
      const found = decide(dataset, { passport, ...dates, stops })
      if (!found.ok || found.value.kind !== "decided") continue
      expect(found.value.blockers.filter(({ code }) => code === "stay_exceeded")).toEqual([])
      open++
    }
  }
  expect(open).toBeGreaterThan(50)
})
