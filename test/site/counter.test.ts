/** The counter of Schengen's days: against the rule counted day by day, and in a real browser. */
import fc from "fast-check"
import { assert, beforeAll, describe, it } from "vitest"
import type * as Counter from "../../site/counter/count-schengen.ts"
import { formatCivilDate } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, useExplorer } from "./explorer-page.ts"
import { importPageModule } from "./page-module.ts"

const explorer = useExplorer()
const TODAY = 20_800

describe("the counter of Schengen's days", { timeout: FLOW_TIMEOUT_MS }, () => {
  let counter: typeof Counter
  beforeAll(async () => {
    counter = await importPageModule<typeof Counter>("counter/count-schengen.ts")
  })

  it("leaves as many days as the 90 in any 180 still allow, counted day by day", () => {
    const zone = counter.findSchengen()
    assert(zone !== undefined)
    const gap = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 6 }), fc.boolean(), (gaps, isThere) => {
        const present = new Set<number>()
        let end = TODAY - (isThere ? 0 : 3)
        const stays = gaps.map(([away, length], at) => {
          const last = end
          const first = last - length + 1
          for (let day = first; day <= last; day++) present.add(day)
          end = first - 1 - away
          return { from: formatCivilDate(first), to: at === 0 && isThere ? "" : formatCivilDate(last) }
        })
        const usedOn = (days: ReadonlySet<number>, day: number) =>
          [...days].filter(each => each > day - 180 && each <= day).length
        const counted = counter.countSchengen(zone, stays, formatCivilDate(TODAY))
        assert.strictEqual(counted?.used, usedOn(present, TODAY))
        if (counted?.breachOn !== null) return
        const days = new Set(present)
        let left = 0
        for (let day = TODAY; left < 90; day++) {
          days.add(day)
          if (usedOn(days, day) > 90) break
          left++
        }
        assert.strictEqual(counted.leftDays, left)
      }),
      { numRuns: 150 },
    )
  })

  it("keeps the stays on the device, and writes them in no address", async () => {
    const { page } = explorer
    await explorer.open("schengen")
    await page.getByRole("button", { name: "Add a stay" }).press("Enter")
    const left = page.getByRole("region", { name: "Days left today" })
    await left.getByText("90 days", { exact: true }).waitFor()
    const before = page.url()
    await page.getByLabel("First day").fill(new Date(Date.now() - 9 * 86_400_000).toISOString().slice(0, 10))
    await left.getByText(/^10 days of 90 days/).waitFor()
    await left.getByText("81 days", { exact: true }).waitFor()
    assert.strictEqual(page.url(), before)
    await page.reload()
    await left.getByText("81 days", { exact: true }).waitFor()
    const uncounted = page.getByText("Not counted: the first day is missing")
    assert.strictEqual(await uncounted.count(), 0)
    await page.getByLabel("Last day").fill("2020-01-01")
    await uncounted.waitFor()
    await left.getByText("90 days", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Remove stay 1" }).press("Enter")
    await left.getByText("90 days", { exact: true }).waitFor()
    for (const broken of ["{", "[1,null,{}]", '[{"from":"<b>"}]']) {
      await page.evaluate(text => localStorage.setItem("landfall-stays", text), broken)
      await page.reload()
      await left.getByText("90 days", { exact: true }).waitFor()
    }
    await page.evaluate(() => localStorage.removeItem("landfall-stays"))
  })
})
