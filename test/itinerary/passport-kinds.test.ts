/**
 * Kinds of passports: what Regulation (EU) 2018/1806, Directive 2004/38/EC and the UK's Appendix Visitor say of them, and that everything else
 * is unknown, whatever ordinary passports need.
 */
import fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import { compileFacts, type ProvisionFact } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import {
  applyRemedy,
  decide,
  decideWithRemedies,
  embeddedDataset,
  type ItineraryRequest,
  lookup,
} from "../../src/index.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { policy, smallFacts, terms } from "../dataset/small-facts.ts"
import { countTrips } from "../sample.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const DATES = { passportExpiry: "2034-01-01", passportIssued: "2025-01-01" }
type Kind = ItineraryRequest["passportKind"]

const trip = (passport: string, passportKind: Kind, destination: string, more: object = {}): ItineraryRequest => ({
  passport,
  passportKind,
  ...DATES,
  stops: [stay(destination, "2026-12-01", "2026-12-20")],
  ...more,
})
const entered = (decision: Decision) => {
  const { requirement, maxStay } = decision.steps[0]!
  const asked = requirement.status === "known" ? requirement.value : requirement.code
  return `${asked} ${maxStay.status === "known" ? maxStay.value : maxStay.code}: ${decision.outcome}`
}
const enter = (passport: string, kind: Kind, destination: string, more: object = {}) =>
  entered(decided(dataset, trip(passport, kind, destination, more)))

const UNKNOWN = "passport_kind_not_recorded passport_kind_not_recorded: unknown"

describe("a passport of another kind", () => {
  it("is an ordinary one if `ordinary` or nothing is given", () => {
    const answers = [null, undefined, "ordinary" as const].map(kind => {
      const { passportKind: _, ...plain } = trip("FRA", kind, "JPN")
      const given = kind === undefined ? plain : { ...plain, passportKind: kind }
      return entered(decided(dataset, given))
    })
    expect(new Set(answers)).toEqual(new Set(["visa_free 90: clear"]))
  })

  it("is refused with its path if no such kind exists", () => {
    const refused = decide(dataset, { passports: [{ passport: "FRA", passportKind: "pilot" as never }], stops: [] })
    expect(!refused.ok && refused.error.issues.find(({ path }) => path === "passports[0].passportKind")?.message).toBe(
      '"pilot" is none of ordinary, diplomatic, service, refugee_convention, stateless, alien, seafarer.',
    )
  })

  it("is refused beside a list of passports", () => {
    const stops = [stay("JPN", "2026-12-01", "2026-12-02")]
    const refused = decide(dataset, { passportKind: "service", passports: ["FRA"], stops })
    expect(!refused.ok && refused.error.issues[0]?.path).toBe("passports")
  })

  it.each(["USA", "JPN", "ARE", "THA", "CHN"])(
    "is unknown in %s, whatever the ordinary passport needs",
    destination => {
      for (const kind of ["diplomatic", "service", "refugee_convention", "stateless", "alien", "seafarer"] as const) {
        expect(enter("FRA", kind, destination), kind).toBe(UNKNOWN)
      }
    },
  )

  it("is unknown on a day before the first of the dataset", () => {
    const before = decided(dataset, trip("GBN", null, "FRA", { stops: [stay("FRA", "2010-01-01", "2010-01-05")] }))
    expect(entered(before)).toBe(UNKNOWN)
  })
})

