import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestService, type TestService } from "../http/service.ts"
import { takeReadings } from "../local-time.ts"
import { startChromium } from "./chromium.ts"

// The launcher's library for archives works out a date while it is loaded.
takeReadings()

let running: TestService
let browser: Browser
beforeAll(async () => {
  running = await startTestService()
  browser = await startChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await running?.[Symbol.asyncDispose]()
})

describe("the rendered reference, in a browser", () => {
  it("is drawn with its styles under a policy without exceptions, and breaks none of it", async () => {
    const page = await browser.newPage()
    const refused: string[] = []
    page.on("console", message => {
      if (/Content Security Policy|Refused to/.test(message.text())) refused.push(message.text())
    })
    page.on("pageerror", error => refused.push(String(error)))
    await page.goto(`${running.url}/docs`)
    const operation = page.getByText("Quick check of one pair").first()
    await operation.waitFor({ timeout: 60_000 })
    await operation.click()
    await page
      .getByRole("button", { name: /test request/i })
      .first()
      .click()
    await page.getByText("Send", { exact: true }).first().waitFor({ timeout: 60_000 })
    // Sheets were adopted: without them everything stands in one column in the browser's own letters.
    const [sheets, family] = await page.evaluate(() => [
      document.adoptedStyleSheets.length,
      getComputedStyle(document.querySelector(".references-layout, .scalar-app") ?? document.body).display,
    ])
    assert.isAbove(Number(sheets), 0)
    assert.notStrictEqual(family, "inline")
    assert.deepStrictEqual(refused, [])
    await page.close()
  })
})
