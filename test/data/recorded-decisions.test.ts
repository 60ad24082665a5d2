/** Decisions by the stay rules, agreements and waivers of `data/`: each claim names its law, because a corrected record may change it. */
import { describe, expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, lookupHeld } from "../../src/index.ts"
import { decided, stay } from "../itinerary/decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }
const india = { passport: "IND", ...dates }

/**
 * A uniform visa of one Schengen state is a visa for all of them, within its entries, its days and its validity (Convention implementing the
 * Schengen Agreement, Art. 19(1); Regulation (EC) No 810/2009, Art. 2(3)).
 */
describe("a French short-stay visa", () => {
  const stops = [stay("FRA", "2026-12-01", "2026-12-10"), stay("DEU", "2026-12-10", "2026-12-20")]
  const there = stay("FRA", "2026-12-01", "2026-12-05")
  const outAndBack = [there, stay("GBR", "2026-12-05", "2026-12-08"), stay("DEU", "2026-12-08", "2026-12-12")]
  const sticker = {
    kind: "visa",
    issuer: "FRA",
    type: "C",
    validFrom: "2026-11-15",
    validUntil: "2027-02-15",
    entries: "multiple",
    durationOfStayDays: 30,
  } as const
  const codesOf = (held: Partial<Record<keyof typeof sticker, unknown>>, way = stops) => {
    const decision = decided(dataset, { ...india, stops: way, held: [{ ...sticker, ...held } as typeof sticker] })
    // The registration at the border leaves nothing to be done.
    const codes = [...decision.blockers, ...decision.conditions.filter(({ code }) => code !== "entry_exit_system")]
    return codes.map(({ step, code }) => `${step} ${code}`).filter(code => way === stops || code.startsWith("2"))
  }

  it("is the visa that Germany requires: nothing is left to be checked", () => {
    const decision = decided(dataset, { ...india, stops, held: [sticker] })
    expect(decision.conditions.map(({ code }) => code)).toEqual(["entry_exit_system"])
    expect(decision.held[0]?.steps).toEqual([0, 1])
    expect(decision.steps.map(({ zoneStay }) => zoneStay?.status === "known" && zoneStay.value)).toEqual([10, 20])
  })

  it("limits the days in France and in Germany together", () => {
    const { blockers } = decided(dataset, { ...india, stops, held: [{ ...sticker, durationOfStayDays: 19 }] })
    expect(blockers.map(({ step, code, basis }) => [step, code, basis])).toEqual([
      [1, "stay_exceeded", "held_document"],
    ])
    expect(codesOf({ durationOfStayDays: 20 })).toEqual([])
  })

  it("is valid in Germany for as long as it is in France", () => {
    expect(codesOf({ validUntil: "2026-12-20" })).toEqual([])
    expect(codesOf({ validUntil: "2026-12-19" })).toEqual(["1 stay_exceeded"])
  })

  it("has an entry into the area, not one into each state", () => {
    expect(codesOf({ entries: 1 })).toEqual([])
    expect(codesOf({ entries: 1 }, outAndBack)).toEqual(["2 visa_required", "2 insurance"])
    expect(codesOf({ entries: 2 }, outAndBack)).toEqual([])
  })

  it("is valid for Monaco, whose days count with those in France", () => {
    expect(codesOf({}, [...stops, stay("MCO", "2026-12-20", "2026-12-30")])).toEqual([])
    expect(codesOf({}, [...stops, stay("MCO", "2026-12-20", "2026-12-31")])).toEqual(["2 stay_exceeded"])
  })

  it("is recognised by its class in words, but not with class A", () => {
    expect(codesOf({ type: "short-stay" })).toEqual([])
    expect(codesOf({ type: "A" })).toContain("1 visa_required")
  })
})

/**
 * The United Kingdom (Appendix V: Visitor), Canada (Immigration and Refugee Protection Regulations, s. 183(2)) and Panama for nationals of Canada
 * and the United States (Resolution 22068 of 2021) give six months; Australia (subclasses 601 and 651), New Zealand (visa waiver), Panama for
 * others and Seychelles (visitor's permit) three; Fiji four.
 */
