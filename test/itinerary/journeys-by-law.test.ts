/**
 * Journeys with the outcome that the law gives them, written from its text before the engine was asked. Each names its rule; a code that has to
 * be said, or one after a minus that must not be.
 */
import { expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, type ItineraryRequest } from "../../src/index.ts"
import type { Outcome } from "../../src/trip/answer-fields.ts"
import { decided } from "./decisions.ts"

type More = Partial<Omit<ItineraryRequest, "stops">>
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }

// "USA 03-01 03-10 air": a stop of 2027, with the way of arrival.
const stopOf = (said: string) => {
  const [destination, from, to, by] = said.split(" ") as [string, string, string, ("air" | "land" | "sea")?]
  return { destination, from: `2027-${from}`, to: `2027-${to}`, ...(by === undefined ? {} : { by }) }
}
const was = (destination: string, from: string, to: string) => ({ earlierStays: [{ destination, from, to }] })
const holds = (...held: HeldDocument[]): More => ({ held })
const eta = (issuer: string, validUntil = "2028-01-01"): HeldDocument => ({ kind: "eta", issuer, validUntil })
const permit = (issuer: string, more: object = {}): HeldDocument => ({ kind: "residence_permit", issuer, ...more })
const visa = (issuer: string, more: object = {}): HeldDocument => ({
  kind: "visa",
  issuer,
  validUntil: "2030-01-01",
  ...more,
})
const single = (issuer: string, entries = 1) =>
  holds(visa(issuer, { type: "C", entries, durationOfStayDays: 30, validUntil: "2027-06-01" }))
const american = (more: object = {}) => visa("USA", { type: "B1/B2", ...more })
const through = (country: string, airside?: boolean): More => ({
  transit: [{ country, ...(airside === undefined ? {} : { airside }) }],
})

