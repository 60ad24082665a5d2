/** Who may change where: Regulation (EC) No 810/2009, Art. 3 and Annex IV, for the airports of the Schengen states; every other rule as it is recorded. */
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isRequirement } from "../../src/codes.ts"
import type { DocumentTerms } from "../../src/engine.ts"
import { describePair, embeddedDataset, type ItineraryRequest } from "../../src/index.ts"
import { decideWithRemedies } from "../../src/itinerary/remedies.ts"
import type { RuleCondition } from "../../src/rules/provisions.ts"
import type { HeldDocument } from "../../src/trip/request-fields.ts"
import type { World } from "../oracles/decide.ts"
import { type EntryAsked, judgeTransitByHand, type TransitRow } from "../oracles/transit.ts"
import { sampleOf } from "../sample.ts"
import { isAlwaysMet } from "./completions.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const today = embeddedDataset()
const rows = JSON.parse(readFileSync("data/transit.json", "utf8")) as readonly TransitRow[]

type Transit = NonNullable<ItineraryRequest["transit"]>[number]

const DATES = { passportExpiry: "2035-01-01", passportIssued: "2026-01-01" }
const judge = (passport: string, transit: Transit, more: Partial<ItineraryRequest> = {}) => {
  const stops = [stay("THA", "2026-12-01", "2026-12-10")]
  return decided(today, { passport, ...DATES, stops, transit: [transit], ...more })
}
/** Whether the transit is permitted, with what, or why that is not known. */
const permitted = (passport: string, transit: Transit, ...held: readonly HeldDocument[]) => {
  const { transit: steps, toDo } = judge(passport, transit, { held })
  const { permitted: found } = steps[0]!
  const obtained = toDo.find(({ transits, code }) => transits && isRequirement(code))
  return found.status === "unknown" ? found.code : (obtained?.code ?? found.value)
}
const inside = (country: string) => ({ country, airside: true })
const outside = (country: string) => ({ country, airside: false })

describe("a change inside the international area of an airport", () => {
  it("needs a visa for the passports of Annex IV, in every Schengen state", () => {
    expect(permitted("NGA", inside("DEU"))).toBe("no")
    expect(permitted("PAK", inside("ISL"))).toBe("no")
    expect(judge("NGA", inside("DEU"))).toMatchObject({
      outcome: "blocked",
      transit: [{ decidedBy: 0, area: "airside" }],
    })
  })

  it("needs none for holders of a visa of the USA, Canada, Japan or a Schengen state, or of a permit of one: Art. 3(5)(a) to (c)", () => {
    for (const issuer of ["USA", "CAN", "JPN", "FRA", "DEU"]) {
      expect(permitted("NGA", inside("DEU"), { kind: "visa", issuer })).toBe("yes")
    }
    expect(permitted("NGA", inside("DEU"), { kind: "residence_permit", issuer: "FRA" })).toBe("yes")
    expect(permitted("NGA", inside("DEU"), { kind: "residence_permit", issuer: "USA", permanent: true })).toBe("yes")
    expect(permitted("NGA", inside("DEU"), { kind: "visa", issuer: "IND" })).toBe("no")
    expect(permitted("NGA", inside("DEU"), { kind: "eta", issuer: "USA" })).toBe("no")
  })

  it("is unknown with a permit that may not be permanent", () => {
    expect(permitted("NGA", inside("DEU"), { kind: "residence_permit", issuer: "USA" })).toBe(
      "transit_document_to_check",
    )
  })

  it("needs none for other passports, nor for travellers who may enter", () => {
    expect(permitted("IND", inside("DEU"))).toBe("yes")
    expect(permitted("USA", inside("DEU"))).toBe("yes")
    expect(permitted("FRA", "FRA")).toBe("yes")
  })

  it("is unknown if the visa is required under a condition, or no rule was read", () => {
    expect(permitted("IND", inside("TUR"))).toBe("transit_conditional")
    expect(permitted("IND", inside("QQQ"))).toBe("no_transit_rule")
  })

  it("is unknown for who is never admitted, unless a rule names the passport", () => {
    for (const country of ["KWT", "MYS", "SAU"]) expect(permitted("ISR", inside(country))).toBe("transit_not_named")
    expect(permitted("PRK", inside("JPN"))).toBe("transit_not_named")
  })

  it("needs a visa in Hong Kong, Korea and Peru of whom their lists name, and of nobody else", () => {
    for (const passport of ["PAK", "NGA", "BGD"]) expect(permitted(passport, inside("HKG"))).toBe("e_visa")
    for (const passport of ["NPL", "MMR", "CHN", "MAC"]) expect(permitted(passport, inside("HKG"))).toBe("yes")
    for (const passport of ["EGY", "SDN", "SYR", "YEM"]) expect(permitted(passport, inside("KOR"))).toBe("no")
    for (const passport of ["PAK", "NGA", "CHN", "IRN"]) expect(permitted(passport, inside("KOR"))).toBe("yes")
    expect(["CUB", "HTI"].map(each => permitted(each, inside("PER")))).toEqual(["no", "yes"])
  })

  it("is possible in Hong Kong on the way between two other countries with a passport of China, outside too", () => {
    expect(permitted("CHN", outside("HKG"))).toBe("yes")
    expect(permitted("PAK", outside("HKG"))).toBe("e_visa")
  })
})

