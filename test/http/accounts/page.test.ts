import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { takeReadings } from "../../local-time.ts"
import { linkOf, startMailServer } from "../../mail/mail-server.ts"
import { startChromium } from "../../site/chromium.ts"
import { startTestService } from "../service.ts"

describe("the page of an account", () => {
  it("signs in by the mailed link, shows and replaces the key, and signs out, from the keyboard", async () => {
    await using mails = await startMailServer()
    await using running = await startTestService({ env: { LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}` } })
    const registered = await running.ask("/api/v1/visa/register", {
      method: "POST",
      body: JSON.stringify({ name: "Ana", email: "ana@example.org" }),
    })
    const key = registered.read("api_key") as string
    const browser = await startChromium()
    // Starting a browser packs files, under the hour of the machine.
    takeReadings()
    try {
      const page = await browser.newPage()
      const faults: string[] = []
      page.on("pageerror", error => faults.push(error.message))
      page.on("dialog", dialog => dialog.accept())
      await page.goto(`${running.url}/account`)
      await page.getByLabel("E-mail address").fill("ana@example.org")
      await page.keyboard.press("Enter")
      await page.getByText("a link to sign in was mailed to it").waitFor()
      await mails.until(({ length }) => length === 2)
      await page.goto(linkOf(mails.received[1]))
      assert.strictEqual(new URL(page.url()).pathname, "/account")
      await page.getByRole("heading", { name: "ana@example.org" }).waitFor()
      assert.strictEqual(await page.locator("#key").textContent(), key)
      await page.getByRole("row").nth(1).waitFor()
      await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"))
      const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly { id: string }[] }
      assert.deepStrictEqual(
        violations.map(({ id }) => id),
        [],
      )
      await page.getByRole("button", { name: "Replace the key" }).focus()
      await page.keyboard.press("Enter")
      await page.getByText("The old key opens nothing any more").waitFor()
      const replaced = await page.locator("#key").textContent()
      assert.match(String(replaced), /^svc_visa_[\w-]{43}$/)
      assert.notStrictEqual(replaced, key)
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      assert.strictEqual(await page.locator("#key").textContent(), "")
      assert.deepStrictEqual(faults, [])
    } finally {
      await browser.close()
      takeReadings()
    }
  })

  it("loads nothing from elsewhere and stands in nobody's frame", async () => {
    await using running = await startTestService()
    const reply = await running.ask("/account")
    assert.match(String(reply.headers["content-security-policy"]), /^default-src 'self'; .*frame-ancestors 'none'$/)
    assert.strictEqual(reply.headers["x-frame-options"], "DENY")
    assert.notMatch(reply.text, /https?:/)
    for (const path of ["/account.js", "/account.css"]) assert.strictEqual((await running.ask(path)).status, 200)
  })
})
