import { describe, expect, it } from "vitest"
import { makeRowReader } from "../../adapters/batch/lines/request-row.ts"

const toRequest = (row: Readonly<Record<string, unknown>>) => makeRowReader(Object.keys(row))(Object.values(row))

describe("a row of a table", () => {
  it("has one stop in three columns, and further ones in numbered columns", () => {
    expect(
      toRequest({
        id: "7",
        passport: " FRA ",
        passport_expiry: "",
        destination: "THA",
        from: "2026-12-01",
        to: "2026-12-20",
        destination_2: "IND",
        from_2: "2026-12-21",
        to_2: "2027-01-03",
        destination_3: "",
        transit: "ARE, QAT;OMN",
      }),
    ).toEqual({
      id: "7",
      passport: "FRA",
      stops: [
        { destination: "THA", from: "2026-12-01", to: "2026-12-20" },
        { destination: "IND", from: "2026-12-21", to: "2027-01-03" },
      ],
      transit: ["ARE", "QAT", "OMN"],
    })
  })

  it("may hold lists and objects as JSON", () => {
    const stops = [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }]
    expect(toRequest({ passports: '[{"passport": "FRA"}]', stops: JSON.stringify(stops), transit: '["ARE"]' })).toEqual(
      {
        passports: [{ passport: "FRA" }],
        stops,
        transit: ["ARE"],
      },
    )
    expect(toRequest({ stops: "[{]" })).toEqual({ stops: "[{]" })
  })

  it("may hold what Parquet does: dates, big numbers, nested lists, nulls", () => {
    expect(
      toRequest({
        id: 12n,
        passport: "FRA",
        passport_expiry: new Date("2027-03-01T00:00:00Z"),
        residence: null,
        stops: [{ destination: "THA", from: new Date("2026-12-01"), to: new Date("2026-12-20"), note: null }],
        transit: ["ARE"],
      }),
    ).toEqual({
      id: 12,
      passport: "FRA",
      passport_expiry: "2027-03-01",
      stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }],
      transit: ["ARE"],
    })
    expect(toRequest({ id: 2n ** 60n })).toEqual({ id: "1152921504606846976" })
  })

  it("keeps unknown columns, so that they are refused", () => {
    expect(toRequest({ passport: "FRA", pasport_expiry: "2027-03-01" })).toEqual({
      passport: "FRA",
      pasport_expiry: "2027-03-01",
    })
    const both = toRequest({ stops: "[]", destination: "THA", from_2: "2026-12-01" })
    expect(both).toEqual({ stops: [], destination: "THA", from: "2026-12-01" })
    expect(toRequest({ destination_2: "THA" })).toEqual({ stops: [{}, { destination: "THA" }] })
    expect(toRequest({ id: "{7}" })).toEqual({ id: "{7}" })
  })
})