describe("a stay that the law gives in months", () => {
  for (const [passport, destination, from, to, dayAfter] of [
    ["USA", "GBR", "2026-12-01", "2027-06-01", "2027-06-02"],
    ["FRA", "CAN", "2026-12-01", "2027-06-01", "2027-06-02"],
    ["USA", "PAN", "2026-12-01", "2027-06-01", "2027-06-02"],
    ["FRA", "PAN", "2027-07-01", "2027-10-01", "2027-10-02"],
    ["USA", "AUS", "2027-07-01", "2027-10-01", "2027-10-02"],
    ["USA", "NZL", "2027-07-01", "2027-10-01", "2027-10-02"],
    ["GBR", "NZL", "2027-07-01", "2028-01-01", "2028-01-02"],
    ["USA", "SYC", "2027-07-01", "2027-10-01", "2027-10-02"],
    ["USA", "FJI", "2027-07-01", "2027-11-01", "2027-11-02"],
  ] as const) {
    it(`lasts to the day of the same number: ${passport} in ${destination} from ${from}`, () => {
      const codesUntil = (last: string) =>
        decided(dataset, { passport, ...dates, stops: [stay(destination, from, last)] }).blockers.map(
          ({ code }) => code,
        )
      expect(codesUntil(to)).toEqual([])
      expect(codesUntil(dayAfter)).toEqual(["stay_exceeded"])
    })
  }

  it("is not a stay of months with a document that gives thirty days", () => {
    const held = [{ kind: "residence_permit", issuer: "USA", permanent: true }] as const
    const requirementUntil = (to: string) =>
      decided(dataset, { ...india, stops: [stay("PAN", "2026-12-01", to)], held }).steps[0]?.requirement
    expect(requirementUntil("2026-12-30")).toMatchObject({ value: "visa_free" })
    // A visa can be had for a longer one.
    expect(requirementUntil("2026-12-31")).toMatchObject({ value: "visa_required" })
  })

  it("does not apply to a visitor visa of Australia, which names its own stay", () => {
    const stops = [stay("AUS", "2026-12-01", "2027-03-31")]
    expect(decided(dataset, { ...india, stops }).blockers).toEqual([])
  })
})

/**
 * Holders of the passports of annex A, no. 1, of Germany's Residence Ordinance may exceed a short stay, as far as agreements from before
 * 1993-09-01 allow (section 16), on a request (Convention implementing the Schengen Agreement, Art. 20(2a)).
 */
describe("a stay in Germany of more than ninety days", () => {
  const stops = [stay("DEU", "2026-12-01", "2027-03-10")]

  for (const passport of ["AUS", "BRA", "CAN", "CHL", "HND", "JPN", "KOR", "MCO", "NZL", "PAN", "SLV", "SMR"]) {
    it(`is too long for ${passport}, unless it is extended under an agreement from before 1993`, () => {
      const { blockers } = decided(dataset, { passport, ...dates, stops })
      expect(blockers.map(({ code }) => code)).toEqual(["zone_stay_exceeded"])
      expect(blockers[0]?.params.agreement).toContain("Agreements of Germany")
    })
  }

  it("is too long for everybody else, and in every other state, and no agreement is named", () => {
    const agreementsOf = (passport: string, way = stops) =>
      decided(dataset, { passport, ...dates, stops: way }).blockers.flatMap(({ step, code, params }) =>
        code === "zone_stay_exceeded" ? [[step, params.agreement !== undefined]] : [],
      )
    expect(agreementsOf("GBR")).toEqual([[0, false]])
    expect(agreementsOf("AUS", [stay("SVN", "2026-12-01", "2027-03-10")])).toEqual([[0, false]])
    expect(agreementsOf("AUS", [...stops, stay("FRA", "2027-03-10", "2027-03-12")])).toEqual([
      [0, true],
      [1, false],
    ])
  })
})