describe("a diplomatic or service passport", () => {
  it("admits to its own state on every day, and to the territories where its citizens are at home", () => {
    expect(enter("FRA", "diplomatic", "FRA")).toBe("visa_free unlimited: clear")
    expect(enter("USA", "diplomatic", "USA")).toBe(enter("USA", null, "USA"))
    expect(enter("DNK", "service", "GRL")).toMatch(/^visa_free unlimited/)
    const past = decided(
      dataset,
      trip("USA", "diplomatic", "USA", { stops: [stay("USA", "2010-01-01", "2015-01-05")] }),
    )
    expect(past.steps[0]!.maxStay).toMatchObject({ status: "known", value: "unlimited" })
  })

  it("gives a citizen of the Union what citizenship gives (Directive 2004/38/EC, Art. 5(1))", () => {
    expect(enter("FRA", "diplomatic", "DEU")).toMatch(/^visa_free stay_moves_freely/)
    expect(enter("CHE", "service", "ISL")).toMatch(/^visa_free stay_moves_freely/)
    expect(enter("GBR", "diplomatic", "FRA")).toBe(UNKNOWN)
  })

  // Which of them a state exempts, or asks a visa of, is in its notification, and none was read.
  it("is left to each member state, of Annex I and of Annex II (Regulation (EU) 2018/1806, Art. 6(1))", () => {
    const states = dataset.zones.find(({ id }) => id === "schengen")!.members
    for (const issuer of ["CHN", "IND", "TUR", "USA", "BRA"]) {
      for (const kind of ["diplomatic", "service", "seafarer"] as const) {
        for (const { code } of states) expect(enter(issuer, kind, code), `${issuer} ${kind} ${code}`).toBe(UNKNOWN)
      }
    }
  })

  it("needs a visa for the UK if the state's nationals do and no exception is listed (Appendix Visitor, VN 1.1(a))", () => {
    expect(enter("IND", "diplomatic", "GBR")).toBe("visa_required stay_set_by_permit: obtain")
    expect(enter("NGA", "service", "GBR")).toBe("visa_required stay_set_by_permit: obtain")
    for (const starred of ["CHN", "IDN", "TUR", "VNM", "ZAF"]) expect(enter(starred, "diplomatic", "GBR")).toBe(UNKNOWN)
    expect(enter("USA", "diplomatic", "GBR")).toBe(UNKNOWN)
  })

  it("shows that its holder is a citizen, who has to enter on the passport of his own state", () => {
    const passports = [
      { passport: "USA", passportKind: "diplomatic" as const, ...DATES },
      { passport: "FRA", ...DATES },
    ]
    const codesFor = (given: typeof passports) =>
      decided(dataset, {
        passports: given,
        stops: [{ ...stay("USA", "2026-12-01", "2026-12-20"), passport: "FRA" }],
      }).blockers.map(({ code }) => code)
    expect(codesFor(passports)).toEqual(["own_passport_needed"])
    const [first, second] = passports
    expect(codesFor([{ ...first!, passportKind: "refugee_convention" as never }, second!])).toEqual([])
  })
})

