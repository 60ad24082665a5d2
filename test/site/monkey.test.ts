/**
 * Somebody who presses, types and goes anywhere: the page never throws, never breaks its policy, and always keeps its header.
 *
 * A seed draws the actions, so that a run can be repeated; each night draws 3,000 of them.
 */
import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { FLOW_TIMEOUT_MS, useExplorer } from "./explorer-page.ts"

const ACTIONS = IS_WHOLE ? 3_000 : 40
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
/** The time for one action, on a machine that has much else to do. */
const ACTION_MS = 1_000

const VIEWS = [
  "",
  "?people=IND",
  "FRA/JPN",
  "IND/DEU?from=2027-03-01",
  "trip",
  "ranking?passports=FRA",
  // Its figures are counted for seconds, in each language again.
  ...(IS_WHOLE ? ["data"] : []),
]
const TEXTS = [
  "india",
  "fr",
  "<b>x</b>",
  "2027-03-01",
  "ß٣日本",
  "-1",
  "a".repeat(300),
  "Spain\t2026-03-01\t2026-03-14",
]
const KEYS = ["Tab", "Enter", "Escape", "ArrowDown", "ArrowUp", "Home", "End", "Backspace", "Space", "Shift+Tab"]
const LANGUAGES = ["en", "ar", "de", "ja", "th"]

const explorer = useExplorer()

/** Draws whole numbers below a bound; the same ones for a seed. */
function drawFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Presses or fills in one of the controls that are in sight; returns what it was. */
const touch = (page: Page, at: number, text: string) =>
  page.evaluate(
    ([place, written]) => {
      const all = [
        ...document.querySelectorAll<HTMLElement>(
          "a[href^='#']:not(.skip), button:not(:disabled), summary, input, select, textarea, [role=option], [role=slider], .world [data-code]",
        ),
      ].filter(each => each.checkVisibility())
      const chosen = all[place % all.length]
      if (chosen === undefined) return "nothing"
      const change = (type: string) => chosen.dispatchEvent(new Event(type, { bubbles: true }))
      if (chosen instanceof HTMLSelectElement) {
        chosen.selectedIndex = place % chosen.options.length
        change("change")
      } else if (
        chosen instanceof HTMLTextAreaElement ||
        (chosen instanceof HTMLInputElement && /text|search|date|number/.test(chosen.type))
      ) {
        chosen.focus()
        chosen.value = written
        change("input")
        change("change")
      } else if (chosen instanceof HTMLInputElement && chosen.type === "file") {
        chosen.focus()
      } else if (chosen instanceof SVGElement) {
        chosen.dispatchEvent(new MouseEvent("click", { bubbles: true }))
      } else {
        chosen.focus()
        chosen.click()
      }
      return `${chosen.tagName} ${chosen.textContent?.trim().slice(0, 30)}`
    },
    [at, text] as const,
  )

/** Goes back to the view before, if there is one, and waits until it is the present one. */
async function goBack(): Promise<void> {
  const { navigation } = window as unknown as { readonly navigation: { readonly canGoBack: boolean } }
  if (!navigation.canGoBack) return
  const gone = new Promise(resolve => addEventListener("popstate", resolve, { once: true }))
  history.back()
  await gone
}

describe("anybody", () => {
  it(
    `can do ${ACTIONS} things in any order, and the page stays whole`,
    async () => {
      const { context, page } = await explorer.openContext()
      const draw = drawFrom(SEED)
      const pick = <Of>(list: readonly Of[]): Of => list[draw(list.length)] as Of
      await page.addInitScript(() => {
        window.print = () => undefined
        // Links to other documents are followed by the next person.
        addEventListener("click", event => {
          const link = event.target instanceof Element ? event.target.closest("a") : null
          if (link !== null && !link.getAttribute("href")?.startsWith("#")) event.preventDefault()
        })
      })
      await explorer.open("", { page })
      const done: string[] = []
      for (let count = 1; count <= ACTIONS; count++) {
        const turn = draw(20)
        if (turn < 12) done.push(await touch(page, draw(10_000), pick(TEXTS)))
        else if (turn < 16) {
          const key = pick(KEYS)
          done.push(key)
          await page.keyboard.press(key)
        } else if (turn < 17) {
          done.push("back")
          await page.evaluate(goBack)
        } else if (turn < 18) {
          done.push("size")
          await page.setViewportSize({ width: 320 + draw(1_200), height: 400 + draw(600) })
        } else {
          const view = pick(VIEWS)
          const language = pick(LANGUAGES)
          done.push(`#/${view} ${language}`)
          await page.evaluate(
            hash => {
              location.hash = hash
            },
            `#/${view}${view.includes("?") ? "&" : "?"}lang=${language}`,
          )
        }
        const last = done.slice(-6).join(" → ")
        await page.getByRole("navigation").waitFor()
        assert.strictEqual(await page.locator("main [role=alert] h1").count(), 0, last)
        assert.deepStrictEqual(explorer.faults, [], last)
      }
      await context.close()
    },
    FLOW_TIMEOUT_MS + ACTIONS * ACTION_MS,
  )
})