describe("a change that leaves the international area", () => {
  it("is an entry", () => {
    expect(permitted("IND", outside("DEU"))).toBe("no")
    expect(permitted("IND", { country: "DEU", by: "land" })).toBe("no")
    expect(permitted("IND", outside("DEU"), { kind: "visa", issuer: "FRA", type: "C" })).toBe("yes")
    expect(permitted("IND", outside("DEU"), { kind: "visa", issuer: "FRA", type: "A" })).toBe("no")
    expect(permitted("USA", outside("DEU"))).toBe("yes")
    expect(permitted("USA", outside("GBR"))).toBe("eta")
    expect(permitted("USA", "GBR")).toBe("transit_needs_entry")
    expect(permitted("USA", outside("GBR"), { kind: "eta", issuer: "GBR" })).toBe("yes")
  })

  it("is permitted with a required authorisation, which is given for a biometric passport only", () => {
    const decision = judge("FRA", "USA", { held: [{ kind: "eta", issuer: "USA" }] })
    expect(decision.transit).toMatchObject([{ permitted: { value: "yes" }, because: [0] }])
    expect(decision.unknowns.map(({ code }) => code)).not.toContain("not_modelled")
    const visaNeeded = judge("NGA", "USA", { held: [{ kind: "eta", issuer: "USA" }] })
    expect(visaNeeded.unknowns.map(({ field, code }) => `${field} ${code}`)).toContain("held[0] not_modelled")
  })

  it("names the document at hand where a residence would do as well, so that it is packed", () => {
    const held = [{ kind: "visa" as const, issuer: "USA", validUntil: "2029-01-01", entries: "multiple" as const }]
    for (const residence of [null, "USA"]) {
      const { transit } = judge("IND", outside("AIA"), { residence, held })
      expect(transit).toMatchObject([{ permitted: { value: "yes" }, because: [0] }])
    }
  })

  it("is permitted to some without a visa, for the hours of the rule", () => {
    const decision = judge("USA", outside("CHN"))
    expect(decision.transit[0]).toMatchObject({ permitted: { value: "yes" }, decidedBy: 1 })
    expect(decision.outcome).toBe("obtain")
    expect(decision.unknowns.map(({ code, params }) => [code, params.hours])).toEqual([["transit_limits", 240]])
  })

  it("uses the entries of a visa that the stops and other changes leave: Regulation (EC) No 810/2009, Art. 2(3)", () => {
    const changeOn = (entries: number, stop: string, ...transit: readonly string[]) =>
      judge("IND", "DEU", {
        stops: [stay(stop, "2026-12-01", "2026-12-10")],
        held: [{ kind: "visa", issuer: "FRA", type: "C", validUntil: "2028-01-01", entries }],
        transit: transit.map(outside),
      }).transit.map(({ permitted: found }) => (found.status === "known" ? found.value : found.code))
    expect(changeOn(1, "THA", "DEU")).toEqual(["yes"])
    expect(changeOn(1, "THA", "DEU", "DEU")).toEqual(["yes", "no"])
    expect(changeOn(1, "THA", "DEU", "ITA")).toEqual(["yes", "no"])
    expect(changeOn(2, "THA", "DEU", "DEU")).toEqual(["yes", "yes"])
    expect(changeOn(2, "FRA", "DEU")).toEqual(["yes"])
    // On the way to Paris one entry is enough for both; on the way elsewhere it is not.
    expect(changeOn(1, "FRA", "DEU")).toEqual(["transit_needs_entry"])
    expect(changeOn(2, "FRA", "DEU", "ITA")).toEqual(["yes", "transit_needs_entry"])
  })
})

