/** The elements of `landfall/elements` in somebody else's page, in a real browser, under a policy that allows nothing but scripts of its own host. */
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join, relative } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { virtualModules } from "../../site/build/virtual-modules.ts"
import { LANGUAGES } from "../../src/full.ts"
import { decide, embeddedDataset, lookupRequirement, REQUIREMENTS } from "../../src/index.ts"
import { takeReadings } from "../local-time.ts"
import { startChromium } from "./chromium.ts"

const ROOT = join(import.meta.dirname, "../..")
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8")
/** No style, no picture and no connection is allowed, and no text may become markup or script. */
const POLICY =
  "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'"

/** What the page that shows an element loads for it at most, in bytes gzipped: without what another element needs. */
const MOST_BYTES = { map: 65_000, answer: 42_000, trip: 120_000 }

const ATTRIBUTES = 'passport="FRA" passports="FRA" destination="JPN" stops="JPN 2027-06-10 2027-06-20"'

let server: Server
let url = ""
let browser: Browser
let page: Page
let body = ""
/** The scripts that were sent since the page was opened, gzipped. */
let sentBytes = 0
const faults: string[] = []
const requests: string[] = []

beforeAll(async () => {
  takeReadings()
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { elements: "site/elements/elements.ts" },
    outdir: join(ROOT, "out"),
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2023",
    charset: "utf8",
    plugins: [virtualModules],
  })
  const files = new Map<string, string | Uint8Array>(
    outputFiles.map(({ path, contents }) => [`/${relative(join(ROOT, "out"), path)}`, contents]),
  )
  files.set("/page.js", 'import { defineElements } from "./elements.js"; defineElements(); defineElements()')
  server = createServer((request, response) => {
    const path = String(request.url)
    const file = files.get(path)
    if (path === "/") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY })
      return response.end(
        `<!doctype html><html lang="fr"><title>Elsewhere</title><main><h1>Elsewhere</h1>${body}</main><script type="module" src="/page.js"></script>`,
      )
    }
    if (file === undefined) return response.writeHead(404).end()
    const packed = gzipSync(file, { level: 9 })
    sentBytes += packed.length
    response.writeHead(200, {
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "no-store",
    })
    return response.end(packed)
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await startChromium()
  page = await browser.newPage({ locale: "en-GB", timezoneId: "UTC" })
  page.on("pageerror", error => faults.push(String(error)))
  page.on("console", message => {
    // The page itself has no icon.
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) faults.push(message.text())
  })
  page.on("request", request => requests.push(request.url()))
  takeReadings()
})
afterAll(async () => {
  await browser?.close()
  await new Promise(resolve => server.close(resolve))
})

/** Opens a page with elements, and waits until each has drawn itself. Gives the bytes of the scripts that it loaded. */
async function open(markup: string): Promise<number> {
  body = markup
  requests.length = 0
  faults.length = 0
  sentBytes = 0
  await page.goto(url)
  for (const element of await page.locator("landfall-map, landfall-answer, landfall-trip").all())
    await element.locator("[part=note], [part=unknown], [part=mistakes]").first().waitFor()
  return sentBytes
}

const assertClean = () => {
  assert.deepStrictEqual(faults, [])
  for (const request of requests) assert.isTrue(request.startsWith(url), request)
}

