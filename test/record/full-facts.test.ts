import { describe, expect, it } from "vitest"
import { FACT_KINDS, type FullParts } from "../../src/compiler.ts"
import { openFullFacts, selectFact } from "../../src/full.ts"
import { selectFacts } from "../../src/record/full-facts.ts"

const none = Object.fromEntries(Object.keys(FACT_KINDS).map(subject => [subject, []])) as unknown as FullParts["facts"]
const facts = openFullFacts({
  version: "test.1",
  asOf: "2026-06-01",
  codes: "AAAAABBBBB",
  sources: [["law", "The Law", "https://law.example", "2026-01-01"]],
  origins: [
    [0, null, "2025-01-01", null],
    [null, null, null, null],
    [0, "https://law.example/7", null, "2026-02-02"],
  ],
  facts: {
    ...none,
    fee: [
      [0, "AAABBB", [4], null, { singleEntry: { amount: 90, currency: "EUR" } }],
      [2, "AAA", [4], "CCCDDD", { singleEntry: { amount: 35, currency: "EUR" } }],
    ],
    stamps: [
      [1, "BBB", null, null, { of: "CCC" }],
      [1, "BBB", null, null, { of: "DDD" }],
    ],
  },
})

describe("facts of a destination", () => {
  const ask = (passport: string, requirement = "visa_required" as const) => ({ passport, requirement })

  it("hold for the requirements that they name", () => {
    const of = facts.factsOf("AAA")
    expect(selectFact(of, "fee", ask("EEE"))?.value.singleEntry?.amount).toBe(90)
    expect(selectFact(of, "fee", { passport: "EEE", requirement: "visa_free" })).toBeNull()
  })

  it("prefer the fact that names the passport to the general one", () => {
    expect(selectFact(facts.factsOf("AAA"), "fee", ask("CCC"))?.value.singleEntry?.amount).toBe(35)
    expect(selectFact(facts.factsOf("BBB"), "fee", ask("CCC"))?.value.singleEntry?.amount).toBe(90)
  })

  it("list the passports that they name", () => {
    expect([
      facts.isSingledOut("AAA", "CCC"),
      facts.isSingledOut("AAA", "EEE"),
      facts.isSingledOut("BBB", "CCC"),
    ]).toEqual([true, false, false])
  })

  it("can be several about one subject", () => {
    expect(selectFacts(facts.factsOf("BBB"), "stamps", ask("EEE")).map(fact => fact.value.of)).toEqual(["CCC", "DDD"])
  })

  it("name the page where they were read, else the source's own address, else nothing", () => {
    const origin = (passport: string) => selectFact(facts.factsOf("AAA"), "fee", ask(passport))?.origin
    expect(origin("EEE")).toMatchObject({ url: "https://law.example", asOf: "2025-01-01", verifiedOn: null })
    expect(origin("CCC")).toMatchObject({ url: "https://law.example/7", verifiedOn: "2026-02-02" })
    expect(facts.factsOf("BBB").stamps[0]?.origin).toEqual({
      source: null,
      url: null,
      asOf: null,
      verifiedOn: null,
      citedOn: null,
    })
  })

  it("are none for a destination without a record, whatever its name", () => {
    for (const code of ["ZZZ", "toString", "__proto__", ""]) {
      expect(selectFact(facts.factsOf(code), "fee", ask("AAA"))).toBeNull()
      expect(facts.isSingledOut(code, "AAA")).toBe(false)
    }
  })
})