describe("if it is not given which of the two a change is", () => {
  it("it is possible if both are, and impossible if both are", () => {
    expect(permitted("USA", "DEU")).toBe("yes")
    expect(permitted("NGA", "DEU")).toBe("no")
    expect(permitted("IND", "DEU")).toBe("transit_area_not_given")
  })

  it("the rule and the document that permit a change inside are still named", () => {
    expect(judge("NGA", "DEU", { held: [{ kind: "visa", issuer: "USA" }] }).transit[0]).toMatchObject({
      permitted: { code: "transit_area_not_given" },
      decidedBy: 0,
      because: [0],
    })
  })
})

describe("a transit that is not permitted", () => {
  it("is a blocker without a stop, and names another way and the visa", () => {
    const stops = [stay("THA", "2026-12-01", "2026-12-10")]
    const result = decideWithRemedies(today, {
      passport: "IND",
      passportExpiry: "2035-01-01",
      stops,
      transit: [inside("GBR")],
    })
    expect(result).toMatchObject({
      value: {
        verdict: "blocked",
        blockers: [
          {
            code: "transit_not_permitted",
            step: null,
            transit: 0,
            params: { destination: "GBR", passports: ["IND"] },
            remedies: [
              { action: "avoid_transit", transit: 0, value: "GBR" },
              { action: "obtain", step: null, value: { kind: "visa", issuer: "GBR", type: "A" } },
            ],
          },
        ],
      },
    })
  })

  it("names all passports with which it is not", () => {
    const passports = ["NGA", "PAK"].map(passport => ({ passport, ...DATES }))
    const stops = [stay("THA", "2026-12-01", "2026-12-10")]
    const { blockers } = decided(today, { passports, stops, transit: [inside("DEU")] })
    expect(blockers.map(({ message }) => message)).toEqual([
      "DEU lets holders of NGA and PAK passports change there only with a visa.",
    ])
  })

  it("is permitted with any of the traveller's passports", () => {
    const passports = ["NGA", "USA"].map(passport => ({ passport, passportExpiry: "2035-01-01" }))
    const stops = [stay("THA", "2026-12-01", "2026-12-10")]
    expect(decided(today, { passports, stops, transit: [inside("DEU")] }).transit[0]!.permitted).toMatchObject({
      value: "yes",
    })
  })

  it("is unknown if a stop requires a visa that also permits the transit", () => {
    const stops = [stay("FRA", "2026-12-01", "2026-12-10")]
    expect(judge("NGA", inside("DEU"), { stops })).toMatchObject({
      outcome: "obtain",
      transit: [{ permitted: { code: "transit_visa_to_obtain", params: { destination: "FRA" } } }],
    })
    expect(judge("PAK", inside("DEU"), { stops: [stay("USA", "2026-12-01", "2026-12-10")] }).transit[0]).toMatchObject({
      permitted: { code: "transit_visa_to_obtain", params: { destination: "USA" } },
    })
  })

  it("is not opened by a visa that is not issued: Proclamation of 16 December 2025, Section 4", () => {
    const usa = stay("USA", "2026-12-01", "2026-12-10")
    const decision = judge("NGA", inside("DEU"), { stops: [usa] })
    expect(decision.transit).toMatchObject([{ permitted: { value: "no" } }])
    expect(decision.blockers.map(({ code }) => code)).toEqual(["visa_suspended", "transit_not_permitted"])
    const stops = [usa, stay("FRA", "2026-12-20", "2026-12-28")]
    expect(judge("NGA", inside("DEU"), { stops }).transit).toMatchObject([
      { permitted: { code: "transit_visa_to_obtain", params: { destination: "FRA" } } },
    ])
  })

  it("is refused inside the international area if the journey is not by air", () => {
    const stops = [stay("THA", "2026-12-01", "2026-12-10")]
    const transit = [{ country: "DEU", airside: true, by: "sea" as const }]
    expect(() => decided(today, { passport: "IND", stops, transit })).toThrow("true is for a change at an airport")
  })
})

