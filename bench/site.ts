/**
 * How much does the first view of the explorer page weigh, and how soon is the world coloured?
 *
 * Bytes are those of gzip at its best level, of everything that the first view loads with one language. Times are taken in the browser of the
 * tests, with the processor slowed down four times, from the navigation to the first coloured country; the median of some loads, each with
 * an empty cache. Beside it stands how long the page's thread was on a processor, which other programs on the machine do not lengthen. Run it on a
 * machine that does nothing else: `npm run bench:site`.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { buildSiteIfStale, SITE_FOLDER } from "../site/build/build-site.ts"
import { startChromium } from "../test/site/chromium.ts"
import { serveSite } from "../test/site/site-server.ts"

const BUDGET_BYTES = 200_000
const BUDGET_MS = 1_000
const SLOWDOWN = 4
const LOADS = 7

await buildSiteIfStale()
const server = await serveSite(SITE_FOLDER)
const browser = await startChromium()

interface Load {
  readonly ms: number
  /** Time on a processor of the page's thread, the slowdown included. */
  readonly busyMs: number
  readonly paths: readonly string[]
}

async function loadOnce(): Promise<Load> {
  const context = await browser.newContext({ serviceWorkers: "block", locale: "en-GB" })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN })
  const paths: string[] = []
  page.on("request", request => paths.push(new URL(request.url()).pathname))
  await page.goto(`${server.url}#/?passports=FRA`, { waitUntil: "commit" })
  const coloured = await page.waitForFunction(() =>
    document.querySelector('.world [data-category="home"]') === null ? null : performance.now(),
  )
  const ms = Number(await coloured.jsonValue())
  const { metrics } = await session.send("Performance.getMetrics")
  const busyMs = 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
  const loaded = [...paths]
  await context.close()
  return { ms, busyMs, paths: loaded }
}

const loads: Load[] = []
for (let at = 0; at < LOADS; at++) loads.push(await loadOnce())
await browser.close()
await server.close()

const fileOf = (path: string) => join(SITE_FOLDER, path === "/" ? "index.html" : path)
const weigh = (path: string) => gzipSync(readFileSync(fileOf(path)), { level: 9 }).length
const paths = [...new Set(loads[0]?.paths ?? [])].filter(path => path !== "/favicon.ico")
const rows = paths.map(path => ({ path, bytes: weigh(path) })).sort((one, other) => other.bytes - one.bytes)
const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
const order = (values: readonly number[]) => [...values].sort((one, other) => one - other)
const medianOf = (ordered: readonly number[]) => ordered[Math.floor(ordered.length / 2)] ?? Number.NaN
const times = order(loads.map(({ ms }) => ms))
const busy = order(loads.map(({ busyMs }) => busyMs))
const write = (ordered: readonly number[]) => ordered.map(ms => ms.toFixed(0)).join(" ")

for (const row of rows) process.stdout.write(`${String(row.bytes).padStart(8)} B  ${row.path}\n`)
process.stdout.write(`${String(bytes).padStart(8)} B  in all, gzip; budget ${BUDGET_BYTES}\n`)
process.stdout.write(
  `first colour at ${SLOWDOWN}x slowdown: ${write(times)} ms, median ${medianOf(times).toFixed(0)}; budget ${BUDGET_MS}\n`,
)
process.stdout.write(`on a processor until then: ${write(busy)} ms, median ${medianOf(busy).toFixed(0)}\n`)
