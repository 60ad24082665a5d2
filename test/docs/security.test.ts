import { existsSync, globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import config from "../../vitest.attacks.config.ts"

const page = readFileSync("SECURITY.md", "utf8")
const table = page.slice(page.indexOf("### How each class is tested"), page.indexOf("## Other measures"))
const named = [...table.matchAll(/`(test\/[^`]+)`( ✓)?/g)].map(([, path, mark]) => ({
  path: path as string,
  isMarked: mark !== undefined,
}))

describe("the table of SECURITY.md", () => {
  it("names only tests that exist, in every row", () => {
    const rows = table.split("\n").filter(line => /^\| (?!class)/.test(line))
    assert.isAbove(rows.length, 15)
    for (const row of rows) assert.match(row, /`test\/[^`]+\.ts`/, row)
    for (const { path } of named) assert.isTrue(existsSync(path), path)
  })

  it("marks exactly those that test:attacks runs", () => {
    const projects = (config as { test: { projects: readonly { test: { include: string[] } }[] } }).test.projects
    const run = projects.flatMap(({ test }) => test.include.flatMap(pattern => globSync(pattern)))
    const marked = new Set(named.filter(({ isMarked }) => isMarked).map(({ path }) => path))
    assert.deepStrictEqual([...marked].sort(), run.sort())
    for (const { path, isMarked } of named) assert.strictEqual(isMarked, marked.has(path), path)
  })
})