describe("a document that waives a transit visa", () => {
  const world: World = {
    sinceOn: "2026-01-01",
    passports: ["NGA"],
    destinations: ["BRA", "DEU", "NGA", "USA"],
    entries: { NGABRA: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 90, free: false }] },
    follows: {},
    zones: [],
    validity: [],
    transit: [],
  }
  const judgeWaived = (terms: Partial<DocumentTerms>, document: Partial<HeldDocument>) => {
    const rule = {
      area: "airside" as const,
      demand: "visa" as const,
      hours: null,
      condition: null,
      isComplete: true,
      confidence: "high" as const,
      passports: null,
      destinations: ["DEU"],
      waivedFor: [{ kind: "visa" as const, issuers: ["USA"], ...terms }],
      source: null,
      sourceUrl: null,
      verifiedOn: null,
    }
    return decided(openWorld(world, { transit: [rule] }), {
      passport: "NGA",
      passportExpiry: "2035-01-01",
      stops: [stay("BRA", "2026-12-01", "2026-12-10"), stay("BRA", "2026-12-15", "2026-12-20")],
      transit: [inside("DEU")],
      held: [{ kind: "visa", issuer: "USA", ...document }],
    }).transit[0]!
  }
  const becauseOf = (terms: Partial<DocumentTerms>, document: Partial<HeldDocument>) =>
    judgeWaived(terms, document).because

  it("has to be valid from the first day of the journey to the last, because the day of the change is not given", () => {
    expect(becauseOf({}, {})).toEqual([0])
    expect(becauseOf({}, { validFrom: "2026-12-01", validUntil: "2026-12-20" })).toEqual([0])
    expect(judgeWaived({}, { validUntil: "2026-11-30" })).toMatchObject({ because: [], permitted: { value: "no" } })
    // Until then a change on the way there needs no visa.
    const onOneDay = [...["2026-12-01", "2026-12-19"].map(validUntil => ({ validUntil })), { validFrom: "2026-12-02" }]
    for (const dates of onOneDay) {
      expect(judgeWaived({}, dates)).toMatchObject({ because: [], permitted: { code: "transit_day_not_given" } })
    }
  })

  it("may have ended for as long as the rule accepts it", () => {
    expect(becauseOf({ expiredWithinYears: 1 }, { validUntil: "2025-12-21" })).toEqual([0])
    expect(becauseOf({ expiredWithinYears: 1 }, { validUntil: "2025-12-20" })).toEqual([])
  })

  it("has the days left that the rule asks for, on the last day too", () => {
    expect(becauseOf({ validDaysAfterEntry: 30 }, { validUntil: "2027-01-19" })).toEqual([0])
    expect(becauseOf({ validDaysAfterEntry: 30 }, { validUntil: "2027-01-18" })).toEqual([])
  })

  it("has to be checked if the request does not give what the rule requires", () => {
    expect(judgeWaived({ multipleEntry: true }, {}).permitted).toMatchObject({
      code: "transit_document_to_check",
      params: { issuer: "USA", held: 0, checks: ["multipleEntry"], remark: null },
    })
    expect(judgeWaived({ remark: "On the way there." }, {}).permitted).toMatchObject({
      reason: "With the visa of USA that is held the change is permitted, if this is so: on the way there.",
    })
  })
})

it("lets everybody pass whom a list does not name, but only if all of it was read", () => {
  const rule = {
    area: "airside" as const,
    hours: null,
    condition: null,
    confidence: "high" as const,
    destinations: ["DEU"],
    source: null,
    sourceUrl: null,
    verifiedOn: null,
  }
  const judgeBy = (isComplete: boolean) => {
    const waivedFor = [{ kind: "visa" as const, issuers: ["BRA"] }]
    const demanded = { ...rule, demand: "visa" as const, isComplete, waivedFor, passports: ["IND"] }
    const others = { ...rule, demand: "no_visa" as const, isComplete: true, passports: null }
    const free = { fromOn: "2026-01-01", requirement: "visa_free" as const, days: 90, free: false }
    const world: World = {
      sinceOn: "2026-01-01",
      passports: ["IND", "NGA"],
      destinations: ["BRA", "DEU", "IND", "NGA"],
      entries: { NGABRA: [free] },
      follows: {},
      zones: [],
      validity: [],
      transit: [],
    }
    const asked = { passport: "NGA", ...DATES, stops: [stay("BRA", "2026-12-01", "2026-12-10")] }
    return decided(openWorld(world, { transit: [demanded, others] }), { ...asked, transit: [inside("DEU")] })
      .transit[0]!
  }
  expect(judgeBy(true).permitted).toMatchObject({ value: "yes" })
  expect(judgeBy(false).permitted).toMatchObject({ code: "transit_not_named" })
})

