import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  countStayDays,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  measureBreach,
} from "../../src/itinerary/stay-days.ts"
import type { ZoneTerms } from "../../src/trip/recorded.ts"
import type { Stay } from "../../src/trip/request-fields.ts"
import { countTrips } from "../sample.ts"
import { loadZone } from "./zone-files.ts"

const schengen = loadZone("schengen")

describe("every calculator", () => {
  const day = { destination: "FRA", from: "2025-01-01", to: "2025-01-02" }
  const issuesOf = (result: { ok: boolean; error?: { issues: readonly unknown[] } }) => result.error?.issues

  it("names every mistake with its path, what was given and what is expected", () => {
    const stays = [
      { destination: "fra", from: "2025-02-29", to: "2025-03-01" },
      day,
      { destination: "FRA", from: "2025-01-02", to: "2025-01-01" },
      { destination: "FRA", from: "2025-01-01", to: "2025-01-01", permit: "tourist" },
      null,
    ]
    const result = countStayDays(schengen, stays as unknown as Stay[], "1899-12-31")
    expect(issuesOf(result)).toEqual([
      { path: "stays[0].destination", message: '"fra" is not an ISO 3166-1 alpha-3 code: three capital letters.' },
      { path: "stays[0].from", message: '"2025-02-29" is not a calendar date YYYY-MM-DD from 1900 to 2199.' },
      { path: "stays[2].to", message: '"2025-01-01" is before the first day of the stay, 2025-01-02.' },
      {
        path: "stays[3].permit",
        message: '"tourist" is neither "residence" nor "national_visa"; leave it out for a visitor.',
      },
      { path: "stays[4]", message: "null is not an object." },
      { path: "on", message: '"1899-12-31" is not a calendar date YYYY-MM-DD from 1900 to 2199.' },
    ])
    expect(result).toMatchObject({
      error: {
        tag: "InputRefused",
        message: 'stays[0].destination: "fra" is not an ISO 3166-1 alpha-3 code: three capital letters. (and 5 more)',
      },
    })
  })

  it.each([
    ["a date that is a Date", { ...day, from: new Date(0) }, "stays[0].from"],
    ["a date with a time", { ...day, from: "2025-01-01T00:00:00Z" }, "stays[0].from"],
    ["a year after 2199", { ...day, to: "2200-01-01" }, "stays[0].to"],
    ["alpha-2", { ...day, destination: "FR" }, "stays[0].destination"],
    ["a missing destination", { from: day.from, to: day.to }, "stays[0].destination"],
    ["a permit that is null", { ...day, permit: null }, "stays[0].permit"],
    ["an array for a stay", [day], "stays[0]"],
  ])("refuses %s by its path", (_, stay, path) => {
    expect(issuesOf(measureBreach(schengen, [stay as Stay]))).toMatchObject([{ path }])
  })

  it("accepts 1,000 stays, and refuses 1,001 before it reads any", () => {
    expect(measureBreach(schengen, Array(1_000).fill(day))).toMatchObject({ ok: true, value: { mostDaysUsed: 2 } })
    expect(issuesOf(measureBreach(schengen, Array(1_001).fill(null)))).toEqual([
      { path: "stays", message: "0 to 1000 entries are expected, not 1001." },
    ])
  })

  it("reports an empty slot in the array of stays like any other missing stay", () => {
    expect(issuesOf(measureBreach(schengen, new Array(2) as Stay[]))).toMatchObject([
      { path: "stays[0]", message: "undefined is not an object." },
      { path: "stays[1]" },
    ])
  })

  const rolling = { kind: "rolling", allowanceDays: 90, windowDays: 180 }
  const member = { code: "FRA", fromDay: null, untilDay: null }
  it.each([
    ["no zone", undefined, "zone"],
    ["a zone without rule", { members: [] }, "zone.rule"],
    ["a rule of an unknown kind", { rule: { ...rolling, kind: "weekly" }, members: [] }, "zone.rule.kind"],
    ["a broken allowance", { rule: { ...rolling, allowanceDays: 89.5 }, members: [] }, "zone.rule.allowanceDays"],
    ["a rolling rule without window", { rule: { ...rolling, windowDays: null }, members: [] }, "zone.rule.windowDays"],
    [
      "a window no longer than the allowance",
      { rule: { ...rolling, windowDays: 90 }, members: [] },
      "zone.rule.windowDays",
    ],
    ["members that are no array", { rule: rolling, members: "FRA" }, "zone.members"],
    ["a member that is a code", { rule: rolling, members: ["FRA"] }, "zone.members[0]"],
    ["a malformed code", { rule: rolling, members: [{ ...member, code: "" }] }, "zone.members[0].code"],
    ["a date for a day", { rule: rolling, members: [{ ...member, fromDay: "2023-01-01" }] }, "zone.members[0].fromDay"],
    [
      "a membership that ends before it begins",
      { rule: rolling, members: [member, { ...member, fromDay: 9, untilDay: 9 }] },
      "zone.members[1].untilDay",
    ],
  ])("refuses %s by its path", (_, zone, path) => {
    expect(issuesOf(measureBreach(zone as ZoneTerms, [day]))).toMatchObject([{ path }])
  })

  it.each([
    ["no plan", null, "plan"],
    ["no days", { notBeforeOn: "2025-01-01" }, "plan.days"],
    ["zero days", { days: 0, notBeforeOn: "2025-01-01" }, "plan.days"],
    ["half a day", { days: 0.5, notBeforeOn: "2025-01-01" }, "plan.days"],
    ["3,651 days", { days: 3_651, notBeforeOn: "2025-01-01" }, "plan.days"],
    ["no first day", { days: 1 }, "plan.notBeforeOn"],
  ])("refuses a plan with %s", (_, plan, path) => {
    expect(issuesOf(findEarliestEntry(schengen, [], plan as never))).toMatchObject([{ path }])
  })

  it("accepts the longest allowance, window and plan, and nothing longer", () => {
    const longest = { kind: "rolling", allowanceDays: 3_650, windowDays: 7_300 } as const
    const ask = (rule: object, days: number) =>
      findEarliestEntry({ rule, members: [member] } as ZoneTerms, [], { days, notBeforeOn: "2025-01-01" })
    expect(ask(longest, 3_650)).toEqual({ ok: true, value: "2025-01-01" })
    expect(issuesOf(ask({ ...longest, allowanceDays: 3_651 }, 1))).toMatchObject([{ path: "zone.rule.allowanceDays" }])
    expect(issuesOf(ask({ ...longest, windowDays: 7_301 }, 1))).toMatchObject([{ path: "zone.rule.windowDays" }])
  })

  it("answers or refuses any input of any type, and never throws", () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true })
    const stay = fc.record({ destination: anything, from: anything, to: anything, permit: anything })
    const stays = fc.oneof(anything, fc.array(fc.oneof(anything, stay, fc.constant(day))))
    const zone = fc.oneof(anything, fc.constant(schengen), fc.record({ rule: anything, members: anything }))
    fc.assert(
      fc.property(zone, stays, anything, (zone, stays, argument) => expectAnswerOrRefusal(zone, stays, argument)),
      { numRuns: countTrips(200) },
    )
  }, 3_600_000)

  it.each([
    ["a revoked proxy", revoked()],
    [
      "a proxy that throws at every touch",
      new Proxy([], { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail }),
    ],
    ["an object whose text throws", { toString: fail, valueOf: fail, toJSON: fail, [Symbol.toPrimitive]: fail }],
    ["an object without prototype", Object.create(null)],
    ["a symbol", Symbol("stay")],
    ["a function", () => day],
    ["half a surrogate pair", "\ud800"],
    ["not a number", Number.NaN],
    ["minus zero", -0],
  ])("meets %s anywhere without throwing", (_, value) => {
    expectAnswerOrRefusal(value, [], "2025-01-01")
    expectAnswerOrRefusal({ rule: value, members: value }, [], "2025-01-01")
    expectAnswerOrRefusal({ rule: rolling, members: [value] }, [], "2025-01-01")
    expectAnswerOrRefusal({ rule: { ...rolling, windowDays: value }, members: [{ ...member, code: value }] }, [], value)
    expectAnswerOrRefusal(schengen, value, value)
    expectAnswerOrRefusal(schengen, [value, { destination: value, from: value, to: value, permit: value }], value)
    expectAnswerOrRefusal(schengen, [day], { days: value, notBeforeOn: value })
  })

  it("reports a property that throws, and reads each property once", () => {
    let reads = 0
    const restless = {
      destination: "FRA",
      get from() {
        reads++
        return reads === 1 ? "2025-01-01" : "nonsense"
      },
      to: "2025-01-02",
    }
    expect(measureBreach(schengen, [restless])).toMatchObject({ ok: true, value: { mostDaysUsed: 2 } })
    expect(reads).toBe(1)
    expect(measureBreach(schengen, revoked() as Stay[])).toMatchObject({
      error: { message: "The input cannot be read: one of its properties throws. Give plain objects." },
    })
  })

  it("does not change its input", () => {
    const frozen = Object.freeze([Object.freeze({ ...day, from: "2024-05-05" }), Object.freeze({ ...day })])
    expect(measureBreach(Object.freeze({ ...schengen }), frozen).ok).toBe(true)
  })
})

function expectAnswerOrRefusal(zone: unknown, stays: unknown, argument: unknown) {
  for (const ask of [countStayDays, findLastLegalDay, measureBreach, findLongestStay, findEarliestEntry]) {
    const result = ask(zone as never, stays as never, argument as never)
    if (result.ok) continue
    expect(result.error.tag).toBe("InputRefused")
    expect(result.error.issues.length).toBeGreaterThan(0)
    for (const { path, message } of result.error.issues) {
      expect(typeof path).toBe("string")
      expect(message).not.toBe("")
    }
  }
}

function fail(): never {
  throw new Error("thrown by the caller's object")
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}
