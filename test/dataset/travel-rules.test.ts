import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { compileFacts, encodeDataset, type Facts, type ProvisionFact } from "../../src/compiler.ts"
import { type Dataset, openDataset, openParts, type Zone } from "../../src/engine.ts"
import { readProvisions } from "../../src/rules/provisions.ts"
import { dateOf } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { smallFacts } from "./small-facts.ts"

const provenance = { source: "law", sourceUrl: "https://law.example/", verifiedOn: null }
const zone = (changes: Partial<ProvisionFact<"zones">> = {}): ProvisionFact<"zones"> => ({
  id: "zone",
  name: "A zone",
  instrument: null,
  kind: "rolling",
  allowanceDays: 90,
  windowDays: 180,
  members: [
    { code: "AAA", from: null, until: null },
    { code: "BBB", from: "2026-02-01", until: "2026-03-01" },
    { code: "BBB", from: "2026-04-01", until: null },
    { code: "CCC", from: null, until: null },
  ],
  ...provenance,
  ...changes,
})
const validity = (changes: Partial<ProvisionFact<"validity">> = {}): ProvisionFact<"validity"> => ({
  anchor: "departure",
  months: 3,
  days: 0,
  issuedWithinYears: 10,
  expiredWithinYears: null,
  confidence: "high",
  destinations: ["AAA", "BBB"],
  ...provenance,
  ...changes,
})
const transit = (changes: Partial<ProvisionFact<"transit">> = {}): ProvisionFact<"transit"> => ({
  area: "airside",
  demand: "visa",
  hours: null,
  condition: null,
  isComplete: true,
  confidence: "medium",
  passports: ["AAA", "CCC"],
  destinations: ["BBB", "TTT"],
  ...provenance,
  ...changes,
})

