import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openTable, readRows } from "../../adapters/files/csv.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const read = (text: string | Uint8Array, delimiter = ",") =>
  [...readRows(typeof text === "string" ? encode(text) : text, 1, delimiter)].map(({ line, cells, error }) => [
    line,
    error ?? cells,
  ])
const open = (text: string) => {
  const { delimiter, rows } = openTable(encode(text))
  return [delimiter, ...[...rows].map(({ line, cells, error }) => [line, error ?? cells])]
}

const LINE_ENDS = ["\n", "\r\n", "\r"]

describe("the rows of CSV", () => {
  it("are those of csv-parse, for every line end and sign between cells", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", "é", "1", "'"), maxLength: 4 })
    const quoted = fc
      .string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", "\n", "\r\n", "x y"), maxLength: 6 })
      .map(text => `"${text.replaceAll('"', '""')}"`)
    const cell = fc.oneof(
      plain,
      quoted,
      plain.map(text => ` ${text} `),
      quoted.map(text => ` ${text} `),
    )
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        fc.constantFrom(...LINE_ENDS),
        fc.constantFrom(",", ";", "\t"),
        fc.boolean(),
        (table, lineEnd, delimiter, endsOpen) => {
          const text = table.map(cells => cells.join(delimiter)).join(lineEnd) + (endsOpen ? "" : lineEnd)
          const options = { delimiter, relax_column_count: true, trim: true, record_delimiter: lineEnd } as const
          const expected = parse(text, options).filter(cells => cells.some(each => each !== ""))
          const found = [...readRows(encode(text), 1, delimiter)].filter(({ cells }) => cells.length > 0)
          expect(found.map(({ cells }) => cells)).toEqual(expected)
        },
      ),
    )
  })

  it.each(LINE_ENDS)("have the number of the line on which they begin, lines that end with %j", lineEnd => {
    const text = ["a,1", "", '"b', "", 'b",2', "  ", ",,", "c,3"].join(lineEnd)
    expect(read(text)).toEqual([
      [1, ["a", "1"]],
      [2, []],
      [3, [`b${lineEnd}${lineEnd}b`, "2"]],
      [6, []],
      [7, []],
      [8, ["c", "3"]],
    ])
  })

  it("may end differently in one file", () => {
    expect(read("a\nb\r\nc\rd\r\r\ne\n\rf")).toEqual([
      [1, ["a"]],
      [2, ["b"]],
      [3, ["c"]],
      [4, ["d"]],
      [5, []],
      [6, ["e"]],
      [7, []],
      [8, ["f"]],
    ])
  })

  it.each([
    ['5" pipe,b', [['5" pipe', "b"]]],
    ['"a"b,c', [['"a"b', "c"]]],
    ['"a" "b",c', [['"a" "b"', "c"]]],
    ['"a""b",""', [['a"b', ""]]],
    ['"""",c', [['"', "c"]]],
    ['" a ", b ', [[" a ", "b"]]],
    ['\t"a,b"\t,c', [["a,b", "c"]]],
  ])("keep quotes that enclose no cell: %j", (text, cells) => {
    expect(read(text)).toEqual(cells.map((each, at) => [at + 1, each]))
  })

  it("name a mistake in its row, and read the rows around it", () => {
    const bytes = Buffer.concat([
      Buffer.from("é,1\n"),
      Buffer.from([0xff, 0x2c, 0x31, 0x0a]),
      Buffer.from('b,2\n"c,3\n'),
    ])
    expect(read(new Uint8Array(bytes))).toEqual([
      [1, ["é", "1"]],
      [2, "The row is not UTF-8."],
      [3, ["b", "2"]],
      [4, "The row is not CSV: a quote opens a cell and is not closed."],
    ])
  })
})

describe("a table in CSV", () => {
  const NAMES = ["a", "b"]

  it.each([
    ["a;b\n1;2\n", [";", [1, NAMES], [2, ["1", "2"]]]],
    ["a\tb\n1\t2,5\n", ["\t", [1, NAMES], [2, ["1", "2,5"]]]],
    ["a,b\n1;5,2\n", [",", [1, NAMES], [2, ["1;5", "2"]]]],
    ["\n\r\n  \na,b\n\n1,2", [",", [4, NAMES], [6, ["1", "2"]]]],
    [';;\n\n"";\n a ;b\n1;2\n;\n', [";", [4, NAMES], [5, ["1", "2"]]]],
    ["sep=;\na;b\n1,5;2\n", [";", [2, NAMES], [3, ["1,5", "2"]]]],
    ["\ufeffSEP=|\r\n\r\na|b\r\n1;5|2\r\n", ["|", [3, NAMES], [4, ["1;5", "2"]]]],
    ['"sep=,"\ra,b;c\r1,2\r', [",", [2, ["a", "b;c"]], [3, ["1", "2"]]]],
    ["sep=\t\na\tb,\n", ["\t", [2, ["a", "b,"]]]],
    ['\ufeff"a","b"\n', [",", [1, NAMES]]],
    ['"a,b";c\n1;2\n', [";", [1, ["a,b", "c"]], [2, ["1", "2"]]]],
    ['"a\nb";c\n1;2\n', [";", [1, ["a\nb", "c"]], [3, ["1", "2"]]]],
    ["a\n1\n", [",", [1, ["a"]], [2, ["1"]]]],
    ['"a,b\n1,2\n', [",", [1, "The row is not CSV: a quote opens a cell and is not closed."]]],
    ["sep=;\n", [";"]],
    ["", [","]],
    [" \r\n;;\r", [";"]],
  ])("begins with its first row that says something: %j", (text, table) => {
    expect(open(text)).toEqual(table)
  })
})
