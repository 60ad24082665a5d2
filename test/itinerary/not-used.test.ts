import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { writeCompact } from "../../adapters/answers/compact-decision.ts"
import { judgeItinerary, readItinerary } from "../../adapters/answers/decision.ts"
import { describeDecision } from "../../adapters/answers/write-decision.ts"
import { listNotUsedInPieces } from "../../src/engine.ts"
import { DECISION_REQUEST, decide, embeddedDataset, type ItineraryRequest } from "../../src/index.ts"
import { omitGiven } from "../../src/trip/judge.ts"
import { readItinerary as readOne } from "../../src/trip/request-fields.ts"
import { countTrips } from "../sample.ts"
import { decided } from "./decisions.ts"
import { JOURNEYS, makeJourney } from "./rich-journeys.ts"

const dataset = embeddedDataset()
const stay = (destination: string, from: string, to: string) => ({ destination, from, to })
const inFrance = [stay("FRA", "2026-12-01", "2026-12-20")]
// How long its passports are valid is not recorded, so the day of issue counts.
const passport = { passport: "VEN", passport_expiry: "2030-01-01" }

function judge(request: object) {
  const read = readItinerary(request)
  if (!read.ok) throw new Error(read.refusal.error)
  const judged = judgeItinerary(dataset, read.request, null, { remedies: false })
  if (judged.kind !== "found") throw new Error(judged.message)
  return judged.body
}
type Answer = { readonly not_used?: readonly string[]; readonly travellers?: readonly Answer[] }
const describeAll = (request: object) => describeDecision(dataset, judge(request)).data as Answer & object
const notUsed = (request: object) => describeAll(request).not_used

type Given = Readonly<Record<string, unknown>>
/** Leaves fields out of a request, each by its path. */
function leaveOut(given: Given, paths: readonly string[]): Given {
  const less: Record<string, unknown> = { ...given }
  const lists = new Set<string>()
  for (const path of paths) {
    const [, name = path, at, field] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? []
    const list = less[name]
    if (at === undefined || !Array.isArray(list)) less[name] = undefined
    else {
      lists.add(name)
      const other = field === undefined ? null : { ...list[Number(at)], [field]: undefined }
      less[name] = list.with(Number(at), other)
    }
  }
  for (const name of lists) less[name] = (less[name] as readonly unknown[]).filter(each => each !== null)
  return less
}

describe("a given field without effect on the decision is named:", () => {
  it.each<[name: string, request: object, expected: readonly string[] | undefined]>([
    [
      "an identity number where no rule asks for it",
      {
        passport: "FRA",
        passport_expiry: "2030-01-01",
        passport_identity_number: true,
        stops: [stay("GBR", "2026-12-01", "2026-12-20")],
      },
      ["passport_identity_number"],
    ],
    [
      "a chip where no rule asks for it, and not the day of issue, which Schengen asks for",
      { ...passport, passport_biometric: true, passport_issued: "2020-01-01", stops: inFrance },
      ["passport_biometric"],
    ],
    [
      "nothing where a rule asks for a biometric passport",
      {
        passport: "UKR",
        passport_expiry: "2030-01-01",
        passport_issued: "2024-01-01",
        passport_biometric: true,
        stops: inFrance,
      },
      undefined,
    ],
    ["nothing where only what every decision needs is given", { ...passport, stops: inFrance }, undefined],
    [
      "the day of issue of a passport that is not used",
      {
        passports: [
          { passport: "FRA", passport_expiry: "2030-01-01" },
          { passport: "USA", passport_expiry: "2030-01-01", passport_issued: "2021-01-01" },
        ],
        stops: inFrance,
      },
      ["passports[1].passport_expiry", "passports[1].passport_issued"],
    ],
    [
      "how the traveller arrives where every border has one rule",
      { ...passport, passport_issued: "2024-01-01", stops: [{ ...inFrance[0], by: "air" }] },
      ["stops[0].by"],
    ],
    [
      "how a transit is reached where it makes no difference",
      {
        passport: "FRA",
        passport_expiry: "2030-01-01",
        stops: [stay("BRA", "2026-12-01", "2026-12-08")],
        transit: [{ country: "GBR", airside: true, by: "air" }],
      },
      ["transit[0].by"],
    ],
    [
      "earlier stays elsewhere, and those that left the reference period",
      {
        ...passport,
        passport_issued: "2024-01-01",
        stops: inFrance,
        earlier_stays: [
          stay("FRA", "2026-11-01", "2026-11-20"),
          stay("CHN", "2026-11-21", "2026-11-25"),
          stay("ITA", "2025-11-21", "2025-11-25"),
        ],
      },
      ["earlier_stays[1]", "earlier_stays[2]"],
    ],
    [
      "one of two equal earlier stays, because the other one counts",
      {
        ...passport,
        passport_issued: "2024-01-01",
        stops: inFrance,
        earlier_stays: [stay("FRA", "2026-11-01", "2026-11-20"), stay("FRA", "2026-11-01", "2026-11-20")],
      },
      ["earlier_stays[0]"],
    ],
    [
      "nothing that makes the residence count: without a chip a visa is asked in Czechia, and of residents of France none",
      {
        ...{ passport: "ALB", passport_issued: "2015-01-01", passport_biometric: false, residence: "FRA" },
        ...{ stops: [stay("ABW", "2026-12-01", "2027-01-05")], transit: [{ country: "CZE", airside: false }] },
      },
      undefined,
    ],
    [
      "not a kind that tells two passports of one state apart, which would be one that is given twice",
      {
        passports: [
          { passport: "FRA", passport_expiry: "2030-01-01" },
          { passport: "FRA", passport_expiry: "2031-01-01", passport_kind: "diplomatic" },
        ],
        stops: inFrance,
      },
      ["passports[1].passport_expiry"],
    ],
    [
      "a residence of which no rule speaks is a gap, as before",
      { ...passport, passport_issued: "2024-01-01", residence: "JPN", stops: inFrance },
      undefined,
    ],
  ])("%s", (_, request, expected) => {
    expect(notUsed(request)).toEqual(expected)
  })

  it("for each traveller of a group", () => {
    const { travellers } = describeAll({
      travellers: [
        { ...passport, passport_issued: "2024-01-01" },
        { passport: "FRA", passport_expiry: "2030-01-01", passport_biometric: true },
      ],
      stops: inFrance,
    })
    expect(travellers?.map(each => each.not_used)).toEqual([undefined, ["passport_biometric"]])
  })

  it("in the compact form too", () => {
    const request = { ...passport, passport_issued: "2024-01-01", passport_biometric: true, stops: inFrance }
    expect(JSON.parse(writeCompact(dataset, judge(request))).data.not_used).toEqual(["passport_biometric"])
  })

  it("for 100 earlier stays and ten passports within the work of a few large decisions", () => {
    const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)
    const earlier = Array.from({ length: 100 }, (_, at) =>
      stay(at % 2 === 0 ? "FRA" : "ITA", day(at * 3), day(at * 3 + 1)),
    )
    const codes = ["USA", "JPN", "BRA", "KOR", "CAN", "AUS", "NZL", "MEX", "CHL", "ARG"]
    const request = {
      passports: codes.map(code => ({
        passport: code,
        passport_expiry: "2030-01-01",
        passport_issued: "2024-01-01",
        passport_biometric: true,
      })),
      stops: inFrance,
      earlier_stays: earlier,
    }
    const started = process.cpuUsage()
    judge(request)
    const { user } = process.cpuUsage(started)
    expect(user).toBeLessThan(2_000_000)
  })
})

