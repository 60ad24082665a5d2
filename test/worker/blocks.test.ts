import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Cutting, cutBlocks, type Piece, USUAL_CUTTING } from "../../adapters/batch/lines/blocks.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

async function* streamOf(chunks: readonly Uint8Array[]) {
  yield* chunks
}

const cut = async (chunks: readonly Uint8Array[], cutting: Partial<Cutting> = {}): Promise<readonly Piece[]> => {
  const pieces: Piece[] = []
  for await (const piece of cutBlocks(streamOf(chunks), { ...USUAL_CUTTING, ...cutting })) pieces.push(piece)
  return pieces
}

/** Bytes cut into chunks at arbitrary places. */
const split = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, at, all) => bytes.subarray(all[at - 1] ?? 0, end))
}

const show = (pieces: readonly Piece[]) =>
  pieces.map(piece => (piece.kind === "lines" ? [piece.firstLine, decode(piece.bytes)] : piece.line))

describe("blocks of lines", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "é", '"', ",", "\r"), maxLength: 12 })
  const places = fc.array(fc.nat(), { maxLength: 12 })

  it("hold every byte once, in order, cut at line breaks only, with the number of their first line", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        places,
        fc.integer({ min: 1, max: 40 }),
        async (lines, endsOpen, cuts, blockBytes) => {
          const text = lines.join("\n") + (endsOpen ? "" : "\n")
          const pieces = await cut(split(encode(text), cuts), { blockBytes })
          const texts = pieces.map(piece => (piece.kind === "lines" ? decode(piece.bytes) : ""))
          expect(texts.join("")).toBe(text)
          let seen = 1
          for (const [at, piece] of pieces.entries()) {
            if (piece.kind !== "lines") throw new Error("No line is too long here.")
            const own = texts[at] as string
            expect(piece.firstLine).toBe(seen)
            if (at < pieces.length - 1) expect(own.endsWith("\n")).toBe(true)
            seen += own.split("\n").length - 1
          }
        },
      ),
    )
  })

  it("omit and report lines that are too long, wherever they are cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }), places, async (lengths, cuts) => {
        const lines = lengths.map(length => "x".repeat(length))
        const pieces = await cut(split(encode(`${lines.join("\n")}\n`), cuts), { blockBytes: 8, mostLineBytes: 10 })
        const found: (string | null)[] = []
        for (const piece of pieces) {
          if (piece.kind === "too_long") found[piece.line - 1] = null
          else {
            const own = decode(piece.bytes).split("\n").slice(0, -1)
            for (const [at, each] of own.entries()) found[piece.firstLine - 1 + at] = each
          }
        }
        expect(found).toEqual(lines.map(each => (each.length + 1 > 10 ? null : each)))
      }),
    )
  })

  it("hold a line of a megabyte that comes byte by byte, in time that grows with it and not with its square", async () => {
    const bytes = encode(`${"x".repeat(USUAL_CUTTING.mostLineBytes - 1)}\n`)
    const pieces = await cut(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))
    expect(pieces).toEqual([{ kind: "lines", bytes, firstLine: 1 }])
  })

  it("begin after the skipped lines", async () => {
    const chunks = split(encode("1\n22\n333\n4444\n5"), [1, 4, 6, 9])
    expect(show(await cut(chunks, { afterLine: 0, blockBytes: 1 }))).toEqual([
      [1, "1\n"],
      [2, "22\n"],
      [3, "333\n"],
      [4, "4444\n"],
      [5, "5"],
    ])
    expect(show(await cut(chunks, { afterLine: 3 }))).toEqual([[4, "4444\n5"]])
    expect(show(await cut(chunks, { afterLine: 5 }))).toEqual([])
    expect(show(await cut(chunks, { afterLine: 2, mostLineBytes: 4 }))).toEqual([[3, "333\n"], 4, [5, "5"]])
  })

  it("have no byte order mark, in one chunk or three", async () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)
    expect(show(await cut([bytes]))).toEqual([[1, "{}"]])
    expect(show(await cut([bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]))).toEqual([[1, "{}"]])
    expect(show(await cut([encode("\u{feff}")]))).toEqual([])
    expect(show(await cut([encode("a")]))).toEqual([[1, "a"]])
    expect(show(await cut([]))).toEqual([])
  })
  it("keep the mark of another encoding, so that their first line is refused like the others", async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x0a)
    const pieces = await cut([bytes])
    expect(pieces).toEqual([{ kind: "lines", bytes: Uint8Array.from(bytes), firstLine: 1 }])
  })
})
