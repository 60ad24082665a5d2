/**
 * "If it gives days of its own, a stay within both together is unknown" (docs/decisions/zones.md). Denmark's agreements give 90 days
 * beside the 90 of the Schengen area, so that 366 days without a break are within neither, nor within both together. The same for
 * Latvia's, after whose days the area has to be left.
 */
import { describe, expect, it } from "vitest"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

describe("a stay longer than the zone's days and the agreement's together", () => {
  for (const [passport, destination] of [
    ["USA", "DNK"],
    ["JPN", "LVA"],
  ] as const) {
    it(`is blocked: a year of ${passport} in ${destination}`, () => {
      const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
      const stops = [stay(destination, "2026-12-01", "2027-12-01")]
      expect(decided(frozenDataset(), { passport, ...dates, stops }).verdict).toBe("blocked")
    })
  }
})
