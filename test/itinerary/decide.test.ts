import { describe, expect, it } from "vitest"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import type { World } from "../oracles/decide.ts"
import { dayOf } from "../oracles/stay-days.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"
import { openWorld } from "./itinerary-worlds.ts"

const embedded = frozenDataset()

describe("a blocker says what is wrong", () => {
  const world: World = {
    sinceOn: "2026-01-01",
    passports: ["AAA"],
    destinations: ["AAA", "BBB", "CCC", "DDD"],
    entries: {
      AAABBB: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 20, free: false }],
      AAACCC: [{ fromOn: "2026-01-01", requirement: "no_admission", days: null, free: false }],
      AAADDD: [{ fromOn: "2026-01-01", requirement: "eta", days: 10, free: false }],
    },
    follows: {},
    zones: [
      {
        id: "zone",
        rule: { kind: "rolling", allowanceDays: 10, windowDays: 30 },
        members: [
          { code: "BBB", fromDay: null, untilDay: dayOf("2026-03-01") },
          { code: "DDD", fromDay: null, untilDay: null },
        ],
      },
    ],
    validity: [
      { destinations: ["BBB"], anchor: "departure", months: 3, days: 2, issuedWithinYears: 10 },
      { destinations: ["DDD"], anchor: "arrival", months: 0, days: 0, issuedWithinYears: null },
    ],
    transit: [],
  }
  const dataset = openWorld(world)
  const messagesOf = (dates: Partial<ItineraryRequest>, ...stops: ItineraryRequest["stops"]) =>
    decided(dataset, { passport: "AAA", ...dates, stops }).blockers.map(({ code, message }) => `${code}: ${message}`)

  it.each<[string, Partial<ItineraryRequest>, ItineraryRequest["stops"], string[]]>([
    [
      "no admission",
      {},
      [stay("CCC", "2026-02-01", "2026-02-02")],
      ["no_admission: CCC admits no holders of AAA passports."],
    ],
    [
      "a stay too long for the country",
      {},
      [stay("BBB", "2026-03-01", "2026-03-21")],
      ["stay_exceeded: 21 days in BBB by 2026-03-21: 20 are allowed."],
    ],
    [
      "nothing, where the stay is long but not in the zone",
      {},
      [stay("DDD", "2026-02-01", "2026-02-06"), stay("BBB", "2026-02-25", "2026-03-15")],
      [],
    ],
    [
      "a stay too long for the zone, judged on the last day as a member",
      {},
      [stay("DDD", "2026-02-01", "2026-02-10"), stay("BBB", "2026-02-25", "2026-03-02")],
      ["zone_stay_exceeded: 14 days in the zone by 2026-02-28: 10 are allowed in any 30."],
    ],
    [
      "an expired passport",
      { passportExpiry: "2026-01-31" },
      [stay("CCC", "2026-01-31", "2026-02-01"), stay("AAA", "2026-02-01", "2026-02-02")],
      [
        "no_admission: CCC admits no holders of AAA passports.",
        "passport_expires_before_exit: The AAA passport expires on 2026-01-31, before the exit on 2026-02-01.",
        "passport_expired: The AAA passport expires on 2026-01-31, before the arrival on 2026-02-01.",
      ],
    ],
    [
      "a passport that ends too soon after the departure",
      { passportExpiry: "2026-08-11", passportIssued: "2020-01-01" },
      [stay("BBB", "2026-05-01", "2026-05-10")],
      [
        "passport_validity_short: The AAA passport expires on 2026-08-11: BBB asks that it be valid for 3 months and 2 days after departure.",
      ],
    ],
    [
      "a passport that ends before the arrival that it has to last to",
      { passportExpiry: "2026-04-30" },
      [stay("DDD", "2026-05-01", "2026-05-10")],
      [
        "passport_expired: The AAA passport expires on 2026-04-30, before the arrival on 2026-05-01.",
        "passport_validity_short: The AAA passport expires on 2026-04-30: DDD asks that it be valid until arrival.",
        "passport_expires_before_exit: The AAA passport expires on 2026-04-30, before the exit on 2026-05-10.",
      ],
    ],
    [
      "a passport that was issued too long ago",
      { passportExpiry: "2030-01-01", passportIssued: "2016-05-01" },
      [stay("BBB", "2026-05-01", "2026-05-10")],
      [
        "passport_validity_short: The AAA passport was issued on 2016-05-01: BBB asks for less than 10 years before the arrival.",
      ],
    ],
  ])("%s", (_, dates, stops, messages) => {
    expect(messagesOf(dates, ...stops)).toEqual(messages)
  })

  it("names the zone, the stop and what it is about", () => {
    const stops = [stay("DDD", "2026-02-01", "2026-02-11")]
    expect(decided(dataset, { passport: "AAA", stops }).blockers).toEqual([
      {
        code: "stay_exceeded",
        step: 0,
        message: "11 days in DDD by 2026-02-11: 10 are allowed.",
        granularity: "pair",
        params: {
          destination: "DDD",
          places: ["DDD"],
          days: 11,
          by: "2026-02-11",
          allowed: 10,
          counting: "visit",
          window: null,
        },
      },
      {
        code: "zone_stay_exceeded",
        step: 0,
        message: "11 days in the zone by 2026-02-11: 10 are allowed in any 30.",
        granularity: "pair",
        params: { zone: "zone", name: "zone", days: 11, by: "2026-02-11", allowed: 10, window: 30 },
        zone: "zone",
      },
    ])
    const [short] = decided(dataset, {
      passport: "AAA",
      passportExpiry: "2026-06-01",
      stops: [stay("BBB", "2026-05-01", "2026-05-10")],
    }).blockers
    expect(short).toMatchObject({ code: "passport_validity_short", granularity: "destination" })
  })
})

