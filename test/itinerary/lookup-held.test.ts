import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { effortRank } from "../../src/codes.ts"
import type { Facts, ProvisionFact } from "../../src/compiler.ts"
import type { DocumentTerms } from "../../src/engine.ts"
import {
  describePair,
  findWaivers,
  type HeldAnswer,
  type HeldDocument,
  lookupHeld,
  lookupRequirement,
  parseCivilDate,
  REQUIREMENTS,
  type Requirement,
} from "../../src/index.ts"
import { openSmall, policy, rule, terms, waiver, zone } from "../dataset/small-facts.ts"
import { easeByWalking } from "../oracles/terms.ts"
import { countTrips } from "../sample.ts"

type HeldOptions = NonNullable<Parameters<typeof lookupHeld>[3]>

const visa = { kind: "visa", issuer: "CCC" } as const
const ask = (changes: Partial<Facts>, options: Partial<HeldOptions> = {}, passport = "AAA", destination = "BBB") => {
  const answer = lookupHeld(openSmall(changes), passport, destination, { held: [visa], ...options })
  if (!answer.ok) throw new Error(answer.error.message)
  if (answer.value.kind !== "found") throw new Error(answer.value.message)
  return answer.value
}

describe("lookupHeld", () => {
  it("says what a lookup says where nothing is held, and why where a document changes it", () => {
    const waivers = [waiver()]
    expect(ask({ waivers }, { held: [] })).toMatchObject({
      requirement: "visa_required",
      days: null,
      because: [],
      unused: [],
    })
    const answer = ask({ waivers })
    expect(answer).toMatchObject({ requirement: "visa_free", days: 30, possible: [], unused: [] })
    expect(answer.base.requirement).toBe("visa_required")
    expect(answer.because).toMatchObject([{ document: 0, waiver: { requirement: "visa_free", source: { id: "law" } } }])
  })

  it("names the documents that change nothing", () => {
    const answer = ask(
      { waivers: [waiver()] },
      { held: [{ kind: "visa", issuer: "AAA" }, visa, { kind: "residence_permit", issuer: "CCC" }] },
    )
    expect(answer.because[0]?.document).toBe(1)
    expect(answer.unused).toEqual([0, 2])
  })

  it("takes the easiest of several, then the longest stay", () => {
    const waivers = [
      waiver({ requirement: "eta", days: 90 }),
      waiver({ days: 30 }),
      waiver({ days: 60 }),
      waiver({ days: null }),
    ]
    expect(ask({ waivers })).toMatchObject({ requirement: "visa_free", days: 60 })
  })

  it("tells what would be easier, and what has to be checked for it", () => {
    const waivers = [
      waiver({ requirement: "eta" }),
      waiver({ held: [{ kind: "visa", issuers: ["CCC"], usedBefore: true, multipleEntry: true }] }),
    ]
    const answer = ask({ waivers })
    expect(answer).toMatchObject({ requirement: "eta" })
    expect(answer.possible).toMatchObject([{ document: 0, toCheck: ["multipleEntry", "usedBefore"] }])
    const used = { ...visa, used: true, entries: "multiple" } as const
    expect(ask({ waivers }, { held: [used] })).toMatchObject({ requirement: "visa_free", possible: [] })
  })

  it("never lifts a refusal, and eases nothing at home or under freedom of movement", () => {
    const everywhere = { waivers: [waiver({ destinations: ["AAA", "BBB", "CCC", "TTT"] })] }
    const refused = [policy("BBB", { defaults: [terms({ requirement: "no_admission" })] })]
    expect(ask({ ...everywhere, policies: refused })).toMatchObject({
      requirement: "no_admission",
      because: [],
      unused: [0],
    })
    expect(ask(everywhere, {}, "BBB", "BBB")).toMatchObject({ requirement: "visa_free", days: null, because: [] })
    const free = { requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" } as const
    const policies = [policy("BBB", { rules: [rule(["AAA"], free)] })]
    expect(ask({ ...everywhere, policies }, { on: "2026-02-01" })).toMatchObject({ days: null, because: [] })
  })

  it("holds on its days, for its passports, and where a territory follows", () => {
    const dated = { waivers: [waiver({ from: "2026-02-01", until: "2026-03-01" })] }
    const on = (day: string) => ask(dated, { on: day }).requirement
    expect(["2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"].map(on)).toEqual([
      "visa_required",
      "visa_free",
      "visa_free",
      "visa_required",
    ])
    expect(ask({ waivers: [waiver({ passports: ["CCC"] })] }).because).toEqual([])
    expect(ask({ waivers: [waiver({ except: ["AAA"] })] }).because).toEqual([])
    expect(ask({ waivers: [waiver({ passports: ["@OLD"] })] }).because.length).toBe(1)
    const follows = { waivers: [waiver({ destinations: ["AAA"] })] }
    expect(ask(follows, {}, "CCC", "TTT")).toMatchObject({ requirement: "visa_free", base: { follows: "AAA" } })
  })

  it("leaves out what the states of a zone grant one another, in a territory that the zone does not reach", () => {
    const members = (...codes: string[]) => codes.map(code => ({ code, from: null, until: null }))
    const easing = (zoned: string[], issuers: string[]) => {
      const held = [{ kind: "visa" as const, issuers }]
      const facts = {
        zones: [zone({ members: members(...zoned) })],
        blocs: [{ id: "OLD", freedomOfMovement: true, members: members("BBB", "CCC") }],
        waivers: [waiver({ destinations: ["AAA"], held })],
      }
      const dataset = openSmall(facts)
      const listed = findWaivers(dataset, "CCC", "TTT", parseCivilDate("2026-06-01") as number)
      const described = describePair(dataset, "CCC", "TTT")
      expect(described).toMatchObject({ waivers: listed })
      const foreign = { held: [{ ...visa, issuer: "BBB" }] }
      expect(ask(facts, foreign, "CCC", "TTT").because.map(({ waiver: used }) => used)).toEqual(
        listed.filter(({ held: named }) => named.some(terms => terms.issuers.includes("BBB"))),
      )
      return listed.flatMap(({ held: named }) => named.map(terms => terms.issuers))
    }
    // In the country's zone are the issuer, the territory too, the issuer not, some members of what is named.
    expect(easing(["AAA", "BBB"], ["BBB"])).toEqual([])
    expect(easing(["AAA", "BBB", "TTT"], ["BBB"])).toEqual([["BBB"]])
    expect(easing(["AAA", "CCC"], ["BBB"])).toEqual([["BBB"]])
    expect(easing(["BBB"], ["BBB"])).toEqual([["BBB"]])
    expect(easing(["AAA", "CCC"], ["BBB", "CCC"])).toEqual([["BBB"]])
    expect(easing(["AAA", "CCC"], ["@OLD"])).toEqual([["BBB"]])
    expect(easing(["AAA", "BBB", "CCC"], ["@OLD"])).toEqual([])
  })

  it("eases no document of the destination itself by what its neighbours grant, but by what names it alone", () => {
    const own = { held: [{ ...visa, issuer: "BBB", validUntil: "2026-05-01" }] }
    const by = (issuers: string[]) =>
      ask({ waivers: [waiver({ held: [{ kind: "visa", issuers, expiredWithinYears: 1 }] })] }, own)
    expect(by(["BBB", "CCC"])).toMatchObject({ requirement: "visa_required", because: [], possible: [], unused: [] })
    expect(by(["@OLD"])).toMatchObject({ requirement: "visa_required", because: [], unused: [] })
    expect(by(["BBB"])).toMatchObject({ requirement: "visa_free", unused: [] })
  })

  it("says the last day of what is announced to end", () => {
    expect(ask({ waivers: [waiver({ until: "2026-07-01" })] }).because[0]?.waiver?.endsOn).toBe("2026-06-30")
  })

  it("answers that nothing is recorded as a lookup does", () => {
    const dataset = openSmall({ policies: [] })
    for (const [passport, destination] of [
      ["AAA", "BBB"],
      ["QQQ", "BBB"],
      ["AAA", "QQQ"],
    ] as const) {
      const answer = lookupHeld(dataset, passport, destination, { held: [] })
      expect(answer).toMatchObject({ ok: true, value: { kind: "no_record" } })
    }
  })

  it.each<[string, unknown[], string]>([
    ["no options", ["AAA", "BBB"], "held: It is required, as an array."],
    ["options that are none", ["AAA", "BBB", "held"], '"held" is not an object.'],
    [
      "a code that is none",
      ["fr", "BBB", { held: [] }],
      'passport: "fr" is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.',
    ],
    [
      "a document that is none",
      ["AAA", "BBB", { held: [{ ...visa, entries: 0 }] }],
      'held[0].entries: 0 is neither "multiple" nor a whole number from 1 to 3650.',
    ],
    [
      "an exit before the entry",
      ["AAA", "BBB", { held: [], on: "2026-05-02", exitOn: "2026-05-01" }],
      "exitOn: It is before the day of entry, 2026-05-02.",
    ],
    [
      "a field that no question has",
      ["AAA", "BBB", { held: [], exit_on: "2026-07-01" }],
      "exit_on: There is no such field; it is spelled exitOn.",
    ],
    [
      "a property that throws",
      [
        "AAA",
        "BBB",
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("read")
            },
          },
        ),
      ],
      "The input cannot be read: one of its properties throws. Give plain objects.",
    ],
  ])("refuses %s", (_, asked, message) => {
    const answer = (lookupHeld as (...given: unknown[]) => ReturnType<typeof lookupHeld>)(openSmall({}), ...asked)
    expect(answer.ok ? "answered" : answer.error.message).toBe(message)
  })
})

