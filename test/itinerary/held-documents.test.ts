import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { decide } from "../../src/trip/judge.ts"
import type { HeldDocument, ItineraryRequest } from "../../src/trip/request-fields.ts"
import type { World } from "../oracles/decide.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const since = "2026-01-01"
const entry = (requirement: string, days: number | null) => [{ fromOn: since, requirement, days, free: false }]
const everywhere = { fromDay: null, untilDay: null }

const world: World = {
  sinceOn: since,
  passports: ["IND", "USA"],
  destinations: ["AND", "DEU", "FRA", "GBR", "GUM", "IND", "KWT", "MEX", "USA"],
  entries: {
    INDFRA: entry("visa_required", null),
    INDDEU: entry("visa_required", null),
    USAFRA: entry("visa_free", 90),
    USADEU: entry("visa_free", 90),
    INDMEX: entry("visa_required", null),
    USAMEX: entry("visa_free", 180),
    INDGBR: entry("visa_required", null),
    USAGBR: entry("eta", 180),
    INDUSA: entry("visa_required", null),
    INDKWT: entry("no_admission", null),
    INDAND: entry("e_visa", 30),
  },
  follows: { GUM: "USA" },
  zones: [
    {
      id: "schengen",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: ["DEU", "FRA"].map(code => ({ code, ...everywhere })),
    },
  ],
  validity: [{ destinations: ["FRA", "DEU"], anchor: "departure", months: 3, days: 0, issuedWithinYears: 10 }],
  transit: [],
  waivers: [
    {
      destinations: ["MEX"],
      held: [{ kind: "visa", issuers: ["USA", "GBR"], validDaysAfterExit: 0 }],
      requirement: "visa_free",
      days: 180,
    },
    {
      destinations: ["AND"],
      held: [{ kind: "visa", issuers: ["FRA"], usedBefore: true }],
      requirement: "visa_free",
      days: 90,
    },
    {
      destinations: ["DEU", "FRA"],
      held: [
        { kind: "visa", issuers: ["DEU", "FRA"] },
        { kind: "residence_permit", issuers: ["DEU", "FRA"] },
      ],
      requirement: "visa_free",
      days: 90,
    },
    { destinations: ["KWT"], held: [{ kind: "residence_permit", issuers: ["USA"] }], requirement: "e_visa", days: 30 },
  ],
}
const dataset = openWorld(world)
const india = { passport: "IND", passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }
const america = { ...india, passport: "USA" }

const decideOn = (held: readonly HeldDocument[], ...stops: ItineraryRequest["stops"]) =>
  decided(dataset, { ...india, held, stops })
const codesOf = ({ blockers }: ReturnType<typeof decided>) =>
  blockers.map(({ step, code, basis }) => [step, code, ...(basis === undefined ? [] : [basis])].join(" "))
const neededBy = ({ conditions }: ReturnType<typeof decided>) => conditions.map(({ step, code }) => `${step} ${code}`)

const shortVisa: HeldDocument = {
  kind: "visa",
  issuer: "FRA",
  type: "C",
  validFrom: "2026-11-01",
  validUntil: "2026-12-20",
}

