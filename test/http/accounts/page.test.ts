import { readFileSync } from "node:fs"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startLocalStripe } from "../../../examples/payments/local-stripe.ts"
import { eventually } from "../../eventually.ts"
import { takeReadings } from "../../local-time.ts"
import { linkOf, startMailServer } from "../../mail/mail-server.ts"
import { payOnce, startFacilitator } from "../../payments/stand-in.ts"
import { share } from "../../share.ts"
import { leaveChromium, shareChromium } from "../../site/chromium.ts"
import { startTestService } from "../service.ts"

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8")

const mails = share(startMailServer)
const stripe = share(startLocalStripe)
const facilitator = share(startFacilitator)
const running = share(() =>
  startTestService({
    env: {
      LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
      ...stripe.settings,
      ...facilitator.settings,
    },
  }),
)
let browser: Browser
beforeAll(async () => {
  browser = await shareChromium()
  // Starting a browser packs files, under the hour of the machine.
  takeReadings()
})
afterAll(async () => {
  await leaveChromium()
  takeReadings()
})

/** Opens a tab of somebody else, who has no cookies yet; whatever goes wrong in it is kept. */
async function openTab(options: Parameters<Browser["newContext"]>[0] = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  page.on("pageerror", error => faults.push(error.message))
  page.on("console", message => {
    // What the policy of the page has refused.
    if (message.type() === "error" && /policy/i.test(message.text())) faults.push(message.text())
  })
  return { page, context, faults }
}

/** What axe finds on a page. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly { id: string }[] }
  return violations.map(({ id }) => id)
}

const mailsTo = async (email: string, count: number) => {
  const found = () => mails.received.filter(({ to }) => to.includes(email))
  await mails.until(() => found().length >= count)
  return found()
}

/** Presses a button of a form and waits for the page that answers it. */
const press = async (page: Page, name: string | RegExp) => {
  const button = page.getByRole("button", { name, exact: true })
  await button.focus()
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")])
}

const notice = (page: Page) => page.locator(".notice").first().innerText()

const limitOf = async (key: string) => {
  const reply = await running.ask("/api/v1/visa?passport=FRA&destination=JPN", { headers: { "x-api-key": key } })
  return reply.status === 200 ? reply.headers["x-ratelimit-limit"] : reply.status
}

