/** Which serious mistakes does axe find in what a page shows? */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Of long lists the first entries stand for all; drawings that are hidden from screen readers have nothing to say. */
const LEFT_OUT = [
  ".place-list li:nth-child(n + 4)",
  "tbody tr:nth-child(n + 4)",
  ".world [data-code]:nth-child(n + 20)",
  "svg[aria-hidden] > *",
]

/** Hides a part of what the page shows, also of what is drawn later; returns what shows it again. */
async function hide(page: Page, selector: string): Promise<() => Promise<void>> {
  const sheets = await page.evaluateHandle(hidden => {
    const before = [...document.adoptedStyleSheets]
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`${hidden} { display: none !important }`)
    document.adoptedStyleSheets = [...before, sheet]
    return before
  }, selector)
  return () =>
    sheets.evaluate(before => {
      document.adoptedStyleSheets = before
    })
}

/** Finds the mistakes in light, and those of contrast in dark, without most of long lists. */
export async function findMistakes(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE)
  const show = await hide(page, LEFT_OUT.join())
  const find = (rules: { readonly runOnly?: readonly string[] }) =>
    page.evaluate(async runOnly => {
      const { axe } = window as unknown as {
        axe: { run: (on: Document, options: object) => Promise<{ violations: Record<string, unknown>[] }> }
      }
      const { violations } = await axe.run(document, { resultTypes: ["violations"], ...runOnly })
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${(nodes as { html: string }[])[0]?.html.slice(0, 200)}`)
    }, rules)
  const inLight = await find({})
  await page.emulateMedia({ colorScheme: "dark" })
  const inDark = await find({ runOnly: ["color-contrast"] })
  await page.emulateMedia({ colorScheme: "light" })
  await show()
  return [...inLight, ...inDark.map(mistake => `in dark: ${mistake}`)]
}
