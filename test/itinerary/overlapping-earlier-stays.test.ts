/**
 * Earlier stays "may stand in any order and overlap" (traveller-input.ts). Days in Gibraltar count in the Schengen area since 2026-07-15; those
 * in Croatia before that day count all the same, whichever of the two stays began first.
 */
import { expect, it } from "vitest"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

it("A stay in a state that joined later does not hide days of another stay", () => {
  const dataset = frozenDataset()
  const america = { passport: "USA", passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
  const stops = [stay("FRA", "2026-08-08", "2026-08-18")]
  const croatia = stay("HRV", "2026-05-08", "2026-07-26")
  const usedAfter = (...earlierStays: ReturnType<typeof stay>[]) =>
    decided(dataset, { ...america, stops, earlierStays }).steps[0]?.zoneStay
  expect(usedAfter(croatia)).toMatchObject({ value: 91 })
  expect(usedAfter(croatia, stay("GIB", "2026-05-09", "2026-07-26"))).toMatchObject({ value: 91 })
  expect(usedAfter(croatia, stay("GIB", "2026-05-07", "2026-07-26"))).toMatchObject({ value: 91 })
})
