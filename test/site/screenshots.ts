/**
 * Draws the pictures of docs/images anew, the page's icon in the sizes that systems ask for, and the map of the service's pictures, in the browser of the tests: `npm run regenerate -- pictures`.
 * They are to be looked at.
 *
 * A reader's system has letters for the reader's language; this browser has none but Latin ones, so that fonts with the others are added here.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildSiteIfStale, SITE_FOLDER } from "../../site/build/build-site.ts"
import { startChromium } from "./chromium.ts"
import { serveSite } from "./site-server.ts"
import { AGENT, PERMIT, VALIDITY } from "./walks.ts"
import { drawWorldPicture } from "./world-picture.ts"

const FOLDER = join(import.meta.dirname, "../../docs/images")
const TRIP = "trip?passports=GBR~2031-08-01&stops=ESP~2027-01-10~2027-02-28,ITA~2027-03-20~2027-05-10"

interface Picture {
  readonly name: string
  readonly view: string
  readonly language?: string
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
  /** Another file than the page itself. */
  readonly path?: string
}

/** Names that are drawn; all where none is given. */
const wanted = process.argv.slice(2)

const PICTURES: readonly Picture[] = [
  { name: "explorer", view: "?people=FRA,IND&from=2027-03-01&until=2027-03-14" },
  { name: "explorer-dark", view: "BRA/JPN?from=2027-03-01&until=2027-03-14", colorScheme: "dark" },
  { name: "explorer-phone", view: "DEU/IND?from=2027-02-08&until=2027-02-22", width: 390, height: 844 },
  { name: "explorer-arabic", view: "FRA/JPN", language: "ar" },
  { name: "explorer-hindi", view: "?people=IND", language: "hi" },
  { name: "explorer-trip", view: TRIP, height: 1600 },
  // What seven people ask, as test/site/walks.test.ts walks it.
  { name: "walk-us-visa", view: "IND/MEX?held=visa.USA" },
  { name: "walk-together", view: "?people=FRA,IND~visa.USA&from=2027-03-01&until=2027-03-14" },
  { name: "walk-validity", view: VALIDITY },
  { name: "walk-permit", view: PERMIT },
  { name: "walk-agent", view: AGENT, width: 390, height: 844 },
  { name: "walk-embed", view: "ranking?passports=FRA,IND", path: "embed" },
  { name: "walk-age", view: "IND/GEO" },
]

const SCRIPTS = ["arabic", "devanagari"] as const
const WEIGHTS = [400, 600] as const
const added = SCRIPTS.flatMap(script =>
  WEIGHTS.map(weight => ({ script, weight, path: `/added-${script}-${weight}.woff2` })),
)
const files = added.map(({ script, weight, path }) => {
  const name = `@fontsource/noto-sans-${script}/files/noto-sans-${script}-${script}-${weight}-normal.woff2`
  const bytes = readFileSync(join(import.meta.dirname, "../../node_modules", name))
  return [path, { type: "font/woff2", bytes }] as const
})
const faces = added.map(
  ({ script, weight, path }) =>
    `@font-face { font-family: "added ${script}"; font-weight: ${weight}; src: url("${path}") format("woff2") }`,
)
const STYLE_PATH = "/added.css"
const style = `${faces.join("\n")}
* { font-family: "Open Sans", "added arabic", "added devanagari" !important }`

mkdirSync(FOLDER, { recursive: true })
const browser = await startChromium()

const ICONS = join(import.meta.dirname, "../../site/icons")
const icon = readFileSync(join(ICONS, "landfall.svg"), "utf8")
for (const size of [192, 512]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>html, body { margin: 0 } svg { display: block; width: 100vw }</style>${icon}`)
  await page.screenshot({ path: join(ICONS, `landfall-${size}.png`) })
  await page.close()
}
writeFileSync(join(ICONS, "world.png"), await drawWorldPicture(browser))

await buildSiteIfStale()
const server = await serveSite(SITE_FOLDER, {
  ...Object.fromEntries(files),
  [STYLE_PATH]: { type: "text/css", bytes: style },
})
for (const { name, view, path = "", language = "en", colorScheme = "light", width = 1280, height = 800 } of PICTURES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" })
  const page = await context.newPage()
  await page.goto(`${server.url}${path}#/${view}${view.includes("?") ? "&" : "?"}lang=en`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("networkidle")
  if (language !== "en") {
    await page.evaluate(async href => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href })
      await new Promise(resolve => {
        link.addEventListener("load", resolve)
        document.head.append(link)
      })
      await Promise.all([...document.fonts].map(face => face.load()))
      for (let turn = 0; turn < 2; turn++) await new Promise(requestAnimationFrame)
    }, STYLE_PATH)
    await page.locator("select:has(option[lang])").selectOption(language)
    await page.locator(`html[lang=${language}]`).waitFor()
    await page.waitForLoadState("networkidle")
  }
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), type: "jpeg", quality: 80 })
  await context.close()
}
await browser.close()
await server.close()