const refuses = (country: string, passport: string) => {
  const pair = describePair(today, passport, country)
  return pair.kind === "found" && pair.answer.requirement === "no_admission"
}

// What an entry asks, as far as the data names it.
function askOf(passport: string, country: string, isByAir = false): EntryAsked {
  const pair = describePair(today, passport, country)
  if (pair.kind !== "found") return "open"
  const { requirement, uncertain } = pair.answer
  const { corroboration: other } = pair
  if (requirement === "no_admission" || requirement === "visa_required")
    return other?.isOpen === true && !["no_admission", "visa_required"].includes(other.requirement) ? "open" : "visa"
  // What the passport has to be, and a registration, are conditions of what is obtained, and told beside it.
  const ofObtaining = requirement === "visa_free" ? [] : ["passport_kind", "registration"]
  const harmless = ["bring", "not_enforced", "exempt", "also", "asked_at", "border_control", ...ofObtaining]
  const isOpen =
    uncertain ||
    // Law 6458, Arts. 7(1)(b) and 18: the passport has to outlast the permitted stay, which is not known.
    (country === "TUR" &&
      requirement !== "visa_free" &&
      (pair.answer.days === null || pair.answer.source?.imported !== false)) ||
    pair.stale === "ended" ||
    pair.stale === "changed_since" ||
    // Two answers that both ask for nothing before the arrival let the traveller through.
    (other?.isOpen === true &&
      ![requirement, other.requirement].every(each => each === "visa_free" || each === "visa_on_arrival")) ||
    pair.conditions.some(
      each =>
        !harmless.includes(each.kind) &&
        !isAlwaysMet(passport, each) &&
        !isForTourists(each) &&
        !(isByAir && isOpenByAir(each)),
    )
  return isOpen ? "open" : requirement === "visa_free" ? "nothing" : requirement
}

const isOpenByAir = (condition: RuleCondition) =>
  condition.kind === "entry_points" && condition.names === undefined && condition.borders?.includes("air") === true

// Who names no purpose is taken for a tourist.
const isForTourists = (condition: RuleCondition) =>
  condition.kind === "purpose" && condition.purposes.includes("tourism")

const zones = today.zones.find(({ id }) => id === "schengen")!.members.map(({ code }) => code)
const expand = (selector: string) => (selector === "@schengen" ? zones : [selector])
const asEntries = rows.flatMap(({ demand, destinations }) => (demand === "entry" ? destinations : []))
const countries = [...new Set(rows.flatMap(({ destinations }) => destinations)), "ARE", "FJI", "GRL"]

describe("the limits of a rule that permits a change", () => {
  const limitsOf = ({ unknowns }: ReturnType<typeof judge>) =>
    unknowns.filter(({ code }) => code === "transit_limits").map(({ params }) => params.hours)

  it("do not apply to a traveller who may enter: with a visa, or on any of the passports", () => {
    expect(limitsOf(judge("PAK", inside("PAN")))).not.toEqual([])
    expect(limitsOf(judge("PAK", inside("PAN"), { held: [{ kind: "visa", issuer: "PAN" }] }))).toEqual([])
    const stops = [stay("THA", "2026-12-01", "2026-12-10")]
    for (const codes of [
      ["PAK", "FRA"],
      ["FRA", "PAK"],
    ]) {
      const passports = codes.map(passport => ({ passport, ...DATES }))
      expect(limitsOf(decided(today, { passports, stops, transit: [inside("PAN")] }))).toEqual([])
    }
  })

  // Free entry ends in 2027. Outside the international area the rule then permits some hours, inside it any time.
  const rule = {
    demand: "no_visa" as const,
    condition: null,
    isComplete: true,
    confidence: "high" as const,
    passports: null,
    destinations: ["BRA"],
    source: null,
    sourceUrl: null,
    verifiedOn: null,
  }
  const world: World = {
    sinceOn: "2026-01-01",
    passports: ["NGA"],
    destinations: ["BRA", "NGA"],
    entries: {
      NGABRA: [
        { fromOn: "2026-01-01", requirement: "visa_free", days: 90, free: false },
        { fromOn: "2027-01-01", requirement: "visa_required", days: null, free: false },
      ],
    },
    follows: {},
    zones: [],
    validity: [{ destinations: ["BRA"], anchor: "departure", months: 0, days: 0, issuedWithinYears: null }],
    transit: [],
  }
  const transit = [
    { ...rule, area: "airside" as const, hours: null },
    { ...rule, area: "landside" as const, hours: 24 },
  ]
  const change = (from: string, to: string, where: Transit) =>
    decided(openWorld(world, { transit }), {
      passport: "NGA",
      ...DATES,
      stops: [stay("NGA", from, to)],
      transit: [where],
    })

  it("apply if they apply on one of the two days", () => {
    expect(limitsOf(change("2026-12-20", "2026-12-28", outside("BRA")))).toEqual([])
    expect(limitsOf(change("2027-01-02", "2027-01-05", outside("BRA")))).toEqual([24])
    expect(limitsOf(change("2026-12-28", "2027-01-05", outside("BRA")))).toEqual([24])
  })

  it("apply if it is not given which of the two a change is", () => {
    expect(limitsOf(change("2027-01-02", "2027-01-05", inside("BRA")))).toEqual([])
    expect(limitsOf(change("2027-01-02", "2027-01-05", "BRA"))).toEqual([24])
  })
})

