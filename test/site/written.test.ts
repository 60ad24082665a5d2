/** Addresses of pairs and passports that the service writes: what reads them without a script is told, and the page goes on to the view. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readLegend, readPng } from "../../adapters/http/page/world-picture.ts"
import { buildSiteIfStale } from "../../site/build/build-site.ts"
import { findMapPoints } from "../../site/build/world-shapes.ts"
import { LANGUAGES } from "../../src/full.ts"
import { embeddedDataset, lookup } from "../../src/index.ts"
import { send, startTestService, type TestService } from "../http/service.ts"
import { takeReadings } from "../local-time.ts"
import { IS_WHOLE } from "../sample.ts"
import { leaveChromium, shareChromium } from "./chromium.ts"

// The launcher's library for archives works out a date while it is loaded.
takeReadings()

const TIMEOUT_MS = 600_000
const MIDDLES = findMapPoints(JSON.parse(readFileSync(join(import.meta.dirname, "../../data/countries.json"), "utf8")))
let running: TestService
let browser: Browser
beforeAll(async () => {
  await buildSiteIfStale()
  running = await startTestService()
  browser = await shareChromium()
}, TIMEOUT_MS)
afterAll(async () => {
  await leaveChromium()
  await running?.[Symbol.asyncDispose]()
})

const readText = async (path: string, sent: Readonly<Record<string, string>> = {}) => {
  const { status, headers, bytes } = await send(running.url, path, { headers: sent })
  return { status, headers, text: new TextDecoder().decode(bytes) }
}
const metaOf = (text: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(text)?.[1]

describe("the address of a pair", () => {
  it("has its title, what is needed and Open Graph's fields in what is sent", async () => {
    const { status, headers, text } = await readText("/IND/DEU")
    assert.deepStrictEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"])
    assert.match(text, /<title>[^<]*India[^<]*Germany[^<]* · Landfall<\/title>/)
    assert.lengthOf(text.match(/<title>/g) ?? [], 1)
    assert.lengthOf(text.match(/name="description"/g) ?? [], 1)
    const description = String(metaOf(text, "description"))
    assert.match(description, /^Germany: a visa is needed\./)
    assert.strictEqual(metaOf(text, "og:description"), description)
    assert.match(String(metaOf(text, "og:title")), /India/)
    assert.match(String(metaOf(text, "og:url")), /\/IND\/DEU$/)
    assert.include(text, `<noscript><h1>${metaOf(text, "og:title")}</h1><p>${description}</p>`)
    assert.notInclude(text, '="./')
  })

  it("is written in each language, from right to left where the language is", async () => {
    const descriptions = new Set<string>()
    for (const language of LANGUAGES) {
      const { status, text } = await readText(`/FRA/JPN?lang=${language}`)
      assert.strictEqual(status, 200)
      assert.include(text, `<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}">`)
      descriptions.add(String(metaOf(text, "description")))
    }
    assert.strictEqual(descriptions.size, LANGUAGES.length)
    assert.strictEqual((await readText("/FRA/JPN?lang=xx")).status, 400)
  })

  it("is not sent again to a client that has it, and answers HEAD", async () => {
    const { headers } = await readText("/IND/DEU")
    const again = await send(running.url, "/IND/DEU", { headers: { "if-none-match": String(headers.etag) } })
    assert.strictEqual(again.status, 304)
    assert.strictEqual((await send(running.url, "/IND/DEU", { method: "HEAD" })).status, 200)
  })

  it("is there for known codes only; other paths stay unknown, whatever the method", async () => {
    const unknown = [
      "/ZZZ/DEU",
      "/IND/ZZZ",
      "/ind/deu",
      "/IND/DEUX",
      "/IND/DEU/",
      "/api/v1",
      "/passport/ZZZ",
      "/passport/ind",
    ]
    for (const path of unknown) assert.strictEqual((await readText(path)).status, 404, path)
    assert.strictEqual((await send(running.url, "/some/thing", { method: "POST" })).status, 404)
    assert.strictEqual((await send(running.url, "/IND/DEU", { method: "POST" })).status, 405)
    const { text } = await readText("/IND/DEU?lang=en&x=%22%3E%3Cscript%3E")
    assert.notInclude(text, '"><script>')
  })
})

describe("the address of a passport", () => {
  it("says how many destinations ask for what", async () => {
    const { text } = await readText("/passport/IND")
    assert.match(text, /<title>India · Landfall<\/title>/)
    const { destinations } = embeddedDataset()
    const today = new Date().toISOString().slice(0, 10)
    const free = destinations.filter(code => {
      const answer = lookup("IND", code, { on: today })
      return answer.kind === "found" && answer.requirement === "visa_free" && !answer.home
    })
    assert.match(String(metaOf(text, "description")), new RegExp(`^Visa-free: ${free.length}, `))
  })
})

describe("the start", () => {
  const GRAPH = ["title", "description", "url", "image"]

  it("has Open Graph's fields for browsers and for programs that show previews, and is an index for others", async () => {
    const { text: index } = await readText("/", { accept: "application/json" })
    assert.strictEqual(JSON.parse(index).name, "landfall")
    const { text: plain } = await readText("/", { accept: "*/*", "user-agent": "curl/8.5.0" })
    assert.match(plain, /^Landfall: .*\n\nThe page: /)
    const asking = [
      { accept: "text/html" },
      { accept: "*/*", "user-agent": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)" },
      { "user-agent": "WhatsApp/2.23.20.0" },
    ]
    for (const headers of asking) {
      const { bytes } = await send(running.url, "/", { headers })
      const page = new TextDecoder().decode(bytes)
      const [title, description, url, image] = GRAPH.map(name => metaOf(page, `og:${name}`))
      assert.deepStrictEqual([title, url, image], ["Landfall", `${running.url}/`, `${running.url}/picture.png`])
      assert.strictEqual(description, metaOf(page, "description"))
    }
  })
})

