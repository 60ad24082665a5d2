/**
 * Which colour does each country have in the picture that a messenger shows with an address?
 *
 * The map is drawn by `npm run regenerate -- pictures` and is part of the page. It contains the country of each number of its palette and the
 * meaning of each colour, so the colours are the page's and are listed nowhere else.
 */
import type { Requirement } from "../../../src/engine.ts"
import { type Chunk, readPng, writePng } from "./indexed-png.ts"

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
