/** Small worlds, such that every kind of blocker, gap and choice is met often. */
import fc from "fast-check"
import type {
  OracleAskedAt,
  OracleDocumentTerms,
  OracleKindRule,
  OracleWaiver,
  World,
  WorldEntry,
} from "../oracles/decide.ts"
import type { OracleStayRule } from "../oracles/stay-counting.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"

const SINCE = "2026-01-01"
export const START = dayOf(SINCE)
export const DESTINATIONS = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF", "TTT"]
export const PASSPORTS = ["AAA", "BBB", "EEE", "FFF"]

export const day = (least: number, most: number) => fc.integer({ min: START + least, max: START + most })
export const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

const entry = fc
  .tuple(
    fc.constantFrom(
      "visa_free",
      "visa_free",
      "visa_free",
      "eta",
      "visa_on_arrival",
      "e_visa",
      "visa_required",
      "no_admission",
    ),
    maybe(fc.integer({ min: 1, max: 40 })),
    fc.nat(5),
    fc.boolean(),
  )
  .map(([requirement, days, dice, table]): Omit<WorldEntry, "fromOn"> => {
    const isFree = dice === 0
    const takesDays = requirement !== "visa_required" && requirement !== "no_admission"
    return {
      requirement: isFree ? "visa_free" : requirement,
      days: takesDays || isFree ? days : null,
      free: isFree,
      table,
    }
  })

const entries = fc
  .array(fc.tuple(entry, day(1, 90)), { minLength: 1, maxLength: 2 })
  .map((list): WorldEntry[] =>
    list.map(([each, from], place) => ({ ...each, fromOn: place === 0 ? SINCE : dateOf(from) })),
  )

const member = (code: string) =>
  fc.record({ code: fc.constant(code), fromDay: maybe(day(-60, 90)), untilDay: maybe(day(91, 200)) })

export const few = fc.integer({ min: 1, max: 25 })
const neighbours = fc.option(fc.uniqueArray(fc.constantFrom("AAA", "DDD"), { minLength: 1 }), { nil: null, freq: 3 })
const stayTerms: fc.Arbitrary<Omit<OracleStayRule, "destinations" | "passports">> = fc.oneof(
  fc.record({ kind: fc.constant("per_entry" as const), days: maybe(few), daysOutside: maybe(few) }),
  fc
    .tuple(maybe(few), neighbours, maybe(fc.integer({ min: 1, max: 5 })), fc.boolean())
    .map(([days, neighbours, readmission, firstDayCounted]) => {
      const readmissionDays = neighbours === null ? null : readmission
      return { kind: "per_entry" as const, days, neighbours, readmissionDays, firstDayCounted }
    }),
  fc.record({
    kind: fc.constant("per_entry" as const),
    days: fc.constant(null),
    months: fc.integer({ min: 1, max: 2 }),
  }),
  fc.tuple(maybe(few), few, maybe(fc.integer({ min: 1, max: 10 }))).map(([days, more, visit]) => ({
    kind: "rolling" as const,
    days,
    windowDays: (days ?? 5) + more,
    visitDays: visitOf(days, visit),
  })),
  fc
    .tuple(fc.constantFrom("calendar_year" as const, "per_year_of_entry" as const), maybe(few), maybe(few))
    .map(([kind, days, visit]) => ({ kind, days, visitDays: visitOf(days, visit) })),
)
// A longest visit is not longer than all days together.
const visitOf = (days: number | null, visit: number | null) =>
  visit === null || days === null ? visit : Math.min(days, visit)

// Some rules hold for those only who are asked for something.
const ruleTerms = fc
  .tuple(
    stayTerms,
    fc.constantFrom(undefined, undefined, ["visa_free", "eta"] as const, ["visa_required", "e_visa"] as const),
  )
  .map(([terms, requirements]) => ({ ...terms, ...(requirements === undefined ? {} : { requirements }) }))

