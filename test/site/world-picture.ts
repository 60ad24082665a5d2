/**
 * Draws the map that the service colours for Open Graph (`site/icons/world.png`): each country has a number of its own in the palette, and a text in the
 * file says which number is whose and which colour stands for what. The colours are those of the page.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { TOKENS } from "../../adapters/http/page/design.ts"
import {
  type Colour,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  type WorldLegend,
  writeLegend,
  writePng,
} from "../../adapters/http/page/world-picture.ts"
import { drawShapes, findMapPoints, MAP_WIDTH, type Place } from "../../site/build/world-shapes.ts"
import { REQUIREMENTS } from "../../src/engine.ts"

const ROOT = join(import.meta.dirname, "../..")
const SCALE = PICTURE_WIDTH / MAP_WIDTH
/** Above the map; what is left below it is for the name. */
const TOP = 8
const SMALL = 6
const DOT_RADIUS = 3.6
const BORDER = 0.8
/** How dark the letters are, from the sea's colour to the ink. */
const SHADES = [0.35, 0.7, 1] as const
const CATEGORIES = ["home", ...REQUIREMENTS, "unknown", "plain"] as const

/** Reads light colours of the page, by the names of its variables. */
async function readColours(browser: Browser): Promise<(name: string) => Colour> {
  const page = await browser.newPage({ colorScheme: "light" })
  await page.setContent(`<style>${TOKENS}${readFileSync(join(ROOT, "site/styles/colours.css"), "utf8")}</style>`)
  const names = ["sea", "ink", ...CATEGORIES]
  const texts = await page.evaluate(
    names =>
      names.map(name => {
        document.body.style.color = `var(--${name.replaceAll("_", "-")})`
        return getComputedStyle(document.body).color
      }),
    names,
  )
  await page.close()
  return name => {
    const [red = 0, green = 0, blue = 0] = (texts[names.indexOf(name)]?.match(/\d+/g) ?? []).map(Number)
    return [red, green, blue]
  }
}

/** The colour that stands for a number while the map is drawn. A mixture of two, where the browser smooths an edge, is the colour of none. */
const markOf = (number: number): Colour => [number, (number * 151) % 256, (number * 67) % 256]

/** An SVG whose colours stand for the numbers of the palette. */
function drawNumbers(places: readonly Place[], codes: readonly string[]): string {
  const { width, outlines } = drawShapes("50m", places)
  const fillOf = (code: string) => `fill="rgb(${markOf(codes.indexOf(code)).join(",")})"`
  const paths = Object.entries(outlines).map(([code, outline]) => `<path d="${outline}" ${fillOf(code)}/>`)
  const dots = Object.entries(findMapPoints(places))
    .filter(([, { area }]) => area < SMALL)
    .map(([code, { x, y }]) => `<circle cx="${x}" cy="${y}" r="${DOT_RADIUS}" ${fillOf(code)}/>`)
  const units = width / MAP_WIDTH
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" shape-rendering="crispEdges" stroke="#000">
    <g transform="translate(0 ${TOP}) scale(${SCALE})" stroke-width="${BORDER}">
      <g transform="scale(${1 / units})" stroke-width="${BORDER * units}">${paths.join("")}</g>
      ${dots.join("")}
    </g></svg>`
}

/** Gives the number of each pixel, row by row: of the map, and of the name over it. */
async function countPixels(browser: Browser, svg: string, marks: readonly Colour[]): Promise<readonly number[]> {
  const file = join(ROOT, "node_modules/@fontsource/newsreader/files/newsreader-latin-500-normal.woff2")
  const page = await browser.newPage()
  const numbers = await page.evaluate(
    async ({ svg, font, width, height, marks, shades }) => {
      document.fonts.add(await new FontFace("name", `url(data:font/woff2;base64,${font})`).load())
      const drawn = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D
      Object.assign(drawn.canvas, { width, height })
      const read = () => drawn.getImageData(0, 0, width, height).data
      const numberOf = new Map(marks.map((mark, number) => [mark.join(), number]))
      const picture = new Image()
      picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`
      await picture.decode()
      drawn.fillRect(0, 0, width, height)
      drawn.drawImage(picture, 0, 0)
      const areas = read()
      drawn.fillRect(0, 0, width, height)
      drawn.fillStyle = "#fff"
      drawn.font = "500 56px name"
      drawn.fillText("Landfall", 40, height - 32)
      const letters = read()
      return Array.from({ length: width * height }, (_, at) => {
        const shade = Math.round(((letters[4 * at] ?? 0) / 255) * shades)
        if (shade > 0) return marks.length + shade - 1
        return numberOf.get(areas.slice(4 * at, 4 * at + 3).join()) ?? 0
      })
    },
    {
      svg,
      font: readFileSync(file, "base64"),
      width: PICTURE_WIDTH,
      height: PICTURE_HEIGHT,
      marks,
      shades: SHADES.length,
    },
  )
  await page.close()
  return numbers
}

/** Draws it. The first numbers are those of the sea and of areas without a code; those of the codes follow, then those of the letters. */
export async function drawWorldPicture(browser: Browser): Promise<Buffer> {
  const places: readonly Place[] = JSON.parse(readFileSync(join(ROOT, "data/countries.json"), "utf8"))
  const codes = ["sea", "", ...places.map(({ code }) => code)]
  const numbers = await countPixels(
    browser,
    drawNumbers(places, codes),
    codes.map((_, at) => markOf(at)),
  )
  const colourOf = await readColours(browser)
  const [sea, ink, plain] = [colourOf("sea"), colourOf("ink"), colourOf("plain")]
  const shades = SHADES.map(share => sea.map((from, at) => Math.round(from + ((ink[at] ?? 0) - from) * share)))
  const colours = Object.fromEntries(CATEGORIES.map(name => [name, colourOf(name)])) as WorldLegend["colours"]
  const header = Buffer.alloc(13)
  header.writeUInt32BE(PICTURE_WIDTH, 0)
  header.writeUInt32BE(PICTURE_HEIGHT, 4)
  // Eight bits a pixel, with a palette.
  header.set([8, 3, 0, 0, 0], 8)
  // Before each row is the number of its filter, which is none.
  const rows = Buffer.alloc(PICTURE_HEIGHT * (PICTURE_WIDTH + 1))
  numbers.forEach((number, at) => {
    rows[Math.floor(at / PICTURE_WIDTH) * (PICTURE_WIDTH + 1) + 1 + (at % PICTURE_WIDTH)] = number
  })
  return writePng([
    { name: "IHDR", bytes: header },
    writeLegend({ codes, colours }),
    { name: "PLTE", bytes: Buffer.from([sea, ...codes.slice(1).map(() => plain), ...shades].flat()) },
    { name: "IDAT", bytes: deflateSync(rows, { level: 9 }) },
    { name: "IEND", bytes: Buffer.alloc(0) },
  ])
}
