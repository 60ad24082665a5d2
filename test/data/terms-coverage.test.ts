import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { formatTermsCoverage } from "../../adapters/data-files/terms-coverage.ts"

it("docs/data.md says how many stay rules, waivers and conditions there are", () => {
  const document = readFileSync("docs/data.md", "utf8")
  const [, table] = /<!-- terms coverage -->\n([\s\S]*?)<!-- \/terms coverage -->/.exec(document) ?? []
  expect(table).toBe(formatTermsCoverage("data"))
})
