import { describe, expect, it } from "vitest"
import type { World } from "../oracles/decide.ts"
import { dayOf } from "../oracles/stay-days.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const world: World = {
  sinceOn: "2026-01-01",
  passports: ["AAA"],
  destinations: ["AAA", "BBB", "CCC"],
  entries: {
    AAABBB: [
      { fromOn: "2026-01-01", requirement: "visa_free", days: 30, free: false },
      { fromOn: "2026-06-01", requirement: "eta", days: 30, free: false },
      { fromOn: "2026-09-01", requirement: "visa_required", days: null, free: false },
    ],
    AAACCC: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 90, free: false }],
  },
  follows: {},
  zones: [
    {
      id: "zone",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: [{ code: "CCC", fromDay: dayOf("2026-07-01"), untilDay: null }],
    },
  ],
  validity: [],
  transit: [],
}
const dataset = openWorld(world)
const changesOf = (...stops: ReturnType<typeof stay>[]) =>
  decided(dataset, { passport: "AAA", stops }).changes.map(({ step, on, before, after, zone }) =>
    [step, on, zone ?? `${before?.requirement} -> ${after?.requirement}`].join(" "),
  )

describe("changes ahead", () => {
  it("are those that are scheduled before a stop or during it, and none after it", () => {
    expect(changesOf(stay("BBB", "2026-05-01", "2026-05-31"))).toEqual([])
    expect(changesOf(stay("BBB", "2026-05-20", "2026-06-01"))).toEqual(["0 2026-06-01 visa_free -> eta"])
    expect(changesOf(stay("BBB", "2026-10-01", "2026-10-02"))).toEqual([
      "0 2026-06-01 visa_free -> eta",
      "0 2026-09-01 eta -> visa_required",
    ])
  })

  it("are listed for each stop that they concern, with the passport in use", () => {
    const stops = [
      stay("BBB", "2026-05-20", "2026-06-05"),
      stay("AAA", "2026-06-06", "2026-06-07"),
      stay("BBB", "2026-06-08", "2026-06-09"),
    ]
    expect(
      decided(dataset, { passport: "AAA", stops }).changes.map(({ step, passport, destination }) => [
        step,
        passport,
        destination,
      ]),
    ).toEqual([
      [0, "AAA", "BBB"],
      [2, "AAA", "BBB"],
    ])
  })

  it("say that a destination joins a zone", () => {
    expect(changesOf(stay("CCC", "2026-06-01", "2026-07-05"))).toEqual(["0 2026-07-01 zone"])
    expect(changesOf(stay("CCC", "2026-06-01", "2026-06-30"))).toEqual([])
  })

  it("are empty before the dataset's own day", () => {
    const later = openWorld(world, { asOf: "2026-10-01" })
    expect(decided(later, { passport: "AAA", stops: [stay("BBB", "2026-10-02", "2026-10-05")] }).changes).toEqual([])
  })
})
