import { readFileSync } from "node:fs"
import fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import {
  countStayDays,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  measureBreach,
} from "../../src/itinerary/stay-days.ts"
import type { ZoneTerms } from "../../src/trip/recorded.ts"
import type { Stay } from "../../src/trip/request-fields.ts"
import {
  breachOf,
  dateOf,
  dayOf,
  earliestEntry,
  lastLegalDay,
  longestStay,
  type OracleZone,
  stayDaysOn,
} from "../oracles/stay-days.ts"
import { day2022, days, figuresOf, smallZones, staysWithin } from "./arbitrary-stays.ts"
import { loadZone } from "./zone-files.ts"

const zones = { schengen: loadZone("schengen"), "ca-4": loadZone("ca-4") }

function answerOf<Value>(result: { ok: true; value: Value } | { ok: false; error: { message: string } }): Value {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

interface Vector {
  readonly name: string
  readonly input: {
    readonly zone: keyof typeof zones
    readonly stays: readonly Stay[]
    readonly questions: readonly { readonly ask: string; readonly with?: unknown }[]
  }
  readonly expected: readonly unknown[]
}

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/stay-days.json", import.meta.url), "utf8"),
) as readonly Vector[]

function answer(zone: ZoneTerms & OracleZone, stays: readonly Stay[], ask: string, argument: unknown) {
  const on = argument as string
  const plan = argument as { days: number; notBeforeOn: string }
  switch (ask) {
    case "countStayDays":
      return [answerOf(countStayDays(zone, stays, on)), stayDaysOn(zone, stays, on)]
    case "findLastLegalDay":
      return [answerOf(findLastLegalDay(zone, stays, on)), lastLegalDay(zone, stays, on)]
    case "firstBreachOn": {
      const breach = measureBreach(zone, stays)
      return [breach.ok ? breach.value.firstBreachOn : breach.error, breachOf(zone, stays).firstBreachOn]
    }
    case "measureBreach":
      return [answerOf(measureBreach(zone, stays)), breachOf(zone, stays)]
    case "findLongestStay":
      return [answerOf(findLongestStay(zone, stays, on)), longestStay(zone, stays, on)]
    case "findEarliestEntry":
      return [answerOf(findEarliestEntry(zone, stays, plan)), earliestEntry(zone, stays, plan)]
    default:
      throw new Error(`No such question: ${ask}`)
  }
}

describe("vectors of stay-days.json", () => {
  it.each(vectors.map(vector => [vector.name, vector] as const))("%s", (_, { input, expected }) => {
    expect(expected).toHaveLength(input.questions.length)
    input.questions.forEach(({ ask, with: argument }, place) => {
      const [given, counted] = answer(zones[input.zone], input.stays, ask, argument)
      const wanted = expected[place]
      if (typeof wanted === "object" && wanted !== null) expect(given).toMatchObject(wanted)
      else expect(given).toBe(wanted)
      expect(figuresOf({ ok: true, value: given })).toEqual({ ok: true, value: counted })
    })
  })
})

describe("a stay that does not count", () => {
  const [, schengen] = embeddedDataset().zones
  assert(schengen !== undefined)
  const inChina = { destination: "CHN", from: "2026-01-01", to: "2026-03-20" }
  const listed = [{ index: 0, destination: "CHN", days: 79, reason: "outside_zone" }]

  it("is listed by every answer that has more than one field", () => {
    expect(countStayDays(schengen, [inChina], "2026-04-01")).toMatchObject({
      value: { daysUsed: 0, notCounted: listed },
    })
    expect(measureBreach(schengen, [inChina])).toMatchObject({ value: { notCounted: listed } })
    expect(findLongestStay(schengen, [inChina], "2026-04-01")).toMatchObject({
      value: { days: 90, notCounted: listed },
    })
  })

  it.each<[string, Stay, object | null]>([
    ["counts whole", { destination: "FRA", from: "2026-01-01", to: "2026-01-10" }, null],
    [
      "began before the country joined",
      { destination: "HRV", from: "2022-12-20", to: "2023-01-10" },
      { days: 12, reason: "not_member_then" },
    ],
    [
      "was spent under a permit",
      { destination: "FRA", from: "2026-01-01", to: "2026-01-10", permit: "residence" },
      { days: 10, reason: "permit" },
    ],
    [
      "begins after the day of the count",
      { destination: "FRA", from: "2026-04-02", to: "2026-04-03" },
      { days: 2, reason: "later" },
    ],
    ["goes on after the day of the count", { destination: "FRA", from: "2026-04-01", to: "2026-04-03" }, null],
  ])("is told from one that does: one that %s", (_, given, expected) => {
    const notCounted = expected === null ? [] : [{ index: 0, destination: given.destination, ...expected }]
    expect(countStayDays(schengen, [given], "2026-04-01")).toMatchObject({ value: { notCounted } })
  })

  it.each([
    ["countStayDays", (stays: readonly Stay[], zone: ZoneTerms) => countStayDays(zone, stays, "2026-04-01")],
    ["findLastLegalDay", (stays: readonly Stay[], zone: ZoneTerms) => findLastLegalDay(zone, stays, "2026-04-01")],
    ["measureBreach", (stays: readonly Stay[], zone: ZoneTerms) => measureBreach(zone, stays)],
    ["findLongestStay", (stays: readonly Stay[], zone: ZoneTerms) => findLongestStay(zone, stays, "2026-04-01")],
    [
      "findEarliestEntry",
      (stays: readonly Stay[], zone: ZoneTerms) =>
        findEarliestEntry(zone, stays, { days: 30, notBeforeOn: "2026-04-01" }),
    ],
  ])("has a code that the zone's dataset knows, or is refused by %s", (_, ask) => {
    const misspelt = [
      { ...inChina, destination: "FRA" },
      { ...inChina, destination: "DUE" },
    ]
    const path = "stays[1].destination"
    const message = "No destination with the code DUE is recorded."
    expect(ask(misspelt, schengen)).toEqual({
      ok: false,
      error: { tag: "InputRefused", message: `${path}: ${message}`, issues: [{ path, message }] },
    })
    // Nobody knows which codes a zone of one's own has beside it.
    expect(ask(misspelt, { rule: schengen.rule, members: schengen.members }).ok).toBe(true)
  })
})

