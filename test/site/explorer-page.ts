/**
 * The explorer page in a real browser, for one file of tests: one server, one page, and views that are gone to by their address.
 *
 * After each test the page must have reported no fault, broken no rule of its policy, and asked nobody else for anything.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll } from "vitest"
import { buildSiteIfStale, SITE_FOLDER } from "../../site/build/build-site.ts"
import { judgeVisit } from "../../site/verdict/judge-visit.ts"
import { type Dataset, datasetOn, embeddedDataset } from "../../src/index.ts"
import { takeReadings } from "../local-time.ts"
import { leaveChromium, shareChromium } from "./chromium.ts"
import { type FurtherFiles, type SiteServer, serveSite } from "./site-server.ts"

// The launcher's library for archives works out a date while it is loaded.
takeReadings()

/** A browser draws when it can: what is drawn after a key or a click is asked for until it is there. */
export const FLOW_TIMEOUT_MS = 600_000
export const PATIENT = { timeout: FLOW_TIMEOUT_MS / 2 }
/** Not in every frame, as is usual: whoever asks for a frame has the page drawn, sixty times a second. */
export const WITHOUT_FRAMES = { polling: 50 }

/** Tells the console of what the page's policy forbids, which the browser tells nobody else. */
const TELL_OF_VIOLATIONS = `addEventListener("securitypolicyviolation", event =>
  console.error("forbidden by the policy: " + event.violatedDirective + " " + event.blockedURI))`

// A page with a service worker fetches and keeps every file of the page, which costs more than most tests: those of a page without a network
// ask for it (`WITH_SERVICE_WORKER`).
const CONTEXT: BrowserContextOptions = {
  serviceWorkers: "block",
  locale: "en-GB",
  timezoneId: "UTC",
  viewport: { width: 1280, height: 860 },
  reducedMotion: "reduce",
}

/** Of a context in which the page keeps itself. */
export const WITH_SERVICE_WORKER: BrowserContextOptions = { serviceWorkers: "allow" }

/** Goes to a view in the page that is open, until it is drawn in place of the one before: both have a heading. */
async function drawView(hash: string): Promise<void> {
  const before = location.href
  location.hash = hash
  if (location.href === before) return
  await new Promise(resolve => addEventListener("hashchange", resolve, { once: true }))
  await new Promise(resolve => setTimeout(resolve))
}

/** Unfolds what is recorded below an answer, whenever it is drawn: a view's heading may be there long before. A document is told so once. */
function unfoldRecords(): void {
  if (document.documentElement.hasAttribute("data-unfolds")) return
  document.documentElement.setAttribute("data-unfolds", "")
  const unfold = () => {
    for (const fold of document.querySelectorAll("details.more:not([data-unfolded])")) {
      fold.setAttribute("data-unfolded", "")
      fold.setAttribute("open", "")
    }
  }
  unfold()
  new MutationObserver(unfold).observe(document, { childList: true, subtree: true })
}

/**
 * Whether nothing of a view is still to come: no part of it says that it is loading, and below a map are the places. The figures of the data's page take long, and are
 * waited for by those who read them; the rows of a ranking come a few in each frame.
 */
function isWhole(): boolean {
  const loading = [...document.querySelectorAll('main p.note[role="status"]')]
  const isListed = document.querySelector("main .world") === null || document.querySelector(".place-list") !== null
  return isListed && loading.every(each => each.closest(".coverage") !== null)
}

/** What a file of tests has of the page. */
export class Explorer {
  server!: SiteServer
  browser!: Browser
  /** The page that the tests of a file share. */
  page!: Page
  faults: string[] = []
  requests: string[] = []
  /** Faults that a test expects. */
  expected: RegExp | null = null

  /** Opens a context and a page of its own, watched like the shared one. */
  async openContext(options: BrowserContextOptions = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.browser.newContext({ ...CONTEXT, ...options })
    context.setDefaultTimeout(PATIENT.timeout)
    const page = await context.newPage()
    await page.addInitScript(TELL_OF_VIOLATIONS)
    page.on("console", message => {
      if (message.type() === "error") this.faults.push(message.text())
    })
    page.on("pageerror", error => this.faults.push(String(error)))
    page.on("request", request => this.requests.push(request.url()))
    return { context, page }
  }

  /** Goes to a view and waits until all of it is there. */
  async open(view = "", { language = "en", page = this.page, base = this.server.url } = {}): Promise<void> {
    const hash = `#/${view}${view.includes("?") ? "&" : "?"}lang=${language}`
    if (page.url().split("#")[0] === base) await page.evaluate(drawView, hash)
    else await page.goto(`${base}${hash}`)
    await page.evaluate(unfoldRecords)
    await page.locator(`html[lang="${language}"]`).waitFor()
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.waitForFunction(isWhole, undefined, WITHOUT_FRAMES)
  }

  /** Waits until a country is coloured. */
  async waitForCategory(code: string, category: string, page: Page = this.page): Promise<void> {
    const place = page.locator(`.world [data-code="${code}"][data-category="${category}"]`)
    await place.first().waitFor({ state: "attached" })
  }

  /** Reads how every country is coloured. */
  readCategories(page: Page = this.page): Promise<Record<string, string>> {
    return page.evaluate(() =>
      Object.fromEntries(
        [...document.querySelectorAll<SVGElement>(".world [data-code]")].map(({ dataset: { code, category } }) => [
          String(code),
          String(category),
        ]),
      ),
    )
  }
}

/** Starts the page for the tests of a file, with files of theirs, and ends it after them. */
export function useExplorer(further: () => FurtherFiles = () => ({})): Explorer {
  const explorer = new Explorer()
  beforeAll(async () => {
    await buildSiteIfStale()
    explorer.server = await serveSite(SITE_FOLDER, further())
    explorer.browser = await shareChromium()
    takeReadings()
    explorer.page = (await explorer.openContext()).page
  })
  afterAll(async () => {
    await leaveChromium()
    await explorer.server.close()
  })
  afterEach(() => {
    const { faults, requests, expected, server } = explorer
    explorer.faults = []
    explorer.requests = []
    explorer.expected = null
    const unexpected = faults.filter(fault => expected?.test(fault) !== true)
    assert.deepStrictEqual(unexpected, [], "the page reports no fault and breaks no rule of its policy")
    const foreign = requests.filter(url => !url.startsWith(server.url) && !url.startsWith(`blob:${server.url}`))
    assert.deepStrictEqual(
      foreign.filter(url => !/^http:\/\/127\.0\.0\.1:/.test(url)),
      [],
      "nothing is asked of anybody else",
    )
  })
  return explorer
}

/** The dataset as it is today, or on another day. */
export function readDatasetOn(on = new Date().toISOString().slice(0, 10)) {
  const view = datasetOn(embeddedDataset(), on)
  return view.ok ? view.value : embeddedDataset()
}

/** The look of the verdict on a visit today, which `verdict.test.ts` holds against the engine. */
export function categoryOf(passport: string, destination: string, dataset: Dataset): string {
  const today = new Date().toISOString().slice(0, 10)
  return judgeVisit(dataset, { passports: [{ passport }] }, { destination, from: today, to: today }).look
}
