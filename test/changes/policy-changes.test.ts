import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FACT_KINDS, type FactRow, type Facts, type FullParts } from "../../src/compiler.ts"
import {
  completeAnnounced,
  diffPolicies,
  listAnnouncedChanges,
  openFullFacts,
  type PolicySide,
} from "../../src/full.ts"
import { type Dataset, embeddedDataset, lookupAt, REQUIREMENTS } from "../../src/index.ts"
import { openSmall, policy, rule } from "../dataset/small-facts.ts"
import { diffPoliciesByText, type WrittenPolicy } from "../oracles/policies.ts"

const ON = "2026-06-01"

interface SmallFacts {
  readonly fee?: number
  readonly processing?: number
  readonly url?: string
}

/** Facts of CCC: the fee of a visa, its processing time, and the source of the fee. */
const factsOf = ({ fee, processing, url = "https://fee.example/" }: SmallFacts) => {
  const rows: Partial<Record<string, readonly FactRow[]>> = {
    fee: fee === undefined ? [] : [[0, "CCC", null, null, { singleEntry: { amount: fee, currency: "USD" } }]],
    application: processing === undefined ? [] : [[1, "CCC", null, null, { standardDays: processing }]],
  }
  const parts: FullParts = {
    version: "test.1",
    asOf: "2026-06-01",
    codes: "",
    sources: [["fees", "Fees", url, null]],
    origins: [
      [0, null, null, null],
      [null, null, null, null],
    ],
    facts: Object.fromEntries(
      Object.keys(FACT_KINDS).map(subject => [subject, rows[subject] ?? []]),
    ) as FullParts["facts"],
  }
  return openFullFacts(parts)
}

const makeSide = (
  terms: Parameters<typeof rule>[1],
  facts: SmallFacts = {},
  rest: Partial<Facts> = {},
): PolicySide => ({
  dataset: openSmall({ policies: [policy("CCC", { rules: [rule(["AAA"], terms)] })], ...rest }),
  facts: factsOf(facts),
})
const visa = { requirement: "visa_required" } as const

describe("diffPolicies", () => {
  const diffOne = (older: PolicySide, newer: PolicySide) =>
    diffPolicies(older, newer, ON).find(({ passport, destination }) => passport + destination === "AAACCC")

  it.each([
    ["requirement", makeSide({ requirement: "visa_free", days: 90 }), makeSide(visa), "requirement,days", "major"],
    [
      "a stay that falls",
      makeSide({ requirement: "visa_free", days: 90 }),
      makeSide({ requirement: "visa_free", days: 30 }),
      "days",
      "major",
    ],
    [
      "a stay that grows",
      makeSide({ requirement: "visa_free", days: 30 }),
      makeSide({ requirement: "visa_free", days: 90 }),
      "days",
      "minor",
    ],
    ["a fee", makeSide(visa, { fee: 60 }), makeSide(visa, { fee: 80 }), "fee", "minor"],
    [
      "processing days",
      makeSide(visa, { processing: 10 }),
      makeSide(visa, { processing: 15 }),
      "processing_days",
      "minor",
    ],
    [
      "validity",
      makeSide(visa),
      makeSide(
        visa,
        {},
        {
          validity: [
            {
              anchor: "arrival",
              months: 6,
              days: 0,
              issuedWithinYears: null,
              confidence: "high",
              destinations: ["CCC"],
              source: null,
              sourceUrl: null,
              verifiedOn: null,
            },
          ],
        },
      ),
      "validity",
      "minor",
    ],
  ] as const)("sees a change of %s", (_name, older, newer, fields, severity) => {
    const change = diffOne(older, newer)
    expect(change?.kind).toBe("changed")
    expect(change?.fields.join()).toBe(fields)
    expect(change?.severity).toBe(severity)
    expect(change?.effectiveFrom).toBe(ON)
  })

  it("calls it a change of source if nothing else differs, and no change if it was only verified again", () => {
    const moved = diffOne(makeSide(visa, { fee: 60 }), makeSide(visa, { fee: 60, url: "https://elsewhere.example/" }))
    expect([moved?.kind, moved?.fields]).toEqual(["source_updated", ["source"]])
    expect(moved?.previous?.sources.at(-1)).toEqual({ name: "Fees", url: "https://fee.example/" })
    expect(diffPolicies(makeSide(visa), makeSide({ ...visa, verifiedOn: "2026-05-01" }), ON)).toEqual([])
  })

  it("names the page that was read for a rule, and calls another page a change of source", () => {
    const read = (page: string) => makeSide({ ...visa, source: "law", sourceUrl: `https://law.example/${page}` })
    const moved = diffOne(read("old"), read("new"))
    expect([moved?.kind, moved?.fields]).toEqual(["source_updated", ["source"]])
    expect(moved?.previous?.sources).toEqual([{ name: "A law", url: "https://law.example/old" }])
    expect(moved?.current?.sources).toEqual([{ name: "A law", url: "https://law.example/new" }])
    const told = { ...visa, source: "law", sourceUrl: null }
    expect(diffOne(makeSide(visa), makeSide(told))?.current?.sources).toEqual([
      { name: "A law", url: "https://law.example/" },
    ])
  })

  it("compares facts only if both sides have some", () => {
    expect(diffPolicies({ ...makeSide(visa), facts: null }, makeSide(visa, { fee: 60 }), ON)).toEqual([])
  })

  it("gives a change by a dated rule the day of that rule", () => {
    const dated = { ...visa, rules: [] }
    const older = makeSide({ ...visa })
    const newer: PolicySide = {
      ...older,
      dataset: openSmall({
        policies: [
          policy("CCC", {
            rules: [
              rule(["AAA"], { requirement: dated.requirement, until: "2026-03-05" }),
              rule(["AAA"], { requirement: "visa_free", days: 30, from: "2026-03-05" }),
            ],
          }),
        ],
      }),
    }
    expect(diffOne(older, newer)?.effectiveFrom).toBe("2026-03-05")
  })

  it("finds what the texts of all pairs say, and gives the same keys again", () => {
    const answers = fc.record({
      requirement: fc.constantFrom(...REQUIREMENTS.filter(word => word !== "visa_required" && word !== "no_admission")),
      days: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
      fee: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      processing: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    })
    const write = (
      { dataset }: PolicySide,
      { fee, processing }: { fee?: number | undefined; processing?: number | undefined },
    ) =>
      listFound(dataset).map(({ passport, destination, answer }): WrittenPolicy => {
        const isApplied = destination === "CCC" && answer.requirement !== "visa_free"
        return {
          passport,
          destination,
          terms: {
            requirement: answer.requirement,
            days: answer.days,
            fee: (isApplied ? fee : null) ?? null,
            processing_days: (isApplied ? processing : null) ?? null,
            source: isApplied && fee !== undefined,
          },
        }
      })
    fc.assert(
      fc.property(answers, answers, (before, after) => {
        const side = ({ requirement, days, ...facts }: typeof before) =>
          makeSide({ requirement, days }, JSON.parse(JSON.stringify(facts)) as SmallFacts)
        const [older, newer] = [side(before), side(after)]
        const changes = diffPolicies(older, newer, ON)
        const named = changes.map(
          ({ passport, destination, fields }) => `${passport} ${destination} ${[...fields].sort()}`,
        )
        expect(named).toEqual(diffPoliciesByText(write(older, before), write(newer, after)))
        expect(diffPolicies(side(before), side(after), ON).map(({ key }) => key)).toEqual(changes.map(({ key }) => key))
        const back = diffPolicies(newer, older, ON)
        expect(back.map(({ previous }) => previous)).toEqual(changes.map(({ current }) => current))
      }),
      { numRuns: 60 },
    )
  })

  it("finds nothing between a dataset and itself, and cannot fail", () => {
    const side = { dataset: embeddedDataset(), facts: null }
    expect(diffPolicies(side, side, "tomorrow")).toEqual([])
    expect(diffPolicies({ dataset: {} as Dataset, facts: null }, { dataset: {} as Dataset, facts: null }, ON)).toEqual(
      [],
    )
  })
})

