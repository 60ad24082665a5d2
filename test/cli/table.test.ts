import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatTable, measureColumns, NO_SCREEN, readScreen, wrapText } from "../../adapters/cli/print.ts"
import { runCli } from "./run.ts"

const widthOf = (text: string) => Math.max(...text.split("\n").map(measureColumns))

describe("a table", () => {
  it("has columns as wide as their widest cell, and no blanks at the ends of lines", () => {
    expect(
      formatTable(
        ["code", "name"],
        [
          ["FRA", "France"],
          ["XK", ""],
        ],
      ),
    ).toBe("code  name\nFRA   France\nXK")
    expect(formatTable([], [["days", 90]])).toBe("days  90")
    expect(formatTable(["code"], [])).toBe("code")
  })

  it.each([
    ["日本", 4],
    ["대한민국", 8],
    ["ประเทศไทย", 9],
    ["ฝรั่งเศส", 6],
    ["भारत", 3],
    ["مصر", 3],
    ["Côte d’Ivoire", 13],
    ["Å", 1],
  ])("counts the columns that a terminal gives to %s", (text, columns) => {
    expect(measureColumns(text)).toBe(columns)
    expect(formatTable(["a", "b"], [[text, "x"]]).split("\n")[1]).toBe(`${text}  x`)
  })

  it("aligns columns after wide letters", () => {
    const lines = formatTable(
      ["name", "code"],
      [
        ["日本", "JPN"],
        ["ฝรั่งเศส", "FRA"],
      ],
    ).split("\n")
    const places = lines.map(line => measureColumns(line.replace(/\S+$/, "")))
    expect(new Set(places).size).toBe(1)
  })

  it("wraps the widest cells between words on a narrow terminal", () => {
    const rows = [["FRA", "the first of these words is the longest of all, and the last", "2026-01-01"]]
    const text = formatTable(["code", "text", "on"], rows, { columns: 40 })
    expect(widthOf(text)).toBeLessThanOrEqual(40)
    expect(text.split("\n")[1]).toMatch(/^FRA {3}the first of.* 2026-01-01$/)
    expect(text.split(/\s+/).toSorted()).toEqual(["code", "text", "on", ...rows.flat().join(" ").split(" ")].toSorted())
  })

  it("becomes a list of fields if the words alone are too wide", () => {
    expect(formatTable(["first", "second"], [["extraordinarily", "longest-of-all"]], { columns: 24 })).toBe(
      "first   extraordinarily\nsecond  longest-of-all",
    )
  })

  it("is never wider than the terminal, words apart, and loses no word", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/)
    const cell = fc.array(word, { minLength: 1, maxLength: 6 }).map(words => words.join(" "))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 20, max: 80 }),
        (rows, columns) => {
          const text = formatTable(["a", "b", "c"], rows, { columns })
          expect(widthOf(text)).toBeLessThanOrEqual(columns)
          for (const each of rows.flat().flatMap(one => one.split(" "))) expect(text).toContain(each)
        },
      ),
    )
  })

  it("of 17,000 rows is laid out in linear time", () => {
    const rows = Array.from({ length: 17_000 }, (_, at) => [
      `FRA JP${at % 9}`,
      "visa_free 90",
      "visa_required",
      "major",
    ])
    const before = process.cpuUsage()
    formatTable(["pair", "before", "after", "severity"], rows)
    // A quadratic printer took 24 seconds.
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(2_000_000)
  })
})

describe("a text", () => {
  it("is broken between words only, and not at all in a pipe", () => {
    expect(wrapText("one two three", 7)).toBe("one two\nthree")
    expect(wrapText("- one two three", 9, "  ")).toBe("- one two\n  three")
    expect(wrapText("extraordinarily long", 7)).toBe("extraordinarily\nlong")
    expect(wrapText("one two three", null)).toBe("one two three")
  })
})

describe("a screen", () => {
  const terminal = { isTTY: true, columns: 120 }
  it.each([
    ["has no width in a pipe", {}, {}, [], NO_SCREEN],
    ["is as wide as the terminal", terminal, { TERM: "xterm" }, [], { columns: 120, hasColours: true }],
    [
      "is as wide as COLUMNS if the terminal has no width",
      { isTTY: true },
      { COLUMNS: "60" },
      [],
      { columns: 60, hasColours: true },
    ],
    ["has 80 columns by default", { isTTY: true, columns: 0 }, {}, [], { columns: 80, hasColours: true }],
    [
      "has no colours for NO_COLOR",
      terminal,
      { NO_COLOR: "1", FORCE_COLOR: "1" },
      [],
      { columns: 120, hasColours: false },
    ],
    ["has colours for an empty NO_COLOR", terminal, { NO_COLOR: "" }, [], { columns: 120, hasColours: true }],
    ["has no colours for TERM=dumb", terminal, { TERM: "dumb" }, [], { columns: 120, hasColours: false }],
    ["has colours in a pipe for FORCE_COLOR", {}, { FORCE_COLOR: "1" }, [], { columns: null, hasColours: true }],
    ["has none there for FORCE_COLOR=0", {}, { FORCE_COLOR: "0" }, [], NO_SCREEN],
    [
      "has colours for --color, regardless of variables",
      {},
      { NO_COLOR: "1" },
      ["rank", "--color"],
      { columns: null, hasColours: true },
    ],
    ["has none for --no-color", terminal, { FORCE_COLOR: "1" }, ["--no-color"], { columns: 120, hasColours: false }],
    ["ignores flags after --", terminal, { TERM: "xterm" }, ["--", "--no-color"], { columns: 120, hasColours: true }],
  ])("%s", (_, stream, env, args, screen) => {
    expect(readScreen(stream, env, args)).toEqual(screen)
  })

  it("of 80 columns fits every command's answer and help without a broken word or a line too long", async () => {
    const screen = { columns: 80, hasColours: true }
    for (const args of [
      ["check", "GBR", "SJM"],
      ["group", "FRA,IND", "--lang", "ja"],
      ["best", "USA,DEU"],
      ["entrants", "JPN"],
      ["score", "JPN"],
      ["compare", "JPN", "IND"],
      ["rank", "--lang", "th"],
      ["history", "FRA", "CHN"],
      ["explain", "LCA", "GBR"],
      ["dataset", "info"],
      ["--help"],
      ["check", "--help"],
      ["batch", "--help"],
      ["serve", "--help"],
      ["check", "Japna", "FRA"],
    ]) {
      const { stdout, stderr } = await runCli(args, { screen })
      const wide = `${stdout}${stderr}`.split("\n").filter(line => measureColumns(line) > 80 && / /.test(line.trim()))
      expect([args.join(" "), wide]).toEqual([args.join(" "), []])
    }
  })
})
