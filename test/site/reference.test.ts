import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestService, type TestService } from "../http/service.ts"
import { takeReadings } from "../local-time.ts"
import { leaveChromium, shareChromium } from "./chromium.ts"

// The launcher's library for archives works out a date while it is loaded.
takeReadings()

let running: TestService
let browser: Browser
beforeAll(async () => {
  running = await startTestService()
  browser = await shareChromium()
})
afterAll(async () => {
  await leaveChromium()
  await running?.[Symbol.asyncDispose]()
})

describe("the reference, in a browser", () => {
  it("removes a key from its address, and its first form is answered", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
    const refused: string[] = []
    const asked: string[] = []
    page.on("console", message => {
      if (/Content Security Policy|Refused to/.test(message.text())) refused.push(message.text())
    })
    page.on("pageerror", error => refused.push(String(error)))
    page.on("request", request => asked.push(new URL(request.url()).origin))
    await page.goto(`${running.url}/docs#key=${running.keys.pro}`)
    await page.waitForURL(`${running.url}/docs`)
    assert.strictEqual(await page.getByLabel("Your key").inputValue(), running.keys.pro)
    const first = page.locator("details").first()
    await first.locator("summary").click()
    await first.getByRole("button", { name: "Send" }).click()
    await first.locator("output p", { hasText: " · 200 OK" }).waitFor()
    await first.locator("output pre", { hasText: '"requirement": ' }).waitFor()
    for (const [id, words] of [
      ["decision", '"verdict": '],
      ["lookupVisa", '"requirement'],
    ] as const) {
      await page.goto(`${running.url}/docs#${id}`)
      const form = page.locator(`#${id} form`)
      await form.getByRole("button", { name: "Send" }).click()
      await form.locator("output pre", { hasText: words }).waitFor()
    }
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true
    })
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0)
    assert.deepStrictEqual([...new Set(asked)], [new URL(running.url).origin])
    assert.deepStrictEqual(refused, [])
    await page.close()
  })

  it("shows a stream while it is open, and ends it on request", async () => {
    const page = await browser.newPage()
    await page.goto(`${running.url}/docs#key=${running.keys.pro}`)
    await page.goto(`${running.url}/docs#live`)
    const form = page.locator("#live form")
    await form.getByRole("button", { name: "Send" }).click()
    await form.locator("output p", { hasText: " · 200 OK" }).waitFor()
    await form.getByRole("button", { name: "Stop" }).click()
    await form.locator("output p", { hasText: " · stopped" }).waitFor()
    await page.close()
  })
})
