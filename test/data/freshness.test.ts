import { describe, expect, it } from "vitest"
import { groupDifferences, listEndings, measureFreshness } from "../../adapters/data-files/freshness.ts"
import type { Facts } from "../../src/compiler.ts"
import { openSmall, policy, rule, smallFacts, stayRule, terms, waiver } from "../dataset/small-facts.ts"

const measure = (changes: Partial<Facts>, on?: string) => measureFreshness(openSmall(changes), smallFacts(changes), on)
const sources = [
  { id: "table", name: "A table", url: null, imported: true, snapshotOn: "2026-01-01" },
  { id: "law", name: "A law", url: "https://law.example/", imported: false, snapshotOn: null },
]

describe("what ends", () => {
  const until = (day: string) => ({
    policies: [policy("BBB", { reviewed: [rule(["AAA", "CCC"], { requirement: "visa_free", until: day })] })],
  })

  it("is listed by its last day for ninety days ahead, and no longer", () => {
    const ending = {
      on: "2026-08-29",
      record: "policies/BBB",
      field: "reviewed[0]",
      destinations: ["BBB"],
      passports: 2,
    }
    // The ninetieth day after the first of June is the thirtieth of August.
    expect(measure(until("2026-08-30")).endings).toEqual([ending])
    expect(measure(until("2026-08-31")).endings).toEqual([])
    expect(measure(until("2026-06-02")).endings).toMatchObject([{ on: "2026-06-01" }])
    expect(measure(until("2026-06-01")).endings).toEqual([])
    expect(measure(until("2026-08-31"), "2026-06-02").endings).toMatchObject([{ on: "2026-08-30" }])
  })

  it("is a rule, a default, a condition, a waiver or a stay rule, the next first", () => {
    const facts = smallFacts({
      policies: [
        policy("BBB", {
          defaults: [terms({ until: "2026-07-05" })],
          rules: [rule(["AAA"], { until: "2026-07-04" })],
          conditions: [{ kind: "other", text: "Until then.", until: "2026-07-03" }],
        }),
      ],
      waivers: [waiver({ until: "2026-07-02" })],
      stayRules: [stayRule({ until: "2026-07-01", passports: ["AAA"] })],
    })
    expect(
      listEndings(facts, "2026-06-01").map(({ on, record, field, passports }) => [on, `${record} ${field}`, passports]),
    ).toEqual([
      ["2026-06-30", "stay-rules [0]", 1],
      ["2026-07-01", "waivers [0]", null],
      ["2026-07-02", "policies/BBB conditions[0]", null],
      ["2026-07-03", "policies/BBB rules[0]", 1],
      ["2026-07-04", "policies/BBB default[0]", null],
    ])
    expect(listEndings(facts, "no day")).toEqual([])
  })

  it("is counted by pairs before its end, and after it if nothing newer is recorded", () => {
    expect(measure(until("2026-07-01"))).toMatchObject({ pairsEnding: 2, pairsAfterExpiry: 0 })
    expect(measure(until("2026-07-01"), "2026-07-01")).toMatchObject({ pairsEnding: 0, pairsAfterExpiry: 2 })
  })
})

describe("data that may be stale", () => {
  it("is counted by pairs, and named by destination", () => {
    const change = { on: "2026-03-01", change: "Visas.", source: null, sourceUrl: null, verifiedOn: null }
    const changeLog = [
      { ...change, destinations: ["BBB"] },
      { ...change, destinations: ["CCC"], passports: ["AAA"] },
    ]
    // Nobody at home; of CCC one passport only.
    expect(measure({ sources, changeLog })).toMatchObject({
      pairsChangedSince: 3,
      destinationsChangedSince: ["BBB", "CCC"],
    })
  })
})

describe("a statement of a second source", () => {
  const corroboration = [
    {
      destination: "BBB",
      checks: [
        {
          source: "law",
          sourceUrl: null,
          checkedOn: "2026-04-01",
          says: [
            { requirement: "e_visa" as const, days: 30, passports: ["AAA"] },
            { requirement: "visa_free" as const, days: null, passports: ["CCC"] },
          ],
          reasons: [{ passports: ["CCC"], reason: "The law says otherwise." }],
        },
      ],
    },
    {
      destination: "AAA",
      checks: [
        {
          source: "law",
          sourceUrl: null,
          checkedOn: "2026-04-01",
          says: [{ requirement: "visa_required" as const, days: null }],
          silent: ["CCC"],
        },
      ],
    },
  ]
  const policies = [
    policy("AAA"),
    policy("BBB", { rules: [rule(["AAA"], { requirement: "e_visa", days: 90 })] }),
    policy("CCC"),
  ]

  it("is counted if it agrees, and listed with the reason if it does not", () => {
    const freshness = measure({ sources, policies, corroboration })
    expect(freshness).toMatchObject({
      pairsCorroborated: 1,
      pairsDisputed: 1,
      pairsDisputedInDays: 1,
      pairsUnexplained: 1,
      pairsWithTableStay: 1,
    })
    expect(freshness.differences).toEqual([
      {
        passport: "AAA",
        destination: "BBB",
        ours: { requirement: "e_visa", days: 90 },
        theirs: { requirement: "e_visa", days: 30 },
        source: "law",
        checkedOn: "2026-04-01",
        reason: null,
      },
      {
        passport: "CCC",
        destination: "BBB",
        ours: { requirement: "visa_required", days: null },
        theirs: { requirement: "visa_free", days: null },
        source: "law",
        checkedOn: "2026-04-01",
        reason: "The law says otherwise.",
      },
    ])
  })

  it("has one row for all passports with the same statement", () => {
    const [difference] = measure({ sources, policies, corroboration }).differences
    if (difference === undefined) throw new Error("no difference")
    const { passport: _, ...rest } = difference
    const other = { ...rest, destination: "AAA", passport: "BBB" }
    expect(groupDifferences([difference, { ...difference, passport: "CCC" }, other])).toEqual([
      { ...rest, destination: "AAA", passports: ["BBB"] },
      { ...rest, passports: ["AAA", "CCC"] },
    ])
  })
})
