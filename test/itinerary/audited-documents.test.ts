/** What an audit by somebody who did not build the judge found of documents, purposes and passports, each with its rule. */
import { expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, type ItineraryRequest } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const VALID = { passportExpiry: "2034-01-01", passportIssued: "2025-01-01", passportBiometric: true }
type Stop = ItineraryRequest["stops"][number]
const judge = (passport: string, stops: readonly Stop[], held: readonly HeldDocument[] = [], more: object = {}) =>
  decided(embeddedDataset(), { passport, ...VALID, stops, held, ...more })
const openOf = ({ conditions, unknowns }: ReturnType<typeof decided>) =>
  [...conditions, ...unknowns]
    .filter(({ weight }) => weight === "check" || weight === "unknown")
    .map(({ code }) => code)
const visaOf = (issuer: string, more: object = {}): HeldDocument => ({
  kind: "visa",
  issuer,
  validUntil: "2029-06-01",
  entries: "multiple",
  ...more,
})

it("an airport transit visa is not for entry, and exempts from no announced authorisation: Regulation (EU) 2018/1240, Art. 2(2)", () => {
  const stops = [stay("CZE", "2027-09-04", "2027-10-05")]
  expect(openOf(judge("PAN", stops, [visaOf("CZE", { type: "A" })]))).toContain("authorisation_announced")
  expect(openOf(judge("PAN", stops, [visaOf("CZE", { type: "C", durationOfStayDays: 90 })]))).not.toContain(
    "authorisation_announced",
  )
})

it("a visa whose days are not known leaves a stay open that is not permitted without it", () => {
  const earlierStays = [
    { destination: "HKG", from: "2025-11-24", to: "2026-02-21" },
    { destination: "HKG", from: "2026-04-13", to: "2026-07-11" },
  ]
  const hongKong = [stay("HKG", "2026-12-09", "2027-01-05")]
  const study = [visaOf("HKG", { type: "study" })]
  expect(judge("KOR", hongKong, study, { earlierStays }).outcome).not.toBe("clear")
  const saintKitts = [stay("KNA", "2027-02-27", "2027-03-12")]
  expect(judge("TUR", saintKitts, [visaOf("KNA")]).outcome).toBe("unknown")
})

it("the days of a long-stay visa or a permit bind, if they are given", () => {
  const long = [stay("ESP", "2027-05-08", "2027-11-05")]
  const visa = visaOf("ESP", { type: "D", durationOfStayDays: 90 })
  expect(judge("IND", long, [visa]).blockers).toMatchObject([{ code: "stay_exceeded", params: { allowed: 90 } }])
  expect(judge("IND", long, [{ ...visa, durationOfStayDays: 200 }]).blockers).toEqual([])
  const permit: HeldDocument = { kind: "residence_permit", issuer: "JPN", durationOfStayDays: 90 }
  expect(judge("IND", [stay("JPN", "2027-05-08", "2027-11-05")], [permit]).outcome).toBe("blocked")
})

it("a form of one state of CA-4 is asked after a stop in another: the minutes of 2006 end checks of migration only", () => {
  const stops = [stay("SLV", "2027-10-23", "2027-11-05"), stay("HND", "2027-11-05", "2027-11-14")]
  expect(judge("USA", stops).toDo).toMatchObject([{ code: "arrival_form", step: 1 }])
})

it("who names no purpose is a tourist: a transit visa and a waiver for transits are for nobody who stays", () => {
  const southAfrica = [stay("ZAF", "2027-04-02", "2027-09-12")]
  const transit = [visaOf("ZAF", { type: "transit" })]
  const korea = [stay("KOR", "2027-01-05", "2027-01-19")]
  const permit: HeldDocument[] = [{ kind: "residence_permit", issuer: "USA", validUntil: "2027-11-03" }]
  for (const [passport, stops, held] of [
    ["BRA", southAfrica, transit],
    ["MRT", korea, permit],
  ] as const) {
    const [none, tourism] = [{}, { purpose: "tourism" }].map(more => judge(passport, stops, held, more))
    expect([none!.outcome, none!.steps[0]!.requirement]).toEqual([tourism!.outcome, tourism!.steps[0]!.requirement])
  }
  expect(judge("BRA", southAfrica, transit).outcome).toBe("blocked")
})

it("a visa of the country needs no registration for an entry without one", () => {
  const stops = [stay("HKG", "2026-12-31", "2027-01-05")]
  expect(judge("IND", stops).toDo.map(({ code }) => code)).toContain("registration")
  expect(judge("IND", stops, [visaOf("HKG", { type: "visit", durationOfStayDays: 90 })]).outcome).toBe("clear")
})

it("documents of Gibraltar are not those of a Schengen state, whose days it shares", () => {
  const inMexico = [stay("MEX", "2027-02-01", "2027-02-10")]
  expect(judge("PHL", inMexico, [visaOf("GIB")]).toDo).toMatchObject([{ code: "visa_required" }])
  expect(judge("PHL", inMexico, [visaOf("FRA")]).steps[0]?.requirement).toMatchObject({ value: "visa_free" })
})

