import { describe, expect, it } from "vitest"
import { describePair } from "../../src/engine.ts"
import { embeddedDataset, type HeldDocument } from "../../src/index.ts"
import { IS_WHOLE, sampleOf } from "../sample.ts"
import { isAlwaysMet } from "./completions.ts"
import { DUTIES, decided, stay } from "./decisions.ts"

const embedded = embeddedDataset()
const from = "2026-12-01"
const oneDay = (passport: string, destination: string, more: object = {}) =>
  decided(embedded, { passport, stops: [stay(destination, from, from)], ...more })
const codesOf = ({ conditions }: ReturnType<typeof decided>) => conditions.map(({ code }) => code)
const blocksOf = ({ blockers }: ReturnType<typeof decided>) => blockers.map(({ code }) => code)

describe("the conditions of the rules that a decision applies", () => {
  it("are those that describePair names, over all pairs", () => {
    const differing: string[] = []
    let count = 0
    for (const passport of sampleOf(embedded.passports, 25)) {
      // Twelve destinations at a time, because a decision has at most twelve stops.
      for (let at = 0; at < embedded.destinations.length; at += 12) {
        const stops = embedded.destinations.slice(at, at + 12).map(destination => stay(destination, from, from))
        const { conditions } = decided(embedded, { passport, stops })
        for (const [step, { destination }] of stops.entries()) {
          const pair = describePair(embedded, passport, destination, { on: from })
          const named = pair.kind === "found" ? pair.conditions : []
          const expected = named.filter(each => !isAlwaysMet(passport, each)).map(({ kind }) => kind)
          const requirement = pair.kind === "found" ? pair.answer.requirement : ""
          const said = conditions
            .filter(({ step: at, code }) => at === step && code !== requirement && !DUTIES.includes(code))
            .map(({ code }) => code)
          count += said.length
          if (said.join() !== expected.join())
            differing.push(`${passport} ${destination}: ${said} instead of ${expected}`)
        }
      }
    }
    expect(differing).toEqual([])
    expect(count).toBeGreaterThan(IS_WHOLE ? 3_000 : 90)
  })

  it("have the parameters of the rule: a journey to Svalbard needs two entries into the Schengen area", () => {
    const { conditions } = oneDay("IND", "SJM")
    expect(conditions.find(({ code }) => code === "gateway_visa")).toMatchObject({
      step: 0,
      params: { destination: "SJM", states: ["@schengen"], entries: 2 },
      message: "The way leads through the Schengen area: whoever needs a visa there needs it too, for 2 entries.",
    })
  })

  it("are met by a visa of enough entries or a permit in hand, and concern nobody who needs no visa for the Schengen area", () => {
    const visa = { kind: "visa", issuer: "NOR", type: "C", validUntil: "2028-01-01", durationOfStayDays: 90 } as const
    const isAsked = (passport: string, ...held: HeldDocument[]) =>
      oneDay(passport, "SJM", { held }).conditions.some(({ code }) => code === "gateway_visa")
    expect(isAsked("IND", { ...visa, entries: 1 })).toBe(true)
    expect(isAsked("IND", visa)).toBe(true)
    expect(isAsked("IND", { ...visa, entries: 2, validUntil: "2025-01-01" })).toBe(true)
    expect(isAsked("IND", { ...visa, entries: 2, issuer: "USA" })).toBe(true)
    expect(isAsked("IND", { kind: "eta", issuer: "NOR" })).toBe(true)
    expect(isAsked("IND", { ...visa, entries: 2 })).toBe(false)
    expect(isAsked("IND", { ...visa, entries: "multiple", issuer: "FRA" })).toBe(false)
    expect(isAsked("IND", { kind: "residence_permit", issuer: "DEU" })).toBe(false)
    expect(isAsked("USA")).toBe(false)
  })

  it("are those of a waiver if it is used: Indians with a visa of the United States change in Singapore within 96 hours", () => {
    const held = [{ kind: "visa", issuer: "USA", validUntil: "2028-01-01" } as const]
    const decision = oneDay("IND", "SGP", { held, purpose: "transit" })
    const step = decision.steps[0]
    if (step?.requirement.status !== "known" || step.requirement.because === undefined) return expect.unreachable()
    expect(step.requirement.value).toBe("visa_free")
    expect(codesOf(decision)).toEqual(["bring", "other", "arrival_form"])
    expect(decision.conditions[1]?.message).toContain("96 hours")
    // Who names no purpose is a tourist, for whom the waiver is not.
    expect(codesOf(oneDay("IND", "SGP", { held }))).toEqual(["visa_required", "sponsor", "arrival_form"])
    expect(codesOf(oneDay("IND", "SGP"))).toEqual(["visa_required", "sponsor", "arrival_form"])
  })

  it("of obtaining a visa are not shown to its holders: a bond, a suspension, a sponsor", () => {
    expect(codesOf(oneDay("NGA", "USA"))).toEqual(["visa_required", "suspension", "exempt", "bond"])
    const held = [{ kind: "visa", issuer: "USA", validUntil: "2028-01-01" } as const]
    const decision = oneDay("NGA", "USA", { held })
    expect([codesOf(decision), blocksOf(decision)]).toEqual([[], []])
  })
})

