import { describe, expect, it } from "vitest"
import { easeRank, isRequirement, needsVisa, REQUIREMENTS, type Requirement, unlocks } from "../../src/index.ts"

describe("the six requirements", () => {
  it("stand from the easiest to the hardest", () => {
    expect(REQUIREMENTS.map(easeRank)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it("are open without a consulate down to the e-visa", () => {
    expect(REQUIREMENTS.filter(unlocks)).toEqual(["visa_free", "eta", "visa_on_arrival", "e_visa"])
  })

  it("need nothing that is called a visa down to the eTA", () => {
    expect(REQUIREMENTS.filter(requirement => !needsVisa(requirement))).toEqual(["visa_free", "eta"])
  })

  it("are no others: what is not one of them is harder than all, locked, and throws nothing", () => {
    const hostile = [
      "__proto__",
      "constructor",
      "VISA_FREE",
      "",
      ["eta"],
      null,
      undefined,
      Symbol("eta"),
      {
        toString() {
          throw new Error("read")
        },
      },
    ]
    for (const value of hostile as Requirement[]) {
      expect([isRequirement(value), easeRank(value), unlocks(value), needsVisa(value)]).toEqual([false, 6, false, true])
    }
  })
})
