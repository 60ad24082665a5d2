/** Rules that hold at some borders only are judged with how the traveller arrives, and named where nobody says it. */
import { describe, expect, it } from "vitest"
import { compileFacts } from "../../src/compiler.ts"
import { openParts } from "../../src/engine.ts"
import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import { decided, stay } from "./decisions.ts"

const open = (condition: object) => {
  const entry = rule(["AAA"], { requirement: "e_visa", days: 30, conditions: [condition as never] })
  const compiled = compileFacts(smallFacts({ policies: [policy("BBB", { defaults: [], rules: [entry] })] }))
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const byAir = open({ kind: "entry_points", borders: ["air"] })
const atAirports = open({ kind: "entry_points", borders: ["air"], names: ["Minsk"] })
const notChecked = open({ kind: "not_enforced", borders: ["land"] })

const judge = (dataset: ReturnType<typeof open>, by?: "air" | "land" | "sea" | null) => {
  const stop = { ...stay("BBB", "2026-03-01", "2026-03-05"), ...(by === undefined ? {} : { by }) }
  const { blockers, conditions } = decided(dataset, { passport: "AAA", passportExpiry: "2035-01-01", stops: [stop] })
  return [blockers.map(({ code }) => code), conditions.map(({ code }) => code)]
}

describe("how a traveller arrives", () => {
  it("blocks if the rule applies at other borders", () => {
    expect(judge(byAir, "land")).toEqual([["entry_point_closed"], ["e_visa", "entry_points"]])
    expect(judge(atAirports, "sea")[0]).toEqual(["entry_point_closed"])
  })

  it("fulfils a rule of its border, and the places have to be checked", () => {
    expect(judge(byAir, "air")).toEqual([[], ["e_visa"]])
    expect(judge(atAirports, "air")).toEqual([[], ["e_visa", "entry_points"]])
  })

  it("is listed as a condition if it is not given", () => {
    expect(judge(byAir)).toEqual([[], ["e_visa", "entry_points"]])
    expect(judge(byAir, null)).toEqual([[], ["e_visa", "entry_points"]])
  })

  it("omits what is not checked at the given border", () => {
    expect(judge(notChecked, "air")[1]).toEqual(["e_visa"])
    expect(judge(notChecked, "land")[1]).toEqual(["e_visa", "not_enforced"])
  })

  it("does not matter with a visa of the country other than the electronic one of the rule", () => {
    const holding = (document: { readonly electronic?: boolean; readonly kind?: "residence_permit" }) => {
      const stop = { ...stay("BBB", "2026-03-01", "2026-03-05"), by: "land" as const }
      const held = [{ kind: "visa" as const, issuer: "BBB", ...document }]
      const { blockers, conditions } = decided(byAir, {
        passport: "AAA",
        passportExpiry: "2035-01-01",
        held,
        stops: [stop],
      })
      return [blockers.map(({ code }) => code), conditions.map(({ code }) => code)]
    }
    expect(holding({ electronic: false })).toEqual([[], []])
    expect(holding({ kind: "residence_permit" })).toEqual([[], []])
    expect(holding({ electronic: true })).toEqual([["entry_point_closed"], ["entry_points"]])
    // Where nobody says what it is, it may be.
    expect(holding({})).toEqual([[], ["entry_points"]])
  })
})