// At a destination at most one rule for everybody and one for a passport: two of one rank would contradict each other.
const stayRules = fc
  .tuple(
    ...["BBB", "CCC", "EEE", "FFF"].map(code =>
      fc.tuple(fc.constant(code), maybe(ruleTerms), maybe(ruleTerms), fc.constantFrom(...PASSPORTS)),
    ),
  )
  .map(rows =>
    rows.flatMap(([code, general, special, passport]): OracleStayRule[] => [
      ...(general === null ? [] : [{ destinations: [code], ...general }]),
      ...(special === null ? [] : [{ destinations: [code], passports: [passport], ...special }]),
    ]),
  )

const agreements = fc
  .tuple(
    maybe(fc.tuple(fc.constantFrom("AAA", "BBB"), maybe(few), fc.boolean())),
    maybe(fc.tuple(fc.constantFrom("EEE", "FFF"), maybe(few), fc.boolean())),
  )
  .map(([national, other]) => [
    ...(national === null
      ? []
      : [
          {
            destinations: ["AAA", "BBB"].filter(code => code !== national[0]),
            passports: [national[0]],
            zone: "rolling-zone",
            days: national[1],
            mayExceed: national[2],
          },
        ]),
    ...(other === null
      ? []
      : [
          {
            destinations: ["DDD"],
            passports: [other[0]],
            zone: "single-zone",
            days: other[1],
            mayExceed: other[2],
          },
        ]),
  ])

export const issuer = fc.constantFrom("AAA", "BBB", "CCC", "DDD", "EEE", "FFF")
const truly = fc.option(fc.constant(true as const), { nil: undefined })

const documentTerms: fc.Arbitrary<OracleDocumentTerms> = fc
  .record({
    kind: fc.constantFrom("visa" as const, "residence_permit" as const),
    issuers: fc.uniqueArray(issuer, { minLength: 1, maxLength: 3 }),
    multipleEntry: truly,
    usedBefore: truly,
    validDaysAfterExit: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  })
  .map(({ kind, issuers, multipleEntry, usedBefore, validDaysAfterExit }) => ({
    kind,
    issuers,
    ...(validDaysAfterExit === undefined ? {} : { validDaysAfterExit }),
    ...(kind === "visa" && multipleEntry ? { multipleEntry } : {}),
    ...(kind === "visa" && usedBefore ? { usedBefore } : {}),
  }))

const waiver: fc.Arbitrary<OracleWaiver> = fc.record({
  destinations: fc.uniqueArray(fc.constantFrom(...DESTINATIONS), { minLength: 1, maxLength: 3 }),
  held: fc.array(documentTerms, { minLength: 1, maxLength: 2 }),
  requirement: fc.constantFrom("visa_free", "visa_free", "eta", "visa_on_arrival", "e_visa"),
  days: maybe(few),
})

// Of one destination each, so that no two of one rank are about the same document.
const kinds = fc
  .tuple(
    ...["AAA", "BBB", "CCC", "EEE"].map(code =>
      maybe(
        fc.record({
          kinds: fc.constantFrom<OracleKindRule["kinds"]>(["diplomatic"], ["diplomatic", "refugee_convention"]),
          requirement: fc.constantFrom("visa_free", "visa_free", "visa_required", "e_visa"),
          days: maybe(few),
          residents: fc.boolean(),
          isNamed: fc.boolean(),
          isAboutVisas: fc.boolean(),
          code: fc.constant(code),
        }),
      ),
    ),
  )
  .map(list =>
    list.flatMap((each): OracleKindRule[] => {
      if (each === null) return []
      const { code, residents, isNamed, isAboutVisas, days, ...rest } = each
      return [
        {
          ...rest,
          destinations: [code],
          days: rest.requirement === "visa_required" ? null : days,
          ...(residents ? { residents } : {}),
          ...(isNamed ? { passports: ["AAA", "BBB"] } : {}),
          ...(isAboutVisas ? { requirements: ["visa_required", "e_visa"] } : {}),
        },
        ...(isNamed ? [{ kinds: rest.kinds, destinations: [code], requirement: "eta", days: 7 }] : []),
      ]
    }),
  )