describe("the page of an account, in a browser, from the keyboard", () => {
  it("can be used to register, buy a plan, manage keys, pay for a call and erase the account", async () => {
    const { page, context, faults } = await openTab()
    const refused = await running.ask("/api/v1/visa?passport=FRA&destination=JPN")
    await page.goto(String(refused.read("signup_url")))
    assert.strictEqual(await page.getByRole("heading", { level: 2 }).first().innerText(), "Register")
    await page.getByLabel("Name").fill("Ana Lima")
    await page.locator("#register-email").fill("ana@example.org")
    await press(page, "Get a key")
    assert.match(await notice(page), /^A link was mailed to ana@example\.org\./)
    const first = await page.locator(".notice code").innerText()
    assert.strictEqual(await limitOf(first), "5")

    await page.goto(linkOf((await mailsTo("ana@example.org", 1))[0]))
    // Opening the link does nothing yet.
    assert.strictEqual(await limitOf(first), "5")
    assert.deepStrictEqual(await context.cookies(), [])
    assert.deepStrictEqual(await findBarriers(page), [])
    await press(page, "Sign in")
    assert.strictEqual(new URL(page.url()).pathname, "/account")
    assert.match(await notice(page), /^Your address is confirmed\./)
    await page.getByText("Signed in as ana@example.org").waitFor()
    assert.strictEqual(await limitOf(first), 403)

    await page.getByText("Show the key").click()
    const own = await page.locator("#whole-key").innerText()
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    const shown = page.locator("#first-request")
    assert.notInclude(await shown.innerText(), own)
    await page.locator("#first-request + button").press("Enter")
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string
    assert.strictEqual(copied, `curl -H 'x-api-key: ${own}' '${running.url}/api/v1/visa?passport=IND&destination=DEU'`)
    assert.strictEqual(await limitOf(own), "100")
    await page.getByLabel("I know that the old key stops working at once.").check()
    await press(page, "Replace the key")
    assert.match(await notice(page), /^Here is the new key\./)
    const second = await page.locator(".notice code").innerText()
    assert.match(second, /^svc_visa_[\w-]{43}$/)
    assert.strictEqual(await limitOf(own), 403)

    const locked = await running.ask("/api/v1/visa/team-keys", { headers: { "x-api-key": second } })
    await page.goto(String(locked.read("upgrade_url")))
    assert.strictEqual(await page.locator("#offer").inputValue(), "business monthly")
    await press(page, "Go to the payment page")
    await page.getByRole("heading", { name: "Pay" }).waitFor()
    await press(page, "Pay")
    assert.match(await notice(page), /^Thank you\./)
    await page.getByText("Your plan: business").waitFor()
    assert.strictEqual(await limitOf(second), "1000000")

    await page.locator("#team-key-name").fill(`<img src=x onerror=alert(1)> "Tokyo"`)
    await press(page, "Make a team key")
    const teamKey = await page.locator(".notice code").innerText()
    assert.strictEqual(await limitOf(teamKey), "1000000")
    await page.goto(`${running.url}/account`)
    assert.strictEqual(await page.locator("#team-keys img").count(), 0)
    assert.notInclude(await page.content(), teamKey)
    await page.getByText("Make a webhook").first().click()
    await page.locator("#webhook-url").fill(`${running.url}/healthz?a="'&b`)
    await page.getByLabel("visa.policy_changed").check()
    await press(page, "Make a webhook")
    assert.match(await notice(page), /^Copy the secret of /)
    assert.match(await page.locator(".notice code").innerText(), /^whsec_/)
    // Nothing is received there, of which the page tells.
    const readWebhooks = Effect.promise(async () => {
      await page.goto(`${running.url}/account`)
      return page.locator("#webhook-list").innerText()
    })
    const told = await Effect.runPromise(eventually(readWebhooks, text => text.includes("HTTP 405")))
    assert.include(told, `${running.url}/healthz?a=%22%27&b`)
    assert.include(told, "on its way (HTTP 405), webhook.ping")
    await press(page, "Send a ping")
    assert.strictEqual(await notice(page), "A ping is on its way.")
    const deliveries = page.locator("#delivery-list > tbody > tr:not(.bodies)")
    assert.strictEqual(await deliveries.count(), 2)
    await page.locator("#delivery-list summary").first().click()
    assert.strictEqual(JSON.parse(await page.locator("#delivery-list pre").first().innerText()).type, "webhook.ping")
    await deliveries.first().getByRole("button", { name: "Send again" }).focus()
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")])
    assert.strictEqual(await notice(page), "The delivery is on its way again.")
    assert.deepStrictEqual(await findBarriers(page), [])
    // What was asked so far, by path and status, without anything of what it was about.
    const asked = await page.locator("#request-list").innerText()
    assert.match(asked, /GET \/api\/v1\/visa\t200\t/)
    assert.notMatch(asked, /FRA|JPN|svc_/)
    // The stand-in's price, and what was paid.
    assert.include(await page.locator("#plans").innerText(), "$9.00")
    assert.include(await page.locator("#invoice-list").innerText(), "$9.00")
    await press(page, /^Deactivate the team key/)
    assert.strictEqual(await limitOf(teamKey), 403)

    const paid = await payOnce(`${running.url}/api/x402/visa?passport=IND&destination=DEU`)
    assert.strictEqual(paid.status, 200)
    assert.strictEqual(paid.settlement.success, true)
    assert.strictEqual(facilitator.settled(), 1)

    await page.getByText("Erase the account").first().click()
    await page.locator("#erase-email").fill("ANA@example.org")
    await press(page, "Erase the account")
    assert.strictEqual(await notice(page), "The account has a subscription. End it first.")
    await press(page, "Change or end the subscription")
    await press(page, "End the subscription")
    await page.getByText("Your plan: free").waitFor()

    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download everything that is kept of this account" }).click(),
    ])
    const exported = readFileSync(await file.path(), "utf8")
    assert.strictEqual(JSON.parse(exported).data.accounts[0].email, "ana@example.org")
    assert.notInclude(exported, second)

    await page.locator("summary", { hasText: "Erase the account" }).click()
    await page.locator("#erase-email").fill("ana@example.org")
    await press(page, "Erase the account")
    assert.strictEqual(await notice(page), "The account is erased.")
    assert.deepStrictEqual(await context.cookies(), [])
    assert.strictEqual(await limitOf(second), 403)
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("brings a developer from the first page to an answer with a first key in six steps", async () => {
    const { page, context, faults } = await openTab()
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto(`${running.url}/`)
    let steps = 0
    const step = async (act: Promise<unknown>) => {
      steps++
      await act
    }
    await step(page.getByRole("link", { name: "Account" }).press("Enter"))
    await page.locator("#register-name").fill("Dan")
    await page.locator("#register-email").fill("dan@example.org")
    await step(press(page, "Get a key"))
    assert.match(await notice(page), /^A link was mailed to dan@example\.org\.[\s\S]*API key/)
    const key = await page.locator(".notice code").innerText()
    assert.deepStrictEqual(await findBarriers(page), [])
    // The label, the key and a line that works, each with its button; the forms to register are gone.
    assert.strictEqual(await page.getByRole("button", { name: "Get a key" }).count(), 0)
    await step(page.locator("#first-request + button").press("Enter"))
    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string
    const [, sent = "", asked = ""] = /^curl -H 'x-api-key: ([^']+)' '([^']+)'$/.exec(copied) ?? []
    assert.strictEqual(sent, key)
    const reply = await running.ask(asked.slice(running.url.length), { headers: { "x-api-key": sent } })
    assert.strictEqual(reply.status, 200)
    assert.match(reply.text, /"requirement":"visa_required"/)
    await step(page.getByRole("link", { name: "Reference of the API" }).first().press("Enter"))
    await page.getByRole("heading", { level: 1, name: /^HTTP API/ }).waitFor()
    // The script of the page takes the key out of the address when the page is loaded.
    await page.waitForURL(`${running.url}/docs`)
    assert.strictEqual(await page.getByLabel("Your key").inputValue(), key)
    const form = page.locator("details").first()
    await step(form.locator("summary").press("Enter"))
    await step(form.getByRole("button", { name: "Send" }).press("Enter"))
    await form.locator("output p", { hasText: " · 200 OK" }).waitFor()
    assert.strictEqual(steps, 6)
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("keeps the chosen language for pages, mails, signing in and signing out", async () => {
    const { page, context, faults } = await openTab({ locale: "de-AT" })
    await page.goto(`${running.url}/account?register`)
    await page.locator("#register-name").fill("Bea")
    await page.locator("#register-email").fill("bea@example.org")
    await page.keyboard.press("Enter")
    await page.waitForEvent("load")
    const [mail] = await mailsTo("bea@example.org", 1)
    assert.include(mail?.html, '<html lang="de">')
    await page.goto(linkOf(mail))
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "de")
    await page.locator("#lang").selectOption("fr")
    await press(page, "Wählen")
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "fr")
    await press(page, "Connexion")
    assert.match(await notice(page), /^Votre adresse est confirmée\./)
    await page.locator("#lang").selectOption("de")
    await press(page, "Choisir")
    await page.locator("#lang").selectOption("ar")
    await press(page, "Wählen")
    await page.goto(`${running.url}/account`)
    assert.strictEqual(await page.locator("html").getAttribute("dir"), "rtl")
    assert.deepStrictEqual(await findBarriers(page), [])
    const session = await context.request.get(`${running.url}/api/v1/visa/auth/ensure-key`)
    assert.strictEqual((await session.json()).user.lang, "ar")
    await page.locator("header form").last().getByRole("button").press("Enter")
    await page.waitForURL(/said=signed_out&lang=ar/)
    assert.deepStrictEqual(await context.cookies(), [])
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("fits a phone in dark mode, shows use by day with bars, and names mistakes beside the field", async () => {
    const { page, context, faults } = await openTab({ viewport: { width: 390, height: 740 }, colorScheme: "dark" })
    await page.goto(`${running.url}/account`)
    assert.deepStrictEqual(await findBarriers(page), [])
    await page.locator("#register-name").fill("Chie")
    await page.locator("#register-email").fill("chie@example")
    await press(page, "Get a key")
    const field = page.locator("#register-email")
    assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
    assert.strictEqual(await field.inputValue(), "chie@example")
    assert.deepStrictEqual(await findBarriers(page), [])
    await field.fill("chie@example.org")
    await press(page, "Get a key")
    const key = await page.locator(".notice code").innerText()
    for (const path of ["/api/v1/visa", "/api/v1/visa/check"])
      await running.ask(`${path}?passport=FRA&destination=JPN`, { headers: { "x-api-key": key } })
    await page.goto(linkOf((await mailsTo("chie@example.org", 1))[0]))
    assert.deepStrictEqual(await findBarriers(page), [])
    await press(page, "Sign in")
    await page.getByRole("heading", { name: "Requests by day" }).waitFor()
    assert.match(await page.locator("#usage").innerText(), /2 requests in all; most on .+: 2\./)
    assert.deepStrictEqual(await page.locator("#by-day tbody td").allInnerTexts(), ["2", "0", "0", ""])
    assert.strictEqual(await page.locator("#by-day meter").getAttribute("value"), "2")
    const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert.isFalse(await page.evaluate(isWider))
    assert.deepStrictEqual(await findBarriers(page), [])
    assert.deepStrictEqual(faults, [])
    await context.close()
  })
})