describe("listAnnouncedChanges", () => {
  const side: PolicySide = {
    facts: factsOf({ fee: 60 }),
    dataset: openSmall({
      policies: [
        policy("CCC", {
          rules: [
            rule(["AAA"], { requirement: "visa_required", until: "2026-09-01" }),
            rule(["AAA"], { requirement: "visa_free", days: 30, from: "2026-09-01" }),
          ],
        }),
      ],
    }),
  }

  it("lists what dated rules change after a day, and becomes the change of that day", () => {
    const [announced, ...others] = listAnnouncedChanges(side, ON)
    if (announced === undefined) throw new Error("nothing is announced")
    expect(others).toEqual([])
    expect(announced).toMatchObject({
      kind: "announced",
      passport: "AAA",
      destination: "CCC",
      severity: "major",
      effectiveFrom: "2026-09-01",
      previous: { requirement: "visa_required", fee: { amount: 60 } },
      current: { requirement: "visa_free", days: 30, fee: null },
    })
    const completed = completeAnnounced(announced)
    expect(completed).toEqual({ ...announced, kind: "changed", key: completed.key })
    expect(completed.key).not.toBe(announced.key)
    expect(listAnnouncedChanges(side, "2026-09-01")).toEqual([])
    expect(listAnnouncedChanges(side, "soon")).toEqual([])
  })

  it("names the page of the rule that ends and of the rule that begins", () => {
    const terms = { source: "law", requirement: "visa_required" } as const
    const rules = [
      rule(["AAA"], { ...terms, until: "2026-09-01", sourceUrl: "https://law.example/old" }),
      rule(["AAA"], { ...terms, requirement: "eta", from: "2026-09-01", sourceUrl: "https://law.example/new" }),
    ]
    const dataset = openSmall({ policies: [policy("CCC", { rules })] })
    const [announced] = listAnnouncedChanges({ dataset, facts: null }, ON)
    expect([announced?.previous, announced?.current].map(terms => terms?.sources[0]?.url)).toEqual([
      "https://law.example/old",
      "https://law.example/new",
    ])
  })
})

function listFound(dataset: Dataset) {
  return dataset.passports.flatMap((passport, p) =>
    dataset.destinations.flatMap((destination, d) => {
      const answer = lookupAt(dataset, p, d)
      return answer.kind === "found" ? [{ passport, destination, answer }] : []
    }),
  )
}
