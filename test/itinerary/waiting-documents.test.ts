/**
 * A permit or a long-stay visa that begins after the arrival, or ends before the departure: its days are not a visitor's (Regulation (EU) 2016/399,
 * Art. 6(2)). Whether its holder may wait inside for it is not recorded.
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, type ItineraryRequest } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-01-01" }
const permit = (validFrom: string | undefined, validUntil: string | undefined, issuer = "FRA") =>
  [{ kind: "residence_permit", issuer, validFrom, validUntil }] as const
const judge = (held: readonly HeldDocument[], stops: ItineraryRequest["stops"], passport = "USA") => {
  const { outcome, blockers, unknowns, steps } = decided(dataset, { passport, ...dates, held, stops })
  const open = unknowns.filter(({ code, weight }) => code === "stay_set_by_document" && weight === "unknown")
  for (const { step, field } of open) {
    expect(steps[step!]![field as "zoneStay"]).toMatchObject({ status: "unknown", code: "stay_set_by_document" })
  }
  return [outcome, ...blockers.map(({ code }) => code), ...open.map(({ field, step }) => `${field} ${step}`)]
}
// 120 days.
const long = [stay("FRA", "2027-01-01", "2027-04-30")]

describe("a stay of 120 days in France on a passport of the United States", () => {
  it("is too long without a document", () => {
    expect(judge([], long)).toEqual(["blocked", "zone_stay_exceeded"])
  })

  it("is open if 90 days are left without those of the document, and too long if 91 are", () => {
    expect(judge(permit("2027-02-01", "2027-03-02"), long)).toEqual(["unknown", "zoneStay 0"])
    expect(judge(permit("2027-02-01", "2027-03-01"), long)).toContain("zone_stay_exceeded")
    // Begins on day 91 or 92.
    expect(judge(permit("2027-04-01", undefined), long)).toEqual(["unknown", "zoneStay 0"])
    expect(judge(permit("2027-04-02", undefined), long)).toContain("zone_stay_exceeded")
    // Ends after 30 or 29 days.
    expect(judge(permit(undefined, "2027-01-30"), long)).toEqual(["unknown", "zoneStay 0"])
    expect(judge(permit(undefined, "2027-01-29"), long)[0]).toBe("blocked")
  })

  it("is no shorter with a document of another state, a visa for visitors or an authorisation", () => {
    const dates = { validFrom: "2027-02-01", validUntil: "2027-03-31" }
    for (const each of [
      { kind: "residence_permit", issuer: "DEU", ...dates },
      { kind: "visa", issuer: "FRA", type: "C", ...dates },
      { kind: "eta", issuer: "FRA", ...dates },
    ] as const)
      expect(judge([each], long)).toEqual(["blocked", "zone_stay_exceeded"])
  })

  it("is open after an earlier stay under the permit, though nobody says so of that stay", () => {
    const earlierStays = [stay("FRA", "2026-09-01", "2026-11-30")]
    const { outcome } = decided(dataset, {
      ...{ passport: "USA", ...dates, earlierStays },
      held: permit("2026-08-01", "2026-12-15"),
      stops: [stay("FRA", "2027-01-01", "2027-03-01")],
    })
    expect(outcome).toBe("unknown")
  })

  it("leaves a change of planes outside open too", () => {
    const stops = [...long, stay("MAR", "2027-05-01", "2027-05-02")]
    const held = permit("2027-02-01", "2027-03-10")
    const { transit } = decided(dataset, {
      ...{ passport: "USA", ...dates, held, stops },
      transit: [{ country: "DEU", airside: false }],
    })
    expect(transit[0]!.permitted).toMatchObject({ status: "unknown", code: "transit_needs_entry" })
  })

  it("counts for a later stop in the zone without the days of the document", () => {
    const held = permit("2027-02-01", "2027-03-10")
    const then = (to: string) => judge(held, [...long, stay("DEU", "2027-05-01", to)])
    // 82 days in France and 8 in Germany.
    expect(then("2027-05-08")).toEqual(["unknown", "zoneStay 0", "zoneStay 1"])
    expect(then("2027-05-09")).toContain("zone_stay_exceeded")
  })
})

describe("a visitor's visa before a long-stay visa of France", () => {
  const short = { kind: "visa", issuer: "FRA", type: "C", durationOfStayDays: 30, validUntil: "2027-01-30" } as const
  const lasting = (validFrom: string) => ({ kind: "visa", issuer: "FRA", type: "D", validFrom }) as const

  it("leaves the stay open if it covers the days until then, and not if a day is between", () => {
    expect(judge([short, lasting("2027-01-31")], long, "IND")).toEqual(["unknown", "maxStay 0", "zoneStay 0"])
    expect(judge([short, lasting("2027-02-01")], long, "IND")).toContain("stay_exceeded")
  })
})

describe("a permit of the United Kingdom that begins after the arrival", () => {
  it("leaves a stay of more than six months open: Immigration Rules, Appendix V", () => {
    const stops = [stay("GBR", "2027-01-01", "2027-12-31")]
    expect(judge(permit("2027-03-01", undefined, "GBR"), stops)).toContain("maxStay 0")
    expect(judge(permit("2027-11-01", undefined, "GBR"), stops)).toContain("stay_exceeded")
  })
})

describe("a permit of Finland that begins after the arrival in Åland", () => {
  it("leaves the stay open as in Finland, of which Åland is a part, and one of another state does not", () => {
    const here = [stay("ALA", "2027-01-01", "2027-04-30")]
    expect(judge(permit("2027-02-01", undefined, "FIN"), here)).toEqual(
      judge(permit("2027-02-01", undefined, "FIN"), [stay("FIN", "2027-01-01", "2027-04-30")]),
    )
    expect(judge(permit("2027-02-01", undefined, "FIN"), here)).toEqual(["unknown", "maxStay 0", "zoneStay 0"])
    expect(judge(permit("2027-02-01", undefined, "SWE"), here)[0]).toBe("blocked")
  })
})