describe("the day on which a passport was issued", () => {
  const codesOf = (...stops: ItineraryRequest["stops"]) =>
    decided(embedded, {
      passport: "GBR",
      passportExpiry: "2027-09-01",
      passportIssued: "2017-03-01",
      stops,
    }).blockers.map(({ step, code }) => `${step} ${code}`)

  it("is required at the entry into Schengen, and not again inside it", () => {
    expect(codesOf(stay("FRA", "2027-02-28", "2027-03-05"), stay("DEU", "2027-03-05", "2027-03-09"))).toEqual([])
  })

  it("is required again after a day outside", () => {
    const stops = [stay("FRA", "2027-02-20", "2027-02-28"), stay("DEU", "2027-03-02", "2027-03-09")] as const
    expect(codesOf(...stops)).toEqual(["1 passport_validity_short"])
    const [france, germany] = stops
    expect(codesOf(france, stay("GBR", "2027-02-28", "2027-03-02"), germany)).toEqual(["2 passport_validity_short"])
  })
})

describe("an unknown finding says why", () => {
  const gapsAt = (passport: string, destination: string, more: Partial<ItineraryRequest> = {}) =>
    reasonsOf(decided(embedded, { passport, ...more, stops: [stay(destination, "2026-12-01", "2026-12-05")] }))
  const given = { passportExpiry: "2033-01-01", passportIssued: "2023-01-02" }

  it.each<[string, string, string, Partial<ItineraryRequest>, string[]]>([
    [
      "a visa's stay is set by the visa",
      "IND",
      "FRA",
      given,
      [`0 maxStay: ${SAID.stay_set_by_permit}`, `0 zoneStay: ${SAID.zone_no_fixed_stay}`],
    ],
    [
      "nobody recorded the days in Monaco of a Union citizen, who is no visitor with a number of days",
      "AUT",
      "MCO",
      given,
      [
        `0 maxStay: ${SAID.stay_not_recorded}`,
        `0 zoneStay: ${SAID.zone_no_fixed_stay}`,
        `0 passportValidity: ${SAID.no_validity_rule}`,
      ],
    ],
    [
      "freedom of movement reaches Åland, which follows Finland",
      "AUT",
      "ALA",
      given,
      [`0 maxStay: ${SAID.stay_moves_freely}`, `0 passportValidity: ${SAID.validity_for_visitors}`],
    ],
    [
      "freedom of movement names no days",
      "AUT",
      "FRA",
      given,
      [`0 maxStay: ${SAID.stay_moves_freely}`, `0 passportValidity: ${SAID.validity_for_visitors}`],
    ],
    [
      "a passport's dates are not given",
      "USA",
      "FRA",
      {},
      [`0 passportValidity: ${SAID.expiry_not_given}`, `- passportExpiry: ${SAID.expiry_not_given}`],
    ],
    [
      "a passport's day of issue is not given",
      "USA",
      "FRA",
      { passportExpiry: "2033-01-01" },
      [`0 passportValidity: ${SAID.issue_date_not_given}`],
    ],
    [
      "the entry rests on a treaty that Mali has left",
      "MLI",
      "SEN",
      given,
      [`0 requirement: ${SAID.treaty_left}`, `0 passportValidity: ${SAID.no_validity_rule}`],
    ],
    ["there is no stay where nobody is admitted", "PHL", "KWT", given, [`0 maxStay: ${SAID.stay_refused}`]],
    [
      "a pair has no record",
      "USA",
      "GLP",
      given,
      [
        "0 requirement: No rule is recorded for this pair. That means unknown, not that no visa is needed.",
        "0 maxStay: No rule is recorded for this pair. That means unknown, not that no visa is needed.",
        `0 passportValidity: ${SAID.no_validity_rule}`,
      ],
    ],
    [
      "residence and purpose are repeated and not judged",
      "JPN",
      "JPN",
      { ...given, residence: "FRA", purpose: "work" },
      [
        `0 passportValidity: ${SAID.validity_for_visitors}`,
        `- residence: ${SAID.not_modelled}`,
        `- purpose: ${SAID.not_modelled}`,
      ],
    ],
  ])("%s", (_, passport, destination, more, gaps) => {
    expect(gapsAt(passport, destination, more)).toEqual(gaps)
  })

  it("names the day before which nothing is recorded, and the code that no destination has", () => {
    const stops = [stay("FRA", "2020-01-01", "2020-01-05"), stay("ZZZ", "2026-12-01", "2026-12-02")]
    expect(reasonsOf(decided(embedded, { passport: "USA", ...given, stops }))).toEqual([
      "0 requirement: The dataset records nothing for days before its first.",
      "0 maxStay: The dataset records nothing for days before its first.",
      `0 zoneStay: ${SAID.zone_no_fixed_stay}`,
      "1 requirement: No destination with this code is recorded.",
      "1 maxStay: No destination with this code is recorded.",
      `1 passportValidity: ${SAID.no_validity_rule}`,
    ])
  })

  it("says what is unknown only because of other stays in the zone or a longer stay of the country's own", () => {
    const salvador = decided(embedded, { passport: "USA", ...given, stops: [stay("SLV", "2026-03-01", "2026-07-01")] })
    expect(salvador.verdict).toBe("no_blocker_found")
    expect(salvador.steps[0]?.zoneStay).toEqual({
      granularity: "pair",
      status: "unknown",
      reason: SAID.zone_own_stay,
      code: "zone_own_stay",
      params: {},
      zone: "ca-4",
      allowanceDays: 90,
    })
    const mixed = decided(embedded, {
      passport: "COL",
      ...given,
      stops: [stay("NIC", "2026-03-01", "2026-03-05"), stay("HND", "2026-03-06", "2026-03-07")],
    })
    expect(mixed.steps[1]?.zoneStay).toMatchObject({ status: "unknown", reason: SAID.zone_other_stays })
  })
})

