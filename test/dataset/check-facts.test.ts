import { describe, expect, it } from "vitest"
import type { Facts } from "../../src/compiler.ts"
import { issuesOf, policy, rule, smallFacts, terms } from "./small-facts.ts"

describe("a mistake in the facts", () => {
  const oneRule = (changes: Parameters<typeof rule>[1], passports = ["AAA"]) => ({
    policies: [policy("CCC", { rules: [rule(passports, changes)] })],
  })

  it.each<[string, Partial<Facts>, object]>([
    [
      "an unknown passport",
      oneRule({}, ["ZZZ"]),
      {
        tag: "UnknownCode",
        record: "policies/CCC",
        field: "rules[0].passports[0]",
        message: '"ZZZ" is not one of the 3 passports.',
      },
    ],
    [
      "an unknown bloc",
      oneRule({}, ["@NOPE"]),
      {
        tag: "UnknownBloc",
        record: "policies/CCC",
        field: "rules[0].passports[0]",
        message: "@NOPE is not a bloc.",
      },
    ],
    [
      "an unknown destination",
      { policies: [policy("ZZZ")] },
      {
        tag: "UnknownCode",
        record: "policies/ZZZ",
        field: "destination",
        message: '"ZZZ" is not one of the 4 destinations.',
      },
    ],
    [
      "an unknown source",
      oneRule({ source: "hearsay" }),
      {
        tag: "UnknownSource",
        record: "policies/CCC",
        field: "rules[0].source",
        message: '"hearsay" is not an id of sources.json.',
      },
    ],
    [
      "a day that no calendar has",
      oneRule({ from: "2026-02-30" }),
      {
        tag: "NotACalendarDate",
        record: "policies/CCC",
        field: "rules[0].from",
        message: '"2026-02-30" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
      },
    ],
    [
      "a verification on a day that no calendar has",
      oneRule({ verifiedOn: "2026-13-01" }),
      {
        tag: "NotACalendarDate",
        record: "policies/CCC",
        field: "rules[0].verified_on",
        message: '"2026-13-01" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
      },
    ],
    [
      "an end before the beginning",
      oneRule({ from: "2026-05-01", until: "2026-04-01" }),
      {
        tag: "UntilBeforeFrom",
        record: "policies/CCC",
        field: "rules[0].until",
        message: '2026-04-01 is not after "from" 2026-05-01.',
      },
    ],
    [
      "a rule twice",
      { policies: [policy("CCC", { rules: [rule(["AAA"]), rule(["BBB", "AAA"])] })] },
      {
        tag: "DuplicateRule",
        record: "policies/CCC",
        field: "rules[1].passports[1]",
        message: "AAA is already in rules[0] for the same days.",
      },
    ],
    [
      "two rules that disagree",
      { policies: [policy("CCC", { rules: [rule(["AAA"]), rule(["AAA"], { requirement: "visa_free", days: 9 })] })] },
      {
        tag: "RulesDisagree",
        record: "policies/CCC",
        field: "rules[1]",
        message:
          "For AAA on 2026-01-01, AAA in rules[0] says visa_required and AAA in rules[1] says visa_free for 9 days.",
      },
    ],
    [
      "two blocs that disagree once a passport is in both",
      {
        policies: [
          policy("CCC", { rules: [rule(["@OLD"], { requirement: "eta" }), rule(["@NEW"], { requirement: "e_visa" })] }),
        ],
      },
      {
        tag: "RulesDisagree",
        record: "policies/CCC",
        field: "rules[1]",
        message: "For BBB on 2026-02-01, @OLD in rules[0] says eta and @NEW in rules[1] says e_visa.",
      },
    ],
    [
      "two defaults that disagree, once for all passports",
      { policies: [policy("CCC", { defaults: [terms(), terms({ requirement: "eta" })] })] },
      {
        tag: "RulesDisagree",
        record: "policies/CCC",
        field: "default[1]",
        message: "For AAA on 2026-01-01, default in default[0] says visa_required and default in default[1] says eta.",
      },
    ],
    [
      "a default twice",
      { policies: [policy("CCC", { defaults: [terms({ until: "2026-05-01" }), terms({ from: "2026-04-30" })] })] },
      {
        tag: "DuplicateRule",
        record: "policies/CCC",
        field: "default[1]",
        message: "The same is already in default[0] for the same days.",
      },
    ],
    [
      "a default that rests on a treaty",
      {
        policies: [
          policy("AAA", {
            defaults: [terms({ requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" })],
          }),
        ],
      },
      {
        tag: "ImpossibleRule",
        record: "policies/AAA",
        field: "default[0].basis",
        message: "A default covers passports outside the treaty: name its members.",
      },
    ],
    [
      "a member of a bloc twice for the same days",
      {
        blocs: [
          {
            id: "OLD",
            freedomOfMovement: true,
            members: [
              { code: "AAA", from: null, until: "2026-05-01" },
              { code: "AAA", from: "2026-04-30", until: null },
            ],
          },
        ],
      },
      {
        tag: "DuplicateRule",
        record: "blocs/OLD",
        field: "members[1]",
        message: "AAA is already at members[0] for the same days.",
      },
    ],
    [
      "a product below nothing",
      { destinations: smallFacts().destinations.map(entry => ({ ...entry, gdpUsd: entry.code === "BBB" ? -1 : 1 })) },
      {
        tag: "ImpossibleRule",
        record: "countries",
        field: "BBB.gdp_usd",
        message: "-1 is not a number from 0 to 1000000000000000.",
      },
    ],
    [
      "no passports at all",
      { passports: [], policies: [policy("CCC")] },
      { tag: "ImpossibleRule", record: "passports", field: "", message: "At least one is expected." },
    ],
    [
      "a record twice",
      { policies: [policy("CCC"), policy("CCC")] },
      {
        tag: "DuplicateRecord",
        record: "policies",
        field: "CCC",
        message: "CCC is given twice.",
      },
    ],
    [
      "days where a visa is required",
      oneRule({ days: 30 }),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].days",
        message: "visa_required allows no stay that could be counted in days.",
      },
    ],
    [
      "half a day",
      oneRule({ requirement: "eta", days: 0.5 }),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].days",
        message: "0.5 is not a whole number from 1 to 3650.",
      },
    ],
    [
      "a word that is not a requirement",
      oneRule({ requirement: "free" as "eta" }),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].requirement",
        message: '"free" is not one of visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission.',
      },
    ],
    [
      "freedom of movement without its bloc",
      oneRule({ requirement: "visa_free", basis: "freedom_of_movement" }),
      {
        tag: "UnknownBloc",
        record: "policies/CCC",
        field: "rules[0].bloc",
        message: 'freedom_of_movement names its bloc: "" does not exist.',
      },
    ],
    [
      "freedom of movement for a stranger to the treaty",
      oneRule({ requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" }),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].bloc",
        message: "CCC never belonged to OLD.",
      },
    ],
    [
      "a basis that is derived",
      oneRule({ basis: "home" }),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].basis",
        message: '"home" is derived and cannot be written in a rule.',
      },
    ],
    [
      "a rule for nobody",
      oneRule({}, []),
      {
        tag: "ImpossibleRule",
        record: "policies/CCC",
        field: "rules[0].passports",
        message: "At least one passport or @bloc is expected.",
      },
    ],
    [
      "a territory that follows a follower",
      {
        policies: [policy("AAA"), policy("BBB", { follows: "AAA" }), policy("TTT", { follows: "BBB" })],
      },
      {
        tag: "ImpossibleRule",
        record: "policies/TTT",
        field: "follows",
        message: "BBB follows AAA: name that policy instead.",
      },
    ],
    [
      "a territory that follows nobody",
      { policies: [policy("TTT", { follows: "AAA" })] },
      {
        tag: "UnknownCode",
        record: "policies/TTT",
        field: "follows",
        message: '"AAA" has no policy to follow.',
      },
    ],
    [
      "a dataset that answers before its first day",
      { asOf: "2025-12-31" },
      {
        tag: "UntilBeforeFrom",
        record: "dataset",
        field: "as_of",
        message: '2025-12-31 is before "since" 2026-01-01.',
      },
    ],
  ])("names record and field for %s", (_, changes, issue) => {
    expect(issuesOf(changes)).toContainEqual(issue)
  })

  it("is reported together with all other mistakes", () => {
    const rules = [rule(["ZZZ"], { from: "never" }), rule(["@NOPE"])]
    expect(issuesOf({ policies: [policy("CCC", { rules })] }).length).toBe(3)
  })

  it("is not reported if two rules of the same rank have the same answer", () => {
    const rules = [rule(["@OLD"], { requirement: "eta" }), rule(["@NEW"], { requirement: "eta" })]
    expect(issuesOf({ policies: [policy("CCC", { rules })] })).toEqual([])
  })

  it("is not reported if the rules of a passport follow one another in time", () => {
    const rules = [rule(["AAA"], { until: "2026-04-01" }), rule(["AAA"], { requirement: "eta", from: "2026-04-01" })]
    expect(issuesOf({ policies: [policy("CCC", { rules })] })).toEqual([])
  })
})
