import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readTable, streamTable } from "../../adapters/files/csv.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const show = (
  rows: readonly { readonly line: number; readonly cells: readonly string[]; readonly error: string | null }[],
) => rows.map(({ line, cells, error }) => [line, error ?? cells])
const read = (text: string | Uint8Array) => show(readTable(typeof text === "string" ? encode(text) : text))
const stream = async (bytes: Uint8Array, sizes: readonly number[] = [], encoding?: string) => {
  const chunks = (async function* () {
    let from = 0
    for (const size of [...sizes, bytes.length]) {
      yield bytes.subarray(from, from + size)
      from += size
    }
  })()
  const rows = []
  for await (const some of streamTable(chunks, encoding)) rows.push(...some)
  return rows
}

const LINE_ENDS = ["\n", "\r\n", "\r"]

describe("the rows of CSV", () => {
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

  it("are those of csv-parse, for every line end and sign between cells, in whatever chunks they arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 8 }),
        fc.constantFrom(...LINE_ENDS),
        fc.constantFrom(",", ";", "\t"),
        fc.boolean(),
        fc.array(fc.nat({ max: 12 }), { maxLength: 12 }),
        async (table, lineEnd, delimiter, endsOpen, sizes) => {
          const text =
            [["n1", "n2", "n3", "n4", "n5"], ...table].map(cells => cells.join(delimiter)).join(lineEnd) +
            (endsOpen ? "" : lineEnd)
          const options = { delimiter, relax_column_count: true, trim: true, record_delimiter: lineEnd } as const
          const expected = parse(text, options).filter(cells => cells.some(each => each !== ""))
          expect(readTable(encode(text)).map(({ cells }) => cells)).toEqual(expected)
          const streamed = await stream(encode(text), sizes)
          expect(streamed.filter(({ cells }) => cells.length > 0).map(({ cells }) => cells)).toEqual(expected)
        },
      ),
    )
  })

  it.each(LINE_ENDS)("have the number of the line on which they begin, lines that end with %j", async lineEnd => {
    const text = ["a,1", "", '"b', "", 'b",2', "  ", ",,", "c,3"].join(lineEnd)
    const rows = [
      [1, ["a", "1"]],
      [3, [`b${lineEnd}${lineEnd}b`, "2"]],
      [8, ["c", "3"]],
    ]
    expect(read(text)).toEqual(rows)
    expect(show(await stream(encode(text), [3, 4]))).toEqual([rows[0], [2, []], rows[1], [6, []], [7, []], rows[2]])
  })

  it("may end differently in one file", async () => {
    expect(show(await stream(encode("a\nb\r\nc\rd\r\r\ne\n\rf"), [4, 1, 1, 1]))).toEqual([
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

  it("have the place behind them, in bytes", async () => {
    expect((await stream(encode('é,1\r\n"b\n",2\nc'), [1])).map(({ end }) => end)).toEqual([6, 13, 14])
  })

  it.each([
    ['5" pipe,b', [['5" pipe', "b"]]],
    ['"a""b",""', [['a"b', ""]]],
    ['"""",c', [['"', "c"]]],
    ['" a ", b ', [[" a ", "b"]]],
    ['\t"a,b"\t,c', [["a,b", "c"]]],
  ])("keep quotes that enclose no cell: %j", (text, cells) => {
    expect(read(`x,y\n${text}`).slice(1)).toEqual(cells.map((each, at) => [at + 2, each]))
  })

  it("name a cell that is not text, and the rows around it are read", () => {
    const bytes = Buffer.concat([Buffer.from("é,1\n1,"), Buffer.from([0xff, 0x0a]), Buffer.from("b,2\n")])
    expect(read(new Uint8Array(bytes))).toEqual([
      [1, ["é", "1"]],
      [2, "Column 2 is not UTF-8."],
      [3, ["b", "2"]],
    ])
  })

  it.each([
    ['a,b\n1,"2\n3,4\n', "line 2, column 2: a quote opens the cell and is not closed."],
    [
      'a,b\n1,"2" 3\n',
      "line 2, column 2: something follows the closing quote, where a sign between cells is expected.",
    ],
    [
      `a,b\n1,2\n"${"x".repeat(1_100_000)}`,
      "line 3, column 1: the row is longer than 1 MiB: its quote is probably not closed.",
    ],
    ['"a,b\n1,2\n', "line 1, column 1: a quote opens the cell and is not closed."],
  ])("are refused as a whole, with line and column, where nobody knows which follow: %#", async (text, message) => {
    expect(() => readTable(encode(text))).toThrow(message)
    await expect(stream(encode(text), [5, 3])).rejects.toThrow(message)
  })
})

describe("a table in CSV", () => {
  const NAMES = ["a", "b"]

  it.each([
    [
      "a;b\n1;2\n",
      [
        [1, NAMES],
        [2, ["1", "2"]],
      ],
    ],
    [
      "a\tb\n1\t2,5\n",
      [
        [1, NAMES],
        [2, ["1", "2,5"]],
      ],
    ],
    [
      "a,b\n1;5,2\n",
      [
        [1, NAMES],
        [2, ["1;5", "2"]],
      ],
    ],
    [
      "a;b;c, d\n1;2;3\n",
      [
        [1, ["a", "b", "c, d"]],
        [2, ["1", "2", "3"]],
      ],
    ],
    [
      "\n\r\n  \na,b\n\n1,2",
      [
        [4, NAMES],
        [6, ["1", "2"]],
      ],
    ],
    [
      ';;\n\n"";\n a ;b\n1;2\n;\n',
      [
        [4, NAMES],
        [5, ["1", "2"]],
      ],
    ],
    [
      "sep=;\na;b\n1,5;2\n",
      [
        [2, NAMES],
        [3, ["1,5", "2"]],
      ],
    ],
    [
      "\ufeffSEP=|\r\n\r\na|b\r\n1;5|2\r\n",
      [
        [3, NAMES],
        [4, ["1;5", "2"]],
      ],
    ],
    [
      '"sep=,"\ra,b;c\r1,2\r',
      [
        [2, ["a", "b;c"]],
        [3, ["1", "2"]],
      ],
    ],
    ["sep=\t\na\tb,\n", [[2, ["a", "b,"]]]],
    ["\r\nsep=;\r\na;b\r\n", [[3, NAMES]]],
    ['\ufeff"a","b"\n', [[1, NAMES]]],
    [
      '"a,b";c\n1;2\n',
      [
        [1, ["a,b", "c"]],
        [2, ["1", "2"]],
      ],
    ],
    [
      '"a\nb";c\n1;2\n',
      [
        [1, ["a\nb", "c"]],
        [3, ["1", "2"]],
      ],
    ],
    [
      "a\n1\n",
      [
        [1, ["a"]],
        [2, ["1"]],
      ],
    ],
    ["sep=;\n", []],
    ["", []],
    [" \r\n;;\r", []],
  ])("begins with its first row that says something: %j", async (text, table) => {
    expect(read(text)).toEqual(table)
    const streamed = (await stream(encode(text), [2, 1, 7])).filter(({ cells }) => cells.length > 0)
    expect(show(streamed)).toEqual(table)
  })

  it.each([
    ["utf-16le", [0xff, 0xfe], undefined],
    ["utf-16be", [0xfe, 0xff], undefined],
  ] as const)("may be %s with its mark, as Excel saves text", async (_, mark, encoding) => {
    const text = Buffer.from("naïve\tb\r\n東京\t2\r\n", "utf16le")
    if (mark[0] === 0xfe) text.swap16()
    const bytes = new Uint8Array(Buffer.concat([Buffer.from(mark), text]))
    expect(show(await stream(bytes, [1, 2, 4], encoding))).toEqual([
      [1, ["naïve", "b"]],
      [2, ["東京", "2"]],
    ])
    expect(read(bytes)).toEqual([
      [1, ["naïve", "b"]],
      [2, ["東京", "2"]],
    ])
  })

  it("is read in another encoding only where it is named", async () => {
    const bytes = new Uint8Array(Buffer.from("n;p\nRen\xe9e;1\n", "latin1"))
    expect(show(await stream(bytes, [4], "windows-1252"))).toEqual([
      [1, ["n", "p"]],
      [2, ["Renée", "1"]],
    ])
    expect(show(await stream(bytes))).toEqual([
      [1, ["n", "p"]],
      [2, expect.stringContaining("Column 1 is not UTF-8.")],
    ])
    await expect(stream(bytes, [], "no-such")).rejects.toThrow(RangeError)
  })
})
