import { describe, expect, it } from "vitest"
import { describePair, findWaivers, parseCivilDate } from "../../src/index.ts"
import { openSmall, policy, rule, waiver } from "../dataset/small-facts.ts"

describe("findWaivers", () => {
  it("lists what eases a pair on a day, the easiest first, and nothing else", () => {
    const dataset = openSmall({
      waivers: [
        waiver({ requirement: "eta" }),
        waiver({ requirement: "visa_required", days: null }),
        waiver({ days: 60 }),
      ],
    })
    const day = parseCivilDate("2026-06-01") as number
    expect(findWaivers(dataset, "AAA", "BBB", day).map(({ requirement }) => requirement)).toEqual(["visa_free", "eta"])
    expect(findWaivers(dataset, "AAA", "CCC", day)).toEqual([])
    expect(findWaivers(dataset, "BBB", "BBB", day)).toEqual([])
    expect(findWaivers(dataset, "QQQ", "BBB", day)).toEqual([])
    expect(findWaivers(dataset, "AAA", "BBB", Number.NaN)).toEqual([])
  })
  it("compares an answer for biometric passports as a visa, which the holders of others need", () => {
    const only = { kind: "passport_kind", features: ["biometric"], source: "law", sourceUrl: null } as const
    const answer = { requirement: "visa_free", days: 90, conditions: [only] } as const
    const policies = [policy("BBB", { rules: [rule(["AAA"], answer)] })]
    const dataset = openSmall({ policies, waivers: [waiver({ days: 90 })] })
    const day = parseCivilDate("2026-06-01") as number
    expect(findWaivers(dataset, "AAA", "BBB", day).map(({ days }) => days)).toEqual([90])
    expect(describePair(dataset, "AAA", "BBB")).toMatchObject({ waivers: findWaivers(dataset, "AAA", "BBB", day) })
  })
})
