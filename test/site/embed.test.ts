/** A view of the page in a frame of another host's page, and a map that is taken along. */
import { readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { assert, describe, it } from "vitest"
import { openSiteFiles } from "../../adapters/http/page/assets.ts"
import { SITE_FOLDER } from "../../site/build/build-site.ts"
import { categoryOf, FLOW_TIMEOUT_MS, readDatasetOn, useExplorer } from "./explorer-page.ts"
import { serveSite } from "./site-server.ts"

const explorer = useExplorer()

describe("a view in a frame", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("may be shown by other hosts without the page's own frame, and the page itself by none", async () => {
    const policyOf = (path: string) => openSiteFiles(SITE_FOLDER).find(path)?.headers["content-security-policy"] ?? ""
    assert.match(policyOf("/embed"), /frame-ancestors \*$/)
    assert.match(policyOf("/"), /frame-ancestors 'none'$/)
    const view = `${explorer.server.url}embed#/ranking?passports=FRA,IND&lang=en`
    const bytes = `<!doctype html><title>An article</title><h1>Article</h1><iframe title="Ranking" width="800" height="600" src="${view}"></iframe>`
    const foreign = await serveSite(SITE_FOLDER, { "/article": { type: "text/html", bytes } })
    const { context, page } = await explorer.openContext()
    await page.goto(`${foreign.url}article`)
    const frame = page.frameLocator("iframe")
    await frame.getByRole("heading", { level: 1, name: "How far each passport reaches" }).waitFor()
    assert.strictEqual(await frame.getByRole("navigation").count(), 0)
    const link = await frame.getByRole("link", { name: "Open in Landfall" }).getAttribute("href")
    assert.match(String(link), /^\.\/#\/ranking\?passports=FRA,IND/)
    await context.close()
    await foreign.close()
  })
})

describe("a map that is taken along", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is a table of every answer, and a drawing that needs no style sheet", async () => {
    const { page } = explorer
    await explorer.open("?people=IND")
    const save = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()])
      return readFileSync(await file.path(), "utf8")
    }
    const [, ...rows] = parse(await save("Table (.csv)"), { bom: true }) as string[][]
    const dataset = readDatasetOn()
    assert.sameMembers(
      rows.map(([code]) => String(code)),
      [...dataset.destinations],
    )
    const clear = rows.filter(([, , said]) => said?.startsWith("Clear: ")).map(([code]) => String(code))
    assert.sameMembers(
      clear,
      dataset.destinations.filter(code => ["home", "clear", "border"].includes(categoryOf("IND", code, dataset))),
    )
    const drawing = await save("Picture (.svg)")
    assert.match(drawing, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    assert.notMatch(drawing, /class=|style=|https?:\/\/(?!www\.w3\.org)/)
    assert.match(drawing, /fill="rgb\(/)
  })
})
