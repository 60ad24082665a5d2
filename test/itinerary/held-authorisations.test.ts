import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import type { HeldDocument } from "../../src/trip/request-fields.ts"
import { decided, stay } from "./decisions.ts"

const embedded = embeddedDataset()
const valid = { passportExpiry: "2033-01-01", passportIssued: "2023-01-02" }
const judge = (passport: string, destination: string, held: readonly HeldDocument[], more: object = {}) =>
  decided(embedded, { passport, ...valid, held, stops: [stay(destination, "2027-03-01", "2027-03-10")], ...more })
const codesOf = ({ conditions }: ReturnType<typeof decided>) => conditions.map(({ code }) => code)
const blocksOf = ({ blockers }: ReturnType<typeof decided>) => blockers.map(({ code }) => code)

describe("a travel authorisation in hand", () => {
  const ukEta: HeldDocument = { kind: "eta", issuer: "GBR", validUntil: "2028-01-01" }

  it("is the required authorisation, and does not change the stay: Immigration Rules, Appendix ETA", () => {
    expect(codesOf(judge("FRA", "GBR", []))).toEqual(["eta"])
    const decision = judge("FRA", "GBR", [ukEta])
    expect(codesOf(decision)).toEqual([])
    expect(decision.toDo).toEqual([])
    expect(decision.held).toEqual([{ document: ukEta, steps: [0] }])
    expect(decision.steps[0]?.maxStay).toEqual(judge("FRA", "GBR", []).steps[0]?.maxStay)
  })

  it("has to be of the destination and valid on arrival", () => {
    expect(codesOf(judge("FRA", "GBR", [{ kind: "eta", issuer: "CAN" }]))).toEqual(["eta"])
    expect(codesOf(judge("FRA", "GBR", [{ ...ukEta, validUntil: "2027-02-28" }]))).toEqual(["eta"])
    const unused = judge("FRA", "THA", [ukEta])
    expect(unused.unknowns.map(({ field, code }) => [field, code])).toContainEqual(["held[0]", "not_modelled"])
  })

  it("is not a visa, and a held visa is still used", () => {
    expect(codesOf(judge("NGA", "GBR", [ukEta]))).toEqual(["visa_required"])
    const { conditions } = judge("NGA", "GBR", [ukEta])
    expect(conditions[0]?.params).toEqual({ destination: "GBR" })
  })

  it("is sufficient without other documents, unless the stay is longer than its days", () => {
    // Canada asks for no eTA from permanent residents of the United States; whether the residence has an end is not said.
    const permit: HeldDocument = { kind: "residence_permit", issuer: "USA", validUntil: "2030-01-01" }
    const eta: HeldDocument = { kind: "eta", issuer: "CAN" }
    expect(codesOf(judge("FRA", "CAN", [permit]))).toContain("check_held_document")
    for (const held of [
      [eta, permit],
      [permit, eta],
    ]) {
      const stops = [{ ...stay("CAN", "2027-03-01", "2027-03-10"), by: "air" as const }]
      expect(judge("FRA", "CAN", held, { stops })).toMatchObject({ outcome: "clear", conditions: [] })
      const long = [stay("CAN", "2027-03-01", "2027-12-31")]
      expect(codesOf(judge("FRA", "CAN", held, { stops: long }))).toContain("check_held_document")
    }
  })

  it("is preferred to a waiver that asks for more", () => {
    // Korea lets holders of permits of the United States pass through without a K-ETA, with a return ticket.
    const permit: HeldDocument = { kind: "residence_permit", issuer: "USA" }
    const eta: HeldDocument = { kind: "eta", issuer: "KOR" }
    const FORM = { code: "arrival_form" }
    expect(judge("BWA", "KOR", [permit], { purpose: "transit" })).toMatchObject({
      outcome: "obtain",
      toDo: [{ code: "bring" }, FORM],
    })
    for (const held of [
      [permit, eta],
      [eta, permit],
    ]) {
      const { steps, toDo, outcome } = judge("BWA", "KOR", held, { purpose: "transit" })
      expect([steps[0]?.requirement, toDo, outcome]).toMatchObject([{ value: "eta" }, [], "clear"])
    }
  })

  it("is sufficient like a visa", () => {
    const permit: HeldDocument = { kind: "residence_permit", issuer: "ITA" }
    const visa: HeldDocument = { kind: "visa", issuer: "MEX", validUntil: "2028-01-01", durationOfStayDays: 180 }
    expect(codesOf(judge("PER", "MEX", [permit]))).toContain("check_held_document")
    expect(judge("PER", "MEX", [visa, permit])).toMatchObject({ outcome: "clear", conditions: [] })
    const short = { ...visa, durationOfStayDays: 5 }
    expect(codesOf(judge("PER", "MEX", [short, permit]))).toContain("check_held_document")
  })

  it("holds in the territories that follow its country: ESTA in Puerto Rico", () => {
    expect(codesOf(judge("FRA", "PRI", [{ kind: "eta", issuer: "USA" }]))).not.toContain("eta")
  })
})