describe("the picture of an address", { timeout: TIMEOUT_MS }, () => {
  const LOOKED_AT = ["IND", "DEU", "BRA", "AUS"]

  /** What a browser makes of it: its size, and the colours at the middles of countries. */
  async function lookAt(page: Page, address: string) {
    const points = LOOKED_AT.map(code => {
      const { x, y } = MIDDLES[code] ?? { x: 0, y: 0 }
      return [Math.round(x * 1.2), Math.round(y * 1.2) + 8] as const
    })
    return page.evaluate(
      async ({ address, points }) => {
        const picture = new Image()
        picture.src = address
        await picture.decode()
        const drawn = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D
        Object.assign(drawn.canvas, { width: picture.naturalWidth, height: picture.naturalHeight })
        drawn.drawImage(picture, 0, 0)
        const colours = points.map(
          ([x, y]) => `rgb(${[...drawn.getImageData(x, y, 1, 1).data.slice(0, 3)].join(", ")})`,
        )
        return { width: picture.naturalWidth, height: picture.naturalHeight, colours }
      },
      { address, points },
    )
  }

  const colourOf = (page: Page, category: string) =>
    page.evaluate(
      name => {
        document.body.style.color = `var(--${name})`
        return getComputedStyle(document.body).color
      },
      category.replaceAll("_", "-"),
    )

  /** What a destination asks of most passports of others: each counted by hand. */
  function commonestAt(destination: string, on: string): string {
    const asked = embeddedDataset().passports.flatMap(passport => {
      const answer = lookup(passport, destination, { on })
      return passport === destination || (answer.kind === "found" && answer.home)
        ? []
        : [answer.kind === "found" ? answer.requirement : "unknown"]
    })
    const timesOf = (category: string) => asked.filter(each => each === category).length
    return asked.reduce((most, each) => (timesOf(each) > timesOf(most) ? each : most))
  }

  it("shows the map in the page's colours: all of it for a passport, two countries for a pair", async () => {
    const context = await browser.newContext({ colorScheme: "light", serviceWorkers: "block" })
    const page = await context.newPage()
    await page.goto(`${running.url}/`)
    const today = new Date().toISOString().slice(0, 10)
    const categories = LOOKED_AT.map(code => {
      const answer = lookup("IND", code, { on: today })
      return answer.kind !== "found" ? "unknown" : answer.home ? "home" : answer.requirement
    })
    const ofPassport = []
    for (const category of categories) ofPassport.push(await colourOf(page, category))
    const plain = await colourOf(page, "plain")
    const ofStart = []
    for (const code of LOOKED_AT) ofStart.push(await colourOf(page, commonestAt(code, today)))
    assert.deepStrictEqual((await lookAt(page, `${running.url}/picture.png`)).colours, ofStart)
    const pictures = [
      ["/passport/IND", ofPassport],
      ["/IND/DEU", [ofPassport[0], ofPassport[1], plain, plain]],
    ] as const
    for (const [path, colours] of pictures) {
      const address = String(metaOf((await readText(path)).text, "og:image"))
      assert.deepStrictEqual(await lookAt(page, address), { width: 1200, height: 630, colours })
    }
    await context.close()
  })

  it("is a small file that may be kept for an hour and is then asked for again", async () => {
    const { status, headers, bytes } = await send(running.url, "/passport/IND/picture.png")
    assert.deepStrictEqual([status, headers["content-type"]], [200, "image/png"])
    assert.strictEqual(headers["cache-control"], "public, max-age=3600")
    assert.isBelow(bytes.length, 30_000)
    const again = await send(running.url, "/passport/IND/picture.png", {
      headers: { "if-none-match": String(headers.etag) },
    })
    assert.strictEqual(again.status, 304)
    const other = await send(running.url, "/passport/FRA/picture.png")
    assert.notStrictEqual(other.headers.etag, headers.etag)
  })

  it("is there for known codes only", async () => {
    const unknown = [
      "/passport/ZZZ/picture.png",
      "/IND/ZZZ/picture.png",
      "/ZZZ/IND/picture.png",
      "/ind/deu/picture.png",
    ]
    for (const path of unknown) assert.strictEqual((await readText(path)).status, 404, path)
  })

  it("is drawn with a number for every destination", () => {
    const drawn = readFileSync(join(import.meta.dirname, "../../site/icons/world.png"))
    const { codes } = readLegend(readPng(drawn))
    assert.deepStrictEqual(
      embeddedDataset().destinations.filter(code => !codes.includes(code)),
      [],
    )
  })
})

