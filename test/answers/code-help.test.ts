import { describe, expect, it } from "vitest"
import { helpWithCode, helpWithIssue } from "../../adapters/answers/code-help.ts"
import { helpRefusal, readItinerary } from "../../adapters/answers/decision.ts"

describe("a text that is no code", () => {
  it.each([
    ["FR", "The code of France is FRA."],
    ["fr", "The code of France is FRA."],
    ["fra", "The code of France is FRA."],
    ["UK", "The code of United Kingdom is GBR."],
    ["Japan", "The code of Japan is JPN."],
    ["D", "The code of Germany is DEU."],
    ["RKS", "The code of Kosovo is XKX."],
    ["XPO", "XPO is a document of Interpol: no rules are recorded for it. Give the holder's national passport."],
    ["Korea", ""],
    ["QQ", ""],
    ["FRA", ""],
    ["", ""],
  ])("is told with the code that it means for sure: %s", (text, help) => {
    expect(helpWithCode(text)).toBe(help)
  })

  it("is told of every code in a request", () => {
    const read = readItinerary({
      passport: "FR",
      stops: [{ destination: "Japan", from: "2026-12-01", to: "2026-12-02" }],
    })
    expect(read.ok ? null : helpRefusal(read.refusal, helpWithIssue)).toMatchObject({
      issues: [
        {
          path: "stops[0].destination",
          message: '"Japan" is not an ISO 3166-1 alpha-3 code: three capital letters. The code of Japan is JPN.',
        },
        {
          path: "passport",
          message: '"FR" is not an ISO 3166-1 alpha-3 code: three capital letters. The code of France is FRA.',
        },
      ],
    })
  })
})
