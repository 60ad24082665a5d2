import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { explainRequirement } from "../../src/compiler.ts"
import { lookup } from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"
import { policy, rule, smallFacts } from "./small-facts.ts"

const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
const explain = (passport: string, destination: string, on = facts.asOf, of = facts) => {
  const explanation = explainRequirement(of, passport, destination, on)
  if (!explanation.ok) throw new Error(explanation.error.message)
  return explanation.value
}

describe("explainRequirement", () => {
  it("names the rule that decides and the rules after it, the best first", () => {
    const { decided, beaten } = explain("LCA", "GBR")
    expect(decided).toMatchObject({
      policy: "GBR",
      rank: "reviewed code",
      selector: "LCA",
      terms: {
        requirement: "visa_required",
        from: "2026-03-05",
        source: "gov-uk-check-visa",
        verifiedOn: "2026-08-21",
      },
    })
    expect(beaten.map(({ rank, selector, terms }) => [rank, selector, terms.requirement])).toEqual([
      ["code", "LCA", "eta"],
    ])
  })

  it("explains no day before the first day of the facts, for which a lookup has no record", () => {
    const explanation = explainRequirement(facts, "FRA", "JPN", "2026-02-16")
    expect(explanation.ok ? "explained" : explanation.error.message).toBe(
      'on: "2026-02-16" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.',
    )
    expect(explain("FRA", "JPN", "2026-02-17").decided).not.toBeNull()
  })

  it("leaves out rules that were not in force on the day", () => {
    expect(explain("LCA", "GBR", "2026-03-04").decided).toMatchObject({ rank: "code", terms: { requirement: "eta" } })
  })

  it("names the country whose policy a territory follows", () => {
    expect(explain("LCA", "JEY")).toMatchObject({ follows: "GBR", decided: { policy: "GBR" } })
    expect(explain("GBR", "JEY")).toMatchObject({ follows: "GBR", decided: { rank: "home" } })
    expect(explain("HKG", "GUM")).toMatchObject({
      follows: null,
      decided: { policy: "GUM", terms: { requirement: "eta" } },
    })
  })

  it("says that no rule covers a pair, and that citizens need no rule at home", () => {
    expect(explain("FRA", "ATA")).toMatchObject({ decided: null, beaten: [], uncertain: false })
    expect(explain("FRA", "FRA")).toMatchObject({ decided: { rank: "home" }, beaten: [] })
  })

  it("says what is uncertain", () => {
    expect(explain("MLI", "GHA")).toMatchObject({ uncertain: true, decided: { terms: { bloc: "ECOWAS" } } })
  })

  it("agrees with lookup for every pair", () => {
    for (const destination of facts.destinations) {
      const turn = destination.code.charCodeAt(1)
      for (const passport of facts.passports.filter((_, at) => IS_WHOLE || at % 29 === turn % 29)) {
        const answer = lookup(passport, destination.code)
        const { decided, uncertain, follows } = explain(passport, destination.code)
        const expected =
          answer.kind === "found"
            ? [answer.requirement, answer.days, answer.uncertain, answer.follows]
            : [undefined, undefined, false, null]
        if (`${[decided?.terms.requirement, decided?.terms.days, uncertain, follows]}` !== `${expected}`) {
          expect(
            [decided?.terms.requirement, decided?.terms.days, uncertain, follows],
            passport + destination.code,
          ).toEqual(expected)
        }
      }
    }
  })

  it("keeps the order of the file for rules of the same rank", () => {
    const of = smallFacts({
      policies: [
        policy("CCC", { rules: [rule(["@OLD"], { requirement: "eta" }), rule(["@NEW"], { requirement: "eta" })] }),
      ],
    })
    const { decided, beaten } = explain("BBB", "CCC", "2026-02-15", of)
    expect([decided?.selector, ...beaten.map(other => other.selector)]).toEqual(["@OLD", "@NEW", "default"])
  })

  it("refuses an unknown pair and an invalid day, with all mistakes at once", () => {
    expect(explainRequirement(facts, "ZZZ", "fra", "2026-02-30")).toEqual({
      ok: false,
      error: {
        tag: "InputRefused",
        message:
          'passport: "ZZZ" is not one of the passports of the facts. destination: "fra" is not one of the destinations of the facts. ' +
          'on: "2026-02-30" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.',
        issues: [
          { path: "passport", message: '"ZZZ" is not one of the passports of the facts.' },
          { path: "destination", message: '"fra" is not one of the destinations of the facts.' },
          { path: "on", message: '"2026-02-30" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.' },
        ],
      },
    })
  })

  it("never throws, for any arguments", () => {
    const ask = explainRequirement as (...values: unknown[]) => ReturnType<typeof explainRequirement>
    expect(ask({}, "FRA", "JPN", "2026-03-01")).toEqual({
      ok: false,
      error: {
        tag: "InputRefused",
        message: "facts: They have another shape than facts that were compiled.",
        issues: [{ path: "facts", message: "They have another shape than facts that were compiled." }],
      },
    })
    fc.assert(fc.property(fc.anything(), fc.anything(), fc.anything(), (a, b, c) => !ask(facts, a, b, c).ok))
    fc.assert(fc.property(fc.anything(), value => !ask(value, "FRA", "JPN", "2026-03-01").ok))
  })
})
