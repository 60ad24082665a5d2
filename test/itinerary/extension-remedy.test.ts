/**
 * An extension of a stay as a remedy: it is said where a record knows that it would be long enough, and never makes a journey clear.
 *
 * Sources: Thailand, Immigration Act B.E. 2522, section 35 (30 days); Indonesia, visa on arrival, once by 30 days; 8 CFR 214.1(c)(3)(i) (none under
 * the visa waiver) and 214.1(c)(4) (before the stay ends); China, Exit and Entry Administration Law, art. 29 (seven days before the end, in all not
 * longer than the original stay); GOV.UK, Standard Visitor (a total of six months); Regulation (EC) No 810/2009, Art. 33 (force majeure,
 * humanitarian or serious personal reasons); Japan's agreements for six months with Germany and others (Embassy of Japan); the notice of Taiwan's
 * Bureau of Consular Affairs for British and Canadian passports.
 */
import { describe, expect, it } from "vitest"
import { decideGroup, type ItineraryRequest } from "../../src/engine.ts"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { applyRemedy, decideWithRemedies, embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const facts = await loadFullFacts()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }

function complete(request: ItineraryRequest) {
  const judged = decideWithRemedies(dataset, request)
  if (!judged.ok || judged.value.kind !== "decided") throw new Error("It was not decided.")
  return completeToDo(facts, judged.value)
}
const extensionsOf = (request: ItineraryRequest) =>
  complete(request).blockers.flatMap(({ remedies = [] }) => remedies.filter(({ action }) => action === "extend"))
const trip = (
  passport: string,
  destination: string,
  from: string,
  to: string,
  more: Partial<ItineraryRequest> = {},
) => ({
  ...{ passport, ...dates, stops: [stay(destination, from, to)] },
  ...more,
})
const visa = (issuer: string, durationOfStayDays: number) => ({
  held: [{ kind: "visa" as const, issuer, entries: 1, durationOfStayDays }],
})

describe("an extension as a remedy", () => {
  // [who, where, first and last day, more, by how many days or null, the latest day to apply]
  it.each<[string, ItineraryRequest, number | null, string?]>([
    ["30 days more in Thailand", trip("FRA", "THA", "2027-01-01", "2027-03-01"), 30],
    ["31 days more in Thailand", trip("FRA", "THA", "2027-01-01", "2027-03-02"), null],
    ["a visitor under the visa waiver in the United States", trip("FRA", "USA", "2027-01-01", "2027-04-10"), null],
    ["six months and a day in the United Kingdom", trip("USA", "GBR", "2027-01-01", "2027-07-02"), null],
    [
      "a Chinese visa for 30 days, which begin on the day after the entry, and 50",
      trip("NGA", "CHN", "2027-01-01", "2027-02-20", visa("CHN", 30)),
      20,
      "2027-01-24",
    ],
    [
      "a Chinese visa for 30 days and 60",
      trip("NGA", "CHN", "2027-01-01", "2027-03-02", visa("CHN", 30)),
      30,
      "2027-01-24",
    ],
    ["a Chinese visa for 30 days and 61", trip("NGA", "CHN", "2027-01-01", "2027-03-03", visa("CHN", 30)), null],
    ["91 days in Schengen by an agreement", trip("USA", "FRA", "2027-01-01", "2027-04-01"), 1, "2027-03-31"],
    ["91 days in Schengen without one", trip("GBR", "FRA", "2027-01-01", "2027-04-01"), null],
    ["a Schengen visa for 30 days and 31", trip("IND", "FRA", "2027-01-01", "2027-01-31", visa("FRA", 30)), null],
    ["a special need in Hong Kong", trip("FRA", "HKG", "2027-01-01", "2027-04-10"), null],
    ["a US visa for 30 days", trip("IND", "USA", "2027-01-01", "2027-02-09", visa("USA", 30)), 10, "2027-01-30"],
    ["a stay in Indonesia that begins without a visa", trip("MYS", "IDN", "2027-01-01", "2027-02-09"), null],
    ["three months more in Japan by an agreement", trip("DEU", "JPN", "2027-01-01", "2027-06-29"), 89],
    ["a stay in Japan without an agreement", trip("FRA", "JPN", "2027-01-01", "2027-04-20"), null],
    ["six months in Taiwan of a Canadian", trip("CAN", "TWN", "2027-01-01", "2027-06-29"), 89],
    ["seven months in Taiwan of a Canadian", trip("CAN", "TWN", "2027-01-01", "2027-07-31"), null],
    ["three months in Taiwan of a Pole", trip("POL", "TWN", "2027-01-01", "2027-04-20"), null],
    ["seven months in the United States of a Canadian", trip("CAN", "USA", "2027-01-01", "2027-07-11"), 10],
    ["a diplomatic passport", trip("FRA", "THA", "2027-01-01", "2027-03-01", { passportKind: "diplomatic" }), null],
  ])("%s", (_, request, days, applyBy) => {
    expect(complete(request).outcome === "blocked" || days === null).toBe(true)
    expect(extensionsOf(request).map(each => "value" in each && each.value)).toEqual(days === null ? [] : [days])
    if (applyBy !== undefined) expect(extensionsOf(request)).toMatchObject([{ applyBy }])
  })

  it("depends on an authority, so the journey stays blocked when it is applied", () => {
    const request = trip("FRA", "THA", "2027-01-01", "2027-03-01")
    const [extension] = extensionsOf(request)
    expect(extension).toMatchObject({
      ...{ action: "extend", step: 0, value: 30, maxDays: 30, where: "immigration_office", applyBy: null },
      fee: { amount: 1900, currency: "THB" },
    })
    expect(applyRemedy(request, extension!)).toEqual(request)
    expect(complete(request).outcome).toBe("blocked")
  })

  it("comes after the remedies that were tried, and only if remedies were requested", () => {
    const request = trip("FRA", "THA", "2027-01-01", "2027-03-01")
    expect(complete(request).blockers[0]!.remedies!.map(({ action }) => action)).toEqual([
      "leave_by",
      "obtain",
      "extend",
    ])
    expect(completeToDo(facts, decided(dataset, request)).blockers[0]!.remedies).toBeUndefined()
  })

  it("names the traveller whom it concerns in a group", () => {
    const { stops } = trip("FRA", "THA", "2027-01-01", "2027-03-01")
    const travellers = [
      { passport: "THA", ...dates },
      { passport: "FRA", ...dates },
    ]
    const judged = decideGroup(dataset, { travellers, stops }, { remedies: true })
    if (!judged.ok || judged.value.kind !== "decided") throw new Error("It was not decided.")
    const { blockers, travellers: each } = completeToDo(facts, judged.value)
    const last = (remedies: (typeof blockers)[number]["remedies"]) => remedies?.at(-1)?.action
    expect(blockers.map(({ traveller, remedies }) => [traveller, last(remedies)])).toEqual([[1, "extend"]])
    expect(last(each[1]!.blockers[0]!.remedies)).toBe("extend")
  })

  it("makes no stay longer than the days of a year or a window", () => {
    // Colombia: 90 days, 90 more on application, 180 in a calendar year.
    expect(extensionsOf(trip("FRA", "COL", "2027-01-01", "2027-06-29"))).toMatchObject([{ value: 90 }])
    expect(extensionsOf(trip("FRA", "COL", "2027-01-01", "2027-06-30"))).toEqual([])
    const earlierStays = [stay("COL", "2027-01-01", "2027-03-01")]
    expect(extensionsOf(trip("FRA", "COL", "2027-04-01", "2027-08-15", { earlierStays }))).toEqual([])
  })
})