describe("the page at an address that the service wrote", { timeout: TIMEOUT_MS }, () => {
  it("shows the view, with its files, and goes on as at any other address", async () => {
    // Each night it keeps itself, and works without a network; in every run that is asked of the page alone (`every-view.test.ts`).
    const context = await browser.newContext({ locale: "en-GB", serviceWorkers: IS_WHOLE ? "allow" : "block" })
    const page = await context.newPage()
    const faults: string[] = []
    page.on("pageerror", error => faults.push(String(error)))
    page.on("response", response => response.status() >= 400 && faults.push(response.url()))
    await page.goto(`${running.url}/IND/DEU?lang=fr`)
    await page.getByRole("heading", { level: 1, name: "Inde" }).waitFor()
    await page.waitForURL(`${running.url}/#/IND/DEU?lang=fr`)
    await page.goto(`${running.url}/passport/IND`)
    await page.locator('.world [data-code="IND"][data-category="home"]').waitFor()
    await page.waitForURL(`${running.url}/#/?people=IND`)
    await page.goto(`${running.url}/IND/DEU#/FRA/JPN`)
    await page.getByRole("heading", { level: 1, name: "Japan" }).waitFor()
    if (IS_WHOLE) {
      await page.getByText("Everything is kept: the page works without a network.").waitFor()
      await context.setOffline(true)
      await page.goto(`${running.url}/IND/DEU?lang=fr`)
      await page.getByRole("heading", { level: 1, name: "Inde" }).waitFor()
      await page.goto(`${running.url}/passport/BRA`)
      await page.locator('.world [data-code="BRA"][data-category="home"]').waitFor()
    }
    assert.deepStrictEqual(faults, [])
    await context.close()
  })
})
