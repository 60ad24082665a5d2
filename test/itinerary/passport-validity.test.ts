import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { isIssuedWithin, outlasts } from "../../src/trip/entry.ts"
import { sayReason } from "../../src/trip/reasons.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { decided, stay } from "./decisions.ts"

// The same day of the month so many months on, or that month's last day: by trying days downwards.
function monthsLater(date: string, months: number): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number]
  const count = year * 12 + (month - 1) + months
  const target = `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, "0")}`
  for (let last = day; ; last--) {
    const candidate = `${target}-${String(last).padStart(2, "0")}`
    const parsed = new Date(`${candidate}T00:00:00Z`)
    if (!Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(candidate)) return candidate
  }
}

const date = fc.integer({ min: dayOf("1995-01-01"), max: dayOf("2060-12-31") }).map(dateOf)

describe("outlasts", () => {
  it.each([
    ["2026-08-28", { months: 6, days: 0 }, "2026-02-28", true],
    ["2026-08-27", { months: 6, days: 0 }, "2026-02-28", false],
    ["2027-02-28", { months: 6, days: 0 }, "2026-08-31", true],
    ["2027-02-27", { months: 6, days: 0 }, "2026-08-31", false],
    ["2028-02-28", { months: 6, days: 0 }, "2027-08-31", false],
    ["2028-02-29", { months: 6, days: 0 }, "2027-08-31", true],
    ["2026-02-15", { months: 0, days: 45 }, "2026-01-01", true],
    ["2026-02-14", { months: 0, days: 45 }, "2026-01-01", false],
    ["2026-01-01", { months: 0, days: 0 }, "2026-01-01", true],
    ["2025-12-31", { months: 0, days: 0 }, "2026-01-01", false],
  ])("a passport until %s, %o after %s: %s", (expiry, rule, after, isValid) => {
    expect(outlasts(dayOf(expiry), rule, dayOf(after))).toBe(isValid)
  })

  it("agrees with a calendar, whatever the rule and however close the days", () => {
    const around = fc.integer({ min: -6, max: 6 })
    fc.assert(
      fc.property(date, fc.nat(24), fc.nat(60), around, (after, months, days, offset) => {
        const needed = dayOf(monthsLater(after, months)) + days
        return outlasts(needed + offset, { months, days }, dayOf(after)) === offset >= 0
      }),
      { numRuns: countTrips(1_000) },
    )
  })
})

describe("isIssuedWithin", () => {
  it.each([
    ["2016-05-01", "2026-04-30", true],
    ["2016-05-01", "2026-05-01", false],
    ["2016-02-29", "2026-02-27", true],
    ["2016-02-29", "2026-02-28", false],
    ["2026-06-01", "2026-05-01", true],
  ])("a passport issued on %s, ten years, arrival on %s: %s", (issued, arrival, isRecent) => {
    expect(isIssuedWithin(dayOf(issued), 10, dayOf(arrival))).toBe(isRecent)
  })

  it("agrees with a calendar around every anniversary", () => {
    const around = fc.integer({ min: -6, max: 6 })
    fc.assert(
      fc.property(date, fc.integer({ min: 1, max: 15 }), around, (issued, years, offset) => {
        const tooOld = dayOf(monthsLater(issued, 12 * years))
        return isIssuedWithin(dayOf(issued), years, tooOld + offset) === offset < 0
      }),
      { numRuns: countTrips(1_000) },
    )
  })
})

describe("what a rule asks of a passport", () => {
  it.each([
    [{ anchor: "arrival", months: 6, days: 0 }, "for 6 months after arrival"],
    [{ anchor: "arrival", months: 0, days: 45 }, "for 45 days after arrival"],
    [{ anchor: "departure", months: 1, days: 2 }, "for 1 month and 2 days after departure"],
    [{ anchor: "departure", months: 0, days: 0 }, "until departure"],
  ] as const)("%o reads %s", (rule, text) => {
    const said = { passport: "FRA", destination: "THA", expiry: "2027-01-01", ...rule }
    expect(sayReason("passport_validity_short", said)).toBe(
      `The FRA passport expires on 2027-01-01: THA asks that it be valid ${text}.`,
    )
  })
})

describe("a rule of which it is not settled whether it holds for a passport", () => {
  const found = (passport: string, destination: string, passportExpiry: string) => {
    const stops = [stay(destination, "2027-03-01", "2027-03-10")]
    const { outcome, blockers, unknowns } = decided(embeddedDataset(), { passport, passportExpiry, stops })
    return [outcome, ...blockers.map(({ code }) => code), ...unknowns.map(({ code }) => code)]
  }

  it("is enough if it is met, and leaves open what is shorter: Russia asks six months after the departure for a visa", () => {
    expect(found("BRA", "RUS", "2027-09-10")).toEqual(["clear"])
    expect(found("BRA", "RUS", "2027-09-09")).toEqual(["unknown", "validity_not_named"])
    expect(found("NGA", "RUS", "2027-09-09").slice(0, 2)).toEqual(["blocked", "passport_validity_short"])
  })

  it("is enough in Türkiye for nationals whom an agreement may admit with less: Law 6458, Art. 7(1)(b), 150 days for a stay of 90", () => {
    expect(found("POL", "TUR", "2028-01-01")).toEqual(["clear"])
    expect(found("POL", "TUR", "2027-04-01")).toEqual(["unknown", "validity_not_named"])
  })

  it("is enough where sources differ, for every passport: six months in Brazil, where Canada advises of the stay alone", () => {
    expect(found("GBR", "BRA", "2027-09-01")).toEqual(["clear"])
    expect(found("GBR", "BRA", "2027-08-31")).toEqual(["unknown", "validity_not_named"])
    expect(found("GBR", "BRA", "2027-03-09").slice(0, 2)).toEqual(["blocked", "passport_expires_before_exit"])
  })
})

