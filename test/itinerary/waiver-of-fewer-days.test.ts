/** A document that a waiver names gives a number of days: what is said of a stay that lasts longer. */
import { describe, expect, it } from "vitest"
import type { Facts, Terms } from "../../src/compiler.ts"
import { decideWithRemedies, type HeldDocument, lookupHeld } from "../../src/index.ts"
import { openSmall, policy, stayRule, terms, waiver } from "../dataset/small-facts.ts"
import { decided, stay } from "./decisions.ts"

const held: readonly HeldDocument[] = [{ kind: "visa", issuer: "CCC" }]
const ordinary = { passport: "AAA", passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }

/** A place that asks of everybody what is given, and gives fourteen days without a visa to who holds one of CCC. */
const openPlace = (asked: Partial<Terms>, changes: Partial<Facts> = {}) =>
  openSmall({ policies: [policy("BBB", { defaults: [terms(asked)] })], waivers: [waiver({ days: 14 })], ...changes })
const goUntil = (to: string) => ({ ...ordinary, held, stops: [stay("BBB", "2026-07-01", to)] })

describe("a waiver of fewer days than the stay", () => {
  it("is not used, and the condition says for how many days it would apply", () => {
    const place = openPlace({ requirement: "visa_required" })
    const enough = decided(place, goUntil("2026-07-14"))
    expect(enough).toMatchObject({
      steps: [{ requirement: { value: "visa_free" }, maxStay: { value: 14 } }],
      conditions: [],
      blockers: [],
      held: [{ steps: [0] }],
    })
    const short = decided(place, goUntil("2026-07-20"))
    expect(short).toMatchObject({
      outcome: "obtain",
      steps: [{ requirement: { value: "visa_required" } }],
      blockers: [],
    })
    expect(short.conditions).toMatchObject([
      {
        code: "visa_required",
        params: { destination: "BBB", kind: "visa", issuer: "CCC", held: 0, because: "too_few_days", days: 14 },
        message:
          "A visa is needed before travel: with the visa of CCC that is held less is asked, for a stay of up to 14 days.",
      },
    ])
  })

  it("is not named if the entry is as easy without it", () => {
    const place = openPlace({ requirement: "visa_free", days: 30 })
    expect(decided(place, goUntil("2026-07-20"))).toMatchObject({ conditions: [], blockers: [] })
  })

  it("does not have to be checked for a stay that is too long for it", () => {
    const used = waiver({ days: 14, held: [{ kind: "visa", issuers: ["CCC"], usedBefore: true }] })
    const place = openPlace({ requirement: "visa_on_arrival", days: 60 }, { waivers: [used] })
    const codesUntil = (to: string) => decided(place, goUntil(to)).conditions.map(({ code }) => code)
    expect(codesUntil("2026-07-14")).toEqual(["visa_on_arrival", "check_held_document"])
    expect(codesUntil("2026-07-15")).toEqual(["visa_on_arrival"])
    const asked = { held, on: "2026-07-01" }
    expect(lookupHeld(place, "AAA", "BBB", { ...asked, exitOn: "2026-07-14" })).toMatchObject({
      value: { possible: [{ toCheck: ["usedBefore"] }] },
    })
    expect(lookupHeld(place, "AAA", "BBB", { ...asked, exitOn: "2026-07-15" })).toMatchObject({
      value: { possible: [], unused: [0] },
    })
  })

  it("is used if everything else gives too few days too, with the day to leave as remedy", () => {
    const place = openPlace({ requirement: "visa_free", days: 7 })
    expect(decideWithRemedies(place, goUntil("2026-07-20"))).toMatchObject({
      value: {
        steps: [{ maxStay: { value: 14 } }],
        blockers: [{ code: "stay_exceeded", remedies: [{ action: "leave_by", value: "2026-07-14" }, {}] }],
      },
    })
  })

  it.each<[string, Partial<Terms>, string, string, number | null]>([
    ["holds up to its last day", { requirement: "visa_required" }, "2026-07-14", "visa_free", 14],
    ["gives way on the day after", { requirement: "visa_required" }, "2026-07-15", "visa_required", null],
    ["gives way to days that are enough", { requirement: "eta", days: 60 }, "2026-07-20", "eta", 60],
    ["stays where nothing is enough", { requirement: "eta", days: 10 }, "2026-07-20", "visa_free", 14],
  ])("is looked up as it is decided: it %s", (_, asked, exitOn, requirement, days) => {
    const place = openPlace(asked)
    const found = lookupHeld(place, "AAA", "BBB", { held, on: "2026-07-01", exitOn })
    expect(found).toMatchObject({ value: { requirement, days } })
    expect(decided(place, goUntil(exitOn)).steps).toMatchObject([{ requirement: { value: requirement } }])
  })

  it("is used in a lookup without a day of exit", () => {
    const place = openPlace({ requirement: "visa_required" })
    expect(lookupHeld(place, "AAA", "BBB", { held })).toMatchObject({ value: { requirement: "visa_free", days: 14 } })
  })

  // * Russians have 60 days a visit in Korea, of 90 in 180 days; with a visa of the United States 30 on the way to a third country.
  it.each([
    ["so many days from an entry on", { kind: "per_entry", days: 30 }],
    ["so many days of a window", { kind: "rolling", days: 90, windowDays: 180, visitDays: 60 }],
    ["so many months from an entry on", { kind: "per_entry", days: null, months: 3 }],
    ["so many days of a year", { kind: "calendar_year", days: 90, visitDays: 30 }],
  ] as const)("is a waiver of its own days where a rule gives others more: %s", (_, rule) => {
    const place = openPlace({ requirement: "visa_required" }, { stayRules: [stayRule(rule)] })
    expect(decided(place, goUntil("2026-07-14"))).toMatchObject({
      steps: [{ requirement: { value: "visa_free" }, maxStay: { value: 14 } }],
    })
    expect(decided(place, goUntil("2026-07-15"))).toMatchObject({
      steps: [{ requirement: { value: "visa_required" } }],
      conditions: [{ params: { because: "too_few_days", days: 14 } }],
      blockers: [],
    })
  })
})