// Of one destination each, so that no two are about the same answer.
const askedAt = fc
  .tuple(
    ...["AAA", "BBB", "EEE"].map(destination =>
      maybe(
        fc.record({
          destination: fc.constant(destination),
          requirement: fc.constantFrom("eta", "eta", "e_visa", "visa_free"),
          borders: fc.constantFrom<OracleAskedAt["borders"]>(["air"], ["air", "sea"], ["land"]),
          elsewhere: fc.constantFrom("visa_free", "visa_free", "visa_required", "eta"),
        }),
      ),
    ),
  )
  .map(rules => rules.filter(rule => rule !== null && rule.elsewhere !== rule.requirement) as OracleAskedAt[])

/** A world of seven destinations, two zones and three passports. */
export const world: fc.Arbitrary<World> = fc
  .record({
    stayRules,
    kinds,
    askedAt,
    agreements,
    waivers: fc.array(waiver, { maxLength: 3 }),
    table: fc.array(maybe(entries), { minLength: 28, maxLength: 28 }),
    follows: fc.boolean(),
    allowance: fc.integer({ min: 1, max: 20 }),
    slack: fc.integer({ min: 1, max: 40 }),
    permission: fc.integer({ min: 1, max: 20 }),
    rolling: fc.tuple(member("AAA"), member("BBB"), member("TTT")),
    // Outside the zone of the country that it follows no treaty of that country reaches a territory.
    isReached: fc.boolean(),
    single: fc.tuple(member("CCC"), member("DDD")),
    months: fc.nat(7),
    days: fc.nat(45),
    years: maybe(fc.integer({ min: 1, max: 10 })),
    anchor: fc.constantFrom("arrival" as const, "departure" as const),
    open: fc.constantFrom<readonly [string, string]>(["AAA", "EEE"], ["BBB", "FFF"], ["CCC", "EEE"], ["EEE", "FFF"]),
    own: fc.tuple(fc.constantFrom("AAA", "BBB", "EEE"), fc.constantFrom([], ["FFF"]), fc.boolean()),
  })
  .map(each => {
    const entriesOf: Record<string, readonly WorldEntry[]> = {}
    DESTINATIONS.forEach((destination, d) => {
      PASSPORTS.forEach((passport, p) => {
        const list = each.table[d * PASSPORTS.length + p]
        const isInherited = destination === "TTT" && each.follows
        if (list != null && passport !== destination && !isInherited) entriesOf[passport + destination] = list
      })
    })
    return {
      sinceOn: SINCE,
      passports: PASSPORTS,
      destinations: DESTINATIONS,
      entries: entriesOf,
      follows: each.follows ? { TTT: "AAA" } : {},
      zones: [
        {
          id: "rolling-zone",
          rule: { kind: "rolling", allowanceDays: each.allowance, windowDays: each.allowance + each.slack },
          members: each.isReached ? each.rolling : each.rolling.slice(0, 2),
        },
        {
          id: "single-zone",
          rule: { kind: "single-permission", allowanceDays: each.permission },
          members: each.single,
        },
      ],
      validity: [
        {
          destinations: ["AAA", "BBB"],
          anchor: each.anchor,
          months: each.months,
          days: 0,
          issuedWithinYears: each.years,
        },
        { destinations: ["CCC"], anchor: "arrival", months: 0, days: each.days, issuedWithinYears: null },
        {
          destinations: ["EEE"],
          anchor: "departure",
          months: 0,
          days: 0,
          issuedWithinYears: null,
          expiredWithinYears: 1,
          passports: ["AAA", "EEE"],
        },
        {
          destinations: ["EEE"],
          anchor: each.anchor,
          months: each.months,
          days: 0,
          issuedWithinYears: each.years,
          passports: ["BBB"],
        },
        { destinations: ["FFF"], anchor: "permitted_stay", months: 0, days: each.days, issuedWithinYears: null },
      ],
      transit: ["BBB", "FFF"],
      borders: {
        open: [each.open],
        own: [
          {
            destinations: [each.own[0]],
            citizensOf: each.own[0],
            others: each.own[1],
            ...(each.own[2] ? { by: ["air"] as const } : {}),
          },
        ],
      },
      kinds: each.kinds,
      askedAt: each.askedAt,
      stayRules: each.stayRules,
      agreements: each.agreements,
      waivers: each.waivers,
    }
  })