describe("a refusal with exceptions", () => {
  const visa: HeldDocument = { kind: "visa", issuer: "USA", validUntil: "2029-01-01" }

  it("does not bar a visa that was issued before its day: Proclamation 10949, Section 3(a)(ii)", () => {
    expect(blocksOf(judge("IRN", "USA", []))).toEqual(["no_admission"])
    const before = judge("IRN", "USA", [{ ...visa, issuedOn: "2025-06-08" }])
    expect([blocksOf(before), codesOf(before).includes("check_exemption")]).toEqual([[], false])
    expect(blocksOf(judge("IRN", "USA", [{ ...visa, issuedOn: "2025-06-09" }]))).toEqual(["no_admission"])
  })

  it("asks to check a visa without its day of issue", () => {
    const decision = judge("IRN", "USA", [visa])
    expect(blocksOf(decision)).toEqual([])
    expect(decision.outcome).toBe("unknown")
    expect(decision.conditions.find(({ code }) => code === "check_exemption")?.message).toBe(
      "USA refuses holders of this passport; the visa of USA that is held exempts from it if it was issued before 2025-06-09.",
    )
  })

  it("asks to check a permit that may not be permanent, or a residence alone: Section 4(b)(i)", () => {
    for (const more of [{ held: [{ kind: "residence_permit", issuer: "USA" }] }, { residence: "USA" }]) {
      const decision = judge("IRN", "USA", [], more)
      expect(blocksOf(decision)).toEqual([])
      expect(codesOf(decision)).toContain("check_exemption")
      expect(decision.outcome).toBe("unknown")
    }
    const permit = { kind: "residence_permit", issuer: "USA" } as const
    const known = judge("IRN", "USA", [{ ...permit, permanent: true }])
    expect([blocksOf(known), codesOf(known)]).toEqual([[], []])
    expect(blocksOf(judge("IRN", "USA", [{ ...permit, permanent: false }]))).toEqual(["no_admission"])
  })
})

describe("Immigration Rules, Appendix ETA, ETA 1.3: a resident of Ireland", () => {
  const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
  const london = stay("GBR", "2027-03-01", "2027-03-07")
  const permit = [{ kind: "residence_permit" as const, issuer: "IRL" }]
  const conditionsOf = (passport: string) =>
    decided(embeddedDataset(), { passport, ...dates, held: permit, stops: [london] }).conditions.map(({ code }) => code)

  it("needs no ETA if he comes from Ireland or another part of the Common Travel Area, which has to be checked", () => {
    expect(conditionsOf("BRA")).toEqual(["eta", "check_held_document"])
  })

  it("needs a visa if his passport needs one", () => {
    expect(conditionsOf("IND")).toEqual(["visa_required"])
  })
})
