import { existsSync, globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const page = readFileSync("SECURITY.md", "utf8")
const table = page.slice(page.indexOf("### How each class is tested"), page.indexOf("## Other measures"))
const named = [...table.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path as string)

describe("the table of SECURITY.md", () => {
  it("names only tests that exist, in every row", () => {
    const rows = table.split("\n").filter(line => /^\| (?!class)/.test(line))
    assert.isAbove(rows.length, 15)
    for (const row of rows) assert.match(row, /`test\/[^`]+\.ts`/, row)
    for (const path of named) assert.isTrue(existsSync(path), path)
  })

  it("names every attack that has a process of its own", () => {
    assert.includeMembers(named, globSync("test/attacks/*.test.ts"))
  })
})