it.each<[passports: string, stops: string, rule: string, outcome: Outcome, named: string, more?: More]>([
  // Travel authorisations.
  [
    "FRA",
    "USA 03-01 03-10",
    "8 CFR 217.5(d): an ESTA that has ended",
    "obtain",
    "eta",
    holds(eta("USA", "2027-02-28")),
  ],
  [
    "FRA",
    "USA 03-01 03-30",
    "8 CFR 217.5(d): it has to be valid on arrival",
    "clear",
    "-eta",
    holds(eta("USA", "2027-03-05")),
  ],
  ["JPN", "CAN 03-01 03-10 air", "IRPR, s. 7.1(1): an eTA by air", "obtain", "eta"],
  ["JPN", "CAN 03-01 03-10 land", "IRPR, s. 7.1(1): by air only", "clear", "-eta"],
  ["BRA", "CAN 03-01 03-10 air", "IRPR, s. 190(2.1): with a US visa", "obtain", "eta", holds(american())],
  ["BRA", "CAN 03-01 03-10 air", "IRPR, s. 190(2.1): and the eTA", "clear", "-eta", holds(american(), eta("CAN"))],
  ["BRA", "CAN 03-01 03-10 land", "IRPR, s. 190(2.1): by air only", "obtain", "visa_required", holds(american())],
  ["MEX", "CAN 03-01 03-10 air", "IRPR, s. 190(2.1): with a US visa", "obtain", "-visa_required", holds(american())],
  ["MEX", "CAN 03-01 03-10 air", "IRPR, s. 190: without one", "obtain", "visa_required"],
  [
    "CHN",
    "CAN 03-01 03-10 air",
    "IRPR, s. 190: permanent residents of the United States",
    "clear",
    "-eta",
    holds(permit("USA", { permanent: true })),
  ],
  ["IND", "GBR 03-01 03-10", "Appendix ETA: not for visa nationals", "obtain", "visa_required", holds(eta("GBR"))],
  ["USA", "GBR 03-01 03-10", "Appendix ETA: none beside a visa", "clear", "-eta", holds(visa("GBR"))],
  ["ROU", "USA 03-01 03-10", "8 U.S.C. 1187: not designated", "obtain", "visa_required", holds(eta("USA"))],
  ["QAT", "USA 03-01 03-10", "8 U.S.C. 1187: designated in 2024", "obtain", "eta"],
  // Documents of other states, and refusals.
  ["TUR", "NLD 03-01 03-10", "Convention, Art. 21(1)", "clear", "-visa_required", holds(permit("DEU"))],
  ["TUR", "GBR 03-01 03-10", "Appendix V: no permit exempts", "obtain", "visa_required", holds(permit("DEU"))],
  ["ZAF", "IRL 03-01 03-10", "S.I. No. 473/2014 as amended", "obtain", "visa_required", holds(visa("GBR"))],
  [
    "SYR",
    "USA 03-01 03-10",
    "Proclamation of 16 December 2025, s. 6: issued before 2026",
    "clear",
    "-no_admission",
    holds(american({ issuedOn: "2025-12-20" })),
  ],
  [
    "SYR",
    "USA 03-01 03-10",
    "the same: issued later",
    "blocked",
    "no_admission",
    holds(american({ issuedOn: "2026-01-05" })),
  ],
  ["VEN", "USA 03-01 03-10", "Proclamation 10949, s. 3", "blocked", "visa_suspended", { purpose: "tourism" }],
  [
    "IND",
    "FRA 03-01 03-10",
    "Visa Code, Art. 2(5): airport transit",
    "obtain",
    "visa_required",
    holds(visa("FRA", { type: "A" })),
  ],
  [
    "IND",
    "FRA 03-01 03-10",
    "Visa Code, Art. 24: not valid yet",
    "obtain",
    "visa_required",
    holds(visa("FRA", { type: "C", validFrom: "2027-03-02" })),
  ],
  // One visa for one entry.
  [
    "IND",
    "FRA 03-01 03-05, MCO 03-05 03-07, FRA 03-07 03-12",
    "no border with Monaco",
    "clear",
    "-visa_required",
    single("FRA"),
  ],
  [
    "IND",
    "FRA 03-01 03-05, MCO 03-06 03-07, ITA 03-07 03-12",
    "nor on the way on",
    "clear",
    "-visa_required",
    single("FRA"),
  ],
  [
    "IND",
    "ITA 03-01 03-05, SMR 03-05 03-06, ITA 03-06 03-12",
    "nor with San Marino",
    "unknown",
    "-visa_required",
    single("ITA"),
  ],
  [
    "IND",
    "CHE 03-01 03-05, LIE 03-05 03-06, CHE 03-06 03-12",
    "nor with Liechtenstein",
    "clear",
    "-visa_required",
    single("CHE"),
  ],
  [
    "IND",
    "ESP 03-01 03-05, AND 03-05 03-06, ESP 03-06 03-12",
    "Andorra is outside",
    "obtain",
    "visa_required",
    single("ESP"),
  ],
  ["USA", "ESP 03-01 03-30, ESP 03-30 04-29, ESP 04-30 05-29", "three hotels, 90 days", "clear", "-stay_exceeded"],
  ["MUS", "ESP 03-01 03-30, ESP 03-30 04-29, ESP 04-30 05-30", "Art. 6(1): 91 days", "blocked", "stay_exceeded"],
  ["JPN", "GTM 01-01 02-28, HND 03-01 04-01", "CA-4: 91 days", "blocked", "zone_stay_exceeded"],
  [
    "MUS",
    "FRA 03-25 04-04",
    "Art. 6(1): 80 and 11 days",
    "blocked",
    "zone_stay_exceeded",
    was("ITA", "2027-01-01", "2027-03-21"),
  ],
  ["CHE", "DEU 01-01 12-31", "Agreement on free movement, Annex I", "clear", "-zone_stay_exceeded"],
  ["USA", "GBR 01-01 06-30", "Appendix V: six months", "clear", "-stay_exceeded", holds(eta("GBR"))],
  ["USA", "GBR 01-01 07-04", "Appendix V: 185 days", "blocked", "stay_exceeded", holds(eta("GBR"))],
  // The Visa Waiver Program: 8 U.S.C. 1187(a)(12).
  [
    "FRA",
    "USA 03-01 03-10",
    "Iran since 2011-03-01",
    "obtain",
    "visa_instead",
    { ...was("IRN", "2015-05-01", "2015-05-10"), ...holds(eta("USA")) },
  ],
  [
    "FRA",
    "USA 03-01 03-10",
    "Iran, with a visa",
    "clear",
    "-visa_instead",
    { ...was("IRN", "2015-05-01", "2015-05-10"), ...holds(american()) },
  ],
  [
    "FRA",
    "USA 03-01 03-10",
    "Iraq in 2010",
    "clear",
    "-visa_instead",
    { ...was("IRQ", "2010-05-01", "2010-05-10"), ...holds(eta("USA")) },
  ],
  [
    "DEU",
    "USA 03-01 03-10",
    "Libya, designated in 2016",
    "obtain",
    "visa_instead",
    was("LBY", "2018-05-01", "2018-05-10"),
  ],
  [
    "ESP",
    "USA 03-01 03-10",
    "Cuba before its designation",
    "clear",
    "-visa_instead",
    { ...was("CUB", "2020-12-01", "2020-12-10"), ...holds(eta("USA")) },
  ],
  [
    "ESP",
    "USA 03-01 03-10",
    "Cuba on its day, 2021-01-12",
    "obtain",
    "visa_instead",
    was("CUB", "2021-01-05", "2021-01-12"),
  ],
  ["ESP", "CUB 03-01 03-10, VIR 03-11 03-15", "the Virgin Islands too", "obtain", "visa_instead", holds(eta("USA"))],
  ["ESP", "CUB 03-01 03-10, CAN 03-11 03-15 air", "not Canada", "obtain", "-visa_instead", holds(eta("CAN"))],
  ["GBR CUB", "USA 03-01 03-10", "nationals of Cuba", "obtain", "visa_instead", holds(eta("USA"))],
  ["KOR PRK", "USA 03-01 03-10", "nationals of North Korea", "obtain", "visa_instead", holds(eta("USA"))],
  ["GBR LBY", "USA 03-01 03-10", "presence in Libya only", "obtain", "-visa_instead"],
  [
    "GBR",
    "USA 03-01 04-29, BHS 04-30 05-19, USA 05-20 06-08",
    "8 CFR 217.3(b), INA 101(b)(5): islands",
    "blocked",
    "stay_exceeded",
    holds(eta("USA")),
  ],
  [
    "GBR",
    "USA 03-01 04-29, COL 04-30 05-19, USA 05-20 07-18",
    "8 CFR 217.3(b): farther away",
    "clear",
    "-stay_exceeded",
    holds(eta("USA")),
  ],
  // Transits.
  [
    "GBR",
    "MEX 03-01 03-10",
    "8 CFR 217.2: transit with ESTA",
    "clear",
    "-transit_not_permitted",
    { ...through("USA", false), ...holds(eta("USA")), passportBiometric: true },
  ],
  [
    "BRA",
    "CAN 03-01 03-10",
    "INA 101(a)(15)(C): without a visa",
    "blocked",
    "transit_not_permitted",
    { ...through("USA"), ...holds(visa("CAN")) },
  ],
  [
    "NGA",
    "CAN 03-01 03-10",
    "Passenger Transit Visa Order 2014, art. 4",
    "clear",
    "-transit_not_permitted",
    { ...through("GBR", true), ...holds(visa("CAN")) },
  ],
  // Citizens.
  ["GBR IRL", "GBR 03-01 03-10", "Immigration Act 1971, s. 1(3)", "clear", "-own_passport_needed"],
  ["NZL AUS", "AUS 03-01 03-10", "on the Australian passport", "clear", "-own_passport_needed"],
  ["USA ITA", "ITA 03-01 06-28", "on the Italian passport", "clear", "-stay_exceeded"],
])("%s: %s: %s", (passports, stops, _, outcome, named, more = {}) => {
  const { passportBiometric = null, ...rest } = more
  const decision = decided(embeddedDataset(), {
    ...rest,
    passports: passports.split(" ").map(passport => ({ passport, ...dates, passportBiometric })),
    stops: stops.split(", ").map(stopOf),
  })
  const codes: string[] = [...decision.blockers, ...decision.conditions].map(({ code }) => code)
  const isUnsaid = named.startsWith("-")
  expect(decision.outcome).toBe(outcome)
  expect(codes.includes(named.replace("-", ""))).toBe(!isUnsaid)
})
