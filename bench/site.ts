/**
 * How heavy is the explorer page, how soon does it answer, and does anything move while it appears?
 *
 * For each view that is opened by its address: bytes of everything that it loads until no request is under way (gzip at its best level, one language), the cumulative layout shift, the
 * total blocking time (tasks beyond 50 ms) in all and from the first content on (which Lighthouse counts), when the first and the largest content were painted, and when the view was
 * there. Then a passport is added to the question, and timed until the frame with the new map. The CPU is slowed down four times; each number is the median of several loads with an empty cache. Run it on
 * an idle machine: `npm run bench -- site`.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { buildSiteIfStale, SITE_FOLDER } from "../site/build/build-site.ts"
import { startChromium } from "../test/site/chromium.ts"
import { serveSite } from "../test/site/site-server.ts"
import { amount, median } from "./measure.ts"

const SLOWDOWN = 4
const LOADS = process.argv.includes("--brief") ? 1 : amount(7, 1)
/** After this time without a request, the view counts as loaded. */
const QUIET_MS = 1_000
const BUDGET = { shift: 0.02, blockedMs: 200, colouredMs: 1_000, addMs: 200 } as const
/** Roughly what Lighthouse gives full marks for on a computer: the tool itself is not among the dependencies and is not run. */
const GOOD = { firstMs: 1_000, largestMs: 1_200 } as const

interface View {
  readonly name: string
  readonly hash: string
  /** The most bytes, gzip. */
  readonly bytes: number
  /** The selector that shows that the view is there. */
  readonly ready: string
}

const VIEWS: readonly View[] = [
  { name: "start", hash: "", bytes: 108_000, ready: "form.question" },
  { name: "map of a passport", hash: "?people=FRA", bytes: 196_000, ready: '.world [data-category="home"]' },
  { name: "pair", hash: "IND/DEU", bytes: 190_000, ready: "article.pair .verdict" },
  { name: "ranking", hash: "ranking?passports=FRA,IND", bytes: 125_000, ready: ".ranking tbody tr" },
]

await buildSiteIfStale()
const server = await serveSite(SITE_FOLDER)
const browser = await startChromium()

interface Seen {
  shift: number
  /** Where the thread was blocked: when the task began, and its time beyond 50 ms. */
  blocks: { readonly atMs: number; readonly forMs: number }[]
  /** The first paint with content, and that of the largest content. */
  firstMs: number
  largestMs: number
}

/** Watches what the browser reports of a page, from its beginning. */
const watch = (page: Page) =>
  page.addInitScript(() => {
    const seen: Seen = { shift: 0, blocks: [], firstMs: 0, largestMs: 0 }
    Object.assign(window, { seen })
    const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver(list => list.getEntries().forEach(take)).observe({ type, buffered: true })
    observe("layout-shift", entry => {
      seen.shift += (entry as unknown as { readonly value: number }).value
    })
    observe("paint", ({ name, startTime }) => {
      if (name === "first-contentful-paint") seen.firstMs = startTime
    })
    observe("largest-contentful-paint", ({ startTime }) => {
      seen.largestMs = startTime
    })
    observe("longtask", ({ startTime, duration }) => {
      seen.blocks.push({ atMs: startTime, forMs: duration - 50 })
    })
  })

interface Load extends Seen {
  readonly readyMs: number
  readonly paths: readonly string[]
}

async function loadOnce({ hash, ready }: View): Promise<Load> {
  const context = await browser.newContext({ serviceWorkers: "block", locale: "en-GB" })
  const page = await context.newPage()
  await watch(page)
  const session = await context.newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN })
  const paths: string[] = []
  page.on("request", request => paths.push(new URL(request.url()).pathname))
  await page.goto(`${server.url}#/${hash}`, { waitUntil: "commit" })
  const shown = await page.waitForFunction(
    selector => (document.querySelector(selector) === null ? null : performance.now()),
    ready,
  )
  const readyMs = Number(await shown.jsonValue())
  // What is loaded after the first frame counts too.
  for (let before = -1; before < paths.length; ) {
    before = paths.length
    await new Promise(resolve => setTimeout(resolve, QUIET_MS))
  }
  const seen = await page.evaluate(() => (window as unknown as { readonly seen: Seen }).seen)
  await context.close()
  return { ...seen, readyMs, paths }
}

