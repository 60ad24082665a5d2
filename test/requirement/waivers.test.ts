import { describe, expect, it } from "vitest"
import { findWaivers, parseCivilDate } from "../../src/index.ts"
import { openSmall, waiver } from "../dataset/small-facts.ts"

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
})
