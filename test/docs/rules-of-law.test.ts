import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const page = readFileSync("docs/architecture.md", "utf8")
const rows = [...page.matchAll(/^\| .+ \| `(\w+)` \| `(src\/[\w/-]+\.ts)` \|$/gm)].map(([, name = "", file = ""]) => ({
  name,
  file,
}))

describe("the table of rules of law in docs/architecture.md", () => {
  it("has at least ten rules", () => {
    expect(rows.length).toBeGreaterThanOrEqual(10)
  })

  it.each(rows)("finds $name in $file", ({ name, file }) => {
    const text = readFileSync(file, "utf8")
    expect(text).toMatch(new RegExp(`^(?:export )?function ${name}\\b`, "m"))
  })
})
