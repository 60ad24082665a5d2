/**
 * Which colour does each country have in the picture that a messenger shows with an address?
 *
 * The map is drawn by `npm run regenerate -- pictures` and is part of the page. It contains the country of each number of its palette and the
 * meaning of each colour, so the colours are the page's and are listed nowhere else.
 */

import { crc32 } from "node:zlib"
import type { Requirement } from "../../../src/engine.ts"

/** The category of a country's colour. `plain`: the question is not about it. */
export type PictureCategory = Requirement | "home" | "unknown" | "plain"

/** Red, green and blue from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** The description in the drawn map. */
export interface WorldLegend {
  /** The countries of the palette's colours, in order. Those of the sea and of areas without a code are not codes of countries. */
  readonly codes: readonly string[]
  readonly colours: Readonly<Record<PictureCategory, Colour>>
}

/** Where the drawn map is among the files of the page. */
export const WORLD_PICTURE = "/icons/world.png"
export const PICTURE_WIDTH = 1200
export const PICTURE_HEIGHT = 630

const LEGEND = "tEXt"
const PALETTE = "PLTE"
const LEGEND_KEYWORD = "Landfall\0"

/** Writes what the map says of itself as a part of its file. */
export const writeLegend = (legend: WorldLegend): Chunk => ({
  name: LEGEND,
  bytes: Buffer.from(`${LEGEND_KEYWORD}${JSON.stringify(legend)}`, "latin1"),
})

/** Reads what the drawn map says of itself. */
export function readLegend(chunks: readonly Chunk[]): WorldLegend {
  const text = Buffer.from(chunks.find(({ name }) => name === LEGEND)?.bytes ?? []).toString("latin1")
  return JSON.parse(text.slice(LEGEND_KEYWORD.length))
}

/** Colours the drawn map (PNG): each country by the category that is given for it, `plain` where none is. */
export function colourWorld(drawn: Uint8Array, categories: ReadonlyMap<string, PictureCategory>): Uint8Array {
  const chunks = readPng(drawn)
  const { codes, colours } = readLegend(chunks)
  const painted = chunks.flatMap(chunk => {
    if (chunk.name === LEGEND) return []
    if (chunk.name !== PALETTE) return [chunk]
    const palette = Uint8Array.from(chunk.bytes)
    for (const [code, category] of categories) {
      const at = codes.indexOf(code)
      if (at >= 0) palette.set(colours[category], 3 * at)
    }
    return [{ name: PALETTE, bytes: palette }]
  })
  return writePng(painted)
}

// How does one drawn map become the picture of any passport?
// In a PNG with a palette each pixel is the number of a colour, and the palette is a chunk of its own (PNG specification, third edition,
// section 11.2.2). The map is drawn once with a number for each country. A picture is the same file with another palette, so nothing is
// drawn at run time and the pixels are never unpacked.

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Bytes of the length before a chunk's name and of the checksum after its contents, and of the name. */
const NUMBER_BYTES = 4
const NAME_BYTES = 4

/** A part of the file: a name of four letters and its contents. */
export interface Chunk {
  readonly name: string
  readonly bytes: Uint8Array
}

function writeChunk({ name, bytes }: Chunk): Buffer {
  const checked = Buffer.concat([Buffer.from(name, "latin1"), bytes])
  const [length, checksum] = [Buffer.alloc(NUMBER_BYTES), Buffer.alloc(NUMBER_BYTES)]
  length.writeUInt32BE(bytes.length)
  checksum.writeUInt32BE(crc32(checked))
  return Buffer.concat([length, checked, checksum])
}

export const writePng = (chunks: readonly Chunk[]): Buffer => Buffer.concat([SIGNATURE, ...chunks.map(writeChunk)])

/** Reads the chunks of a PNG that we wrote ourselves; checksums are not compared. */
export function readPng(png: Uint8Array): readonly Chunk[] {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.length)
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const from = at + NUMBER_BYTES + NAME_BYTES
    const to = from + bytes.readUInt32BE(at)
    chunks.push({ name: bytes.toString("latin1", at + NUMBER_BYTES, from), bytes: bytes.subarray(from, to) })
    at = to + NUMBER_BYTES
  }
  return chunks
}