describe("a finding says how it is known", () => {
  const step = decided(embedded, {
    passport: "USA",
    passportExpiry: "2033-01-01",
    passportIssued: "2023-01-02",
    stops: [stay("FRA", "2026-12-01", "2026-12-20")],
  }).steps[0]

  it("contains the whole answer with the requirement", () => {
    expect(step?.requirement).toMatchObject({
      granularity: "pair",
      status: "known",
      value: "visa_free",
      answer: { days: 90, source: { id: "passport-index" } },
    })
  })

  it("contains the rule of the destination on the passport's validity", () => {
    expect(step?.passportValidity).toEqual({
      granularity: "destination",
      status: "known",
      value: "met",
      rule: {
        anchor: "departure",
        months: 3,
        days: 0,
        issuedWithinYears: 10,
        expiredWithinYears: null,
        confidence: "high",
        source: expect.objectContaining({ id: "eu-regulation-2016-399" }),
        sourceUrl: "https://eur-lex.europa.eu/eli/reg/2016/399/oj",
        verifiedOn: null,
        citedOn: null,
      },
    })
  })

  it("names the zone with the days used in it", () => {
    expect(step?.zoneStay).toEqual({
      granularity: "pair",
      status: "known",
      value: 20,
      zone: "schengen",
      allowanceDays: 90,
    })
  })

  it("is shared between decisions and cannot be changed", () => {
    const again = decided(embedded, { passport: "USA", stops: [stay("FRA", "2026-12-05", "2026-12-06")] }).steps[0]
    expect(again?.requirement).toBe(step?.requirement)
    expect(Object.isFrozen(step?.requirement)).toBe(true)
    expect(Object.isFrozen(step?.maxStay)).toBe(true)
    expect(Object.isFrozen(step?.passportValidity)).toBe(true)
  })
})

