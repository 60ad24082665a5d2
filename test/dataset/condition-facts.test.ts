import { describe, expect, it } from "vitest"
import type { Facts, PolicyCondition, ProvisionFact } from "../../src/compiler.ts"
import { CONDITION_KINDS } from "../../src/rules/provision-kinds.ts"
import { issuesOf, policy, rule, type terms, waiver, zone } from "./small-facts.ts"

/** Facts whose policy for BBB has these conditions. */
const withConditions = (...conditions: unknown[]): Partial<Facts> => ({
  zones: [zone()],
  policies: [policy("BBB", { conditions: conditions as readonly PolicyCondition[] })],
})
const withRule = (changes: Parameters<typeof terms>[0]): Partial<Facts> => ({
  policies: [policy("BBB", { rules: [rule(["AAA"], changes)] })],
})
const transit = (changes: Partial<ProvisionFact<"transit">> = {}): ProvisionFact<"transit"> => ({
  area: "airside",
  demand: "visa",
  hours: null,
  condition: null,
  isComplete: true,
  confidence: "high",
  passports: ["AAA"],
  destinations: ["BBB"],
  source: null,
  sourceUrl: null,
  verifiedOn: null,
  ...changes,
})
const lines = (changes: Partial<Facts>) =>
  issuesOf(changes).map(({ tag, record, field, message }) => `${tag} ${record} ${field}: ${message}`)

describe("a condition", () => {
  it.each<[string, object]>([
    ["held_document", { held: [{ kind: "visa", issuers: ["CCC", "@area", "@OLD"], multipleEntry: true }] }],
    [
      "registration",
      { name: "eTA", url: "https://eta.example/", hoursBefore: 48, fee: { amount: 10, currency: "USD" } },
    ],
    ["gateway_visa", { states: ["@area"], entries: 2 }],
    ["border_control", { states: ["CCC"] }],
    ["sponsor", { by: ["agency"] }],
    ["special_document", { name: "Travel Permit" }],
    ["not_enforced", { borders: ["land"] }],
    ["exempt", { who: ["diplomats"], issuedBefore: "2026-01-01" }],
    ["suspension", { visas: ["B-2"] }],
    ["bond", { leastAmount: 5000, mostAmount: 15_000, currency: "USD" }],
    ["entry_points", { names: ["North Gate"], borders: ["air"] }],
    ["purpose", { purposes: ["tourism"] }],
    ["group", { least: 3 }],
    ["bring", { proofs: ["funds"] }],
    ["passport_kind", { features: ["biometric"] }],
    ["age", { least: 55 }],
    ["asked_at", { borders: ["air"], elsewhere: "visa_free" }],
    ["also", { requirement: "eta", remark: "It is a cruise ship." }],
    ["also", { requirement: "e_visa" }],
    ["other", { text: "Something else." }],
  ])("of kind %s is taken with its parameters", (kind, parameters) => {
    expect(lines(withConditions({ kind, ...parameters }))).toEqual([])
    expect(CONDITION_KINDS).toContain(kind)
  })

  it.each<[string, object, string]>([
    [
      "an unknown kind",
      { kind: "bribe" },
      `ImpossibleRule policies/BBB conditions[0].kind: It is not one of ${CONDITION_KINDS.join(", ")}.`,
    ],
    ["a missing parameter", { kind: "other" }, "ImpossibleRule policies/BBB conditions[0].text: It is missing."],
    [
      "a parameter of another kind",
      { kind: "purpose", purposes: ["tourism"], text: "And more." },
      "ImpossibleRule policies/BBB conditions[0].text: It is not one of the parameters.",
    ],
    [
      "an unknown word",
      { kind: "sponsor", by: ["uncle"] },
      'ImpossibleRule policies/BBB conditions[0].by[0]: "uncle" is not one of agency, airline, employer, group, hotel, invitation, relative, sponsor.',
    ],
    [
      "a word that stands twice",
      { kind: "not_enforced", borders: ["air", "air"] },
      "DuplicateRule policies/BBB conditions[0].borders[1]: air is given twice.",
    ],
    [
      "nothing at all",
      { kind: "age" },
      "ImpossibleRule policies/BBB conditions[0]: It says nothing: one of least, most is expected.",
    ],
    [
      "an end before its beginning",
      { kind: "age", least: 60, most: 50 },
      "ImpossibleRule policies/BBB conditions[0].most: It is less than 60.",
    ],
    [
      "no address",
      { kind: "registration", name: "eTA", url: "eta.example" },
      'ImpossibleRule policies/BBB conditions[0].url: "eta.example" is not an address that begins with http:// or https://.',
    ],
    [
      "a fee without a currency",
      { kind: "registration", name: "eTA", fee: { amount: 10 } },
      "ImpossibleRule policies/BBB conditions[0].fee.currency: It is missing.",
    ],
    [
      "hours that are none",
      { kind: "registration", name: "eTA", hoursBefore: 0 },
      "ImpossibleRule policies/BBB conditions[0].hours_before: 0 is not a whole number from 1 to 8784.",
    ],
    [
      "a day that no calendar has",
      { kind: "exempt", issuedBefore: "2026-02-30" },
      'NotACalendarDate policies/BBB conditions[0].issued_before: "2026-02-30" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
    ],
    [
      "a state that does not exist",
      { kind: "border_control", states: ["QQQ"] },
      'UnknownCode policies/BBB conditions[0].states[0]: "QQQ" is not one of the 4 destinations.',
    ],
    [
      "a zone that does not exist",
      { kind: "gateway_visa", states: ["@sea"] },
      "UnknownBloc policies/BBB conditions[0].states[0]: @sea is neither a bloc nor a zone.",
    ],
    [
      "a source that is not listed",
      { kind: "other", text: "So it is.", source: "hearsay" },
      'UnknownSource policies/BBB conditions[0].source: "hearsay" is not an id of sources.json.',
    ],
    [
      "a passport that does not exist",
      { kind: "other", text: "So it is.", passports: ["TTT"] },
      'UnknownCode policies/BBB conditions[0].passports[0]: "TTT" is not one of the 3 passports.',
    ],
    [
      "a requirement that does not exist",
      { kind: "other", text: "So it is.", requirements: ["visa"] },
      'ImpossibleRule policies/BBB conditions[0].requirements[0]: "visa" is not one of visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission.',
    ],
    [
      "an end before its first day",
      { kind: "other", text: "So it is.", from: "2026-05-01", until: "2026-05-01" },
      'UntilBeforeFrom policies/BBB conditions[0].until: 2026-05-01 is not after "from" 2026-05-01.',
    ],
    [
      "a way to enter beside a refusal",
      { kind: "registration", name: "eTA", requirements: ["no_admission"] },
      "ImpossibleRule policies/BBB conditions[0].kind: registration says how to enter, which contradicts no_admission.",
    ],
  ])("is refused with %s", (_, condition, line) => {
    expect(lines(withConditions(condition))).toEqual([line])
  })

  it("is refused if its rule refuses entry, unless it is an exception of the refusal", () => {
    const ban = (condition: object) => withRule({ requirement: "no_admission", conditions: [condition as never] })
    expect(lines(ban({ kind: "exempt", who: ["permanent_residents"] }))).toEqual([])
    expect(lines(ban({ kind: "purpose", purposes: ["tourism"] }))).toEqual([
      "ImpossibleRule policies/BBB rules[0].conditions[0].kind: purpose says how to enter, which contradicts no_admission.",
    ])
  })
})

