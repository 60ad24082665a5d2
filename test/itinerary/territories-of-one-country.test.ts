/**
 * "The term 'United States' … means the continental United States, Alaska, Hawaii, Puerto Rico, Guam, the Virgin Islands … and the Northern Mariana
 * Islands" (8 U.S.C. 1101(a)(38)). Who goes on from the one to the other neither leaves nor enters: the 90 days of the Visa Waiver
 * Program are those in all of them, and a visa for one entry is not used up by the second flight.
 */
import { describe, expect, it } from "vitest"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

const dataset = frozenDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const stops = [stay("USA", "2026-12-01", "2027-01-29"), stay("PRI", "2027-01-29", "2027-03-29")]

describe("a journey from the United States to Puerto Rico", () => {
  it("does not start another ninety days", () => {
    expect(decided(dataset, { passport: "FRA", ...dates, stops }).verdict).toBe("blocked")
  })

  it("uses up no entry of a visa", () => {
    const held = [{ kind: "visa", issuer: "USA", type: "B1/B2", entries: 1 }] as const
    expect(decided(dataset, { passport: "IND", ...dates, stops, held }).conditions).toEqual([])
  })
})