describe("laws", () => {
  const anyZone = fc.oneof(fc.constantFrom<OracleZone>(zones.schengen, zones["ca-4"]), smallZones(40))
  const history = staysWithin(500, 70, 8)

  it("the order of the stays changes nothing", () => {
    const shuffled = history.chain(stays =>
      fc.tuple(fc.constant(stays), fc.shuffledSubarray(stays, { minLength: stays.length })),
    )
    fc.assert(
      fc.property(anyZone, shuffled, days(600), (zone, [stays, others], on) => {
        expect(figuresOf(measureBreach(zone, others))).toEqual(figuresOf(measureBreach(zone, stays)))
        expect(figuresOf(countStayDays(zone, others, on))).toEqual(figuresOf(countStayDays(zone, stays, on)))
      }),
    )
  })

  it("one more stay never gives more days, and never ends a breach", () => {
    fc.assert(
      fc.property(anyZone, history, staysWithin(500, 70, 1), days(600), (zone, stays, more, on) => {
        const before = answerOf(countStayDays(zone, stays, on))
        const after = answerOf(countStayDays(zone, [...stays, ...more], on))
        expect(after.daysUsed).toBeGreaterThanOrEqual(before.daysUsed)
        expect(after.daysRemaining).toBeLessThanOrEqual(before.daysRemaining)
        expect(answerOf(measureBreach(zone, [...stays, ...more])).daysInBreach).toBeGreaterThanOrEqual(
          answerOf(measureBreach(zone, stays)).daysInBreach,
        )
      }),
      { numRuns: 300 },
    )
  })

  it("a stay in two parts that share a day, or follow on the next day, is the same stay", () => {
    const cut = fc.record({
      first: fc.nat(300),
      length: fc.integer({ min: 1, max: 200 }),
      at: fc.nat(),
      gap: fc.nat(1),
    })
    fc.assert(
      fc.property(anyZone, cut, days(600), (zone, { first, length, at, gap }, on) => {
        const from = day2022 + first
        const to = from + length
        const middle = from + (at % length)
        const whole = [{ destination: "FRA", from: dateOf(from), to: dateOf(to) }]
        const parts = [
          { destination: "FRA", from: dateOf(from), to: dateOf(middle) },
          { destination: "FRA", from: dateOf(middle + gap), to: dateOf(to) },
        ]
        expect(figuresOf(countStayDays(zone, parts, on))).toEqual(figuresOf(countStayDays(zone, whole, on)))
        expect(figuresOf(measureBreach(zone, parts))).toEqual(figuresOf(measureBreach(zone, whole)))
      }),
    )
  })

  it("a current stay may continue to its last legal day and not one day longer", () => {
    fc.assert(
      fc.property(anyZone, history, days(600), (zone, past, on) => {
        const entry = dayOf(on)
        const stays = past.filter(stay => dayOf(stay.to) < entry)
        const lastOn = answerOf(findLastLegalDay(zone, stays, on))
        const destination = zone === zones.schengen ? "DEU" : "GTM"
        const stay = (to: number) => [...stays, { destination, from: on, to: dateOf(to) }]
        const isBrokenOn = (to: number) =>
          answerOf(countStayDays(zone, stay(to), dateOf(to))).daysUsed > zone.rule.allowanceDays
        if (lastOn !== null) expect(isBrokenOn(dayOf(lastOn))).toBe(false)
        expect(isBrokenOn(lastOn === null ? entry : dayOf(lastOn) + 1)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it("a stay from its earliest entry causes no breach on any day", () => {
    const lengths = fc.integer({ min: 1, max: 90 })
    fc.assert(
      fc.property(fc.constantFrom(zones.schengen), history, days(600), lengths, (zone, stays, on, length) => {
        const entryOn = answerOf(findEarliestEntry(zone, stays, { days: length, notBeforeOn: on })) as string
        const to = dateOf(dayOf(entryOn) + length - 1)
        expect(answerOf(measureBreach(zone, [...stays, { destination: "FRA", from: entryOn, to }])).daysInBreach).toBe(
          answerOf(measureBreach(zone, stays)).daysInBreach,
        )
        expect(answerOf(findLongestStay(zone, stays, entryOn)).days).toBeGreaterThanOrEqual(length)
      }),
      { numRuns: 300 },
    )
  })

  it("the remaining days are never fewer than the unused days", () => {
    fc.assert(
      fc.property(anyZone, history, days(600), (zone, stays, on) => {
        const { daysRemaining, daysUnused } = answerOf(countStayDays(zone, stays, on))
        expect(daysRemaining).toBeGreaterThanOrEqual(daysUnused)
      }),
      { numRuns: 300 },
    )
  })
})
