import { describe, expect, it } from "vitest"
import { type DateForm, judgeColumns, type RowRules, readRow } from "../../adapters/batch/lines/request-row.ts"

const TRIP = { passport: "FRA", destination: "THA", from: "2026-12-01", to: "2026-12-20" }
const read = (row: Readonly<Record<string, unknown>>, rules: RowRules = {}) =>
  readRow(judgeColumns(Object.keys(row), "line 1"), Object.values(row), rules)
const toRequest = (row: Readonly<Record<string, unknown>>) => read(row).request

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
        from_3: "",
        to_3: "",
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
    expect(toRequest({ passport: "FRA", stops: "[{]" })).toEqual({ passport: "FRA", stops: "[{]" })
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
    expect(toRequest({ id: 2n ** 60n, ...TRIP })).toMatchObject({ id: "1152921504606846976" })
  })

  it("has names in any case, and repeats the cells of columns that are no fields", () => {
    const { request, given } = read({
      ID: "{7}",
      Passport: "FRA",
      "Passport Expiry": "2027-03-01",
      DESTINATION: "THA",
      from: "2026-12-01",
      To: "2026-12-20",
      Seat: " 12A ",
      "": "",
    })
    expect(request).toEqual({
      id: "{7}",
      passport: "FRA",
      passport_expiry: "2027-03-01",
      stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }],
    })
    expect(given).toEqual(["FRA", "2027-03-01", "THA", "2026-12-01", "2026-12-20", "12A"])
  })

  it.each([
    ["dmy", "1.12.2026", "2026-12-01"],
    ["dmy", "01/12/2026", "2026-12-01"],
    ["mdy", "12-1-2026", "2026-12-01"],
    ["ymd", "2026/12/01", "2026-12-01"],
    ["dmy", "2026-12-01", "2026-12-01"],
  ] as const)("has dates in the order %s where that is said: %s", (dates, given, from) => {
    expect(read({ ...TRIP, from: given }, { dates })).toMatchObject({ mistakes: [], request: { stops: [{ from }] } })
  })

  it.each([
    [
      undefined,
      "01/12/2026",
      '"01/12/2026" is not a date such as 2026-12-01. If the file writes dates in another order, name it: --dates dmy, mdy or ymd.',
    ],
    ["dmy", "12/31/2026", '"12/31/2026" is not a date in the order dmy, with a year of four digits.'],
    ["dmy", "01/12/26", '"01/12/26" is not a date in the order dmy, with a year of four digits.'],
    ["ymd", "01/12/2026", '"01/12/2026" is not a date in the order ymd, with a year of four digits.'],
  ] as const)(
    "has a mistake where its date cannot be read for sure: %s %s",
    (dates: DateForm | undefined, from, message) => {
      expect(read({ ...TRIP, from }, { dates }).mistakes).toEqual([{ path: "stops[0].from", message }])
    },
  )

  it("has countries by their names where one country is meant for sure", () => {
    const readCountry = (text: string) => (text === "French" ? { code: "FRA" } : { message: `${text}?` })
    expect(read({ ...TRIP, passport: "French", transit: "French, Korea; ARE QAT" }, { readCountry })).toMatchObject({
      request: { passport: "FRA", transit: ["FRA", "Korea", "ARE", "QAT"] },
      given: ["FRA", "THA", "2026-12-01", "2026-12-20", "FRA Korea ARE QAT"],
      mistakes: [{ path: "transit[1]", message: "Korea?" }],
    })
  })
})

describe("the names of columns", () => {
  const refusal = (names: string, isStrict = false) => {
    try {
      judgeColumns(names.split(","), "line 1", isStrict)
      return null
    } catch (cause) {
      return (cause as Error).message
    }
  }
  const REST = "destination,from,to"

  it.each([
    [
      `pasport,${REST}`,
      'line 1, column 1 "pasport": there is no such column; did you mean passport? Rename the column if you did not.',
    ],
    [
      `passport,${REST},pasport_expiry`,
      'line 1, column 5 "pasport_expiry": there is no such column; did you mean passport_expiry? Rename the column if you did not.',
    ],
    [
      "passport,destination,form,to",
      'line 1, column 3 "form": there is no such column; did you mean from? Rename the column if you did not.',
    ],
    [`passport,${REST},PASSPORT`, 'line 1, column 5 "PASSPORT": the column is given twice.'],
    [`passport,,${REST}`, 'line 1, column 2 "": every column needs a name.'],
    [
      `passport,${REST},destination_13`,
      'line 1, column 5 "destination_13": a trip has at most 12 stops: destination, destination_2 to destination_12.',
    ],
    [
      `passport,${REST},passport_2`,
      'line 1, column 5 "passport_2": only destination, from, to are numbered. Several passports are a list in one column, passports.',
    ],
    [
      `passport,${REST},destination_3,from_3`,
      "line 1: a column destination_2 is expected.\nline 1: a column from_2 is expected.\nline 1: a column to_2 is expected.",
    ],
    [`passport,stops,${REST}`, "line 1: a column stops and columns for each stop are given; one of them is expected."],
    [REST, "line 1: a column passport is expected."],
    ["passport,destination,to", "line 1: a column from is expected."],
    ["", "line 1: the names of the columns are expected, such as passport,destination,from,to."],
  ])("are refused with their place and what is meant: %s", (names, message) => {
    expect(refusal(names)).toBe(message)
  })

  it("are refused where a program would lose them", () => {
    expect(refusal(`passport,${REST},__proto__`)).toMatch(
      /^line 1, column 5 "__proto__": no column can have this name; known: id, destination, /,
    )
  })

  it("are all refused at once, and unknown ones on request", () => {
    const names = `pasport,${REST},Seat,__proto__`
    expect(
      refusal(names, true)
        ?.split("\n")
        .map(line => line.slice(0, 30)),
    ).toEqual(['line 1, column 1 "pasport": th', 'line 1, column 5 "Seat": there', 'line 1, column 6 "__proto__": '])
    expect(refusal(`passport,${REST},Seat,Booking,room,notes,name,forms`)).toBeNull()
  })
})
