/** Journeys with the outcome that somebody who knows the law signed before the engine was asked, each with the code that has to be named. */
import { expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, type ItineraryRequest } from "../../src/index.ts"
import type { Outcome } from "../../src/trip/answer-fields.ts"
import { decided, stay } from "./decisions.ts"

const DATES = { passportExpiry: "2034-01-01", passportIssued: "2025-01-01" }
const TRIP = ["2026-12-01", "2026-12-20"] as const
const of = (passport: string, stops: ItineraryRequest["stops"], ...held: HeldDocument[]): ItineraryRequest => ({
  passport,
  ...DATES,
  stops,
  held,
})
const uniform: HeldDocument = { kind: "visa", issuer: "FRA", type: "C", validUntil: "2027-06-01", entries: 1 }
const ofSixDays: HeldDocument = { ...uniform, durationOfStayDays: 6 }
const ukEta: HeldDocument = { kind: "eta", issuer: "GBR" }
const inBritain = stay("GBR", "2027-01-15", "2027-01-20")
const inParis = stay("FRA", "2026-12-01", "2027-01-14")

it.each<[string, ItineraryRequest, Outcome, string?]>([
  ["a Schengen visa in hand", of("IND", [stay("FRA", ...TRIP)], { ...uniform, durationOfStayDays: 90 }), "clear"],
  [
    "a visa of one entry for two",
    of(
      "IND",
      [stay("FRA", ...TRIP), stay("IND", "2026-12-21", "2026-12-24"), stay("FRA", "2026-12-25", "2026-12-28")],
      uniform,
    ),
    "obtain",
    "visa_required",
  ],
  [
    "a visa of two entries for Spain, Andorra and Spain",
    of(
      "IND",
      [
        stay("ESP", "2026-12-01", "2026-12-05"),
        stay("AND", "2026-12-05", "2026-12-06"),
        stay("ESP", "2026-12-06", "2026-12-08"),
      ],
      { ...uniform, entries: 2, durationOfStayDays: 15 },
    ),
    "clear",
  ],
  ["a visa whose days are not given", of("IND", [stay("FRA", ...TRIP)], uniform), "unknown", "stay_set_by_document"],
  ["a visa of six days", of("IND", [stay("FRA", ...TRIP)], ofSixDays), "blocked", "stay_exceeded"],
  [
    "a visa that ended the day before",
    of("IND", [stay("FRA", ...TRIP)], { ...uniform, validUntil: "2026-11-30" }),
    "obtain",
    "visa_required",
  ],
  [
    "a German permit for ten days in Spain",
    of("IND", [stay("ESP", "2026-12-01", "2026-12-10")], {
      kind: "residence_permit",
      issuer: "DEU",
      validUntil: "2028-01-01",
    }),
    "clear",
  ],
  [
    "45 and 45 days in Schengen",
    of("USA", [inParis, inBritain, stay("ITA", "2027-01-21", "2027-03-06")], ukEta),
    "clear",
  ],
  [
    "45 and 46 days in Schengen",
    of("USA", [inParis, inBritain, stay("AUT", "2027-01-21", "2027-03-07")], ukEta),
    "blocked",
    "zone_stay_exceeded",
  ],
  [
    "60 and 40 days in CA-4",
    of("USA", [stay("GTM", "2026-12-01", "2027-01-29"), stay("HND", "2027-01-30", "2027-03-10")]),
    "blocked",
    "zone_stay_exceeded",
  ],
  ["a year in the Union", of("FRA", [stay("DEU", "2026-12-01", "2027-12-01")]), "clear"],
  [
    "Cuba on the way to the United States",
    of("FRA", [stay("CUB", ...TRIP), stay("USA", "2026-12-21", "2026-12-24")]),
    "obtain",
    "visa_instead",
  ],
  [
    "a citizen on another passport",
    {
      passports: [
        { passport: "USA", ...DATES },
        { passport: "FRA", ...DATES },
      ],
      stops: [{ ...stay("USA", ...TRIP), passport: "FRA" }],
    },
    "blocked",
    "own_passport_needed",
  ],
  [
    "a change inside Frankfurt without a visa",
    { ...of("NGA", [stay("BRA", ...TRIP)]), transit: [{ country: "DEU", airside: true }] },
    "blocked",
    "transit_not_permitted",
  ],
  ["a stay without an end", of("USA", [{ destination: "FRA", from: "2026-12-01" }]), "unknown", "end_not_given"],
  ["a stay at home without an end", of("FRA", [{ destination: "FRA", from: "2026-12-01" }]), "clear"],
  [
    "a Danish visa for Greenland",
    of("IND", [stay("GRL", ...TRIP)], { kind: "visa", issuer: "DNK", type: "C", validUntil: "2027-02-01" }),
    "obtain",
    "visa_required",
  ],
])("%s: signed as it is decided", (_, request, outcome, code) => {
  const decision = decided(embeddedDataset(), request)
  expect(decision.outcome).toBe(outcome)
  const named = [...decision.blockers, ...decision.conditions, ...decision.unknowns].map(each => each.code)
  if (code !== undefined) expect(named).toContain(code)
})