describe("a law of fields that are not used:", () => {
  const { destinations, passports } = dataset
  const flag = fc.option(fc.boolean(), { nil: undefined })
  const word = <Word extends string>(...words: readonly Word[]) =>
    fc.option(fc.constantFrom(...words), { nil: undefined })
  const request = fc.record({
    passport: fc.constantFrom(...passports),
    passport_expiry: word("2028-01-01", "2027-02-01"),
    passport_issued: word("2015-01-01", "2024-01-01"),
    passport_biometric: flag,
    passport_identity_number: flag,
    residence: word("JPN", "USA", "FRA"),
    stops: fc
      .tuple(fc.constantFrom(...destinations), fc.constantFrom(...destinations), word("air", "land", "sea"))
      .map(([first, second, by]) => [
        { ...stay(first, "2026-12-01", "2026-12-20"), by },
        stay(second, "2026-12-20", "2027-01-05"),
      ]),
    transit: fc.array(fc.record({ country: fc.constantFrom(...destinations), airside: flag }), { maxLength: 2 }),
    earlier_stays: fc.array(
      fc.constantFrom(...destinations).map(each => stay(each, "2026-09-01", "2026-10-20")),
      { maxLength: 3 },
    ),
  })
  // What a decision repeats of the request.
  const findings = ({ not_used: _, ...decision }: Answer & object) => JSON.stringify({ ...decision, residence: null })
  it("without all of them the decision is the same", () => {
    fc.assert(
      fc.property(request, given => {
        const whole = describeAll(given)
        expect(findings(describeAll(leaveOut(given, whole.not_used ?? [])))).toBe(findings(whole))
      }),
      { numRuns: countTrips(50) },
    )
  })

  it("every optional field of a traveller and of a stop is asked about, or the decision shows its effect", () => {
    const { fields } = DECISION_REQUEST
    const optional = (rows: object) =>
      Object.values(rows as Record<string, { readonly wire: string; readonly need: string }>)
        .filter(({ need }) => need !== "required")
        .map(({ wire }) => wire)
    const asked = [
      "passport_expiry",
      "passport_issued",
      "passport_kind",
      "passport_biometric",
      "passport_identity_number",
      "residence",
      "earlier_stays",
      "by",
    ]
    const shown = ["passport", "passports", "held", "transit", "purpose", "travellers", "to", "airside"]
    const all = [fields, fields.stops.is.of.fields, fields.transit.is.of.fields, fields.passports.is.of.fields].flatMap(
      optional,
    )
    expect([...new Set(all)].sort()).toEqual([...asked, ...shown].sort())
  })
})