describe("a law that asks for a valid passport and for no further time", () => {
  it("of Ireland: Immigration Act 2004, s. 11(1) and 12(1)", () => {
    const stops = [stay("IRL", "2027-03-01", "2027-03-10")]
    const outcomeOf = (passportExpiry: string) =>
      decided(embeddedDataset(), { passport: "CAN", passportExpiry, stops }).outcome
    expect(["2027-03-10", "2027-03-09"].map(outcomeOf)).toEqual(["clear", "blocked"])
  })

  it("of Taiwan for Japan and the United States: others need six months from the arrival", () => {
    const blockers = (passport: string, passportExpiry: string) =>
      decided(embeddedDataset(), { passport, passportExpiry, stops: [stay("TWN", "2027-03-01", "2027-03-10")] })
        .blockers
    expect(blockers("USA", "2027-03-10")).toEqual([])
    expect(blockers("CAN", "2027-09-01")).toEqual([])
    expect(blockers("CAN", "2027-08-31")).toMatchObject([{ code: "passport_validity_short" }])
  })
})

/** Each shortest passport that is enough from 2027-03-01 to 2027-03-10, by the text that the row quotes. */
describe("a territory or state with a rule of its own", () => {
  const blocks = (passport: string, destination: string, passportExpiry: string) => {
    const stops = [stay(destination, "2027-03-01", "2027-03-10")]
    const request = { passport, passportExpiry, passportIssued: "2020-01-01", stops }
    return decided(embeddedDataset(), request).blockers.some(({ code }) => code === "passport_validity_short")
  }

  it.each([
    ["USA", "PYF", "2027-06-10", "French orders: three months after leaving the territory"],
    ["USA", "GRL", "2027-06-10", "Denmark: three months after departure"],
    ["BRN", "PRI", "2027-09-10", "INA 212(a)(7)(B) and 101(a)(38): six months beyond the stay"],
    ["JPN", "PRI", "2027-03-10", "22 CFR 41.104(b): the six-month club"],
    ["JPN", "ASM", "2027-09-10", "American Samoa: six months after departure"],
    ["NZL", "COK", "2027-09-10", "Cook Islands: six months beyond the departure"],
    ["DEU", "TCA", "2027-09-01", "Turks and Caicos Islands: six months"],
    ["GBR", "TCA", "2027-03-10", "Turks and Caicos Islands: British, American and Canadian passports for the stay"],
    ["USA", "CYM", "2027-03-10", "Cayman Islands: beyond the date of the return ticket"],
    ["USA", "CRI", "2027-03-10", "Costa Rica, directive AJ-484-11-2025: first group"],
    ["PHL", "CRI", "2027-05-30", "Costa Rica, directive AJ-484-11-2025: second group, 90 days"],
    ["USA", "BLR", "2027-06-08", "Belarus: 90 days beyond departure"],
    ["USA", "JEY", "2027-03-10", "Jersey: for the whole of the stay"],
  ])("%s at %s until %s: %s", (passport, destination, last) => {
    expect(blocks(passport, destination, last)).toBe(false)
    const dayBefore = new Date(Date.parse(last) - 86_400_000).toISOString().slice(0, 10)
    expect(blocks(passport, destination, dayBefore)).toBe(true)
  })
})

describe("a rule about which sources differ", () => {
  const at = (passportExpiry: string, destination: string) => {
    const stops = [stay(destination === "QAT" ? "NPL" : "QAT", "2026-12-10", "2026-12-12")]
    const transit = destination === "QAT" ? [{ country: "QAT", airside: false }] : []
    return decided(embeddedDataset(), { passport: "USA", passportExpiry, passportIssued: "2020-01-01", stops, transit })
  }

  it("leaves a shorter passport open at a stop, and at a transit that is an entry", () => {
    expect([at("2027-06-12", "").outcome, at("2027-05-01", "").outcome]).toEqual(["clear", "unknown"])
    const permitted = ["2027-06-12", "2027-05-01"].map(each => at(each, "QAT").transit[0]!.permitted)
    expect(permitted).toMatchObject([{ value: "yes" }, { code: "transit_needs_entry" }])
  })
})

// Resolution DGM-01-2024 of the Dominican Republic, extended on 2025-12-01: until 2026-12-31 tourists of the Union, the United States, Canada and some
// other states need a passport for the stay, and not for six months. Whether it is extended again is not known.
describe("an exemption that ends", () => {
  const into = (passport: string, from: string, to: string, passportExpiry: string) => {
    const [step] = decided(embeddedDataset(), { passport, passportExpiry, stops: [stay("DOM", from, to)] }).steps
    const { passportValidity: found } = step!
    return found.status === "known" ? found.value : found.code
  }

  it("holds for who arrives on its last day, for a passport that is valid until the departure", () => {
    expect(into("USA", "2026-12-31", "2027-01-05", "2027-01-05")).toBe("met")
    expect(into("USA", "2026-12-31", "2027-01-05", "2027-01-04")).toBe("not_met")
    expect(into("MEX", "2026-12-31", "2027-01-05", "2027-06-29")).toBe("not_met")
  })

  it("is left open from the next day on, for a passport of less than the six months that are asked usually", () => {
    expect(into("USA", "2027-01-01", "2027-01-05", "2027-06-30")).toBe("validity_not_named")
    expect(into("USA", "2027-01-01", "2027-01-05", "2027-07-01")).toBe("met")
    expect(into("MEX", "2027-01-01", "2027-01-05", "2027-06-30")).toBe("not_met")
  })
})