it("a visa without its class is one of the visitor's class, in every state that it opens", () => {
  const visa = visaOf("POL", { durationOfStayDays: 90 })
  for (const destination of ["POL", "GRC"]) {
    const { outcome, unknowns } = judge("TZA", [stay(destination, "2026-12-15", "2027-01-27")], [visa])
    expect([outcome, unknowns.map(({ code }) => code)]).toEqual(["clear", expect.arrayContaining(["document_assumed"])])
  }
})

it("two passports are never worse at a change of planes than one of them", () => {
  const inFrance = [stay("FRA", "2028-04-30", "2028-05-02")]
  const transit = [{ country: "MEX", airside: true }]
  const [rwanda, georgia] = ["RWA", "GEO"].map(passport => ({ passport, ...VALID, passportExpiry: "2035-05-05" }))
  const { passport, ...dates } = rwanda!
  expect(judge(passport, inFrance, [], { ...dates, transit }).outcome).toBe("obtain")
  const both = decided(embeddedDataset(), { passports: [rwanda!, georgia!], stops: inFrance, transit } as never)
  expect(both.outcome).toBe("obtain")
})

it("a visa that is still to be obtained opens an airside change only by its class: Order 2014 (United Kingdom) names D", () => {
  const { unknowns, blockers } = judge("RWA", [stay("FRA", "2027-04-20", "2027-05-03")], [], {
    transit: [{ country: "GBR", airside: true }],
  })
  expect(unknowns.map(({ code }) => code)).not.toContain("transit_visa_to_obtain")
  expect(blockers.map(({ code }) => code)).toEqual(["transit_not_permitted"])
})

it("the longest stay of a class binds, whatever days are given: Law 23/2023/QH15, Art. 2(2)", () => {
  const visa = visaOf("VNM", { type: "e-visa", durationOfStayDays: 180 })
  const { blockers } = judge("BRA", [stay("VNM", "2027-11-01", "2028-02-27")], [visa])
  expect(blockers).toMatchObject([{ code: "stay_exceeded", params: { days: 119, allowed: 90 } }])
})

it("a visa on arrival without a recorded number of days proves no stay", () => {
  expect(judge("SAU", [stay("EGY", "2027-03-01", "2027-09-25")]).outcome).toBe("unknown")
})

it("nothing is to be obtained for a stop at which nothing that is obtained lets the traveller in", () => {
  const passports = ["GBR", "USA"].map(passport => ({ passport, ...VALID }))
  const stops = [{ ...stay("USA", "2027-03-01", "2027-03-10"), passport: "GBR" }]
  const { outcome, toDo, blockers } = decided(embeddedDataset(), { passports, stops } as never)
  expect([outcome, toDo]).toEqual(["blocked", []])
  expect(blockers.map(({ code }) => code)).toContain("own_passport_needed")
})

it("a second passport makes no journey worse, and an earlier stay is too long only if it was so on each of them", () => {
  const decide = (passports: readonly object[], more: object) =>
    decided(embeddedDataset(), { passports, ...more } as never).outcome
  const [nepal, iran, gambia, montenegro] = ["NPL", "IRN", "GMB", "MNE"].map(passport => ({ passport, ...VALID }))
  const permit = { kind: "residence_permit", issuer: "SAU", validUntil: "2027-12-28" }
  const inOman = { stops: [stay("OMN", "2027-07-01", "2027-07-14")], held: [permit] }
  const earlierStays = [stay("RUS", "2026-06-02", "2026-06-12"), stay("RUS", "2026-09-01", "2026-10-31")]
  const visa = visaOf("RUS", { type: "e-visa" })
  const inRussia = { stops: [{ ...stay("RUS", "2027-01-29", "2027-02-27"), by: "air" }], held: [visa], earlierStays }
  for (const [passports, more] of [
    [[nepal!, iran!], inOman],
    [[gambia!, montenegro!], inRussia],
  ] as const) {
    const outcomes = [passports.slice(0, 1), passports, passports.toReversed()].map(each => decide(each, more))
    expect(outcomes).toEqual(["clear", "clear", "clear"])
  }
})

it("a permit that ends before the stay closes no entry on a visa that is issued on arrival", () => {
  const permit: HeldDocument = { kind: "residence_permit", issuer: "RWA", validUntil: "2027-02-17" }
  expect(judge("SYC", [stay("RWA", "2027-02-12", "2027-02-18")], [permit]).outcome).toBe("clear")
})

it("a transit rule that names a passport comes before the one for everybody", () => {
  const transit = [{ country: "HKG", airside: true }]
  expect(openOf(judge("CHN", [stay("EGY", "2027-03-01", "2027-03-05")], [], { transit }))).toEqual(["transit_limits"])
  const cairo = [{ country: "EGY", airside: true }]
  const { blockers } = judge("IRN", [stay("KEN", "2027-03-01", "2027-03-05")], [], { transit: cairo })
  expect(blockers.map(({ code }) => code)).toEqual(["transit_not_permitted"])
})

it("a permission that has ended is no answer", () => {
  expect(openOf(judge("RUS", [stay("MNE", "2027-03-01", "2027-03-05")]))).toEqual(["answer_ended"])
})