describe("against the rows of the data, read one by one", () => {
  const atHome = (passport: string, transit: readonly Transit[], held: readonly HeldDocument[]) =>
    decided(today, {
      passport,
      ...DATES,
      stops: [stay(passport, today.asOf, today.asOf)],
      transit: [...transit],
      held: [...held],
    })
  const answersOf = ({ transit, conditions }: ReturnType<typeof atHome>) =>
    transit.map(({ permitted: found }, at) => {
      const needed = conditions.find(({ transit, code }) => transit === at && isRequirement(code))
      return found.status === "unknown" ? "unknown" : (needed?.code ?? found.value)
    })

  it("every passport may change in every country with a rule as the rows say", () => {
    const wrong: string[] = []
    for (const passport of sampleOf(today.passports, 24).filter(code => today.destinations.includes(code))) {
      for (const country of countries) {
        const areas = ["airside", "landside", null] as const
        const transit = [inside(country), outside(country), country]
        const found = answersOf(atHome(passport, transit, []))
        areas.forEach((area, at) => {
          const entry = askOf(passport, country, area === "airside")
          const isRefused = refuses(country, passport)
          const expected = judgeTransitByHand({
            rows,
            country,
            passport,
            area,
            entry,
            isRefused,
            documents: [],
            expand,
          })
          if (found[at] !== expected) wrong.push(`${passport} ${country} ${area}: ${found[at]}, not ${expected}`)
        })
      }
    }
    expect(wrong).toEqual([])
  })

  it("and with documents inside the international area", () => {
    const issuer = fc.constantFrom("USA", "CAN", "FRA", "GBR", "JPN", "AUS", "IRL", "MEX")
    const document = fc.record({ kind: fc.constantFrom("visa" as const, "residence_permit" as const), issuer })
    const asked = fc.record({
      passport: fc.constantFrom("NGA", "IND", "PAK", "CUB", "SYR", "CHN", "RUS"),
      country: fc.constantFrom(...countries.filter(code => askOf("NGA", code) !== "nothing")),
      documents: fc.array(document, { minLength: 1, maxLength: 2 }),
    })
    fc.assert(
      fc.property(asked, ({ passport, country, documents }) => {
        const entry = askOf(passport, country)
        fc.pre(entry === "visa")
        const decision = atHome(passport, [inside(country)], documents)
        const [answer] = answersOf(decision)
        const question = { rows, country, passport, entry, isRefused: refuses(country, passport), documents, expand }
        const expected = judgeTransitByHand({ ...question, area: "airside" })
        // Documents may ease the entry itself, and with it the change inside.
        // So may a document that has to be checked, where what an entry asks is asked inside too.
        const { permitted } = decision.transit[0]!
        const isToCheck = permitted.status === "unknown" && permitted.code === "transit_document_to_check"
        if (isToCheck && asEntries.includes(country)) return
        if (answer === "no" || answer === "unknown") expect(answer).toBe(expected)
        else expect(decision.transit[0]!.because.length > 0 || expected === answer).toBe(true)
      }),
    )
  })
})