describe("a document, a residence or a purpose that is said to change nothing:", () => {
  const known = embeddedDataset()
  // What was found, without what repeats the request.
  const tell = ({ unknowns, ...found }: ReturnType<typeof decided>) => {
    const others = unknowns.filter(({ code }) => code !== "not_modelled")
    return JSON.stringify(omitGiven({ ...found, unknowns: others }))
  }
  const listUnused = (request: ItineraryRequest) =>
    decided(known, request).unknowns.flatMap(({ field, code }) => (code === "not_modelled" ? field : []))
  const listNotUsed = (request: ItineraryRequest): readonly string[] => {
    const pieces = listNotUsedInPieces(known, { itineraries: [readOne(request, [])], isGroup: false })
    for (;;) {
      const { done, value } = pieces.next()
      if (done) return value[0]!
    }
  }
  const dates = { passportExpiry: "2036-01-01", passportIssued: "2026-06-02" }

  it("without it, and without all fields that are not used, the decision is the same, and without another one it is not", () => {
    const seen = { same: 0, other: 0 }
    for (let number = 0; number < countTrips(600); number++) {
      const asked = makeJourney(known, number % JOURNEYS) as unknown as ItineraryRequest
      const { held, residence, purpose } = asked
      // One document by itself: what is said of it does not depend on others.
      const alone = { ...asked, held: residence == null ? held?.slice(0, 1) : undefined }
      const found = decide(known, alone)
      if ("travellers" in asked || !found.ok || found.value.kind !== "decided") continue
      const unused = listUnused(alone)
      const given = [
        ...(alone.held?.length ? [["held[0]", { held: undefined }] as const] : []),
        ...(residence == null ? [] : [["residence", { residence: null }] as const]),
        ...(purpose == null ? [] : [["purpose", { purpose: null }] as const]),
      ]
      for (const [field, without] of given) {
        const isSame = tell(found.value) === tell(decided(known, { ...alone, ...without }))
        expect(unused.includes(field), `${number}: ${field}`).toBe(isSame)
        seen[isSame ? "same" : "other"]++
        if (!isSame) continue
        const less = leaveOut({ ...alone, ...without }, listNotUsed(alone))
        expect(tell(decided(known, less as unknown as ItineraryRequest)), `${number}: ${field}`).toBe(tell(found.value))
      }
    }
    expect(Math.min(seen.same, seen.other)).toBeGreaterThan(80)
  })

  it.each<[name: string, request: ItineraryRequest]>([
    [
      "not an authorisation that answers an announced one before its first day: Regulation (EU) 2018/1240, Art. 2",
      { passport: "USA", ...dates, held: [{ kind: "eta", issuer: "FRA" }], stops: inFrance },
    ],
    [
      "not a permit, whose holders the border does not register: Regulation (EU) 2017/2226, Art. 2(3)(c)",
      { passport: "USA", ...dates, held: [{ kind: "residence_permit", issuer: "DEU" }], stops: inFrance },
    ],
    [
      "not a residence from which a certificate is asked: International Health Regulations (2005), Annex 7(2)",
      { passport: "FRA", ...dates, residence: "BRA", stops: [stay("ZAF", "2026-12-01", "2026-12-10")] },
    ],
    [
      "not a residence in a neighbour, which makes a return a new admission: 8 CFR 217.3(b)",
      {
        ...{ passport: "GBR", ...dates, residence: "CAN" },
        stops: [
          stay("USA", "2026-12-01", "2027-02-20"),
          stay("CAN", "2027-02-20", "2027-02-25"),
          stay("USA", "2027-02-25", "2027-04-10"),
        ],
      },
    ],
    [
      "not an authorisation that only a biometric passport has: 8 U.S.C. 1187(a)(3)",
      { passport: "GEO", passportExpiry: "2036-01-01", held: [{ kind: "eta", issuer: "USA" }], stops: inFrance },
    ],
    [
      "not a purpose that a state bars at its border, or that no rule names",
      {
        ...{ passport: "RUS", ...dates, purpose: "work" },
        ...{ held: [{ kind: "visa", issuer: "FRA", type: "C" }], stops: [stay("EST", "2026-12-01", "2026-12-10")] },
      },
    ],
  ])("%s", (_, request) => {
    expect(listUnused(request)).toEqual([])
  })

  it("a purpose that no rule names leaves a visitor's entry open and is named at the stop", () => {
    const stops = [stay("JPN", "2026-12-01", "2026-12-10")]
    const { outcome, unknowns } = decided(known, { passport: "FRA", ...dates, purpose: "work", stops })
    expect([outcome, unknowns.map(({ field, step, code }) => [field, step, code])]).toEqual([
      "unknown",
      [["purpose", 0, "purpose_not_recorded"]],
    ])
  })
})