const compile = (changes: Partial<Facts>) => compileFacts(smallFacts(changes))
const open = (facts: Facts): Dataset => {
  const compiled = compileFacts(facts)
  const opened = compiled.ok ? openDataset(encodeDataset(compiled.value)) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

// What an open dataset says, in the words of the facts.
const toFactsAgain = (dataset: Dataset, sourceUrls: readonly (string | null)[]) => {
  const listed = readProvisions(dataset)
  const urls = [...sourceUrls]
  const date = (day: number | null) => (day === null ? null : dateOf(day))
  const place = ({ source, verifiedOn, citedOn }: Pick<Zone, "source" | "verifiedOn" | "citedOn">) => ({
    source: source?.id ?? null,
    sourceUrl: urls.shift(),
    verifiedOn: verifiedOn ?? citedOn,
  })
  return {
    zones: dataset.zones.map(({ id, name, instrument, rule, members, ...rest }) => ({
      id,
      name,
      instrument,
      kind: rule.kind,
      allowanceDays: rule.allowanceDays,
      windowDays: rule.kind === "rolling" ? rule.windowDays : null,
      members: members
        .map(({ code, fromDay, untilDay }) => ({ code, from: date(fromDay), until: date(untilDay) }))
        .sort((a, b) => (`${a.code}${a.from}` < `${b.code}${b.from}` ? -1 : 1)),
      ...place(rest),
    })),
    validity: listed.list("validity").map(({ value, destinations, passports, except, until }) => {
      const { source, sourceUrl: _, verifiedOn, citedOn, ...rule } = value
      return { ...rule, destinations, passports, except, until, ...place({ source, verifiedOn, citedOn }) }
    }),
    transit: listed.list("transit").map(({ value, destinations, passports }) => {
      const { source, sourceUrl: _, verifiedOn, citedOn, ...rule } = value
      return { ...rule, destinations, passports, ...place({ source, verifiedOn, citedOn }) }
    }),
  }
}

describe("rules for destinations", () => {
  it.each<[string, Facts]>([
    ["of every kind", smallFacts({ zones: [zone()], validity: [validity()], transit: [transit()] })],
    [
      "of the other kind",
      smallFacts({
        zones: [zone({ kind: "single-permission", windowDays: null, source: null, sourceUrl: null })],
        validity: [
          validity({ anchor: "arrival", months: 0, days: 45, issuedWithinYears: null, confidence: "medium" }),
          validity({ months: 0, expiredWithinYears: 5, passports: ["AAA"], destinations: ["AAA"] }),
          validity({
            destinations: ["CCC"],
            sourceUrl: "https://law.example/page",
            verifiedOn: "2026-05-01",
            isSettled: false,
          }),
        ],
        transit: [
          transit({ area: "landside", demand: "no_visa", hours: 240, condition: "a ticket", passports: null }),
          transit({ isComplete: false }),
        ],
      }),
    ],
    ["of data/", toFacts(Result.getOrThrow(readDataRecords("data")))],
  ])("come out of a dataset as they went in: %s", (_, facts) => {
    const { zones, validity = [], transit = [] } = facts
    const urls = [...zones, ...validity, ...transit].map(({ sourceUrl }) => sourceUrl)
    const limits = { issuedWithinYears: null, expiredWithinYears: null, until: null, passports: null, except: null }
    const whole = { hours: null, condition: null, waivedFor: [], isComplete: true, passports: null }
    expect(toFactsAgain(open(facts), urls)).toEqual({
      zones: zones.map(({ note: _, windowDays = null, members, ...zone }) => ({
        ...zone,
        windowDays,
        members: members.map(({ code, from, until }) => ({ code, from, until })),
      })),
      validity: validity.map(({ note: _, isSettled = true, ...rule }) => ({
        ...limits,
        ...rule,
        ...(isSettled ? {} : { except: facts.passports }),
      })),
      transit: transit.map(({ note: _, ...rule }) => ({ ...whole, ...rule })),
    })
  })

  it("name their whole source, and the page that was read if it is a different one", () => {
    const dataset = open(
      smallFacts({
        validity: [
          validity(),
          validity({ destinations: ["CCC"], sourceUrl: "https://law.example/page" }),
          validity({ destinations: ["TTT"], sourceUrl: null }),
        ],
      }),
    )
    expect(
      readProvisions(dataset)
        .list("validity")
        .map(({ value }) => [value.source?.name, value.sourceUrl]),
    ).toEqual([
      ["A law", "https://law.example/"],
      ["A law", "https://law.example/page"],
      ["A law", "https://law.example/"],
    ])
  })

  it("are absent from a dataset that was compiled before they existed", () => {
    const compiled = compile({})
    if (!compiled.ok) throw new Error(compiled.error.message)
    const { terms: _, ...older } = compiled.value
    const opened = openDataset(encodeDataset(older))
    expect(opened).toMatchObject({ ok: true, value: { zones: [] } })
    if (opened.ok)
      for (const of of ["validity", "transit"] as const) expect(readProvisions(opened.value).list(of)).toEqual([])
  })
})

describe("zones that have another shape", () => {
  const compiled = compile({ zones: [zone()] })
  if (!compiled.ok) throw new Error(compiled.error.message)
  const { header, pairs, terms } = compiled.value
  const { fields, rows } = terms!.lists.zones!
  const openWith = (zones: unknown) =>
    openParts({ header, pairs, terms: { ...terms!, lists: { ...terms!.lists, zones: zones as never } } })
  const put = (field: string, value: unknown) => ({
    fields,
    rows: [rows[0]!.with(fields.split(" ").indexOf(field), value)],
  })

  it.each<[string, unknown]>([
    ["zones that are null", null],
    ["zones without rows", { fields }],
    ["a zone that is a number", { fields, rows: [1] }],
    ["a zone without members", { fields, rows: [rows[0]!.slice(0, -1)] }],
    ["members that are no groups", put("members:members", ["AAA", null])],
    ["a group without codes", put("members:members", [[null, null, null]])],
    ["a window that is not longer than its allowance", put("windowDays", 90)],
    ["a single permission with a window", put("kind", "single-permission")],
  ])("are refused when they are opened, not when they are asked: %s", (_, zones) => {
    expect(openWith(zones)).toMatchObject({
      ok: false,
      error: { message: "The dataset contradicts itself: its zones have another shape." },
    })
  })

  it("never make an open dataset throw later", () => {
    const odd = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 12 }))
    const odder = fc.oneof(odd, fc.array(odd, { maxLength: 3 }))
    fc.assert(
      fc.property(odder, fc.boolean(), (given, isRows) => {
        const opened = openWith(isRows ? { fields, rows: given } : given)
        if (opened.ok) expect(Array.isArray(opened.value.zones)).toBe(true)
      }),
      { numRuns: countTrips(400) },
    )
  })
})

