/** `landfall convert`: files as travellers, agents and airlines have them, with invented persons and flights; what has to come out was worked out by hand. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run, runCli } from "../cli/run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-convert-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const put = (name: string, text: string | Buffer) => {
  writeFileSync(at(name), text)
  return at(name)
}

/** Converts a text in a file of a name; what was made, and the report. */
async function convert(name: string, text: string | Buffer, ...flags: readonly string[]) {
  const isStays = flags.includes("stays") || /timeline|log/.test(name)
  const output = at(isStays ? "made.json" : "made.ndjson")
  rmSync(output, { force: true })
  const { status, stdout, stderr } = await run("convert", put(name, text), "-o", output, "--json", ...flags)
  if (status !== 0) return { status, message: `${stdout}${stderr}`, made: null, assumed: [], leftOut: [] }
  const { assumed, left_out: leftOut, origins } = JSON.parse(stdout)
  const written = readFileSync(output, "utf8")
  const made = isStays
    ? JSON.parse(written)
    : written
        .split("\n")
        .slice(0, -1)
        .map(line => JSON.parse(line))
  return { status, message: "", made, assumed, leftOut, origins }
}

const calendar = (...events: readonly (readonly string[])[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Invented//Trips//EN",
    ...events.flatMap(event => ["BEGIN:VEVENT", ...event, "END:VEVENT"]),
    "END:VCALENDAR",
    "",
  ].join("\r\n")

const AIRLINE_ZONES = `BEGIN:VTIMEZONE\r\nTZID:Eastern (invented)\r\nBEGIN:STANDARD\r\nDTSTART:20071104T020000\r\nTZOFFSETFROM:-0400\r\nTZOFFSETTO:-0500\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n`

describe("a calendar", () => {
  it("of an app for trips makes one trip of its flights, in the days of each place", async () => {
    const text = calendar(
      [
        "UID:1",
        "DTSTART;VALUE=DATE:20270301",
        "DTEND;VALUE=DATE:20270315",
        "SUMMARY:Tokyo and Seoul",
        "LOCATION:Tokyo\\, Japan",
      ],
      [
        "UID:2",
        "DTSTART:20270301T100500Z",
        "DTEND:20270301T234000Z",
        "SUMMARY:XX276 CDG to NRT",
        "LOCATION:Paris (CDG)",
      ],
      ["UID:3", "DTSTART:20270308T021500Z", "DTEND:20270308T045000Z", "SUMMARY:YY704 NRT to ICN"],
      ["UID:4", "DTSTART:20270314T050000Z", "DTEND:20270314T191500Z", "SUMMARY:XX267 ICN to CDG"],
    )
    expect(await convert("trip.ics", text, "--passport", "French", "--passport-expiry", "2030-01-31")).toEqual({
      status: 0,
      message: "",
      origins: ["FRA"],
      made: [
        {
          id: "FRA 2027-03-02",
          passport: "FRA",
          passport_expiry: "2030-01-31",
          stops: [
            { destination: "JPN", from: "2027-03-02", to: "2027-03-08" },
            { destination: "KOR", from: "2027-03-08", to: "2027-03-14" },
          ],
        },
      ],
      assumed: [],
      leftOut: ["1 event that is no flight: the flights say more"],
    })
  })

  it("of an airline has time zones of its own, a folded line and a change of planes", async () => {
    // New York 18:30 on 1 December is 00:30 in Paris on the 2nd, seven hours before the arrival at 07:45 there.
    const text = calendar(
      [
        "UID:a",
        "DTSTART;TZID=Eastern (invented):20261201T183000",
        "DTEND;TZID=Europe/Paris:20261202T074500",
        "SUMMARY:Flight ZZ 9 from New York (JFK) to",
        "  Paris (CDG)",
      ],
      [
        "UID:b",
        "DTSTART;TZID=Europe/Paris:20261202T104000",
        "DTEND;TZID=Asia/Bangkok:20261203T055500",
        "SUMMARY:Flight ZZ 10 Paris (CDG) - Bangkok (BKK)",
      ],
      [
        "UID:c",
        "DTSTART;TZID=Asia/Bangkok:20261220T001000",
        "DTEND;TZID=America/New_York:20261220T120000",
        "SUMMARY:BKK→JFK",
      ],
      [
        "UID:d",
        "DTSTART;TZID=America/New_York:20261222T100000",
        "DTEND;TZID=America/New_York:20261222T110000",
        "SUMMARY:Dentist",
        "STATUS:CANCELLED",
      ],
    ).replace("BEGIN:VEVENT", `${AIRLINE_ZONES}BEGIN:VEVENT`)
    const { made, origins, leftOut } = await convert("airline.ics", text, "--zone", "JFK=America/New_York")
    expect(origins).toEqual(["USA"])
    expect(made).toEqual([
      { id: "USA 2026-12-03", stops: [{ destination: "THA", from: "2026-12-03", to: "2026-12-20" }], transit: ["FRA"] },
    ])
    expect(leftOut).toEqual([
      "1 event that is no flight: the flights say more",
      "the passport: the file names none. Add --passport, such as --passport FRA; without one the trips cannot be judged",
    ])
  })

  it("of hotels makes stops of the places that name a country for sure, by the days of arriving and leaving", async () => {
    const text = calendar(
      [
        "UID:h1",
        "DTSTART;VALUE=DATE:20270510",
        "DTEND;VALUE=DATE:20270513",
        "SUMMARY:Hotel Beispiel",
        "LOCATION:Hauptstrasse 1\\, Wien\\, Österreich",
      ],
      [
        "UID:h2",
        "DTSTART;TZID=Europe/Budapest:20270513T150000",
        "DTEND;TZID=Europe/Budapest:20270516T100000",
        "SUMMARY:Szálloda",
        "LOCATION:Budapest\\, Hungary",
      ],
      ["UID:h3", "DTSTART;VALUE=DATE:20270520", "DTEND;VALUE=DATE:20270521", "SUMMARY:Somewhere", "LOCATION:Room 4"],
    )
    const { made, assumed } = await convert("hotels.ics", text, "--passport", "USA")
    expect(made).toEqual([
      {
        id: "2027-05-10",
        passport: "USA",
        stops: [
          { destination: "AUT", from: "2027-05-10", to: "2027-05-12" },
          { destination: "HUN", from: "2027-05-13", to: "2027-05-16" },
        ],
      },
    ])
    expect(assumed).toEqual([
      'the place "Hauptstrasse 1, Wien, Österreich" is in AUT',
      'the place "Budapest, Hungary" is in HUN',
    ])
  })

  it("leaves out what repeats, and a flight whose day depends on an unknown zone; the last version of an event counts", async () => {
    const flight = (uid: string, start: string, end: string, summary: string, ...more: readonly string[]) => [
      `UID:${uid}`,
      `DTSTART:${start}`,
      `DTEND:${end}`,
      `SUMMARY:${summary}`,
      ...more,
    ]
    const text = calendar(
      flight("1", "20270301T100500Z", "20270301T234000Z", "CDG to NRT"),
      flight("2", "20270309T021500Z", "20270309T153000Z", "NRT to CDG", "SEQUENCE:1"),
      flight("2", "20270308T021500Z", "20270308T153000Z", "NRT to CDG"),
      flight("3", "20270401T100500Z", "20270401T113000Z", "CDG to LHR", "RRULE:FREQ=WEEKLY"),
      // 06:00 in the zones of the United States is the 20th or the 21st.
      flight("4", "20270420T180000Z", "20270421T060000Z", "CDG to LAX"),
    )
    const { made, assumed, leftOut } = await convert("mixed.ics", text, "--passport", "FRA")
    expect(made).toEqual([
      { id: "FRA 2027-03-02", passport: "FRA", stops: [{ destination: "JPN", from: "2027-03-02", to: "2027-03-09" }] },
    ])
    expect(assumed).toEqual(["the event 2 is given more than once: its last version counts"])
    expect(leftOut).toEqual([
      'the flight "CDG to LHR" (line 23): it repeats',
      'the flight "CDG to LAX" (line 30): its day at LAX depends on the time zone there; name it, such as --zone LAX=America/New_York',
    ])
    const zoned = await convert("mixed.ics", text, "--passport", "FRA", "--zone", "LAX=America/Los_Angeles")
    expect(zoned.made?.[1].stops).toEqual([{ destination: "USA", from: "2027-04-20" }])
    expect(zoned.assumed).toContain("no flight leaves USA after 2027-04-20: the stay has no known end")
  })

  const ROUND = [{ id: "FRA 2027-03-02", stops: [{ destination: "JPN", from: "2027-03-02", to: "2027-03-10" }] }]
  const NO_PASSPORT =
    "the passport: the file names none. Add --passport, such as --passport FRA; without one the trips cannot be judged"

  it("of a cancelled booking makes nothing of an event whose last version, or whose calendar, cancels it", async () => {
    const out = ["SEQUENCE:1", "DTSTART:20270301T100500Z", "DTEND:20270301T234000Z", "SUMMARY:CDG to NRT"]
    const back = ["UID:2", "DTSTART:20270310T021500Z", "DTEND:20270310T153000Z", "SUMMARY:NRT to CDG"]
    const confirmed = ["UID:1", ...out]
    const cancelled = ["UID:1", "STATUS:CANCELLED", ...out]
    // The booking that replaces the first one has another name.
    const replaced = [confirmed, cancelled, back, ["UID:3", ...out]]
    for (const events of [replaced, [...replaced].reverse()]) {
      const { made, leftOut } = await convert("cancelled.ics", calendar(...events))
      expect(made).toEqual(ROUND)
      expect(leftOut).toEqual([
        expect.stringMatching(/^the flight "CDG to NRT" \(line \d+\): it is cancelled$/),
        NO_PASSPORT,
      ])
    }
    const whole = calendar(confirmed, back).replace("VERSION:2.0", "VERSION:2.0\r\nMETHOD:CANCEL")
    expect((await convert("cancelled.ics", whole)).message).toContain("(line 5): it is cancelled")
  })

  it("with durations instead of ends is read, and a time in a zone that nothing defines is not", async () => {
    const lasting = calendar(
      ["UID:1", "DTSTART:20270301T100500Z", "DURATION:PT13H35M", "SUMMARY:CDG to NRT"],
      ["UID:2", "DTSTART:20270310T021500Z", "DURATION:PT13H15M", "SUMMARY:NRT to CDG"],
    )
    expect((await convert("lasting.ics", lasting)).made).toEqual(ROUND)
    // In Tokyo the flight arrives on the next day; the local clock of Paris says nothing of it.
    const local = lasting.replaceAll("00Z", "00")
    expect((await convert("lasting.ics", local)).message).toContain(
      "its end is a duration in a time zone that is not named",
    )
    const unknown = lasting.replaceAll("DTSTART:", "DTSTART;TZID=Office:").replaceAll("00Z", "00")
    expect((await convert("lasting.ics", unknown)).message).toContain(
      'nothing above it defines the time zone \\"Office\\"',
    )
  })

  it("with a day trip has a stop where the traveller turned back within hours", async () => {
    const text = calendar(
      ["UID:1", "DTSTART:20270301T060000Z", "DTEND:20270301T071500Z", "SUMMARY:CDG to FRA"],
      ["UID:2", "DTSTART:20270301T170000Z", "DTEND:20270301T181500Z", "SUMMARY:FRA to CDG"],
    )
    expect((await convert("day.ics", text)).made).toEqual([
      { id: "FRA 2027-03-01", stops: [{ destination: "DEU", from: "2027-03-01", to: "2027-03-01" }] },
    ])
  })

  it("is read in the order of its instants where the date line turns the days round", async () => {
    // Auckland 01:00 on the 2nd is Honolulu 02:00 on the 1st; the flight of the 1st at 20:00 leaves there nine hours after the arrival.
    const text = calendar(
      [
        "UID:2",
        "DTSTART;TZID=Pacific/Honolulu:20270103T200000",
        "DTEND;TZID=Pacific/Auckland:20270105T050000",
        "SUMMARY:HNL to AKL",
      ],
      [
        "UID:1",
        "DTSTART;TZID=Pacific/Auckland:20270102T010000",
        "DTEND;TZID=Pacific/Honolulu:20270101T110000",
        "SUMMARY:AKL to HNL",
      ],
    )
    expect((await convert("line.ics", text, "--zone", "HNL=Pacific/Honolulu,AKL=Pacific/Auckland")).made).toEqual([
      { id: "NZL 2027-01-01", stops: [{ destination: "USA", from: "2027-01-01", to: "2027-01-03" }] },
    ])
  })

  it("of hotels lists a place that may be in several countries, and knows one by its town", async () => {
    const night = (day: number, location: string, ...more: readonly string[]) => [
      `UID:${day}`,
      `DTSTART;VALUE=DATE:202705${day}`,
      ...more,
      "SUMMARY:Hotel",
      `LOCATION:${location}`,
    ]
    const text = calendar(
      night(10, "Seoul\\, Korea", "DURATION:P2D"),
      night(12, "Tbilisi\\, Georgia"),
      night(14, "Peachtree Street\\, Georgia"),
      night(16, "Somewhere\\, Korea"),
      night(18, "Paris\\, Canada"),
      night(20, "Roma\\, Italia", "RRULE:FREQ=DAILY"),
    )
    const { made, leftOut } = await convert("hotels.ics", text, "--passport", "FRA")
    expect(made?.[0].stops).toEqual([
      { destination: "KOR", from: "2027-05-10", to: "2027-05-11" },
      { destination: "GEO", from: "2027-05-12", to: "2027-05-12" },
    ])
    expect(leftOut).toEqual([
      'the place "Peachtree Street, Georgia" (line 17): it may be in GEO, USA',
      'the place "Somewhere, Korea" (line 23): it may be in PRK, KOR',
      'the place "Paris, Canada" (line 29): it may be in CAN, FRA',
      'the event at "Roma, Italia" (line 35): it repeats',
    ])
  })

  it("cannot tell a terminal what to do", async () => {
    const text = calendar(
      ["UID:1", "DTSTART;VALUE=DATE:20270301", "SUMMARY:\u001b]0;title\u0007CDG to NRT"],
      ["UID:2", "DTSTART:20270301T100500Z", "DTEND:20270301T234000Z", "SUMMARY:CDG to NRT"],
    )
    const { leftOut } = await convert("signs.ics", text, "--passport", "FRA")
    expect(leftOut).toEqual(['the flight " ]0;title CDG to NRT" (line 4): it has no times of leaving and arriving'])
  })

  it.each([
    ["", "empty.ics: line 1, column 1: BEGIN:VCALENDAR is expected; the file is empty."],
    ["no calendar", "empty.ics: line 1, column 1: BEGIN:VCALENDAR is expected."],
    [
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nBEGIN:VEVENT\r\n",
      "empty.ics: line 3, column 1: END:VEVENT is expected; the VEVENT of line 2 is not closed.",
    ],
    [
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\n",
      "empty.ics: line 4, column 1: the file ends inside the VEVENT of line 2.",
    ],
    [
      `BEGIN:VCALENDAR\r\nX:${"x".repeat(70_000)}\r\n`,
      "empty.ics: line 2, column 65537: it is longer than 64 KiB, which no line of such a file is.",
    ],
    [
      `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${"X:x\r\n".repeat(3_000)}`,
      "empty.ics: line 2, column 1: a VEVENT of more than 2000 lines.",
    ],
    [calendar(["UID:1", "DTSTART;VALUE=DATE:20270301", "SUMMARY:Nothing"]), "empty.ics: nothing could be made of it."],
    [calendar(["no colon"]), "empty.ics: line 4, column 1: the event cannot be read: "],
    [
      calendar(["UID:1", "DTSTART:20271399T990000Z", "LOCATION:Tokyo, Japan"]),
      "empty.ics: line 4, column 1: the event cannot be read: 2027-13-99T99:00:00Z is not a time of the calendar.",
    ],
    [
      calendar(["UID:1", "DTSTART:20270301", "LOCATION:Tokyo, Japan"]),
      "empty.ics: line 4, column 1: the event cannot be read: invalid date-time value: ",
    ],
    [
      calendar(["DTSTART;VALUE=DATE:20270310", "DTEND;VALUE=DATE:20270301", "LOCATION:Tokyo, Japan"]),
      "1 event without a place in a known country, or without two days in order",
    ],
  ])("that is none is refused with the line and what is expected: %#", async (text, message) => {
    const refused = await convert("empty.ics", text)
    expect(refused.status).toBe(1)
    expect(refused.message).toContain(message)
    expect(readdirSync(folder).filter(name => name.startsWith("made"))).toEqual([])
  })
})

describe("the segments of a booking", () => {
  const TWO = [
    { destination: "JPN", from: "2027-03-02", to: "2027-03-08" },
    { destination: "KOR", from: "2027-03-08", to: "2027-03-14" },
  ]
  it.each([
    [
      "one system",
      "  1  XX 276 Y 01MAR 1 CDGNRT HK1  1105 0840+1 02MAR  E  XX/K7QX2M\n  2  YY 704 Y 08MAR 1 NRTICN HK1  1115 1350 08MAR  E  YY/K7QX2M\n  3  XX 267 Y 14MAR 7 ICNCDG HK1  1400 1815 14MAR  E  XX/K7QX2M\n",
    ],
    [
      "another",
      " 1 XX 276Y 01MAR M CDGNRT HK1  1105A  840A  02MAR T /DCXX /E\n 2 YY 704Y 08MAR M NRTICN HK1  1115A  150P /DCYY /E\n 3 XX 267Y 14MAR S ICNCDG HK1   200P  615P /DCXX /E\n",
    ],
    [
      "a third",
      "1. XX  276 Y  01MAR CDGNRT HK1  1105  # 0840  O      E MO\n2. YY  704 Y  08MAR NRTICN HK1  1115   1350   O      E MO\n3. XX  267 Y  14MAR ICNCDG HK1  1400   1815   O      E SU\n",
    ],
  ])("of %s make a trip", async (_, text) => {
    const { made, origins, leftOut, message } = await convert(
      "booking.txt",
      text,
      "--year",
      "2027",
      "--passport",
      "FRA",
    )
    expect({ message, leftOut, origins }).toEqual({ message: "", leftOut: [], origins: ["FRA"] })
    expect(made).toEqual([{ id: "FRA 2027-03-02", passport: "FRA", stops: TWO }])
  })

  it("have their years, cancelled lines, remarks, a new year and a way over land told", async () => {
    const text =
      "RP/INVENTED/\n1 XX 1 Y 28DEC26 CDGBKK HK1 1000 0500+1\n2 XX 9 Y 30DEC BKKHAN UN1 1000 1200\n3 XX 2 Y 05JAN HANBKK HK1 1000 1200\n"
    const { made, assumed, leftOut } = await convert("booking.txt", text, "--passport", "FRA")
    expect(made).toEqual([
      { id: "FRA 2026-12-29", passport: "FRA", stops: [{ destination: "THA", from: "2026-12-29" }] },
      { id: "VNM 2027-01-05", passport: "FRA", stops: [{ destination: "THA", from: "2027-01-05" }] },
    ])
    expect(assumed).toEqual([
      "line 4: JAN behind 2026-12 is in 2027",
      "no flight leaves THA after 2027-01-05: the stay has no known end",
    ])
    expect(leftOut).toEqual([
      'line 1: it is no flight segment ("RP/INVENTED/")',
      "line 3: the segment BKK-HAN is cancelled or not confirmed",
      "how the traveller came from THA to VNM between 2026-12-29 and 2027-01-05: the trip ends there",
    ])
  })

  it.each([
    [
      "1 XX 276 Y 01MAR 1 CDGNRT HK1 1105 0840+1\n",
      [],
      "line 1, column 1: its day has no year. Give that of the first segment, such as --year 2027.",
    ],
    ["1 XX 276 Y 31FEB27 1 CDGNRT HK1 1105 0840+1\n", [], "line 1, column 1: 2027-02-31 is not a day of the calendar."],
    ["see you in Paris\n", [], "nothing could be made of it."],
    [Buffer.from("caf\xe9\n", "latin1"), [], "line 1, column 4: this is not text in UTF-8."],
  ])("that cannot be read are refused: %#", async (text, flags, message) => {
    expect((await convert("booking.txt", text, ...flags)).message).toContain(message)
  })
})

describe("a list of passengers", () => {
  const VALUES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  const digit = (text: string) =>
    String(
      [...text].reduce(
        (sum, sign, place) => sum + (sign === "<" ? 0 : VALUES.indexOf(sign)) * ([7, 3, 1][place % 3] as number),
        0,
      ) % 10,
    )
  /** The zone of an invented passport (ICAO Doc 9303, Part 4), with its check digits. */
  function zone({
    type = "P<",
    issuer,
    nationality = issuer,
    name,
    expiry = "300131",
  }: {
    type?: string
    issuer: string
    nationality?: string
    name: string
    expiry?: string
  }) {
    const fill = (text: string, length: number) => text.padEnd(length, "<")
    const number = `L898902C3${digit("L898902C3")}`
    const [birth, until, own] = [`740812${digit("740812")}`, `${expiry}${digit(expiry)}`, `${fill("", 14)}0`]
    return [
      fill(`${type}${fill(issuer, 3)}${name}`, 44),
      `${number}${fill(nationality, 3)}${birth}F${until}${own}${digit(`${number}${birth}${until}${own}`)}`,
    ]
  }
  const TRIP = { stops: [{ destination: "JPN", from: "2027-03-02", to: "2027-03-08" }] }
  const trip = () => put("trip.json", JSON.stringify(TRIP))

  it("with machine-readable zones leads each code to a passport and its kind", async () => {
    const text = [
      ...zone({ issuer: "D", name: "MUSTER<<ERIKA" }),
      ...zone({ issuer: "GBR", nationality: "GBN", name: "EXAMPLE<<ANN" }),
      "passenger 3",
      ...zone({ issuer: "RKS", name: "SHEMBULL<<ARTA" }),
      ...zone({ issuer: "DNK", nationality: "XXA", name: "NOBODY<<A" }),
      ...zone({ issuer: "D", nationality: "XXB", name: "NOBODY<<B" }),
      ...zone({ issuer: "SWE", nationality: "XXC", name: "NOBODY<<C" }),
      ...zone({ issuer: "EST", nationality: `XX${"X"}`, name: "NOBODY<<D" }),
      ...zone({ type: "PD", issuer: "FRA", name: "EXEMPLE<<DIPLOMATE" }),
      ...zone({ type: "PO", issuer: "CHN", name: "LI<<EXAMPLE" }),
    ].join("\n")
    const { made, leftOut } = await convert("zones.txt", text, "--trip", trip())
    expect(made).toEqual(
      [
        ["MUSTER ERIKA", "DEU"],
        ["EXAMPLE ANN", "GBN"],
        ["SHEMBULL ARTA", "XKX"],
        ["NOBODY A", "DNK", "stateless"],
        ["NOBODY B", "DEU", "refugee_convention"],
        ["NOBODY C", "SWE", "alien"],
        ["NOBODY D", "EST", "alien"],
        ["EXEMPLE DIPLOMATE", "FRA", "diplomatic"],
        ["LI EXAMPLE", "CHN"],
      ].map(([id, passport, passport_kind]) => ({
        id,
        passport,
        ...(passport_kind === undefined ? {} : { passport_kind }),
        passport_expiry: "2030-01-31",
        ...TRIP,
      })),
    )
    expect(leftOut).toEqual([])
    const judged = await run("batch", at("made.ndjson"), "--summary", "--threads", "1", "--to", "csv")
    expect(judged.stdout).not.toMatch(/,"?passport/)
  })

  it("leaves out organisations' documents, cards, other kinds and zones that were misread, and says why", async () => {
    const [first, second = ""] = zone({ issuer: "FRA", name: "FAUX<<CHIFFRE" })
    const organisations = ["UNO", "UNA", "UNK", "EUE", "XPO", "XOM"].flatMap(issuer =>
      zone({ issuer, name: `OF<<${issuer}` }),
    )
    const text = [
      ...organisations,
      first,
      second.replace("740812", "740813"),
      ...zone({ type: "PS", issuer: "IND", name: "WHICH<<KIND" }),
      ...zone({ issuer: "FRA", name: "BON<<PASSEPORT" }),
      "P<FRAHALF<<A<<<<<<<<<<<<<<<<<<<",
    ].join("\n")
    const { made, leftOut } = await convert("zones.txt", text, "--trip", trip())
    expect(made.map(({ id }: { id: string }) => id)).toEqual(["BON PASSEPORT"])
    expect(leftOut).toEqual([
      "line 1: OF UNO: UNO is a laissez-passer of the United Nations; no rules are recorded for it",
      "line 3: OF UNA: UNA is a laissez-passer of a specialised agency of the United Nations; no rules are recorded for it",
      "line 5: OF UNK: UNK is a travel document of the United Nations mission in Kosovo, which issues none any more; no rules are recorded for it",
      "line 7: OF EUE: EUE is a laissez-passer of the European Union; no rules are recorded for it",
      "line 9: OF XPO: XPO is a document of Interpol; no rules are recorded for it",
      "line 11: OF XOM: XOM is a passport of the Sovereign Military Order of Malta; no rules are recorded for it",
      expect.stringMatching(/^line 13: FAUX CHIFFRE: the check digit of .* is wrong, so the zone was misread$/),
      "line 15: WHICH KIND: states use the type PS for different kinds of passports; give passport_kind",
      expect.stringMatching(/^line 19: /),
    ])
  })

  it("keeps the passports that it has, whoever's the journey was", async () => {
    const other = put("other.json", JSON.stringify({ passport: "FRA", passport_expiry: "2027-04-01", ...TRIP }))
    const { made, leftOut } = await convert(
      "zones.txt",
      zone({ issuer: "D", name: "MUSTER<<ERIKA" }).join("\n"),
      "--trip",
      other,
    )
    expect(made).toEqual([{ id: "MUSTER ERIKA", passport: "DEU", passport_expiry: "2030-01-31", ...TRIP }])
    expect(leftOut).toEqual(["passport, passport_expiry of the trip's file: each passenger has fields of their own"])
  })

  it("leaves out unknown codes and those of several passports, and tells whose passport it takes", async () => {
    const text = [
      ...zone({ issuer: "ZZZ", name: "NO<<STATE" }),
      // The passports of Hong Kong and Macao have the code of China too.
      ...zone({ issuer: "CHN", name: "CHAN<<EXAMPLE" }),
      ...zone({ issuer: "USA", nationality: "FRA", name: "EXEMPLE<<ANNE" }),
      ...zone({ issuer: "BMU", nationality: "GBD", name: "EXAMPLE<<ANN" }),
      ...zone({ issuer: "FRA", name: "EXEMPLE<<VIEUX", expiry: "991231" }),
    ].join("\n")
    const { made, assumed, leftOut } = await convert("zones.txt", text, "--trip", trip())
    expect(made?.map((made: Record<string, unknown>) => [made.id, made.passport, made.passport_expiry])).toEqual([
      ["EXEMPLE ANNE", "FRA", "2030-01-31"],
      ["EXAMPLE ANN", "GBD", "2030-01-31"],
      ["EXEMPLE VIEUX", "FRA", "1999-12-31"],
    ])
    expect(assumed).toEqual(["line 5: EXEMPLE ANNE: the passport is that of the nationality, FRA, not of USA"])
    expect(leftOut).toEqual([
      expect.stringContaining("line 1: NO STATE: no country has the code ZZZ"),
      "line 3: CHAN EXAMPLE: the zones of Hong Kong's and Macao's passports have the code CHN too; give passport",
    ])
  })

  it("in another encoding is read as that which is named, or by its mark", async () => {
    const text = "Surname;Nationality;Expiry\nMüller;Österreich;2031-05-01\n"
    const made = [{ id: "Müller", passport: "AUT", passport_expiry: "2031-05-01", ...TRIP }]
    const latin = Buffer.from(text, "latin1")
    expect((await convert("latin.csv", latin, "--trip", trip(), "--encoding", "windows-1252")).made).toEqual(made)
    expect((await convert("latin.csv", latin)).message).toContain(
      "latin.csv: line 2: Column 1 is not UTF-8. If another encoding was used, name it, such as --encoding windows-1252.",
    )
    expect((await convert("marked.csv", Buffer.from(`\uFEFF${text}`, "utf16le"), "--trip", trip())).made).toEqual(made)
  })

  it("as a table of an airline has columns for nationality, document and expiry", async () => {
    const text =
      "Surname,Given Names,Nationality,Document Type,Document Number,Issuing Country,Expiry Date\nMuster,Erika,D,P,X1,D,31/01/2030\nExemple,Anne,French,P,X2,FRA,2031-05-01\nPerson,Some,Korea,P,X3,KOR,2031-05-01\nCard,Holder,ESP,I,X4,ESP,2031-05-01\n"
    const { made, leftOut } = await convert("apis.csv", text, "--trip", trip(), "--dates", "dmy")
    expect(made).toEqual([
      { id: "Muster Erika", passport: "DEU", passport_expiry: "2030-01-31", ...TRIP },
      { id: "Exemple Anne", passport: "FRA", passport_expiry: "2031-05-01", ...TRIP },
    ])
    expect(leftOut).toEqual([
      "the columns Document Number",
      'line 4: Person Some: "Korea" may mean PRK (North Korea), KOR (South Korea)',
      "line 5: Card Holder: a document of type I is no passport",
    ])
    expect((await convert("apis.csv", text)).leftOut).toContain(
      'line 2: Muster Erika: "31/01/2030" is not a day such as 2030-12-31; if days are in another order, name it with --dates',
    )
  })

  it("as a table with a column of zones is read by them", async () => {
    const text = `Seat;MRZ\n12A;${zone({ issuer: "D", name: "MUSTER<<ERIKA" }).join("")}\n`
    expect((await convert("seats.csv", text, "--trip", trip())).made).toEqual([
      { id: "MUSTER ERIKA", passport: "DEU", passport_expiry: "2030-01-31", ...TRIP },
    ])
    expect((await convert("issued.csv", "Seat,Passport colour\n1,red\n")).message).toContain(
      "line 1, column 1: a column for the nationality, the issuing country or the machine-readable zone is expected; the columns are Seat, Passport colour.",
    )
  })
})

describe("a history of places", () => {
  const VISITS = [
    ["2026-01-03T09:00:00.000+01:00", "2026-01-20T18:00:00.000+01:00", 48.8566, 2.3522],
    ["2026-01-20T21:00:00.000+01:00", "2026-02-10T10:00:00.000+01:00", 41.9028, 12.4964],
    ["2026-02-10T14:00:00.000+00:00", "2026-03-01T12:00:00.000+00:00", 51.5072, -0.1276],
  ] as const
  const STAYS = [
    { destination: "FRA", from: "2026-01-03", to: "2026-01-20" },
    { destination: "ITA", from: "2026-01-20", to: "2026-02-10" },
    { destination: "GBR", from: "2026-02-10", to: "2026-03-01" },
  ]
  const forms = {
    android: {
      semanticSegments: VISITS.map(([startTime, endTime, north, east]) => ({
        startTime,
        endTime,
        visit: { topCandidate: { placeLocation: { latLng: `${north}°, ${east}°` } } },
      })),
    },
    iphone: VISITS.map(([startTime, endTime, north, east]) => ({
      startTime,
      endTime,
      visit: { topCandidate: { placeLocation: `geo:${north},${east}` } },
    })),
    takeout: {
      timelineObjects: VISITS.map(([startTimestamp, endTimestamp, north, east]) => ({
        placeVisit: {
          location: { latitudeE7: Math.round(north * 1e7), longitudeE7: Math.round(east * 1e7), name: '"quoted" [{' },
          duration: { startTimestamp, endTimestamp },
        },
      })),
    },
  }
  it.each(Object.entries(forms))(
    "of %s makes stays in the days of each place, which count as anybody counts them",
    async (_, form) => {
      expect((await convert("timeline.json", JSON.stringify(form, null, 1))).made).toEqual(STAYS)
      const counted = await run("stays", at("made.json"), "--on", "2026-03-01", "--json")
      expect(JSON.parse(counted.stdout)).toMatchObject({ days_used: 39 })
    },
  )

  it("of older exports has milliseconds; a time without an offset is not read, and days without a visit are told", async () => {
    const at = (text: string) => String(Date.parse(text))
    const visit = (start: object, east: number) => ({
      placeVisit: { location: { latitudeE7: 488_566_000, longitudeE7: east }, duration: start },
    })
    const { made, leftOut } = await convert(
      "timeline.json",
      JSON.stringify({
        timelineObjects: [
          visit(
            { startTimestampMs: at("2018-12-31T23:30:00Z"), endTimestampMs: at("2019-01-03T20:00:00Z") },
            23_522_000,
          ),
          visit({ startTimestamp: "2019-01-04T00:00:00", endTimestamp: "2019-01-05T00:00:00" }, 23_522_000),
          visit({ startTimestamp: "2019-02-01T10:00:00Z", endTimestamp: "2019-02-02T10:00:00Z" }, 114_000_000),
        ],
      }),
    )
    expect(made).toEqual([
      { destination: "FRA", from: "2019-01-01", to: "2019-01-03" },
      { destination: "DEU", from: "2019-02-01", to: "2019-02-02" },
    ])
    expect(leftOut).toEqual([
      expect.stringContaining("a visit without a place, or without two times in order with their offsets"),
      "the days between 2019-01-03 and 2019-02-01: nothing is recorded of them",
    ])
  })

  it("tells gaps, places near a border or at sea, and ways", async () => {
    const visit = (startTime: string, endTime: string, place: string) => ({
      startTime,
      endTime,
      visit: { topCandidate: { placeLocation: `geo:${place}` } },
    })
    const { made, assumed, leftOut } = await convert(
      "timeline.json",
      JSON.stringify([
        visit("2026-01-03T09:00:00Z", "2026-01-04T18:00:00Z", "48.8566,2.3522"),
        { startTime: "2026-01-04T18:00:00Z", endTime: "2026-01-05T01:00:00Z", activity: {} },
        visit("2026-01-10T23:30:00Z", "2026-01-11T18:00:00Z", "48.5734,7.7521"),
        visit("2026-01-12T00:00:00Z", "2026-01-12T18:00:00Z", "0,-30"),
        visit("2026-01-13T00:00:00Z", "2026-01-13T18:00:00Z", "42.66,21.16"),
        visit("2026-01-14T00:00:00Z", "2026-01-13T18:00:00Z", "48.8566,2.3522"),
      ]),
    )
    expect(made).toEqual([{ destination: "FRA", from: "2026-01-03", to: "2026-01-11" }])
    expect(assumed).toEqual([
      "a place at 48.573,7.752 is in FRA; the border with DEU is near",
      "nothing is recorded between 2026-01-04 and 2026-01-11: one stay in FRA",
    ])
    expect(leftOut).toEqual([
      "a visit at 0.000,-30.000: the place is at sea, or the country there is not known for sure",
      "a visit at 42.660,21.160: the place is at sea, or the country there is not known for sure",
      "line 1, column 610: a visit without a place, or without two times in order with their offsets",
      "1 entry that is no visit, such as ways between them",
    ])
  })

  it.each([
    ["[".repeat(100_000), "timeline.json: line 1, column 65: it is nested more than 64 times, which no export is."],
    ['{"semanticSegments":[{"a":1}', "timeline.json: line 1, column 28: the file ends before its JSON does."],
    ['{"semanticSegments":[\n{"a":}]}', "timeline.json: line 2, column 1: the entry is not JSON: "],
    ["visits", "timeline.json: line 1, column 1: JSON is expected, which begins with { or [."],
    [`[{"x":"${"x".repeat(1_100_000)}"}]`, "timeline.json: line 1, column 2: an entry is larger than 1 MiB."],
    ['[{"a":1}] and more', "timeline.json: line 1, column 11: the file has to end where its JSON does."],
    [
      '{"locations":[{"latitudeE7":1}]}',
      "timeline.json: line 1, column 15: Records.json has positions without visits.",
    ],
    ["{}", "timeline.json: nothing could be made of it."],
    [
      JSON.stringify([...forms.iphone].reverse()),
      "timeline.json: line 1, column 155: the visit begins before the one above it; visits in their order are expected.",
    ],
  ])("that is none is refused: %#", async (text, message) => {
    expect((await convert("timeline.json", text)).message).toContain(message)
  })
})

describe("a log of flights", () => {
  const STAYS = [
    { destination: "JPN", from: "2026-03-02", to: "2026-03-08" },
    { destination: "KOR", from: "2026-03-08", to: "2026-03-14" },
  ]
  it.each([
    [
      "names and codes",
      "Date,Flight number,From,To,Dep time,Arr time,Arrival date\n2026-03-01,XX276,Paris / Charles de Gaulle (CDG/LFPG),Tokyo / Narita (NRT/RJAA),11:05,08:40,2026-03-02\n2026-03-08,YY704,Tokyo / Narita (NRT/RJAA),Seoul / Incheon (ICN/RKSI),11:15,13:50,2026-03-08\n2026-03-14,XX267,Seoul / Incheon (ICN/RKSI),Paris / Charles de Gaulle (CDG/LFPG),14:00,18:15,2026-03-14\n",
    ],
    [
      "codes alone",
      "date;from;to;arrival_date\n2026-03-01;CDG;NRT;2026-03-02\n2026-03-08;NRT;ICN;2026-03-08\n2026-03-14;ICN;CDG;2026-03-14\n",
    ],
    [
      "other columns",
      "Airline,Departure airport,Arrival airport,Flight date,Arrival date\nXX,CDG,NRT,2026-03-01,2026-03-02\nYY,NRT,ICN,2026-03-08,2026-03-08\nXX,ICN,CDG,2026-03-14,2026-03-14\n",
    ],
  ])("with %s makes stays", async (_, text) => {
    const { made, assumed, leftOut } = await convert("log.csv", text)
    expect({ made, assumed }).toEqual({ made: STAYS, assumed: [] })
    expect(leftOut.filter((note: string) => !note.startsWith("the columns "))).toEqual([])
  })

  it("leaves out what was not flown as planned, days that do not exist, and columns that it does not read", async () => {
    const { made, leftOut } = await convert(
      "log.csv",
      "Date,From,To,Arrival date,Canceled,Diverted to,Seat\n2/3/2026 09:00,cdg,nrt,3/3/2026,false,,1A\n5/3/2026,NRT,ICN,5/3/2026,true,,\n6/3/2026,NRT,ICN,6/3/2026,,PUS,\n31/2/2026,NRT,ICN,31/2/2026,,,\n9/3/2026,NRT,CDG,9/3/2026,no,,\n",
      "--dates",
      "dmy",
    )
    expect(made).toEqual([{ destination: "JPN", from: "2026-03-03", to: "2026-03-09" }])
    expect(leftOut).toEqual([
      "the columns Seat",
      "line 3: the flight from NRT to ICN on 2026-03-05 was cancelled",
      "line 4: the flight from NRT to ICN on 2026-03-06 was diverted",
      'line 5: "31/2/2026" is not a day such as 2026-12-01; if days are in another order, name it with --dates',
    ])
  })

  it("without days of arrival tells what it assumes, and leaves out what is no airport", async () => {
    const { made, assumed, leftOut } = await convert(
      "log.csv",
      "Date,From,To\n01.03.2026,CDG,NRT\n08.03.2026,NRT,CDG\n09.03.2026,CDG,XQQ\n",
      "--dates",
      "dmy",
    )
    expect(made).toEqual([{ destination: "JPN", from: "2026-03-01", to: "2026-03-08" }])
    expect(assumed).toEqual([
      "flights arrive on the day on which they leave, because the log has no day of arrival (2 times)",
    ])
    expect(leftOut).toEqual(['line 4: "XQQ" is not an airport with an IATA code'])
    expect((await convert("log.csv", "\n", "--from", "flights")).message).toContain(
      "log.csv: line 1, column 1: columns Date, From and To are expected; the file has no row.",
    )
    expect((await convert("log.csv", "\n", "--from", "passengers")).message).toContain(
      "log.csv: line 1, column 1: a column for the nationality, the issuing country or the machine-readable zone is expected; the file has no row.",
    )
    expect((await convert("log.csv", "Day,Route\n1,2\n")).message).toContain(
      "log.csv: line 1, column 1: columns Date, From and To are expected; the columns are Day, Route.",
    )
  })
})

describe("landfall convert", () => {
  it("writes trips as CSV that a batch reads, and prints to a pipe with the report beside it", async () => {
    const booking = put(
      "booking.txt",
      "1 XX 1 Y 01MAR27 CDGNRT HK1 1105 0840+1\n2 YY 7 Y 08MAR27 NRTICN HK1 1115 1350\n3 XX 2 Y 14MAR27 ICNCDG HK1 1400 1815\n",
    )
    await run("convert", booking, "--passport", "FRA", "-o", at("trips.csv"))
    expect(readFileSync(at("trips.csv"), "utf8")).toBe(
      "id,passport,destination,from,to,destination_2,from_2,to_2\nFRA 2027-03-02,FRA,JPN,2027-03-02,2027-03-08,KOR,2027-03-08,2027-03-14\n",
    )
    expect(await run("batch", at("trips.csv"), "--summary", "--threads", "1")).toMatchObject({ status: 0 })
    const piped = await run("convert", booking, "--passport", "FRA")
    expect(JSON.parse(piped.stdout)).toMatchObject({ passport: "FRA" })
    expect(piped.stderr).toBe("1 trip from 3 entries; from FRA.\n")
  })

  it.each([
    [
      ["trip.xyz"],
      "trip.xyz: its name says no format: .ics, .txt, .json, .csv, .tsv is expected, or --from with one of ics, booking, passengers, timeline, flights.",
    ],
    [["-"], "--from: one of ics, booking, passengers, timeline, flights is expected for the standard input."],
    [["trip.ics", "-o", "out.xlsx"], "out.xlsx: one of .ndjson, .jsonl, .json, .csv is expected as its ending."],
    [["trip.ics", "--as", "stays", "-o", "out.csv"], "out.csv: stays are JSON: .json is expected as its ending."],
    [
      ["t.json", "--as", "trips"],
      "--as trips: a history of places makes stays; it does not say which journeys they were.",
    ],
    [["trip.ics", "--passport", "Korea"], 'passport: "Korea" may mean'],
    [["trip.ics", "--passport-expiry", "2030-02-31"], 'is expected, not "2030-02-31".'],
    [["trip.ics", "--year", "2027"], "--year: it changes nothing in trips made of ics."],
    [["trip.ics", "--as", "stays", "--passport", "FRA"], "--passport: it changes nothing in stays made of ics."],
    [["t.json", "-o", "./t.json"], "./t.json is the input: the output would replace it."],
    [["linked.json", "--from", "timeline", "-o", "t.json"], "t.json is the input: the output would replace it."],
    [["trip.ics", "--encoding", "latin-99"], '--encoding: "latin-99" is not an encoding'],
    [
      ["trip.ics", "--passport-expiry", "1.1.2030"],
      '--passport-expiry: a calendar date YYYY-MM-DD from 1900 to 2199 is expected, not "1.1.2030".',
    ],
    [
      ["trip.ics", "--zone", "LAX"],
      '--zone: an airport and its time zone are expected, such as LAX=America/Los_Angeles, not "LAX".',
    ],
    [
      ["trip.ics", "--zone", "LAX=Nowhere"],
      '--zone: an airport and its time zone are expected, such as LAX=America/Los_Angeles, not "LAX=Nowhere".',
    ],
    [["trip.ics", "--from", "passengers", "--trip", "trip.xyz"], "trip.xyz: is not JSON"],
  ])("refuses a wrong call: %j", async (args, message) => {
    put("trip.xyz", "x")
    put("trip.ics", calendar())
    put("t.json", "[]")
    if (!existsSync(at("linked.json"))) symlinkSync("t.json", at("linked.json"))
    const { status, stdout, stderr } = await runCli(["convert", ...args], { cwd: folder })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toContain(message)
  })
})
