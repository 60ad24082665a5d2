import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const page = readFileSync("docs/architecture.md", "utf8")
const rows = [...page.matchAll(/^\| (.+) \| `(\w+)` \| `(src\/[\w/-]+\.ts)` \|$/gm)].map(
  ([, rule = "", name = "", file = ""]) => ({ rule, name, file }),
)
/** Instruments and articles. */
const CITED =
  /\d+ (?:U\.S\.C\.|CFR) \d+(?:\.\d+)?|\d+\/\d+|(?:Art\.|Annex|s\.|Law|Proclamation|ETS No\.) [\d.]+\d|Art\. \d|Annex \d/g

describe("the table of rules of law in docs/architecture.md", () => {
  it("has at least ten rules", () => {
    expect(rows.length).toBeGreaterThanOrEqual(10)
  })

  it.each(rows)("finds $name in $file", ({ name, file }) => {
    const text = readFileSync(file, "utf8")
    expect(text).toMatch(new RegExp(`^(?:export )?function ${name}\\b`, "m"))
  })

  it.each(rows)("cites what $file cites too: $rule", ({ rule, file }) => {
    const text = readFileSync(file, "utf8").replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ")
    expect((rule.match(CITED) ?? []).filter(cited => !text.includes(cited))).toEqual([])
  })
})
