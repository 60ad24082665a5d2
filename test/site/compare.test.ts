/** Passports side by side and rankings by other methods: the figures against the engine's own, and the files in a real browser. */
import { readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { assert, describe, expect, it } from "vitest"
import { compareAt, isSame, listSet, listSets } from "../../site/ranking/compare.ts"
import { METHODS } from "../../site/ranking/methods.ts"
import { rankAll } from "../../site/ranking/ranking.ts"
import { comparePassports, embeddedDataset, lookupRequirement, rankPassports } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, readDatasetOn, useExplorer, WITHOUT_FRAMES } from "./explorer-page.ts"

const explorer = useExplorer()
const dataset = embeddedDataset()

/** How a passport is asked at a destination that it opens; null for one that it does not. */
function opens(passport: string, destination: string): boolean {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" && !["visa_required", "no_admission"].includes(answer.requirement)
}

describe("passports that are compared", () => {
  it("have the figures of the engine's comparison, for two", () => {
    for (const [passport1, passport2] of [
      ["FRA", "IND"],
      ["PRK", "USA"],
      ["ARE", "KAZ"],
    ] as const) {
      const result = comparePassports(dataset, { passport1, passport2 })
      assert(result.ok && result.value.kind === "found")
      const sets = new Map(listSets(compareAt(dataset, [passport1, passport2]), 2))
      const { onlyPassport1, onlyPassport2, combined } = result.value
      assert.deepStrictEqual(sets.get(1), onlyPassport1)
      assert.deepStrictEqual(sets.get(2), onlyPassport2)
      assert.lengthOf(sets.get(3) ?? [], combined.bothCount)
      assert.lengthOf(sets.get(0) ?? [], combined.neitherCount)
    }
  })

  it.each([3, 4])("put every destination into exactly one set, for %s", count => {
    const passports = ["FRA", "IND", "ARE", "RUS"].slice(0, count)
    const rows = compareAt(dataset, passports)
    const sets = listSets(rows, count)
    assert.lengthOf(sets, 2 ** count)
    assert.sameMembers(
      sets.flatMap(([, destinations]) => destinations),
      [...dataset.destinations],
    )
    for (const [set, destinations] of sets)
      for (const destination of destinations)
        assert.deepStrictEqual(
          listSet(set, passports),
          passports.filter(passport => opens(passport, destination)),
        )
    for (const row of rows)
      assert.strictEqual(
        isSame(row),
        new Set(row.answers.map(answer => answer?.requirement)).size === 1,
        row.destination,
      )
  })
})

describe("a ranking by a method", () => {
  it("has the engine's ranks, and orders passports by what it names", () => {
    const result = rankPassports(dataset)
    assert(result.ok)
    assert.deepStrictEqual(
      rankAll(dataset, "score", "passports").map(({ code, rank, score }) => [code, rank, score]),
      result.value.passports.map(({ passport, rank, score }) => [passport, rank, score]),
    )
    for (const method of METHODS) {
      const rows = rankAll(dataset, method, "passports")
      assert.lengthOf(rows, dataset.passports.length)
      assert.strictEqual(rows[0]?.rank, 1)
    }
    const [first, second] = rankAll(dataset, "economy", "passports")
    assert.isAtLeast(first?.parts?.economy as number, second?.parts?.economy as number)
  })

  it("counts at a destination the passports of other countries, as asking for each does", () => {
    const rows = rankAll(dataset, "visa_free", "destinations")
    assert.lengthOf(rows, dataset.destinations.length)
    for (const code of ["JPN", "CHN", "KIR", "PRK"]) {
      const others = dataset.passports.filter(passport => passport !== code)
      const free = others.filter(passport => {
        const answer = lookupRequirement(dataset, passport, code)
        return answer.kind === "found" && answer.requirement === "visa_free"
      }).length
      const row = rows.find(each => each.code === code)
      assert.strictEqual(row?.detail.visa_free, free)
      assert.strictEqual(row?.score, Math.round((10_000 * free) / others.length) / 10)
      assert.strictEqual(row?.rank, 1 + rows.filter(({ score }) => score > (row?.score ?? 0)).length)
    }
  })
})

