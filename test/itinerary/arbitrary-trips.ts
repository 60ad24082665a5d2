/** Trips through small worlds. */
import fc from "fast-check"
import type { OracleDocument, OracleItinerary } from "../oracles/decide.ts"
import { dateOf } from "../oracles/stay-days.ts"
import { DESTINATIONS, day, few, issuer, maybe, PASSPORTS, START } from "./arbitrary-worlds.ts"

const traveller = fc.record({
  passport: fc.constantFrom(...PASSPORTS, "ZZZ"),
  passportExpiry: maybe(fc.oneof(day(-20, 400), day(400, 900)).map(dateOf)),
  passportIssued: maybe(day(-3650, -200).map(dateOf)),
  passportKind: fc.constantFrom(null, null, null, null, "diplomatic" as const, "refugee_convention" as const),
})

const travellers = fc
  .uniqueArray(traveller, {
    minLength: 1,
    maxLength: 3,
    selector: ({ passport, passportKind }) => `${passport} ${passportKind}`,
  })
  .filter(held => held.some(({ passport }) => passport !== "ZZZ"))

const place = fc.constantFrom(...DESTINATIONS, "AAA", "BBB", "CCC", "DDD", "YYY")

const earlierStays: fc.Arbitrary<[string, number, number, number][]> = fc.array(
  fc.tuple(place, fc.integer({ min: 0, max: 420 }), fc.integer({ min: 0, max: 30 }), fc.nat(3)),
  { maxLength: 5 },
)

const heldDocument: fc.Arbitrary<OracleDocument> = fc
  .record({
    kind: fc.constantFrom("visa" as const, "visa" as const, "residence_permit" as const),
    issuer,
    type: fc.constantFrom(undefined, "C", "D"),
    dates: fc.tuple(maybe(day(-100, 120)), maybe(fc.integer({ min: 0, max: 300 }))),
    entries: fc.constantFrom(undefined, 1, 2, "multiple" as const),
    durationOfStayDays: maybe(few),
    used: fc.constantFrom(undefined, true, false),
  })
  .map(({ kind, issuer, type, dates: [from, length], entries, durationOfStayDays, used }) => ({
    kind,
    issuer,
    ...(from === null ? {} : { validFrom: dateOf(from) }),
    ...(length === null ? {} : { validUntil: dateOf((from ?? START) + length) }),
    ...(type !== undefined && kind === "visa" ? { type } : {}),
    ...(entries === undefined ? {} : { entries }),
    ...(durationOfStayDays === null ? {} : { durationOfStayDays }),
    ...(used === undefined ? {} : { used }),
  }))

// The oracle tries every choice of passports, and of documents.
const MOST_STOPS = [0, 12, 7, 5]
const MOST_STOPS_WITH_DOCUMENTS = [0, 6, 4, 3]

/** A trip of one traveller, with all that a question may name. */
export const itinerary: fc.Arbitrary<OracleItinerary> = fc
  .tuple(
    travellers,
    fc.oneof(
      { arbitrary: fc.constant<OracleDocument[]>([]), weight: 1 },
      { arbitrary: fc.array(heldDocument, { minLength: 1, maxLength: 2 }), weight: 1 },
    ),
  )
  .chain(([held, documents]) =>
    fc
      .record({
        start: fc.integer({ min: -15, max: 120 }),
        list: fc.array(
          fc.tuple(
            place,
            fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 30 })),
            fc.integer({ min: 0, max: 25 }),
            fc.nat(15),
          ),
          {
            minLength: 1,
            maxLength: (documents.length === 0 ? MOST_STOPS : MOST_STOPS_WITH_DOCUMENTS)[held.length] as number,
          },
        ),
        transit: fc.array(fc.constantFrom(...DESTINATIONS, "YYY"), { maxLength: 12 }),
        earlier: fc.oneof(
          { arbitrary: fc.constant<[string, number, number, number][]>([]), weight: 2 },
          { arbitrary: earlierStays, weight: 1 },
        ),
        residence: maybe(fc.constantFrom("FRA", "AAA", "DDD")),
        purpose: maybe(fc.constant("tourism")),
      })
      .map(({ start, list, earlier, transit, ...rest }) => {
        let next = START + start
        const stops = list.map(([destination, gap, length, dice], at) => {
          const from = next + (at === 0 ? 0 : gap)
          next = from + length
          const pinned = held[dice]?.passport ?? null
          const by = dice === 14 ? ("land" as const) : dice === 15 ? ("air" as const) : undefined
          return {
            destination,
            from: dateOf(from),
            to: dateOf(next),
            ...(pinned === null ? {} : { passport: pinned }),
            ...(by === undefined ? {} : { by }),
          }
        })
        const stays = earlier.map(([destination, before, length, dice]) => {
          const to = START + start - before
          const permit = dice === 0 ? { permit: "residence" as const } : {}
          return { destination, from: dateOf(to - length), to: dateOf(to), ...permit }
        })
        // Which of several passports opens a transit, if the end of one is unknown, matters to the choice: the laws of real journeys judge it.
        const isOpen = held.length > 1 && held.some(({ passportExpiry }) => passportExpiry === null)
        return {
          travellers: held,
          stops,
          earlierStays: stays,
          held: documents,
          transit: isOpen ? [] : transit,
          ...rest,
        }
      }),
  )