describe("a mistake in the rules for destinations", () => {
  it.each<[string, Partial<Facts>, [tag: string, record: string, field: string, message: string]]>([
    ["a zone twice", { zones: [zone(), zone()] }, ["DuplicateRecord", "zones", "zone", "zone is given twice."]],
    [
      "a member that is no destination",
      { zones: [zone({ members: [{ code: "QQQ", from: null, until: null }] })] },
      ["UnknownCode", "zones/zone", "members[0].code", '"QQQ" is not one of the 4 destinations.'],
    ],
    [
      "a member for the same days twice",
      {
        zones: [
          zone({
            members: [
              { code: "AAA", from: null, until: "2026-02-01" },
              { code: "AAA", from: "2026-01-31", until: null },
            ],
          }),
        ],
      },
      ["DuplicateRule", "zones/zone", "members[1]", "AAA is already at members[0] for the same days."],
    ],
    [
      "a member of two zones",
      { zones: [zone(), zone({ id: "other", members: [{ code: "AAA", from: null, until: null }] })] },
      ["RulesDisagree", "zones/other", "members[0].code", "AAA belongs to zone too."],
    ],
    [
      "a membership that ends before it begins",
      { zones: [zone({ members: [{ code: "AAA", from: "2026-02-01", until: "2026-02-01" }] })] },
      ["UntilBeforeFrom", "zones/zone", "members[0].until", '2026-02-01 is not after "from" 2026-02-01.'],
    ],
    [
      "a membership from a day that no calendar has",
      { zones: [zone({ members: [{ code: "AAA", from: "2026-02-30", until: null }] })] },
      [
        "NotACalendarDate",
        "zones/zone",
        "members[0].from",
        '"2026-02-30" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
      ],
    ],
    [
      "an allowance of no days",
      { zones: [zone({ allowanceDays: 0 })] },
      ["ImpossibleRule", "zones/zone", "allowance_days", "0 is not a whole number from 1 to 3650."],
    ],
    [
      "a window that can never be exceeded",
      { zones: [zone({ windowDays: 90 })] },
      [
        "ImpossibleRule",
        "zones/zone",
        "window_days",
        "A rolling rule has a window longer than its allowance, a single permission none.",
      ],
    ],
    [
      "a single permission with a window",
      { zones: [zone({ kind: "single-permission" })] },
      [
        "ImpossibleRule",
        "zones/zone",
        "window_days",
        "A rolling rule has a window longer than its allowance, a single permission none.",
      ],
    ],
    [
      "an unknown source",
      { zones: [zone({ source: "hearsay" })] },
      ["UnknownSource", "zones/zone", "source", '"hearsay" is not an id of sources.json.'],
    ],
    [
      "a validity rule for a destination that has one",
      { validity: [validity(), validity({ destinations: ["TTT", "AAA"] })] },
      ["RulesDisagree", "passport-validity", "[1].destinations[1]", "AAA has a rule already, [0]."],
    ],
    [
      "a validity rule for no destination",
      { validity: [validity({ destinations: [] })] },
      ["ImpossibleRule", "passport-validity", "[0].destinations", "At least one code is expected."],
    ],
    [
      "half a month",
      { validity: [validity({ months: 0.5 })] },
      ["ImpossibleRule", "passport-validity", "[0].months", "0.5 is not a whole number from 0 to 120."],
    ],
    [
      "a negative number of days",
      { validity: [validity({ days: -1 })] },
      ["ImpossibleRule", "passport-validity", "[0].days", "-1 is not a whole number from 0 to 120."],
    ],
    [
      "a passport that can never be young enough",
      { validity: [validity({ issuedWithinYears: 0 })] },
      ["ImpossibleRule", "passport-validity", "[0].issued_within_years", "0 is not a whole number from 1 to 120."],
    ],
    [
      "a passport that expired too long ago",
      { validity: [validity({ expiredWithinYears: 11 })] },
      ["ImpossibleRule", "passport-validity", "[0].expired_within_years", "11 is not a whole number from 1 to 10."],
    ],
    [
      "a verification on a day that no calendar has",
      { validity: [validity({ verifiedOn: "2026-13-01" })] },
      [
        "NotACalendarDate",
        "passport-validity",
        "[0].verified_on",
        '"2026-13-01" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
      ],
    ],
    [
      "a transit rule for a passport that does not exist",
      { transit: [transit({ passports: ["AAA", "TTT"] })] },
      ["UnknownCode", "transit", "[0].passports[1]", '"TTT" is not one of the 3 passports.'],
    ],
    [
      "a transit rule for a country twice",
      { transit: [transit({ destinations: ["BBB", "BBB"] })] },
      ["DuplicateRule", "transit", "[0].destinations[1]", "BBB is given twice."],
    ],
    [
      "a transit of no hours",
      { transit: [transit({ hours: 0 })] },
      ["ImpossibleRule", "transit", "[0].hours", "0 is not a whole number from 1 to 2880."],
    ],
  ])("names record and field for %s", (_, changes, [tag, record, field, message]) => {
    const compiled = compile(changes)
    expect(compiled.ok ? [] : compiled.error.issues).toContainEqual({ tag, record, field, message })
  })
})
