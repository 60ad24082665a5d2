import { describe, expect, it } from "vitest"
import { writeByteText } from "../../src/compiler.ts"
import { readList, writeColumns } from "../../src/dataset/embedded-columns.ts"
import { makeListReader, makeListWriter } from "../../src/dataset/embedded-lists.ts"

// Six passports in the order of similarity; AAA asks for a visa (byte 2) of CCC and DDD, and of BBB, EEE and FFF nothing (byte 1).
const pairs = {
  header: {
    version: "test.1",
    asOfDay: 0,
    sinceDay: 0,
    passports: "DDDBBBAAAEEECCCFFF",
    destinations: "BBBAAA",
    sources: [],
    timelines: [],
  },
  columns: { pairs: writeByteText(new Uint8Array([1, 0, 1, 1, 1, 1, 2, 1, 0, 1, 2, 1])) },
}
const visa = writeByteText(new Uint8Array([2]))
const distance = (rows: number) => writeByteText(new Uint8Array([rows]))
const writer = makeListWriter(pairs)
const reader = makeListReader(pairs)

describe("a list of passports in a bundle", () => {
  it("names the answer whose passports it contains, and marks the exceptions", () => {
    expect(writer.codes("CCCDDD", "AAA")).toBe(` ${visa}1`)
    // The second row.
    expect(writer.codes("BBBCCCDDD", "AAA")).toBe(` 1${distance(2)} ${visa}1`)
    expect(writer.marks("013131", "AAA")).toBe(` 3${distance(4)}${distance(1)} `)
    expect(writer.marks("013311", "AAA")).toBe(` ${visa}3`)
  })

  it("names destinations by their distances in the order of pairs", () => {
    expect(writer.destinations("AAABBB")).toBe(` ${distance(1)}${distance(1)}`)
    for (const codes of ["AAA", "BBB", "AAABBB", ""])
      expect(reader.destinations(writer.destinations(codes))).toBe(codes)
  })

  it("is not changed if that is shorter, if it belongs to no pair, or if it is not a list", () => {
    expect(writer.codes("EEE", "AAA")).toBe("EEE")
    expect(writer.codes("BBBCCCDDDZZZ", "AAA")).toBe("BBBCCCDDDZZZ")
    expect(writer.codes("DDD", "ZZZ")).toBe("DDD")
    expect(writer.destinations("AAACCC")).toBe("AAACCC")
    expect(writer.destinations("BBBAAA")).toBe("BBBAAA")
    expect(writer.codes("", "AAA")).toBe("")
  })

  it("is read back unchanged for any passports", () => {
    const passports = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF"]
    for (let chosen = 0; chosen < 2 ** passports.length; chosen++) {
      const isIn = (at: number) => ((chosen >> at) & 1) === 1
      const codes = passports.filter((_, at) => isIn(at)).join("")
      const marks = passports.map((_, at) => (isIn(at) ? "3" : "1")).join("")
      for (const destinations of ["AAA", "BBB", "AAABBB", "ZZZ"]) {
        expect(reader.codes(writer.codes(codes, destinations), destinations)).toBe(codes)
        expect(reader.marks(writer.marks(marks, destinations), destinations)).toBe(marks)
      }
    }
  })
})

describe("rows in a bundle", () => {
  const layOut = (name: string, rows: readonly (readonly unknown[])[], fields: Record<string, string> = {}) => {
    const columns = writeColumns({ fields, lists: { [name]: rows } }, ["AAA"])
    expect(readList(columns, name, ["AAA"])).toEqual(rows)
    return columns.lists[name]
  }

  it("are read back from their columns, empty lists and plain values too", () => {
    expect(layOut("sources", [["one", "One", null, 0]])).toEqual([["one"], ["One"], " ", "0"])
    expect(layOut("zones", [])).toEqual([])
    expect(layOut("retrievedDays", [null, 20_000] as never)).toEqual([null, 20_000])
  })

  it("keep a column with numbers beyond all characters, and one that begins with a text", () => {
    const [low, high] = [-15, 0xd7cf]
    const changes = [
      ["AAA", 20_000, low, high],
      ["AAA", 19_000, low - 1, high + 1],
      ["AAA", 19_000, null, 0.5],
    ]
    expect(layOut("changes", changes)).toEqual(["011", [-20_000, 1_001], [low, low - 1, null], [high, high + 1, 0.5]])
    expect(layOut("changes", changes.slice(0, 1))).toEqual(["0", [-20_000], "!", "퟿"])
  })

  it("store a repeated condition as its number among the distinct ones", () => {
    const [first, second] = (["tourism", "business"] as const).map(purpose => ({
      kind: "purpose",
      purposes: [purpose],
    }))
    const conditions = [first, first, second, second, first].map((condition, at) => [condition, at, null])
    // The third column ends where its last value only repeats.
    expect(layOut("conditions", conditions)).toEqual([{ of: [first, second], at: "00110" }, "01234", " "])
    const others = [first, second, first].map((condition, at) => [condition, at])
    expect(layOut("conditions", others)).toEqual([{ of: [first, second, 0] }, "012"])
  })

  it("store the places of conditions in provisions as distances from the next new one", () => {
    const rows = [
      [["visa"], [0, 1]],
      [["visa"], []],
      [["permit"], [2]],
    ]
    expect(layOut("waivers", rows, { waivers: "held conditions:places" })?.[1]).toEqual([[0, 0], [], [0]])
  })
})