describe("transit", () => {
  const transitOf = (...transit: string[]) =>
    decided(embedded, { passport: "IND", stops: [stay("THA", "2026-12-01", "2026-12-05")], transit }).transit

  it("names the rule of the country, and leaves unknown what depends on its wording", () => {
    const [britain] = transitOf("GBR")
    expect(britain).toMatchObject({
      country: "GBR",
      area: null,
      rule: { granularity: "destination", status: "known" },
      // The rule of that day has its exemptions as words.
      permitted: { granularity: "pair", status: "unknown", code: "transit_conditional" },
    })
    const rules = britain?.rule.status === "known" ? britain.rule.value : []
    expect(rules).toHaveLength(1)
    expect(rules[0]).toMatchObject({ area: "airside", demand: "visa", source: { id: "gov-uk-check-visa" } })
    expect(rules[0]?.passports).toContain("IND")
  })

  it("names Spain's own list beside the common one, and says that France's was read in part", () => {
    const [spain, france, china] = transitOf("ESP", "FRA", "CHN").map(({ rule }) =>
      rule.status === "known"
        ? rule.value.map(each => [each.demand, each.passports?.length ?? null, each.isComplete])
        : [],
    )
    expect(spain).toEqual([
      ["visa", 12, true],
      ["visa", 16, true],
    ])
    expect(france).toEqual([
      ["visa", 12, true],
      ["visa", 11, false],
    ])
    expect(china).toEqual([
      ["no_visa", null, true],
      ["no_visa", 55, true],
    ])
  })

  it("is unknown for any code if no rule is recorded and the entry is unknown", () => {
    const gap = { status: "unknown", reason: SAID.no_transit_rule, code: "no_transit_rule", params: {} }
    expect(transitOf("QQQ")).toEqual([
      {
        country: "QQQ",
        area: null,
        rule: { granularity: "destination", ...gap },
        permitted: { granularity: "pair", ...gap },
        decidedBy: null,
        because: [],
      },
    ])
  })
})
