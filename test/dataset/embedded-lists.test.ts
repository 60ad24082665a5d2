import { describe, expect, it } from "vitest"
import { makeListReader, shortenCodes, shortenDestinations, writeLists } from "../../src/dataset/embedded-lists.ts"

// Six passports in the order of similarity; AAA asks for a visa (2) of CCC and DDD, and of BBB, EEE and FFF nothing (1).
const pairs = {
  header: { passports: "DDDBBBAAAEEECCCFFF", destinations: "BBBAAA" },
  columns: { pairs: "101111212121" },
}
const distance = (rows: number) => "!#$%&'"[rows - 1] as string

/** Reads rows back from their columns, and returns the columns. */
const layOut = (name: string, fields: string, rows: readonly (readonly unknown[])[]) => {
  const { rules, remarks } = writeLists({ [name]: { fields, rows } }, pairs)
  expect(makeListReader(rules, remarks, pairs)(name)).toEqual({ fields, rows })
  return (rules[name] ?? remarks.lists[name])?.columns
}

describe("a list of passports in a bundle", () => {
  it("names the answer whose passports it contains, after the exceptions", () => {
    expect(shortenCodes(pairs, "CCCDDD", "AAA")).toBe(" 2")
    // The second row.
    expect(shortenCodes(pairs, "BBBCCCDDD", "AAA")).toBe(`${distance(2)} 2`)
    expect(shortenCodes(pairs, "@EU,BBBCCCDDD", "AAA")).toBe(`@EU,${distance(2)} 2`)
  })

  it("names destinations by their distances in the order of pairs", () => {
    expect(shortenDestinations(pairs, "AAABBB")).toBe(` ${distance(1)}${distance(1)}`)
  })

  it("is not changed if that is shorter, if it belongs to no pair, or if it is not a list", () => {
    for (const codes of ["BBBCCCDDDZZZ", "@EU", "@EU,@TTP", ""]) {
      expect(shortenCodes(pairs, codes, "AAA")).toBe(codes)
    }
    for (const codes of ["AAACCC", "BBBAAA"]) expect(shortenDestinations(pairs, codes)).toBe(codes)
  })

  it("is read back unchanged for any passports and destinations", () => {
    const passports = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF"]
    const rows = Array.from({ length: 2 ** passports.length }, (_, chosen) => {
      const codes = passports.filter((_, at) => ((chosen >> at) & 1) === 1).join("")
      return ["AAA", "BBB", "AAABBB", "ZZZ"].flatMap(destinations => [
        [destinations, codes],
        [destinations, codes === "" ? null : `@EU,@TTP,${codes}`],
      ])
    })
    layOut("stayRules", "destinations:codes passports:scopecodes", rows.flat())
  })
})

describe("rows in a bundle", () => {
  it("are read back from their columns, empty lists too", () => {
    const lines = [{ lines: "one" }, { lines: "One" }, " ", "0"]
    expect(layOut("sources", "id name url kind", [["one", "One", null, 0]])).toEqual(lines)
    expect(layOut("zones", "id", [])).toEqual([""])
  })

  it("store texts and nulls by lines, unless a text is empty or has several lines", () => {
    const layOutTexts = (texts: readonly (string | null)[]) =>
      layOut(
        "zones",
        "id name",
        texts.map((text, at) => [at, text]),
      )?.[1]
    expect(layOutTexts(["one", null, "two"])).toEqual({ lines: "one\n\ntwo" })
    for (const other of ["", "two\nlines", "\r", "\u2028"]) {
      expect(layOutTexts(["one", null, other])).toEqual(["one", null, other])
    }
  })

  it("store single destinations as distances from the next new one", () => {
    const rows = ["AAA", "AAA", "BBB"].map(code => [code])
    expect(layOut("rules", "destinations:codes", rows)).toEqual([{ codes: "010" }])
    // Those that are far from the next new one as numbers.
    const many = Array.from({ length: 200 }, (_, at) => `A${String.fromCharCode(65 + at / 26, 65 + (at % 26))}`)
    const header = { passports: "", destinations: many.join("") }
    const far = { fields: "destinations:codes", rows: [[many[190]], [many[3]]] }
    const { rules, remarks } = writeLists({ rules: far }, { header, columns: { pairs: "" } })
    expect(rules.rules?.columns).toEqual([{ codes: [-190, 188] }])
    expect(makeListReader(rules, remarks, { header, columns: { pairs: "" } })("rules")).toEqual(far)
  })

  it("keep a column with numbers beyond all characters, and one that begins with a text", () => {
    const [low, high] = [-15, 0xd7cf]
    const rows = [
      [low, high],
      [low - 1, high + 1],
      [null, 0.5],
    ]
    expect(layOut("blocs", "a b", rows)).toEqual([
      [low, low - 1, null],
      [high, high + 1, 0.5],
    ])
    expect(layOut("blocs", "a b", rows.slice(0, 1))).toEqual(["!", "퟿"])
  })

  it("store a repeated condition as its number among the distinct ones", () => {
    const [first, second] = (["tourism", "business"] as const).map(purpose => ({
      kind: "purpose",
      purposes: [purpose],
    }))
    const conditions = [first, first, second, second, first].map((condition, at) => [condition, at, null])
    // The third column ends where its last value only repeats.
    expect(layOut("conditions", "terms source url", conditions)).toEqual([
      { of: [first, second], at: "00110" },
      "01234",
      " ",
    ])
  })

  it("store the places of conditions as distances from the next new one", () => {
    const rows = [
      ["eta", [0, 1]],
      ["eta", []],
      ["e_visa", [2]],
    ]
    expect(layOut("waivers", "requirement conditions:places", rows)?.[1]).toEqual([[0, 0], [], [0]])
  })

  it("store a document as its issuers run together, after its kind and before its other terms", () => {
    const visa = { kind: "visa", issuers: ["@area", "AAA", "BBB"], multipleEntry: true }
    const permit = { kind: "residence_permit", issuers: ["@area"] }
    expect(layOut("waivers", "held", [[[visa, permit]], [[]]])).toEqual([
      [
        [
          [0, "@area,AAABBB", { multipleEntry: true }],
          [1, "@area"],
        ],
        [],
      ],
    ])
  })

  it("have their remarks apart, each text once, and null in their place without them", () => {
    const fields = "days note sourceUrl"
    const rows = [
      [1, "A note.", null],
      [2, null, "https://law.example/"],
      [3, "A note.", null],
    ]
    layOut("waivers", fields, rows)
    const { rules, remarks } = writeLists(
      { waivers: { fields, rows }, notes: { fields: "note", rows: [["A note."]] } },
      pairs,
    )
    expect(remarks.texts).toEqual(["A note.", "https://law.example/"])
    expect(JSON.stringify(rules)).not.toMatch(/note\.|https/)
    const bare = makeListReader(rules, null, pairs)
    expect(bare("waivers").rows).toEqual([1, 2, 3].map(days => [days, null, null]))
    expect("notes" in rules).toBe(false)
  })
})
