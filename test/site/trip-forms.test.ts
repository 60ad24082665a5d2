import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readAddress, writeAddress } from "../../site/address.ts"
import { type Trip, WAYS } from "../../site/trip/trip.ts"
import { readTripFile, writeTripFile } from "../../site/trip/trip-json.ts"
import { formatCivilDate, type HeldDocument } from "../../src/index.ts"

const code = fc.constantFrom("USA", "IND", "FRA", "ESP", "BRA", "XKX")
const givenDate = fc.integer({ min: 15_000, max: 40_000 }).map(formatCivilDate)
const date = fc.oneof(fc.constant(""), givenDate)

const held: fc.Arbitrary<HeldDocument> = fc.record(
  {
    kind: fc.constantFrom("visa" as const, "residence_permit" as const),
    issuer: code,
    type: fc.string({ minLength: 1, maxLength: 40 }).filter(text => text.trim() !== ""),
    validFrom: givenDate,
    validUntil: givenDate,
    entries: fc.oneof(fc.constant("multiple" as const), fc.integer({ min: 1, max: 3_650 })),
    durationOfStayDays: fc.integer({ min: 1, max: 3_650 }),
    used: fc.boolean(),
    permanent: fc.boolean(),
    electronic: fc.boolean(),
  },
  { requiredKeys: ["kind", "issuer"] },
)

const traveller = {
  passports: fc.uniqueArray(
    fc.record(
      {
        passport: fc.oneof(code, fc.constant("GBN")),
        passportExpiry: givenDate,
        passportIssued: givenDate,
        passportKind: fc.constantFrom("diplomatic" as const, "refugee_convention" as const),
      },
      { requiredKeys: ["passport"] },
    ),
    { selector: ({ passport }) => passport, maxLength: 4 },
  ),
  held: fc.array(held, { maxLength: 4 }),
  earlierStays: fc.array(
    fc.record(
      {
        destination: code,
        from: date,
        to: date,
        permit: fc.constantFrom("residence" as const, "national_visa" as const),
      },
      { requiredKeys: ["destination", "from", "to"] },
    ),
    { maxLength: 4 },
  ),
  residence: fc.oneof(fc.constant(""), code),
}

const trip: fc.Arbitrary<Trip> = fc
  .record({
    ...traveller,
    stops: fc.array(
      fc.record(
        { destination: code, from: date, to: date, wanted: fc.nat(), by: fc.constantFrom(...WAYS) },
        { requiredKeys: ["destination", "from", "to", "wanted"] },
      ),
      { maxLength: 12 },
    ),
    transit: fc.uniqueArray(fc.record({ country: code, airside: fc.boolean() }, { requiredKeys: ["country"] }), {
      selector: ({ country }) => country,
      maxLength: 4,
    }),
    others: fc.oneof(fc.constant([]), fc.array(fc.record(traveller), { maxLength: 3 })),
    purpose: fc.string({ maxLength: 200 }).map(text => text.trim()),
  })
  .map(({ stops, ...rest }) => ({
    ...rest,
    // The stops of several travellers name no passports.
    stops: stops.map(({ wanted, ...stop }) => {
      const named = rest.others.length > 0 ? undefined : rest.passports[wanted % (rest.passports.length + 1)]
      return named === undefined ? stop : { ...stop, passport: named.passport }
    }),
  }))

describe("a trip", () => {
  it("is restored from an address and from a file", () => {
    fc.assert(
      fc.property(trip, planned => {
        const { address } = readAddress(writeAddress({ view: "trip", trip: planned }, null))
        assert.deepStrictEqual(address, { view: "trip", trip: planned })
        assert.deepStrictEqual(readTripFile(writeTripFile(planned)), { ok: true, trip: planned })
      }),
    )
  })

  it.each([
    ["{", "trip.file_no_json", ""],
    ["null", "trip.file_no_trip", ""],
    ["[]", "trip.file_no_trip", ""],
    ['{"stops": {}}', "trip.file_no_trip", ""],
    ['{"travellers": ["FRA"], "stops": []}', "trip.file_field", "travellers[0]"],
    ['{"travellers": [{"passport": "FRA"}], "passport": "IND", "stops": []}', "trip.file_field", "travellers"],
    ['{"travellers": [{"passport": "FRA", "stops": []}], "stops": []}', "trip.file_field", "travellers[0].stops"],
    [
      '{"travellers": [{"passport": "FRA"}, {"passport": "IND"}], "stops": [{"destination": "FRA", "passport": "FRA"}]}',
      "trip.file_field",
      "stops[0].passport",
    ],
    ['{"stops": [], "transit": [{"country": "ARE", "airside": "yes"}]}', "trip.file_field", "transit[0].airside"],
    ['{"stops": [], "transit": [{"country": "ARE", "by": "sea"}]}', "trip.file_field", "transit[0].by"],
    ['{"stops": [{"destination": "FRA", "by": "foot"}]}', "trip.file_field", "stops[0].by"],
    ['{"stops": [null]}', "trip.file_field", "stops[0]"],
    ['{"stops": [{"destination": "<b>"}]}', "trip.file_field", "stops[0].destination"],
    ['{"stops": [{"destination": "FRA", "from": "2027-02-30"}]}', "trip.file_field", "stops[0].from"],
    ['{"stops": [{"destination": "FRA", "form": "2027-02-03"}]}', "trip.file_field", "stops[0].form"],
    ['{"stops": [], "passport": "FRA", "passports": ["FRA"]}', "trip.file_field", "passport"],
    [
      '{"travellers": [{"passport": "FRA", "passport_biometric": true}], "stops": []}',
      "trip.file_field",
      "travellers[0].passport_biometric",
    ],
    ['{"stops": [], "nationality": "FRA"}', "trip.file_field", "nationality"],
    ['{"stops": [], "__proto__": {"residence": "FRA"}}', "trip.file_field", "__proto__"],
    ['{"stops": [], "held": [{"kind": "visa", "issuer": "FRA", "entries": 0}]}', "trip.file_field", "held[0].entries"],
    [
      '{"stops": [], "earlier_stays": [{"destination": "FRA", "permit": "tourist"}]}',
      "trip.file_field",
      "earlier_stays[0].permit",
    ],
    [`{"stops": [${Array(13).fill('{"destination": "FRA"}').join(",")}]}`, "trip.file_field", "stops"],
  ])("is refused whole if a file has an invalid part: %s", (text, message, field) => {
    assert.deepStrictEqual(readTripFile(text), { ok: false, mistake: { message, field } } as never)
  })
})

describe("an address", () => {
  it("is read from any text, and written as it was understood", () => {
    const pieces = fc.constantFrom(
      "#/",
      "trip",
      "ranking",
      "data",
      "FRA",
      "/JPN",
      "?",
      "&",
      "=",
      "~",
      ",",
      "%",
      "%E0%A4%A",
      "lang",
      "passports",
      "stops",
      "held",
      "earlier",
      "on",
      "2027-02-30",
      "0000-00-00",
      "[{}]",
      "🇫🇷",
      "<img src=x onerror=alert(1)>",
      "__proto__",
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 12 })), { maxLength: 20 }), parts => {
        const { address, language } = readAddress(parts.join(""))
        assert.deepStrictEqual(readAddress(writeAddress(address, language)), { address, language })
      }),
      { numRuns: 500 },
    )
  })
})