describe("a short visa of a zone's state", () => {
  it("covers a stay that ends on its last day, and its days count with all others in the zone", () => {
    const decision = decideOn([{ ...shortVisa, durationOfStayDays: 90 }], stay("FRA", "2026-12-01", "2026-12-20"))
    expect([codesOf(decision), neededBy(decision)]).toEqual([[], []])
    expect(decision.steps[0]).toMatchObject({ maxStay: { value: 20 }, zoneStay: { value: 20, zone: "schengen" } })
  })

  it("bounds the stay by its validity", () => {
    const decision = decideOn([shortVisa], stay("FRA", "2026-12-01", "2026-12-21"))
    expect(decision.blockers).toEqual([
      {
        code: "stay_exceeded",
        step: 0,
        message: "The stay ends on 2026-12-21: the visa of FRA that is held is valid until 2026-12-20.",
        granularity: "pair",
        params: { kind: "visa", issuer: "FRA", held: 0, destination: "FRA", by: "2026-12-21", until: "2026-12-20" },
        basis: "held_document",
      },
    ])
  })

  it("bounds the stay by its days, over all countries of the zone together", () => {
    const fifteen = { ...shortVisa, durationOfStayDays: 15 }
    const stops = [stay("FRA", "2026-12-01", "2026-12-10"), stay("DEU", "2026-12-10", "2026-12-15")]
    expect(codesOf(decideOn([fifteen], ...stops))).toEqual([])
    const longer = [stay("FRA", "2026-12-01", "2026-12-10"), stay("DEU", "2026-12-10", "2026-12-16")]
    const decision = decideOn([fifteen], ...longer)
    expect(codesOf(decision)).toEqual(["1 stay_exceeded held_document"])
    expect(decision.blockers[0]?.message).toBe(
      "16 days by 2026-12-16 under the visa of FRA that is held: it allows 15.",
    )
  })

  it("permits as many entries into the zone as it has: moving inside the zone is not an entry, coming back is one", () => {
    const once = { ...shortVisa, entries: 1 }
    const inside = [
      stay("FRA", "2026-12-01", "2026-12-05"),
      stay("DEU", "2026-12-05", "2026-12-08"),
      stay("FRA", "2026-12-09", "2026-12-10"),
    ]
    expect(neededBy(decideOn([once], ...inside))).toEqual([])
    const twice = [
      stay("FRA", "2026-12-01", "2026-12-05"),
      stay("IND", "2026-12-06", "2026-12-07"),
      stay("FRA", "2026-12-08", "2026-12-10"),
    ]
    const decision = decideOn([once], ...twice)
    expect(neededBy(decision)).toEqual(["2 visa_required"])
    expect(decision.conditions[0]?.message).toBe(
      "A visa is needed before travel: the visa of FRA that is held has no entry left.",
    )
    expect(neededBy(decideOn([{ ...shortVisa, entries: 2 }], ...twice))).toEqual([])
    expect(neededBy(decideOn([{ ...shortVisa, entries: "multiple" }], ...twice))).toEqual([])
  })

  it("is not said to have no entry left where its number of entries is not given", () => {
    const held = ["USA", "TUR"].map(issuer => ({ kind: "visa", issuer }) as const)
    const stops = [stay("TUR", "2026-12-10", "2026-12-15")]
    const asked = { passport: "PHL", passportExpiry: "2033-01-01", passportIssued: "2025-01-01", stops, held }
    const { conditions } = decided(embeddedDataset(), asked)
    expect(conditions).toEqual([])
  })

  it("permits no entry before its first day or after its last", () => {
    const early = decideOn([shortVisa], stay("FRA", "2026-10-31", "2026-11-02"))
    expect(early.conditions[0]?.message).toBe(
      "A visa is needed before travel: the visa of FRA that is held begins on 2026-11-01.",
    )
    const late = decideOn([shortVisa], stay("FRA", "2026-12-21", "2026-12-22"))
    expect(late.conditions[0]?.message).toBe(
      "A visa is needed before travel: the visa of FRA that is held ended on 2026-12-20.",
    )
  })

  it("does not limit a traveller who needs no visa", () => {
    const stops = [stay("FRA", "2026-12-01", "2027-01-10")]
    const decision = decided(dataset, { ...america, held: [shortVisa], stops })
    expect(codesOf(decision)).toEqual([])
    expect(decision.steps[0]?.requirement).not.toHaveProperty("because")
    expect(reasonsOf(decision)).toEqual([`- held[0]: ${SAID.not_modelled}`])
  })
})

describe("a visa of another state", () => {
  it("uses up no entries or days at a state that only accepts it", () => {
    const once: HeldDocument = { kind: "visa", issuer: "USA", entries: 1, validUntil: "2028-01-01" }
    const stops = [stay("MEX", "2026-12-01", "2026-12-10"), stay("USA", "2026-12-11", "2026-12-20")]
    const decision = decideOn([once], ...stops)
    expect(neededBy(decision)).toEqual([])
    expect(decision.held[0]?.steps).toEqual([0, 1])
    const again = decideOn(
      [once],
      ...stops,
      stay("MEX", "2026-12-21", "2026-12-22"),
      stay("USA", "2026-12-23", "2026-12-24"),
    )
    expect(neededBy(again)).toEqual(["3 visa_required"])
    expect(codesOf(decideOn([{ ...once, durationOfStayDays: 10 }], ...stops))).toEqual([])
  })
})

