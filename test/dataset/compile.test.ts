import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileFacts, encodeDataset, type Facts } from "../../src/compiler.ts"
import { formatCivilDate, type LookupAnswer, lookupRequirement, openDataset, openParts } from "../../src/engine.ts"
import { issuesOf, policy, rule, smallFacts, terms } from "./small-facts.ts"

const compile = (changes: Partial<Facts> = {}) => {
  const compiled = compileFacts(smallFacts(changes))
  if (!compiled.ok) throw new Error(compiled.error.message)
  return compiled.value
}
const open = (changes: Partial<Facts> = {}) => {
  const opened = openParts(compile(changes))
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const say = (answer: LookupAnswer) =>
  answer.kind === "found" ? `${answer.requirement} ${answer.days ?? ""}`.trim() : answer.kind

describe("the most specific rule wins", () => {
  const free = (days: number) => ({ requirement: "visa_free", days }) as const

  it("puts a rule for a passport before one for a bloc, and one for a bloc before the default", () => {
    const dataset = open({
      policies: [
        policy("CCC", { rules: [rule(["@OLD"], free(30)), rule(["BBB"], free(60))] }),
        policy("AAA"),
        policy("BBB"),
      ],
    })
    expect(say(lookupRequirement(dataset, "AAA", "CCC"))).toBe("visa_free 30")
    expect(say(lookupRequirement(dataset, "BBB", "CCC"))).toBe("visa_free 60")
    expect(say(lookupRequirement(dataset, "CCC", "BBB"))).toBe("visa_required")
  })

  it("puts a reviewed rule for a bloc before an imported rule for a passport", () => {
    const policies = [
      policy("CCC", {
        rules: [rule(["AAA"], free(60))],
        reviewed: [rule(["@OLD"], { requirement: "eta", source: "law" })],
      }),
    ]
    const dataset = open({ policies })
    expect(say(lookupRequirement(dataset, "AAA", "CCC"))).toBe("eta")
  })

  it("has no record if no rule covers a passport and there is no default", () => {
    const dataset = open({ policies: [policy("CCC", { defaults: [], rules: [rule(["AAA"], free(10))] })] })
    expect(say(lookupRequirement(dataset, "AAA", "CCC"))).toBe("visa_free 10")
    expect(say(lookupRequirement(dataset, "BBB", "CCC"))).toBe("no_record")
    expect(say(lookupRequirement(dataset, "BBB", "AAA"))).toBe("no_record")
  })

  it("uses a territory's own rule before the policy that it follows, and admits citizens of the followed country", () => {
    const dataset = open({
      policies: [
        policy("AAA", { rules: [rule(["CCC"], free(90))] }),
        policy("TTT", { follows: "AAA", defaults: [], rules: [rule(["BBB"], free(14))] }),
      ],
    })
    expect(say(lookupRequirement(dataset, "BBB", "TTT"))).toBe("visa_free 14")
    expect(lookupRequirement(dataset, "CCC", "TTT")).toMatchObject({
      requirement: "visa_free",
      days: 90,
      basis: "follows",
      follows: "AAA",
    })
    expect(lookupRequirement(dataset, "AAA", "TTT")).toMatchObject({
      requirement: "visa_free",
      days: null,
      home: false,
      follows: "AAA",
    })
  })
})

describe("dated rules", () => {
  it("take effect on their first day and end before the day on which they no longer hold", () => {
    const rules = [rule(["AAA"], { requirement: "visa_free", days: 30, from: "2026-04-01", until: "2026-05-01" })]
    const dataset = open({ policies: [policy("CCC", { rules })] })
    const on = (day: string) => say(lookupRequirement(dataset, "AAA", "CCC", { on: day }))
    expect([on("2026-03-31"), on("2026-04-01"), on("2026-04-30"), on("2026-05-01")]).toEqual([
      "visa_required",
      "visa_free 30",
      "visa_free 30",
      "visa_required",
    ])
    expect(say(lookupRequirement(dataset, "AAA", "CCC"))).toBe("visa_required")
  })

  it("apply to a bloc's members while they are members", () => {
    const rules = [rule(["@OLD"], { requirement: "visa_free", days: 30 }), rule(["@NEW"], { requirement: "eta" })]
    const policies = [policy("CCC", { rules: [rules[0] as (typeof rules)[0] & object] })]
    const dataset = open({ policies })
    const on = (day: string) => say(lookupRequirement(dataset, "BBB", "CCC", { on: day }))
    expect([on("2026-02-28"), on("2026-03-01")]).toEqual(["visa_free 30", "visa_required"])
  })

  it("apply to the bloc's members on the day of the table if the rule was imported", () => {
    const sources = [{ id: "table", name: "A table", url: null, imported: true, snapshotOn: "2026-01-15" }]
    const dataset = open({
      sources,
      policies: [
        policy("CCC", { rules: [rule(["@OLD"], { requirement: "eta" }), rule(["@NEW"], { requirement: "e_visa" })] }),
      ],
    })
    const on = (day: string) => say(lookupRequirement(dataset, "BBB", "CCC", { on: day }))
    // BBB joins NEW on 2026-02-01 and leaves OLD on 2026-03-01: neither changes what the table said of its passports.
    expect([on("2026-01-15"), on("2026-02-01"), on("2026-03-01")]).toEqual(["eta", "eta", "eta"])
  })

  it("become uncertain on the day on which a member leaves the treaty behind them", () => {
    const free = { requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" } as const
    const dataset = open({ policies: [policy("AAA", { rules: [rule(["BBB"], free)] })] })
    const on = (day: string) => lookupRequirement(dataset, "BBB", "AAA", { on: day })
    expect(on("2026-02-28")).toMatchObject({ uncertain: false, bloc: "OLD" })
    expect(on("2026-03-01")).toMatchObject({ requirement: "visa_free", uncertain: true, bloc: "OLD" })
  })
})

describe("compiling", () => {
  it("gives the same bytes for the same facts in any order of the policies", () => {
    const facts = smallFacts()
    const reversed = compile({ policies: [...facts.policies].reverse() })
    expect(encodeDataset(reversed)).toEqual(encodeDataset(compile()))
  })

  it("and opening return the original facts, for any rules by code", () => {
    const kinds = fc.constantFrom("visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission")
    const anyTerms = fc.record({ requirement: kinds, days: fc.option(fc.integer({ min: 1, max: 3650 })) }).map(given =>
      terms({
        requirement: given.requirement as "eta",
        days: given.requirement === "visa_required" || given.requirement === "no_admission" ? null : given.days,
      }),
    )
    const table = fc.array(fc.array(anyTerms, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(table, rows => {
        const codes = ["AAA", "BBB", "CCC"]
        const dataset = open({
          policies: codes.map((destination, d) =>
            policy(destination, {
              defaults: [],
              rules: codes.map((code, p) => ({ ...(rows[d]?.[p] ?? terms()), passports: [code] })),
            }),
          ),
        })
        codes.forEach((destination, d) => {
          codes.forEach((passport, p) => {
            const wanted = destination === passport ? terms({ requirement: "visa_free" }) : rows[d]?.[p]
            expect(lookupRequirement(dataset, passport, destination)).toMatchObject({
              kind: "found",
              requirement: wanted?.requirement,
              days: wanted?.days,
            })
          })
        })
      }),
    )
  })

  it("refuses more answers of a destination than one byte can number", () => {
    const codes = Array.from({ length: 17 }, (_, i) => `A${String.fromCharCode(65 + i)}A`)
    const rules = codes.slice(1).flatMap((code, p) =>
      Array.from({ length: 16 }, (_, year) => {
        const span = { from: `${2026 + year}-01-01`, until: `${2027 + year}-01-01` }
        return rule([code], { requirement: "eta", days: 1 + p * 16 + year, ...span })
      }),
    )
    const destinations = codes.map(code => ({ code, region: null, gdpUsd: null }))
    const policies = [policy(codes[0] as string, { defaults: [], rules })]
    expect(issuesOf({ destinations, passports: codes, blocs: [], policies })).toEqual([
      {
        tag: "TooManyAnswers",
        record: "policies",
        field: "rules",
        message: "A destination has more than 255 answers, which do not fit into one byte a pair.",
      },
    ])
  })

  it("distinguishes any number of answers that differ only in the day on which they were read", () => {
    const codes = Array.from({ length: 20 }, (_, i) => `A${String.fromCharCode(65 + i)}A`)
    const readOn = (d: number, p: number) => formatCivilDate(20_000 + d * codes.length + p)
    const policies = codes.map((destination, d) =>
      policy(destination, {
        rules: codes.map((code, p) => rule([code], { requirement: "eta", days: 30, verifiedOn: readOn(d, p) })),
      }),
    )
    const destinations = codes.map(code => ({ code, region: null, gdpUsd: null }))
    const compiled = compileFacts(
      smallFacts({ asOf: "2026-06-01", destinations, passports: codes, blocs: [], policies }),
    )
    const opened = compiled.ok ? openDataset(encodeDataset(compiled.value)) : compiled
    if (!opened.ok) throw new Error(opened.error.message)
    const dataset = opened.value
    for (const [d, destination] of codes.entries()) {
      for (const [p, passport] of codes.entries()) {
        if (p === d) continue
        expect(lookupRequirement(dataset, passport, destination)).toMatchObject({ days: 30, verifiedOn: readOn(d, p) })
      }
    }
    expect(dataset.answers.length).toBe(1 + 1 + 20 * 19)
  })

  it("never throws, for any input", () => {
    const compiled = compileFacts({ ...smallFacts(), policies: [{ destination: "CCC" }] } as unknown as Facts)
    expect(compiled.ok ? [] : compiled.error.issues).toMatchObject([
      {
        tag: "ImpossibleRule",
        record: "facts",
        field: "",
        message: expect.stringMatching(/^The facts have another shape than is expected: /),
      },
    ])
    fc.assert(fc.property(fc.anything(), value => !compileFacts(value as Facts).ok))
  })

  it.each([
    ["no version", { version: undefined }, "it has no version"],
    [
      "a region that is not a text",
      { destinations: [{ code: "AAA", region: 7, gdpUsd: null }] },
      "its regions have another shape",
    ],
    [
      "a source without a name",
      { sources: [{ id: "table", url: null, imported: true, snapshotOn: null }] },
      "its sources have another shape",
    ],
  ])("refuses facts with %s, which would compile into what does not open", (_, changes, mistake) => {
    const alone = {
      passports: ["AAA"],
      blocs: [],
      policies: [policy("AAA")],
      destinations: smallFacts().destinations.slice(0, 1),
    }
    const compiled = compileFacts({ ...smallFacts(alone), ...changes } as unknown as Facts)
    expect(compiled.ok ? "compiled" : compiled.error.issues[0]?.message).toBe(
      `The facts have another shape than is expected: the compiled dataset would not open, because ${mistake}.`,
    )
  })
})
