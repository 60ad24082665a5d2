import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Dataset } from "../../src/index.ts"
import { applyRemedy, decideWithRemedies } from "../../src/itinerary/remedies.ts"
import type { Blocker, Decision } from "../../src/trip/answer-fields.ts"
import { decide } from "../../src/trip/judge.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import type { World } from "../oracles/decide.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { decided, stay } from "./decisions.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"

const since = "2026-01-01"
const entry = (requirement: string, days: number | null) => [{ fromOn: since, requirement, days, free: false }]
const everywhere = { fromDay: null, untilDay: null }

const small: World = {
  sinceOn: since,
  passports: ["DEU", "IND", "USA"],
  destinations: ["DEU", "FRA", "GBR", "IND", "PAK", "THA", "USA"],
  entries: {
    USAFRA: entry("visa_free", 90),
    USADEU: entry("visa_free", 90),
    DEUFRA: [{ fromOn: since, requirement: "visa_free", days: null, free: true }],
    INDFRA: entry("visa_required", null),
    USAGBR: entry("eta", 180),
    USATHA: entry("visa_free", 60),
    USAPAK: [...entry("no_admission", null), { fromOn: "2026-10-01", requirement: "visa_free", days: 30, free: false }],
  },
  follows: {},
  zones: [
    {
      id: "schengen",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: ["DEU", "FRA"].map(code => ({ code, ...everywhere })),
    },
  ],
  validity: [{ destinations: ["FRA", "DEU"], anchor: "departure", months: 3, days: 0, issuedWithinYears: 10 }],
  transit: [],
}
const dataset = openWorld(small)
const america = { passport: "USA", passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }

const withRemedies = (data: Dataset, request: ItineraryRequest): Decision => {
  const result = decideWithRemedies(data, request)
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "decided") throw new Error(result.value.message)
  return result.value
}
const remediesOf = (request: ItineraryRequest) =>
  withRemedies(dataset, request).blockers.map(({ step, code, remedies = [] }) => [
    `${step} ${code}`,
    ...remedies.map(
      remedy =>
        `${remedy.action} ${"step" in remedy ? remedy.step : remedy.transit} ${typeof remedy.value === "object" ? JSON.stringify(remedy.value) : remedy.value}`,
    ),
  ])