describe("a residence permit or long-stay visa", () => {
  it.each<[string, HeldDocument]>([
    ["a permit", { kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" }],
    ["a visa of type D", { kind: "visa", issuer: "FRA", type: "D", validUntil: "2028-01-01" }],
  ])("makes its holder no visitor in the state that issued it: %s", (_, document) => {
    const decision = decideOn([document], stay("FRA", "2026-12-01", "2027-11-30"))
    expect([codesOf(decision), neededBy(decision)]).toEqual([[], []])
    expect(decision.steps[0]).toMatchObject({ zoneStay: null, maxStay: { value: 397 } })
    expect(reasonsOf(decision)).toEqual([`0 passportValidity: ${SAID.validity_for_visitors}`])
  })

  it("ends the stay when it ends", () => {
    const decision = decideOn(
      [{ kind: "residence_permit", issuer: "FRA", validUntil: "2026-12-31" }],
      stay("FRA", "2026-12-01", "2027-01-01"),
    )
    expect(codesOf(decision)).toEqual(["0 stay_exceeded held_document"])
  })

  it("gives ninety days in the zone's other states, by the rule that names it, and its own days do not count", () => {
    const permit: HeldDocument = { kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" }
    const stops = [stay("FRA", "2026-06-01", "2026-11-30"), stay("DEU", "2026-11-30", "2027-02-27")]
    const decision = decideOn([permit], ...stops)
    expect([codesOf(decision), neededBy(decision)]).toEqual([[], []])
    expect(decision.steps[1]).toMatchObject({
      requirement: { value: "visa_free", because: [{ document: 0, waiver: { requirement: "visa_free", days: 90 } }] },
      zoneStay: { value: 90 },
    })
    const longer = [stay("FRA", "2026-06-01", "2026-11-30"), stay("DEU", "2026-11-30", "2027-02-28")]
    expect(codesOf(decideOn([permit], ...longer))).toEqual(["1 stay_exceeded", "1 zone_stay_exceeded"])
  })
})

describe("a document that a rule of the destination names", () => {
  it("changes the requirement, and names the rule", () => {
    const decision = decideOn(
      [{ kind: "visa", issuer: "USA", validUntil: "2026-12-20" }],
      stay("MEX", "2026-12-01", "2026-12-20"),
    )
    expect(neededBy(decision)).toEqual([])
    expect(decision.steps[0]).toMatchObject({
      requirement: { value: "visa_free", answer: { requirement: "visa_required" }, because: [{ document: 0 }] },
      maxStay: { value: 180 },
    })
  })

  it("changes nothing if it is not valid for as long as the rule requires", () => {
    const decision = decideOn(
      [{ kind: "visa", issuer: "USA", validUntil: "2026-12-19" }],
      stay("MEX", "2026-12-01", "2026-12-20"),
    )
    expect(neededBy(decision)).toEqual(["0 visa_required"])
    expect(decision.held[0]?.steps).toEqual([])
    expect(reasonsOf(decision)).toContain(`- held[0]: ${SAID.not_modelled}`)
  })

  it("has to be checked if the traveller did not give what the rule requires", () => {
    const decision = decideOn(
      [{ kind: "visa", issuer: "FRA", validUntil: "2027-01-01" }],
      stay("AND", "2026-12-01", "2026-12-05"),
    )
    const at = { step: 0, granularity: "pair" }
    const asked = { kind: "visa", issuer: "FRA", held: 0, destination: "AND" }
    expect(decision.conditions).toEqual([
      {
        ...{ ...at, code: "e_visa", message: "An electronic visa is needed before travel.", weight: "obtain" },
        params: { destination: "AND" },
      },
      {
        ...{ ...at, code: "check_held_document", weight: "info" },
        message:
          "With the visa of FRA that is held the entry would be possible without a visa for 90 days, if it was used before to enter the state that issued it.",
        params: { ...asked, requirement: "visa_free", days: 90, checks: ["usedBefore"], remark: null },
      },
    ])
    const used = decideOn([{ kind: "visa", issuer: "FRA", used: true }], stay("AND", "2026-12-01", "2026-12-05"))
    expect(neededBy(used)).toEqual([])
  })

  it("has to be checked, in one sentence, according to the remark on that document", () => {
    const sayOf = (remarks: readonly (string | undefined)[], document: Partial<HeldDocument> = {}) => {
      const held = remarks.map((remark, place) => {
        const issuers = [place === 0 ? "GBR" : "USA"]
        return { kind: "visa" as const, issuers, multipleEntry: true as const, ...(remark ? { remark } : {}) }
      })
      const waivers = [{ destinations: ["MEX"], held, requirement: "e_visa", days: null }]
      const asked = { ...india, stops: [stay("MEX", "2026-12-01", "2026-12-05")] }
      const visa: HeldDocument = { kind: "visa", issuer: "USA", entries: 2, ...document }
      return decided(openWorld({ ...world, waivers }), { ...asked, held: [visa] }).conditions.map(
        ({ message }) => message,
      )
    }
    const start = "With the visa of USA that is held the entry would be possible with an electronic visa, if"
    expect(sayOf(["In a format.", "A short-stay visa, no ETA."])).toContain(
      `${start} this is so: a short-stay visa, no ETA.`,
    )
    expect(sayOf([undefined, "Schengen rules hold."], { entries: undefined })).toContain(
      `${start} it is for several entries and this is so: Schengen rules hold.`,
    )
    expect(sayOf(["In a format.", undefined], { entries: undefined })).toContain(`${start} it is for several entries.`)
  })

  it("is chosen if it is the easier way, and not used if the stay is too long for it", () => {
    const visa: HeldDocument = { kind: "visa", issuer: "USA", validUntil: "2030-01-01" }
    const decision = decideOn([visa], stay("MEX", "2026-12-01", "2027-06-30"))
    expect([codesOf(decision), neededBy(decision)]).toEqual([[], ["0 visa_required"]])
  })

  it("does not lift a refusal", () => {
    const decision = decideOn(
      [
        { kind: "residence_permit", issuer: "USA" },
        { kind: "visa", issuer: "KWT" },
      ],
      stay("KWT", "2026-12-01", "2026-12-05"),
    )
    expect(codesOf(decision)).toEqual(["0 no_admission"])
  })

  it("holds in a territory that follows the country which issued it", () => {
    const decision = decideOn([{ kind: "visa", issuer: "USA" }], stay("GUM", "2026-12-01", "2026-12-05"))
    expect(neededBy(decision)).toEqual([])
  })
})

describe("a visa of the destination that has ended", () => {
  it("changes the requirement if a rule names it and no other", () => {
    const waivers = (issuers: string[]) => [
      { destinations: ["MEX"], held: [{ kind: "visa" as const, issuers, expiredWithinYears: 10 }] },
    ]
    const neededIn = (issuers: string[], validUntil: string) => {
      const facts = waivers(issuers).map(each => ({ ...each, requirement: "eta", days: 180 }))
      const held: HeldDocument[] = [{ kind: "visa", issuer: "MEX", validUntil }]
      const stops = [stay("MEX", "2026-12-01", "2026-12-05")]
      return neededBy(decided(openWorld({ ...world, waivers: facts }), { ...india, stops, held }))
    }
    expect(neededIn(["MEX"], "2024-01-01")).toEqual(["0 eta"])
    expect(neededIn(["MEX"], "2016-11-30")).toEqual(["0 visa_required"])
    expect(neededIn(["MEX"], "2027-01-01")).toEqual([])
    expect(neededIn(["MEX", "USA"], "2024-01-01")).toEqual(["0 visa_required"])
  })
})

describe("a document that no rule names", () => {
  it("is repeated and listed as not judged", () => {
    const held: readonly HeldDocument[] = [
      { kind: "visa", issuer: "USA" },
      { kind: "visa", issuer: "BRA", type: "VITEM" },
    ]
    const decision = decideOn(held, stay("FRA", "2026-12-01", "2026-12-05"))
    expect(decision.held.map(({ document }) => document)).toEqual(held)
    expect(reasonsOf(decision)).toEqual(
      expect.arrayContaining([`- held[0]: ${SAID.not_modelled}`, `- held[1]: ${SAID.not_modelled}`]),
    )
  })

  it("is not reported for a residence that a rule uses", () => {
    const stops = [stay("DEU", "2026-12-01", "2026-12-05")]
    const decision = decided(dataset, { ...india, residence: "FRA", stops })
    expect(neededBy(decision)).toEqual([])
    expect(decision.steps[0]?.requirement).toMatchObject({ value: "visa_free", because: [{ document: null }] })
    expect(reasonsOf(decision)).not.toContain(`- residence: ${SAID.not_modelled}`)
    const elsewhere = decided(dataset, { ...india, residence: "USA", stops })
    expect(reasonsOf(elsewhere)).toContain(`- residence: ${SAID.not_modelled}`)
  })

  it("is not reported for a residence in a country whose permit is held, because the permit says more", () => {
    const inGermany = (validUntil: string) => {
      const held: HeldDocument[] = [{ kind: "residence_permit", issuer: "FRA", validUntil }]
      const stops = [stay("DEU", "2026-12-01", "2026-12-10")]
      return decided(dataset, { ...india, residence: "FRA", held, stops })
    }
    expect(neededBy(inGermany("2026-11-30"))).toEqual(["0 visa_required"])
    expect(inGermany("2026-12-31").steps[0]?.requirement).toMatchObject({ because: [{ document: 0 }] })
  })
})

describe("a document that contradicts itself is refused with its path", () => {
  const stops = [stay("FRA", "2026-12-01", "2026-12-05")]
  const pathsOf = (held: unknown) => {
    const result = decide(dataset, { ...india, held: held as never, stops })
    return result.ok ? [] : result.error.issues.map(({ path }) => path)
  }

  it.each<[string, unknown, string[]]>([
    [
      "an end before the beginning",
      [{ kind: "visa", issuer: "FRA", validFrom: "2026-12-02", validUntil: "2026-12-01" }],
      ["held[0].validUntil"],
    ],
    ["no entries", [{ kind: "visa", issuer: "FRA", entries: 0 }], ["held[0].entries"]],
    ["no days", [{ kind: "visa", issuer: "FRA", durationOfStayDays: 0 }], ["held[0].durationOfStayDays"]],
    ["another kind", [{ kind: "passport", issuer: "FRA" }], ["held[0].kind"]],
    ["no issuer", [{ kind: "visa" }], ["held[0].issuer"]],
    ["a spelling of the wire", [{ kind: "visa", issuer: "FRA", valid_until: "2026-12-01" }], ["held[0].valid_until"]],
    ["what is not a list", { kind: "visa" }, ["held"]],
    ["twenty-one of them", Array.from({ length: 21 }, () => ({ kind: "visa", issuer: "FRA" })), ["held"]],
    ["a permanent visa", [{ kind: "visa", issuer: "FRA", permanent: true }], ["held[0].permanent"]],
  ])("%s", (_, held, paths) => {
    expect(pathsOf(held)).toEqual(paths)
  })

  it("requires an authorisation instead, if a held visa is too short and no visa is needed", () => {
    const passport = { passport: "USA", passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }
    const trip = { ...passport, stops: [stay("GBR", "2026-12-01", "2027-01-29")] }
    const visa = { kind: "visa", issuer: "GBR", durationOfStayDays: 30 } as const
    const needed = (held: readonly HeldDocument[], more = trip) => {
      const { blockers, conditions } = decided(dataset, { ...more, held })
      return [...blockers.map(({ code }) => code), ...conditions.map(({ message }) => message)]
    }
    expect(needed([])).toEqual(["A travel authorisation is needed before travel."])
    expect(needed([visa])).toEqual(["A travel authorisation is needed before travel."])
    expect(needed([visa], { ...trip, stops: [stay("GBR", "2026-12-01", "2026-12-20")] })).toEqual([])
    // One that bounds nothing is what is travelled on.
    expect(needed([{ kind: "visa", issuer: "GBR" }])).toEqual([])
  })
})