describe("a suspension of visas", () => {
  it("blocks visitors: Proclamation of 16 December 2025, Section 4", () => {
    const decision = oneDay("NGA", "USA")
    expect(decision.outcome).toBe("blocked")
    expect(decision.blockers).toMatchObject([{ code: "visa_suspended", step: 0, params: { passport: "NGA" } }])
    expect(decision.toDo).toEqual([])
  })

  it("does not block travellers who may be exempt: a permanent resident, Section 6(b)(i), or an applicant for a visa of another class", () => {
    expect(blocksOf(oneDay("NGA", "USA", { residence: "USA" }))).toEqual([])
    expect(blocksOf(oneDay("NGA", "USA", { residence: "GBR" }))).toEqual(["visa_suspended"])
    expect(blocksOf(oneDay("NGA", "USA", { purpose: "work as an engineer" }))).toEqual([])
    expect(blocksOf(oneDay("NGA", "USA", { purpose: "tourism" }))).toEqual(["visa_suspended"])
  })

  it("blocks holders of documents that exempt nobody: a visa that had expired before it or was issued after it, and an authorisation", () => {
    const blocksWith = (held: HeldDocument) => blocksOf(oneDay("NGA", "USA", { held: [held] }))
    const visa = { kind: "visa", issuer: "USA" } as const
    expect(blocksWith({ ...visa, validUntil: "2025-12-31" })).toEqual(["visa_suspended"])
    expect(blocksWith({ ...visa, validUntil: "2026-01-01" })).toEqual([])
    expect(blocksWith({ ...visa, issuedOn: "2026-02-01", validUntil: "2026-03-01" })).toEqual(["visa_suspended"])
    expect(blocksWith({ kind: "eta", issuer: "USA" })).toEqual(["visa_suspended"])
    expect(blocksWith({ ...visa, issuedOn: "2025-02-01", validUntil: "2026-03-01" })).toEqual([])
  })

  it("does not concern another passport of the traveller", () => {
    const passports = ["NGA", "FRA"]
    const decision = decided(embedded, { passports, stops: [stay("USA", from, from)] })
    expect(decision.steps[0]?.passport).toBe("FRA")
    expect(blocksOf(decision)).toEqual([])
  })
})

describe("a purpose that a rule asks for", () => {
  const unknownsOf = ({ unknowns }: ReturnType<typeof decided>) => unknowns.map(({ field }) => field)

  it("is told if none is given and tourism is one, because a visitor is taken for a tourist (Resolution 229/NQ-CP of Viet Nam)", () => {
    const whole = { passportExpiry: "2031-01-01" }
    const [silent, work] = [oneDay("NLD", "VNM", whole), oneDay("NLD", "VNM", { ...whole, purpose: "work" })]
    expect([silent.outcome, codesOf(silent)]).toEqual(["clear", ["purpose"]])
    expect(work.outcome).toBe("unknown")
    expect(oneDay("NLD", "VNM", { ...whole, purpose: "business" }).outcome).toBe("blocked")
  })

  it("is a condition if rules do not know the given one", () => {
    const decision = oneDay("CHN", "JAM", { purpose: "seeing friends" })
    expect(codesOf(decision)).toContain("purpose")
    expect(unknownsOf(decision)).toContain("purpose")
  })

  it("leaves the outcome of a visitor's entry open where it is no word of rules", () => {
    const outcomeOf = (passport: string, purpose: string, more = {}) => {
      const whole = { passportExpiry: "2031-01-01", passportIssued: "2022-01-01", purpose, ...more }
      return oneDay(passport, "JPN", whole).outcome
    }
    expect(["work", "study", "holiday"].map(purpose => outcomeOf("USA", purpose))).toEqual(Array(3).fill("unknown"))
    expect(["tourism", " Business", "medical", " "].map(each => outcomeOf("USA", each))).toEqual(Array(4).fill("clear"))
    expect(outcomeOf("JPN", "work")).toBe("clear")
    expect(outcomeOf("IND", "work", { held: [{ kind: "visa", issuer: "JPN" }] })).toBe("clear")
    expect(outcomeOf("IND", "work")).toBe("obtain")
  })

  it("is decided if one of the known purposes is given", () => {
    const tourist = oneDay("CHN", "JAM", { purpose: "Tourism" })
    expect([codesOf(tourist), blocksOf(tourist)]).toEqual([["arrival_form"], []])
    expect(unknownsOf(tourist)).not.toContain("purpose")
    expect(oneDay("CHN", "JAM", { purpose: "business" }).blockers).toMatchObject([
      { code: "purpose_not_covered", params: { purpose: "business", purposes: ["tourism"] } },
    ])
  })
})