describe("a document whose class a waiver requires", () => {
  const held = (passport: string, destination: string, document: object) => {
    const found = lookupHeld(dataset, passport, destination, { held: [document as never], on: "2026-12-01" })
    return found.ok && found.value.kind === "found" ? found.value : null
  }

  it("lets Indians stop over in Singapore on the way elsewhere, with a visa of Australia that is valid for a month more", () => {
    const visa = { kind: "visa" as const, issuer: "AUS", validUntil: "2026-12-31" }
    const judge = (document: HeldDocument, purpose?: string) => {
      const stops = [{ destination: "SGP", from: "2026-12-01", to: "2026-12-03" }]
      const { requirement } = decided(dataset, { passport: "IND", held: [document], stops, purpose }).steps[0]!
      return requirement.status === "known" && requirement.value
    }
    expect(judge(visa, "transit")).toBe("visa_free")
    expect(judge({ ...visa, validUntil: "2026-12-30" }, "transit")).toBe("visa_required")
    expect(judge({ ...visa, issuer: "ITA", type: "C" }, "transit")).toBe("visa_free")
    expect([judge(visa), held("IND", "SGP", visa)?.requirement]).toEqual(["visa_required", "visa_required"])
  })

  it("lets Mexicans into Canada with an authorisation by a nonimmigrant visa of the United States, not by an immigrant visa", () => {
    expect(held("MEX", "CAN", { kind: "visa", issuer: "USA", type: "B1/B2" })).toMatchObject({ requirement: "eta" })
    expect(held("MEX", "CAN", { kind: "visa", issuer: "USA", type: "IR-1" })).toMatchObject({
      requirement: "visa_required",
    })
  })

  it("lets holders of Schengen visas for two entries into Cyprus", () => {
    expect(held("IND", "CYP", { kind: "visa", issuer: "FRA", entries: 2 })).toMatchObject({ requirement: "visa_free" })
    expect(held("IND", "CYP", { kind: "visa", issuer: "FRA", type: "C", entries: 1 })).toMatchObject({
      requirement: "visa_required",
    })
  })
})

/** The proclamation that keeps nationals of some states out of the United States exempts lawful permanent residents (FR 2025-23570). */
describe("an Afghan in the United States", () => {
  const stops = [stay("USA", "2026-12-01", "2027-12-01")]
  const judged = (held: Parameters<typeof decided>[1]["held"]) =>
    decided(dataset, { passport: "AFG", ...dates, stops, held })

  it("is admitted as a permanent resident, on the permit", () => {
    const { blockers, conditions, held, steps } = judged([{ kind: "residence_permit", issuer: "USA", permanent: true }])
    expect([blockers, conditions, held[0]?.steps]).toEqual([[], [], [0]])
    expect(steps[0]?.requirement).toMatchObject({ value: "visa_required", because: [{ document: 0, waiver: null }] })
  })

  it("has to check the exemption if the permit's permanence or the visa's day of issue is not given", () => {
    for (const document of [
      { kind: "residence_permit", issuer: "USA" },
      { kind: "visa", issuer: "USA" },
    ] as const) {
      const { outcome, blockers, conditions } = judged([document])
      expect([outcome, blockers]).toEqual(["unknown", []])
      expect(conditions.map(({ code }) => code)).toContain("check_exemption")
    }
  })

  it("is not admitted with any other document", () => {
    for (const document of [
      { kind: "residence_permit", issuer: "USA", permanent: false },
      { kind: "residence_permit", issuer: "CAN", permanent: true },
      { kind: "visa", issuer: "USA", issuedOn: "2026-06-01" },
      { kind: "residence_permit", issuer: "USA", permanent: true, validUntil: "2026-11-30" },
    ] as const) {
      expect(judged([document]).blockers.map(({ code }) => code)).toContain("no_admission")
    }
  })
})

/** The border of Italy with San Marino and the Vatican is open: a document for Italy is enough for them. */
describe("a Schengen visa", () => {
  it.each(["VAT", "SMR"])("is all that is needed for %s", destination => {
    const held = [{ kind: "visa", issuer: "ITA", type: "C", durationOfStayDays: 30, entries: 1 }] as const
    const stops = [
      stay("ITA", "2027-03-01", "2027-03-05"),
      stay(destination, "2027-03-05", "2027-03-05"),
      stay("ITA", "2027-03-05", "2027-03-10"),
    ]
    const { blockers, conditions } = decided(dataset, { ...india, stops, held })
    expect([...blockers, ...conditions].map(({ code }) => code)).toEqual(["entry_exit_system"])
  })
})

/** A visa of Venezuela is valid at any border, though travellers who need none may come by air only. */
it("a held visa is not limited to the borders for entry without one", () => {
  const stops = [{ ...stay("VEN", "2027-03-01", "2027-03-05"), by: "land" as const }]
  const judge = (held: { kind: "visa"; issuer: string }[]) =>
    decided(dataset, { ...india, passport: "FRA", stops, held }).blockers.map(({ code }) => code)
  expect(judge([])).toEqual(["entry_point_closed"])
  expect(judge([{ kind: "visa", issuer: "VEN" }])).toEqual([])
})
