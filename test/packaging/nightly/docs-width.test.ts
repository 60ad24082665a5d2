/** The documentation on a phone: no page is wider than the screen, and a table that is wider scrolls in its own box. */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startChromium } from "../../site/chromium.ts"

const FOLDER = "dist-docs"
const TYPES: Readonly<Record<string, string>> = { ".css": "text/css", ".js": "text/javascript", ".html": "text/html" }

let server: Server
let browser: Browser
beforeAll(async () => {
  execFileSync("npm", ["run", "docs"], { stdio: "ignore" })
  server = createServer(({ url = "/" }, response) => {
    const path = decodeURI(url.split("?")[0] as string)
    try {
      const text = readFileSync(join(FOLDER, path))
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream").end(text)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
  server.close()
})

it("fits a screen of 390 pixels on every page, tables in boxes of their own", async () => {
  const pages = globSync("**/*.html", { cwd: FOLDER }).sort()
  expect(pages.length).toBeGreaterThan(50)
  const { port } = server.address() as AddressInfo
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await context.newPage()
  const mistakes: string[] = []
  for (const path of pages) {
    await page.goto(`http://127.0.0.1:${port}/${encodeURI(path)}`)
    // What sticks out of the screen and out of no box that scrolls.
    const found = await page.evaluate(() => {
      const isBoxed = (element: Element): boolean =>
        /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) ||
        (element.parentElement !== null && element.parentElement !== document.body && isBoxed(element.parentElement))
      const content = document.querySelector(".vp-doc") ?? document.body
      const wide = [...content.querySelectorAll("*")].filter(
        element => element.getBoundingClientRect().right > window.innerWidth + 1 && !isBoxed(element),
      )
      const page = document.documentElement.scrollWidth > window.innerWidth ? ["the page scrolls sideways"] : []
      return [...page, ...wide.slice(0, 2).map(element => element.outerHTML.slice(0, 90))]
    })
    mistakes.push(...found.map(text => `${path}: ${text}`))
  }
  expect(mistakes).toEqual([])
})
