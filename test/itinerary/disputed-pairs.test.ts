/** A pair about which nothing decides between two answers is judged by both. */
import { describe, expect, it } from "vitest"
import type { Facts } from "../../src/compiler.ts"
import type { ItineraryRequest } from "../../src/index.ts"
import { openSmall, policy, rule } from "../dataset/small-facts.ts"
import { decided, stay } from "./decisions.ts"

interface Said {
  readonly requirement: "visa_free" | "visa_on_arrival" | "e_visa" | "visa_required" | "no_admission"
  readonly days: number | null
}

const FREE = { requirement: "visa_free", days: 90 } as const
const VISA = { requirement: "visa_required", days: null } as const
const E_VISA = { requirement: "e_visa", days: null } as const

/** Our answer at some destinations, and what a second source says there. */
const disputing = (answers: Readonly<Record<string, readonly [ours: Said, theirs: Said]>>): Partial<Facts> => ({
  sources: ["table", "second"].map(id => ({ id, name: id, url: null, imported: false, snapshotOn: null })),
  policies: Object.entries(answers).map(([code, [ours]]) => policy(code, { reviewed: [rule(["AAA"], ours)] })),
  corroboration: Object.entries(answers).map(([destination, [, theirs]]) => ({
    destination,
    checks: [
      {
        ...{ source: "second", sourceUrl: null, checkedOn: "2026-06-01" },
        says: [{ ...theirs, passports: ["AAA"] }],
        silent: ["CCC"],
        reasons: [{ passports: ["AAA"], reason: null, open: true as const }],
      },
    ],
  })),
})

const judge = (answers: Parameters<typeof disputing>[0], to = "2027-01-10") => {
  const stops = Object.keys(answers).map(code => stay(code, "2027-01-05", to))
  const { outcome, verdict, blockers, unknowns } = decided(openSmall(disputing(answers)), { passport: "AAA", stops })
  const disputed = unknowns.filter(({ code }) => code === "disputed").map(({ params }) => params)
  return { outcome, verdict, blockers: blockers.length, disputed }
}

describe("a decision about a disputed pair", () => {
  it("has the outcome that both answers have, and names both", () => {
    expect(judge({ BBB: [E_VISA, VISA] })).toEqual({
      ...{ outcome: "obtain", verdict: "no_blocker_found", blockers: 0 },
      disputed: [{ says: "e_visa / visa_required" }],
    })
  })

  it("of a short stay that both answers permit is as if nobody contradicted", () => {
    const short = { ...FREE, days: 30 }
    const facts = disputing({ BBB: [FREE, short] })
    const asked = { passport: "AAA", passportExpiry: "2033-01-01", stops: [stay("BBB", "2027-01-05", "2027-01-10")] }
    const settled = decided(openSmall({ ...facts, corroboration: [] }), asked)
    const disputed = decided(openSmall(facts), asked)
    expect(disputed.outcome).toBe(settled.outcome)
    expect(disputed.unknowns.filter(({ code }) => code !== "disputed")).toEqual(settled.unknowns)
  })

  it("is blocked if both answers block", () => {
    const refused = { requirement: "no_admission", days: null } as const
    expect(judge({ BBB: [refused, { ...FREE, days: 30 }] }, "2027-03-30")).toMatchObject({ outcome: "blocked" })
  })

  it("is unknown if one answer needs a visa and the other none, whichever is shown", () => {
    const unknown = { outcome: "unknown", verdict: "no_blocker_found", blockers: 0 }
    expect(judge({ BBB: [VISA, FREE] })).toMatchObject({
      ...unknown,
      disputed: [{ says: "visa_required / visa_free 90" }],
    })
    expect(judge({ BBB: [FREE, VISA] })).toMatchObject({
      ...unknown,
      disputed: [{ says: "visa_free 90 / visa_required" }],
    })
  })

  it("is not blocked by what only one answer forbids, and names it", () => {
    const short = { ...FREE, days: 30 }
    expect(judge({ BBB: [short, FREE] }, "2027-02-20")).toMatchObject({
      ...{ outcome: "unknown", verdict: "no_blocker_found", blockers: 0 },
      disputed: [{ says: "visa_free 30 / visa_free 90" }],
    })
    expect(judge({ BBB: [FREE, short] }, "2027-02-20")).toMatchObject({ outcome: "unknown", blockers: 0 })
  })
})

describe("a stop that a dispute leaves open on a journey whose outcome it does not change", () => {
  const stops = [stay("BBB", "2027-01-05", "2027-01-10"), stay("TTT", "2027-01-11", "2027-01-15")]
  const policies = [
    policy("BBB", { reviewed: [rule(["AAA"], VISA), rule(["CCC"], E_VISA)] }),
    policy("TTT", { reviewed: [rule(["AAA", "CCC"], VISA)] }),
  ]
  const dataset = openSmall({ ...disputing({ BBB: [VISA, FREE] }), policies })

  it.each<[name: string, used: string, request: Pick<ItineraryRequest, "passport" | "passports">]>([
    ["has it as its reason", "AAA", { passport: "AAA" }],
    [
      "has it also where the other answer would use another passport",
      "CCC",
      { passports: [{ passport: "AAA" }, { passport: "CCC" }] },
    ],
  ])("%s", (_, used, request) => {
    const { outcome, steps, unknowns } = decided(dataset, { ...request, stops })
    expect([outcome, ...steps.map(each => [each.passport, each.outcome])]).toEqual([
      "obtain",
      [used, "unknown"],
      [expect.anything(), "obtain"],
    ])
    const disputed = unknowns.filter(({ code }) => code === "disputed")
    expect(disputed.map(({ step, weight }) => [step, weight])).toEqual([[0, "unknown"]])
  })
})

describe("a change of planes outside the international area, in a disputed country", () => {
  const change = (ours: Said, theirs: Said) => {
    const { outcome, transit, unknowns } = decided(openSmall(disputing({ BBB: [ours, theirs] })), {
      passport: "AAA",
      passportExpiry: "2033-01-01",
      stops: [stay("AAA", "2027-01-05", "2027-01-10")],
      transit: [{ country: "BBB", airside: false }],
    })
    const { permitted } = transit[0]!
    const isNamed = unknowns.some(({ field, code }) => field === "transit[0].permitted" && code === "disputed")
    return [permitted.status === "known" ? permitted.value : permitted.code, outcome, isNamed]
  }
  const REFUSED = { requirement: "no_admission", days: null } as const
  const ON_ARRIVAL = { requirement: "visa_on_arrival", days: 30 } as const

  it("is decided if both answers come to the same", () => {
    expect(change(FREE, { ...FREE, days: 30 })[0]).toBe("yes")
    expect(change(FREE, ON_ARRIVAL)[0]).toBe("yes")
    expect(change(VISA, REFUSED)).toEqual(["no", "blocked", false])
    expect(change(REFUSED, VISA)).toEqual(["no", "blocked", false])
  })

  it("is unknown if they do not, and never clear or blocked, whichever is shown", () => {
    for (const [one, other] of [
      [FREE, VISA],
      [FREE, E_VISA],
      [ON_ARRIVAL, E_VISA],
      [E_VISA, VISA],
      [FREE, REFUSED],
    ] as const) {
      expect(change(one, other)).toEqual(["disputed", "unknown", true])
      expect(change(other, one)).toEqual(["disputed", "unknown", true])
    }
  })
})
