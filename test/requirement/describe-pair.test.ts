import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Facts, PolicyCondition } from "../../src/compiler.ts"
import {
  datasetOn,
  describePair,
  type HeldDocument,
  lookupHeld,
  lookupRequirement,
  openDataset,
  type PairDescription,
} from "../../src/index.ts"
import { openSmall, policy, rule, smallFacts, stayRule, terms, waiver, zone } from "../dataset/small-facts.ts"
import { decideByWalking } from "../oracles/terms.ts"

const found = (changes: Partial<Facts>, passport = "AAA", destination = "BBB", on?: string): PairDescription => {
  const pair = describePair(openSmall(changes), passport, destination, { on })
  if (pair.kind !== "found") throw new Error(pair.message)
  return pair
}

describe("describePair", () => {
  it("says what a lookup says where it says nothing more", () => {
    const dataset = openSmall({})
    const pair = describePair(dataset, "AAA", "BBB") as PairDescription
    expect(pair).toMatchObject({
      kind: "found",
      passport: "AAA",
      destination: "BBB",
      on: "2026-06-01",
      conditions: [],
      notes: [],
      waivers: [],
      stayRule: null,
      stayBasis: null,
      endsOn: null,
      afterExpiry: null,
      changedSince: null,
      corroboration: null,
    })
    expect(pair.answer).toBe(lookupRequirement(dataset, "AAA", "BBB"))
  })

  it("answers like a lookup where nothing is recorded or nothing was asked", () => {
    const dataset = openSmall({})
    for (const [passport, destination, on] of [
      ["AAA", "ZZZ", undefined],
      ["QQQ", "AAA", undefined],
      ["fr", "AAA", undefined],
      ["AAA", "BBB", "2025-01-01"],
      ["AAA", "BBB", "yesterday"],
    ] as const) {
      expect(describePair(dataset, passport, destination, { on })).toBe(
        lookupRequirement(dataset, passport, destination, { on }),
      )
    }
    const throwing = {
      get on(): string {
        throw new Error("read")
      },
    }
    expect(describePair(dataset, "AAA", "BBB", throwing).kind).toBe("malformed")
  })

  it("says the conditions, the note and the page of the rule that decides, and of no other", () => {
    const reviewed = rule(["AAA"], {
      requirement: "eta",
      source: "law",
      sourceUrl: "https://law.example/page",
      note: "Since the new act.",
      conditions: [{ kind: "purpose", purposes: ["tourism"] }],
    })
    const beaten = terms({ note: "The default.", conditions: [{ kind: "other", text: "Nobody reads this." }] })
    const policies = [policy("BBB", { defaults: [beaten], reviewed: [reviewed] })]
    const pair = found({ policies })
    expect(pair.sourceUrl).toBe("https://law.example/page")
    expect(pair.notes).toEqual(["Since the new act."])
    expect(pair.conditions).toEqual([
      {
        kind: "purpose",
        purposes: ["tourism"],
        source: { id: "law", name: "A law", url: "https://law.example/", imported: false, compiled: false },
        sourceUrl: "https://law.example/page",
      },
    ])
    expect(found({ policies }, "CCC").notes).toEqual(["The default."])
  })

  it("says a condition's own source where it has one", () => {
    const conditions = [{ kind: "other", text: "Ask.", source: "law", sourceUrl: "https://law.example/other" } as const]
    const pair = found({ policies: [policy("BBB", { defaults: [terms({ conditions })] })] })
    expect(pair.conditions).toMatchObject([{ source: { id: "law" }, sourceUrl: "https://law.example/other" }])
  })

  describe("of a policy's conditions", () => {
    const withCondition = (condition: Partial<PolicyCondition>, changes: Partial<Facts> = {}) => ({
      policies: [
        policy("BBB", {
          conditions: [{ kind: "other", text: "Bring a pen.", ...condition } as PolicyCondition],
          note: "An island.",
        }),
        policy("TTT", { follows: "BBB", defaults: [] }),
      ],
      ...changes,
    })
    const kinds = (changes: Partial<Facts>, ...asked: [string?, string?, string?]) =>
      found(changes, ...asked).conditions.length

    it("says those for everybody, with the policy's note, but to no citizen of its own", () => {
      expect(kinds(withCondition({}))).toBe(1)
      expect(found(withCondition({})).notes).toEqual(["An island."])
      expect(kinds(withCondition({}), "BBB")).toBe(0)
      expect(found(withCondition({}), "BBB").notes).toEqual([])
    })

    it("says those for some to these only", () => {
      expect(kinds(withCondition({ passports: ["AAA"] }))).toBe(1)
      expect(kinds(withCondition({ passports: ["AAA"] }), "CCC")).toBe(0)
      expect(kinds(withCondition({ except: ["AAA"] }))).toBe(0)
      expect(kinds(withCondition({ passports: ["@OLD"] }))).toBe(1)
      expect(kinds(withCondition({ requirements: ["eta"] }))).toBe(0)
      expect(kinds(withCondition({ requirements: ["visa_required"] }))).toBe(1)
    })

    it("says them on their days only", () => {
      const dated = withCondition({ from: "2026-02-01", until: "2026-03-01" })
      expect(
        ["2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"].map(on => kinds(dated, "AAA", "BBB", on)),
      ).toEqual([0, 1, 1, 0])
    })

    it("says them of a territory that follows, with the rules that hold there", () => {
      expect(kinds(withCondition({}), "AAA", "TTT")).toBe(1)
      expect(found(withCondition({}), "AAA", "TTT").notes).toEqual(["An island."])
      // Citizens are at home in the territories of their country too.
      expect(kinds(withCondition({}), "BBB", "TTT")).toBe(0)
    })

    it("says them to those who move freely only where they are named", () => {
      const free = { requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" } as const
      const policies = (condition: Partial<PolicyCondition>) => ({
        policies: [
          policy("BBB", {
            rules: [rule(["AAA"], free)],
            conditions: [{ kind: "other", text: "Bring a pen.", ...condition } as PolicyCondition],
          }),
        ],
      })
      expect(kinds(policies({}), "AAA", "BBB", "2026-02-01")).toBe(0)
      expect(kinds(policies({ passports: ["AAA"] }), "AAA", "BBB", "2026-02-01")).toBe(1)
    })
  })

  it("is frozen with all that it holds", () => {
    const pair = found({
      zones: [zone()],
      waivers: [waiver({ conditions: [{ kind: "purpose", purposes: ["tourism"] }] })],
      stayRules: [stayRule({ requirements: ["visa_required"] })],
      changeLog: [
        { destinations: ["BBB"], on: "2026-05-01", change: "x", source: "law", sourceUrl: null, verifiedOn: null },
      ],
      policies: [policy("BBB", { defaults: [terms({ conditions: [{ kind: "gateway_visa", states: ["@area"] }] })] })],
    })
    const listThawed = (value: unknown, path: string): string[] =>
      typeof value !== "object" || value === null
        ? []
        : [
            ...(Object.isFrozen(value) ? [] : [path]),
            ...Object.entries(value).flatMap(([key, held]) => listThawed(held, `${path}.${key}`)),
          ]
    expect(pair.waivers.length + pair.conditions.length).toBe(2)
    expect(listThawed(pair, "pair")).toEqual([])
  })

  it("says the same of the view for a day as of that day", () => {
    const policies = [
      policy("BBB", { reviewed: [rule(["AAA"], { requirement: "eta", until: "2026-07-01", note: "Soon over." })] }),
    ]
    const dataset = openSmall({ policies })
    const view = datasetOn(dataset, "2026-08-01")
    if (!view.ok) throw new Error(view.error.message)
    expect(describePair(view.value, "AAA", "BBB")).toEqual(describePair(dataset, "AAA", "BBB", { on: "2026-08-01" }))
  })
})

describe("a rule that ends", () => {
  const until = (days: object, underneath: object = {}) => ({
    policies: [
      policy("BBB", {
        defaults: [terms(underneath)],
        reviewed: [rule(["AAA"], { requirement: "visa_free", days: 30, until: "2026-07-01", ...days })],
      }),
    ],
  })

  it("names its last day before, and is named with it afterwards", () => {
    expect(found(until({}), "AAA", "BBB", "2026-06-30")).toMatchObject({ endsOn: "2026-06-30", afterExpiry: null })
    expect(found(until({}), "AAA", "BBB", "2026-07-01")).toMatchObject({
      answer: { requirement: "visa_required" },
      endsOn: null,
      afterExpiry: { endedOn: "2026-06-30", requirement: "visa_free", days: 30 },
    })
    expect(found(until({}), "CCC", "BBB", "2026-07-01").afterExpiry).toBeNull()
  })

  it("leaves its mark where the rule underneath says the same", () => {
    const same = until({}, { requirement: "visa_free", days: 30 })
    expect(found(same, "AAA", "BBB", "2026-08-01").afterExpiry).toMatchObject({ endedOn: "2026-06-30" })
  })

  it("leaves none where a rule that began on that day settles it", () => {
    const next = rule(["AAA"], { requirement: "e_visa", from: "2026-07-01" })
    const [bbb] = until({}).policies
    const policies = [{ ...(bbb as ReturnType<typeof policy>), rules: [next] }]
    expect(found({ policies }, "AAA", "BBB", "2026-07-01")).toMatchObject({
      answer: { requirement: "e_visa" },
      afterExpiry: null,
    })
  })

  it("is what walking through the rules finds, whatever their days", () => {
    const day = fc.constantFrom(null, "2026-01-10", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01")
    const span = fc
      .tuple(day, day)
      .filter(([from, end]) => from === null || end === null || from < end)
      .map(([from, end]) => ({ from, until: end }))
    const spans = fc.record({ reviewedCode: span, reviewedBloc: span, code: span, bloc: span, default: span })
    const on = fc.constantFrom("2026-01-01", "2026-01-10", "2026-02-15", "2026-03-01", "2026-04-30", "2026-05-01")
    fc.assert(
      fc.property(spans, on, (given, asked) => {
        const facts = smallFacts({
          blocs: [{ id: "SET", freedomOfMovement: false, members: [{ code: "AAA", from: null, until: null }] }],
          policies: [
            policy("BBB", {
              defaults: [terms({ ...given.default, note: "default" })],
              rules: [
                rule(["AAA"], { ...given.code, requirement: "eta", note: "code" }),
                rule(["@SET"], { ...given.bloc, requirement: "e_visa", note: "bloc" }),
              ],
              reviewed: [
                rule(["AAA"], { ...given.reviewedCode, requirement: "visa_free", note: "reviewed code" }),
                rule(["@SET"], { ...given.reviewedBloc, requirement: "visa_on_arrival", note: "reviewed bloc" }),
              ],
            }),
          ],
        })
        const pair = describePair(openSmall(facts), "AAA", "BBB", { on: asked })
        const expected = decideByWalking(facts, "AAA", "BBB", asked)
        expect(
          pair.kind === "found"
            ? [pair.notes[0], pair.answer.requirement, pair.endsOn, pair.afterExpiry?.endedOn ?? null]
            : null,
        ).toEqual(expected && [expected.decided.note, expected.decided.requirement, expected.endsOn, expected.ended])
      }),
      { numRuns: 300 },
    )
  })
})

describe("an older dataset", () => {
  it("is described without what it does not hold", () => {
    const opened = openDataset(new Uint8Array(readFileSync("test/fixtures/passport-index-2025-01-12.landfall")))
    if (!opened.ok) throw new Error(opened.error.message)
    expect(opened.value).toMatchObject({ formatVersion: 4, terms: { lists: {} } })
    expect(describePair(opened.value, "FRA", "JPN")).toMatchObject({
      kind: "found",
      conditions: [],
      waivers: [],
      corroboration: null,
    })
    const held: HeldDocument[] = [{ kind: "visa", issuer: "USA" }]
    const answer = lookupHeld(opened.value, "IND", "MEX", { held })
    expect(answer.ok && answer.value.kind === "found" && answer.value.unused).toEqual([0])
  })
})