describe("the page of the ranking", { timeout: FLOW_TIMEOUT_MS }, () => {
  const take = async (name: string) => {
    const { page } = explorer
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).last().press("Enter"),
    ])
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
  }

  it("shows four passports side by side, and gives each view as a drawing, a picture and a table", async () => {
    const { page } = explorer
    await explorer.open("ranking?passports=FRA,IND,ARE,RUS,USA")
    const compared = page.getByRole("region", { name: "Side by side" })
    const view = readDatasetOn()
    const sets = listSets(compareAt(view, ["FRA", "IND", "ARE", "RUS"]), 4)
    await expect
      .poll(() => compared.locator("dl.facts dd").allTextContents(), PATIENT)
      .toEqual(sets.map(([, destinations]) => String(destinations.length)))
    await compared.getByText("Every destination").press("Enter")
    await compared.getByRole("checkbox", { name: "Only where they differ" }).uncheck()
    await expect.poll(() => compared.getByRole("row").count(), PATIENT).toBe(view.destinations.length + 1)
    const press = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        compared.getByRole("button", { name, exact: true }).press("Enter"),
      ])
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
    }
    const table = await press("Table (.csv)")
    const rows = parse(table.bytes, { bom: true }) as string[][]
    assert.deepStrictEqual(rows[0]?.slice(0, 3), ["code", "Destination", "France"])
    assert.lengthOf(rows, view.destinations.length + 1)
    const drawing = (await take("Picture (.svg)")).bytes.toString()
    assert.match(drawing, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    assert.notMatch(drawing, /class=|var\(/)
    const picture = await take("Picture (.png)")
    assert.strictEqual(picture.name, "ranking.png")
    assert.deepStrictEqual([...picture.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
    assert.strictEqual(picture.bytes.readUInt32BE(16), 2000)
  })

  it("lists destinations by whom they let in, by a method and for a day, and keeps both in the address", async () => {
    const { page } = explorer
    await explorer.open("ranking")
    await page.getByRole("radio", { name: "Destinations" }).check()
    await page.waitForURL(/by=destinations/)
    await page.getByRole("combobox", { name: "Method" }).selectOption("visa_free")
    await page.waitForURL(/by=destinations&method=visa_free/)
    await expect.poll(() => page.getByRole("combobox", { name: "Method" }).inputValue(), PATIENT).toBe("visa_free")
    const expected = rankAll(readDatasetOn(), "visa_free", "destinations")
    const { bytes } = await take("Table (.csv)")
    const rows = parse(bytes, { bom: true, columns: true }) as Record<string, string>[]
    assert.deepStrictEqual(
      rows.map(({ Rank, code }) => [Number(Rank), code]),
      expected.map(({ rank, code }) => [rank, code]),
    )
    await page.getByLabel("Day of travel").fill("2022-03-06")
    await page.waitForURL(/on=2022-03-06/)
    // For a past day there is no note on the day of the rules.
    await page.locator(".ranking header:not(:has(.note))").waitFor()
    const past = parse((await take("Table (.csv)")).bytes, { bom: true, columns: true }) as Record<string, string>[]
    assert.strictEqual(past[0]?.["Day of travel"], "2022-03-06")
    const japan = (of: Record<string, string>[]) => Number(of.find(({ code }) => code === "JPN")?.["Visa-free"])
    // Japan had suspended its exemptions.
    assert.isBelow(japan(past), japan(rows))
  })

  it("lays out a part of its table in each task, and soon the whole of it", async () => {
    const { context, page } = await explorer.openContext()
    await page.addInitScript(() => {
      const counts: number[] = []
      Object.assign(globalThis, { rowsOfTasks: counts })
      new MutationObserver(() => counts.push(document.querySelectorAll(".ranking tbody tr").length)).observe(document, {
        childList: true,
        subtree: true,
      })
    })
    await explorer.open("ranking", { page })
    const isRanked = (most: number) => document.querySelectorAll(".ranking tbody tr").length === most
    await page.waitForFunction(isRanked, 199, WITHOUT_FRAMES)
    const counts: number[] = await page.evaluate("rowsOfTasks")
    const added = counts.map((count, at) => count - (counts[at - 1] ?? 0))
    assert.isAtMost(Math.max(...added), 25)
    await context.close()
  })

  it("gives the map as a picture", async () => {
    await explorer.open("?people=IND")
    await explorer.page.locator("svg.world").waitFor()
    const picture = await take("Picture (.png)")
    assert.strictEqual(picture.name, "map.png")
    assert.strictEqual(picture.bytes.readUInt32BE(16), 2000)
    assert.isAbove(picture.bytes.length, 50_000)
  })
})