describe("a travel document for refugees or stateless persons", () => {
  const RESIDENT = { residence: "FRA" }
  it("of a member state gives its residents 90 days in the others (Regulation (EU) 2018/1806, Art. 4(2))", () => {
    expect(enter("FRA", "refugee_convention", "DEU", RESIDENT)).toBe("visa_free 90: clear")
    expect(enter("NOR", "stateless", "CYP", { residence: "NOR" })).toMatch(/^visa_free 90/)
    expect(enter("LVA", "alien", "DEU", { residence: "LVA" })).toBe("visa_free 90: clear")
    const permit = { held: [{ kind: "residence_permit", issuer: "FRA" }] }
    const judged = decided(dataset, trip("FRA", "refugee_convention", "DEU", permit))
    expect(entered(judged)).toMatch(/^visa_free 90/)
    expect(judged.conditions).toEqual([])
  })

  it("has to be checked if the residence is not given, and has no effect for residents of other countries", () => {
    const judged = decided(dataset, trip("FRA", "refugee_convention", "DEU"))
    expect(entered(judged)).toBe("visa_free 90: unknown")
    expect(judged.conditions.map(({ code, message }) => `${code}: ${message}`)).toContain(
      "residents_only: Only for people who live in the country that issued the document: FRA.",
    )
    const elsewhere = decided(dataset, trip("FRA", "refugee_convention", "DEU", { residence: "USA" }))
    expect(entered(elsewhere)).toBe(UNKNOWN)
    expect(elsewhere.unknowns.map(({ field }) => field)).not.toContain("residence")
  })

  it("counts under the zone's 90 days in any 180", () => {
    const stops = [stay("DEU", "2026-12-01", "2027-02-10"), stay("ITA", "2027-02-20", "2027-03-20")]
    const judged = decided(dataset, trip("FRA", "refugee_convention", "DEU", { ...RESIDENT, stops }))
    expect(judged.blockers.map(({ code, step }) => `${step} ${code}`)).toEqual(["1 zone_stay_exceeded"])
  })

  it("of Ireland, which takes no part in the Regulation, and of aliens of other states, is unknown", () => {
    expect(enter("IRL", "refugee_convention", "DEU", { residence: "IRL" })).toBe(UNKNOWN)
    expect(enter("FRA", "alien", "DEU", RESIDENT)).toBe(UNKNOWN)
  })

  it("of a state of Annex I needs a visa; of one of Annex II each member state decides (Art. 3(2), 6(2))", () => {
    for (const issuer of ["UGA", "IND", "TUR"]) {
      expect(enter(issuer, "refugee_convention", "DEU")).toBe("visa_required stay_set_by_permit: obtain")
    }
    for (const issuer of ["USA", "GBR", "JPN", "UKR"]) expect(enter(issuer, "stateless", "DEU")).toBe(UNKNOWN)
  })

  it("does not prove citizenship: its holder is neither at home in the state that issued it, nor free to move", () => {
    for (const kind of ["refugee_convention", "stateless", "alien", "seafarer"] as const) {
      expect(enter("FRA", kind, "FRA", RESIDENT), kind).toBe(UNKNOWN)
      expect(enter("FRA", kind, "IRL", RESIDENT), kind).toBe(UNKNOWN)
    }
  })

  it("needs a visa for the UK, whoever issued it (Appendix Visitor, VN 1.1(b) and (c))", () => {
    for (const kind of ["refugee_convention", "stateless", "alien"] as const) {
      expect(enter("FRA", kind, "GBR"), kind).toBe("visa_required stay_set_by_permit: obtain")
      expect(enter("USA", kind, "GBR"), kind).toBe("visa_required stay_set_by_permit: obtain")
    }
    expect(enter("PHL", "seafarer", "GBR")).toBe(UNKNOWN)
  })

  it("admits to a state whose visa, or whose zone's residence permit, is held", () => {
    const visa = { kind: "visa", issuer: "DEU", type: "C", durationOfStayDays: 30 }
    expect(enter("UGA", "refugee_convention", "DEU", { held: [visa] })).toBe("visa_required 30: clear")
    const permit = { kind: "residence_permit", issuer: "FRA" }
    expect(enter("UGA", "refugee_convention", "DEU", { held: [permit] })).toBe("visa_free 90: clear")
  })

  it("has the general fees, not those agreed for nationals", async () => {
    const facts = await loadFullFacts()
    const feeOf = (kind: Kind) => completeToDo(facts, decided(dataset, trip("ARM", kind, "FRA"))).toDo[0]!.fee?.amount
    expect(feeOf("refugee_convention")).toBe(
      completeToDo(facts, decided(dataset, trip("NGA", null, "FRA"))).toDo[0]!.fee?.amount,
    )
    expect(feeOf(null)).toBeLessThan(feeOf("refugee_convention")!)
  })
})

describe("a class of British nationals", () => {
  const CLASSES = ["GBD", "GBN", "GBO", "GBP", "GBS"]
  it("is free of a visa in the Schengen area for 90 days (Regulation (EU) 2018/1806, Annex II, part 3)", () => {
    for (const code of CLASSES) expect(enter(code, null, "FRA"), code).toBe("visa_free 90: clear")
  })

  it("needs no visa and no ETA for the UK, except British subjects, whom GOV.UK's checker does not name", () => {
    for (const code of ["GBD", "GBN", "GBO", "GBP"]) {
      expect(enter(code, null, "GBR"), code).toMatch(/^visa_free 1\d\d: clear/)
    }
    expect(enter("GBS", null, "GBR")).toBe(UNKNOWN)
  })

  it("is unknown elsewhere and of another kind, and is not listed in tables, rankings and lookups", () => {
    expect(enter("GBN", null, "USA")).toBe(UNKNOWN)
    expect(enter("GBN", "diplomatic", "FRA")).toBe(UNKNOWN)
    expect(lookup("GBN", "FRA")).toMatchObject({ kind: "no_record", reason: "unknown_passport" })
    for (const code of CLASSES) expect(dataset.passports).not.toContain(code)
    expect(decide(dataset, trip("GBX", null, "FRA"))).toMatchObject({ value: { kind: "no_record" } })
  })
})