describe("elements in another page", () => {
  it("load no more than their bounds", async () => {
    for (const [name, most] of Object.entries(MOST_BYTES)) {
      const bytes = await open(`<landfall-${name} lang="en" ${ATTRIBUTES}></landfall-${name}>`)
      assert.isAtMost(bytes, most, name)
    }
  })

  it("answer in the language of what they stand in, or of their own, and ask no other host", async () => {
    await open(
      '<landfall-answer passport="FRA" destination="JPN"></landfall-answer><landfall-answer lang="ar" passport="fra" destination="jpn"></landfall-answer>',
    )
    const [own, arabic] = [page.locator("landfall-answer").first(), page.locator("landfall-answer").last()]
    await own.getByText("Sans visa, 90 jours").waitFor()
    await own.getByText("Passeport").waitFor()
    assert.strictEqual(await arabic.locator("div").first().getAttribute("dir"), "rtl")
    assertClean()
  })

  it("answer anew when an attribute changes, for its day, and say what is not known or not readable", async () => {
    await open('<landfall-answer passport="FRA" destination="JPN" lang="en"></landfall-answer>')
    const element = page.locator("landfall-answer")
    const set = (attributes: Record<string, string>) =>
      element.evaluate((node, given) => {
        for (const [name, value] of Object.entries(given)) node.setAttribute(name, value)
      }, attributes)
    await element.getByText("Visa-free, 90 days").waitFor()
    await set({ passport: "IND", destination: "USA" })
    await element.getByText("Visa required").waitFor()
    await set({ passport: "ZZZ" })
    await element.getByText("No passport with this code is recorded.").waitFor()
    await set({ passport: "IND", destination: "<img src=x>" })
    await element.getByText("No destination with this code is recorded.").waitFor()
    await set({ destination: "USA", on: "yesterday" })
    await element.locator("p[part=mistakes][lang=en]").waitFor()
    assertClean()
  })

  it("draw the world as the engine answers, with every country in a list, and pass axe", async () => {
    await open('<landfall-map passports="IND,GBR" on="2026-12-01" lang="en"></landfall-map>')
    const map = page.locator("landfall-map")
    const dataset = embeddedDataset()
    const ranks = [...REQUIREMENTS, "unknown"]
    const expected = new Map<string, number>()
    for (const destination of dataset.destinations) {
      const answers = ["IND", "GBR"].map(passport => lookupRequirement(dataset, passport, destination))
      const found = answers.flatMap(answer => (answer.kind === "found" ? [answer] : []))
      const best = found.some(({ home }) => home)
        ? "home"
        : (ranks[Math.min(ranks.length - 1, ...found.map(({ requirement }) => ranks.indexOf(requirement)))] as string)
      expected.set(best, (expected.get(best) ?? 0) + 1)
    }
    const legend = await map.locator(".legend li").allInnerTexts()
    assert.deepStrictEqual(
      legend.map(text => Number(text.split(":").at(-1))).sort((one, other) => one - other),
      [...expected.values()].sort((one, other) => one - other),
    )
    await map.getByText("Every destination").click()
    assert.strictEqual(await map.locator(".all li").count(), dataset.destinations.length)
    await map.locator(".all").getByText("Japan: Visa-free").waitFor()
    assertClean()
    // Under the policy of the page no script of a test runs inside it.
    const own = await browser.newPage({ bypassCSP: true })
    await own.goto(url)
    await own.locator("landfall-map svg").first().waitFor()
    await own.evaluate(AXE)
    const { violations } = (await own.evaluate("axe.run()")) as { violations: readonly { id: string }[] }
    assert.deepStrictEqual(
      violations.map(({ id }) => id),
      [],
    )
    await own.close()
  })

  it("judge a trip, and load the rules only for one", async () => {
    await open(
      '<landfall-trip lang="en" passports="IND" stops="FRA 2027-06-10 2027-06-20, JPN 2027-06-21 2027-06-30"></landfall-trip>',
    )
    const trip = page.locator("landfall-trip")
    const judged = decide(embeddedDataset(), {
      passport: "IND",
      stops: [
        { destination: "FRA", from: "2027-06-10", to: "2027-06-20" },
        { destination: "JPN", from: "2027-06-21", to: "2027-06-30" },
      ],
    })
    assert(judged.ok && judged.value.kind === "decided")
    const count = judged.value.toDo.filter(({ due }) => due === "before_departure").length
    await trip.getByText(`To obtain before you travel: ${count}`).waitFor()
    await trip.getByText("France: A visa is needed before travel.").waitFor()
    await trip.evaluate(node => node.setAttribute("stops", "FRA 2027-06-20 2027-06-10"))
    await trip.getByText("This cannot be judged.").waitFor()
    assertClean()
    await open('<landfall-answer passport="FRA" destination="JPN"></landfall-answer>')
    await page.getByText("Sans visa").waitFor()
    assert.strictEqual(requests.filter(request => request.includes("trip")).length, 0)
  })

  it("take their colours from variables of the page, and fit a phone", async () => {
    await open('<landfall-map passports="FRA" lang="de"></landfall-map>')
    const free = page.locator("landfall-map path.visa_free").first()
    await page.setViewportSize({ width: 320, height: 700 })
    await page.locator("landfall-map").evaluate(node => {
      ;(node as HTMLElement).style.setProperty("--landfall-visa-free", "rgb(1, 2, 3)")
    })
    assert.strictEqual(await free.evaluate(node => getComputedStyle(node).fill), "rgb(1, 2, 3)")
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.isAtMost(beyond, 0)
    assertClean()
  })

  it("speak every language without a gap", async () => {
    const markup = LANGUAGES.map(
      language =>
        `<landfall-answer lang="${language}" passport="FRA" destination="JPN"></landfall-answer><landfall-trip lang="${language}" passports="FRA" stops="JPN 2027-06-10 2027-06-20"></landfall-trip>`,
    ).join("")
    await open(markup)
    for (const element of await page.locator("landfall-answer, landfall-trip").all()) {
      await element.locator("[part=note]").first().waitFor()
      assert.notMatch(await element.locator("div").first().innerText(), /[{}]|undefined|\b\w+\.\w+_\w+\b/)
    }
    assertClean()
  })
})
