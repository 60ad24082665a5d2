/**
 * Visits to neighbours that start no new stay: 8 CFR 217.3(b) (who comes back under the visa waiver from contiguous territory or an adjacent
 * island is readmitted for the balance of the original admission), and the South African Immigration Regulations 2014 on section 10A(4).
 */
import { describe, expect, it } from "vitest"
import { decideWithRemedies, embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const french = { passport: "FRA", ...dates, held: [{ kind: "eta" as const, issuer: "USA" }] }

const counted = (request: Parameters<typeof decided>[1]) => {
  const { steps, blockers } = decided(dataset, request)
  const { countedStay, maxStay } = steps[steps.length - 1]!
  return {
    counted:
      countedStay === null ? null : `${countedStay.value} of ${countedStay.allowanceDays} ${countedStay.counting}`,
    maxStay: maxStay.status === "known" ? maxStay.value : null,
    blockers: blockers.map(({ code, step }) => `${step} ${code}`),
  }
}

describe("8 CFR 217.3(b): a traveller who comes back to the United States", () => {
  const first = stay("USA", "2027-01-01", "2027-01-30")
  const backBy = (to: string, between = [stay("CAN", "2027-01-30", "2027-02-10")], more = {}) =>
    counted({ ...french, ...more, stops: [first, ...between, stay("USA", "2027-02-10", to)] })

  it("from Canada has the rest of the first 90 days, which run on in Canada", () => {
    expect(backBy("2027-03-31")).toEqual({ counted: "90 of 90 admission", maxStay: 50, blockers: [] })
    expect(backBy("2027-04-01")).toEqual({
      counted: "91 of 90 admission",
      maxStay: 50,
      blockers: ["2 stay_exceeded"],
    })
  })

  it("says so", () => {
    const stops = [first, stay("CAN", "2027-01-30", "2027-02-10"), stay("USA", "2027-02-10", "2027-04-01")]
    const judged = decideWithRemedies(dataset, { ...french, stops })
    const [blocker] = judged.ok && judged.value.kind === "decided" ? judged.value.blockers : []
    expect(blocker?.message).toBe(
      "91 days by 2027-04-01 since the admission to USA, which visits to its neighbours did not end: 90 are allowed.",
    )
    expect(blocker?.remedies).toContainEqual({ action: "leave_by", step: 2, value: "2027-03-31" })
  })

  it("from Mexico and an adjacent island in a row likewise", () => {
    const between = [stay("MEX", "2027-01-30", "2027-02-05"), stay("BHS", "2027-02-05", "2027-02-10")]
    expect(backBy("2027-04-01", between).counted).toBe("91 of 90 admission")
  })

  it("after the end of the first 90 days may be admitted for 90 new days", () => {
    const stops = [first, stay("MEX", "2027-01-30", "2027-03-31"), stay("USA", "2027-03-31", "2027-06-20")]
    expect(counted({ ...french, stops }).counted).toBe("171 of 90 admission")
    const later = [first, stay("MEX", "2027-01-30", "2027-04-01"), stay("USA", "2027-04-01", "2027-06-29")]
    expect(counted({ ...french, stops: later })).toEqual({ counted: "90 of 90 per_entry", maxStay: 90, blockers: [] })
  })

  it("from elsewhere is admitted for 90 new days: by way of France, or after days without information", () => {
    const byFrance = [stay("CAN", "2027-01-30", "2027-02-03"), stay("FRA", "2027-02-04", "2027-02-10")]
    expect(backBy("2027-05-10", byFrance)).toMatchObject({ counted: "90 of 90 per_entry", blockers: [] })
    const withGap = [stay("CAN", "2027-01-30", "2027-02-03")]
    expect(backBy("2027-05-10", withGap)).toMatchObject({ counted: "90 of 90 per_entry", blockers: [] })
    expect(backBy("2027-05-10", []).counted).toBe("90 of 90 per_entry")
  })

  it("is admitted for 90 new days as a resident or national of the neighbour", () => {
    for (const more of [
      { residence: "CAN" },
      { held: [...french.held, { kind: "residence_permit" as const, issuer: "CAN" }] },
    ]) {
      expect(backBy("2027-05-10", undefined, more)).toMatchObject({ counted: "90 of 90 per_entry", blockers: [] })
    }
    const stops = [
      { ...first, passport: "FRA" },
      stay("MEX", "2027-01-30", "2027-02-10"),
      { ...stay("USA", "2027-02-10", "2027-05-10"), passport: "FRA" },
    ]
    const passports = ["FRA", "MEX"].map(passport => ({ passport, ...dates }))
    expect(counted({ passports, held: french.held, stops }).counted).toBe("90 of 90 per_entry")
  })

  it("counts the days of earlier stays too", () => {
    const earlierStays = [first, stay("CAN", "2027-01-30", "2027-02-10")]
    const stops = [stay("USA", "2027-02-10", "2027-04-01")]
    expect(counted({ ...french, earlierStays, stops }).counted).toBe("91 of 90 admission")
  })

  it("is a rule for the visa waiver: a Canadian and the holder of a visa are not bound by it", () => {
    const stops = [first, stay("MEX", "2027-01-30", "2027-02-10"), stay("USA", "2027-02-10", "2027-05-20")]
    expect(counted({ passport: "CAN", ...dates, stops }).counted).not.toContain("admission")
    const held = [{ kind: "visa" as const, issuer: "USA", type: "B1/B2" }]
    expect(decided(dataset, { ...french, held, stops }).blockers).toEqual([])
  })

  it("counts Puerto Rico as the United States, not as a neighbour", () => {
    const stops = [first, stay("PRI", "2027-01-31", "2027-02-10"), stay("USA", "2027-02-11", "2027-04-01")]
    expect(counted({ ...french, stops }).counted).toBe("91 of 90 per_entry")
  })
})

describe("Immigration Regulations 2014 (South Africa): a traveller who comes back from a neighbour", () => {
  const first = stay("ZAF", "2027-01-01", "2027-01-31")
  const back = (until: string, from: string, to: string, more = {}) =>
    counted({
      ...{ passport: "FRA", ...dates, ...more },
      stops: [first, stay("NAM", "2027-01-31", until), stay("ZAF", from, to)],
    })

  it("is admitted until the same last day", () => {
    expect(back("2027-02-20", "2027-02-20", "2027-03-31")).toEqual({
      counted: "90 of 90 admission",
      maxStay: 40,
      blockers: [],
    })
    expect(back("2027-02-20", "2027-02-20", "2027-04-01").blockers).toEqual(["2 stay_exceeded"])
  })

  it("for at most seven days when that has passed", () => {
    expect(back("2027-04-01", "2027-04-01", "2027-04-07")).toEqual({
      counted: "7 of 7 admission",
      maxStay: 7,
      blockers: [],
    })
    expect(back("2027-04-01", "2027-04-01", "2027-04-08").blockers).toEqual(["2 stay_exceeded"])
  })

  it("for a new stay as a resident of the neighbour", () => {
    expect(back("2027-02-20", "2027-02-20", "2027-05-20", { residence: "NAM" })).toMatchObject({
      counted: "90 of 90 per_entry",
      blockers: [],
    })
  })
})

describe("a rule by which the day of the entry does not count", () => {
  it("in Taiwan the first day is the day after the arrival: 90 days from 1 January end on 1 April", () => {
    const until = (to: string) => counted({ passport: "FRA", ...dates, stops: [stay("TWN", "2027-01-01", to)] })
    expect(until("2027-04-01")).toEqual({ counted: "90 of 90 per_entry", maxStay: 90, blockers: [] })
    expect(until("2027-04-02").blockers).toEqual(["0 stay_exceeded"])
  })

  it("in Japan the last day is the day of landing plus the days, at each landing: 15 from 1 December end on 16 December", () => {
    const until = (to: string) => counted({ passport: "THA", ...dates, stops: [stay("JPN", "2026-12-01", to)] })
    expect(until("2026-12-16")).toMatchObject({ counted: "15 of 15 per_entry", blockers: [] })
    expect(until("2026-12-17").blockers).toEqual(["0 stay_exceeded"])
  })
})

describe("8 CFR 214.2(b)(1) and (2): Canadians are admitted to the United States for six months", () => {
  const judge = (...stops: ReturnType<typeof stay>[]) =>
    decided(embeddedDataset(), { passport: "CAN", passportExpiry: "2035-01-01", stops })
  const codes = (...stops: ReturnType<typeof stay>[]) => judge(...stops).blockers.map(({ code }) => code)

  it("by the calendar, and not by 180 days", () => {
    expect(codes(stay("USA", "2027-01-01", "2027-07-01"))).toEqual([])
    expect(codes(stay("USA", "2027-01-01", "2027-07-02"))).toEqual(["stay_exceeded"])
  })

  it("at each admission, whatever days were spent there before", () => {
    expect(codes(stay("USA", "2027-01-01", "2027-05-31"), stay("USA", "2027-08-01", "2027-12-31"))).toEqual([])
  })
})