describe("a held document", () => {
  const held = (document: object) => ({ zones: [zone()], waivers: [waiver({ held: [document as never] })] })
  it.each<[string, object, string]>([
    [
      "another kind",
      { kind: "ticket", issuers: ["CCC"] },
      'ImpossibleRule waivers [0].held[0].kind: "ticket" is not one of visa, residence_permit.',
    ],
    [
      "no issuer",
      { kind: "visa", issuers: [] },
      "ImpossibleRule waivers [0].held[0].issuers: At least one code is expected.",
    ],
    [
      "an issuer that does not exist",
      { kind: "visa", issuers: ["USA"] },
      'UnknownCode waivers [0].held[0].issuers[0]: "USA" is not one of the 4 destinations.',
    ],
    [
      "an unknown term",
      { kind: "visa", issuers: ["CCC"], laminated: true },
      "ImpossibleRule waivers [0].held[0].laminated: It is not one of the parameters.",
    ],
    [
      "a term that is false, which is left out",
      { kind: "visa", issuers: ["CCC"], usedBefore: false },
      "ImpossibleRule waivers [0].held[0].used_before: false is not true, or left out.",
    ],
    [
      "a permanent visa",
      { kind: "visa", issuers: ["CCC"], permanent: true },
      "ImpossibleRule waivers [0].held[0].permanent: A visa is never permanent.",
    ],
    [
      "a permit for several entries",
      { kind: "residence_permit", issuers: ["CCC"], multipleEntry: true },
      "ImpossibleRule waivers [0].held[0].multiple_entry: This applies to a visa only.",
    ],
    [
      "days left of what may have expired",
      { kind: "visa", issuers: ["CCC"], expiredWithinYears: 10, validDaysAfterEntry: 90 },
      "ImpossibleRule waivers [0].held[0].expired_within_years: It cannot have expired and still be valid.",
    ],
  ])("is refused with %s", (_, document, line) => {
    expect(lines(held(document))).toEqual([line])
  })
})

