/**
 * Laws of held documents and passports: one more document never makes the outcome worse, and their order never changes it.
 *
 * A waiver is a right of the holder and not a duty (Regulation (EU) 2018/1806, Art. 3(5), and Regulation (EC) No 810/2009, Art. 3(5), exempt
 * holders of documents from a visa; nothing obliges them to use one). The exception is the document that the destination itself asks for: its
 * holder enters on it, and it ends the stay when it says (docs/decisions/held-documents.md).
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedDataset, type HeldDocument, type ItineraryRequest } from "../../src/index.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { isOf } from "../../src/trip/reasons.ts"
import { dayOf } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const OUTCOMES = ["blocked", "obtain", "unknown", "clear"]
const PERMITTED = ["no", "unknown", "yes"]
const dates = { passportExpiry: "2035-01-01", passportIssued: "2025-06-01" }

const ISSUERS = [
  "USA",
  "GBR",
  "CAN",
  "FRA",
  "DEU",
  "SGP",
  "JPN",
  "AUS",
  "IRL",
  "CYP",
  "NZL",
  "ARE",
  "SAU",
  "CHE",
  "KOR",
]
const TRANSITS = [
  "SGP",
  "SGP",
  "GBR",
  "DEU",
  "FRA",
  "USA",
  "CAN",
  "CHN",
  "HKG",
  "AUS",
  "NZL",
  "KOR",
  "TUR",
  "IRL",
  "ESP",
]
const DESTINATIONS = fc.oneof(
  fc.constantFrom(...dataset.destinations),
  fc.constantFrom("DEU", "FRA", "USA", "GBR", "TUR", "MEX", "SGP", "GEO"),
)

const validUntil = fc.constantFrom("2026-06-01", "2027-03-05", "2027-12-31", "2030-01-01")
const issuedBy = (places: readonly string[]) => fc.constantFrom(...ISSUERS, ...places, ...places)
// Schengen states have three classes, and others are refused.
const isClass = ({ issuer, type = "A" }: HeldDocument) =>
  "ACD".includes(type) || !dataset.zones.some(({ members }) => members.some(({ code }) => code === issuer))
const document = (places: readonly string[]) =>
  fc.oneof<fc.Arbitrary<HeldDocument>[]>(
    fc
      .record(
        {
          kind: fc.constant("visa" as const),
          issuer: issuedBy(places),
          type: fc.constantFrom("A", "C", "D", "B1/B2", "F1"),
          validUntil,
          entries: fc.constantFrom(1, 2, "multiple" as const),
          durationOfStayDays: fc.constantFrom(5, 30, 90),
          used: fc.boolean(),
          electronic: fc.boolean(),
          issuedOn: fc.constantFrom("2024-01-01", "2026-02-01"),
        },
        { requiredKeys: ["kind", "issuer"] },
      )
      .filter(isClass),
    fc.record(
      {
        kind: fc.constant("residence_permit" as const),
        issuer: issuedBy(places),
        validUntil,
        permanent: fc.boolean(),
      },
      { requiredKeys: ["kind", "issuer"] },
    ),
    fc.record({ kind: fc.constant("eta" as const), issuer: issuedBy(places) }),
  )

const journey = fc.tuple(DESTINATIONS, fc.constantFrom(...TRANSITS)).chain(([destination, country]) =>
  fc.record({
    destination: fc.constant(destination),
    to: fc.constantFrom("2027-03-03", "2027-03-10", "2027-04-20"),
    transit: fc.option(
      fc.constantFrom<{ country: string; airside?: boolean }>(
        { country },
        { country, airside: true },
        { country, airside: false },
      ),
      { nil: null },
    ),
    passports: fc.uniqueArray(fc.constantFrom(...dataset.passports, "ERI", "SRB", "IND"), {
      minLength: 1,
      maxLength: 2,
    }),
    passportBiometric: fc.constantFrom(null, true, false),
    held: fc.array(document([destination, country]), { minLength: 1, maxLength: 3 }),
  }),
)
type Journey = typeof journey extends fc.Arbitrary<infer Value> ? Value : never

function decideFor({ destination, to, transit, passports, passportBiometric }: Journey, held: readonly HeldDocument[]) {
  const request: ItineraryRequest = {
    passports: passports.map(passport => ({ passport, ...dates, passportBiometric })),
    held,
    stops: [stay(destination, "2027-03-01", to)],
    transit: transit === null ? [] : [transit],
  }
  return decided(dataset, request)
}

const rankOf = ({ outcome }: Decision) => OUTCOMES.indexOf(outcome)
// A change that needs something else first is no better than one that is open: whoever holds the visa of a transit does not obtain it again, though its
// days may be open (docs/decisions/held-documents.md).
const permittedOf = ({ transit: [change], conditions }: Decision) => {
  if (change === undefined) return null
  const isObtained = conditions.some(({ transit, weight }) => transit !== undefined && weight === "obtain")
  const { permitted } = change
  return PERMITTED.indexOf(
    permitted.status === "unknown" || (permitted.value === "yes" && isObtained) ? "unknown" : permitted.value,
  )
}

// What is said of the transit, with the documents themselves instead of their places.
function toldOf({ transit: [change] }: Decision, held: readonly HeldDocument[]) {
  if (change === undefined) return null
  const { permitted, decidedBy, because } = change
  const documentAt = (place: unknown) => held[place as number] ?? null
  const documents = because.map(place => JSON.stringify(documentAt(place))).sort()
  if (permitted.status === "known") return [permitted.value, decidedBy, documents]
  const { held: toCheck, ...params } = permitted.params
  return [permitted.code, decidedBy, documents, params, documentAt(toCheck)]
}

// Says whether the way through the journey is better by the order of the choice, although its outcome may be worse: fewer unknowns come before less to
// obtain (docs/decisions/choice-of-passports.md).
function isPreferred(one: Decision, other: Decision): boolean {
  const openOf = ({ unknowns }: Decision) =>
    unknowns.filter(({ step, code }) => step !== null && !isOf("harmless", code)).length
  return openOf(one) < openOf(other)
}

// Says whether a document of the destination or its zone ends before the stay, or gives fewer days, or leaves open how many where the passport
// must outlast them. It closes every entry for which it would have to be obtained again, also on another passport.
function isBoundByOwn({ destination, to, held }: Journey, { blockers, unknowns }: Decision): boolean {
  const zone = dataset.zones.find(({ members }) => members.some(({ code }) => code === destination))
  const isOwn = ({ issuer }: HeldDocument) =>
    issuer === destination || zone?.members.some(({ code }) => code === issuer) === true
  const isShort = ({ validUntil: until = to, durationOfStayDays: days = 99 }: HeldDocument) =>
    (until ?? to) < to || (days ?? 99) < dayOf(to) - dayOf("2027-03-01") + 1
  return (
    held.some(each => isOwn(each) && isShort(each)) ||
    blockers.some(({ basis }) => basis === "held_document") ||
    unknowns.some(({ code }) => code === "permitted_stay_not_known")
  )
}

// Where nothing is asked before the arrival, no document closes an entry.
const asksBefore = ({ steps: [step] }: Decision) =>
  step!.requirement.status === "unknown" || !["visa_free", "visa_on_arrival"].includes(step!.requirement.value)

describe("another document", () => {
  it("never makes the outcome or a transit worse", () => {
    let seen = 0
    fc.assert(
      fc.property(journey, asked => {
        const more = decideFor(asked, asked.held)
        for (const left of asked.held) {
          const fewer = decideFor(
            asked,
            asked.held.filter(each => each !== left),
          )
          if (rankOf(more) > rankOf(fewer)) seen++
          if (asksBefore(fewer) && isBoundByOwn(asked, more)) continue
          // A visa that is to be obtained for the stop may open the transit. The holder of a permit obtains none.
          if (fewer.unknowns.some(({ code }) => code === "transit_visa_to_obtain")) continue
          expect(permittedOf(more) ?? 0).toBeGreaterThanOrEqual(permittedOf(fewer) ?? 0)
          // What a change asks that is possible on one of two days only is not told.
          if (fewer.unknowns.some(({ code }) => code === "transit_day_not_given")) continue
          if (!isPreferred(more, fewer)) expect(rankOf(more)).toBeGreaterThanOrEqual(rankOf(fewer))
        }
      }),
      { numRuns: countTrips(150) },
    )
    // The law says something only if documents make outcomes better.
    expect(seen).toBeGreaterThan(5)
  }, 3_600_000)

  it("and another passport have the same effect at any place in the list", () => {
    fc.assert(
      fc.property(journey, asked => {
        const one = decideFor(asked, asked.held)
        const { held, passports } = asked
        const back = held.toReversed()
        const reversed = decideFor(asked, back)
        expect(toldOf(reversed, back)).toEqual(toldOf(one, held))
        for (const other of [reversed, decideFor({ ...asked, passports: passports.toReversed() }, held)]) {
          expect(other.outcome).toBe(one.outcome)
          expect(permittedOf(other)).toBe(permittedOf(one))
        }
      }),
      { numRuns: countTrips(150) },
    )
  }, 3_600_000)
})

describe("what is said of a document", () => {
  const ofDates = (passport: string, destination: string, held: readonly HeldDocument[]) =>
    decided(dataset, { ...dates, passport, held, stops: [stay(destination, "2027-07-17", "2027-09-14")] })
  const listUnnamed = ({ unknowns }: Decision) =>
    unknowns.flatMap(({ field, code }) => (code === "not_modelled" && field.startsWith("held") ? [field] : []))

  it("does not depend on the other documents", () => {
    let seen = 0
    fc.assert(
      fc.property(journey, asked => {
        const together = listUnnamed(decideFor(asked, asked.held))
        seen += asked.held.length - together.length
        const alone = asked.held.flatMap((each, at) =>
          listUnnamed(decideFor(asked, [each])).length === 0 ? [] : [`held[${at}]`],
        )
        // An authorisation may be asked of the holders of another document only, and of two documents each may open a transit on one of its two days.
        const isDecided = (field: string) => {
          const { kind, validFrom, validUntil } = asked.held[Number(field.slice(5, -1))]!
          const isOfBoth = (validFrom ?? "2027-03-01") <= "2027-03-01" && (validUntil ?? asked.to) >= asked.to
          return (kind !== "eta" && (isOfBoth || asked.transit === null)) || together.includes(field)
        }
        expect(together).toEqual(alone.filter(isDecided))
      }),
      { numRuns: countTrips(150) },
    )
    expect(seen).toBeGreaterThan(30)
  }, 3_600_000)

  it.each(["SJM", "AND"])("does not depend on another visa that leads through the Schengen area to %s", destination => {
    const visas = ["ITA", "DEU"].map(issuer => ({ kind: "visa" as const, issuer, entries: "multiple" as const }))
    expect(listUnnamed(ofDates("MRT", destination, visas))).toEqual([])
    expect(listUnnamed(ofDates("MRT", destination, visas.toReversed()))).toEqual([])
  })

  it("does not depend on another authorisation of the same kind", () => {
    const two = [
      { kind: "eta" as const, issuer: "GBR" },
      { kind: "eta" as const, issuer: "GBR", validUntil: "2028-01-01" },
    ]
    expect(listUnnamed(ofDates("USA", "GBR", two))).toEqual([])
  })
})

describe("two documents with the same effect at a change of planes", () => {
  const lasting = (validUntil: string) => ({ kind: "visa" as const, issuer: "USA", validUntil })

  it.each<[passport: string, country: string, named: HeldDocument, other: HeldDocument]>([
    ["COL", "GBR", { kind: "visa", issuer: "CAN" }, { kind: "residence_permit", issuer: "USA", permanent: true }],
    ["VEN", "NZL", { kind: "residence_permit", issuer: "NZL" }, { kind: "visa", issuer: "NZL", entries: "multiple" }],
    ["NGA", "GBR", lasting("2028-01-01"), lasting("2027-06-01")],
  ])(
    "are told apart by what they are, in whatever order they are given: %s in %s",
    (passport, country, named, other) => {
      for (const held of [
        [named, other],
        [other, named],
      ]) {
        const decision = decided(dataset, {
          ...dates,
          passport,
          held,
          transit: [{ country, airside: false }],
          stops: [stay("THA", "2027-03-01", "2027-03-10")],
        })
        const { because, permitted } = decision.transit[0]!
        const place = permitted.status === "unknown" ? permitted.params.held : because[0]
        expect(held[place as number]).toBe(named)
      }
    },
  )
})

describe("Singapore's list of assessment level countries (ICA), at a change of planes", () => {
  const ASSESSED = ["AFG", "BGD", "DZA", "ERI", "IND", "IRN", "NGA", "PAK", "PRK", "SYR"]
  const documents: readonly HeldDocument[] = [
    { kind: "visa", issuer: "SGP" },
    { kind: "visa", issuer: "SGP", type: "A", entries: 1, validUntil: "2027-12-31" },
    { kind: "visa", issuer: "SGP", entries: "multiple", validUntil: "2027-03-05" },
    { kind: "residence_permit", issuer: "SGP" },
    { kind: "residence_permit", issuer: "GBR", permanent: true },
    { kind: "visa", issuer: "USA", validUntil: "2027-12-31" },
    { kind: "visa", issuer: "DEU", validUntil: "2026-06-01" },
  ]

  it.each(ASSESSED)("three documents of %s are as good as the best two of them, in any order", passport => {
    for (const airside of [true, false]) {
      const judge = (held: readonly HeldDocument[]) =>
        permittedOf(
          decided(dataset, {
            ...dates,
            passport,
            held,
            transit: [{ country: "SGP", airside }],
            stops: [stay("TUR", "2027-03-01", "2027-03-10")],
          }),
        )!
      for (const [at, a] of documents.entries()) {
        for (const [next, b] of documents.slice(at + 1).entries()) {
          const c = documents[(at + next + 3) % documents.length]!
          const all = judge([a, b, c])
          for (const held of [
            [a, c, b],
            [b, a, c],
            [b, c, a],
            [c, a, b],
            [c, b, a],
          ])
            expect(judge(held)).toBe(all)
          expect(all).toBeGreaterThanOrEqual(Math.max(judge([a, b]), judge([b, c]), judge([a, c])))
        }
      }
    }
  })
})

describe("a lawful permanent resident of the United States changes in Canada without a visa (IRCC, help centre, question 1053)", () => {
  const change = (permanent?: boolean) =>
    decided(dataset, {
      ...dates,
      passport: "BDI",
      held: [{ kind: "residence_permit", issuer: "USA", ...(permanent !== undefined && { permanent }) }],
      transit: ["CAN"],
      stops: [stay("USA", "2027-03-01", "2027-03-03")],
    })

  it("and has to be checked if that is not given", () => {
    expect(change(true).transit[0]!.permitted).toMatchObject({ value: "yes" })
    expect(change(false).transit[0]!.permitted).toMatchObject({ value: "no" })
    const unsaid = change()
    expect(unsaid.outcome).toBe("unknown")
    expect(unsaid.unknowns).toContainEqual(
      expect.objectContaining({ field: "transit[0].permitted", code: "transit_document_to_check" }),
    )
  })
})