describe("a change with a passport of another kind", () => {
  const changes = (passport: string, kind: Kind, country: string, airside: boolean | null) =>
    decided(dataset, trip(passport, kind, passport, { transit: [{ country, airside }] })).transit[0]!.permitted

  it("is not decided by the transit rules for ordinary passports", () => {
    for (const [passport, country] of [
      ["IND", "DEU"],
      ["NGA", "GBR"],
      ["USA", "CHN"],
    ] as const) {
      for (const airside of [true, false, null]) {
        expect(changes(passport, "diplomatic", country, airside), `${passport} ${country}`).toMatchObject(
          passport === "NGA" && airside === false
            ? { status: "known", value: "no" }
            : { status: "unknown", code: "passport_kind_not_recorded" },
        )
      }
    }
  })

  it("is permitted where its holder may enter", () => {
    expect(changes("FRA", "diplomatic", "DEU", null)).toMatchObject({ status: "known", value: "yes" })
    expect(changes("GBN", null, "FRA", true)).toMatchObject({ status: "known", value: "yes" })
  })
})

describe("decisions with kinds of passports", () => {
  it("use the passport with the fewest unknowns, and name each with its kind", () => {
    const passports = [
      { passport: "IND", ...DATES },
      { passport: "FRA", passportKind: "diplomatic" as const, ...DATES },
    ]
    const toGermany = decided(dataset, { passports, stops: [stay("DEU", "2026-12-01", "2026-12-20")] })
    expect(toGermany.steps[0]!.passport).toBe("FRA")
    const toJapan = decided(dataset, { passports, stops: [stay("JPN", "2026-12-01", "2026-12-20")] })
    expect(toJapan.steps[0]!.passport).toBe("IND")
    expect(toJapan.passports.map(({ passportKind }) => passportKind)).toEqual([null, "diplomatic"])
  })

  it("treat the ordinary and the diplomatic passport of one state as two, and choose between them at each stop", () => {
    const passports = [
      { passport: "FRA", passportKind: "diplomatic" as const, ...DATES },
      { passport: "FRA", ...DATES },
    ]
    const stops = [stay("JPN", "2026-12-01", "2026-12-20"), stay("DEU", "2026-12-20", "2026-12-24")]
    const decision = decided(dataset, { passports, stops })
    // A rule for kinds answers in Germany and none does in Japan.
    expect(decision.steps.map(({ passport, passportKind }) => `${passport} ${passportKind}`)).toEqual([
      "FRA null",
      "FRA diplomatic",
    ])
    const named = stops.map(each => ({ ...each, passport: "FRA" }))
    expect(decided(dataset, { passports, stops: named }).steps).toEqual(decision.steps)
    for (const kind of [null, "ordinary"] as const) {
      const refused = decide(dataset, { passports: [...passports, { passport: "FRA", passportKind: kind }], stops })
      expect(!refused.ok && refused.error.issues).toEqual([
        { path: "passports[2].passport", message: '"FRA" is given twice.' },
      ])
    }
  })

  it("renew the passport of the kind that ends, and no other of its issuer", () => {
    const passports = [
      {
        passport: "FRA",
        passportKind: "diplomatic" as const,
        passportExpiry: "2026-12-10",
        passportIssued: "2025-01-01",
      },
      { passport: "FRA", passportExpiry: "2026-12-10", passportIssued: "2025-01-01" },
    ]
    const request = { passports, stops: [stay("POL", "2026-12-01", "2026-12-20")] }
    const judged = decideWithRemedies(dataset, request)
    assert(judged.ok && judged.value.kind === "decided")
    const { passportKind } = judged.value.steps[0]!
    const renewal = judged.value.blockers[0]!.remedies!.find(({ action }) => action === "renew_before")!
    expect(renewal).toMatchObject({ passport: "FRA", ...(passportKind === null ? {} : { passportKind }) })
    const { passports: renewed } = applyRemedy(request, renewal) as typeof request
    const isUsed = (at: number) => (passports[at]!.passportKind ?? null) === passportKind
    expect(renewed.map(each => each.passportExpiry)).toEqual(
      [0, 1].map(at => (isUsed(at) ? "2036-11-29" : "2026-12-10")),
    )
    expect(decided(dataset, { ...request, passports: renewed }).blockers).toEqual([])
  })

  it("do not show changes, age, doubts, validity and conditions of the ordinary passport", () => {
    const kind = fc.constantFrom<Kind>("diplomatic", "service", "refugee_convention", "stateless", "alien", "seafarer")
    const pair = fc.tuple(fc.constantFrom(...dataset.passports), fc.constantFrom(...dataset.destinations))
    let unknown = 0
    fc.assert(
      fc.property(pair, kind, ([passport, destination], each) => {
        const result = decideWithRemedies(dataset, trip(passport, each, destination))
        if (!result.ok || result.value.kind !== "decided") throw new Error(`${passport} ${each}`)
        const { steps, conditions, blockers, toDo, ageDays, changes, unknowns } = result.value
        const { requirement, maxStay, passportValidity } = steps[0]!
        if (requirement.status === "known") return
        unknown++
        expect(requirement.code).toBe("passport_kind_not_recorded")
        expect(maxStay).toMatchObject({ status: "unknown", code: "passport_kind_not_recorded" })
        expect(passportValidity.status).toBe("unknown")
        expect([...conditions, ...blockers, ...toDo, ...changes.filter(change => change.passport !== null)]).toEqual([])
        expect(ageDays).toBeNull()
        const said = unknowns.map(({ code }) => code)
        expect(said.filter(code => /^(disputed|answer_|treaty_left|stay_)/.test(code))).toEqual([])
      }),
      { numRuns: countTrips(500) },
    )
    expect(unknown).toBeGreaterThan(250)
  })

  it("prefer the rule that names the passport to the general one, on the days when it applies", () => {
    const kindRule = (changes: Partial<ProvisionFact<"kindRules">>): ProvisionFact<"kindRules"> => ({
      kinds: ["diplomatic"],
      requirement: "visa_required",
      days: null,
      confidence: "high",
      destinations: ["BBB"],
      source: null,
      sourceUrl: null,
      verifiedOn: null,
      ...changes,
    })
    const compiled = compileFacts(
      smallFacts({
        policies: [
          policy("AAA", { defaults: [terms()] }),
          policy("BBB", { defaults: [terms({ requirement: "eta", days: 10 })] }),
        ],
        kindRules: [
          kindRule({}),
          kindRule({ passports: ["AAA"], requirement: "visa_free", days: 20, from: "2027-01-01" }),
          kindRule({ kinds: ["service"], requirements: ["visa_required"] }),
          kindRule({ kinds: ["alien"], requirements: ["eta"] }),
        ],
      }),
    )
    const opened = compiled.ok ? openParts(compiled.value) : compiled
    if (!opened.ok) throw new Error(opened.error.message)
    const on = (day: string, passportKind: Kind) => {
      const [step] = decided(opened.value, { passport: "AAA", passportKind, stops: [stay("BBB", day, day)] }).steps
      return step!.requirement.status === "known" ? step!.requirement.value : step!.requirement.code
    }
    expect(on("2026-12-31", "diplomatic")).toBe("visa_required")
    expect(on("2027-01-01", "diplomatic")).toBe("visa_free")
    expect(on("2027-01-01", "service")).toBe("passport_kind_not_recorded")
    expect(on("2027-01-01", "alien")).toBe("visa_required")
  })
})