describe("a waiver", () => {
  it.each<[string, Parameters<typeof waiver>[0], string]>([
    ["no document", { held: [] }, "ImpossibleRule waivers [0].held: At least one document is expected."],
    [
      "a refusal",
      { requirement: "no_admission", days: null },
      "ImpossibleRule waivers [0].requirement: A waiver cannot refuse admission.",
    ],
    [
      "days that nobody counts",
      { requirement: "visa_required" },
      "ImpossibleRule waivers [0].days: visa_required allows no stay that could be counted in days.",
    ],
    [
      "a destination that does not exist",
      { destinations: ["QQQ"] },
      'UnknownCode waivers [0].destinations[0]: "QQQ" is not one of the 4 destinations.',
    ],
    ["a bloc that does not exist", { passports: ["@EU"] }, "UnknownBloc waivers [0].passports[0]: @EU is not a bloc."],
    [
      "an end before its beginning",
      { from: "2026-05-01", until: "2026-04-01" },
      'UntilBeforeFrom waivers [0].until: 2026-04-01 is not after "from" 2026-05-01.',
    ],
    [
      "a confidence that is none",
      { confidence: "low" as never },
      'ImpossibleRule waivers [0].confidence: "low" is not one of high, medium.',
    ],
  ])("is refused with %s", (_, changes, line) => {
    expect(lines({ waivers: [waiver(changes)] })).toEqual([line])
  })

  it("is refused if it asks more of a named passport than of all others", () => {
    const policies = [policy("BBB", { rules: [rule(["AAA"], { requirement: "visa_free", days: 90 })] })]
    const named = waiver({ passports: ["AAA", "CCC"], requirement: "e_visa", days: null })
    expect(lines({ policies, waivers: [named] })).toEqual([
      "ImpossibleRule waivers [0].requirement: For AAA in BBB it asks for e_visa, without it visa_free is enough.",
    ])
    // For everybody, or for a bloc, it simply does not apply there.
    expect(lines({ policies, waivers: [waiver({ requirement: "e_visa", days: null })] })).toEqual([])
  })

  it("is refused if it admits travellers whom the destination never admits", () => {
    const policies = [policy("BBB", { rules: [rule(["AAA"], { requirement: "no_admission" })] })]
    expect(lines({ policies, waivers: [waiver({ passports: ["AAA"] })] })).toEqual([
      "ImpossibleRule waivers [0].requirement: For AAA in BBB nobody is admitted, which the waiver contradicts.",
    ])
  })
})

describe("a transit rule", () => {
  it.each<[string, Partial<ProvisionFact<"transit">>, string]>([
    [
      "another area",
      { area: "lounge" as never },
      'ImpossibleRule transit [0].area: "lounge" is not one of airside, landside.',
    ],
    [
      "another demand",
      { demand: "tea" as never },
      'ImpossibleRule transit [0].demand: "tea" is not one of visa, eta, no_visa, entry.',
    ],
    [
      "holders who are exempt from nothing",
      { demand: "no_visa", waivedFor: [{ kind: "visa", issuers: ["CCC"] }] },
      "ImpossibleRule transit [0].waived_for: Only a rule that demands a visa can be waived.",
    ],
    [
      "an issuer that does not exist",
      { waivedFor: [{ kind: "visa", issuers: ["USA"] }] },
      'UnknownCode transit [0].waived_for[0].issuers[0]: "USA" is not one of the 4 destinations.',
    ],
  ])("is refused with %s", (_, changes, line) => {
    expect(lines({ transit: [transit(changes)] })).toEqual([line])
  })

  it("is refused if another rule demands the opposite of the same people", () => {
    const opposite = transit({ demand: "no_visa", passports: ["AAA", "CCC"] })
    expect(lines({ transit: [transit(), opposite] })).toEqual([
      "RulesDisagree transit [1].demand: AAA in BBB: no_visa here, and visa in [0].",
    ])
    expect(lines({ transit: [transit(), transit({ ...opposite, area: "landside" })] })).toEqual([])
    expect(lines({ transit: [transit(), transit({ ...opposite, passports: null })] })).toEqual([])
  })
})

describe("two rules of one rank", () => {
  it("contradict each other if they rest on different treaties, even with the same requirement", () => {
    const free = { requirement: "visa_free", basis: "freedom_of_movement" } as const
    const blocs = ["ONE", "TWO"].map(id => ({
      id,
      freedomOfMovement: true,
      members: ["AAA", "BBB"].map(code => ({ code, from: null, until: null })),
    }))
    const rules = [rule(["@ONE"], { ...free, bloc: "ONE" }), rule(["@TWO"], { ...free, bloc: "TWO" })]
    expect(lines({ blocs, policies: [policy("BBB", { rules })] })).toEqual([
      "RulesDisagree policies/BBB rules[1]: For AAA on 2026-01-01, @ONE in rules[0] says visa_free by freedom_of_movement (ONE) and @TWO in rules[1] says visa_free by freedom_of_movement (TWO).",
    ])
  })

  it("are not freedom of movement if a visa is required", () => {
    expect(lines(withRule({ requirement: "no_admission", basis: "freedom_of_movement", bloc: "OLD" }))).toEqual([
      "ImpossibleRule policies/BBB rules[0].requirement: Freedom of movement contradicts no_admission.",
    ])
  })
})