describe("for any waivers and documents", () => {
  const on = "2026-06-01"
  const exitOn = "2026-06-20"
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
  const date = fc.constantFrom("2026-05-31", "2026-06-01", "2026-06-20", "2026-06-30", "2026-12-31")
  const documentTerms = fc
    .record({
      kind: fc.constantFrom("visa" as const, "residence_permit" as const),
      issuers: fc.uniqueArray(fc.constantFrom("AAA", "BBB", "CCC"), { minLength: 1 }),
      flag: fc.constantFrom(undefined, "multipleEntry", "usedBefore", "permanent", "physical"),
      after: fc.constantFrom(undefined, "validDaysAfterEntry", "validDaysAfterExit"),
      days: fc.constantFrom(1, 10, 29, 180),
    })
    .map(({ kind, issuers, flag, after, days }): DocumentTerms => {
      const isMeant =
        flag !== undefined && (flag === "physical" || (flag === "permanent") === (kind === "residence_permit"))
      return { kind, issuers, ...(isMeant ? { [flag]: true } : {}), ...(after ? { [after]: days } : {}) }
    })
  const anyWaiver = fc
    .record({
      held: fc.array(documentTerms, { minLength: 1, maxLength: 3 }),
      requirement: fc.constantFrom<Requirement>("visa_free", "eta", "visa_on_arrival", "e_visa"),
      days: fc.constantFrom(null, 14, 30, 90),
      span: fc.constantFrom({}, { from: "2026-06-02" }, { until: "2026-06-01" }, { until: "2026-06-02" }),
    })
    .map(({ span, ...rest }): ProvisionFact<"waivers"> => waiver({ ...rest, ...span }))
  const document = fc
    .record({
      kind: fc.constantFrom("visa" as const, "residence_permit" as const),
      issuer: fc.constantFrom("AAA", "BBB", "CCC"),
      validFrom: maybe(fc.constantFrom("2026-01-01", "2026-06-01", "2026-06-02")),
      validUntil: maybe(date),
      entries: maybe(fc.constantFrom("multiple" as const, 1, 2)),
      used: maybe(fc.boolean()),
      permanent: maybe(fc.boolean()),
      electronic: maybe(fc.boolean()),
    })
    .map(({ permanent, ...rest }) => ({ ...rest, permanent: rest.kind === "visa" ? undefined : permanent }))
    .filter(
      ({ validFrom, validUntil }) => !validFrom || !validUntil || validFrom <= validUntil,
    ) as fc.Arbitrary<HeldDocument>
  const world = fc.record({
    base: fc.constantFrom(...REQUIREMENTS),
    days: fc.constantFrom(null, 30, 7),
    waivers: fc.array(anyWaiver, { maxLength: 4 }),
    held: fc.array(document, { maxLength: 4 }),
  })
  const decide = ({
    base,
    days,
    waivers,
    held,
  }: {
    base: Requirement
    days: number | null
    waivers: ProvisionFact<"waivers">[]
    held: HeldDocument[]
  }): HeldAnswer => {
    const stay = base === "visa_required" || base === "no_admission" ? null : days
    const policies = [policy("BBB", { defaults: [terms({ requirement: base, days: stay })] })]
    return ask({ policies, waivers }, { held, on, exitOn })
  }

  it("the answer is what walking through them finds", () => {
    fc.assert(
      fc.property(world, given => {
        const answer = decide(given)
        const { requirement, days } = answer.base
        const document = answer.because[0]?.document ?? null
        expect({ requirement: answer.requirement, days: answer.days, document: document !== null }).toEqual(
          (({ document, ...found }) => ({ ...found, document: document !== null }))(
            easeByWalking({ requirement, days }, given.waivers, given.held, on, exitOn, "BBB"),
          ),
        )
      }),
      { numRuns: countTrips(150) },
    )
  })

  it("says why it is easier or longer than without documents, and what would be easier still", () => {
    fc.assert(
      fc.property(world, given => {
        const { base, requirement, days, because, possible, unused } = decide(given)
        // A permit that begins during the stay leaves its length open.
        const isBegun = given.held.some(
          ({ kind, issuer, validFrom }) =>
            kind === "residence_permit" && issuer === "BBB" && validFrom !== undefined && validFrom > on,
        )
        const isChanged = requirement !== base.requirement || (days !== base.days && !(isBegun && days === null))
        if (isChanged) expect(because.length).toBe(1)
        for (const { document } of because) expect(unused).not.toContain(document)
        for (const { waiver, toCheck } of possible) {
          expect(effortRank(waiver.requirement)).toBeLessThanOrEqual(effortRank(requirement))
          expect(toCheck.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: countTrips(100) },
    )
  })

  it("one more document never makes it harder, unless what there was is too short or of unknown length, and none at all gives the answer of a lookup", () => {
    fc.assert(
      fc.property(world, document, (given, more) => {
        const fewer = decide(given)
        const all = decide({ ...given, held: [...given.held, more] })
        // Nothing has to be obtained by the holder of a document of the destination.
        const rankOf = ({ because, requirement }: HeldAnswer) =>
          because.some(each => each.waiver === null) ? 0 : effortRank(requirement)
        const isEnough = fewer.days !== null && fewer.days >= 20
        if (isEnough) expect(rankOf(all)).toBeLessThanOrEqual(rankOf(fewer))
        const none = decide({ ...given, held: [] })
        expect([none.requirement, none.days]).toEqual([none.base.requirement, none.base.days])
      }),
      { numRuns: countTrips(60) },
    )
  })

  it("a lookup stays as it is", () => {
    fc.assert(
      fc.property(world, ({ waivers }) => {
        const [plain, eased] = [openSmall({}), openSmall({ waivers })]
        for (const passport of plain.passports) {
          for (const destination of plain.destinations) {
            expect(lookupRequirement(eased, passport, destination)).toEqual(
              lookupRequirement(plain, passport, destination),
            )
          }
        }
      }),
      { numRuns: 20 },
    )
  })
})