describe("a blocker has remedies", () => {
  it("against a stay that is too long for the country", () => {
    expect(remediesOf({ ...america, stops: [stay("THA", "2026-03-01", "2026-05-10")] })).toEqual([
      ["0 stay_exceeded", "leave_by 0 2026-04-29", 'obtain 0 {"kind":"visa","issuer":"THA"}'],
    ])
  })

  it("against visits that add up: leave earlier, shorten the one before, come later, or obtain a visa", () => {
    const stops = [
      stay("THA", "2026-03-01", "2026-04-14"),
      stay("USA", "2026-04-15", "2026-05-30"),
      stay("THA", "2026-06-01", "2026-06-30"),
    ]
    expect(remediesOf({ ...america, stops })).toEqual([
      [
        "2 stay_exceeded",
        "leave_by 2 2026-06-15",
        "shorten 0 30",
        "enter_from 2 2027-02-14",
        'obtain 2 {"kind":"visa","issuer":"THA"}',
      ],
    ])
  })

  it("against a stay that is too long for the zone", () => {
    const stops = [
      stay("FRA", "2026-01-01", "2026-03-01"),
      stay("GBR", "2026-03-02", "2026-03-31"),
      stay("DEU", "2026-04-01", "2026-05-10"),
    ]
    expect(remediesOf({ ...america, stops })).toEqual([
      [
        "2 zone_stay_exceeded",
        "leave_by 2 2026-04-30",
        "shorten 0 50",
        "enter_from 2 2026-05-31",
        'obtain 2 {"kind":"visa","issuer":"DEU","type":"D"}',
      ],
    ])
  })

  it("against a passport that ends too early", () => {
    const stops = [stay("GBR", "2026-11-20", "2026-11-30"), stay("FRA", "2026-12-01", "2026-12-20")]
    expect(remediesOf({ ...america, passportExpiry: "2027-03-10", stops })).toEqual([
      ["1 passport_validity_short", "leave_by 1 2026-12-10", "renew_before 1 2026-11-20"],
    ])
  })

  it("against a passport that expires, and renews the one that is used", () => {
    const stops = [stay("GBR", "2026-12-01", "2026-12-20")]
    expect(remediesOf({ ...america, passportExpiry: "2026-12-10", stops })).toEqual([
      ["0 passport_expires_before_exit", "leave_by 0 2026-12-10", "renew_before 0 2026-12-01"],
    ])
    expect(remediesOf({ ...america, passportExpiry: "2026-11-10", stops })).toEqual([
      ["0 passport_expired", "renew_before 0 2026-12-01"],
      // The same for both, and given once.
      ["0 passport_expires_before_exit"],
    ])
  })

  it("against a chosen passport if another one is sufficient, never with one that needs more", () => {
    const passports = [america, ...["IND", "DEU"].map(passport => ({ ...america, passport }))]
    const stops = [{ ...stay("FRA", "2026-01-01", "2026-04-30"), passport: "USA" }]
    expect(remediesOf({ passports, stops })).toEqual([
      [
        "0 stay_exceeded",
        "leave_by 0 2026-03-31",
        "use_passport 0 DEU",
        'obtain 0 {"kind":"visa","issuer":"FRA","type":"D"}',
      ],
      ["0 zone_stay_exceeded"],
    ])
  })

  it("and assumes no exit from a zone between two consecutive stops inside it", () => {
    const stops = [stay("FRA", "2026-01-01", "2026-03-01"), stay("DEU", "2026-03-02", "2026-04-10")]
    expect(remediesOf({ ...america, stops })).toEqual([
      ["1 zone_stay_exceeded", "leave_by 1 2026-03-31", 'obtain 1 {"kind":"visa","issuer":"DEU","type":"D"}'],
    ])
  })

  it("and gives the open days between two stops", () => {
    const stops = [
      stay("FRA", "2026-01-01", "2026-03-01"),
      stay("GBR", "2026-03-02", "2026-03-31"),
      stay("DEU", "2026-04-01", "2026-05-10"),
    ]
    const [blocker] = withRemedies(dataset, { ...america, stops }).blockers
    expect(blocker?.remedies).toEqual([
      { action: "leave_by", step: 2, value: "2026-04-30" },
      { action: "shorten", step: 0, value: 50, gapDays: 10 },
      { action: "enter_from", step: 2, value: "2026-05-31", gapDays: 60 },
      { action: "obtain", step: 2, value: { kind: "visa", issuer: "DEU", type: "D" } },
    ])
  })

  it("and never past the end of a visa that is held", () => {
    const held = [{ kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2026-06-30", durationOfStayDays: 20 }]
    const indian = { ...america, passport: "IND", held }
    const stops = [stay("FRA", "2026-06-01", "2026-06-30")]
    const [first = []] = remediesOf({ ...indian, stops })
    expect(first.filter(each => each.startsWith("enter_from"))).toEqual([])
    expect(first).toContain("leave_by 0 2026-06-20")
  })

  it("and reports days beyond the visa and days after its end as two blockers", () => {
    const visa = { kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2026-06-30", durationOfStayDays: 20 }
    const request = {
      ...america,
      passport: "IND",
      held: [visa],
      earlierStays: [stay("FRA", "2026-01-01", "2026-03-25")],
      stops: [stay("FRA", "2026-05-01", "2026-05-25")],
    }
    const codesOf = (asked: ItineraryRequest) => decided(dataset, asked).blockers.map(({ code }) => code)
    expect(codesOf(request)).toEqual(["stay_exceeded", "zone_stay_exceeded"])
    const later = { action: "enter_from", step: 0, value: "2026-06-28" } as const
    expect(codesOf(applyRemedy(request, later))).toEqual(["stay_exceeded", "stay_exceeded"])
    expect(remediesOf(request).flatMap(([, ...remedies]) => remedies)).toEqual([
      "leave_by 0 2026-05-20",
      'obtain 0 {"kind":"visa","issuer":"FRA","type":"D"}',
      "leave_by 0 2026-05-06",
    ])
  })

  it("against each country where no change of planes is permitted, without changing the other countries", () => {
    const request = {
      ...america,
      stops: [stay("THA", "2026-03-01", "2026-03-10")],
      transit: ["FRA", "PAK"].map(country => ({ country, airside: false })),
    }
    const data = openWorld({ ...small, entries: { ...small.entries, USAFRA: entry("visa_required", null) } })
    const countriesOf = ({ blockers }: Decision) => blockers.map(({ params }) => params.destination)
    const { blockers } = withRemedies(data, request)
    expect(blockers.map(({ code, remedies = [] }) => [code, ...remedies.map(({ value }) => value)])).toEqual([
      ["transit_not_permitted", "FRA", { kind: "visa", issuer: "FRA" }],
      ["transit_not_permitted", "PAK"],
    ])
    expect(countriesOf(decided(data, applyRemedy(request, blockers[0]!.remedies![0]!)))).toEqual(["PAK"])
    expect(countriesOf(decided(data, applyRemedy(request, blockers[1]!.remedies![0]!)))).toEqual(["FRA"])
  })

  it("once for several blockers with the same cause: a country with two changes of planes, a passport that ends too early at each stop", () => {
    const free = { ...small.entries, USAFRA: entry("visa_required", null) }
    const change = { country: "FRA", airside: false }
    const stops = [stay("THA", "2026-03-01", "2026-03-10")]
    const { blockers } = withRemedies(openWorld({ ...small, entries: free }), {
      ...america,
      stops,
      transit: [change, "GBR", change],
    })
    expect(blockers.map(({ transit, remedies = [] }) => [transit, ...remedies])).toEqual([
      [
        0,
        { action: "avoid_transit", transit: 0, value: "FRA" },
        { action: "obtain", step: null, value: { kind: "visa", issuer: "FRA" } },
      ],
      [2],
    ])
    const twice = [
      stay("FRA", "2026-12-01", "2026-12-20"),
      stay("GBR", "2026-12-21", "2026-12-24"),
      stay("DEU", "2026-12-25", "2026-12-30"),
    ]
    const ofBoth = remediesOf({ ...america, passportExpiry: "2027-01-10", stops: twice })
    expect(ofBoth).toEqual([["0 passport_validity_short", "renew_before 0 2026-12-01"], ["2 passport_validity_short"]])
  })

  it("against a refusal that is scheduled to end", () => {
    expect(remediesOf({ ...america, stops: [stay("PAK", "2026-09-01", "2026-09-10")] })).toEqual([
      ["0 no_admission", "enter_from 0 2026-10-01"],
    ])
  })

  it("and none if there is no solution", () => {
    const blocked = {
      ...america,
      stops: [stay("PAK", "2026-02-01", "2026-02-10"), stay("GBR", "2199-12-01", "2199-12-31")],
    }
    expect(remediesOf({ ...blocked, passportExpiry: "2199-12-31" })).toEqual([["0 no_admission"]])
  })

  it("in a later entry, even if the passport ends before a much later one", () => {
    const stops = [
      stay("FRA", "2026-12-01", "2027-02-28"),
      stay("GBR", "2027-03-01", "2027-03-19"),
      stay("DEU", "2027-03-20", "2027-03-29"),
    ]
    const found = remediesOf({ ...america, passportExpiry: "2027-09-10", stops })
    expect(found.map(([blocker]) => blocker)).toEqual(["2 zone_stay_exceeded"])
    expect(found[0]).toContain("enter_from 2 2027-05-30")
  })

  it("for blocked travellers only, and nothing else is changed", () => {
    const request = { ...america, stops: [stay("THA", "2026-03-01", "2026-03-10")] }
    expect(withRemedies(dataset, request)).toEqual(decided(dataset, request))
    const long = { ...america, stops: [stay("THA", "2026-03-01", "2026-05-10")] }
    const { blockers, ...rest } = withRemedies(dataset, long)
    expect({ ...rest, blockers: blockers.map(({ remedies: _, ...blocker }) => blocker) }).toEqual(
      decided(dataset, long),
    )
  })

  it("and is refused like a decision", () => {
    expect(decideWithRemedies(dataset, { ...america, stops: [] })).toEqual(decide(dataset, { ...america, stops: [] }))
    expect(
      decideWithRemedies(dataset, { passport: "ZZZ", stops: [stay("THA", "2026-03-01", "2026-03-10")] }),
    ).toMatchObject({
      value: { kind: "no_record" },
    })
  })
})

const EASE = ["visa_free", "visa_on_arrival", "eta", "e_visa", "visa_required", "no_admission"]
// What leaves no entry undecided.
const DECIDED = [
  "stay_moves_freely",
  "stay_set_by_permit",
  "stay_set_by_document",
  "validity_for_visitors",
  "todays_rule",
  "document_assumed",
  "not_modelled",
]

// Stop by stop: what is asked, what blocks, what has to be obtained or checked, and what is not known.
function expectNoWorse(after: Decision, before: Decision): void {
  const easeAt = ({ steps }: Decision, at: number) => {
    const { requirement } = steps[at]!
    return requirement.status === "known" ? EASE.indexOf(requirement.value) : EASE.length
  }
  const found = ({ blockers, conditions, unknowns, transit }: Decision) => [
    ...blockers.map(({ step, code, params }) => `${step} ${code} ${step === null ? params.destination : ""}`),
    ...conditions.map(({ step, code }) => `${step} ${code}`),
    ...unknowns
      .filter(({ code }) => !DECIDED.includes(code))
      .map(
        ({ step, code, field }) =>
          `${step} ${code} ${field.replace(/^transit.(\d+)./, (_, at: string) => transit[Number(at)]!.country)}`,
      ),
  ]
  before.steps.forEach((_, at) => {
    expect(easeAt(after, at)).toBeLessThanOrEqual(easeAt(before, at))
  })
  expect(found(before)).toEqual(expect.arrayContaining(found(after)))
}

describe("a remedy", () => {
  const trip = { passport: "USA", stops: [stay("FRA", "2026-12-01", "2026-12-20")] }

  it("renews the passport that it names, and no other", () => {
    const renewal = { action: "renew_before", step: 0, value: "2026-12-01" } as const
    expect(applyRemedy(trip, { ...renewal, passport: "IND" })).toEqual(trip)
    expect(applyRemedy(trip, { ...renewal, passport: "USA" })).toEqual({
      ...trip,
      passportIssued: "2026-11-30",
      passportExpiry: "2036-11-29",
    })
    const passports = ["USA", { passport: "IND", passportExpiry: "2027-01-01" }]
    expect(applyRemedy({ stops: trip.stops, passports }, { ...renewal, passport: "USA" }).passports).toEqual([
      { passport: "USA", passportIssued: "2026-11-30", passportExpiry: "2036-11-29" },
      { passport: "IND", passportExpiry: "2027-01-01" },
    ])
  })

  it.each([
    null,
    undefined,
    "leave_by",
    {},
    { action: "none", step: 0, value: 1 },
    { action: "leave_by", step: 7, value: "2026-12-10" },
    { action: "shorten", step: 0, value: "x" },
    { action: "enter_from", step: 0, value: null },
    { action: "enter_from", step: 0, value: "2199-12-30" },
    { action: "renew_before", step: 0, value: 5, passport: "USA" },
  ])("of another request changes nothing: %j", remedy => {
    expect(applyRemedy(trip, remedy as never)).toEqual(trip)
  })

  it("does not change an invalid request", () => {
    const remedy = { action: "leave_by", step: 0, value: "2026-12-10" } as const
    for (const junk of [null, undefined, "x", {}, { stops: null }, { stops: [null] }]) {
      expect(applyRemedy(junk as never, remedy)).toEqual(junk)
    }
  })

  it("holds when the journey is decided again with it applied: the blocker is gone, and none has come in its place", () => {
    // Transits have no step; each country is a blocker of its own.
    const placeOf = ({ step, params }: Blocker) => step ?? params.destination
    const isSame = (a: Blocker) => (b: Blocker) => a.code === b.code && placeOf(a) === placeOf(b) && a.zone === b.zone
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 8, maxLength: 8 }), (each, trips) => {
        const data = openWorld(each)
        for (const trip of trips) {
          const request = toRequest(trip) as ItineraryRequest
          const before = withRemedies(data, request)
          const { blockers } = before
          for (const blocker of blockers) {
            for (const remedy of blocker.remedies ?? []) {
              const after = decided(data, applyRemedy(request, remedy))
              expect(after.blockers.some(isSame(blocker)), JSON.stringify(remedy)).toBe(false)
              expect(after.blockers.length).toBeLessThan(blockers.length)
              expectNoWorse(after, before)
              seen.set(remedy.action, (seen.get(remedy.action) ?? 0) + 1)
            }
          }
        }
      }),
      { numRuns: countTrips(160) / 8, endOnFailure: true },
    )
    expect([...seen.keys()].sort()).toEqual([
      "avoid_transit",
      "enter_from",
      "leave_by",
      "obtain",
      "renew_before",
      "shorten",
      "use_passport",
    ])
  }, 3_600_000)
})