/** From the question about a further passport to the frame with its colours. */
async function addPassport(): Promise<number> {
  const context = await browser.newContext({ serviceWorkers: "block", locale: "en-GB" })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await page.goto(`${server.url}#/?people=FRA+DEU`)
  await page.waitForLoadState("networkidle")
  await page.locator(".question-bar summary").first().click()
  const field = page.locator(".question").getByRole("combobox").first()
  await field.fill("india")
  await field.press("Enter")
  await page.getByRole("button", { name: "Remove: India" }).waitFor()
  await page.waitForLoadState("networkidle")
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN })
  const ms = await page.evaluate(
    () =>
      new Promise<number>(resolve => {
        const began = performance.now()
        document.querySelector<HTMLFormElement>("form.question")?.requestSubmit()
        const look = () => {
          const isColoured =
            document.querySelector('.world [data-code="IND"]')?.getAttribute("data-category") === "home"
          // This frame is painted before the next task.
          if (isColoured) setTimeout(() => resolve(performance.now() - began))
          else requestAnimationFrame(look)
        }
        look()
      }),
  )
  await context.close()
  return ms
}

const fileOf = (path: string) => join(SITE_FOLDER, path === "/" ? "index.html" : path)
const weigh = (path: string) => gzipSync(readFileSync(fileOf(path)), { level: 9 }).length
const print = (line: string) => process.stdout.write(`${line}\n`)

for (const view of VIEWS) {
  const loads: Load[] = []
  for (let at = 0; at < LOADS; at++) loads.push(await loadOnce(view))
  const paths = [...new Set(loads.at(-1)?.paths ?? [])].filter(path => path !== "/favicon.ico")
  const rows = paths.map(path => ({ path, bytes: weigh(path) })).sort((one, other) => other.bytes - one.bytes)
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  print(`${view.name}: ${bytes} B gzip in ${rows.length} files; budget ${view.bytes}`)
  for (const row of rows.slice(0, 8)) print(`  ${String(row.bytes).padStart(7)} B  ${row.path}`)
  const of = (read: (load: Load) => number) => median(loads.map(read))
  print(`  moved ${of(({ shift }) => shift).toFixed(3)}; budget ${BUDGET.shift}`)
  const blocked = (blocks: Seen["blocks"]) => blocks.reduce((sum, { forMs }) => sum + forMs, 0)
  const all = of(({ blocks }) => blocked(blocks))
  const later = of(({ blocks, firstMs }) => blocked(blocks.filter(({ atMs }) => atMs >= firstMs)))
  print(
    `  blocked ${all.toFixed(0)} ms, of these ${later.toFixed(0)} after the first content; budget ${BUDGET.blockedMs}`,
  )
  print(`  first content ${of(({ firstMs }) => firstMs).toFixed(0)} ms; good ${GOOD.firstMs}`)
  print(`  largest content ${of(({ largestMs }) => largestMs).toFixed(0)} ms; good ${GOOD.largestMs}`)
  print(`  there after ${of(({ readyMs }) => readyMs).toFixed(0)} ms; budget ${BUDGET.colouredMs}`)
}
const added: number[] = []
for (let at = 0; at < LOADS; at++) added.push(await addPassport())
const times = added.toSorted((one, other) => one - other).map(ms => ms.toFixed(0))
print(`a passport added: ${times.join(" ")} ms, median ${median(added).toFixed(0)}; budget ${BUDGET.addMs}`)
print(
  "Lighthouse is not among the dependencies: these are the parts of its score. Scores by npx stand in bench/results.",
)
await browser.close()
await server.close()
